"""Laws that chatter are told: which, where and when; what was found until then is kept."""

from __future__ import annotations

from typing import Any

import pytest
from tests.approx import COARSE_RUN, READ_OFF

import kinetree as kt
from kinetree.errors import ModelWarning
from kinetree.functions import select


def braked() -> kt.Model:
    """A mass that is pulled and braked by a force that jumps at rest: it stops after v/(3 - 1)."""
    model = kt.Model("braked", gravity=(0, 0, 0))
    model.prismatic("x", model.ground, model.body("b", mass=1.0), axis="x")
    model.joint_law("brake", "x", lambda qd: 1.0 + select(qd["x"], -3.0, 3.0))
    return model


def hovering() -> kt.Model:
    """A ball on a pad whose law jumps to three times its weight at touching."""
    model = kt.Model("hovering", gravity=(0, -9.81, 0))
    model.prismatic("y", model.ground, model.body("ball", mass=1.0), axis="y")
    model.plane_contact("pad", "ball", model.ground, {"circle": (0, 0), "radius": 0.1},
                        {"chain": [(5, 0), (-5, 0)]}, lambda rate: 30.0 + 200 * rate)  # fmt: skip
    return model


@pytest.mark.parametrize("method", ["auto", "cvode_bdf", "Radau"])
def test_a_law_that_chatters_is_named_with_the_place_and_the_time(method: str) -> None:
    with pytest.warns(ModelWarning, match="'brake' in joint 'x' chatters where .*qd_x.* passes"):
        run = kt.simulate(braked(), 1.0, qd=[0.5], method=method, max_steps=3000, step=0.01)
    assert run.attrs["end_time"] == pytest.approx(0.25, abs=READ_OFF)
    assert "chatters" in run.attrs["termination"]
    t = run.time.values[run.time.values < 0.245]
    assert len(t) == 25, "what was found is kept"
    v = run.qd.values[: len(t), 0]
    assert v == pytest.approx(0.5 - 2 * t, abs=COARSE_RUN)


@pytest.mark.parametrize("method", ["auto", "cvode_bdf"])
def test_a_contact_whose_law_jumps_is_named(method: str) -> None:
    with pytest.warns(ModelWarning, match="'pad' on 'ball' and 'ground' chatters"):
        run = kt.simulate(hovering(), 1.0, q=[0.15], method=method, max_steps=20_000)
    assert 0.1 < run.attrs["end_time"] < 0.6
    assert abs(float(run.q.values[-1, 0]) - 0.1) < READ_OFF


def test_steps_that_end_for_other_reasons_blame_no_law() -> None:
    """A spring that is far too stiff for the steps allowed, beside a law with branches."""
    model: Any = kt.Model("stiff", gravity=(0, 0, 0))
    model.prismatic("x", model.ground, model.body("b", mass=1.0), axis="x")
    model.joint_law("hard", "x", lambda q, qd: -1e8 * q["x"] + select(qd["x"] - 40, -1.0, 1.0))
    with pytest.warns(ModelWarning, match="too many steps") as told:
        kt.simulate(model, 1.0, qd=[0.5], max_steps=200)
    assert not any("chatters" in str(one.message) for one in told)
