"""Sweeps in equal steps on a GPU beside the lanes of the CPU: deviation, runs per second.

    python -m benchmarks.sweep_gpu [RUNS]          where kinetree, CuPy and a GPU are: `kt.sweep`
    python -m benchmarks.sweep_gpu --prepare DIR   where kinetree and NVRTC are
    python3 benchmarks/sweep_gpu.py --run DIR      where a GPU, NumPy and CuPy are

The first makes the same sweep on both.  The other two take it apart for machines on which kinetree
is not installed: one writes starts, machine code for Hopper and what the CPU's lanes see at every
step, the other makes the march of `device="gpu"` from them.  Deviations are relative to the
largest value of a measure in all runs (`of all`), and to that of the run itself (`of each`).
"""

from __future__ import annotations

import pickle
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
LIMIT = 1e-6
RUNS, CHECKED, LAUNCHED = 8192, 1024, 131072
"""Runs of a sweep on both; of those compared in two places; of the largest launch there."""
UNUSED = ("llvmlite", "llvmlite.binding", "platformdirs", "xarray")
"""Packages that no kernel uses, which need not be there."""
MOST = 4e9
"""Of what measures see in one launch [B]."""


@dataclass(frozen=True)
class Case:
    """A sweep: model, duration [s], plan, measures, options."""

    name: str
    model: Any
    duration: float
    plan: Any
    measures: Mapping[str, Any]
    options: Mapping[str, Any]


def cases(count: int) -> Iterator[Case]:
    """The slider-crank by its masses, and the Iltis down stairs by six parameters."""
    import kinetree as kt
    from benchmarks import sweeps

    crank = kt.load(ROOT / "examples" / "models" / "slider_crank.yaml")
    first = crank.coordinates[0]
    over = {f"{name}.mass": (0.7 * m, 1.3 * m) for name, m in masses(crank).items()}
    yield Case(
        "slider-crank", crank, 2.0, kt.sobol(over, count, seed=1),
        {"top": kt.peak(f"q_{first}"), "rms": kt.rms(f"qdd_{first}"),
         "end": kt.final(f"q_{first}")},
        {"formulation": "hybrid", "integrator": "newmark", "step": 0.005},
    )  # fmt: skip
    car = sweeps.iltis()
    yield Case(
        "Iltis down stairs", car, sweeps.DURATION, sweeps.plan(car, count), sweeps.MEASURES,
        sweeps.STEPS,
    )  # fmt: skip


def masses(model: Any) -> dict[str, float]:
    """Of the bodies that have one."""
    return {name: float(body.mass) for name, body in model.bodies.items() if float(body.mass) > 0}


def deviations(found: np.ndarray, known: np.ndarray) -> tuple[float, float]:
    """Largest deviation relative to the largest value of all runs, and to that of each run."""
    gap, size = np.abs(found - known), np.abs(known)
    axes = tuple(range(1, known.ndim))
    each = gap.max(axis=axes) / np.maximum(size.max(axis=axes), 1e-300)
    return float(gap.max() / size.max()), float(each.max())


def show(case: str, device: str, worst: Mapping[str, tuple[float, float]]) -> None:
    """One line per measure."""
    for name, (all_runs, each) in worst.items():
        verdict = "equal" if all_runs < LIMIT else "NOT EQUAL"
        print(f"{case}, {device}: {name:14s} of all {all_runs:.1e}, of each {each:.1e}  {verdict}",
              flush=True)  # fmt: skip


# --- both on one machine -----------------------------------------------------------------


def both(count: int) -> None:
    """`kt.sweep` on both devices; runs per second of all parts but the first, which compiles."""
    import kinetree as kt

    for case in cases(count):
        found, rates = {}, {}
        for device in ("cpu", "gpu"):
            ends: list[tuple[int, float]] = []
            found[device] = kt.sweep(
                case.model, case.duration, case.plan, case.measures, device=device,
                part=-(-count // 4), progress=lambda done, _, ends=ends: ends.append(
                    (done, time.perf_counter())
                ), **case.options,
            )  # fmt: skip
            (first, began), (last, ended) = ends[0], ends[-1]
            rates[device] = (last - first) / (ended - began)
        show(case.name, "GPU", {
            name: deviations(found["gpu"][name].values, found["cpu"][name].values)
            for name in case.measures
        })  # fmt: skip
        print(f"{case.name}: {rates['gpu']:.0f} runs/s on the GPU, {rates['cpu']:.0f} on the CPU's "
              "lanes and threads, starts and parts included", flush=True)  # fmt: skip


# --- prepared here, made there -----------------------------------------------------------


@dataclass(frozen=True)
class CarriedProgram:
    """What a march needs of a Program, with its machine code."""

    name: str
    inputs: tuple[Any, ...]
    pages: Mapping[str, Any]
    images: Mapping[str, Any]

    def takes(self, name: str) -> bool:
        """Whether it has the input."""
        return any(row.name == name for row in self.inputs)

    def input(self, name: str) -> Any:
        """The input."""
        return next(row for row in self.inputs if row.name == name)

    def compile(self, **_: Any) -> Any:
        """Its kernels."""
        from kinetree.targets.cuda import CudaFunction, Tuning

        made = {**self.pages, **{f"code {which}": code for which, code in self.images.items()}}
        return CudaFunction(SimpleNamespace(name=self.name), "double", Tuning(), "sm_90", made)  # type: ignore[arg-type]


