"""The crash into a truck-mounted attenuator: growth with its size, one crash, figures 20 and 21.

| `growth` | models of 100 to 996 freedoms: seconds to derive and to compile, one evaluation |
| `crash` | one crash of 0.4 s by several methods, in a sweep on one thread: seconds, severity |
| `table` | the crash along x in the steps of the program that the expected table comes from |
| `figures` | severity over the friction of the truck's wheels, and over the mass of the blocks |

Processor time.  The sweeps go on all cores and into a folder, from which they go on when stopped.

    python -m benchmarks.attenuator growth crash table
    python -m benchmarks.attenuator figures FOLDER
"""

from __future__ import annotations

import ctypes
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import kinetree as kt
from benchmarks import report
from benchmarks.integration import best, repeat_address
from benchmarks.models import ROOT
from kinetree.analysis.runs.dynamics import dynamics
from kinetree.targets.native.function import address

MODELS = ROOT / "examples" / "models"
SLICES = (2, 8, 10, 30)
"""Bodies per block: 100, 292, 356 and 996 freedoms."""
SPEED = {"car": 25.0, "bus": 19.444}
FRONTS = {
    "car 1": (1.5e6, 180e3, 300e3, 15e6), "car 2": (2.5e6, 300e3, 500e3, 25e6),
    "bus 1": (4e6, 400e3, 500e3, 40e6), "bus 2": (8e6, 800e3, 1e6, 80e6),
}  # fmt: skip
FRONT = ("front_k", "front_yield", "front_h", "front_unloading")
FRICTIONS = [*np.linspace(0, 1, 11).tolist(), 50.0]
"""The last one stands for a locked truck."""
MASSES = np.array([5.0, 7.5, 10.0, 15.0, 20.0, 30.0, 40.0])
LIKE = 1 + 1e-4 * np.arange(-4, 4)
"""Factors of the speed over which is averaged: the stiff front of the car makes a crash chaotic."""
ASI = {"1998": kt.severity("qdd_vehicle_1", "1998"), "2010": kt.severity("qdd_vehicle_1")}
SHADES = {"car 1": 0, "car 2": 3, "bus 1": 2, "bus 2": 1}
"""Colours of the lines."""
DURATION = 0.4
HOW = {"integrator": "dopri5", "rtol": 1e-4, "atol": 1e-6, "step": 5e-4}
METHODS = (
    {"integrator": "rk4", "step": 5e-4, "max_step": 5e-5},
    {"integrator": "rk4", "step": 5e-4, "max_step": 2.5e-5},
    {**HOW, "rtol": 5e-4},
    HOW,
    {**HOW, "rtol": 1e-6, "atol": 1e-8},
)


def size(slices: int) -> dict[str, float]:
    """Figures of an attenuator with so many bodies per block."""
    from tools import attenuator_files as files

    files.SLICES = slices
    text = ROOT / "build" / f"attenuator_{slices}.yaml"
    text.parent.mkdir(exist_ok=True)
    text.write_text(files.crash("attenuator_car", files.CAR, "25.0"))
    began = time.process_time()
    model = kt.load(text)
    loaded = time.process_time()
    program = kt.derive(model, "forward")
    derived = time.process_time()
    program.compile(cache=False)
    compiled = time.process_time()
    seconds = evaluation_seconds(model)
    return {
        "freedoms": model.nv, "load": loaded - began, "derive": derived - loaded,
        "compile": compiled - derived, "operations": program.count().total, "us": 1e6 * seconds,
    }  # fmt: skip


def evaluation_seconds(model: kt.Model) -> float:
    """Duration of a native call of the rates [s]."""
    function = dynamics(model).forms.rates.function
    where, library = repeat_address()
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4, *[ctypes.c_int64] * 2)(where)
    x, c, y = (np.zeros(function.sizes[k]) for k in ("x", "c", "y"))
    x[1 : 1 + model.nv] = model.initial()
    c = function.preamble_values()
    at = (function.address, address(x), address(c), address(y))
    found = best(lambda: call(*at, 200, len(y)), 5) / 200
    del library
    return found


