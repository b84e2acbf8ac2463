"""Classes of components from the data of a file: declarations as attributes, statements as texts.

Nothing of a file is run: its equations are read by a grammar, in the names of the component.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from kinetree import library
from kinetree.acausal.components import (
    Component,
    Connector,
    Element,
    declarations,
    refuse_size,
)
from kinetree.acausal.declarations import (
    Declaration,
    DeclaredParameter,
    DeclaredPart,
    DeclaredPort,
    DeclaredVariable,
    Setting,
    merge,
)
from kinetree.errors import FormatError, suggest, unknown
from kinetree.storage.component_schema import ClassData, ComponentDocument, PartData
from kinetree.storage.equation_text import WORDS, EquationReader, integer
from kinetree.storage.statements import NONE, own_statements, place_errors
from kinetree.units import QUANTITY

NAME = re.compile(r"[^\W\d]\w*")
UNIT = re.compile(r"[^\W\d]|1/|[°%]")
"""How a unit begins, behind the number of a quantity."""
RESERVED = ("kind", "count", "array", "time", *WORDS)
"""Words of parts and of the grammar."""


def library_kinds() -> dict[str, type[Element]]:
    """Components and connectors of the libraries, by domain and name."""
    found: dict[str, type[Element]] = {}
    for domain in sorted(row.name for row in iter_modules(library.__path__)):
        room = import_module(f"{library.__name__}.{domain}")
        for name, kind in vars(room).items():
            own = isinstance(kind, type) and issubclass(kind, Element)
            if own and kind.__module__.startswith(room.__name__) and name[0] != "_":
                found[f"{domain}.{name}"] = kind
    return found


@dataclass
class Kinds:
    """Kinds by name, and what reads models that a setting names.

    Attributes:
        load: the model of a file name, or of plain data.
        by_name: of the libraries, then of the file.
    """

    load: Callable[[Any], Any]
    by_name: dict[str, type[Element]] = field(default_factory=library_kinds)

    def component(self, name: str, where: str) -> type[Component]:
        """A class of components."""
        found: type[Component] = self._kind(name, Component, "component", where)
        return found

    def connector(self, name: str, where: str) -> type[Connector]:
        """A class of connectors."""
        found: type[Connector] = self._kind(name, Connector, "connector", where)
        return found

    def _kind(self, name: str, base: type[Any], what: str, where: str) -> Any:
        found = self.by_name.get(name)
        if found is None or not issubclass(found, base):
            known = [key for key, kind in self.by_name.items() if issubclass(kind, base)]
            short = {key.rpartition(".")[2]: key for key in known}
            cure = f"write {short[name]}" if name in short else suggest(name, known, what)
            raise FormatError(f"there is no {what} '{name}'", element=where, cure=cure)
        return found


def make_classes(document: ComponentDocument, kinds: Kinds) -> type[Component]:
    """The class of the whole; those of the file are added to the kinds on the way."""
    refuse_names(document.connectors, "connectors")
    for name, data in document.connectors.items():
        rows: dict[str, Any] = {k: DeclaredVariable("across", u) for k, u in data.across.items()}
        rows |= {k: DeclaredVariable("through", u) for k, u in data.through.items()}
        refuse_names(rows, f"connectors.{name}")
        kinds.by_name[name] = type(name, (Connector,), rows)
    for name in _order(document.classes):
        data_of_class = document.classes[name]
        kinds.by_name[name] = make_class(name, data_of_class, kinds, f"classes.{name}.")
    return make_class(document.component, document, kinds, "")


def _order(classes: Mapping[str, ClassData]) -> list[str]:
    """Names of classes, each after those that it is made of."""
    needs = {
        name: [
            kind for kind in dict.fromkeys((data.extends, *map(_kind_of, _parts(data))))
            if kind in classes
        ]
        for name, data in classes.items()
    }  # fmt: skip
    try:
        return list(TopologicalSorter(needs).static_order())
    except CycleError as error:
        ring = " → ".join(error.args[1])
        raise FormatError(
            f"classes are made of each other: {ring}",
            element=f"classes.{error.args[1][0]}",
            cure="take a part or 'extends' away",
        ) from None


def _parts(data: ClassData) -> Iterator[PartData]:
    for row in data.parts.values():
        yield from row.array if row.array is not None else (row,)


def _kind_of(row: PartData) -> str:
    return row.kind


def make_class(name: str, data: ClassData, kinds: Kinds, where: str) -> type[Component]:
    """One class.

    Args:
        name: of the class.
        data: what the file says of it.
        kinds: kinds that it may use.
        where: its place in the file, before names of fields.
    """
    base = kinds.component(data.extends, f"{where}extends") if data.extends else Component
    rows: dict[str, Any] = dict(_declarations(data, kinds, where))
    refuse_names(rows, where.rstrip("."))
    arrays = {k: row for k, row in data.parts.items() if row.count is not None or row.array}
    for key in data.values:
        if key not in declarations(base):
            raise unknown("parameter, variable or part", key, declarations(base), f"{where}values")
    given = convert(base, data.values, kinds, f"{where}values")
    rows |= {key: _with_value(declarations(base)[key], value) for key, value in given.items()}
    method = "law" if hasattr(base, "law") else "equations"
    rows[method] = _statements(base, method, data, where)
    if arrays:
        rows["setup"] = _setup(base, arrays, kinds, where)
    if not NAME.fullmatch(name):
        raise FormatError(
            f"'{name}' is not a valid name of a class", element=where.rstrip(".") or "component",
            cure="use letters, digits and _",
        )  # fmt: skip
    made = type(name, (base,), rows)
    with place_errors(where.rstrip(".") or "component"):
        declarations(made)
    return made


def refuse_names(rows: Mapping[str, Any], where: str) -> None:
    """Refuse words of files and what is not a name."""
    for name in rows:
        if name in RESERVED or not NAME.fullmatch(name) or name.startswith("_"):
            raise FormatError(
                f"'{name}' is {'a word' if name in RESERVED else 'not a valid name'} of files",
                element=where, cure="choose another name",
            )  # fmt: skip


def _declarations(data: ClassData, kinds: Kinds, where: str) -> Iterator[tuple[str, Any]]:
    """Declarations of a class, by name."""
    for key, value in data.settings.items():
        yield key, Setting(setting_value(value, kinds))
    for key, number in data.parameters.items():
        yield key, parameter_of(number.value, number.unit, f"{where}parameters.{key}")
    for role, rows in (("variable", data.variables), ("in", data.inputs), ("out", data.outputs)):
        for key, row in rows.items():
            start = float(row.start) if isinstance(row.start, int | float) else row.start
            yield key, DeclaredVariable(role, row.unit, start, row.fixed, row.select)
    for key, held in data.modes.items():
        yield key, DeclaredVariable("mode", held.unit, float(held.start), fixed=True)
    for key, kind in data.ports.items():
        yield key, DeclaredPort(kinds.connector(kind, f"{where}ports.{key}"))
    for key, one in data.parts.items():
        if one.count is None and one.array is None:
            kind_of_part = kinds.component(one.kind, f"{where}parts.{key}")
            values = convert(kind_of_part, one.values, kinds, f"{where}parts.{key}")
            yield key, DeclaredPart(kind_of_part, values)


def parameter_of(value: Any, unit: str, where: str) -> DeclaredParameter:
    """A parameter: a number with its unit, "3 kohm", or an expression of others."""
    found = QUANTITY.fullmatch(value.strip()) if isinstance(value, str) else None
    if found and not unit and (not found[2] or UNIT.match(found[2])):
        return DeclaredParameter(float(found[1]), found[2] or "")
    return DeclaredParameter(_value(value, where), unit)


def _value(value: Any, where: str) -> Any:
    """A number, a text with a unit, or a function of the component around for an expression."""
    if not isinstance(value, str):
        return value
    found = QUANTITY.fullmatch(value.strip())
    if found and (not found[2] or UNIT.match(found[2])):
        return value if found[2] else float(found[1])

    def expression(around: Component) -> Any:
        reader = EquationReader(value, around, where, NONE, {})
        return reader.read(reader.sum)

    return expression


def convert(
    kind: type[Element], data: Mapping[str, Any], kinds: Kinds, where: str
) -> dict[str, Any]:
    """Values of a part as its class takes them.

    Args:
        kind: class of the part.
        data: values by name, as in the file.
        kinds: reads models that settings name.
        where: place in the file.
    """
    known, found = declarations(kind), dict[str, Any]()
    for name, value in data.items():
        row = known.get(name)
        place = f"{where}.{name}"
        if row is None or isinstance(row, DeclaredPort):
            names = [k for k, v in known.items() if not isinstance(v, DeclaredPort)]
            raise unknown("parameter, variable or part", name, names, place)
        if isinstance(row, DeclaredPart):
            if not isinstance(value, dict):
                raise FormatError(
                    "it is a part", element=place, cure="give values by name in a mapping"
                )
            found[name] = convert(row.kind, value, kinds, place)
        elif isinstance(row, Setting):
            found[name] = setting_value(value, kinds)
        else:
            found[name] = _value(value, place)
    return found


def setting_value(value: Any, kinds: Kinds) -> Any:
    """A plain value; a model where a file or a whole model stands."""
    is_model = isinstance(value, dict) and ("file" in value or "bodies" in value)
    return kinds.load(value) if is_model else value


def _with_value(row: Declaration, value: Any) -> Declaration:
    """A declaration with another value."""
    if isinstance(row, DeclaredPart):
        return DeclaredPart(row.kind, merge(row.values, value))
    if isinstance(row, DeclaredParameter):
        return DeclaredParameter(value, row.si if isinstance(value, str) else row.unit)
    if isinstance(row, DeclaredVariable):
        new = value if isinstance(value, dict) else {"start": value, "fixed": True}
        old = {"start": row.start, "fixed": row.fixed, "select": row.select}
        return DeclaredVariable(row.role, row.unit, **{**old, **new})
    return Setting(value)


def _setup(
    base: type[Component], arrays: Mapping[str, PartData], kinds: Kinds, where: str
) -> Callable[[Component], None]:
    """Makes arrays of parts."""
    made = {
        name: [
            (kinds.component(one.kind, f"{where}parts.{name}"), one)
            for one in (row.array if row.array is not None else (row,))
        ]
        for name, row in arrays.items()
    }
    values = {
        name: [convert(kind, one.values, kinds, f"{where}parts.{name}") for kind, one in rows]
        for name, rows in made.items()
    }

    def setup(self: Component) -> None:
        base.setup(self)
        for name, rows in made.items():
            count = arrays[name].count
            size = 1 if count is None else integer(count, self, NONE, f"{where}parts.{name}.count")
            refuse_size(size, name)
            pairs = list(zip(rows, values[name], strict=True)) * size
            setattr(self, name, [kind(**given) for (kind, _), given in pairs])

    return setup


def _statements(
    base: type[Component], method: str, data: ClassData, where: str
) -> Callable[[Component], Iterator[Any]]:
    """What `equations()` or `law()` of a class yields: what its base says, and its own."""
    inherited = getattr(base, method)
    complete = not getattr(inherited, "__isabstractmethod__", False)

    def statements(self: Component) -> Iterator[Any]:
        yield from (inherited(self) or ()) if complete else ()
        yield from own_statements(self, data, where)

    return statements
