"""Right-hand sides whose solutions are known, as problems in machine code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetree import engine as en
from kinetree.engine import Node
from kinetree.integrate.methods import METHODS
from kinetree.integrate.problem import Kernel, Native, Path, Problem, Settings, Watch
from kinetree.program import Input, Output, Program

Array = NDArray[np.float64]
T = en.symbol("t", en.Rank.COORDINATE)
TIME = Input("t", (), (T,))


def state(size: int) -> Input:
    """The input y."""
    symbols = tuple(en.symbol(f"y_{i}", en.Rank.COORDINATE) for i in range(size))
    return Input("y", (size,), symbols)


def program(y: Input, nodes: Sequence[Node], *more: Input, name: str = "ydot") -> Program:
    """A Program of the state alone, of time and parameters where given."""
    size = len(nodes)
    return Program("flow", (y, *more), (), (), (Output(name, (size,), tuple(nodes)),))


def growth() -> Program:
    """y' = y cos t, y = exp(sin t)."""
    y = state(1)
    return program(y, [y.symbols[0] * en.cos(T)], TIME)


def oscillator() -> Program:
    """y'' = -y."""
    y = state(2)
    a, b = y.symbols
    return program(y, [b, -a])


def kepler() -> Program:
    """A planet around the origin: x, y, their rates; period 2π for a semi-axis of 1."""
    y = state(4)
    a, b, u, v = y.symbols
    r3 = en.sqrt(a * a + b * b) ** 3
    return program(y, [u, v, -a / r3, -b / r3])


def perihelion(e: float) -> Array:
    """The state of a planet of semi-axis 1 and eccentricity e where it is nearest."""
    return np.array([1 - e, 0.0, 0.0, np.sqrt((1 + e) / (1 - e))])


def linear(A: Any) -> Program:
    """y' = A y."""
    y = state(len(A))
    rows = [sum((float(x) * s for x, s in zip(row, y.symbols, strict=True)), en.ZERO) for row in A]
    return program(y, rows)


def falling() -> Program:
    """Height and its rate under gravity g, which is a parameter (9.81 m/s² by default)."""
    y = state(2)
    g = en.symbol("g", en.Rank.PARAMETER)
    p = Input("p", (1,), (g,), (9.81,), True, ("g",))
    return program(y, [y.symbols[1], -g], p)


def component(size: int, *indices: int) -> Program:
    """g = single components of y."""
    y = state(size)
    return program(y, [y.symbols[i] for i in indices], name="g")


def kernel(program: Program) -> tuple[Kernel, Any]:
    """Machine code of a Program of t, y and more, and what keeps it alive."""
    ordered = {row.name: row for row in program.inputs}
    inputs = (ordered.pop("t", TIME), ordered.pop("y"), *ordered.values())
    made = replace(program, inputs=inputs).compile()
    return Kernel(made.address, made.preamble_values()), made


def problem(  # one argument per part of a problem
    rates: Program,
    start: Any,
    times: Any,
    *,
    rest: Sequence[float] = (),
    events: Program | None = None,
    watches: Sequence[Watch] = (),
    project: Program | None = None,
    jacobian: bool = True,
) -> Problem:
    """An initial value problem in machine code; what Python would call is a trap."""

    def trap(t: float, y: Array) -> Array:
        raise AssertionError

    slopes = rates.derivative(rates.outputs[0].name, "y", only=True) if jacobian else None
    parts = [None if part is None else kernel(part) for part in (rates, slopes, project, events)]
    f, J, p, g = (None if part is None else part[0] for part in parts)
    assert f is not None
    size = 0 if events is None else events.outputs[0].shape[0]
    names = tuple(watches) or tuple(Watch(f"g{i}") for i in range(size))
    native = Native(f, np.array(rest, dtype=float), parts, J, p, g)
    at = np.array(start, dtype=float)
    return Problem(trap, at, np.array(times, dtype=float), watches=names, native=native)


def solve(
    method: str, rates: Program, start: Any, times: Any, settings: Settings, **more: Any
) -> Path:
    """Integrate by a method of the table."""
    run = METHODS[method].solve
    assert run is not None
    return run(problem(rates, start, times, **more), settings)
