"""Closures, laws and drives as the builder makes them, and the sentences for their mistakes."""

from __future__ import annotations

import pytest
from tests.closed import CLOSED

import kinetree as kt
from kinetree.constraints import ALL
from kinetree.engine import cos
from kinetree.errors import DuplicateNameError, KinetreeError, ModelError

EQUATIONS = {
    "ball": 3, "rod": 1, "solid": 6, "revolute": 5, "universal": 4, "cylindrical": 4,
    "prismatic": 5, "planar": 3, "line": 2, "curve": 2, "surface": 1, "coupling": 1, "law": 2,
    "rate": 1, "roll": 3,
}  # fmt: skip


def slider_crank() -> kt.Model:
    model = kt.Model("slider_crank", gravity=(0, -9.81, 0))
    crank = model.body("crank", mass=1.0, com=(0.5, 0, 0), inertia=(0, 0.0833, 0.0833))
    rod = model.body("rod", mass=2.0, com=(1.0, 0, 0), inertia=(0, 0.6667, 0.6667))
    model.revolute("q1", model.ground, crank, axis="z")
    model.revolute("q2", crank.point("tip", (1, 0, 0)), rod, axis="z")
    slider = model.body("slider", mass=5.0)
    model.prismatic("q3", model.ground, slider, axis="x")
    model.close_ball("pin", rod.point("end", (2, 0, 0)), slider)
    return model


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.name)
def test_number_of_equations(kind):
    name = next(
        n for n, make in CLOSED.items() if next(iter(make().closures.values())).kind == kind.name
    )
    closure = next(iter(CLOSED[name]().closures.values()))
    assert len(closure.conditions) == EQUATIONS[kind.name]
    labels = [condition.label for condition in closure.conditions]
    assert len(set(labels)) == len(labels)


def test_a_ball_cut_in_a_planar_mechanism_gives_two_equations():
    program = kt.derive(slider_crank(), "constraints")
    assert program.output("h").labels == ("pin.x", "pin.y")
    assert program.info["dropped"] == "pin.z"
    out = program.evaluate(q=[0.3, -0.4, 2.9], qd=[1.0, 2.0, 3.0])
    assert out["J"].shape == (2, 3)


def test_parameters_of_closures_are_run_time_inputs():
    model = slider_crank()
    model.close_rod("bar", model.bodies["slider"], model.bodies["crank"], 2.5)
    program = kt.derive(model, "constraints")
    assert program.input("p").labels[-1] == "bar.length"
    p = list(program.input("p").default)
    p[-1] = 1.5
    state = {"q": [0.3, -0.4, 2.9], "qd": [0.0, 0.0, 0.0]}
    gain = program.evaluate(**state, p=p)["h"] - program.evaluate(**state)["h"]
    assert gain == pytest.approx([0, 0, (2.5**2 - 1.5**2) / 2])


def test_a_model_without_closures_has_no_equations():
    model = kt.Model("pendulum")
    model.revolute("q", model.ground, model.body("bob", mass=1.0, com=(1, 0, 0)))
    out = kt.derive(model, "constraints").evaluate(q=[0.1], qd=[0.0])
    assert out["h"].shape == (0,)
    assert out["J"].shape == (0, 1)


def test_drives_give_value_and_rates():
    model = slider_crank()
    speed = model.parameter("speed", 3.0, "rad/s")
    model.drive("q1", lambda t: speed * t + cos(t))
    model.drive("q3")
    out = kt.derive(model, "drives").evaluate(q=[0.0] * 3, t=0.0)
    assert kt.derive(model, "drives").output("q").labels == ("q1",)
    assert [out[k][0] for k in ("q", "qd", "qdd")] == pytest.approx([1.0, 3.0, -1.0])


def test_forward_dynamics_never_ignores_a_closure():
    forward = kt.derive(slider_crank(), "forward")
    assert forward.output("lam").labels == ("pin.x", "pin.y")


def test_a_massless_part_of_a_loop_is_no_error():
    model = slider_crank()
    link = model.body("link")
    model.revolute("q4", model.bodies["crank"], link)
    model.close_ball("far", link.point("end", (1, 0, 0)), model.bodies["slider"])
    assert not [f for f in model.findings() if f.severity == "error"]


