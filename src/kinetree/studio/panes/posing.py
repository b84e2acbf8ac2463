"""A body that is pulled, and the mechanism follows with its loops closed.

The place p of a body goes to a target: of all small motions v that keep the loops closed,

    min |P v - (target - p)|² + λ|v|²   with   J v = -h,

the best one is made, again and again (Gauss and Newton); then the loops are closed exactly.  P is
found by differences of places, many at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kinetree.arrays import Array
from kinetree.assembly.assemble import close
from kinetree.errors import FormatError, unknown
from kinetree.model import Model, retract
from kinetree.studio.messages import ClosedPose, DragMessage, PoseMessage
from kinetree.studio.panes.checks import DOCTOR, check
from kinetree.studio.panes.diagrams import model_of
from kinetree.studio.panes.doctor import PosedModel
from kinetree.view.quaternions import matrices

STEPS = 12
"""Most motions that follow a pull."""
LONGEST = 0.3
"""Largest component of a motion [rad or m]."""
NUDGE = 1e-6
"""Size of the differences by which P is found [rad or m]."""
WEIGHT = 1e-8
"""λ, relative to the largest |P|²."""
NEAR = 1e-7
"""Distance at which a pull has reached its target [m]."""
DIGITS = 12
"""Significant digits of start values that are written into a file."""


@dataclass(frozen=True)
class PulledPlace:
    """A place of a body and its target.

    Attributes:
        number: of the body, from 0.
        at: place in the body frame [m].
        to: target in the ground frame [m].
    """

    number: int
    at: Array
    to: Array

    def positions(self, posed: PosedModel, q: Array) -> Array:
        """Places in the ground frame for many q: frames × 3."""
        found = posed.places(q)[:, self.number]
        return np.asarray(matrices(found[:, :4]) @ self.at + found[:, 4:])


def closed_pose(text: str, revision: int, asked: PoseMessage) -> ClosedPose:
    """The pose that is asked for, with closed loops.

    Raises:
        KinetreeError: for unknown names, or loops that do not close.
    """
    found = check(text)
    model = model_of(found)
    posed = DOCTOR.posing(model)
    q = np.array(model.initial() if found.report is None else found.report.q, dtype=float)
    names = list(model.coordinates)
    for name, value in asked.start.items():
        q[_index(names, name)] = value
    for name in asked.hold:
        _index(list(model.velocities), name)
    left = 0.0
    if asked.drag is not None:
        pulled = _place_to_pull(model, asked.drag)
        q = follow(posed, q, pulled, asked)
        left = float(np.linalg.norm(pulled.positions(posed, q[None])[0] - pulled.to))
    elif posed.system is not None:
        q = _close(posed, q, asked, list(asked.hold))
    return ClosedPose(
        revision=revision, q=dict(zip(names, q.tolist(), strict=True)),
        poses=posed.places(q).tolist(), left=left, operations=start_operations(model, q),
    )  # fmt: skip


def _index(names: list[str], name: str) -> int:
    if name not in names:
        raise unknown("coordinate", name, names, "pose")
    return names.index(name)


def _place_to_pull(model: Model, drag: DragMessage) -> PulledPlace:
    if drag.body not in model.bodies:
        raise unknown("body", drag.body, list(model.bodies), "pose")
    values = np.array([drag.at, drag.to], dtype=float)
    if not np.isfinite(values).all():
        raise FormatError("a place is not finite", element="pose", cure="give three numbers")
    return PulledPlace(list(model.bodies).index(drag.body), values[0], values[1])


def follow(posed: PosedModel, q: Array, pulled: PulledPlace, asked: PoseMessage) -> Array:
    """Coordinates after a pull, loops closed."""
    model, system = posed.model, posed.system
    fixed = {model.velocities.index(name) for name in asked.hold}
    fixed |= set() if system is None else set(system.driven)
    free = [k for k in range(model.nv) if k not in fixed]
    if system is not None:
        q = _close(posed, q, asked, [])
    best, least = q, np.inf
    for _ in range(STEPS if free else 0):
        error = pulled.to - pulled.positions(posed, q[None])[0]
        size = float(np.linalg.norm(error))
        if size < least:
            best, least = q, size
        if size < NEAR:
            break
        step = np.zeros(model.nv)
        step[free] = _best_motion(posed, q, pulled, error, free, asked.t)
        largest = float(np.abs(step).max(initial=0.0))
        if largest < NEAR:
            break
        q = retract(model, q, step * min(1.0, LONGEST / largest))
        if system is not None:
            q = _close(posed, q, asked, [])
    return best


def _best_motion(
    posed: PosedModel, q: Array, pulled: PulledPlace, error: Array, free: list[int], t: float
) -> Array:
    """The small motion that brings a place nearest to its target and keeps the loops closed."""
    n = len(free)
    moves = np.zeros((n + 1, posed.model.nv))
    moves[1 + np.arange(n), free] = NUDGE
    places = pulled.positions(posed, retract(posed.model, q, moves))
    P = (places[1:] - places[0]).T / NUDGE
    within = np.eye(n)  # motions that keep the loops closed, as columns
    if posed.system is not None:
        with posed.lock:
            _, J = posed.system.evaluate(q, t)
        _, sizes, rows = np.linalg.svd(J[:, free])
        rank = int((sizes > posed.system.share * sizes.max(initial=0.0)).sum())
        within = rows[rank:].T
    A = P @ within
    weight = WEIGHT * float((P * P).sum(axis=0).max(initial=1e-12))
    v = np.linalg.solve(A.T @ A + weight * np.eye(A.shape[1]), A.T @ error)
    return np.asarray(within @ v)


def _close(posed: PosedModel, q: Array, asked: PoseMessage, hold: list[str]) -> Array:
    """Coordinates near q at which the loops are closed."""
    assert posed.system is not None
    with posed.lock:
        start = posed.system.start(q.tolist(), asked.t)
        return close(posed.system, start, independent=hold or None, t=asked.t).q


def start_operations(model: Model, q: Array) -> list[list[Any]]:
    """The edit that makes coordinates the start of the model."""
    made: list[list[Any]] = []
    before, at = model.initial(), 0
    for joint in model.leaders:
        size = len(joint.coordinates)
        values, old = q[at : at + size], before[at : at + size]
        at += size
        if size and not np.allclose(values, old, rtol=0, atol=1e-9):
            rounded = [float(f"{value:.{DIGITS}g}") for value in values.tolist()]
            made.append(["set", ["joints", joint.name, "initial"], rounded])
    return made
