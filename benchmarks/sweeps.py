"""Sweeps of the Iltis down stairs: killed at random moments, against runs one by one, their shares.

Children sweep into one folder and are killed (SIGKILL): every other one at a random moment, the
others while they write a part, the last one while it writes the file at the end.  The end is
compared bit for bit with an undisturbed sweep.  Times are processor time.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Timer
from typing import Any

import numpy as np

import kinetree as kt
from benchmarks import report
from benchmarks.models import ROOT
from kinetree.analysis.sweeping.job import SweepJob
from kinetree.analysis.sweeping.lanes import LaneRunner
from kinetree.analysis.sweeping.parts import SweepParts
from kinetree.functions import table
from kinetree.integrate import Stepper

RUNS, KILLS, PART = 100_000, 20, 1024
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
NAP = 2e-4
"""Time between two looks at whether a file is being written [s]."""
DURATION = 5.5
"""Until the rear wheels have left the last stair [s]."""


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


@contextlib.contextmanager
def child(count: int, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Another process that sweeps into a folder; it is killed at the end of the block."""
    command = [sys.executable, "-m", "benchmarks.sweeps", "--child", str(count), str(folder)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as process:
        yield process
        process.send_signal(signal.SIGKILL)


def begun(folder: Path) -> int:
    """Parts of a folder that were begun so far, by all processes."""
    log = folder.with_suffix(".log")
    return len(log.read_text().splitlines()) if log.exists() else 0


def wait_for_write(process: subprocess.Popen[bytes], folder: Path, name: str) -> bool:
    """Wait until a file is being written; whether one was before the process ended."""
    while process.poll() is None:
        if any(path.name.startswith(f".{name}") for path in folder.iterdir()):
            return True
        time.sleep(NAP)
    return False


def kill_once(random: Any, count: int, folder: Path, number: int, kills: int) -> str:
    """Sweep for some parts, then kill: while it runs, while it writes, or while it ends."""
    parts, last = -(-count // PART), number == kills - 1
    with child(count, folder) as process:
        assert process.stdout is not None
        wanted = min(int(parts * (number + 1) / (kills + 1)), parts - 2)
        each, began = 0.0, time.perf_counter()
        for line in process.stdout:  # one line per part that is whole
            each, began = time.perf_counter() - began, time.perf_counter()
            if int(line) >= (count if last else wanted * PART):
                break
        if last:
            return "the end" if wait_for_write(process, folder, "sweep-") else "too late"
        if number % 2:
            seen = wait_for_write(process, folder, "part-")
            time.sleep(random.uniform(0.0, 2e-3))
            return "a write" if seen else "too late"
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(random.uniform(0.0, each))
        return "a run" if process.poll() is None else "too late"


def killed(count: int, kills: int) -> list[list[Any]]:
    """A sweep that is killed again and again, and one that is not."""
    random, parts = np.random.default_rng(0), -(-count // PART)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "killed"
        met = [kill_once(random, count, folder, number, kills) for number in range(kills)]
        half = len(list(folder.glob(".*")))
        lost = begun(folder) - len(list(folder.glob("part-*.nc")))
        again = digest(sweep(count, folder, part=PART))
    where = ", ".join(f"{met.count(word)} in {word}" for word in dict.fromkeys(met))
    rows: list[list[Any]] = [
        [f"{kills} kills ({where}): parts made twice, of {parts}", lost, kills],
        ["half-written files that the last kill left", half, None],
    ]
    spent: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as place, contextlib.ExitStack() as stack:
        for owner, name in (
            (LaneRunner, "begin"), (SweepParts, "add"), (SweepParts, "whole"),
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
    for name, who in {"": "SELF", " of a killed one": "CHILDREN"}.items():
        most = resource.getrusage(getattr(resource, f"RUSAGE_{who}")).ru_maxrss / 1e3
        rows.append([f"largest memory of the process{name} [MB]", most, None])
    return [*rows, *one_by_one(1e3 * seconds / count)]


def workers_killed(count: int, kills: int) -> list[list[Any]]:
    """A sweep by two workers of dask, one of which is killed at random moments again and again."""
    from distributed import Client, LocalCluster

    random, size, met = np.random.default_rng(1), 256, []
    before = sweep(count, None, part=size)
    options: dict[str, Any] = {"processes": True, "threads_per_worker": 1}
    with (
        LocalCluster(n_workers=2, dashboard_address=None, **options) as cluster,
        Client(cluster) as client,
        tempfile.TemporaryDirectory() as place,
    ):

        def kill(done: int, whole: int) -> None:
            if len(met) < kills and done >= (len(met) + 1) * count / (kills + 2):
                ids = sorted(client.run(os.getpid).values())
                victim = ids[int(random.integers(len(ids)))]
                Timer(random.uniform(0, 2), os.kill, (victim, signal.SIGKILL)).start()
                met.append(done)

        made = sweep(count, Path(place) / "a", part=size, workers=client, progress=kill)
        same = float(digest(made) == digest(before))
        made.close()
    return [[f"{count} runs by two workers, {len(met)} killed: the same bits (1: yes)", same, None]]


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


def run_child(count: int, folder: Path) -> None:
    """Sweep; every part that is begun is a line of a log, every part that is whole one here."""
    make = SweepJob.make

    def noted(job: SweepJob, number: int) -> Any:
        with folder.with_suffix(".log").open("a") as log:
            log.write(f"{number}\n")
        return make(job, number)

    SweepJob.make = noted  # type: ignore[method-assign]
    sweep(count, folder, part=PART, progress=lambda done, whole: print(done, flush=True))


def measure(quick: bool = False, workers: bool = True) -> dict[str, Any]:
    """A killed sweep, shares, gain over single runs; perhaps one whose workers are killed, too."""
    rows = workers_killed(*((1024, 1) if quick else (8192, 6))) if workers else []
    rows += killed(6 * PART, 3) if quick else killed(RUNS, KILLS)
    report.show("sweeps of the Iltis down stairs", ("what", "found", "at most"), rows)
    return {"rows": rows}


if __name__ == "__main__":
    if "--child" in sys.argv:
        run_child(int(sys.argv[-2]), Path(sys.argv[-1]))
    else:
        measure("--quick" in sys.argv, "--alone" not in sys.argv)
