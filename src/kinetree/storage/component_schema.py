"""The component file as pydantic models: what may stand in it, and its published JSON schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from kinetree.files import write_file
from kinetree.formats.pictures import NUMBER_JSON
from kinetree.formats.schema import TableData, check_document
from kinetree.formats.schema_types import SCALAR_JSON, NumberData, ScalarData, Section, Short, Text

SCHEMA_FILE = Path(__file__).with_name("component.schema.json")
TEXT_JSON: dict[str, Any] = {"type": "string"}


class VariableData(Section):
    """A variable: unit of the SI, value to begin from, whether it is fixed, wish for a state."""

    unit: Text = ""
    start: ScalarData | None = None
    fixed: Annotated[bool, Field(strict=True)] = False
    select: Literal["always", "prefer", "default", "avoid", "never"] = "default"


class NumberParameterData(Section):
    """A parameter: a number in its unit, or an expression of other parameters in SI units."""

    value: ScalarData
    unit: Text = ""


class ModeData(Section):
    """A value that events alone change."""

    start: NumberData = 0.0
    unit: Text = ""


class ConnectorData(Section):
    """A connector: unit by name of potentials, which are equal, and flows, which add to zero."""

    across: dict[str, Text] = Field(default_factory=dict)
    through: dict[str, Text] = Field(default_factory=dict)


def _part(value: Any) -> Any:
    """The full form of a part: its kind alone, or a list of parts."""
    if isinstance(value, dict | BaseModel):
        return value
    return {"array": value} if isinstance(value, list) else {"kind": value}


class PartData(BaseModel):
    """A part: its kind, and values by name; `count` makes an array of equal ones."""

    model_config = ConfigDict(extra="allow")
    kind: Text = ""
    count: ScalarData | None = None
    array: list[PartEntry] | None = None

    @property
    def values(self) -> dict[str, Any]:
        """Values by name."""
        return dict(self.model_extra or {})


PartEntry = Annotated[
    PartData, BeforeValidator(_part), Short("kind", {"type": ["string", "array"]})
]


class LoopSection(Section):
    """What is said once, or for every index from a first to a last one."""

    index: Text = Field("", alias="for")
    first: ScalarData = Field(0, alias="from")
    last: ScalarData = Field(0, alias="to")


class ConnectionData(LoopSection):
    """Ports that meet, or signals that are one."""

    connect: Annotated[list[Text], Field(min_length=2)]


class EquationData(LoopSection):
    """An equation, a == b."""

    equation: Text


class HappeningData(Section):
    """An event, where `when` becomes true or every so many seconds: new values, or the end."""

    when: Text | None = None
    every: ScalarData | None = None
    offset: ScalarData = 0.0
    then: dict[str, ScalarData] = Field(default_factory=dict)
    stops: bool = False


class SampleData(Section):
    """Modes that are found every so many seconds, from values of the instant."""

    every: ScalarData
    offset: ScalarData = 0.0
    values: dict[str, ScalarData]


class FrictionData(Section):
    """Dry friction: variables of mode, speed and force, bounds of sliding and of sticking."""

    mode: Text
    speed: Text
    force: Text
    coulomb: ScalarData
    breakaway: ScalarData | None = None
    one_way: Annotated[bool, Field(strict=True)] = False


_variable, _parameter = Short("unit", TEXT_JSON), Short("value", SCALAR_JSON)
_mode, _equation = Short("start", NUMBER_JSON), Short("equation", TEXT_JSON)
_connection = Short("connect", {"type": "array", "items": TEXT_JSON})
VariableEntry = Annotated[VariableData, BeforeValidator(_variable.expand), _variable]
NumberEntry = Annotated[NumberParameterData, BeforeValidator(_parameter.expand), _parameter]
ModeEntry = Annotated[ModeData, BeforeValidator(_mode.expand), _mode]
ConnectionEntry = Annotated[ConnectionData, BeforeValidator(_connection.expand), _connection]
EquationEntry = Annotated[EquationData, BeforeValidator(_equation.expand), _equation]


class ClassData(Section):
    """A class of components: what it has, what it is made of, what holds."""

    extends: Text = ""
    settings: dict[str, Any] = Field(default_factory=dict)
    tables: dict[str, TableData] = Field(default_factory=dict)
    parameters: dict[str, NumberEntry] = Field(default_factory=dict)
    variables: dict[str, VariableEntry] = Field(default_factory=dict)
    inputs: dict[str, VariableEntry] = Field(default_factory=dict)
    outputs: dict[str, VariableEntry] = Field(default_factory=dict)
    modes: dict[str, ModeEntry] = Field(default_factory=dict)
    ports: dict[str, Text] = Field(default_factory=dict)
    parts: dict[str, PartEntry] = Field(default_factory=dict)
    values: dict[str, Any] = Field(default_factory=dict)
    connections: list[ConnectionEntry] = Field(default_factory=list)
    equations: list[EquationEntry] = Field(default_factory=list)
    initial: list[EquationEntry] = Field(default_factory=list)
    events: list[HappeningData] = Field(default_factory=list)
    samples: list[SampleData] = Field(default_factory=list)
    frictions: list[FrictionData] = Field(default_factory=list)


class ComponentDocument(ClassData):
    """A component, with the classes and connectors that it is made of."""

    kinetree: Literal[1] = 1
    component: Text
    connectors: dict[str, ConnectorData] = Field(default_factory=dict)
    classes: dict[str, ClassData] = Field(default_factory=dict)


_INSIDE: dict[tuple[str, ...], type[BaseModel]] = {
    (): ClassData,
    ("tables", "*"): TableData,
    ("parameters", "*"): NumberParameterData,
    ("variables", "*"): VariableData,
    ("inputs", "*"): VariableData,
    ("outputs", "*"): VariableData,
    ("modes", "*"): ModeData,
    ("connections", "*"): ConnectionData,
    ("equations", "*"): EquationData,
    ("initial", "*"): EquationData,
    ("events", "*"): HappeningData,
    ("samples", "*"): SampleData,
    ("frictions", "*"): FrictionData,
}
SECTIONS: dict[tuple[str, ...], type[BaseModel]] = {
    **_INSIDE,
    **{("classes", "*", *path): kind for path, kind in _INSIDE.items()},
    (): ComponentDocument,
    ("connectors", "*"): ConnectorData,
}
"""Path -> section there, for the nearest name of a field."""


def validate(data: Any) -> ComponentDocument:
    """The document behind plain data.

    Raises:
        FormatError: with all mistakes, each with its path.
    """
    return check_document(ComponentDocument, SECTIONS, data)


def json_schema() -> str:
    """The JSON schema of a component file, as published beside this module."""
    schema = ComponentDocument.model_json_schema()
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "kinetree component"
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    write_file(SCHEMA_FILE, json_schema())
