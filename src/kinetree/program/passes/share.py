"""Sharing: what several equations use is evaluated once, under a name.

First sub-products and sub-sums: two factors (or two terms) that stand together in several products
(or sums) become one name, the most frequent pair first.  Then whole sub-expressions: after this
pass every compound Node is used exactly once, so a target can print trees.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from kinetree.engine import ADD, NUM, SYM, Node, Rank, compounds, fold, symbol, use_counts
from kinetree.program.passes.common_pairs import extract_pairs
from kinetree.program.program import Assign, Block, Note, Program
from kinetree.program.rewrite import above, map_block, map_outputs, same_form, taken_names

STEM = "t"


def share(program: Program) -> Program:
    """The Program in which every compound Node is used once."""
    program = extract_pairs(program)
    state = _Share(program)
    preamble = tuple(state.through(program.preamble))
    blocks = tuple(state.through(program.blocks))
    outputs = map_outputs(program, state.change)
    return replace(program, preamble=preamble, blocks=(*blocks, *state.due()), outputs=outputs)


class _Share:
    """Names given so far, and which expressions hold something that several use."""

    def __init__(self, program: Program) -> None:
        roots = program.roots()
        self.uses = use_counts(roots)
        nodes = compounds(roots)
        shared = [node for node in nodes if self.uses[node] > 1]
        self.touched = above([*shared, *_rename(program, self.uses)], nodes)
        self.aliases = False
        self.new: dict[Node, Node] = {}
        self.names: dict[Node, Node] = {}
        self.taken = taken_names(program)
        self.ahead: list[Block] = []
        self.count = 0

    def through(self, blocks: tuple[Block, ...]) -> Iterator[Block]:
        """The blocks with shared parts replaced by names, new names before their first use."""
        for block in blocks:
            if isinstance(block, Assign):
                if block.expr.op is NUM:  # a number is no name for others that are equal
                    yield block
                    continue
                expr = self._own(block.expr)
                yield from self.due()
                known = expr if expr.op is SYM else self.names.get(expr)
                if known is not None:
                    self.new[block.target] = known
                    self.aliases |= block.target not in self.touched
                    continue
                self.names[expr] = block.target
                self.new[block.expr] = block.target
                yield block if expr is block.expr else Assign(block.target, expr, block.note)
            else:
                done = map_block(block, self.change)
                yield from self.due()
                yield done

    def due(self) -> list[Block]:
        """The equations of names given since the last call."""
        due, self.ahead = self.ahead, []
        return due

    def _own(self, root: Node) -> Node:
        """The value of a block with its shared parts named; the whole has the block's name."""
        if root in self.new:
            return self.new[root]
        if root not in self.touched and not self.aliases:
            return root
        for arg in root.args:
            self.change(arg)
        return same_form(root, [self.new[a] for a in root.args])

    def change(self, root: Node) -> Node:
        """The expression with shared parts named."""
        return fold(root, self.new, self._change)

    def _change(self, node: Node) -> Node:
        if not node.args:
            return node
        done = same_form(node, [self.new[a] for a in node.args])
        return self._name(done, self.uses.get(node, 1))

    def _name(self, node: Node, uses: int) -> Node:
        """A name for a Node that is used more than once; itself otherwise."""
        if node.op is SYM or node.op is NUM or _is_scaled_name(node):
            return node
        known = self.names.get(node)
        if known is None:
            if uses < 2:
                return node
            known = symbol(self._fresh(), Rank.LOCAL)
            self.names[node] = known
            self.ahead.append(Assign(known, node, Note(step="shared")))
        return known

    def _fresh(self) -> str:
        self.count += 1
        while f"{STEM}{self.count}" in self.taken:
            self.count += 1
        return f"{STEM}{self.count}"


def _rename(program: Program, uses: dict[Node, int]) -> list[Node]:
    """Targets that may turn out to be another name of something."""
    blocks = program.all_blocks
    rows = [b for b in blocks if isinstance(b, Assign)]
    return [b.target for b in rows if b.expr.op is SYM or uses[b.expr] > 1]


def _is_scaled_name(node: Node) -> bool:
    """-x, which every target spells for nothing inside a sum."""
    return node.op is ADD and node.value == 0 and node.coefs == (-1,) and node.args[0].op is SYM
