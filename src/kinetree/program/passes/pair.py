"""Pairing of sine and cosine: both of one angle stand side by side, as early as the angle is known.

A target can then evaluate them together, and all those at the front in SIMD lanes at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from kinetree.engine import OPS, Node, Rank, compounds, fold, symbol, symbols
from kinetree.program.program import Assign, Block, Note, Program
from kinetree.program.rewrite import above, map_block, map_outputs, same_form, taken_names

SIN, COS = OPS["sin"], OPS["cos"]
LETTER = {SIN: "S", COS: "C"}
WORDS, LETTERS = 6, 40
"""Coordinates and letters up to which the name of a sine lists all; beyond, the first and last."""
LONG = 12
"""Operations of an angle beyond which a note does not write it out."""


def pair(program: Program) -> Program:
    """The Program with every sine and cosine named, in pairs."""
    state = _Pair(program)
    known = {s for row in program.inputs for s in row.symbols}
    known |= {t for b in program.preamble for t in b.targets}
    state.collect(program, known)
    blocks = [*state.front(), *state.through(program.blocks)]
    outputs = map_outputs(program, state.change)
    return replace(program, blocks=(*blocks, *state.due()), outputs=outputs)


class _Pair:
    def __init__(self, program: Program) -> None:
        self.names: dict[Node, Node] = {}
        self.new: dict[Node, Node] = {}
        self.early: dict[Node, list[Node]] = {}
        self.late: dict[Node, list[Node]] = {}
        self.taken = taken_names(program)
        self.touched: set[Node] = set()
        self.pending: list[Block] = []

    def collect(self, program: Program, known: set[Node]) -> None:
        """All sines and cosines by angle; early ones are those of inputs and preamble names."""
        roots = [x for b in program.blocks for x in b.operands]
        roots += [x for out in program.outputs for x in out.nodes]
        nodes = compounds(roots)
        trig = [node for node in nodes if node.op in LETTER]
        self.touched = above(trig, nodes)
        for node in trig:
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
            rows.append(Assign(name, expr, Note(step=f"{node.op.name} of {_told(angle)}")))
        return rows

    def _fresh(self, node: Node) -> str:
        names = [s.name for s in symbols(node.args)]
        words = names if _few(names) else [names[0], "to", names[-1]]
        base = "_".join([LETTER[node.op], *words])
        name, k = base, 1
        while name in self.taken:
            k += 1
            name = f"{base}_{k}"
        self.taken.add(name)
        return name

    def through(self, blocks: tuple[Block, ...]) -> Iterator[Block]:
        """The blocks with sines and cosines replaced by their names; late ones just before use."""
        for block in blocks:
            new = map_block(block, self.change)
            yield from self.due()
            yield new

    def due(self) -> list[Block]:
        """The equations of late names given since the last call."""
        due, self.pending = self.pending, []
        return due

    def change(self, root: Node) -> Node:
        """The expression with sines and cosines named."""
        return fold(root, self.new, self._changed) if root in self.touched else root

    def _changed(self, node: Node) -> Node:
        if node.op in LETTER:
            if node not in self.names and node.args[0] in self.late:
                self.pending += self._named(node.args[0], self.late[node.args[0]])
            name = self.names.get(node)
            if name is not None:
                return name
        return same_form(node, [self.new[a] for a in node.args])


def _few(names: list[str]) -> bool:
    """Whether names are few and short enough to be listed in another."""
    return len(names) <= 2 or (len(names) <= WORDS and len("_".join(names)) <= LETTERS)


def _told(angle: Node) -> str:
    """An angle as text; of a long one what it depends on."""
    if len(compounds((angle,))) <= LONG:
        return str(angle)
    names = [s.name for s in symbols((angle,))]
    listed = ", ".join(names) if len(names) <= WORDS else f"{names[0]} to {names[-1]}"
    return f"an expression of {listed}"
