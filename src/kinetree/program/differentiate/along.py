"""Along one direction: how outputs change with the inputs, J times a vector, without J.

The Program is two to three times the size of the one it is made from, whatever the number of inputs
is; column by column it gives J where that would be too large to be written.

Refs: Griewank2008 ch. 3
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from kinetree.arguments import check_arguments
from kinetree.engine import Node, Rank, derivation, linear, mul, symbol
from kinetree.program.differentiate.directions import By, Directions, directions, names
from kinetree.program.differentiate.forward import forward_along
from kinetree.program.program import Input, Output, Program


@derivation()
def along(program: Program, of: str | Sequence[str], by: By, *, tangent: bool = False) -> Program:
    """The Program that also gives the changes of outputs along a direction that is given.

    Args:
        program: any Program, condensed or not.
        of: an output, or several.
        by: an input or several; each brings an input "{by}_dot", its change.  A mapping from the
            input to labels takes these components alone.
        tangent: changes of q along its tangent directions, q_dot = N(q) v, given by v.

    Returns:
        The Program with outputs "{of}_dot" of the outputs' shapes: J times the changes.
    """
    check_arguments(along, locals())
    rows = directions(program, by, tangent=tangent)
    changes = [_change(group) for group in rows]
    seeded = replace(program, inputs=(*program.inputs, *changes))
    moves = [move for group, row in zip(rows, changes, strict=True) for move in _moves(group, row)]
    together: dict[Node, list[tuple[Node, int]]] = {}
    for move in moves:
        for s, x in move.items():
            together.setdefault(s, []).append((x, 1))
    move = {s: linear(0, tuple(terms)) for s, terms in together.items()}
    found = forward_along(seeded, of, [move])
    renamed = {f"d{name}_dalong": program.output(name) for name in names(of)}
    outputs = tuple(_dot(out, renamed[out.name]) if out.name in renamed else out
                    for out in found.outputs)  # fmt: skip
    return replace(found, outputs=outputs)


def _change(group: Directions) -> Input:
    """The input that gives the change of another one; 0 where it is not given."""
    name, count = f"{group.row.name}_dot", len(group.moves)
    values = tuple(symbol(f"{name}_{k}", Rank.VELOCITY) for k in range(1, count + 1))
    return Input(name, group.shape, values, (0.0,) * count)


def _moves(group: Directions, change: Input) -> list[Mapping[Node, Node]]:
    """Changes of symbols by every component of the change."""
    pairs = zip(group.moves, change.symbols, strict=True)
    return [{s: mul(x, value) for s, x in move.items()} for move, value in pairs]


def _dot(found: Output, of: Output) -> Output:
    """The change of an output, in its shape."""
    return Output(f"{of.name}_dot", of.shape, found.nodes, of.labels)
