"""A car of 81 coordinates and 16 loops: what `simulate` takes beside the evaluations of its rates.

The lane change of `examples/models/saloon.yaml`, and of `saloon_h2.yaml` with its hydraulics, at
10 m/s: a drive of eight seconds against as many native calls of the rates in a loop, and the
preparation (a run of a millisecond) in a fresh process, with an empty and with a full cache;
processor time.  Loading modules is told apart: those of this package, and dask's, which xarray
loads where it is installed.
"""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
import tempfile
import time
from typing import Any

import numpy as np

import kinetree as kt
from benchmarks import report
from benchmarks.integration import best, repeat_address
from benchmarks.models import ROOT
from kinetree.analysis.runs.dynamics import dynamics
from kinetree.targets.native.function import address

CARS = ("saloon", "saloon_h2")
WANTED, PREPARED, EVALUATION = 1.25, 1.0, 10.0
"""Most times that a run takes its evaluations; most seconds of preparation from the cache; most
microseconds of an evaluation."""
DURATION, RTOL = 8.0, 1e-5
CHILD = """
import json, time, warnings
warnings.simplefilter("ignore")
import kinetree as kt, llvmlite.binding, xarray
from benchmarks.car import car, lane_change
model = car({name!r})
begin = time.process_time()
kt.simulate
xarray.Dataset({{"a": ("t", [0.0])}})
start = time.process_time()
lane_change(model, 1e-3)
first = time.process_time()
lane_change(model, 1e-3)
again = time.process_time()
print(json.dumps({{"load": start - begin, "first": first - start, "again": again - first}}))
"""


def car(name: str) -> kt.Model:
    """A saloon of the examples."""
    return kt.load(ROOT / "examples" / "models" / f"{name}.yaml")


def lane_change(model: kt.Model, duration: float, **how: Any) -> Any:
    """A run at 10 m/s."""
    speed = 10.0
    qd = {"x": speed}
    qd |= {name: speed / 0.33 for name in model.velocities if name.endswith("_spin")}
    return kt.simulate(model, duration, qd=qd, **{"method": "dopri5", "rtol": RTOL, **how})


def fresh_process(name: str, cache: str) -> dict[str, float]:
    """Processor time of a run of a millisecond in a fresh process: the first and the next [s]."""
    search = os.pathsep.join([str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", CHILD.format(name=name)],
        env={**os.environ, "PYTHONPATH": search, "KINETREE_CACHE": cache},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    found: dict[str, float] = json.loads(done.stdout)
    return found


def evaluation_seconds(model: kt.Model, run: Any) -> float:
    """Duration of a native call of the rates along a run [s], every call after the one before."""
    system = dynamics(model)
    function = system.forms.rates.function
    where, library = repeat_address()
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4, *[ctypes.c_int64] * 2)(where)
    x, c = np.zeros(function.sizes["x"]), function.preamble_values()
    parts = [run[name].values for name in ("q", "qd", "x") if name in run]
    states = np.concatenate(parts, axis=1)
    y, n, count = np.zeros(function.sizes["y"]), states.shape[1], 200
    total = []
    for row in range(0, run.sizes["time"], 50):
        x[0] = float(run["time"][row])
        x[1 : 1 + n] = states[row]
        at = (function.address, address(x), address(c), address(y))
        total.append(best(lambda at=at: call(*at, count, n), 3) / count)
    del library
    return float(np.mean(total))


def measure(quick: bool = False) -> dict[str, Any]:
    """A lane change of each car against its evaluations, and preparations."""
    return {name: measure_one(name, 1.0 if quick else DURATION) for name in CARS}


def measure_one(name: str, duration: float) -> list[list[Any]]:
    """The rows of one car."""
    model = car(name)
    lane_change(model, 1e-3)
    spent = {}
    for length in (1e-3, duration):
        began = time.process_time()
        run = lane_change(model, length)
        spent[length] = time.process_time() - began
    bare = evaluation_seconds(model, run)
    evaluations = run.attrs["evaluations"]
    own = spent[duration] - spent[1e-3]
    with tempfile.TemporaryDirectory() as folder:
        cold, cached = fresh_process(name, folder), fresh_process(name, folder)
    rows = [
        ["evaluations", evaluations, None],
        ["bare evaluation µs", 1e6 * bare, EVALUATION],
        ["run s", own, None],
        ["run µs per evaluation", 1e6 * own / evaluations, None],
        ["run / evaluations", own / evaluations / bare, WANTED],
        ["prepared, empty cache s", cold["first"], None],
        ["prepared, full cache s", cached["first"], PREPARED],
        ["loading of modules s", cached["load"], None],
        ["prepared again s", cached["again"], None],
    ]
    report.show(f"{name}: 81 coordinates and 16 loops", ("what", "found", "at most"), rows)
    return rows


if __name__ == "__main__":
    measure("--quick" in sys.argv)
