"""A velocity with dry friction: its modes, and what the friction does in them.

The modes are those of the table in `dry_friction`: 0 sticks, ±1 slides, ±2 breaks away, 3 sticks
after sliding at the same instant.

Refs: Otter1996 sec. 4, eqs. 8, 9
"""

from __future__ import annotations

from dataclasses import dataclass

from kinetree.engine import ONE, ZERO, Node, call, number, select
from kinetree.program.complementarity import HALF, choose_by_sign

AGAIN = 3
"""Mode of a joint that sticks after sliding at the same instant."""


@dataclass(frozen=True)
class Rubbing:
    """A velocity with dry friction.

    Attributes:
        number: of the velocity.
        mode: its mode.
        coulomb, breakaway: largest forces of sliding and of sticking.
    """

    number: int
    mode: Node
    coulomb: Node
    breakaway: Node

    @property
    def size(self) -> Node:
        """1 for modes 1 and -1, 2 for 2 and -2, and so on."""
        return call("abs", self.mode)

    @property
    def sticks(self) -> Node:
        """1 in modes 0 and 3, else 0."""
        return select(HALF - self.size, 1, select(self.size - (AGAIN - HALF), 1, 0))

    @property
    def bound(self) -> Node:
        """Largest force in the present mode: of sliding, or of breaking away."""
        return by_size(self.size, self.breakaway, self.coulomb, self.breakaway, self.coulomb)

    @property
    def push(self) -> Node:
        """Force of the friction where it slides; 0 where it sticks."""
        return (1 - self.sticks) * choose_by_sign(self.mode, self.bound, ZERO, -self.bound)

    def next_mode(self, force: Node, qdd: Node, slack: Node) -> Node:
        """The mode asked for at rest, by the force of the friction and the acceleration."""
        over = force - self.bound - slack
        under = -self.bound - slack - force
        way = by_size(self.size, number(2), ONE, ONE, ONE)
        stuck = select(over, -way, select(under, way, self.mode))
        held = by_size(self.size, ZERO, number(AGAIN), ZERO, ZERO)
        forward, backward = select(-qdd, held, self.mode), select(qdd, held, self.mode)
        return select(self.sticks - HALF, stuck, choose_by_sign(self.mode, backward, ZERO, forward))


def by_size(size: Node, nought: Node, one: Node, two: Node, three: Node) -> Node:
    """One of four values, by a whole number from 0 to 3."""
    above = select(size - (2 + HALF), three, two)
    return select(size - (1 + HALF), above, select(size - HALF, one, nought))


__all__ = ["Rubbing", "by_size"]
