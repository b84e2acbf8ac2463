"""Selection: a Program restricted to some of its outputs, or to some components of one.

What only the others needed goes with them, inputs included: one element of a Jacobian costs what
that element costs (Docquier2013 sec. 3.3).

Refs: Docquier2013 sec. 3.3
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kinetree.engine import ADD, MUL, SYM, Node, symbols, use_counts
from kinetree.engine.node import normal, sum_of
from kinetree.errors import ShapeError
from kinetree.program.factor import factor
from kinetree.program.passes import condense, dead
from kinetree.program.program import Assign, Block, Output, Program
from kinetree.program.rewrite import map_outputs

Index = int | tuple[int, ...]


def restrict(
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
    slim = _whole_sums(dead(replace(program, outputs=kept)))
    return _without_unused_inputs(condense(slim))


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


def _whole_sums(program: Program) -> Program:
    """The Program with partial sums that are used once put back, so that equal factors meet.

    A recursion names every step of a long sum; when only its end is wanted, the steps hide from
    each other that they share a factor: a + D4·r, then b + D5·r with b the first.
    """
    uses = use_counts(program.roots())
    inner: dict[Node, Node] = {}
    blocks: list[Block] = []
    for block in program.blocks:
        if isinstance(block, Assign):
            expr = _with_terms(block.expr, inner)
            if uses[block.target] == 1 and expr.op in (ADD, MUL):
                inner[block.target] = expr
            block = replace(block, expr=factor(expr))  # noqa: PLW2901  the same block, rewritten
        blocks.append(block)
    outputs = map_outputs(program, lambda x: factor(_with_terms(x, inner)))
    return replace(program, blocks=tuple(blocks), outputs=outputs)


def _with_terms(expr: Node, inner: dict[Node, Node]) -> Node:
    """A sum in which names of `inner` that stand as terms are replaced by what they stand for."""
    rows = zip(expr.args, expr.coefs, strict=True) if expr.op is ADD else ((expr, 1),)
    value = expr.value if expr.op is ADD else 0
    terms: dict[Node, int | float] = {}
    for arg, coef in rows:
        part = inner.get(arg, arg) if arg.op is SYM else arg
        if part.op is ADD:
            value += coef * part.value
            for term, c in zip(part.args, part.coefs, strict=True):
                terms[term] = terms.get(term, 0) + coef * c
        elif part.is_number:
            value += coef * part.value
        else:
            terms[part] = terms.get(part, 0) + coef
    return sum_of(normal(value), {t: c for t, c in terms.items() if c != 0})


def _without_unused_inputs(program: Program) -> Program:
    used = set(symbols(program.roots()))
    inputs = tuple(row for row in program.inputs if not used.isdisjoint(row.symbols))
    return replace(program, inputs=inputs)
