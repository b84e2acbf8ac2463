"""Sensitivities of runs: closed forms, differences of runs, bad input."""

from __future__ import annotations

import cmath
import math
from functools import partial
from typing import Any

import numpy as np
import pytest

import kinetree as kt
import lengths
import mechanisms
from analysis import systems
from analysis.test_linearise import LAWS, on_a_tyre
from approx import CLOSED, FORMALISM, GOLDEN, IDENTITY, LONG_RUN, TRAJECTORY, assert_close
from kinetree.analysis.sensitivities.tangent import tangent
from kinetree.analysis.sensitivity import sensitivity_task

TIGHT = {"rtol": 1e-13, "atol": 1e-15}
FINE = {"rtol": 1e-12, "atol": 1e-13}


def oscillator() -> kt.Model:
    """The oscillator of Kurz2008 sec. 4: m ÿ = -c y, both 1."""
    model = kt.Model("oscillator", gravity=(0, 0, 0))
    body = model.body("body", mass=model.parameter("m", 1.0))
    model.prismatic("y", model.ground, body, axis="x")
    model.joint_spring("spring", "y", stiffness=model.parameter("c", 1.0))
    return model


def value(model: kt.Model, measure: Any, duration: float, **run: Any) -> float:
    """The value of a measure alone."""
    found = kt.sensitivity(model, duration, {"m": measure}, by=[], **FINE, **run)
    return float(found.value[0])


def difference(model: kt.Model, measure: Any, name: str, at: float, **run: Any) -> float:
    """Its derivative by a parameter, by a central difference."""
    h = 1e-5
    high, low = (value(model, measure, 1.0, parameters={name: x}, **run) for x in (at + h, at - h))
    return (high - low) / (2 * h)


@pytest.mark.parametrize("integrator", ["dopri5", "dop853"])
def test_oscillator_of_the_paper(integrator: str) -> None:
    by = ["c", "m", "qd0.y", "q0.y", "duration"]
    found = kt.sensitivity(
        oscillator(), np.pi / 2, {"end": kt.final("q_y")}, by=by, qd={"y": 0.5},
        integrator=integrator, **TIGHT,
    )  # fmt: skip
    assert_close(found.value.sel(measure="end"), 0.5, IDENTITY)
    assert_close(found.gradient.sel(measure="end"), [-0.25, 0.25, 1, 0, 0], IDENTITY)
    assert found.q_by.dims == ("time", "coordinate", "parameter")
    t = found.time.values
    assert_close(found.q_by.sel(coordinate="y", parameter="qd0.y"), np.sin(t), FORMALISM)
    assert_close(found.qd_by.sel(velocity="y", parameter="q0.y"), -np.sin(t), FORMALISM)


def test_every_kind_of_measure() -> None:
    T, z, t1 = 2.0, 0.5, 0.7
    data = kt.misfit("q_y", [0.5, 1.5], [0.1, 0.2], weights=[1.0, 2.0])
    measures = {
        "at": kt.at_time("q_y", t1), "integral": kt.integral("q_y"),
        "square": kt.mean_square("qd_y"), "rms": kt.rms("qd_y"), "peak": kt.peak("q_y"),
        "data": data, "trough": kt.peak("-qd_y"),
    }  # fmt: skip
    found = kt.sensitivity(
        oscillator(), T, measures, by=["qd0.y", "duration"], qd={"y": z}, **TIGHT
    )
    square = z * z * (T / 2 + np.sin(2 * T) / 4) / T
    slope = (z * z * np.cos(T) ** 2 - square) / T
    q = z * np.sin([0.5, 1.5])
    miss = np.array([1, 2]) @ (q - [0.1, 0.2]) ** 2
    by = 2 * np.array([1, 2]) @ ((q - [0.1, 0.2]) * q) / z
    exact = {
        "at": (z * np.sin(t1), np.sin(t1), 0),
        "integral": (z * (1 - np.cos(T)), 1 - np.cos(T), z * np.sin(T)),
        "square": (square, 2 * square / z, slope),
        "rms": (square**0.5, square**0.5 / z, 0.5 * slope / square**0.5),
        "peak": (z, 1, 0),
        "data": (miss, by, 0),
        "trough": (-z * np.cos(T), -np.cos(T), z * np.sin(T)),
    }
    for name, (known, *slopes) in exact.items():
        assert_close(found.value.sel(measure=name), known, FORMALISM, name)
        assert_close(found.gradient.sel(measure=name), slopes, FORMALISM, name)


def test_lengths_move_the_closed_start() -> None:
    model, by = lengths.four_bar(), ["crank", "base"]
    measure = kt.final("q_c")
    found = kt.sensitivity(model, 1.0, {"m": measure}, by=by, **FINE)
    table = [difference(model, measure, n, model.parameters[n].value) for n in by]
    assert_close(found.gradient[0], table, LONG_RUN)
    start = found.q_by.isel(time=0)
    assert_close(start.sel(coordinate="a"), np.zeros(2), IDENTITY)  # keeps what it was given
    assert float(np.abs(start.sel(coordinate="c")).min()) > 0.1


