"""Components and connectors: the classes that users derive from, and what their equations say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from kinetree.acausal.declarations import (
    MAKING,
    Declaration,
    DeclaredPart,
    DeclaredPort,
    DeclaredVariable,
)
from kinetree.acausal.physical import Physical, PhysicalEquation
from kinetree.engine import Node
from kinetree.errors import ModelError, UnknownNameError, suggest, unknown
from kinetree.model import Model

if TYPE_CHECKING:
    from kinetree.acausal.diagnosis.report import SortingReport
    from kinetree.acausal.instances import Flat


MOST_LEVELS = 100
"""Levels of parts inside parts, at most."""
MOST_PARTS = 500_000
"""Parts of a whole, at most."""


class NoSuchPartError(UnknownNameError, AttributeError):
    """A component or connector has nothing of a name that its equations use."""


class Element:
    """What stands at a place in the tree of instances: a component or a connector.

    Attributes:
        owner: the component that it belongs to; none of the whole.
        label: name inside the owner.
        given: values by name that differ from the declared ones.
    """

    owner: Component | None = None
    label: str = ""
    given: dict[str, Any]

    def __init__(self) -> None:
        self.given = {}

    def put_into(self, owner: Component, label: str) -> None:
        """Take a place in a component; a component makes its own parts there."""
        self.owner, self.label = owner, label
        if isinstance(self, Component):
            self._refuse_depth()
            settle(self)

    def _refuse_depth(self) -> None:
        """Refuse classes that hold each other without end."""
        outer, depth = self.owner, 0
        while outer is not None and depth <= MOST_LEVELS:
            outer, depth = outer.owner, depth + 1
        if depth > MOST_LEVELS:
            raise ModelError(
                f"parts stand inside each other {MOST_LEVELS} deep",
                element=f"part '{self.label}'",
                cure="let no class hold itself",
            )

    def __getattr__(self, name: str) -> Any:
        """Nothing has this name: the nearest one is proposed."""
        if name.startswith("_"):
            raise AttributeError(name)
        known = dict.fromkeys([*declarations(type(self)), *vars(self)])
        names = [k for k in known if not k.startswith("_") and k not in Element.__annotations__]
        raise NoSuchPartError(
            f"there is no part, port or variable '{name}'",
            element=f"'{self.path}' ({type(self).__name__})" if self.path else "",
            cure=suggest(name, names, "name"),
        )

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
    """A place of connection: `across` variables are equal there, `through` ones add to zero.

    Attributes:
        gathers: whether all connections of the kind are read at once by `gather`.
    """

    gathers: ClassVar[bool] = False

    @classmethod
    def gather(cls, flat: Flat) -> None:
        """Write the equations that all connections of the kind mean together.

        For kinds of which these are more than equal potentials and sums of flows.
        """


class Component(Element):
    """A part of a physical system: declarations as attributes, equations as a generator.

    Args:
        **values: numbers for parameters, start values for variables (a number, which is then
            fixed, or a mapping with start, fixed, select), mappings by name for parts.

    Attributes:
        gathered: whether equations that it lacks are written by the `gather` of its connectors.
    """

    gathered: ClassVar[bool] = False

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

    def inside(self) -> Iterator[Component]:
        """The components inside: declared ones, then those that `setup` has made so far."""
        return parts_of(self)

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

    def with_values(self, values: Mapping[str, float]) -> Component:
        """The same with other values of parameters, by their paths, in SI units."""
        given = deepcopy(self.given)
        for path, value in values.items():
            *parts, name = path.split(".")
            place = given
            for part in parts:
                place = place.setdefault(part, {})
            place[name] = value
        return type(self)(**given)

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
                _refuse_taken(kind, name)
                found[name] = row
            elif name in found:
                del found[name]
    return found


def _refuse_taken(kind: type, name: str) -> None:
    """Refuse a declaration with a name that all components have."""
    if name in Element.__annotations__ or hasattr(Component, name):
        _known.pop(kind, None)
        raise ModelError(
            f"'{name}' is a name of components",
            element=f"class '{kind.__name__}'",
            cure=f"call it something else, such as {name}1",
        )


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
    """Let a component that has its place make its parts, once; all of them, or none."""
    with MAKING:
        if "_made" in vars(component):
            return
        there = {*vars(component)}
        try:
            _make_parts(component, there | {*declarations(type(component))})
        except BaseException:  # an interrupt, too: what was half made is made anew
            for name in {*vars(component)} - there:
                del component.__dict__[name]
            raise


def _make_parts(component: Component, before: set[str]) -> None:
    """Give the parts that `setup` makes their places; `before` are names that were there."""
    found = made_parts(component)
    component.setup()
    for name, value in list(vars(component).items()):
        if name in before or name == "_made":
            continue
        alone = isinstance(value, Element)
        listed = value if isinstance(value, list | tuple) else ()
        rows = [(name, value)] if alone else [(f"{name}[{k}]", x) for k, x in enumerate(listed)]
        for label, one in rows:
            if isinstance(one, Element):
                one.put_into(component, label)
                found.append(one)
    _refuse_too_many(component, len(found))


def _refuse_too_many(component: Component, made: int) -> None:
    """Refuse arrays inside arrays without end."""
    whole: Element = component
    while whole.owner is not None:
        whole = whole.owner
    count = vars(whole).get("_parts", 0) + made
    whole.__dict__["_parts"] = count
    refuse_size(count, component.path)


def refuse_size(count: int, path: str) -> None:
    """Refuse more parts than can be worked with."""
    if count > MOST_PARTS:
        raise ModelError(
            f"the whole has more than {MOST_PARTS:,} parts",
            element=f"part '{path}'" if path else "the component",
            cure="look for a count that is wrong, or for classes that hold each other",
        )


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


def statements_of(component: Component) -> Iterator[Any]:
    """What the equations of a component say, one after the other."""
    for made in component.equations() or ():
        yield from made if isinstance(made, list | tuple) else (made,)


# --- statements ----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Connection:
    """Connectors that meet, or signals that are one; in the words of the component around them."""

    ends: tuple[Connector | Physical, ...]


@dataclass(frozen=True, eq=False)
class InitialEquation:
    """An equation that holds at the start of a run."""

    equation: PhysicalEquation


def connect(*ends: Connector | Physical) -> Connection:
    """Let two or more connectors of one class meet, or make signals one."""
    if len(ends) < 2:
        raise ModelError("it needs two ends", element="connect", cure="write connect(a.p, b.n)")
    for end in ends:
        if not isinstance(end, Connector | Physical):
            raise ModelError(
                f"it is given {type(end).__name__}",
                element="connect",
                cure="give ports of components, or signals",
            )
    if all(isinstance(end, Connector) for end in ends):
        first = ends[0]
        for end in ends[1:]:
            _refuse_kinds(first, end)
    elif any(isinstance(end, Connector) for end in ends):
        raise ModelError(
            "a connector is connected with a signal",
            element="connect",
            cure="connect two of one kind",
        )
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
            element="connect",
            cure="connect two of one kind, or put a component between them that turns one into "
            "the other",
        )


def initial(equation: PhysicalEquation) -> InitialEquation:
    """An equation that holds at the start of a run."""
    if not isinstance(equation, PhysicalEquation):
        raise ModelError("initial needs an equation", cure="write initial(self.v == 3)")
    return InitialEquation(equation)
