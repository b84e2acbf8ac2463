"""Node: a scalar expression in a hash-consed graph, simplified as it is made.

A Node is one of five kinds: a number; a symbol; a *linear combination* value + Σ coefᵢ·argᵢ
("add"; also 2·x and −x are such); a *monomial* Π argᵢ^expᵢ with integer exponents ("mul"); an
elementary function of its arguments.  The constructors keep these in one normal form:

* numbers fold; integers and rationals stay exact, everything else is an IEEE double;
* sums and products are flat, equal terms are collected, zero terms vanish: c + a + b - a is c + b;
* operands stand in order of rank ("multibody priority", Docquier2013 eq. 30), then name (eq. 31);
* signs and numeric factors float outward into the linear combination;
* trigonometric identities are applied as terms meet (`rules.trig`, Docquier2013 sec. 3.2);
* functions are rewritten by the table in `rules.functions`.

This file holds the noun and its table; `algebra` makes sums and products, `elementary` functions.

Refs: Docquier2013 secs. 3.1, 3.2
"""

from __future__ import annotations

from collections.abc import Hashable
from enum import IntEnum
from fractions import Fraction
from operator import attrgetter
from typing import Any
from zlib import crc32

from kinetree.engine import arena as _arena
from kinetree.engine.ops import ADD, COS, MUL, NUM, SIN, SYM, Op
from kinetree.engine.scalars import Number, normal
from kinetree.errors import ExpressionError

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
LABEL_PARTS = 6
"""Operands whose labels make up that of a sum or product."""

_FUNCTION, _PRODUCT, _SUM = int(Rank.FUNCTION), int(Rank.PRODUCT), int(Rank.SUM)
_ONES = (1, 1)
_MINUS_ONE_DIGEST = 0x2545F4914F6CDD1D
"""Stands for -1 in digests, because Python hashes -1 and -2 alike."""

_table: dict[Hashable, Node] = _arena.current().table
_enter = _arena.current().enter
by_key = attrgetter("key")
"""The order among operands."""


