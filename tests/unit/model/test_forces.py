"""Forces and states: what the builder accepts, refuses, names and hashes."""

from __future__ import annotations

import math
from typing import Any

import pytest

import kinetree as kt
from kinetree.engine import sin
from kinetree.errors import DuplicateNameError, KinetreeError, ModelWarning, UnknownNameError
from kinetree.forces import ALL
from kinetree.model import FORCES, uses_time


@pytest.fixture
def cart() -> kt.Model:
    """A cart on a rail with a pendulum, and a ball of its own."""
    model = kt.Model("cart")
    cart = model.body("cart", mass=2.0, inertia=(1, 1, 1))
    bob = model.body("bob", mass=1.0, com=(0, 0, -1), inertia=(1, 1, 1))
    ball = model.body("ball", mass=1.0, inertia=(1, 1, 1))
    model.prismatic("x", model.ground, cart, damping=0.5, friction=0.25)
    model.revolute("swing", cart, bob, axis="y")
    model.spherical("spin", model.ground, ball, damping=0.125)
    bob.point("tip", (0, 0, -1))
    model.ground.point("wall", (1, 0, 0))
    return model


def test_every_row_stands_in_the_table() -> None:
    assert [FORCES[kind.name] for kind in ALL] == list(ALL)


def test_scalars_are_run_time_parameters(cart: kt.Model) -> None:
    k = cart.parameter("k", 3.0, "N/m")
    cart.spring("strut", "bob.tip", "ground.wall", 2 * k, 0.5, 4.0)
    row = kt.derive(cart, "forward").input("p")
    assert "k" in row.labels
    assert "strut.stiffness" not in row.labels  # an expression of k
    assert row.default is not None
    assert row.default[row.labels.index("strut.length")] == 0.5
    assert row.units[row.labels.index("strut.damping")] == "N.s/m"


def test_units_of_joint_forces_are_those_of_the_joint(cart: kt.Model) -> None:
    cart.joint_spring("a", "x", 10.0, 0.5, 2.0)
    cart.joint_spring("b", "swing", 10.0, 0.5, 2.0)
    cart.joint_friction("c", cart.velocities[-1], 0.5, viscous=2.0)
    row = kt.derive(cart, "forward").input("p")
    units = dict(zip(row.labels, row.units, strict=True))
    ends = ("stiffness", "rest", "damping")
    assert [units[f"a.{end}"] for end in ends] == ["N/m", "m", "N.s/m"]
    assert [units[f"b.{end}"] for end in ends] == ["N.m/rad", "rad", "N.m.s/rad"]
    assert (units["c.coulomb"], units["c.viscous"]) == ("N.m", "N.m.s/rad")


def test_parameters_change_the_force(cart: kt.Model) -> None:
    cart.joint_spring("spring", "x", 10.0, 0.5)
    prog = kt.derive(cart, "inverse")
    row = prog.input("p")
    assert row.default is not None
    values = list(row.default)
    state = {"q": [0.3, 0, 1, 0, 0, 0], "qd": [0.0] * 5, "qdd": [0.0] * 5}
    assert prog.evaluate(**state)["tau"][0] == pytest.approx(10 * (0.3 - 0.5))
    values[row.labels.index("spring.rest")] = 0.1
    assert prog.evaluate(**state, p=values)["tau"][0] == pytest.approx(10 * (0.3 - 0.1))


def refused(model: kt.Model, add: Any) -> str:
    before = (list(model.forces), list(model.states))
    with pytest.raises(KinetreeError) as caught:
        add(model)
    assert (list(model.forces), list(model.states)) == before, "nothing is added by a mistake"
    return str(caught.value)


