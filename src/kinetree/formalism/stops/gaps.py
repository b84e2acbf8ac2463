"""Gaps of stops and their motion: values, rates, and what their accelerations are made of.

    rate = J qd + ∂gap/∂t,      acceleration = J qdd + Jdqd

Refs: PfeifferGlocker1996 sec. 2 (kinematics of contacts)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kinetree.engine import ZERO, Node, linear, mul, symbols
from kinetree.errors import ModelError, UnsupportedError
from kinetree.formalism.forces.link_forces import elements
from kinetree.model import Mechanism, state_symbol
from kinetree.program import Output, Program, Scheme
from kinetree.program.passes import condense

if TYPE_CHECKING:
    from kinetree.formalism.forces.force_writer import ExternalInputs
    from kinetree.formalism.links.frames import Frames
    from kinetree.formalism.view import MechanismView

DATA = ("restitution", "shortest")
RESULTS = ("gap", "rate", "J", "Jdqd", "restitution", "shortest", "gravity")


def gaps(frames: Frames, _: tuple[Node, ...]) -> None:
    """Write gap, restitution and gravity of a mechanism of links."""
    write_gaps(frames.scheme, frames.system, elements(frames))


def write_gaps(scheme: Scheme, system: MechanismView, given: ExternalInputs) -> None:
    """Write the gaps that force elements gave, and how fast things fall [m/s2]."""
    labels = tuple(given.stops)
    if not labels:
        raise UnsupportedError(
            "the model has no stops", element="quantity 'gaps'", cure="add one by model.stop"
        )
    for title, nodes in zip(
        RESULTS[:1] + DATA, zip(*given.stops.values(), strict=True), strict=True
    ):
        scheme.output(title, nodes, None, labels)
    scheme.output("gravity", system.table.gravity)


def with_motion(program: Program, model: Mechanism, **_: Any) -> Program:
    """The same gaps with their rates, J and Jdqd."""
    program = condense(program)
    _refuse_states(program, model)
    by = [name for name in ("q", "t") if program.takes(name)]
    first = program.derivative("gap", by, tangent=True, condensed=False)
    labels, qd = program.output("gap").labels, program.input("qd").symbols
    J = first.output("dgap_dq").nodes
    outputs = (
        *(out for out in first.outputs if not out.name.startswith("dgap_")),
        Output("J", (len(labels), len(qd)), J),
        Output("rate", (len(labels),), _along(first, "gap", qd), labels),
    )
    moving = replace(first, outputs=outputs)
    second = moving.derivative("rate", by, tangent=True, condensed=False)
    bias = Output("Jdqd", (len(labels),), _along(second, "rate", qd), labels)
    found = {out.name: out for out in (*second.outputs, bias)}
    return condense(replace(second, name=program.name, outputs=tuple(found[k] for k in RESULTS)))


def _along(program: Program, name: str, qd: Sequence[Node]) -> tuple[Node, ...]:
    """Rates of an output along the motion, velocities constant."""
    n = len(qd)
    by_q = program.output(f"d{name}_dq").nodes
    by_t = program.output(f"d{name}_dt").nodes if program.gives(f"d{name}_dt") else ()
    size = len(program.output(name).nodes)
    return tuple(
        linear(
            0,
            (
                (by_t[k] if by_t else ZERO, 1),
                *((mul(x, v), 1) for x, v in zip(by_q[k * n : k * n + n], qd, strict=True)),
            ),
        )
        for k in range(size)
    )


def _refuse_states(program: Program, model: Mechanism) -> None:
    """Refuse gaps that change by what has a rate of its own."""
    used = set(symbols(program.roots()))
    for state in model.states.values():
        if not state.held and state_symbol(state.name) in used:
            raise ModelError(
                f"its gap depends on the state '{state.name}'",
                element=f"model '{model.name}'",
                cure="write gaps with coordinates, the time, modes and parameters alone",
            )
