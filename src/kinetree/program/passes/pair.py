"""Pairing of sine and cosine: both of one angle stand side by side, as early as the angle is known.

A target can then evaluate them together, and all those at the front in SIMD lanes at once.
"""

from __future__ import annotations

from dataclasses import replace

from kinetree.engine import OPS, Node, Rank, fold, symbol, symbols, topological
from kinetree.program.program import Assign, Block, Note, Program
from kinetree.program.rewrite import map_block, map_outputs, same_form, taken_names

SIN, COS = OPS["sin"], OPS["cos"]
LETTER = {SIN: "S", COS: "C"}


def pair(program: Program) -> Program:
    """The Program with every sine and cosine named, in pairs."""
    state = _Pair(program)
    preamble = state.through(program.preamble, front=False)
    known = {s for row in program.inputs for s in row.symbols}
    known |= {t for b in program.preamble for t in b.targets}
    state.collect(program, known)
    blocks = (*state.front(), *state.through(program.blocks, front=True))
    return replace(
        program, preamble=preamble, blocks=blocks, outputs=map_outputs(program, state.change)
    )


class _Pair:
    def __init__(self, program: Program) -> None:
        self.names: dict[Node, Node] = {}
        self.new: dict[Node, Node] = {}
        self.early: dict[Node, list[Node]] = {}
        self.late: dict[Node, list[Node]] = {}
        self.taken = taken_names(program)
        self.pending: list[Block] = []

    def collect(self, program: Program, known: set[Node]) -> None:
        """All sines and cosines by angle; early ones are those of inputs and preamble names."""
        roots = [x for b in program.blocks for x in b.operands]
        roots += [x for out in program.outputs for x in out.nodes]
        for node in topological(roots):
            if node.op in LETTER:
                angle = node.args[0]
                group = self.early if known.issuperset(symbols((angle,))) else self.late
                group.setdefault(angle, []).append(node)

    def front(self) -> list[Block]:
        """The equations of the early ones, in order of first use."""
        return [row for angle, nodes in self.early.items() for row in self._named(angle, nodes)]

    def _named(self, angle: Node, nodes: list[Node]) -> list[Block]:
        rows: list[Block] = []
        for node in sorted(nodes, key=lambda x: x.op.name, reverse=True):
            name = symbol(self._fresh(node), Rank.LOCAL)
            self.names[node] = name
            expr = same_form(node, [self.change(angle)])
            rows.append(Assign(name, expr, Note(step=f"{node.op.name} of {angle}")))
        return rows

    def _fresh(self, node: Node) -> str:
        words = "_".join(s.name for s in symbols(node.args))
        base = f"{LETTER[node.op]}_{words}"
        name, k = base, 1
        while name in self.taken:
            k += 1
            name = f"{base}_{k}"
        self.taken.add(name)
        return name

    def through(self, blocks: tuple[Block, ...], *, front: bool) -> tuple[Block, ...]:
        """The blocks with sines and cosines replaced by their names; late ones just before use."""
        done: list[Block] = []
        for block in blocks:
            new = map_block(block, self.change if front else lambda x: x)
            done += self.pending
            self.pending = []
            done.append(new)
        return tuple(done)

    def change(self, root: Node) -> Node:
        """The expression with sines and cosines named."""
        return fold(root, self.new, self._changed)

    def _changed(self, node: Node) -> Node:
        if node.op in LETTER:
            if node not in self.names and node.args[0] in self.late:
                self.pending += self._named(node.args[0], self.late[node.args[0]])
            name = self.names.get(node)
            if name is not None:
                return name
        return same_form(node, [self.new[a] for a in node.args])
