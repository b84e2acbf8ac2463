"""The native methods as all methods are: (Problem, Settings) -> Path."""

from __future__ import annotations

import numpy as np

from kinetree.arrays import Array
from kinetree.errors import UnsupportedError
from kinetree.integrate import problem as nouns
from kinetree.integrate.loops.drive import drive, prepared
from kinetree.integrate.loops.native_problem import Kernel, Options, Run, System
from kinetree.integrate.problem import Hit, NativeRates, Path, Settings

IMPLICIT = {"cvode_adams": "adams", "cvode_bdf": "bdf"}
ENDS = {
    "end": nouns.FINISHED, "event": nouns.EVENT, "not finite": nouns.NOT_A_NUMBER,
    "step": nouns.STEP_TOO_SMALL, "steps": nouns.TOO_MANY_STEPS,
    "interrupted": nouns.INTERRUPTED, "failed": nouns.FAILED,
}  # fmt: skip


def native_path(method: str, problem: nouns.Problem, settings: Settings) -> Path:
    """Integrate a problem whose rates are machine code."""
    if problem.native is None:
        raise UnsupportedError("its rates are a Python function", element=f"method '{method}'")
    options = Options(
        IMPLICIT.get(method, method),
        settings.rtol,
        settings.atol,
        _fixed_step(problem, settings) if method == "rk4" else 0.0,
        settings.max_step,
        settings.max_steps,
        settings.every_step,
    )
    system = _system(problem, problem.native)
    run = drive(prepared(system, problem.start, problem.times, options), settings.report)
    return _path(run, problem)


def _fixed_step(problem: nouns.Problem, settings: Settings) -> float:
    """The step of a method without error control: as given, or from one output to the next."""
    return settings.fixed_step or float(np.min(np.diff(problem.times)))


def _system(problem: nouns.Problem, native: NativeRates) -> System:
    """Native code with x = [t, y, rest]."""
    n = problem.start.size
    x = np.concatenate([np.zeros(1 + n), native.rest])

    def kernel(address: int, constants: Array, size: int) -> Kernel | None:
        if not address:
            return None
        return Kernel(address, x.copy(), constants, np.zeros(size), 0, 1, 0, size, native.owner)

    rates = kernel(native.address, native.constants, n)
    assert rates is not None
    return System(
        rates,
        kernel(native.project, native.project_constants, n),
        kernel(native.watched, native.watched_constants, len(problem.watches)),
        kernel(native.jacobian, native.jacobian_constants, n * n),
        tuple(watch.direction for watch in problem.watches),
        tuple(i for i, watch in enumerate(problem.watches) if watch.stops),
    )


def _path(run: Run, problem: nouns.Problem) -> Path:
    t, y = run.times, run.states
    if run.natural is not None:
        t = np.append(problem.times[0], run.natural[:, 0])
        y = np.vstack([run.states[:1], run.natural[:, 1:]])
    fault = run.fault
    return Path(
        t,
        y,
        ENDS[run.reason],
        tuple(Hit(row.event, row.t, row.y) for row in run.events),
        run.t,
        run.y,
        fault.t if fault else None,
        fault.y if fault else None,
        run.steps,
        run.evaluations,
        run.jacobians,
        run.message,
    )
