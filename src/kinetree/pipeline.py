"""The stages in order: model → partition → linkage → scheme → Program → passes → target.

| stage | in | out |
|---|---|---|
| 1 check | Model | the same Model, or sentences that name element and cure |
| 2 partition | Model with loops | numbers choose independent coordinates where the loops close |
| 3 linkage | Model | links with constant rotations, motions, mass properties as Nodes |
| 3 placement | FrameModel | position matrices, mass properties as Nodes |
| 4 regroup | Linkage | Linkage with base parameters, where that saves operations |
| 5 formalism | Linkage or Placement | equations in a Scheme, hence a Program |
| 6 passes | Program | Program: no dead equation, a preamble, shared parts, paired sines |
| 7 target | Program | native function, or files of a language |

Stage 2 is the only one that works with numbers: it derives the equations of the closures as a
Program of their own, closes them by Newton's method and eliminates (`assembly`).  Who knows the
partition gives it, and the stage is left out.

The equations of closures are derived once, and written in three places: for stage 2, inside the
blocks that close the loops, and behind them (docs/decisions/0007).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kinetree.arguments import check_arguments, check_choice
from kinetree.assembly import Partition, partition_at, refuse_foreign
from kinetree.assembly.loops import loops as loops_of
from kinetree.engine import derivation
from kinetree.errors import (
    ExpressionError,
    ModelError,
    PartitionError,
    UnknownNameError,
    UnsupportedError,
    unknown,
)
from kinetree.formalism import QUANTITIES
from kinetree.formalism.closed import LOOP_TREATMENTS, Closed, actuation, mixed_dynamics
from kinetree.formalism.inertia_bias import INERTIA_AND_BIAS
from kinetree.formalism.joint_equations import EITHER, QDD, TAU, Known, read_known
from kinetree.formalism.links.linkage import Linkage, linkage
from kinetree.formalism.links.regroup import regroup
from kinetree.formalism.matrices import DERIVATIVES, PLACED, derive_placed
from kinetree.formalism.matrices import FORMALISM as MATRICES
from kinetree.formalism.matrices.placement import placement
from kinetree.formalism.quantities import JOINT_LAWS, Quantity
from kinetree.formalism.stops import with_motion, with_stops
from kinetree.model import Components, Mechanism, split_known, stopping
from kinetree.model.check import check
from kinetree.program import Program
from kinetree.program.passes import condense, hold_switches, plain
from kinetree.program.solving import WRITTEN_OUT

PARAMETERS = ("run-time", "folded")
"""Treatments of parameters: inputs with defaults, or numbers."""
LOOPS = "explicit"
"""The usual treatment of loops."""
BASE = "base_parameters"
SOLVED = ("forward", *JOINT_LAWS)
"""Quantities in which accelerations are found, so that loops and drives take part."""
USES = {
    BASE: "mass properties", "known": "mixed dynamics and friction",
    "wanted": "variables of connected components",
}  # fmt: skip
"""Option -> what it is for, where that is not forward dynamics."""


@derivation()
def derive(  # noqa: PLR0913  one argument per decision
    model: Mechanism | Components,
    quantity: str = "forward",
    formalism: str | None = None,
    parameters: str = "run-time",
    *,
    base_parameters: bool = True,
    points: Sequence[str] | None = None,
    partition: Partition | None = None,
    loops: str = "explicit",
    known: str | Mapping[str, str] | Sequence[str] | None = None,
    wanted: Sequence[str] | None = None,
    vary: Sequence[str] = (),
    switches: str = "select",
) -> Program:
    """The Program of a quantity of a model, or of variables of connected components.

    Args:
        model: the mechanism.
        quantity: "inverse" (tau), "mass_bias" (M, c), "forward" (qdd), "mixed" (qdd, tau, from
            alpha qdd + beta tau = gamma of every velocity), "friction" (qdd, tau, friction and the
            next modes of joints that stick and slide), "gravity" (forces that hold the weight),
            "coriolis" (C), "reaction" (wrench on the ground), "reactions" (wrench in every joint
            and closure), "forces" (what every force element tells of itself), "kinematics" (pose,
            velocity, acceleration, Jacobian of every named point), "jacobians" (of every point,
            "aligned", "local", "world", and rates), "centroidal" (momentum, its matrix, rates),
            "constraints" (h, J, Jdqd, ht of the closures), "drives" (q, qd, qdd of driven
            coordinates), "energy" (kinetic, potential), "regressor" (Y, base parameters),
            "reaction_regressor" (the same of the wrench on the ground), "inverse_derivatives",
            "forward_derivatives" (those by q along der(q) = N(q) qd).
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
        known: for "mixed", what gamma is: "tau" the force, "qdd" the acceleration, "either" the
            right side of alpha qdd + beta tau = gamma with the inputs alpha and beta (0 and 1 where
            not given).  One word for all velocities, or words by name of joint or velocity with
            "tau" for those not named; by default "either" for all.  For "friction", joints of
            which either may be known have dry friction, besides which gamma acts.  Of connected
            components, paths of the variables that come from outside, in place of their inputs:
            the input `known`, in which derivatives follow where they are needed.
        wanted: of connected components, paths of the variables asked for, the output `wanted`.
        vary: scalars such as "crank.mass" that stay parameters where they are 0 or 1, as others do.
        switches: "select" makes them selections, "held" modes in x, their conditions an output.

    Returns:
        The condensed Program; inputs q, qd, … and outputs are listed by `QUANTITIES`.
    """
    check_arguments(derive, locals())
    model, told = split_known(model, known)
    if model.equations is not None:
        program = model.equations.derive(quantity, wanted, switches)
        return _with_provenance(program, model, quantity, formalism="sorted")
    _check_quantity(quantity)
    check_choice("parameters", parameters, PARAMETERS, "treatment of parameters")
    check_choice("loops", loops, LOOP_TREATMENTS, "treatment of loops")
    model, row = _with_parameters(model, vary, parameters), QUANTITIES[quantity]
    matrices = model.by_matrices or formalism == MATRICES
    closed = bool(model.closures or model.drives) and quantity in SOLVED and not matrices
    regroups = base_parameters or (not matrices and (row.regroups or BASE in row.options))
    _refuse_idle(
        model, quantity, partition=not closed and partition is not None,
        loops=not closed and loops != LOOPS, base_parameters=not regroups,
        known=told is not None and "known" not in row.options, wanted=wanted is not None,
        points=points is not None and not matrices and "points" not in row.options,
    )  # fmt: skip
    words = _beside_drives(model, EITHER if told is None else told)
    if matrices:
        program = _derive_from_matrices(model, quantity, formalism, parameters, points, words)
    elif closed:
        how = _How(quantity, formalism, parameters, loops, base_parameters, words)
        program = _derive_closed(model, how, partition)
    else:
        options = {BASE: base_parameters, "points": points, "known": words}
        program = _derive_open(model, row, formalism, parameters, options)
    return _finish(program, model, quantity, switches)


def _finish(program: Program, model: Mechanism, quantity: str, switches: str) -> Program:
    """The Program with stops, where the model has some, and switches as they were asked for."""
    check_choice("switches", switches, ("select", "held"), "treatment of switches")
    if quantity == "forward" and stopping(model):
        way = MATRICES if program.info["formalism"] == MATRICES else None
        gaps = derive(model, "gaps", way, program.info["parameters"])
        program = with_stops(plain(program), gaps, model)
    return plain(program) if switches == "select" else hold_switches(program)


def _with_parameters(model: Mechanism, names: Sequence[str], parameters: str) -> Mechanism:
    """The model with these scalars as parameters."""
    if names and parameters == "folded":
        raise UnsupportedError(
            "folded parameters cannot be varied", element="vary", cure="leave one of both out"
        )
    return model.with_varied(names)


def _derive_open(
    model: Mechanism,
    row: Quantity,
    formalism: str | None,
    parameters: str,
    options: Mapping[str, Any],
) -> Program:
    """A quantity of a tree, or one that does not know loops."""
    if (model.closures or model.drives) and row.rates == "tau":
        _refuse_closed(model, row.name)
    way, folded = row.choose(model, formalism), parameters == "folded"
    _check_masses(model, row.name in SOLVED or row.rates == "tau", options["known"], folded=folded)
    system = linkage(model, folded=folded, welds=row.welds)
    if options[BASE] and row.regroups:
        system = regroup(system, all_moves=row.minimal)
    program = condense(row.derive(system, way, **options), switches=True)
    return _with_provenance(program, model, row.name, formalism=way, parameters=parameters)


def _check_masses(
    model: Mechanism, invertible: bool, known: Mapping[str, str], *, folded: bool
) -> None:
    """Check the model; where accelerations are found, M must be regular but for the known ones."""
    held = [name for name, word in known.items() if word == QDD]
    check(model, invertible=invertible, held=held, folded=folded)


def _derive_from_matrices(
    model: Mechanism,
    quantity: str,
    formalism: str | None,
    parameters: str,
    points: Sequence[str] | None,
    known: Mapping[str, str],
) -> Program:
    """A quantity by d'Alembert's principle, from the position matrices of the bodies."""
    if formalism not in (None, MATRICES):
        raise unknown("formalism", formalism, (MATRICES,), f"model '{model.name}'")
    if points is not None and quantity in PLACED and "points" not in PLACED[quantity].options:
        raise _no_points(quantity)
    whole, of, by = DERIVATIVES.get(quantity, (quantity, "", ()))
    _check_masses(model, whole in SOLVED, known, folded=parameters == "folded")
    system = placement(model.as_frames(), folded=parameters == "folded")
    program = condense(derive_placed(system, whole, points=points, known=known), switches=True)
    program = with_motion(program, model) if quantity == "gaps" else program
    if by:
        program = replace(program.derivative(of, by, tangent=True), name=f"{model.name}_{quantity}")
    return _with_provenance(program, model, quantity, formalism=MATRICES, parameters=parameters)


def _no_points(quantity: str) -> UnsupportedError:
    return UnsupportedError(
        "it is not a quantity of points",
        element=f"quantity '{quantity}'",
        cure="leave points= out, or derive 'kinematics'",
    )


def _with_provenance(program: Program, model: Mechanism, quantity: str, **rows: str) -> Program:
    """The Program with its provenance."""
    return program.with_info(
        model=model.name, model_hash=model.content_hash(), quantity=quantity, **rows
    )


def _refuse_idle(model: Mechanism, quantity: str, **given: bool) -> None:
    """Refuse options that a quantity of this model has no use for."""
    for name, differs in given.items():
        if differs and name == "points":
            raise _no_points(quantity)
        if differs:
            use = USES.get(name, "forward dynamics with closures or drives")
            raise UnsupportedError(
                f"it is for {use}, and '{quantity}' of model '{model.name}' has none",
                element=name,
                cure=f"leave {name}= out",
            )


@dataclass(frozen=True)
class _How:
    """How forward or mixed dynamics of a closed system are derived; see `derive`."""

    quantity: str
    formalism: str | None
    parameters: str
    loops: str
    base_parameters: bool
    known: Mapping[str, str]


def _derive_closed(model: Mechanism, how: _How, given: Partition | None) -> Program:
    """Forward or mixed dynamics of a closed system."""
    loops = how.loops
    way = how.formalism or _usual_formalism(model, loops)
    if how.quantity in JOINT_LAWS and loops != LOOPS:
        raise UnsupportedError(
            f"'{how.quantity}' is written in the independent coordinates",
            element=f"loops '{loops}'",
            cure="leave loops= out",
        )
    if way not in INERTIA_AND_BIAS:
        raise unknown("formalism", way, INERTIA_AND_BIAS, "forward dynamics of a closed system")
    model.check(invertible=loops != LOOPS)
    system = linkage(model, folded=how.parameters == "folded")
    found = _partition(system, given)
    system = regroup(system) if how.base_parameters else system
    closed = Closed(INERTIA_AND_BIAS[way], found.choice(), found.labels)
    if how.quantity in JOINT_LAWS:
        program = condense(mixed_dynamics(system, closed, how.quantity, how.known), switches=True)
    else:
        try:
            program = condense(LOOP_TREATMENTS[loops](system, closed), switches=True)
        except ExpressionError as error:
            raise _light(model, loops) or error from None
    rows = {
        "loops": loops,
        "independent": ", ".join(found.independent),
        "dependent": ", ".join(found.dependent),
    }
    return _with_provenance(
        program, model, how.quantity, formalism=way, parameters=how.parameters, **rows
    )


def _check_quantity(quantity: str) -> None:
    """Refuse a quantity that there is not; equations of motion have three."""
    if quantity in ("equations", "eom", "dynamics"):
        raise UnknownNameError(
            f"there is no quantity '{quantity}'", element="quantity",
            cure="take 'forward' (qdd), 'inverse' (tau) or 'mass_bias' (M, c)",
        )  # fmt: skip
    check_choice("quantity", quantity, QUANTITIES)


def _usual_formalism(model: Mechanism, loops: str) -> str:
    """The cheapest for a closed system: M is not needed where all coordinates stay.

    Order N divides by M once per equation, so it pays where these are few beside many velocities.
    """
    equations = sum(len(closure.conditions) for closure in model.closures.values())
    long = loops != LOOPS and model.nv > max(WRITTEN_OUT, 3 * equations)
    return "order_n" if long and len(model.leaders) == len(model.joints) else "newton_euler"


def _light(model: Mechanism, loops: str) -> ModelError | None:
    """The error that names what has no inertia in the open tree, where loops do not help."""
    found = [f for f in model.findings() if f.topic == "mass"] if loops != LOOPS else []
    if not found:
        return None
    cure = f"take loops='{LOOPS}', or {found[0].cure}"
    return ModelError(found[0].problem, element=found[0].element, cure=cure)


def _partition(system: Linkage, given: Partition | None) -> Partition:
    """Stage 2: the partition given, or the one that numbers choose."""
    if given is not None:
        refuse_foreign(system.model, given)
        return given
    links = system if system.table.rows else None  # loops are closed for parameters as inputs
    return partition_at(loops_of(system.model, system=links), None, None, 0.0)


def _beside_drives(model: Mechanism, known: Known) -> dict[str, str]:
    """What is known of every velocity; a drive says it of its own."""
    words = read_known(model, known)
    for name in () if isinstance(known, str) else model.drives:
        if words[name] != TAU:
            raise UnsupportedError(
                f"a drive gives its motion, so known= cannot say '{words[name]}' of it",
                element=f"velocity '{name}'",
                cure="leave it out of known=, or remove the drive",
            )
    return {name: QDD if name in model.drives else word for name, word in words.items()}


def _refuse_closed(model: Mechanism, quantity: str) -> None:
    """Refuse what a tree's formulas would get wrong, because they know no loops."""
    raise UnsupportedError(
        "it has closures or drives, which this quantity would ignore",
        element=f"{quantity} of model '{model.name}'",
        cure="derive 'forward' and differentiate its Program",
    )


@derivation()
def derive_actuation(
    model: Mechanism,
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
    check_arguments(derive_actuation, locals())
    check_choice("parameters", parameters, PARAMETERS, "treatment of parameters")
    if model.by_matrices:
        raise UnsupportedError(
            "it is given by position matrices, which have no loops",
            element=f"actuation of model '{model.name}'",
            cure="derive 'inverse': every coordinate has its effort",
        )
    model.check(invertible=False)
    system = linkage(model, folded=parameters == "folded")
    found = _partition(system, partition)
    rolling = set(found.rate_dependent)
    independent = [name for name in found.independent if name not in rolling]
    names = list(independent if actuators is None else actuators)
    _refuse_actuators(model, names, free, independent)
    closed = Closed(INERTIA_AND_BIAS["newton_euler"], found.choice(), found.labels)
    program = condense(actuation(regroup(system), closed, names, free))
    rows = {"actuators": ", ".join(names), "independent": ", ".join(independent)}
    return _with_provenance(program, model, "actuation", parameters=parameters, **rows)


def _refuse_actuators(
    model: Mechanism, names: Sequence[str], free: Sequence[str], independent: Sequence[str]
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
