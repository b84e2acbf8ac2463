"""Random expressions as plain tuples, their Nodes, and their values operation by operation.

A tree is ("number", x), ("symbol", k), ("power", tree, n) or (operator, tree, …).  Values come with
their rounding noise: besides the plain evaluation a few more are made in which every operation is
off by a rounding or so, at random.  How far these spread is what rounding may do to the value,
however the expression is rearranged.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from kinetree import engine as en

Tree = tuple[Any, ...]
Array = Any
"""A NumPy array, real or complex."""
Rng = np.random.Generator

RANKS = (en.Rank.COORDINATE, en.Rank.COORDINATE, en.Rank.MASS, en.Rank.PARAMETER)
COUNT = len(RANKS)
EPS = float(np.finfo(float).eps)
TINY, HUGE = 1e-20, 1e60
"""Sizes on the way between which squares stay in double precision and complex steps leave no trace
in real parts."""
WILD = 1e-7
"""Noise on the way, relative to numbers above 1, beyond which a point is set aside."""
NOISY = 5
"""Evaluations with noise."""
EDGE = 1e-12
"""Distance from ±1 within which rounding tells whether asin and acos have a slope."""
STEP = 1e-30
"""Of complex differentiation."""
STEEP = 1e18
"""Derivatives on the way beyond which a complex step is no longer small."""
FLOOR = 1e-40
"""Noise at least: complex steps leave their square behind where a derivative is 0."""
KNOTS, VALUES, SLOPES = (-1.5, -0.25, 0.5, 2.0), (-1.0, -0.5, 0.75, 1.0), (0.25, 1.0, 0.5, 0.125)
CURVE = en.Table(KNOTS, VALUES, SLOPES, "curve")

UNARY = (
    "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "sqrt",
    "abs", "sign", "table", "neg",
)  # fmt: skip
BINARY = ("+", "-", "*", "/", "+", "-", "*", "*", "atan2", "pow", "min", "max")
NUMBERS = (0, 1, 2, -1, 3, Fraction(1, 3), Fraction(-3, 2), 0.5, 0.1, -0.7, 1e-3, 1e4, 2.5)


# --- drawing ------------------------------------------------------------------------------------


def draw_tree(rng: Rng, size: int) -> Tree:
    """An expression of about `size` operations."""
    if size <= 0:
        number = ("number", NUMBERS[int(rng.integers(len(NUMBERS)))])
        return number if rng.random() < 0.25 else ("symbol", int(rng.integers(COUNT)))
    kind = rng.random()
    if kind < 0.08:
        return draw_trig(rng)
    if kind < 0.30:
        return (UNARY[int(rng.integers(len(UNARY)))], draw_tree(rng, size - 1))
    if kind < 0.38:
        return ("power", draw_tree(rng, size - 1), int(rng.integers(-3, 5)))
    left = int(rng.integers(size))
    if kind < 0.43:
        middle = left // 2
        parts = (left - middle, middle, size - 1 - left)
        return ("select", *(draw_tree(rng, part) for part in parts))
    name = BINARY[int(rng.integers(len(BINARY)))]
    return (name, draw_tree(rng, left), draw_tree(rng, size - 1 - left))


def draw_trig(rng: Rng) -> Tree:
    """Sines and cosines of angles, as rules about sums of angles look for them."""
    a, b = (("symbol", int(rng.integers(COUNT))) for _ in range(2))
    signs = rng.choice(["+", "-"], 2)
    inner: Tree = (str(signs[0]), a, b) if rng.random() < 0.3 else a
    first: Tree = (
        "*",
        (str(rng.choice(["sin", "cos"])), inner),
        (str(rng.choice(["sin", "cos"])), b),
    )
    second: Tree = (
        "*",
        (str(rng.choice(["sin", "cos"])), inner),
        (str(rng.choice(["sin", "cos"])), b),
    )
    if rng.random() < 0.3:
        factor = draw_tree(rng, 0)
        first, second = ("*", factor, first), ("*", factor, second)
    return (str(signs[1]), first, second)


def draw_points(rng: Rng, count: int) -> Array:
    """Values of the symbols, COUNT × count; the last column holds zeros, ones and the like."""
    points = rng.normal(size=(COUNT, count)) * rng.choice([0.3, 1.0, 1.0, 3.0])
    points[:, -1] = rng.choice([0.0, 1.0, -1.0, 0.5, 2.0, -0.0], COUNT)
    return points


# --- Nodes --------------------------------------------------------------------------------------

SYMBOLIC: dict[str, Callable[..., en.Node]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "neg": lambda a: -a,
    "min": en.minimum,
    "max": en.maximum,
    "table": lambda a: en.table(a, CURVE),
}


def symbols() -> list[en.Node]:
    """The symbols of the expressions."""
    return [en.symbol(f"s{k}", rank) for k, rank in enumerate(RANKS)]


def node(tree: Tree, names: list[en.Node]) -> en.Node:
    """The tree built by the engine."""
    head, *rest = tree
    if head == "number":
        return en.number(rest[0])
    if head == "symbol":
        return names[rest[0]]
    if head == "power":
        return node(rest[0], names) ** int(rest[1])
    args = [node(arg, names) for arg in rest]
    return SYMBOLIC[head](*args) if head in SYMBOLIC else en.call(head, *args)


# --- values -------------------------------------------------------------------------------------


def curve(x: Array) -> Array:
    """The table by the four basis functions of Hermite, straight beyond its ends."""
    k, y, m = (np.array(row) for row in (KNOTS, VALUES, SLOPES))
    i = np.clip(np.searchsorted(k, x.real) - 1, 0, len(k) - 2)
    h = k[i + 1] - k[i]
    s = (x - k[i]) / h
    inside = (2 * s**3 - 3 * s**2 + 1) * y[i] + (s**3 - 2 * s**2 + s) * h * m[i]
    inside = inside + (3 * s**2 - 2 * s**3) * y[i + 1] + (s**3 - s**2) * h * m[i + 1]
    below, above = y[0] + m[0] * (x - k[0]), y[-1] + m[-1] * (x - k[-1])
    inside = np.where(x.real < k[0], below, inside)
    return np.where(x.real > k[-1], above, inside)


def angle(y: Array, x: Array) -> Array:
    """atan2, continued so that the imaginary part is the derivative."""
    square = x.real**2 + y.real**2
    return np.arctan2(y.real, x.real) + 1j * (x.real * y.imag - y.real * x.imag) / square


def raised(x: Array, e: Array) -> Array:
    """x**e; its derivative by exponential and logarithm, none where x is not positive."""
    found = np.exp(e * np.log(x))
    found.real = np.power(x.real, e.real)
    found.imag[x.real <= 0] = 0.0
    return found


def repeated(x: Array, n: int) -> Array:
    """x**n by multiplication."""
    found = np.ones_like(x)
    for _ in range(abs(n)):
        found = found * x
    return divided(np.ones_like(x), found, x) if n < 0 else found


def divided(a: Array, b: Array, zero: Array | None = None) -> Array:
    """a/b, without a value where the real part of b, or of `zero`, is 0."""
    found = a / b
    found[(b if zero is None else zero).real == 0] = np.nan
    return found


def real_valued(function: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """A function that has real values on a part of the real axis only."""

    def continued(x: Array) -> Array:
        found = function(x)
        found.real = function(x.real)
        return found

    return continued


NUMERIC: dict[str, Callable[..., Array]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": divided,
    "neg": lambda a: -a,
    "asin": real_valued(np.arcsin),
    "acos": real_valued(np.arccos),
    "sqrt": real_valued(np.sqrt),
    "log": real_valued(np.log),
    "atan": np.arctan,
    "abs": lambda x: np.where(x.real < 0, -x, x),
    "sign": lambda x: np.sign(x.real) + 0j,
    "table": curve,
    "atan2": angle,
    "pow": raised,
    "min": lambda a, b: np.where((b - a).real > 0, a, b),
    "max": lambda a, b: np.where((a - b).real > 0, a, b),
    "select": lambda c, a, b: np.where(c.real > 0, a, b),
}
ROOTS = {"abs", "sign", "sqrt", "min", "max", "select", "atan2", "pow", "asin", "acos"}
"""Operators without a derivative at some places, mostly where the first argument is 0."""


class Noise:
    """Random roundings, factors 1 ± EPS or so, used in turn; none in the first row."""

    def __init__(self, rng: Rng, count: int) -> None:
        rows = 1 + EPS * rng.choice([-1.5, -1.0, 1.0, 2.0], (97, NOISY + 1, count))
        rows[:, 0] = 1.0
        self.rows, self.at = list(rows), int(rng.integers(97))

    def factor(self) -> Array:
        """The next one."""
        self.at = (self.at + 1) % 97
        return self.rows[self.at]


class Values:
    """A tree at some points, plain in the first row, with noise in the others.

    The numbers are complex: a small imaginary part carries the derivative along a direction.

    Attributes:
        rows: values of the tree, rows of noise by points.
        extreme: point -> whether a number on the way left the safe range.
        never: whether an operation on the way had no value at any point.
        wild: point -> whether rounding moved a number on the way so far that anything may follow:
            a branch taken or not, a sine of a large angle.
        kink: point -> whether the expression has no derivative there, or is close to such a place.
        half_turn: point -> whether atan2(±0, x) with x not positive was asked for.  NumPy tells
            -0 from 0 there, the engine knows one zero: a known and accepted difference.
    """

    def __init__(self, tree: Tree, points: Array, direction: Array, noise: Noise) -> None:
        count = points.shape[1]
        self.shape, self.noise = (NOISY + 1, count), noise
        self.points = points + 1j * STEP * direction[:, None]
        self.kink, self.half_turn = np.zeros(count, bool), np.zeros(count, bool)
        self.met: list[Array] = []
        self.rows = self.of(tree)
        met = np.stack(self.met)
        slopes, met = met.imag, met.real
        sizes = np.abs(met)
        safe = (sizes < HUGE) & ((sizes > TINY) | (sizes == 0)) & (np.abs(slopes) < STEEP * STEP)
        self.never = not safe[:, 0].any(-1).all()
        self.extreme = ~safe.all((0, 1))
        noise = np.abs(met - met[:, :1]).max(1)
        self.wild = ~(noise < WILD * np.maximum(sizes[:, 0], 1)).all(0)

    def of(self, tree: Tree) -> Array:
        """Values of a part of the tree."""
        head, *rest = tree
        if head == "number":
            return self.noisy(np.full(self.shape, complex(rest[0])))
        if head == "symbol":
            return self.noisy(self.points[rest[0]])
        if head == "power":
            return self.noisy(repeated(self.of(rest[0]), rest[1]))
        args = [self.of(arg) for arg in rest]
        if head in ROOTS:
            self.look(head, args)
        found = NUMERIC[head](*args) if head in NUMERIC else getattr(np, head)(*args)
        return self.noisy(found, args[0] if head == "tanh" else None)

    def look(self, head: str, args: list[Array]) -> None:
        """Mark the points at which the operator is special."""
        first = args[0].real
        gap = first - args[1].real if head in {"min", "max"} else first
        if head == "atan2":
            second = args[1].real
            self.kink |= ((first == 0) & (second == 0)).any(0)
            self.half_turn |= ((first == 0) & (second <= 0)).any(0)
        elif head in {"asin", "acos"}:
            self.kink |= (np.abs(first) >= 1 - EDGE).any(0)
        else:
            self.kink |= (gap <= 0 if head == "pow" else gap == 0).any(0)

    def noisy(self, x: Array, slope: Array | None = None) -> Array:
        """The result of an operation, each row but the first off by about a rounding.

        The derivative of tanh is 1 - tanh², whose rounding is that of 1: `slope` is its argument.
        """
        found = np.empty(self.shape, complex)
        found.real = x.real * self.noise.factor()
        found.imag = x.imag * self.noise.factor()
        self.met.append(found)
        if slope is not None:
            found.imag += (self.noise.factor() - 1) * slope.imag
        return found


def spread(rows: Array) -> tuple[Array, Array]:
    """The plain value, and how far rounding may move it."""
    plain = rows[0]
    return plain, np.abs(rows[1:] - plain).max(0) + EPS * np.abs(plain) + FLOOR
