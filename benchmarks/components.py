"""Connected components of any size: to the sorted system, to the first value, through a stiff run.

    python -m benchmarks.components                      # with rumoca and jaxonomy, if installed
    python -m benchmarks.components --jaxonomy PYTHON    # an interpreter that has jaxonomy
    python -m benchmarks.components --quick

Every case runs in a fresh process with an empty cache.  Times are processor times of all threads.
A section of the ladder has twelve equations.  Growth is the ratio of the times per equation from
the smallest to the largest ladder: 1 is linear.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import kinetree as kt
from benchmarks import report
from benchmarks.models import ROOT

SECTIONS = (84, 834, 8334)
"""Of ladders of 10³, 10⁴ and 10⁵ equations."""
LIMITS = {834: (1.5, 6.0), 8334: (15.0, 60.0)}
"""Most seconds to the sorted system, and to the first derivative."""
GRID, FIRST_VALUE, STIFF, STIFF_LIMIT = 30, 10.0, 10_000, 60.0
GROWTH = 1.25
THEIRS = (16, 100, 400)
"""Sections of the ladders that other programs are given; jaxonomy the first alone."""


def ladder(n: int) -> dict[str, float]:
    """Sorting a ladder of n sections, then its first derivative."""
    from tests.acausal.grids import Ladder

    from kinetree.acausal.sort import sort_component

    began = time.process_time()
    found = sort_component(Ladder(n=n))
    after = time.process_time()
    sizes = (found.flat.equations, found.joined.pairs, found.joined.sums)
    equations = sum(map(len, sizes))
    del found
    begun = time.process_time()
    model = Ladder(n=n).as_mechanism()
    function = kt.derive(model).compile()
    rates = function(q=[], qd=[], tau=[], t=0.0, x=np.zeros(n))["xd"]
    assert abs(float(rates[0]) - 5.0 / (1e3 * 1e-6)) < 1e-6
    first = time.process_time() - begun
    return {"equations": equations, "sorted": after - began, "first": first, "MB": _megabytes()}


def grid(n: int) -> dict[str, float]:
    """The potentials of a grid of n by n nodes, one algebraic loop through everything."""
    from tests.acausal.grids import Grid, branches, potentials

    began = time.process_time()
    names = [f"R[{k}].p.v" for k in range(len(branches(n)))]
    found = kt.derive(Grid(n=n), wanted=names).compile()(t=0.0, known=[])["wanted"]
    first = time.process_time() - began
    error = np.abs(found - potentials(n)[[a for a, _, _ in branches(n)]]).max()
    return {"equations": 6 * len(names), "first": first, "error": float(error), "MB": _megabytes()}


def stiff(n: int) -> dict[str, float]:
    """A run of a ladder of n states by CVODE with a sparse Jacobian, with all compilation."""
    from tests.acausal.grids import Ladder

    began = time.process_time()
    run = kt.simulate(Ladder(n=n), 0.5, step=0.05, method="cvode_bdf")
    seconds, steps = time.process_time() - began, float(run.attrs["steps"])
    return {"equations": 12 * n, "run": seconds, "steps": steps, "MB": _megabytes()}


def rumoca(n: int) -> dict[str, float]:
    """The same ladder as flat Modelica, compiled by rumoca."""
    import rumoca as other
    from tests.acausal.grids import Ladder

    with tempfile.TemporaryDirectory() as folder:
        text = kt.export_modelica(Ladder(n=n), Path(folder) / "a.mo").read_text()
    began = time.process_time()
    other.Session().loads(text, model="Ladder")
    return {"sorted": time.process_time() - began}


CASES: dict[str, Callable[[int], dict[str, float]]] = {
    "ladder": ladder, "grid": grid, "stiff": stiff, "rumoca": rumoca,
}  # fmt: skip


def _megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(quick: bool = False, jaxonomy: str | None = None) -> dict[str, Any]:
    """All cases, each in a process of its own."""
    sizes = SECTIONS[: 2 if quick else 3]
    found = {n: _in_a_child("ladder", n) for n in sizes}
    rows: list[list[Any]] = []
    for n, row in found.items():
        limits = LIMITS.get(n, (None, None))
        told = [int(row["equations"]), row["sorted"], limits[0], row["first"], limits[1], row["MB"]]
        rows.append(["ladder", *told])
    row = _in_a_child("grid", 12 if quick else GRID)
    rows.append(["grid of resistors", int(row["equations"]), None, None, row["first"], FIRST_VALUE,
                 row["MB"]])  # fmt: skip
    row = _in_a_child("stiff", 500 if quick else STIFF)
    told = [int(row["equations"]), None, None, row["run"], STIFF_LIMIT, row["MB"]]
    states, steps = int(row["equations"]) // 12, int(row["steps"])
    rows.append([f"stiff run, {states} states, {steps} steps", *told])
    columns = ("case", "equations", "sorted s", "at most", "first value s", "at most", "MB")
    report.show("connected components", columns, rows)
    small, large = found[sizes[0]], found[sizes[-1]]
    growth = {
        key: (large[key] / large["equations"]) / (small[key] / small["equations"])
        for key in ("sorted", "first")
    }
    report.show("growth per equation, smallest to largest ladder", ("to", "ratio", "at most"),
                [[key, ratio, GROWTH] for key, ratio in growth.items()])  # fmt: skip
    others = _others(jaxonomy)
    report.show("the ladder in other programs, processor seconds to the compiled system",
                ("sections", "kinetree", "rumoca", "jaxonomy"), others)  # fmt: skip
    return {"rows": rows, "growth": growth, "others": others}


def _others(jaxonomy: str | None) -> list[list[Any]]:
    has_rumoca = importlib.util.find_spec("rumoca") is not None
    here = sys.executable if importlib.util.find_spec("jaxonomy") else None
    other = jaxonomy or here
    rows = []
    for n in THEIRS:
        row: list[Any] = [n, _in_a_child("ladder", n)["sorted"]]
        row.append(_in_a_child("rumoca", n)["sorted"] if has_rumoca else None)
        script = str(ROOT / "benchmarks" / "components_jaxonomy.py")
        given = [other, script, str(n)] if other and n == THEIRS[0] else None
        row.append(_ask(given)["sorted"] if given else None)
        rows.append(row)
    return rows


def _in_a_child(name: str, n: int) -> dict[str, float]:
    return _ask([sys.executable, "-m", "benchmarks.components", "--case", name, str(n)])


def _ask(command: list[str]) -> dict[str, float]:
    """What a process of its own prints last."""
    with tempfile.TemporaryDirectory() as cache:
        done = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=False,
            env={**os.environ, "KINETREE_CACHE": cache, "OPENBLAS_NUM_THREADS": "1"},
        )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"{command}: {done.stderr.strip().splitlines()[-1]}")
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    """Measure, or run one case in this process."""
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description="connected components of any size")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--jaxonomy", help="an interpreter that has jaxonomy")
    parser.add_argument("--case", nargs=2, metavar=("NAME", "SIZE"), help="one case, as JSON")
    given = parser.parse_args()
    if given.case:
        print(json.dumps(CASES[given.case[0]](int(given.case[1]))))
        return
    report.save("components", measure(given.quick, given.jaxonomy))


if __name__ == "__main__":
    main()
