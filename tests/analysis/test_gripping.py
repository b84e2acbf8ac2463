"""Clutches, brakes, struts and any speed that sticks: closed forms, and a reference in NumPy."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.analysis.friction_reference import Reference, assert_follows, travel
from tests.analysis.test_sticking import stick_slip
from tests.approx import AT_STATES, IDENTITY, ITERATED, LONG_RUN, RUN, TRAJECTORY
from tests.mechanisms import slider_crank

import kinetree as kt
from kinetree.engine import cos, select, sin
from kinetree.errors import AssemblyError, KinetreeError, ModelError, UnsupportedError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

EXACT: dict[str, Any] = {"rtol": 1e-11, "atol": 1e-12}


def shafts() -> kt.Model:
    """Two shafts of 2 and 3 kg.m2 that turn about z."""
    model = kt.Model("shafts", gravity=(0, 0, 0))
    for name, inertia in (("a", 2.0), ("b", 3.0)):
        body = model.body(name, mass=1.0, inertia=(2, 2, inertia))
        model.revolute(name, model.ground, body, axis="z")
    return model


# --- clutches ------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["dop853", "DOP853", "cvode_bdf"])
@pytest.mark.parametrize("ratio", [1.0, -2.5])
def test_a_clutch_that_closes_joins_two_shafts(ratio: float, method: str) -> None:
    """It slides until both have one speed, then they turn together and it bears what it takes."""
    model = shafts()
    closed = model.mode("closed")
    model.clutch("clutch", "a", "b", 5.0 * closed, ratio=ratio)
    model.event("close", then={"closed": 1.0}, at=(0.5,))
    model.joint_law("load", "b", lambda t: select(t - 6.0, -1.0, 0.0))
    run = kt.simulate(model, 8.0, step=0.1, qd={"a": 10.0}, method=method, **EXACT)
    # the speed a - ratio b falls by 5 (1/2 + ratio²/3)
    slides = 10 / (5 * (1 / 2 + ratio**2 / 3))
    names, times = run["event_name"].values.tolist(), run["event_time"].values
    assert names == ["close", "clutch"]
    assert times[1] == pytest.approx(
        0.5 + slides, abs=AT_STATES if method != "cvode_bdf" else TRAJECTORY
    )
    t, qd, grip = run["time"].values, run["qd"].values, run["grip"].values[:, 0]
    joined = t > times[1] + 0.05
    np.testing.assert_allclose(qd[joined, 0], ratio * qd[joined, 1], atol=RUN)
    assert not grip[t < 0.45].any()
    np.testing.assert_allclose(grip[(t > 0.5) & (t < times[1])], -5.0, rtol=IDENTITY)
    # under the load -1 both turn as one inertia 2 ratio² + 3 about b
    late = t > 6.05
    np.testing.assert_allclose(grip[late], 2 * ratio * -1.0 / (2 * ratio**2 + 3), rtol=AT_STATES)


def test_a_clutch_slips_where_the_load_passes_what_it_bears() -> None:
    model = shafts()
    model.clutch("clutch", "a", "b", 4.0, static=1.5)
    model.joint_law("motor", "a", lambda t: 5 * t)
    run = kt.simulate(model, 4.0, step=0.1, **EXACT)
    # stuck, 5 t / 5 is the acceleration, and 3 of it passes through the clutch: 3 t = 6
    assert run["event_time"].values == pytest.approx([2.0], abs=AT_STATES)
    assert run["x"].values[[0, -1], 0].tolist() == [0, 1]
    assert float(run["grip"][-1, 0]) == -4.0


def test_a_clutch_to_a_driven_shaft_brings_the_other_to_its_speed() -> None:
    model = shafts()
    model.drive("b", lambda t: 3 * t)
    model.clutch("clutch", "a", "b", 4.0)
    run = kt.simulate(model, 3.0, step=0.1, **EXACT)
    assert run["event_time"].values == pytest.approx(
        [1.5], abs=AT_STATES
    )  # 4 N.m / 2 kg.m2 to 3 rad/s
    np.testing.assert_allclose(run["qd"].values[16:, 0], 3.0, atol=ITERATED)


def test_clutches_side_by_side_are_named() -> None:
    model = shafts()
    model.clutch("one", "a", "b", 4.0)
    model.clutch("two", "a", "b", 3.0)
    with pytest.raises(AssemblyError, match=r"'one' and 'two' stick and hold the same motion"):
        kt.simulate(model, 1.0, step=0.1)
    run = kt.simulate(model, 4.0, step=0.1, qd={"a": 7.0}, **EXACT)  # they slide, and stop together
    assert float(run["event_time"][0]) == pytest.approx(7 / (7 * 5 / 6), abs=AT_STATES)
    np.testing.assert_allclose(run["qd"].values[-1], 2.8, atol=ITERATED)


@pytest.mark.parametrize("load", [0.5, 1.5, 2.5])
def test_a_clutch_between_shafts_that_rub(load: float) -> None:
    """Through the clutch the friction of the other shaft holds, too: 2 N.m in all."""
    model = shafts()
    model.clutch("clutch", "a", "b", 4.0)
    for name in ("a", "b"):
        model.dry_friction(f"rub_{name}", name, 1.0)
    model.joint_law("load", "a", load)
    run = kt.simulate(model, 1.0, step=0.1)
    np.testing.assert_allclose(run["qd"].values[-1], max(load - 2, 0) / 5, atol=AT_STATES)
    whole = run["hold"].values[-1].sum() + load
    assert whole == pytest.approx(max(load - 2, 0), abs=AT_STATES)


def test_a_clutch_in_a_loop() -> None:
    """A flywheel on the crank of a slider-crank: sliding and stuck, event by event."""

    def build(*, friction: bool) -> kt.Model:
        model = slider_crank()
        wheel = model.body("wheel", mass=2.0, inertia=(1, 1, 1.5))
        model.revolute("spin", model.ground, wheel, axis="z")
        model.joint_law("motor", "q1", lambda t: 30 * sin(4 * t))
        if friction:
            model.clutch("clutch", "q1", "spin", 9.0, static=1.2)
        return model

    run = kt.simulate(build(friction=True), 2.0, step=0.01, **EXACT)
    plain, bound = build(friction=False), np.array([9.0])
    J = np.zeros((1, 4))
    J[0, [plain.velocities.index(name) for name in ("q1", "spin")]] = 1.0, -1.0
    start = (run["q"].values[0], run["qd"].values[0])
    reference = Reference(
        plain, lambda q, qd: (J, np.zeros(1)), lambda t, q: (bound, 1.2 * bound), start, [0]
    )
    found = travel(reference, 2.0)
    assert len(found.times) == 2
    assert_follows(run, found)


# --- brakes --------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["dop853", "Radau"])
def test_a_brake_closes_holds_and_opens(method: str) -> None:
    model = shafts()
    shut = model.mode("shut")
    model.brake("brake", "a", 4.0 * shut)
    model.joint_law("motor", "a", 1.0)
    model.event("close", then={"shut": 1.0}, at=(2.0,))
    model.event("open", then={"shut": 0.0}, at=(4.0,))
    run = kt.simulate(model, 5.0, step=0.1, method=method, **EXACT)
    names, times = run["event_name"].values.tolist(), run["event_time"].values
    # from rest the first instant is free; 1 rad/s at 2 s, then -1.5 rad/s2
    assert names[-3:] == ["close", "brake", "open"]
    accuracy = 1e-9 if method == "dop853" else 1e-6
    assert times[-2] == pytest.approx(2 + 1 / 1.5, abs=accuracy)
    t, qd = run["time"].values, run["qd"].values[:, 0]
    assert not qd[(t > times[-2]) & (t < 4)].any()
    assert qd[-1] == pytest.approx(0.5, abs=accuracy)
    np.testing.assert_allclose(run["hold"].values[(t > 2.7) & (t < 4), 0], -1.0, rtol=AT_STATES)


# --- struts and other speeds ---------------------------------------------------------------------


def swing() -> kt.Model:
    """Two links, and a strut from the ground to the end of the second."""
    model = kt.Model("swing", gravity=(0, -9.81, 0))
    inner: Any = model.ground
    for k in (0, 1):
        link = model.body(f"link{k}", mass=1.0, com=(0.5, 0, 0), inertia=(0, 0.1, 0.1))
        model.revolute(f"q{k}", inner, link, axis="z", initial=(-0.3, -0.8)[k])
        inner = link.point("tip", (1, 0, 0))
    model.ground.point("hook", (0.4, 0.9, 0))
    return model


def strut_rows(q: Array, qd: Array) -> tuple[Array, Array]:
    """J and its drift of the distance from the hook to the tip, by hand."""
    a, b, w = q[0], q[0] + q[1], qd[0] + qd[1]
    d = np.array([math.cos(a) + math.cos(b) - 0.4, math.sin(a) + math.sin(b) - 0.9])
    ta, tb = np.array([-math.sin(a), math.cos(a)]), np.array([-math.sin(b), math.cos(b)])
    Jp = np.array([ta + tb, tb]).T
    v = Jp @ qd
    bend = -(qd[0] ** 2) * np.array([math.cos(a), math.sin(a)])
    bend = bend - w**2 * np.array([math.cos(b), math.sin(b)])
    length = math.hypot(*d)
    s = d @ v / length
    return (d @ Jp / length)[None, :], np.array([(v @ v + d @ bend - s * s) / length])


@pytest.mark.parametrize("method", ["dop853", "DOP853"])
def test_a_strut_that_sticks_keeps_its_length(method: str) -> None:
    def build(*, friction: bool) -> kt.Model:
        model = swing()
        model.joint_law("motor", "q0", lambda t: 12 * sin(3 * t))
        if friction:
            model.link_friction("strut", "ground.hook", "link1.tip", 8.0, static=1.25)
        return model

    run = kt.simulate(build(friction=True), 3.0, step=0.01, method=method, **EXACT)
    bound = np.array([8.0])
    start = (run["q"].values[0], run["qd"].values[0])
    reference = Reference(
        build(friction=False), strut_rows, lambda t, q: (bound, 1.25 * bound), start, [0]
    )
    found = travel(reference, 3.0)
    assert len(found.times) > 4
    assert_follows(run, found, 3e-7)
    stuck = run["x"].values[:, 0] == 0
    rates = [strut_rows(q, qd)[0] @ qd for q, qd in zip(run["q"].values[stuck],
             run["qd"].values[stuck], strict=True)]  # fmt: skip
    assert np.abs(rates).max() < AT_STATES


@pytest.mark.parametrize("method", ["dop853", "DOP853"])
def test_a_mass_on_a_belt_that_moves(method: str) -> None:
    """Friction along the speed between mass and belt; the spring stands still."""
    k, v, bounds = 50.0, 0.3, (6.0, 9.0)
    model = kt.Model("belt", gravity=(0, 0, -9.81))
    model.prismatic("x", model.ground, model.body("mass", mass=2.0), axis="x")
    model.friction_law("belt", lambda qd: qd["x"] + v, bounds[0], static=bounds[1] / bounds[0])
    model.joint_spring("spring", "x", stiffness=k)
    run = kt.simulate(model, 6.0, step=0.05, qd=[-v], method=method, rtol=1e-12, atol=1e-13)
    expected = stick_slip(6.0, k, v, bounds)
    assert len(expected) > 5
    np.testing.assert_allclose(run["event_time"].values, expected, atol=AT_STATES)


def test_a_strut_that_sticks_for_long_does_not_slip_by_errors_of_the_run() -> None:
    """Clocks tick on the way; usual tolerances."""
    model = swing()
    model.link_friction("strut", "ground.hook", "link1.tip", 1e4)
    model.event("tick", then={model.mode("on").name: 1.0}, every=1.0)
    run = kt.simulate(model, 30.0, step=0.1)
    assert set(run["event_name"].values) == {"tick"}
    ends = [math.hypot(math.cos(a) + math.cos(a + b) - 0.4, math.sin(a) + math.sin(a + b) - 0.9)
            for a, b in run["q"].values]  # fmt: skip
    assert np.ptp(ends) < TRAJECTORY


def test_energy_never_rises_with_a_strut() -> None:
    model = swing()
    model.link_friction("strut", "ground.hook", "link1.tip", 3.0)
    model.dry_friction("rub", "q1", 0.5)
    run = kt.simulate(model, 4.0, step=0.02, rtol=1e-9, atol=1e-11)
    out = kt.derive(model, "energy").compile()(q=run["q"].values, qd=run["qd"].values)
    assert np.diff(out["kinetic"] + out["potential"]).max() < LONG_RUN
    assert len(run["event_time"]) > 3


# --- files and refusals --------------------------------------------------------------------------


def everything() -> kt.Model:
    model = swing()
    wheel = model.body("wheel", mass=2.0, inertia=(1, 1, 1.5))
    model.revolute("spin", model.ground, wheel, axis="z")
    shut = model.mode("shut", 1.0)
    model.clutch("clutch", "q0", "spin", 2.0 * shut, ratio=1.5, static=1.1)
    model.brake("brake", "spin", 0.5 * shut)
    model.link_friction("strut", "ground.hook", "link1.tip", 3.0, viscous=0.2)
    model.friction_law("law", lambda q, qd: qd["q1"] + qd["q0"] * cos(q["q1"]), 0.3)
    model.event("open", then={"shut": 0.0}, at=(0.5,))
    return model


def test_files_hold_what_grips(tmp_path: Path) -> None:
    model, file = everything(), tmp_path / "model.yaml"
    kt.save(model, file)
    again = kt.load(file)
    assert again.content_hash() == model.content_hash()
    how = {"step": 0.1, "qd": {"spin": 1.0, "q0": 0.5}}
    runs = [kt.simulate(m, 1.0, **how) for m in (model, again)]
    np.testing.assert_array_equal(runs[0]["q"].values, runs[1]["q"].values)
    np.testing.assert_array_equal(runs[0]["grip"].values, runs[1]["grip"].values)
    assert runs[0]["friction"].values.tolist() == ["clutch", "strut", "law"]
    assert len(runs[0]["event_time"]) > 1


def test_files_need_no_python(tmp_path: Path) -> None:
    text = """
