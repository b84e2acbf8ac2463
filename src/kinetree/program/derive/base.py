"""What both modes share: opening a Program to write on, and closing it again."""

from __future__ import annotations

from collections.abc import Sequence

from kinetree.engine import OPS, Node, current, substitute
from kinetree.program.passes import condense
from kinetree.program.program import Assign, Block, Program
from kinetree.program.rewrite import map_block
from kinetree.program.scheme import Scheme

TRIG = (OPS["sin"], OPS["cos"])


class Page:
    """A Program opened for writing: a scheme with its inputs, and its blocks in one list.

    Names of sines and cosines are replaced by what they stand for: the derivative of one is the
    other, and the passes name both again, side by side.

    Attributes:
        program: what was opened.
        scheme: where the new equations go.
        blocks: preamble and blocks, to be adopted one by one.
    """

    def __init__(self, program: Program, name: str) -> None:
        self.program = program
        self._mark = current().mark()
        self._table: dict[Node, Node] = {}
        self.scheme = Scheme(name)
        for row in program.inputs:
            self.scheme.input(row)
        self.blocks: list[Block] = []
        for block in (*program.preamble, *program.blocks):
            new = map_block(block, self.read_one)
            if isinstance(new, Assign) and new.expr.op in TRIG:
                self._table[new.target] = new.expr
            else:
                self.blocks.append(new)
        self.scheme.reserve(t.name for block in self.blocks for t in block.targets)

    def read(self, nodes: Sequence[Node]) -> list[Node]:
        """Nodes of the Program as they are on this page."""
        return substitute(nodes, self._table) if self._table else list(nodes)

    def read_one(self, node: Node) -> Node:
        """One Node of the Program as it is on this page."""
        return self.read((node,))[0]

    def outputs(self) -> None:
        """Hand on the Program's own outputs."""
        for out in self.program.outputs:
            self.scheme.output(out.name, self.read(out.nodes), out.shape, out.labels)

    def closed(self, what: str) -> Program:
        """The condensed Program; its provenance is the original's, with what was derived."""
        info = {k: v for k, v in self.program.info.items() if k != "removed"}
        before = info.get("derivative")
        info["derivative"] = f"{what} of {before}" if before else what
        done = condense(self.scheme.program(**info))
        current().release(self._mark)
        return done
