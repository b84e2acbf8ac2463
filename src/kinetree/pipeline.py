"""The stages in order: model → linkage → scheme → Program → passes → target.

| stage | in | out |
|---|---|---|
| 1 check | Model | the same Model, or sentences that name element and cure |
| 2 linkage | Model | links with constant rotations, motions, mass properties as Nodes |
| 2 placement | FrameModel | position matrices, mass properties as Nodes |
| 3 regroup | Linkage | Linkage with base parameters, where that saves operations |
| 4 formalism | Linkage or Placement | equations in a Scheme, hence a Program |
| 5 passes | Program | Program: no dead equation, a preamble, shared parts, paired sines |
| 6 target | Program | native function, or files of a language |
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kinetree.assembly.partition import partition as partition_of
from kinetree.engine import derivation
from kinetree.errors import PartitionError, UnsupportedError, unknown
from kinetree.formalism.closed import BUILDS, WAYS, Closed, actuated
from kinetree.formalism.linkage import linkage
from kinetree.formalism.placed_quantities import DERIVATIVES, PLACED, derive_placed
from kinetree.formalism.placed_quantities import FORMALISM as MATRICES
from kinetree.formalism.placement import placement
from kinetree.formalism.quantities import QUANTITIES
from kinetree.formalism.regroup import regroup
from kinetree.model.frame_model import FrameModel
from kinetree.model.position_matrices import as_frames
from kinetree.program.passes import condense

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kinetree.assembly.partition import Partition
    from kinetree.model.system import Model
    from kinetree.program import Program


@derivation()
def derive(  # noqa: PLR0913  one argument per decision
    model: Model,
    quantity: str = "forward",
    formalism: str | None = None,
    parameters: str = "run-time",
    *,
    base_parameters: bool = True,
    points: Sequence[str] | None = None,
    partition: Partition | None = None,
    loops: str = "explicit",
) -> Program:
    """The Program of a quantity of a model.

    Args:
        model: the mechanism.
        quantity: "inverse" (tau), "mass_bias" (M, c), "forward" (qdd), "reaction" (wrench on the
            ground), "reactions" (wrench in every joint and closure),
            "kinematics" (pose, velocity, acceleration, Jacobian of every named point),
            "constraints" (h, J, Jdqd, ht of the closures), "drives" (q, qd, qdd of driven
            coordinates),
            "energy" (kinetic, potential), "regressor" (Y, base parameters),
            "inverse_derivatives" (tau, dtau_dq, dtau_dqd, dtau_dqdd), "forward_derivatives" (qdd,
            dqdd_dq, dqdd_dqd, dqdd_dtau); derivatives by q are along der(q) = N(q) qd.
        formalism: "newton_euler", "order_n", "virtual_power", "lagrange" or "dalembert"; the
            default is the cheapest that offers the quantity, for a model given by position
            matrices "dalembert".
        parameters: "run-time" keeps masses and lengths as the input p with the model's values as
            defaults; "folded" makes them numbers for the fastest code.
        base_parameters: regroup mass properties where that saves operations; values are the same.
            For "regressor": the base parameters instead of the ten of every body.
        partition: for "forward" of a closed system, which coordinates are independent; by default
            chosen at the assembled initial configuration.
        loops: for "forward" of a closed system: "explicit" solves the loops for dependent
            coordinates, "multipliers" keeps all coordinates and pulls them back to the loops
            (Baumgarte), "projection" keeps all and projects them on the loops.
        points: for "kinematics", paths "body" or "body.point"; by default all of all bodies.

    Returns:
        The condensed Program; inputs q, qd, … and outputs are listed by `QUANTITIES`.
    """
    if quantity not in QUANTITIES:
        raise unknown("quantity", quantity, QUANTITIES, "derive")
    if parameters not in ("run-time", "folded"):
        raise unknown("treatment of parameters", parameters, ("run-time", "folded"), "derive")
    if isinstance(model, FrameModel) or formalism == MATRICES:
        return _from_matrices(model, quantity, formalism, parameters, points)
    row = QUANTITIES[quantity]
    if points is not None and "points" not in row.options:
        raise _no_points(quantity)
    if model.closures or model.drives:
        if quantity == "forward":
            return _closed(model, formalism, parameters, partition, loops)
        if row.rates == "tau":
            _refuse_closed(model, quantity)
    way = row.choose(model, formalism)
    model.check(invertible=row.rates == "tau")
    system = linkage(model, folded=parameters == "folded", welds=row.welds)
    if base_parameters and row.regroups:
        system = regroup(system, all_moves=row.minimal)
    program = condense(row.derive(system, way, base_parameters=base_parameters, points=points))
    return _signed(program, model, quantity, formalism=way, parameters=parameters)


def _from_matrices(
    model: Model,
    quantity: str,
    formalism: str | None,
    parameters: str,
    points: Sequence[str] | None,
) -> Program:
    """A quantity by d'Alembert's principle, from the position matrices of the bodies."""
    if formalism not in (None, MATRICES):
        raise unknown("formalism", formalism, (MATRICES,), f"model '{model.name}'")
    if points is not None and quantity in PLACED and not PLACED[quantity].points:
        raise _no_points(quantity)
    whole, of, by = DERIVATIVES.get(quantity, (quantity, "", ()))
    model.check(invertible=whole == "forward")
    system = placement(as_frames(model), folded=parameters == "folded")
    program = condense(derive_placed(system, whole, points))
    if by:
        program = replace(program.derivative(of, by, tangent=True), name=f"{model.name}_{quantity}")
    return _signed(program, model, quantity, formalism=MATRICES, parameters=parameters)


def _no_points(quantity: str) -> UnsupportedError:
    return UnsupportedError(
        "it is not a quantity of points",
        element=f"quantity '{quantity}'",
        cure="leave points= out, or derive 'kinematics'",
    )


def _signed(program: Program, model: Model, quantity: str, **rows: str) -> Program:
    """The Program with its provenance."""
    return program.with_info(
        model=model.name, model_hash=model.content_hash(), quantity=quantity, **rows
    )


def _closed(
    model: Model,
    formalism: str | None,
    parameters: str,
    sorted_out: Partition | None,
    loops: str,
) -> Program:
    """Forward dynamics of a closed system."""
    way = formalism or "newton_euler"
    if loops not in WAYS:
        raise unknown("treatment of loops", loops, WAYS, "derive")
    if way not in BUILDS:
        raise unknown("formalism", way, BUILDS, "forward dynamics of a closed system")
    model.check(invertible=loops != "explicit")
    found = partition_of(model) if sorted_out is None else sorted_out
    system = regroup(linkage(model, folded=parameters == "folded"))
    closed = Closed(BUILDS[way], found.choice(), found.labels)
    program = condense(WAYS[loops](system, closed))
    rows = {
        "loops": loops,
        "independent": ", ".join(found.independent),
        "dependent": ", ".join(found.dependent),
    }
    return _signed(program, model, "forward", formalism=way, parameters=parameters, **rows)


def _refuse_closed(model: Model, quantity: str) -> None:
    """Refuse what a tree's formulas would get wrong, because they know no loops."""
    raise UnsupportedError(
        "it has closures or drives, which this quantity would ignore",
        element=f"{quantity} of model '{model.name}'",
        cure="derive 'forward' and differentiate its Program",
    )


