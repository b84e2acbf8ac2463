"""Small steps that several formalisms take: relative motion, ground components seen in a link.

Refs: SaminFisette2003
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinetree.engine import Node, Rank, symbol
from kinetree.formalism.links.vectors import NULL, Vec, plus, times

if TYPE_CHECKING:
    from kinetree.formalism.links.frames import Frames


def relative(frames: Frames, i: int, rates: tuple[Node, ...]) -> tuple[Vec, Vec]:
    """Φ times the rates of link i: (angular, linear), in the link frame."""
    angular, linear = NULL, NULL
    for k, w, v in frames.columns(i):
        angular = plus(angular, times(rates[k], w))
        linear = plus(linear, times(rates[k], v))
    return angular, linear


def ground_to_link(frames: Frames, i: int, v: Vec) -> Vec:
    """Ground components -> components in link i."""
    for k in frames.system.path(i):
        v = frames.scheme.vector(f"g{k}", frames.to_link(k, v, f"g{k}"))
    return v


def wrench_symbols(name: str) -> tuple[Node, ...]:
    """The six symbols of an external wrench input: torque, then force."""
    return tuple(
        symbol(f"{name}_{part}", Rank.FORCE) for part in ("tx", "ty", "tz", "fx", "fy", "fz")
    )
