"""Clocks of FMI 3.0: outputs that are active at ticks, in Model Exchange and in Co-Simulation."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.approx import assert_close

import kinetree as kt
from export.models import PERIOD, ball, cascade
from export.test_events import NEAR, compiled, expected
from export.test_fmu import opened, started

fmpy = pytest.importorskip("fmpy", reason="needs the package fmpy to load FMUs")
from fmpy.fmi3 import FMU3Model, FMU3Slave  # noqa: E402
from fmpy.validation import validate_fmu  # noqa: E402

pytestmark = pytest.mark.crosscheck
STATES = ("q_x", "qd_x", "x_aim", "x_e", "x_i", "x_force")
CLOCKS = ("fast", "slow")


def counted_ball() -> kt.Model:
    """A ball that bounces between ticks, which are counted."""
    model = ball()
    model.mode("count", 0.0)
    model.event("tick", then={"count": lambda x: x["count"] + 1.0}, every=0.125, offset=0.25)
    return model


def stepping(early: bool, /, **about: Any) -> Any:
    """An instance for Co-Simulation in which the importer uses event mode."""
    unit = FMU3Slave(**about)
    unit.instantiate = partial(unit.instantiate, eventModeUsed=True, earlyReturnAllowed=early)
    return unit


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(kt.export_fmu(cascade(), tmp_path_factory.mktemp("clocks") / "m.fmu"))


@compiled
def test_clocks_and_what_is_found_at_their_ticks_are_described(path: str) -> None:
    assert validate_fmu(path) == []
    about = fmpy.read_model_description(path)
    rows = {row.name: row for row in about.modelVariables}
    clocks = {name: row for name, row in rows.items() if row.type == "Clock"}
    assert tuple(clocks) == CLOCKS
    for row in clocks.values():
        assert (row.causality, row.intervalVariability) == ("output", "triggered")
    assert clocks["slow"].description == "ticks every 0.2 s from 0 s on"
    found = {name: [clock.name for clock in row.clocks or ()] for name, row in rows.items()}
    sampled = {"x_aim": ["slow"], "x_e": ["fast"], "x_i": ["fast"], "x_force": ["fast"]}
    assert {name: names for name, names in found.items() if names} == sampled
    assert about.coSimulation.hasEventMode


def test_fmi_2_has_no_clocks(tmp_path: Path) -> None:
    path = str(kt.export_fmu(cascade(), tmp_path / "m.fmu", version="2.0", binary=False))
    assert validate_fmu(path) == []
    names = {row.name for row in fmpy.read_model_description(path).modelVariables}
    assert not names & set(CLOCKS)


def array(unit: Any, read: str, n: int = 2) -> Any:
    """Numbers that a function of an instance writes."""
    found = np.zeros(n)
    getattr(unit, read)(found.ctypes.data_as(ctypes.POINTER(ctypes.c_double)), n)
    return found


@compiled
def test_clocks_are_active_at_ticks_alone_and_values_are_those_of_the_tick(
    path: str, tmp_path: Path
) -> None:
    """An importer that knows that nothing but held forces act: its steps are exact."""
    truth = expected(cascade(), 1.0)
    unit, refs = opened(path, tmp_path, FMU3Model)
    asked, clocks = [refs[name] for name in STATES], [refs[name] for name in CLOCKS]
    started(unit, 0.0)
    for k in range(41):  # every second time is one between two ticks
        t, tick = k * PERIOD / 2, k % 2 == 0
        assert unit.getClock(clocks) == [tick, k % 8 == 0]
        seen = unit.getFloat64(asked)
        again, _, _, _, known, following = unit.updateDiscreteStates()
        assert (again, known) == (False, True)
        assert following == pytest.approx((k // 2 + 1) * PERIOD, abs=NEAR)
        assert unit.getClock(clocks) == [False, False]
        assert unit.getFloat64(asked) == seen
        assert_close(seen, [truth[name][k] for name in STATES], NEAR, f"state at {t}")
        unit.enterContinuousTimeMode()
        h = (k + 1) * PERIOD / 2 - t
        place, speed = array(unit, "getContinuousStates")
        _, rate = array(unit, "getContinuousStateDerivatives")
        reached = np.array([place + h * speed + h * h / 2 * rate, speed + h * rate])
        unit.setTime(t + h)
        unit.setContinuousStates(reached.ctypes.data_as(ctypes.POINTER(ctypes.c_double)), 2)
        unit.enterEventMode()
    unit.freeInstance()


STRIDE = 3
"""Rows of the truth, 40th parts of a second, in a step of Co-Simulation."""
STEPPED: dict[str, tuple[Callable[[], kt.Model], str, Any]] = {
    "cascade": (cascade, "fast", PERIOD * np.arange(20)),
    "ball": (counted_ball, "tick", 0.25 + 0.125 * np.arange(6)),
}
"""Model, clock and its ticks [s]."""


@compiled
@pytest.mark.parametrize("early", [True, False])
@pytest.mark.parametrize("name", STEPPED)
def test_steps_stop_at_ticks_where_event_mode_is_used(
    name: str, early: bool, tmp_path: Path
) -> None:
    """At every tick where steps may end early, else at those that are ends of steps."""
    make, clock, times = STEPPED[name]
    file = str(kt.export_fmu(make(), tmp_path / "m.fmu"))
    unit, refs = opened(file, tmp_path / "m", partial(stepping, early))
    started(unit, 0.0)
    truth, ticks, t, row, event = expected(make(), 1.0), [], 0.0, 0, True
    while row < 39:
        if event:
            ticks += [t] if unit.getClock([refs[clock]])[0] else []
            unit.updateDiscreteStates()
            unit.enterStepMode()
        event, _, returned, t = unit.doStep(t, (row + STRIDE) / 40 - t)
        assert not returned or (early and event)
        row += 0 if returned else STRIDE
        if event:
            unit.enterEventMode()
        if not returned:
            found = unit.getFloat64([refs[label] for label in truth])
            assert_close(found, [column[row] for column in truth.values()], NEAR, f"at {t}")
    on_steps = np.abs(times * 40 / STRIDE - np.round(times * 40 / STRIDE)) < NEAR
    assert_close(ticks, times if early else times[on_steps], NEAR, "ticks")
    unit.freeInstance()
