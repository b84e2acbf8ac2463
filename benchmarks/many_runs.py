"""Many runs and many events: what their starts and their events cost beside the steps.

A batch of 8192 short runs of a slider-crank by `kt.simulate`, equal steps and error control: the
share of the time that the starts take.  A run of ten states with 100 000 events: the time of one
event beyond the steps, which a run without events tells.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import kinetree as kt
from benchmarks import report
from benchmarks.models import ROOT
from kinetree.analysis.runs.batch_starts import BatchStart
from kinetree.integrate.start.initial import Initial

RUNS, EVENTS = 8192, 100_000
SHARE, EVENT = 0.1, 2.0
"""Most share of the starts; most microseconds of an event."""
METHODS: tuple[dict[str, Any], ...] = (
    {"method": "hht", "step": 1e-3}, {"method": "dop853", "step": 1e-2},
)  # fmt: skip


@contextmanager
def timed_starts() -> Iterator[list[float]]:
    """Processor time that goes into starts [s]."""
    spent = [0.0]
    kept = (Initial.state, BatchStart.starts)

    def timed(function: Any) -> Any:
        def call(*args: Any, **given: Any) -> Any:
            began = time.process_time()
            found = function(*args, **given)
            spent[0] += time.process_time() - began
            return found

        return call

    Initial.state, BatchStart.starts = (timed(f) for f in kept)  # type: ignore[method-assign]
    try:
        yield spent
    finally:
        Initial.state, BatchStart.starts = kept  # type: ignore[method-assign]


def batch(count: int) -> list[list[Any]]:
    """Rows of a batch of short runs: the first in this process, and the next."""
    model = kt.load(ROOT / "examples" / "models" / "slider_crank.yaml")
    rng = np.random.default_rng(0)
    given = {"q": {"crank": rng.uniform(-1, 1, count)}, "qd": {"crank": rng.uniform(-2, 2, count)}}
    rows = []
    for how in METHODS:
        for number in ("first", "next"):
            with timed_starts() as spent:
                began = time.process_time()
                kt.simulate(model, 0.1, **given, **how)
                total = time.process_time() - began
            name = f"{count} runs by {how['method']}, {number}: "
            rows.append([f"{name}µs per run", 1e6 * total / count, None])
            rows.append([f"{name}share of starts", spent[0] / total, SHARE])
    return rows


def oscillators(update: bool) -> kt.Model:
    """Five masses on springs; a mode counts how often the first one passes its middle."""
    model = kt.Model("oscillators", gravity=(0, 0, 0))
    for k in range(5):
        name = f"x{k}"
        body = model.body(f"mass{k}", mass=1.0)
        model.prismatic(name, model.ground, body, axis="x", initial=0.1 * (k + 1))
        model.joint_spring(f"spring{k}", name, stiffness=(2 * np.pi * (1 + 0.01 * k)) ** 2)
    if update:
        model.mode("count")
        count = {"count": lambda x: x["count"] + 1}
        model.event("pass", lambda q: q["x0"], count, direction="both")
    return model


def events(count: int) -> list[list[Any]]:
    """Rows of a run with many events that change a mode."""
    rows = []
    for method in ("dopri5", "dop853"):
        found = {}
        for update in (False, True):
            model, how = oscillators(update), {"method": method, "rtol": 1e-6}
            kt.simulate(model, 10.0, step=1.0, **how)
            began = time.process_time()
            run = kt.simulate(model, count / 2, step=count / 20, max_steps=10**8, **how)
            found[update] = time.process_time() - began, run
        step = found[False][0] / found[False][1].attrs["steps"]
        seconds, run = found[True]
        beyond = (seconds - step * run.attrs["steps"]) / run.sizes["event"]
        name = f"{run.sizes['event']} events by {method}: µs per event beyond the steps"
        rows.append([name, 1e6 * beyond, EVENT])
    return rows


def measure(quick: bool = False) -> dict[str, Any]:
    """Starts of many runs, and many events."""
    rows = [*batch(RUNS // 8 if quick else RUNS), *events(EVENTS // 10 if quick else EVENTS)]
    report.show("many runs and many events", ("what", "found", "at most"), rows)
    return {"rows": rows}


if __name__ == "__main__":
    measure("--quick" in sys.argv)