def test_zero_and_one_vary_and_quaternions_do() -> None:
    crank = mechanisms.slider_crank()
    measure = kt.integral("qd_q3**2 + rod.velocity.x")
    by = ["crank.tip_x", "rod.com_y"]  # 1, 0
    found = kt.sensitivity(crank, 1.0, {"m": measure}, by=by, qd={"q1": 0.5}, **FINE)
    table = [
        difference(crank, measure, n, x, qd={"q1": 0.5}) for n, x in zip(by, (1, 0), strict=True)
    ]
    assert_close(found.gradient[0], table, LONG_RUN)
    top, speed = systems.top(), {"ball_wz": 20.0, "ball_wx": 1.0}
    name = f"{next(iter(top.bodies))}.mass"
    mass = float(next(iter(top.bodies.values())).mass)
    found = kt.sensitivity(top, 1.0, {"m": kt.rms("qd_ball_wx")}, by=[name], qd=speed, **FINE)
    table = [difference(top, kt.rms("qd_ball_wx"), name, mass, qd=speed)]
    assert_close(found.gradient[0], table, LONG_RUN)


def test_more_directions_than_one_run_takes_and_loads() -> None:
    model = oscillator()
    model.wrench("push", model.bodies["body"])
    by = ["c", "m", "qd0.y", "q0.y", "tau.y", "push.fx", "push.fy", "body.com_y", "duration",
          "spring.rest"]  # fmt: skip
    end = {"m": kt.final("q_y")}
    with pytest.warns(kt.errors.ModelWarning, match="nothing depends on 'push.fy', 'body.com_y'"):
        found = kt.sensitivity(
            model, np.pi / 2, end, by=by, qd={"y": 0.5}, method="direct", **TIGHT
        )
    assert found.attrs["sensitivity_runs"] == 2
    # a constant force moves the place of rest: q = (1 - cos t) f/c
    assert_close(found.gradient[0], [-0.25, 0.25, 1, 0, 1, 1, 0, 0, 0, 1], IDENTITY)
    assert found.q_by.shape[1:] == (1, 10)


@pytest.mark.parametrize("name", ["top", "four_bar"])
def test_a_direction_is_the_same_whoever_rides_beside_it(name: str) -> None:
    make, measures, by, given = BOTH[name]
    run: dict[str, Any] = {**given, "integrator": "dopri5", "method": "direct"}
    whole = kt.sensitivity(make(), 0.5, measures, by=by, **run)
    for label in by:
        alone = kt.sensitivity(make(), 0.5, measures, by=[label], **run)
        assert_close(alone.gradient[:, 0], whole.gradient.sel(parameter=label), IDENTITY, label)
        assert_close(alone.q_by[..., 0], whole.q_by.sel(parameter=label), IDENTITY, label)


def test_tangents_of_one_step_are_those_of_the_step() -> None:
    model = mechanisms.slider_crank()
    coarse: dict[str, Any] = {"integrator": "rk4", "step": 0.1, "q": {"q1": 0.5}}
    found = kt.sensitivity(model, 1.0, {"m": kt.final("qd_q1")}, by=["rod.mass"], **coarse)
    high, low = (
        kt.sensitivity(model, 1.0, {"m": kt.final("qd_q1")}, by=[], parameters={"rod.mass": x},
                       **coarse).value[0] for x in (2.00001, 1.99999)
    )  # fmt: skip
    assert_close(found.gradient[0, 0], (high - low) / 2e-5, CLOSED)


