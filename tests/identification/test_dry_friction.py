"""Speeds over which dry friction grows: found, told where they are wrong, beside gains."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.approx import FORMALISM, READ_OFF, TRAJECTORY, assert_close
from tests.identification.arms import arm, motion, recorded

import kinetree as kt
from kinetree.errors import KinetreeError, ModelWarning

GUESS = (2.0, 2.5, 1.5)
SPEEDS = {"j0": 0.05, "j1": 0.2, "j2": 0.01}
FOUND: dict[str, Any] = {"friction": ("coulomb", "viscous"), "smooth": "unknown"}


def rubbing() -> kt.Model:
    """The arm whose joints begin to slide at speeds of their own."""
    model = arm()
    for name, speed in SPEEDS.items():
        model.joint_friction(f"rub_{name}", name, coulomb=0.5, viscous=0.3, smooth=speed)
    return model


def test_speeds_of_dry_friction_are_found_and_go_into_the_model() -> None:
    data = recorded(rubbing(), motion())
    fit = kt.identify(arm(GUESS), data, cutoff=0, **FOUND)
    for name, speed in SPEEDS.items():
        assert_close(fit.parameters[f"{name}.smooth"], speed, FORMALISM)
        assert_close(fit.parameters[f"{name}.viscous"], 0.3, FORMALISM)
    assert fit.data.unit_parameter.sel(parameter="j1.smooth") == "rad/s"
    moved = motion(seed=3)
    tau = kt.inverse(rubbing(), moved).tau.values
    assert_close(kt.inverse(fit.model, moved).tau.values, tau, TRAJECTORY)
    pytest.importorskip("clarabel")
    fit = kt.identify(arm(GUESS), data, "consistent", **FOUND)
    assert_close(fit.parameters["j1.smooth"], 0.2, READ_OFF)


def test_deviations_know_that_the_speed_is_unknown() -> None:
    random, e = np.random.default_rng(0), []
    data = recorded(rubbing(), motion(301))
    for _ in range(40):
        tau = data["tau"] + random.normal(scale=0.1, size=data["tau"].shape)
        fit = kt.identify(arm(), {**data, "tau": tau}, cutoff=0, held_out=0.0, **FOUND)
        e.append([
            (fit.parameters[name] - true) / fit.deviations[name]
            for name, true in (("j1.smooth", 0.2), ("j1.viscous", 0.3), ("j1.coulomb", 0.5))
        ])  # fmt: skip
    assert 0.7 < np.mean(np.square(e)) < 1.4
    known = kt.identify(rubbing(), {**data, "tau": tau}, cutoff=0, held_out=0.0,
                        friction=FOUND["friction"])  # fmt: skip
    assert fit.deviations["j1.viscous"] > 1.1 * known.deviations["j1.viscous"]


def test_other_speeds_than_supposed_are_told() -> None:
    data = recorded(rubbing(), motion())
    with pytest.warns(ModelWarning, match=r"friction of 'j1' does not .* over 0.02 .*\"unknown\""):
        kt.identify(arm(GUESS), data, cutoff=0, friction=FOUND["friction"])


def test_gains_of_motors_and_speeds_are_found_together() -> None:
    data = recorded(rubbing(), motion(401))
    data["current"] = data.pop("tau") / [0.8, 1.5, 0.4]
    gains = {"j0": 0.8, "j1": "unknown", "j2": "unknown"}
    fit = kt.identify(arm(GUESS), data, gains=gains, cutoff=0, **FOUND)
    assert_close(fit.parameters["j1.current_gain"], 1.5, TRAJECTORY)
    assert_close(fit.parameters["j1.smooth"], 0.2, TRAJECTORY)
    assert_close(fit.parameters["j2.smooth"], 0.01, TRAJECTORY)
    assert fit.untold == ()


def test_friction_that_drives_is_told() -> None:
    data = recorded(arm(rubs=True), motion())
    turned = {**data, "tau": data["tau"] * [1, -1, 1]}
    with pytest.warns(
        ModelWarning, match=r"'j1' is -0\.\d+, .* below zero, which drives it: .* sign"
    ):
        kt.identify(arm(GUESS), turned, cutoff=0)


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "word": ({"smooth": "unknwon"}, "smooth.*did you mean 'unknown'"),
    "method": ({"method": "output_error"}, "smooth, method 'output_error': it finds no speeds"),
    "wrench": ({"measured": "wrench"}, "smooth, method .* and efforts"),
    "sign": ({"smooth": -0.1}, "smooth"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused_in_one_sentence(name: str) -> None:
    options, text = BAD[name]
    with pytest.raises(KinetreeError, match=text):
        kt.identify(arm(), recorded(rubbing(), motion(101)), **{**FOUND, **options})
