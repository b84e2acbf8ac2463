"""Forces and states in model files: read, written, hashed, and their mistakes named."""

from __future__ import annotations

import json

import jsonschema
import numpy as np
import pytest
from tests import forced, zoo
from tests.approx import ROUNDING

import kinetree as kt
from kinetree import functions
from kinetree.errors import DuplicateNameError, FormatError
from kinetree.forces import ALL
from kinetree.formats.schema import json_schema
from kinetree.formats.schema_kinds import FORCE_MODELS
from kinetree.formats.yaml_file import document, parse_yaml, read, write

CART = """\
kinetree: 1
name: cart
parameters:
  k: {value: 50, unit: N/m}
ground:
  points:
    wall: [2, 0, 0.5]
bodies:
  cart: {mass: 2, inertia: [1, 1, 1]}
  bob:
    mass: 1
    com: [0, 0, -1]
    inertia: [0.1, 0.1, 0.1]
    points:
      tip: [0, 0, -1]
joints:
  x: {kind: prismatic, parent: ground, child: cart}
  a: {kind: revolute, parent: cart, child: bob, axis: y}
states:
  current:            # of the motor
    initial: 0.5
    rate: voltage_gain*sin(t) - x_current
    unit: A
  wear: x_current**2
forces:
  strut: {kind: link, first: bob.tip, second: ground.wall, stiffness: 2*k, length: 0.5}  # coil
  buffer: {kind: link, first: cart, second: ground.wall, law: 3/length + 0.1*rate*x_current}
  hinge: {kind: joint_spring, joint: a, stiffness: 3, damping: 0.1}
  rub: {kind: joint_friction, joint: x, coulomb: 0.5, viscous: 0.2}
  motor: {kind: joint_law, joint: x, law: 2*x_current - qd_x}
  mount:
    kind: bushing
    first: cart
    second: bob
    stiffness: [10, k, 30]
    rotation: [1, 2, 3]
  weight: {kind: external, at: bob.tip, force: [0, 0, -5*k], frame: ground}
  wind:
    kind: law
    points: {tip: bob.tip, mid: bob}
    force:
      tip: [-0.1*tip.v_x**3, 0, 0.2*mid.R_xz]
    torque:
      mid: [0, -0.3*mid.w_y, tip.p_x]
""".replace("voltage_gain", "k")


def in_python() -> kt.Model:
    """What the file above describes."""
    from kinetree.engine import sin

    model = kt.Model("cart")
    k = model.parameter("k", 50, "N/m")
    wall = model.ground.point("wall", (2, 0, 0.5))
    cart = model.body("cart", mass=2, inertia=(1, 1, 1))
    bob = model.body("bob", mass=1, com=(0, 0, -1), inertia=(0.1, 0.1, 0.1))
    tip = bob.point("tip", (0, 0, -1))
    model.prismatic("x", model.ground, cart)
    model.revolute("a", cart, bob, axis="y")
    model.state("current", 0.5, lambda x, t: k * sin(t) - x["current"], "A")
    model.state("wear", rate=lambda x: x["current"] ** 2)
    model.spring("strut", tip, wall, 2 * k, 0.5)
    model.link("buffer", cart, wall, lambda length, rate, x: 3 / length + 0.1 * rate * x["current"])
    model.joint_spring("hinge", "a", 3, damping=0.1)
    model.joint_friction("rub", "x", 0.5, viscous=0.2)
    model.joint_law("motor", "x", lambda x, qd: 2 * x["current"] - qd["x"])
    model.bushing("mount", cart, bob, (10, k, 30), (1, 2, 3))
    model.external("weight", tip, (0, 0, -5 * k))
    model.force_law(
        "wind",
        {"tip": tip, "mid": bob},
        lambda points: {
            "tip": (-0.1 * points["tip"].v[0] ** 3, 0, 0.2 * points["mid"].R[0][2]),
            "mid": ((0, 0, 0), (0, -0.3 * points["mid"].w[1], points["tip"].p[0])),
        },
    )
    return model


def test_a_file_gives_what_the_builder_gives() -> None:
    ours, theirs = read(CART), in_python()
    state = {"q": [0.3, 0.4], "qd": [0.5, -0.6], "tau": [0.1, 0.2], "t": 0.7, "x": [0.8, 0.9]}
    a, b = (kt.derive(m, "forward").evaluate(**state) for m in (ours, theirs))
    np.testing.assert_array_equal(a["qdd"], b["qdd"])
    np.testing.assert_array_equal(a["xd"], b["xd"])


def test_comments_and_texts_survive() -> None:
    model = read(CART)
    model.joint_spring("rail", "x", 4.0)
    again = write(model, CART)
    for words in ("# coil", "# of the motor", "law: 3/length + 0.1*rate*x_current", "-5*k"):
        assert words in again
    assert "rail:" in again
    assert read(again).content_hash() == model.content_hash()


def test_round_trip() -> None:
    for model in (read(CART), in_python(), forced.forced(zoo.chain_links(3))):
        text = write(model)
        again = read(text)
        assert again.content_hash() == model.content_hash()
        assert write(again) == text


def test_unchanged_files_keep_every_byte() -> None:
    assert write(read(CART), CART) == CART


def test_the_schema_accepts_what_is_written() -> None:
    schema = jsonschema.Draft202012Validator(json.loads(json_schema()))
    schema.validate(parse_yaml(CART, "t"))
    schema.validate(document(in_python()))


