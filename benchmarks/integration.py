"""Integration: what a native step costs beside its evaluations, and beside SciPy and CVODE.

Per problem and method: steps, microseconds per step, the share of a step that is not spent in the
right-hand side, and the time of SciPy's method of the same formula on the same native function. A
fixed number of steps of rk4 is the purest view of the loop's own cost.
"""

from __future__ import annotations

import ctypes
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from benchmarks import report
from kinetree import engine as en
from kinetree.integrate.methods import METHODS
from kinetree.integrate.problem import Kernel, Native, Path, Problem, Settings
from kinetree.program import Input, Output, Program
from kinetree.targets.native.compile import jit
from kinetree.targets.native.function import address
from kinetree.targets.native.llvm import INT, PTR, Code, Value

LOOP = "kt_repeat"
THEIRS = {"dopri5": "RK45", "dop853": "DOP853", "cvode_bdf": "BDF"}
TIME = Input("t", (), (en.symbol("t", en.Rank.COORDINATE),))
COLUMNS = (
    "problem", "method", "components", "steps", "evaluations", "rhs ns", "step µs", "overhead %",
    "SciPy / kinetree", "deviation",
)  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A problem: right-hand side, constant inputs, start, duration [s]."""

    name: str
    program: Program
    inputs: dict[str, Any]
    start: Any
    duration: float


def kepler() -> Case:
    """A planet of eccentricity 0.5 for a hundred revolutions."""
    y = Input("y", (4,), tuple(en.symbol(f"y_{i}", en.Rank.COORDINATE) for i in range(4)))
    a, b, u, v = y.symbols
    r3 = en.sqrt(a * a + b * b) ** 3
    out = Output("ydot", (4,), (u, v, -a / r3, -b / r3))
    start = np.array([0.5, 0.0, 0.0, np.sqrt(3.0)])
    return Case("kepler", Program("kepler", (y,), (), (), (out,)), {}, start, 200 * np.pi)


def chain(name: str) -> Case:
    """A chain of links that falls from rest."""
    import kinetree as kt
    from benchmarks.models import urdf_path

    forward = kt.derive(kt.load(urdf_path(name)), "forward")
    q, qd = forward.input("q"), forward.input("qd")
    y = Input("y", (len(q.symbols) + len(qd.symbols),), (*q.symbols, *qd.symbols))
    rest = tuple(row for row in forward.inputs if row.name not in {"q", "qd"})
    out = Output("ydot", y.shape, (*qd.symbols, *forward.output("qdd").nodes))
    program = Program(name, (y, *rest), forward.preamble, forward.blocks, (out,))
    inputs = {"tau": np.zeros(len(qd.symbols))}
    return Case(name, program, inputs, 0.1 * np.ones(y.shape), 1.0)


def repeat_address() -> tuple[int, jit.Library]:
    """Native `void repeat(f, x, c, y, count, n)`, which calls f so many times.

    As in an integration every call waits for the one before: x changes by 0 y.
    """
    pointers = ((PTR, "f"), (PTR, "x"), (PTR, "c"), (PTR, "y"))
    code = Code(LOOP, "void", (*pointers, (INT, "count"), (INT, "n")))
    f, x, c, y = (code.argument(name) for name in ("f", "x", "c", "y"))

    def feed(index: Value) -> None:
        change = code.load(code.at(y, index)) * 0.0
        code.store(code.load(code.at(x, index)) + change, code.at(x, index))

    def once(index: Value) -> None:
        del index
        code.call(f, [x, c, y])
        code.each(code.argument("n"), feed)

    code.each(code.argument("count"), once)
    code.leave()
    library = jit.link(jit.compile_object(code.text(), "full"), (LOOP,))
    return library.addresses[LOOP], library


def best(action: Callable[[], Any], repeats: int) -> float:
    """The least processor time of an action [s]."""
    found = []
    for _ in range(repeats):
        start = time.thread_time()
        action()
        found.append(time.thread_time() - start)
    return min(found)


def evaluation_seconds(function: Any, case: Case) -> float:
    """Duration of one evaluation of the right-hand side [s]."""
    where, library = repeat_address()
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4, *[ctypes.c_int64] * 2)(where)
    x = np.zeros(function.sizes["x"])
    x[: case.start.size] = case.start
    c, y, count = function.preamble_values(), np.zeros(function.sizes["y"]), 2000
    at = (function.address, address(x), address(c), address(y))
    seconds = best(lambda: call(*at, count, case.start.size), 20) / count
    del library
    return seconds


def by_scipy(case: Case, function: Any, method: str, tolerance: float) -> tuple[float, Any]:
    """Duration and final state of SciPy's method on the native function."""
    from scipy.integrate import solve_ivp

    def rates(t: float, y: Any) -> Any:
        del t
        return function(y=y, check=False, **case.inputs)["ydot"]

    span = (0.0, case.duration)
    start = time.thread_time()
    found = solve_ivp(rates, span, case.start, method, rtol=tolerance, atol=tolerance)
    return time.thread_time() - start, found.y[:, -1]


def kernel(program: Program) -> tuple[Kernel, Any]:
    """Machine code of [t, y, rest], and what keeps it alive."""
    rows = [row for row in program.inputs if row.name != "t"]
    made = replace(program, inputs=(TIME, *rows)).compile()
    return Kernel(made.address, made.preamble_values()), made


def problem(case: Case, *, jacobian: bool) -> Problem:
    """The case in machine code."""
    rates, owner = kernel(case.program)
    slopes = case.program.derivative("ydot", "y", only=True) if jacobian else None
    J = kernel(slopes) if slopes is not None else None
    rest = np.concatenate([*(np.ravel(value) for value in case.inputs.values()), np.zeros(0)])
    native = Native(rates, rest, (owner, J), J and J[0])
    times = np.array([0.0, case.duration])
    return Problem(lambda t, y: np.full_like(y, t), case.start, times, native=native)


def one(case: Case, function: Any, method: str, rhs: float) -> list[Any]:
    """A row of the table."""
    tolerance = 1e-8
    step = 1e-3 if method == "rk4" else None
    settings = Settings(tolerance, tolerance, 10_000_000, fixed_step=step)
    given = problem(case, jacobian=method == "cvode_bdf")

    def solve() -> Path:
        return METHODS[method].solve(given, settings)

    run, seconds = solve(), best(solve, 5)
    ratio = deviation = None
    if method in THEIRS:
        theirs, y = by_scipy(case, function, THEIRS[method], tolerance)
        ratio, deviation = theirs / seconds, float(np.abs(y - run.last_y).max())
    overhead = 100 * (1 - run.evaluations * rhs / seconds)
    return [
        case.name, method, case.start.size, run.steps, run.evaluations, 1e9 * rhs,
        1e6 * seconds / run.steps, overhead, ratio, deviation,
    ]  # fmt: skip


def measure(quick: bool = False) -> dict[str, Any]:
    """All problems by all methods."""
    from kinetree.integrate.sundials.library import available

    methods = ["rk4", "dopri5", "dop853", *(["cvode_bdf"] if available() else [])]
    rows = []
    for case in (kepler(), chain("chain10"), *(() if quick else (chain("chain30"),))):
        function = case.program.compile()
        rhs = evaluation_seconds(function, case)
        rows += [one(case, function, method, rhs) for method in methods]
    report.show("integration without Python per step (rtol = atol = 1e-8)", COLUMNS, rows)
    return {"columns": COLUMNS, "rows": rows}


if __name__ == "__main__":
    measure("--quick" in sys.argv)
