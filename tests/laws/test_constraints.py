"""Closures: J is the derivative of h, Jdqd the rest of its second rate, on every kind."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from tests import zoo
from tests.approx import IDENTITY, assert_close
from tests.closed import CLOSED
from tests.laws import tools

import kinetree as kt
from kinetree.constraints import ALL

NAMES = tuple(CLOSED)
TIME = 0.37


@cache
def model(name: str) -> kt.Model:
    return CLOSED[name]()


@cache
def program(name: str, parameters: str = "run-time") -> kt.Program:
    return kt.derive(model(name), "constraints", parameters=parameters)


def values(name: str, q: Any, qd: Any, t: Any = TIME, **options: str) -> dict[str, Any]:
    return tools.values(program(name, **options), q=q, qd=qd, t=np.asarray(t))


def holonomic(name: str) -> np.ndarray:
    prog = program(name)
    return np.array([label not in prog.info["rates"] for label in prog.output("h").labels])


def along(name: str, q: Any, qd: Any, qdd: Any, pick: Any) -> np.ndarray:
    """Time derivative of pick(values, qd) along a motion, by complex step."""
    dq = tools.coordinate_rates(model(name), q, qd)
    h = 1j * tools.STEP
    out = pick(values(name, q + h * dq, qd + h * qdd, TIME + h), qd + h * qdd)
    return np.imag(out) / tools.STEP


def rate(out: dict[str, Any], qd: Any) -> Any:
    return tools.mat_vec(out["J"], qd) + out["ht"]


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def state(name: str) -> tuple[Any, Any, Any]:
    given = zoo.state(model(name), seed=3)
    return given["q"], given["qd"], given["qdd"]


def test_every_kind_has_a_model() -> None:
    used = {c.kind for make in CLOSED.values() for c in make().closures.values()}
    assert used == {kind.name for kind in ALL}


def test_j_is_the_derivative_of_h(name: str, state: Any) -> None:
    q, _, _ = state
    still = np.zeros(model(name).nv)
    J = values(name, q, still)["J"]
    for k, direction in enumerate(np.eye(model(name).nv)):
        step = 1j * tools.STEP * tools.coordinate_rates(model(name), q, direction)
        slope = np.imag(values(name, q + step, still)["h"]) / tools.STEP
        assert_close(slope[holonomic(name)], J[holonomic(name), k], IDENTITY, f"column {k}", 1.0)


def test_hdot_is_j_qd_plus_ht(name: str, state: Any) -> None:
    q, qd, qdd = state
    hdot = along(name, q, qd, qdd, lambda out, _: out["h"])
    expected = rate(values(name, q, qd), qd)
    assert_close(hdot[holonomic(name)], expected[holonomic(name)], IDENTITY, scale=1.0)


def test_hddot_is_j_qdd_plus_jdqd(name: str, state: Any) -> None:
    q, qd, qdd = state
    out = values(name, q, qd)
    hddot = along(name, q, qd, qdd, rate)
    assert_close(tools.mat_vec(out["J"], qdd) + out["Jdqd"], hddot, IDENTITY, scale=1.0)


def test_folded_parameters_change_nothing(name: str, state: Any) -> None:
    q, qd, _ = state
    run_time, folded = values(name, q, qd), values(name, q, qd, parameters="folded")
    for key in ("h", "J", "Jdqd", "ht"):
        assert_close(folded[key], run_time[key], IDENTITY, key, 1.0)


def test_h_speaks_of_the_places_of_the_ends(state: Any) -> None:
    """The distance of two points does not depend on the frame in which a loop is written."""
    given = model("rod")
    q, qd, qdd = zoo.state(given, seed=3)["q"], np.zeros(given.nv), np.zeros(given.nv)
    points = ("b2.a", "b4.b")
    seen = kt.derive(given, "kinematics", points=points).evaluate(q=q, qd=qd, qdd=qdd)
    d = seen["b2.a.position"] - seen["b4.b.position"]
    h = values("rod", q, qd)["h"]
    assert_close(h, [(d @ d - 0.8**2) / 2], IDENTITY)


@pytest.mark.parametrize("kind", ["sphere", "tyre"])
def test_rolling_is_the_velocity_of_the_touching_point(kind: str) -> None:
    given = model(kind)
    s = zoo.state(given, seed=5)
    seen = kt.derive(given, "kinematics", points=("b2.a", "b4.b")).evaluate(
        q=s["q"], qd=s["qd"], qdd=s["qdd"]
    )
    wheel = {k: seen[f"b2.a.{k}"] for k in ("position", "rotation", "velocity")}
    w, v = wheel["velocity"][:3], wheel["velocity"][3:]
    if kind == "sphere":
        R, at, w2, v2 = (
            seen["b4.b.rotation"], seen["b4.b.position"],
            seen["b4.b.velocity"][:3], seen["b4.b.velocity"][3:],
        )  # fmt: skip
        rho = -0.3 * R[:, 2]
    else:
        R, at, w2, v2 = np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3)
        a = wheel["rotation"] @ np.array([1, 1, 0]) / np.sqrt(2)
        e = R[:, 2] - a[2] * a
        rho = -0.4 * e / np.linalg.norm(e) - 0.1 * R[:, 2]
    touch = wheel["position"] + rho
    slip = v + np.cross(w, rho) - v2 - np.cross(w2, touch - at)
    out = values(kind, s["q"], s["qd"])
    assert_close(rate(out, s["qd"])[1:], (R.T @ slip)[:2], IDENTITY, "slip")
    assert_close(out["h"][0], R[:, 2] @ (touch - at), IDENTITY, "height")


def test_a_follower_moves_its_loop_with_the_leader() -> None:
    """A hinge that mimics another at ratio 2: J by its leader counts both."""
    given = kt.Model("pantograph")
    left, right = given.body("left", inertia=(1, 1, 1)), given.body("right", inertia=(1, 1, 1))
    given.revolute("a", given.ground, left)
    given.revolute("b", given.ground.point("foot", (2, 0, 0)), right, mimic=("a", 2.0, 0.3))
    given.close_rod("bar", left.point("tip", (1, 0, 0)), right.point("tip", (1, 0, 0)), 2.0)
    program = kt.derive(given, "constraints")
    q, qd = np.array([0.7]), np.array([1.3])
    out = program.evaluate(q=q, qd=qd)
    step = 1j * tools.STEP
    moved = program.evaluate(q=q + step * qd, qd=qd)
    assert_close(np.imag(moved["h"]) / tools.STEP, out["J"] @ qd, IDENTITY)
    assert_close(np.imag(moved["J"] @ qd) / tools.STEP, out["Jdqd"], IDENTITY)
