"""States that elements bring, and ports at which flows of several elements meet.

A port has a pressure; elements between ports say how much flows from one to the other.  The sum of
what flows into a port is known when all elements are written; the rate of its state follows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from kinetree.engine import ZERO, Node
from kinetree.errors import ModelError, unknown
from kinetree.model.forces.elements import State
from kinetree.model.forces.kind import FORCES, ForceKind
from kinetree.model.values import number

if TYPE_CHECKING:
    from kinetree.model.mechanism import Mechanism

FLUID = "fluid"
"""The argument that names the fluid of an element, and the kind of element that it names."""


@dataclass(frozen=True)
class FlowPort:
    """A place where flows meet.

    Attributes:
        fluid: name of what is in it.
        pressure: absolute [Pa].
        head: energy that a flow carries per volume [Pa]; about the pressure.
        rate: rate of its state from the sum of the flows into it [m3/s]; none where it has none.
    """

    fluid: str
    pressure: Node
    head: Node
    rate: Callable[[Node], Node] | None = None


def admit(
    model: Mechanism, row: ForceKind, name: str, arguments: Mapping[str, Any], element: str
) -> None:
    """Add modes and states of a new element; refuse ports and fluids that are not there."""
    known = port_fluids(model)
    joined = [
        _find("port", arguments[key], known, f"{element} {key}") for key in row.belongings.joins
    ]
    _refuse_mixtures({port: known[port] for port in joined}, element)
    if FLUID in row.options:
        _find("fluid", arguments[FLUID], fluids(model), f"{element} {FLUID}")
    modes = row.modes(name, arguments) if row.modes else ()
    wanted = [State(mode, rate=ZERO, held=True) for mode in modes]
    for own in row.belongings.states(name, arguments) if row.belongings.states else ():
        initial = float(number(own.initial, f"{element} start of '{own.name}'"))
        wanted.append(State(own.name, initial, unit=own.unit, owner=name))
    for new in wanted:
        given = model.states.get(new.name, new)
        free = given.owner == "" and given.rate is new.rate and given.held == new.held
        if given is not new and not free:
            said = "its mode has" if new.held else "a state of its own has"
            raise ModelError(
                f"{said} the name of the state '{new.name}'",
                element=element,
                cure="give one of them another name",
            )
        model.states[new.name] = given
    memories = row.belongings.memories
    for memory, law in (memories(name) if memories else {}).items():
        given = model.states.setdefault(memory, State(memory, rate=ZERO, held=True))
        if not given.held or given.remembered is not None:
            raise ModelError(
                f"two laws write the memory '{memory}'", element=element, cure="give one law"
            )
        model.states[memory] = replace(given, remembered=law)


def _find(what: str, name: Any, known: Iterable[str], element: str) -> str:
    """A name that must be among the known ones."""
    if not isinstance(name, str) or name not in list(known):
        raise unknown(what, str(name), list(known), element)
    return name


def fluids(model: Mechanism) -> list[str]:
    """Names of the fluids of a model."""
    return [force.name for force in model.forces.values() if force.kind == FLUID]


def port_names(row: ForceKind, name: str) -> tuple[str, ...]:
    """Names of the ports of an element."""
    return tuple(f"{name}{ending}" for ending in row.belongings.ports)


def port_fluids(model: Mechanism) -> dict[str, str]:
    """Name of every port of a model -> name of its fluid."""
    return {
        port: force.arguments[FLUID]
        for force in model.forces.values()
        for port in port_names(FORCES[force.kind], force.name)
    }


def _refuse_mixtures(joined: Mapping[str, str], element: str) -> None:
    """Refuse an element between ports of two fluids."""
    if len(set(joined.values())) > 1:
        said = " and ".join(f"'{port}' has '{fluid}'" for port, fluid in joined.items())
        raise ModelError(f"it joins two fluids: {said}", element=element, cure="give both the same")


def open_ports(model: Mechanism) -> Iterator[tuple[str, str]]:
    """(element, port) of every port with a state that nothing is joined to."""
    joined = {
        force.arguments[key]
        for force in model.forces.values()
        for key in FORCES[force.kind].belongings.joins
    }
    for force in model.forces.values():
        row, shut = FORCES[force.kind], force.arguments.get("closed", "")
        ends = row.belongings.ports if row.belongings.states else ()
        for ending in ends:
            if force.name + ending not in joined and shut not in ("both", ending[1:]):
                yield f"force '{force.name}'", force.name + ending
