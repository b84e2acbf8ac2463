"""Equations that repeat others in loops whose data are rounded.

Repeated equations that agree do no harm to multipliers that are updated by gaps.  Where they
contradict each other by the rounding of the data (`Model.loop_tolerance` was raised for that), a
gap is left in every iteration and the multipliers grow without end; so only independent ones are
kept.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace

from kinetree.assembly.partition import partition
from kinetree.errors import UnsupportedError
from kinetree.model import LOOP_TOLERANCE, Mechanism


def repeats(model: Mechanism) -> list[str]:
    """Labels of the equations that repeat others, where the data of the loops are rounded."""
    if not model.closures or model.loop_tolerance == LOOP_TOLERANCE:
        return []
    return list(partition(model).redundant)


def without_repeats(model: Mechanism) -> Mechanism:
    """The model with independent equations alone, where the data of its loops are rounded."""
    extra = set(repeats(model))
    if not extra:
        return model
    made = copy(model)
    made.closures = {
        name: replace(
            closure,
            conditions=tuple(c for c in closure.conditions if f"{name}.{c.label}" not in extra),
        )
        for name, closure in model.closures.items()
    }
    return made


def refuse_repeats(model: Mechanism) -> None:
    """Refuse rounded loops with more equations than they need.

    Raises:
        UnsupportedError: naming the closure.
    """
    for label in repeats(model):
        raise UnsupportedError(
            "the global formulation needs loops that close exactly, and its equations repeat each "
            "other within loop_tolerance only",
            element=f"closure '{label.partition('.')[0]}'",
            cure="use formulation='hybrid' or 'topological', or a closure with fewer equations",
        )
