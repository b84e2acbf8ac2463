"""Derivatives of equilibria and modes of vehicles against solving again: Iltis, Whipple bicycle."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from analysis.test_linearise import LAWS, on_a_tyre
from analysis.test_many_gradients import value_of
from analysis.test_static_sensitivity import WEAVE, WHIPPLE
from approx import LONG_RUN, TRAJECTORY, assert_close

ILTIS = Path(__file__).resolve().parents[2] / "examples" / "models" / "iltis.yaml"
HELD = ("x", "y", "yaw")
BY = ("tyre_stiffness", "chassis.mass", "leaf_stiffness", "FL_arm.mass", "gravity_z")
SHARE = 1e-5


def test_the_iltis_at_rest_against_solving_again() -> None:
    model = kt.load(ILTIS)
    kinds = {"f": kt.frequency, "d": kt.damping, "g": kt.growth}
    measures: dict[str, Any] = {
        f"{kind}{k}": make(k) for k in (11, 13, 15) for kind, make in kinds.items()
    }
    measures |= {"z": kt.final("q_z"), "force": kt.final("FL_spring.force")}
    run: dict[str, Any] = {"measures": measures, "by": BY, "at": "equilibrium", "locked": HELD}
    found = kt.sensitivity(model, **run)
    modes = kt.modes(model, kt.equilibrium(model, locked=HELD))
    assert_close(found.value[:9:3], modes.frequencies[[10, 12, 14]], LONG_RUN)
    values = np.array([value_of(model, name) for name in BY])
    way = SHARE * values * np.array([1.0, -0.7, 0.4, 0.9, -0.3])
    high, low = (
        kt.sensitivity(model, parameters=dict(zip(BY, values + d, strict=True)), **run)
        for d in (way, -way)
    )
    for k in range(len(measures)):
        share = found.gradient.values[k] @ way
        assert_close(share, (high.value.values - low.value.values)[k] / 2, TRAJECTORY)
    # what holds is a small difference of the forces of tyres
    scales = {"q": None, "shape": None, "effort": SHARE * abs(float(found.value[-1]))}
    for name, scale in scales.items():
        change = (high[name].values - low[name].values) / 2
        assert_close(found[f"{name}_by"].values @ way, change, TRAJECTORY, name, scale)
    assert list(found.locked.values) == list(HELD)


def test_shapes_of_the_bicycle_against_solving_again() -> None:
    model = kt.load(WHIPPLE)
    last = len(kt.modes(model, {"qd": {"x": WEAVE}}).eigenvalues)  # weave swings fastest
    measures = {"weave": kt.growth(last)}
    run: dict[str, Any] = {"measures": measures, "by": ["base", "qd0.x"], "at": "start"}
    found = kt.sensitivity(model, qd={"x": WEAVE}, **run)
    h = 1e-5
    high, low = (
        kt.sensitivity(model, qd={"x": WEAVE + d}, parameters={"base": 1.02 + 0.5 * d}, **run)
        for d in (h, -h)
    )
    change = (high["shape"].values - low["shape"].values) / (2 * h)
    assert_close(found["shape_by"].values @ [0.5, 1.0], change, TRAJECTORY)
    assert_close(np.abs(found["shape"]).max(), 1.0, LONG_RUN)


def test_what_is_held_takes_a_load_with_it() -> None:
    """A spring that winds up with a sine is held at s: its effort is k (1 + s) sin a."""
    model = kt.Model("held", gravity=(0, 0, 0))
    angle = model.parameter("angle", 0.3)
    model.prismatic("s", model.ground, model.body("block", mass=2.0), axis="x")
    model.joint_law("pull", "s", lambda q: -20.0 * kt.functions.sin(angle) * (1 + q["s"]))
    found = kt.sensitivity(
        model, measures={"s": kt.final("q_s")}, by=["angle"], at="equilibrium", locked=["s"],
        q={"s": 0.5},
    )  # fmt: skip
    assert_close(found.effort, [1.5 * 20 * np.sin(0.3)], LONG_RUN)
    assert_close(found.effort_by, [[1.5 * 20 * np.cos(0.3)]], LONG_RUN)
    assert_close(found.gradient, [[0.0]], LONG_RUN)
    assert_close(found.q_by, [[0.0]], LONG_RUN)


def test_modes_on_a_tyre_that_stands_are_those_of_kt_modes() -> None:
    model = on_a_tyre("linear", **LAWS["linear"])
    modes = kt.modes(model, at=kt.equilibrium(model, locked=["spin"]))
    last = len(modes.eigenvalues)
    run: dict[str, Any] = {"by": ["strut.stiffness"], "at": "equilibrium", "locked": ["spin"]}
    run["measures"] = {"low": kt.frequency(last - 1), "high": kt.frequency(last)}
    found = kt.sensitivity(model, **run)
    assert_close(found.value, modes.frequencies[-2:], LONG_RUN)
    high, low = (
        kt.sensitivity(model, parameters={"strut.stiffness": x}, **run).value
        for x in (30e3 + 1, 30e3 - 1)
    )
    assert_close(found.gradient[:, 0], (high - low) / 2, TRAJECTORY)


def test_coordinates_are_held_at_rest_alone() -> None:
    model = kt.load(WHIPPLE)
    with pytest.raises(kt.errors.ModelError, match=r"locked: only what is at rest.*equilibrium"):
        kt.sensitivity(model, 1.0, {"z": kt.final("q_x")}, by=["base"], locked=["x"])
    with pytest.raises(kt.errors.KinetreeError, match="'nobody'"):
        kt.sensitivity(model, measures={"z": kt.final("q_x")}, by=["base"], at="equilibrium",
                       locked=["nobody"])  # fmt: skip
