"""What acts along a velocity at rest: the generalised force of every element, and of the weight.

A small velocity v along the mechanism, dependent velocities included, gives each element a power P,
and P/v is its force along v.  The weight, with external wrenches,
has what is left of the forces that hold the motion.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.assembly import with_values
from kinetree.pipeline import derive

if TYPE_CHECKING:
    from kinetree.analysis.runs.dynamics import Dynamics
    from kinetree.arrays import Array

SLOW = 1e-6
"""Velocity at which dampers hardly act [rad/s, m/s]."""
POWER = ".power"
SHOWN = 3
"""How many accelerations, and forces along the largest of them, are told."""


def acting_forces(system: Dynamics, t: float, y: Array, tau: Array, k: int) -> dict[str, float]:
    """Generalised forces along velocity k [N.m, N], by name of the element, largest first.

    Args:
        system: the dynamics.
        t: time of laws [s].
        y: state at rest.
        tau: efforts from outside.
        k: number of an independent velocity.
    """
    q, qd, x = system.split(y)
    slow = np.array(y)
    slow[system.nq + k] = SLOW
    v = system.split(system.project(t, slow))[1]
    v = v / v[k]
    given = {**system.loads.fixed, "q": q, "x": x, "t": np.array(t)}

    def outputs(quantity: str, **rates: Array) -> dict[str, Any]:
        program = with_values(derive(system.model, quantity), system.parameters)
        return program.evaluate(**program.pick_inputs({**given, **rates}))

    powers = outputs("forces", qd=SLOW * v) if system.model.forces else {}
    found = {name.removesuffix(POWER): float(P) / SLOW for name, P in powers.items()
             if name.endswith(POWER)}  # fmt: skip
    held = outputs("inverse", qd=0 * qd, qdd=0 * qd)["tau"]  # what holds all at rest
    rest = "weight, wrenches" if system.loads.acting else "weight"
    found[rest] = float(-held @ v) - sum(found.values())
    found["efforts"] = float(tau @ v)
    largest = max(map(abs, found.values()))
    acting = {name: Q for name, Q in found.items() if abs(Q) > 1e-6 * largest}
    return dict(sorted(acting.items(), key=lambda row: -abs(row[1])))


def tell_unrest(
    system: Dynamics, t: float, y: Array, tau: Array, rates: Mapping[str, float]
) -> str:
    """What accelerates most, and what acts along the first of it.

    Args:
        system: the dynamics.
        t: time of laws [s].
        y: state at rest.
        tau: efforts from outside.
        rates: sizes of accelerations, and of the rates of user states, by name.
    """
    order = sorted(rates, key=lambda name: -rates[name])[:SHOWN]
    order = [name for name in order if rates[name] > 1e-3 * rates[order[0]]]
    moves = ", ".join(f"'{name}' accelerates by {rates[name]:.3g}" for name in order)
    names = list(system.model.velocities)
    if order[0] not in names:
        return moves
    forces = acting_forces(system, t, y, tau, names.index(order[0]))
    acting = [f"{name} {value:.3g}" for name, value in forces.items()][:SHOWN]
    return f"{moves}; along '{order[0]}' act: {', '.join(acting)}"
