"""Output error: parameters with which recorded efforts move the machine as recorded.

The least of Σ (q - g q(t - d; θ, s) - o)²/σ² over θ and the start values s of all segments, by the
method of Gauss and Newton with damping.  Start values of a segment stand in its own rows alone and
are eliminated there (eqs. 18 to 20).  Errors in q do not enter any column: the estimate is not
biased by them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from kinetree.analysis.identifying.closed_motion import ClosedMotion
from kinetree.analysis.identifying.data.recordings import RecordedMotion
from kinetree.analysis.identifying.equations import HeldOut
from kinetree.analysis.identifying.segments import Segments, hermite
from kinetree.analysis.identifying.unknown_values import UnknownValues
from kinetree.analysis.runs.progress import Share
from kinetree.arrays import Array
from kinetree.errors import ModelError

STEPS = (1e-3, 4e-3)
"""Shortest and longest step of the motion [s]."""
ROUNDS = 40
"""Most rounds of the method."""
SETTLED = 1e-7
"""Share of the sum of squares below which its fall is the end."""
ROUGH = 1e-3
"""The same where what is found is only the beginning of another search."""
EMPTY = 1e-16
"""Share of the largest eigenvalue below which one is rounding."""
DAMPING = (1e-3, 1e9)
"""First damping, and that at which no step is tried any more."""


@dataclass(frozen=True, eq=False)
class SegmentData:
    """What was recorded in every segment.

    Attributes:
        times: from the beginning of the segment [s], one array each.
        q: coordinates there that move.
        still: of every segment, all coordinates at its first row.
        clock: times of the recording [s].
        recording: number of the recording of every segment, from 1.
        held: which segments are held out.
    """

    times: list[Array]
    q: list[Array]
    still: list[Array]
    clock: list[Array]
    recording: list[int]
    held: Any


@dataclass(frozen=True)
class MotionEstimate:
    """What was found.

    Attributes:
        theta: the numbers.
        covariance: of their errors, with what the model says beforehand.
        weight: 1/variance of the numbers that the model says beforehand.
        sigma: standard deviation of every channel.
        predicted: coordinates in every segment.
        rounds: of the method.
        condition: number of the rows, in units of what may change.
    """

    theta: Array
    covariance: Array
    weight: Array
    sigma: Array
    predicted: list[Array]
    rounds: int
    condition: float


def cut_segments(
    found: Sequence[RecordedMotion],
    unknown: UnknownValues,
    loops: ClosedMotion | None,
    length: float,
    held_out: HeldOut,
) -> tuple[Segments, SegmentData]:
    """Recordings as segments of one length; the last share of each is held out."""
    starts, rows, times, q, still, clock, numbers, held = [], [], [], [], [], [], [], []
    number_of = unknown.columns.model.coordinates.index
    held_still = unknown.columns.wanted.locked or {}
    locked, seen = (tuple(map(number_of, names)) for names in (held_still, unknown.channels))
    usual = float(np.median(np.concatenate([np.diff(one.time) for one in found])))
    steps = max(4, round(length / float(np.clip(usual, *STEPS))))
    for number, one in enumerate(found, 1):
        count = int((one.time[-1] - one.time[0]) / length + 1e-9)
        places = np.unique(((one.time - one.time[0]) / length + 1e-9).astype(int))
        places = places[places < count]  # none where gaps are longer
        for j, k in enumerate(places.tolist()):
            begin = one.time[0] + k * length
            inside = (one.time >= begin) & (one.time < begin + length)
            if inside.sum() < 8 or np.diff(one.time[inside]).max() > length / 4:
                continue
            grid = begin + length * np.arange(2 * steps + 1) / (2 * steps)
            rows.append(np.column_stack([np.interp(grid, one.time, x) for x in one.measured.T]))
            starts.append(begin)
            times.append(one.time[inside] - begin)
            q.append(one.q[inside][:, seen])
            still.append(one.q[inside][0])
            clock.append(one.time[inside])
            numbers.append(number)
            held.append(_is_held(held_out, number, j, len(places)))
    if not starts or all(held):
        raise ModelError(
            f"it is too short for segments of {length:g} s",
            element="data",
            cure="record longer, give a shorter segment=, or hold less out",
        )
    facts = unknown.model, unknown.names, np.array(starts), length, steps
    made = Segments(*facts, locked, seen, loops, np.array(rows))
    return made, SegmentData(times, q, still, clock, numbers, np.array(held))


def _is_held(held_out: HeldOut, recording: int, segment: int, count: int) -> bool:
    """Whether a segment is held out, of as many of its recording."""
    if isinstance(held_out, Sequence):
        return recording in held_out
    return bool(segment >= np.ceil((1 - held_out) * count - 1e-9))


class OutputError:
    """The problem: residuals and their slopes, segment by segment."""

    def __init__(self, unknown: UnknownValues, segments: Segments, data: SegmentData) -> None:
        self.unknown, self.segments, self.data = unknown, segments, data

    @cached_property
    def first_states(self) -> Array:
        """States at the start of every segment, from a line through its first rows."""
        first, free, seen = np.array(self.data.still), self.segments.free, self.segments.seen
        own, rates = [seen.index(number) for number in free], np.zeros_like(first)
        for k, (t, q) in enumerate(zip(self.data.times, self.data.q, strict=True)):
            early = t <= max(t[0] + 0.05 * self.segments.length, t[min(7, len(t) - 1)])
            line = np.polyfit(t[early], q[early], 2 if early.sum() > 6 else 1)[::-1]
            first[k, free], rates[k, free] = line[:2, own]
        return self.segments.start(first, rates[:, free], free)

    def rows(self, theta: Array, y: Array) -> tuple[list[Array], list[Array]]:
        """What sensors show in every segment, and its slopes by θ and by the state at the start."""
        unknown, segments = self.unknown, self.segments
        with np.errstate(all="ignore"):
            slopes = unknown.slopes(unknown.parameters, theta).T
            motion = segments.run(unknown.parameters(theta), y, slopes)
            shown = [self._sensor_rows(k, theta, motion) for k in range(len(y))]
        return [row[0] for row in shown], [row[1] for row in shown]

    def _sensor_rows(self, k: int, theta: Array, motion: Any) -> tuple[Array, Array]:
        """What sensors show in one segment: time × channel, and slopes, time × channel × number."""
        unknown, h, steps = self.unknown, self.segments.h, self.segments.steps
        gain, offset, delay = (unknown.sensor(theta, kind) for kind in ("gain", "offset", "delay"))
        q, qd, dq, dqd = (part[k] for part in motion)
        shown, slopes = [], []
        for i, c in enumerate(self.segments.seen):
            at, w, v = hermite(h, steps, self.data.times[k] - delay[i])
            four = np.array([q[at, c], q[at + 1, c], qd[at, c], qd[at + 1, c]])
            here, rate = (w * four).sum(axis=0), (v * four).sum(axis=0)
            moved = (w[0] * dq[:, at, c] + w[1] * dq[:, at + 1, c]
                     + w[2] * dqd[:, at, c] + w[3] * dqd[:, at + 1, c])  # fmt: skip
            J = gain[i] * moved.T
            own = {"gain": here, "offset": np.ones_like(here), "delay": -gain[i] * rate}
            for kind in unknown.sensors:
                J[:, unknown.sensor_numbers(kind).start + i] += own[kind]
            shown.append(gain[i] * here + offset[i])
            slopes.append(J)
        return np.stack(shown, axis=1), np.stack(slopes, axis=1)


def output_error(
    problem: OutputError, prior: float, theta: Array, settled: float, share: Share
) -> MotionEstimate:
    """The estimate.

    Args:
        problem: residuals and slopes.
        prior: how many measurements the model counts for.
        theta: numbers to begin with.
        settled: share of the sum of squares below which its fall is the end.
        share: is told how far it is, as falls of that sum tell.
    """
    search = _Search(problem, prior, theta)
    search.go(settled, share)
    return search.result()


@dataclass(frozen=True)
class SegmentRows:
    """Rows A θ = r of a segment with its start values eliminated; what these follow from."""

    A: Array
    r: Array
    QTA: Array
    QTr: Array
    R: Array


class _Search:
    """Rounds of the method.

    Attributes:
        theta: numbers so far.
        y: states at the start of every segment so far.
        sigma: of every channel.
    """

    def __init__(self, problem: OutputError, prior: float, theta: Array) -> None:
        self.problem, self.unknown = problem, problem.unknown
        self.prior, self.weight = prior, prior / self.unknown.scales**2
        self.theta = theta.copy()
        self.y = problem.first_states
        self.sigma = np.ones(len(self.unknown.channels))
        self.rounds = 0
        self.shown, self.slopes = problem.rows(self.theta, self.y)
        self._refuse_wild()
        self._weigh()

    def _refuse_wild(self) -> None:
        if not all(np.isfinite(row).all() for row in self.shown):
            raise ModelError(
                "driven by the recorded efforts the model does not stay finite",
                element="method 'output_error'",
                cure="give a shorter segment=, or a model nearer to the machine",
            )

    def _fit_numbers(self) -> list[int]:
        return np.flatnonzero(~self.problem.data.held).tolist()

    def _residuals(self, shown: list[Array]) -> list[Array]:
        return [q - row for q, row in zip(self.problem.data.q, shown, strict=True)]

    def _weigh(self) -> None:
        """σ of every channel from its residuals."""
        rows = self._residuals(self.shown)
        rest = np.concatenate([rows[k] for k in self._fit_numbers()])
        self.sigma = np.maximum(np.sqrt((rest**2).mean(axis=0)), 1e-9)

    def _cost(self, shown: list[Array], theta: Array) -> float:
        rows = self._residuals(shown)
        total = sum(float(((rows[k] / self.sigma) ** 2).sum()) for k in self._fit_numbers())
        away = theta - self.unknown.first
        return total + float(self.weight @ away**2)

    def _segment_rows(self, k: int) -> SegmentRows:
        """Rows of a segment, weighed, and start values eliminated."""
        size = len(self.theta)
        J = (self.slopes[k] / self.sigma[:, None]).reshape(-1, self.slopes[k].shape[2])
        r = ((self.problem.data.q[k] - self.shown[k]) / self.sigma).ravel()
        A, S = J[:, :size], J[:, size:]
        Q, R = np.linalg.qr(S)
        return SegmentRows(A - Q @ (Q.T @ A), r - Q @ (Q.T @ r), Q.T @ A, Q.T @ r, R)

    def normal(self, rows: Sequence[SegmentRows]) -> tuple[Array, Array]:
        """H and g of the data alone, start values eliminated (eq. 20)."""
        size = len(self.theta)
        H, g = np.zeros((size, size)), np.zeros(size)
        for k in self._fit_numbers():
            H += rows[k].A.T @ rows[k].A
            g += rows[k].A.T @ rows[k].r
        return H, g

    def go(self, settled: float, share: Share) -> None:
        """Rounds until the sum of squares does not fall any more, or cannot by its slopes."""
        damping = DAMPING[0]
        for self.rounds in range(1, ROUNDS + 1):
            before = self._cost(self.shown, self.theta)
            rows = [self._segment_rows(k) for k in range(len(self.y))]
            if self._promise(rows) < settled * before:
                return
            while damping < DAMPING[1] and not self._try(rows, damping, before):
                damping *= 10
            if damping >= DAMPING[1]:
                return
            damping = max(damping / 10, 1e-12)
            fall = before - self._cost(self.shown, self.theta)
            self._weigh()
            if fall < settled * before:
                return
            share.tell(math.log(fall / before) / math.log(settled))

    def _promise(self, rows: Sequence[SegmentRows]) -> float:
        """By how much the sum of squares would fall if residuals were linear."""
        H, g = self.normal(rows)
        g = g - self.weight * (self.theta - self.unknown.first)
        step = np.linalg.lstsq(H + np.diag(self.weight), g, rcond=None)[0]
        return float(g @ step) + sum(float(rows[k].QTr @ rows[k].QTr) for k in self._fit_numbers())

    def _try(self, rows: Sequence[SegmentRows], damping: float, before: float) -> bool:
        """Make one step, where it is one down."""
        H, g = self.normal(rows)
        g = g - self.weight * (self.theta - self.unknown.first)
        scale = 1.0 / self.unknown.scales**2
        step = np.linalg.solve(H + np.diag(self.weight + damping * (np.diag(H) + scale)), g)
        theta = self.theta + step
        own = [np.linalg.lstsq(row.R, row.QTr - row.QTA @ step, rcond=1e-10)[0] for row in rows]
        y = self.problem.segments.move(self.y, np.array(own))
        shown, slopes = self.problem.rows(theta, y)
        if not all(np.isfinite(row).all() for row in shown):
            return False
        if self._cost(shown, theta) >= before:
            return False
        self.theta, self.y, self.shown, self.slopes = theta, y, shown, slopes
        return True

    def result(self) -> MotionEstimate:
        """The estimate with its covariance."""
        H, _ = self.normal([self._segment_rows(k) for k in range(len(self.y))])
        s = self.unknown.scales
        values, ways = np.linalg.eigh(H * s[:, None] * s)
        # in units of what is known before, so that no rounding makes a variance negative
        root = s[:, None] * ways / np.sqrt(np.maximum(values, 0.0) + self.prior)
        covariance: Array = np.asarray(root @ root.T)
        least = max(values[0], 0.0)
        condition = float(np.sqrt(values[-1] / least)) if least > EMPTY * values[-1] else np.inf
        return MotionEstimate(
            self.theta, covariance, self.weight, self.sigma, self.shown, self.rounds, condition
        )
