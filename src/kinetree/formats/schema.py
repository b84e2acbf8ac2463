"""The model file as pydantic models: what may stand in it, and its published JSON schema.

Every mistake of a file is reported at once, each with its path, such as ``bodies.crank.mass``.
"""

from __future__ import annotations

import json
from functools import reduce
from operator import or_
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    ValidationError,
    WithJsonSchema,
    create_model,
)

from kinetree.constraints import ALL as CLOSURES
from kinetree.errors import FormatError, combine, suggest
from kinetree.joints import ALL
from kinetree.model.parts import REQUIRED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pydantic_core import CoreSchema, ErrorDetails

    from kinetree.model.closures import ClosureKind
    from kinetree.model.parts import Kind

SCHEMA_FILE = Path(__file__).with_name("model.schema.json")


def _number_or_text(value: Any) -> float | str:
    """A finite number, or a string to be read as an expression."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError("should be a number or an expression")
    if isinstance(value, float) and (value != value or abs(value) == float("inf")):  # noqa: PLR0124
        raise ValueError("should be a finite number")
    return value


def _number(value: Any) -> float:
    """A finite number."""
    if isinstance(value, str):
        raise ValueError("should be a number")
    result = _number_or_text(value)
    assert not isinstance(result, str)
    return result


def _axis(value: Any) -> str | list[float]:
    """A letter or three numbers."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and len(value) == 3:
        return [_number(entry) for entry in value]
    raise ValueError("should be 'x', 'y', 'z' or a list of three numbers")


def _words(value: Any) -> str | list[str]:
    """A string or a list of strings."""
    listed = value if isinstance(value, list) else [value]
    if not all(isinstance(entry, str) for entry in listed):
        raise ValueError("should be words such as 'T1 R3'")
    return value if isinstance(value, str) else list(listed)


def _laws(value: Any) -> list[float | str]:
    """Expressions: one, or a list of them."""
    return [_number_or_text(entry) for entry in (value if isinstance(value, list) else [value])]


