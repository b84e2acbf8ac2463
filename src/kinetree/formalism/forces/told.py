"""What force elements tell of themselves: the outputs of the quantity "forces".

| output | meaning |
|---|---|
| FORCE.NAME | what the row of its kind offers: force, rate, length, … |
| MODE.gap, MODE.force | gap of a stop and the force that opens it, by its mode |
| FORCE.power | power that it brings into the mechanism [W], the sum over the row's products |
| FORCE.energy | potential energy [J], where its kind knows one |
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from kinetree.engine import ZERO, Node, add
from kinetree.forces import FORCES
from kinetree.formalism.forces.force_writer import (
    ForceWriter,
    contact_symbol,
    grip_symbol,
    hold_symbol,
)
from kinetree.model import Force, Mechanism, Told, gripping, holding, stop_modes
from kinetree.program import Input, Scheme


def declare_holds(scheme: Scheme, model: Mechanism) -> None:
    """Declare hold and contact, forces of locks, dry friction and stops, where there are such."""
    declare_contacts(scheme, list(model.forces.values()))
    if holding(model):
        _declare(scheme, "hold", model.velocities, hold_symbol)
    declare_grips(scheme, gripping(model))


def declare_contacts(scheme: Scheme, forces: Sequence[Force]) -> None:
    """Declare the forces of stops among some elements, where there are any."""
    modes = [mode for force in forces for mode in stop_modes(force)]
    _declare(scheme, "contact", modes, contact_symbol)


def declare_grips(scheme: Scheme, forces: Sequence[Force]) -> None:
    """Declare the forces of elements that rub along speeds other than velocities."""
    _declare(scheme, "grip", [force.arguments["mode"] for force in forces], grip_symbol)


def _declare(
    scheme: Scheme, name: str, labels: Sequence[str], symbol_of: Callable[[str], Node]
) -> None:
    """Declare an input of forces by their labels, where there are any."""
    if labels:
        nodes = tuple(symbol_of(label) for label in labels)
        scheme.input(Input(name, (len(nodes),), nodes, None, False, tuple(labels)))


def told_values(act: ForceWriter) -> dict[str, tuple[Node, ...]]:
    """Write a force element; the values of all its outputs by their whole names."""
    force, row = act.force, FORCES[act.force.kind]
    act.told = {}
    row.write(act, force)
    told, found = act.told, dict[str, tuple[Node, ...]]()
    for mode in stop_modes(force):
        found[f"{mode}.gap"] = (act.given.stops[mode][0],)
        found[f"{mode}.force"] = (contact_symbol(mode),)
    for offer in row.offers(force.labels):
        found[f"{force.name}.{offer.name}"] = parts(told[offer.name])
    if row.work:
        power = add(ZERO, *(_product(told, *work) for work in row.works(force.labels)))
        found[f"{force.name}.power"] = (power,)
    if row.potential is not None and row.stores(force):
        found[f"{force.name}.energy"] = (row.potential(act, force),)
    return found


def _product(told: Mapping[str, Told], force: str, rate: str, sign: int) -> Node:
    """sign · force · rate, summed over components."""
    pairs = zip(parts(told[force]), parts(told[rate]), strict=True)
    return sign * add(ZERO, *(f * v for f, v in pairs))


def parts(told: Told) -> tuple[Node, ...]:
    """The components of a scalar or a vector."""
    return (told,) if isinstance(told, Node) else told
