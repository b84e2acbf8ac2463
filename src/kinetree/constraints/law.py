"""User constraint: h(q, t) = 0 as one or several expressions of the coordinates and the time.

Equations: law, or law_1, law_2, …  The expressions may use coordinates q_NAME, the time t and
parameters; J and Jdqd follow by differentiation.

Refs: Docquier2013 sec. 2.2
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinetree.constraints.directions import per_law
from kinetree.model import REQUIRED, ClosureKind, Condition, Law


def conditions(arguments: Mapping[str, Any], element: str) -> tuple[Condition, ...]:
    """One equation per expression."""
    del element
    return per_law(Law, arguments["law"])


KIND = ClosureKind("law", conditions, options={"law": REQUIRED}, places=0, laws=("law",))
