"""Laws that use what other elements and points do: force elements tell it while they are written.

| output in a law | what stands for it |
|---|---|
| FORCE.NAME | what the element tells of itself (`told`) |
| BODY.position, BODY.POINT.velocity, … | motion of the point, seen from the ground |
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from kinetree.engine import Node, symbols
from kinetree.errors import ModelError
from kinetree.forces import FORCES
from kinetree.formalism.forces.force_writer import (
    ExternalInputs,
    ForceWriter,
    contact_symbol,
    grip_symbol,
    hold_symbol,
)
from kinetree.formalism.forces.heard_values import bind_heard
from kinetree.formalism.forces.told import told_values
from kinetree.formalism.loops.laws import fold_parameters
from kinetree.model import (
    Force,
    Mechanism,
    Offered,
    Place,
    Point,
    State,
    gripping,
    stop_modes,
)
from kinetree.program import Scheme

if TYPE_CHECKING:
    from kinetree.formalism.view import MechanismView


def hears_forces(model: Mechanism) -> bool:
    """Whether the rate of a state uses what a force element tells."""
    return any(row.source == "forces" for state in model.states.values() for row in state.hears)


def write_elements(
    model: Mechanism, writer: Callable[[Force], ForceWriter], given: ExternalInputs
) -> None:
    """Write all force elements; what laws use of them is kept.

    Args:
        model: the mechanism.
        writer: of a force, into `given`.
        given: what force elements give.
    """
    heard = _told_to_laws(model)
    for force in model.forces.values():
        act = writer(force)
        if _tells(force, heard):
            listen(act, heard)
        else:
            FORCES[force.kind].write(act, force)


def _told_to_laws(model: Mechanism) -> list[Offered]:
    """What force elements have to tell for the laws of others."""
    laws: list[State | Force] = [*model.states.values(), *model.forces.values()]
    return [row for law in laws for row in law.hears if row.source == "forces"]


def _tells(force: Force, heard: Sequence[Offered]) -> bool:
    """Whether a law may use what a force tells."""
    tellers = tuple(f"{name}." for name in (force.name, *stop_modes(force)))
    return any(row.key.startswith(tellers) for row in heard)


def listen(act: ForceWriter, heard: Iterable[Offered]) -> dict[str, tuple[Node, ...]]:
    """Write an element and keep those of its outputs that laws use; all of them, by name."""
    told, late = told_values(act), _late_symbols(act)
    for row in heard:
        if row.key not in told:
            continue
        value = act.given.told[row.symbol] = told[row.key][row.first]
        if not late.isdisjoint(symbols([value])):
            raise ModelError(
                f"a law uses '{row.name}', which is found with the accelerations",
                element=f"force '{act.force.name}'",
                cure="use what it rubs or stops by: rates, gaps, motions of points",
            )
    return told


def _late_symbols(act: ForceWriter) -> set[Node]:
    """Forces that are found with the accelerations: of locks, frictions that stick, and stops."""
    model = act.system.model
    own = {contact_symbol(mode) for mode in stop_modes(act.force)}
    own |= {hold_symbol(velocity) for velocity in act.velocities}
    return own | {grip_symbol(force.arguments["mode"]) for force in gripping(model)}


def state_rate_expressions(
    system: MechanismView, given: ExternalInputs, place: Callable[[Point], Place]
) -> list[tuple[str, Node]]:
    """(name, der(x)) of every user state, in model order.

    Args:
        system: the mechanism.
        given: what the force elements gave.
        place: motion of a point, seen from the ground.
    """
    model, names, rates = system.model, list[str](), list[Node]()
    for state in model.states.values():
        rate = given.rate_of(state.name) if state.rate is None else state.rate
        if rate is None:
            raise ModelError(
                "nothing gives its rate",
                element=f"state '{state.name}'",
                cure="give model.state(…, rate=…) or model.state_rate",
            )
        names.append(state.name)
        rates.append(fold_parameters(system, rate))
    heard = [row for state in model.states.values() for row in state.hears]
    return list(zip(names, bind_heard(model, rates, heard, given.told, place), strict=True))


def write_told(scheme: Scheme, model: Mechanism, writer: Callable[[Force], ForceWriter]) -> None:
    """Write the outputs of all force elements."""
    heard = _told_to_laws(model)
    for force in model.forces.values():
        offers = FORCES[force.kind].offers(force.labels)
        sizes = {f"{force.name}.{offer.name}": len(offer.parts) for offer in offers}
        for name, nodes in listen(writer(force), heard).items():
            scheme.output(name, nodes, (size,) if (size := sizes.get(name, 0)) else ())
