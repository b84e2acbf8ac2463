"""Conversion of expressions to and from SymPy, both ways without recursion.

SymPy is imported when it is first needed; the engine does without it.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from importlib import import_module
from typing import Any

from kinetree.engine import node as n
from kinetree.engine.node import Node, Number
from kinetree.engine.ops import ADD, FUNCTIONS, MUL, NUM, SYM
from kinetree.engine.walk import fold
from kinetree.errors import ExpressionError

SPELLING = {"abs": "Abs", "pow": "Pow"}
"""Functions that SymPy spells otherwise."""
_FROM = {SPELLING.get(op.name, op.name): op.name for op in FUNCTIONS}


def _sympy() -> Any:
    try:
        return import_module("sympy")
    except ImportError:
        raise ExpressionError("SymPy is not installed", cure="run 'pip install sympy'") from None


# --- to SymPy ------------------------------------------------------------------------------------


def to_sympy(node: Node, symbols: Mapping[str, Any] | None = None) -> Any:
    """The expression in SymPy.

    Args:
        node: the expression.
        symbols: SymPy's symbol for a name; names that are not in it become real symbols.
    """
    sp = _sympy()
    given = dict(symbols or {})
    known: dict[Node, Any] = {}

    def visit(x: Node) -> Any:
        if x.op is NUM:
            return _to_number(sp, x.value)
        if x.op is SYM:
            return given.get(x.name, sp.Symbol(x.name, real=True))
        args = [known[a] for a in x.args]
        if x.op is ADD:
            terms = [_to_number(sp, c) * a for c, a in zip(x.coefs, args, strict=True)]
            return sp.Add(_to_number(sp, x.value), *terms)
        if x.op is MUL:
            return sp.Mul(*[sp.Pow(a, e) for a, e in zip(args, x.coefs, strict=True)])
        return getattr(sp, SPELLING.get(x.op.name, x.op.name))(*args)

    return fold(node, known, visit)


def _to_number(sp: Any, x: Number) -> Any:
    if isinstance(x, float):
        return sp.Float(x)
    return sp.Rational(x.numerator, x.denominator)


# --- from SymPy ----------------------------------------------------------------------------------


def from_sympy(expr: Any, symbols: Mapping[str, Node] | None = None) -> Node:
    """The expression as a Node.

    Args:
        expr: a scalar SymPy expression, or a Python number.
        symbols: the Node of a name; names that are not in it become parameters.

    Raises:
        ExpressionError: where the expression is not real or holds a function the engine lacks.
    """
    sp = _sympy()
    given = dict(symbols or {})
    known: dict[Any, Node] = {}
    root = sp.sympify(expr)
    stack = [root]
    while stack:
        top = stack[-1]
        waiting = [] if top.is_Atom else [a for a in top.args if a not in known]
        if waiting:
            stack += waiting
            continue
        stack.pop()
        if top not in known:
            known[top] = _from_one(sp, top, given, [known[a] for a in top.args])
    return known[root]


def _from_one(sp: Any, expr: Any, given: Mapping[str, Node], args: list[Node]) -> Node:
    if expr.is_Symbol:
        return given[expr.name] if expr.name in given else n.symbol(expr.name)
    if expr.is_Atom:
        return _from_number(expr)
    if expr.is_Add:
        return n.add(*args)
    if expr.is_Mul:
        return n.mul(*args)
    if isinstance(expr, sp.Pow):
        return n.power(*args)
    name = _FROM.get(type(expr).__name__)
    if name is None:
        known = ", ".join(sorted(_FROM))
        raise ExpressionError(
            f"the engine knows no function '{type(expr).__name__}' of SymPy",
            cure=f"rewrite it in terms of {known}",
        )
    return n.call(name, *args)


def _from_number(expr: Any) -> Node:
    """An integer or a rational exactly, any other real constant as a double."""
    if not (expr.is_number and expr.is_real and expr.is_finite):
        raise ExpressionError(f"SymPy's {expr} is no finite real number; the engine has no other")
    if expr.is_Rational:
        return n.number(Fraction(int(expr.p), int(expr.q)))
    return n.number(float(expr))
