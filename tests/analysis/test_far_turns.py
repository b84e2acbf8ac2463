"""Loops whose cranks have turned far, whose sliders are far away, whose lengths are tiny or huge.

Loops close to the rounding of their coordinates, which grows with these.  The same mechanism some
thousand turns before, elsewhere or in another unit of length is the witness.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.approx import COARSE_RUN, ITERATED, LONG_RUN, RUN, TRAJECTORY

import kinetree as kt

TURN = 2 * np.pi
RATES: dict[str, Any] = {"rtol": 1e-10, "atol": 1e-10}
STEPS: dict[str, Any] = {"method": "newmark", "step": 4e-3, "tolerance": 1e-9}
TREATMENTS: dict[str, dict[str, Any]] = {
    "explicit": {**RATES, "loops": "explicit"},
    "projection": {**RATES, "loops": "projection"},
    "multipliers": {**RATES, "loops": "multipliers"},
    "hybrid": STEPS,
    "topological": {**STEPS, "formulation": "topological"},
    "global": {**STEPS, "formulation": "global"},
}
"""Ways to treat loops in a run."""


def four_bar(unit: float = 1.0, turns: int = 0) -> kt.Model:
    """A crank that turns round; lengths are metres times `unit`."""
    lengths = a, b, c, d = (1.0, 3.0, 2.5, 3.2)
    model = kt.Model("four_bar", gravity=(0, -9.81 * unit, 0))
    crank, coupler, rocker = (
        model.body(name, mass=1.0, com=(x / 2, 0, 0), inertia=(0, x * x / 12, x * x / 12))
        for name, x in zip(("crank", "coupler", "rocker"), unit * np.array(lengths), strict=False)
    )
    q1 = 1.0
    x, y = d - a * np.cos(q1), -a * np.sin(q1)  # from the tip of the crank to the other hinge
    along = np.arctan2(y, x) + np.arccos((x * x + y * y + b * b - c * c) / (2 * b * np.hypot(x, y)))
    q3 = np.arctan2(b * np.sin(along) - y, b * np.cos(along) - x)
    far = turns * TURN
    model.revolute("q1", model.ground, crank, axis="z", initial=q1 + far)
    tip = crank.point("tip", (a * unit, 0, 0))
    model.revolute("q2", tip, coupler, axis="z", initial=along - q1 - far)
    model.revolute(
        "q3", model.ground.point("hinge", (d * unit, 0, 0)), rocker, axis="z", initial=q3
    )
    ends = coupler.point("end", (b * unit, 0, 0)), rocker.point("end", (c * unit, 0, 0))
    model.close_ball("pin", *ends)
    return model


def carts(away: float = 0.0) -> kt.Model:
    """Two carts on one rail, joined by two links with a hinge between."""
    model = kt.Model("carts", gravity=(0, -9.81, 0))
    ends = []
    for side, angle in (("left", 0.7), ("right", np.pi - 0.7)):
        cart = model.body(f"{side}_cart", mass=2.0)
        link = model.body(f"{side}_link", mass=1.0, com=(0.5, 0, 0), inertia=(0, 0.1, 0.1))
        place = away - np.cos(angle)
        model.prismatic(f"{side}_x", model.ground, cart, axis="x", initial=place)
        model.revolute(f"{side}_q", cart, link, axis="z", initial=angle)
        ends.append(link.point("end", (1, 0, 0)))
    model.close_ball("pin", *ends)
    return model


def ends_of(model: kt.Model, duration: float, how: dict[str, Any], **options: Any) -> Any:
    """The last coordinates of a run that must come to its end."""
    run = kt.simulate(model, duration, **how, **options)
    assert run.attrs["termination"] == "finished"
    return run.q.values[-1]


@pytest.mark.parametrize("name", TREATMENTS)
def test_a_crank_moves_as_it_did_some_turns_before(name: str) -> None:
    near = ends_of(four_bar(), 0.2, TREATMENTS[name])
    for turns in (800, 160_000):  # 5000 and a million radians
        far = ends_of(four_bar(turns=turns), 0.2, TREATMENTS[name])
        shift = turns * TURN * np.array([1, -1, 0])
        assert np.abs(far - shift - near).max() < RUN


def test_readme_s_crank_starts_a_thousand_turns_on() -> None:
    def crank(turns: int) -> kt.Model:
        model = kt.Model("slider_crank", gravity=(0, -9.81, 0))
        arm = model.body("crank", mass=1.0, com=(0.5, 0, 0), inertia=(0, 0.0833, 0.0833))
        rod = model.body("rod", mass=2.0, com=(1.0, 0, 0), inertia=(0, 0.6667, 0.6667))
        slider = model.body("slider", mass=5.0)
        angle = 1.0 + turns * TURN
        model.revolute("q1", model.ground, arm, axis="z", initial=angle)
        model.revolute("q2", arm.point("tip", (1, 0, 0)), rod, axis="z", initial=-0.4 - angle)
        model.prismatic("q3", model.ground, slider, axis="x", initial=2.4)
        model.close_ball("pin", rod.point("end", (2, 0, 0)), slider)
        return model

    for name in ("explicit", "projection", "multipliers"):
        near, far = (ends_of(crank(turns), 0.5, TREATMENTS[name]) for turns in (0, 1000))
        assert np.abs(far - near - 1000 * TURN * np.array([1, -1, 0])).max() < RUN


def test_a_crank_driven_at_3000_turns_a_minute_runs_for_ten_seconds() -> None:
    model, rate = four_bar(), 100 * np.pi
    model.drive("q1", lambda t: 1.0 + rate * t)
    run = kt.simulate(model, 10.0)
    assert run.attrs["termination"] == "finished"
    assert abs(run.q.values[-1, 0] - 1.0 - 10 * rate) < RUN
    gaps = kt.derive(model, "constraints").evaluate(
        q=run.q.values, qd=run.qd.values, t=run.time.values
    )
    assert np.abs(gaps["h"]).max() < RUN


@pytest.mark.parametrize("loops", ["explicit", "projection"])
def test_a_crank_that_spins_freely_passes_a_thousand_radians(loops: str) -> None:
    model = four_bar()
    run = kt.simulate(model, 4.0, qd={"q1": 100 * np.pi}, loops=loops, independent=["q1"])
    assert run.attrs["termination"] == "finished"
    assert run.q.values[-1, 0] > 1030
    found = kt.derive(model, "energy").evaluate(q=run.q.values, qd=run.qd.values)
    total = found["kinetic"] + found["potential"]
    assert np.ptp(total) < COARSE_RUN * total[0]


@pytest.mark.parametrize("name", [name for name in TREATMENTS if name != "global"])
def test_carts_far_away_move_as_those_at_home(name: str) -> None:
    home = ends_of(carts(), 0.3, TREATMENTS[name])
    away = ends_of(carts(1e6), 0.3, TREATMENTS[name])
    assert np.abs(away - 1e6 * np.array([1, 0, 1, 0]) - home).max() < LONG_RUN


@pytest.mark.parametrize("unit", [1e-6, 1e4])
@pytest.mark.parametrize("name", [name for name in TREATMENTS if name != "global"])
def test_a_mechanism_moves_alike_in_every_unit_of_length(name: str, unit: float) -> None:
    expected = ends_of(four_bar(), 0.2, TREATMENTS[name])
    found = ends_of(four_bar(unit), 0.2, TREATMENTS[name])
    assert np.abs(found - expected).max() < TRAJECTORY


def test_lengths_may_be_a_thousandfold_at_run_time() -> None:
    model = four_bar()
    forward = kt.derive(model, "forward", vary=["crank.tip_x"])
    state = {"q": model.initial(), "qd": np.zeros(3), "tau": np.zeros(3)}
    row = forward.input("p")
    grown = [1000 * x if name.endswith("_x") else x
             for name, x in zip(row.labels, row.default, strict=True)]  # fmt: skip
    q = forward.evaluate(**state, p=grown)["q_closed"]
    assert np.abs(q - model.initial()).max() < ITERATED