def _name(value: Any) -> Any:
    """A name; an integer is one too, because YAML reads a bare 7 as a number."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


NUMBER_JSON: dict[str, Any] = {"type": "number"}
SCALAR_JSON: dict[str, Any] = {
    "anyOf": [{"type": "number"}, {"type": "string"}],
    "description": "a number in SI units, or an expression of the parameters",
}
VECTOR_JSON: dict[str, Any] = {
    "type": "array",
    "items": SCALAR_JSON,
    "minItems": 3,
    "maxItems": 3,
}
AXIS_JSON: dict[str, Any] = {
    "anyOf": [
        {"enum": ["x", "y", "z", "-x", "-y", "-z"]},
        {"type": "array", "items": NUMBER_JSON, "minItems": 3, "maxItems": 3},
    ]
}
WORDS_JSON: dict[str, Any] = {
    "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]
}
LAWS_JSON: dict[str, Any] = {
    "anyOf": [SCALAR_JSON, {"type": "array", "items": SCALAR_JSON, "minItems": 1}]
}

Number = Annotated[Any, BeforeValidator(_number), WithJsonSchema(NUMBER_JSON)]
Scalar = Annotated[Any, BeforeValidator(_number_or_text), WithJsonSchema(SCALAR_JSON)]
Vector = Annotated[list[Scalar], Field(min_length=3, max_length=3)]
NumberVector = Annotated[list[Number], Field(min_length=3, max_length=3)]
Axis = Annotated[Any, BeforeValidator(_axis), WithJsonSchema(AXIS_JSON)]
Words = Annotated[Any, BeforeValidator(_words), WithJsonSchema(WORDS_JSON)]
Laws = Annotated[Any, BeforeValidator(_laws), WithJsonSchema(LAWS_JSON)]
Text = Annotated[str, Field(strict=True)]
Name = Annotated[Text, BeforeValidator(_name)]


class Short:
    """Lets a section be written as one of its fields alone, where it is a list or a number."""

    def __init__(self, field: str, json_schema: dict[str, Any]) -> None:
        self.field, self.json_schema = field, json_schema

    def expand(self, value: Any) -> Any:
        """The full form of a short value."""
        return value if isinstance(value, dict | BaseModel) else {self.field: value}

    def __get_pydantic_json_schema__(
        self, core: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {"anyOf": [self.json_schema, handler(core)]}


class Section(BaseModel):
    """A part of the file; fields it does not know are refused."""

    model_config = ConfigDict(extra="forbid")


class ParameterData(Section):
    """A named parameter: default value in SI units, and its unit."""

    value: Number
    unit: Text = ""


class PointData(Section):
    """A point: position in the body frame [m]; frame by a rotation matrix or rpy angles [rad]."""

    position: Vector = Field(default_factory=lambda: [0, 0, 0])
    rotation: Annotated[list[NumberVector], Field(min_length=3, max_length=3)] | None = None
    rpy: NumberVector | None = None


_point, _parameter = Short("position", VECTOR_JSON), Short("value", NUMBER_JSON)
PointEntry = Annotated[PointData, BeforeValidator(_point.expand), _point]
ParameterEntry = Annotated[ParameterData, BeforeValidator(_parameter.expand), _parameter]


class GroundData(Section):
    """The ground: its points."""

    points: dict[str, PointEntry] = Field(default_factory=dict)


class BodyData(Section):
    """A body: mass [kg], com [m], inertia about it (xx yy zz [xy xz yz]) [kg.m2], points."""

    mass: Scalar = 0
    com: Vector = Field(default_factory=lambda: [0, 0, 0])
    inertia: Annotated[list[Scalar], Field(min_length=3, max_length=6)] = Field(
        default_factory=lambda: [0, 0, 0]
    )
    physical: Annotated[bool, Field(strict=True)] = True
    points: dict[str, PointEntry] = Field(default_factory=dict)


class LimitsData(Section):
    """Bounds of a joint, data only."""

    lower: Number | None = None
    upper: Number | None = None
    velocity: Number | None = None
    effort: Number | None = None


class MimicData(Section):
    """q = ratio·q(joint) + offset, data only."""

    joint: Name
    ratio: Number = 1.0
    offset: Number = 0.0


class JointSection(Section):
    """A joint: places as "body" or "body.point"; what its kind takes; data no equation uses."""

    parent: Name
    child: Name
    limits: LimitsData | None = None
    mimic: MimicData | None = None
    initial: list[Number] | None = None
    coordinates: list[Text] | None = None
    damping: Number = 0.0
    friction: Number = 0.0


class WrenchData(Section):
    """An external wrench [torque; force]: where it acts, and the frame of its components."""

    at: Name
    frame: Literal["body", "world"] = "body"


OPTION_TYPES: dict[str, Any] = {
    "axis": Axis,
    "normal": Axis,
    "axes": Annotated[list[Axis], Field(min_length=2, max_length=2)],
    "pitch": Scalar,
    "steps": Words,
    **dict.fromkeys(("length", "ratio", "offset", "radius", "crown"), Scalar),
    **dict.fromkeys(("first", "second"), Name),
    "law": Laws,
}


class ClosureSection(Section):
    """A closure: places as "body" or "body.point", coordinates, or laws, as its kind takes them."""


class DriveData(Section):
    """A driven coordinate: q(t) as an expression of t; without a law it is given at run time."""

    law: Scalar | None = None


_drive = Short("law", {"anyOf": [SCALAR_JSON, {"type": "null"}]})
DriveEntry = Annotated[DriveData, BeforeValidator(_drive.expand), _drive]


def closure_model(kind: ClosureKind) -> type[ClosureSection]:
    """The section of one closure kind, with its ends and the arguments that kind takes."""
    fields: dict[str, Any] = dict.fromkeys(("first", "second"), (Name, ...)) if kind.ends else {}
    for name, default in kind.options.items():
        wanted = OPTION_TYPES.get(name, Any)
        wanted = wanted if default is not None else wanted | None
        fields[name] = (wanted, ... if default is REQUIRED else default)
    fields["kind"] = (Literal[kind.name], ...)
    made: type[ClosureSection] = create_model(
        f"{kind.name.capitalize()}Closure",
        __base__=ClosureSection,
        __doc__=f"A {kind.name} closure.",
        **fields,
    )
    return made


def joint_model(kind: Kind) -> type[JointSection]:
    """The section of one joint kind, with the arguments that kind takes."""
    fields: dict[str, Any] = {
        name: (OPTION_TYPES.get(name, Any), ... if default is REQUIRED else default)
        for name, default in kind.options.items()
    }
    fields["kind"] = (Literal[kind.name], ...)
    made: type[JointSection] = create_model(
        f"{kind.name.capitalize()}Joint",
        __base__=JointSection,
        __doc__=f"A {kind.name} joint.",
        **fields,
    )
    return made


JOINT_MODELS = {kind.name: joint_model(kind) for kind in ALL}
CLOSURE_MODELS = {kind.name: closure_model(kind) for kind in CLOSURES}
if TYPE_CHECKING:
    JointEntry = JointSection
    ClosureEntry = ClosureSection
else:
    JointEntry = Annotated[reduce(or_, JOINT_MODELS.values()), Field(discriminator="kind")]
    ClosureEntry = Annotated[reduce(or_, CLOSURE_MODELS.values()), Field(discriminator="kind")]
KINDED: dict[str, Mapping[str, type[Section]]] = {
    "joints": JOINT_MODELS,
    "closures": CLOSURE_MODELS,
}
"""Sections whose entries are of kinds, each with fields of its own."""


class Document(Section):
    """A mechanism: SI units, radians; order of the joints numbers the coordinates."""

    kinetree: Literal[1] = 1
    name: Text
    gravity: Vector = Field(default_factory=lambda: [0, 0, -9.81])
    parameters: dict[str, ParameterEntry] = Field(default_factory=dict)
    ground: GroundData = Field(default_factory=GroundData)
    bodies: dict[str, BodyData] = Field(default_factory=dict)
    joints: dict[str, JointEntry] = Field(default_factory=dict)
    wrenches: dict[str, WrenchData] = Field(default_factory=dict)
    closures: dict[str, ClosureEntry] = Field(default_factory=dict)
    drives: dict[str, DriveEntry] = Field(default_factory=dict)
    shapes: Any = None
    layout: Any = None


def json_schema() -> str:
    """The JSON schema of a model file, as published beside this module."""
    schema = Document.model_json_schema()
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "kinetree model"
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def validate(data: Any) -> Document:
    """The document behind plain data.

    Raises:
        FormatError: with all mistakes, each with its path.
    """
    try:
        return Document.model_validate(data)
    except ValidationError as error:
        found = [_translate(detail) for detail in error.errors(include_url=False)]
    raise combine(found, FormatError)


def _translate(detail: ErrorDetails) -> FormatError:
    """One mistake found by pydantic, as a sentence with path and cure."""
    where = _without_kind(detail["loc"])
    kind, path = detail["type"], ".".join(str(step) for step in where)
    if kind == "extra_forbidden":
        known = _fields(detail["loc"])
        return FormatError(
            "unknown field", element=path, cure=suggest(str(where[-1]), known, "field")
        )
    if kind == "missing":
        return FormatError("the field is missing", element=path, cure="add it")
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        given = detail["input"].get("kind") if isinstance(detail["input"], dict) else None
        what, known = str(where[0])[:-1], list(KINDED[str(where[0])])
        said = f"the {what} has no kind" if given is None else f"there is no {what} kind '{given}'"
        return FormatError(said, element=path, cure=suggest(str(given), known, "kind"))
    return FormatError(
        f"{_shown(detail['input'])} is not accepted", element=path, cure=_message(detail["msg"])
    )


def _shown(value: Any) -> str:
    """A short picture of what was given."""
    spelled = repr(value)
    return spelled if len(spelled) <= 60 else spelled[:57] + "…"


def _message(text: str) -> str:
    """Pydantic's words as the end of a sentence: what it should be."""
    words = text.removeprefix("Value error, ").removeprefix("Input ")
    return words[:1].lower() + words[1:]


