"""The operators: one row each.

Everything the system knows about an operator stands in its row: how it is evaluated, how it is
differentiated, how C spells it, what it costs.  Sums and products are n-ary and have their own
collectors in `node`; their rows carry only what is uniform.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Any

import numpy as np

from kinetree.tables import Lookup

Partials = Callable[[Any, tuple[Any, ...], Any], tuple[Any, ...]]
"""(functions, args, node) -> partial derivative of the node by each argument."""


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Op:
    """One operator.

    Attributes:
        name: how it is written in text and in model files.
        arity: number of arguments, -1 for the n-ary sum and product.
        evaluate: NumPy function giving the reference value; complex arguments are allowed.
        partials: derivative by each argument, built from the namespace of engine functions.
        c: name in C's math.h.
        latex: LaTeX head.
        cost: rough price in additions, used to choose between equal forms.
        code: position in OPS; fixed, part of the structural digest.  That of a table is its digest.
        exact: value at exact numbers, or None where it is not exact.
        lookup: the table and order of derivative, for the operators that `tables` makes.
    """

    name: str
    arity: int
    code: int
    evaluate: Callable[..., Any] | None = None
    partials: Partials | None = None
    c: str = ""
    latex: str = ""
    cost: int = 1
    exact: Callable[..., int | float | Fraction | None] | None = None
    lookup: Lookup | None = None

    def __repr__(self) -> str:
        return f"Op({self.name})"


def _abs(x: Any) -> Any:
    """|x| on the reals; on complex numbers the analytic continuation that complex step needs."""
    return np.where(np.real(x) < 0, -x, x) if np.iscomplexobj(x) else np.abs(x)


def _atan2(y: Any, x: Any) -> Any:
    """Angle of the point (x, y); analytic continuation for complex step."""
    if np.iscomplexobj(y) or np.iscomplexobj(x):
        base = np.arctan2(np.real(y), np.real(x))
        square = np.real(x) ** 2 + np.real(y) ** 2
        slope = (np.real(x) * np.imag(y) - np.real(y) * np.imag(x)) / square
        return base + 1j * slope
    return np.arctan2(y, x)


def _sign(x: Any) -> Any:
    return np.sign(np.real(x))


def _select(c: Any, a: Any, b: Any) -> Any:
    """a where the real part of c is above 0, else b: also where c is NaN."""
    return np.where(np.real(c) > 0, a, b)[()]


def _slope(F: Any, x: Any) -> Any:
    """Derivative of the arc sine."""
    return 1 / F.sqrt(1 - x**2)


def _turn(y: Any, x: Any) -> tuple[Any, Any]:
    """Derivatives of the angle of the point (x, y)."""
    square = x**2 + y**2
    return x / square, -y / square


def _power_partials(F: Any, a: tuple[Any, ...], f: Any) -> tuple[Any, ...]:
    """Derivatives of x**e; that by a constant exponent is not asked for and may not exist."""
    x, e = a
    by_base = e * F.call("pow", x, e - 1)
    return by_base, F.number(0) if e.is_number else f * F.log(x)


def _exact_sign(x: int | float | Fraction) -> int:
    return (x > 0) - (x < 0)


def _root(x: int | float | Fraction) -> Fraction | None:
    """The square root of a rational square."""
    if isinstance(x, float) or x < 0:
        return None
    above, below = isqrt(x.numerator), isqrt(x.denominator)
    return Fraction(above, below) if above**2 == x.numerator and below**2 == x.denominator else None


NUM = Op("num", 0, 0)
SYM = Op("sym", 0, 1)
ADD = Op("add", -1, 2)
MUL = Op("mul", -1, 3)

# fmt: off
FUNCTIONS: tuple[Op, ...] = (
    Op("sin",   1, 4,  np.sin,    lambda F, a, f: (F.cos(a[0]),),       "sin",  r"\sin", 20),
    Op("cos",   1, 5,  np.cos,    lambda F, a, f: (-F.sin(a[0]),),      "cos",  r"\cos", 20),
    Op("tan",   1, 6,  np.tan,    lambda F, a, f: (1 + f * f,),         "tan",  r"\tan", 25),
    Op("asin",  1, 7,  np.arcsin, lambda F, a, f: (_slope(F, a[0]),),   "asin", r"\arcsin", 25),
    Op("acos",  1, 8,  np.arccos, lambda F, a, f: (-_slope(F, a[0]),),  "acos", r"\arccos", 25),
    Op("atan",  1, 9,  np.arctan, lambda F, a, f: (1 / (1 + a[0] ** 2),), "atan", r"\arctan", 25),
    Op("atan2", 2, 10, _atan2,    lambda F, a, f: _turn(*a), "atan2", r"\operatorname{atan2}", 30),
    Op("sinh",  1, 11, np.sinh,   lambda F, a, f: (F.cosh(a[0]),),      "sinh", r"\sinh", 25),
    Op("cosh",  1, 12, np.cosh,   lambda F, a, f: (F.sinh(a[0]),),      "cosh", r"\cosh", 25),
    Op("tanh",  1, 13, np.tanh,   lambda F, a, f: (1 - f * f,),         "tanh", r"\tanh", 25),
    Op("exp",   1, 14, np.exp,    lambda F, a, f: (f,),                 "exp",  r"\exp", 20),
    Op("log",   1, 15, np.log,    lambda F, a, f: (1 / a[0],),          "log",  r"\ln", 20),
    Op("sqrt",  1, 16, np.sqrt,   lambda F, a, f: (0.5 / f,),           "sqrt", r"\sqrt", 6, _root),
    Op("abs",   1, 17, _abs,      lambda F, a, f: (F.sign(a[0]),),      "fabs",
       r"\operatorname{abs}", 1, abs),
    Op("sign",  1, 18, _sign,     lambda F, a, f: (F.number(0),),       "kt_sign",
       r"\operatorname{sign}", 2, _exact_sign),
    Op("pow",   2, 19, np.power,  _power_partials, "pow", r"\operatorname{pow}", 40),
    Op("select", 3, 20, _select,
       lambda F, a, f: (F.number(0), F.select(a[0], 1, 0), F.select(a[0], 0, 1)),
       "", r"\operatorname{select}", 2, lambda c, a, b: a if c > 0 else b),
)
MARKS: tuple[Op, ...] = (
    Op("switch", 3, 21, _select,
       lambda F, a, f: (F.number(0), F.select(a[0], 1, 0), F.select(a[0], 0, 1)),
       "", r"\operatorname{switch}", 2, lambda c, a, b: a if c > 0 else b),
    Op("previous", 1, 22, np.positive, lambda F, a, f: (F.number(1),), "",
       r"\operatorname{previous}", 0),
    Op("hold",  1, 23, np.positive, lambda F, a, f: (F.number(1),), "",
       r"\operatorname{hold}", 0),
)
# fmt: on
"""Words of laws that say what happens in a run, too; no Program that is given away has them."""

OPS: dict[str, Op] = {op.name: op for op in (NUM, SYM, ADD, MUL, *FUNCTIONS, *MARKS)}
SIN, COS, SQRT, SELECT = (OPS[name] for name in ("sin", "cos", "sqrt", "select"))
SWITCH, PREVIOUS, HOLD = MARKS
