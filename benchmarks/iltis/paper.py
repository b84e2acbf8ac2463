"""Numbers printed in the paper, for the tables beside ours.

Refs: Cuadrado2003 tables 1 and 4 to 7
"""

from __future__ import annotations

from typing import NamedTuple


class Printed(NamedTuple):
    """A row of tables 4 to 6: basic parameter, step [s], processor time [s], error [m]."""

    parameter: float | None
    step: float
    seconds: float
    error: float


TRAPEZOIDAL: dict[str, dict[float, float]] = {
    "global": {0.01: 5.41, 0.0175: 3.86},
    "topological": {0.01: 0.74, 0.025: 0.56},
    "hybrid": {0.01: 0.72, 0.035: 0.37},
}
"""Table 1: formulation -> step [s] -> processor time [s]."""
FULLY_RECURSIVE = {0.01: 3.06, 0.0075: 2.30}
COMMERCIAL = 7.62
"""Table 1: variable steps of commercial software, processor time [s]."""
VARIABLES = {"global": 168, "topological": 26, "hybrid": 26}
BEST: dict[str, dict[str, Printed]] = {
    "global": {
        "trapezoidal": Printed(None, 0.0175, 3.86, 1.536e-3),
        "newmark": Printed(-0.62, 0.045, 1.74, 3.994e-3),
        "hht": Printed(0.15, 0.03, 2.62, 2.468e-3),
        "generalised_alpha": Printed(0.0, 0.025, 2.77, 2.428e-3),
    },
    "topological": {
        "trapezoidal": Printed(None, 0.025, 0.56, 4.040e-3),
        "newmark": Printed(-0.28, 0.0225, 0.55, 1.717e-3),
        "hht": Printed(0.01, 0.025, 0.57, 4.001e-3),
        "generalised_alpha": Printed(0.0, 0.0225, 0.68, 3.454e-3),
    },
    "hybrid": {
        "trapezoidal": Printed(None, 0.035, 0.37, 4.508e-3),
        "newmark": Printed(-0.52, 0.05, 0.25, 4.117e-3),
        "hht": Printed(0.35, 0.0425, 0.33, 2.450e-3),
        "generalised_alpha": Printed(0.0, 0.05, 0.28, 2.834e-3),
    },
}
"""Tables 4 to 6: formulation -> family -> the most efficient run."""

__all__ = ["BEST", "COMMERCIAL", "FULLY_RECURSIVE", "TRAPEZOIDAL", "VARIABLES", "Printed"]