@derivation()
def derive_actuation(
    model: Model,
    actuators: Sequence[str] | None = None,
    *,
    free: Sequence[str] = (),
    partition: Partition | None = None,
    parameters: str = "run-time",
) -> Program:
    """The Program of inverse dynamics with loops and with actuators on chosen joints.

    Args:
        model: the mechanism, closed or not.
        actuators: names of the actuated velocities; by default the independent ones.
        free: where there are fewer actuators than degrees of freedom: as many independent
            velocities as are missing, whose accelerations come out instead of going in.
        partition: which coordinates are independent; by default chosen at the assembled initial
            configuration.
        parameters: as for `derive`.

    Returns:
        Inputs q, qd, qdd (entries of independent velocities count), with more actuators than
        degrees of freedom also weights: the forces have the least sum of tau²/weight.  Outputs tau
        (actuators and drives), qdd, lam, q_closed, qd_closed.
    """
    if isinstance(model, FrameModel):
        raise UnsupportedError(
            "it is given by position matrices, which have no loops",
            element=f"actuation of model '{model.name}'",
            cure="derive 'inverse': every coordinate has its effort",
        )
    model.check(invertible=False)
    found = partition_of(model) if partition is None else partition
    rolling = set(found.rate_dependent)
    independent = [name for name in found.independent if name not in rolling]
    names = list(independent if actuators is None else actuators)
    _refuse_actuators(model, names, free, independent)
    system = regroup(linkage(model, folded=parameters == "folded"))
    closed = Closed(BUILDS["newton_euler"], found.choice(), found.labels)
    program = condense(actuated(system, closed, names, free))
    rows = {"actuators": ", ".join(names), "independent": ", ".join(independent)}
    return _signed(program, model, "actuation", parameters=parameters, **rows)


def _refuse_actuators(
    model: Model, names: Sequence[str], free: Sequence[str], independent: Sequence[str]
) -> None:
    """Refuse actuators and free velocities that cannot be."""
    for name in names:
        if name not in model.velocities or name in model.drives:
            known = [v for v in model.velocities if v not in model.drives]
            raise unknown("velocity that can be actuated", name, known, "actuators")
    for name in free:
        if name not in independent:
            raise unknown("independent velocity", name, independent, "free velocities")
    missing = max(0, len(independent) - len(names))
    if len(free) != missing:
        raise PartitionError(
            f"{len(names)} actuators for {len(independent)} degrees of freedom and "
            f"{len(free)} free velocities",
            element="actuators",
            cure=f"name {missing} of the independent velocities as free"
            if missing
            else "leave free= out",
        )
