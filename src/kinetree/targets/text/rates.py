"""Forward dynamics as rates of a state: what integrators of any language call.

y holds q, qd and the user states in this order; der(q) = N(q) qd.  Where loops are closed, the
rates are taken at the consistent configuration that the Program finds.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kinetree.engine import Rank, add, mul, substitute, symbol
from kinetree.program.passes.dead import dead
from kinetree.program.program import Input, Output, Program

if TYPE_CHECKING:
    from kinetree.engine import Node

STATES = ("q", "qd", "x")
"""Inputs that make up the state."""


def has_rates(program: Program) -> bool:
    """Whether a Program gives accelerations for coordinates and velocities."""
    ins, outs = ({row.name for row in rows} for rows in (program.inputs, program.outputs))
    return {"q", "qd"} <= ins and "qdd" in outs and ("x" in ins) == ("xd" in outs)


def rates(program: Program) -> Program:
    """The Program `NAME_rates`: t, y and the other inputs -> yd, the rate of y."""
    given = {row.name: row for row in program.inputs}
    found = {out.name: out.nodes for out in program.outputs}
    q, qd = given["q"], given["qd"]
    t = given.get("t") or Input("t", (), (symbol("t", Rank.COORDINATE),))
    rows = [given[name] for name in STATES if name in given]
    symbols = tuple(s for row in rows for s in row.symbols)
    labels = tuple(label for row in rows for label in row.labels or ("",) * len(row.symbols))
    speeds = found.get("qd_closed", qd.symbols)
    moved = _moved(q, speeds, found.get("q_closed", q.symbols))
    others = [row for row in program.inputs if row.name not in (*STATES, "t")]
    yd = (*moved, *found["qdd"], *found.get("xd", ()))
    state = Input("y", (len(symbols),), symbols, labels=labels, quaternions=q.quaternions)
    outputs = (Output("yd", (len(yd),), yd, labels),)
    name = f"{program.name}_rates"
    return dead(replace(program, name=name, inputs=(t, state, *others), outputs=outputs))


def rest(program: Program) -> list[float]:
    """A state at rest: zeros, but for quaternions, which are 1, 0, 0, 0, and inputs with values."""
    rows = {row.name: row for row in program.inputs}
    return [x for name in STATES if name in rows for x in rows[name].default or _still(rows[name])]


def _still(row: Input) -> list[float]:
    """Zeros, but for the scalar parts of quaternions."""
    return [float(k in row.quaternions) for k in range(len(row.symbols))]


def _moved(q: Input, speeds: tuple[Node, ...], place: tuple[Node, ...]) -> tuple[Node, ...]:
    """der(q) = N qd."""
    if not q.tangent:
        return speeds
    values = dict(zip(q.symbols, place, strict=True))
    rows = [substitute(row, values) for row in q.tangent]
    return tuple(add(*map(mul, row, speeds)) for row in rows)
