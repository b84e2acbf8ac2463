"""Native calls and deriving beside those of another checkout, in alternating processes.

    python -m benchmarks.against FOLDER [--rounds 4]

FOLDER holds the other checkout (src and examples/models).  Both read the models of that folder.
Processor time of the thread; ratios of the minima over all rounds, and of every round.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.models import ROOT

CHILD = """
import gc, json, sys, time, warnings
warnings.simplefilter("ignore")
import numpy as np
import kinetree as kt

clock, found = time.thread_time, {}

def least(name, repeats, call, make=lambda: None, count=1):
    best = float("inf")
    for _ in range(repeats):
        given = make()
        gc.collect()
        start = clock()
        for _ in range(count):
            call(given)
        best = min(best, (clock() - start) / count)
    found[name] = 1e6 * best

for file in ("arm7.urdf", "r3.yaml", "andrews.yaml", "stewart.yaml",
             "limousine.yaml", "iltis.yaml"):
    path = f"{sys.argv[1]}/examples/models/{file}"
    least(f"{file}: derive", 4, lambda m: kt.derive(m, "forward"), lambda: kt.load(path))
    if file == "arm7.urdf":
        least(f"{file}: derivatives", 4, lambda m: kt.derive(m, "forward").derivative(
            "qdd", ("q", "qd", "tau")), lambda: kt.load(path))
    if file in ("limousine.yaml", "iltis.yaml"):
        continue  # compiling takes minutes of each round
    model = kt.load(path)
    function = kt.derive(model, "forward").compile()
    q = np.array(kt.assemble(model).q) if model.closures else np.array(model.initial())
    one = {"q": q, "qd": np.zeros(model.nv), "tau": np.zeros(model.nv)}
    many = {name: np.repeat(row[None], 256, 0) for name, row in one.items()}
    least(f"{file}: one call", 20, lambda _: function(**one), count=1000)
    least(f"{file}: 256 states", 40, lambda _: function(**many), count=4)
print(json.dumps(found))
"""


def run_child(source: Path, models: Path, cache: str) -> dict[str, float]:
    """Figures [µs] of one fresh process."""
    env = {**os.environ, "PYTHONPATH": str(source / "src"), "KINETREE_CACHE": cache}
    command = [sys.executable, "-c", CHILD, str(models)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def measure(other: Path, rounds: int) -> dict[str, Any]:
    """The table of ratios."""
    figures: dict[str, list[tuple[float, float]]] = {}
    with tempfile.TemporaryDirectory() as place:
        for k in range(rounds):
            order = (other, ROOT) if k % 2 else (ROOT, other)
            made = {x: run_child(x, other, f"{place}/{x == ROOT}") for x in order}
            for name in made[ROOT]:
                figures.setdefault(name, []).append((made[other][name], made[ROOT][name]))
    rows = []
    for name, pairs in figures.items():
        before, now = (min(row[side] for row in pairs) for side in (0, 1))
        every = " ".join(f"{b / a:.3f}" for a, b in pairs)
        rows.append([name, before, now, now / before, every])
    report.show(f"beside {other}", ("what", "there µs", "here µs", "ratio", "rounds"), rows)
    return {"rows": rows}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=4)
    asked = parser.parse_args()
    measure(asked.folder.resolve(), asked.rounds)
