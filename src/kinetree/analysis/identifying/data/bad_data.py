"""Recordings that no parameters can be told from: too short, in other units, at rest, cut off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from kinetree.analysis.identifying.data.recordings import (
    FEWEST,
    DataOptions,
    RecordedMotion,
    too_short,
)
from kinetree.arrays import Array
from kinetree.errors import ModelError, warn
from kinetree.results.dataset import PARTS

if TYPE_CHECKING:
    from kinetree.model import Mechanism
    from kinetree.model.parts import Limits

TURNS = 20.0
"""Angle [rad] beyond which a joint is not thought to go to and fro: the numbers are degrees."""
BEYOND = 2.0
"""Distance from the middle of the range of a joint, as a multiple of the range, that it has not."""
TO_AND_FRO = 1.2
"""Way of a coordinate, as a multiple of its range, above which it does not go round and round."""
STILL = 1e-6
"""Range of a coordinate [rad or m] below which it does not move."""
NOISE, MANY = 0.1, 200
"""Way per row, as a share of the range, above which that many rows are errors of a sensor alone."""
SPARSE = 1.0
"""Time between rows [s] from which no motion is seen."""
ABRUPT = 0.5
"""Share of the usual speed from which a coordinate does not come to rest by itself."""
UNEXPLAINED, WORSE = 0.8, 1.5
"""Residuals held out, as a share of what was measured and as a multiple of those that were fitted,
from which the model does not explain it."""
SLOW = 1e-3
"""Range of a velocity [rad/s or m/s] below which its unit cannot be told."""
CLEAR = 5.0
"""Standard deviations below zero from which friction is no error of the measurement."""
STUCK = 0.02
"""Share of the rows at one extreme value, one after the other, at which a signal is cut off."""


def check_recording(model: Mechanism, found: RecordedMotion, how: DataOptions) -> None:
    """Refuse recordings that are too short, in degrees, at rest, or cut off."""
    if len(found.time) < FEWEST:
        raise too_short(found.name, len(found.time))
    _refuse_sparse(found)
    if not any(_moves(column) for column in found.q.T):
        raise ModelError(
            "nothing moves in it",
            element=found.name,
            cure="record a motion that excites all joints (kt.excite)",
        )
    _refuse_degrees(model, found, how.units)
    _check_rates(model, found)
    names = {"wrench": PARTS, "none": ()}.get(how.measured, tuple(model.velocities))
    for label, column in zip(names, found.measured.T, strict=True):
        _refuse_cut(found.name, f"{how.measured} of '{label}'", column)
    for label, column in zip(how.open_gains, found.currents.T, strict=False):
        _refuse_cut(found.name, f"current of '{label}'", column)
    for label, column in zip(model.coordinates, found.q.T, strict=True):
        _refuse_stop(found, label, column)


def tell_unexplained(rows: Sequence[str], measured: Array, rms: Array, rms_held: Array) -> None:
    """Warn of what the model fits and does not predict: the worst of it.

    Args:
        rows: names of the equations.
        measured: over time × equation.
        rms: residuals where it is fitted.
        rms_held: where it is held out.
    """
    size = measured.std(axis=0)
    strange = (rms_held > UNEXPLAINED * size) & (size > 0) & (rms_held > WORSE * rms)
    if strange.any():
        ratios = np.divide(rms_held, size, out=np.zeros_like(size), where=strange)
        worst = int(ratios.argmax())
        share = 100 * ratios[worst]
        warn(
            f"what is held out of '{rows[worst]}' is missed by {share:.0f} % of its size: "
            "look at units, signs and order of the columns, and at the lengths of the model"
        )


def tell_driving(values: Mapping[str, float], deviations: Mapping[str, float]) -> None:
    """Warn of dry friction that is clearly below zero: it would drive its joint."""
    wrong = {
        name: value / deviations[name]
        for name, value in values.items()
        if name.endswith(".coulomb") and value < -CLEAR * deviations.get(name, np.inf) < 0
    }
    if wrong:
        worst = min(wrong, key=lambda name: wrong[name])
        joint = worst.removesuffix(".coulomb")
        warn(
            f"dry friction of '{joint}' is {values[worst]:.3g}, {-wrong[worst]:.2g} deviations "
            "below zero, which drives it: look at the sign of its effort and of its coordinate"
        )


def _refuse_sparse(found: RecordedMotion) -> None:
    """Refuse times that are hardly seconds."""
    apart = float(np.median(np.diff(found.time)))
    if apart >= SPARSE:
        raise ModelError(
            f"its rows are {apart:.4g} s apart",
            element=found.name,
            cure='give the unit of its times, such as units={"time": "ms"}, or record more often',
        )


def _moves(column: Array) -> bool:
    """Whether a coordinate moves; what goes up and down from row to row is noise."""
    size, way = float(np.ptp(column)), float(np.abs(np.diff(column)).sum())
    return size > STILL and (len(column) < MANY or way < NOISE * len(column) * size)


def _refuse_stop(found: RecordedMotion, label: str, column: Array) -> None:
    """Refuse a coordinate that stops at an extreme value from one row to the next."""
    rates = np.abs(np.diff(column) / np.diff(found.time))
    usual = float(np.sqrt((rates**2).mean()))
    for end in (column.max(), column.min()):
        for first, count in _stays(column, end):
            if first and count > max(5, STUCK * len(column)) and rates[first - 1] > ABRUPT * usual:
                raise ModelError(
                    f"q of '{label}' stays at {end:.6g} for {count} rows from one row to the next: "
                    "its sensor is saturated, or it is at a stop",
                    element=found.name,
                    cure="leave these rows out, or repeat the motion between the stops",
                )


def _refuse_degrees(model: Mechanism, found: RecordedMotion, units: Mapping[str, str]) -> None:
    """Refuse angles that go to and fro over several turns, or far beyond the limits of a joint."""
    turning = [unit == "rad" for joint in model.leaders for unit in joint.q_units]
    limits = [joint.limits for joint in model.leaders for _ in joint.q_units]
    for k, (label, column) in enumerate(zip(model.coordinates, found.q.T, strict=True)):
        size, way = float(np.abs(column).max()), float(np.abs(np.diff(column)).sum())
        to_and_fro = size > TURNS and way > TO_AND_FRO * np.ptp(column)
        if "q" in units or f"q.{label}" in units:
            continue
        if turning[k] and (to_and_fro or _is_far_beyond(limits[k], column)):
            raise ModelError(
                f"q of '{label}' reaches {size:.4g}, which is not a valid angle in radians",
                element=found.name,
                cure='give units={"q": "deg"} ("rad" if it is right), and those of qd',
            )


def _is_far_beyond(limits: Limits | None, column: Array) -> bool:
    """Whether a coordinate goes far beyond the limits of its joint, as degrees would."""
    if limits is None or limits.lower is None or limits.upper is None:
        return False
    wide = limits.upper - limits.lower
    middle = (limits.upper + limits.lower) / 2
    return bool(wide > 0 and np.abs(column - middle).max() > BEYOND * wide)


def _check_rates(model: Mechanism, found: RecordedMotion) -> None:
    """Refuse velocities in other units than the coordinates."""
    if found.qd is None or model.nq != model.nv or len(found.given) < model.nq:
        return
    rates = np.gradient(found.q, found.time, axis=0)
    for label, slow, fast in zip(model.velocities, rates.T, found.qd.T, strict=True):
        power = float(slow @ slow)
        ratio = float(slow @ fast) / power if power > 0 else 1.0
        if np.ptp(slow) > SLOW and not 1 / 20 < ratio < 20:
            cure = 'give the units of both, such as units={"qd": "deg/s"}'
            raise ModelError(
                f"qd of '{label}' is {ratio:.3g} times the rate of q",
                element=found.name,
                cure=cure if ratio > 0 else "turn the sign of one of them",
            )


def _refuse_cut(name: str, what: str, column: Array) -> None:
    """Refuse a signal that stays at its largest or smallest value."""
    for end in (column.max(), column.min()):
        most = max((count for _, count in _stays(column, end)), default=0)
        if np.ptp(column) > 0 and most > max(5, STUCK * len(column)):
            raise ModelError(
                f"{what} stays at {end:.6g} for {most} rows: it is saturated",
                element=name,
                cure="leave these rows out, or repeat the motion more slowly",
            )


def _stays(column: Array, end: float) -> list[tuple[int, int]]:
    """Where a signal stays at a value: number of the first row, how many rows."""
    edges = np.flatnonzero(np.diff(np.r_[0, (column == end).astype(int), 0]))
    return [(int(a), int(b - a)) for a, b in zip(edges[::2], edges[1::2], strict=True)]
