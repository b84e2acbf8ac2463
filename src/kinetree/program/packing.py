"""Programs as bytes, and back: what was derived once need not be derived again.

A Node lives in the arena of its process.  Here every Node is a row of numbers, children first:
operator, operands, coefficients, value, name; everything else (blocks, notes, inputs, outputs) is
pickled, with the number of its row in place of a Node.  Reading enters the Nodes as they are, in
the normal form in which they were made, so that nothing is simplified twice.
"""

from __future__ import annotations

import io
import pickle
from typing import Any

from kinetree.engine import Node, derivation, number, pause_collector, symbol
from kinetree.engine.elementary import table_op
from kinetree.engine.node import intern_call, intern_factors, intern_sum
from kinetree.engine.ops import ADD, MUL, NUM, OPS, SYM

PROTOCOL = 5
"""Of pickle."""
NodeRow = tuple[Any, tuple[int, ...], Any, Any]
"""Operator (its name, or the table that it looks up), operands, coefficients, value or name."""


def pack(thing: Any) -> bytes:
    """Anything made of Programs and plain data as bytes; `unpack` gives it back."""
    with pause_collector():
        content = io.BytesIO()
        packer = _Packer(content, PROTOCOL)
        packer.dump(thing)
        return pickle.dumps((packer.rows, content.getvalue()), PROTOCOL)


@derivation()
def unpack(data: bytes) -> Any:
    """What `pack` was given, its Nodes in the arena of this process.

    Args:
        data: from a place that nobody else can have written to; pickles can hold any code.
    """
    rows, content = pickle.loads(data)
    reader = _Unpacker(io.BytesIO(content))
    reader.nodes = _nodes(rows)
    return reader.load()


class _Packer(pickle.Pickler):
    """Writes numbers in place of Nodes, and collects the rows that these stand for."""

    def __init__(self, file: Any, protocol: int) -> None:
        super().__init__(file, protocol)
        self.rows: list[NodeRow] = []
        self._number: dict[Node, int] = {}

    def persistent_id(self, obj: Any) -> int | None:
        """The number of a Node; none of anything else."""
        if type(obj) is not Node:
            return None
        if obj not in self._number:
            self._add(obj)
        return self._number[obj]

    def _add(self, node: Node) -> None:
        """Rows for a Node and what is below it."""
        known, stack = self._number, [node]
        while stack:
            top = stack[-1]
            missing = [arg for arg in top.args if arg not in known]
            if missing:
                stack += missing
                continue
            stack.pop()
            if top not in known:
                known[top] = len(self.rows)
                self.rows.append(_row(top, tuple([known[arg] for arg in top.args])))


class _Unpacker(pickle.Unpickler):
    """Reads Nodes where numbers stand for them."""

    nodes: list[Node]

    def persistent_load(self, pid: int) -> Node:
        """The Node of a number."""
        return self.nodes[pid]


def _row(node: Node, args: tuple[int, ...]) -> NodeRow:
    op = node.op
    if op is SYM:
        return op.name, args, node.key[0], node.name
    return op.name if op.lookup is None else op.lookup, args, node.coefs, node.value


def _nodes(rows: list[NodeRow]) -> list[Node]:
    """The Nodes of rows, in the same order."""
    made: list[Node] = []
    for word, args, coefs, value in rows:
        below = tuple([made[k] for k in args])
        op = OPS[word] if isinstance(word, str) else table_op(word)
        if op is ADD:
            node = intern_sum(value, below, coefs)
        elif op is MUL:
            node = intern_factors(below, coefs)
        elif op is NUM:
            node = number(value)
        elif op is SYM:
            node = symbol(value, coefs)
        else:
            node = intern_call(op, below)
        made.append(node)
    return made
