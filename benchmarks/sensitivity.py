"""Gradients of runs: what they cost beside the run itself, and beside other engines.

| part | question |
|---|---|
| gradients | all parameters and start values by the adjoint method, in runs of the same steps |
| directions | eight directions by the direct method, in runs |
| lanes | gradients of sixteen sets of parameters side by side, per gradient and core |
| checkpoints | 10 000 steps with 20 states kept: how often a step is made; same bits or not |
| engines | the same gradient by diffrax and by CasADi's CVODES at equal accuracy |
| compile | seconds to derive and compile an adjoint, cold and from the cache |
| equations | operations and times of Docquier2013 eqs. 41, 42, and of differences: Limousine |
| optimum | the Iltis down stairs with better springs and dampers: gradients against CMA |

`python -m benchmarks.sensitivity gradients directions …`; processor time, least of some repeats.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

import kinetree as kt
from benchmarks import report
from benchmarks.gradient_times import least
from benchmarks.models import ROOT, urdf_path
from benchmarks.sensitivity_engines import engines
from benchmarks.tuned_iltis import optimum
from kinetree.analysis.sensitivities.tangent import tangent
from kinetree.analysis.sensitivity import sensitivity_task
from kinetree.functions import table

MODELS = ROOT / "examples" / "models"
CHILD = """
import json, time, warnings
warnings.simplefilter("ignore")
import kinetree as kt, llvmlite.binding, xarray
xarray.Dataset({{"a": ("x", [0.0])}})  # whatever it imports for that
from benchmarks import sensitivity as own
model, run = own.CASES[{name!r}]()
given = own.adjoint(model, {{**run, "duration": run["step"] * 4}})
spent = [time.process_time()]
for by in ([], given["by"]):
    kt.sensitivity(model, **{{**given, "by": by}})
    spent.append(time.process_time())
