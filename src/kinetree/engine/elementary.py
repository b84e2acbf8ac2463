"""Elementary functions of Nodes, by name and as Python functions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from kinetree.engine.node import ZERO, Node, as_node, intern_call, number
from kinetree.engine.ops import NUM, OPS, Op
from kinetree.errors import ExpressionError
from kinetree.tables import Lookup, Table, is_zero, look_up


def call(name: str, *args: Any) -> Node:
    """The elementary function of that name, rewritten by the rules of its head."""
    op = OPS.get(name)
    if op is None or op.arity != len(args):
        known = ", ".join(n for n, o in OPS.items() if o.arity == len(args) and o.arity > 0)
        raise ExpressionError(
            f"the engine knows no function '{name}' of {len(args)} argument(s); it knows {known}"
        )
    return apply(op, tuple(as_node(a) for a in args))


def apply(op: Op, args: tuple[Node, ...]) -> Node:
    """An operator's function of Nodes, rewritten by the rules of its head."""
    from kinetree.engine.rules import functions  # noqa: PLC0415  the rules stand above the Node

    rewritten = functions.rewrite(op, args)
    return rewritten if rewritten is not None else intern_call(op, args)


def fold_numbers(op: Op, args: tuple[Node, ...]) -> Node | None:
    """The value of a function of numbers, exact where it is; None where the arguments are not."""
    if op.evaluate is None or not all(a.op is NUM for a in args):
        return None
    exact = op.exact(*[a.value for a in args]) if op.exact is not None else None
    if exact is not None:
        return number(exact)
    with np.errstate(all="ignore"):
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

# --- branches and tables -------------------------------------------------------------------------


def select(c: Any, a: Any, b: Any) -> Node:
    """The value of a where c > 0, else that of b; its derivative is that of the chosen branch."""
    return call("select", c, a, b)


def minimum(a: Any, b: Any) -> Node:
    """The smaller of two values; b where they are equal or cannot be compared."""
    return select(as_node(b) - as_node(a), a, b)


def maximum(a: Any, b: Any) -> Node:
    """The larger of two values; b where they are equal or cannot be compared."""
    return select(as_node(a) - as_node(b), a, b)


_table_ops: WeakValueDictionary[Lookup, Op] = WeakValueDictionary()


def table_op(row: Lookup) -> Op:
    """The operator that looks up a derivative of a table; one object for equal tables."""
    op = _table_ops.get(row)
    if op is None:
        data, order = row
        mark = f".d{order}" if order else ""
        word = data.name.replace("_", r"\_")
        op = _table_ops[row] = Op(
            f"table_{data.name}{mark}", 1, int(data.digest, 16) + order,
            evaluate=lambda x: look_up(data, x, order),
            partials=lambda F, a, f: (F.table(a[0], data, order + 1),),
            latex=rf"\operatorname{{{word}}}" + "'" * order,
            cost=30, lookup=row,
        )  # fmt: skip
    return op


def table(x: Any, data: Table, order: int = 0) -> Node:
    """A table looked up at x, or its derivative of that order by x."""
    if is_zero(data, order):
        return ZERO
    return apply(table_op(Lookup(data, order)), (as_node(x),))


# --- NumPy's functions of Nodes, alone or in arrays, call the method of that name ----------------

for _name, _method in {
    "sin": sin, "cos": cos, "tan": tan, "arcsin": asin, "arccos": acos, "arctan": atan,
    "arctan2": atan2, "sinh": sinh, "cosh": cosh, "tanh": tanh, "exp": exp, "log": log,
    "sqrt": sqrt, "fabs": _function("abs"),
}.items():  # fmt: skip
    setattr(Node, _name, _method)
