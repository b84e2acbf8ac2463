"""Reverse mode: the weight of every named value in a weighted sum of outputs, last to first.

With weights y_bar on the output y, the bar of a value x is d(Σ y_bar·y)/dx.  One sweep gives the
bars of all inputs at once: gradients of a scalar, or products (vector)ᵀ·(Jacobian), at a small
multiple of the cost of the Program however many inputs there are.

    y = f(x₁, x₂, …)      x̄ᵢ += ∂f/∂xᵢ · ȳ
    A X = B               Aᵀ W = X̄,   B̄ += W,   Ā += -W Xᵀ
    h(v, w) = 0           Jᵀ W = v̄,   h̄ = -W, handed down to w at constant v

Values that do not depend on the inputs asked for take no part.

Refs: Griewank2008 ch. 3, 6
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kinetree.arguments import check_arguments
from kinetree.engine import Node, Rank, derivation, linear, mul, partials, scale, symbol, symbols
from kinetree.program.differentiate.base import Implicit, Page
from kinetree.program.differentiate.directions import By, Directions, directions, names
from kinetree.program.program import Assign, Block, Input, Newton, Note, Program, Solve, size


@derivation()
def reverse(
    program: Program, of: str | Sequence[str], by: By, *, tangent: bool = False, only: bool = False
) -> Program:
    """The Program that also gives the bars of inputs, condensed.

    Args:
        program: any Program, condensed or not.
        of: an output, or several; each brings an input "{of}_bar" of its shape, its weights.  Those
            of an output with one component are 1 by default, so that bars are its gradient.
        by: an input or several; a mapping from the input to labels takes these components alone.
        tangent: bars of the tangent directions of q, Nᵀ q_bar, instead of those of its components.
        only: whether the Program's own outputs are dropped.

    Returns:
        The Program with outputs "{by}_bar" of the input's shape; labels or tangent directions
        replace it by their number.
    """
    check_arguments(reverse, locals())
    rows = directions(program, by, tangent=tangent)
    page = Page(program, f"{program.name}_bar")
    state = _Reverse(page, rows)
    for block in page.blocks:
        state.advance(block)
    for name in names(of):
        state.start(name)
    for active in reversed(state.active_blocks):
        if isinstance(active, Assign):
            state.assign(active)
        elif isinstance(active, Solve):
            state.solve(active)
        elif isinstance(active, Implicit):
            state.newton(active)
        else:
            state.pass_to_start(active)
    if not only:
        page.outputs()
    for group in rows:
        state.output(group)
    return page.finish(f"bar({', '.join(g.row.name for g in rows)}) from ({', '.join(names(of))})")


class _Reverse:
    """The scheme being written, and the contributions to every bar so far."""

    def __init__(self, page: Page, rows: Sequence[Directions]) -> None:
        self.page, self.scheme = page, page.scheme
        self.active: set[Node] = {s for group in rows for move in group.moves for s in move}
        self.active_blocks: list[Block | Implicit] = []
        self.bars: dict[Node, list[Node]] = {}

    def advance(self, block: Block) -> None:
        """Take over a block; note whether it depends on the inputs asked for."""
        if isinstance(block, Newton):
            self._advance_newton(block)
            return
        if isinstance(block, Solve):
            named = tuple(self.scheme.let(f"{block.targets[0].name}_A", x) for x in block.matrix)
            block = replace(block, matrix=named)
        self.scheme.define(block)
        if not self.active.isdisjoint(symbols(block.operands)):
            self.active.update(block.targets)
            self.active_blocks.append(block)

    def _advance_newton(self, block: Newton) -> None:
        """Take over a Newton block; on the way back its equations come between its two ends."""
        self.scheme.define(block)
        sources = block.operands if block.directed else block.given
        if self.active.isdisjoint(symbols(sources)):
            return
        self.active.update(block.targets)
        self.active_blocks.append(block)
        implicit = self.page.equations(block)
        for inner in implicit.blocks:
            self.advance(inner)
        self.active_blocks.append(implicit)

    def start(self, name: str) -> None:
        """Declare the weights of an output and hand them to its components."""
        out = self.page.program.output(name)
        count = size(out.shape)
        weights = tuple(symbol(f"{name}_bar_{k}", Rank.FORCE) for k in range(1, count + 1))
        default = (1.0,) if count == 1 else None
        self.scheme.input(Input(f"{name}_bar", out.shape, weights, default, False, out.labels))
        for node, weight in zip(out.nodes, weights, strict=True):
            self._hand_down(node, weight)

    def _hand_down(self, node: Node, bar: Node) -> None:
        """x̄ᵢ += ∂f/∂xᵢ · ȳ for the symbols of an expression."""
        for s, slope in partials(node).items():
            if s in self.active:
                self.bars.setdefault(s, []).append(mul(self.page.name_trig(slope), bar))

    def _bar(self, s: Node) -> Node:
        """The complete bar of a value, named."""
        total = linear(0, tuple((x, 1) for x in self.bars.pop(s, ())))
        return self.scheme.let(f"{s.name}_bar", total, Note(step=f"bar of {s.name}"))

    def assign(self, block: Assign) -> None:
        """The bar of a name, handed to what it was made of."""
        if block.target in self.bars:
            self._hand_down(block.expr, self._bar(block.target))

    def solve(self, block: Solve) -> None:
        """Aᵀ W = X̄, then W to the right-hand sides and -W Xᵀ to the matrix."""
        n, k = block.n, block.k
        if self.bars.keys().isdisjoint(block.targets):
            return
        seeds = [[self._bar(block.targets[i * k + c]) for c in range(k)] for i in range(n)]
        At = [[block.matrix[j * n + i] for j in range(n)] for i in range(n)]
        about = block.note
        note = Note(about.body, "adjoint system", "Griewank2008 ch. 3", section=about.section)
        stem = f"{block.targets[0].name}_w"
        kind = {"symmetric": block.symmetric, "stiff": block.stiff}
        W = self.scheme.solve(stem, At, seeds, **kind, note=note)
        for i in range(n):
            for c in range(k):
                self._hand_down(block.rhs[i * k + c], W[i][c])
        for i in range(n):
            for j in range(n):
                terms = [(mul(W[i][c], block.targets[j * k + c]), -1) for c in range(k)]
                self._hand_down(block.matrix[i * n + j], linear(0, tuple(terms)))

    def newton(self, implicit: Implicit) -> None:
        """Jᵀ W = Dᵀ v̄, then -W to the residuals; v̄ goes on to the start where that matters."""
        if self.bars.keys().isdisjoint(implicit.targets):
            return
        J = implicit.matrix()
        Jt = [[row[i] for row in J] for i in range(len(J))]
        bars = [self._bar(v) for v in implicit.targets]
        seeds = [[x] for x in implicit.across(bars)]
        about = implicit.block.note
        note = Note(about.body, "adjoint system", "Griewank2008 ch. 3", section=about.section)
        stem = f"{implicit.targets[0].name}_w"
        W = self.scheme.solve(stem, Jt, seeds, symmetric=False, note=note)
        if implicit.block.directed:
            self.bars.update({v: [bar] for v, bar in zip(implicit.targets, bars, strict=True)})
        for h, (weight,) in zip(implicit.h, W, strict=True):
            self._hand_down(h, scale(-1, weight))

    def pass_to_start(self, block: Newton) -> None:
        """What has reached v through its own equations: to the start, or dropped: v is constant."""
        for v, start in zip(block.targets, block.start, strict=True):
            if v in self.bars:
                bar = self._bar(v)
                if block.directed:
                    self._hand_down(start, bar)

    def output(self, group: Directions) -> None:
        """The bars of one input, along its directions."""
        name = group.row.name
        moved = {s: self._bar(s) for move in group.moves for s in move if s in self.bars}
        nodes = [
            linear(0, tuple((mul(x, moved[s]), 1) for s, x in move.items() if s in moved))
            for move in group.moves
        ]
        self.scheme.output(f"{name}_bar", nodes, group.shape)
