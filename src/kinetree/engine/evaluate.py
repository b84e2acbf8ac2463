"""Numeric evaluation: the reference semantics of every Node, on NumPy arrays.

Complex arguments are allowed, so that derivatives can be checked by complex step.  Every target
must agree with this up to rounding.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from kinetree.engine.node import Node
from kinetree.engine.ops import ADD, MUL, NUM, SYM
from kinetree.engine.walk import topological
from kinetree.errors import ExpressionError


def evaluate(roots: Iterable[Node], values: Mapping[Node, Any]) -> list[Any]:
    """Values of the roots, given those of the symbols (numbers or arrays that broadcast)."""
    roots = tuple(roots)
    known: dict[Node, Any] = {}
    for node in topological(roots):
        known[node] = _value(node, known, values)
    return [known[root] for root in roots]


def _value(node: Node, known: Mapping[Node, Any], values: Mapping[Node, Any]) -> Any:
    op = node.op
    if op is SYM:
        if node not in values:
            raise ExpressionError(f"the symbol '{node.name}' has no value; give one to evaluate")
        return _floating(values[node])
    if op is NUM:
        return float(node.value)
    if op is ADD:
        total: Any = float(node.value)
        for arg, coef in zip(node.args, node.coefs, strict=True):
            total = total + (known[arg] if coef == 1 else float(coef) * known[arg])
        return total
    if op is MUL:
        return _monomial(node, known)
    assert op.evaluate is not None
    return op.evaluate(*[known[arg] for arg in node.args])


def _floating(x: Any) -> Any:
    """A number or array as it is, but integers as doubles: their arithmetic would wrap around."""
    if isinstance(x, float | complex):
        return x
    array = np.asarray(x)
    return array.astype(float) if array.dtype.kind in "iub" else array


def _monomial(node: Node, known: Mapping[Node, Any]) -> Any:
    above: Any = 1.0
    below: Any = None
    for arg, exp in zip(node.args, node.coefs, strict=True):
        if exp > 0:
            above = above * integer_power(known[arg], exp)
        else:
            factor = integer_power(known[arg], -exp)
            below = factor if below is None else below * factor
    return above if below is None else np.true_divide(above, below)


def integer_power(x: Any, n: int) -> Any:
    """x**n for n > 0 by repeated squaring, the way every target spells it."""
    result: Any = None
    while n:
        if n & 1:
            result = x if result is None else result * x
        x = x * x if n > 1 else x
        n >>= 1
    return result
