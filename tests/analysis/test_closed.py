"""Closed systems: loops stay closed, energy stays, every treatment and choice gives one motion."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from tests import mechanisms
from tests.approx import (
    AT_STATES,
    CLOSED,
    COARSE_RUN,
    IDENTITY,
    ITERATED,
    LONG_RUN,
    READ_OFF,
    RUN,
    SUMS,
    TRAJECTORY,
    assert_close,
)

import kinetree as kt
from kinetree.analysis.given.initial_state import initial_state
from kinetree.analysis.runs.coordinates.repartition import repartition
from kinetree.analysis.runs.dynamics import dynamics
from kinetree.analysis.runs.record import record_run
from kinetree.analysis.runs.run import RunOptions
from kinetree.errors import KinetreeError, ModelWarning
from kinetree.integrate.problem import Settings

DATA = Path(__file__).resolve().parents[1] / "data" / "mbs_testset"
MODELS = Path(__file__).resolve().parents[2] / "examples" / "models"
TIGHT: dict[str, Any] = {"rtol": 1e-10, "atol": 1e-11}


def slider_crank_rates(_: float, y: Any) -> list[float]:
    """The crank of tests.mechanisms.slider_crank by the energy method, in one coordinate."""
    a, w = y
    s, c = np.sin(a), np.cos(a)
    r = np.sqrt(4 - s * s)
    # angle of the rod b = -asin(sin a / 2); slider x = cos a + 2 cos b
    b, db = -np.arcsin(s / 2), -c / r
    ddb = s / r - c * s * c / r**3
    dx, ddx = -s - s * c / r, -c - (c * c - s * s) / r - (s * c) ** 2 / r**3
    # mass centre of the rod: (cos a + cos b, sin a + sin b)
    gx, gy = -s - np.sin(b) * db, c + np.cos(b) * db
    ggx = -c - np.cos(b) * db**2 - np.sin(b) * ddb
    ggy = -s - np.sin(b) * db**2 + np.cos(b) * ddb
    inertia = (0.0833 + 0.25) + 0.6667 * db**2 + 2 * (gx**2 + gy**2) + 5 * dx**2
    half_slope = 0.6667 * db * ddb + 2 * (gx * ggx + gy * ggy) + 5 * dx * ddx
    potential_slope = 9.81 * (0.5 * c + 2 * gy)
    return [w, (-half_slope * w * w - potential_slope) / inertia]


@pytest.mark.parametrize("method", ["auto", "DOP853", "BDF", "cvode_bdf"])
def test_slider_crank_moves_as_one_coordinate_says(method: str) -> None:
    times = np.linspace(0, 2, 41)
    options: dict[str, Any] = {"rtol": 1e-12, "atol": 1e-12, "t_eval": times}
    truth = solve_ivp(slider_crank_rates, (0, 2), [0.5, 3.0], "DOP853", **options)
    model = mechanisms.slider_crank()
    run = kt.simulate(model, 2.0, q={"q1": 0.5}, qd={"q1": 3.0}, method=method, step=0.05, **TIGHT)
    assert_close(run.q.values[:, 0], truth.y[0], TRAJECTORY, "crank")
    assert_close(run.qd.values[:, 0], truth.y[1], TRAJECTORY, "its speed")
    assert gaps(model, run) < ITERATED


def gaps(model: kt.Model, run: Any) -> float:
    """Largest violation of the loops in positions and velocities along a run."""
    program = kt.derive(model, "constraints")
    out = program.evaluate(q=run.q.values, qd=run.qd.values)
    rates = np.einsum("tij,tj->ti", out["J"], run.qd.values)
    return float(max(np.abs(out["h"]).max(), np.abs(rates).max()))


@pytest.mark.parametrize("treatment", ["explicit", "multipliers"])
def test_multipliers_are_the_forces_of_the_loop(treatment: str) -> None:
    model = mechanisms.slider_crank()
    run = kt.simulate(model, 0.5, qd={"q1": 2.0}, step=0.05, loops=treatment, **TIGHT)
    motion = {"q": run.q.values, "qd": run.qd.values, "qdd": run.qdd.values}
    tau = kt.derive(model, "inverse").evaluate(**motion)["tau"]
    J = kt.derive(model, "constraints").evaluate(q=run.q.values, qd=run.qd.values)["J"]
    assert list(run.equation.values) == ["pin.x", "pin.y"]
    forces = np.einsum("tij,ti->tj", J, run.lam.values)
    assert_close(forces, tau, TRAJECTORY, "M qdd + c = J^T lam")


def test_bricard_moves_with_its_redundant_equation() -> None:
    table = np.loadtxt(DATA / "A04_bricard_reference.csv", delimiter=",", skiprows=1)
    model = kt.load(MODELS / "bricard.yaml")
    run = kt.simulate(model, 10.0, step=0.05, **TIGHT)
    assert_close(np.abs(run.q.values), np.abs(table[:, 7:12]), RUN, "angles")
    assert run.attrs["redundant_equations"].count(" (by ") == 1
    assert gaps(model, run) < CLOSED
    out = kt.derive(model, "energy").evaluate(q=run.q.values, qd=run.qd.values)
    total = out["kinetic"] + out["potential"]
    assert np.ptp(total) < TRAJECTORY * np.ptp(out["kinetic"])


def test_four_bars_pass_their_singular_places_with_a_fixed_step() -> None:
    table = np.loadtxt(DATA / "A02_N2_reference.csv", delimiter=",", skiprows=1)
    model = mechanisms.n_four_bar(2)
    start: dict[str, Any] = {"qd": {"u0": -1.0}, "independent": ["u0"]}
    run = kt.simulate(model, 10.0, method="rk4", step=1e-3, **start)
    angle = run.q.values[::100, 0]
    assert_close(np.array([np.cos(angle), np.sin(angle)]).T, table[:, 1:3], LONG_RUN, "B0")
    out = kt.derive(model, "energy").evaluate(q=run.q.values, qd=run.qd.values)
    assert np.ptp(out["kinetic"] + out["potential"]) < AT_STATES * np.ptp(out["kinetic"])
    with pytest.warns(ModelWarning, match="where the loops are singular.*fixed step"):
        kt.simulate(model, 10.0, rtol=1e-11, atol=1e-12, max_steps=2000, **start)


ANDREWS = {
    "beta": 15.81077119629904, "Theta": -15.75637105984298, "gamma": 0.04082224013073101,
    "Phi": -0.5347301163226948, "delta": 0.5244099658805304, "Omega": 0.5347301163226948,
    "epsilon": 1.048080741042263,
}  # fmt: skip
"""At 0.03 s, from the Test Set for IVP Solvers (data/mbs_testset/andrews_squeezer.yaml) [rad]."""


@pytest.mark.parametrize("method", ["auto", "cvode_adams", "cvode_bdf"])
def test_squeezing_mechanism_agrees_to_eight_digits(method: str) -> None:
    model = kt.load(MODELS / "andrews.yaml")
    run = kt.simulate(model, 0.03, method=method, rtol=1e-11, atol=1e-12)
    expected = [ANDREWS[name] for name in run.coordinate.values]
    assert run.q.values[-1] == pytest.approx(expected, rel=5 * AT_STATES)


def test_coordinates_are_chosen_anew_where_they_degrade() -> None:
    model = mechanisms.slider_crank()
    system = dynamics(model, independent=["q3"])
    start = initial_state(system, 0.0, {"q1": 0.5}, {"q1": 3.0}, None)
    times = np.linspace(0, 2, 201)
    how = RunOptions(
        "auto", Settings(1e-10, 1e-11), {"low": "q_q1 - 6"}, repartition(system, {}, {})
    )
    found = record_run(system, start, times, how)
    assert found.attrs["partitions"] > 1
    plain = kt.simulate(
        model, 2.0, qd={"q1": 3.0}, independent=["q1"], step=0.01, events={"low": "q_q1 - 6"},
        **TIGHT,
    )  # fmt: skip
    assert_close(found.time.values, plain.time.values, SUMS)
    assert_close(found.q.values, plain.q.values, TRAJECTORY)
    assert_close(found.lam.values, plain.lam.values, COARSE_RUN)
    assert_close(found.event_time.values, plain.event_time.values, TRAJECTORY)


def test_equilibrium_and_modes_of_a_closed_system() -> None:
    model = mechanisms.slider_crank()
    rest = kt.equilibrium(model, q={"q1": -1.2})
    assert rest.q[0] == pytest.approx(-np.pi / 2)
    found = kt.modes(model, at=rest)
    h = 1e-6
    above, below = (slider_crank_rates(0, [-np.pi / 2 + d, 0])[1] for d in (h, -h))
    slope = above - below
    assert found.frequencies == pytest.approx(
        [np.sqrt(-slope / (2 * h)) / (2 * np.pi)], rel=LONG_RUN
    )
    shape = found.shapes[0].real
    J = kt.derive(model, "constraints").evaluate(q=rest.q, qd=np.zeros(3))["J"]
    assert_close(J @ shape, np.zeros(2), AT_STATES, scale=1.0)


def test_a_locked_crank_is_held() -> None:
    model = mechanisms.slider_crank()
    found = kt.equilibrium(model, q={"q1": 0.4}, locked=["q1"], independent=["q1"])
    assert found.q[0] == pytest.approx(0.4)
    a = 0.4
    gy = np.cos(a) + np.cos(-np.arcsin(np.sin(a) / 2)) * -np.cos(a) / np.sqrt(4 - np.sin(a) ** 2)
    assert found.efforts["q1"] == pytest.approx(9.81 * (0.5 * np.cos(a) + 2 * gy))
    with pytest.raises(KinetreeError, match="depends on other"):
        kt.equilibrium(model, locked=["q2"], independent=["q1"])


def test_other_lengths_keep_the_given_coordinate() -> None:
    model = mechanisms.slider_crank()
    run = kt.simulate(model, 0.1, q={"q1": 0.5}, parameters={"rod.end_x": 2.2})
    place = np.cos(0.5) + np.sqrt(2.2**2 - np.sin(0.5) ** 2)
    assert run.q.values[0] == pytest.approx([0.5, run.q.values[0, 1], place])


def test_a_ball_rolls_on() -> None:
    model = mechanisms.rolling_ball()
    run = kt.simulate(model, 1.0, qd=[0, 2.0, 0, 0.6, 0, 0])
    assert run.q.values[-1, 4] == pytest.approx(0.6)  # 0.3 m times 2 rad
    assert run.q.values[-1, :4] == pytest.approx([np.cos(1.0), 0, np.sin(1.0), 0])


def test_driven_mechanisms_run_too() -> None:
    model = mechanisms.slider_crank()
    model.drive("q1", lambda t: 0.5 + 3.0 * t)
    run = kt.simulate(model, 1.0, step=0.1)
    assert_close(run.q.values[:, 0], 0.5 + 3 * run.time.values, IDENTITY)
    assert_close(run.q.values, kt.kinematics(model, 1.0, step=0.1).q.values, AT_STATES)
    assert_close(run.qdd.values, kt.kinematics(model, 1.0, step=0.1).qdd.values, RUN)


def test_values_that_the_loops_do_not_allow_are_told() -> None:
    model = mechanisms.slider_crank()
    with pytest.warns(ModelWarning, match="qd of 'q3' is"):
        kt.simulate(model, 0.1, qd={"q1": 1.0, "q3": 5.0})
    with pytest.warns(ModelWarning, match="q of 'q1' is .* instead of 1.5"):
        kt.simulate(mechanisms.slider_crank(rod=0.1), 0.01, q={"q1": 1.5})


def test_a_driven_tree_needs_no_loops() -> None:
    model = kt.Model("cart", gravity=(0, -9.81, 0))
    cart, bob = model.body("cart", mass=1.0), model.body("bob", mass=1.0, com=(1.0, 0, 0))
    model.prismatic("x", model.ground, cart, axis="x")
    model.revolute("swing", cart, bob, axis="z", initial=-np.pi / 2)
    model.drive("x", lambda t: 0.5 * 9.81 * t * t)  # as if gravity were inclined by 45 degrees
    run = kt.simulate(model, 2.0)
    assert "lam" not in run
    angle, speed = run.q.values[:, 1], run.qd.values[:, 1]
    assert np.ptp(0.5 * speed**2 + 9.81 * (np.sin(angle) + np.cos(angle))) < TRAJECTORY
    assert angle.min() == pytest.approx(-np.pi, abs=READ_OFF)


@pytest.mark.parametrize(
    ("build", "method"),
    [
        (mechanisms.slider_crank, "auto"),
        (mechanisms.slider_crank, "BDF"),
        (mechanisms.rolling_ball, "auto"),
    ],
)
def test_projection_gives_the_explicit_motion(build: Any, method: str) -> None:
    model = build()
    options: dict[str, Any] = {"method": method, "step": 0.05, "rtol": 1e-9, "atol": 1e-10}
    runs = [kt.simulate(model, 0.3, loops=loops, **options) for loops in ("explicit", "projection")]
    assert_close(runs[1].q.values, runs[0].q.values, TRAJECTORY, scale=1.0)
    assert_close(runs[1].lam.values, runs[0].lam.values, COARSE_RUN, scale=1.0)
    assert gaps(model, runs[1]) < CLOSED


def test_names_are_kept_in_order_as_far_as_the_loops_let_them() -> None:
    model = mechanisms.slider_crank()
    with pytest.warns(ModelWarning, match="q of 'q3' is .* qd of 'q1' is"):
        run = kt.simulate(model, 0.01, q={"q1": 0.7, "q3": 1.0}, qd={"q3": 1.0, "q1": 3.0})
    assert run.q.values[0, 0] == pytest.approx(0.7, abs=IDENTITY)
    assert run.qd.values[0, 2] == pytest.approx(1.0, abs=IDENTITY)
    for found in (kt.partition(model), kt.partition(model, independent=["q3"])):
        run = kt.simulate(model, 0.01, q={"q1": 1.0}, partition=found)
        assert run.q.values[0, 0] == pytest.approx(1.0, abs=IDENTITY)


def test_every_analysis_closes_loops_with_other_lengths() -> None:
    model, longer = mechanisms.slider_crank(), {"rod.end_x": 2.5}
    run = kt.simulate(model, 0.5, q={"q1": 0.4}, qd={"q1": 2.0}, parameters=longer, step=0.05)
    q, qd = run.q.values, run.qd.values
    leg = np.sqrt(2.5**2 - np.sin(q[:, 0]) ** 2)
    assert_close(q[:, 2], np.cos(q[:, 0]) + leg, ITERATED)
    slope = -np.sin(q[:, 0]) * (1 + np.cos(q[:, 0]) / leg)
    assert_close(qd[:, 2], slope * qd[:, 0], AT_STATES)
    assert qd[0, 0] == pytest.approx(2.0, abs=IDENTITY)
    rest = kt.equilibrium(model, q={"q1": -1.2}, parameters=longer)
    assert abs(rest.q[2]) == pytest.approx(np.sqrt(2.5**2 - 1))
    assert kt.linearise(model, at=rest).q == pytest.approx(rest.q)
    model.drive("q1", lambda t: 0.4 + t)
    moved = kt.kinematics(model, 1.0, step=0.1, parameters=longer)
    angle = 0.4 + moved.time.values
    assert_close(
        moved.q.values[:, 2], np.cos(angle) + np.sqrt(2.5**2 - np.sin(angle) ** 2), ITERATED
    )


def test_a_start_that_is_singular_is_refused() -> None:
    with pytest.raises(KinetreeError, match=r"pin\.\w+ depends on others .* only there.*beside"):
        kt.simulate(mechanisms.four_bar(), 0.1, q=[0.0, 0.0, 0.0])


def test_a_run_whose_loops_cannot_close_is_refused() -> None:
    far = mechanisms.four_bar()
    far.close_rod("bar", far.bodies["left"], far.bodies["right"].points["tip"], 9.0)
    with pytest.raises(KinetreeError, match="closure 'bar': the loop does not close, length is"):
        kt.simulate(far, 1.0)


def test_a_partition_that_is_not_regular_is_refused() -> None:
    model = mechanisms.slider_crank()
    with pytest.raises(KinetreeError, match=r"independent: 1 of 2 .* let 'q1' be dependent"):
        kt.simulate(model, 1.0, independent=["q1", "q3"])
    with pytest.raises(KinetreeError, match="partition: it belongs to another model"):
        kt.simulate(model, 1.0, partition=kt.partition(mechanisms.four_bar()))
    with pytest.warns(ModelWarning, match="q of 'q1' is .* instead of 0.5"):
        kt.simulate(mechanisms.slider_crank(rod=0.2), 0.01, independent=["q1"])
