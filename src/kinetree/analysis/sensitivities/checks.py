"""What can be asked of a sensitivity; what cannot is refused by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kinetree.analysis.runs.dynamics import OPTIONS
from kinetree.analysis.runs.march import STEPPING, refuse_no_step, refuse_stepping
from kinetree.analysis.sensitivities.variables import METHOD
from kinetree.arguments import (
    changed_arguments,
    check_choice,
    check_options,
    check_positive,
    is_finite,
    show,
)
from kinetree.errors import ModelError, UnsupportedError, unknown
from kinetree.integrate.loops.tableaus import TABLEAUS
from kinetree.integrate.methods import RATES, check_bounds, find
from kinetree.measures import FunctionOf, Measure, Mode, simple_measures
from kinetree.steppers.families import FAMILIES

if TYPE_CHECKING:
    from kinetree.analysis.sensitivities.variables import DesignVariable

EQUATIONS = ("explicit", "semi-explicit")
"""Which equations are differentiated."""
GIVEN, REST = "given", "equilibrium"
"""With what runs begin: the start values as they are, or the equilibrium near them."""
METHODS = ("auto", "direct", "adjoint")
"""How derivatives are found."""


def is_stepped(integrator: str, formulation: str | None) -> bool:
    """Whether a run goes in equal steps that are Programs."""
    check_choice("integrator", integrator, ("auto", *RATES, *FAMILIES))
    return formulation is not None or integrator not in ("auto", *RATES)


def refuse_foreign(variables: Sequence[DesignVariable], family: str) -> None:
    """Refuse the parameter of another method than that of the run."""
    basic = FAMILIES[family].basic if family else None
    for row in variables:
        if row.kind == METHOD and (basic is None or row.label != basic.name):
            owner = next(r for r in FAMILIES.values() if r.basic and r.basic.name == row.label)
            raise UnsupportedError(
                f"it is the parameter of '{owner.name}'",
                element=f"by, '{row.name}'",
                cure=f"take integrator='{owner.name}'",
            )


def check_given(
    function: Callable[..., Any], given: Mapping[str, Any], options: Mapping[str, Any]
) -> None:
    """Refuse what no sensitivity can be made of.

    Args:
        function: whose arguments they are.
        given: by name.
        options: beside them.
    """
    check_choice("at", given["at"], ("run", "equilibrium", "start"))
    if given["at"] == "run":
        if given["duration"] is None:
            raise ModelError("it is not given", element="duration", cure="give it in seconds")
        check_positive("a positive time in seconds", duration=given["duration"])
        check_bounds(given)
    elif given["duration"] is not None or given["events"] is not None:
        raise ModelError(
            "a state has no duration and no events", element="at", cure="leave them out, or at="
        )
    elif given["qd"] is not None and given["at"] == "equilibrium":
        raise ModelError(
            "an equilibrium has no velocities", element="qd", cure='leave them out, or at="start"'
        )
    check_begin(given)
    if given["matrices"] and given["at"] == "run":
        raise ModelError(
            "a run has no linear model", element="matrices", cure='give at="equilibrium" or "start"'
        )
    check_choice("method", given["method"], METHODS)
    _check_equations(given)
    _check_memory(given)
    if given["order"] not in (1, 2) or (given["order"] == 2 and given["at"] != "run"):
        raise UnsupportedError(
            f"it is {show(given['order'])}",
            element="order",
            cure="give 1, or 2 for second derivatives of runs",
        )
    _check_along(given)
    _check_options(function, given, options)
    check_measures(given["measures"], modes=given["at"] != "run", functions=True)


def check_begin(given: Mapping[str, Any]) -> None:
    """Refuse beginnings of what is no run, and what is held where nothing is at rest.

    Args:
        given: begin, at, locked, order and duration, where they are given.
    """
    begin, at = given.get("begin", GIVEN), given.get("at", "run")
    check_choice("begin", begin, (GIVEN, REST))
    if begin == REST and at != "run":
        raise ModelError(
            "what is not a run has no beginning",
            element="begin",
            cure=f"leave it out, or at='{at}'",
        )
    if begin == REST and given.get("order", 1) == 2:
        raise UnsupportedError(
            "the equilibrium at which a run begins has no second derivatives here",
            element="order",
            cure="leave it out, or give the start values as q={…}",
        )
    if given.get("locked") and REST not in (begin, at):
        raise ModelError(
            "only what is at rest is held",
            element="locked",
            cure='give begin="equilibrium" or at="equilibrium", too',
        )


def _check_equations(given: Mapping[str, Any]) -> None:
    """Refuse semi-explicit equations where tangents do not go through them."""
    check_choice("equations", given["equations"], EQUATIONS)
    explicit = ("auto", *TABLEAUS)
    usual = given["order"] == 1 and given["at"] == "run" and given["method"] != "adjoint"
    if given["equations"] != EQUATIONS[0] and not (
        usual and given["integrator"] in explicit and given["formulation"] is None
    ):
        raise UnsupportedError(
            "only the direct method by an explicit integrator takes them",
            element="equations",
            cure="leave it out, or give method='direct' and integrator='dop853'",
        )


def _check_along(given: Mapping[str, Any]) -> None:
    """Refuse what is no direction of what varies."""
    along = given["along"]
    if along is None:
        return
    if given["order"] != 2:
        raise ModelError(
            "it is the direction of second derivatives, which are not asked for",
            element="along",
            cure="give order=2, too, or leave it out",
        )
    names = list(given["by"])
    for name in along:
        if name not in names:
            raise unknown("variable", name, names, "along")
    if not any(along.values()):
        raise ModelError(
            "all changes are zero",
            element="along",
            cure="give one that is not, or leave it out",
        )


def _check_memory(given: Mapping[str, Any]) -> None:
    """Refuse memory where no states are kept to go back to."""
    if given["memory"] is None:
        return
    check_positive("a positive number of bytes", memory=given["memory"])
    stepped = is_stepped(given["integrator"], given["formulation"])
    stepped = stepped or given["integrator"] in ("auto", *TABLEAUS)
    usual = given["order"] == 1 and given["at"] == "run" and given["equations"] == EQUATIONS[0]
    if not (stepped and usual) or given["method"] == "direct":
        raise UnsupportedError(
            "only the gradient of a run by the adjoint method over its steps keeps some of its "
            "states",
            element="memory",
            cure="leave it out, or give method='adjoint' and integrator='dop853'",
        )


def _check_options(
    function: Callable[..., Any], given: Mapping[str, Any], options: Mapping[str, Any]
) -> None:
    """Refuse options that the method of the run has no use for."""
    if not is_stepped(given["integrator"], given["formulation"]):
        refuse_stepping(options)
        check_options("sensitivity", options, OPTIONS)
        return
    basic = FAMILIES[find(given["integrator"], given["formulation"]).name].basic
    own = () if basic is None else (basic.name,)
    check_options("sensitivity in equal steps", options, (*STEPPING, *own))
    for name in own:
        _check_basic(name, options.get(name))
    refuse_no_step(given["step"])
    for name in changed_arguments(function, given, ["rtol", "atol", "max_step", "max_steps"]):
        raise UnsupportedError(
            "equal steps have no use for it", element=name, cure="leave it out, or give tolerance="
        )
    if given["at"] != "run":
        raise UnsupportedError(
            "equal steps have derivatives of runs alone",
            element="at",
            cure="leave integrator= and formulation= out",
        )


def _check_basic(name: str, value: Any) -> None:
    """Refuse a parameter of a method that is out of its range."""
    row = next(r.basic for r in FAMILIES.values() if r.basic and r.basic.name == name)
    if value is not None and not (is_finite(value) and row.least <= value <= row.most):
        raise ModelError(
            f"it is {show(value)}",
            element=name,
            cure=f"give a number from {row.least:g} to {row.most:g}",
        )


def check_measures(
    measures: Mapping[str, Any], *, modes: bool = False, functions: bool = False
) -> None:
    """Refuse what is no measure, and measures of modes and functions where there are none."""
    if not measures:
        raise ModelError(
            "there is nothing to measure", element="measures", cure='give {"end": kt.final("q_y")}'
        )
    for name, measure in measures.items():
        if not isinstance(measure, Measure):
            raise ModelError(
                f"it is {show(measure)}",
                element=f"measure '{name}'",
                cure="give kt.final(…), kt.integral(…), kt.rms(…) or kt.peak(…)",
            )
        if isinstance(measure, FunctionOf):
            if not functions:
                raise UnsupportedError(
                    "it is a function of others, which are measured one by one here",
                    element=f"measure '{name}'",
                    cure="name its parts",
                )
            check_measures(simple_measures(measure.parts), modes=modes)
        if isinstance(measure, Mode) and not modes:
            raise ModelError(
                "a run has no modes",
                element=f"measure '{name}'",
                cure='give at="equilibrium" to kt.sensitivity',
            )