def growth() -> None:
    """The table of sizes, each in a process of its own."""
    rows = []
    for slices in SLICES:
        command = [sys.executable, "-m", "benchmarks.attenuator", "size", str(slices)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        found = json.loads(done.stdout.splitlines()[-1])
        rows.append([str(found.pop("freedoms")), *found.values()])
    columns = ("freedoms", "load s", "derive s", "compile s", "operations", "evaluation µs")
    report.show("an attenuator by its size", columns, rows)


def crash() -> None:
    """One crash by several methods: the difference of four runs and one, on one thread."""
    model = kt.load(MODELS / "attenuator_car.yaml")
    rows = []
    for how in METHODS:
        spent = []
        for count in (1, 1, 4):
            plan = kt.grid({"friction": np.linspace(0.6, 0.61, count)})
            began = time.process_time()
            many = kt.sweep(model, DURATION, plan, ASI, qd={"vehicle_1": 25.0}, threads=1, **how)
            spent.append(time.process_time() - began)
        one = (spent[2] - spent[1]) / 3
        name = f"{how['integrator']} {how.get('max_step', how.get('rtol')):g}"
        rows.append([name, one, DURATION / one, *(many[key][0].item() for key in ASI)])
    columns = ("longest step or rtol", "s per crash", "times real time", "ASI 1998", "ASI 2010")
    report.show("a car at 90 km/h, 356 freedoms, 0.4 s", columns, rows)


def table() -> None:
    """All rows of the data's table along x: found, expected and the largest difference."""
    from tests.reference.test_attenuator import EXPECTED, in_the_same_steps, sticking

    model = sticking(kt.load(MODELS / "attenuator_longitudinal.yaml"))
    rows: list[list[Any]] = []
    for (front, friction), expected in EXPECTED.items():
        began = time.process_time()
        found = in_the_same_steps(model, front, friction)
        rows.append([f"{front}, {friction:g}", *found, *expected, time.process_time() - began])
    heads = ("peak g", "1998", "2010", "crush m", "front m")
    columns = ("front, friction", *heads, *(f"table: {head}" for head in heads), "s")
    report.show("a crash along x, semi-implicit Euler, 5 µs", columns, rows)


def severities(over: str, values: Any, fronts: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Both severities by front, means over crashes nearly alike: standard × value."""
    found = {}
    for name, front in fronts.items():
        kind = name[:3]
        model = kt.load(MODELS / f"attenuator_{kind}.yaml")
        speeds = SPEED[kind] * (LIKE if name == "car 2" else np.ones(1))
        plan = kt.grid({over: values, "qd0.vehicle_1": speeds})
        given = dict(zip(FRONT, front, strict=True))
        place = folder / f"{over}_{name.replace(' ', '')}"
        many = kt.sweep(model, DURATION, plan, ASI, parameters=given, part=8, into=place, **HOW)
        rows = np.array([many[key].values for key in ASI]).reshape(2, len(values), -1)
        found[name] = rows.mean(axis=2)
        print(name, over, np.round(found[name], 3).tolist(), flush=True)
    return found


def draw(found: dict[str, Any], values: Any, axes: Any, label: str) -> None:
    """Lines of both standards; a locked truck stands beside the others."""
    places = [x if x < 50 else 1.15 for x in values] if label.startswith("friction") else values
    for name, rows in found.items():
        for row, line in zip(rows, ("-", "--"), strict=True):
            text = name if line == "-" else None
            axes.plot(places, row, f"C{SHADES[name]}{line}o", ms=3, lw=1.2, label=text)
    if label.startswith("friction"):
        axes.set_xticks(
            [0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.15], ["0", "0.2", "0.4", "0.6", "0.8", "1", "locked"]
        )
    axes.set(xlabel=label, ylabel="ASI (full: 1998, dashed: 2010)", ylim=(0, None))
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, ncols=4, loc="upper center", bbox_to_anchor=(0.5, 1.12))


def figures(folder: Path) -> None:
    """Severity over friction and over the mass of the blocks, as data and as pictures."""
    rubbed = severities("friction", FRICTIONS, FRONTS, folder)
    few = {name: FRONTS[name] for name in ("car 1", "bus 1")}
    masses = severities("block_mass", MASSES, few, folder)
    for name, found, values, label in (
        ("friction", rubbed, FRICTIONS, "friction of the truck's wheels on the road"),
        ("mass", masses, MASSES, "mass of a block [kg]"),
    ):
        figure, axes = plt.subplots(figsize=(6.4, 4.0), constrained_layout=True)
        draw(found, values, axes, label)
        figure.savefig(folder / f"attenuator_{name}.png", dpi=100)


if __name__ == "__main__":
    if sys.argv[1] == "size":
        print(json.dumps(size(int(sys.argv[2]))))
    elif sys.argv[1] == "figures":
        figures(Path(sys.argv[2]))
    else:
        for part in sys.argv[1:]:
            {"growth": growth, "crash": crash, "table": table}[part]()
