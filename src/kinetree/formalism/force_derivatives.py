"""Derivatives of the generalised forces of force elements, by q and qd.

Laws are anything, so no recursion knows their slopes: the equations of the generalised forces Q are
written as a Program of their own and differentiated name by name, and the result is taken over.

    tau = (what inertia and gravity ask) - Q(q, qd, t, x)

Refs: Docquier2013 sec. 3.5.2
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kinetree.engine import Node
from kinetree.formalism.forces.link_forces import elements
from kinetree.formalism.links.frames import Frames
from kinetree.formalism.links.rates import rate_matrix
from kinetree.formalism.links.vectors import Matrix
from kinetree.formalism.newton_euler import inward, project, resting
from kinetree.model import state_symbol, time_symbol
from kinetree.program import Input, Program, Scheme
from kinetree.program.differentiate import forward
from kinetree.program.inline import inline

if TYPE_CHECKING:
    from kinetree.formalism.links.linkage import Linkage


@dataclass(frozen=True)
class ForceSlopes:
    """Q and its derivatives along der(q) = N(q) e_k and by qd."""

    Q: list[Node]
    by_q: Matrix
    by_qd: Matrix


def generalised_forces(system: Linkage) -> Program:
    """The Program q, qd, … -> Q."""
    scheme = Scheme("generalised_forces")
    n = system.nv
    scheme.input(Input("q", (len(system.q),), system.q, tangent=rate_matrix(system)))
    scheme.input(Input("qd", (n,), system.qd))
    held = [time_symbol(), *(state_symbol(name) for name in system.model.states)]
    held += system.table.symbols
    scheme.input(Input("held", (len(held),), tuple(held)))
    frames = Frames(scheme, system)
    outer = elements(frames)
    less = project(frames, *inward(frames, resting(len(system.links)), outer), outer)
    scheme.output("Q", [-x for x in less])
    return scheme.program()


def force_slopes(frames: Frames) -> ForceSlopes | None:
    """Q and its slopes, written into the scheme of `frames`; None without force elements."""
    system = frames.system
    if not system.model.forces:
        return None
    program = forward(generalised_forces(system), "Q", ("q", "qd"), tangent=True, condensed=False)
    found = inline(frames.scheme, program, {})

    def rows(name: str) -> Matrix:
        nodes, width = found[name], program.output(name).shape[-1]
        return [list(nodes[k : k + width]) for k in range(0, len(nodes), width)]

    return ForceSlopes(rows("Q")[0], rows("dQ_dq"), rows("dQ_dqd"))
