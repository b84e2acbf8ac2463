"""A model as data, and its hash."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

import kinetree as kt
from kinetree.model import Model, to_data


def build(name="m", mass=2.0, axis="z", steps="R3"):
    model = Model(name)
    length = model.parameter("L", 1.5, "m")
    a = model.body("a", mass, (length / 2, 0, 0), (0.1, 0.2, 0.3))
    model.revolute("q", model.ground, a, axis=axis)
    model.sequence("s", a.point("tip", (length, 0, 0)), model.body("b", 1.0, (0, 1, 0)), steps)
    return model


def test_the_same_model_has_the_same_hash():
    assert build().content_hash() == build().content_hash()
    assert len(build().content_hash()) == 64


def test_the_hash_is_fixed_across_runs_and_machines():
    model = Model("fixed")
    model.revolute("q", model.ground, model.body("a", 2.5, (0, 0, 0.1), (1, 2, 2)), axis="y")
    assert model.content_hash() == (
        "077f48c4d6e3a1688233d0558c39c4e57a068f7cac4c3aec9162483afc2b2374"
    )


def test_spelling_does_not_matter():
    assert build(mass=2).content_hash() == build(mass=2.0).content_hash()
    assert build(axis=(0, 0, 3)).content_hash() == build(axis="z").content_hash()
    assert build(steps=["R3"]).content_hash() == build(steps="R3").content_hash()


@pytest.mark.parametrize(
    "change", [{"name": "n"}, {"mass": 2.1}, {"axis": "x"}, {"axis": "-z"}, {"steps": "R1"}]
)
def test_what_is_different_has_another_hash(change):
    assert build(**change).content_hash() != build().content_hash()


def test_pictures_do_not_count():
    model = build()
    model.shapes = {"a": "box"}
    model.layout = {"a": [1, 2]}
    assert model.content_hash() == build().content_hash()


def test_data_is_plain_and_short():
    data = to_data(build())
    assert json.loads(json.dumps(data)) == data
    assert data["bodies"]["a"] == {
        "mass": 2,
        "com": ["1/2*L", 0, 0],
        "inertia": [0.1, 0.2, 0.3],
        "points": {"tip": ["L", 0, 0]},
    }
    assert data["joints"]["s"] == {
        "kind": "sequence",
        "parent": "a.tip",
        "child": "b",
        "steps": "R3",
    }


def test_fractions_are_expressions():
    model = Model("m")
    model.body("a", Fraction(1, 3))
    assert to_data(model)["bodies"]["a"]["mass"] == "1/3"


def test_the_data_of_a_table_are_part_of_the_hash():
    def driven(last):
        curve = kt.Table.monotone([0, 1, 2], [0, 1, last], name="curve")
        model = kt.Model("m")
        model.revolute("hinge", model.ground, model.body("arm", mass=1.0, inertia=(1, 1, 1)))
        model.drive("hinge", lambda t: kt.functions.table(t, curve))
        return model.content_hash()

    assert driven(2.0) == driven(2)
    assert driven(2.0) != driven(3.0)
