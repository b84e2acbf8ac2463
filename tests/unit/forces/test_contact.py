"""Contacts of spheres and wheels with roads."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
import scipy.integrate
import scipy.optimize
from tests.approx import (
    AT_STATES,
    COARSE_RUN,
    CROSS_ENGINE,
    EQUAL_STEPS,
    IDENTITY,
    ITERATED,
    READ_OFF,
)
from tests.unit.forces.pushed import call, free_model, in_ground, rotation, state, turned, wrenches

import kinetree as kt
from kinetree.engine import Table, cos, sin, table
from kinetree.tables import look_up

NEAREST = 1e-8  # the nearest point, found by a minimum
DIRECTION = 1e-6  # its direction: the root of that

STIFF = {"radius": 0.3, "stiffness": 1e5}


def touched(kind: str, **arguments: Any) -> Any:
    model = free_model()
    model.force(kind, "contact", ("wheel", model.ground), {**STIFF, **arguments})
    return wrenches(model)


def test_force_is_that_of_hertz_and_hunt_crossley() -> None:
    at = touched("contact_sphere", dissipation=0.4)
    q, qd = state((1, 0, 0, 0), (1.0, 2.0, 0.28), (0, 0, 0), (0, 0, -0.5))
    (wrench,) = at(q, qd)
    depth = 0.02
    assert wrench == pytest.approx(
        [0, 0, 0, 0, 0, 1e5 * depth**1.5 * (1 + 0.4 * 0.5)], rel=IDENTITY
    )


@pytest.mark.parametrize("exponent", [1, 1.5, 2, 2.2])
def test_exponent_of_the_spring(exponent: float) -> None:
    at = touched("contact_sphere", exponent=exponent)
    q, qd = state((1, 0, 0, 0), (0, 0, 0.25), (0, 0, 0), (0, 0, 0))
    assert at(q, qd)[0, 5] == pytest.approx(1e5 * 0.05**exponent, rel=IDENTITY)


@pytest.mark.parametrize("damping", [{"dissipation": 2.0}, {"damping": 1e4, "exponent": 1}])
def test_it_never_pulls(damping: dict[str, float]) -> None:
    at = touched("contact_sphere", friction=0.5, **damping)
    leaving = state((1, 0, 0, 0), (0, 0, 0.29), (0, 0, 0), (1.0, 0, 3.0))
    above = state((1, 0, 0, 0), (0, 0, 0.31), (0, 0, 0), (1.0, 0, -3.0))
    assert not at(*leaving).any()
    assert not at(*above).any()


def test_linear_spring_and_damper() -> None:
    at = touched("contact_sphere", exponent=1, damping=200.0)
    q, qd = state((1, 0, 0, 0), (0, 0, 0.29), (0, 0, 0), (0, 0, -1.5))
    assert at(q, qd)[0, 5] == pytest.approx(1e5 * 0.01 + 200 * 1.5, rel=IDENTITY)


def test_friction_opposes_sliding_of_the_touching_point() -> None:
    """A sphere that spins and slides: v + w × rho decides, and the torque is rho × F."""
    at = touched("contact_sphere", friction=0.6, slip_speed=0.05)
    v, w, p = np.array([0.4, -0.3, 0.0]), np.array([0.5, 2.0, 0.7]), np.array([0, 0, 0.27])
    q, qd = state(turned((1, 2, 3), 0.8), p, w, v)
    F, T = in_ground(q[:4], at(q, qd)[0])
    rho = np.array([0, 0, -0.27])
    u = v + np.cross(w, rho)
    load = 1e5 * 0.03**1.5
    expected = np.array([0, 0, load]) - 0.6 * load * u / np.sqrt(u @ u + 0.05**2)
    assert pytest.approx(expected, rel=IDENTITY) == F
    assert pytest.approx(np.cross(rho, expected), rel=IDENTITY) == T


def test_rolling_resistance_opposes_rolling_not_spinning() -> None:
    at = touched("contact_sphere", rolling_resistance=0.02, slip_speed=1e-6)
    q, qd = state((1, 0, 0, 0), (0, 0, 0.27), (3.0, -4.0, 7.0), (0, 0, 0))
    load = 1e5 * 0.03**1.5
    assert at(q, qd)[0, :3] == pytest.approx(
        0.02 * 0.3 * load * np.array([-0.6, 0.8, 0]), rel=CROSS_ENGINE
    )


def test_ball_bounces_with_the_restitution_of_hunt_and_crossley() -> None:
    """For small dissipation e = 1 - 2/3 a v (HuntCrossley1975), here e = 0.98."""
    speed, e = 0.5, 0.98
    model = kt.Model("ball", gravity=(0, 0, 0))
    model.prismatic("z", model.ground, model.body("ball", 1.0), axis="z")
    given = {"radius": 0.1, "stiffness": 1e6, "dissipation": 1.5 * (1 - e) / speed}
    model.force("contact_sphere", "floor", ("ball", model.ground), given)
    f = kt.derive(model, "forward").compile()

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        del t
        return np.array([y[1], call(f, q=y[:1], qd=y[1:], tau=np.zeros(1))["qdd"][0]])

    run = scipy.integrate.solve_ivp(
        rate, (0, 0.05), [0.101, -speed], rtol=1e-9, atol=1e-12, max_step=1e-3
    )
    assert run.y[1, -1] / speed == pytest.approx(e, abs=5 * EQUAL_STEPS)


def bowl(x: Any, y: Any) -> Any:
    """A curved road, for Nodes and for numbers."""
    s, c = (sin, cos) if not isinstance(x, float) else (np.sin, np.cos)
    return 0.1 * s(x) + 0.05 * c(2 * y)


def test_foot_moves_to_the_nearest_point_of_a_curved_road() -> None:
    p = np.array([0.7, 0.4, 0.35])

    def distance(at: np.ndarray) -> float:
        foot = np.array([*at, bowl(float(at[0]), float(at[1]))])
        return float(np.linalg.norm(p - foot))

    nearest = scipy.optimize.minimize(distance, p[:2], tol=1e-14)
    depth = 0.3 - nearest.fun
    at = touched("contact_sphere", height=bowl, corrections=12, exponent=1)
    q, qd = state((1, 0, 0, 0), p, (0, 0, 0), (0, 0, 0))
    F = at(q, qd)[0, 3:]
    assert np.linalg.norm(F) == pytest.approx(1e5 * depth, rel=NEAREST)
    foot = np.array([*nearest.x, bowl(*nearest.x)])
    assert F / np.linalg.norm(F) == pytest.approx((p - foot) / nearest.fun, abs=DIRECTION)


def test_without_corrections_the_tangent_plane_under_the_centre_counts() -> None:
    at = touched("contact_sphere", height=lambda x: 0.5 * x, exponent=1)
    q, qd = state((1, 0, 0, 0), (0.2, 0, 0.4), (0, 0, 0), (0, 0, 0))
    n = np.array([-0.5, 0, 1]) / np.sqrt(1.25)
    depth = 0.3 - (0.4 - 0.1) / np.sqrt(1.25)
    assert at(q, qd)[0, 3:] == pytest.approx(1e5 * depth * n, rel=IDENTITY)


def test_road_from_a_table() -> None:
    """Height and slope are those of the table's own cubic."""
    road = Table.monotone([-1.0, 0.0, 0.5, 1.5], [0.0, 0.02, 0.05, 0.04], "road")
    at = touched("contact_sphere", height=lambda x: table(x, road), exponent=1)
    q, qd = state((1, 0, 0, 0), (0.3, 0, 0.32), (0, 0, 0), (0, 0, 0))
    z, slope = look_up(road, 0.3), look_up(road, 0.3, 1)
    c = 1 / np.hypot(1, slope)
    expected = 1e5 * (0.3 - (0.32 - z) * c) * c * np.array([-slope, 0, 1])
    assert slope > 0.01
    assert at(q, qd)[0, 3:] == pytest.approx(expected, rel=IDENTITY)


