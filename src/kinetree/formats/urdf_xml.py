"""XML without document types; small readers of its elements, with defaults for what is missing."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from typing import Any
from xml.etree.ElementTree import Element
from xml.parsers import expat

from kinetree.errors import FormatError
from kinetree.model import Matrix3, rotation_rpy


def parse_xml(source: bytes, where: str) -> ET.Element:
    """The root element; document types are refused before anything in them is used."""

    def refuse(*_: Any) -> None:
        raise FormatError(
            "it declares a document type or an entity",
            element=where,
            cure="remove <!DOCTYPE …>, which is not needed",
        )

    guard = expat.ParserCreate()
    guard.StartDoctypeDeclHandler = refuse
    guard.EntityDeclHandler = refuse
    try:
        guard.Parse(source, True)
        return ET.fromstring(source)
    except (expat.ExpatError, ET.ParseError, ValueError, LookupError) as error:
        raise FormatError(
            f"it is not well-formed XML ({error})", element=where, cure="correct that line"
        ) from error


def child(element: Element | None, tag: str) -> Element | None:
    """The first child with that tag, or none."""
    return None if element is None else element.find(tag)


def attribute(element: Element | None, name: str, default: float, where: str) -> float:
    """A number in an attribute."""
    text = None if element is None else element.get(name)
    return default if text is None else number(text, f"{where} {name}")


def vector(element: Element | None, name: str, default: Sequence[float], where: str) -> list[float]:
    """Three numbers in an attribute."""
    text = None if element is None else element.get(name)
    if text is None:
        return list(default)
    values = [number(word, f"{where} {name}") for word in text.split()]
    if len(values) != len(default):
        raise FormatError(
            f"'{text}' has {len(values)} values",
            element=f"{where} {name}",
            cure=f"give {len(default)}",
        )
    return values


def origin(element: Element | None, where: str) -> tuple[list[float], Matrix3]:
    """Position and rotation of the <origin> of an element; none means zero."""
    found = child(element, "origin")
    xyz = vector(found, "xyz", (0.0, 0.0, 0.0), where)
    return [exact(v) for v in xyz], rotation_rpy(*vector(found, "rpy", (0.0, 0.0, 0.0), where))


def exact(value: float) -> float:
    """The value without a minus on zero."""
    return value + 0.0


def number(text: str, where: str) -> float:
    """A finite number; a locale's comma or a macro is refused."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or "_" in text:
        raise FormatError(f"'{text}' is not a finite number", element=where, cure="write a decimal")
    return value
