"""Frictions that stick at the same time and hold the same motion: nothing tells their forces apart.

Which they are is found by trial: of those that stick, each that leaves the others undetermined when
it slides is left out; what remains cannot do without any of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from kinetree.analysis.runs.dynamics import Dynamics
    from kinetree.arrays import Array

ALIKE = (
    "their forces cannot be told apart; give one of them the forces of all, or put a spring "
    "between them"
)
"""What is wrong, and what helps."""


def name_rivals(system: Dynamics, t: float, y: Array) -> str:
    """A phrase for the frictions that stick and cannot be told apart; empty where all can."""
    sticks = {name for name, k in _places(system).items() if y[k] in (0, 3)}
    if _determined(system, t, y, sticks):
        return ""
    for name in sorted(sticks):
        if not _determined(system, t, y, sticks - {name}):
            sticks -= {name}
    listed = " and ".join(f"'{name}'" for name in _places(system) if name in sticks)
    return f"{listed} stick and hold the same motion, so that {ALIKE}"


def _determined(system: Dynamics, t: float, y: Array, sticks: set[str]) -> bool:
    """Whether accelerations have values where some of the frictions stick and the others slide."""
    y = y.copy()
    for name, k in _places(system).items():
        y[k] = float(name not in sticks)
    with np.errstate(all="ignore"):
        return bool(np.isfinite(system.rates(t, y)).all())


def _places(system: Dynamics) -> dict[str, int]:
    """Mode of a friction -> its number in y."""
    first, forward = system.nq + system.nv, system.forward
    names = forward.output("slip").labels if forward.gives("slip") else ()
    return {name: first + system.states.index(name) for name in names}
