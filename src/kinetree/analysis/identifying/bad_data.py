"""Recordings that no parameters can be told from: too short, in degrees, at rest, cut off."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kinetree.analysis.identifying.recordings import FEWEST, DataOptions, RecordedMotion, too_short
from kinetree.arrays import Array
from kinetree.errors import ModelError
from kinetree.results.dataset import PARTS

if TYPE_CHECKING:
    from kinetree.model import Mechanism

TURNS = 20.0
"""Angle [rad] beyond which a joint is not thought to go to and fro: the numbers are degrees."""
TO_AND_FRO = 1.2
"""Way of a coordinate, as a multiple of its range, above which it does not go round and round."""
STILL = 1e-6
"""Range of a coordinate [rad or m] below which it does not move."""
SLOW = 1e-3
"""Range of a velocity [rad/s or m/s] below which its unit cannot be told."""
STUCK = 0.02
"""Share of the rows at one extreme value, one after the other, at which a signal is cut off."""


def check_recording(model: Mechanism, found: RecordedMotion, how: DataOptions) -> None:
    """Refuse recordings that are too short, in degrees, at rest, or cut off."""
    if len(found.time) < FEWEST:
        raise too_short(found.name, len(found.time))
    moving = [bool(np.ptp(column) > STILL) for column in found.q.T]
    if not any(moving):
        raise ModelError(
            "nothing moves in it",
            element=found.name,
            cure="record a motion that excites all joints (kt.excite)",
        )
    if "q" not in how.units:
        _refuse_degrees(model, found)
    _check_rates(model, found)
    names = {"wrench": PARTS, "none": ()}.get(how.measured, tuple(model.velocities))
    for label, column in zip(names, found.measured.T, strict=True):
        _refuse_cut(found.name, f"{how.measured} of '{label}'", column)
    for label, column in zip(how.open_gains, found.currents.T, strict=False):
        _refuse_cut(found.name, f"current of '{label}'", column)


def _refuse_degrees(model: Mechanism, found: RecordedMotion) -> None:
    """Refuse angles that go to and fro over several turns."""
    turning = [unit == "rad" for joint in model.leaders for unit in joint.q_units]
    for k, (label, column) in enumerate(zip(model.coordinates, found.q.T, strict=True)):
        size, way = float(np.abs(column).max()), float(np.abs(np.diff(column)).sum())
        if turning[k] and size > TURNS and way > TO_AND_FRO * np.ptp(column):
            raise ModelError(
                f"q of '{label}' reaches {size:.4g}, which is not a valid angle in radians",
                element=found.name,
                cure='give units={"q": "deg"} ("rad" if it is right), and those of qd',
            )


def _check_rates(model: Mechanism, found: RecordedMotion) -> None:
    """Refuse velocities in other units than the coordinates."""
    if found.qd is None or model.nq != model.nv or len(found.given) < model.nq:
        return
    rates = np.gradient(found.q, found.time, axis=0)
    for label, slow, fast in zip(model.velocities, rates.T, found.qd.T, strict=True):
        power = float(slow @ slow)
        ratio = float(slow @ fast) / power if power > 0 else 1.0
        if np.ptp(slow) > SLOW and not 1 / 20 < ratio < 20:
            raise ModelError(
                f"qd of '{label}' is {ratio:.3g} times the rate of q",
                element=found.name,
                cure='give the units of both, such as units={"qd": "deg/s"}',
            )


def _refuse_cut(name: str, what: str, column: Array) -> None:
    """Refuse a signal that stays at its largest or smallest value."""
    for end in (column.max(), column.min()):
        at = column == end
        runs = np.diff(np.flatnonzero(np.diff(np.r_[0, at.astype(int), 0])))[::2]
        if np.ptp(column) > 0 and runs.max(initial=0) > max(5, STUCK * len(column)):
            raise ModelError(
                f"{what} stays at {end:.6g} for {int(runs.max())} rows: it is saturated",
                element=name,
                cure="leave these rows out, or repeat the motion more slowly",
            )
