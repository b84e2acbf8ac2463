"""Lanes that share most of their inputs: both functions together give what the Program gives."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np
import pytest
from tests import mechanisms, zoo
from tests.approx import FORMALISM, assert_close

import kinetree as kt
from kinetree.arrays import Array
from kinetree.program import Program
from kinetree.steppers import step_program
from kinetree.targets.kept import DerivedProgram
from kinetree.targets.native.function import SINGLE, address
from kinetree.targets.native.lanes.packing import LANES
from kinetree.targets.tape.lowering import lower
from kinetree.targets.tape.split import split
from kinetree.targets.tape.tape import Iteration

LANE_CALL = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)


def rates() -> Program:
    """A tree with all kinds of joints, whose accelerations need a small system."""
    return kt.derive(zoo.every_kind(), "forward").along("qdd", ("q", "qd", "p"))


def solutions() -> Program:
    """A closed mechanism, in whose step Newton's method and systems stand."""
    step = step_program(mechanisms.slider_crank(), "hybrid", tolerance=1e-9)
    return step.along(["q_next", "qd_next"], ("q", "qd", "p"))


def tree_sweep() -> Program:
    """Accelerations of the same tree, and bars from theirs."""
    return kt.derive(zoo.every_kind(), "forward").adjoint("qdd", ("q", "qd", "p"))


def closed_sweep() -> Program:
    """Bars of the step of the same mechanism."""
    step = step_program(mechanisms.slider_crank(), "hybrid", tolerance=1e-9, smooth=True)
    return step.adjoint(["q_next", "qd_next"], ("q", "qd", "p"), only=True)


def start(program: Program) -> Array:
    """Coordinates that close the loops, unit quaternions included."""
    closed = program.gives("q_next") or program.takes("q_next_bar")
    found = mechanisms.slider_crank() if closed else zoo.every_kind()
    q: Array = kt.assemble(found).q if closed else found.initial()
    return q


def rows(count: int) -> Array:
    """Room that begins at a multiple of 64 bytes."""
    room = np.zeros(count + LANES)
    return room[(-address(room) // 8) % LANES :][:count]


@pytest.mark.parametrize("make", [rates, solutions])
def test_the_shared_part_and_the_rest_are_the_whole(make: Callable[[], Program]) -> None:
    program = make()
    made, whole = DerivedProgram.of(program).lanes, program.compile()
    random = np.random.default_rng(3)
    ports = [port for port in made.given.inputs if not port.parameter]
    size, results = made.given.sizes["x"], sum(port.size for port in made.outputs)
    known = {"q": start(program), "h": 1e-3}
    given = {
        port.name: random.normal(size=(LANES, *port.shape))
        if port.name.endswith("_dot") else known.get(port.name, 0.1)
        for port in ports
    }  # fmt: skip
    x, lanes = rows(size), rows(size * LANES).reshape(size, LANES)
    for port in ports:
        if port.name.endswith("_dot"):
            lanes[port.start : port.stop] = given[port.name].reshape(LANES, -1).T
        else:
            given[port.name] = np.broadcast_to(given[port.name], port.shape)
            x[port.start : port.stop] = given[port.name].ravel()
    shared, y = rows(made.once_size), rows(results * LANES).reshape(results, LANES)
    work = rows(made.apart.body_work)
    SINGLE(made.once)(address(x), address(made.constants()), address(shared))
    LANE_CALL(made.apart.body)(*map(address, (lanes, shared, y, work)))
    for lane in range(LANES):
        own = {k: v[lane] if k.endswith("_dot") else v for k, v in given.items()}
        expected = whole(**own)
        for port in made.outputs:
            found = y[port.start : port.stop, lane].reshape(port.shape)
            assert_close(found, expected[port.name], FORMALISM)


@pytest.mark.parametrize("make", [tree_sweep, closed_sweep])
def test_the_way_there_in_lanes_and_the_sweep_of_each_are_the_whole(
    make: Callable[[], Program],
) -> None:
    program = make()
    made, whole = DerivedProgram.of(program).swept, program.compile()
    random = np.random.default_rng(3)
    ports = [port for port in made.given.inputs if not port.parameter]
    size = made.given.sizes["x"]
    closed = {"q": start(program), "h": 1e-3}
    moved = {port.name: 1 + 1e-3 * random.normal(size=LANES) for port in ports}
    given = {}
    for port in ports:
        one = np.broadcast_to(closed.get(port.name, 0.1), port.shape)
        given[port.name] = np.array([factor * one for factor in moved[port.name]])
    lanes = rows(size * LANES).reshape(size, LANES)
    for port in ports:
        lanes[port.start : port.stop] = given[port.name].reshape(LANES, -1).T
    sweep = made.sweep
    kept, work = rows(sweep.size * LANES).reshape(sweep.size, LANES), rows(sweep.work)
    LANE_CALL(sweep.ahead)(*map(address, (lanes, made.constants(), kept, work)))
    for lane in range(LANES):
        expected = whole(check=False, **{name: v[lane] for name, v in given.items()})
        if made.shown:
            assert_close(kept[: made.shown, lane], expected["qdd"], FORMALISM)
        x, y = lanes[:, lane].copy(), np.zeros(sum(port.size for port in made.outputs))
        SINGLE(sweep.behind)(address(x), address(kept[:, lane:]), address(y))
        for port in made.outputs:
            found = y[port.start : port.stop].reshape(port.shape)
            assert_close(found, expected[port.name], FORMALISM)


def test_what_lanes_share_holds_no_direction_and_the_rest_no_iteration() -> None:
    program = solutions()
    first = sum(len(row.symbols) for row in program.inputs if not row.parameter)
    moves = range(first - sum(len(row.symbols) for row in program.inputs
                              if row.name.endswith("_dot")), first)  # fmt: skip
    body = lower(program).body
    shared, apart = split(body, moves)
    assert not any(
        code == "in" and a in moves for code, a in zip(shared.code, shared.a, strict=True)
    )
    assert not any(isinstance(system, Iteration) for system in apart.systems)
    assert len(shared.operations()) + len(apart.operations()) == len(body.operations())
    assert len(apart.operations()) < len(shared.operations())