print(json.dumps([spent[1] - spent[0], spent[2] - spent[1]]))
"""


# --- models --------------------------------------------------------------------------------------


def panda() -> kt.Model:
    """The arm of seven joints."""
    return kt.load(urdf_path("panda"))


def stairs() -> kt.Model:
    """The Iltis on its stairs."""
    model = kt.load(MODELS / "iltis.yaml")
    knots = np.loadtxt(MODELS / "iltis_stairs.csv", delimiter=",", skiprows=3)
    road = model.table("stairs", *knots.T)
    for corner in ("FL", "FR", "RR", "RL"):
        old = model.forces.pop(f"{corner}_tyre")
        given = {**old.arguments, "height": lambda x: table(x, road)}
        model.force(old.kind, old.name, old.points, given)
    return model


def panda_rk4() -> tuple[kt.Model, dict[str, Any]]:
    """The arm in equal steps of rates."""
    model = panda()
    start = dict.fromkeys(model.velocities, 0.3)
    return model, {"integrator": "rk4", "step": 1e-3, "duration": 4.0, "qd": start}


def panda_trapezoidal() -> tuple[kt.Model, dict[str, Any]]:
    """The arm in structural steps."""
    model, run = panda_rk4()
    return model, {**run, "integrator": "trapezoidal"}


def panda_whole() -> tuple[kt.Model, dict[str, Any]]:
    """The arm by rk4 as whole steps."""
    model, run = panda_rk4()
    return model, {**run, "formulation": "explicit"}


def panda_dop853() -> tuple[kt.Model, dict[str, Any]]:
    """The arm with error control."""
    model, run = panda_rk4()
    return model, {**run, "integrator": "dop853", "step": 0.1, "duration": 8.0, "rtol": 1e-9}


def iltis() -> tuple[kt.Model, dict[str, Any]]:
    """The Iltis down stairs."""
    run = {"integrator": "newmark", "formulation": "hybrid", "step": 5e-3, "duration": 8.0}
    return stairs(), {**run, "qd": {"x": 5.0}}


def limousine() -> tuple[kt.Model, dict[str, Any]]:
    """The saloon at 20 m/s by its explicit model."""
    model = kt.load(MODELS / "limousine.yaml")
    speed = {"x": 20.0, **{f"spin_{c}": 20.0 / 0.3425 for c in ("FR", "FL", "RL", "RR")}}
    return model, {"integrator": "rk4", "step": 1e-3, "duration": 0.2, "qd": speed}


CASES: dict[str, Callable[[], tuple[kt.Model, dict[str, Any]]]] = {
    "Panda rk4": panda_rk4, "Panda rk4, whole steps": panda_whole,
    "Panda trapezoidal": panda_trapezoidal, "Panda dop853": panda_dop853,
    "Iltis hybrid": iltis, "Limousine rates": limousine,
}  # fmt: skip


def variables(model: kt.Model, run: dict[str, Any]) -> list[str]:
    """All parameters of the equations, and the start values of trees."""
    names = list(kt.derive(model, "forward").input("p").labels)
    if not model.closures and not model.drives:
        names += [f"q0.{name}" for name in model.coordinates]
        names += [f"qd0.{name}" for name in model.velocities]
    return names


def measures(model: kt.Model) -> dict[str, Any]:
    """What is measured."""
    z = "z" if "z" in model.velocities else next(iter(model.velocities))
    return {"a": kt.integral(f"qd_{z}**2")}


def adjoint(model: kt.Model, run: dict[str, Any]) -> dict[str, Any]:
    """Arguments of the gradient by everything."""
    return {**run, "measures": measures(model), "by": variables(model, run), "method": "adjoint"}


# --- parts ---------------------------------------------------------------------------------------

WANTED = {"Panda rk4": 5.0, "Panda rk4, whole steps": 5.0, "Panda trapezoidal": 5.0,
          "Iltis hybrid": 6.0}  # fmt: skip


def gradients() -> list[list[Any]]:
    """Gradients by everything, in runs of the same steps."""
    rows = []
    for name in [name for name in CASES if name != "Limousine rates"]:
        model, run = CASES[name]()
        given = adjoint(model, run)
        plain = {**run, "measures": given["measures"], "by": []}
        _, one, _ = least(partial(kt.sensitivity, model, **plain))
        whole, spent, found = least(partial(kt.sensitivity, model, **given))
        run_time, native = one["forward"], sum(spent.values())
        rows.append([
            name, len(given["by"]), found.attrs["sensitivity_steps"], 1e3 * run_time,
            native / run_time, WANTED.get(name), spent["forward"] / run_time,
            spent["back"] / run_time, 1e3 * whole,
        ])  # fmt: skip
    columns = ["gradient", "variables", "steps", "run ms", "runs", "at most", "forward", "back",
               "whole call ms"]  # fmt: skip
    report.show("Gradients by the adjoint method, native time in runs", columns, rows)
    return rows


def directions() -> list[list[Any]]:
    """Eight directions by the direct method."""
    rows = []
    for name in [name for name in CASES if name != "Limousine rates"]:
        model, run = CASES[name]()
        given = {**run, "measures": measures(model)}
        eight = variables(model, run)[:8]
        _, one, _ = least(partial(kt.sensitivity, model, **given, by=[]))
        _, spent, _ = least(partial(kt.sensitivity, model, **given, by=eight, method="direct"))
        runs = spent["forward"] / one["forward"]
        rows.append([name, 1e3 * one["forward"], runs, 6.0])
    report.show("Eight directions by the direct method", ["run", "ms", "runs", "at most"], rows)
    return rows


SETS = 16
"""Of parameters, side by side."""


def lanes() -> list[list[Any]]:
    """Gradients by everything for many sets of parameters, against one after the other."""
    rows = []
    for name in ("Panda rk4, whole steps", "Panda trapezoidal", "Iltis hybrid", "Panda rk4"):
        model, run = CASES[name]()
        given = adjoint(model, {**run, "duration": run["duration"] / 4})
        own = next(row for row in given["by"] if row.endswith(".mass"))
        value = kt.derive(model, "forward").input("p")
        size = (value.default or ())[value.labels.index(own)]
        sets = np.linspace(0.98, 1.02, SETS) * size
        one, _, single = least(partial(kt.sensitivity, model, **given,
                                       parameters={own: float(sets[3])}))  # fmt: skip
        whole, _, found = least(partial(kt.sensitivity, model, **given,
                                            parameters={own: sets}))  # fmt: skip
        error = np.abs(found.gradient.isel(run=3) - single.gradient).max()
        rows.append([
            name, 1e3 * one, 1e3 * whole / SETS, one * SETS / whole,
            float(error / np.abs(single.gradient).max()),
        ])  # fmt: skip
    columns = ["gradient", "alone ms", "of sixteen ms", "gain", "deviation"]
    report.show("Gradients for many sets of parameters, per gradient and core", columns, rows)
    return rows


def checkpoints() -> list[list[Any]]:
    """How often steps are made under a bounded memory."""
    model, run = panda_trapezoidal()
    run = {**run, "duration": 1.0, "step": 1e-4}
    given = adjoint(model, run)
    whole = kt.sensitivity(model, **given)
    size = 3 * model.nv
    part = kt.sensitivity(model, **given, memory=20 * 8.0 * size)
    same = bool(np.array_equal(whole.gradient, part.gradient))
    told = part.attrs
    row = [told["sensitivity_steps"], told["sensitivity_checkpoints"], told["sensitivity_repeats"],
           4, same]  # fmt: skip
    columns = ["steps", "states kept", "made at most", "bound", "same bits"]
    report.show("Checkpoints", columns, [row])
    return [row]


def compiling() -> list[list[Any]]:
    """Seconds to derive and compile the adjoint in a fresh process, cold and from the cache.

    The run itself is made before, and has a column of its own.
    """
    wanted = {"Panda rk4": 2.0, "Iltis hybrid": 15.0, "Limousine rates": 15.0}
    rows = []
    for name, most in wanted.items():
        with tempfile.TemporaryDirectory() as folder:
            spent: list[list[float]] = []
            for _ in range(2):
                env = {**os.environ, "KINETREE_CACHE": folder}
                code = [sys.executable, "-c", CHILD.format(name=name)]
                done = subprocess.run(code, capture_output=True, text=True, check=True, env=env,
                                      cwd=ROOT)  # fmt: skip
                spent.append(json.loads(done.stdout.strip().splitlines()[-1]))
        (first, cold), (again, kept) = spent
        rows.append([name, first, cold, most, again, kept, 0.3])
    columns = ["model", "run, cold s", "adjoint, cold s", "at most", "run, from cache s",
               "adjoint, from cache s", "at most"]  # fmt: skip
    report.show("Derive and compile, first call in a fresh process", columns, rows)
    return rows


def equations() -> list[list[Any]]:
    """Eight directions of the rates by eq. 41, by eq. 42 of Docquier2013 and by differences.

    The paper: symbolic against numeric, "factor 8 to 10".
    """
    rows = []
    for name in ("Panda rk4", "Limousine rates"):
        model, run = CASES[name]()
        eight = variables(model, run)[:8]
        given = {**run, "measures": measures(model), "by": eight, "method": "direct"}
        plain = sensitivity_task(model, **{**given, "by": []}).system.forms.rates
        _, one, _ = least(partial(kt.sensitivity, model, **{**given, "by": []}))
        base = one["forward"]
        rows.append([name, "a run", plain.operations, 1e3 * base, 1.0])
        for way in ("explicit", "semi-explicit"):
            task = sensitivity_task(model, **given, equations=way)
            seen = task.expressions
            made = tangent(task.system, seen, task.directions, lanes=True, equations=way)
            _, spent, _ = least(partial(kt.sensitivity, model, **given, equations=way))
            word = "eq. 42" if way == "explicit" else "eq. 41"
            operations = made.system.forms.rates.operations
            rows.append([name, word, operations, 1e3 * spent["forward"], spent["forward"] / base])
        rows.append([name, "central differences", 16 * plain.operations, 16e3 * base, 16.0])
    columns = ["run", "eight directions by", "operations of a lane", "ms", "runs"]
    report.show("Equations before and behind their solution", columns, rows)
    return rows


PARTS: dict[str, Callable[[], list[list[Any]]]] = {
    "gradients": gradients, "directions": directions, "lanes": lanes, "checkpoints": checkpoints,
    "engines": engines, "compile": compiling, "equations": equations, "optimum": optimum,
}  # fmt: skip


def main(given: Sequence[str]) -> None:
    """Measure the parts that are named, or all."""
    found = {name: PARTS[name]() for name in given or PARTS}
    report.save("sensitivity", found)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(sys.argv[1:])
