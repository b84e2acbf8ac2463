"""The native methods as `kinetree.solve` knows methods: (Problem, Settings) -> Path."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import partial

import numpy as np

from kinetree.errors import UnsupportedError
from kinetree.solve import problem as nouns
from kinetree.solve.problem import Array, Hit, NativeRates, Path, Settings
from kinetree.targets.native.function import SINGLE
from kinetree.targets.native.integrate import drive, prepared
from kinetree.targets.native.integrate_problem import Kernel, Options, Run, System

EXPLICIT = ("dopri5", "dop853", "rk4")
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
    raised: list[BaseException] = []
    system = _system(problem, problem.native, _watched(problem, raised))
    run = drive(prepared(system, problem.start, problem.times, options), settings.report)
    if raised:
        raise raised[0]
    return _path(run, problem)


def _fixed_step(problem: nouns.Problem, settings: Settings) -> float:
    """The step of a method without error control: as given, or from one output to the next."""
    return settings.fixed_step or float(np.min(np.diff(problem.times)))


def _system(problem: nouns.Problem, native: NativeRates, event: Kernel | None) -> System:
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
        event,
        kernel(native.jacobian, native.jacobian_constants, n * n),
        tuple(watch.direction for watch in problem.watches),
        tuple(i for i, watch in enumerate(problem.watches) if watch.stops),
    )


def _watched(problem: nouns.Problem, raised: list[BaseException]) -> Kernel | None:
    """The events: a Python function, called once per step and while one is located."""
    if problem.watched is None or not problem.watches:
        return None
    watched: Callable[[float, Array], Array] = problem.watched
    x, y = np.zeros(1 + problem.start.size), np.zeros(len(problem.watches))

    def call(*addresses: int) -> None:
        del addresses  # always those of x and y
        try:
            y[:] = watched(float(x[0]), x[1:].copy())
        except BaseException as error:  # native code cannot pass it on
            raised.append(error)
            y[:] = np.nan

    made = SINGLE(call)
    where = ctypes.cast(made, ctypes.c_void_p).value
    assert where is not None
    return Kernel(where, x, np.zeros(0), y, 0, 1, 0, y.size, made)


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


METHODS = {name: partial(native_path, name) for name in (*EXPLICIT, *IMPLICIT)}
"""Method by name, as `kinetree.solve.methods` lists them."""
