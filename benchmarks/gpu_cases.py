"""Kernels to measure on a GPU: models, variants, machine code, states and reference values."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

STATES = 1024
"""Different states per case; they are repeated to the size of the batch."""
SPREAD = 0.01
"""How far states of closed systems lie around the assembled one [m or rad]."""
SINCOS = {"float": 22, "double": 34}
"""Arithmetic of a sine and cosine together, counted in its source."""
ITERATIONS = 3
"""Steps of Newton's method that are counted per evaluation."""
STEP = 0.01
"""Length of time steps [s]; their states are those of runs over `STATES` / `RUNS` steps."""
RUNS = 32
SPEED = {"iltis": {"x": 5.0}}
"""Velocities around which those of the runs lie [m/s]: tyres need some."""


@dataclass(frozen=True)
class Variant:
    """How a kernel is written: see `kinetree.targets.cuda.source.Tuning`; and its Program."""

    way: str = "folded"
    formalism: str = ""
    rule: str = "best"
    block: int = 128
    resident: int = 0
    every: int = 0


@dataclass(frozen=True)
class Case:
    """A quantity of a model in one precision, with the evaluations per second that are wanted.

    `limit` is the relative error beyond which a result is wrong; 0: by the precision.
    """

    model: str
    quantity: str
    dtype: str
    variants: tuple[Variant, ...]
    wanted: float = 0.0
    limit: float = 0.0

    @property
    def name(self) -> str:
        """For files and tables."""
        return f"{self.model}_{self.quantity}_{self.dtype}"


V = Variant
LOOSE = 1e-5
"""Error of steps: Newton's method may end an iteration earlier or later than the reference."""
PANDA_FLOAT = (
    V(), V(block=64), V(block=256), V(rule="tape"), V(rule="late"), V(rule="recent"),
    V(resident=4), V(resident=6), V(resident=7), V(resident=8),
    V(rule="late", resident=6), V(formalism="order_n"),
    V(formalism="order_n", resident=6), V(formalism="order_n", rule="tape"), V(way="run-time"),
)  # fmt: skip
PANDA_DOUBLE = (
    V(), V(resident=3), V(resident=4), V(block=64), V(block=64, resident=5),
    V(block=64, resident=6), V(block=64, resident=7), V(rule="late", resident=3),
    V(rule="tape", resident=3), V(formalism="order_n"), V(formalism="order_n", resident=3),
    V(formalism="order_n", resident=4), V(formalism="order_n", rule="late", resident=3),
    V(way="run-time"), V(way="run-time", resident=3), V(way="run-time", resident=4),
)  # fmt: skip
LARGE = (
    V(), V(block=64), V(block=256), V(rule="tape"), V(rule="first"), V(resident=3), V(resident=4),
    V(every=250), V(every=1000), V(block=256, every=500), V(resident=4, every=500),
    V(way="run-time"), V(way="run-time", every=500),
)  # fmt: skip
HUGE = (V(), V(resident=4), V(block=256, every=500))
FEW = (V(), V(rule="tape"), V(resident=4), V(block=64))
CASES = (
    Case("panda", "forward", "double", PANDA_DOUBLE, 4e9),
    Case("panda", "forward", "float", PANDA_FLOAT, 8e9),
    Case("panda", "inverse", "double", (*FEW, V(rule="late"))),
    Case("panda", "inverse", "float", (*FEW, V(rule="late"))),
    Case("talos", "forward", "float", LARGE, 5e8),
    Case("talos", "forward", "double", FEW),
    Case("talos", "inverse", "float", (*FEW, V(every=500))),
    Case("talos", "inverse", "double", FEW),
    Case("iltis", "forward", "float", LARGE, 1e8),
    Case("iltis", "forward", "double", FEW),
    Case("limousine", "forward", "float", HUGE, 1e8),
    Case("limousine", "forward", "double", (V(),)),
    Case("panda", "forward_derivatives", "double", FEW),
    Case("panda", "forward_derivatives", "float", FEW),
    Case("slider_crank", "step", "double", FEW, limit=LOOSE),
    Case("iltis", "step", "double", (V(rule="tape"),), limit=LOOSE),
)


def write(folder: Path, only: str) -> None:
    """Compile every kernel into a folder, with what is needed to run and check it."""
    folder.mkdir(parents=True, exist_ok=True)
    for case in CASES:
        if only not in case.name:
            continue
        begin = time.perf_counter()
        rows = _case(folder, case)
        (folder / f"{case.name}.json").write_text(json.dumps(rows, indent=1))
        print(f"{case.name}: {len(rows['variants'])} kernels, {time.perf_counter() - begin:.0f} s",
              flush=True)  # fmt: skip