def _without_kind(loc: Sequence[int | str]) -> tuple[int | str, ...]:
    """The path without the kind that pydantic inserts after the name of a joint or closure."""
    if len(loc) > 2 and loc[2] in KINDED.get(str(loc[0]), ()):
        return (*loc[:2], *loc[3:])
    return tuple(loc)


SECTIONS: dict[tuple[str, ...], type[Section]] = {
    (): Document,
    ("parameters", "*"): ParameterData,
    ("ground",): GroundData,
    ("ground", "points", "*"): PointData,
    ("bodies", "*"): BodyData,
    ("bodies", "*", "points", "*"): PointData,
    ("joints", "*", "*", "limits"): LimitsData,
    ("joints", "*", "*", "mimic"): MimicData,
    ("wrenches", "*"): WrenchData,
    ("drives", "*"): DriveData,
}


def _matches(pattern: str, step: str) -> bool:
    return pattern in ("*", step)


def _fields(where: Sequence[int | str]) -> list[str]:
    """The fields of the section that holds the last step of a path, those of kinds included."""
    parent = tuple(str(step) for step in where[:-1])
    for pattern, section in SECTIONS.items():
        if len(pattern) == len(parent) and all(map(_matches, pattern, parent)):
            return list(section.model_fields)
    return list(KINDED[parent[0]][parent[2]].model_fields)


if __name__ == "__main__":
    SCHEMA_FILE.write_text(json_schema(), encoding="utf-8", newline="\n")
