"""Point on a surface: f(x, y, z) = 0 with the place of the first end in the second's frame.

Equation: law.  The expression may use x, y, z [m], coordinates q_NAME, the time t and parameters;
two expressions make a curve (`curve`).

Refs: Docquier2013 sec. 2.2
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinetree.errors import ModelError
from kinetree.model import REQUIRED, ClosureKind, Condition, Law


def conditions(arguments: Mapping[str, Any], element: str) -> tuple[Condition, ...]:
    """One expression."""
    laws = arguments["law"]
    if len(laws) != 1:
        raise ModelError(
            f"{len(laws)} equations make no surface",
            element=f"{element} law",
            cure="give one expression of x, y, z, or close a curve",
        )
    return (Law("law", laws[0]),)


KIND = ClosureKind("surface", conditions, options={"law": REQUIRED}, laws=("law",))
