"""Small readers of XML elements: a missing element or attribute gives its default."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kinetree.errors import FormatError

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


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


def number(text: str, where: str) -> float:
    """A finite number; a locale's comma or a macro is refused."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or "_" in text:
        raise FormatError(f"'{text}' is not a finite number", element=where, cure="write a decimal")
    return value