BAD = {
    "by, 'mas'": ({"by": ["mas"]}, "parameter or start value"),
    "q0.z": ({"by": ["q0.z"]}, "q0.y"),
    "twice": ({"by": ["c", "c"]}, "named twice"),
    "measure": ({"measures": {"m": "q_y"}}, "measure 'm'.*kt.final"),
    "nothing": ({"measures": {}}, "nothing to measure"),
    "expression": ({"measures": {"m": kt.final("q_z")}}, "measure 'm'.*q_z"),
    "no number": (
        {"measures": {"m": kt.final("sqrt(-1 - q_y)")}},
        "measure 'm': it has no finite value",
    ),
    "no slope": ({"measures": {"m": kt.final("sqrt(q_y)")}}, "measure 'm': it has no derivative"),
    "function": (
        {"measures": {"f": kt.function_of("log(-1-a)", a=kt.final("q_y**2"))}},
        "measure 'f': it has no finite value",
    ),
    "late": ({"measures": {"m": kt.at_time("q_y", 3.0)}}, "measure 'm': it looks at t = 3 s"),
    "early": ({"measures": {"m": kt.at_time("q_y", -0.1)}}, "measure 'm': it looks at t = -0.1 s"),
    "event": ({"measures": {"m": kt.event_time("hit")}}, "measure 'm': there is no event 'hit'"),
    "efforts": ({"tau": {"y": lambda t, q, qd: 0.0}}, "slopes are not known"),
    "integrator": ({"integrator": "BDM"}, "integrator"),
    "method": ({"method": "guess"}, "method"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused(name: str) -> None:
    changes, sentence = BAD[name]
    given: dict[str, Any] = {"measures": {"m": kt.final("q_y")}, "by": ["c"], **changes}
    with pytest.raises(kt.errors.KinetreeError, match=sentence):
        kt.sensitivity(oscillator(), 1.0, given.pop("measures"), **given)


def test_loops_that_a_parameter_opens_are_refused() -> None:
    measure = {"m": kt.final("q_c")}
    with pytest.raises(kt.errors.ModelError, match=r"closure 'pin'.*'Z' alone"):
        kt.sensitivity(lengths.four_bar(), 1.0, measure, by=["Z"])
    with pytest.raises(kt.errors.ModelError, match="'L1' alone"):
        kt.sensitivity(lengths.three_cranks(), 1.0, measure, by=["L1"])
    crank = mechanisms.slider_crank()
    with pytest.raises(kt.errors.ModelError, match=r"values of 'crank.tip_z', 'rod.end_z' alone"):
        kt.sensitivity(
            crank, 1.0, {"m": kt.final("q_q3")}, by=["rod.mass", "crank.tip_z", "rod.end_z"]
        )
    with (
        pytest.warns(kt.errors.ModelWarning, match="q of 'q3' is 2.8"),
        pytest.raises(kt.errors.UnsupportedError, match="'q3' follows"),
    ):
        kt.sensitivity(crank, 1.0, {"m": kt.final("q_q3")}, by=["q0.q1", "q0.q3"])


def pushed(word: str) -> kt.Model:
    """A mass of 1 kg pushed by a1 until x = s, then by a2."""
    model = kt.Model("pushed", gravity=(0, 0, 0))
    rows = {"s": 0.5, "a1": 2.0, "a2": 5.0}
    s, a1, a2 = (model.parameter(name, value) for name, value in rows.items())
    model.prismatic("x", model.ground, model.body("body", mass=1.0), axis="x")
    branch = getattr(kt.functions, word)
    model.joint_law("push", "x", lambda q: branch(q["x"] - s, a2, a1))
    return model


@pytest.mark.parametrize("method", ["direct", "adjoint"])
@pytest.mark.parametrize("word", ["switch", "select"])
def test_a_law_that_jumps(word: str, method: str) -> None:
    s, a1, a2, T = 0.5, 2.0, 5.0, 2.0
    found = kt.sensitivity(
        pushed(word), T, {"v": kt.final("qd_x")}, by=["s", "a1", "a2"], method=method, rtol=1e-12,
        atol=1e-14,
    )  # fmt: skip
    v, t = (2 * a1 * s) ** 0.5, (2 * s / a1) ** 0.5
    assert_close(found.value[0], v + a2 * (T - t), GOLDEN)
    exact = [(a1 - a2) / v, s / v + a2 * t / (2 * a1), T - t]
    assert_close(found.gradient[0], exact, GOLDEN)


@pytest.mark.parametrize("method", ["direct", "adjoint"])
def test_a_throw_that_ends_on_the_ground(method: str) -> None:
    model = kt.Model("throw", gravity=(0, 0, -9.81))
    model.prismatic("x", model.ground, model.body("slide"), axis="x")
    ball = model.body("ball", mass=1.0)
    model.prismatic("z", model.bodies["slide"], ball, axis="z", initial=2.0)
    vx, vz, g, h = 8.0, 6.0, 9.81, 2.0
    measures = {"range": kt.final("q_x"), "time": kt.event_time("ground"), "T": kt.integral("1")}
    found = kt.sensitivity(
        model, 10.0, measures, by=["qd0.x", "qd0.z", "q0.z", "gravity_z", "duration"],
        qd={"x": vx, "z": vz}, events={"ground": kt.Event("q_z", "falling", stops=True)},
        method=method, **FINE,
    )  # fmt: skip
    root = (vz * vz + 2 * g * h) ** 0.5
    T = (vz + root) / g
    slopes = np.array([0, (1 + vz / root) / g, 1 / root, T / g - h / (g * root), 0])
    for name in ("time", "T"):
        assert_close(found.value.sel(measure=name), T, GOLDEN, name)
        assert_close(found.gradient.sel(measure=name), slopes, GOLDEN, name)
    assert_close(found.value.sel(measure="range"), vx * T, GOLDEN)
    exact = vx * slopes + [T, 0, 0, 0, 0]
    assert_close(found.gradient.sel(measure="range"), exact, GOLDEN)

    def reach(speed: complex, angle: complex) -> complex:
        up = speed * cmath.sin(angle)
        return speed * cmath.cos(angle) / g * (up + cmath.sqrt(up * up + 2 * g * h))

    by_x, by_z = found.gradient.sel(measure="range").values[:2]
    speed, angle = math.hypot(vx, vz), math.atan2(vz, vx)
    polar = [reach(speed + 1e-20j, angle).imag, reach(speed, angle + 1e-20j).imag]
    along = [(by_x * vx + by_z * vz) / speed, by_z * vx - by_x * vz]
    assert_close(along, np.array(polar) / 1e-20, GOLDEN, "by speed and angle")


@pytest.mark.parametrize("method", ["direct", "adjoint"])
def test_bounces_change_the_tangents(method: str) -> None:
    at = np.array([0.7, 1.0, 9.81])
    exact = [
        (bounced(*(at + 1e-20j * row)) / 1e-20).imag * sign
        for row, sign in zip(np.eye(3), (1, 1, -1), strict=True)
    ]
    found = kt.sensitivity(
        bouncing(1), 1.0, {"z": kt.final("q_z0")}, by=["e", "q0.z0", "gravity_z"], method=method,
        **FINE,
    )  # fmt: skip
    assert_close(found.value[0], bounced(*at), GOLDEN)
    assert_close(found.gradient[0], exact, CLOSED)


@pytest.mark.parametrize("method", ["direct", "adjoint"])
@pytest.mark.parametrize("step", [0.01, None])
def test_what_is_seen_at_events(method: str, step: float | None) -> None:
    """Speeds at which a ball hits the ground: v = √(2 g h), then e v; the run goes on."""
    model, e, h, g = bouncing(1), 0.7, 1.0, 9.81
    measures = {
        "first": kt.at_event("qd_z0", "hit0"), "second": kt.at_event("t*qd_z0", "hit0", 1),
        "energy": kt.at_event("energy.kinetic", "hit0", -1), "end": kt.final("q_z0"),
        "fall": kt.at_event("qdd_z0", "hit0"), "text": kt.measure("at_event(qd_z0**2, hit0)"),
    }  # fmt: skip
    found = kt.sensitivity(
        model, 1.3, measures, by=["e", "q0.z0", "gravity_z"], method=method, step=step, **FINE
    )
    v, t = (2 * g * h) ** 0.5, (2 * h / g) ** 0.5 * (1 + 2 * e)
    exact = {
        "first": (-v, [0, -g / v, h / v]),
        "second": (-e * v * t, [-v * t - 2 * e * v * v / g, -e * 2 * (1 + 2 * e), 0]),
        "energy": (0.5 * (e * v) ** 2, [e * v * v, e * e * g, -e * e * h]),
        "fall": (-g, [0, 0, 1]), "text": (v * v, [0, 2 * g, -2 * h]),
    }  # fmt: skip
    for name, (value, slopes) in exact.items():
        assert_close(found.value.sel(measure=name), value, GOLDEN, name)
        assert_close(found.gradient.sel(measure=name), slopes, CLOSED, name, 2 * g)


def test_what_is_seen_at_an_event_of_a_closed_mechanism() -> None:
    hit = {"angle": kt.at_event("q_c", "stop"), "speed": kt.at_event("qd_c", "stop"),
           "force": kt.at_event("qdd_b", "stop")}  # fmt: skip
    run, by = {"qd": {"a": -1.0}, **FINE}, {"crank": 0.6, "coupler": 2.1, "qd0.a": -1.0}
    one, two = (
        kt.sensitivity(crossing(), 0.5, hit, by=list(by), method=method, **run).gradient
        for method in ("direct", "adjoint")
    )
    for name in hit:
        assert_close(two.sel(measure=name), one.sel(measure=name), CLOSED, name)
    for name in ("crank", "coupler"):
        high, low = (
            kt.sensitivity(crossing(), 0.5, hit, by=[], parameters={name: by[name] + d}, **run)
            for d in (1e-5, -1e-5)
        )
        change = (high.value - low.value) / 2e-5
        assert_close(one.sel(parameter=name), change, LONG_RUN, name)
    with pytest.raises(kt.errors.ModelError, match="'stop' happens 2 times"):
        kt.sensitivity(crossing(), 0.5, {"m": kt.at_event("q_c", "stop", 3)}, by=["e"], **run)


def test_a_wheel_that_lifts_off() -> None:
    """Its load is the larger of a force and nothing, which other branches of the tyre ask for."""
    measures = {"end": kt.final("qd_heave"), "strut": kt.peak("strut.force")}
    values = {"strut.stiffness": 30e3, "tyre.radius": 0.3}
    run: dict[str, Any] = {"qd": {"spin": 5.0}, **FINE}
    make, T = partial(on_a_tyre, "linear", **LAWS["linear"]), 0.1
    flight = kt.simulate(make(), T, events="laws", qd={"spin": 5.0})
    assert flight.sizes["event"] > 0
    found = [
        kt.sensitivity(make(), T, measures, by=list(values), method=method, **run).gradient
        for method in ("direct", "adjoint")
    ]
    for name, x in values.items():
        high, low = (
            kt.sensitivity(make(), T, measures, by=[], parameters={name: x + d}, **run).value
            for d in (1e-5 * x, -1e-5 * x)
        )
        for row in found:
            change = (high - low) / (2e-5 * x)
            assert_close(row.sel(parameter=name), change, TRAJECTORY, name)


def test_events_without_derivative_are_refused() -> None:
    model, end = oscillator(), kt.final("q_y")
    with pytest.raises(kt.errors.ModelError, match="'never' does not happen"):
        kt.sensitivity(model, 1.0, {"m": kt.event_time("never")}, by=["c"],
                       events={"never": "q_y - 9"})  # fmt: skip
    two = {"one": kt.Event("q_y - 0.3", stops=True), "two": kt.Event("q_y*c - 0.3", stops=True)}
    with pytest.raises(kt.errors.UnsupportedError, match="they happen together"):
        kt.sensitivity(model, 1.0, {"m": end}, by=["c"], qd={"y": 0.5}, events=two)


def spatial_start() -> list[float]:
    """A closed start of the spatial four-bar, whose quaternion no Newton step moves."""
    return kt.simulate(lengths.spatial(), 0.01).q.values[0].tolist()


BOTH: dict[str, tuple[Any, dict[str, Any], list[str], dict[str, Any]]] = {
    "oscillator": (
        oscillator, {"end": kt.final("q_y"), "at": kt.at_time("q_y", 0.777),
                     "rms": kt.rms("qd_y"), "peak": kt.peak("q_y")},
        ["c", "m", "q0.y", "qd0.y", "tau.y", "duration"], {"qd": {"y": 0.5}},
    ),
    "slider_crank": (
        mechanisms.slider_crank, {"end": kt.final("q_q3"),
                                  "work": kt.integral("qd_q1**2*pin.reaction.fx")},
        ["crank.tip_x", "rod.end_x", "rod.mass", "q0.q1", "gravity_x"], {},
    ),
    "four_bar": (lengths.four_bar, {"end": kt.final("q_c")}, ["crank", "coupler", "base"], {}),
    "top": (
        systems.top, {"rms": kt.rms("qd_ball_wx"), "end": kt.final("q_ball_x")},
        ["top.mass", "top.com_x", "qd0.ball_wz"], {"qd": {"ball_wx": 1.0, "ball_wz": 20.0}},
    ),
    "spatial": (lengths.spatial, {"end": kt.final("q_b")}, ["crank", "rise", "bar"],
                {"q": "closed"}),
}  # fmt: skip


@pytest.mark.parametrize("name", BOTH)
def test_both_methods_give_the_same_gradient(name: str) -> None:
    make, measures, by, given = BOTH[name]
    run: dict[str, Any] = dict(given)
    if run.get("q") == "closed":
        run["q"] = spatial_start()
    found = [
        kt.sensitivity(make(), 1.0, measures, by=by, method=method, **run)
        for method in ("direct", "adjoint")
    ]
    assert [row.attrs["sensitivity_method"] for row in found] == ["direct", "adjoint"]
    for measure in measures:
        one, two = (row.gradient.sel(measure=measure) for row in found)
        loose = measure in {"at", "peak"}  # between steps: dense output against a step aside
        assert_close(two, one, CLOSED if loose else FORMALISM, measure)


@pytest.mark.parametrize("name", ["oscillator", "slider_crank", "four_bar", "top"])
def test_equations_before_they_are_solved_have_the_same_tangents(name: str) -> None:
    """Docquier2013 eq. 41 beside eq. 42."""
    make, measures, by, given = BOTH[name]
    found = [
        kt.sensitivity(make(), 1.0, measures, by=by, method="direct", equations=way, **given)
        for way in ("explicit", "semi-explicit")
    ]
    assert_close(found[1].gradient, found[0].gradient, FORMALISM)
    assert_close(found[1].q_by, found[0].q_by, FORMALISM)
    operations = [tangent_operations(make(), measures, by, given, way) for way in WAYS]
    assert name == "oscillator" or operations[0] != operations[1]  # another Program


def swung() -> kt.Model:
    """A double pendulum whose upper half is driven."""
    model = systems.double_pendulum()
    w = model.parameter("w", 2.0)
    model.drive("a", lambda t: kt.functions.sin(w * t))
    return model


def test_drives_are_known_before_the_equations_are_solved() -> None:
    measures = {"end": kt.final("q_b"), "a": kt.final("qdd_b")}
    found = [
        kt.sensitivity(swung(), 0.5, measures, by=["w", "upper.tip_x"], method="direct",
                       equations=way).gradient for way in WAYS
    ]  # fmt: skip
    assert_close(found[1], found[0], FORMALISM)


WAYS = ("explicit", "semi-explicit")


def tangent_operations(
    model: kt.Model, measures: Any, by: list[str], given: dict[str, Any], way: str
) -> int:
    """Operations of the rates and of their change along one direction."""
    task = sensitivity_task(model, duration=0.5, measures=measures, by=by, equations=way, **given)
    made = tangent(task.system, task.expressions, task.directions, lanes=True, equations=way)
    return made.system.forms.rates.operations


def test_equations_that_cannot_be_taken_unsolved_are_refused() -> None:
    model, given, values = filtered()
    with pytest.raises(kt.errors.UnsupportedError, match="model 'filtered' has user"):
        kt.sensitivity(model, 1.0, {"m": kt.final("q_y")}, by=list(values),
                       equations="semi-explicit", **given)  # fmt: skip
    end: dict[str, Any] = {"measures": {"m": kt.final("q_y")}, "by": ["c"]}
    for more in ({"method": "adjoint"}, {"integrator": "trapezoidal", "step": 0.1}, {"order": 2}):
        with pytest.raises(kt.errors.UnsupportedError, match=r"equations.*only the direct"):
            kt.sensitivity(oscillator(), 1.0, equations="semi-explicit", **end, **more)


def test_a_wheel_turned_for_many_steps() -> None:
    model = kt.Model("wheel", gravity=(0, 0, 0))
    wheel = model.body("wheel", mass=1.0, inertia=(1, 1, model.parameter("I", 2.0)))
    model.revolute("turn", model.ground, wheel, axis="z")
    T, tau, inertia = 60.0, 3.0, 2.0
    found = kt.sensitivity(
        model, T, {"end": kt.final("q_turn")}, by=["I"], method="adjoint", integrator="rk4",
        step=1e-3, tau={"turn": tau},
    )  # fmt: skip
    assert found.attrs["sensitivity_steps"] == 60_000
    assert_close(found.gradient[0, 0], -tau * T * T / (2 * inertia**2), CLOSED)


def test_auto_says_what_it_took() -> None:
    many = ["c", "m", "q0.y", "qd0.y", "tau.y", "spring.rest", "spring.damping", "gravity_x",
            "extra"]  # fmt: skip
    for method, integrator in (("adjoint", "dop853"), ("direct", "RK45")):
        model = oscillator()
        extra = model.parameter("extra", 0.1)
        model.joint_law("more", "y", lambda qd, extra=extra: -extra * qd["y"] ** 3)
        events = {"end": kt.Event("q_y - 0.2", stops=True)}  # no dense output goes back over it
        found = kt.sensitivity(model, 1.0, {"end": kt.final("qd_y")}, by=many, qd={"y": 0.5},
                               events=events, integrator=integrator)  # fmt: skip
        assert found.attrs["sensitivity_method"] == method


def bouncing(count: int, height: float = 1.0) -> kt.Model:
    """Balls that fall from one height and bounce."""
    model = kt.Model("bounce", gravity=(0, 0, -9.81))
    e = model.parameter("e", 0.7)
    for k in range(count):
        ball = model.body(f"ball{k}", mass=1.0)
        model.prismatic(f"z{k}", model.ground, ball, axis="z", initial=height)
        model.event(f"hit{k}", lambda q, k=k: q[f"z{k}"], direction="falling",
                    then={f"qd_z{k}": lambda qd, k=k: -e * qd[f"z{k}"]})  # fmt: skip
    return model


def bounced(e: complex, h: complex, g: float = 9.81) -> complex:
    """Height of a ball after 1 s, with one bounce."""
    t = (2 * h / g) ** 0.5
    return e * g * t * (1 - t) - g * (1 - t) ** 2 / 2


def test_several_events_at_one_time() -> None:
    model, measures = bouncing(2), {"both": kt.final("q_z0 + q_z1")}
    found = kt.sensitivity(model, 1.0, measures, by=["e"], method="direct", **FINE)
    assert_close(found.gradient[0, 0], 2 * bounced(0.7 + 1e-20j, 1.0).imag / 1e-20, CLOSED)
    with pytest.raises(kt.errors.UnsupportedError, match=r"'hit\d': it happens together.*'direct'"):
        kt.sensitivity(model, 1.0, measures, by=["e"], method="adjoint")
    with pytest.raises(kt.errors.UnsupportedError, match="one after the other for other values"):
        kt.sensitivity(model, 1.0, measures, by=["q0.z0"], method="direct")


@pytest.mark.parametrize("method", ["direct", "adjoint"])
def test_an_event_that_meets_an_output_time(method: str) -> None:
    height = 9.81 / 8  # on the ground after 0.5 s
    measures = {"z": kt.at_time("q_z0", 1.0), "hit": kt.event_time("hit0"),
                "area": kt.integral("q_z0")}  # fmt: skip
    for step in (0.5, 0.13):  # the first one has an output there
        found = kt.sensitivity(
            bouncing(1, height), 1.25, measures, by=["e", "q0.z0"], method=method, step=step, **FINE
        )
        by = [bounced(0.7 + 1e-20j, height), bounced(0.7, height + 1e-20j)]
        assert_close(found.gradient.sel(measure="z"), np.imag(by) / 1e-20, CLOSED)
        assert_close(found.gradient.sel(measure="hit"), [0, 0.5 / (2 * height)], CLOSED)
        if step == 0.5:
            area = found.gradient.sel(measure="area")
        assert_close(found.gradient.sel(measure="area"), area, CLOSED)


def crossing() -> kt.Model:
    """A four-bar whose crank is braked by a stop that it bounces from."""
    model = lengths.four_bar(crank=0.6)
    e = model.parameter("e", 0.5)
    model.event("stop", lambda q: q["a"] - 0.9, direction="falling",
                then={"qd_a": lambda qd: -e * qd["a"]})  # fmt: skip
    return model


def test_bounces_of_a_closed_mechanism_go_back() -> None:
    measures = {
        "end": kt.final("q_c"),
        "work": kt.integral("qd_b**2"),
        "hit": kt.event_time("stop"),
    }
    by, run = ["e", "crank", "coupler"], {"qd": {"a": -1.0}, **FINE}
    found = [
        kt.sensitivity(crossing(), 0.5, measures, by=by, method=method, **run)
        for method in ("direct", "adjoint")
    ]
    assert float(found[0].value.sel(measure="hit")) > 0.01
    for name in measures:
        one, two = (row.gradient.sel(measure=name) for row in found)
        assert_close(two, one, CLOSED, name)
    high, low = (
        kt.sensitivity(crossing(), 0.5, measures, by=[], parameters={"coupler": 2.1 + h}, **run)
        for h in (1e-5, -1e-5)
    )
    change = (high.value - low.value) / 2e-5
    assert_close(found[1].gradient.sel(parameter="coupler"), change, LONG_RUN)


def test_the_second_derivative_of_the_oscillator() -> None:
    by = ["c", "m", "qd0.y"]
    found = kt.sensitivity(
        oscillator(), np.pi / 2, {"end": kt.final("q_y")}, by=by, qd={"y": 0.5}, order=2, **TIGHT
    )
    assert found.hessian.dims == ("measure", "parameter", "parameter2")
    H = found.hessian.sel(measure="end")
    assert_close(H.sel(parameter="c", parameter2="c"), 3 / 8 - np.pi**2 / 32, IDENTITY)
    assert_close(H.sel(parameter="c", parameter2="qd0.y"), -0.5, IDENTITY)
    assert_close(H.sel(parameter="qd0.y", parameter2="qd0.y"), 0.0, IDENTITY)


SECOND: dict[str, tuple[Any, dict[str, Any], dict[str, float], dict[str, Any]]] = {
    "oscillator": (
        oscillator, {"rms": kt.rms("qd_y"), "data": kt.misfit("q_y", [0.3, 0.6], [0.1, 0.2])},
        {"c": 1.0, "m": 1.0}, {"qd": {"y": 0.5}},
    ),
    "four_bar": (
        lengths.four_bar, {"end": kt.final("q_c"), "work": kt.integral("qd_b**2")},
        {"crank": 1.0, "coupler": 2.1}, {},
    ),
    "top": (
        systems.top, {"end": kt.final("q_ball_x")},
        {"top.mass": float(systems.top().bodies["top"].mass)},  # type: ignore[arg-type]
        {"qd": {"ball_wx": 1.0, "ball_wz": 20.0}},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SECOND)
def test_second_derivatives_against_differences_of_gradients(name: str) -> None:
    make, measures, values, given = SECOND[name]
    found = kt.sensitivity(make(), 0.7, measures, by=list(values), order=2, **FINE, **given)
    for label, x in values.items():
        high, low = (
            kt.sensitivity(make(), 0.7, measures, by=list(values), parameters={label: x + h},
                           **FINE, **given).gradient for h in (1e-5, -1e-5)
        )  # fmt: skip
        change = (high - low) / 2e-5
        assert_close(found.hessian.sel(parameter2=label), change, LONG_RUN, label)


def test_second_derivatives_by_more_variables_than_one_run_takes() -> None:
    model = oscillator()
    model.wrench("push", model.bodies["body"])
    by = ["c", "qd0.y", "q0.y", "m", "tau.y", "push.fx", "spring.rest", "body.com_y", "gravity_x",
          "spring.damping"]  # fmt: skip
    run: dict[str, Any] = {"qd": {"y": 0.5}, **FINE}
    measures = {"end": kt.final("q_y"), "energy": kt.mean_square("qd_y")}
    with pytest.warns(kt.errors.ModelWarning, match="'body.com_y'"):
        whole = kt.sensitivity(model, 1.0, measures, by=by, order=2, **run).hessian
    assert_close(whole, whole.values.swapaxes(1, 2), IDENTITY)
    few = ["m", "spring.rest", "spring.damping", "qd0.y"]  # of three groups
    alone = kt.sensitivity(model, 1.0, measures, by=few, order=2, **run).hessian
    assert_close(whole.sel(parameter=few, parameter2=few), alone, FORMALISM)
    with pytest.warns(kt.errors.ModelWarning, match="'body.com_y'"):
        high, low = (
            kt.sensitivity(model, 1.0, measures, by=by, parameters={"spring.damping": x}, **run)
            for x in (1e-5, -1e-5)
        )
    change = (high.gradient - low.gradient) / 2e-5
    assert_close(whole.sel(parameter2="spring.damping"), change, LONG_RUN)


def test_second_derivatives_that_there_are_not() -> None:
    model, end = oscillator(), {"m": kt.final("q_y")}
    with pytest.raises(kt.errors.UnsupportedError, match="measure 'm': it has no second"):
        kt.sensitivity(model, 1.0, {"m": kt.peak("q_y")}, by=["c"], order=2)
    with pytest.raises(kt.errors.UnsupportedError, match="by, 'duration': there are no second"):
        kt.sensitivity(model, 1.0, end, by=["c", "duration"], order=2)
    with pytest.raises(kt.errors.UnsupportedError, match="an event ends the run"):
        kt.sensitivity(model, 1.0, end, by=["c"], order=2, qd={"y": 0.5},
                       events={"stop": kt.Event("q_y - 0.2", stops=True)})  # fmt: skip
    with pytest.raises(kt.errors.UnsupportedError, match="order"):
        kt.sensitivity(model, 1.0, end, by=["c"], order=3)


def filtered() -> tuple[kt.Model, dict[str, Any], dict[str, float]]:
    """A mass pulled by a filtered position."""
    model = kt.Model("filtered", gravity=(0, 0, 0))
    lag = model.parameter("lag", 0.3)
    model.prismatic("y", model.ground, model.body("body", mass=1.0), axis="x")
    model.state("f", rate=lambda q, x: (q["y"] - x["f"]) / lag, initial=0.2)
    model.joint_law("pull", "y", lambda x: -5 * x["f"])
    return model, {"qd": {"y": 1.0}, "x": {"f": 0.2}}, {"x0.f": 0.2, "lag": 0.3}


def kicked() -> tuple[kt.Model, dict[str, Any], dict[str, float]]:
    """An oscillator that is kicked at given times."""
    model = kt.Model("kicked", gravity=(0, 0, 0))
    gain = model.parameter("gain", 0.4)
    model.prismatic("y", model.ground, model.body("body", mass=1.0), axis="x")
    model.joint_spring("spring", "y", stiffness=4.0)
    model.event("kick", at=(0.3, 0.7), then={"qd_y": lambda q, qd: qd["y"] + gain * q["y"]})
    return model, {"qd": {"y": 1.0}}, {"gain": 0.4, "qd0.y": 1.0}


def rubbing() -> tuple[kt.Model, dict[str, Any], dict[str, float]]:
    """An oscillator that dry friction brings to rest after some turns."""
    model = kt.Model("rubbing", gravity=(0, 0, 0))
    model.prismatic("y", model.ground, model.body("body", mass=1.0), axis="x")
    model.joint_spring("spring", "y", stiffness=20.0)
    model.dry_friction("rub", "y", coulomb=model.parameter("mu", 1.5))
    return model, {"qd": {"y": 2.0}}, {"mu": 1.5, "qd0.y": 2.0}


@pytest.mark.parametrize("method", ["direct", "adjoint"])
@pytest.mark.parametrize("make", [filtered, kicked, rubbing])
def test_states_clocks_and_dry_friction(make: Any, method: str) -> None:
    model, given, values = make()
    measures = {"m": kt.final("q_y")}
    found = kt.sensitivity(model, 1.2, measures, by=list(values), method=method, **FINE, **given)
    for name, x in values.items():
        kind, _, label = name.rpartition(".")
        key = {"x0": "x", "qd0": "qd"}.get(kind, "parameters")
        high, low = (
            value(model, kt.final("q_y"), 1.2, **{**given, key: {label: x + h}})
            for h in (1e-5, -1e-5)
        )
        assert_close(found.gradient.sel(parameter=name), [(high - low) / 2e-5], LONG_RUN, name)


def test_functions_of_measures_and_measures_from_texts() -> None:
    text = "rms(qd_y)**2/final(q_y) + 2*at_time(min(q_y, 9), 0.5)"
    parts = {"a": kt.rms("qd_y"), "b": kt.final("q_y"), "c": kt.at_time("q_y", 0.5)}
    measures = {"text": kt.measure(text), "whole": kt.function_of("a**2/b + 2*c", **parts), **parts}
    found = kt.sensitivity(
        oscillator(), 2.0, measures, by=["c", "qd0.y"], qd={"y": 0.5}, order=2, **FINE
    )
    assert list(found.measure.values) == ["text", "whole", "a", "b", "c"]
    a, b, c = (float(found.value.sel(measure=name)) for name in "abc")
    slopes = np.array([2 * a / b, -a * a / b**2, 2.0])
    gradients = found.gradient.sel(measure=["a", "b", "c"]).values
    bends = np.array([[2 / b, -2 * a / b**2, 0], [-2 * a / b**2, 2 * a * a / b**3, 0], [0, 0, 0]])
    H = np.tensordot(slopes, found.hessian.sel(measure=["a", "b", "c"]).values, 1)
    for name in ("text", "whole"):
        assert_close(found.value.sel(measure=name), a * a / b + 2 * c, IDENTITY)
        assert_close(found.gradient.sel(measure=name), slopes @ gradients, IDENTITY)
        assert_close(found.hessian.sel(measure=name), H + gradients.T @ bends @ gradients, IDENTITY)
    for wrong, sentence in {
        "q_y": "names no kind.*final", "fianl(q_y)": "no kind of measure.*mean 'final'",
        "sin(q_y)": "names no kind.*final", "final(q_y": "bracket is not closed",
        "at_time(q_y, x)": "not what at_time takes",
    }.items():  # fmt: skip
        with pytest.raises(kt.errors.ModelError, match=sentence):
            kt.measure(wrong)
    with pytest.raises(kt.errors.KinetreeError, match=r"measure 'm'.*'z'"):
        kt.sensitivity(oscillator(), 1.0, {"m": kt.function_of("a + z", **parts)}, by=["c"])
    with pytest.raises(kt.errors.ModelError, match="function_of, 'a'"):
        kt.function_of("a", a=1.0)


def driven() -> kt.Model:
    """A four-bar whose crank turns evenly: nothing is left to move by itself."""
    model = lengths.four_bar(crank=0.6)
    model.bodies["top"].point("pen", (model.parameter("u", 1.3), 0.4, 0))
    model.drive("a", lambda t: 1.0 + t)
    return model


def test_measures_of_a_driven_path() -> None:
    measures = {"x": kt.final("top.pen.position.x"), "work": kt.integral("qd_b**2"),
                "peak": kt.peak("qdd_c")}  # fmt: skip
    by = {"crank": 0.6, "coupler": 2.1, "u": 1.3}
    found = [
        kt.sensitivity(driven(), 1.0, measures, by=list(by), method=method, **FINE).gradient
        for method in ("direct", "adjoint")
    ]
    assert_close(found[1], found[0], CLOSED)
    for name, x in by.items():
        high, low = (
            kt.sensitivity(driven(), 1.0, measures, by=[], parameters={name: x + h}, **FINE).value
            for h in (1e-5, -1e-5)
        )
        assert_close(found[0].sel(parameter=name), (high - low) / 2e-5, LONG_RUN, name)


@pytest.mark.parametrize(
    ("integrator", "method"),
    [("dop853", "direct"), ("trapezoidal", "direct"), ("dop853", "adjoint"), ("DOP853", "adjoint")],
)
def test_a_run_so_unstable_that_its_gradient_means_nothing_is_told(
    integrator: str, method: str
) -> None:
    model = kt.Model("falling over", gravity=(0, 0, 0))
    model.prismatic("y", model.ground, model.body("body", mass=1.0), axis="x")
    model.joint_spring("push", "y", stiffness=model.parameter("c", -400.0))
    run: dict[str, Any] = {"by": ["qd0.y"], "qd": {"y": 1e-9}, "step": 1e-3, "method": method}
    measures = {"end": kt.final("q_y")}
    with pytest.warns(kt.errors.ModelWarning, match=r"grow by a factor of .*e\+1.*make the run"):
        found = kt.sensitivity(model, 2.0, measures, integrator=integrator, **run)
    assert 1e14 < found.attrs["sensitivity_growth"] < 1e18  # exp(20 t) over the last 1.8 s
    if integrator == "dop853" and method == "direct":  # of few steps, too
        with pytest.warns(kt.errors.ModelWarning, match="mean nothing"):
            kt.sensitivity(model, 3.0, measures, integrator="rk4", **{**run, "step": 1.0})
    calm = kt.sensitivity(model, 0.2, measures, integrator=integrator, **run)
    assert calm.attrs["sensitivity_growth"] < 1e3
