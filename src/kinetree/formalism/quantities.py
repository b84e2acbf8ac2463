"""Quantities: what can be derived, from which inputs, by which formalism.  One row each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kinetree.engine import ONE, Node, Rank, substitute, symbol
from kinetree.errors import UnsupportedError, unknown
from kinetree.formalism import composite_bodies, lagrange, newton_euler, order_n, virtual_power
from kinetree.formalism.base_columns import independent_columns
from kinetree.formalism.derivatives import inverse_derivatives
from kinetree.formalism.energy import energy
from kinetree.formalism.forces.link_forces import elements, state_rates, write_outputs
from kinetree.formalism.forward_derivatives import forward_derivatives
from kinetree.formalism.held.bonds import Bond, solve_bound
from kinetree.formalism.held.dry_friction import declare_friction
from kinetree.formalism.held.held_joints import HeldJoints, hold_joints
from kinetree.formalism.inertia_bias import INERTIA_AND_BIAS, Build
from kinetree.formalism.joint_equations import (
    Declare,
    JointEquation,
    JointMotion,
    count_from_given,
    declare_equations,
    given_accelerations,
    solve_mixed,
    whole_accelerations,
)
from kinetree.formalism.kinematics import jacobians, kinematics
from kinetree.formalism.links.frames import Frames
from kinetree.formalism.links.passage import wrench_symbols
from kinetree.formalism.links.rates import rate_matrix
from kinetree.formalism.links.vectors import Matrix
from kinetree.formalism.loops.constraints import constraints
from kinetree.formalism.loops.drives import drives
from kinetree.formalism.loops.validity import valid
from kinetree.formalism.momentum.centroidal import centroidal
from kinetree.formalism.momentum.coriolis import coriolis
from kinetree.formalism.reactions import reactions
from kinetree.formalism.regressor import reaction_regressor, regressor
from kinetree.formalism.stops import gaps, with_motion
from kinetree.model import (
    Mechanism,
    gimbal_locks,
    gripping,
    holding,
    quaternions,
    refuse_pushes,
    state_symbol,
    time_symbol,
    uses_time,
)
from kinetree.program import Input, Note, Program, Scheme
from kinetree.program.solving import WRITTEN_OUT, solve_by_size

if TYPE_CHECKING:
    from kinetree.formalism.links.linkage import Linkage
    from kinetree.formalism.view import MechanismView
    from kinetree.program.locks import Locks

WriteFunction = Callable[..., None]
"""(frames, rates, the row's options by name): writes equations and outputs into the scheme."""
SolveJoints = Callable[[Frames, Sequence["JointEquation"]], tuple[list[Node], list[Node]]]
"""(frames, one equation per velocity) -> accelerations and forces."""


@dataclass(frozen=True)
class Quantity:
    """One row: how a quantity is written down.

    Attributes:
        name: what the user asks for.
        rates: third input after q and qd: "qdd", "tau", "gamma" or none.
        ways: formalism -> the function that writes inputs to outputs into a scheme.
        regroups: whether base parameters may replace the given ones.
        velocities: whether qd goes in.
        wrenches: whether external wrenches go in.
        options: arguments of `derive` that the functions take.
        laws: whether the time t and the user states x go in, where a law of the model uses them.
        welds: whether fixed joints are links of their own.
        minimal: whether every regrouping pays, because tensors are turned from link to link too.
        finish: what is done with the Program that was written, given the model and the options.
    """

    name: str
    rates: str
    ways: Mapping[str, WriteFunction]
    regroups: bool = True
    velocities: bool = True
    wrenches: bool = True
    options: tuple[str, ...] = ()
    laws: bool = True
    minimal: bool = False
    welds: bool = False
    finish: Callable[..., Program] | None = None

    def choose(self, model: Mechanism, formalism: str | None) -> str:
        """The formalism to use: the first, unless the user or the model's size says otherwise."""
        if formalism is None:
            names = tuple(self.ways)
            large = model.nv > WRITTEN_OUT and "order_n" in self.ways
            large = large and len(model.leaders) == len(model.joints) and not gripping(model)
            return "order_n" if large else names[0]
        if formalism not in self.ways:
            raise unknown("formalism", formalism, self.ways, f"quantity '{self.name}'")
        return formalism

    def derive(self, system: Linkage, way: str, **options: Any) -> Program:
        """The Program, not yet condensed; options the row does not take are left aside."""
        scheme = Scheme(f"{system.model.name}_{self.name}")
        rates = declare_inputs(
            scheme, system, self.rates, velocities=self.velocities, wrenches=self.wrenches
        )
        if self.laws:
            declare_laws(scheme, system.model)
        taken = {name: options[name] for name in self.options if name in options}
        self.ways[way](Frames(scheme, system), rates, **taken)
        program = scheme.program()
        return self.finish(program, system.model, **taken) if self.finish else program


def declare_inputs(
    scheme: Scheme,
    system: MechanismView,
    rates: str,
    *,
    velocities: bool = True,
    wrenches: bool = True,
) -> tuple[Node, ...]:
    """Declare q, qd, the rates, external wrenches and parameters; the symbols of the rates."""
    locks = gimbal_locks(system.model) if rates in ("tau", "gamma") else ()
    declare_coordinates(scheme, system, system.q, locks)
    if velocities:
        declare_velocities(scheme, system, system.qd)
    return declare_loads(scheme, system, rates, wrenches=wrenches)


def declare_coordinates(
    scheme: Scheme, system: MechanismView, q: Sequence[Node], locks: Locks = ()
) -> None:
    """Declare q under some symbols, with the gimbal locks at which the outputs have no value."""
    model = system.model
    units = tuple(unit for joint in model.leaders for unit in joint.q_units)
    own = dict(zip(system.q, q, strict=True))
    N = tuple(tuple(substitute(row, own)) for row in rate_matrix(system))
    labels = tuple(model.coordinates)
    turning = tuple(quaternions(model))
    scheme.input(Input("q", (model.nq,), tuple(q), None, False, labels, units, N, turning, locks))


def declare_velocities(scheme: Scheme, system: MechanismView, qd: Sequence[Node]) -> None:
    """Declare qd under some symbols."""
    model = system.model
    units = tuple(unit for joint in model.leaders for unit in joint.v_units)
    labels = tuple(model.velocities)
    scheme.input(Input("qd", (model.nv,), tuple(qd), None, False, labels, units))


def declare_loads(
    scheme: Scheme, system: MechanismView, rates: str, *, wrenches: bool = True
) -> tuple[Node, ...]:
    """Declare the rates, external wrenches and parameters; the symbols of the rates."""
    model, table = system.model, system.table
    names = tuple(model.velocities)
    third: tuple[Node, ...] = ()
    if rates:
        rank = Rank.ACCELERATION if rates == "qdd" else Rank.FORCE
        third = tuple(symbol(f"{rates}_{name}", rank) for name in names)
        scheme.input(Input(rates, (model.nv,), third, None, False, names))
    for wrench in model.wrenches.values() if wrenches else ():
        six = wrench_symbols(wrench.name)
        scheme.input(Input(wrench.name, (6,), six, (0.0,) * 6))
    if table.rows:
        size, units = (len(table.rows),), table.units
        values = table.defaults
        scheme.input(Input("p", size, table.symbols, values, True, table.names, units))
    return third


def declare_laws(scheme: Scheme, model: Mechanism) -> None:
    """Declare the time t and the user states x, where the model has laws that use them."""
    if uses_time(model):
        scheme.input(Input("t", (), (time_symbol(),), None, False, ("t",), ("s",)))
    if model.states:
        names = tuple(model.states)
        values = tuple(state.initial for state in model.states.values())
        units = tuple(state.unit for state in model.states.values())
        x = tuple(state_symbol(name) for name in names)
        scheme.input(Input("x", (len(x),), x, values, False, names, units))


def write_states(frames: Frames) -> None:
    """Write the output xd, the rates of the user states, where there are any."""
    names = tuple(frames.system.model.states)
    if names:
        frames.scheme.output("xd", state_rates(frames), None, names)


def _write_inverse(solve: Callable[..., list[Node]]) -> WriteFunction:
    """Inverse dynamics by a formalism's function of (frames, qd, qdd)."""

    def write(frames: Frames, qdd: tuple[Node, ...]) -> None:
        tau = solve(frames, frames.system.qd, qdd)
        frames.scheme.output("tau", tau, None, frames.system.model.velocities)

    return write


def _composite(frames: Frames, qd: tuple[Node, ...]) -> tuple[Matrix, list[Node]]:
    """M by composite bodies, c by Newton-Euler."""
    return composite_bodies.mass_matrix(frames), newton_euler.bias(frames, qd)


def _write_mass_bias(build: Callable[..., tuple[Matrix, list[Node]]]) -> WriteFunction:
    """M and c by a formalism's function of (frames, qd)."""

    def write(frames: Frames, _: tuple[Node, ...]) -> None:
        M, c = build(frames, frames.system.qd)
        n = frames.system.nv
        frames.scheme.output("M", [x for row in M for x in row], (n, n))
        frames.scheme.output("c", c, None, frames.system.model.velocities)

    return write


def _write_forward(name: str, build: Callable[..., tuple[Matrix, list[Node]]]) -> WriteFunction:
    """Accelerations from a formalism's M and c."""

    def write(frames: Frames, tau: tuple[Node, ...]) -> None:
        if _write_held(frames, tau, INERTIA_AND_BIAS[name]):
            return
        M, c = build(frames, frames.system.qd)
        b = [t - x for t, x in zip(tau, c, strict=True)]
        note = Note(step="M qdd = tau - c", eq="Docquier2013 eq. (1)")
        qdd = solve_by_size(frames.scheme, "qdd", M, b, note)
        frames.scheme.output("qdd", qdd, None, frames.system.model.velocities)
        write_states(frames)

    return write


def _write_held(frames: Frames, tau: tuple[Node, ...], build: Build | None) -> bool:
    """Accelerations with joints that are held still; False where nothing may hold any.

    Args:
        frames: the links.
        tau: known forces.
        build: M and c of a formalism; none of order N.
    """
    model = frames.system.model
    if not holding(model):
        return False
    law = hold_joints(frames, tau, elements(frames))
    if law.bonds:
        motion = _solve_bonds(frames, law, build)
    else:
        solve = _solve_order_n if build is None else _solve_by(build)
        motion = JointMotion(frames.system.qd, *solve(frames, law.equations))
    law.write(frames.scheme, motion)
    write_states(frames)
    return True


def _solve_bonds(frames: Frames, law: HeldJoints, build: Build | None) -> JointMotion:
    """Accelerations and forces where speeds other than velocities rub."""
    if build is None:
        raise UnsupportedError(
            "it holds no velocity of the model, which order N does not know",
            element=f"friction '{law.bonds[0].name}'",
            cure="leave formalism= out",
        )
    qd, rows = frames.system.qd, law.equations
    M, c = build(frames, qd, given_accelerations(rows))
    assert not callable(M)
    bonds = [Bond(bond.J, bond.drift, bond.equation, bond.excess) for bond in law.bonds]
    found = solve_bound(frames.scheme, M, c, count_from_given(rows), bonds)
    good = valid(frames.scheme, found.tests) if found.tests else ONE
    along = list(zip(found.forces, found.rates, found.sizes[len(qd) :], strict=True))
    qdd = whole_accelerations(rows, found.udd)
    changes, sizes = (dict(enumerate(x)) for x in (found.changes, found.sizes[: len(qd)]))
    return JointMotion(qd, qdd, found.tau, changes, sizes, good, along)


def _forward_order_n(frames: Frames, tau: tuple[Node, ...]) -> None:
    if _write_held(frames, tau, None):
        return
    qdd = order_n.forward(frames, frames.system.qd, tau)
    frames.scheme.output("qdd", qdd, None, frames.system.model.velocities)
    write_states(frames)


def _solve_by(build: Build) -> SolveJoints:
    """Accelerations and forces from a formalism's M, and c at the known accelerations."""

    def solve(frames: Frames, rows: Sequence[JointEquation]) -> tuple[list[Node], list[Node]]:
        M, c = build(frames, frames.system.qd, given_accelerations(rows))
        assert not callable(M)
        qdd, tau = solve_mixed(frames.scheme, M, c, count_from_given(rows))
        return whole_accelerations(rows, qdd), tau

    return solve


def _solve_order_n(frames: Frames, rows: Sequence[JointEquation]) -> tuple[list[Node], list[Node]]:
    return order_n.mixed_dynamics(frames, frames.system.qd, rows)


def _write_joints(declare: Declare, solve: SolveJoints) -> WriteFunction:
    """Accelerations and forces that obey one equation per velocity."""

    def write(frames: Frames, gamma: tuple[Node, ...], known: Mapping[str, str]) -> None:
        law = declare(frames.scheme, gamma, known)
        law.write(frames.scheme, JointMotion(frames.system.qd, *solve(frames, law.equations)))
        write_states(frames)

    return write


def _reaction(frames: Frames, qdd: tuple[Node, ...]) -> None:
    refuse_pushes(frames.system.model, "quantity 'reaction'")
    force, torque = newton_euler.reaction(frames, frames.system.qd, qdd)
    frames.scheme.output("wrench", (*torque, *force))


_BUILD = {
    "newton_euler": _composite,
    "virtual_power": virtual_power.mass_bias,
    "lagrange": lagrange.mass_bias,
}
_INVERSE = {
    "newton_euler": _write_inverse(newton_euler.inverse),
    "virtual_power": _write_inverse(virtual_power.inverse),
    "lagrange": _write_inverse(lagrange.inverse),
}
_FORWARD = {name: _write_forward(name, build) for name, build in _BUILD.items()}

_JOINTS = {name: _solve_by(INERTIA_AND_BIAS[name]) for name in _BUILD} | {"order_n": _solve_order_n}
JOINT_LAWS: dict[str, Declare] = {"mixed": declare_equations, "friction": declare_friction}
"""Quantity of joints with equations of their own -> what declares these."""

ALL: tuple[Quantity, ...] = (
    Quantity("inverse", "qdd", _INVERSE),
    Quantity("mass_bias", "", {name: _write_mass_bias(build) for name, build in _BUILD.items()}),
    Quantity("forward", "tau", {**_FORWARD, "order_n": _forward_order_n}),
    *(
        Quantity(
            name, "gamma", {way: _write_joints(law, solve) for way, solve in _JOINTS.items()},
            options=("known",),
        )
        for name, law in JOINT_LAWS.items()
    ),
    Quantity("reaction", "qdd", {"newton_euler": _reaction}, regroups=False),
    Quantity("reactions", "qdd", {"newton_euler": reactions}, regroups=False, welds=True),
    Quantity("forces", "", {"recursive": write_outputs}, regroups=False, wrenches=False),
    Quantity(
        "kinematics", "qdd", {"recursive": kinematics}, False, wrenches=False, options=("points",),
        laws=False,
    ),
    Quantity(
        "jacobians", "", {"recursive": jacobians}, False, wrenches=False, options=("points",),
        laws=False,
    ),
    Quantity(
        "gravity", "", {"newton_euler": newton_euler.gravity}, velocities=False, wrenches=False,
        laws=False,
    ),
    Quantity("coriolis", "", {"composite": coriolis}, wrenches=False, laws=False),
    Quantity(
        "centroidal", "qdd", {"composite": centroidal}, False, wrenches=False, laws=False
    ),
    Quantity(
        "constraints", "", {"recursive": constraints}, regroups=False, wrenches=False,
        options=("values",),
    ),
    Quantity(
        "gaps", "", {"recursive": gaps}, regroups=False, wrenches=False, finish=with_motion
    ),
    Quantity("drives", "", {"recursive": drives}, False, False, wrenches=False),
    Quantity("energy", "", {"recursive": energy}, regroups=False, wrenches=False, laws=False),
    Quantity(
        "regressor", "qdd", {"virtual_power": regressor}, False, wrenches=False,
        options=("base_parameters",), laws=False, finish=independent_columns,
    ),
    Quantity(
        "reaction_regressor", "qdd", {"virtual_power": reaction_regressor}, False, wrenches=False,
        options=("base_parameters",), laws=False, finish=independent_columns,
    ),
    Quantity(
        "inverse_derivatives", "qdd", {"newton_euler": inverse_derivatives}, minimal=True
    ),
    Quantity(
        "forward_derivatives", "tau", {"newton_euler": forward_derivatives}, minimal=True
    ),
)  # fmt: skip
QUANTITIES: dict[str, Quantity] = {row.name: row for row in ALL}