MISTAKES = {
    "same body": (
        lambda m: m.close_ball("c", m.bodies["rod"], m.bodies["rod"].points["end"]),
        r"closure 'c': both its places are on the body 'rod'; give places on two different bodies",
    ),
    "unknown body": (
        lambda m: m.close_ball("c", "rodd", "slider"),
        r"closure 'c' first: there is no body 'rodd'; did you mean 'rod'\?",
    ),
    "duplicate": (
        lambda m: m.close_ball("pin", "rod", "slider"),
        r"closure 'pin': there is a closure of this name already",
    ),
    "length": (lambda m: m.close_rod("c", "rod", "slider", -1), "its length is -1"),
    "kind": (
        lambda m: m.closure("bal", "c"),
        r"there is no closure kind 'bal'; did you mean 'ball'",
    ),
    "argument": (
        lambda m: m.closure("ball", "c", ("rod", "slider"), {"axis": "x"}),
        "there is no argument of a ball closure 'axis'",
    ),
    "missing": (
        lambda m: m.closure("rod", "c", ("rod", "slider")),
        "a rod closure needs its 'length'; give length",
    ),
    "ends": (lambda m: m.closure("ball", "c", ("rod",)), "it has 1 places; give 2: first, second"),
    "coordinate": (
        lambda m: m.couple("c", "q1", "q7", 2),
        r"closure 'c': there is no coordinate 'q7'; did you mean 'q",
    ),
    "law": (
        lambda m: m.constrain("c", lambda q: q["q1"] - q["Q2"]),
        r"closure 'c': there is no coordinate 'Q2'; did you mean 'q2'\?",
    ),
    "law argument": (
        lambda m: m.constrain("c", lambda p: p),
        "closure 'c' law: there is no argument of a law 'p'",
    ),
    "surface": (
        lambda m: m.close_surface("c", "rod", "slider", lambda x, y: (x, y)),
        "2 equations make no surface",
    ),
    "curve": (
        lambda m: m.close_curve("c", "rod", "slider", lambda x: x),
        "1 equations make no curve",
    ),
    "axes": (
        lambda m: m.close_universal("c", "rod", "slider", ("x", "x")),
        "the two axes are parallel",
    ),
    "drive twice": (
        lambda m: (m.drive("q1"), m.drive("q1")),
        "drive 'q1': its motion is given already",
    ),
    "drive what": (lambda m: m.drive("q9"), "drive: there is no coordinate 'q9'"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_mistakes_are_named(case):
    make, said = MISTAKES[case]
    with pytest.raises(KinetreeError, match=said):
        make(slider_crank())


def test_symbols_of_another_model_are_refused():
    other = kt.Model("other")
    k = other.parameter("stiff", 2.0)
    with pytest.raises(ModelError, match="there is no name 'stiff'"):
        slider_crank().constrain("c", lambda q: q["q1"] - k)


def test_a_parameter_may_not_hide_the_time():
    model = slider_crank()
    model.parameter("t", 1.0)
    with pytest.raises(ModelError, match="in laws 't' is not the parameter of that name"):
        model.constrain("c", lambda q, t: q["q1"] - t)


def test_quaternions_cannot_be_driven():
    model = kt.Model("ball")
    model.spherical("s", model.ground, model.body("b", mass=1.0, inertia=(1, 1, 1)))
    with pytest.raises(ModelError, match="joint 's' turns by a quaternion"):
        model.drive("s_w", lambda t: t)


def test_rates_must_be_linear():
    model = slider_crank()
    model.constrain_rates("c", lambda qd: qd["q1"] ** 2)
    with pytest.raises(ModelError, match="closure 'c': it is not linear in the velocity 'qd_q1'"):
        kt.derive(model, "constraints")


def test_a_gap_that_no_coordinate_can_close_is_named():
    model = slider_crank()
    model.close_ball("off", model.bodies["rod"].point("side", (0, 0, 0.1)), model.ground)
    with pytest.raises(ModelError, match=r"closure 'off': its component z is 0\.1 whatever"):
        kt.derive(model, "constraints")


def test_a_closure_between_welded_bodies_is_doubtful():
    model = slider_crank()
    plate = model.body("plate", mass=1.0)
    model.fixed("weld", model.bodies["slider"], plate)
    model.close_ball("c", plate, model.bodies["slider"])
    found = [str(f) for f in model.findings() if f.topic == "loop"]
    said = "closure 'c': no joint lets 'plate' move against 'slider'; remove it, or"
    assert found == [f"{said} put a joint between the two bodies."]


def test_duplicates_have_their_class():
    with pytest.raises(DuplicateNameError):
        slider_crank().close_ball("pin", "rod", "slider")
