"""Zeros and ones of a model are parameters where they are to be varied."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.approx import AT_STATES, FORMALISM, LONG_RUN, RUN, TRAJECTORY, assert_close

import kinetree as kt
from kinetree.errors import ModelError, UnknownNameError, UnsupportedError


def crank(mass: Any = 1.0, sideways: Any = 0.0) -> kt.Model:
    """A slider-crank whose crank has the mass 1 and a tip at (1, 0, 0)."""
    model = kt.Model("slider_crank", gravity=(sideways, -9.81, 0))
    turning = model.body("crank", mass=mass, com=(0.5, 0, 0), inertia=(0, 0.0833, 0.0833))
    rod = model.body("rod", mass=2.0, com=(1.0, 0, 0), inertia=(0, 0.6667, 0.6667))
    slider = model.body("slider", mass=5.0)
    model.revolute("q1", model.ground, turning, axis="z", initial=1.0)
    model.revolute("q2", turning.point("tip", (1, 0, 0)), rod, axis="z", initial=-1.4)
    model.prismatic("q3", model.ground, slider, axis="x", initial=2.4)
    model.close_ball("pin", rod.point("end", (2, 0, 0)), slider)
    return model


VALUES = {"crank.mass": 3.0, "gravity_x": 0.5}


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"loops": "projection"},
        {"formulation": "hybrid", "step": 1e-3},
        {"formulation": "explicit", "method": "rk4", "step": 1e-3},
    ],
    ids=str,
)
def test_values_named_in_parameters_are_those_of_the_run(options: dict[str, Any]) -> None:
    found = kt.simulate(crank(), 0.2, parameters=VALUES, **options)
    exact = kt.simulate(crank(3.0, 0.5), 0.2, **options)
    assert_close(found["q"].values, exact["q"].values, RUN, "q")
    carried = [kt.reactions(crank(), found), kt.reactions(crank(3.0, 0.5), exact)]
    assert_close(*(row["reaction_joint"].values for row in carried), TRAJECTORY, "reactions")


@pytest.mark.parametrize("options", [{}, {"formulation": "hybrid", "step": 1e-3}], ids=str)
def test_what_was_derived_without_it_is_not_taken(options: dict[str, Any]) -> None:
    model = crank()
    plain = kt.simulate(model, 0.1, **options)
    heavy = kt.simulate(model, 0.1, parameters=VALUES, **options)
    assert np.abs(heavy["q"].values - plain["q"].values).max() > 1e-4
    assert np.array_equal(kt.simulate(model, 0.1, **options)["q"].values, plain["q"].values)


def test_every_analysis_varies_what_it_is_given() -> None:
    model, exact = crank(), crank(3.0, 0.5)
    rest = [
        kt.equilibrium(model, q={"q1": -1.0}, parameters=VALUES).q,
        kt.equilibrium(exact, q={"q1": -1.0}).q,
    ]
    assert_close(*rest, AT_STATES, "rest")
    A = [kt.linearise(model, parameters=VALUES).A, kt.linearise(exact).A]
    assert_close(*A, FORMALISM, "A")
    longer = {"crank.tip_x": 1.25}
    assert kt.assemble(model, parameters=longer).q[2] != kt.assemble(model).q[2]
    assert kt.partition(model, parameters=longer).q[2] != kt.partition(model).q[2]


def test_a_value_is_found_that_was_one() -> None:
    held = kt.equilibrium(crank(), q={"q1": 0.5}, locked=["q1"], free=["gravity_x"])
    assert held.p["gravity_x"] != 0
    still = kt.simulate(crank(), 0.1, q=held.q.tolist(), parameters=held.p)
    assert_close(still["q"].values[-1], held.q, LONG_RUN, "q")


def test_marks_are_kept_by_file_and_reach_all_targets(tmp_path: Path) -> None:
    model = crank()
    before = model.content_hash()
    model.vary("crank.mass", "crank.mass", "rod.mass", "gravity_x")
    assert model.varied == ("crank.mass", "gravity_x")  # that of the rod is a parameter anyway
    assert model.content_hash() == before  # it is the same mechanism
    kt.save(model, tmp_path / "crank.yaml")
    again = kt.load(tmp_path / "crank.yaml")
    for asked in (model, again, kt.load(tmp_path / "crank.yaml")):
        labels = kt.derive(asked, "forward").input("p").labels
        assert {"crank.mass", "gravity_x"} <= set(labels)
    assert "crank.mass" in kt.derive(kt.as_frames(pendulum()), "forward").input("p").labels


def pendulum() -> kt.Model:
    """A pendulum of mass 1 whose mass is varied."""
    model = kt.Model("pendulum")
    model.revolute(
        "q", model.ground, model.body("crank", 1.0, (0, 0, -0.4), (0.1, 0.1, 0)), axis="y"
    )
    model.vary("crank.mass")
    return model


def test_vary_changes_a_copy_only() -> None:
    model = crank()
    plain = kt.derive(model, "forward").input("p").labels
    assert "crank.mass" in kt.derive(model, "forward", vary=["crank.mass"]).input("p").labels
    assert kt.derive(model, "forward").input("p").labels == plain
    assert model.varied == ()


def test_values_at_zero_and_one_change_nothing() -> None:
    model = crank()
    state = {"q": model.initial(), "qd": np.array([0.3, -0.2, 0.1]), "tau": np.array([1.0, 0, 2])}
    whole = kt.derive(model, "forward", vary=["crank.mass", "gravity_x", "crank.tip_y"])
    exact = kt.derive(model, "forward").evaluate(**state)["qdd"]
    assert_close(whole.evaluate(**state)["qdd"], exact, FORMALISM, "qdd")


def test_what_cannot_be_varied_is_said(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match=r"'crank\.mas'; did you mean 'crank\.mass'"):
        kt.simulate(crank(), 0.1, parameters={"crank.mas": 2.0})
    with pytest.raises(UnknownNameError, match="there is no parameter '3'"):
        crank().vary(3)  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="free: there is no parameter 'stiffness'"):
        kt.equilibrium(crank(), locked=["q1"], free=["stiffness"])
    with pytest.raises(UnknownNameError, match=r"did you mean 'crank\.mass'"):
        crank().vary("crank.masse")
    model = kt.Model("ball")
    m = model.parameter("m", 2.0)
    model.prismatic("z", model.ground, model.body("ball", mass=3 * m), axis="z")
    with pytest.raises(ModelError, match=r"'ball\.mass'.*3\*m.*change 'm' instead"):
        kt.simulate(model, 0.1, parameters={"ball.mass": 2.0})
    with pytest.raises(UnsupportedError, match="folded"):
        kt.derive(crank(), "forward", parameters="folded", vary=["crank.mass"])
