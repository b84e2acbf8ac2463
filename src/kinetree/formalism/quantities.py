"""Quantities: what can be derived, from which inputs, by which formalism.  One row each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kinetree.engine import Node, Rank, symbol
from kinetree.errors import unknown
from kinetree.formalism import mass_matrix, newton_euler, order_n
from kinetree.formalism.frames import Frames
from kinetree.program import Input, Note, Program, Scheme
from kinetree.program.solving import WRITTEN_OUT, solve_symmetric

if TYPE_CHECKING:
    from kinetree.formalism.linkage import Linkage
    from kinetree.model.system import Model

Write = Callable[[Frames, tuple[Node, ...]], None]


@dataclass(frozen=True)
class Quantity:
    """One row: how a quantity is written down.

    Attributes:
        name: what the user asks for.
        rates: third input after q and qd: "qdd", "tau" or none.
        ways: formalism -> the function that writes inputs to outputs into a scheme.
        regroups: whether base parameters may replace the given ones.
        velocities: whether qd goes in.
        wrenches: whether external wrenches go in.
    """

    name: str
    rates: str
    ways: Mapping[str, Write]
    regroups: bool = True
    velocities: bool = True
    wrenches: bool = True

    def choose(self, model: Model, formalism: str | None) -> str:
        """The formalism to use; the first row unless the user or the model's size says otherwise."""
        if formalism is None:
            names = tuple(self.ways)
            large = model.nv > WRITTEN_OUT and "order_n" in self.ways
            return "order_n" if large else names[0]
        if formalism not in self.ways:
            raise unknown("formalism", formalism, self.ways, f"quantity '{self.name}'")
        return formalism

    def derive(self, system: Linkage, way: str) -> Program:
        """The Program, not yet condensed."""
        scheme = Scheme(f"{system.model.name}_{self.name}")
        rates = declare_inputs(
            scheme, system, self.rates, velocities=self.velocities, wrenches=self.wrenches
        )
        self.ways[way](Frames(scheme, system), rates)
        return scheme.program()


def declare_inputs(
    scheme: Scheme, system: Linkage, rates: str, *, velocities: bool = True, wrenches: bool = True
) -> tuple[Node, ...]:
    """Declare q, qd, the rates, external wrenches and parameters; the symbols of the rates."""
    model, table = system.model, system.table
    joints = model.joints.values()
    q_units = tuple(unit for joint in joints for unit in joint.q_units)
    v_units = tuple(unit for joint in joints for unit in joint.v_units)
    scheme.input(Input("q", (model.nq,), system.q, None, False, tuple(model.coordinates), q_units))
    names = tuple(model.velocities)
    if velocities:
        scheme.input(Input("qd", (model.nv,), system.qd, None, False, names, v_units))
    third: tuple[Node, ...] = ()
    if rates:
        rank = Rank.ACCELERATION if rates == "qdd" else Rank.FORCE
        third = tuple(symbol(f"{rates}_{name}", rank) for name in names)
        scheme.input(Input(rates, (model.nv,), third, None, False, names))
    for wrench in model.wrenches.values() if wrenches else ():
        six = newton_euler.wrench_symbols(wrench.name)
        scheme.input(Input(wrench.name, (6,), six, (0.0,) * 6))
    if table.rows:
        scheme.input(
            Input("p", (len(table.rows),), table.symbols, table.defaults, True, table.names, table.units)
        )
    return third


def _inverse(frames: Frames, qdd: tuple[Node, ...]) -> None:
    names = frames.system.model.velocities
    frames.scheme.output("tau", newton_euler.inverse(frames, frames.system.qd, qdd), None, names)


def _mass_bias(frames: Frames, _: tuple[Node, ...]) -> None:
    M = mass_matrix.mass_matrix(frames)
    c = newton_euler.bias(frames, frames.system.qd)
    n = frames.system.nv
    frames.scheme.output("M", [x for row in M for x in row], (n, n))
    frames.scheme.output("c", c, None, frames.system.model.velocities)


def _forward_cholesky(frames: Frames, tau: tuple[Node, ...]) -> None:
    M = mass_matrix.mass_matrix(frames)
    c = newton_euler.bias(frames, frames.system.qd)
    b = [t - x for t, x in zip(tau, c, strict=True)]
    if len(b) <= WRITTEN_OUT:
        qdd = solve_symmetric(frames.scheme, "qdd", M, b)
    else:
        note = Note(step="M qdd = tau - c", eq="Docquier2013 eq. (1)")
        qdd = [row[0] for row in frames.scheme.solve("qdd", M, [[x] for x in b], note=note)]
    frames.scheme.output("qdd", qdd, None, frames.system.model.velocities)


def _forward_order_n(frames: Frames, tau: tuple[Node, ...]) -> None:
    qdd = order_n.forward(frames, frames.system.qd, tau)
    frames.scheme.output("qdd", qdd, None, frames.system.model.velocities)


def _reaction(frames: Frames, qdd: tuple[Node, ...]) -> None:
    force, torque = newton_euler.reaction(frames, frames.system.qd, qdd)
    frames.scheme.output("wrench", (*torque, *force))


ALL: tuple[Quantity, ...] = (
    Quantity("inverse", "qdd", {"newton_euler": _inverse}),
    Quantity("mass_bias", "", {"newton_euler": _mass_bias}),
    Quantity("forward", "tau", {"newton_euler": _forward_cholesky, "order_n": _forward_order_n}),
    Quantity("reaction", "qdd", {"newton_euler": _reaction}, regroups=False),
)
QUANTITIES: dict[str, Quantity] = {row.name: row for row in ALL}
