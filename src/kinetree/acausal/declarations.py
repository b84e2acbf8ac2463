"""What a class of components declares: variables, parameters, ports and parts, as attributes.

    class Capacitor(TwoPin):
        C = parameter(1e-6, "F")

Of the class such an attribute is the declaration; of an instance it is what stands there: a
physical expression of the variable or parameter under the path of the instance, a connector, a
part.  It is made when it is first asked for and kept.
"""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, overload

from kinetree.acausal.physical import Physical, dimension
from kinetree.engine import Rank, symbol
from kinetree.errors import ModelError
from kinetree.model import state_symbol

if TYPE_CHECKING:
    from kinetree.acausal.components import Component, Connector, Element

C = TypeVar("C", bound="Component")
P = TypeVar("P", bound="Connector")
SELECT = {"always": 3, "prefer": 2, "default": 1, "avoid": 0, "never": -1}
"""How much a variable is wanted as a state."""


class MakingLock:
    """Held while parts are made, so that threads that ask for one at once get the same."""

    def __init__(self) -> None:
        self.renew()

    def renew(self) -> None:
        """Be free, in a child process: whoever held it is not there."""
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


MAKING = MakingLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=MAKING.renew)


@dataclass(eq=False)
class Declaration:
    """One attribute of a class of components or connectors; its name is that of the attribute."""

    name: str = field(default="", init=False)

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name


@dataclass(eq=False)
class DeclaredVariable(Declaration):
    """A variable.

    Attributes:
        role: "across", "through", "variable", "in", "out" or "mode".
        unit: of the SI.
        start: value from which a run or an iteration begins.
        fixed: whether a run begins with it; else it is a guess.
        select: how much it is wanted as a state, a word of SELECT.
    """

    role: str
    unit: str = ""
    start: float | None = None
    fixed: bool = False
    select: str = "default"

    def __post_init__(self) -> None:
        dimension(self.unit)
        if self.select not in SELECT:
            raise ModelError(f"select='{self.select}'", cure=f"use one of {', '.join(SELECT)}")

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: Element, owner: type) -> Physical: ...
    def __get__(self, instance: Element | None, owner: type) -> Self | Physical:
        if instance is None:
            return self
        path = instance.path_of(self.name)
        held = self.role == "mode"  # its derivative is zero, and it may vanish
        node = symbol(f"x_{path}", Rank.FORCE) if held else state_symbol(path)
        size = dimension(self.unit) if self.unit else None  # without a unit it fits every one
        made = Physical(node, size)
        instance.__dict__[self.name] = made
        return made


@dataclass(eq=False)
class DeclaredParameter(Declaration):
    """A number that does not change during a run.

    Attributes:
        value: default, in `unit`; or a function of the component that gives an expression of its
            other parameters.
        unit: such as "ohm" or "kohm".
    """

    value: Any
    unit: str = ""

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: Element, owner: type) -> Physical: ...
    def __get__(self, instance: Element | None, owner: type) -> Self | Physical:
        if instance is None:
            return self
        node = symbol(instance.path_of(self.name), Rank.PARAMETER)
        made = Physical(node, dimension(self.si) if self.unit else None)
        instance.__dict__[self.name] = made
        return made

    @property
    def si(self) -> str:
        """The unit of the SI in which the equations have it."""
        from kinetree.units import to_si  # noqa: PLC0415  the module has a name of its own here

        return to_si(1.0, self.unit, self.name)[1]


@dataclass(eq=False)
class Setting(Declaration):
    """A plain Python value that decides what a component is made of, such as a number of parts."""

    value: Any

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: Element, owner: type) -> Any: ...
    def __get__(self, instance: Element | None, owner: type) -> Any:
        return self if instance is None else instance.given.get(self.name, self.value)


@dataclass(eq=False)
class DeclaredPort(Declaration, Generic[P]):
    """A place at which a component is connected, of a class of connectors."""

    kind: type[P]

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: Component, owner: type) -> P: ...
    def __get__(self, instance: Component | None, owner: type) -> Self | P:
        if instance is None:
            return self
        with MAKING:
            made: P | None = instance.__dict__.get(self.name)  # another thread may have made it
            if made is None:
                made = self.kind()
                made.put_into(instance, self.name)
                instance.__dict__[self.name] = made
        return made


