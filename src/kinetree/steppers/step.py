"""One time step of a model: formulation and method chosen by name.

| formulation | what it is |
|---|---|
| tree | relative coordinates of a mechanism without loops |
| hybrid | relative coordinates, loops by an augmented Lagrangian, projections (`hybrid`) |
| explicit | of explicit methods: forward dynamics, loops solved for dependent coordinates |
| topological | independent coordinates, by a second velocity projection (`topological`) |
| global | natural coordinates of all bodies, sparse (`formulations.global_step`) |
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from kinetree.arguments import check_arguments, check_choice
from kinetree.assembly.partition import partition
from kinetree.engine import derivation
from kinetree.errors import UnsupportedError, unknown
from kinetree.formalism.links.linkage import linkage
from kinetree.formalism.links.regroup import regroup
from kinetree.formalism.matrices.placement import placement
from kinetree.model import Mechanism, refuse_holding
from kinetree.pipeline import PARAMETERS, derive
from kinetree.program.passes import condense
from kinetree.steppers.equations.loops import loops
from kinetree.steppers.equations.natural_residual import natural_system
from kinetree.steppers.equations.repeats import refuse_repeats, without_repeats
from kinetree.steppers.equations.residual import matrix_residual, refuse_free_drives, residual
from kinetree.steppers.equations.step_inputs import NewtonSettings
from kinetree.steppers.families import FAMILIES
from kinetree.steppers.formulations.explicit import explicit
from kinetree.steppers.formulations.global_step import global_step
from kinetree.steppers.formulations.hybrid import hybrid
from kinetree.steppers.formulations.structural import tree
from kinetree.steppers.formulations.topological import topological

if TYPE_CHECKING:
    from kinetree.formalism.links import Linkage
    from kinetree.program import Program
    from kinetree.steppers.family import Family

WriteStep = Callable[["Mechanism", "Linkage", "Family", NewtonSettings], "Program"]


def _tree(model: Mechanism, system: Linkage, family: Family, settings: NewtonSettings) -> Program:
    return tree(residual(model, system, tangent=settings.tangent), family, settings)


def _hybrid(model: Mechanism, system: Linkage, family: Family, settings: NewtonSettings) -> Program:
    parts = residual(model, system, tangent=settings.tangent)
    once = without_repeats(model)
    found = loops(once, replace(system, model=once))
    program = hybrid(parts, found, family, settings)
    return program if once is model else program.with_info(equations=", ".join(found.labels))


def _topological(
    model: Mechanism, system: Linkage, family: Family, settings: NewtonSettings
) -> Program:
    parts = residual(model, system, tangent=settings.tangent)
    return topological(parts, loops(model, system), family, settings)


def _global(model: Mechanism, system: Linkage, family: Family, settings: NewtonSettings) -> Program:
    refuse_repeats(model)
    return global_step(natural_system(model, folded=not system.table.rows), family, settings)


GLOBAL = "global"
"""Formulation whose state is not made of the model's coordinates; see `natural.model_map`."""
FORMULATIONS: Mapping[str, WriteStep] = {
    "tree": _tree,
    "hybrid": _hybrid,
    "topological": _topological,
    GLOBAL: _global,
}
"""Formulation -> the Program of a step of a structural method, not yet condensed."""
EXPLICIT = "explicit"
"""Formulation of explicit methods: forward dynamics, loops solved for dependent coordinates."""
ITERATED = ("tolerance", "limit", "tangent", "update")
PROJECTED = (*ITERATED, "penalty", "projections", "projection", "smooth")
USED: Mapping[str, tuple[str, ...]] = {
    EXPLICIT: ("independent",),
    "tree": ITERATED,
    "hybrid": PROJECTED,
    "topological": (*ITERATED, "independent"),
    GLOBAL: PROJECTED,
}
"""Formulation -> settings that it uses."""


