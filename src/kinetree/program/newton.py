"""Newton blocks: equations written in a scheme of their own become a block of the outer scheme.

What the equations need besides the unknowns stays outside: values that do not change from one
iteration to the next are named in the outer scheme, and the block is given them.

Refs: Docquier2013 sec. 2.2.1, eq. 13; sec. 4.1, fig. 9
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from kinetree.engine import ONE, ZERO, Node, add, mul, number, substitute, symbols
from kinetree.program.interpret import test_name
from kinetree.program.passes.dead import dead
from kinetree.program.passes.hoist import hoist
from kinetree.program.passes.pair_trig import pair
from kinetree.program.passes.schedule import schedule
from kinetree.program.passes.share import share
from kinetree.program.program import Assign, Input, Newton, Note, Output, Program
from kinetree.program.scheme import Scheme

TOLERANCE = 1e-11
"""Largest |h| that counts as zero where nobody says better [m, m2 or 1]."""
MINUS_ONE = number(-1)
LIMIT = 12
"""Iterations at most; from a good start two or three suffice."""


def iterations(program: Program) -> Iterator[Newton]:
    """All blocks of a Program that are iterated, those within others included."""
    waiting = [program]
    while waiting:
        for block in waiting.pop().all_blocks:
            if isinstance(block, Newton):
                yield block
                waiting.append(block.step)


def iteration_outputs(block: Newton) -> tuple[Output, Output]:
    """What an iteration works with: the values that are tested, as h, and dv."""
    return replace(block.step.output(test_name(block)), name="h"), block.step.output("dv")


def write_newton(  # noqa: PLR0913  two schemes, what is unknown, what holds
    outer: Scheme,
    inner: Scheme,
    unknowns: Sequence[tuple[Node, Node]],
    equations: Sequence[tuple[Node, Sequence[Node]]],
    directions: Sequence[Sequence[Node]] | None = None,
    *,
    values: Mapping[Node, Node] | None = None,
    change: Sequence[Node] | None = None,
    count: Node | None = None,
    tested: Sequence[Node] | None = None,
    labels: Sequence[str] = (),
    tolerance: float = TOLERANCE,
    limit: int = LIMIT,
    symmetric: bool = False,
    note: Note | None = None,
) -> Newton:
    """Append to `outer` the block that solves equations written in `inner`; the block.

    Args:
        outer: where the solution is wanted.
        inner: holds the equations; symbols that it does not define mean those of `outer`.
        unknowns: (symbol, start value in `outer`); the symbol is the unknown inside and stands for
            the solution outside.
        equations: (h, row of J) in terms of names of `inner`; J = dh/dv, times D where given.
        directions: D, one row per unknown and one column per equation, where v may only move
            along its columns.
        values: symbol of `inner` -> what it means in `outer`, where that is not the same symbol.
        change: dv in terms of names of `inner`, where it is found otherwise than by J; J is then
            only for derivatives.
        count: symbol that stands for the number of iterations made; one more unknown, which
            depends on nothing.
        tested: what the tolerance is compared with, in place of h; 0 where h is mere rounding.
        labels: what the equations are about, for people.
        tolerance: largest |h| that counts as zero.
        limit: iterations at most.
        symmetric: J is symmetric positive definite.
        note: for people.
    """
    if count is not None:
        unknowns = [*unknowns, (count, ZERO)]
    v = tuple(s for s, _ in unknowns)
    moves = _Moves(directions, change, count is not None, labels)
    if tested is not None:
        inner.output("tested", tested)
    whole = _write_step(inner, v, equations, moves, symmetric=symmetric)
    page, given = _invariants_out(outer, whole, v, values or {})
    page = schedule(dead(share(pair(page))))
    w = _free(page, v)
    step = replace(page, inputs=_inputs(v, w), info={})
    start = tuple(x for _, x in unknowns)
    known = tuple(given.get(s, s) for s in w)
    block = Newton(v, start, known, step, tolerance, limit, note or Note())
    outer.append_block(block)
    return block


@dataclass(frozen=True)
class _Moves:
    """How the unknowns move: along some directions, by a change given, with a count at the end."""

    directions: Sequence[Sequence[Node]] | None
    change: Sequence[Node] | None
    counted: bool
    labels: Sequence[str]

    def matrix(self, m: int) -> list[list[Node]] | None:
        """D, where it is not the unit matrix."""
        D = None if self.directions is None else [list(row) for row in self.directions]
        if self.counted:
            D = D or [[ONE if i == j else ZERO for j in range(m)] for i in range(m)]
            D.append([ZERO] * m)
        return D


def _write_step(
    inner: Scheme,
    v: tuple[Node, ...],
    equations: Sequence[tuple[Node, Sequence[Node]]],
    moves: _Moves,
    *,
    symmetric: bool,
) -> Program:
    """The Program of h, dv, J and D; everything that is not unknown is a parameter of it."""
    J = [list(row) for _, row in equations]
    h = [value for value, _ in equations]
    note = Note(step="J dv = h", eq="Docquier2013 eq. (13)")
    x = moves.change or _first(
        inner.solve("dv", J, [[x] for x in h], symmetric=symmetric, note=note)
    )
    inner.output("h", h, None, moves.labels)
    D = moves.matrix(len(h))
    if D is None:
        inner.output("dv", x)
    else:
        dv = [add(*map(mul, row, x)) for row in D]
        inner.output("dv", [*dv[:-1], MINUS_ONE] if moves.counted else dv)
        inner.output("D", [e for row in D for e in row], (len(v), len(h)))
    inner.output("J", [e for row in J for e in row], (len(h), len(h)))
    page = dead(inner.program())
    return replace(page, inputs=_inputs(v, _free(page, v), parameter=True))


def _first(rows: Sequence[Sequence[Node]]) -> list[Node]:
    return [row[0] for row in rows]


def _invariants_out(
    outer: Scheme, page: Program, v: tuple[Node, ...], values: Mapping[Node, Node]
) -> tuple[Program, dict[Node, Node]]:
    """The Program without what no iteration changes, and the outer values of names moved out."""
    moved = hoist(page)
    given = dict(values)
    for block in moved.preamble:
        assert isinstance(block, Assign)
        (expr,) = substitute([block.expr], given)
        given[block.target] = outer.let(block.target.name, expr, block.note)
    return replace(moved, preamble=(), inputs=_inputs(v, _free(moved, v))), given


def _free(page: Program, v: tuple[Node, ...]) -> tuple[Node, ...]:
    """Symbols that the blocks and outputs use and nothing in the Program defines."""
    known = {t for block in page.blocks for t in block.targets} | set(v)
    return tuple(s for s in symbols(page.roots(preamble=False)) if s not in known)


def _inputs(
    v: tuple[Node, ...], w: tuple[Node, ...], *, parameter: bool = False
) -> tuple[Input, ...]:
    rows = [Input("v", (len(v),), v)]
    if w:
        rows.append(Input("w", (len(w),), w, parameter=parameter))
    return tuple(rows)
