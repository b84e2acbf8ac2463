"""Pairing of sine and cosine: both of one angle stand side by side, as early as the angle is known.

A target can then evaluate them together, and all those at the front in SIMD lanes at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from kinetree.engine import OPS, SYM, Node, Rank, compounds, fold, symbol, symbols
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
        self.counts: dict[str, int] = {}
        self.letters: dict[Node, tuple[str, ...]] = {}
        self.touched: set[Node] = set()
        self.pending: list[Block] = []

    def collect(self, program: Program, known: set[Node]) -> None:
        """All sines and cosines by angle; early ones are those of inputs and preamble names."""
        roots = program.roots(preamble=False)
        nodes = compounds(roots)
        trig = [node for node in nodes if node.op in LETTER]
        self.touched = above(trig, nodes)
        later = above([s for s in symbols(trig) if s not in known], compounds(trig))
        for node in trig:
            group = self.late if node in later else self.early
            group.setdefault(node.args[0], []).append(node)

    def front(self) -> list[Block]:
        """The equations of the early ones, in order of first use."""
        return [row for angle, nodes in self.early.items() for row in self._name(angle, nodes)]

    def _name(self, angle: Node, nodes: list[Node]) -> list[Block]:
        rows: list[Block] = []
        for node in sorted(nodes, key=lambda x: x.op.name, reverse=True):
            name = symbol(self._fresh(node), Rank.LOCAL)
            self.names[node] = name
            expr = same_form(node, [self.change(angle)])
            rows.append(
                Assign(name, expr, Note(step=f"{node.op.name} of {self._angle_text(angle)}"))
            )
        return rows

    def _fresh(self, node: Node) -> str:
        names = self._symbols(node.args[0])
        words = names if _few(names) else (names[0], "to", names[-1])
        base = "_".join([LETTER[node.op], *words])
        k = self.counts.get(base, 1)
        name = base if k == 1 else f"{base}_{k}"
        while name in self.taken:
            k += 1
            name = f"{base}_{k}"
        self.counts[base] = k
        self.taken.add(name)
        return name

    def _symbols(self, root: Node) -> tuple[str, ...]:
        """Names of the symbols under a Node, in order of first visit."""

        def visit(node: Node) -> tuple[str, ...]:
            if len(node.args) == 1:
                return self.letters[node.args[0]]
            if node.op is SYM:
                return (node.name,)
            return tuple(dict.fromkeys(name for a in node.args for name in self.letters[a]))

        return fold(root, self.letters, visit)

    def _angle_text(self, angle: Node) -> str:
        """An angle as text; of a long one what it depends on."""
        if not _is_long(angle):
            return str(angle)
        names = self._symbols(angle)
        listed = ", ".join(names) if len(names) <= WORDS else f"{names[0]} to {names[-1]}"
        return f"an expression of {listed}"

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
        return fold(root, self.new, self._change) if root in self.touched else root

    def _change(self, node: Node) -> Node:
        if node.op in LETTER:
            if node not in self.names and node.args[0] in self.late:
                self.pending += self._name(node.args[0], self.late[node.args[0]])
            name = self.names.get(node)
            if name is not None:
                return name
        return same_form(node, [self.new[a] for a in node.args])


def _few(names: Sequence[str]) -> bool:
    """Whether names are few and short enough to be listed in another."""
    return len(names) <= 2 or (len(names) <= WORDS and len("_".join(names)) <= LETTERS)


def _is_long(angle: Node) -> bool:
    """Whether an angle has more operations than a note writes out."""
    seen = {angle} if angle.args else set()
    stack = list(seen)
    while stack and len(seen) <= LONG:
        fresh = {arg for arg in stack.pop().args if arg.args} - seen
        seen |= fresh
        stack += fresh
    return len(seen) > LONG