@dataclass(eq=False)
class DeclaredPart(Declaration, Generic[C]):
    """A component inside a component, with values for what it has by name."""

    kind: type[C]
    values: dict[str, Any]

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: Component, owner: type) -> C: ...
    def __get__(self, instance: Component | None, owner: type) -> Self | C:
        if instance is None:
            return self
        given = instance.given.get(self.name, {})
        if not isinstance(given, dict):
            raise ModelError(
                f"it is given {given!r}",
                element=f"part '{instance.path_of(self.name)}'",
                cure="give a mapping of its values by name",
            )
        with MAKING:
            made: C | None = instance.__dict__.get(self.name)  # another thread may have made it
            if made is None:
                made = self.kind(**merge(self.values, given))
                made.put_into(instance, self.name)
                instance.__dict__[self.name] = made
        return made


@dataclass(eq=False)
class OuterPart(Declaration, Generic[C]):
    """A component that stands around: the nearest one of a class, such as the world."""

    kind: type[C]

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: Component, owner: type) -> C: ...
    def __get__(self, instance: Component | None, owner: type) -> Self | C:
        if instance is None:
            return self
        around = instance.owner
        while around is not None:
            for one in around.inside():
                if isinstance(one, self.kind) and one is not instance:
                    instance.__dict__[self.name] = one
                    return one
            around = around.owner
        raise ModelError(
            f"no {self.kind.__name__} stands around it",
            element=f"'{self.name}' of component '{instance.path or owner.__name__}'",
            cure=f"add {self.name} = part({self.kind.__name__}) to a component around it",
        )


def merge(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """Values of both, those of the second where both have one; values of parts are merged, too."""
    found = dict(first)
    for name, value in second.items():
        old = found.get(name)
        both = isinstance(old, dict) and isinstance(value, dict)
        found[name] = merge(old, value) if both else value  # type: ignore[arg-type]
    return found


def across(unit: str = "", start: float | None = None) -> DeclaredVariable:
    """Declare a potential of a connector: equal where connectors meet."""
    return DeclaredVariable("across", unit, start)


def through(unit: str = "") -> DeclaredVariable:
    """Declare a flow of a connector, positive into the component: zero in sum where they meet."""
    return DeclaredVariable("through", unit)


def variable(
    unit: str = "", start: float | None = None, *, fixed: bool = False, select: str = "default"
) -> DeclaredVariable:
    """Declare a variable of a component.

    Args:
        unit: of the SI.
        start: value from which a run or an iteration begins; by default 0.
        fixed: whether a run begins with it; else it is a guess.
        select: "always", "prefer", "default", "avoid" or "never" a state.
    """
    return DeclaredVariable("variable", unit, start, fixed, select)


def signal_in(unit: str = "", start: float | None = None) -> DeclaredVariable:
    """Declare a value that a component is given: connected, or from outside of the whole."""
    return DeclaredVariable("in", unit, start)


def signal_out(unit: str = "", start: float | None = None) -> DeclaredVariable:
    """Declare a value that a component gives."""
    return DeclaredVariable("out", unit, start)


def mode(start: float = 0.0, unit: str = "") -> DeclaredVariable:
    """Declare a value that events alone change: a latch, what a sampler holds."""
    return DeclaredVariable("mode", unit, start, fixed=True)


def parameter(value: Any, unit: str = "") -> DeclaredParameter:
    """Declare a parameter with its default value, or a function of the component that gives it."""
    return DeclaredParameter(value, unit)


def setting(value: Any) -> Setting:
    """Declare a plain Python value that decides what the component is made of."""
    return Setting(value)


def port(kind: type[P]) -> DeclaredPort[P]:
    """Declare a place at which the component is connected."""
    return DeclaredPort(kind)


def part(kind: type[C], **values: Any) -> DeclaredPart[C]:
    """Declare a component inside the component.

    Args:
        kind: its class.
        **values: numbers for its parameters, start values for its variables, mappings for its
            parts; a function of the component around it gives an expression of its parameters.
    """
    return DeclaredPart(kind, values)


def outer(kind: type[C]) -> OuterPart[C]:
    """Declare that a component uses the nearest one of a class that stands around it.

    Args:
        kind: its class, such as `multibody.World`.
    """
    return OuterPart(kind)
