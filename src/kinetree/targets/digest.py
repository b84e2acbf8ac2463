"""A digest of a Program: what its code depends on, and nothing else.

Every Node has a number, children first, so the digest is found in one pass.  Names and notes do not
take part: they do not change the code.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from hashlib import sha256
from typing import Any

from kinetree.engine import Node, pause_collector, topological
from kinetree.program.program import Assign, Block, Newton, Program


def digest(program: Program) -> str:
    """Equal for Programs with equal code; another one where anything of it differs."""
    with pause_collector():
        page = _Page(program)
        content = sha256(array("q", page.flat).tobytes())
        content.update(repr([list(page.table), page.heads]).encode())
    return content.hexdigest()


class _Places(dict[Any, int]):
    """What was looked up, each with its place in the order of first use."""

    def __missing__(self, key: Any) -> int:
        self[key] = place = len(self)
        return place


class _Page:
    """A Program as numbers.

    Attributes:
        flat: all Nodes and blocks, one after another.
        table: operators, tuples of coefficients, and numbers, in order of first use; `flat` tells
            them by their place here.
        heads: what is not many: inputs, outputs, inner Programs.
    """

    def __init__(self, program: Program) -> None:
        self.flat: list[int] = []
        self.table = _Places()
        self.number: dict[Node, int] = {}
        self.heads: list[Any] = []
        parts = (program.preamble, program.blocks)
        inputs = [s for row in program.inputs for s in row.symbols]
        self._nodes(topological(inputs + program.roots()))
        for row in program.inputs:
            self.heads.append((row.name, row.parameter, self._numbers(row.symbols)))
        for part in parts:
            self.flat += (-1, len(part))
            for block in part:
                self._block(block)
        self.heads += [(out.name, self._numbers(out.nodes)) for out in program.outputs]

    def _nodes(self, order: list[Node]) -> None:
        """Operator, coefficients or exponents, value and operands of every Node."""
        flat, table, number = self.flat, self.table, self.number
        number.update(zip(order, range(len(order)), strict=True))
        for node in order:
            op, args = node.op, node.args
            name = op.name if op.lookup is None else (op.lookup.table.digest, op.lookup.order)
            flat += (table[name], table[node.coefs], table[node.value], len(args))
            flat += [number[arg] for arg in args]

    def _numbers(self, nodes: Iterable[Node]) -> list[int]:
        """Numbers of Nodes; a symbol that nothing reads has one, too."""
        return [self.number.setdefault(node, len(self.number)) for node in nodes]

    def _block(self, block: Block) -> None:
        if isinstance(block, Assign):
            self.flat += (-2, *self._numbers((block.target, block.expr)))
            return
        sizes = len(block.targets), len(block.operands)
        self.flat += (-3, *sizes, *self._numbers((*block.targets, *block.operands)))
        if isinstance(block, Newton):
            inner = digest(block.step)
            self.heads.append((inner, len(block.start), block.tolerance, block.limit))
        else:
            kind = ("stiff",) if block.stiff else ()
            self.heads.append((block.n, block.k, block.symmetric, *kind))
