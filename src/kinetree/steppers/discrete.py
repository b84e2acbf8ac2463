"""Discrete dynamics x⁺ = f(x, u): one step as a function of state and efforts alone.

The step of a march takes the accelerations at its start as an input, because the step before has
them.  Here they are written in front of it by forward dynamics,

    qdd, xd, λ = forward(q, qd, x, tau, t),      q⁺, qd⁺, x⁺ = step(q, qd, qdd, x, xd, λ, tau, t, h)

so that derivatives by q, qd and tau are those of the whole map.

Refs: Cuadrado2003 (steps); Docquier2013 eq. (1) (forward dynamics)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kinetree.engine import ZERO, Node
from kinetree.errors import UnsupportedError
from kinetree.pipeline import derive
from kinetree.program import Program, Scheme
from kinetree.program.inline import bindings, inline
from kinetree.program.passes import condense
from kinetree.steppers.step import GLOBAL, step_program

if TYPE_CHECKING:
    from kinetree.model import Mechanism

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


__all__ = ["discrete_program"]
