"""Random expressions as plain data, to be built by the engine, by NumPy or by SymPy.

A tree is ("number", Fraction), ("symbol", name) or (operator, tree, …).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np
from hypothesis import strategies as st

from kinetree import engine as en
from kinetree.tables import look_up

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Tree = tuple[Any, ...]

NAMES = ("x", "y", "z", "w")
SYMBOLS = {name: en.symbol(name) for name in NAMES}
BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
}
SMOOTH = ("sin", "cos", "exp", "tanh", "atan", "sinh", "cosh", "tan")
"""Functions that have a value and a derivative almost everywhere."""
CURVE = en.Table((-1.5, -0.25, 0.5, 2.0), (-1.0, -0.5, 0.75, 1.0), (0.25, 1.0, 0.5, 0.125), "curve")
"""A table with slopes of its own."""
DEEPEST = 12
SYMPY_DIGITS = 40

numbers = st.fractions(-4, 4, max_denominator=6)
leaves = st.one_of(
    st.sampled_from(NAMES).map(lambda name: ("symbol", name)),
    numbers.map(lambda value: ("number", value)),
)


def _grown(inner: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    return st.one_of(
        st.tuples(st.sampled_from("++--**/"), inner, inner),
        st.tuples(st.sampled_from(SMOOTH), inner),
        st.tuples(st.just("power"), inner, st.integers(-2, 3)),
        st.tuples(st.just("select"), inner, inner, inner),
        st.tuples(st.just("table"), inner),
    )


trees = st.recursive(leaves, _grown, max_leaves=DEEPEST)
whole_trees = st.recursive(
    st.one_of(
        st.sampled_from(NAMES).map(lambda name: ("symbol", name)),
        st.integers(-4, 4).map(lambda value: ("number", Fraction(value))),
    ),
    lambda inner: (
        st.tuples(st.sampled_from("++--**"), inner, inner)
        | st.tuples(st.sampled_from(("sin", "exp", "atan")), inner)
    ),
    max_leaves=DEEPEST,
)
"""Expressions with whole numbers, by which sums are multiplied without a trace, and without sines
next to cosines, of which 2·sin·cos becomes one and 4·sin·cos does not."""
points = st.fixed_dictionaries(
    {name: st.floats(0.125, 1.5).map(lambda x: round(x, 3)) for name in NAMES}
)

angles = st.sampled_from(("q1", "q2", "q3"))
cofactors = st.sampled_from(("m1", "m2", "1", "1"))


@st.composite
def trig_terms(draw: st.DrawFn) -> en.Node:
    """A number times a cofactor times one to three sines and cosines."""
    term = en.number(draw(st.sampled_from((1, 1, 1, -1, 2, -2))))
    for _ in range(draw(st.integers(1, 3))):
        head = draw(st.sampled_from((en.sin, en.cos)))
        term = term * head(en.symbol(draw(angles), en.Rank.COORDINATE))
    name = draw(cofactors)
    return term if name == "1" else term * en.symbol(name, en.Rank.MASS)


def node(tree: Tree) -> en.Node:
    """The tree as a Node."""
    return _built(tree, _Engine())  # type: ignore[no-any-return]


def sympy(tree: Tree, point: dict[str, float]) -> Any:
    """The value of the tree at a point, by SymPy's functions with forty digits."""
    return _built(tree, _SymPy(point))


@dataclass
class Value:
    """A value and the largest number met on the way to it, which sets the scale of rounding."""

    value: Any
    scale: float


def value(tree: Tree, point: dict[str, Any]) -> Value:
    """The tree evaluated as it stands, operation by operation."""
    way = _NumPy(point)
    with np.errstate(all="ignore"):
        result = _built(tree, way)
    return Value(result, way.largest)


def _built(tree: Tree, way: Any) -> Any:
    head, *rest = tree
    if head == "number":
        return way.number(rest[0])
    if head == "symbol":
        return way.symbol(rest[0])
    if head == "power":
        return way.seen(_built(rest[0], way) ** rest[1])
    args = [_built(arg, way) for arg in rest]
    return way.seen(BINARY[head](*args) if head in BINARY else way.function(head)(*args))


class _Engine:
    def number(self, x: Fraction) -> en.Node:
        return en.number(x)

    def symbol(self, name: str) -> en.Node:
        return SYMBOLS[name]

    def function(self, name: str) -> Any:
        if name == "table":
            return lambda x: en.table(x, CURVE)
        return getattr(en, name)

    def seen(self, x: Any) -> Any:
        return x


@dataclass
class _SymPy(_Engine):
    """Numbers at once: nested branches as expressions grow without bound."""

    point: dict[str, float]

    def number(self, x: Fraction) -> Any:
        import sympy as sp

        return sp.Float(sp.Rational(x.numerator, x.denominator), SYMPY_DIGITS)

    def symbol(self, name: str) -> Any:
        import sympy as sp

        return sp.Float(sp.Rational(self.point[name]), SYMPY_DIGITS)

    def function(self, name: str) -> Any:
        import sympy as sp

        if name == "select":
            return lambda c, a, b: sp.Piecewise((a, c > 0), (b, True))
        return _hermite if name == "table" else getattr(sp, name)


def _hermite(x: Any) -> Any:
    """The table in SymPy, by the four basis functions of Hermite."""
    import sympy as sp

    rows = zip(CURVE.knots, CURVE.values, CURVE.slopes, strict=True)
    k, y, m = zip(*[[sp.Rational(v) for v in row] for row in rows], strict=True)
    cases = [(y[0] + m[0] * (x - k[0]), x < k[0])]
    for i in range(len(k) - 1):
        h = k[i + 1] - k[i]
        s = (x - k[i]) / h
        value = (2 * s**3 - 3 * s**2 + 1) * y[i] + (s**3 - 2 * s**2 + s) * h * m[i]
        value += (3 * s**2 - 2 * s**3) * y[i + 1] + (s**3 - s**2) * h * m[i + 1]
        cases.append((value, x < k[i + 1]))
    return sp.Piecewise(*cases, (y[-1] + m[-1] * (x - k[-1]), True))


@dataclass
class _NumPy:
    point: dict[str, Any]
    largest: float = field(default=1.0)

    def number(self, x: Fraction) -> Any:
        return np.float64(x)

    def symbol(self, name: str) -> Any:
        return self.seen(np.asarray(self.point[name])[()])

    def function(self, name: str) -> Any:
        if name == "table":
            return lambda x: look_up(CURVE, x)
        return en.OPS[name].evaluate

    def seen(self, x: Any) -> Any:
        sizes = np.abs(x)
        with np.errstate(all="ignore"):
            small = np.max(1 / sizes)
        self.largest = max(self.largest, float(np.max(sizes)), min(float(small), 1e300))
        return x


def rebuilt(x: en.Node) -> en.Node:
    """The same Node made anew from its operands, through the constructors."""
    if x.op is en.ADD:
        return en.linear(x.value, tuple(zip(x.args, x.coefs, strict=True)))
    if x.op is en.MUL:
        return en.monomial(1, tuple(zip(x.args, x.coefs, strict=True)))
    return en.apply(x.op, x.args) if x.args else x


def orders(items: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """All permutations of a few items, a selection of those of many."""
    if len(items) <= 4:
        yield from permutations(items)
        return
    rng = np.random.default_rng(len(items))
    for _ in range(12):
        yield tuple(items[k] for k in rng.permutation(len(items)))
