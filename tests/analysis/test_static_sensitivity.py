"""Derivatives of equilibria and of the modes about them, against solving again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinetree as kt
import lengths
from analysis.test_sensitivity import oscillator
from approx import CLOSED, GOLDEN, LONG_RUN, TRAJECTORY, assert_close


def hanging() -> kt.Model:
    """A mass on a spring with a bar that another spring pulls aside; z goes with a state."""
    model = kt.Model("hanging", gravity=(0, 0, -9.81))
    c, d, length = (model.parameter(n, x) for n, x in (("c", 100.0), ("d", 0.3), ("L", 0.7)))
    carriage, bar = (
        model.body("carriage", mass=2.0),
        model.body("bar", 1.0, inertia=(0.1, 0.1, 0.1)),
    )
    model.prismatic("z", model.ground, carriage, axis="z")
    model.revolute("turn", carriage, bar, axis="y", initial=0.1)
    model.joint_spring("spring", "z", stiffness=c, damping=d)
    end, wall = bar.point("end", (0, 0, -length)), model.ground.point("wall", (1, 0, 0))
    model.spring("tilt", wall, end, stiffness=5.0, length=0.5)
    return model


CASES: dict[str, tuple[Any, dict[str, Any], dict[str, float], dict[str, Any]]] = {
    "tree": (
        hanging,
        {"f1": kt.frequency(1), "f2": kt.frequency(2), "d1": kt.damping(1), "g2": kt.growth(2),
         "z": kt.final("q_z"), "e": kt.final("q_turn + energy.potential + tilt.force")},
        {"d": 0.3, "L": 0.7, "gravity_z": -9.81}, {},
    ),
    "loop": (
        lengths.four_bar, {"f": kt.frequency(1), "c": kt.final("q_c")},
        {"crank": 1.0, "base": 2.0}, {"q": {"a": -1.5}},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_against_solving_again(name: str) -> None:
    make, measures, values, given = CASES[name]
    model = make()
    found = kt.sensitivity(model, measures=measures, by=list(values), at="equilibrium", **given)
    for label, x in values.items():
        h = 1e-5 * max(1.0, abs(x))
        high, low = (
            kt.sensitivity(model, measures=measures, by=[], at="equilibrium",
                           parameters={label: x + step}, **given) for step in (h, -h)
        )  # fmt: skip
        change = (high.value - low.value) / (2 * h)
        assert_close(found.gradient.sel(parameter=label), change, LONG_RUN, label)
        moved = (high.q - low.q) / (2 * h)
        assert_close(found.q_by.sel(parameter=label), moved, LONG_RUN, label)
    assert float(np.abs(found.gradient).max()) > 0


def test_the_frequency_of_an_oscillator() -> None:
    found = kt.sensitivity(
        oscillator(), measures={"f": kt.frequency(1)}, by=["c", "m", "tau.y"], at="equilibrium"
    )
    f = 1 / (2 * np.pi)
    assert_close(found.value[0], f, GOLDEN)
    assert_close(found.gradient[0], [f / 2, -f / 2, 0], GOLDEN)
    assert_close(found.q_by.sel(coordinate="y"), [0, 0, 1], GOLDEN)


def test_two_equal_pendulums_are_a_group() -> None:
    model = kt.Model("pendulums", gravity=(0, 0, -9.81))
    for name in ("one", "two"):
        body = model.body(name, mass=1.0, com=(0, 0, -1))
        model.revolute(name, model.ground, body, axis="y")
    with pytest.warns(kt.errors.ModelWarning, match="modes 1, 2 have one eigenvalue"):
        found = kt.sensitivity(
            model, measures={"f": kt.frequency(2)}, by=["one.mass"], at="equilibrium"
        )
    assert_close(found.value[0], 9.81**0.5 / (2 * np.pi), GOLDEN)
    assert np.isnan(found.gradient.values).all()
    with pytest.warns(kt.errors.ModelWarning, match="modes 1, 2 have one eigenvalue"):
        found = kt.sensitivity(
            model, measures={"f": kt.frequency(2)}, by=["one.com_z", "gravity_z"], at="equilibrium"
        )
    # f = √(g/l)/2π of one of two: half of df/dl, and df/dg
    f = 9.81**0.5 / (2 * np.pi)
    assert_close(found.group_gradient[0], [0.5 * f / 2, -f / (2 * 9.81)], CLOSED)


WHIPPLE = Path(__file__).resolve().parents[2] / "examples" / "models" / "whipple.yaml"
WEAVE = 4.29238253634111
"""Published speed at which the bicycle becomes stable [m/s]; see test_bicycle."""


def test_the_weave_speed_of_the_bicycle_by_its_wheelbase() -> None:
    model = kt.load(WHIPPLE)

    def weave(base: float, speed: float) -> complex:
        """The mode that swings fastest, by the linear model."""
        found = kt.modes(model, {"qd": {"x": speed}}, parameters={"base": base}).eigenvalues
        return complex(found[int(np.argmax(np.abs(found.imag)))])

    number = len(kt.modes(model, {"qd": {"x": WEAVE}}).eigenvalues)  # the last has most Hz
    measures = {"growth": kt.growth(number), "f": kt.frequency(number)}
    found = kt.sensitivity(
        model, measures=measures, by=["base", "qd0.x"], at="start", qd={"x": WEAVE}
    )
    assert abs(float(found.value[0])) < CLOSED  # neither damped nor excited there
    h = 1e-4
    by_base = (weave(1.02 + h, WEAVE) - weave(1.02 - h, WEAVE)) / (2 * h)
    by_speed = (weave(1.02, WEAVE + h) - weave(1.02, WEAVE - h)) / (2 * h)
    exact = np.array([by_base, by_speed])
    assert_close(found.gradient.sel(measure="growth"), exact.real, TRAJECTORY)
    assert_close(found.gradient.sel(measure="f"), exact.imag / (2 * np.pi), TRAJECTORY)
    slope = -np.divide(*found.gradient.sel(measure="growth").values)  # of the weave speed
    assert -0.5 < slope < -0.4


def test_shapes_against_solving_again() -> None:
    make, _, values, _ = CASES["tree"]
    model, measure = make(), {"f": kt.frequency(2)}
    found = kt.sensitivity(model, measures=measure, by=list(values), at="equilibrium")
    assert_close(np.abs(found["shape"]).max(), 1.0, GOLDEN)
    for label, x in values.items():
        h = 1e-5 * max(1.0, abs(x))
        high, low = (
            kt.sensitivity(model, measures=measure, by=[label], at="equilibrium",
                           parameters={label: x + step})["shape"] for step in (h, -h)
        )  # fmt: skip
        slopes = found["shape_by"].sel(parameter=label)
        assert_close(slopes, (high - low) / (2 * h), LONG_RUN, label)


@pytest.mark.parametrize("name", CASES)
def test_matrices_against_linearising_again(name: str) -> None:
    make, _, values, given = CASES[name]
    given = {**given, **({"independent": ["a"]} if name == "loop" else {})}
    model, run = make(), {"measures": {"f": kt.frequency(1)}, "at": "equilibrium", **given}
    found = kt.sensitivity(model, by=list(values), matrices=True, **run)

    def linear(label: str = "", x: float = 0.0) -> kt.Linear:
        own = {"parameters": {label: x}} if label else {}
        rest = kt.equilibrium(model, **given, **own)
        return kt.linearise(model, rest, independent=given.get("independent"))

    here = linear()
    assert tuple(found.rate.values) == here.states
    assert tuple(found.input.values) == here.inputs
    assert_close(found.A, here.A, CLOSED)
    assert_close(found.B, here.B, CLOSED)
    for label, x in values.items():
        h = 1e-5 * max(1.0, abs(x))
        high, low = linear(label, x + h), linear(label, x - h)
        for part in "AB":
            change = (getattr(high, part) - getattr(low, part)) / (2 * h)
            scale = float(np.abs(getattr(here, part)).max())
            assert_close(found[f"{part}_by"].sel(parameter=label), change, LONG_RUN, label, scale)


def crossing(c: float) -> kt.Model:
    """Two masses side by side: the first one swings faster or slower than the other."""
    model = kt.Model("crossing", gravity=(0, 0, 0))
    for name, stiffness in (("one", c), ("two", 4.0)):
        model.prismatic(name, model.ground, model.body(name, mass=1.0), axis="x")
        model.joint_spring(
            f"{name}_spring", name, stiffness=model.parameter(f"c_{name}", stiffness)
        )
    return model


def test_modes_are_followed_by_their_shapes() -> None:
    model, run = crossing(3.0), {"by": ["c_one", "c_two"], "at": "equilibrium"}
    first = kt.sensitivity(model, measures={"f": kt.frequency(1)}, **run)
    shape = first["shape"].sel(mode=1)
    follow = {"f": kt.frequency(like=shape), "same": kt.frequency(1, like={"one": 2.0j})}
    for c in (3.0, 5.0):
        found = kt.sensitivity(model, measures=follow, parameters={"c_one": c}, **run)
        f = c**0.5 / (2 * np.pi)
        assert_close(found.value, [f, f], GOLDEN)
        assert_close(found.gradient, [[f / (2 * c), 0]] * 2, GOLDEN)
    assert first["mode"].values.tolist() == [1]
    assert found["mode"].values.tolist() == [2]
    with pytest.warns(kt.errors.ModelWarning, match=r"measure 'f': no mode looks like it.*0\.50"):
        kt.sensitivity(model, measures={"f": kt.growth(like={"one": 1.0, "two": 1.001})}, **run)


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "like": ({"measures": {"m": kt.frequency(like={"z": 1.0})}}, "measure 'm', like.*'z'"),
    "matrices": ({"at": "run", "duration": 1.0, "matrices": True}, "a run has no linear model"),
    "run": ({"duration": 1.0}, "a state has no duration"),
    "velocities": ({"qd": {"y": 1.0}}, "an equilibrium has no velocities"),
    "integral": ({"measures": {"m": kt.integral("q_y")}}, "measure 'm': it needs a run"),
    "start": ({"by": ["q0.y"]}, "'q0.y': an equilibrium does not depend on it"),
    "mode": ({"measures": {"m": kt.frequency(7)}}, "mode 7: there is 1 mode"),
    "no modes": ({"at": "run", "duration": 1.0}, "a run has no modes"),
    "no duration": ({"at": "run", "measures": {"m": kt.final("q_y")}}, "duration"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused(name: str) -> None:
    changes, sentence = BAD[name]
    given: dict[str, Any] = {
        "measures": {"m": kt.frequency(1)}, "by": ["c"], "at": "equilibrium", **changes,
    }  # fmt: skip
    with pytest.raises(kt.errors.KinetreeError, match=sentence):
        kt.sensitivity(oscillator(), given.pop("duration", None), **given)
