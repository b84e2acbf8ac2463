"""Parameters from motion: output error, law coefficients, sensors; what errors in q do to whom."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.approx import READ_OFF, assert_close
from tests.identification.arms import arm, motion, recorded

import kinetree as kt
from kinetree.analysis.identifying.pseudo_inertia import is_physical
from kinetree.errors import KinetreeError

GUESS = (2.0, 2.5, 1.5)
RUBS = ("coulomb", "viscous")
MOTION: dict[str, Any] = {"method": "output_error", "segment": 0.2}


def rubbing(masses: tuple[float, ...] = (3.0, 2.0, 1.0), rotor: float = 0.0) -> kt.Model:
    """The arm with friction that recordings of 200 rows per second can follow."""
    model = arm(masses, rotor=rotor)
    for k in range(3):
        model.joint_friction(f"f{k}", f"j{k}", coulomb=0.5, viscous=0.3, smooth=0.2)
    return model


def seen(rows: int = 1001, **errors: float) -> dict[str, Any]:
    """q and tau of the arm, with errors of given deviations."""
    random = np.random.default_rng(5)
    data = recorded(rubbing(), motion(rows, duration=5.0))
    noise = {key: random.normal(scale=size, size=data[key].shape) for key, size in errors.items()}
    return {
        "time": data["time"],
        **{key: data[key] + noise.get(key, 0.0) for key in ("q", "tau")},
    }


def test_exact_motion_gives_exact_values_and_bodies_that_can_exist() -> None:
    fit = kt.identify(rubbing(GUESS), seen(), friction=RUBS, **MOTION)
    true = kt.identify(rubbing(), recorded(rubbing(), motion()), friction=RUBS, cutoff=0).parameters
    found = fit.data.base_value.to_series()
    for name, value in true.items():
        assert_close(found[name], value, READ_OFF, name, scale=1.0)
    assert fit.data.rms_held.max() < READ_OFF / 10
    assert all(fit.model.bodies[f"b{k}"].mass > 0 for k in range(3))
    rows = np.array(list(fit.standard.values())[:30]).reshape(3, 10)
    assert all(is_physical(row) for row in rows)
    moved = motion(seed=3)
    tau = kt.inverse(fit.model, moved).tau.values
    assert_close(tau, kt.inverse(rubbing(), moved).tau.values, READ_OFF)


def test_a_joint_stands_still_and_rotors_are_found() -> None:
    true, moved = rubbing(rotor=0.2), motion(801, duration=4.0)
    for name, value in (("q", 0.3), ("qd", 0.0), ("qdd", 0.0)):
        moved[name][:, 1] = value
    data = recorded(true, moved)
    rows = {key: {"j0": data[key][:, 0], "j2": data[key][:, 2]} for key in ("q", "tau")}
    fit = kt.identify(
        rubbing(GUESS), {"time": data["time"], **rows}, friction=RUBS, locked={"j1": 0.3},
        rotors=True, **MOTION,
    )  # fmt: skip
    assert fit.data.equation.values.tolist() == ["j0", "j2"]
    found = fit.data.base_value.to_series()
    true_values = {"b2.h_x": 0.15, "b2.h_z": 0.03, "j2.coulomb": 0.5, "j0.viscous": 0.3}
    for name, value in true_values.items():
        assert_close(found[name], value, READ_OFF, name)
    assert fit.data.rms_held.max() < READ_OFF / 10
    tau = kt.inverse(fit.model, moved).tau.values[:, [0, 2]]
    assert_close(tau, data["tau"][:, [0, 2]], READ_OFF)


def test_coefficients_of_laws_and_sensors() -> None:
    def sprung(c: float) -> kt.Model:
        model = kt.Model("sprung", gravity=(0, 0, 0))
        body = model.body("body", mass=2.0)
        model.prismatic("y", model.ground, body, axis="x")
        cubic = model.parameter("cubic", c)
        model.joint_law("spring", "y", lambda q: -5 * q["y"] - cubic * q["y"] ** 3)
        return model

    t = np.linspace(0, 6, 1201)
    tau = 8 * np.sin(1.7 * t) + 4 * np.cos(4.1 * t)
    model = sprung(3.0)
    model.joint_law(
        "push", "y", lambda t: 8 * kt.functions.sin(1.7 * t) + 4 * kt.functions.cos(4.1 * t)
    )
    run = kt.simulate(model, 6.0, step=0.0005, q={"y": 0.3}, rtol=1e-10, atol=1e-12)
    late = np.interp(np.maximum(t - 0.012, 0), run.time.values, run.q.values[:, 0])
    data = {"time": t[5:], "q": (1.05 * late)[5:, None], "tau": tau[5:, None]}
    fit = kt.identify(
        sprung(1.0), data, bodies=[], friction=(), coefficients=["cubic"],
        sensors=["gain", "delay"], **{**MOTION, "segment": 2.0},
    )  # fmt: skip
    assert_close(fit.parameters["cubic"], 3.0, READ_OFF)
    assert_close(fit.parameters["y.gain"], 1.05, READ_OFF)
    assert_close(fit.parameters["y.delay"], 0.012, 0.02)
    assert fit.model.parameters["cubic"].value == fit.parameters["cubic"]
    assert 0 < fit.deviations["cubic"] < 0.1


def test_errors_in_positions_bias_least_squares_and_not_the_others() -> None:
    plan = motion(1001, duration=5.0)
    true = kt.identify(rubbing(), recorded(rubbing(), plan), friction=RUBS, cutoff=0)
    size = np.abs(list(true.parameters.values()))
    bias: dict[str, list[Any]] = {"least_squares": [], "instrumental": [], "output_error": []}
    for draw in range(2):
        random = np.random.default_rng(draw)
        data = recorded(rubbing(), plan)
        data = {
            "time": data["time"], "q": data["q"] + random.normal(scale=2e-3, size=(1001, 3)),
            "tau": data["tau"] + random.normal(scale=0.05, size=(1001, 3)),
        }  # fmt: skip
        for method, found in bias.items():
            extra: dict[str, Any] = {"cutoff": 40.0}
            if method == "instrumental":
                extra["instruments"] = plan
            if method == "output_error":
                extra = {"segment": 0.25}
            fit = kt.identify(rubbing(), data, method, friction=RUBS, **extra)
            x = fit.data.base_value.to_series()
            found.append([x[name] - value for name, value in true.parameters.items()])
    worst = {m: np.linalg.norm(np.mean(rows, axis=0) / (size + 0.1)) for m, rows in bias.items()}
    assert worst["instrumental"] < worst["least_squares"] / 3
    assert worst["output_error"] < worst["least_squares"] / 3


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "sensor": ({"sensors": ["speed"]}, "sensors"),
    "coefficient": ({"coefficients": ["cubik"]}, "coefficients"),
    "cutoff": ({"cutoff": 8.0}, "cutoff: method 'output_error' has no use for it"),
    "long": ({"segment": 50.0}, "data: it is too short for segments of 50 s"),
    "method": ({"method": "least_squares"}, "segment: method 'least_squares' has no use"),
    "wrench": ({"measured": "wrench"}, "moves joints by efforts|no column"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused_in_one_sentence(name: str) -> None:
    options, text = BAD[name]
    with pytest.raises(KinetreeError, match=text):
        kt.identify(rubbing(), seen(), friction=RUBS, **{**MOTION, **options})
