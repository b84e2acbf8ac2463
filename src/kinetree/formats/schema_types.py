"""Values of a model file as pydantic types: numbers, expressions, axes, words, laws."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    WithJsonSchema,
)

from kinetree.formats.pictures import AXIS_JSON, NUMBER_JSON

if TYPE_CHECKING:
    from pydantic_core import CoreSchema


def _number_or_text(value: Any) -> float | str:
    """A finite number, or a string to be read as an expression."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError("should be a number or an expression")
    if isinstance(value, str):
        return value
    if not -sys.float_info.max <= value <= sys.float_info.max:
        raise ValueError("should be a finite number")
    return value


def _setting(value: Any) -> float | str | bool:
    """What an option of an analysis is given as."""
    if not isinstance(value, bool | int | float | str):
        raise ValueError("should be a number, a word or true")
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


SCALAR_JSON: dict[str, Any] = {
    "anyOf": [{"type": "number"}, {"type": "string"}],
    "description": "a number in SI units, or an expression of the parameters",
}
VECTOR_JSON: dict[str, Any] = {"type": "array", "items": SCALAR_JSON, "minItems": 3, "maxItems": 3}
WORDS_JSON: dict[str, Any] = {
    "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]
}
STARTS_JSON: dict[str, Any] = {
    "anyOf": [{"type": "number"}, {"type": "string"}, {"type": "array", "items": SCALAR_JSON}],
    "description": "numbers in SI units, or texts with their unit such as '30 deg'",
}
LAWS_JSON: dict[str, Any] = {
    "anyOf": [SCALAR_JSON, {"type": "array", "items": SCALAR_JSON, "minItems": 1}]
}

NumberData = Annotated[Any, BeforeValidator(_number), WithJsonSchema(NUMBER_JSON)]
ScalarData = Annotated[Any, BeforeValidator(_number_or_text), WithJsonSchema(SCALAR_JSON)]
SettingData = Annotated[
    Any, BeforeValidator(_setting), WithJsonSchema({"type": ["number", "string", "boolean"]})
]
VectorData = Annotated[list[ScalarData], Field(min_length=3, max_length=3)]
NumberVector = Annotated[list[NumberData], Field(min_length=3, max_length=3)]
AxisData = Annotated[Any, BeforeValidator(_axis), WithJsonSchema(AXIS_JSON)]
Words = Annotated[Any, BeforeValidator(_words), WithJsonSchema(WORDS_JSON)]
Laws = Annotated[Any, BeforeValidator(_laws), WithJsonSchema(LAWS_JSON)]
StartsData = Annotated[Any, BeforeValidator(_laws), WithJsonSchema(STARTS_JSON)]
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


class ElementSection(Section):
    """An element; one that is switched off stays in the file and is left out of the model."""

    off: Annotated[bool, Field(strict=True)] = False
