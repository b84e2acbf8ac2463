"""Motions that given numbers drive, eight side by side, in machine code.

Equal steps of the classical Runge–Kutta method of ds/dt = f(s, u(t), rest): u is given at the ends
and middles of steps, in every lane its own.

Refs: Hairer1993 sec. II.1
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping

import numpy as np

from kinetree.arrays import Array
from kinetree.integrate.loops.equal_steps import align
from kinetree.targets.native.compile import jit
from kinetree.targets.native.function import Function, address
from kinetree.targets.native.lanes.packing import LANES
from kinetree.targets.native.llvm import DECLARATIONS, INT, PTR, REAL, VEC, Code, Value
from kinetree.targets.native.llvm import LANES as WIDTH

ENTRY = "kt_driven_steps"
CALL = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
TABLE = ("f", "x", "c", "y", "w", "drive", "store", "n", "m", "steps", "h")
"""Addresses of the function, of its arguments, constants, results and room, of u and of the states;
components of s and of u in all lanes; steps; length of a step [s]."""
STAGES = ((0.0, 0, 1 / 6), (0.5, 1, 1 / 3), (0.5, 1, 1 / 3), (1.0, 2, 1 / 6))
"""Of every stage: its place in the step, the row of u, its weight."""


def _text() -> str:
    """IR of `void kt_driven_steps(table)`."""
    code = Code(ENTRY, "void", ((PTR, "table"),))
    kinds = (*[PTR] * 7, *[INT] * 3, REAL)
    f, x, c, y, w, drive, store, n, m, steps, h = (
        code.load(code.at(code.argument("table"), k), kind) for k, kind in enumerate(kinds)
    )
    blocks = code.emit(INT, f"sdiv i64 {n.text}, {WIDTH}")

    def add(base: Value, share: float, target: Value) -> None:
        """Base and that share of a step along the slope -> target."""
        length = code.spread(h * share)

        def one(k: Value) -> None:
            at = k * WIDTH
            slope = code.load(code.at(y, at), VEC)
            code.store(code.load(code.at(base, at), VEC) + length * slope, code.at(target, at))

        code.each(blocks, one)

    def step(k: Value) -> None:
        before, after = code.at(store, k * n), code.at(store, (k + 1) * n)
        code.copy(before, after, n)
        for place, row, weight in STAGES:
            if place:
                add(before, place, x)
            else:
                code.copy(before, x, n)
            code.copy(code.at(drive, (k * 2 + row) * m), code.at(x, n), m)
            code.call(f, [x, c, y, w])
            add(after, weight, after)

    code.each(steps, step)
    code.leave()
    return f"{DECLARATIONS}\n{code.text()}"


@jit.one_library
def _library() -> jit.Library:
    """The compiled loop; one for all functions."""
    return jit.stored_text(_text(), (ENTRY,))


def drive_lanes(
    function: Function, first: Array, u: Array, rest: Mapping[str, Array], h: float
) -> Array:
    """States at the ends of all steps: row × component × lane.

    Args:
        function: compiled; s comes first among its arguments and u behind it, the rates of s come
            first among its results.
        first: s at the start: component × lane.
        u: at the ends and middles of steps: row × component × lane.
        rest: other inputs by name: component × lane.
        h: of a step [s].
    """
    (n, lanes), steps = first.shape, (len(u) - 1) // 2
    assert lanes == LANES
    x, y = (
        align(np.zeros((function.sizes["x"], LANES))),
        align(np.zeros((function.sizes["y"], LANES))),
    )
    for port in function.inputs:
        if not port.parameter and port.default is not None:
            x[port.start : port.stop] = port.default_array.reshape(-1, 1)
        if port.name in rest:
            x[port.start : port.stop] = rest[port.name]
    states = np.empty((steps + 1, n, LANES))
    states[0], u = first, np.ascontiguousarray(u)
    kernel, constants = function.kernels.batch(constant_lanes=False), function.preamble_values()
    work = align(np.zeros(kernel.body_work + 8))
    table = np.zeros(len(TABLE))
    arrays = (x, constants, y, work, u, states)
    numbers = (n * LANES, u.shape[1] * LANES, steps)
    table[: len(TABLE) - 1].view(np.int64)[:] = [kernel.body, *map(address, arrays), *numbers]
    table[-1] = h
    CALL(_library().addresses[ENTRY])(address(table))
    return states
