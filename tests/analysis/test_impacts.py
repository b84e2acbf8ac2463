"""Runs with stops: impacts, several at once, accumulation, contact and release."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests import zoo
from tests.approx import (
    AT_STATES,
    EQUAL_STEPS,
    IDENTITY,
    ITERATED,
    LONG_RUN,
    READ_OFF,
    ROUNDING,
    RUN,
    TRAJECTORY,
)
from tests.mechanisms import four_bar, slider_crank
from tests.reference import manutec

import kinetree as kt
from kinetree.engine import select, sin
from kinetree.errors import KinetreeError

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

G = 9.81


def ball(floor: float = 0.0, restitution: float = 0.8, **more: float) -> kt.Model:
    """A ball of 0.5 kg, 1 m above a floor."""
    model = kt.Model("ball", gravity=(0, 0, -G))
    body = model.body("ball", mass=0.5)
    model.prismatic("z", model.ground, body, axis="z", initial=floor + 1.0)
    model.stop("floor", "z", lower=floor, restitution=restitution, **more)
    return model


def bounces(count: int, e: float = 0.8) -> Array:
    """Times at which a ball that falls from 1 m hits the floor [s]."""
    first = math.sqrt(2 / G)
    flights = 2 * first * e ** np.arange(1, count)
    return first + np.concatenate([[0.0], np.cumsum(flights)])


def energy(model: kt.Model, run: Any) -> Array:
    """Kinetic and potential energy in every row [J]."""
    found = kt.derive(model, "energy").compile()(q=run["q"].values, qd=run["qd"].values)
    total: Array = found["kinetic"] + found["potential"]
    return total


# --- one gap -------------------------------------------------------------------------------------


@pytest.mark.parametrize("floor", [0.0, 1.0, -2.5])
def test_a_ball_bounces_ever_faster_and_comes_to_rest(floor: float) -> None:
    run = kt.simulate(ball(floor), 5.0, step=0.1)
    times = run["event_time"].values
    assert len(times) > 50
    assert set(run["event_name"].values) == {"floor"}
    np.testing.assert_allclose(times, bounces(len(times)), atol=ITERATED, rtol=0)
    end = math.sqrt(2 / G) * 1.8 / 0.2
    assert times[-1] == pytest.approx(end, abs=EQUAL_STEPS)
    after = run["time"].values > times[-1]
    np.testing.assert_allclose(run["contact"].values[after], 0.5 * G, rtol=IDENTITY)
    np.testing.assert_allclose(run["q"].values[after], floor, atol=ROUNDING)
    assert not run["qd"].values[after].any()
    assert run["x"].values[after].all()
    assert not run["contact"].values[~after].any()
    assert run["contact"].attrs["units"] == "N"


METHODS = [("dopri5", 1e-9), ("DOP853", 1e-9), ("Radau", 1e-9), ("cvode_bdf", 1e-4)]


@pytest.mark.parametrize(("method", "within"), METHODS)
def test_the_same_bounces_in_other_methods(method: str, within: float) -> None:
    run = kt.simulate(ball(), 5.0, step=0.5, method=method, rtol=1e-10, atol=1e-12)
    times = run["event_time"].values
    np.testing.assert_allclose(times, bounces(len(times)), atol=within, rtol=0)
    assert float(run["contact"][-1, 0]) == pytest.approx(0.5 * G, rel=AT_STATES)
    assert run.attrs["termination"] == "finished"


def test_efforts_by_a_python_function_bounce_alike() -> None:
    run = kt.simulate(ball(), 5.0, step=0.5, tau=lambda t, q, qd: [0.0 * t])
    times = run["event_time"].values
    np.testing.assert_allclose(times, bounces(len(times)), atol=ITERATED, rtol=0)


def test_without_restitution_it_stays_at_once() -> None:
    run = kt.simulate(ball(restitution=0.0), 2.0, step=0.1)
    assert len(run["event_time"]) == 1
    assert float(run["contact"][-1, 0]) == pytest.approx(0.5 * G)


def test_bounces_end_where_the_user_says() -> None:
    run = kt.simulate(ball(shortest=0.5), 4.0, step=0.1)
    flights = np.diff(bounces(9))
    assert len(run["event_time"]) == 1 + int((flights > 0.5).sum())


def test_a_moving_table_throws_its_load() -> None:
    """It leaves where the table falls faster than free."""
    a, w = 0.02, 40.0
    model = kt.Model("table", gravity=(0, 0, -G))
    model.prismatic("z", model.ground, model.body("load", mass=2.0), axis="z")
    model.stop("table", "z", lower=lambda t: a * sin(w * t), restitution=0.3)
    run = kt.simulate(model, 0.02, step=0.001, qd=[a * w], rtol=1e-10, atol=1e-12)
    leaves = math.asin(G / (a * w**2)) / w
    assert float(run["event_time"][0]) == pytest.approx(leaves, abs=AT_STATES)
    t = run["time"].values
    force = 2.0 * (G - a * w**2 * np.sin(w * t))
    np.testing.assert_allclose(
        run["contact"].values[:, 0], np.where(t < leaves, force, 0), atol=RUN
    )


def test_both_bounds_of_a_joint() -> None:
    """Between two walls at constant speed, each impact loses the same share of it."""
    model = kt.Model("walls", gravity=(0, 0, 0))
    model.prismatic("x", model.ground, model.body("puck", mass=1.0), axis="x")
    model.stop("wall", "x", lower=-1.0, upper=1.0, restitution=0.5)
    run = kt.simulate(model, 16.0, step=0.5, qd=[1.0])
    names = run["event_name"].values.tolist()
    assert names == ["wall_upper", "wall_lower", "wall_upper"]
    np.testing.assert_allclose(run["event_time"].values, [1.0, 5.0, 13.0], atol=IDENTITY)
    assert float(run["qd"][-1, 0]) == pytest.approx(-0.125)


# --- several gaps --------------------------------------------------------------------------------


def cradle(n: int, restitution: float = 1.0, radius: float = 0.05) -> kt.Model:
    """n equal pendulums of 1 m whose balls touch."""
    model = kt.Model("cradle", gravity=(0, 0, -G))
    for k in range(n):
        body = model.body(f"b{k}", mass=0.1, com=(0, 0, -1))
        hook = model.ground.point(f"h{k}", (2 * radius * k, 0, 0))
        model.revolute(f"a{k}", hook, body, axis="y")
        body.point("c", (0, 0, -1))
    for k in range(n - 1):
        model.stop(
            f"c{k}", points={"one": f"b{k}.c", "two": f"b{k + 1}.c"}, restitution=restitution,
            gap=lambda points: points["two"].p[0] - points["one"].p[0] - 2 * radius,
        )  # fmt: skip
    return model


@pytest.mark.parametrize(("balls", "released"), [(3, 1), (3, 2), (5, 1), (5, 2)])
def test_a_cradle_gives_back_as_many_balls(balls: int, released: int) -> None:
    model = cradle(balls)
    q = np.zeros(balls)
    q[:released] = 0.3
    run = kt.simulate(model, 2.2, step=0.02, q=q, rtol=1e-10, atol=1e-12)
    first, last = f"c{released - 1}", f"c{balls - released - 1}"
    assert run["event_name"].values.tolist() == [first, last]
    hit = run["event_time"].values
    half = hit[1] - hit[0]  # of a swing
    assert hit[0] == pytest.approx(half / 2, abs=AT_STATES)
    middle = (run["time"].values > hit[0] + 1e-9) & (run["time"].values < hit[1])
    angles = run["q"].values[middle]
    np.testing.assert_allclose(angles[:, : balls - released], 0, atol=AT_STATES)
    assert np.ptp(angles[:, balls - released :], axis=1).max() < AT_STATES
    assert angles.min() == pytest.approx(-0.3, abs=READ_OFF)
    assert np.ptp(energy(model, run)) < ITERATED


def row_of_masses(n: int, gravity: float) -> kt.Model:
    """Masses on a line, all touching, the first a wall."""
    model = kt.Model("row", gravity=(gravity, 0, 0))
    for k in range(n):
        body = model.body(f"b{k}", mass=0.5)
        model.prismatic(f"x{k}", model.ground, body, axis="x")
    for k in range(n - 1):
        model.stop(f"c{k}", gap=lambda q, k=k: q[f"x{k + 1}"] - q[f"x{k}"], restitution=0.5)
    model.stop("wall", "x0", lower=0.0, restitution=0.5)
    return model


def any_values(model: kt.Model, rng: np.random.Generator) -> dict[str, float]:
    """Masses and restitutions, plastic and elastic ones among them."""
    stops = {name: float(rng.choice([0.0, 1.0, rng.uniform()])) for name in model.forces}
    values = {f"{name}.restitution": e for name, e in stops.items()}
    return values | {f"{name}.mass": float(rng.uniform(0.1, 3)) for name in model.bodies}


@pytest.mark.parametrize("n", [2, 3, 6])
@pytest.mark.parametrize("gravity", [0.0, -G])
def test_energy_never_rises_where_many_meet_at_once(n: int, gravity: float) -> None:
    model = row_of_masses(n, gravity)
    program = kt.derive(model, "energy")
    energies = program.compile()
    for seed in range(6):
        rng = np.random.default_rng(seed)
        values, start = any_values(model, rng), rng.normal(size=n)
        how = {"step": 0.02, "rtol": 1e-10, "atol": 1e-12, "parameters": values}
        run = kt.simulate(model, 1.0, qd=start, **how)
        assert run.attrs["termination"] == "finished"
        p = [values.get(label, gravity) for label in program.input("p").labels]
        q, qd = (np.vstack([first, run[name].values]) for first, name in
                 ((np.zeros(n), "q"), (start, "qd")))  # fmt: skip
        out = energies(q=q, qd=qd, p=p)
        assert np.diff(out["kinetic"] + out["potential"]).max() < RUN
        assert np.diff(run["q"].values, axis=1, prepend=0).min() > -1e-9
        assert run["contact"].values.min() > -1e-7


def test_momentum_is_kept_where_no_wall_is() -> None:
    rng = np.random.default_rng(3)
    model = kt.Model("row", gravity=(0, 0, 0))
    masses = rng.uniform(0.5, 2, size=4)
    for k, mass in enumerate(masses):
        model.prismatic(f"x{k}", model.ground, model.body(f"b{k}", mass=float(mass)), axis="x",
                        initial=float(k))  # fmt: skip
    for k in range(3):
        model.stop(f"c{k}", gap=lambda q, k=k: q[f"x{k + 1}"] - q[f"x{k}"], restitution=0.7)
    qd = np.array([2.0, 0.5, -0.3, -2.0])
    run = kt.simulate(model, 5.0, step=0.05, qd=qd)
    assert run.sizes["event"] > 3
    np.testing.assert_allclose(run["qd"].values @ masses, qd @ masses, atol=IDENTITY)


@pytest.mark.parametrize("method", ["dop853", "DOP853"])
def test_a_box_that_tumbles_comes_to_rest_on_four_corners(method: str) -> None:
    """Three of them bear it: the fourth depends on them."""
    model = kt.Model("box", gravity=(0, 0, -G))
    box = model.body("box", mass=3.0, inertia=(0.1, 0.1, 0.1))
    model.free("f", model.ground, box)
    for k, (x, y) in enumerate(((1, 1), (1, -1), (-1, 1), (-1, -1))):
        box.point(f"p{k}", (0.2 * x, 0.2 * y, -0.1))
        gap = lambda points: points["p"].p[2]  # noqa: E731
        model.stop(f"s{k}", points={"p": f"box.p{k}"}, gap=gap, restitution=0.4)
    start = {"q": {"f_pz": 0.5}, "qd": [0.5, 0.3, 0.2, 0.1, 0, 0]}
    how = {"rtol": 1e-9, "atol": 1e-11, "method": method}
    run = kt.simulate(model, 6.0, step=0.05, **how, **start)
    assert run.attrs["termination"] == "finished"
    assert float(run["contact"].values[-1].sum()) == pytest.approx(3 * G, rel=TRAJECTORY)
    assert run["q"].values[-1, 6] == pytest.approx(0.1, abs=RUN)
    assert np.diff(energy(model, run)).max() < LONG_RUN


@pytest.mark.parametrize("seed", [1, 2, 4])
def test_energy_never_rises_in_trees_with_stops(seed: int) -> None:
    tree = zoo.random_tree(3, seed, ("revolute", "prismatic", "universal", "spherical"))
    rng = np.random.default_rng(seed)
    q = dict(zip(tree.coordinates, tree.initial(), strict=True))
    for name in tree.coordinates:
        if name in tree.velocities and rng.uniform() < 0.8:
            low, high = rng.uniform(0, 0.4, size=2)
            tree.stop(f"s_{name}", name, float(q[name] - low), float(q[name] + high),
                      float(rng.uniform()))  # fmt: skip
    qd = rng.normal(size=tree.nv)
    run = kt.simulate(tree, 1.0, step=0.01, qd=qd, rtol=1e-9, atol=1e-11)
    assert run.attrs["termination"] == "finished"
    assert run.sizes["event"] > 2
    assert np.diff(energy(tree, run)).max() < TRAJECTORY


def test_gaps_that_close_and_open_inside_a_step_are_seen() -> None:
    """A light ball between a slow mass and a wall bounces often; the steps are as long as they can.

    Between its hits the mass comes nearer: no ball may pass.
    """
    model = kt.Model("between", gravity=(0, 0, 0))
    for name, mass, start in (("light", 0.01, 0.5), ("heavy", 1.0, 1.0)):
        body = model.body(name, mass=mass)
        model.prismatic(f"x_{name}", model.ground, body, axis="x", initial=start)
    model.stop("wall", "x_light", lower=0.0, restitution=1.0)
    model.stop("pair", gap=lambda q: q["x_heavy"] - q["x_light"], restitution=1.0)
    run = kt.simulate(model, 4.0, step=0.01, qd=[0.0, -1.0])
    assert run.sizes["event"] == math.floor(math.pi / math.atan(0.1)) == 31
    assert run["q"].values[:, 0].min() > -1e-12
    assert (run["q"].values[:, 1] - run["q"].values[:, 0]).min() > -1e-12
    assert np.ptp(energy(model, run)) < IDENTITY


# --- loops ---------------------------------------------------------------------------------------


CLOSED = {
    "slider": (slider_crank, "q3", {"lower": 2.0}),
    "crank": (slider_crank, "q1", {"lower": -0.5}),
    "rod": (slider_crank, "q2", {"upper": 0.2}),
    "four-bar": (four_bar, "c", {"lower": 0.3}),
}


def loss(model: kt.Model, y: Array, joint: str, e: float) -> float:
    """Energy that an impact in a joint takes, by NumPy from M, the loops and the law [J]."""
    n = model.nv
    q, qd, k = y[:n], y[n : 2 * n], model.velocities.index(joint)
    M = kt.derive(model, "mass_bias").evaluate(q=q, qd=qd)["M"]
    J = kt.derive(model, "constraints").evaluate(q=q, qd=qd)["J"]
    J = J[np.abs(J).max(axis=1) > 0]
    whole = np.block([[M, J.T], [J, np.zeros((len(J), len(J)))]])
    unit = np.zeros(len(whole))
    unit[k] = 1.0
    give = np.linalg.lstsq(whole, unit, rcond=None)[0][k]
    return float((1 - e**2) * qd[k] ** 2 / (2 * give))


@pytest.mark.parametrize("case", CLOSED)
def test_a_closed_mechanism_against_a_stop_loses_what_the_law_says(case: str) -> None:
    build, joint, bound = CLOSED[case]
    model, e = build(), 0.5
    model.stop("end", joint, **bound, restitution=e)
    run = kt.simulate(model, 1.6, step=0.01, rtol=1e-11, atol=1e-12)
    assert run.sizes["event"] > 0
    E, t = energy(model, run), run["time"].values
    edges = [0.0, *run["event_time"].values, 1.6]
    level = [E[(t > a) & (t < b)] for a, b in pairwise(edges)]
    for k, (before, after) in enumerate(pairwise(level)):
        if len(before) and len(after):
            expected = loss(build(), run["event_y"].values[k], joint, e)
            assert before[-1] - after[0] == pytest.approx(expected, rel=LONG_RUN, abs=AT_STATES)
    assert np.diff(E).max() < RUN


def test_a_closed_mechanism_rests_against_its_stop() -> None:
    model = slider_crank()
    model.stop("end", "q1", lower=-0.5, restitution=0.5)
    run = kt.simulate(model, 4.0, step=0.1, rtol=1e-10, atol=1e-12)
    assert run["q"].values[-1, 0] == pytest.approx(-0.5, abs=ITERATED)
    assert run["contact"].attrs["units"] == "N.m"
    plain = slider_crank()
    found = kt.partition(plain)
    f = kt.derive(plain, "forward", partition=found).compile()
    held = f(q=run["q"].values[-1], qd=np.zeros(3), tau=[float(run["contact"][-1, 0]), 0, 0])
    np.testing.assert_allclose(held["qdd"], 0, atol=RUN)


# --- beside locks and friction -------------------------------------------------------------------


def test_a_block_that_slides_with_friction_bounces_and_stops() -> None:
    """Dry friction is no impulse: it acts before and after the impact alone."""
    model = kt.Model("block", gravity=(0, 0, -G))
    model.prismatic("x", model.ground, model.body("block", mass=2.0), axis="x")
    model.dry_friction("rub", "x", coulomb=4.0)
    model.stop("wall", "x", upper=1.0, restitution=0.5)
    run = kt.simulate(model, 3.0, step=0.1, qd=[4.0])
    v = math.sqrt(16 - 4.0)  # of 2 m/s2 over 1 m
    hit = (4 - v) / 2
    assert run["event_name"].values.tolist() == ["wall", "rub"]
    np.testing.assert_allclose(run["event_time"].values, [hit, hit + v / 4], atol=ITERATED)
    assert float(run["q"][-1, 0]) == pytest.approx(1 - (v / 2) ** 2 / 4, abs=ITERATED)


def test_an_impact_breaks_joints_loose_that_stick() -> None:
    """Of two masses in a row the second sticks; the first hits it, and only then friction acts."""
    model = kt.Model("two", gravity=(0, 0, 0))
    for k, start in enumerate((0.0, 1.0)):
        body = model.body(f"b{k}", mass=1.0)
        model.prismatic(f"x{k}", model.ground, body, axis="x", initial=start)
    model.dry_friction("rub", "x1", coulomb=2.0)
    model.stop("bump", gap=lambda q: q["x1"] - q["x0"], restitution=1.0)
    run = kt.simulate(model, 3.0, step=0.1, qd=[1.0, 0.0])
    assert run["event_name"].values.tolist() == ["bump", "rub"]
    np.testing.assert_allclose(run["event_time"].values, [1.0, 1.5], atol=ITERATED)
    np.testing.assert_allclose(run["q"].values[-1], [1.0, 1.25], atol=AT_STATES)


def test_a_joint_that_rubs_is_pressed_against_its_stop() -> None:
    """The friction bears its coulomb force, the stop the rest; then friction alone holds it."""
    model = kt.Model("press", gravity=(0, 0, 0))
    body = model.body("block", mass=1.0)
    model.prismatic("x", model.ground, body, axis="x", initial=0.5)
    model.dry_friction("rub", "x", coulomb=2.0, breakaway=3.0)
    model.joint_law("push", "x", lambda t: select(t - 4, 1.5, 5.0))
    model.stop("wall", "x", upper=1.0, restitution=0.3)
    model.event("less", then={"x_wall": lambda x: x["wall"]}, at=4.0)
    run = kt.simulate(model, 6.0, step=0.5)
    assert run.attrs["termination"] == "finished"
    t = run["time"].values
    pressed, held = (t > 2) & (t < 4), t > 4
    np.testing.assert_allclose(run["contact"].values[pressed, 0], 3.0, rtol=IDENTITY)
    np.testing.assert_allclose(run["hold"].values[pressed, 0], -2.0, rtol=IDENTITY)
    np.testing.assert_allclose(run["contact"].values[held, 0], 0.0, atol=IDENTITY)
    np.testing.assert_allclose(run["hold"].values[held, 0], -1.5, rtol=IDENTITY)
    np.testing.assert_allclose(run["q"].values[t > 2, 0], 1.0, rtol=IDENTITY)


def test_a_robot_with_friction_falls_into_its_stops() -> None:
    arm = manutec.r3("rigid")
    for name in arm.velocities:
        arm.stop(f"end_{name}", name, -0.4, 0.5, restitution=0.3)
    for name in arm.velocities[:3]:
        arm.dry_friction(f"rub_{name}", name, 5.0)
    run = kt.simulate(arm, 3.0, step=0.01, qd=np.full(6, 0.5))
    assert run.attrs["termination"] == "finished"
    assert run.sizes["event"] > 50
    assert np.diff(energy(arm, run)).max() < TRAJECTORY
    assert run["q"].values.max() < 0.5 + TRAJECTORY
    assert run["q"].values.min() > -0.4 - TRAJECTORY


def test_a_lock_bears_impulses() -> None:
    model = kt.Model("two", gravity=(0, 0, 0))
    for k, start in enumerate((0.0, 1.0)):
        body = model.body(f"b{k}", mass=1.0)
        model.prismatic(f"x{k}", model.ground, body, axis="x", initial=start)
    model.lock("bolt", "x1", model.mode("shut", initial=1.0))
    model.stop("bump", gap=lambda q: q["x1"] - q["x0"], restitution=0.5)
    run = kt.simulate(model, 3.0, step=0.1, qd=[1.0, 0.0])
    np.testing.assert_allclose(run["qd"].values[-1], [-0.5, 0.0], atol=IDENTITY)


def test_a_spring_holds_a_block_against_a_stop_until_it_is_pulled_off() -> None:
    model = kt.Model("pull", gravity=(0, 0, 0))
    model.prismatic("x", model.ground, model.body("block", mass=1.0), axis="x")
    model.stop("wall", "x", lower=0.0)
    model.joint_law("pull", "x", lambda t: t - 2)
    run = kt.simulate(model, 3.0, step=0.25)
    assert run["event_name"].values.tolist() == ["wall"]
    assert float(run["event_time"][0]) == pytest.approx(2.0, abs=TRAJECTORY)
    assert float(run["q"][-1, 0]) == pytest.approx(1 / 6, abs=TRAJECTORY)
    np.testing.assert_allclose(
        run["contact"].values[:8, 0], 2 - run["time"].values[:8], atol=IDENTITY
    )


def test_an_event_that_lifts_a_body_ends_its_contact() -> None:
    model = ball(restitution=0.0)
    model.event("lift", then={"q_z": 2.0}, at=1.0)
    run = kt.simulate(model, 1.5, step=0.05)
    t = run["time"].values
    np.testing.assert_allclose(run["q"].values[t >= 1, 0], 2 - G / 2 * (t[t >= 1] - 1) ** 2)


@pytest.mark.parametrize("way", ["newton_euler", "order_n", "virtual_power", "dalembert"])
def test_every_formalism_knows_stops(way: str) -> None:
    chain = zoo.chain(4)
    chain.stop("a", "j1", lower=-3.0, restitution=0.5)
    chain.stop("b", gap=lambda q: q["j2"] + q["j3"] + 4, restitution=0.5)
    state = zoo.state(chain, 2)
    given = {name: state[name] for name in ("q", "qd", "tau")}
    found = kt.derive(chain, "forward", way).evaluate(**given, x=[1.0, 1.0])
    plain = kt.derive(zoo.chain(4), "forward")
    push = np.array([0, found["contact"][0], found["contact"][1], found["contact"][1]])
    expected = plain.evaluate(**{**given, "tau": given["tau"] + push})
    np.testing.assert_allclose(found["qdd"], expected["qdd"], atol=RUN)
    gaps = kt.derive(chain, "gaps").evaluate(q=given["q"], qd=given["qd"])
    kept = (
        gaps["J"] @ found["qdd"] + gaps["Jdqd"] + 20 * gaps["rate"] + 100 * gaps["gap"]
    )  # far off
    np.testing.assert_allclose(kept, 0, atol=RUN)


def test_a_run_that_is_continued_stays_in_contact(tmp_path: Path) -> None:
    model = ball()
    first = kt.simulate(model, 5.0, step=0.5)
    again = kt.simulate(model, 1.0, step=0.5, continues=first)
    assert again.sizes["event"] == 0
    np.testing.assert_allclose(again["contact"].values, 0.5 * G, rtol=IDENTITY)
    kt.save_run(first, tmp_path / "run.nc")
    assert "contact" in kt.load_run(tmp_path / "run.nc")


# --- files and refusals --------------------------------------------------------------------------


def test_files_hold_stops(tmp_path: Path) -> None:
    model = cradle(3, 0.7)
    model.stop("side", "a0", upper=0.31, restitution=0.2)
    model.stop("tie", gap=lambda q: 1 - q["a2"], shortest=1e-3)
    kt.save(model, tmp_path / "model.yaml")
    again = kt.load(tmp_path / "model.yaml")
    assert again.content_hash() == model.content_hash()
    runs = [kt.simulate(m, 1.0, step=0.1, q=[0.3, 0, 0]) for m in (model, again)]
    np.testing.assert_array_equal(runs[0]["q"].values, runs[1]["q"].values)


def test_a_file_needs_no_states_for_its_stops(tmp_path: Path) -> None:
    text = """
