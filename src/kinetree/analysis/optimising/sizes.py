"""What counts as large in an optimisation, so that it does not depend on units.

Micrometres and meganewtons are found as exactly as what is near one: methods see the objective and
every constraint as a part of its size at the first trial that has a run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from kinetree.analysis.optimising.journal import JournalRow
from kinetree.arrays import Array
from kinetree.measures import Misfit

if TYPE_CHECKING:
    from kinetree.analysis.optimising.trials import Limit, Study

ROUNDING = 1e-14
"""Share of its data below which a misfit is rounding."""
FAR = 1e3
"""How many times its bounds a first value counts at most."""


@dataclass
class StudySizes:
    """Of the objective, and of every constraint in the order of the study; 1 until they are known.

    Attributes:
        objective: the larger of its value and of its slope over the width of the bounds.
        constraints: the largest bound, or the first value where that is larger.
    """

    objective: float = 1.0
    constraints: Array = field(default_factory=lambda: np.ones(0))

    @classmethod
    def unknown(cls, study: Study) -> StudySizes:
        """Before the first trial."""
        return cls(constraints=np.ones(len(study.bounds)))

    def see(self, study: Study, width: Array, row: JournalRow) -> None:
        """Take them from the first trial that has a run.

        Args:
            study: what is optimised.
            width: of the bounds of what varies.
            row: the evaluation.
        """
        slopes = np.array(row.get("gradient", [0.0])) * width
        data = sum(m.weights @ m.data**2 for m in study.objectives if isinstance(m, Misfit))
        found = max(abs(row["value"]), float(np.abs(slopes).max()), ROUNDING * float(data))
        self.objective = found or 1.0
        values = np.abs(np.array(row["limits"])).reshape(len(study.cases), -1)
        rows = zip(study.bounds.values(), values.T, strict=True)
        self.constraints = np.array([_size(bound, own) for bound, own in rows])


def _size(bound: Limit, values: Sequence[float] | Array) -> float:
    """Of one constraint: a bound tells more than a run that went far beyond it."""
    end, first = max(abs(x) for x in bound.ends), float(np.max(values))
    return (max(end, min(first, FAR * end)) if end else first) or 1.0
