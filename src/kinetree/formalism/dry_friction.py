"""Dry friction in joints: motion in given modes, and the modes that follow.

A joint sticks or slides.  In given modes the accelerations follow from one equation per velocity
(`joint_equations`):

| mode | meaning | alpha, beta | force of the friction |
|---|---|---|---|
| 0 | sticks | 1, 0 | what it takes, up to `breakaway` |
| 1, -1 | slides forward, backward | 0, 1 | -`coulomb`, `coulomb` |

Which joints at rest go on to stick is decided for all of them at once: a boxed complementarity
problem in the forces, solved by principal pivots with the least-index rule (`complementarity`), one
pivot per evaluation.  Between the pivots of one instant there are more modes:

| mode | meaning | condition, else its next mode |
|---|---|---|
| 2, -2 | breaks away with the force `breakaway` | does not accelerate backward, forward; 0 |
| 1, -1 | begins to slide | does not accelerate backward, forward; 3 |
| 3 | sticks after sliding | force up to `coulomb`; 1 or -1 |
| 0 | sticks | force up to `breakaway`; 2 or -2 |

When no condition is violated, all that break away slide, with the smaller force `coulomb`; when
none breaks away, all that stuck after sliding stick.  A joint that has slid does not come back to
its larger bound at the same instant, so at most as many problems are solved as there are joints,
each with its finite number of pivots.  A joint that moves slides in the direction of its velocity.

Refs: Otter1996 sec. 4, eqs. 8, 9; Murty1974
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kinetree.engine import ONE, ZERO, Node, Rank, add, call, number, select, sign, symbol
from kinetree.formalism.joint_equations import EITHER, QDD, JointEquation
from kinetree.program import Input
from kinetree.program.complementarity import HALF, change_least_index, choose_by_sign

if TYPE_CHECKING:
    from kinetree.program import Scheme

OWN_SLACK, COMMON_SLACK = 1e-9, 1e-12
"""Shares of a joint's own bound, and of the sum of all, by which a force may pass its bound."""
AGAIN = 3
"""Mode of a joint that sticks after sliding at the same instant."""
INPUTS = (("modes", 0.0), ("coulomb", None), ("breakaway", None))
"""Inputs of the joints with friction, and their defaults."""


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
        return _by_size(self.size, self.breakaway, self.coulomb, self.breakaway, self.coulomb)

    @property
    def push(self) -> Node:
        """Force of the friction where it slides; 0 where it sticks."""
        return (1 - self.sticks) * choose_by_sign(self.mode, self.bound, ZERO, -self.bound)

    def wanted(self, force: Node, qdd: Node, slack: Node) -> Node:
        """The mode asked for at rest, by the force of the friction and the acceleration."""
        over = force - self.bound - slack
        under = -self.bound - slack - force
        way = _by_size(self.size, number(2), ONE, ONE, ONE)
        stuck = select(over, -way, select(under, way, self.mode))
        held = _by_size(self.size, ZERO, number(AGAIN), ZERO, ZERO)
        forward, backward = select(-qdd, held, self.mode), select(qdd, held, self.mode)
        return select(self.sticks - HALF, stuck, choose_by_sign(self.mode, backward, ZERO, forward))


def _by_size(size: Node, nought: Node, one: Node, two: Node, three: Node) -> Node:
    """One of four values, by a whole number from 0 to 3."""
    above = select(size - (2 + HALF), three, two)
    return select(size - (1 + HALF), above, select(size - HALF, one, nought))


@dataclass(frozen=True)
class DryFriction:
    """The equations of all velocities, some of them with dry friction.

    Attributes:
        names: of all velocities.
        gamma: known forces, friction apart, or accelerations.
        equations: one per velocity.
        rubbing: the velocities with friction.
    """

    names: Sequence[str]
    gamma: Sequence[Node]
    equations: Sequence[JointEquation]
    rubbing: Sequence[Rubbing]

    def write(
        self, scheme: Scheme, qd: Sequence[Node], qdd: Sequence[Node], tau: Sequence[Node]
    ) -> None:
        """Write qdd, tau (friction included), friction, the next modes, and how many are open."""
        scheme.output("qdd", qdd, None, self.names)
        scheme.output("tau", tau, None, self.names)
        k = [row.number for row in self.rubbing]
        names = [self.names[i] for i in k]
        forces = [
            select(row.sticks - HALF, tau[row.number] - self.gamma[row.number], row.push)
            for row in self.rubbing
        ]
        forces = list(scheme.each("friction", forces))
        scheme.output("friction", forces, None, names)
        modes, asked = self._next(scheme, forces, [qd[i] for i in k], [qdd[i] for i in k])
        scheme.output("modes", modes, None, names)
        scheme.output("open", (asked,), ())

    def _next(
        self, scheme: Scheme, forces: Sequence[Node], qd: Sequence[Node], qdd: Sequence[Node]
    ) -> tuple[list[Node], Node]:
        """The modes after one pivot, or after those that broke away slide, or stick again."""
        rows = self.rubbing
        common = COMMON_SLACK * add(ZERO, *[row.breakaway for row in rows])
        moves = [call("abs", sign(v)) for v in qd]
        asked = [
            select(move - HALF, row.mode, row.wanted(f, a, OWN_SLACK * row.bound + common))
            for row, move, f, a in zip(rows, moves, forces, qdd, strict=True)
        ]
        pivoted, count = change_least_index(scheme, "stick", [row.mode for row in rows], asked)
        breaking = add(ZERO, *[_by_size(row.size, ZERO, ZERO, ONE, ZERO) for row in rows])
        breaking = scheme.let("breaking", breaking)
        modes: list[Node] = []
        for row, new, move, v in zip(rows, pivoted, moves, qd, strict=True):
            slides = _by_size(row.size, row.mode, row.mode, row.mode / 2, row.mode)
            settles = _by_size(row.size, row.mode, row.mode, row.mode, ZERO)
            done = select(breaking - HALF, slides, settles)
            modes.append(select(move - HALF, sign(v), select(count - HALF, new, done)))
        changed = [
            select(call("abs", new - row.mode) - HALF, 1, 0)
            for row, new in zip(rows, scheme.each("next", modes), strict=True)
        ]
        return list(modes), add(ZERO, *changed)


def declare_friction(
    scheme: Scheme, gamma: Sequence[Node], known: Mapping[str, str]
) -> DryFriction:
    """The equations of all velocities; those of which either may be known have dry friction.

    Declares modes, coulomb and breakaway, a value for each of them.
    """
    names = tuple(name for name, word in known.items() if word == EITHER)
    columns = []
    for stem, default in INPUTS if names else ():
        symbols = tuple(symbol(f"{stem}_{name}", Rank.PARAMETER) for name in names)
        values = None if default is None else (default,) * len(names)
        columns.append(scheme.input(Input(stem, (len(names),), symbols, values, True, names)))
    at = {name: k for k, name in enumerate(known)}
    rows = [Rubbing(at[name], *own) for name, *own in zip(names, *columns, strict=True)]
    equations = [
        JointEquation(*((ONE, ZERO) if word == QDD else (ZERO, ONE)), right)
        for word, right in zip(known.values(), gamma, strict=True)
    ]
    for row in rows:
        free = scheme.let(f"slides_{row.number + 1}", 1 - row.sticks)
        right = gamma[row.number] + scheme.let(f"push_{row.number + 1}", row.push)
        equations[row.number] = JointEquation(1 - free, free, free * right)
    return DryFriction(tuple(known), gamma, equations, rows)


__all__ = ["DryFriction", "declare_friction"]
