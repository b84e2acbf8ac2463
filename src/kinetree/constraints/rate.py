"""User constraint between velocities: A(q, t) qd + b(q, t) = 0, which no position has to satisfy.

Equations: law, or law_1, law_2, …  The expressions are linear in velocities qd_NAME and may use
coordinates q_NAME, the time t and parameters.

Refs: Docquier2013 sec. 2.2
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinetree.constraints.directions import per_law
from kinetree.model import REQUIRED, ClosureKind, Condition, RateLaw


def conditions(arguments: Mapping[str, Any], element: str) -> tuple[Condition, ...]:
    """One equation per expression."""
    del element
    return per_law(RateLaw, arguments["law"])


KIND = ClosureKind(
    "rate", conditions, options={"law": REQUIRED}, places=0, laws=("law",), rates=True
)
