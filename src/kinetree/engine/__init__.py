"""The symbolic engine: scalar expressions in a hash-consed graph, simplified as they are made.

`node` is the noun, `algebra` and `elementary` make and normalise, `rules` rewrite, `arena` keeps
and releases; `walk`, `diff`, `substitute`, `evaluate`, `count`, `show` and `sympy_bridge` read.
The engine knows no mechanics: a rank is just an integer given with a symbol.
"""

from kinetree.engine.arena import Arena, current, derivation, fresh_arena
from kinetree.engine.collector import at_last, pause_collector
from kinetree.engine.count import OperationCount, count, count_nodes
from kinetree.engine.diff import derivative, partials, tangent
from kinetree.engine.elementary import maximum, minimum
from kinetree.engine.evaluate import evaluate
from kinetree.engine.node import (
    ONE,
    ZERO,
    Node,
    Rank,
    acos,
    add,
    apply,
    as_node,
    asin,
    atan,
    atan2,
    call,
    cos,
    cosh,
    exp,
    linear,
    log,
    monomial,
    mul,
    number,
    power,
    scale,
    select,
    sign,
    sin,
    sinh,
    split_coefficient,
    sqrt,
    symbol,
    table,
    tan,
    tanh,
)
from kinetree.engine.ops import ADD, HOLD, MUL, NUM, OPS, PREVIOUS, SELECT, SWITCH, SYM, Op
from kinetree.engine.show import dot, latex, text
from kinetree.engine.substitute import rebuild, substitute
from kinetree.engine.walk import compounds, fold, reach, symbols, topological, use_counts
from kinetree.tables import Table

__all__ = [
    "ADD", "HOLD", "MUL", "NUM", "ONE", "OPS", "PREVIOUS", "SELECT", "SWITCH", "SYM", "ZERO",
    "Arena", "Node", "Op", "OperationCount", "Rank", "Table", "acos", "add", "apply", "as_node",
    "asin", "at_last", "atan", "atan2", "call", "compounds", "cos", "cosh", "count", "count_nodes",
    "current", "derivation", "derivative", "dot", "evaluate", "exp", "fold", "fresh_arena", "latex",
    "linear", "log", "maximum", "minimum", "monomial", "mul", "number", "partials",
    "pause_collector", "power", "reach", "rebuild", "scale", "select", "sign", "sin", "sinh",
    "split_coefficient", "sqrt", "substitute", "symbol", "symbols", "table", "tan", "tangent",
    "tanh", "text", "topological", "use_counts",
]  # fmt: skip
