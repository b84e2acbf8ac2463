"""Statements of a class in a component file: connections, equations, events, frictions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from kinetree.acausal.branches import friction
from kinetree.acausal.components import MOST_PARTS, Component, connect, initial
from kinetree.acausal.hybrid.words import every, reset, sample, stop, when
from kinetree.errors import FormatError, KinetreeError
from kinetree.model import Model
from kinetree.storage.component_schema import ClassData, LoopSection
from kinetree.storage.equation_text import EquationReader, find, integer

Indices = Mapping[str, int]
NONE: Indices = {}
"""No index of a loop."""


@contextmanager
def place_errors(where: str) -> Iterator[None]:
    """Errors inside get a place in the file."""
    try:
        yield
    except KinetreeError as error:
        raise type(error)(error.problem, element=where, cure=error.cure) from None


def own_statements(component: Component, data: ClassData, where: str) -> Iterator[Any]:
    """Connections, equations and events that the file says of a component."""
    tables = {
        key: Model(key).table(key, row.knots, row.values, row.slopes)
        for key, row in data.tables.items()
    }

    def read(text: str, place: str, numbers: Indices, rule: str) -> Any:
        reader = EquationReader(text, component, place, numbers, tables)
        return reader.read(getattr(reader, rule))

    for k, joined in enumerate(data.connections):
        place = f"{where}connections.{k}"
        for numbers in _indices(joined, component, place):
            ends = [find(component, end, numbers, place) for end in joined.connect]
            with place_errors(place):
                made = connect(*ends)
            yield made
    for section, wrap in (("equations", None), ("initial", initial)):
        for k, row in enumerate(getattr(data, section)):
            place = f"{where}{section}.{k}"
            for numbers in _indices(row, component, place):
                made = read(row.equation, place, numbers, "equation")
                yield wrap(made) if wrap else made
    yield from _happenings(component, data, where, read)


def _happenings(
    component: Component, data: ClassData, where: str, read: Callable[..., Any]
) -> Iterator[Any]:
    """Events, sampled values and frictions of a component."""
    for k, event in enumerate(data.events):
        place = f"{where}events.{k}"
        changes = [
            reset(find(component, target, NONE, place), read(str(value), place, NONE, "sum"))
            for target, value in event.then.items()
        ] + [stop()] * event.stops
        if (event.when is None) == (event.every is None):
            raise FormatError("it needs 'when' or 'every'", element=place, cure="give one of them")
        if event.when is not None:
            yield when(read(event.when, place, NONE, "relation"), *changes)
        else:
            period, first = (_seconds(component, x, place) for x in (event.every, event.offset))
            with place_errors(place):
                ticks = every(period, first)
            yield when(ticks, *changes)
    for k, row in enumerate(data.samples):
        place = f"{where}samples.{k}"
        times = [_seconds(component, x, place) for x in (row.every, row.offset)]
        rows = [
            find(component, target, NONE, place) == read(str(value), place, NONE, "sum")
            for target, value in row.values.items()
        ]
        with place_errors(place):
            found = sample(every(*times), *rows)
        yield found
    for k, rubs in enumerate(data.frictions):
        place = f"{where}frictions.{k}"
        names = [find(component, path, NONE, place) for path in (rubs.mode, rubs.speed, rubs.force)]
        bounds = [
            None if text is None else read(str(text), place, NONE, "sum")
            for text in (rubs.coulomb, rubs.breakaway)
        ]
        with place_errors(place):
            made = friction(*names, *bounds, one_way=rubs.one_way)
        yield made


def _seconds(component: Component, value: Any, place: str) -> float:
    """A time [s]: a number, or a setting by its name."""
    if isinstance(value, str):
        value = find(component, value, NONE, place)
    if not isinstance(value, int | float):
        raise FormatError(
            "the time of an event is not a number", element=place, cure="give seconds or a setting"
        )
    return float(value)


def _indices(row: LoopSection, component: Component, place: str) -> Iterator[Indices]:
    """The values of the index of a loop; one empty row where there is none."""
    if not row.index:
        yield NONE
        return
    first, last = (integer(x, component, NONE, place) for x in (row.first, row.last))
    if last - first > MOST_PARTS:
        raise FormatError(
            f"it goes from {first} to {last}", element=place, cure="let it end sooner"
        )
    for k in range(first, last + 1):
        yield {row.index: k}
