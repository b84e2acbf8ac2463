"""Poses of all bodies over a run, from the kinematics Program in one batch."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinetree.arrays import Array
from kinetree.engine import derivation
from kinetree.errors import ShapeError
from kinetree.formalism import QUANTITIES
from kinetree.formalism.kinematics import poses as placed_points
from kinetree.formalism.links.linkage import linkage
from kinetree.formalism.matrices import derive_placed
from kinetree.formalism.matrices.placement import placement
from kinetree.formalism.quantities import Quantity
from kinetree.model import Mechanism, refuse
from kinetree.program import Program
from kinetree.program.restrict import restrict
from kinetree.view.quaternions import continue_signs, quaternions

POSES = Quantity(
    "kinematics", "", {"recursive": placed_points}, False, velocities=False, wrenches=False,
    options=("points",), laws=False,
)  # fmt: skip
"""Position and rotation of points alone: in half the time of all kinematics."""


def poses(model: Mechanism, q: Any, t: Any = 0.0) -> Array:
    """Quaternion w, x, y, z and position [m] of every body in the ground frame.

    Args:
        model: the mechanism.
        q: frames × nq coordinates.
        t: time of every frame [s], where position matrices depend on it.

    Returns:
        frames × bodies × 7, bodies in the order of `model.bodies`.
    """
    values = np.asarray(q, dtype=float)
    if values.ndim != 2 or values.shape[1] != model.nq:
        raise ShapeError(
            f"it has shape {values.shape}, but the model has {model.nq} coordinates",
            element="q",
            cure=f"give a run of model '{model.name}'",
        )
    names = list(model.bodies)
    if not names:
        return np.zeros((len(values), 0, 7))
    return program_poses(names, pose_program(model), values, t)


def program_poses(names: list[str], program: Any, q: Array, t: Any = 0.0) -> Array:
    """Poses of bodies by a pose program, or by the native function of one; see `poses`."""
    out = np.zeros((len(q), len(names), 7))
    given = {"q": q, "t": np.asarray(t, dtype=float)}
    if isinstance(program, Program):
        found = program.evaluate_some(**given)
    else:
        known = {port.name for port in program.inputs}
        found = program(check=False, **{name: x for name, x in given.items() if name in known})
    turns = np.empty((len(q), len(names), 3, 3))
    for k, name in enumerate(names):
        turns[:, k] = found[f"{name}.rotation"]
        out[:, k, 4:] = found[f"{name}.position"]
    out[:, :, :4] = quaternions(turns)
    out[:, :, :4] = continue_signs(out[:, :, :4])
    return out


@derivation()
def pose_program(model: Mechanism, *, folded: bool = True) -> Program:
    """Position and rotation of every body, not condensed.

    Args:
        model: the mechanism.
        folded: whether parameters are numbers, not the input p.
    """
    names = list(model.bodies)
    outputs = [f"{name}.{what}" for name in names for what in ("position", "rotation")]
    refuse(model, invertible=False, inertia="ignore")  # a picture may be of a doubtful model
    return restrict(_program_of(model, names, POSES, folded=folded), outputs)


@derivation()
def velocity_program(model: Mechanism) -> Program:
    """Angular velocity [rad/s], velocity of the origin [m/s] of every body, ground components."""
    names = list(model.bodies)
    refuse(model, invertible=False, inertia="ignore")
    written = _program_of(model, names, QUANTITIES["kinematics"], folded=False)
    return restrict(written, [f"{name}.velocity" for name in names])


def _program_of(model: Mechanism, names: list[str], what: Quantity, *, folded: bool) -> Program:
    if model.by_matrices:
        placed = placement(model.as_frames(), folded=folded)
        return derive_placed(placed, "kinematics", points=names)
    system = linkage(model, folded=folded)
    return what.derive(system, "recursive", points=names)
