"""The model file as pydantic models: what may stand in it, and its published JSON schema.

Every mistake of a file is reported at once, each with its path, such as ``bodies.crank.mass``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, Field, ValidationError, WithJsonSchema

from kinetree.errors import FormatError, combine, suggest
from kinetree.files import write_file
from kinetree.formats.field_texts import add_texts
from kinetree.formats.pictures import LAYOUT_JSON, NUMBER_JSON, SHAPES_JSON
from kinetree.formats.schema_kinds import (
    KINDED,
    ROWS,
    ClosureEntry,
    ForceEntry,
    JointEntry,
    LimitsData,
    MimicData,
)
from kinetree.formats.schema_types import (
    SCALAR_JSON,
    VECTOR_JSON,
    ElementSection,
    Name,
    NumberData,
    NumberVector,
    ScalarData,
    Section,
    SettingData,
    Short,
    Text,
    VectorData,
)
from kinetree.model import LOOP_TOLERANCE

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

SCHEMA_FILE = Path(__file__).with_name("model.schema.json")
D = TypeVar("D", bound=BaseModel)
Sections = Mapping[tuple[str, ...], type[BaseModel]]
"""Path -> what stands there."""


class ParameterData(Section):
    """A named parameter: default value and its unit, such as mm or N.m/deg; without one SI."""

    value: NumberData
    unit: Text = ""


class PointData(Section):
    """A point: position in the body frame [m]; frame by a rotation matrix or rpy angles [rad]."""

    position: VectorData = Field(default_factory=lambda: [0, 0, 0])
    rotation: Annotated[list[NumberVector], Field(min_length=3, max_length=3)] | None = None
    rpy: NumberVector | None = None


_point, _parameter = Short("position", VECTOR_JSON), Short("value", NUMBER_JSON)
PointEntry = Annotated[PointData, BeforeValidator(_point.expand), _point]
ParameterEntry = Annotated[ParameterData, BeforeValidator(_parameter.expand), _parameter]


class GroundData(Section):
    """The ground: its points."""

    points: dict[str, PointEntry] = Field(default_factory=dict)


class BodyData(ElementSection):
    """A body: mass [kg], com [m], inertia about it (xx yy zz [xy xz yz]) [kg.m2], points."""

    mass: ScalarData = 0
    com: VectorData = Field(default_factory=lambda: [0, 0, 0])
    inertia: Annotated[list[ScalarData], Field(min_length=3, max_length=6)] = Field(
        default_factory=lambda: [0, 0, 0]
    )
    physical: Annotated[bool, Field(strict=True)] = True
    points: dict[str, PointEntry] = Field(default_factory=dict)


class WrenchData(ElementSection):
    """An external wrench [torque; force]: where it acts, and the frame of its components."""

    at: Name
    frame: Literal["body", "world"] = "body"


class DriveData(ElementSection):
    """A driven coordinate: q(t) as an expression of t; without a law it is given at run time."""

    law: ScalarData | None = None


_drive = Short("law", {"anyOf": [SCALAR_JSON, {"type": "null"}]})
DriveEntry = Annotated[DriveData, BeforeValidator(_drive.expand), _drive]


class TableData(Section):
    """A table, looked up as table_NAME(x) in expressions: knots increasing, one value each."""

    knots: Annotated[list[NumberData], Field(min_length=2)]
    values: Annotated[list[NumberData], Field(min_length=2)]
    slopes: Annotated[list[NumberData], Field(min_length=2)] | None = None


class StateData(ElementSection):
    """A user state: der(x) = rate, an expression of q_NAME, qd_NAME, t, x_NAME and parameters.

    A held one is a mode: it has no rate, events alone change it; without an initial value (null)
    every run gives it, or an event at the start.  One with a clock is found at its ticks by
    `sampled`, in which previous(x_NAME) and hold(x_NAME) are sampled values before the tick.  A
    memory becomes what `remembered` says at every accepted step.
    """

    initial: NumberData | None = 0.0
    rate: ScalarData | None = None
    unit: Text = ""
    held: Annotated[bool, Field(strict=True)] = False
    clock: Text | None = None
    sampled: ScalarData | None = None
    remembered: ScalarData | None = None


class ClockData(Section):
    """A clock: every so many seconds, or every `ratio` ticks of another, from `offset` on."""

    every: NumberData | None = None
    offset: NumberData = 0.0
    of: Text | None = None
    ratio: int = 1


_clock = Short("every", NUMBER_JSON)
ClockEntry = Annotated[ClockData, BeforeValidator(_clock.expand), _clock]
_state = Short("rate", SCALAR_JSON)
StateEntry = Annotated[StateData, BeforeValidator(_state.expand), _state]


class EventData(ElementSection):
    """An event, where `when` passes zero, periodic or at times [s]; `then` gives new values."""

    when: ScalarData | None = None
    direction: Literal["rising", "falling", "both"] = "rising"
    every: NumberData | None = None
    offset: NumberData = 0.0
    at: NumberData | list[NumberData] = Field(default_factory=list)
    stops: Annotated[bool, Field(strict=True)] = False
    then: dict[str, ScalarData] = Field(default_factory=dict)


class OutputData(ElementSection):
    """An output: an expression of q_NAME, qd_NAME, t, x_NAME, parameters and other outputs.

    Or a quantity of a point, seen from `relative_to`, its components in `frame`.
    """

    expression: ScalarData | None = None
    unit: Text = ""
    point: Name | None = None
    quantity: Literal[
        "position", "velocity", "acceleration", "rotation", "orientation", "angular_velocity",
        "angular_acceleration",
    ] = "position"  # fmt: skip
    relative_to: Name = "ground"
    frame: Name = "ground"


class StudyVariableData(Section):
    """What varies in a study, between its lowest and its highest value."""

    bounds: list[NumberData]
    unit: Text = ""


_variable = Short("bounds", {"type": "array", "items": NUMBER_JSON, "minItems": 2, "maxItems": 2})
StudyVariableEntry = Annotated[StudyVariableData, BeforeValidator(_variable.expand), _variable]


class StudyPlanData(Section):
    """Runs of a sweep between the bounds of a study."""

    kind: Text = "sobol"
    runs: int = 1000
    seed: int = 0


class StudyData(Section):
    """A study: what varies, what is measured of runs, what is minimised; it changes no equation."""

    duration: NumberData
    variables: dict[str, StudyVariableEntry]
    measures: dict[str, Text]
    minimise: list[Text] = Field(default_factory=list)
    subject_to: dict[str, list[NumberData | None]] = Field(default_factory=dict)
    run: dict[str, Any] = Field(default_factory=dict)
    plan: StudyPlanData | None = None


class RunData(Section):
    """Settings of an analysis, kept by name; no equation uses them."""

    analysis: Text
    options: dict[str, SettingData] = Field(default_factory=dict)


_output = Short("expression", SCALAR_JSON)
OutputEntry = Annotated[OutputData, BeforeValidator(_output.expand), _output]


SHORT_FIELDS = {"drives": _drive.field, "states": _state.field, "outputs": _output.field}
"""The field that an element of a section may consist of alone, without its name."""


class Document(Section):
    """A mechanism: SI units, radians; order of the joints numbers the coordinates."""

    kinetree: Literal[1] = 1
    name: Text
    gravity: VectorData = Field(default_factory=lambda: [0, 0, -9.81])
    loop_tolerance: NumberData = LOOP_TOLERANCE
    parameters: dict[str, ParameterEntry] = Field(default_factory=dict)
    tables: dict[str, TableData] = Field(default_factory=dict)
    ground: GroundData = Field(default_factory=GroundData)
    bodies: dict[str, BodyData] = Field(default_factory=dict)
    joints: dict[str, JointEntry] = Field(default_factory=dict)
    wrenches: dict[str, WrenchData] = Field(default_factory=dict)
    closures: dict[str, ClosureEntry] = Field(default_factory=dict)
    drives: dict[str, DriveEntry] = Field(default_factory=dict)
    states: dict[str, StateEntry] = Field(default_factory=dict)
    clocks: dict[str, ClockEntry] = Field(default_factory=dict)
    forces: dict[str, ForceEntry] = Field(default_factory=dict)
    outputs: dict[str, OutputEntry] = Field(default_factory=dict)
    events: dict[str, EventData] = Field(default_factory=dict)
    vary: list[str] = Field(default_factory=list)
    studies: dict[str, StudyData] = Field(default_factory=dict)
    runs: dict[str, RunData] = Field(default_factory=dict)
    shapes: Annotated[Any, WithJsonSchema(SHAPES_JSON)] = None
    layout: Annotated[Any, WithJsonSchema(LAYOUT_JSON)] = None


def json_schema() -> str:
    """The JSON schema of a model file, as published beside this module."""
    schema = Document.model_json_schema()
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "kinetree model"
    add_texts(schema, ROWS)
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def validate(data: Any) -> Document:
    """The document behind plain data.

    Raises:
        FormatError: with all mistakes, each with its path.
    """
    return check_document(Document, SECTIONS, data)


def check_document(kind: type[D], sections: Sections, data: Any) -> D:
    """The document of a kind behind plain data.

    Args:
        kind: what is wanted.
        sections: path -> what stands there, for the nearest name of a field.
        data: plain data.

    Raises:
        FormatError: with all mistakes, each with its path.
    """
    try:
        return kind.model_validate(data)
    except ValidationError as error:
        found = [_translate(detail, sections) for detail in error.errors(include_url=False)]
    raise combine(found, FormatError)


def switch_off(document: Document, data: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Take the elements that are switched off out of a document.

    Args:
        document: what `validate` gave for `data`; it is changed.
        data: the plain data.

    Returns:
        Section -> name -> plain data of what was taken out.
    """
    taken: dict[str, dict[str, Any]] = {}
    for section in Document.model_fields:
        rows = getattr(document, section)
        for name in list(rows) if isinstance(rows, dict) else ():
            if getattr(rows[name], "off", False):
                del rows[name]
                taken.setdefault(section, {})[name] = data[section][name]
    return taken