def carried(program: Any) -> dict[str, Any]:
    """Arguments of a CarriedProgram: machine code for Hopper."""
    from kinetree.targets.cuda import CudaFunction, Tuning

    function = CudaFunction(program, "double", Tuning(), "sm_90")
    which = ("shared", "each")
    images = {"each": function.machine_code("each")}
    pages = {name: replace(function.source(name), lowered=None, text="") for name in which}
    rows = tuple(
        SimpleNamespace(name=row.name, default=row.default, labels=tuple(row.labels))
        for row in program.inputs
    )
    return {"name": program.name, "inputs": rows, "pages": pages, "images": images}


def prepare(folder: Path) -> None:
    """Starts, machine code, and what the lanes of this machine see at all steps."""
    from kinetree.analysis.sweeping.job import SweepJob
    from kinetree.analysis.sweeping.lanes import given_of_rows, march_on_threads

    folder.mkdir(parents=True, exist_ok=True)
    for number, case in enumerate(cases(CHECKED)):
        job = SweepJob(
            case.model, case.duration, case.plan, case.measures, case.options, CHECKED, 1
        )
        runner: Any = job.runner
        names, rows = case.plan.names, case.plan.rows(0, CHECKED)
        given = given_of_rows(runner.task.variables, names, rows, runner.run)
        lanes = runner.begin(given, CHECKED)
        some = given.of((CHECKED,), np.arange(8))
        march_on_threads(runner, replace(lanes, x=lanes.x[:, :8], p=lanes.p[:, :8], batch=(8,),
                                         q=lanes.q[:8]), some)  # fmt: skip
        began = time.process_time()
        e, lost = march_on_threads(runner, lanes, given)
        rate = CHECKED / (time.process_time() - began)
        ports = {
            name: SimpleNamespace(start=port.start, stop=port.stop, shape=port.shape,
                                  parameter=port.parameter)
            for name, port in runner.how.stepper.ports.items()
        }  # fmt: skip
        whole = {
            "name": case.name, "t": runner.how.t, "h": runner.how.length, "steps": runner.steps,
            "ports": ports, "state": list(runner.how.stepper.state),
            "measures": list(case.measures), "step": carried(runner.forms.step),
            "looks": carried(runner.forms.looks), "x": lanes.x,
            "parameters": {k: np.asarray(v) for k, v in given.parameters.items()},
            "seen": e, "lost": lost, "rate": rate,
        }  # fmt: skip
        (folder / f"{number}.pickle").write_bytes(pickle.dumps(whole))
        print(f"{case.name}: {rate:.0f} runs/s on one core of this machine, "
              f"{int(lost.sum())} lost", flush=True)  # fmt: skip


def bare() -> None:
    """kinetree's packages by their folders alone, LLVM and what no kernel uses left out."""
    sys.path[:0] = [str(ROOT / "src"), str(ROOT)]
    for name in ("kinetree", "kinetree.targets", "kinetree.analysis"):
        package = ModuleType(name)
        package.__path__ = [str(ROOT / "src" / name.replace(".", "/"))]
        sys.modules[name] = package
    for name in UNUSED:
        sys.modules[name] = MagicMock()


def march(whole: Mapping[str, Any], cupy: Any, count: int) -> tuple[np.ndarray, float]:
    """What measures see of many runs, the prepared ones again and again; seconds it took."""
    from kinetree.analysis.sweeping.gpu import DeviceMarch

    at = np.arange(count) % whole["x"].shape[1]
    forms: Any = SimpleNamespace(**{k: CarriedProgram(**whole[k]) for k in ("step", "looks")})
    stepper = SimpleNamespace(ports=whole["ports"], state=whole["state"])
    runner: Any = SimpleNamespace(
        how=SimpleNamespace(stepper=stepper, t=whole["t"], length=whole["h"]),
        steps=whole["steps"], task=SimpleNamespace(measures=whole["measures"]),
        restless=lambda watched, lanes, given: np.zeros(len(watched), dtype=bool),
    )  # fmt: skip
    given: Any = SimpleNamespace(parameters={k: v[at] for k, v in whole["parameters"].items()})
    lanes: Any = SimpleNamespace(x=np.ascontiguousarray(whole["x"][:, at]))
    make = DeviceMarch(forms, {"target": "cuda", "dtype": "double"}, cupy)
    began = time.perf_counter()
    seen, _ = make(runner, lanes, given)
    return seen, time.perf_counter() - began


def run(folder: Path) -> None:
    """The march of `device="gpu"`, beside what the CPU's lanes saw."""
    bare()
    import cupy

    print(cupy.cuda.runtime.getDeviceProperties(0)["name"].decode())
    for path in sorted(folder.glob("*.pickle")):
        whole = pickle.loads(path.read_bytes())
        known, good = whole["seen"], ~whole["lost"]
        seen, _ = march(whole, cupy, len(known))
        show(whole["name"], "GPU", {
            name: deviations(seen[good, :, k], known[good, :, k])
            for k, name in enumerate(whole["measures"])
        })  # fmt: skip
        most = min(LAUNCHED, int(MOST / seen[0].nbytes))
        for count in (len(known), 8 * len(known), most):
            _, seconds = march(whole, cupy, count)
            print(f"{whole['name']}: {count} runs of {whole['steps']} steps in {seconds:.2f} s: "
                  f"{count / seconds:.0f} runs/s; one core of the machine that prepared them: "
                  f"{whole['rate']:.0f}", flush=True)  # fmt: skip


if __name__ == "__main__":
    if "--prepare" in sys.argv:
        prepare(Path(sys.argv[-1]))
    elif "--run" in sys.argv:
        run(Path(sys.argv[-1]))
    else:
        both(int(sys.argv[-1]) if sys.argv[-1].isdigit() else RUNS)
