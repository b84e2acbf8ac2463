"""Physical expressions: a Node with its unit, and what can be said of two of them.

`==` of two physical expressions is an equation, `<` and `>` are relations; Nodes themselves keep
identity as equality.  Units are checked as expressions are made: volts are not added to amperes.
The radian counts as 1, and so does a number that is written in an equation take the unit of what it
stands beside.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from operator import add, sub
from typing import Any, NoReturn

from kinetree import engine as en
from kinetree.engine import Node, Rank, as_node, substitute, symbol, symbols, tangent, text
from kinetree.errors import ModelError
from kinetree.functions import Traced
from kinetree.model import time_symbol
from kinetree.units import BASE, DERIVED, read

Exponents = tuple[Fraction | int, ...]
"""Exponents of the base units without the radian."""
BASES = tuple(name for name in BASE if name != "rad")
NONE: Exponents = (0,) * len(BASES)
PER_SECOND: Exponents = tuple(-1 if name == "s" else 0 for name in BASES)
MOVING = (int(Rank.COORDINATE), int(Rank.VELOCITY))
"""Ranks of the symbols of variables and of their derivatives; those of parameters stand still."""


@cache
def dimension(unit: str) -> Exponents:
    """The exponents of a unit of the SI."""
    found = read(unit) if unit else None
    if found is None:
        return NONE
    if isinstance(found, str) or found.size != 1:
        raise ModelError(f"'{unit}' is not a valid unit of the SI", cure="use V, N.m, rad/s, …")
    return tuple(found.exponents.get(base, 0) for base in BASES)


@cache
def spell(size: Exponents) -> str:
    """A unit in words: "V" where it has a name, else a product."""
    for name, parts in DERIVED.items():
        if size == tuple(parts.get(base, 0) for base in BASES):
            return name
    above = [_power(base, n) for base, n in zip(BASES, size, strict=True) if n > 0]
    below = [_power(base, -n) for base, n in zip(BASES, size, strict=True) if n < 0]
    return "/".join([".".join(above) or "1", *below])


def _power(base: str, n: Fraction | int) -> str:
    return base if n == 1 else f"{base}{n}"


class TruthError(ModelError, TypeError):
    """An equation or a relation stands where Python wants true or false."""


class Physical(Traced):
    """An expression with its unit.

    Attributes:
        node: the expression, in SI units.
        size: its dimension; None of a plain number, which fits any.
    """

    __slots__ = ("node", "size")
    __hash__ = None  # type: ignore[assignment]  # == is an equation

    def __init__(self, node: Node, size: Exponents | None) -> None:
        self.node, self.size = node, size

    def __repr__(self) -> str:
        return f"{self.node!r} [{'any' if self.size is None else spell(self.size)}]"

    def __add__(self, other: Any) -> Physical:
        right = physical(other)
        return Physical(self.node + right.node, _same(self, right, "added to"))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Physical:
        right = physical(other)
        return Physical(self.node - right.node, _same(self, right, "subtracted with"))

    def __rsub__(self, other: Any) -> Physical:
        return physical(other) - self

    def __neg__(self) -> Physical:
        return Physical(-self.node, self.size)

    def __pos__(self) -> Physical:
        return self

    def __abs__(self) -> Physical:
        return Physical(abs(self.node), self.size)

    def __mul__(self, other: Any) -> Physical:
        right = physical(other)
        return Physical(self.node * right.node, _combine(self.size, right.size, add))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Physical:
        right = physical(other)
        return Physical(self.node / right.node, _combine(self.size, right.size, sub))

    def __rtruediv__(self, other: Any) -> Physical:
        return physical(other) / self

    def __pow__(self, other: float) -> Physical:
        return Physical(self.node**other, _raise(self.size, other))

    def __eq__(self, other: object) -> PhysicalEquation:  # type: ignore[override]
        right = physical(other)
        _same(self, right, "set equal to")
        return PhysicalEquation(self.node - right.node, (self.node, right.node))

    def __ne__(self, other: object) -> NoReturn:
        raise ModelError("'!=' cannot be an equation", cure="write ==, < or >")

    def __gt__(self, other: Any) -> Relation:
        right = physical(other)
        _same(self, right, "compared with")
        return Relation(self.node - right.node)

    def __lt__(self, other: Any) -> Relation:
        return physical(other) > self

    __ge__ = __gt__
    __le__ = __lt__

    def __bool__(self) -> bool:
        raise TruthError(
            f"the truth of {say(self.node)} is not known while equations are written",
            cure="compare with < or > inside switch(…)",
        )

    def apply(self, name: str, args: Sequence[Any]) -> Physical:
        """A function of the engine of these arguments, one of which is this one."""
        return apply(name, args)


@dataclass(frozen=True, eq=False)
class PhysicalEquation:
    """residual = 0; its two sides as they were written, where they are known."""

    residual: Node
    sides: tuple[Node, Node] | None = None

    def __bool__(self) -> bool:
        raise TruthError(
            f"the equation {say(self.residual)} = 0 is used as a truth value",
            cure="yield it from equations(), or compare with < or > inside switch(…)",
        )


@dataclass(frozen=True, eq=False)
class Relation(Traced):
    """True where the margin is above zero."""

    margin: Node

    def __bool__(self) -> bool:
        raise TruthError(
            f"the relation {say(self.margin)} > 0 is used as a truth value",
            cure="give it to switch(condition, a, b) or when(condition, …)",
        )

    def __and__(self, other: Relation) -> Relation:
        return Relation(en.minimum(self.margin, other.margin))

    def __or__(self, other: Relation) -> Relation:
        return Relation(en.maximum(self.margin, other.margin))

    def __invert__(self) -> Relation:
        return Relation(-self.margin)

    def apply(self, name: str, args: Sequence[Any]) -> Physical:
        """A function of the engine of these arguments, one of which is this one."""
        return apply(name, args)


def physical(x: Any) -> Physical:
    """A physical expression as it is, or that of a number."""
    if isinstance(x, Physical):
        return x
    if isinstance(x, PhysicalEquation | Relation):
        bool(x)
    return Physical(as_node(x), None)


def _same(left: Physical, right: Physical, verb: str) -> Exponents | None:
    """The dimension of both sides, where they have one in common."""
    a, b = left.size, right.size
    if a == b or b is None:
        return a
    if a is None:
        return b
    raise ModelError(
        f"{say(left.node)} [{spell(a)}] cannot be {verb} {say(right.node)} [{spell(b)}]",
        cure="give both sides the same unit",
    )


def _combine(
    a: Exponents | None, b: Exponents | None, way: Callable[[Any, Any], Any]
) -> Exponents | None:
    if a is None and b is None:
        return None
    return tuple(map(way, a or NONE, b or NONE))


def _raise(size: Exponents | None, power: float) -> Exponents | None:
    if size is None or not any(size):
        return size
    exact = Fraction(power).limit_denominator(12)
    return tuple(n * exact for n in size)


def apply(name: str, args: Sequence[Any]) -> Physical:
    """A function of the engine, with the unit that it gives its arguments."""
    if name in ("select", "switch"):
        condition, a, b = args
        margin = condition.margin if isinstance(condition, Relation) else physical(condition).node
        left, right = physical(a), physical(b)
        size = _same(left, right, f"one of two branches of {name} beside")
        return Physical(en.call(name, margin, left.node, right.node), size)
    if name == "table":
        x, data, order = args
        return Physical(en.table(x.node, data, order), None)
    given = [physical(x) for x in args]
    node = en.call(name, *[x.node for x in given])
    if name == "atan2":
        _same(given[0], given[1], "divided as an angle by")
        return Physical(node, NONE)
    if name in ("abs", "previous", "hold"):
        return Physical(node, given[0].size)
    if name == "sqrt":
        return Physical(node, _raise(given[0].size, 0.5))
    if name != "sign":
        for x in given:
            if x.size is not None and any(x.size):
                raise ModelError(
                    f"{name} is taken of {say(x.node)} [{spell(x.size)}]",
                    cure="divide it by something of the same unit",
                )
    return Physical(node, NONE)


def derivative_symbol(node: Node) -> Node:
    """The symbol of the time derivative of a variable, or of a derivative of it."""
    return symbol(f"der({node.name})", Rank.VELOCITY)


def split_name(node: Node) -> tuple[str, int]:
    """The path of the variable that a symbol stands for, and how often it is differentiated."""
    order, name = 0, node.name
    while name.startswith("der("):
        order, name = order + 1, name[4:-1]
    return name.removeprefix("x_"), order


def join_name(path: str, order: int) -> str:
    """A variable, or a derivative of it, for people."""
    return "der(" * order + path + ")" * order


def say(node: Node, longest: int | None = None) -> str:
    """An expression for people: variables by their paths."""
    new = {s: symbol(join_name(*split_name(s)), Rank.LOCAL) for s in symbols((node,))}
    return text(substitute((node,), new)[0], longest)


def differentiate(nodes: Sequence[Node]) -> list[Node]:
    """Time derivatives of expressions, in terms of those of the variables in them."""
    t = time_symbol()

    def rate(s: Node) -> Node | None:
        if s is t:
            return en.ONE
        return derivative_symbol(s) if s.key[0] in MOVING else None

    return tangent(nodes, rate)


def der(x: Any) -> Physical:
    """The time derivative of a variable or an expression."""
    given = physical(x)
    if given.node.is_symbol and given.node is not time_symbol():
        moving = given.node.key[0] in MOVING
        node = derivative_symbol(given.node) if moving else en.ZERO
    else:
        (node,) = differentiate([given.node])
    return Physical(node, _combine(given.size, PER_SECOND, add))


time = Physical(time_symbol(), dimension("s"))
"""The time [s]."""


def pre(x: Any) -> Physical:
    """In `sample`: what a value was right before the tick."""
    return apply("previous", [physical(x)])
