"""Forward dynamics that give outputs, too: whatever the outputs depend on is found on the way.

Coordinates and velocities are the consistent ones; accelerations, multipliers and the forces of
what holds joints are those that the dynamics find.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kinetree.analysis.observing.program import OUT, derive_outputs
from kinetree.engine import ZERO, Node, derivation, symbols
from kinetree.model import Mechanism, output_names, time_symbol
from kinetree.program import Input, Output, Program, Scheme, state_form
from kinetree.program.inline import inline
from kinetree.program.parameters import join_parameters

FOUND = ("qdd", "hold")
"""Inputs of outputs that are outputs of forward dynamics, one value per velocity."""
FORCES = ("lam", "contact", "grip")
"""The same by their labels: forces that close loops, of stops, of friction between bodies."""


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


def attach_used(
    model: Mechanism, forward: Program, nodes: Sequence[Node]
) -> tuple[Program, dict[Node, Node]]:
    """Forward dynamics in which expressions find the outputs that they use.

    Args:
        model: that offers the outputs.
        forward: its forward dynamics.
        nodes: expressions of the state, the time, parameters and outputs.

    Returns:
        Forward dynamics with the equations of these outputs, and the value of each by its symbol.
    """
    used, known = set(symbols(nodes)), {s for row in forward.inputs for s in row.symbols}
    if used <= {*known, time_symbol()}:
        return forward, {}
    offered = {s: name for name, s in output_names(model)["outputs"].items()}
    found = {s: offered[s] for s in used - known if s in offered}
    if not found:
        return forward, {}
    seen = derive_outputs(model, sorted(found.values()))
    whole = attach(forward, seen.program)
    values = _by_label(whole.output(OUT))
    return replace(whole, outputs=forward.outputs), {s: values[name] for s, name in found.items()}


def _join_inputs(forward: Program, program: Program) -> dict[str, Input]:
    """The inputs of forward dynamics, and those of outputs that these do not find."""
    found = {row.name: row for row in forward.inputs}
    for row in program.inputs:
        if row.name == "p" and "p" in found:
            found["p"] = join_parameters(found["p"], row)
        elif row.name not in (*found, *FOUND, *FORCES):
            found[row.name] = row
    return found


def _meaning(forward: Program, program: Program, inputs: dict[str, Input]) -> dict[Node, Node]:
    """What the symbols of outputs stand for in forward dynamics."""
    q, qd = state_form.consistent(forward)
    known: dict[str, Sequence[Node]] = {"q": q, "qd": qd}
    known |= {name: forward.output(name).nodes for name in FOUND if forward.gives(name)}
    new: dict[Node, Node] = {}
    for row in program.inputs:
        if row.name in FORCES:
            own = _by_label(forward.output(row.name)) if forward.gives(row.name) else {}
            new |= {s: own.get(k, ZERO) for s, k in zip(row.symbols, row.labels, strict=True)}
        elif row.name in ("p", "x"):  # behind states there may be their tangents
            own = _by_label(inputs[row.name])
            new |= {s: own[label] for s, label in zip(row.symbols, row.labels, strict=True)}
        else:
            nodes = known[row.name] if row.name in known else inputs[row.name].symbols
            new |= zip(row.symbols, nodes, strict=True)
    return new


def _by_label(row: Input | Output) -> dict[str, Node]:
    nodes = row.symbols if isinstance(row, Input) else row.nodes
    return dict(zip(row.labels, nodes, strict=True))
