"""Derivatives of one expression by its own operands, without looking through names.

`partials` gives the derivative by every symbol the expression holds; the chain rule from name to
name is the Program's business (Docquier2013 sec. 3.5.2), so nothing is ever expanded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import SimpleNamespace

from kinetree.engine import node as n
from kinetree.engine.node import Node
from kinetree.engine.ops import ADD, FUNCTIONS, MUL, NUM, SELECT, SYM
from kinetree.engine.walk import topological
from kinetree.errors import ExpressionError

_F = SimpleNamespace(
    number=n.number,
    call=n.call,
    table=n.table,
    **{op.name: getattr(n, op.name) for op in FUNCTIONS if hasattr(n, op.name)},
)


def local_partials(node: Node) -> tuple[Node, ...]:
    """Derivative of a Node by each of its direct operands."""
    op = node.op
    if op is ADD:
        return tuple(n.number(c) for c in node.coefs)
    if op is MUL:
        powers = tuple(zip(node.args, node.coefs, strict=True))
        return tuple(
            n.monomial(exp, tuple((a, e - 1 if a is arg else e) for a, e in powers))
            for arg, exp in powers
        )
    if op.partials is None:
        return ()
    return tuple(n.as_node(d) for d in op.partials(_F, node.args, node))


def partials(root: Node) -> dict[Node, Node]:
    """Derivative of the expression by each symbol in it, by one reverse sweep.

    Where a branch is chosen, symbol by symbol instead: the sweep would multiply the slope of the
    branch not taken by 0, and that slope may be infinite.
    """
    order = topological((root,))
    if any(node.op is SELECT for node in order):
        slopes = {s: derivative(root, s) for s in reversed(order) if s.op is SYM}
        return {s: d for s, d in slopes.items() if d is not n.ZERO}
    adjoint: dict[Node, list[Node]] = {root: [n.ONE]}
    result: dict[Node, Node] = {}
    for node in reversed(order):
        if node.op is NUM:
            continue
        seed = n.add(*adjoint.pop(node))
        if node.op is SYM:
            result[node] = seed
            continue
        for arg, d in zip(node.args, local_partials(node), strict=True):
            if d is not n.ZERO and arg.op is not NUM:
                adjoint.setdefault(arg, []).append(n.mul(seed, d))
            elif arg.op is not NUM:
                adjoint.setdefault(arg, [])
    return {s: d for s, d in result.items() if d is not n.ZERO}


def tangent(roots: Iterable[Node], seed: Callable[[Node], Node | None]) -> list[Node]:
    """Total derivative of each root, where `seed(symbol)` is the derivative of a symbol."""
    roots = tuple(roots)
    dot: dict[Node, Node] = {}
    for node in topological(roots):
        if node.op is SYM:
            given = seed(node)
            dot[node] = n.ZERO if given is None else given
        elif node.op is NUM:
            dot[node] = n.ZERO
        else:
            moving = [arg for arg in node.args if dot[arg] is not n.ZERO]
            dot[node] = _tangent(node, dot) if moving else n.ZERO
    return [dot[root] for root in roots]


def _tangent(node: Node, dot: dict[Node, Node]) -> Node:
    if node.op is ADD:
        return n.linear(0, tuple((dot[a], c) for a, c in zip(node.args, node.coefs, strict=True)))
    if node.op is SELECT:
        condition, a, b = node.args
        return n.select(condition, dot[a], dot[b])
    terms = [
        n.mul(d, dot[arg])
        for arg, d in zip(node.args, local_partials(node), strict=True)
        if dot[arg] is not n.ZERO
    ]
    return n.add(*terms)


def derivative(root: Node, by: Node) -> Node:
    """Partial derivative of an expression by a symbol."""
    if by.op is not SYM:
        raise ExpressionError(f"'{by}' is not a symbol; differentiate by a symbol")
    return tangent((root,), lambda s: n.ONE if s is by else None)[0]
