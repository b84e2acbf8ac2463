"""Forward dynamics as rates of a state: what integrators of any language call.

y holds q, qd and the user states in this order; der(q) = N(q) qd.  Where loops are closed, the
rates are taken at the consistent configuration that the Program finds.
"""

from __future__ import annotations

from dataclasses import replace

from kinetree.program.passes.dead import dead
from kinetree.program.program import Input, Output, Program
from kinetree.program.state_form import state_inputs, state_parts, state_rates


def has_rates(program: Program) -> bool:
    """Whether a Program gives accelerations for coordinates and velocities."""
    ins, outs = ({row.name for row in rows} for rows in (program.inputs, program.outputs))
    return {"q", "qd"} <= ins and "qdd" in outs and ("x" in ins) == ("xd" in outs)


def rates(program: Program) -> Program:
    """The Program `NAME_rates`: t, y and the other inputs -> yd, the rate of y."""
    t, state, *others = state_inputs(program)
    t = program.input("t") if program.takes("t") else Input("t", (), t.symbols)
    parts = state_parts(program)
    labels = tuple(label for row in parts for label in row.labels or ("",) * len(row.symbols))
    locks = program.input("q").locks
    inputs = (t, replace(state, labels=labels, locks=locks), *others)
    yd = state_rates(program)
    outputs = (Output("yd", (len(yd),), yd, labels),)
    return dead(replace(program, name=f"{program.name}_rates", inputs=inputs, outputs=outputs))


def rest(program: Program) -> list[float]:
    """A state at rest: zeros, but for quaternions, which are 1, 0, 0, 0, and inputs with values."""
    return [x for row in state_parts(program) for x in row.default or _still(row)]


def _still(row: Input) -> list[float]:
    """Zeros, but for the scalar parts of quaternions."""
    return [float(k in row.quaternions) for k in range(len(row.symbols))]
