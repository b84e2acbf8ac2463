"""Friction between profiles that sticks: what stops stays, and nothing comes back from nowhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.approx import AT_STATES, COARSE_RUN, GOLDEN, IDENTITY, READ_OFF

import kinetree as kt
from kinetree.errors import ModelError

BOX = {"chain": ((0.3, -0.2), (0.3, 0.2), (-0.3, 0.2), (-0.3, -0.2)), "closed": True}
SOLE = {"chain": ((-0.3, -0.2), (0.3, -0.2))}
"""The lower side of the box alone, which is all that touches."""
SLOPE = {"chain": ((9.0, 0.0), (-9.0, 0.0))}
G, MU, MASS, STIFF = 9.81, 0.4, 2.0, 1e6
STUCK: dict[str, Any] = {"friction": MU, "stick_stiffness": STIFF}


def on_slope(angle: float, profile: Any = BOX, **friction: Any) -> kt.Model:
    """A box on a slope of that angle [rad], whose x axis points down it."""
    model = kt.Model("slope", gravity=(G * np.sin(angle), -G * np.cos(angle), 0))
    model.planar("p", model.ground, model.body("b", mass=MASS, inertia=(1, 1, 0.02)))
    model.plane_contact("touch", "b", model.ground, profile, SLOPE, "linear", stiffness=1e6,
                        damping=2e3, **(friction or STUCK))  # fmt: skip
    return model


def slid(angle: float, speed: float, duration: float, step: float, **how: Any) -> Any:
    """The box pushed down the slope."""
    sunk = MASS * G * np.cos(angle) / (2 * 1e6)  # two corners carry it
    return kt.simulate(on_slope(angle, SOLE), duration, q=[0, 0.2 - sunk, 0], qd=[speed, 0, 0],
                       step=step, **how)  # fmt: skip


def test_a_box_slides_and_stops_and_then_stays_for_two_minutes() -> None:
    angle, v = np.radians(15), 1.5  # the friction angle is 21.8°
    run = slid(angle, v, 120.0, 2.0, method="cvode_bdf", rtol=1e-8)
    x = run.q.values[1:, 0]
    way = v**2 / (2 * G * (MU * np.cos(angle) - np.sin(angle)))
    assert x[0] == pytest.approx(way, rel=COARSE_RUN)
    assert np.ptp(x) <= IDENTITY, "nothing creeps"
    held = -STIFF * run.x.values[-1].sum()
    assert held == pytest.approx(MASS * G * np.sin(angle), rel=COARSE_RUN)


def test_a_box_steeper_than_the_angle_of_friction_slides_as_coulomb_says() -> None:
    angle, t = np.radians(30), 0.5
    run = slid(angle, 0.2, t, t, method="cvode_bdf", rtol=1e-9, atol=1e-11)
    a = G * (np.sin(angle) - MU * np.cos(angle))
    assert run.qd.values[-1, 0] == pytest.approx(0.2 + a * t, rel=COARSE_RUN)


def test_equal_steps_stop_the_box_at_the_same_place() -> None:
    angle, v = np.radians(15), 0.5
    run = slid(angle, v, 2.0, 1e-3, method="trapezoidal")
    x = run.q.values[:, 0]
    way = v**2 / (2 * G * (MU * np.cos(angle) - np.sin(angle)))
    assert x[-1] == pytest.approx(way, rel=READ_OFF)
    assert np.ptp(x[-500:]) <= AT_STATES


def states(model: kt.Model, count: int) -> dict[str, Any]:
    """Random places near the slope, velocities and stretches."""
    random = np.random.default_rng(4)
    low, high = (-1, 0.12, -0.6), (1, 0.25, 0.6)
    return {
        "q": random.uniform(low, high, (count, 3)), "qd": random.uniform(-1, 1, (count, 3)),
        "tau": np.zeros((count, 3)), "x": random.uniform(-2e-3, 2e-3, (count, len(model.states))),
    }  # fmt: skip


def test_friction_gives_back_no_more_than_its_springs_have_stored() -> None:
    rough, slick = on_slope(0.2), on_slope(0.2, friction=0)
    given = states(rough, 300)
    power = []
    for model in (rough, slick):
        program = kt.derive(model, "forces")
        power.append(program.evaluate(**program.pick_inputs(given))["touch.power"])
    forward = kt.derive(rough, "forward")
    zd = forward.evaluate(**forward.pick_inputs(given))["xd"]
    rubbed = power[0] - power[1]
    spent = rubbed + (STIFF * given["x"] * zd).sum(axis=1)
    assert (rubbed > 0).sum() > 10, "springs do give back"
    assert spent.max() <= IDENTITY * np.abs(rubbed).max()


def test_friction_stays_below_its_limit_and_ends_where_nothing_touches() -> None:
    model = on_slope(0.2)
    given = states(model, 200)
    program = kt.derive(model, "forces")
    out = program.evaluate(**program.pick_inputs(given))
    along = np.abs(out["touch.force"][:, 0])
    assert (along <= MU * out["touch.load"] * (1 + IDENTITY)).all()
    apart = out["touch.gap"] > 0
    assert apart.sum() > 10
    assert not out["touch.force"][apart].any()


def test_derivatives_are_those_of_the_complex_step() -> None:
    model = on_slope(0.2)
    forward = kt.derive(model, "forward")
    values = forward.pick_inputs(states(model, 30))
    for name, result in (("q", "qdd"), ("x", "qdd"), ("qd", "xd"), ("x", "xd")):
        exact = forward.derivative(result, (name,)).evaluate(**values)[f"d{result}_d{name}"]
        for k in range(values[name].shape[1]):
            step = np.zeros(values[name].shape[1], dtype=complex)
            step[k] = 1e-30j
            bent = forward.evaluate(**{**values, name: values[name] + step})[result].imag / 1e-30
            scale = max(1.0, float(np.abs(bent).max()))
            assert np.abs(exact[..., k] - bent).max() < GOLDEN * scale


def test_the_file_keeps_what_sticks(tmp_path: Path) -> None:
    model = on_slope(0.2)
    kt.save(model, tmp_path / "slope.yaml")
    other = kt.load(tmp_path / "slope.yaml")
    assert other.content_hash() == model.content_hash()
    assert list(other.states) == list(model.states)
    text = (tmp_path / "slope.yaml").read_text(encoding="utf-8")
    assert "states:" not in text  # the contact brings them; a file may give their start
    (name, *_) = model.states
    begun = text.replace("forces:", f"states:\n  {name}: {{initial: 0.001}}\nforces:")
    (tmp_path / "begun.yaml").write_text(begun, encoding="utf-8")
    assert kt.load(tmp_path / "begun.yaml").states[name].initial == 0.001


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"friction": 0.3, "stick_stiffness": -1.0}, "its stick_stiffness is -1"),
        ({"friction": 0.3, "stick_stiffness": 1e5, "stick_time": 0}, "its stick_time is 0"),
        ({"stick_stiffness": 1e5}, "has a stick_stiffness, but no friction"),
    ],
)
def test_what_cannot_stick_is_refused_by_name(data: dict[str, Any], said: str) -> None:
    with pytest.raises(ModelError, match=f"force 'touch': (it )?{said}|{said}"):
        on_slope(0.2, **data)
