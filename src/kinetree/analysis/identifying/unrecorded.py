"""User states, which nobody recorded: what is taken for them, and where that is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kinetree.arrays import Array
from kinetree.errors import UnsupportedError
from kinetree.program.differentiate import dependence

if TYPE_CHECKING:
    from kinetree.model import Mechanism
    from kinetree.program import Program


MANY = 10**6
"""Dependences that are looked at."""


def user_states(model: Mechanism, count: int) -> Array:
    """User states at their initial values, for every row."""
    values = [state.initial for state in model.states.values()]
    return np.tile(np.array(values, dtype=float), (count, 1))


def refuse_states(model: Mechanism, says: Program, method: str) -> None:
    """Refuse efforts that depend on states that move by themselves.

    Args:
        model: the mechanism.
        says: its efforts along a motion.
        method: of the estimate.
    """
    if not says.takes("x"):
        return
    found = dependence(says, says.outputs[0].name, "x", MANY) or []
    used = frozenset().union(*found)
    for k, (name, state) in enumerate(model.states.items()):
        if k in used and not state.held:
            raise UnsupportedError(
                f"efforts depend on the state '{name}', which was not recorded",
                element=f"method '{method}'",
                cure="take method='output_error', which moves it",
            )
