"""Components as plain data of files: classes written out, equations as texts.

Classes of the libraries are named; others are described as they are, with all that they inherit.
What settings decide is decided: a class that makes its parts in `setup` is written with them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kinetree.acausal.branches import RubbingPart
from kinetree.acausal.components import (
    Component,
    Connection,
    Connector,
    Element,
    InitialEquation,
    declarations,
    made_parts,
    settle,
    statements_of,
)
from kinetree.acausal.declarations import (
    DeclaredParameter,
    DeclaredPart,
    DeclaredPort,
    DeclaredVariable,
    OuterPart,
    Setting,
)
from kinetree.acausal.hybrid.words import Reset, SampledEquations, Ticks, When
from kinetree.acausal.physical import Physical, PhysicalEquation, join_name, split_name
from kinetree.engine import Node, Rank, compounds, substitute, symbol, symbols, text
from kinetree.errors import UnsupportedError
from kinetree.formats.yaml_file import document
from kinetree.model import Model, time_symbol
from kinetree.model.contents import table_data
from kinetree.storage.classes import library_kinds, refuse_names

SECTIONS = {"variable": "variables", "in": "inputs", "out": "outputs"}


def describe(component: Component) -> dict[str, Any]:
    """The content of a component file."""
    names = {kind: name for name, kind in library_kinds().items()}
    writer = _Writer(names)
    whole = writer.body(component)
    name = type(component).__name__
    kinds = {"connectors": writer.connectors, "classes": writer.classes}
    return {
        "kinetree": 1, "component": name, **{k: v for k, v in kinds.items() if v}, **whole,
    }  # fmt: skip


class _Writer:
    """Classes and connectors that were met on the way.

    Attributes:
        names: kind -> its name in files.
        connectors: name -> data.
        classes: name -> data.
    """

    def __init__(self, names: dict[type[Element], str]) -> None:
        self.names = names
        self.connectors: dict[str, Any] = {}
        self.classes: dict[str, Any] = {}

    def body(self, given: Component) -> dict[str, Any]:
        """The data of the class of a component, as a whole of its own."""
        component = type(given)(**given.given)
        settle(component)
        found: dict[str, Any] = {}
        for name, row in declarations(type(component)).items():
            self._declare(found, component, name, row)
        self._arrays(found, component)
        self._state(found, component)
        for section, rows in found.items():
            if isinstance(rows, dict):
                refuse_names(rows, f"class '{type(component).__name__}' {section}")
        return found

    def _declare(self, found: dict[str, Any], component: Component, name: str, row: Any) -> None:
        given = component.given.get(name)
        if isinstance(row, DeclaredVariable):
            section, data = _variable(row, given)
            found.setdefault(section, {})[name] = data
        elif isinstance(row, DeclaredParameter):
            found.setdefault("parameters", {})[name] = _parameter(row, given, component)
        elif isinstance(row, DeclaredPort):
            found.setdefault("ports", {})[name] = self.connector(row.kind)
        elif isinstance(row, DeclaredPart):
            found.setdefault("parts", {})[name] = self.part(getattr(component, name))
        elif isinstance(row, OuterPart):
            raise UnsupportedError(
                f"it uses '{name}', which stands around it",
                element=f"class '{type(component).__name__}'",
                cure="give it a port, and connect that with what stands around it",
            )

    def _arrays(self, found: dict[str, Any], component: Component) -> None:
        """Parts that `setup` made: alone, or in lists."""
        for one in made_parts(component):
            if not isinstance(one, Component):
                raise UnsupportedError(
                    f"'{one.label}' is a port that setup() makes",
                    element=f"class '{type(component).__name__}'",
                    cure="declare it with port(…)",
                )
            label, listed, _ = one.label.partition("[")
            rows = found.setdefault("parts", {})
            if listed:
                rows.setdefault(label, []).append(self.part(one))
            else:
                rows[label] = self.part(one)
        for label, rows in found.get("parts", {}).items():
            if isinstance(rows, list) and all(row == rows[0] for row in rows):
                first = rows[0] if isinstance(rows[0], dict) else {"kind": rows[0]}
                found["parts"][label] = {**first, "count": len(rows)}

    def part(self, one: Component) -> Any:
        """The data of a part: its kind, with values where it has some."""
        kind = type(one)
        if kind in self.names:
            values = {k: _plain(v, one) for k, v in one.given.items()}
            return {"kind": self.names[kind], **values} if values else self.names[kind]
        structure = {k: v for k, v in one.given.items() if self._decides(kind, k)}
        body = self.body(kind(**structure))
        name = self._name(self.classes, kind.__name__, body)
        values = {k: _plain(v, one) for k, v in one.given.items() if k not in structure}
        return {"kind": name, **values} if values else name

    def _decides(self, kind: type[Component], name: str) -> bool:
        """Whether a value decides what a class is made of: a setting, or values of parts."""
        return isinstance(declarations(kind)[name], Setting | DeclaredPart)

    def connector(self, kind: type[Connector]) -> str:
        """The name of a kind of connectors."""
        if kind in self.names:
            return self.names[kind]
        data: dict[str, Any] = {}
        for name, row in declarations(kind).items():
            if isinstance(row, DeclaredVariable):
                data.setdefault(row.role, {})[name] = row.unit
        return self._name(self.connectors, kind.__name__, data)

    @staticmethod
    def _name(taken: dict[str, Any], name: str, data: Any) -> str:
        """The name under which data are kept: equal ones once, others with a number."""
        found, count = name, 1
        while found in taken and taken[found] != data:
            count += 1
            found = f"{name}_{count}"
        taken[found] = data
        return found

    def _state(self, found: dict[str, Any], component: Component) -> None:
        """What holds: equations, connections, initial equations, events."""
        for made in statements_of(component):
            for one in compounds(_nodes(made)):
                if one.op.lookup is not None:
                    data, _ = one.op.lookup
                    found.setdefault("tables", {})[data.name] = table_data(data)
            if isinstance(made, PhysicalEquation):
                found.setdefault("equations", []).append(_equation(made))
            elif isinstance(made, Connection):
                ends = [e.path if isinstance(e, Connector) else _text(e.node) for e in made.ends]
                found.setdefault("connections", []).append(ends)
            elif isinstance(made, InitialEquation):
                found.setdefault("initial", []).append(_equation(made.equation))
            elif isinstance(made, When):
                found.setdefault("events", []).append(_event(made))
            elif isinstance(made, SampledEquations):
                found.setdefault("samples", []).append(_sample(made))
            elif isinstance(made, RubbingPart):
                found.setdefault("frictions", []).append(_friction(made))
            else:
                raise UnsupportedError(
                    "its equations are those of a model of bodies and joints",
                    element=f"class '{type(component).__name__}'",
                    cure="use multibody.Mechanism itself as a part",
                )


def _nodes(made: Any) -> list[Node]:
    """The expressions of a statement."""
    if isinstance(made, PhysicalEquation):
        return [made.residual]
    if isinstance(made, InitialEquation):
        return [made.equation.residual]
    if isinstance(made, When):
        margin = [] if isinstance(made.condition, Ticks) else [made.condition.margin]
        return [*margin, *(row.value for row in made.changes)]
    if isinstance(made, SampledEquations):
        return [value for _, value in made.rows]
    if isinstance(made, RubbingPart):
        return [made.coulomb, made.breakaway]
    return []


def _variable(row: DeclaredVariable, given: Any) -> tuple[str, Any]:
    """Section and data of a variable with the start values that it is given."""
    new = given if isinstance(given, dict) else {"start": given, "fixed": True}
    now = {"start": row.start, "fixed": row.fixed, "select": row.select}
    now |= new if given is not None else {}
    if row.role == "mode":
        return "modes", {"start": now["start"], "unit": row.unit} if row.unit else now["start"]
    plain = {"start": None, "fixed": False, "select": "default"}
    rows = {key: value for key, value in now.items() if value != plain[key]}
    return SECTIONS[row.role], {"unit": row.unit, **rows} if rows else row.unit


def _parameter(row: DeclaredParameter, given: Any, component: Component) -> Any:
    """The value of a parameter: a number with its unit, or an expression."""
    value = row.value if given is None else given
    if callable(value):
        value = value(component)
    if isinstance(value, Physical):
        value = _text(value.node)
        return {"value": value, "unit": row.si} if row.unit else value
    if isinstance(value, str) or not row.unit:
        return value
    return {"value": value, "unit": row.unit}


def _plain(value: Any, one: Component) -> Any:
    """A value of a part as it stands in a file."""
    if callable(value):
        value = value(one.owner or one)
    if isinstance(value, Physical):
        return _text(value.node)
    if isinstance(value, Model):
        return document(value)
    if isinstance(value, dict):
        return {k: _plain(v, one) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v, one) for v in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise UnsupportedError(
        f"a value is of the kind {type(value).__name__}",
        element=f"component '{one.path}'",
        cure="files hold numbers, texts, lists, mappings and models",
    )


def _text(node: Node) -> str:
    """An expression in the grammar of files."""
    return text(substitute((node,), {s: _symbol(s) for s in symbols((node,))})[0])


def _symbol(s: Node) -> Node:
    if s is time_symbol():
        return symbol("time", Rank.LOCAL)
    if s.key[0] == int(Rank.PARAMETER):
        return s
    return symbol(join_name(*split_name(s)), Rank.LOCAL)


def _equation(made: PhysicalEquation) -> str:
    left, right = made.sides or (made.residual, None)
    return f"{_text(left)} == {'0' if right is None else _text(right)}"


def _sample(made: SampledEquations) -> dict[str, Any]:
    found = _ticks(made.ticks)
    return {**found, "values": {_text(mode): _text(value) for mode, value in made.rows}}


def _ticks(ticks: Ticks) -> dict[str, Any]:
    found: dict[str, Any] = {"every": ticks.period}
    return {**found, "offset": ticks.first} if ticks.first else found


def _event(made: When) -> dict[str, Any]:
    condition = made.condition
    if isinstance(condition, Ticks):
        found = _ticks(condition)
    else:
        found = {"when": f"{_text(condition.margin)} > 0"}
    if made.stops:
        found["stops"] = True
    return {**found, "then": _changes(made.changes)} if made.changes else found


def _friction(made: RubbingPart) -> dict[str, Any]:
    nodes = [made.mode, made.speed, made.force, made.coulomb, made.breakaway]
    names = ("mode", "speed", "force", "coulomb", "breakaway")
    found: dict[str, Any] = dict(zip(names, map(_text, nodes), strict=True))
    return {**found, "one_way": True} if made.one_way else found


def _changes(rows: Iterable[Reset]) -> dict[str, str]:
    return {_text(row.target): _text(row.value) for row in rows}
