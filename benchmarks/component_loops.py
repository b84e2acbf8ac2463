"""Mechanisms with loops from components: four-bar, one cylinder and six of the Modelica library.

Every whole is described by joints, bars and bodies; its loops are found and its states chosen.
Printed: seconds from the components to the end of a first run, with sorting and compilation;
processor seconds of a run after that (the least of several); the number of events; how far the
run is from the reference trajectory, in shares of a signal's range.  Dymola's seconds are those of
its own log (2020x, a laptop); the tolerance is 1e-6 in both.

    python -m benchmarks.component_loops
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from tests.acausal import msl_mechanics as mech

import kinetree as kt
from kinetree.acausal import Component
from kinetree.arrays import Array

REPEATS = 5
FILES = Path(__file__).parents[1] / "tests" / "data" / "msl_reference"
HOW = {"rtol": 1e-6, "atol": 1e-8}


class Case(NamedTuple):
    """A whole, its reference, seconds wanted and of Dymola, step of the file, names in it."""

    made: type[Component]
    file: str
    wanted: float
    dymola: str
    step: float = 0.025
    names: Mapping[str, str] = {}


CASES = (
    Case(mech.Fourbar1, "MultiBody_Fourbar1", 0.02, "0.235"),
    Case(mech.Engine1a, "MultiBody_Engine1a", 0.02, "0.119"),
    Case(mech.EngineV6, "MultiBody_EngineV6_analytic", 0.3, "7.3, 0.531 by analytic loops", 2.02e-4,
         mech.FILTER),
)  # fmt: skip


def read(name: str) -> dict[str, Array]:
    """A reference trajectory."""
    with (FILES / f"{name}.csv").open() as file:
        header = file.readline().strip().split(",")
        table = np.loadtxt(file, delimiter=",")
    return dict(zip(header, table.T, strict=True))


def measure(case: Case) -> dict[str, float]:
    """Seconds, events and deviation of a whole."""
    table = read(case.file)
    duration, began = float(table["time"][-1]), time.perf_counter()
    whole = case.made()
    kt.simulate(whole, duration, **HOW)
    first = time.perf_counter() - began
    again = []
    for _ in range(REPEATS):
        began = time.process_time()
        run = kt.simulate(whole, duration, **HOW)
        again.append(time.process_time() - began)
    fine = kt.simulate(whole, duration, step=case.step, **HOW)
    rows = np.round(table.pop("time") / case.step).astype(int)
    off = [
        np.abs(fine[case.names.get(name, name)].values[rows] - column).max() / np.ptp(column)
        for name, column in table.items()
    ]
    return {
        "first": first, "again": min(again), "events": run.sizes.get("event", 0), "off": max(off),
    }  # fmt: skip


def main() -> None:
    """Measure and print."""
    print(
        f"{'':10}{'motion':>8}{'first':>9}{'again':>9}{'wanted':>9}{'events':>8}{'off':>10}  Dymola"
    )
    for case in CASES:
        found = measure(case)
        duration = read(case.file)["time"][-1]
        print(
            f"{case.made.__name__:10}{duration:6.2f} s{found['first']:7.2f} s"
            f"{found['again']:7.4f} s"
            f"{case.wanted:7.2f} s{found['events']:8.0f}{found['off']:10.1e}  {case.dymola} s"
        )


if __name__ == "__main__":
    main()
