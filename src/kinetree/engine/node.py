"""Node: a scalar expression in a hash-consed graph, simplified as it is made.

A Node is one of five kinds: a number; a symbol; a *linear combination* value + Σ coefᵢ·argᵢ
("add"; also 2·x and −x are such); a *monomial* Π argᵢ^expᵢ with integer exponents ("mul"); an
elementary function of its arguments.  The constructors below keep these in one normal form:

* numbers fold; integers and rationals stay exact, everything else is an IEEE double;
* sums and products are flat, equal terms are collected, zero terms vanish: c + a + b - a is c + b;
* operands stand in order of rank ("multibody priority", Docquier2013 eq. 30), then name (eq. 31);
* signs and numeric factors float outward into the linear combination;
* trigonometric identities are applied as terms meet (`rules.trig`, Docquier2013 sec. 3.2);
* functions are rewritten by the table in `rules.functions`.

The engine knows no mechanics: a rank is just an integer given with the symbol.

Refs: Docquier2013 secs. 3.1, 3.2
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from enum import IntEnum
from fractions import Fraction
from operator import attrgetter
from typing import Any
from zlib import crc32

from kinetree.engine import arena as _arena
from kinetree.engine.ops import ADD, COS, MUL, NUM, OPS, SIN, SQRT, SYM, Op
from kinetree.errors import ExpressionError

Number = int | float | Fraction
Scalar = "Node | int | float | Fraction"


class Rank(IntEnum):
    """Priority of a symbol among operands; lower stands first (Docquier2013 eq. 30)."""

    NUMBER = 0
    MASS = 1
    LENGTH = 2
    PARAMETER = 3
    FORCE = 4
    COORDINATE = 5
    VELOCITY = 6
    ACCELERATION = 7
    LOCAL = 8
    FUNCTION = 9
    PRODUCT = 10
    SUM = 11


LABEL_LENGTH = 48
"""Characters of an expression that take part in lexicographic order; a digest decides beyond."""

PRODUCT_LENGTH = 32
"""Factors up to which a product is merged into another; beyond, chains of products stay linear."""

_COMPOUND = (ADD, MUL, NUM, SQRT)
"""Operators whose Nodes a product must look into."""

_table: dict[Hashable, Node] = _arena.current().table
_by_key = attrgetter("key")


class Node:
    """A scalar expression.  Equal expressions are one object: compare with `is`.

    Attributes:
        op: row of the operator table.
        args: operands, in normal order.
        coefs: per operand, the coefficient (add) or the integer exponent (mul).
        value: the number (num) or the constant term (add); 1 for mul.
        name: the symbol's name; empty otherwise.
        key: (rank, label, digest), the order among operands.
        trig: number of sine and cosine factors (with multiplicity); of a sum, of its richest term.
    """

    __slots__ = ("args", "coefs", "key", "name", "op", "trig", "value")

    op: Op
    args: tuple[Node, ...]
    coefs: tuple[Any, ...]
    value: Number
    name: str
    key: tuple[int, str, int]
    trig: int

    def __init__(  # noqa: PLR0913  the six slots of a Node, filled in one place
        self,
        op: Op,
        args: tuple[Node, ...],
        coefs: tuple[Any, ...],
        value: Number,
        name: str,
        key: tuple[int, str, int],
        trig: int = 0,
    ) -> None:
        self.op = op
        self.args = args
        self.coefs = coefs
        self.value = value
        self.name = name
        self.key = key
        self.trig = trig

    def __add__(self, other: Any) -> Node:
        if type(other) is Node:
            return linear(0, ((self, 1), (other, 1)))
        return add(self, as_node(other)) if _is_scalar(other) else NotImplemented

    __radd__ = __add__

    def __sub__(self, other: Any) -> Node:
        if type(other) is Node:
            return linear(0, ((self, 1), (other, -1)))
        if not _is_scalar(other):
            return NotImplemented
        return linear(0, ((self, 1), (as_node(other), -1)))

    def __rsub__(self, other: Any) -> Node:
        if not _is_scalar(other):
            return NotImplemented
        return linear(0, ((as_node(other), 1), (self, -1)))

    def __neg__(self) -> Node:
        return scale(-1, self)

    def __pos__(self) -> Node:
        return self

    def __mul__(self, other: Any) -> Node:
        if type(other) is Node:
            return multiply(self, other)
        return mul(self, as_node(other)) if _is_scalar(other) else NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Node:
        return mul(self, power(as_node(other), -1)) if _is_scalar(other) else NotImplemented

    def __rtruediv__(self, other: Any) -> Node:
        return mul(as_node(other), power(self, -1)) if _is_scalar(other) else NotImplemented

    def __pow__(self, other: Any) -> Node:
        return power(self, other) if _is_scalar(other) else NotImplemented

    def __rpow__(self, other: Any) -> Node:
        return call("pow", as_node(other), self) if _is_scalar(other) else NotImplemented

    def __abs__(self) -> Node:
        return call("abs", self)

    def __bool__(self) -> bool:
        raise TypeError(
            f"the truth of the expression {self} is not known while equations are derived; "
            "compare Nodes with 'is', or use a Select"
        )

    def __repr__(self) -> str:
        from kinetree.engine.show import text  # noqa: PLC0415  rendering stands above the Node

        return text(self)

    def _repr_latex_(self) -> str:
        from kinetree.engine.show import latex  # noqa: PLC0415  rendering stands above the Node

        return f"${latex(self)}$"

    @property
    def is_number(self) -> bool:
        """Whether this is a plain number."""
        return self.op is NUM

    @property
    def is_symbol(self) -> bool:
        """Whether this is a symbol."""
        return self.op is SYM


def _is_scalar(x: object) -> bool:
    return isinstance(x, Node | int | float | Fraction) or (
        hasattr(x, "dtype") and getattr(x, "shape", None) == ()
    )


# --- numbers and symbols -------------------------------------------------------------------------


def normal(x: Number) -> Number:
    """The one representation of a number: int where integral, float where dyadic, else exact."""
    if type(x) is int:
        return x
    if isinstance(x, Fraction):
        if x.denominator == 1:
            return int(x)
        return float(x) if x.denominator & (x.denominator - 1) == 0 else x
    x = float(x)
    if x.is_integer() and abs(x) < 2.0**53:
        return int(x)
    return x


def number(x: Number) -> Node:
    """The Node of a number."""
    x = normal(x)
    key = (NUM, x, type(x))
    node = _table.get(key)
    if node is None:
        if x != x:
            raise ExpressionError("a NaN cannot stand in an expression; check the model's numbers")
        node = Node(NUM, (), (), x, "", (Rank.NUMBER, "", hash(x)))
        _table[key] = node
    return node


def symbol(name: str, rank: int = Rank.PARAMETER) -> Node:
    """The symbol of that name; `rank` places it among operands (see Rank)."""
    key = (SYM, name, rank)
    node = _table.get(key)
    if node is None:
        node = Node(SYM, (), (), 0, name, (rank, name, crc32(name.encode())))
        _table[key] = node
    return node


def as_node(x: Any) -> Node:
    """A Node as it is, or the Node of a Python or NumPy number."""
    if type(x) is Node:
        return x
    if isinstance(x, int | float | Fraction):
        return number(x)
    if hasattr(x, "item"):
        return number(x.item())
    raise ExpressionError(f"{x!r} is neither a number nor an expression")


# --- linear combinations -------------------------------------------------------------------------


def add(*terms: Node) -> Node:
    """Sum of Nodes."""
    return linear(0, tuple((t, 1) for t in terms))


def scale(factor: Number, node: Node) -> Node:
    """A number times a Node."""
    return linear(0, ((node, factor),))


def linear(value: Number, terms: tuple[tuple[Node, Number], ...]) -> Node:
    """value + Σ coef·node, collected, condensed and in normal order."""
    sums: dict[Node, Number] = {}
    for node, coef in terms:
        op = node.op
        if op is ADD:
            value += coef * node.value
            for arg, c in zip(node.args, node.coefs, strict=True):
                sums[arg] = sums.get(arg, 0) + coef * c
        elif op is NUM:
            value += coef * node.value
        else:
            sums[node] = sums.get(node, 0) + coef
    if 0 in sums.values():
        sums = {node: coef for node, coef in sums.items() if coef != 0}
    for node, coef in sums.items():
        if node.trig > 1 and (len(sums) > 1 or abs(coef) == 2):
            return _trigonometric(normal(value), sums)
    return collected(normal(value), sums)


def _trigonometric(value: Number, sums: dict[Node, Number]) -> Node:
    """A sum in which products of sines and cosines meet: expand, condense, factor."""
    from kinetree.engine.rules import trig  # noqa: PLC0415  the rules stand above the Node

    value, sums = trig.expand(value, sums)
    value, sums = trig.condense(value, sums)
    common = trig.common_factor(value, sums)
    if common is None:
        return collected(value, sums)
    outer, inner = common
    return mul(outer, linear(0, tuple(inner.items())))


def collected(value: Number, sums: dict[Node, Number]) -> Node:
    """The interned Node of a collected sum."""
    if not sums:
        return number(value)
    if len(sums) == 1:
        ((node, coef),) = sums.items()
        if value == 0 and coef == 1:
            return node
        args: tuple[Node, ...] = (node,)
        coefs: tuple[Number, ...] = (normal(coef),)
    else:
        args = tuple(sorted(sums, key=_by_key))
        coefs = tuple([normal(sums[a]) for a in args])
    return intern_sum(value, args, coefs)


def intern_sum(value: Number, args: tuple[Node, ...], coefs: tuple[Number, ...]) -> Node:
    """The Node of a sum already in normal form."""
    key = (ADD, value, args, coefs)
    node = _table.get(key)
    if node is None:
        label = "+".join([a.key[1] for a in args[:6]])[:LABEL_LENGTH]
        digest = hash((2, value, coefs, *[a.key[2] for a in args]))
        trig = max([a.trig for a in args])
        node = Node(ADD, args, coefs, value, "", (Rank.SUM, label, digest), trig)
        _table[key] = node
    return node


def split_coefficient(node: Node) -> tuple[Number, Node]:
    """(c, x) with node = c·x and x free of a numeric factor; sums lead with a positive sign."""
    if node.op is NUM:
        return node.value, ONE
    if node.op is ADD:
        if len(node.args) == 1 and node.value == 0:
            return node.coefs[0], node.args[0]
        if node.coefs[0] < 0:
            return -1, scale(-1, node)
    return 1, node


# --- monomials -----------------------------------------------------------------------------------


def mul(*factors: Node) -> Node:
    """Product of Nodes."""
    return monomial(1, tuple((f, 1) for f in factors))


def multiply(a: Node, b: Node) -> Node:
    """Product of two Nodes; the quick way for two different atoms."""
    if a is ZERO or b is ZERO:
        return ZERO
    if a is ONE:
        return b
    if b is ONE:
        return a
    if a is b or a.op in _COMPOUND or b.op in _COMPOUND:
        return monomial(1, ((a, 1), (b, 1)))
    return _interned_product((a, b) if a.key < b.key else (b, a), (1, 1))


def monomial(coef: Number, factors: tuple[tuple[Node, int], ...]) -> Node:
    """coef·Π node^exp, collected and in normal order; exponents are integers."""
    powers: dict[Node, int] = {}
    for node, exp in factors:
        op = node.op
        if op is ADD:
            c, node = split_coefficient(node)
            coef *= _number_power(c, exp)
            op = node.op
        elif op is NUM:
            coef *= _number_power(node.value, exp)
            continue
        if op is MUL and len(node.args) <= PRODUCT_LENGTH:
            for arg, e in zip(node.args, node.coefs, strict=True):
                powers[arg] = powers.get(arg, 0) + e * exp
        else:
            powers[node] = powers.get(node, 0) + exp
    coef = normal(coef)
    if coef == 0:
        return ZERO
    if any(n.op is SQRT and abs(e) > 1 for n, e in powers.items()):
        return _without_square_roots(coef, powers)
    if 0 in powers.values():
        powers = {n: e for n, e in powers.items() if e}
    product = intern_product(powers)
    if product.trig > 1 and abs(coef) == 2:
        return linear(0, ((product, coef),))
    if coef == 1:
        return product
    if product.op is NUM:
        return number(coef)
    if product.op is ADD:
        return scale(coef, product)
    return intern_sum(0, (product,), (coef,))


def _number_power(x: Number, exp: int) -> Number:
    if exp == 1:
        return x
    if x == 0 and exp < 0:
        raise ExpressionError("division by an expression that is identically zero")
    if exp < 0 and isinstance(x, int):
        return Fraction(1, x) ** -exp
    return x**exp


def _without_square_roots(coef: Number, powers: dict[Node, int]) -> Node:
    """sqrt(x)**2 is x: pairs of equal square roots leave the product."""
    plain: list[tuple[Node, int]] = []
    for node, exp in powers.items():
        if node.op is SQRT and abs(exp) > 1:
            half = int(exp / 2)
            plain += [(node.args[0], half), (node, exp - 2 * half)]
        else:
            plain.append((node, exp))
    return monomial(coef, tuple(plain))


def intern_product(powers: dict[Node, int]) -> Node:
    """The interned Node of collected factors without a numeric coefficient."""
    if not powers:
        return ONE
    if len(powers) == 1:
        ((node, exp),) = powers.items()
        if exp == 1:
            return node
        args: tuple[Node, ...] = (node,)
        exps: tuple[int, ...] = (exp,)
    else:
        args = tuple(sorted(powers, key=_by_key))
        exps = tuple([powers[a] for a in args])
    return _interned_product(args, exps)


def _interned_product(args: tuple[Node, ...], exps: tuple[int, ...]) -> Node:
    """The Node of a product already in normal form."""
    key = (MUL, args, exps)
    node = _table.get(key)
    if node is None:
        label = "*".join([a.key[1] for a in args[:6]])[:LABEL_LENGTH]
        digest = hash((3, exps, *[a.key[2] for a in args]))
        trig = sum([a.trig * abs(e) for a, e in zip(args, exps, strict=True)])
        node = Node(MUL, args, exps, 1, "", (Rank.PRODUCT, label, digest), trig)
        _table[key] = node
    return node


def power(base: Any, exponent: Any) -> Node:
    """base**exponent; integer exponents stay monomials, halves become square roots."""
    base = as_node(base)
    if isinstance(exponent, Node):
        if exponent.op is not NUM:
            return call("pow", base, exponent)
        exponent = exponent.value
    exponent = normal(exponent)
    if isinstance(exponent, int):
        return monomial(1, ((base, exponent),)) if exponent else ONE
    if isinstance(exponent, float) and (2 * exponent).is_integer():
        return power(call("sqrt", base), int(2 * exponent))
    return call("pow", base, number(exponent))


# --- elementary functions ------------------------------------------------------------------------


def call(name: str, *args: Any) -> Node:
    """The elementary function of that name, rewritten by the rules of its head."""
    op = OPS.get(name)
    if op is None or op.arity != len(args):
        known = ", ".join(n for n, o in OPS.items() if o.arity == len(args) and o.arity > 0)
        raise ExpressionError(
            f"the engine knows no function '{name}' of {len(args)} argument(s); it knows {known}"
        )
    from kinetree.engine.rules import functions  # noqa: PLC0415  the rules stand above the Node

    nodes = tuple(as_node(a) for a in args)
    rewritten = functions.rewrite(op, nodes)
    return rewritten if rewritten is not None else intern_call(op, nodes)


def intern_call(op: Op, args: tuple[Node, ...]) -> Node:
    """The Node of a function to which no rule applies."""
    key = (op, args)
    node = _table.get(key)
    if node is None:
        label = f"{op.name}({','.join([a.key[1] for a in args])}"[:LABEL_LENGTH]
        digest = hash((op.code, *[a.key[2] for a in args]))
        trig = 1 if op is SIN or op is COS else 0
        node = Node(op, args, (), 0, "", (Rank.FUNCTION, label, digest), trig)
        _table[key] = node
    return node


def fold_numbers(op: Op, args: tuple[Node, ...]) -> Node | None:
    """The value of a function of numbers, or None where it has none."""
    if op.evaluate is None or not all(a.op is NUM for a in args):
        return None
    value = float(op.evaluate(*[float(a.value) for a in args]))
    if not math.isfinite(value):
        raise ExpressionError(f"{op.name} has no value at {', '.join(str(a) for a in args)}")
    return number(value)


def _function(name: str) -> Callable[..., Node]:
    def function(*args: Any) -> Node:
        return call(name, *args)

    function.__name__ = name
    function.__doc__ = f"{name} of an expression or a number, as a Node."
    return function


sin, cos, tan = _function("sin"), _function("cos"), _function("tan")
asin, acos, atan, atan2 = (_function(n) for n in ("asin", "acos", "atan", "atan2"))
sinh, cosh, tanh = _function("sinh"), _function("cosh"), _function("tanh")
exp, log, sqrt = _function("exp"), _function("log"), _function("sqrt")
sign = _function("sign")


ZERO = number(0)
ONE = number(1)
MINUS_ONE = number(-1)


def rebind(table: dict[Hashable, Node]) -> None:
    """Make Nodes in that table from now on; the permanent numbers go with it."""
    global _table  # noqa: PLW0603  the intern table is the one invisible global
    _table = table
    for node in (ZERO, ONE, MINUS_ONE):
        table.setdefault((NUM, node.value, type(node.value)), node)
