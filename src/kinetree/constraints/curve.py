"""Point on a curve: f = 0 and g = 0 of the place of the first end in the second's frame.

Equations: law_1 and law_2.  The expressions may use x, y, z [m], coordinates q_NAME, the time t and
parameters; a curve given by its arc needs a coordinate for the arc: x - f(q_s), y - g(q_s), …

Refs: Docquier2013 sec. 2.2
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinetree.errors import ModelError
from kinetree.model import REQUIRED, ClosureKind, Condition, Law


def conditions(arguments: Mapping[str, Any], element: str) -> tuple[Condition, ...]:
    """Two expressions, or three with a coordinate of their own."""
    laws = arguments["law"]
    if len(laws) not in (2, 3):
        raise ModelError(
            f"{len(laws)} equations make no curve",
            element=f"{element} law",
            cure="give two expressions of x, y, z, or three with a coordinate for the arc",
        )
    return tuple(Law(f"law_{k}", expr) for k, expr in enumerate(laws, 1))


KIND = ClosureKind("curve", conditions, options={"law": REQUIRED}, laws=("law",))
