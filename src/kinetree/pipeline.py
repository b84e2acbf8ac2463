"""The stages in order: model → linkage → scheme → Program → passes → target.

| stage | in | out |
|---|---|---|
| 1 check | Model | the same Model, or sentences that name element and cure |
| 2 linkage | Model | links with constant rotations, motions, mass properties as Nodes |
| 3 regroup | Linkage | Linkage with base parameters, where that saves operations |
| 4 formalism | Linkage | equations in a Scheme, hence a Program |
| 5 passes | Program | Program: no dead equation, a preamble, shared parts, paired sines |
| 6 target | Program | native function, or files of a language |
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinetree.engine import collector_paused, current
from kinetree.errors import UnsupportedError, unknown
from kinetree.formalism.linkage import linkage
from kinetree.formalism.quantities import QUANTITIES
from kinetree.formalism.regroup import regroup
from kinetree.program.passes import condense

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kinetree.model.system import Model
    from kinetree.program import Program


def derive(
    model: Model,
    quantity: str = "forward",
    formalism: str | None = None,
    parameters: str = "run-time",
    *,
    base_parameters: bool = True,
    points: Sequence[str] | None = None,
) -> Program:
    """The Program of a quantity of a model.

    Args:
        model: the mechanism.
        quantity: "inverse" (tau), "mass_bias" (M, c), "forward" (qdd), "reaction" (wrench on the
            ground), "kinematics" (pose, velocity, acceleration, Jacobian of every named point),
            "constraints" (h, J, Jdqd, ht of the closures), "drives" (q, qd, qdd of driven
            coordinates),
            "energy" (kinetic, potential), "regressor" (Y, base parameters),
            "inverse_derivatives" (tau, dtau_dq, dtau_dqd, dtau_dqdd), "forward_derivatives" (qdd,
            dqdd_dq, dqdd_dqd, dqdd_dtau); derivatives by q are along der(q) = N(q) qd.
        formalism: "newton_euler", "order_n", "virtual_power" or "lagrange"; the default is the
            cheapest that offers the quantity.
        parameters: "run-time" keeps masses and lengths as the input p with the model's values as
            defaults; "folded" makes them numbers for the fastest code.
        base_parameters: regroup mass properties where that saves operations; values are the same.
            For "regressor": the base parameters instead of the ten of every body.
        points: for "kinematics", paths "body" or "body.point"; by default all of all bodies.

    Returns:
        The condensed Program; inputs q, qd, … and outputs are listed by `QUANTITIES`.
    """
    if quantity not in QUANTITIES:
        raise unknown("quantity", quantity, QUANTITIES, "derive")
    if parameters not in ("run-time", "folded"):
        raise unknown("treatment of parameters", parameters, ("run-time", "folded"), "derive")
    row = QUANTITIES[quantity]
    if points is not None and "points" not in row.options:
        raise UnsupportedError(
            "it is not a quantity of points",
            element=f"quantity '{quantity}'",
            cure="leave points= out, or derive 'kinematics'",
        )
    if row.rates == "tau":
        _refuse_closed(model)
    way = row.choose(model, formalism)
    model.check(invertible=row.rates == "tau")
    with collector_paused():
        mark = current().mark()
        system = linkage(model, folded=parameters == "folded")
        if base_parameters and row.regroups:
            system = regroup(system, all_moves=row.minimal)
        program = condense(row.derive(system, way, base_parameters=base_parameters, points=points))
        current().release(mark)
    return program.with_info(
        model=model.name,
        model_hash=model.content_hash(),
        quantity=quantity,
        formalism=way,
        parameters=parameters,
    )


def _refuse_closed(model: Model) -> None:
    """Refuse the forward dynamics of a tree where loops or drives would be ignored."""
    if model.closures or model.drives:
        raise UnsupportedError(
            "it has closures or drives, which the forward dynamics of a tree would ignore",
            element=f"model '{model.name}'",
            cure="derive 'mass_bias' and 'constraints', or remove the closures",
        )
