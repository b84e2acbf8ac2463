"""Stage 1, instances: a component with all its parts becomes flat lists under paths.

| in | out |
|---|---|
| a Component | its variables, parameters, equations, connections, initial equations and events |

The equations of every instance are traced with the symbols of its own path.  A class whose
equations do not match its variables in number is refused here, by its name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from kinetree.acausal.components import (
    Component,
    Connection,
    Connector,
    InitialEquation,
    Inlined,
    When,
    declarations,
    parts_of,
    ports_of,
    settle,
    variables_of,
)
from kinetree.acausal.declarations import SELECT, DeclaredParameter, DeclaredVariable
from kinetree.acausal.physical import Physical, PhysicalEquation, physical, spell, split_name
from kinetree.arguments import is_finite, show
from kinetree.engine import Node, Rank, substitute, symbol
from kinetree.errors import KinetreeError, ModelError, UnsupportedError
from kinetree.model.parameters import ParameterRow
from kinetree.program import Assign
from kinetree.units import quantity, to_si


@dataclass(frozen=True, slots=True)
class FlatVariable:
    """A variable of the whole.

    Attributes:
        path: its name.
        symbol: in equations.
        role: as declared.
        unit: of the SI.
        start: value to begin from; None where none is given.
        fixed: whether a run begins with it.
        want: how much it is wanted as a state, see `SELECT`.
    """

    path: str
    symbol: Node
    role: str
    unit: str
    start: float | None
    fixed: bool
    want: int


@dataclass(frozen=True, slots=True)
class FlatEquation:
    """residual = 0; the instance it belongs to, and its number there from 1."""

    residual: Node
    origin: str
    number: int = 0

    def __str__(self) -> str:
        where = self.origin or "the whole"
        return f"equation {self.number} of '{where}'" if self.number else f"connection in '{where}'"


@dataclass
class Flat:
    """A component with all its parts, flat.

    Attributes:
        name: of the class.
        variables: path -> variable.
        parameters: path -> parameter with its value in SI units.
        bound: parameters that follow from others: symbol -> expression.
        equations: of all instances.
        connections: (path of the component around it, connection).
        ports: all connectors.
        initial: equations at the start.
        events: (path of the instance, event).
    """

    name: str
    variables: dict[str, FlatVariable] = field(default_factory=dict)
    parameters: dict[str, ParameterRow] = field(default_factory=dict)
    bound: dict[Node, Node] = field(default_factory=dict)
    equations: list[FlatEquation] = field(default_factory=list)
    connections: list[tuple[str, Connection]] = field(default_factory=list)
    ports: list[Connector] = field(default_factory=list)
    initial: list[FlatEquation] = field(default_factory=list)
    events: list[tuple[str, When]] = field(default_factory=list)


def flatten(whole: Component) -> Flat:
    """All instances of a component, in order of their declaration, parents before parts."""
    flat = Flat(type(whole).__name__)
    waiting = [whole]
    settle(whole)
    while waiting:
        component = waiting.pop()
        parts = list(parts_of(component))
        ports = list(ports_of(component))
        try:
            _take_declared(flat, component)
            for end in ports:
                _take_variables(flat, end)
            flat.ports += ports
            counts = _take_statements(flat, component)
        except KinetreeError as error:
            raise _locate(error, component) from None
        _refuse_unbalanced(component, parts, counts)
        waiting += reversed(parts)
    return flat


def _locate(error: KinetreeError, component: Component) -> KinetreeError:
    """The error with the place at which it happened."""
    where = f"component '{component.path or type(component).__name__}'"
    element = f"{where}, {error.element}" if error.element else where
    return type(error)(error.problem, element=element, cure=error.cure)


def _take_declared(flat: Flat, component: Component) -> None:
    """Variables and parameters that a component declares itself."""
    _take_variables(flat, component)
    for name, row in declarations(type(component)).items():
        if isinstance(row, DeclaredParameter):
            _take_parameter(flat, component, name, row)


def _take_variables(flat: Flat, element: Component | Connector) -> None:
    for row, node in variables_of(element):
        path = element.path_of(row.name)
        start, fixed, want = _start(row, element.given.get(row.name))
        flat.variables[path] = FlatVariable(path, node, row.role, row.unit, start, fixed, want)


def _start(row: DeclaredVariable, given: Any) -> tuple[float | None, bool, int]:
    """Start value, whether it is fixed, and how much the variable is wanted as a state."""
    start, fixed, select = row.start, row.fixed, row.select
    if isinstance(given, dict):
        start, fixed = given.get("start", start), given.get("fixed", fixed)
        select = given.get("select", select)
    elif given is not None:
        start, fixed = given, True
    if start is not None:
        start = _number(start, row.unit, row.name)
    return start, bool(fixed), SELECT[select]


def _number(value: Any, unit: str, element: str) -> float:
    if isinstance(value, str):
        return quantity(value, unit, element)
    if not is_finite(value):
        raise ModelError(
            f"it is {show(value)}", element=element, cure=f"give a finite number [{unit or 1}]"
        )
    return float(value)


def _take_parameter(flat: Flat, component: Component, name: str, row: DeclaredParameter) -> None:
    path, own = component.path_of(name), getattr(component, name)
    value, around = row.value, component
    if name in component.given:
        value, around = component.given[name], component.owner or component
    if callable(value):
        value = value(around)
    if isinstance(value, Physical) and not value.node.is_number:
        if value.size is not None and value.size != own.size:
            raise ModelError(
                f"it is given {value.node!r} [{spell(value.size)}]",
                element=f"parameter '{name}'",
                cure=f"give a value in {row.si or 1}",
            )
        flat.bound[own.node] = value.node
        return
    value = value.node.value if isinstance(value, Physical) else value
    number = _number(value, row.si, f"parameter '{name}'")
    if not isinstance(value, str):
        number = to_si(number, row.unit, name)[0]
    flat.parameters[path] = ParameterRow(path, number, row.si, own.node)


@dataclass
class _Counts:
    """What a component says: equations, pairs of signals made one, own ports connected inside."""

    equations: int = 0
    signals: int = 0
    inside: set[str] = field(default_factory=set)


def _take_statements(flat: Flat, component: Component) -> _Counts:
    """Trace the equations of a component."""
    counts, path = _Counts(), component.path
    for made in _statements(component):
        if isinstance(made, PhysicalEquation):
            counts.equations += 1
            flat.equations.append(FlatEquation(made.residual, path, counts.equations))
        elif isinstance(made, Connection):
            flat.connections.append((path, made))
            _count_connection(component, made, counts)
        elif isinstance(made, InitialEquation):
            number = len(flat.initial) + 1
            flat.initial.append(FlatEquation(made.equation.residual, path, number))
        elif isinstance(made, When):
            flat.events.append((path, made))
        elif isinstance(made, Inlined):
            _take_program(flat, component, made)
        else:
            raise ModelError(
                f"equations() yields {show(made)}",
                cure="yield equations a == b, connect(…), initial(…) or when(…)",
            )
    return counts


def _take_program(flat: Flat, component: Component, made: Inlined) -> None:
    """The equations of a Program, whose names become variables."""
    for row in [row for row in made.program.inputs if row.parameter]:
        nodes = (symbol(component.path_of(label), Rank.PARAMETER) for label in row.labels)
        units = row.units or ("",) * len(row.labels)
        for node, value, unit in zip(nodes, row.default or (), units, strict=True):
            flat.parameters[node.name] = ParameterRow(node.name, value, unit, node)
    new = {**made.parameters(component), **made.values}
    for number, block in enumerate(made.program.all_blocks, 1):
        if not isinstance(block, Assign):
            raise UnsupportedError(
                "its equations are solved by iteration or as a linear system",
                element=f"component '{component.path}'",
                cure="give a tree without loops",
            )
        node = new[block.target] = made.name(block.target, component)
        path = split_name(node)[0]
        flat.variables[path] = FlatVariable(path, node, "hidden", "", None, False, 0)
        (expr,) = substitute((block.expr,), new)
        flat.equations.append(FlatEquation(node - expr, component.path, number))


def _statements(component: Component) -> Iterator[Any]:
    for made in component.equations() or ():
        yield from made if isinstance(made, list | tuple) else (made,)


def _count_connection(component: Component, made: Connection, counts: _Counts) -> None:
    first = made.ends[0]
    if not isinstance(first, Connector):
        for end in made.ends[1:]:
            _ = first == physical(end)  # units agree
        counts.signals += len(made.ends) - 1
        return
    for end in made.ends:
        if isinstance(end, Connector) and end.owner is component:
            counts.inside.add(end.label)


def _refuse_unbalanced(component: Component, parts: list[Component], counts: _Counts) -> None:
    """Refuse a class whose own equations are too few or too many for what it leaves open."""
    own = [row for row, _ in variables_of(component) if row.role not in ("in", "mode")]
    flows = [
        f"{end.label}.{row.name}"
        for end in ports_of(component)
        for row, _ in variables_of(end)
        if row.role == "through" and end.label not in counts.inside
    ]
    entries = [
        f"{one.label}.{row.name}"
        for one in parts
        for row, _ in variables_of(one)
        if row.role == "in"
    ]
    wanted = len(own) + len(flows) + len(entries)
    found = counts.equations + counts.signals
    if found == wanted:
        return
    names = [*(row.name for row in own), *flows, *entries]
    many = found > wanted
    raise ModelError(
        f"{found} equations for {wanted} unknowns ({', '.join(names) or 'none'})",
        element=f"class '{type(component).__name__}'",
        cure=f"take {found - wanted} of its equations away"
        if many
        else f"add {wanted - found} to its equations(), or connect its inputs and ports inside",
    )