WRONG: dict[str, tuple[Any, str]] = {
    "kind": (
        lambda m: m.force("lnk", "s", ("cart", "ground")),
        "force 's': there is no force kind 'lnk'; did you mean 'link'?",
    ),
    "place": (
        lambda m: m.spring("s", "bob.top", "ground", 1.0),
        "force 's' first: there is no point 'bob.top'; did you mean 'bob.tip'?",
    ),
    "one body": (
        lambda m: m.spring("s", "bob.tip", "bob", 1.0),
        "force 's': both its places are on the body 'bob'",
    ),
    "count": (
        lambda m: m.force("link", "s", ("bob.tip",)),
        "force 's': it has 1 places; give 2: first, second.",
    ),
    "nan": (
        lambda m: m.spring("s", "bob.tip", "ground", math.nan),
        "force 's' stiffness: the value is nan; give a finite number.",
    ),
    "nan law": (
        lambda m: m.joint_law("s", "x", lambda: math.nan),
        "force 's' law: nan cannot stand in an expression",
    ),
    "text": (
        lambda m: m.joint_law("s", "x", "2*q_x"),
        "force 's' law: '2*q_x' is neither a number nor an expression",
    ),
    "numeric function": (
        lambda m: m.joint_law("s", "x", lambda q: math.sin(q["x"])),
        "force 's' law: its function cannot be called with symbols",
    ),
    "comparison": (
        lambda m: m.joint_law("s", "x", lambda q: 1 if q["x"] > 0 else 0),
        "force 's' law: its function cannot be called with symbols",
    ),
    "argument": (
        lambda m: m.force("link", "s", ("bob", "ground"), {"stiffnes": 1}),
        "force 's': there is no argument of a link force 'stiffnes'; did you mean 'stiffness'?",
    ),
    "missing": (
        lambda m: m.force("joint_spring", "s", (), {"joint": "x"}),
        "force 's': a joint_spring force needs its 'stiffness'; give stiffness.",
    ),
    "quaternion": (
        lambda m: m.joint_spring("s", "spin", 1.0),
        "force 's': joint 'spin' turns by a quaternion",
    ),
    "velocities": (
        lambda m: m.joint_friction("s", "spin", 1.0),
        "force 's': joint 'spin' has 3 velocities; name one of spin_wx",
    ),
    "joint": (
        lambda m: m.joint_law("s", "swin", 1),
        "force 's': there is no coordinate 'swin'; did you mean 'swing'?",
    ),
    "coordinate": (
        lambda m: m.joint_law("s", "x", lambda q: q["y"]),
        "force 's': there is no coordinate 'y'",
    ),
    "variable": (
        lambda m: m.link("s", "bob", "ground", lambda lenght: lenght),
        "force 's' law: there is no argument of a law 'lenght'; did you mean 'length'?",
    ),
    "foreign symbol": (
        lambda m: m.joint_law("s", "x", kt.Model("other").parameter("gain", 1.0)),
        "force 's' law: there is no name 'gain'",
    ),
    "values": (
        lambda m: m.external("s", "bob", (1, 2)),
        "force 's' force: its law has 2 values; give 3.",
    ),
    "nothing": (
        lambda m: m.external("s", "bob"),
        "force 's': it has neither force nor torque; give one.",
    ),
    "frame": (
        lambda m: m.external("s", "bob", (1, 2, 3), frame="grund"),
        "force 's': there is no frame 'grund'; did you mean 'ground'?",
    ),
    "smooth": (
        lambda m: m.joint_friction("s", "x", 1.0, smooth=0),
        "force 's': its smooth is 0; give it above 0.",
    ),
    "labels": (
        lambda m: m.force_law("s", {"a": "bob"}, lambda: {"b": (0, 0, 0)}),
        "force 's': there is no point 'b'",
    ),
    "no mapping": (
        lambda m: m.force_law("s", {"a": "bob"}, lambda: (0, 0, 0)),
        "force 's': its law gives no mapping",
    ),
    "name": (lambda m: m.spring("a b", "bob", "ground", 1), "force 'a b': 'a b' cannot be a name"),
    "state rate": (
        lambda m: m.state("z", rate=lambda x: x["y"]),
        "state 'z' rate: there is no state 'y'",
    ),
    "state initial": (
        lambda m: m.state("z", initial=math.inf),
        "state 'z' initial: the value is inf",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_mistakes_are_named(cart: kt.Model, case: str) -> None:
    add, words = WRONG[case]
    assert refused(cart, add).startswith(words)


def test_names_stand_once(cart: kt.Model) -> None:
    cart.spring("s", "bob", "ground", 1.0)
    cart.state("z", rate=lambda x: -x["z"])
    with pytest.raises(DuplicateNameError, match="there is a force of this name already"):
        cart.joint_spring("s", "x", 1.0)
    with pytest.raises(DuplicateNameError, match="there is a state of this name already"):
        cart.state("z")


def test_a_parameter_cannot_hide_what_a_law_means(cart: kt.Model) -> None:
    cart.parameter("length", 1.0)
    with pytest.raises(KinetreeError, match="in laws 'length' is not the parameter of that name"):
        cart.link("s", "bob", "ground", lambda length: length)
    cart.parameter("x_z", 1.0)
    cart.state("z")
    with pytest.raises(KinetreeError, match="in laws 'x_z' is not the parameter of that name"):
        cart.state_rate("z", 0)
    assert any("meets the parameter 'x_z'" in str(f) for f in cart.findings())


def test_states_may_speak_of_each_other(cart: kt.Model) -> None:
    a = cart.state("a", 1.0)
    b = cart.state("b", rate=lambda x: -x["a"])
    cart.state_rate("a", b)
    assert cart.states["a"].rate is b
    assert cart.states["b"].rate == -a
    with pytest.raises(UnknownNameError, match="there is no state 'c'"):
        cart.state_rate("c", 0)


def test_a_state_without_rate_is_named_when_it_is_needed(cart: kt.Model) -> None:
    cart.state("a")
    with pytest.raises(KinetreeError, match="state 'a': nothing gives its rate"):
        kt.derive(cart, "forward")


def test_the_time_is_found_in_laws_and_rates(cart: kt.Model) -> None:
    assert not uses_time(cart)
    cart.state("z", rate=lambda t: 2 * sin(t))
    assert uses_time(cart)


def test_the_time_is_found_in_forces(cart: kt.Model) -> None:
    cart.joint_law("motor", "x", lambda t: 2 * sin(t))
    assert uses_time(cart)
    assert "t" in [row.name for row in kt.derive(cart, "inverse").inputs]


def test_joint_data_act_only_if_asked(cart: kt.Model) -> None:
    state = {"q": [0.0, 0, 1, 0, 0, 0], "qd": [2.0, 0, 0, 3.0, 0], "qdd": [0.0] * 5}
    before = kt.derive(cart, "inverse").evaluate(**state)["tau"]
    made = cart.joint_forces(smooth=1e-3)
    names = ["x_friction", *(f"{v}_friction" for v in cart.velocities[2:])]
    assert [force.name for force in made] == names
    after = kt.derive(cart, "inverse").evaluate(**state)["tau"]
    assert after - before == pytest.approx([0.5 * 2 + 0.25, 0, 0, 0.125 * 3, 0])


def test_a_force_within_one_piece_is_doubtful(cart: kt.Model) -> None:
    lid = cart.body("lid", mass=1.0)
    cart.fixed("glue", "cart", lid)
    cart.spring("s", "cart", lid.point("edge", (1, 0, 0)), 1.0)
    with pytest.warns(ModelWarning, match="no joint lets 'cart' move against 'lid'"):
        cart.check()


def test_the_hash_sees_forces_and_states(cart: kt.Model) -> None:
    seen = {cart.content_hash()}
    cart.spring("s", "bob", "ground", 1.0)
    seen.add(cart.content_hash())
    cart.state("z", rate=lambda x: -x["z"])
    seen.add(cart.content_hash())
    cart.joint_law("m", "x", lambda x: 2 * x["z"])
    seen.add(cart.content_hash())
    assert len(seen) == 4


def test_the_hash_does_not_see_how_a_law_was_written(cart: kt.Model) -> None:
    def made(law: Any) -> str:
        model = kt.Model("m")
        body = model.body("b", mass=1.0)
        model.prismatic("x", model.ground, body)
        model.joint_law("m", "x", law)
        return model.content_hash()

    assert made(lambda q, qd: -2 * q["x"] - qd["x"]) == made(lambda qd, q: -(qd["x"] + q["x"] * 2))
    assert made(lambda q: q["x"]) != made(lambda qd: qd["x"])


def test_points_that_never_part_are_refused(cart: kt.Model) -> None:
    cart.spring("s", "cart", "bob", 1.0, 0.5)
    with pytest.raises(KinetreeError, match="the points 'cart' and 'bob' never part"):
        kt.derive(cart, "forward")
