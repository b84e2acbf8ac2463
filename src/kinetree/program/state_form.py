"""The equations of motion as der(y) = f(t, y) with the state y = [q, qd, x].

    der(q) = N(q) qd,  der(qd) = qdd,  der(x) = xd

A closed system has consistent coordinates and velocities q_closed, qd_closed, found from the
independent ones; they take the place of q and qd on the right-hand side, so that the dependent
entries of y follow the loops whatever errors they carry.
"""

from __future__ import annotations

from dataclasses import replace

from kinetree.engine import (
    ZERO,
    Node,
    Rank,
    add,
    derivation,
    linear,
    mul,
    power,
    sqrt,
    substitute,
    symbol,
)
from kinetree.program.passes import condense
from kinetree.program.program import Input, Output, Program

TIME = "t"
STATE = "y"
MEMORY = "memory"
"""Output of forward dynamics: what memories become."""
PARTS = ("q", "qd", "x")
"""Inputs that make up the state."""


def state_parts(forward: Program) -> list[Input]:
    """The inputs that make up the state: q, qd and, where the model has user states, x."""
    return [forward.input(name) for name in PARTS if forward.takes(name)]


@derivation()
def rates(forward: Program) -> Program:
    """The Program of der(y): inputs t, y, tau, wrenches, p; output yd."""
    nodes = state_rates(forward)
    out = Output("yd", (len(nodes),), nodes, state_labels(forward))
    return _of_state(forward, "rates", out)


@derivation()
def projection(forward: Program) -> Program | None:
    """The Program of the consistent y: loops closed, unit quaternions, memories up to date.

    Args:
        forward: the forward dynamics.

    Returns:
        The Program with inputs t, y, … and output y; none where every y is consistent.
    """
    closes = any(forward.gives(name) for name in ("q_closed", "x_closed", MEMORY))
    if not forward.input("q").quaternions and not closes:
        return None
    nodes = consistent_state(forward)
    out = Output(STATE, (len(nodes),), tuple(nodes), state_labels(forward))
    return _of_state(forward, "projection", out)


def consistent_state(forward: Program) -> list[Node]:
    """y with loops closed, unit quaternions and memories up to date, in `forward`'s names."""
    q, qd = consistent(forward)
    nodes = [*q, *qd, *_consistent_states(forward)]
    for first in forward.input("q").quaternions:
        e = nodes[first : first + 4]
        scale = power(sqrt(add(*(mul(x, x) for x in e))), -1)
        nodes[first : first + 4] = [mul(x, scale) for x in e]
    return _remember(forward, nodes)


def _remember(forward: Program, nodes: list[Node]) -> list[Node]:
    """The components of y with memories that are up to date with the others."""
    if not forward.gives(MEMORY):
        return nodes
    y = [s for row in state_parts(forward) for s in row.symbols]
    new = substitute(forward.output(MEMORY).nodes, dict(zip(y, nodes, strict=True)))
    for k, node in zip(memories(forward), new, strict=True):
        nodes[k] = node
    return nodes


def _consistent_states(forward: Program) -> tuple[Node, ...]:
    """User states, those renewed from which iterations begin."""
    if not forward.takes("x"):
        return ()
    renewed = forward.output("x_closed").nodes if forward.gives("x_closed") else ()
    return (*renewed, *forward.input("x").symbols[len(renewed) :])


def memories(forward: Program) -> list[int]:
    """Numbers of the components of y that are memories."""
    labels = state_labels(forward)
    names = forward.output(MEMORY).labels if forward.gives(MEMORY) else ()
    return [labels.index(f"x_{name}") for name in names]


@derivation()
def memory(forward: Program) -> Program:
    """The Program of y with its memories up to date, all else as it is."""
    nodes = [s for row in state_parts(forward) for s in row.symbols]
    new = consistent_state(forward)
    for k in memories(forward):
        nodes[k] = new[k]
    out = Output(STATE, (len(nodes),), tuple(nodes), state_labels(forward))
    return _of_state(forward, "memory", out)


def consistent(forward: Program) -> tuple[tuple[Node, ...], tuple[Node, ...]]:
    """The coordinates and velocities that satisfy the loops."""
    if forward.gives("q_closed"):
        return forward.output("q_closed").nodes, forward.output("qd_closed").nodes
    return forward.input("q").symbols, forward.input("qd").symbols


def coordinate_rates(
    forward: Program, q: tuple[Node, ...], qd: tuple[Node, ...]
) -> tuple[Node, ...]:
    """der(q) = N(q) qd at the coordinates q."""
    row = forward.input("q")
    if not row.tangent:
        return qd
    at = dict(zip(row.symbols, q, strict=True))
    flat = substitute([x for line in row.tangent for x in line], at)
    n = len(qd)
    lines = [flat[i * n : (i + 1) * n] for i in range(len(q))]
    return tuple(
        linear(0, tuple((mul(x, v), 1) for x, v in zip(line, qd, strict=True) if x is not ZERO))
        for line in lines
    )


def state_rates(forward: Program) -> tuple[Node, ...]:
    """der(y) in terms of `forward`'s names."""
    moved = coordinate_rates(forward, *consistent(forward))
    states = forward.output("xd").nodes if forward.gives("xd") else ()
    return (*moved, *forward.output("qdd").nodes, *states)


def state_labels(forward: Program) -> tuple[str, ...]:
    """Names of the components of y, as in laws: q_NAME, qd_NAME, x_NAME."""
    return tuple(f"{row.name}_{label}" for row in state_parts(forward) for label in row.labels)


def state_units(forward: Program) -> tuple[str, ...]:
    """Units of the components of y; empty where unknown."""
    return tuple(
        unit for row in state_parts(forward) for unit in (row.units or ("",) * len(row.symbols))
    )


def state_inputs(forward: Program) -> tuple[Input, ...]:
    """Inputs t and y, then those of the forward dynamics that are not part of y."""
    parts = state_parts(forward)
    symbols = tuple(s for row in parts for s in row.symbols)
    turning = forward.input("q").quaternions
    state = Input(
        STATE, (len(symbols),), symbols, labels=state_labels(forward), quaternions=turning
    )
    time = Input(TIME, (), (symbol(TIME, Rank.COORDINATE),), None, False, (TIME,), ("s",))
    taken = {TIME, *(row.name for row in parts)}
    return (time, state, *(row for row in forward.inputs if row.name not in taken))


def _of_state(forward: Program, name: str, out: Output) -> Program:
    program = replace(
        forward, name=f"{forward.name}_{name}", inputs=state_inputs(forward), outputs=(out,)
    )
    return condense(program)
