"""Motions follow closed forms, textbook equations, conservation laws and another engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipk
from tests.analysis import systems
from tests.approx import AT_STATES, IDENTITY, LONG_RUN, ROUNDING, RUN, TRAJECTORY, assert_close

import kinetree as kt
from kinetree.integrate.methods import METHODS

DATA = Path(__file__).resolve().parents[1] / "data" / "mbs_testset"
READY = [name for name, row in METHODS.items() if row.solve and row.ready()]


def energy(model: kt.Model, run: Any) -> Any:
    """Kinetic and potential energy along a run [J]."""
    out = kt.derive(model, "energy").evaluate(q=run.q.values, qd=run.qd.values)
    return out["kinetic"] + out["potential"]


def test_period_of_a_pendulum_is_the_elliptic_integral() -> None:
    model = systems.pendulum(length=0.8)
    period = 4 * np.sqrt(0.8 / systems.G) * ellipk(np.sin(1.2 / 2) ** 2)
    run = kt.simulate(model, period, q=[-np.pi / 2 + 1.2], rtol=1e-11, atol=1e-13)
    assert run.q.values[-1] == pytest.approx(-np.pi / 2 + 1.2, abs=AT_STATES)
    assert abs(run.qd.values[-1, 0]) < RUN
    half = int(len(run.time) / 2)
    assert run.q.values[half, 0] == pytest.approx(-np.pi / 2 - 1.2, abs=AT_STATES)


def test_benchmark_pendulum_falls_as_the_reference_says() -> None:
    table = np.loadtxt(DATA / "A01_pendulum_reference.csv", delimiter=",", skiprows=1)
    run = kt.simulate(systems.pendulum(), 10.0, q=[np.pi], step=0.1, rtol=1e-11, atol=1e-12)
    assert_close(run.time.values, table[:, 0], IDENTITY, "times")
    assert_close(run.q.values[:, 0], table[:, 3], RUN, "theta")
    assert_close(run.qd.values[:, 0], table[:, 4], RUN, "theta_dot")


@pytest.mark.parametrize("method", READY)
def test_every_method_follows_the_textbook_double_pendulum(method: str) -> None:
    start = np.array([0.4, -0.3, 0.5, -1.0])
    times = np.linspace(0, 1.0, 21)
    truth = solve_ivp(
        systems.double_pendulum_rates, (0, 1), start, "DOP853", times, rtol=1e-12, atol=1e-13
    )
    how = {"step": 1e-3} if method == "rk4" else {"step": 0.05, "rtol": 1e-9, "atol": 1e-10}
    run = kt.simulate(
        systems.double_pendulum(), 1.0, q=start[:2], qd=start[2:], method=method, **how
    )
    found = np.concatenate([run.q.values, run.qd.values], axis=1)[:: 50 if method == "rk4" else 1]
    assert run.attrs["method"] == method
    assert run.attrs["termination"] == "finished"
    assert_close(found, truth.y.T, TRAJECTORY, method)
    assert_close(run.time.values[-1], 1.0, ROUNDING)


@pytest.mark.parametrize("method", ["auto", "DOP853", "BDF", "cvode_adams"])
def test_top_keeps_energy_vertical_momentum_and_unit_quaternions(method: str) -> None:
    model = systems.top()
    tilt = [np.cos(0.3), np.sin(0.3), 0.0, 0.0]
    run = kt.simulate(
        model, 2.0, q=tilt, qd=[0.3, 0.2, 40.0], method=method, step=0.02, rtol=1e-9, atol=1e-11
    )
    e = run.q.values
    assert_close(np.linalg.norm(e, axis=1), np.ones(len(e)), ROUNDING)
    total = energy(model, run)
    assert_close(total, np.full_like(total, total[0]), TRAJECTORY, "energy")
    inertia = np.diag([0.05 + 2 * 0.09, 0.05 + 2 * 0.09, 0.02])
    up = np.array([rotation(row).T[:, 2] for row in e])  # the vertical in the body's frame
    vertical = np.einsum("ti,ij,tj->t", up, inertia, run.qd.values)
    assert_close(vertical, np.full_like(vertical, vertical[0]), TRAJECTORY, "vertical momentum")
    assert_close(run.qd.values[:, 2], np.full(len(e), 40.0), LONG_RUN, "spin")


def rotation(e: Any) -> Any:
    w, x, y, z = e
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def test_thrown_body_moves_its_mass_centre_on_a_line() -> None:
    model = systems.thrown()
    qd = np.array([1.0, 3.0, -0.5, 0.2, -0.1, 0.4])
    run = kt.simulate(model, 3.0, qd=qd, step=0.1, rtol=1e-10, atol=1e-12)
    com = np.array([0.1, -0.2, 0.05])
    place = np.array([q[4:] + rotation(q[:4]) @ com for q in run.q.values])
    velocity = qd[3:] + np.cross(qd[:3], com)
    assert_close(place, place[0] + np.outer(run.time.values, velocity), RUN, "mass centre")


def test_another_engine_agrees_on_a_tree_with_every_kind_of_quaternion() -> None:
    pytest.importorskip("mujoco")
    import mujoco
    from tests import zoo
    from tests.crosscheck.mujoco_adapter import mjcf

    model = zoo.build(zoo.chain_links(2, 3, ("spherical",)), "spherical2")
    theirs = mujoco.MjModel.from_xml_string(mjcf(model))
    theirs.opt.timestep, theirs.opt.integrator = 5e-4, mujoco.mjtIntegrator.mjINT_RK4
    data = mujoco.MjData(theirs)
    data.qpos[:] = model.neutral()
    qd = np.linspace(-1.0, 1.0, model.nv)
    data.qvel[:] = qd
    for _ in range(1000):
        mujoco.mj_step(theirs, data)
    run = kt.simulate(model, 0.5, qd=qd, rtol=1e-10, atol=1e-12)
    assert_close(run.q.values[-1], data.qpos, LONG_RUN, "q")


def test_efforts_wrenches_and_parameters_act() -> None:
    model = kt.Model("cart", gravity=(0, 0, 0))
    cart = model.body("cart", mass=2.0)
    model.prismatic("x", model.ground, cart, axis="x")
    model.wrench("push", cart, frame="world")
    still = kt.simulate(model, 1.0)
    assert not still.q.values.any()
    for given in (
        {"tau": [6.0]},
        {"tau": {"x": 6.0}},
        {"tau": lambda t, q, qd: [6.0]},
        {"tau": {"x": lambda t, q, qd: 6.0}},
        {"wrenches": {"push": [0, 0, 0, 6.0, 0, 0]}},
        {"wrenches": {"push": lambda t, q, qd: [0, 0, 0, 6.0, 0, 0]}},
        {"tau": [3.0], "parameters": {"cart.mass": 1.0}},
    ):
        run = kt.simulate(model, 2.0, q={"x": 0.5}, **given)
        assert run.q.values[-1, 0] == pytest.approx(0.5 + 0.5 * 3.0 * 4.0, rel=AT_STATES), given
        assert_close(run.qdd.values, np.full((501, 1), 3.0), IDENTITY)
    damped = kt.simulate(model, 1.0, qd=[1.0], tau=lambda t, q, qd: -2.0 * qd, method="BDF")
    assert damped.qd.values[-1, 0] == pytest.approx(np.exp(-1.0), rel=TRAJECTORY)


def test_every_step_is_recorded_when_asked() -> None:
    run = kt.simulate(systems.pendulum(), 2.0, step=0)
    assert run.sizes["time"] == run.attrs["steps"] + 1
    assert run.time.values[-1] == 2.0


def test_time_may_begin_anywhere_and_end_between_outputs() -> None:
    run = kt.simulate(systems.pendulum(), 1.0, t0=5.0, step=0.3)
    assert_close(run.time.values, [5.0, 5.3, 5.6, 5.9, 6.0], ROUNDING)
    whole = kt.simulate(systems.pendulum(), 1.0)
    assert_close(run.q.values[-1], whole.q.values[-1], RUN)


def test_the_dataset_names_units_and_its_making() -> None:
    run = kt.simulate(systems.thrown(), 0.1, method="RK45")
    assert run.q.dims == ("time", "coordinate")
    assert list(run.velocity.values) == systems.thrown().velocities
    assert list(run.unit_velocity.values) == ["rad/s"] * 3 + ["m/s"] * 3
    assert run.qdd.attrs["units_each"] == "rad/s2, rad/s2, rad/s2, m/s2, m/s2, m/s2"
    assert run.attrs["model_hash"] == systems.thrown().content_hash()
    assert run.attrs["method"] == "RK45"
    assert run.attrs["steps"] > 0
    assert run.attrs["evaluations"] > run.attrs["steps"]