@derivation()
def step_program(
    model: Mechanism,
    formulation: str | None = None,
    method: str = "trapezoidal",
    *,
    parameters: str = "run-time",
    **options: Any,
) -> Program:
    """One time step as a Program.

    Args:
        model: the mechanism, also one given by position matrices.
        formulation: how the equations of motion are written; see the table of this module.
        method: "trapezoidal", "newmark", "hht", "generalised_alpha", "semi_implicit_euler" or
            "rk4".
        parameters: "run-time" keeps masses and lengths as the input p; "folded" makes them numbers.
        options: tolerance, limit, penalty, projections, projection, tangent, update, smooth; see
            `NewtonSettings`.

    Returns:
        Inputs q, qd, qdd (with user states x, xd; with loops lam), t where a law uses the time,
        h (the step), tau (0 by default), the family's basic parameter, wrenches, p; outputs
        q_next, qd_next, … at the end of the step, NaN where Newton's method fails.
    """
    check_arguments(step_program, locals())
    check_choice("method", method, FAMILIES)
    check_choice("parameters", parameters, PARAMETERS, "treatment of parameters")
    settings = _settings(options)
    family = FAMILIES[method]
    way = _way(model, family, formulation)
    _refuse_idle(model, way, settings)
    model.check(invertible=False)
    refuse_free_drives(model)
    refuse_holding(model, "equal steps", "take a method of rates, such as 'dop853'")
    if not model.nv:
        raise UnsupportedError(
            "nothing in it can move", element=f"model '{model.name}'", cure="add a joint"
        )
    if family.weights is None:
        forward = _forward(model, parameters, settings)
        solved = {k: x for k, x in forward.info.items() if k == "dependent"}
        program = explicit(model, forward, family).with_info(**solved)
    elif model.by_matrices:
        _refuse_global(way)
        view = placement(model.as_frames(), folded=parameters == "folded")
        program = tree(matrix_residual(model, view), family, settings)
    else:
        system = regroup(linkage(model, folded=parameters == "folded"), all_moves=True)
        program = FORMULATIONS[way](model, system, family, settings)
    program = condense(program)
    return program.with_info(
        model=model.name, model_hash=model.content_hash(), quantity="step", formulation=way,
        method=method, parameters=parameters,
    )  # fmt: skip


def _forward(model: Mechanism, parameters: str, settings: NewtonSettings) -> Program:
    """Forward dynamics, in the independent coordinates that are wanted."""
    if not (settings.independent and model.closures):
        return derive(model, "forward", parameters=parameters)
    chosen = partition(model, independent=settings.independent)
    return derive(model, "forward", parameters=parameters, partition=chosen)


def _refuse_global(way: str) -> None:
    if way == GLOBAL:
        raise UnsupportedError(
            "position matrices name no joints that points and directions could be shared at",
            element=f"formulation '{GLOBAL}'",
            cure="choose tree",
        )


def _way(model: Mechanism, family: Family, formulation: str | None) -> str:
    """The formulation to use: as asked for, where it fits the model and the method."""
    if family.weights is None:
        fitting, default = [EXPLICIT], EXPLICIT
    elif model.closures:
        fitting, default = [name for name in FORMULATIONS if name != "tree"], "hybrid"
    else:
        fitting, default = list(FORMULATIONS), "tree"
    way = formulation or default
    if way not in (EXPLICIT, *FORMULATIONS):
        raise unknown("formulation", way, (EXPLICIT, *FORMULATIONS), "step_program")
    if way not in fitting:
        raise UnsupportedError(
            f"it does not fit the method '{family.name}' and the loops of model '{model.name}'",
            element=f"formulation '{way}'",
            cure=f"choose {' or '.join(fitting)}",
        )
    return way


def all_coordinates(model: Mechanism, formulation: str | None, method: str) -> bool:
    """Whether a step treats all coordinates of a closed system alike, without a partition."""
    if method not in FAMILIES or not model.closures:
        return False
    return _way(model, FAMILIES[method], formulation) in ("hybrid", GLOBAL)


def _settings(options: Mapping[str, Any]) -> NewtonSettings:
    known = [row.name for row in fields(NewtonSettings)]
    for name in options:
        if name not in known:
            raise unknown("option", name, known, "step_program")
    return NewtonSettings(**options)


def _refuse_idle(model: Mechanism, way: str, settings: NewtonSettings) -> None:
    """Refuse settings that a formulation of this model has no use for."""
    used = USED[way]
    if model.by_matrices:
        used = tuple(name for name in used if name != "tangent")
    if not model.closures:
        used = tuple(name for name in used if name != "independent")
    for row in fields(NewtonSettings):
        if row.name not in used and getattr(settings, row.name) != row.default:
            raise UnsupportedError(
                f"the formulation '{way}' of model '{model.name}' has no use for it",
                element=row.name,
                cure=f"leave {row.name}= out",
            )