def _case(folder: Path, case: Case) -> dict[str, Any]:
    model = _model(case.model)
    programs: dict[tuple[str, str], Any] = {}
    variants = []
    for number, variant in enumerate(case.variants):
        key = (variant.way, variant.formalism)
        if key not in programs:
            programs[key] = _program(case, model, variant)
        variants.append(_kernel(folder, case, number, variant, programs[key]))
    first = next(iter(programs.values()))
    states = _stepped(model, first) if case.quantity == "step" else _states(model, first)
    expected = first.evaluate(**states)
    arrays = {f"in_{k}": v for k, v in states.items()}
    arrays.update({f"out_{k}": v for k, v in expected.items()})
    np.savez_compressed(folder / f"{case.name}.npz", **arrays)
    return {"name": case.name, "dtype": case.dtype, "wanted": case.wanted, "limit": case.limit,
            "inputs": list(states), "outputs": list(expected), "variants": variants}  # fmt: skip


def _program(case: Case, model: Any, variant: Variant) -> Any:
    import kinetree as kt
    from kinetree.steppers import step_program

    if case.quantity == "step":
        return step_program(model, "hybrid", "newmark", parameters=variant.way)
    more = {"formalism": variant.formalism} if variant.formalism else {}
    return kt.derive(model, case.quantity, parameters=variant.way, **more)


def _kernel(
    folder: Path, case: Case, number: int, variant: Variant, program: Any
) -> dict[str, Any]:
    """Machine code of one variant."""
    from kinetree.targets.cuda import CudaFunction, Tuning

    tuning = Tuning(variant.block, variant.resident, variant.rule, variant.every)
    function = CudaFunction(program, case.dtype, tuning, "sm_90")
    code = function.machine_code()
    file = f"{case.name}_{number}.cubin"
    (folder / file).write_bytes(code.image)
    page = function.source()
    return {**asdict(variant), "file": file, "kernel": page.name,
            "constants": function.constants().astype(float).tolist(),
            "flops": _flops(page.lowered.body, case.dtype), "registers": code.registers,
            "spilled": code.spilled_bytes}  # fmt: skip


def _flops(tape: Any, dtype: str) -> int:
    """Additions, multiplications and divisions of an evaluation; an FMA counts as two."""
    arithmetic = ("add", "sub", "mul", "div")
    total = sum(code in arithmetic for code in tape.code)
    total += SINCOS[dtype] * sum(code == "sin" for code in tape.code)
    inner = (s.step for s in tape.systems if hasattr(s, "step"))
    return total + ITERATIONS * sum(_flops(step, dtype) for step in inner)


def _model(name: str) -> Any:
    import kinetree as kt
    from benchmarks import models

    if name in models.ROBOTS:
        return kt.load(models.urdf_path(name), floating=models.floating(name))
    return kt.load(models.ROOT / "examples" / "models" / f"{name}.yaml")


def _stepped(model: Any, program: Any) -> dict[str, np.ndarray]:
    """States along runs of the hybrid formulation from different velocities."""
    from kinetree.integrate import Stepper

    rng = np.random.default_rng(0)
    stepper = Stepper(model, "hybrid", "newmark")
    steps = STATES // RUNS
    qd = rng.uniform(-0.1, 0.1, (RUNS, model.nv))
    for name, speed in SPEED.get(model.name, {}).items():
        qd[:, model.velocities.index(name)] += speed
    run = stepper.run(steps * STEP, STEP, qd=qd)
    found: dict[str, np.ndarray] = {}
    for row in program.inputs:
        if row.name == "t":
            rows = np.broadcast_to(run.times[:-1], (RUNS, steps))
        elif row.name == "h":
            rows = np.full((RUNS, steps), STEP)
        elif row.default is None:
            rows = getattr(run, row.name)[:, :-1]
        else:
            rows = np.broadcast_to(np.reshape(row.default, row.shape), (RUNS, steps, *row.shape))
        found[row.name] = np.ascontiguousarray(rows).reshape(STATES, *row.shape)
    return found


def _states(model: Any, program: Any) -> dict[str, np.ndarray]:
    """Random states that both precisions can hold; closed systems near their assembly."""
    import kinetree as kt

    rng = np.random.default_rng(0)
    found = {}
    for row in program.inputs:
        if row.parameter:
            continue
        found[row.name] = rng.uniform(-1, 1, (STATES, *row.shape))
    closed = "q_closed" in {out.name for out in program.outputs}
    if closed:
        found["q"] = np.array(kt.assemble(model).q) + SPREAD * found["q"]
        found["qd"] *= 0.3
    for name, row in found.items():
        found[name] = row.astype(np.float32).astype(float)
    return found
