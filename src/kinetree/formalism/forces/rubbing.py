"""A speed with dry friction: its modes, and what the friction does in them.

The modes are those of the table in `dry_friction`: 0 sticks, ±1 slides, ±2 breaks away, 3 sticks
after sliding at the same instant.

Refs: Otter1996 sec. 4, eqs. 8, 9
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from kinetree.engine import ONE, ZERO, Node, add, call, maximum, number, select, sign
from kinetree.program.complementarity import HALF, choose_by_sign

AGAIN = 3
"""Mode of a joint that sticks after sliding at the same instant."""
DRIFT, CREEP = 1e-4, 1e-6
"""Share of the terms of a speed, and speed [rad/s or m/s], that what sticks may have by errors."""
ROUNDING = 1e-8
"""Share of its slack below which a speed is zero to rounding."""


@dataclass(frozen=True)
class Rubbing:
    """A speed with dry friction.

    Attributes:
        mode: its mode.
        coulomb, breakaway: largest forces of sliding and of sticking.
        loose: whether the forces may be zero for a while.
        slack: speed that what sticks may have by the errors of a run; 0 for an independent
            velocity, which rests exactly.
        one_way: whether it never slides backward: it holds any force that would make it.
    """

    mode: Node
    coulomb: Node
    breakaway: Node
    loose: bool = False
    slack: Node = ZERO
    one_way: bool = False

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

    def next_mode(self, force: Node, slack: Node, qdd: Node, least: Node) -> Node:
        """The mode asked for at rest, by the force of the friction and the acceleration.

        Args:
            force: of the friction.
            slack: by which it may pass its bound.
            qdd: acceleration.
            least: acceleration that is none.
        """
        over = -ONE if self.one_way else force - self.bound - slack
        under = -self.bound - slack - force
        way = by_size(self.size, number(2), ONE, ONE, ONE)
        stuck = select(over, -way, select(under, way, self.mode))
        held = by_size(self.size, ZERO, number(AGAIN), ZERO, ZERO)
        forward, backward = (select(x - least, held, self.mode) for x in (-qdd, qdd))
        bound = select(
            self.sticks - HALF, stuck, choose_by_sign(self.mode, backward, ZERO, forward)
        )
        return select(self.bound, bound, self._follow(qdd, least)) if self.loose else bound

    def _follow(self, qdd: Node, least: Node) -> Node:
        """The mode asked for at rest without any force: whichever way it goes."""
        turned = select(-self.mode * qdd - least, -self.mode, self.mode)
        return by_size(self.size, ONE, turned, self.mode, ONE)

    def along(self, terms: Sequence[Node]) -> Rubbing:
        """The same along a speed that is a sum of such terms."""
        size = add(ZERO, *[call("abs", x) for x in terms])
        return replace(self, slack=DRIFT * size + CREEP)

    def moves(self, speed: Node) -> Node:
        """1 where it goes on to slide, so that nothing is to be decided, else 0."""
        if self.slack is ZERO:  # what sticks has no speed
            return select(self.mode * speed, 1, 0)
        return select((1 - self.sticks) * self.mode * speed - ROUNDING * self.slack, 1, 0)

    def begin(self, speed: Node, mode: Node) -> Node:
        """The next mode, unless it is said to stick and moves: then it slides."""
        beyond = speed if self.one_way else call("abs", speed)
        if self.slack is not ZERO:
            beyond = maximum(beyond - self.slack, 0)
        return select(beyond * (HALF - self.size), sign(speed), mode)

    def excess(self, speed: Node) -> Node:
        """What is to be taken from the speed, for it sticks or has come to rest; 0 elsewhere."""
        beyond = call("abs", speed)
        drifted = select(self.slack - beyond, speed, 0)
        resting = select(self.size - (AGAIN - HALF), speed, drifted)
        return self.sticks * select(beyond - ROUNDING * self.slack, resting, 0)

    def slip(self, force: Node, speed: Node, slack: float) -> Node:
        """Above zero where it breaks away by more than a share of its bound, or changes its way."""
        over = (-force if self.one_way else call("abs", force)) - (1 + slack) * self.bound
        passed = -self.mode * speed - ROUNDING * self.slack
        return select(self.sticks - HALF, over, passed)


class Grip(NamedTuple):
    """A speed other than a velocity that rubs; the force acts along it."""

    rubbing: Rubbing
    speed: Node


def by_size(size: Node, nought: Node, one: Node, two: Node, three: Node) -> Node:
    """One of four values, by a whole number from 0 to 3."""
    above = select(size - (2 + HALF), three, two)
    return select(size - (1 + HALF), above, select(size - HALF, one, nought))
