"""Sharing: what several equations use is evaluated once, under a name.

First sub-products and sub-sums: two factors (or two terms) that stand together in several products
(or sums) become one name, the most frequent pair first.  Then whole sub-expressions: after this
pass every compound Node is used exactly once, so a target can print trees.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from kinetree.engine import ADD, NUM, SYM, Node, Rank, symbol, topological
from kinetree.program.passes.pairs import extract_pairs
from kinetree.program.program import Assign, Block, Note, Program
from kinetree.program.rewrite import map_block, map_outputs, same_form

STEM = "t"


def share(program: Program) -> Program:
    """The Program in which every compound Node is used once."""
    program = extract_pairs(program)
    state = _Share(program)
    preamble = tuple(state.through(program.preamble))
    blocks = tuple(state.through(program.blocks))
    ahead: list[Block] = []
    outputs = map_outputs(program, lambda x: state.change(x, ahead, root_stays=False))
    return replace(program, preamble=preamble, blocks=(*blocks, *ahead), outputs=outputs)


class _Share:
    def __init__(self, program: Program) -> None:
        roots = [x for b in (*program.preamble, *program.blocks) for x in b.operands]
        roots += [x for out in program.outputs for x in out.nodes]
        self.uses = _uses(roots)
        self.new: dict[Node, Node] = {}
        self.names: dict[Node, Node] = {}
        self.taken = {t.name for b in (*program.preamble, *program.blocks) for t in b.targets}
        self.taken |= {s.name for row in program.inputs for s in row.symbols}
        self.count = 0

    def through(self, blocks: tuple[Block, ...]) -> Iterator[Block]:
        """The blocks with shared parts replaced by names, new names before their first use."""
        for block in blocks:
            ahead: list[Block] = []
            is_assign = isinstance(block, Assign)
            new = map_block(block, lambda x, a=ahead, r=is_assign: self.change(x, a, root_stays=r))
            yield from ahead
            if isinstance(new, Assign):
                known = new.expr if new.expr.op is SYM else self.names.get(new.expr)
                if known is not None:
                    self.new[new.target] = known
                    continue
                self.names[new.expr] = new.target
                if isinstance(block, Assign):
                    self.new[block.expr] = new.target
            yield new

    def change(self, root: Node, ahead: list[Block], *, root_stays: bool) -> Node:
        """The expression with shared parts named; a root that stays is the block's own value."""
        for node in topological((root,)):
            if node in self.new:
                continue
            done = same_form(node, [self.new[a] for a in node.args])
            if node is not root or not root_stays:
                done = self._named(done, self.uses.get(node, 1), ahead)
            if node is not root or not root_stays:
                self.new[node] = done
            else:
                return done
        return self.new[root]

    def _named(self, node: Node, uses: int, ahead: list[Block]) -> Node:
        """A name for a Node that is used more than once; itself otherwise."""
        if node.op is SYM or node.op is NUM or _is_scaled_name(node):
            return node
        known = self.names.get(node)
        if known is None:
            if uses < 2:
                return node
            known = symbol(self._fresh(), Rank.LOCAL)
            self.names[node] = known
            ahead.append(Assign(known, node, Note(step="shared")))
        return known

    def _fresh(self) -> str:
        self.count += 1
        while f"{STEM}{self.count}" in self.taken:
            self.count += 1
        return f"{STEM}{self.count}"


def _is_scaled_name(node: Node) -> bool:
    """-x, which every target spells for nothing inside a sum."""
    return node.op is ADD and node.value == 0 and node.coefs == (-1,) and node.args[0].op is SYM


def _uses(roots: list[Node]) -> dict[Node, int]:
    uses: dict[Node, int] = {}
    for root in roots:
        uses[root] = uses.get(root, 0) + 1
    for node in topological(roots):
        for arg in node.args:
            uses[arg] = uses.get(arg, 0) + 1
    return uses
