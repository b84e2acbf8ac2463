"""Recordings made smooth: equal steps, a filter without phase, rates, fewer rows.

Coordinates and what was measured pass the same low-pass filter, forwards and backwards in time, and
so do the columns of the regressor later on: W π = y holds for filtered W and y as it does for the
unfiltered ones, since π does not change (theory/identification, eq. 7).  A gap in the times cuts a
recording into pieces, each of which is filtered by itself; its ends, where the filter knows half of
what it needs, are left out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.identifying.data.recordings import RecordedMotion
from kinetree.analysis.identifying.tangents import unit_rows, velocities_of
from kinetree.arrays import Array
from kinetree.errors import ModelError

if TYPE_CHECKING:
    from kinetree.analysis.identifying.columns import ParameterColumns

ORDER = 4
"""Of the Butterworth filter, which acts twice."""
GAP = 20.0
"""Missing time that cuts a recording, as a multiple of the usual step."""
FINE = 16.0
"""Rows per period of the cut-off frequency at which columns are evaluated."""
COARSE = 4.0
"""Rows per period of the cut-off frequency that are kept for the estimate."""
POWER = 0.999
"""Share of the power that lies below the frequency of the motion."""
ABOVE = 8.0
"""Cut-off frequency that is chosen by itself, as a multiple of that of the motion."""
NYQUIST = 0.4
"""Highest cut-off frequency, as a part of the sampling rate."""
ENDS = 1.0
"""Periods of the cut-off frequency that are left out at both ends of a piece."""


@dataclass(frozen=True)
class RecordedPiece:
    """A part of a recording in equal steps, or as it is where nothing is filtered.

    Attributes:
        time: [s].
        q: coordinates.
        qd: velocities.
        qdd: accelerations.
        y: what was measured, filtered.
        currents: of motors whose gains are unknown, filtered.
        cutoff: frequency of the filter [Hz], infinite for none.
        absent: bodies of the model that were not carried.
        recording: its number, from 1.
    """

    time: Array
    q: Array
    qd: Array
    qdd: Array
    y: Array
    currents: Array
    cutoff: float
    absent: tuple[str, ...] = ()
    recording: int = 1

    @property
    def rate(self) -> float:
        """Rows per second."""
        return float((len(self.time) - 1) / (self.time[-1] - self.time[0]))

    def settle(self, table: Array) -> Array:
        """A table over the rows, filtered as y was."""
        return low_pass(table, self.rate, self.cutoff)

    def chosen_rows(self) -> slice:
        """The rows that count: without the ends, and not more than the filter tells apart."""
        if math.isinf(self.cutoff):
            return slice(None)
        ends = math.ceil(ENDS * self.rate / self.cutoff)
        return slice(ends, len(self.time) - ends, max(1, int(self.rate / (COARSE * self.cutoff))))

    @property
    def spread(self) -> float:
        """By how much errors of rows that are kept count more than independent ones.

        A filter of the noise bandwidth b leaves 2 b independent values per second.
        """
        if math.isinf(self.cutoff):
            return 1.0
        step = int(self.chosen_rows().step)
        return float(self.rate / step / (2 * _bandwidth(self.rate, self.cutoff)))


def cut(found: RecordedMotion, cutoff: float | None) -> tuple[list[RecordedPiece], list[str]]:
    """The pieces of a recording, and what was done, in words.

    Args:
        found: the recording.
        cutoff: of the filter [Hz]; 0 for none, None for one that suits the motion.
    """
    if cutoff == 0:
        return [_as_it_is(found)], [*found.notes, "not filtered"]
    step = float(np.median(np.diff(found.time)))
    cutoff = _usual_cutoff(found, step) if cutoff is None else cutoff
    if cutoff > NYQUIST / step:
        raise ModelError(
            f"{cutoff:g} Hz is too much for {1 / step:.4g} rows per second",
            element="cutoff",
            cure=f"give at most {NYQUIST / step:.3g} Hz",
        )
    parts = _without_gaps(found.time, step)
    shortest = math.ceil((2 * ENDS + 2) / (cutoff * step))
    good = [rows for rows in parts if len(rows) >= shortest]
    if not good:
        raise ModelError(
            f"it is too short for a filter of {cutoff:.3g} Hz: {len(max(parts, key=len))} rows",
            element=found.name,
            cure=f"record at least {shortest} rows without a gap, or raise cutoff=",
        )
    notes = [
        *found.notes, f"steps of {step:.6g} s by cubic interpolation",
        f"Butterworth filter of order {ORDER}, {cutoff:.4g} Hz, forwards and backwards",
        "accelerations from " + ("coordinates" if found.qd is None else "recorded velocities"),
    ]  # fmt: skip
    if len(parts) > 1:
        notes.append(
            f"cut at {len(parts) - 1} gaps, {len(parts) - len(good)} short pieces left out"
        )
    return [_smooth_piece(found, rows, step, cutoff) for rows in good], notes


def _without_gaps(time: Array, step: float) -> list[Any]:
    """Numbers of the rows of the pieces between gaps."""
    gaps = np.flatnonzero(np.diff(time) > GAP * step) + 1
    return np.split(np.arange(len(time)), gaps)


def _as_it_is(found: RecordedMotion) -> RecordedPiece:
    """The rows as they are; rates that are missing are those of a cubic spline."""
    from scipy.interpolate import CubicSpline

    qd, qdd = found.qd, found.qdd
    if qd is None:
        qd = CubicSpline(found.time, found.q)(found.time, 1)
        qdd = CubicSpline(found.time, found.q)(found.time, 2) if qdd is None else qdd
    if qdd is None:
        qdd = CubicSpline(found.time, qd)(found.time, 1)
    return RecordedPiece(
        found.time, found.q, qd, qdd, found.measured, found.currents, math.inf, found.absent
    )


def _smooth_piece(found: RecordedMotion, rows: Any, step: float, cutoff: float) -> RecordedPiece:
    """A piece in equal steps, filtered; recorded velocities are better than rates of q."""
    from scipy.interpolate import make_interp_spline

    old = found.time[rows]
    time = np.arange(old[0], old[-1], step)
    fine = max(1, int(1 / (step * FINE * cutoff)))

    def smooth(table: Array) -> Array:
        even = make_interp_spline(old, table[rows], k=3)(time)
        return low_pass(even, 1 / step, cutoff)

    q, y, i = smooth(found.q), smooth(found.measured), smooth(found.currents)
    qd = np.gradient(q, step, axis=0) if found.qd is None else smooth(found.qd)
    qdd = np.gradient(qd, step, axis=0) if found.qdd is None else smooth(found.qdd)
    time, q, qd, qdd, y, i = (table[::fine] for table in (time, q, qd, qdd, y, i))
    return RecordedPiece(time, q, qd, qdd, y, i, cutoff, found.absent)


def turn_rates(
    table: ParameterColumns, found: RecordedMotion, piece: RecordedPiece
) -> RecordedPiece:
    """A piece whose velocities are those of the joints, where rates of quaternions stand in it."""
    from scipy.interpolate import CubicSpline

    row, count = table.program.input("q"), table.model.nv
    if not row.tangent or found.qd is not None:
        return piece
    q = unit_rows(table.model, piece.q)
    qd = velocities_of(row, q, piece.qd, count)
    if found.qdd is not None:
        qdd = piece.qdd
    elif math.isinf(piece.cutoff):
        qdd = CubicSpline(piece.time, qd)(piece.time, 1)
    else:
        qdd = np.gradient(qd, piece.time, axis=0)
    return replace(piece, q=q, qd=qd, qdd=qdd)


def low_pass(table: Array, rate: float, cutoff: float) -> Array:
    """A table over time, filtered forwards and backwards; as it is for an infinite frequency."""
    if math.isinf(cutoff):
        return table
    from scipy import signal

    sections = signal.butter(ORDER, cutoff, fs=rate, output="sos")
    return np.asarray(signal.sosfiltfilt(sections, table, axis=0))


def _bandwidth(rate: float, cutoff: float) -> float:
    """Bandwidth of white noise behind the filter [Hz]: the integral of |H|⁴."""
    from scipy import signal

    sections = signal.butter(ORDER, cutoff, fs=rate, output="sos")
    f, H = signal.sosfreqz(sections, 4096, fs=rate)
    return float(np.trapezoid(np.abs(H) ** 4, f))


def _usual_cutoff(found: RecordedMotion, step: float) -> float:
    """A frequency well above that of the motion [Hz]: of coordinates, and of what turns.

    Nothing is known of the motion in gaps, however long they are: every piece tells its own.
    """
    parts = _without_gaps(found.time, step)
    longest = max(parts, key=len)
    motion = max(_motion(found, rows, step) for rows in parts if 2 * len(rows) >= len(longest))
    length = found.time[longest[-1]] - found.time[longest[0]]
    return float(min(max(ABOVE * motion, 8 / length), NYQUIST / step))


def _motion(found: RecordedMotion, rows: Any, step: float) -> float:
    """The highest frequency of the motion of a piece [Hz]."""
    time, q = found.time[rows], found.q[rows]
    even = np.arange(time[0], time[-1], step)
    table = np.concatenate([q, np.sin(q), np.cos(q)], axis=1)
    table = np.column_stack([np.interp(even, time, column) for column in table.T])
    table -= table.mean(axis=0)
    power = np.abs(np.fft.rfft(table * np.hanning(len(even))[:, None], axis=0)) ** 2
    loud = power.sum(axis=0) > 0
    share = np.cumsum(power[:, loud], axis=0) / power[:, loud].sum(axis=0)
    last = int((share < POWER).sum(axis=0).max(initial=0))
    return float(np.fft.rfftfreq(len(even), step)[last])
