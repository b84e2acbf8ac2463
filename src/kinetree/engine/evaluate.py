"""Numeric evaluation: the reference semantics of every Node, on NumPy arrays.

Complex arguments are allowed, so that derivatives can be checked by complex step.  Every target
must agree with this up to rounding.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from kinetree.engine.node import Node
from kinetree.engine.ops import ADD, MUL, NUM
from kinetree.engine.walk import compounds, symbols
from kinetree.errors import ExpressionError


def evaluate(roots: Iterable[Node], values: Mapping[Node, Any]) -> list[Any]:
    """Values of the roots, given those of the symbols (numbers or arrays that broadcast)."""
    roots = tuple(roots)
    needed = symbols(roots)
    for node in needed:
        if node not in values:
            raise ExpressionError(f"the symbol '{node.name}' has no value; give one to evaluate")
    return evaluate_floating(roots, {node: floating(values[node]) for node in needed})


def evaluate_floating(roots: Iterable[Node], values: Mapping[Node, Any]) -> list[Any]:
    """The same where all symbols have values, none of which is an integer."""
    roots = tuple(roots)
    known: dict[Node, Any] = {}
    for node in compounds(roots):
        op = node.op
        if op is ADD:
            total: Any = float(node.value)
            for arg, coef in zip(node.args, node.coefs, strict=True):
                x = known[arg] if arg.args else _leaf(arg, values)
                total = total + (x if coef == 1 else float(coef) * x)
            known[node] = total
        elif op is MUL:
            known[node] = _monomial(node, known, values)
        else:
            assert op.evaluate is not None
            args = [known[arg] if arg.args else _leaf(arg, values) for arg in node.args]
            known[node] = op.evaluate(*args)
    return [known[root] if root.args else _leaf(root, values) for root in roots]


def _leaf(node: Node, values: Mapping[Node, Any]) -> Any:
    return float(node.value) if node.op is NUM else values[node]


def floating(x: Any) -> Any:
    """A number or array as it is, but integers as doubles: their arithmetic would wrap around."""
    if isinstance(x, float | complex):
        return x
    array = np.asarray(x)
    return array.astype(float) if array.dtype.kind in "iub" else array


def _monomial(node: Node, known: Mapping[Node, Any], values: Mapping[Node, Any]) -> Any:
    above: Any = 1.0
    below: Any = None
    for arg, exp in zip(node.args, node.coefs, strict=True):
        x = known[arg] if arg.args else _leaf(arg, values)
        if exp > 0:
            above = above * (x if exp == 1 else integer_power(x, exp))
        else:
            factor = integer_power(x, -exp)
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
