"""What is integrated and how, and what comes out: the same for every native method.

The right-hand side is a Program with the inputs y (n), t () where it depends on time, others that
stay constant, parameters, and the output ydot (n).  Where it has an output y_projected (n) too,
that replaces y after every step: dependent coordinates of a closed mechanism, quaternions of
length one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from kinetree.arrays import Array
from kinetree.errors import ShapeError, unknown
from kinetree.program.program import Program
from kinetree.targets.native.function import SINGLE, Function, address
from kinetree.targets.native.ports import Port

PROJECTED = "y_projected"


@dataclass(frozen=True)
class Events:
    """Zeros of g(t, y) to look for.

    A zero shows by its sign at the two ends of a step; `Options.max_step` bounds how near two zeros
    of one component may be to be seen as two.

    Attributes:
        program: inputs as for the right-hand side, output g (m).
        terminal: numbers of the components that end the run; the others are noted.
        senses: per component +1 for a rising zero, -1 for a falling one, 0 for both; empty: both.
    """

    program: Program | Function
    terminal: Sequence[int] = ()
    senses: Sequence[int] = ()


@dataclass(frozen=True)
class Problem:
    """An initial value problem without its initial values.

    Attributes:
        rates: ydot(t, y), see above.
        inputs: values of the other inputs, by name.
        parameters: values of single parameters, by label.
        events: zeros to look for.
        jacobian: a Program with the output "dydot_dy"; derived where a method needs it.
    """

    rates: Program | Function
    inputs: Mapping[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, float] = field(default_factory=dict)
    events: Events | None = None
    jacobian: Program | Function | None = None


@dataclass(frozen=True)
class Options:
    """How to integrate.

    Attributes:
        method: rk4 (fixed step), dopri5, dop853; adams and bdf (by SUNDIALS).
        rtol: relative tolerance, one number or one per component.
        atol: absolute tolerance in the units of y, one number or one per component.
        step: fixed step [s] for an explicit method, first step for the others; 0: chosen.
        max_step: longest step [s].
        max_steps: trial steps at most.
        natural: also keep t and y at the end of every step.
    """

    method: str = "dopri5"
    rtol: Any = 1e-6
    atol: Any = 1e-9
    step: float = 0.0
    max_step: float = float("inf")
    max_steps: int = 10_000_000
    natural: bool = False


@dataclass(frozen=True)
class Crossing:
    """An event that happened: number of its component, time [s], state there."""

    event: int
    t: float
    y: Array


@dataclass(frozen=True)
class Fault:
    """Where the derivative is not a number: time [s], first such component, state."""

    t: float
    component: int
    y: Array


@dataclass(frozen=True)
class Run:
    """A finished or interrupted integration.

    Attributes:
        reason: end, event, not finite, steps (too many), step (too small), interrupted, or failed.
        times: output times reached [s].
        states: y at these, one row each.
        t: time reached [s].
        y: state there.
        steps, rejected: trial steps accepted and rejected.
        evaluations: of the right-hand side.
        events: in order of time.
        natural: t and y of all steps, one row each, where asked for.
        stiff: whether the steps of an explicit method were limited by stability.
        fault: where the derivative is not a number, or None.
        jacobians: evaluations of the Jacobian.
        message: what the method adds to the reason.
    """

    reason: str
    times: Array
    states: Array
    t: float
    y: Array
    steps: int
    rejected: int
    evaluations: int
    events: tuple[Crossing, ...] = ()
    natural: Array | None = None
    stiff: bool = False
    fault: Fault | None = None
    jacobians: int = 0
    message: str = ""


@dataclass(frozen=True)
class Kernel:
    """Native code `void f(const double* x, const double* c, double* y)` with buffers of its own.

    Attributes:
        address: of f.
        x, c, y: its inputs, constants and outputs; x holds all that stays constant during a run.
        t_at, y_at: places of the time and of the state in x; t_at is -1 where there is no time.
        place: where the result stands in y.
        size: number of components of the result.
        owner: keeps the code alive.
    """

    address: int
    x: Array
    c: Array
    y: Array
    t_at: int
    y_at: int
    place: int
    size: int
    owner: Any

    def call(self, t: float, y: Array) -> Array:
        """One evaluation from Python."""
        if self.t_at >= 0:
            self.x[self.t_at] = t
        self.x[self.y_at : self.y_at + y.size] = y
        SINGLE(self.address)(address(self.x), address(self.c), address(self.y))
        return self.y[self.place : self.place + self.size].copy()


@dataclass(frozen=True)
class System:
    """All native code of an initial value problem; its buffers serve one run at a time.

    Attributes:
        rates: ydot(t, y).
        project: (t, y) to the consistent y; None where every y is.
        event: g(t, y).
        jacobian: d ydot/dy, row-major.
        senses: per event +1 for a rising zero, -1 for a falling one, 0 for both.
        terminal: numbers of the events that end the run.
    """

    rates: Kernel
    project: Kernel | None = None
    event: Kernel | None = None
    jacobian: Kernel | None = None
    senses: tuple[int, ...] = ()
    terminal: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        """Number of components of y."""
        return self.rates.size


def compiled(problem: Problem, *, jacobian: bool = False) -> System:
    """The native code of a problem given by Programs."""
    rates = _function(problem.rates)
    system = System(_kernel(problem, rates, "ydot"))
    functions = [rates]
    if any(port.name == PROJECTED for port in rates.outputs):
        system = replace(system, project=_kernel(problem, rates, PROJECTED))
    if problem.events is not None:
        functions.append(_function(problem.events.program))
        system = _with_events(system, problem.events, _kernel(problem, functions[-1], "g"))
    source = problem.jacobian
    if source is None and jacobian and isinstance(problem.rates, Program):
        source = problem.rates.derivative("ydot", "y", only=True)
    if jacobian and source is not None:
        functions.append(_function(source))
        system = replace(system, jacobian=_kernel(problem, functions[-1], "dydot_dy"))
    _refuse_unknown(problem, functions)
    return system


def _with_events(system: System, events: Events, kernel: Kernel) -> System:
    """The system with its events, senses and terminal numbers checked."""
    m = kernel.size
    senses = tuple(events.senses) or (0,) * m
    if len(senses) != m or any(not 0 <= i < m for i in events.terminal):
        raise ShapeError(
            f"there are {m} of them", element="events", cure="give one sense each, numbers from 0"
        )
    return replace(system, event=kernel, senses=senses, terminal=tuple(events.terminal))


def _function(source: Program | Function) -> Function:
    made: Function = source.compile() if isinstance(source, Program) else source
    return made


def _kernel(problem: Problem, function: Function, output: str) -> Kernel:
    """The function with its constant inputs and its parameters set."""
    element = f"function '{function.name}'"
    ports = {p.name: p for p in function.inputs}
    if "y" not in ports:
        raise ShapeError("an integration needs an input 'y'", element=element)
    result = next((p for p in function.outputs if p.name == output), None)
    if result is None:
        raise unknown("output", output, [p.name for p in function.outputs], element)
    if output in {"ydot", PROJECTED} and result.size != ports["y"].size:
        raise ShapeError(f"'{output}' and 'y' differ in size", element=element)
    x = np.zeros(function.sizes["x"])
    for port in function.inputs:
        if not port.parameter and port.name not in {"t", "y"}:
            x[port.start : port.stop] = _value(port, problem).reshape(-1)
    values = [_parameter(port, problem) for port in function.inputs if port.parameter]
    c = function.preamble_values(np.concatenate([*values, np.empty(0)]))
    t_at = ports["t"].start if "t" in ports else -1
    y = np.zeros(function.sizes["y"])
    return Kernel(
        function.address, x, c, y, t_at, ports["y"].start, result.start, result.size, function
    )


def _refuse_unknown(problem: Problem, functions: Iterable[Function]) -> None:
    """Every input and parameter given must be one of some function's."""
    ports = [port for function in functions for port in function.inputs]
    names = [port.name for port in ports if port.name not in {"t", "y"}]
    for name in problem.inputs:
        if name not in names:
            raise unknown("input", name, names, "problem")
    labels = [label for port in ports if port.parameter for label in port.labels]
    for name in problem.parameters:
        if name not in labels:
            raise unknown("parameter", name, labels, "problem")


