"""Speeds that rub, other than velocities: how they follow the velocities, and their drift.

    s = J(q, t) qd + …,      sd = J qdd + b

Speeds are anything linear in qd that a kind of force names, so no recursion knows J and b: the
equations of the speeds are written as a Program of their own and differentiated name by name, by qd
and along the motion, and the result is taken over.

Refs: Docquier2013 sec. 3.5.2
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kinetree.engine import ONE, ZERO, Node, linear, mul
from kinetree.formalism.forces.link_forces import elements
from kinetree.formalism.links.frames import Frames
from kinetree.formalism.links.rates import rate_matrix
from kinetree.model import state_symbol, time_symbol
from kinetree.program import Input, Program, Scheme
from kinetree.program.differentiate import forward
from kinetree.program.inline import inline

if TYPE_CHECKING:
    from kinetree.formalism.links.linkage import Linkage


@dataclass(frozen=True)
class GripMotion:
    """A speed s, its J by velocity number, zeros left out, and b, its rate at qdd = 0."""

    speed: Node
    J: dict[int, Node]
    drift: Node


def write_speeds(system: Linkage) -> Program:
    """The Program q and t, qd, … -> s of all grips; q and t move as qd says."""
    scheme, t = Scheme("speeds"), time_symbol()
    N = rate_matrix(system)
    along = [linear(0, tuple((mul(x, v), 1) for x, v in zip(row, system.qd, strict=True)))
             for row in N] if N else list(system.qd)  # fmt: skip
    moved = (*((x,) for x in along), (ONE,))
    scheme.input(Input("q", (len(system.q) + 1,), (*system.q, t), tangent=moved))
    scheme.input(Input("qd", (system.nv,), system.qd))
    held = [state_symbol(name) for name in system.model.states]
    held += system.table.symbols
    scheme.input(Input("held", (len(held),), tuple(held)))
    given = elements(Frames(scheme, system))
    scheme.output("s", [grip.speed for grip in given.grips.values()])
    return scheme.program()


def grip_motions(frames: Frames) -> list[GripMotion]:
    """The motion of every grip, written into the scheme of `frames`."""
    program = forward(write_speeds(frames.system), "s", ("qd", "q"), tangent=True, condensed=False)
    found, nv = inline(frames.scheme, program, {}), frames.system.nv
    return [
        GripMotion(
            speed,
            {k: x for k, x in enumerate(found["ds_dqd"][i * nv : (i + 1) * nv]) if x is not ZERO},
            found["ds_dq"][i],
        )
        for i, speed in enumerate(found["s"])
    ]
