"""Conversion of expressions to and from SymPy, both ways without recursion.

SymPy is imported when it is first needed; the engine does without it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import reduce
from importlib import import_module
from typing import Any

from kinetree.engine import node as n
from kinetree.engine.elementary import maximum, minimum
from kinetree.engine.node import Node, Number
from kinetree.engine.ops import ADD, FUNCTIONS, MUL, NUM, SELECT, SYM, Op
from kinetree.engine.walk import fold
from kinetree.errors import ExpressionError
from kinetree.tables import Lookup, pieces, weights

SPELLING = {"abs": "Abs", "pow": "Pow"}
"""Functions that SymPy spells otherwise."""
DEEP = 100
"""Levels beyond which SymPy is not asked to simplify: it recurses on what it looks into."""
ORDER = ("<", "<=", ">", ">=")
_FROM = {SPELLING.get(op.name, op.name): op.name for op in FUNCTIONS if op is not SELECT}


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
    levels: dict[Node, int] = {}

    def visit(x: Node) -> Any:
        if x.op is NUM:
            return _to_number(sp, x.value)
        if x.op is SYM:
            return given.get(x.name, sp.Symbol(x.name, real=True))
        levels[x] = 1 + max(levels.get(a, 0) for a in x.args)
        made = _to_one(sp, x, [known[a] for a in x.args], evaluate=levels[x] <= DEEP)
        made.is_commutative  # noqa: B018  SymPy keeps the answer, which it would look for in depth
        return made

    return fold(node, known, visit)


def _to_one(sp: Any, x: Node, args: list[Any], *, evaluate: bool) -> Any:
    """A sum, product or function on operands that are there; SymPy's rules recurse on them."""
    if x.op is ADD:
        numbers = [_to_number(sp, c) for c in x.coefs]
        terms = [_times(sp, c, a, evaluate) for c, a in zip(numbers, args, strict=True)]
        value = [_to_number(sp, x.value)] if x.value or evaluate else []
        return sp.Add(*value, *terms, evaluate=evaluate)
    if x.op is MUL:
        powers = zip(args, x.coefs, strict=True)
        factors = [a if e == 1 else sp.Pow(a, e, evaluate=evaluate) for a, e in powers]
        return sp.Mul(*factors, evaluate=evaluate)
    return _to_function(sp, x.op, args, evaluate=evaluate)


def _times(sp: Any, number: Any, x: Any, evaluate: bool) -> Any:
    return x if number == 1 else sp.Mul(number, x, evaluate=evaluate)


def _to_function(sp: Any, op: Op, args: list[Any], *, evaluate: bool) -> Any:
    if op is SELECT:
        above = sp.Gt(args[0], 0, evaluate=evaluate)
        return sp.Piecewise((args[1], above), (args[2], True), evaluate=evaluate)
    if op.lookup is not None:
        return _to_pieces(sp, op.lookup, args[0])
    return getattr(sp, SPELLING.get(op.name, op.name))(*args, evaluate=evaluate)


def _to_pieces(sp: Any, row: Lookup, x: Any) -> Any:
    """A table, or a derivative of it, as its polynomials."""
    found = []
    ends = [x < knot for knot in row.table.knots]
    for (start, *coefs), until in zip(pieces(row.table).tolist(), [*ends, True], strict=True):
        terms = zip(coefs[row.order :], weights(row.order), strict=True)
        d = x - sp.Float(start)
        found.append((sp.Add(*[c * w * d**k for k, (c, w) in enumerate(terms)]), until))
    return sp.Piecewise(*found)


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
        waiting = [a for a in _operands(sp, top) if a not in known]
        if waiting:
            stack += waiting
            continue
        stack.pop()
        if top not in known:
            known[top] = _from_one(sp, top, given, [known[a] for a in _operands(sp, top)])
    return known[root]


def _operands(sp: Any, expr: Any) -> tuple[Any, ...]:
    """The expressions below one; a case is its value and both sides of what decides it."""
    if expr.is_Atom:
        return ()
    if not isinstance(expr, sp.Piecewise):
        found: tuple[Any, ...] = expr.args
        return found
    *cases, (last, always) = expr.args
    if always != True or not all(getattr(c, "rel_op", "") in ORDER for _, c in cases):  # noqa: E712
        raise ExpressionError(
            "SymPy's cases are decided by more than a comparison each, or leave a gap",
            cure="decide each by <, <=, > or >=, and end with what holds otherwise",
        )
    return (*[side for value, c in cases for side in (value, c.lhs, c.rhs)], last)


def _from_cases(expr: Any, args: list[Node]) -> Node:
    """Cases as selections, from the last to the first; a <= b where not a > b."""
    value = args[-1]
    for k, (_, comparison) in reversed([*enumerate(expr.args[:-1])]):
        first, left, right = args[3 * k : 3 * k + 3]
        above = left - right if comparison.rel_op in (">", "<=") else right - left
        strictly = comparison.rel_op in (">", "<")
        value = n.select(above, first, value) if strictly else n.select(above, value, first)
    return value


def _from_one(sp: Any, expr: Any, given: Mapping[str, Node], args: list[Node]) -> Node:
    if expr.is_Symbol:
        return given[expr.name] if expr.name in given else n.symbol(expr.name)
    if expr.is_Atom:
        return _from_number(expr)
    if isinstance(expr, sp.Piecewise):
        return _from_cases(expr, args)
    known: dict[Any, Callable[..., Node]] = {sp.Add: n.add, sp.Mul: n.mul, sp.Pow: n.power}
    if type(expr) in known:
        return known[type(expr)](*args)
    pick = {sp.Min: minimum, sp.Max: maximum}.get(type(expr))
    return reduce(pick, args) if pick else _from_function(expr, args)


def _from_function(expr: Any, args: list[Node]) -> Node:
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
        raise ExpressionError(
            f"SymPy's {expr} is not a finite real number; the engine has no other"
        )
    if expr.is_Rational:
        return n.number(Fraction(int(expr.p), int(expr.q)))
    return n.number(float(expr))
