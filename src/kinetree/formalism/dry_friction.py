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

from kinetree.engine import ONE, ZERO, Node, Rank, add, call, select, sign, symbol
from kinetree.formalism.forces.force_writer import ExternalInputs
from kinetree.formalism.forces.rubbing import Rubbing, by_size
from kinetree.formalism.joint_equations import EITHER, QDD, JointEquation
from kinetree.program import Input
from kinetree.program.complementarity import HALF, change_least_index

if TYPE_CHECKING:
    from kinetree.program import Scheme

OWN_SLACK, COMMON_SLACK = 1e-11, 1e-13
"""Shares of a joint's own bound, and of the sum of all, by which a force may pass its bound."""
INPUTS = (("modes", 0.0), ("coulomb", None), ("breakaway", None))
"""Inputs of the joints with friction, and their defaults."""


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
        forces = friction_forces(scheme, self.rubbing, self.gamma, tau)
        scheme.output("friction", forces, None, names)
        v, a = [qd[i] for i in k], [qdd[i] for i in k]
        moves = [call("abs", sign(x)) for x in v]
        found = next_modes(scheme, self.rubbing, forces, a, moves)
        modes = [
            select(move - HALF, sign(x), new) for move, x, new in zip(moves, v, found, strict=True)
        ]
        changed = [
            select(call("abs", new - row.mode) - HALF, 1, 0)
            for row, new in zip(self.rubbing, scheme.each("next", modes), strict=True)
        ]
        scheme.output("modes", modes, None, names)
        scheme.output("open", (add(ZERO, *changed),), ())


@dataclass(frozen=True)
class HeldJoints:
    """The equations of all velocities, some of which elements of the model may hold still.

    Attributes:
        names: of all velocities.
        tau: known forces.
        equations: one per velocity.
        given: what the elements of the model do.
    """

    names: Sequence[str]
    tau: Sequence[Node]
    equations: Sequence[JointEquation]
    given: ExternalInputs

    def write(
        self, scheme: Scheme, qd: Sequence[Node], qdd: Sequence[Node], tau: Sequence[Node]
    ) -> None:
        """Write qdd and hold, forces of locks and dry friction; with friction also what follows.

        modes: the next ones; rest: velocities, those that changed their sign stopped; slip: above
        zero where a joint breaks away or comes to rest.
        """
        given, rows = self.given, list(self.given.rubbing.values())
        scheme.output("qdd", qdd, None, self.names)
        forces = friction_forces(scheme, rows, self.tau, tau)
        hold = {k: lock * (tau[k] - self.tau[k]) for k, lock in given.locks.items()}
        hold |= {row.number: force for row, force in zip(rows, forces, strict=True)}
        whole = [hold.get(k, ZERO) for k in range(len(self.names))]
        scheme.output("hold", whole, None, self.names)
        if not rows:
            return
        v, a = [qd[row.number] for row in rows], [qdd[row.number] for row in rows]
        moves = [select(row.mode * x, 1, 0) for row, x in zip(rows, v, strict=True)]
        modes = next_modes(scheme, rows, forces, a, moves)
        started = [select(call("abs", x) * (HALF - row.size), sign(x), new)
                   for row, x, new in zip(rows, v, modes, strict=True)]  # fmt: skip
        rest = [select(-row.mode * x, 0, x) for row, x in zip(rows, v, strict=True)]
        slip = [
            select(
                row.sticks - HALF, call("abs", f) - (1 + 4 * OWN_SLACK) * row.bound, -row.mode * x
            )
            for row, f, x in zip(rows, forces, v, strict=True)
        ]
        scheme.output("modes", started, None, list(given.modes.values()))
        scheme.output("rest", rest, None, [self.names[row.number] for row in rows])
        scheme.output("slip", slip, None, list(given.modes.values()))


def friction_forces(
    scheme: Scheme, rows: Sequence[Rubbing], known: Sequence[Node], tau: Sequence[Node]
) -> list[Node]:
    """Forces of the friction: what it takes where a joint sticks, else as it slides."""
    forces = [
        select(row.sticks - HALF, tau[row.number] - known[row.number], row.push) for row in rows
    ]
    return list(scheme.each("friction", forces))


def next_modes(
    scheme: Scheme,
    rows: Sequence[Rubbing],
    forces: Sequence[Node],
    qdd: Sequence[Node],
    moves: Sequence[Node],
) -> list[Node]:
    """The modes after one pivot, or after those that broke away slide, or stick again.

    Args:
        scheme: where they are written.
        rows: the velocities with friction.
        forces: of the friction.
        qdd: accelerations.
        moves: 1 where a joint goes on to slide, so that nothing is to be decided.
    """
    common = COMMON_SLACK * add(ZERO, *[row.breakaway for row in rows])
    asked = [
        select(move - HALF, row.mode, row.next_mode(f, a, OWN_SLACK * row.bound + common))
        for row, move, f, a in zip(rows, moves, forces, qdd, strict=True)
    ]
    pivoted, count = change_least_index(scheme, "stick", [row.mode for row in rows], asked)
    breaking = add(ZERO, *[by_size(row.size, ZERO, ZERO, ONE, ZERO) for row in rows])
    breaking = scheme.let("breaking", breaking)
    modes: list[Node] = []
    for row, new in zip(rows, pivoted, strict=True):
        slides = by_size(row.size, row.mode, row.mode, row.mode / 2, row.mode)
        settles = by_size(row.size, row.mode, row.mode, row.mode, ZERO)
        done = select(breaking - HALF, slides, settles)
        modes.append(select(count - HALF, new, done))
    return modes


def hold_joints(
    scheme: Scheme, names: Sequence[str], tau: Sequence[Node], given: ExternalInputs
) -> HeldJoints:
    """Forward dynamics with what elements of the model hold still."""
    equations = [JointEquation(ZERO, ONE, x) for x in tau]
    held = {**given.locks, **{k: row.sticks for k, row in given.rubbing.items()}}
    for k, at in held.items():
        free = scheme.let(f"free_{k + 1}", 1 - at)
        equations[k] = JointEquation(1 - free, free, free * tau[k])
    return HeldJoints(names, tau, equations, given)


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


__all__ = ["DryFriction", "HeldJoints", "declare_friction", "hold_joints"]
