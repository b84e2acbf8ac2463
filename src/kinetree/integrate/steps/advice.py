"""The message about a step that fails: which residuals remain, where, and what helps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.arrays import Array
from kinetree.assembly import depending
from kinetree.integrate.partition_health import LEAST

if TYPE_CHECKING:
    from kinetree.integrate.partition_health import Watch
    from kinetree.integrate.steps.newton_failure import Failure
    from kinetree.program import Program

SMALLER = "take a smaller step"


def said(found: Failure) -> str:
    """What Newton's method did."""
    if found.residual <= 1:  # repeated with another rounding it converges
        return f"Newton's method does not settle by a hair, most in {found.worst}"
    return (
        f"Newton's method leaves {found.residual:.3g} times the residual allowed, "
        f"most in {found.worst}"
    )


def advice(found: Failure, watch: Watch | None, q: Array, t: float, equation: str) -> str:
    """What helps.

    Args:
        found: what is left of the equations.
        watch: of the independent coordinates, where there are any.
        q: coordinates where it failed.
        t: time there [s].
        equation: one that depends on others nearly, and there alone; empty: none does.
    """
    if watch is not None and watch.share(q, t, {}) <= LEAST:
        names = ", ".join(sorted(watch.independent))
        return (
            f"the independent coordinates {names} do not determine the others there: choose "
            "others by independent=, or the formulation 'hybrid'"
        )
    if equation:
        return (
            f"the position is nearly singular, equation {equation} depends on others there: "
            "a longer step passes over it, or another formulation"
        )
    return SMALLER if found.residual > 1 else "allow a larger tolerance="


def singular_equation(loops: Program | None, places: tuple[Array, Array], free: list[int]) -> str:
    """Label of an equation that depends on others at the second place, not at the first.

    Args:
        loops: gives J.
        places: coordinates.
        free: numbers of the velocities that may move.
    """
    if loops is None:
        return ""
    J, nearby = (_slopes(loops, q)[:, free] for q in places)
    row = depending(nearby, J) if np.isfinite(nearby).all() else None
    return "" if row is None else loops.output("h").labels[row]


def _slopes(loops: Program, q: Array) -> Array:
    nv = loops.output("J").shape[-1]
    given: dict[str, Any] = {"q": q, "qd": np.zeros(nv), "t": np.zeros(())}
    return np.asarray(loops.evaluate(**loops.given(given))["J"])


__all__ = ["advice", "said", "singular_equation"]
