"""Selection: a Program restricted to some of its outputs, or to some components of one.

What only the others needed goes with them, inputs included: one element of a Jacobian costs what
that element costs (Docquier2013 sec. 3.3).

Refs: Docquier2013 sec. 3.3
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kinetree.engine import Node, symbols
from kinetree.errors import ShapeError
from kinetree.program.passes import condense
from kinetree.program.program import Output, Program

Index = int | tuple[int, ...]


def select(
    program: Program, output: str | Sequence[str], indices: Sequence[Index] | None = None
) -> Program:
    """The Program of some outputs, condensed anew; inputs that nothing uses are gone.

    Args:
        program: to be restricted.
        output: name of an output, or several names.
        indices: components of the one output to keep, each a row-major number or one index per
            axis; they come out as a vector.  None keeps whole outputs.
    """
    names = (output,) if isinstance(output, str) else tuple(output)
    kept = tuple(program.output(name) for name in names)
    if indices is not None:
        if len(kept) != 1:
            raise ShapeError(
                f"indices were given for {len(kept)} outputs",
                element=f"program '{program.name}'",
                cure="select components of one output at a time",
            )
        kept = (_components(kept[0], indices),)
    return _without_unused_inputs(condense(replace(program, outputs=kept)))


def _components(out: Output, indices: Sequence[Index]) -> Output:
    """An output with some components only, as a vector."""
    flat = [_row_major(out, index) for index in indices]
    labels = tuple(out.labels[k] for k in flat) if out.labels else ()
    nodes = tuple(out.nodes[k] for k in flat)
    return replace(out, shape=(len(flat),), nodes=nodes, labels=labels)


def _row_major(out: Output, index: Index) -> int:
    """Row-major number of a component."""
    shape = (len(out.nodes),) if isinstance(index, int) else out.shape
    given = (index,) if isinstance(index, int) else index
    fits = len(given) == len(shape)
    if not fits or not all(0 <= k < size for k, size in zip(given, shape, strict=True)):
        raise ShapeError(
            f"there is no component {index}",
            element=f"output '{out.name}'",
            cure=f"its shape is {out.shape}",
        )
    number = 0
    for k, size in zip(given, shape, strict=True):
        number = number * size + k
    return number


def _without_unused_inputs(program: Program) -> Program:
    roots: list[Node] = [x for b in (*program.preamble, *program.blocks) for x in b.operands]
    roots += [x for out in program.outputs for x in out.nodes]
    used = set(symbols(roots))
    inputs = tuple(row for row in program.inputs if not used.isdisjoint(row.symbols))
    return replace(program, inputs=inputs)


__all__ = ["Index", "select"]