def test_a_rising_road_compresses() -> None:
    at = touched("contact_sphere", height=lambda t: 0.2 * t, exponent=1, damping=100.0)
    q, qd = state((1, 0, 0, 0), (0, 0, 0.38), (0, 0, 0), (0, 0, 0))
    assert at(q, qd, 0.5)[0, 5] == pytest.approx(1e5 * 0.02 + 100 * 0.2, rel=IDENTITY)


@pytest.mark.parametrize("kind", ["contact_sphere", "contact_wheel"])
def test_bodies_push_each_other_oppositely(kind: str) -> None:
    """Forces cancel, and so do moments about the ground's origin; the road turns and moves."""
    model = free_model(("wheel", "road"))
    model.bodies["road"].point("top", (0.1, 0.2, 0.3), rotation=((0, 0, 1), (1, 0, 0), (0, 1, 0)))
    given = {**STIFF, "friction": 0.4, "dissipation": 0.2, "rolling_resistance": 0.01}
    given["height"] = lambda x, y: 0.1 * sin(x) * y
    model.force(kind, "contact", ("wheel", "road.top"), given)
    one = state(turned((1, 1, 0), 0.4), (0.45, 0.25, 0.4), (1, 2, 3), (0.3, 0.2, -0.4))
    two = state(turned((0, 1, 2), 0.1), (0.1, -0.1, 0.05), (0.2, -0.3, 0.4), (0.1, 0, 0.2))
    rows = wrenches(model)(np.r_[one[0], two[0]], np.r_[one[1], two[1]])
    F1, T1 = in_ground(one[0][:4], rows[0])
    F2, T2 = in_ground(two[0][:4], rows[1])
    assert np.linalg.norm(F1) > 1.0
    assert pytest.approx(-F2, rel=ITERATED) == F1
    moments = T1 + np.cross(one[0][4:], F1) + T2 + np.cross(two[0][4:], F2)
    assert moments == pytest.approx(np.zeros(3), abs=AT_STATES * np.linalg.norm(F1))


