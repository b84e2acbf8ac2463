"""Infer hinges and sliders of a FrameModel from moving factors of position matrices, to draw them.

A position matrix is a product of turns and displacements.  Where one of them holds a coordinate,
something is hinged or slides there.  A place belongs to every body in whose frame it stays the
same over many configurations; so the pin of two bodies is found although neither mentions it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kinetree.algebra import Vector
from kinetree.algebra.transforms import TransformStep
from kinetree.arrays import Array
from kinetree.engine import as_node, evaluate
from kinetree.model import FrameModel, coordinate_symbol, parameter_table, retract, time_symbol

FRAMES, PROBES = 40, 12
"""Configurations looked at: of the frames shown, and others about the first."""
AWAY = 0.4
"""How far the others are away [rad or m]."""
SAME = 1e-6
"""Difference of places and directions that are taken for equal [m, 1]."""
TURN, SHIFT = "turn", "shift"


@dataclass(frozen=True)
class Knee:
    """A place at which what follows turns or shifts.

    Attributes:
        kind: TURN or SHIFT.
        at: configurations × 3, ground frame [m]; of a shift the place it starts from.
        to: the same after the shift.
        axis: configurations × 3, unit, ground frame; none where it has no fixed one.
        travel: least and greatest displacement over the frames shown [m].
    """

    kind: str
    at: Array
    to: Array
    axis: Array | None
    travel: tuple[float, float] = (0.0, 0.0)

    def same(self, other: Knee) -> bool:
        """Whether it is the same place of the same kind."""
        return self.kind == other.kind and _near(self.at, other.at) and _near(self.to, other.to)


@dataclass(frozen=True)
class Walks:
    """What the walks of a model tell a drawing.

    Attributes:
        frames: body name, ground first -> its rotations and origins over the configurations.
        knees: every place once, from the ground outwards.
    """

    frames: Mapping[str, tuple[Array, Array]]
    knees: Sequence[Knee]

    def fixed_at(self, body: str, places: Array) -> Array | None:
        """Places in the frame of a body [m]; none where they move in it."""
        R, p = self.frames[body]
        return _constant(np.einsum("fji,fj->fi", R, places - p))

    def along(self, body: str, directions: Array | None) -> Array | None:
        """A direction in the frame of a body; none where it turns in it."""
        if directions is None:
            return None
        return _constant(np.einsum("fji,fj->fi", self.frames[body][0], directions))

    def places(self, body: str) -> list[Array]:
        """Where something is hinged to a body or slides with it, outermost on its walk first."""
        return [
            place
            for knee in reversed(self.knees)
            if (place := self.fixed_at(body, knee.to)) is not None
        ]

    def all_places(self) -> dict[str, list[Array]]:
        """Body name -> its places."""
        return {name: self.places(name) for name in self.frames}


def walks(model: FrameModel, q: Array, t: Array | float = 0.0) -> Walks:
    """The walks of a model over some frames and configurations about the first of them.

    Args:
        model: the mechanism.
        q: frames × nq.
        t: time of every frame [s].
    """
    shown, values = _configurations(model, q, np.broadcast_to(np.asarray(t, float), (len(q),)))
    count = len(values[time_symbol()])
    unit = np.broadcast_to(np.eye(3), (count, 3, 3))
    frames = {model.ground.name: (unit, np.zeros((count, 3)))}
    knees: list[Knee] = []
    for name, T in model.matrices.items():
        R, p = unit, np.zeros((count, 3))
        for step in T.steps:
            R, p, knee = _walk_step(R, p, step, values, shown)
            if knee is not None and not any(knee.same(other) for other in knees):
                knees.append(knee)
        frames[name] = (R, p)
    whole = np.all([np.isfinite(R).all((1, 2)) & np.isfinite(p).all(1)
                    for R, p in frames.values()], axis=0)  # fmt: skip
    return Walks(
        {name: (R[whole], p[whole]) for name, (R, p) in frames.items()},
        [_restrict(knee, whole) for knee in knees],
    )


def _configurations(model: FrameModel, q: Array, t: Array) -> tuple[int, dict[object, Array]]:
    """How many frames are shown, and values of all symbols in these and other configurations."""
    every = max(1, -(-len(q) // FRAMES))
    random = np.random.default_rng(1)
    others = list(retract(model, q[0], AWAY * random.uniform(-1, 1, (PROBES, model.nv))))
    rows = np.concatenate([q[::every], np.array(others).reshape(PROBES, model.nq)])
    values: dict[object, Array] = {
        row.symbol: np.asarray(row.value) for row in parameter_table(model).rows
    }
    values |= {coordinate_symbol(name): rows[:, k] for k, name in enumerate(model.coordinates)}
    values[time_symbol()] = np.concatenate([t[::every], np.full(PROBES, t[0])])
    return len(q[::every]), values


def _walk_step(
    R: Array, p: Array, step: TransformStep, values: dict[object, Array], shown: int
) -> tuple[Array, Array, Knee | None]:
    """The frame after a step, and the knee where the step moves."""
    count = len(p)
    if isinstance(step, Vector):
        by = _numbers([*step], values, count)
        end = p + np.einsum("fij,fj->fi", R, by)
        return R, end, _slide(R, p, end, by, shown) if np.ptp(by, axis=0).max() > SAME else None
    turn = _numbers([x for row in step.rows for x in row], values, count).reshape(count, 3, 3)
    knee = None
    if np.nanmax(np.ptp(turn, axis=0)) > SAME:
        own = None if step.axis is None else _constant(_numbers([*step.axis], values, count))
        knee = Knee(TURN, p, p, None if own is None else R @ own)
    return R @ turn, p, knee


def _slide(R: Array, p: Array, end: Array, by: Array, shown: int) -> Knee:
    """A shift: along the direction in which its displacements differ, where that is but one."""
    whole = by[np.isfinite(by).all(axis=1)]
    middle = whole.mean(axis=0)
    _, spread, ways = np.linalg.svd(whole - middle)
    if len(spread) > 1 and spread[1] > SAME * max(1.0, spread[0]):
        return Knee(SHIFT, p, end, None)
    way = ways[0] * np.sign(ways[0][np.argmax(np.abs(ways[0]))])
    aside = middle - (middle @ way) * way
    along = by[:shown] @ way
    travel = (float(np.nanmin(along)), float(np.nanmax(along)))
    return Knee(SHIFT, p + R @ aside, end, R @ way, travel)


def _restrict(knee: Knee, whole: Array) -> Knee:
    axis = None if knee.axis is None else knee.axis[whole]
    return Knee(knee.kind, knee.at[whole], knee.to[whole], axis, knee.travel)


def _numbers(row: list[object], values: dict[object, Array], count: int) -> Array:
    """Expressions over the configurations: configurations × len(row)."""
    with np.errstate(all="ignore"):
        found = evaluate([as_node(x) for x in row], values)  # type: ignore[arg-type]
    return np.stack([np.broadcast_to(np.asarray(x, dtype=float), (count,)) for x in found], axis=1)


def _near(a: Array, b: Array) -> bool:
    return bool(np.nanmax(np.abs(a - b), initial=0.0) < SAME)


def _constant(rows: Array) -> Array | None:
    """The common value of all rows; none where they differ."""
    return rows[0] if len(rows) and np.nanmax(np.ptp(rows, axis=0)) < SAME else None