kinetree: 1
name: shafts
gravity: [0, 0, 0]
bodies:
  a: {mass: 1, inertia: [2, 2, 2]}
  b: {mass: 1, inertia: [2, 2, 3]}
joints:
  a: {kind: revolute, parent: ground, child: a, axis: z}
  b: {kind: revolute, parent: ground, child: b, axis: z}
states:
  clutch: {initial: 0, held: true}
forces:
  clutch: {kind: clutch, joint: a, other: b, force: "5*min(t, 1)", mode: clutch}
"""
    file = tmp_path / "model.yaml"
    file.write_text(text)
    run = kt.simulate(kt.load(file), 3.0, step=0.1, qd={"a": 10.0}, **EXACT)
    assert run["event_time"].values == pytest.approx([2.9], abs=AT_STATES)


SILLY = {
    "static": (lambda m: m.brake("new", "a", 1.0, static=0.5), "its static is 0.5"),
    "mode": (lambda m: m.brake("new", "a", 1.0, mode=3), "its mode is 3"),
    "no joint": (lambda m: m.clutch("new", "a", "c", 1.0), "'c'"),
}


@pytest.mark.parametrize("case", SILLY)
def test_what_makes_no_sense_is_refused(case: str) -> None:
    add, words = SILLY[case]
    with pytest.raises(KinetreeError, match=f"force 'new'.*{words}"):
        add(shafts())


@pytest.mark.parametrize(
    ("speed", "words"),
    [(lambda qd: qd["a"] ** 2, "not a sum of velocities"), (lambda q: q["a"], "no velocity in it")],
)
def test_a_speed_is_linear_in_velocities(speed: Any, words: str) -> None:
    model = shafts()
    model.friction_law("new", speed, 1.0)
    with pytest.raises(ModelError, match=f"force 'new': its speed .*{words}"):
        kt.derive(model, "forward")


@pytest.mark.parametrize("way", ["order_n", "dalembert"])
def test_ways_without_grips_refuse_them(way: str) -> None:
    model = shafts()
    model.clutch("clutch", "a", "b", 1.0)
    with pytest.raises(UnsupportedError, match=r"friction 'clutch'.*leave formalism= out"):
        kt.derive(model, "forward", way)


def test_a_clutch_between_driven_shafts_is_refused() -> None:
    model = shafts()
    for name in ("a", "b"):
        model.drive(name, lambda t: t)
    model.clutch("clutch", "a", "b", 1.0)
    with pytest.raises(UnsupportedError, match="friction 'clutch': its speed follows drives"):
        kt.derive(model, "forward")
