"""Sweeps of the Iltis down stairs: killed at random moments, against runs one by one, their shares.

Children sweep into one folder and are killed (SIGKILL) at random moments, whatever they do then;
the end is compared bit for bit with an undisturbed sweep.  Times are processor time.
"""

from __future__ import annotations

import contextlib
import hashlib
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import kinetree as kt
from benchmarks import report
from benchmarks.models import ROOT
from kinetree.analysis.sweeping.lanes import LaneRunner
from kinetree.analysis.sweeping.parts import SweepParts
from kinetree.functions import table
from kinetree.integrate import Stepper

RUNS, KILLS, PART = 20_480, 20, 512
FASTER, SHARE = 4.0, 0.2
"""Least gain over runs one by one; most share of starts and stores."""
VARIED = (
    "leaf_stiffness", "stop_stiffness", "tyre_stiffness", "chassis.mass", "chassis.inertia_yy",
    "chassis.inertia_xx",
)  # fmt: skip
MEASURES = {"comfort": kt.rms("qdd_z"), "top": kt.peak("q_z"), "pitch": kt.peak("q_pitch")}
STEPS: dict[str, Any] = {
    "formulation": "hybrid", "integrator": "newmark", "step": 0.01, "qd": {"x": 5.0},
}  # fmt: skip
DURATION = 8.0


def iltis() -> kt.Model:
    """The car with the road of the stairs."""
    folder = ROOT / "examples" / "models"
    model = kt.load(folder / "iltis.yaml")
    road = model.table(
        "stairs", *np.loadtxt(folder / "iltis_stairs.csv", delimiter=",", skiprows=3).T
    )
    for corner in ("FL", "FR", "RR", "RL"):
        old = model.forces.pop(f"{corner}_tyre")
        given = {**old.arguments, "height": lambda x: table(x, road)}
        model.force(old.kind, old.name, old.points, given)
    return model


def plan(model: kt.Model, count: int) -> Any:
    """Six parameters, 30 % up and down."""
    known = {name: row.value for name, row in model.parameters.items()}
    body = model.bodies["chassis"]
    known |= {"chassis.mass": body.mass, "chassis.inertia_yy": body.inertia[1],
              "chassis.inertia_xx": body.inertia[0]}  # fmt: skip
    over = {name: (0.7 * float(known[name]), 1.3 * float(known[name])) for name in VARIED}
    return kt.sobol(over, count, seed=1)


def sweep(count: int, folder: Path | None, **options: Any) -> Any:
    """One sweep of the benchmark."""
    model = iltis()
    return kt.sweep(model, DURATION, plan(model, count), MEASURES, into=folder, **STEPS, **options)


@contextlib.contextmanager
def timed(owner: Any, name: str, spent: dict[str, float]) -> Iterator[None]:
    """Processor time that goes into a method [s]."""
    kept = getattr(owner, name)

    def call(*args: Any, **given: Any) -> Any:
        began = time.process_time()
        found = kept(*args, **given)
        spent[name] = spent.get(name, 0.0) + time.process_time() - began
        return found

    setattr(owner, name, call)
    try:
        yield
    finally:
        setattr(owner, name, kept)


def digest(found: Any) -> str:
    """Of all values of a sweep."""
    names = sorted([*MEASURES, *VARIED])
    return hashlib.sha256(b"".join(found[name].values.tobytes() for name in names)).hexdigest()


def killed(count: int, kills: int) -> list[list[Any]]:
    """A sweep that is killed again and again, and one that is not."""
    random, rows = np.random.default_rng(0), []
    with tempfile.TemporaryDirectory() as place:
        folder, computed = Path(place) / "killed", 0
        command = [sys.executable, "-m", "benchmarks.sweeps", "--child", str(count), str(folder)]
        ended = 0
        for _ in range(kills):
            before = len(list(folder.glob("part-*.nc"))) if folder.exists() else 0
            child = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)
            assert child.stdout is not None
            child.stdout.readline()  # its first part is there
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(random.uniform(0.0, 5.0))
            ended += child.poll() is not None
            child.send_signal(signal.SIGKILL)
            child.wait()
            computed += len(list(folder.glob("part-*.nc"))) - before
        again = digest(sweep(count, folder, part=PART))
        rows.append([f"{kills} kills, {ended} after the end: parts kept by killed processes",
                     float(computed), None])  # fmt: skip
    spent: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as place, contextlib.ExitStack() as stack:
        for owner, name in (
            (LaneRunner, "_start"), (SweepParts, "add"), (SweepParts, "whole"),
        ):  # fmt: skip
            stack.enter_context(timed(owner, name, spent))
        began = time.process_time()
        whole = sweep(count, Path(place) / "whole", part=PART, threads=1)
        seconds = time.process_time() - began
        rows.append([f"{count} runs: the same bits as an undisturbed sweep (1: yes)",
                     float(digest(whole) == again), None])  # fmt: skip
        whole.close()
    rows.append(["ms of processor per run, all together", 1e3 * seconds / count, None])
    rows.append(["share of starts and stores", sum(spent.values()) / seconds, SHARE])
    rows.append(["largest memory of the process [MB]",
                 resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3, None])  # fmt: skip
    return [*rows, *one_by_one(1e3 * seconds / count)]


def one_by_one(lanes: float) -> list[list[Any]]:
    """Single runs: by the same compiled step, and by `simulate`."""
    model = iltis()
    values = plan(model, 8).rows(0, 8)
    given = [dict(zip(VARIED, row.tolist(), strict=True)) for row in values]
    step = Stepper(model.with_varied(VARIED), "hybrid", "newmark", smooth=False)
    runs = {
        "a compiled step": lambda p: step.run(DURATION, 0.01, qd={"x": 5.0}, parameters=p),
        "simulate": lambda p: kt.simulate(
            model, DURATION, method="newmark", formulation="hybrid", step=0.01, qd={"x": 5.0},
            parameters=p, progress=False,
        ),
    }  # fmt: skip
    rows = []
    for name, run in runs.items():
        run(given[0])
        began = time.process_time()
        for p in given[1:]:
            run(p)
        each = 1e3 * (time.process_time() - began) / (len(given) - 1)
        rows.append([f"one by one by {name}: ms per run, over lanes (at least {FASTER})",
                     each / lanes, None])  # fmt: skip
    return rows


def measure(quick: bool = False) -> dict[str, Any]:
    """A killed sweep, shares, gain over single runs."""
    rows = killed(2048, 3) if quick else killed(RUNS, KILLS)
    report.show("sweeps of the Iltis down stairs", ("what", "found", "at most"), rows)
    return {"rows": rows}


if __name__ == "__main__":
    if "--child" in sys.argv:
        tell = lambda done, whole: print(done, flush=True)  # noqa: E731
        sweep(int(sys.argv[-2]), Path(sys.argv[-1]), part=PART, progress=tell)
    else:
        measure("--quick" in sys.argv)
