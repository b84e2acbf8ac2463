"""One loop over the step-by-step solvers of SciPy: output times, events, projection, every ending.

The rates may be not a number for a while: solvers shorten the step and try again.  Only where a
step of least length fails too, or a state itself is not a number, the run ends there.

Refs: Hairer1993 secs. II.5, II.6 (error control, dense output)
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kinetree.arrays import Array
from kinetree.integrate.crossings import crossings
from kinetree.integrate.drive import interrupts
from kinetree.integrate.loops.native import GIVE_EVERY
from kinetree.integrate.problem import (
    EVENT,
    FINISHED,
    INTERRUPTED,
    NOT_A_NUMBER,
    STEP_TOO_SMALL,
    TOO_MANY_STEPS,
    Hit,
    Path,
    Problem,
    Settings,
)

FIRST = 1e-3
"""Share of the longest step with which LSODA begins where there is one."""
ONE_STEP = ("RK45", "DOP853", "Radau")
"""Methods that forget the steps before, so that the state may be corrected between two steps."""
REPORT_EVERY = 32
"""Steps between two reports."""


@dataclass
class _Rates:
    """The rates, counted, with the last place where they had no value."""

    problem: Problem
    count: int = 0
    bad: tuple[float, Array] | None = None

    def __call__(self, t: float, y: Array) -> Array:
        self.count += 1
        out = self.problem.rates(t, y)
        if not np.isfinite(out).all() and np.isfinite(y).all():
            self.bad = (t, np.array(y))
        return out

    def forget(self) -> None:
        """A new step begins."""
        self.bad = None


@dataclass
class _Record:
    """Output so far."""

    problem: Problem
    every_step: bool
    t: list[float] = field(default_factory=list)
    y: list[Array] = field(default_factory=list)
    hits: list[Hit] = field(default_factory=list)
    next: int = 0
    steps: int = 0
    due: float = 0.0

    def start(self) -> None:
        self.add(float(self.problem.times[0]), self.problem.start)
        self.next = 1

    def add(self, t: float, y: Array) -> None:
        self.t.append(t)
        self.y.append(np.array(y))

    def step(self, t: float, y: Array, dense: Any) -> None:
        """Record a step that ended at t, by its interpolant."""
        if self.every_step:
            self.add(t, y)
            return
        times = self.problem.times
        while self.next < len(times) and times[self.next] <= t:
            at = float(times[self.next])
            self.add(at, y if at == t else dense(at))
            self.next += 1

    def given_to(self, sink: Callable[[Path], bool] | None) -> bool:
        """Hand over what was found, now and then; whether to go on.  Ctrl-C waits meanwhile."""
        if sink is None or time.perf_counter() < self.due:
            return True
        block = Path(np.array(self.t), np.array(self.y), FINISHED, tuple(self.hits))
        with interrupts() as asked:
            del self.t[:-1], self.y[:-1]
            self.hits.clear()
            wanted = sink(block)
        self.due = time.perf_counter() + GIVE_EVERY
        return wanted and not asked.is_set()


def scipy_method(name: str, problem: Problem, settings: Settings) -> Path:
    """Integrate by SciPy's solver of that name."""
    rates, record = _Rates(problem), _Record(problem, settings.every_step)
    record.start()
    end, solver = NOT_A_NUMBER, None
    try:
        with np.errstate(all="ignore"):  # a state without rates is told by its place
            if np.isfinite(rates(float(problem.times[0]), problem.start)).all():
                solver = _solver(name, problem, settings, rates)
                end = _run(solver, name, record, rates, settings)
    except KeyboardInterrupt:
        end = INTERRUPTED
    bad_t, bad_y = rates.bad if end == NOT_A_NUMBER and rates.bad else (None, None)
    return Path(
        np.array(record.t),
        np.array(record.y),
        end,
        tuple(record.hits),
        last_t=float(record.problem.times[0] if solver is None else solver.t),
        last_y=np.array(problem.start if solver is None else solver.y),
        bad_t=bad_t,
        bad_y=bad_y,
        steps=record.steps,
        evaluations=rates.count,
        jacobians=int(getattr(solver, "njev", 0) or 0),
    )


