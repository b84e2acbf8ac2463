"""What may happen in a run: modes, events that change the state, clocks; every method alike."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm
from tests.approx import (
    AT_STATES,
    COARSE_RUN,
    EQUAL_STEPS,
    IDENTITY,
    ITERATED,
    LONG_RUN,
    ROUNDING,
    TRAJECTORY,
)
from tests.export.models import ball, thermostat

import kinetree as kt
from kinetree.errors import KinetreeError, ModelWarning
from kinetree.functions import select

METHODS = ("dopri5", "dop853", "rk4", "cvode_adams", "cvode_bdf", "RK45", "DOP853", "Radau", "BDF")
LOCATED = {"cvode_bdf": 1e-7, "BDF": 1e-6}
"""How well events of methods are located that interpolate with low order [s]."""
GRAVITY = 9.81


def block(mass: float = 2.0) -> kt.Model:
    """A block that slides along x without gravity."""
    model = kt.Model("block", gravity=(0, 0, 0))
    model.prismatic("x", model.ground, model.body("block", mass=mass), axis="x")
    return model


def bounces(count: int, restitution: float = 0.8) -> np.ndarray[Any, Any]:
    """Times of the first bounces: 2 v/g apart, v smaller each time."""
    first = np.sqrt(2 / GRAVITY)
    return first * np.cumsum(np.append(1.0, 2 * restitution ** np.arange(1, count)))


@pytest.mark.parametrize("method", METHODS)
def test_bounces_of_a_ball_come_when_they_must(method: str) -> None:
    run = kt.simulate(ball(), 2.0, method=method, step=0.01)
    times = run["event_time"].values
    assert times == pytest.approx(bounces(3), abs=LOCATED.get(method, ITERATED))
    assert list(run["event_name"].values) == ["bounce"] * 3
    assert run.sizes["time"] == 201
    energy = 0.5 * run["qd"].values[:, 0] ** 2 + GRAVITY * run["q"].values[:, 0]
    laps = np.searchsorted(times, run["time"].values)
    expected = GRAVITY * 0.64**laps
    assert energy == pytest.approx(expected, rel=EQUAL_STEPS if method in LOCATED else LONG_RUN)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("timed", [False, True])
def test_an_event_that_ends_the_run_makes_its_changes(method: str, timed: bool) -> None:
    model = block()
    model.mode("done")
    when: dict[str, Any] = {"at": (0.3,)} if timed else {"when": lambda q: q["x"] - 0.3}
    model.event("last", then={"done": 1.0}, stops=True, **when)
    run = kt.simulate(model, 1.0, qd={"x": 1.0}, method=method, step=0.01)
    assert run.attrs["end_time"] == pytest.approx(0.3, abs=LOCATED.get(method, ITERATED))
    assert list(run["event_name"].values) == ["last"]
    assert run["x"].values[-1] == [1.0]
    assert run["x"].values[-2] == [0.0]


def test_bounces_without_end_end_the_run_with_what_was_reached() -> None:
    with pytest.warns(ModelWarning, match="8 times within .*'bounce'"):
        run = kt.simulate(ball(), 6.0, step=0.01)
    limit = np.sqrt(2 / GRAVITY) * (1 + 2 * 0.8 / 0.2)
    assert run.attrs["end_time"] == pytest.approx(limit, abs=TRAJECTORY)
    assert run["q"].values[-1, 0] == pytest.approx(0, abs=AT_STATES)


@pytest.mark.parametrize("method", ["dop853", "rk4", "cvode_bdf", "Radau"])
def test_sampled_servo_equals_its_exact_discrete_solution(method: str) -> None:
    mass, kp, kd, period = 2.0, 40.0, 9.0, 0.05
    model = block(mass)
    force = model.mode("force", unit="N")
    model.joint_law("motor", "x", force)
    law = {"force": lambda q, qd, t: kp * (1.0 - q["x"]) - kd * qd["x"]}
    model.event("sample", then=law, every=period)
    how = {} if method == "rk4" else {"rtol": 1e-11, "atol": 1e-13}
    run = kt.simulate(model, 1.0, method=method, step=period, **how)
    F = expm(np.array([[0, 1, 0], [0, 0, 1 / mass], [0, 0, 0]]) * period)
    state, rows = np.zeros(2), []
    for _ in range(21):
        rows.append(state)
        pull = kp * (1.0 - state[0]) - kd * state[1]
        state = (F @ [*state, pull])[:2]
    found = np.column_stack([run["q"].values[:, 0], run["qd"].values[:, 0]])
    assert found == pytest.approx(np.array(rows), abs=AT_STATES)
    assert len(run["event_time"]) == 21
    assert run["event_time"].values == pytest.approx(period * np.arange(21), abs=IDENTITY)


@pytest.mark.parametrize("method", METHODS)
def test_a_relay_with_hysteresis_switches_when_it_must(method: str) -> None:
    run = kt.simulate(thermostat(), 20.0, method=method, step=0.05)
    rise = 10.0 * np.log((40.0 - 19.0) / (40.0 - 21.0))
    fall = 10.0 * np.log((21.0 - 10.0) / (19.0 - 10.0))
    first = 10.0 * np.log((40.0 - 18.0) / (40.0 - 21.0))
    times = [first]
    while times[-1] < 20.0:
        times.append(times[-1] + (fall if len(times) % 2 else rise))
    near = 1e-4 if method in LOCATED else 2e-6
    assert run["event_time"].values == pytest.approx(times[:-1], abs=near)


def elastic_plastic() -> kt.Model:
    """A driven slider that draws at an elastic-plastic spring."""
    model = kt.Model("spring", gravity=(0, 0, 0))
    model.prismatic("s", model.ground, model.body("end", mass=1.0), axis="x")
    model.drive("s", lambda t: 0.03 * t - 2 * select(t - 1.0, 0.03 * (t - 1.0), 0.0)
                + 2 * select(t - 3.0, 0.03 * (t - 3.0), 0.0))  # fmt: skip
    stiffness, limit = 1e4, 100.0
    model.mode("set", 0.0, "m")
    model.mode("flow", 0.0)

    def reach(way: float) -> Any:
        """Force along one way less its limit, while it draws that way and does not flow."""
        return lambda q, qd, x: (
            way * stiffness * (q["s"] - x["set"]) - limit
            - 1e9 * (x["flow"] ** 2 + select(way * qd["s"], 0.0, 1.0))
        )  # fmt: skip

    model.event("yield", reach(1.0), {"flow": 1.0})
    model.event("press", reach(-1.0), {"flow": -1.0})
    rest = {"set": lambda q, x: q["s"] - x["flow"] * limit / stiffness, "flow": 0.0}
    model.event("turn", lambda qd, x: -qd["s"] * x["flow"], rest)
    return model


@pytest.mark.parametrize("method", ["dop853", "rk4", "cvode_bdf", "RK45"])
def test_an_elastic_plastic_cycle_is_the_polyline(method: str) -> None:
    how = {} if method == "rk4" else {"max_step": 0.05}
    run = kt.simulate(elastic_plastic(), 4.0, method=method, step=0.05, **how)
    s, x = run["q"].sel(coordinate="s").values, run["x"]
    flow, rest = x.sel(state="flow").values, x.sel(state="set").values
    force = np.where(flow == 0, 1e4 * (s - rest), 100.0 * flow)
    t = run["time"].values
    expected = np.interp(t, [0, 1 / 3, 1, 1 + 2 / 3, 3, 3 + 2 / 3, 4],
                         [0, 100, 100, -100, -100, 100, 100])  # fmt: skip
    assert force == pytest.approx(expected, abs=ITERATED * 100)


def test_events_change_each_other_at_one_instant_until_they_settle() -> None:
    model = block()
    model.state("clock", 0.0, 1.0)
    model.mode("first")
    model.mode("second")
    model.mode("count")
    model.event("go", lambda x: x["clock"] - 0.5, {"first": 1.0})
    model.event("follow", lambda x: x["first"] - 0.5, {"second": lambda x: x["first"] + 2.0})
    model.event("last", lambda x: x["second"] - 2.5, {"count": lambda x: x["count"] + 1.0})
    run = kt.simulate(model, 1.0, step=0.1)
    assert list(run["event_name"].values) == ["go", "follow", "last"]
    assert run["event_time"].values == pytest.approx([0.5] * 3, abs=IDENTITY)
    assert run["x"].isel(time=-1).values == pytest.approx([1.0, 1.0, 3.0, 1.0])


def test_events_that_undo_each_other_are_named_and_what_was_reached_is_kept() -> None:
    model = block()
    model.mode("on")
    model.event("begin", then={"on": 1.0}, at=0.4)
    model.event("up", lambda x: 0.5 - x["on"], {"on": 1.0})
    model.event("down", lambda x: x["on"] - 0.5, {"on": 0.0})
    with pytest.warns(
        ModelWarning,
        match=r"'down' \(x_on - 1/2\), 'up' \(1/2 - x_on\) undo each other and never settle",
    ):
        run = kt.simulate(model, 1.0, step=0.1)
    assert run.attrs["end_time"] == pytest.approx(0.4)
    assert run.sizes["time"] >= 4


def test_two_conditions_at_one_time_both_happen() -> None:
    model = block()
    model.mode("a")
    model.mode("b")
    model.event("one", lambda t: t - 0.3, {"a": lambda x: x["a"] + 1})
    model.event("two", lambda t: 3 * (t * t - 0.09), {"b": lambda x: x["b"] + 1})
    run = kt.simulate(model, 1.0, step=0.1)
    assert sorted(run["event_name"].values) == ["one", "two"]
    assert run["x"].isel(time=-1).values == pytest.approx([1, 1])


def test_times_at_the_start_at_outputs_and_at_the_end_are_met_once() -> None:
    model = block()
    model.mode("n")
    model.event("tick", then={"n": lambda x: x["n"] + 1}, at=(0.0, 0.2, 0.25, 1.0, 3.0))
    run = kt.simulate(model, 1.0, step=0.1)
    assert run["event_time"].values == pytest.approx([0.0, 0.2, 0.25, 1.0], abs=0)
    assert run["x"].values[:, 0] == pytest.approx([1, 1, 2, 3, 3, 3, 3, 3, 3, 3, 4])


def test_clocks_of_whole_ratios_meet_at_common_ticks() -> None:
    model = block()
    model.mode("slow")
    model.mode("fast")
    model.event("fast", then={"fast": lambda x: x["fast"] + 1}, every=0.1)
    model.event("slow", then={"slow": lambda x: x["slow"] + x["fast"]}, every=0.3, offset=0.3)
    run = kt.simulate(model, 3.0, step=0.5)
    assert run["x"].isel(time=-1).values == pytest.approx([sum(range(3, 31, 3)), 31])
    times = run["event_time"].values[run["event_name"].values == "fast"]
    assert times == pytest.approx(0.1 * np.arange(31), abs=ROUNDING)


def slider_crank() -> kt.Model:
    """A crank that pushes a slider."""
    model = kt.Model("slider_crank", gravity=(0, -GRAVITY, 0))
    crank = model.body("crank", mass=1.0, com=(0.5, 0, 0), inertia=(0, 0.08, 0.08))
    rod = model.body("rod", mass=2.0, com=(1.0, 0, 0), inertia=(0, 0.66, 0.66))
    slider = model.body("slider", mass=5.0)
    model.revolute("q1", model.ground, crank, axis="z", initial=1.0)
    model.revolute("q2", crank.point("tip", (1, 0, 0)), rod, axis="z")
    model.prismatic("q3", model.ground, slider, axis="x", initial=2.0)
    model.close_ball("pin", rod.point("end", (2, 0, 0)), slider)
    return model


@pytest.mark.parametrize("method", ["dop853", "cvode_bdf", "RK45"])
def test_a_kick_of_a_closed_mechanism_keeps_its_loops(method: str) -> None:
    model = slider_crank()
    model.event("kick", then={"qd_q1": 3.0}, at=0.5)
    run = kt.simulate(model, 1.0, method=method, step=0.05, independent=["q1"])
    k = 10
    assert run["qd"].sel(velocity="q1").values[k] == pytest.approx(3.0)
    alone = kt.simulate(slider_crank(), 0.5, t0=0.5, q=run["q"].values[k],
                        qd={"q1": 3.0}, method=method, step=0.05, independent=["q1"])  # fmt: skip
    assert run["qd"].values[k:] == pytest.approx(alone["qd"].values, abs=COARSE_RUN)


def test_a_run_in_two_parts_is_the_run_in_one() -> None:
    model = thermostat()
    whole = kt.simulate(model, 10.0, step=0.5)
    half = kt.simulate(model, 5.0, step=0.5)
    state = half.isel(time=-1)
    rest = kt.simulate(model, 5.0, t0=5.0, step=0.5, q=state["q"].values, qd=state["qd"].values,
                       x=state["x"].values)  # fmt: skip
    assert rest["x"].values == pytest.approx(whole["x"].values[10:], abs=TRAJECTORY)


def test_files_hold_modes_and_events(tmp_path: Path) -> None:
    for model in (ball(), thermostat(), elastic_plastic()):
        kt.save(model, tmp_path / "model.yaml")
        again = kt.load(tmp_path / "model.yaml")
        assert again.content_hash() == model.content_hash()
        ours, theirs = (kt.simulate(m, 1.0, step=0.1) for m in (model, again))
        assert np.array_equal(ours["q"].values, theirs["q"].values)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"then": {"qd_y": 1.0}, "at": 0.1}, "qd_x"),
        ({"then": {"qd_x": 1.0}}, "it is not said when"),
        ({"when": lambda t: t, "every": 0.1}, "it is said twice"),
        ({"when": 3.0}, "never changes"),
        ({"every": -0.1}, "event 'wrong' every: it is -0.1; give a positive time"),
        ({"when": lambda t: t, "direction": "up"}, "rising"),
        ({"at": (float("nan"),)}, "times"),
    ],
)
def test_mistakes_are_told_in_one_sentence(given: dict[str, Any], told: str) -> None:
    with pytest.raises(KinetreeError, match=told):
        block().event("wrong", **given)


def test_what_is_driven_cannot_be_changed() -> None:
    model = block()
    model.drive("x", lambda t: t)
    with pytest.raises(KinetreeError, match="'x' is driven"):
        model.event("kick", then={"qd_x": 1.0}, at=0.5)


def test_names_are_used_once() -> None:
    model = ball()
    with pytest.raises(KinetreeError, match="event of this name"):
        model.event("bounce", at=0.1)
    with pytest.raises(KinetreeError, match="event of this name"):
        kt.simulate(model, 1.0, events={"bounce": "q_z"})


def test_equilibria_and_linear_models_hold_the_modes() -> None:
    model = thermostat()
    model.joint_spring("spring", "x", 50.0, damping=1.0)
    rest = kt.equilibrium(model, x={"on": 1.0})
    assert rest.x == pytest.approx([1.0, 40.0])
    linear = kt.linearise(model, at=rest)
    assert linear.states == ("q_x", "qd_x", "x_T")
    assert pytest.approx(np.array([[0, 1, 0], [-50, -1, 0], [0, 0, -0.1]])) == linear.A


NATIVE = ("dopri5", "dop853", "rk4")


@pytest.mark.parametrize("method", ["dopri5", "dop853"])
def test_two_zeros_inside_one_step_are_seen(method: str) -> None:
    model = kt.Model("throw", gravity=(0, 0, -GRAVITY))
    model.prismatic("z", model.ground, model.body("ball", mass=1.0), axis="z")
    model.mode("above")
    model.event("up", lambda q: q["z"] - 1.0, {"above": lambda x: x["above"] + 1})
    model.event("down", lambda q: q["z"] - 1.0, {"above": lambda x: x["above"] + 10},
                direction="falling")  # fmt: skip
    speed = np.sqrt(2 * GRAVITY * 1.0001)  # a tenth of a millimetre above for 9 ms
    run = kt.simulate(model, 1.0, qd={"z": speed}, method=method, step=1.0)
    half = np.sqrt(2 * 0.0001 / GRAVITY)
    top = speed / GRAVITY
    assert run["event_time"].values == pytest.approx([top - half, top + half], abs=AT_STATES)
    assert run["x"].values[-1, 0] == 11


@pytest.mark.parametrize("method", NATIVE)
def test_a_condition_that_turns_before_zero_is_no_event(method: str) -> None:
    model = kt.Model("throw", gravity=(0, 0, -GRAVITY))
    model.prismatic("z", model.ground, model.body("ball", mass=1.0), axis="z")
    model.event("up", lambda q: q["z"] - 1.0, stops=True, direction="both")
    speed = np.sqrt(2 * GRAVITY * 0.9999)
    run = kt.simulate(model, 1.0, qd={"z": speed}, method=method, step=0.01)
    assert run.sizes["event"] == 0
    assert run.attrs["termination"] == "finished"


def test_methods_without_changes_of_their_own_make_the_same() -> None:
    model = thermostat()
    model.event("sample", then={"T": lambda x: x["T"] + 0.25}, every=0.7, offset=0.1)
    native = kt.simulate(model, 12.0, method="dop853", step=0.1)
    other = kt.simulate(model, 12.0, method="DOP853", step=0.1, rtol=1e-10)
    assert list(native["event_name"].values) == list(other["event_name"].values)
    assert native["event_time"].values == pytest.approx(other["event_time"].values, abs=LONG_RUN)
    assert native["x"].values == pytest.approx(other["x"].values, abs=TRAJECTORY)


@pytest.mark.parametrize("method", [*NATIVE, "DOP853"])
def test_an_event_that_ends_the_run_may_change_the_state(method: str) -> None:
    model = block()
    model.mode("done")
    model.event("wall", lambda q: q["x"] - 0.5, {"done": 1.0, "qd_x": 0.0}, stops=True)
    run = kt.simulate(model, 1.0, qd={"x": 1.0}, method=method, step=0.2)
    assert run.attrs["termination"].startswith("event 'wall' at t = 0.5")
    assert run["time"].values == pytest.approx([0, 0.2, 0.4, 0.5])
    assert float(run["event_y"].values[0, 1]) == 1.0


@pytest.mark.parametrize("method", [*NATIVE, "DOP853"])
def test_ten_thousand_ticks_are_counted(method: str) -> None:
    count = 10_000 if method in NATIVE else 100
    model = block()
    model.mode("n")
    model.event("tick", then={"n": lambda x: x["n"] + 1}, every=1e-4, offset=1e-4)
    run = kt.simulate(model, 1e-4 * count, method=method, step=1e-5 * count)
    assert run["x"].values[:, 0] == pytest.approx(np.round(run["time"].values / 1e-4))


def test_a_table_of_ticks_that_is_used_up_is_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kinetree.analysis.runs.events.MOST_TICKS", 7)
    model = block()
    model.mode("n")
    model.event("fast", then={"n": lambda x: x["n"] + 1}, every=0.01)
    model.event("slow", then={"n": lambda x: x["n"] + 100}, every=0.03)
    run = kt.simulate(model, 0.3, step=0.1)
    assert run["x"].values[-1, 0] == 20 + 1100  # of two changes of one mode the later one counts


def test_what_one_run_was_given_stays_with_it() -> None:
    """Equations of events are kept for equal models, values of their parameters are not."""

    def kicked(name: str) -> kt.Model:
        model = kt.Model(name, gravity=(0, 0, 0))
        gain = model.parameter("gain", 0.5)
        model.prismatic("x", model.ground, model.body("block", mass=1.0), axis="x")
        model.event("kick", at=0.25, then={"qd_x": lambda qd: gain * qd["x"]})
        model.event("wall", lambda q: q["x"] - 0.3, then={"qd_x": lambda qd: -gain * qd["x"]})
        return model

    model, given = kicked("kicked"), {"qd": {"x": 1.0}, "step": 0.5}
    ends = [
        kt.simulate(model, 0.5, parameters=values, **given)["qd"].values[-1, 0]
        for values in ({"gain": 0.8}, None, {"gain": 0.6}, None)
    ]
    assert ends == pytest.approx([-0.64, -0.25, -0.36, -0.25], rel=IDENTITY)


HEARD = ("event", "change", "state", "force", "output")


@pytest.mark.parametrize("who", HEARD)
def test_equal_mechanics_with_other_outputs_are_two_models(who: str) -> None:
    """What hears an output follows its law, whatever was derived for a model of the same name."""

    def made(gain: float) -> kt.Model:
        model = kt.Model("heard", gravity=(0, 0, 0))
        model.prismatic("x", model.ground, model.body("block", mass=1.0), axis="x")
        model.output("told", lambda t: gain * t)
        if who == "event":
            model.event("wall", lambda outputs: outputs["told"] - 0.4, then={"qd_x": 0.0})
        elif who == "change":
            model.event("kick", at=0.5, then={"qd_x": lambda outputs: outputs["told"]})
        elif who == "state":
            model.state("sum", rate=lambda outputs: outputs["told"])
        elif who == "force":
            model.joint_law("push", "x", lambda outputs: outputs["told"])
        return model

    def end(gain: float) -> float:
        run = kt.simulate(made(gain), 1.0, qd={"x": 1.0}, step=0.5)
        told = {"state": "x", "output": "told"}.get(who, "q")
        return float(np.ravel(run[told].values[-1])[0])

    expected = {
        "event": (0.4, 0.2), "change": (0.75, 1.0), "state": (0.5, 1.0),
        "force": (1 + 1 / 6, 1 + 2 / 6), "output": (1.0, 2.0),
    }  # fmt: skip
    assert (end(1.0), end(2.0)) == pytest.approx(expected[who], rel=LONG_RUN)