def _value(port: Port, problem: Problem) -> Array:
    """The value of an input that stays constant."""
    if port.name in problem.inputs:
        value = port.array(problem.inputs[port.name])
        if value.shape != port.shape:
            raise ShapeError("it has leading axes", element=f"input '{port.name}'")
        port.refuse_infinite(value)
        return value
    if port.default is None:
        raise ShapeError(
            "it was not given and has no default",
            element=f"input '{port.name}'",
            cure=f"give it by inputs={{'{port.name}': …}}",
        )
    return port.default_array


def _parameter(port: Port, problem: Problem) -> Array:
    values = np.array(_value(port, problem)).reshape(-1)
    for name, value in problem.parameters.items():
        if name in port.labels:
            values[port.labels.index(name)] = value
    return values


def tolerance(value: Any, size: int, name: str) -> Array:
    """One tolerance per component."""
    try:
        row = np.array(np.broadcast_to(np.asarray(value, dtype=np.float64), (size,)))
    except ValueError:
        raise ShapeError(f"expected one number or {size}", element=f"tolerance '{name}'") from None
    if not (np.isfinite(row).all() and (row >= 0.0).all()):
        raise ShapeError("it must not be negative", element=f"tolerance '{name}'")
    return row


def output_times(times: Any) -> Array:
    """Times that go one way, at least the start and the end."""
    row = np.ascontiguousarray(times, dtype=np.float64).reshape(-1)
    steps = np.diff(row)
    if not (row.size >= 2 and np.isfinite(row).all() and ((steps > 0).all() or (steps < 0).all())):
        raise ShapeError(
            "they must be two or more finite numbers that all rise or all fall",
            element="output times",
            cure="give the start, the times wanted between and the end",
        )
    return row


def start_state(values: Any, size: int) -> Array:
    """The initial state, checked."""
    y = np.array(values, dtype=np.float64).reshape(-1)
    if y.size != size or not np.isfinite(y).all():
        raise ShapeError(f"expected {size} finite numbers", element="initial state")
    return y
