"""Motor currents with unknown gains: found beside something known, told where nothing is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests import mechanisms
from tests.approx import FILTERED, FORMALISM, TRAJECTORY, assert_close
from tests.identification.arms import arm, motion, recorded

import kinetree as kt
from kinetree.analysis.identifying.columns import ParameterColumns, Unknowns
from kinetree.analysis.identifying.equations import equations
from kinetree.analysis.identifying.filtering import RecordedPiece
from kinetree.analysis.identifying.gains import find_gains
from kinetree.errors import KinetreeError

GAINS = {"j0": 0.8, "j1": -1.5, "j2": 0.4}  # the second motor is mounted the other way round
OPEN = dict.fromkeys(GAINS, "unknown")
GUESS = (2.0, 2.0, 2.0)
EXACT: dict[str, Any] = {"friction": ("coulomb", "viscous"), "cutoff": 0}


def with_load(model: kt.Model, mass: float = 1.2) -> kt.Model:
    """The arm with a load in its hand."""
    load = model.body("load", mass, (0.02, 0.01, 0.03), (0.004, 0.004, 0.004))
    model.fixed("grip", model.bodies["b2"].point("hand", (0.35, 0, 0)), load)
    return model


def seen(model: kt.Model, moved: Any, noise: float = 0.0, seed: int = 0) -> dict[str, Any]:
    """A motion with the currents that it takes."""
    data = recorded(model, moved)
    i = data.pop("tau") / list(GAINS.values())
    i += np.random.default_rng(seed).normal(size=i.shape) * noise
    return {**data, "current": i}


def two_runs(rows: int = 301, noise: float = 0.0, seed: int = 0) -> list[dict[str, Any]]:
    """The arm without and with its load."""
    free, full = arm(rubs=True), with_load(arm(rubs=True))
    return [
        seen(free, motion(rows, seed=1), noise, 2 * seed),
        seen(full, motion(rows, seed=2), noise, 2 * seed + 1),
    ]


def gains_of(fit: kt.Identification) -> list[float]:
    return [fit.parameters[f"{name}.current_gain"] for name in GAINS]


def test_a_load_of_known_mass_tells_gains_and_parameters() -> None:
    model, runs = with_load(arm(GUESS)), two_runs()
    fit = kt.identify(model, runs, gains=OPEN, carried={"load": [2]}, **EXACT)
    assert_close(gains_of(fit), list(GAINS.values()), FORMALISM)
    assert_close(fit.parameters["b1.h_x"], 0.7, FORMALISM)
    assert fit.untold == ()
    assert not any(name.startswith("load") for name in fit.parameters)
    pytest.importorskip("clarabel")
    fit = kt.identify(model, runs, "consistent", gains=OPEN, carried={"load": [2]}, **EXACT)
    assert_close(gains_of(fit), list(GAINS.values()), FORMALISM)
    moved = motion(50, seed=4)
    tau = recorded(with_load(arm(rubs=True)), moved)["tau"]
    assert_close(kt.inverse(fit.model, moved).tau.values, tau, TRAJECTORY)


def test_one_known_gain_tells_the_others() -> None:
    data = two_runs()[0]
    fit = kt.identify(arm(GUESS), data, gains={**OPEN, "j0": 0.8}, **EXACT)
    assert_close(
        [fit.parameters[f"{j}.current_gain"] for j in ("j1", "j2")], [-1.5, 0.4], FORMALISM
    )
    assert_close(fit.parameters["b1.h_x"], 0.7, FORMALISM)


def test_where_nothing_is_known_a_common_factor_is_not_told() -> None:
    fit = kt.identify(arm(GUESS), two_runs()[0], gains=OPEN, **EXACT)
    assert len(fit.untold) == 1
    assert fit.untold[0].startswith("the data tell the gains of 'j0', 'j1', 'j2', and the param")
    assert "common factor" in fit.untold[0]
    assert "load of known mass (carried=)" in fit.untold[0]
    assert all(fit.deviations[f"{name}.current_gain"] == np.inf for name in GAINS)
    factor = fit.parameters["b1.h_x"] / 0.7
    assert_close(gains_of(fit), factor * np.array(list(GAINS.values())), FORMALISM)
    assert fit.data.rms_held.max() < FORMALISM


def test_errors_of_currents_make_no_bias_and_deviations_are_those_reported() -> None:
    pieces = [
        RecordedPiece(
            *(run[key] for key in ("time", "q", "qd", "qdd")), np.zeros((151, 3)), run["current"],
            np.inf, absent,
        )
        for run, absent in zip(two_runs(151), (("load",), ()), strict=True)
    ]  # fmt: skip
    wanted = Unknowns(None, EXACT["friction"], loads=("load",), absents=(("load",), ()))
    table = ParameterColumns(with_load(arm()), wanted)
    rows = equations(table, pieces, [], 0.0, tuple(GAINS))
    first = table.regrouping @ table.nominal
    exact, random, e = np.array(list(GAINS.values())), np.random.default_rng(0), []
    for _ in range(100):
        noise = 0.2 * random.normal(size=(len(rows.y), 3, 1)) * np.eye(3)
        found = find_gains(replace(rows, G=rows.G + noise), first, tuple(GAINS), ())
        spread = np.sqrt(np.diag(found.estimate.covariance)[-3:])
        e.append((found.k - exact) / spread)
    assert (np.abs(np.mean(e, axis=0)) < 0.3).all()
    assert 0.85 < np.mean(np.square(e)) < 1.15


def test_an_unknown_load_is_told_by_runs_with_and_without_it() -> None:
    free, full = (recorded(m, motion(301, seed=k)) for k, m in
                  ((1, arm(rubs=True)), (2, with_load(arm(rubs=True)))))  # fmt: skip
    model = with_load(arm(GUESS), mass=0.3)
    fit = kt.identify(
        model, [free, full], bodies=["b0", "b1", "b2", "load"], carried={"load": [2]}, **EXACT
    )
    assert_close(fit.parameters["load.mass"], 1.2, FORMALISM)
    assert fit.meaning["load.h_x"] == "load.h_x"
    assert_close(fit.model.bodies["load"].com, (0.02, 0.01, 0.03), FORMALISM)


def test_uneven_rows_of_a_loop_whose_motor_has_an_unknown_gain() -> None:
    true, random = mechanisms.slider_crank(), np.random.default_rng(0)
    t = np.sort(random.uniform(0, 20, 1900))  # 95 rows per second
    t[500] = t[499]
    q = {"q1": 0.5 + 1.5 * t + 0.5 * np.sin(3 * t)}
    even = np.linspace(0, 20, 4001)
    moved = {"q1": 0.5 + 1.5 * even + 0.5 * np.sin(3 * even)}
    tau = kt.inverse(true, {"time": even, "q": moved}).tau.values[:, 0]
    data = {"time": t, "q": q, "current": {"q1": np.interp(t, even, tau) / 0.05}}
    how: dict[str, Any] = {"friction": (), "gains": {"q1": "unknown"}}
    fit = kt.identify(true, data, bodies=["crank"], **how)  # rod and slider are known
    assert "1 rows with repeated times" in fit.data.attrs["data"]
    assert_close(fit.parameters["q1.current_gain"], 0.05, FILTERED)
    assert_close(fit.parameters["crank.h_x"], 0.5, FILTERED)
    assert "common factor" in kt.identify(true, data, **how).untold[0]


def five_bar(masses: tuple[float, ...] = (1.0, 0.6, 1.0, 0.6)) -> kt.Model:
    """Two motors at the ground that move one point."""
    model, links = kt.Model("five_bar", gravity=(0, -9.81, 0)), []
    for side, away in (("left", 0.0), ("right", 0.12)):
        first, second = masses[2 * len(links) : 2 * len(links) + 2]
        crank = model.body(f"{side}_crank", first, (0.1, 0.005, 0), (1e-4, 0.004, 0.004))
        rod = model.body(f"{side}_rod", second, (0.14, 0, 0), (1e-4, 0.005, 0.005))
        base = model.ground.point(f"{side}_base", (away, 0, 0))
        model.revolute(side, base, crank, axis="z")
        model.revolute(f"{side}_elbow", crank.point("tip", (0.2, 0, 0)), rod, axis="z")
        links.append(rod)
    model.close_ball("hand", *(rod.point("end", (0.28, 0, 0)) for rod in links))
    return model


def test_an_unknown_gain_of_one_of_two_motors_of_a_loop() -> None:
    t = np.linspace(0, 12, 2001)
    w = 2 * np.pi / 12
    q = {
        "left": 2.2 + 0.5 * np.sin(3 * w * t) + 0.3 * np.sin(7 * w * t),
        "right": 0.9 + 0.5 * np.sin(4 * w * t + 0.5) + 0.25 * np.cos(9 * w * t),
    }
    tau = kt.inverse(five_bar(), {"time": t, "q": q}).tau.values
    current = {"left": tau[:, 0] / 0.11, "right": tau[:, 2] / 0.25}
    fit = kt.identify(
        five_bar((1.3, 0.5, 0.8, 0.7)), {"time": t, "q": q, "current": current}, friction=(),
        gains={"left": "unknown", "right": 0.25},
    )  # fmt: skip
    assert fit.data.equation.values.tolist() == ["left", "right"]
    assert_close(fit.parameters["left.current_gain"], 0.11, FILTERED)
    assert (fit.data.rms_held.values < 0.01 * fit.data.measured.std("time").values).all()


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "word": ({"gains": {"j0": "none"}}, r"gains, 'j0': it is 'none'; .*\"unknown\""),
    "method": ({"gains": OPEN, "method": "output_error"}, "'output_error': it finds no gains"),
    "wrench": ({"gains": OPEN, "measured": "wrench"}, "gains, 'j0': no effort of a joint enters"),
    "none": ({}, r"the current of 'j0' has no gain; .* or \"unknown\" to have it found"),
    "body": ({"gains": OPEN, "carried": {"lode": [2]}}, "carried.*did you mean"),
    "number": ({"gains": OPEN, "carried": {"load": [3]}}, "carried, 'load': there is no record"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused_in_one_sentence(name: str) -> None:
    options, text = BAD[name]
    with pytest.raises(KinetreeError, match=text):
        kt.identify(with_load(arm()), two_runs(100), friction=(), **options)


def test_efforts_and_currents_of_one_joint_are_refused() -> None:
    data = {**recorded(arm(), motion(100)), **seen(arm(), motion(100))}
    with pytest.raises(KinetreeError, match="efforts of 'j0', and currents whose gain is unknown"):
        kt.identify(arm(), data, gains=OPEN)
    del data["tau"]
    data["current"] = data["current"] * [1, 1, 0]
    with pytest.raises(KinetreeError, match="the current of 'j2' is zero"):
        kt.identify(arm(), data, gains=OPEN, cutoff=0)


def uneven(model: kt.Model, seed: int, draw: int, noise: float = 0.5) -> dict[str, Any]:
    """Currents with errors at about 95 rows per second, at no even times; q alone beside them."""
    random, rows = np.random.default_rng(100 * draw + seed), 950
    t = np.linspace(0, 10, rows) + random.uniform(-0.3, 0.3, rows) / 95
    many = motion(8 * rows, seed=seed)
    q, qd, qdd = (
        np.column_stack([np.interp(t, many["time"], x) for x in many[key].T])
        for key in ("q", "qd", "qdd")
    )
    i = kt.inverse(model, {"time": t, "q": q, "qd": qd, "qdd": qdd}).tau.values
    i = i / list(GAINS.values()) + random.normal(scale=noise, size=i.shape)
    return {"time": t, "q": q, "current": i}


def test_deviations_are_honest_for_uneven_currents_of_two_runs() -> None:
    """The normalised squared error of all draws and parameters is 1."""
    free, full = arm(rubs=True), with_load(arm(rubs=True))
    model, asked = (
        with_load(arm(GUESS, rubs=True)),
        {**EXACT, "gains": OPEN, "carried": {"load": [2]}},
    )
    true = kt.identify(model, two_runs(1001), **asked).data.base_value.to_series()
    errors = []
    for draw in range(5):
        data = [uneven(free, 1, draw), uneven(full, 2, draw)]
        made = kt.identify(model, data, **{**asked, "cutoff": None})
        assert made.untold == ()
        fit = made.data
        found, std = fit.base_value.to_series()[true.index], fit["std"].to_series()[true.index]
        errors.append((found - true) / std)
    assert 0.6 < np.mean(np.square(errors)) < 1.6


def test_a_gain_that_is_hardly_told_is_named() -> None:
    """Where errors are a large part of it, deviations are too small: 1/k is not a straight line."""
    model = with_load(arm(GUESS, rubs=True))
    data = [
        uneven(arm(rubs=True), 1, 0, noise=20.0),
        uneven(with_load(arm(rubs=True)), 2, 0, noise=20.0),
    ]
    asked = {**EXACT, "gains": OPEN, "carried": {"load": [2]}, "cutoff": None}
    fit = kt.identify(model, data, **asked)
    share = fit.deviations["j0.current_gain"] / fit.parameters["j0.current_gain"]
    assert share > 0.2
    assert any(word.startswith("the data hardly tell the gain of 'j0'") for word in fit.untold)


def test_ranges_of_gains_that_are_hardly_told_hold_the_true_ones() -> None:
    moved, true = motion(1001), {"j1": 2.0, "j2": 1.0}
    efforts = kt.inverse(arm(rubs=True), moved).tau.values
    held, uneven_ones, friction = [], [], []
    for draw in range(10):
        current = efforts / [3.0, *true.values()]
        current += np.random.default_rng(draw).normal(size=current.shape)
        given = {"j0": 3.0, **dict.fromkeys(true, "unknown")}
        data = {**moved, "current": current}
        fit = kt.identify(arm(rubs=True), data, gains=given, **EXACT)
        for name, k in true.items():
            low, high = fit.ranges[f"{name}.current_gain"]
            value = fit.parameters[f"{name}.current_gain"]
            held.append(low <= k <= high)
            uneven_ones.append(high / value > value / low)
        assert any("have it between" in word for word in fit.untold)
        if draw < 3:  # deviations of consistent estimates know that gains are found
            fit = kt.identify(arm(rubs=True), data, "consistent", gains=given, **EXACT)
            names = [f"j2.{kind}" for kind in EXACT["friction"]]
            friction += [(fit.parameters[n] - x) / fit.deviations[n]
                         for n, x in zip(names, (0.5, 0.3), strict=True)]  # fmt: skip
    assert sum(held) >= 17  # of 20; 95 % of them
    assert any(uneven_ones)
    assert np.abs(friction).max() < 3
