"""Reading of a rule's example "before -> after": the left side as it stands, the right as made."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree import engine as en
from kinetree.engine.node import intern_call, sum_of
from kinetree.engine.ops import OPS
from kinetree.formats.expression import parse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kinetree.engine import Node

NAMES = {name: en.symbol(name) for name in ("x", "y", "a", "b")}
POINTS = 40


def read(text: str) -> Node:
    """The Node of a text, rewritten as every Node is."""
    return parse(text, NAMES, "example")


def sides(example: str) -> tuple[str, str]:
    before, after = example.split(" -> ")
    return before, after


def call_as_it_stands(text: str) -> Node:
    """head(arguments) with the arguments made and the head left alone."""
    match = re.fullmatch(r"(\w+)\((.*)\)", text)
    assert match is not None
    op = OPS[match[1]]
    inside = re.split(r", (?![^(]*\))", match[2]) if op.arity > 1 else [match[2]]
    return intern_call(op, tuple(read(part) for part in inside))


def sum_as_it_stands(text: str) -> Node:
    """A sum of products with the products made and the sum left alone."""
    parts = re.split(r" ([+-]) ", text)
    signs = [1, *(1 if sign == "+" else -1 for sign in parts[1::2])]
    return sum_of(0, {read(part): sign for part, sign in zip(parts[::2], signs, strict=True)})


def cost(node: Node) -> int:
    """Price of an expression: one per binary operation or sign, functions by their row."""
    count = en.count((node,))
    calls = sum(x.op.cost for x in en.topological((node,)) if x.op.arity > 0)
    return count.add + count.mul + count.div + count.neg + calls


def values(*nodes: Node, span: float = 1.5) -> Iterator[tuple[Any, ...]]:
    """Values of the Nodes at random points, those where one has none left out."""
    rng = np.random.default_rng(1)
    given = {symbol: rng.uniform(-span, span, POINTS) for symbol in NAMES.values()}
    with np.errstate(all="ignore"):
        rows = [np.broadcast_to(row, POINTS) for row in en.evaluate(nodes, given)]
    finite = np.all(np.isfinite(rows), axis=0)
    assert np.count_nonzero(finite) >= 10
    yield from zip(*[row[finite] for row in rows], strict=True)