class Node:
    """A scalar expression.  Equal expressions are one object: compare with `is`.

    Attributes:
        op: row of the operator table.
        args: operands, in normal order.
        coefs: per operand, the coefficient (add) or the integer exponent (mul).
        value: the number (num) or the constant term (add); 1 for mul.
        name: the symbol's name; empty otherwise.
        key: (rank, label, digest), the order among operands; found when first asked for.
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

    def __init__(
        self,
        op: Op,
        args: tuple[Node, ...],
        coefs: tuple[Any, ...],
        value: Number,
        name: str = "",
        trig: int = 0,
    ) -> None:
        self.op = op
        self.args = args
        self.coefs = coefs
        self.value = value
        self.name = name
        self.trig = trig

    def __getattr__(self, name: str) -> Any:
        if name != "key":
            raise AttributeError(f"a Node has no '{name}'")
        return _complete(self)

    def __add__(self, other: Any) -> Node:
        if type(other) is Node:
            return plus(self, other, 1)
        return plus(self, as_node(other), 1) if is_scalar(other) else NotImplemented

    __radd__ = __add__

    def __sub__(self, other: Any) -> Node:
        if type(other) is Node:
            return plus(self, other, -1)
        return plus(self, as_node(other), -1) if is_scalar(other) else NotImplemented

    def __rsub__(self, other: Any) -> Node:
        return plus(as_node(other), self, -1) if is_scalar(other) else NotImplemented

    def __neg__(self) -> Node:
        return scale(-1, self)

    def __pos__(self) -> Node:
        return self

    def __mul__(self, other: Any) -> Node:
        if type(other) is Node:
            return multiply(self, other)
        return multiply(self, as_node(other)) if is_scalar(other) else NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Node:
        return quotient(self, as_node(other)) if is_scalar(other) else NotImplemented

    def __rtruediv__(self, other: Any) -> Node:
        return quotient(as_node(other), self) if is_scalar(other) else NotImplemented

    def __pow__(self, other: Any) -> Node:
        return power(self, other) if is_scalar(other) else NotImplemented

    def __rpow__(self, other: Any) -> Node:
        return power(other, self) if is_scalar(other) else NotImplemented

    def __abs__(self) -> Node:
        return call("abs", self)

    def __bool__(self) -> bool:
        raise TypeError(
            f"the truth of the expression {self!r} is not known while equations are derived; "
            "compare Nodes with 'is'; for a branch write select(c, a, b)"
        )

    def __copy__(self) -> Node:
        return self

    def __deepcopy__(self, memo: object) -> Node:
        return self

    def __reduce__(self) -> str:
        raise TypeError("a Node lives in the arena of its process; send its text instead")

    def __str__(self) -> str:
        from kinetree.engine.show import text  # noqa: PLC0415  rendering stands above the Node

        return text(self)

    def __repr__(self) -> str:
        from kinetree.engine.show import REPR_LENGTH, text  # noqa: PLC0415  as above

        return text(self, REPR_LENGTH)

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


def is_scalar(x: object) -> bool:
    """Whether x is a Node or a number of Python or NumPy."""
    return isinstance(x, Node | int | float | Fraction) or (
        hasattr(x, "dtype") and getattr(x, "shape", None) == ()
    )


# --- order ---------------------------------------------------------------------------------------

_stored_key = Node.__dict__["key"].__get__


def _complete(node: Node) -> tuple[int, str, int]:
    """Find the key of a Node, after those of what is below it."""
    stack = [node]
    while stack:
        top = stack[-1]
        try:
            keys = [_stored_key(arg) for arg in top.args]
        except AttributeError:
            stack += [arg for arg in top.args if not _has_key(arg)]
            continue
        top.key = _key(top, keys)
        stack.pop()
    return node.key


def _has_key(node: Node) -> bool:
    try:
        _stored_key(node)
    except AttributeError:
        return False
    return True


def _key(node: Node, keys: list[tuple[int, str, int]]) -> tuple[int, str, int]:
    digests = [key[2] for key in keys]
    op = node.op
    if op is MUL:
        label = "*".join([key[1] for key in keys[:LABEL_PARTS]])
        return _PRODUCT, label[:LABEL_LENGTH], hash((3, _digest(node.coefs), *digests))
    if op is ADD:
        label = "+".join([key[1] for key in keys[:LABEL_PARTS]])
        sizes = _digest((node.value, *node.coefs))
        return _SUM, label[:LABEL_LENGTH], hash((2, sizes, *digests))
    if op is NUM:
        return 0, str(node.value), hash(_digest((node.value,)))
    label = f"{op.name}({','.join([key[1] for key in keys])}"
    return _FUNCTION, label[:LABEL_LENGTH], hash((op.code, *digests))


def _digest(numbers: tuple[Number, ...]) -> tuple[Number, ...]:
    """Numbers as they go into a digest: -1 is told from -2."""
    if -1 not in numbers:
        return numbers
    return tuple([_MINUS_ONE_DIGEST if x == -1 else x for x in numbers])


# --- numbers and symbols -------------------------------------------------------------------------


def number(x: Number) -> Node:
    """The Node of a number."""
    x = normal(x)
    key = (NUM, x)
    node = _table.get(key)
    if node is None:
        node = _enter(key, Node(NUM, (), (), x))
    return node


def symbol(name: str, rank: int = Rank.PARAMETER) -> Node:
    """The symbol of that name; `rank` places it among operands (see Rank)."""
    key = (SYM, name, rank)
    node = _table.get(key)
    if node is None:
        node = Node(SYM, (), (), 0, name)
        node.key = (int(rank), name, crc32(name.encode()))
        node = _enter(key, node)
    return node


def as_node(x: Any) -> Node:
    """A Node as it is, or the Node of a Python or NumPy number."""
    if type(x) is Node:
        return x
    if hasattr(x, "dtype") and getattr(x, "shape", None) == ():
        x = x.item()
    if isinstance(x, int | float | Fraction):
        return number(x)
    raise ExpressionError(f"{x!r} is neither a number nor an expression")


# --- interning -----------------------------------------------------------------------------------


def intern_sum(value: Number, args: tuple[Node, ...], coefs: Any, trig: int = -1) -> Node:
    """The Node of a sum already in normal form; `trig` where that of its terms is known."""
    key = (ADD, value, args, coefs)
    node = _table.get(key)
    if node is None:
        trig = max([a.trig for a in args]) if trig < 0 else trig
        node = _enter(key, Node(ADD, args, coefs, value, "", trig))
    return node


def intern_factors(args: tuple[Node, ...], exps: tuple[int, ...]) -> Node:
    """The Node of a product already in normal form."""
    key = (MUL, args, exps)
    node = _table.get(key)
    if node is None:
        trig = sum([a.trig * abs(e) for a, e in zip(args, exps, strict=True)])
        node = Node(MUL, args, exps, 1, "", trig)
        if len(args) > 1:
            node.key = _key(node, [a.key for a in args])
        node = _enter(key, node)
    return node


def intern_pair(a: Node, b: Node) -> Node:
    """The Node of a product of two different plain factors."""
    first, second = a.key, b.key
    if second < first:
        a, b = b, a
        first, second = second, first
    args = (a, b)
    key = (MUL, args, _ONES)
    node = _table.get(key)
    if node is None:
        node = Node(MUL, args, _ONES, 1, "", a.trig + b.trig)
        label = f"{first[1]}*{second[1]}"[:LABEL_LENGTH]
        node.key = (_PRODUCT, label, hash((3, _ONES, first[2], second[2])))
        node = _enter(key, node)
    return node


def intern_call(op: Op, args: tuple[Node, ...]) -> Node:
    """The Node of a function to which no rule applies."""
    key = (op.lookup or op, args)  # tables by their data
    node = _table.get(key)
    if node is None:
        trig = 1 if op is SIN or op is COS else 0
        node = _enter(key, Node(op, args, (), 0, "", trig))
    return node


ZERO = number(0)
ONE = number(1)
MINUS_ONE = number(-1)


def rebind(arena: _arena.Arena) -> None:
    """Make Nodes in that arena from now on; the permanent numbers go with it."""
    global _enter, _table
    for node in (ZERO, ONE, MINUS_ONE):
        arena.enter((NUM, node.value), node)
    _table, _enter = arena.table, arena.enter


# The operators of a Node are algebra's; algebra needs the Node.
from kinetree.engine.algebra import (  # noqa: E402
    add,
    intern_product,
    linear,
    monomial,
    mul,
    multiply,
    plus,
    power,
    quotient,
    scale,
    split_coefficient,
    sum_of,
)
from kinetree.engine.elementary import (  # noqa: E402
    acos,
    apply,
    asin,
    atan,
    atan2,
    call,
    cos,
    cosh,
    exp,
    fold_numbers,
    log,
    select,
    sign,
    sin,
    sinh,
    sqrt,
    table,
    tan,
    tanh,
)

__all__ = [
    "MINUS_ONE", "ONE", "ZERO", "Node", "Number", "Rank", "Scalar", "acos", "add", "apply",
    "as_node", "asin", "atan", "atan2", "by_key", "call", "cos", "cosh", "exp", "fold_numbers",
    "intern_call", "intern_factors", "intern_pair", "intern_product", "intern_sum", "is_scalar",
    "linear", "log", "monomial", "mul", "multiply", "normal", "number", "plus", "power", "quotient",
    "rebind", "scale", "select", "sign", "sin", "sinh", "split_coefficient", "sqrt", "sum_of",
    "symbol", "table", "tan", "tanh",
]  # fmt: skip
