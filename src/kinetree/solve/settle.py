"""Modes repeated until they settle: each round gives the modes of the next."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from kinetree.arrays import Array

MOST = 10_000
"""Rounds after which modes are said not to settle."""


def settle(
    update: Callable[[Array], Mapping[str, Any]], modes: Any, most: int = MOST
) -> tuple[dict[str, Any], int]:
    """The outputs of the first round that leaves the modes as they are, and the rounds before it.

    Args:
        update: modes -> outputs with their "modes" for the next round.
        modes: to begin with; those of the last event are a good guess.
        most: rounds at most.

    Raises:
        ArithmeticError: where modes come back, or the rounds are used up.
    """
    now = np.asarray(modes, dtype=float)
    seen: set[bytes] = set()
    for count in range(most):
        out = dict(update(now))
        new = np.asarray(out["modes"], dtype=float)
        if np.array_equal(new, now):
            return out, count
        seen.add(now.tobytes())
        if new.tobytes() in seen or not np.isfinite(new).all():
            break
        now = new
    raise ArithmeticError("the modes do not settle")
