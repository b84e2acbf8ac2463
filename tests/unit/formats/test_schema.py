"""The published JSON schema is current and says the same as the reader."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from kinetree.formats.schema import SCHEMA_FILE, json_schema
from kinetree.formats.schema_kinds import JOINT_MODELS
from kinetree.formats.yaml_file import document, parse_yaml, read
from kinetree.formats.yaml_plain import read_plain
from kinetree.joints import ALL


def test_the_published_schema_is_current():
    assert SCHEMA_FILE.read_text(encoding="utf-8") == json_schema(), (
        "write it anew: python -m kinetree.formats.schema"
    )


@pytest.fixture(scope="module")
def validator():
    schema = json.loads(json_schema())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def test_a_sound_file_follows_the_schema(arm, validator):
    validator.validate(parse_yaml(arm, "t"))
    validator.validate(document(read(arm)))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("mass: 1.5", "masss: 1.5"),
        ("kind: revolute", "kind: revolut"),
        ("com: [0, 0, -0.5]", "com: [0, 0]"),
        ("axis: y", "axis: up"),
        ("child: lower, ", ""),
    ],
)
def test_a_bad_file_does_not(arm, validator, before, after):
    assert not validator.is_valid(parse_yaml(arm.replace(before, after, 1), "t"))


def test_every_joint_kind_has_its_section():
    assert list(JOINT_MODELS) == [kind.name for kind in ALL]
    for kind in ALL:
        assert set(kind.options) <= set(JOINT_MODELS[kind.name].model_fields)


def test_pictures_of_shipped_models_fit_their_schema(validator) -> None:
    parts = validator.schema["properties"]
    shapes, layout = (validator.evolve(schema=parts[name]) for name in ("shapes", "layout"))
    for file in sorted((Path(__file__).resolve().parents[3] / "examples/models").glob("*.yaml")):
        data = read_plain(file.read_text(encoding="utf-8"), file.name).data
        shapes.validate(data.get("shapes"))
        layout.validate(data.get("layout"))
    layout.validate({"diagram": {"rod": [3, -4]}})
    for bad in ({"diagram": {"rod": [0.5, 1]}}, {"diagram": {"rod": [1]}}, [1]):
        with pytest.raises(jsonschema.ValidationError):
            layout.validate(bad)
    frustum = {"kind": "frustum", "radius": 0.2, "top": 0.1, "length": 1}
    line = {"kind": "line", "radius": 0.01, "points": [[0, 0, 0], [1, 0, 0]]}
    shapes.validate({"rod": [frustum, line]})
    for bad in ({"rod": line | {"points": [[0, 0, 0]]}}, {"rod": {**frustum, "top": 0}},
                {"rod": {"kind": "bxo"}}, {"rod": [{"kind": "box"}]},
                {"rod": {"kind": "sphere", "radius": -1}}):  # fmt: skip
        with pytest.raises(jsonschema.ValidationError):
            shapes.validate(bad)
