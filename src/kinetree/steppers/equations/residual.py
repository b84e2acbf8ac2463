"""The residual of the equations of motion, as Programs that a step is made of.

    r = M qdd + c - (generalised forces given),      xd = rates of the user states

`value` gives r and xd, `slopes` gives also their derivatives along der(q) = N(q) e_k (K), by qd
(C), by qdd (M) and by the user states.  Driven coordinates follow their laws.

Refs: Cuadrado2003 eqs. 1, 25 to 34 (K and C are exact here)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kinetree.engine import ZERO, Node
from kinetree.errors import UnsupportedError
from kinetree.formalism import (
    QUANTITIES,
    composite_bodies,
    declare_inputs,
    declare_laws,
    force_slopes,
    newton_euler,
    write_states,
)
from kinetree.formalism.links import Frames, Linkage
from kinetree.formalism.matrices import Placement, derive_placed
from kinetree.model import Mechanism
from kinetree.program import Program, Scheme
from kinetree.program.differentiate import forward
from kinetree.program.inline import inline
from kinetree.program.passes import dead
from kinetree.steppers.equations.increments import IncrementSpace


@dataclass(frozen=True)
class Residual:
    """The equations of motion of a system with tree coordinates.

    Attributes:
        model: the mechanism.
        space: its coordinates.
        value: inputs q, qd, qdd and others; outputs tau (nv), with user states xd.
        slopes: the same with dtau_dq, dtau_dqd, dtau_dqdd, each nv × nv; for the iterations.
        exact: the same with exact derivatives, for those of the step.
        states: derivatives that user states add: dtau_dx, dxd_dq, dxd_dqd, dxd_dx; or None.
        drives: q, qd, qdd of the driven coordinates by the time; or None.
    """

    model: Mechanism
    space: IncrementSpace
    value: Program
    slopes: Program
    exact: Program
    states: Program | None
    drives: Program | None

    @property
    def drive_numbers(self) -> dict[int, int]:
        """Number of a driven velocity -> number of its coordinate."""
        q, v = list(self.model.coordinates), list(self.model.velocities)
        return {v.index(name): q.index(name) for name in self.model.drives}

    @property
    def free(self) -> list[int]:
        """Numbers of the velocities that are not driven."""
        driven = self.drive_numbers
        return [k for k in range(self.model.nv) if k not in driven]


def residual(model: Mechanism, system: Linkage, *, tangent: str = "exact") -> Residual:
    """The equations of motion of a model, loops left aside."""
    value = rate_program(system)
    exact = QUANTITIES["inverse_derivatives"].derive(system, "newton_euler")
    slopes = exact if tangent == "exact" else _approximate(system)
    states = state_slopes(value) if model.states else None
    drives = QUANTITIES["drives"].derive(system, "recursive") if model.drives else None
    return Residual(model, IncrementSpace.of(system), value, slopes, exact, states, drives)


def matrix_residual(model: Mechanism, system: Placement) -> Residual:
    """The equations of motion of a model given by position matrices, by d'Alembert's principle."""
    value = matrix_program(system)
    slopes = forward(value, "tau", ("q", "qd", "qdd"), tangent=True)
    states = state_slopes(value) if model.states else None
    return Residual(model, IncrementSpace.of(system), value, slopes, slopes, states, None)


def matrix_program(system: Placement) -> Program:
    """The Program of tau, and of xd where there are user states, from position matrices."""
    value = derive_placed(system, "inverse")
    if not system.model.states:
        return value
    scheme = Scheme(value.name)
    for row in value.inputs:
        scheme.input(row)
    rates = derive_placed(system, "forward")
    only = dead(replace(rates, outputs=(rates.output("xd"),)))
    for program in (value, only):
        for name, nodes in inline(scheme, program, {}).items():
            out = program.output(name)
            scheme.output(name, nodes, out.shape, out.labels)
    return scheme.program()


def refuse_free_drives(model: Mechanism) -> None:
    """Refuse drives without a law: a step would not know where they go."""
    for name, drive in model.drives.items():
        if drive.law is None:
            raise UnsupportedError(
                "fixed-step methods need the law of a driven coordinate",
                element=f"drive '{name}'",
                cure="give the drive a law of the time",
            )


def rate_program(system: Linkage) -> Program:
    """The Program of tau, and of xd where there are user states."""
    scheme, frames, tau = _inverse(system, "residual")
    scheme.output("tau", tau, None, system.model.velocities)
    write_states(frames)
    return scheme.program()


def _inverse(system: Linkage, name: str) -> tuple[Scheme, Frames, Sequence[Node]]:
    """Inverse dynamics in a new scheme: M qdd + c."""
    scheme = Scheme(f"{system.model.name}_{name}")
    qdd = declare_inputs(scheme, system, "qdd")
    declare_laws(scheme, system.model)
    frames = Frames(scheme, system)
    return scheme, frames, newton_euler.inverse(frames, system.qd, qdd)


def _approximate(system: Linkage) -> Program:
    """tau, M, and K and C of the force elements alone."""
    scheme, frames, tau = _inverse(system, "approximate")
    n = system.nv
    M = composite_bodies.mass_matrix(frames)
    forces = force_slopes(frames)
    scheme.output("tau", tau, None, system.model.velocities)
    zero = [ZERO] * (n * n)
    slopes = {"q": forces.by_q, "qd": forces.by_qd} if forces else {"q": [zero], "qd": [zero]}
    for name, found in slopes.items():
        scheme.output(f"dtau_d{name}", [-x for row in found for x in row], (n, n))
    scheme.output("dtau_dqdd", [x for row in M for x in row], (n, n))
    return scheme.program()


def state_slopes(value: Program) -> Program:
    """What user states add."""
    first = forward(value, "tau", "x", only=True)
    second = forward(value, "xd", ("q", "qd", "x"), tangent=True, only=True)
    scheme = Scheme(f"{value.name}_states")
    for row in value.inputs:
        scheme.input(row)
    for program in (first, second):
        found = inline(scheme, program, {})
        for out in program.outputs:
            scheme.output(out.name, found[out.name], out.shape)
    return scheme.program()


def rows(flat: Sequence[Node], width: int) -> list[list[Node]]:
    """A matrix that was written row by row."""
    return [list(flat[k : k + width]) for k in range(0, len(flat), width)]
