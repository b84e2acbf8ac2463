"""Functions for laws: of expressions while equations are derived, of numbers and arrays elsewhere.

A law written with these is one Python function for both:

    def friction(qd):
        return functions.select(qd, 2.0, -2.0) + 0.1 * functions.tanh(qd)

Where an argument is a Node, the result is a Node.  Arrays of Nodes are taken element by element.
Anything else is evaluated at once, by the reference semantics of the engine.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from kinetree import engine as en
from kinetree.door import guard_room
from kinetree.engine import Node, Table
from kinetree.tables import look_up

UserFunction = Callable[..., Any]


class Traced:
    """What stands for an expression and carries more than a Node does, such as a unit.

    Functions of such arguments are those that they give themselves.
    """

    __slots__ = ()

    @abstractmethod
    def apply(self, name: str, args: Sequence[Any]) -> Any:
        """The function of that name of these arguments, one of which is this one."""


def _either(symbolic: UserFunction, numeric: UserFunction, count: int, name: str) -> UserFunction:
    """A function of `count` arguments, of Nodes or of numbers."""
    in_arrays = np.frompyfunc(symbolic, count, 1)

    def function(*args: Any) -> Any:
        for a in args:
            if isinstance(a, Traced):
                return a.apply(name, args)
        if any(isinstance(a, np.ndarray) and a.dtype == object for a in args):
            return in_arrays(*args)
        return symbolic(*args) if any(isinstance(a, Node) for a in args) else numeric(*args)

    return function


def _engine(name: str) -> UserFunction:
    op = en.OPS[name]
    assert op.evaluate is not None

    def symbolic(*args: Any) -> Node:
        return en.call(name, *args)

    return _either(symbolic, op.evaluate, op.arity, name)


_FUNCTIONS: dict[str, UserFunction] = {
    op.name: _engine(op.name) for op in (*en.ops.FUNCTIONS, *en.ops.MARKS)
}


def sin(x: Any) -> Any:
    """Sine of an angle [rad]."""
    return _FUNCTIONS["sin"](x)


def cos(x: Any) -> Any:
    """Cosine of an angle [rad]."""
    return _FUNCTIONS["cos"](x)


def tan(x: Any) -> Any:
    """Tangent of an angle [rad]."""
    return _FUNCTIONS["tan"](x)


def asin(x: Any) -> Any:
    """Angle [rad] from -pi/2 to pi/2 whose sine is x."""
    return _FUNCTIONS["asin"](x)


def acos(x: Any) -> Any:
    """Angle [rad] from 0 to pi whose cosine is x."""
    return _FUNCTIONS["acos"](x)


def atan(x: Any) -> Any:
    """Angle [rad] from -pi/2 to pi/2 whose tangent is x."""
    return _FUNCTIONS["atan"](x)


def atan2(y: Any, x: Any) -> Any:
    """Angle [rad] from -pi to pi of the point (x, y)."""
    return _FUNCTIONS["atan2"](y, x)


def sinh(x: Any) -> Any:
    """Hyperbolic sine."""
    return _FUNCTIONS["sinh"](x)


def cosh(x: Any) -> Any:
    """Hyperbolic cosine."""
    return _FUNCTIONS["cosh"](x)


def tanh(x: Any) -> Any:
    """Hyperbolic tangent, a smooth step from -1 to 1."""
    return _FUNCTIONS["tanh"](x)


def exp(x: Any) -> Any:
    """Exponential function."""
    return _FUNCTIONS["exp"](x)


def log(x: Any) -> Any:
    """Natural logarithm."""
    return _FUNCTIONS["log"](x)


def sqrt(x: Any) -> Any:
    """Square root."""
    return _FUNCTIONS["sqrt"](x)


def abs(x: Any) -> Any:  # noqa: A001  the name that laws use
    """Absolute value; its derivative is the sign."""
    return _FUNCTIONS["abs"](x)


def sign(x: Any) -> Any:
    """1 above zero, -1 below, 0 at zero."""
    return _FUNCTIONS["sign"](x)


def select(c: Any, a: Any, b: Any) -> Any:
    """The value of a where c > 0, else that of b; its derivative is that of the chosen branch."""
    return _FUNCTIONS["select"](c, a, b)


def switch(c: Any, a: Any, b: Any) -> Any:
    """As `select`; in a run the branch changes at an event where c passes zero, between steps."""
    return _FUNCTIONS["switch"](c, a, b)


def previous(x: Any) -> Any:
    """In the law of a sampled value: a sampled value as it was before this tick."""
    return _FUNCTIONS["previous"](x)


def hold(x: Any) -> Any:
    """In the law of a sampled value: that of another clock, as it is held before this tick."""
    return _FUNCTIONS["hold"](x)


def minimum(a: Any, b: Any) -> Any:
    """The smaller of two values; b where they are equal or cannot be compared."""
    return select(b - a, a, b)


def maximum(a: Any, b: Any) -> Any:
    """The larger of two values; b where they are equal or cannot be compared."""
    return select(a - b, a, b)


def heaviside(x: Any) -> Any:
    """1 where x > 0, else 0."""
    return select(x, 1.0, 0.0)


def total(terms: Iterable[Any]) -> Any:
    """Sum of many terms, collected at once: in time proportional to their number, as + is not."""
    listed = list(terms)
    if any(isinstance(t, np.ndarray) for t in listed):
        return sum(listed)
    nodes = any(isinstance(t, Node) for t in listed)
    return en.add(*map(en.as_node, listed)) if nodes else sum(listed)


def table(x: Any, data: Table, order: int = 0) -> Any:
    """A table looked up at x, or its derivative of that order by x."""
    if isinstance(x, Traced):
        return x.apply("table", (x, data, order))
    looked = _either(
        lambda a: en.table(a, data, order),
        lambda a: look_up(data, np.asarray(a), order)[()],
        1,
        "table",
    )
    return looked(x)


__all__ = [
    "Table", "abs", "acos", "asin", "atan", "atan2", "cos", "cosh", "exp", "heaviside", "hold",
    "log", "maximum", "minimum", "previous", "select", "sign", "sin", "sinh", "sqrt", "switch",
    "table", "tan", "tanh", "total",
]  # fmt: skip


guard_room(__name__)
