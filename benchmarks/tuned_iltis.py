"""The Iltis down stairs with better springs, dampers and anti-roll bars: gradients against CMA."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

import kinetree as kt
from benchmarks import report, sweeps
from kinetree.functions import select, table

AXLES = {"front": ("FL", "FR"), "rear": ("RL", "RR")}
DURATION, TRAVEL = 5.5, 0.26
"""Length of the runs [s]; most turn of a leaf [rad]."""
LONGER = 10
"""How many times longer CMA may search."""


def tuned() -> tuple[kt.Model, dict[str, tuple[float, float]]]:
    """The Iltis with springs, dampers and anti-roll bars that vary, left and right alike.

    Its right wheels meet every step of the stairs 0.3 m later.

    Returns:
        The model, and the bounds of the eight values.
    """
    model = sweeps.iltis()
    model.bodies["chassis"].point("seat", (-0.2, -0.35, 0.4))
    over: dict[str, tuple[float, float]] = {}

    def varied(name: str, value: float, low: float, high: float) -> Any:
        over[name] = (low, high)
        return model.parameter(name, value)

    for axle, corners in AXLES.items():
        leaf = varied(f"{axle}_leaf", 35906.0, 2e4, 6e4)
        ways = [varied(f"{axle}_{way}", 1.0, 0.2, 3.0) for way in ("rebound", "bump")]
        bar, both = varied(f"{axle}_bar", 0.0, 0.0, 2e4), [f"R1_{corner}" for corner in corners]
        for corner in corners:
            late = partial(_late_road, model.tables["stairs"], 0.3 if corner[1] == "R" else 0.0)
            _change(model, f"{corner}_tyre", height=lambda x, late=late: late(x))
            stop = model.parameters["stop_stiffness"].symbol
            spring, shock = partial(_spring, leaf, stop), partial(_shock, *ways)
            _change(model, f"{corner}_spring", law=lambda length, law=spring: law(length))
            _change(model, f"{corner}_shock", law=lambda length, rate, law=shock: law(length, rate))
            law = partial(_bar, bar, both)
            model.joint_law(f"{corner}_bar", f"R1_{corner}", lambda q, law=law: law(q))
    return model, over


def _change(model: kt.Model, name: str, **new: Any) -> None:
    """Give a force other arguments."""
    old = model.forces.pop(name)
    model.force(old.kind, name, old.points, {**old.arguments, **new})


def _late_road(road: Any, late: float, x: Any) -> Any:
    return table(x - late, road)


def _spring(leaf: Any, stop: Any, length: Any) -> Any:
    """A leaf, and its stop."""
    free, hard = leaf * (length - 0.252), stop * (length - 0.106)
    return select(length - 0.106, free, hard - 0.146 * leaf)


def _shock(rebound: Any, bump: Any, length: Any, rate: Any) -> Any:
    """The shock of the Iltis, its damping as many times as large in either direction."""
    still = -4.0092e6 + 2.8397e7 * length - 6.7061e7 * length**2 + 5.2796e7 * length**3
    slow = select(-0.2 - rate, _small(-0.2) + 1844.3 * (rate + 0.2), _small(rate))
    fast = _small(0.21) + 1634.727 * (rate - 0.21)
    return still + select(rate, rebound, bump) * select(rate - 0.21, fast, slow)


def _small(rate: Any) -> Any:
    """The shock's damping at small speeds."""
    return 9945.627 * rate + 33955.72 * rate**2 - 59832.25 * rate**3 - 395651 * rate**4


def _bar(stiffness: Any, both: Sequence[str], q: Any) -> Any:
    """Leaves turn against each other in a bounce."""
    return -stiffness * (q[both[0]] + q[both[1]])


class _EndedError(Exception):
    """A value was found that is good enough, or the time is over."""


def optimum() -> list[list[Any]]:
    """Root mean square of the seat's acceleration down stairs, travel bounded."""
    model, over = tuned()
    limits = {axle: (kt.peak(f"abs(q_R1_{c[0]})"), None, TRAVEL) for axle, c in AXLES.items()}
    seat, rows = kt.rms("chassis.seat.acceleration.z"), []
    given: dict[str, Any] = {
        "over": over, "subject_to": limits, "tolerance": 1e-7, "gradients": "adjoint",
        "begin": "equilibrium", "locked": ["x", "y", "yaw"], **sweeps.STEPS,
    }  # fmt: skip
    kt.optimise(model, DURATION, seat, **{**given, "evaluations": 1})  # compiled before the clock
    kt.optimise(model, DURATION, seat, **{**given, "evaluations": 10, "method": "cma"})
    began = time.process_time()
    best = kt.optimise(model, DURATION, seat, **given, evaluations=60)
    spent = time.process_time() - began
    first = float(best.history.value[0])
    rows.append(["SLSQP, adjoint", best.history.sizes["evaluation"], first, best.value, spent, 1.0])

    def stop(row: dict[str, Any]) -> None:
        good = row["violation"] <= 1e-6 and "value" in row
        counted.append(min(row["value"], counted[-1]) if good else counted[-1])
        if counted[-1] <= 1.001 * best.value or time.process_time() - began > LONGER * spent:
            raise _EndedError

    counted = [np.inf]
    began = time.process_time()
    with contextlib.suppress(_EndedError):
        kt.optimise(model, DURATION, seat, **given, method="cma", evaluations=10**6, progress=stop)
    reached = counted[-1] <= 1.001 * best.value
    said = "CMA, within 0.1 %" if reached else f"CMA, stopped after {LONGER} times that"
    other = time.process_time() - began
    rows.append([said, len(counted) - 1, first, counted[-1], other, other / spent])
    columns = ["method", "evaluations", "first m/s2", "best m/s2", "s", "times"]
    report.show("Iltis down stairs by eight springs, dampers and bars", columns, rows)
    print({name: float(f"{value:.4g}") for name, value in best.parameters.items()}, best.active)
    return rows
