"""Closures and drives in model files: read, written, hashed, and their mistakes named."""

from __future__ import annotations

import json

import jsonschema
import pytest
from tests.closed import CLOSED

import kinetree as kt
from kinetree.constraints import ALL
from kinetree.errors import FormatError
from kinetree.formats.schema import json_schema
from kinetree.formats.schema_kinds import CLOSURE_MODELS
from kinetree.formats.yaml_file import document, parse_yaml, read, write

SLIDER_CRANK = """\
kinetree: 1
name: slider_crank
gravity: [0, -9.81, 0]
parameters:
  speed: {value: 2, unit: rad/s}
bodies:
  crank:
    mass: 1
    points:
      tip: [1, 0, 0]
  rod:
    mass: 2
    points:
      end: [2, 0, 0]
  slider: {mass: 5}
joints:
  q1: {kind: revolute, parent: ground, child: crank}
  q2: {kind: revolute, parent: crank.tip, child: rod}
  q3: {kind: prismatic, parent: ground, child: slider}
closures:
  pin: {kind: ball, first: rod.end, second: slider}   # the loop
  bar: {kind: rod, first: crank, second: slider, length: 3*speed}
  cam: {kind: law, law: q_q1 - sin(speed*t)}
  gear: {kind: coupling, first: q1, second: q2, ratio: -2}
  track:
    kind: curve
    first: rod
    second: slider
    law: ["y - x**2", z]
drives:
  q1: speed*t
  q2:
"""


def test_a_file_gives_what_the_builder_gives():
    model = read(SLIDER_CRANK)
    assert [c.kind for c in model.closures.values()] == ["ball", "rod", "law", "coupling", "curve"]
    assert [len(c.conditions) for c in model.closures.values()] == [3, 1, 1, 1, 2]
    assert model.drives["q2"].law is None
    assert kt.derive(model, "constraints").input("t").shape == ()


def test_comments_and_texts_survive():
    model = read(SLIDER_CRANK)
    model.bodies["slider"].point("far", (1, 0, 0))
    again = write(model, SLIDER_CRANK)
    assert "# the loop" in again
    assert "length: 3*speed" in again
    assert "law: q_q1 - sin(speed*t)" in again


@pytest.mark.parametrize("name", CLOSED)
def test_round_trip(name):
    model = CLOSED[name]()
    text = write(model)
    again = read(text)
    assert again.content_hash() == model.content_hash()
    assert write(again) == text


def test_the_hash_sees_closures_and_drives():
    base = read(SLIDER_CRANK).content_hash()
    for before, after in (
        ("first: rod.end", "first: rod"), ("ratio: -2", "ratio: 2"), ("q2:\n", "q2: 1\n"),
        ("y - x**2", "y - x"), ("length: 3*speed", "length: 2*speed"),
    ):  # fmt: skip
        assert before in SLIDER_CRANK
        changed = (
            SLIDER_CRANK.replace(before, after) if before != "q2:\n" else SLIDER_CRANK[:-4] + after
        )
        assert read(changed).content_hash() != base
    same = SLIDER_CRANK.replace("q_q1 - sin(speed*t)", "-sin(t*speed) + q_q1")
    assert read(same).content_hash() == base


def test_every_kind_has_its_section():
    assert list(CLOSURE_MODELS) == [kind.name for kind in ALL]
    for kind in ALL:
        assert set(kind.options) <= set(CLOSURE_MODELS[kind.name].model_fields)


@pytest.mark.parametrize("name", CLOSED)
def test_files_follow_the_schema(name):
    jsonschema.Draft202012Validator(json.loads(json_schema())).validate(document(CLOSED[name]()))


MISTAKES = {
    "closures.pin": (
        "kind: ball",
        "kind: bal",
        "there is no closure kind 'bal'; did you mean 'ball'?",
    ),
    "closures.pin.firstt": (
        "{kind: ball, first",
        "{kind: ball, firstt",
        "unknown field; did you mean",
    ),
    "closures.bar.length": ("length: 3*speed", "length: 3*sped", "did you mean 'speed'?"),
    "closures.cam.law": ("q_q1 - sin", "q_q9 - sin", "there is no parameter 'q_q9'"),
    "drives.q1": ("q1: speed*t", "q1: speed*tt", "there is no parameter 'tt'"),
    "closure 'pin' second": (
        "second: slider}   #",
        "second: slide}   #",
        "did you mean 'slider'?",
    ),
    "closure 'gear'": ("second: q2, ratio", "second: qq, ratio", "there is no coordinate 'qq'"),
}


@pytest.mark.parametrize("place", MISTAKES)
def test_mistakes_carry_their_path(place):
    before, after, said = MISTAKES[place]
    assert before in SLIDER_CRANK
    with pytest.raises(FormatError) as caught:
        read(SLIDER_CRANK.replace(before, after))
    assert place in str(caught.value)
    assert said in str(caught.value)


def test_the_file_is_plain_data():
    assert parse_yaml(SLIDER_CRANK, "t")["drives"] == {"q1": "speed*t", "q2": None}
