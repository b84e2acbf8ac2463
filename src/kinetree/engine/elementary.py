"""Elementary functions of Nodes, by name and as Python functions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from kinetree.engine.node import Node, as_node, intern_call, number
from kinetree.engine.ops import NUM, OPS, Op
from kinetree.errors import ExpressionError


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
