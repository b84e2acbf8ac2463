"""Locks and frictions that hold the same motion at the same time: nothing tells their forces apart.

Frictions that stick are found by trial: of them, each that leaves the others undetermined when it
slides is left out; what remains cannot do without any of them.  Locks in loops are found by the
rank of the equations of the loops with the velocities that are held.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kinetree.engine import Node, number, substitute
from kinetree.model import state_names, time_symbol

if TYPE_CHECKING:
    from kinetree.analysis.runs.dynamics import Dynamics
    from kinetree.arrays import Array

ALIKE = (
    "their forces cannot be told apart; give one of them the forces of all, or put a spring "
    "between them"
)
"""What is wrong, and what helps."""
TINY, DEPENDS = 1e-300, 1e-9
"""Size of an equation without velocities; singular value and share that are rounding."""


def name_rivals(system: Dynamics, t: float, y: Array) -> str:
    """A phrase for the locks and frictions that cannot be told apart; empty where all can."""
    if found := _locks_in_loops(system, t, y):
        return found
    sticks = {name for name, k in _places(system).items() if y[k] in (0, 3)}
    if _determined(system, t, y, sticks):
        return ""
    for name in sorted(sticks):
        if not _determined(system, t, y, sticks - {name}):
            sticks -= {name}
    if not sticks:  # it is not for frictions that accelerations have no value
        return ""
    listed = " and ".join(f"'{name}'" for name in _places(system) if name in sticks)
    return f"{listed} stick and hold the same motion, so that {ALIKE}"


def _locks_in_loops(system: Dynamics, t: float, y: Array) -> str:
    """A phrase for closed locks that hold, with each other or with frictions, what others hold."""
    if system.loops is None or not np.isfinite(y).all():
        return ""
    q, held = system.split(y)[0], _held_velocities(system, t, y)
    if not held:
        return ""
    J = system.loops.slopes(q, t)[0]
    rows = np.vstack([J / np.maximum(np.abs(J).max(axis=1, keepdims=True), TINY),
                      np.eye(system.nv)[list(held.values())]])  # fmt: skip
    left, sizes, _ = np.linalg.svd(rows)
    sizes = np.append(sizes, np.zeros(len(rows) - len(sizes)))
    share = np.abs(left[len(J) :, sizes < DEPENDS]).max(axis=1, initial=0.0)
    names = [name for name, part in zip(held, share, strict=True) if part > DEPENDS]
    if not names:
        return ""
    listed = " and ".join(f"'{name}'" for name in names)
    return f"{listed} hold the same motion of the loops; open one of them"


def _held_velocities(system: Dynamics, t: float, y: Array) -> dict[str, int]:
    """Closed locks, and frictions of velocities that stick, where there is a lock -> velocity."""
    model, values = system.model, _values(system, t, y)
    modes = dict(zip(system.states, system.split(y)[2], strict=True))
    bolts = [force for force in model.forces.values() if force.kind == "joint_lock"]
    laws = substitute([force.laws["locked"][0] for force in bolts], values)
    pairs = zip(bolts, laws, strict=True)
    held = [force for force, law in pairs if law.is_number and law.value > 0]
    if held:
        rubbing = [row for row in model.forces.values() if row.arguments.get("mode") in modes]
        held += [row for row in rubbing if modes[row.arguments["mode"]] == 0]
    joints = {force.name: force.arguments.get("joint") for force in held}
    return {k: model.velocities.index(v) for k, v in joints.items() if v in model.velocities}


def _values(system: Dynamics, t: float, y: Array) -> dict[Node, Node]:
    """Symbols of laws -> numbers."""
    model, names = system.model, state_names(system.model)
    parts = zip(("q", "qd", "x"), (model.coordinates, model.velocities, model.states),
                system.split(y), strict=True)  # fmt: skip
    found = {names[p][name]: number(float(v)) for p, row, part in parts
             for name, v in zip(row, part, strict=False)}  # fmt: skip
    named = model.parameters.values()
    given = {row.symbol: number(float(system.parameters.get(row.name, row.value))) for row in named}
    return {**found, **given, time_symbol(): number(float(t))}


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
