"""A function of several measures."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from kinetree.arguments import check_arguments, show
from kinetree.arrays import Array
from kinetree.errors import ModelError
from kinetree.measures.measure import NONE, Gathered, Measure, Sighting

WORD = re.compile(r"[^\W\d]\w*")
"""What a measure may be called inside an expression."""


@dataclass(frozen=True)
class FunctionOf(Measure):
    """V = g(V₁, V₂, …); analyses measure the parts and put them together."""

    parts: Mapping[str, Measure] = field(default_factory=lambda: MappingProxyType({}))

    def times(self, end: float) -> Array:
        """None of its own."""
        del end
        return NONE

    def gather(self, seen: Sighting) -> Gathered:
        """V = the value that was put together."""
        return Gathered(seen.integral)

    def __reduce__(self) -> Any:
        """So that it can be sent to other processes."""
        return _rebuild, (self.of, dict(self.parts))


def _rebuild(of: str, parts: dict[str, Measure]) -> FunctionOf:
    return FunctionOf(of, MappingProxyType(parts))


def function_of(of: str, **measures: Any) -> FunctionOf:
    """A function of several measures.

    Args:
        of: an expression of their names, such as "sqrt(a**2 + b**2)".
        **measures: by name, such as a=kt.rms("qdd_x").
    """
    check_arguments(function_of, {"of": of})
    for name, row in measures.items():
        if not isinstance(row, Measure) or not WORD.fullmatch(name):
            raise ModelError(
                f"it is {show(row)}",
                element=f"function_of, '{name}'",
                cure='give measures by name, such as a=kt.rms("qdd_x")',
            )
    if not measures:
        raise ModelError(
            "it is given no measures", element="function_of", cure='give a=kt.rms("qdd_x")'
        )
    return FunctionOf(of, MappingProxyType(dict(measures)))


def simple_measures(measures: Mapping[str, Measure]) -> dict[str, Measure]:
    """All measures of which others are functions, by name: those of NAME are NAME.PART."""
    found: dict[str, Measure] = {}
    work = [*measures.items()]
    while work:
        name, row = work.pop(0)
        if isinstance(row, FunctionOf):
            work = [*((f"{name}.{part}", own) for part, own in row.parts.items()), *work]
        else:
            found[name] = row
    return found