def test_wheel_touches_with_the_lowest_point_of_its_circle() -> None:
    quaternion = turned((1, 0.3, -0.2), 0.5)
    at = touched("contact_wheel", axis="y", crown=0.05, exponent=1)
    p = np.array([0.2, 0.1, 0.29])
    q, qd = state(quaternion, p, (0, 0, 0), (0, 0, 0))
    F, T = in_ground(quaternion, at(q, qd)[0])
    angles = np.linspace(0, 2 * np.pi, 200_001)
    circle = np.array([0.3 * np.cos(angles), 0 * angles, 0.3 * np.sin(angles)])
    points = rotation(quaternion) @ circle
    lowest = points[:, np.argmin(points[2])]
    depth = -(p[2] + lowest[2] - 0.05)
    assert pytest.approx([0, 0, 1e5 * depth], rel=DIRECTION) == F
    assert pytest.approx(np.cross(lowest, F), rel=READ_OFF) == T


def test_a_lying_wheel_has_finite_force_and_slope() -> None:
    model = free_model()
    model.force("contact_wheel", "contact", ("wheel", model.ground), {**STIFF, "crown": 0.1})
    q, qd = state(turned((1, 0, 0), np.pi / 2), (0, 0, 0.09), (0, 0, 0), (0, 0, 0))
    assert np.isfinite(wrenches(model)(q, qd)).all()


@cache
def differentiated(kind: str) -> tuple[Any, Any]:
    """tau and its derivatives for a body on a wavy road."""
    model = kt.Model("slide")
    body = model.body("wheel", 2.0, inertia=(0.3, 0.4, 0.5))
    model.sequence("to_wheel", model.ground, body, "T1 T2 T3 R3 R1 R2")
    given = {**STIFF, "friction": 0.4, "dissipation": 0.2, "height": lambda x: 0.01 * sin(3 * x)}
    model.force(kind, "contact", ("wheel", model.ground), given)
    quantities = ("inverse", "inverse_derivatives")
    tau, slopes = (kt.derive(model, quantity).compile() for quantity in quantities)
    return tau, slopes


@pytest.mark.parametrize("kind", ["contact_sphere", "contact_wheel"])
@pytest.mark.parametrize("height", [0.27, 0.33])
def test_derivatives_are_those_of_differences(kind: str, height: float) -> None:
    """Through the engine's derivative programs, in touch and out of it."""
    tau, f = differentiated(kind)
    q = np.array([0.1, 0.2, height, 0.3, 0.1, 0.5])
    qd = np.array([0.5, -0.2, 0.1, 0.3, 0.2, 1.0])
    out = call(f, q=q, qd=qd, qdd=0 * q)
    step = 1e-6
    for name in ("q", "qd"):
        base = {"q": q, "qd": qd, "qdd": 0 * q}
        for k in range(6):
            up, down = dict(base), dict(base)
            up[name], down[name] = base[name].copy(), base[name].copy()
            up[name][k] += step
            down[name][k] -= step
            slope = (call(tau, **up)["tau"] - call(tau, **down)["tau"]) / (2 * step)
            assert out[f"dtau_d{name}"][:, k] == pytest.approx(
                slope, rel=2 * COARSE_RUN, abs=2 * EQUAL_STEPS
            )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"corrections": -1}, "corrections is -1"),
        ({"exponent": 0.5}, "exponent"),
        ({"radius": None}, "needs its|not a number"),
        ({"heigth": 0}, "heigth"),
    ],
)
def test_mistakes_are_named(arguments: dict[str, Any], words: str) -> None:
    model = free_model()
    with pytest.raises(kt.errors.ModelError, match=words) as caught:
        model.force("contact_sphere", "c", ("wheel", model.ground), {**STIFF, **arguments})
    assert "force 'c'" in str(caught.value)
