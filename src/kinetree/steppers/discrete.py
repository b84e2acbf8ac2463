"""Discrete dynamics x⁺ = f(x, u): one step as a function of state and efforts alone.

The step of a march takes the accelerations at its start as an input, because the step before has
them.  Here they are written in front of it by forward dynamics,

    qdd, xd, λ = forward(q, qd, x, tau, t),      q⁺, qd⁺, x⁺ = step(q, qd, qdd, x, xd, λ, tau, t, h)

so that derivatives by q, qd and tau are those of the whole map.  `discretise` gives these as A and
B: of the state (δq, qd, x), where δq are the nv directions of motion about q, at both ends of the
step.  With der(q) = N(q) qd they are N⁺(q⁺) dq⁺; N⁺ is Nᵀ, four times that for quaternions.

Refs: Cuadrado2003 (steps); Docquier2013 eq. (1) (forward dynamics)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kinetree.arguments import check_arguments, check_choice
from kinetree.engine import ZERO, Node, substitute
from kinetree.errors import UnsupportedError
from kinetree.formalism.links.vectors import inner
from kinetree.model import Mechanism
from kinetree.pipeline import derive
from kinetree.program import Program, Scheme
from kinetree.program.inline import bindings, inline
from kinetree.program.passes import condense
from kinetree.steppers.step import GLOBAL, step_program

STARTING = ("qdd", "xd", "lam")
"""Inputs of a step that forward dynamics gives."""
KEPT = ("a", "y")
"""Inputs of a step that only the step before has."""
STATE = ("q", "qd", "x")


def discrete_program(
    model: Mechanism,
    method: str = "rk4",
    formulation: str | None = None,
    *,
    parameters: str = "run-time",
    **options: Any,
) -> Program:
    """One time step as a function of the state and the efforts, for control and optimisation.

    Args:
        model: the mechanism, also one with loops; their dependent coordinates follow.
        method: "rk4", "semi_implicit_euler", "trapezoidal" or "newmark"; methods that carry
            weighed accelerations from step to step are refused.
        formulation: as for `step_program`, without "global".
        parameters: "run-time" keeps masses and lengths as the input p; "folded" makes them numbers.
        options: as for `step_program`.

    Returns:
        Inputs q, qd (with user states x), t where a law uses the time, h (the step [s]), tau (0 by
        default), the method's basic parameter, wrenches, p; outputs q_next, qd_next, x_next.
    """
    step = step_program(model, formulation, method, parameters=parameters, **options)
    _refuse(step, method)
    start = derive(model, "forward", parameters=parameters)
    scheme = Scheme(f"{model.name}_discrete")
    rows = [row for row in step.inputs if row.name not in STARTING]
    own = {row.name: scheme.input(row) for row in rows}
    found = inline(scheme, start, bindings(start, **own))
    begun = {name: _match_labels(start, step, name, found) for name in STARTING}
    given = {name: values for name, values in begun.items() if values}
    ended = inline(scheme, step, bindings(step, **own, **given))
    for name in STATE:
        if f"{name}_next" in ended:
            out = step.output(f"{name}_next")
            scheme.output(out.name, ended[out.name], out.shape, out.labels)
    return condense(scheme.program()).with_info(**{**step.info, "quantity": "discrete"})


def discretise(
    model: Mechanism,
    method: str = "rk4",
    formulation: str | None = None,
    *,
    inputs: Sequence[str] | None = None,
    parameters: str = "run-time",
    **options: Any,
) -> Program:
    """One time step x⁺ = f(x, u) with A = ∂x⁺/∂x and B = ∂x⁺/∂u, for MPC, iLQR and filters.

    Args:
        model: as for `discrete_program`, like method, formulation, parameters and options.
        method: "rk4", "semi_implicit_euler", "trapezoidal" or "newmark".
        formulation: how loops are treated.
        inputs: names of the velocities whose efforts are u; by default all of tau.
        parameters: "run-time" or "folded".
        options: of the formulation.

    Returns:
        The Program of `discrete_program` with the outputs A and B besides.  The state is
        (δq, qd, x): nv directions of motion about q, as `model.difference` counts them, velocities,
        user states; so A is square, with quaternions too.
    """
    check_arguments(discretise, {"inputs": inputs})
    for name in inputs or ():
        check_choice("inputs", name, model.velocities, "velocity")
    step = discrete_program(model, method, formulation, parameters=parameters, **options)
    names = [name for name in STATE if step.takes(name)]
    ends = [f"{name}_next" for name in names]
    by = {**dict.fromkeys(names), "tau": inputs}
    slopes = step.derivative(ends, by, tangent=True, condensed=False)
    scheme = Scheme(f"{model.name}_discretised")
    own = {row.name: scheme.input(row) for row in slopes.inputs}
    found = inline(scheme, slopes, bindings(slopes, **own))
    for name in ends:
        out = slopes.output(name)
        scheme.output(name, found[name], out.shape, out.labels)
    back = _backward_rates(step, found["q_next"])
    for output, columns in (("A", names), ("B", ["tau"])):
        rows: list[list[Node]] = []
        for end in ends:
            parts = [_as_rows(slopes, f"d{end}_d{name}", found) for name in columns]
            wide = [[x for part in line for x in part] for line in zip(*parts, strict=True)]
            rows += _product(back, wide) if back and end == "q_next" else wide
        scheme.output(output, [x for row in rows for x in row], (len(rows), len(rows[0])))
    return condense(scheme.program()).with_info(**{**step.info, "quantity": "discretised"})


def _backward_rates(step: Program, q: Sequence[Node]) -> list[list[Node]]:
    """N⁺(q), nv × nq: the velocities that rates of coordinates are made of; empty for 1."""
    row = step.input("q")
    own = dict(zip(row.symbols, q, strict=True))
    turning = {start + k for start in row.quaternions for k in range(4)}
    N = [
        [4 * x if k in turning else x for x in substitute(line, own)]
        for k, line in enumerate(row.tangent)
    ]
    return [list(column) for column in zip(*N, strict=True)]


def _as_rows(
    slopes: Program, name: str, found: Mapping[str, tuple[Node, ...]]
) -> list[tuple[Node, ...]]:
    """A matrix that comes out of a Program, row by row."""
    height, width = slopes.output(name).shape
    return [found[name][k * width : (k + 1) * width] for k in range(height)]


def _product(A: list[list[Node]], B: list[list[Node]]) -> list[list[Node]]:
    columns = list(zip(*B, strict=True))
    return [[inner(row, column) for column in columns] for row in A]


def _match_labels(
    start: Program, step: Program, name: str, found: dict[str, tuple[Node, ...]]
) -> tuple[Node, ...]:
    """What stands for an input of the step, by its labels; multipliers of other equations are 0."""
    row = next((row for row in step.inputs if row.name == name), None)
    if row is None:
        return ()
    values = dict(zip(start.output(name).labels, found[name], strict=True))
    return tuple(values.get(label, ZERO) for label in row.labels)


def _refuse(step: Program, method: str) -> None:
    """Refuse steps whose state is more than coordinates and velocities."""
    if step.info["formulation"] == GLOBAL:
        raise UnsupportedError(
            "its state is not made of the coordinates and velocities of the model",
            element=f"formulation '{GLOBAL}'",
            cure="choose hybrid or topological",
        )
    if any(row.name in KEPT for row in step.inputs):
        raise UnsupportedError(
            "it carries weighed accelerations from step to step, so a step is not a function of "
            "coordinates and velocities",
            element=f"method '{method}'",
            cure="choose 'rk4', 'semi_implicit_euler', 'trapezoidal' or 'newmark'",
        )