def _translate(detail: ErrorDetails, sections: Sections) -> FormatError:
    """One mistake found by pydantic, as a sentence with path and cure."""
    where = _without_kind(detail["loc"])
    kind, path = detail["type"], ".".join(str(step) for step in where)
    if kind == "extra_forbidden":
        name, known = str(where[-1]), _fields(detail["loc"], sections)
        cure = suggest(name, known, "field")
        if name.isdecimal() and detail["input"] is None:  # {mass: 1,5} is mass 1 and a field 5
            cure = f"if a decimal is meant, write it with a point, as in 1.{name}"
        return FormatError("unknown field", element=path, cure=cure)
    if kind == "missing":
        return FormatError("the field is missing", element=path, cure="add it")
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        given = detail["input"].get("kind") if isinstance(detail["input"], dict) else None
        what, known = str(where[0])[:-1], list(KINDED[str(where[0])])
        said = f"the {what} has no kind" if given is None else f"there is no {what} kind '{given}'"
        return FormatError(said, element=path, cure=suggest(str(given), known, "kind"))
    return FormatError(
        f"{_show(detail['input'])} is not accepted", element=path, cure=_message(detail["msg"])
    )


def _show(value: Any) -> str:
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


SECTIONS: Sections = {
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
    ("states", "*"): StateData,
    ("clocks", "*"): ClockData,
    ("tables", "*"): TableData,
    ("events", "*"): EventData,
    ("outputs", "*"): OutputData,
    ("studies", "*"): StudyData,
    ("studies", "*", "variables", "*"): StudyVariableData,
    ("studies", "*", "plan"): StudyPlanData,
    ("runs", "*"): RunData,
}


def _matches(pattern: str, step: str) -> bool:
    return pattern in ("*", step)


def _fields(where: Sequence[int | str], sections: Sections) -> list[str]:
    """The fields of the section that holds the last step of a path, those of kinds included."""
    parent = tuple(str(step) for step in where[:-1])
    for pattern, section in sections.items():
        if len(pattern) == len(parent) and all(map(_matches, pattern, parent)):
            return [row.alias or name for name, row in section.model_fields.items()]
    return list(KINDED[parent[0]][parent[2]].model_fields)


if __name__ == "__main__":
    write_file(SCHEMA_FILE, json_schema())