def test_the_schema_knows_every_kind() -> None:
    assert list(FORCE_MODELS) == [kind.name for kind in ALL]
    for kind in ALL:
        assert set(kind.options) <= set(FORCE_MODELS[kind.name].model_fields)


WRONG = [
    ("first: bob.tip, second", "first: bob.top, second", "force 'strut' first", "'bob.top'"),
    ("2*k", "2*kk", "forces.strut.stiffness", "there is no parameter 'kk'"),
    ("3/length", "3/lenght", "forces.buffer.law", "did you mean 'length'?"),
    ("- qd_x", "- qd_y", "forces.motor.law", "did you mean 'qd_x'?"),
    ("kind: bushing", "kind: busing", "forces.mount", "there is no force kind 'busing'"),
    ("coulomb: 0.5", "coulom: 0.5", "forces.rub.coulom", "did you mean 'coulomb'?"),
    ("coulomb: 0.5", "coulomb: .nan", "forces.rub.coulomb", "nan is not accepted"),
    ("    second: bob\n", "", "forces.mount.second", "the field is missing"),
    ("joint: a,", "joint: b,", "force 'hinge'", "there is no coordinate 'b'"),
    ("[0, -0.3*mid.w_y, tip.p_x]", "[0, 1]", "forces.wind.torque.mid", "at least 3 items"),
    ("mid.R_xz", "mid.R_xw", "forces.wind.force.tip[2]", "did you mean 'mid.R_"),
    ("x_current**2", "x_curent**2", "states.wear.rate", "did you mean 'x_current'?"),
    ("initial: 0.5", "inital: 0.5", "states.current.inital", "did you mean 'initial'?"),
]


@pytest.mark.parametrize(("before", "after", "element", "words"), WRONG)
def test_mistakes_are_named(before: str, after: str, element: str, words: str) -> None:
    assert before in CART
    with pytest.raises(FormatError) as caught:
        read(CART.replace(before, after, 1))
    held = "mount:" if element.startswith("forces.mount") else before
    line = CART[: CART.index(held)].count("\n") + 1  # that of the whole where a field is missing
    at = f"{element}, line {line}"
    said = [part for part in caught.value.parts if part.element == at]
    assert any(words in str(part) for part in said), str(caught.value)


TABLES = """\
name: damper
tables:
  coil: {knots: [0, 1, 2], values: [0, 10, 15]}
  bump: {knots: [0, 1], values: [0, 1], slopes: [0, 3]}
bodies:
  cart: {mass: 2}
joints:
  x: {kind: prismatic, parent: ground, child: cart}
forces:
  spring: {kind: joint_law, joint: x, law: -table_coil(q_x) - 2*table_bump.d1(q_x)}
  stop: {kind: joint_law, joint: x, law: "select(q_x - 1, 3*(1 - q_x), min(q_x, 0.5))"}
"""


def test_tables_and_branches_in_files() -> None:
    model = read(TABLES)
    inverse = kt.derive(model, "inverse")
    for q, law in ((0.25, 0.25), (0.75, 0.5), (1.5, -1.5)):
        coil = functions.table(q, model.tables["coil"])
        slope = functions.table(q, model.tables["bump"], 1)
        tau = inverse.evaluate(q=[q], qd=[0], qdd=[0])["tau"]
        np.testing.assert_allclose(tau, [coil + 2 * slope - law], rtol=ROUNDING)
    assert functions.table(1.0, model.tables["coil"]) == 10
    assert functions.table(1.0, model.tables["bump"], 1) == 3
    text = write(model)
    assert write(read(text)) == text
    assert read(text).content_hash() == model.content_hash()
    assert document(read(text))["tables"] == parse_yaml(TABLES, "t")["tables"]
    schema = jsonschema.Draft202012Validator(json.loads(json_schema()))
    schema.validate(parse_yaml(TABLES, "t"))


def test_tables_of_laws_are_written_and_hashed() -> None:
    def made(values: list[float], name: str = "") -> kt.Model:
        model = kt.Model("m")
        body = model.body("b", mass=1.0)
        model.prismatic("x", model.ground, body)
        data = functions.Table.monotone([0, 1, 2], values, name)
        model.joint_law("force", "x", lambda q: functions.table(q["x"], data))
        return model

    model = made([0, 1, 4])
    again = read(write(model))
    assert next(iter(again.tables.values())).values == (0, 1, 4)
    assert again.content_hash() == model.content_hash()
    assert made([0, 1, 4], "a").content_hash() != made([0, 1, 5], "a").content_hash()


def test_mistakes_in_tables_are_named() -> None:
    for before, after, words in (
        ("[0, 1, 2]", "[0, 2, 1]", "table 'coil', line 3: its knots do not increase"),
        ("[0, 10, 15]", "[0, 10]", "table 'coil', line 3: its rows have shapes"),
        ("table_coil", "table_coli", "in '-table_coli(q_x)"),
        ("knots: [0, 1]", "knot: [0, 1]", "tables.bump.knot, line 4: unknown field; did you"),
    ):
        with pytest.raises(FormatError) as caught:
            read(TABLES.replace(before, after, 1))
        assert words in str(caught.value)


def test_a_table_name_stands_once() -> None:
    model = kt.Model("m")
    model.table("a", [0, 1], [0, 1])
    with pytest.raises(DuplicateNameError, match="there is a table of this name already"):
        model.table("a", [0, 1], [0, 2])
