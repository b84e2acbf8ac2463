"""What force elements tell of themselves: the outputs of the quantity "forces".

| output | meaning |
|---|---|
| FORCE.NAME | what the row of its kind offers: force, rate, length, … |
| FORCE.power | power that it brings into the mechanism [W], the sum over the row's products |
| FORCE.energy | potential energy [J], where its kind knows one |
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinetree.engine import ZERO, Node, add
from kinetree.forces import FORCES
from kinetree.formalism.forces.force_writer import grip_symbol, hold_symbol
from kinetree.model import gripping, holding
from kinetree.program import Input, Scheme

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kinetree.formalism.forces.force_writer import ForceWriter
    from kinetree.model import Mechanism, Told


def declare_holds(scheme: Scheme, model: Mechanism) -> None:
    """Declare the input hold, the forces of locks and dry friction, where the model has such."""
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
        if row.modes:  # runs have the forces of stops
            continue
        act.told = {}
        row.write(act, force)
        told = act.told
        for offer in row.offers(force.labels):
            nodes = parts(told[offer.name])
            shape = (len(offer.parts),) if offer.parts else ()
            scheme.output(f"{force.name}.{offer.name}", nodes, shape)
        power = add(ZERO, *(_product(told, *work) for work in row.works(force.labels)))
        scheme.output(f"{force.name}.power", (power,), ())
        if row.potential is not None:
            scheme.output(f"{force.name}.energy", (row.potential(act, force),), ())


def _product(told: Mapping[str, Told], force: str, rate: str, sign: int) -> Node:
    """sign · force · rate, summed over components."""
    pairs = zip(parts(told[force]), parts(told[rate]), strict=True)
    return sign * add(ZERO, *(f * v for f, v in pairs))


def parts(told: Told) -> tuple[Node, ...]:
    """The components of a scalar or a vector."""
    return (told,) if isinstance(told, Node) else told


__all__ = ["declare_holds", "write_told"]
