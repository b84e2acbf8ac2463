"""Resets: what events change in a closed system must be free to choose.

The loops are closed again after an event from the independent coordinates, so a change of another
one would be lost: what events change is kept independent, and what cannot be is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kinetree.engine import Node
from kinetree.errors import ModelError
from kinetree.model import Event, Mechanism

if TYPE_CHECKING:
    from kinetree.assembly import Partition

Resets = Mapping[str, tuple[str, ...]]
"""Name of an event -> velocities that it changes, or whose coordinates it changes."""


def resets(model: Mechanism, events: Any) -> Resets:
    """What the events of the model and those given to a run change of its motion."""
    found: dict[str, tuple[str, ...]] = {}
    given = events if isinstance(events, Mapping) else {}
    for name, event in {**model.events, **given}.items():
        then: Mapping[Any, Any] = event.then if isinstance(event, Event) else {}
        words = [key.name if isinstance(key, Node) else str(key) for key in then]
        moved = [velocity for word in words for velocity in _velocities(model, word)]
        if moved:
            found[name] = tuple(dict.fromkeys(moved))
    return found


def _velocities(model: Mechanism, word: str) -> tuple[str, ...]:
    """The velocities behind q_NAME or qd_NAME; a part of a quaternion stands for its joint."""
    part, _, name = word.partition("_")
    if part == "qd" and name in model.velocities:
        return (name,)
    for joint in model.leaders if part == "q" else ():
        if name in joint.coordinates:
            plain = joint.nq == joint.nv
            return (model.velocity_of(name),) if plain else joint.velocities
    return ()


def all_names(found: Resets) -> tuple[str, ...]:
    """All velocities that events change, each once."""
    return tuple(dict.fromkeys(name for row in found.values() for name in row))


def breaks_loops(found: Resets) -> ModelError:
    """The error for events whose changes cannot all be chosen freely."""
    events = ", ".join(f"'{name}'" for name in found)
    names = ", ".join(f"'{name}'" for name in all_names(found))
    return ModelError(
        f"the loops do not let {names} be changed independently of each other",
        element=f"event{'s' if len(found) > 1 else ''} {events}",
        cure="change no more coordinates than are free to move; the others follow",
    )


def refuse_dependent(found: Resets, partition: Partition) -> None:
    """Refuse events that change what follows from the independent coordinates."""
    free = set(partition.independent) - set(partition.rate_dependent)
    for event, names in found.items():
        for name in names:
            if name not in free:
                driven = name in partition.driven
                why = "is driven" if driven else "follows from other coordinates by the loops"
                raise ModelError(
                    f"'{name}' {why}, so no event can change it",
                    element=f"event '{event}'",
                    cure="let the law of the drive jump" if driven
                    else f"name '{name}' in independent=, or change one of those instead",
                )  # fmt: skip