name: ball
bodies: {ball: {mass: 0.5}}
joints: {z: {kind: prismatic, parent: ground, child: ball, axis: z, initial: 1.0}}
forces: {floor: {kind: joint_stop, joint: z, lower: 0, restitution: 0.8}}
"""
    file = tmp_path / "ball.yaml"
    file.write_text(text)
    run = kt.simulate(kt.load(file), 2.0, step=0.1)
    np.testing.assert_allclose(run["event_time"].values, bounces(3), atol=ITERATED)


def bad_driven(model: kt.Model) -> None:
    model.stop("end", "z", lower=0.0)
    model.drive("z", lambda t: t)
    kt.derive(model, "forward")


def bad_locked(model: kt.Model) -> None:
    model.stop("end", "z", lower=0.0)
    model.lock("bolt", "z", 1.0)
    kt.derive(model, "forward")


def bad_still(model: kt.Model) -> None:
    model.stop("end", gap=lambda t: t)
    kt.derive(model, "forward")


def bad_state(model: kt.Model) -> None:
    model.state("T", rate=1.0)
    model.stop("end", gap=lambda q, x: q["z"] - x["T"])
    kt.derive(model, "forward")


def bad_ball(model: kt.Model) -> None:
    model.spherical("turn", "ball", model.body("more", mass=1.0, inertia=(1, 1, 1)))
    model.stop("end", "turn", lower=0.0)


def bad_mode(model: kt.Model) -> None:
    model.state("end", rate=1.0)
    model.stop("end", "z", lower=0.0)


BAD = {
    "order": (lambda m: m.stop("end", "z", 2.0, 1.0), "its lower bound 2 is not below its upper"),
    "none": (lambda m: m.stop("end", "z"), "force 'end': it has no bound"),
    "large": (lambda m: m.stop("end", "z", 0.0, restitution=1.5), "its restitution is 1.5"),
    "negative": (lambda m: m.stop("end", "z", 0.0, restitution=-0.1), "its restitution is -0.1"),
    "short": (lambda m: m.stop("end", "z", 0.0, shortest=0), "its shortest is 0; give it above 0"),
    "nothing": (lambda m: m.stop("end"), "force 'end': it has no joint and no gap"),
    "both": (lambda m: m.stop("end", "z", 0.0, gap=1.0), "it has a joint and a gap"),
    "bounds": (lambda m: m.stop("end", lower=0.0, gap=1.0), "lower and upper are bounds"),
    "speed": (lambda m: m.stop("end", gap=lambda qd: qd["z"]), "'qd_z' is a velocity"),
    "unknown": (lambda m: m.stop("end", "y", 0.0), "there is no coordinate 'y'"),
    "driven": (bad_driven, "force 'end': coordinate 'z' is driven"),
    "locked": (bad_locked, "force 'end': force 'bolt' locks its joint for ever"),
    "still": (bad_still, "stop 'end': no coordinate changes its gap"),
    "state": (bad_state, "its gap depends on the state 'T'"),
    "no stops": (lambda m: kt.derive(m, "gaps"), "quantity 'gaps': the model has no stops"),
    "quaternion": (bad_ball, "joint 'turn' turns by a quaternion"),
    "mode": (bad_mode, "its mode has the name of the state 'end'"),
    "beyond": (lambda m: (m.stop("end", "z", 2.0), kt.simulate(m, 1.0)),
               "stop 'end': the start is beyond it by 1; start with other coordinates"),
    "steps": (lambda m: (m.stop("end", "z", 0.0), kt.simulate(m, 1.0, method="hht")),
              "force 'end' may come into contact"),
    "reaction": (
        lambda m: (m.stop("end", points={"p": "ball"}, gap=lambda points: points["p"].p[2]),
                   kt.derive(m, "reaction")), "force 'end' may push its points"),
    "equilibrium": (lambda m: (m.stop("end", "z", 0.0), kt.equilibrium(m)),
                    "force 'end' may come into contact"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_is_refused_by_name(case: str) -> None:
    model = kt.Model("ball")
    model.prismatic("z", model.ground, model.body("ball", mass=0.5), axis="z", initial=1.0)
    build, said = BAD[case]
    with pytest.raises(KinetreeError, match=said):
        build(model)
