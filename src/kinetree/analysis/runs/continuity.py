"""Whether a run is one motion of its mechanism: what jumps, leaves its branch or cannot move.

Between two outputs, dt apart, a motion that the outputs resolve obeys about

    q₁ - q₀ = dt/2 (qd₀ + qd₁),     qd₁ - qd₀ = dt/2 (qdd₀ + qdd₁)

A coordinate that changes by far more than its velocities explain has jumped: a law jumps, or a loop
was closed in another way.  Velocities that change by far more than accelerations explain, out of
what the loops allow at the end of the interval,

    pinv(J₁) (J₁ qd₀ + ht₁)     of the size of qd itself,

have changed from one branch of the mechanism to another: at a singular position it can go on in
several ways.  A hit by a stiff force changes velocities within what the loops allow.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kinetree.arrays import Array, Flags
from kinetree.assembly import Loops, depending
from kinetree.model import Mechanism
from kinetree.solve.pivots import eliminate

JUMP = 0.3
"""Change of a coordinate, beyond what its motion explains, that is a jump [rad or m]."""
TURN = 0.5
"""Change of velocities, as a share of the largest one, that is looked at."""
RESOLVED = 0.5
"""Most that a coordinate moves between two outputs where branches can be told apart [rad or m]."""
NEAR = 0.5
"""Least singular value, rows scaled, at the output after which a branch may have been left: the
outputs need not meet the singular position."""
MOST = 3
"""Most times that are named per kind of warning."""


@dataclass(frozen=True)
class RunRows:
    """A run, one row per output time.

    Attributes:
        loops: of the mechanism, with the parameters of the run.
        t: times [s].
        q, qd, qdd: coordinates, velocities, accelerations.
    """

    loops: Loops
    t: Array
    q: Array
    qd: Array
    qdd: Array

    @property
    def model(self) -> Mechanism:
        """The mechanism."""
        return self.loops.model

    @property
    def free(self) -> list[int]:
        """Numbers of the velocities that are not driven."""
        names = self.model.velocities
        return [k for k, name in enumerate(names) if name not in self.model.drives]

    def at(self, row: int) -> RunRows:
        """One row of it."""
        return RunRows(self.loops, *(part[row : row + 1 or None] for part in self._parts))

    def followed_by(self, other: RunRows) -> RunRows:
        """Both, one after the other."""
        pairs = zip(self._parts, other._parts, strict=True)
        return RunRows(self.loops, *(np.concatenate(pair) for pair in pairs))

    @property
    def _parts(self) -> tuple[Array, Array, Array, Array]:
        return self.t, self.q, self.qd, self.qdd


class Continuity:
    """Looks whether a run of a closed system is one motion, rows after rows."""

    def __init__(self, loops: Loops) -> None:
        self.loops = loops
        self._first: RunRows | None = None
        self._last: RunRows | None = None
        self._jumps: list[str] = []
        self._left: dict[tuple[str, str], list[str]] = {}

    def add(self, *rows: Array) -> None:
        """Look at more rows: t, q, qd, qdd."""
        motion = RunRows(self.loops, *rows)
        if self._last is not None:
            motion = self._last.followed_by(motion)
        self._first = self._first or motion.at(0)
        self._jumps += jumps(motion)
        for who, times in left_branches(motion, self._first).items():
            self._left.setdefault(who, []).extend(times)
        self._last = motion.at(-1)

    def facts(self, mobility: int | None = None) -> tuple[dict[str, str | int], str]:
        """Rows for the attributes of the run, and what to warn of; empty: nothing.

        Args:
            mobility: degrees of freedom at the start, where they are known.
        """
        if self._first is None or not self.loops.model.closures:
            return {}, ""
        mobility = _mobility(self._first) if mobility is None else mobility
        moves = mobility or self.loops.model.drives
        found = [*self._jumps[:MOST], *(_sentences(self._left) if moves else ())]
        said = found if moves else [_stands(self._first), *found]
        rows = {"discontinuities": "; ".join(found)} if found else {}
        return {"mobility": mobility, **rows}, "; ".join(said)


def facts(motion: RunRows) -> tuple[dict[str, str | int], str]:
    """Rows for the attributes of a run of a closed system, and what to warn of; empty: nothing."""
    found = Continuity(motion.loops)
    found.add(motion.t, motion.q, motion.qd, motion.qdd)
    return found.facts()


def _mobility(motion: RunRows) -> int:
    """Degrees of freedom at the start."""
    J, _ = motion.loops.slopes(motion.q[0], float(motion.t[0]))
    pivots = eliminate(J[:, motion.free], motion.loops.rates, motion.loops.share)
    return len(motion.free) - pivots.rank


def _stands(motion: RunRows) -> str:
    names = ", ".join(f"'{name}'" for name in motion.model.closures)
    return (
        f"model '{motion.model.name}' has mobility 0, nothing in it can move: the equations of "
        f"{names} leave no freedom; look for an axis that is not quite parallel, or a closure "
        "with too many equations"
    )


def jumps(motion: RunRows) -> list[str]:
    """A sentence for every time at which coordinates jump, the first few of them."""
    model = motion.model
    names, change, jumped = _find_jumps(model, motion.t, motion.q, motion.qd, motion.qdd)
    found = []
    for k in np.flatnonzero(jumped.any(axis=1))[:MOST]:
        parts = [f"'{names[i]}' by {change[k, i]:.3g}" for i in np.flatnonzero(jumped[k])]
        driven = [name for name in names if name in model.drives and f"'{name}'" in str(parts)]
        why = f", where the drive of '{driven[0]}' jumps" if driven else ""
        found.append(
            f"coordinates jump between t = {motion.t[k]:.6g} and {motion.t[k + 1]:.6g} s{why}: "
            f"{', '.join(parts)}; the loops may be closed in another way than before"
        )
    return found


def _find_jumps(
    model: Mechanism, t: Array, q: Array, qd: Array, qdd: Array
) -> tuple[list[str], Array, Flags]:
    """Names of coordinates, their changes from row to row, and which of these are jumps.

    Leading axes of q, qd, qdd are those of a batch.
    """
    names = [name for name in model.coordinates if name in model.velocities]
    at = [model.coordinates.index(name) for name in names]
    v = [model.velocities.index(name) for name in names]
    dt = np.diff(t)[:, None]
    change = np.diff(q[..., at], axis=-2)
    left = np.abs(change - dt / 2 * (qd[..., 1:, v] + qd[..., :-1, v]))
    speed, force = np.abs(qd[..., v]), np.abs(qdd[..., v])
    explained = dt * np.maximum(speed[..., 1:, :], speed[..., :-1, :])
    explained += dt**2 * np.maximum(force[..., 1:, :], force[..., :-1, :])
    return names, change, np.nan_to_num(left - explained) > JUMP


def _find_turns(t: Array, qd: Array, qdd: Array) -> tuple[Array, Flags]:
    """Size of the velocities from row to row, and where these change more than forces explain."""
    speed, force = np.abs(qd).max(axis=-1), np.abs(qdd).max(axis=-1)
    dt = np.diff(t)
    size = np.maximum(speed[..., 1:], speed[..., :-1])
    explained = TURN * size + 2 * dt * np.maximum(force[..., 1:], force[..., :-1])
    change = np.abs(np.diff(qd, axis=-2)).max(axis=-1)
    return size, (change > explained) & (dt * size < RESOLVED)


def suspects(model: Mechanism, t: Array, q: Array, qd: Array, qdd: Array) -> set[int]:
    """Numbers of those runs of a batch (first axis) that may not be one motion."""
    with np.errstate(invalid="ignore"):
        jumped = _find_jumps(model, t, q, qd, qdd)[2].any(axis=(-2, -1))
        turned = _find_turns(t, qd, qdd)[1].any(axis=-1)
    return set(np.flatnonzero(jumped | turned).tolist())


def left_branches(motion: RunRows, first: RunRows) -> dict[tuple[str, str], list[str]]:
    """Velocity and closure by which the run changes to another branch -> times [s], in words.

    Args:
        motion: rows to look at.
        first: the start of the run, where the equations have their usual size.
    """
    size, suspect = _find_turns(motion.t, motion.qd, motion.qdd)
    found: dict[tuple[str, str], list[str]] = {}
    for k in np.flatnonzero(suspect):
        if who := _violated_loop(motion, first, int(k), float(size[k])):
            found.setdefault(who, []).append(f"{motion.t[k]:.6g}")
    return found


def _sentences(found: Mapping[tuple[str, str], list[str]]) -> list[str]:
    """A sentence for every place at which the run changes from one branch to another."""
    return [
        f"the run leaves its branch at t = {', '.join(times[:MOST])} s"
        f"{' and later' if len(times) > MOST else ''}, most by '{name}': closure '{closure}' is "
        "nearly singular there and lets the mechanism go on another way; loops='explicit', "
        "another method or a smaller tolerance keeps it on"
        for (name, closure), times in found.items()
    ]


def _violated_loop(motion: RunRows, first: RunRows, k: int, size: float) -> tuple[str, str] | None:
    """Velocity and closure for which the velocities at output k violate the loops at k + 1."""
    J, ht = motion.loops.slopes(motion.q[k + 1], float(motion.t[k + 1]))
    usual, _ = motion.loops.slopes(first.q[0], float(first.t[0]))
    free = motion.free
    row = depending(J[:, free], usual[:, free], NEAR)
    away = np.abs(np.linalg.pinv(J[:, free], rcond=1e-10) @ (J @ motion.qd[k] + ht))
    if row is None or away.max(initial=0.0) < TURN * size:
        return None
    closure = motion.loops.labels[row].partition(".")[0]
    return motion.model.velocities[free[int(np.argmax(away))]], closure
