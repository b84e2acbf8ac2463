"""Components and connectors: the classes that users derive from, and what their equations say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kinetree.acausal.declarations import (
    Declaration,
    DeclaredPart,
    DeclaredPort,
    DeclaredVariable,
)
from kinetree.acausal.physical import Physical, PhysicalEquation, Relation, physical
from kinetree.engine import Node, Rank, substitute, symbol
from kinetree.errors import ModelError, UnknownNameError, unknown
from kinetree.model import Model, state_symbol

if TYPE_CHECKING:
    from kinetree.acausal.report import SortingReport
    from kinetree.program import Program


class Element:
    """What stands at a place in the tree of instances: a component or a connector.

    Attributes:
        owner: the component that it belongs to; none of the whole.
        label: name inside the owner.
        given: values by name that differ from the declared ones.
    """

    owner: Component | None = None
    label: str = ""

    def __init__(self) -> None:
        self.given: dict[str, Any] = {}

    def place(self, owner: Component, label: str) -> None:
        """Take a place in a component; a component makes its own parts there."""
        self.owner, self.label = owner, label
        if isinstance(self, Component):
            settle(self)

    @property
    def path(self) -> str:
        """Names from the whole down to this element, with dots; empty of the whole."""
        found: str | None = self.__dict__.get("_path")
        if found is None:
            up = "" if self.owner is None else self.owner.path
            found = f"{up}.{self.label}" if up else self.label
            self.__dict__["_path"] = found
        return found

    def path_of(self, name: str) -> str:
        """The path of something inside."""
        own = self.path
        return f"{own}.{name}" if own else name


class Connector(Element):
    """A place of connection: `across` variables are equal there, `through` ones add to zero."""


class Component(Element):
    """A part of a physical system: declarations as attributes, equations as a generator.

    Args:
        **values: numbers for parameters, start values for variables (a number, which is then
            fixed, or a mapping with start, fixed, select), mappings by name for parts.
    """

    def __init__(self, **values: Any) -> None:
        super().__init__()
        known = declarations(type(self))
        for name in values:
            if name not in known or isinstance(known[name], DeclaredPort):
                raise _not_declared(type(self), name, known)
        self.given = values

    def setup(self) -> None:
        """Make parts that depend on settings: assign them to attributes, alone or in lists."""

    def equations(self) -> Iterable[Any] | None:
        """Yield equations, `connect(…)`, `initial(…)` and `when(…)`."""

    # --- asking ----------------------------------------------------------------------------------

    def as_mechanism(self, known: Sequence[str] | None = None) -> Model:
        """The whole as a model: its states, parameters, events and sorted equations.

        Args:
            known: paths of variables that come from outside, in place of the inputs.
        """
        from kinetree.acausal.model import model_of  # noqa: PLC0415  stands above the noun

        if known is not None:
            return model_of(self, known)
        if "_model" not in vars(self):
            self.__dict__["_model"] = model_of(self)
        made: Model = vars(self)["_model"]
        return made

    def report(self) -> SortingReport:
        """Sizes before and after every stage, times, states, blocks; prints as a table."""
        from kinetree.acausal.sort import sort_component  # noqa: PLC0415  stands above the noun

        return sort_component(self).report()


def _not_declared(kind: type, name: str, known: Mapping[str, Declaration]) -> UnknownNameError:
    names = [key for key, row in known.items() if not isinstance(row, DeclaredPort)]
    return unknown("parameter, variable or part", name, names, f"component '{kind.__name__}'")


_known: dict[type, dict[str, Declaration]] = {}


def declarations(kind: type) -> dict[str, Declaration]:
    """What a class declares, bases first; what a subclass declares anew keeps its place."""
    if kind in _known:
        return _known[kind]
    found = _known[kind] = {}
    for base in reversed(kind.__mro__):
        for name, row in vars(base).items():
            if isinstance(row, Declaration):
                found[name] = row
            elif name in found:
                del found[name]
    return found


def parts_of(component: Component) -> Iterator[Component]:
    """The components inside a component: declared ones, then those that `setup` made."""
    known = declarations(type(component))
    for name, row in known.items():
        if isinstance(row, DeclaredPart):
            yield getattr(component, name)
    yield from (one for one in made_parts(component) if isinstance(one, Component))


def made_parts(component: Component) -> list[Element]:
    """The parts and connectors that `setup` of a component has made."""
    found: list[Element] = component.__dict__.setdefault("_made", [])
    return found


def settle(component: Component) -> None:
    """Let a component that has its place make its parts, once."""
    if "_made" in vars(component):
        return
    before, found = set(vars(component)), made_parts(component)
    component.setup()
    for name, value in list(vars(component).items()):
        if name in before or name == "_made":
            continue
        alone = isinstance(value, Element)
        listed = value if isinstance(value, list | tuple) else ()
        rows = [(name, value)] if alone else [(f"{name}[{k}]", x) for k, x in enumerate(listed)]
        for label, one in rows:
            if isinstance(one, Element):
                one.place(component, label)
                found.append(one)


def ports_of(component: Component) -> Iterator[Connector]:
    """The connectors of a component."""
    for name, row in declarations(type(component)).items():
        if isinstance(row, DeclaredPort):
            yield getattr(component, name)
    yield from (one for one in made_parts(component) if isinstance(one, Connector))


def variables_of(element: Element) -> Iterator[tuple[DeclaredVariable, Node]]:
    """The variables that an element declares itself, with their symbols."""
    for name, row in declarations(type(element)).items():
        if isinstance(row, DeclaredVariable):
            yield row, getattr(element, name).node


# --- statements ----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Connection:
    """Connectors that meet, or signals that are one; in the words of the component around them."""

    ends: tuple[Connector | Physical, ...]


@dataclass(frozen=True, eq=False)
class Inlined:
    """Equations of a Program as equations of a component: its names are variables of their own.

    Attributes:
        program: of assignments alone.
        values: symbol of an input -> what stands for it; parameters are those of the component.
        prefix: what stands before the names.
    """

    program: Program
    values: Mapping[Node, Node]
    prefix: str

    def name(self, node: Node, component: Component) -> Node:
        """What stands for a name of the Program in a component."""
        return state_symbol(component.path_of(f"{self.prefix}.{node.name}"))

    def outputs(self, name: str, component: Component) -> list[Node]:
        """The components of an output, in terms of the variables of a component."""
        known = {t: self.name(t, component) for b in self.program.all_blocks for t in b.targets}
        known |= self.parameters(component)
        return substitute(self.program.output(name).nodes, {**known, **self.values})

    def parameters(self, component: Component) -> dict[Node, Node]:
        """Symbol of a parameter -> that of the component."""
        rows = [row for row in self.program.inputs if row.parameter]
        return {
            s: symbol(component.path_of(label), Rank.PARAMETER)
            for row in rows
            for s, label in zip(row.symbols, row.labels, strict=True)
        }


@dataclass(frozen=True, eq=False)
class InitialEquation:
    """An equation that holds at the start of a run."""

    equation: PhysicalEquation


def connect(*ends: Connector | Physical) -> Connection:
    """Let two or more connectors of one class meet, or make signals one."""
    if len(ends) < 2:
        raise ModelError("connect needs two ends", cure="write connect(a.p, b.n)")
    for end in ends:
        if not isinstance(end, Connector | Physical):
            raise ModelError(
                f"connect is given {type(end).__name__}",
                cure="give ports of components, or signals",
            )
    if all(isinstance(end, Connector) for end in ends):
        first = ends[0]
        for end in ends[1:]:
            _refuse_kinds(first, end)
    elif any(isinstance(end, Connector) for end in ends):
        raise ModelError("a connector is connected with a signal", cure="connect two of one kind")
    return Connection(ends)


def _refuse_kinds(first: Any, second: Any) -> None:
    """Refuse connectors that carry different variables."""
    kinds = [
        {(row.name, row.role, row.unit) for row, _ in variables_of(end)} for end in (first, second)
    ]
    if kinds[0] != kinds[1]:
        names = [f"'{end.path}' ({type(end).__name__})" for end in (first, second)]
        raise ModelError(
            f"{names[0]} and {names[1]} are connectors of different kinds",
            cure="connect two of one kind, or put a component between them that turns one into "
            "the other",
        )


def initial(equation: PhysicalEquation) -> InitialEquation:
    """An equation that holds at the start of a run."""
    if not isinstance(equation, PhysicalEquation):
        raise ModelError("initial needs an equation", cure="write initial(self.v == 3)")
    return InitialEquation(equation)


@dataclass(frozen=True, eq=False)
class Reset:
    """A state that takes a new value at an event."""

    target: Node
    value: Node


@dataclass(frozen=True)
class Ticks:
    """Times that come again and again: period and first time [s]."""

    period: float
    first: float = 0.0


@dataclass(frozen=True, eq=False)
class When:
    """Changes that happen where a relation becomes true, or at ticks."""

    condition: Relation | Ticks
    changes: tuple[Reset, ...]


def reset(target: Physical, value: Any) -> Reset:
    """In `when`: the state takes a new value, an expression of the values before."""
    new = physical(value)
    _ = target == new  # units agree
    return Reset(target.node, new.node)


def every(period: float, first: float = 0.0) -> Ticks:
    """In `when`: times that come again and again [s]."""
    return Ticks(float(period), float(first))


def when(condition: Relation | Ticks, *changes: Reset) -> When:
    """Where a condition becomes true, or at ticks, let changes happen."""
    fits = isinstance(condition, Relation | Ticks)
    if not (fits and all(isinstance(row, Reset) for row in changes)):
        raise ModelError(
            "when needs a relation and changes", cure="write when(self.h < 0, reset(self.v, …))"
        )
    return When(condition, changes)
