"""What the study shows beside the sweep: agreement, loops, orders, batches, other methods."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

import kinetree as kt
from benchmarks.iltis.road import DURATION, HARD, SPEED, start
from benchmarks.iltis.runs import Reference, Signals, Steps, error, spread
from benchmarks.iltis.sweep import BOUND, FINE, Row, acceptable, once

Array = np.ndarray
TOP, ROUNDS = 8, 7
"""Fastest runs that are timed again, and how often."""
RK4_STEPS = (0.03, 0.025, 0.02, 0.0175, 0.015, 0.0125, 0.01, 0.0075, 0.005, 0.0025, 0.001)
TIGHT = {"method": "dop853", "rtol": 1e-9, "atol": 1e-10}
VARIABLE = {
    "CVODE, BDF": {"method": "cvode_bdf", "rtol": 1e-3, "atol": 1e-5},
    "Dormand-Prince 5": {"method": "dopri5", "rtol": 1e-3, "atol": 1e-5},
    "Dormand-Prince 8": {"method": "dop853", "rtol": 1e-6, "atol": 1e-8},
}
"""Variable steps with the explicit model, as they are offered."""
ORDER_STEPS = (0.008, 0.004, 0.002, 0.001)
ORDER_BASICS = {"trapezoidal": 0.0, "newmark": -0.3, "hht": 0.2, "generalised_alpha": 0.5}
BATCH, SAMPLE = 1024, 32
VARIED = ("tyre_stiffness", "leaf_stiffness", "chassis.mass", "FL_wheel.mass", "RR_wheel.mass")
"""Parameters that are drawn at random, ±20 %."""


def winners(
    rows: Sequence[Row], steps: Steps, signals: Signals, reference: Reference, measure: str
) -> Row | None:
    """The fastest acceptable run: the first few of the sweep timed again, the least time counts."""
    found = acceptable(rows, measure)[:TOP]
    best = {(r.parameter, r.step): r for r in found}
    for _ in range(ROUNDS):
        for at, old in best.items():
            new = once(steps, signals, reference, at, old.road)
            if new.seconds < old.seconds:
                best[at] = new
    return min(best.values(), key=lambda r: r.seconds, default=None)


def timed(steps: Steps, step: float, basic: float | None = None) -> float:
    """Least processor time of some runs [s]."""
    return min(steps.march(step, basic, keep=False).seconds for _ in range(ROUNDS))


def tight(model: kt.Model, signals: Signals) -> Reference:
    """The explicit model with tight tolerances, at the times of the references."""
    run = _simulated(model, TIGHT)
    return Reference(run.time.values, signals.heights(_Plain(run)))


def agreement(times: Array, heights: Array, exact: Reference) -> dict[str, float]:
    """How far signals are from those of the explicit model [m]."""
    off = exact.difference(times, heights)
    return {"largest": float(np.abs(off).max()), "rms": spread(off), "eq43": error(off)}


def explicit(model: kt.Model, signals: Signals, exact: Reference) -> dict[str, Any]:
    """Runge-Kutta 4 with fixed steps: the largest that stays within the bound, and the fine one."""
    steps = Steps(model, "explicit", "rk4")
    found: dict[str, Any] = {}
    for step in (0.01, FINE):
        found[f"{step:g}"] = _fixed(steps, signals, exact, step)
    found["largest"] = _largest(steps, signals, exact, {})
    run = steps.march(FINE).run
    found["agreement"] = agreement(run.times, signals.heights(run), exact)
    hard = {"road": HARD}
    fine = steps.march(FINE / 2, parameters=hard).run
    found["hard"] = _largest(steps, signals, Reference(fine.times, signals.heights(fine)), hard)
    return found


def _largest(
    steps: Steps, signals: Signals, exact: Reference, parameters: Mapping[str, float]
) -> dict[str, float]:
    """The run with the largest step that stays within the bound."""
    rows = (_fixed(steps, signals, exact, step, parameters) for step in RK4_STEPS)
    return next((row for row in rows if row.get("error", math.inf) < BOUND), {})


def _fixed(
    steps: Steps,
    signals: Signals,
    exact: Reference,
    step: float,
    parameters: Mapping[str, float] | None = None,
) -> dict[str, float]:
    """One step size: step [s], processor time [s], error; nothing where the run failed."""
    runs = [steps.march(step, parameters=parameters) for _ in range(ROUNDS)]
    if runs[0].run is None:
        return {}
    wrong = error(exact.difference(runs[0].run.times, signals.heights(runs[0].run)))
    return {"step": step, "seconds": min(run.seconds for run in runs), "error": wrong}


def variable(model: kt.Model, signals: Signals, exact: Reference) -> dict[str, Any]:
    """Methods with steps of their own choice: time of the run [s], error of eq. 43."""
    found = {}
    for name, options in VARIABLE.items():
        runs = [_simulated(model, options, 0.01) for _ in range(3)]
        off = exact.difference(runs[0].time.values, signals.heights(_Plain(runs[0])))
        found[name] = {
            "seconds": min(float(run.attrs["wall_time_s"]) for run in runs),
            "error": error(off),
            "rtol": options["rtol"],
            "evaluations": int(runs[0].attrs["evaluations"]),
        }
    return found


def _simulated(model: kt.Model, options: Mapping[str, Any], step: float = FINE) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a run held back by stability says so; here it is measured
        return kt.simulate(model, DURATION, qd={"x": SPEED}, step=step, progress=False, **options)


class _Plain:
    """A Dataset with the attributes of a run."""

    def __init__(self, run: Any) -> None:
        self.times = run.time.values
        self.q, self.qd, self.qdd = run.q.values, run.qd.values, run.qdd.values


def orders(all_steps: Mapping[str, Steps], signals: Signals, model: kt.Model) -> dict[str, Any]:
    """Slopes of the error on a level road, where every law is smooth: bounce, pitch and roll."""
    qd = start(model)
    for name, rate in {"z": 0.1, "pitch": 0.05, "roll": 0.05}.items():
        qd[model.velocities.index(name)] = rate
    given: dict[str, Any] = {"parameters": {"road": 0.0}, "duration": 0.8, "qd": qd}
    fine = all_steps["trapezoidal"].march(ORDER_STEPS[-1] / 16, **given).run
    exact = Reference(fine.times, signals.heights(fine))
    found = {}
    for family, steps in all_steps.items():
        errors = []
        for step in ORDER_STEPS:
            run = steps.march(step, ORDER_BASICS[family], **given).run
            errors.append(spread(exact.difference(run.times, signals.heights(run))))
        slopes = [math.log2(a / b) for a, b in pairwise(errors)]
        found[family] = {"errors": errors, "slope": slopes[-1], "basic": ORDER_BASICS[family]}
    return found


def batch(steps: Steps, step: float, basic: float, count: int = BATCH) -> dict[str, Any]:
    """Many parameter variations on one thread: seconds per run, side by side and one by one."""
    rng = np.random.default_rng(0)
    port = steps.stepper.ports["p"]
    values = {name: port.default_array[port.labels.index(name)] for name in VARIED}
    drawn = {n: v * rng.uniform(0.8, 1.2, count) for n, v in values.items()}
    blocks = steps.blocks(step, basic, drawn)
    together = min(sum(blocks.seconds()) for _ in range(2)) / count
    few = range(0, count, max(1, count // SAMPLE))
    single = [min(blocks.alone(k).seconds for _ in range(3)) for k in few]
    ends = [blocks.alone(k).last for k in few]
    off = max(
        float(np.abs(blocks.last[:, k] - end).max())
        for k, end in zip(few, ends, strict=True)
        if np.isfinite(end).all()
    )
    apart = float(np.mean(single))
    lost = int((~np.isfinite(blocks.last).all(axis=0)).sum())
    return {
        "count": count,
        "together": together,
        "apart": apart,
        "ratio": apart / together,
        "lost": lost,
        "difference": off,
        "step": step,
        "basic": basic,
    }


__all__ = ["agreement", "batch", "explicit", "orders", "tight", "timed", "variable", "winners"]
