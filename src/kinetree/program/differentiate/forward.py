"""Forward mode: every named value gets a named total derivative per direction.

The recursive rule of Docquier2013 sec. 3.5.2: for AUXJ = AUXI + 2·P a new variable
AUXJ_P = AUXI_P + 2 is written, even if it turns out to be 0 or useless; zeros vanish on line, what
no output needs is eliminated afterwards.  Nothing is ever expanded, so derivatives stay as
recursive as the scheme.

    y = f(x₁, x₂, …)      dy = Σ ∂f/∂xᵢ · dxᵢ, the partial derivatives shared by all directions
    y = select(c, a, b)   dy = select(c, da, db)
    A X = B               A dX = dB - dA X, one system with the columns of all directions
    h(v, w) = 0           J dv = -dh at constant v

Refs: Docquier2013 sec. 3.5.2, eqs. 43-46
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from kinetree.arguments import check_arguments
from kinetree.engine import (
    ADD,
    MUL,
    NUM,
    SELECT,
    SYM,
    ZERO,
    Node,
    derivation,
    linear,
    mul,
    select,
    topological,
)
from kinetree.engine.diff import local_partials
from kinetree.program.differentiate.base import Page, is_trig
from kinetree.program.differentiate.directions import By, Directions, directions, names
from kinetree.program.program import Assign, Block, Input, Newton, Note, Program, Solve

Tangents = Mapping[int, Node]
"""Direction number -> derivative; directions without effect are absent."""

NONE: Tangents = {}


@derivation()
def forward(
    program: Program,
    of: str | Sequence[str],
    by: By,
    *,
    tangent: bool = False,
    only: bool = False,
    condensed: bool = True,
) -> Program:
    """The Program that also gives d`of`/d`by`, condensed.

    Args:
        program: any Program, condensed or not.
        of: an output, or several.
        by: an input or several (coordinates, rates, wrenches, parameters); a mapping from the
            input to labels takes these components alone.
        tangent: differentiate along der(q) = N(q) e_k, k = 1 … nv, instead of by each component of
            q.  Without quaternions the two are the same.  With quaternions the first is what an
            integrator, a filter or a controller needs, and what other engines give.
        only: whether the Program's own outputs are dropped.
        condensed: False where the equations go into another Program, which is condensed itself.

    Returns:
        The Program with outputs "d{of}_d{by}", of shape output.shape + input.shape; labels or
        tangent directions replace the input's shape by their number.
    """
    check_arguments(forward, locals())
    rows = directions(program, by, tangent=tangent)
    return _differentiate(program, names(of), rows, only=only, condensed=condensed)


@derivation()
def forward_along(
    program: Program, of: str | Sequence[str], moves: Sequence[Mapping[Node, Node]]
) -> Program:
    """The Program that also gives the changes of outputs along directions in several inputs.

    Args:
        program: any Program.
        of: an output, or several.
        moves: per direction, the change of every symbol of an input that changes: expressions of
            the symbols of inputs.

    Returns:
        The Program with outputs "d{of}_dalong", of shape output.shape + (number of directions,).
    """
    along = Directions(Input("along", (), ()), (len(moves),), tuple(moves))
    return _differentiate(program, names(of), [along], only=False, condensed=True)


def _differentiate(
    program: Program,
    wanted: tuple[str, ...],
    rows: Sequence[Directions],
    *,
    only: bool,
    condensed: bool,
) -> Program:
    """The Program with the derivatives of some outputs along all directions."""
    state = write_forward(program, wanted, rows)
    page = state.page
    if not only:
        page.outputs()
    for name in wanted:
        state.output(name)
    return page.finish(f"d({', '.join(wanted)})/d({_words(rows)})", condensed=condensed)


def write_forward(
    program: Program, wanted: tuple[str, ...], rows: Sequence[Directions]
) -> ForwardScheme:
    """All blocks of a Program with their derivatives along directions; no outputs yet."""
    page = Page(program, f"{program.name}_d{'_'.join(wanted)}")
    state = ForwardScheme(page, rows)
    for in_pairs, blocks in groupby(page.blocks, is_trig):
        if in_pairs:
            state.trig(list(blocks))
        else:
            state.through(blocks)
    return state


def _words(rows: Sequence[Directions]) -> str:
    return ", ".join(group.row.name for group in rows)


class ForwardScheme:
    """The scheme being written, and the derivatives of every name so far."""

    def __init__(self, page: Page, rows: Sequence[Directions]) -> None:
        self.page, self.scheme = page, page.scheme
        self.rows = rows
        self.suffix: list[str] = []
        self.known: dict[Node, dict[int, Node]] = {}
        for group in rows:
            for k, move in enumerate(group.moves, 1):
                self._start(group.row.name, k, move)

    def _start(self, name: str, k: int, move: Mapping[Node, Node]) -> None:
        direction = len(self.suffix)
        self.suffix.append(f"d{name}{k}")
        for s, change in move.items():
            note = Note(step=f"change of {s.name} in direction {k} of {name}")
            value = self.scheme.let(f"{s.name}_d{name}{k}", change, note)
            self.known.setdefault(s, {})[direction] = value

    def trig(self, blocks: Iterable[Block]) -> None:
        """Sines and cosines in a row: all names first, since the derivatives use both of a pair."""
        for block in blocks:
            self.scheme.define(block)
        for block in blocks:
            self.assign(block)

    def through(self, blocks: Iterable[Block]) -> None:
        """Other blocks: each with its derivatives behind it."""
        for block in blocks:
            if isinstance(block, Assign):
                self.scheme.define(block)
                self.assign(block)
            elif isinstance(block, Solve):
                self.solve(block)
            else:
                self.newton(block)

    def assign(self, block: Block) -> None:
        """The derivatives of a name."""
        assert isinstance(block, Assign)
        (tangents,) = self.tangents((block.expr,), block.target.name)
        if tangents:
            self.known[block.target] = {
                d: self.scheme.let(f"{block.target.name}_{self.suffix[d]}", dy, _note(block))
                for d, dy in sorted(tangents.items())
            }

    def tangents(self, roots: Sequence[Node], stem: str) -> list[Tangents]:
        """Derivatives of expressions in every direction that has an effect."""
        done: dict[Node, Tangents] = {}
        for node in topological(roots):
            if node.op is SYM:
                done[node] = self.known.get(node, NONE)
            elif node.op is NUM:
                done[node] = NONE
            else:
                done[node] = self._chain(node, [done[a] for a in node.args], stem)
        return [done[root] for root in roots]

    def _chain(self, node: Node, inner: Sequence[Tangents], stem: str) -> Tangents:
        """dy = Σ ∂f/∂xᵢ · dxᵢ for one operation."""
        moving = sorted(set().union(*inner))
        if not moving:
            return NONE
        total: dict[int, Node] = {}
        if node.op is ADD:
            for d in moving:
                pairs = zip(inner, node.coefs, strict=True)
                total[d] = linear(0, tuple((dx[d], c) for dx, c in pairs if d in dx))
        elif node.op is SELECT:
            _, da, db = inner
            for d in moving:
                total[d] = select(node.args[0], da.get(d, ZERO), db.get(d, ZERO))
        else:
            factors = self._partials(node, inner, stem)
            for d in moving:
                rows = zip(inner, factors, strict=True)
                total[d] = linear(0, tuple((mul(f, dx[d]), 1) for dx, f in rows if d in dx))
        return {d: dy for d, dy in total.items() if dy is not ZERO}

    def _partials(self, node: Node, inner: Sequence[Tangents], stem: str) -> list[Node]:
        """∂f/∂xᵢ, named where several directions need it."""
        note = Note(step=f"partial derivative in {stem}")
        slopes = [self.page.name_trig(f) for f in local_partials(node)]
        if node.op is not MUL:
            return slopes
        return [
            self.scheme.let(f"{stem}_p", f, note) if len(dx) > 1 else f
            for f, dx in zip(slopes, inner, strict=True)
        ]

    def solve(self, block: Solve) -> None:
        """A dX = dB - dA X for all directions at once, with the matrix of the system itself."""
        n, k = block.n, block.k
        stem = block.targets[0].name
        named = tuple(self.scheme.let(f"{stem}_A", x, block.note) for x in block.matrix)
        block = replace(block, matrix=named)
        self.scheme.define(block)
        entries = self.tangents(block.operands, stem)
        moving = sorted(set().union(*entries))
        if not moving:
            return
        columns = [(d, c) for d in moving for c in range(k)]
        rhs = [[_element(block, entries, i, d, c) for d, c in columns] for i in range(n)]
        A = [list(named[i * n : (i + 1) * n]) for i in range(n)]
        about = block.note
        note = Note(
            about.body, "A dX = dB - dA X", "Docquier2013 eqs. (43)-(46)", section=about.section
        )
        kind = {"symmetric": block.symmetric, "stiff": block.stiff}
        X = self.scheme.solve(f"{stem}_d", A, rhs, **kind, note=note)
        for i in range(n):
            for (d, c), x in zip(columns, X[i], strict=True):
                self.known.setdefault(block.targets[i * k + c], {})[d] = x

    def newton(self, block: Newton) -> None:
        """dv = -J⁻¹ dh at constant v; along directions D: dv = dv₀ - D J⁻¹ dh (see `Implicit`)."""
        self.scheme.define(block)
        stem = block.targets[0].name
        starts = [dict(x) for x in self.tangents(block.start, stem)] if block.directed else []
        if not any(starts) and not any(self.tangents(block.given, stem)):
            return
        implicit = self.page.equations(block)
        self.known.update(zip(block.targets, starts, strict=block.directed))
        self.through(implicit.blocks)
        changes = self.tangents(implicit.h, stem)
        moving = sorted(set().union(*changes))
        if not moving:
            return
        rhs = [[dh.get(d, ZERO) for d in moving] for dh in changes]
        about = block.note
        note = Note(about.body, "J x = dh", "Docquier2013 eqs. (43)-(46)", section=about.section)
        X = self.scheme.solve(f"{stem}_d", implicit.matrix(), rhs, symmetric=False, note=note)
        found: list[dict[int, Node]] = starts or [{} for _ in block.targets]
        for d, column in zip(moving, zip(*X, strict=True), strict=True):
            for row, dv in zip(found, implicit.along(column), strict=True):
                row[d] = linear(0, ((row.get(d, ZERO), 1), (dv, -1)))
        for target, row in zip(block.targets, found, strict=True):
            named = {d: self.scheme.let(f"{target.name}_d", x, note) for d, x in row.items()}
            self.known[target] = {d: x for d, x in named.items() if x is not ZERO}

    def output(self, name: str) -> None:
        """d`name` by every input, directions last."""
        out = self.page.program.output(name)
        tangents = self.tangents(out.nodes, name)
        first = 0
        for group in self.rows:
            last = first + len(group.moves)
            nodes = [dx.get(d, ZERO) for dx in tangents for d in range(first, last)]
            self.scheme.output(f"d{name}_d{group.row.name}", nodes, (*out.shape, *group.shape))
            first = last


def _element(block: Solve, entries: Sequence[Tangents], i: int, d: int, c: int) -> Node:
    """Element (i, c) of dB - dA X in direction d; `entries` are the derivatives of A, then of B."""
    n, k = block.n, block.k
    terms: list[tuple[Node, int]] = [(entries[n * n + i * k + c].get(d, ZERO), 1)]
    for j in range(n):
        dA = entries[i * n + j].get(d)
        if dA is not None:
            terms.append((mul(dA, block.targets[j * k + c]), -1))
    return linear(0, tuple(terms))


def _note(block: Assign) -> Note:
    step = f"derivative of {block.target.name}"
    return replace(block.note, step=step, eq="Docquier2013 sec. 3.5.2", unit="")
