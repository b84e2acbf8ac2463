"""What force elements tell of themselves: the outputs of the quantity "forces".

| output | meaning |
|---|---|
| FORCE.NAME | what the row of its kind offers: force, rate, length, … |
| MODE.gap, MODE.force | gap of a stop and the force that opens it, by its mode |
| FORCE.power | power that it brings into the mechanism [W], the sum over the row's products |
| FORCE.energy | potential energy [J], where its kind knows one |
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kinetree.engine import ZERO, Node, Rank, add, symbol
from kinetree.forces import FORCES
from kinetree.formalism.forces.force_writer import ForceWriter, grip_symbol, hold_symbol
from kinetree.model import Mechanism, Told, gripping, holding, stop_modes
from kinetree.program import Input, Scheme


def contact_symbol(mode: str) -> Node:
    """The force of a stop that opens its gap, by its mode: contact_MODE."""
    return symbol(f"contact_{mode}", Rank.FORCE)


def declare_holds(scheme: Scheme, model: Mechanism) -> None:
    """Declare hold and contact, forces of locks, dry friction and stops, where there are such."""
    stops = [mode for force in model.forces.values() for mode in stop_modes(force)]
    if stops:
        nodes = tuple(contact_symbol(mode) for mode in stops)
        scheme.input(Input("contact", (len(stops),), nodes, None, False, tuple(stops)))
    if holding(model):
        names = tuple(model.velocities)
        holds = tuple(hold_symbol(name) for name in names)
        scheme.input(Input("hold", (len(names),), holds, None, False, names))
    modes = tuple(force.arguments["mode"] for force in gripping(model))
    if modes:
        grips = tuple(grip_symbol(mode) for mode in modes)
        scheme.input(Input("grip", (len(modes),), grips, None, False, modes))


def write_told(scheme: Scheme, writers: Iterable[ForceWriter]) -> None:
    """Write the outputs of all force elements, each with a writer of its own."""
    for act in writers:
        force, row = act.force, FORCES[act.force.kind]
        act.told = {}
        row.write(act, force)
        told = act.told
        for mode in stop_modes(force):
            scheme.output(f"{mode}.gap", (act.given.stops[mode][0],), ())
            scheme.output(f"{mode}.force", (contact_symbol(mode),), ())
        for offer in row.offers(force.labels):
            nodes = parts(told[offer.name])
            shape = (len(offer.parts),) if offer.parts else ()
            scheme.output(f"{force.name}.{offer.name}", nodes, shape)
        if row.work:
            power = add(ZERO, *(_product(told, *work) for work in row.works(force.labels)))
            scheme.output(f"{force.name}.power", (power,), ())
        if row.potential is not None and row.stores(force):
            scheme.output(f"{force.name}.energy", (row.potential(act, force),), ())


def _product(told: Mapping[str, Told], force: str, rate: str, sign: int) -> Node:
    """sign · force · rate, summed over components."""
    pairs = zip(parts(told[force]), parts(told[rate]), strict=True)
    return sign * add(ZERO, *(f * v for f, v in pairs))


def parts(told: Told) -> tuple[Node, ...]:
    """The components of a scalar or a vector."""
    return (told,) if isinstance(told, Node) else told
