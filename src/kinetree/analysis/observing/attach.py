"""Forward dynamics that give outputs, too: whatever the outputs depend on is found on the way.

Coordinates and velocities are the consistent ones; accelerations, multipliers and the forces of
what holds joints are those that the dynamics find.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kinetree.engine import ZERO, Node, derivation
from kinetree.program import Input, Output, Program, Scheme, state_form
from kinetree.program.inline import inline
from kinetree.program.parameters import join_parameters

if TYPE_CHECKING:
    from collections.abc import Sequence

FOUND = ("qdd", "hold")
"""Inputs of outputs that are outputs of forward dynamics."""


@derivation()
def attach(forward: Program, program: Program) -> Program:
    """Forward dynamics with the outputs of another Program after its own, not condensed.

    Args:
        forward: forward dynamics.
        program: of q, qd, qdd, tau, lam, hold, t, x, external wrenches, p.
    """
    scheme = Scheme(forward.name)
    inputs = _join_inputs(forward, program)
    for row in inputs.values():
        scheme.input(row)
    for block in forward.all_blocks:
        scheme.append_block(block)
    values = inline(scheme, program, _meaning(forward, program, inputs))
    written = scheme.program(**dict(forward.info))
    new = [
        Output(out.name, out.shape, values[out.name], out.labels, out.note)
        for out in program.outputs
    ]
    return replace(written, outputs=(*forward.outputs, *new))


def _join_inputs(forward: Program, program: Program) -> dict[str, Input]:
    """The inputs of forward dynamics, and those of outputs that these do not find."""
    found = {row.name: row for row in forward.inputs}
    for row in program.inputs:
        if row.name == "p" and "p" in found:
            found["p"] = join_parameters(found["p"], row)
        elif row.name not in (*found, *FOUND, "lam"):
            found[row.name] = row
    return found


def _meaning(forward: Program, program: Program, inputs: dict[str, Input]) -> dict[Node, Node]:
    """What the symbols of outputs stand for in forward dynamics."""
    q, qd = state_form.consistent(forward)
    known: dict[str, Sequence[Node]] = {"q": q, "qd": qd}
    known |= {name: forward.output(name).nodes for name in FOUND if forward.gives(name)}
    new: dict[Node, Node] = {}
    for row in program.inputs:
        if row.name == "lam":
            own = _by_label(forward.output("lam")) if forward.gives("lam") else {}
            new |= {s: own.get(k, ZERO) for s, k in zip(row.symbols, row.labels, strict=True)}
        elif row.name == "p":
            own = _by_label(inputs["p"])
            new |= {s: own[label] for s, label in zip(row.symbols, row.labels, strict=True)}
        else:
            nodes = known[row.name] if row.name in known else inputs[row.name].symbols
            new |= zip(row.symbols, nodes, strict=True)
    return new


def _by_label(row: Input | Output) -> dict[str, Node]:
    nodes = row.symbols if isinstance(row, Input) else row.nodes
    return dict(zip(row.labels, nodes, strict=True))


__all__ = ["attach"]