def _solver(name: str, problem: Problem, settings: Settings, rates: _Rates) -> Any:
    import scipy.integrate

    least = 100 * float(np.finfo(float).eps)  # SciPy's own, of which it would warn
    options: dict[str, Any] = {"rtol": max(settings.rtol, least), "atol": settings.atol}
    options["max_step"] = settings.max_step
    given = problem.jacobian
    if name == "LSODA" and given is not None:
        options["jac"] = lambda t, y: _full(given(t, y))  # it knows no sparse matrices
    elif name in ("Radau", "BDF") and given is not None:
        options["jac"] = given
    t0, t1 = float(problem.times[0]), float(problem.times[-1])
    if name == "LSODA" and problem.pace is not None:
        options["first_step"] = FIRST * min(t1 - t0, problem.pace(t0, problem.start))
    return getattr(scipy.integrate, name)(rates, t0, problem.start, t1, **options)


def _full(J: Any) -> Array:
    found: Array = J if isinstance(J, np.ndarray) else J.toarray()
    return found


def _run(solver: Any, name: str, record: _Record, rates: _Rates, settings: Settings) -> str:
    """Step until the end; why it ended."""
    problem = record.problem
    while solver.status == "running":
        if record.steps >= settings.max_steps:
            return TOO_MANY_STEPS
        before, y_before = float(solver.t), solver.y
        rates.forget()
        _limit(solver, problem, settings)
        _step(solver)
        if not np.isfinite(solver.y).all():
            rates.bad = rates.bad or (before, np.array(y_before))
            solver.t, solver.y = before, y_before
            return NOT_A_NUMBER
        if solver.status == "failed":
            return NOT_A_NUMBER if rates.bad else STEP_TOO_SMALL
        record.steps += 1
        dense = solver.dense_output()
        stop = _events(record, dense, before, float(solver.t))
        if stop is not None:
            record.step(stop.t, stop.y, dense)
            if record.t[-1] < stop.t:
                record.add(stop.t, stop.y)
            return EVENT
        record.step(float(solver.t), solver.y, dense)
        if problem.project is not None:
            _correct(solver, name, problem, rates)
        if settings.report is not None and record.steps % REPORT_EVERY == 0:
            settings.report(float(solver.t))
        if solver.status == "running" and not record.given_to(settings.sink):
            return INTERRUPTED
    return FINISHED


def _limit(solver: Any, problem: Problem, settings: Settings) -> None:
    """Let the next step pass over nothing brief."""
    if problem.pace is None:
        return
    longest = min(settings.max_step, problem.pace(float(solver.t), solver.y))
    if hasattr(solver, "_lsoda_solver"):  # LSODA reads a time that it must not pass at every step
        stop = min(float(solver.t) + longest, float(solver.t_bound))
        integrator = solver._lsoda_solver._integrator
        integrator.rwork[0] = stop if integrator.call_args[3] > 1 else solver.t_bound
    else:
        solver.max_step = longest


def _step(solver: Any) -> None:
    """One step; what SciPy raises on the way counts as a failed step."""
    try:
        solver.step()
    except (ValueError, np.linalg.LinAlgError, FloatingPointError):
        solver.status = "failed"


def _correct(solver: Any, name: str, problem: Problem, rates: _Rates) -> None:
    """Put the state back onto the constraints; a state that cannot be is left as it is."""
    assert problem.project is not None
    if name not in ONE_STEP:
        if problem.memories:
            _remember(solver, problem)
        return
    y = problem.project(float(solver.t), solver.y)
    if np.isfinite(y).all():
        solver.y = y
        if hasattr(solver, "f"):
            solver.f = rates(float(solver.t), y)


def _remember(solver: Any, problem: Problem) -> None:
    """Let memories change in the state of a multistep method, and in what it keeps of the past.

    They have no rate, so their first row of that is their value and all others are zero.
    """
    assert problem.project is not None
    places = list(problem.memories)
    found = problem.project(float(solver.t), solver.y)[places]
    solver.y = np.array(solver.y)
    solver.y[places] = found
    if hasattr(solver, "D"):  # differences of BDF
        solver.D[0, places] = found
    else:  # Nordsieck's array of LSODA, whose first column begins behind 20 numbers
        inner = solver._lsoda_solver
        inner._integrator.rwork[20 + np.array(places)] = found
        inner._y[places] = found


def _events(record: _Record, dense: Any, t0: float, t1: float) -> Hit | None:
    """Record the events of a step; the one that stops the run, if there is one."""
    problem = record.problem
    if problem.watched is None:
        return None
    sides = problem.sides if t0 == problem.times[0] else None
    for hit in crossings(problem.watched, problem.watches, dense, (t0, t1), sides):
        record.hits.append(hit)
        if problem.watches[hit.watch].stops:
            return hit
    return None
