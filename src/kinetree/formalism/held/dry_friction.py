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

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from kinetree.engine import ONE, ZERO, Node, Rank, add, call, select, sign, symbol
from kinetree.formalism.forces.rubbing import Rubbing, by_size
from kinetree.formalism.joint_equations import EITHER, QDD, JointEquation, JointMotion, SpeedBond
from kinetree.program import Input, Scheme
from kinetree.program.complementarity import HALF, change_least_index

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
        rubbing: velocity number -> its friction.
        excess, bonds: none: velocities that move slide.
    """

    names: Sequence[str]
    gamma: Sequence[Node]
    equations: Sequence[JointEquation]
    rubbing: Mapping[int, Rubbing]
    excess: Mapping[int, Node] = field(default_factory=dict)
    bonds: Sequence[SpeedBond] = ()

    def write(self, scheme: Scheme, motion: JointMotion) -> None:
        """Write qdd, tau (friction included), friction, the next modes, and how many are open."""
        scheme.output("qdd", motion.qdd, None, self.names)
        scheme.output("tau", motion.tau, None, self.names)
        names, rows = [self.names[k] for k in self.rubbing], list(self.rubbing.values())
        forces = friction_forces(scheme, self.rubbing, self.gamma, motion.tau)
        scheme.output("friction", forces, None, names)
        v = [motion.qd[k] for k in self.rubbing]
        moves = [call("abs", sign(x)) for x in v]
        found, _ = next_modes(scheme, rows, forces, accelerations(motion, self.rubbing), moves)
        modes = [
            select(move - HALF, sign(x), new) for move, x, new in zip(moves, v, found, strict=True)
        ]
        changed = [
            select(call("abs", new - row.mode) - HALF, 1, 0)
            for row, new in zip(rows, scheme.each("next", modes), strict=True)
        ]
        scheme.output("modes", modes, None, names)
        scheme.output("open", (add(ZERO, *changed),), ())


def friction_forces(
    scheme: Scheme, rows: Mapping[int, Rubbing], known: Sequence[Node], tau: Sequence[Node]
) -> list[Node]:
    """Forces of the friction: what it takes where a joint sticks, else as it slides."""
    forces = [select(row.sticks - HALF, tau[k] - known[k], row.push) for k, row in rows.items()]
    return list(scheme.each("friction", forces))


def accelerations(motion: JointMotion, numbers: Iterable[int]) -> list[tuple[Node, Node]]:
    """Accelerations of velocities, and what of them may be rounding."""
    return [(motion.qdd[k], OWN_SLACK * motion.sizes.get(k, ZERO)) for k in numbers]


def next_modes(
    scheme: Scheme,
    rows: Sequence[Rubbing],
    forces: Sequence[Node],
    qdd: Sequence[tuple[Node, Node]],
    moves: Sequence[Node],
) -> tuple[list[Node], Node]:
    """The modes after one pivot, or after those that broke away slide, or stick again.

    Args:
        scheme: where they are written.
        rows: the velocities with friction.
        forces: of the friction.
        qdd: accelerations, each with a size below which it is none.
        moves: 1 where a joint goes on to slide, so that nothing is to be decided.

    Returns:
        The modes, and how many asked for a pivot.
    """
    common = COMMON_SLACK * add(ZERO, *[row.breakaway for row in rows])
    asked = [
        select(move - HALF, row.mode, row.next_mode(f, OWN_SLACK * row.bound + common, *a))
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
    return modes, count


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
    rows = {at[name]: Rubbing(*own) for name, *own in zip(names, *columns, strict=True)}
    equations = [
        JointEquation(*((ONE, ZERO) if word == QDD else (ZERO, ONE)), right)
        for word, right in zip(known.values(), gamma, strict=True)
    ]
    for k, row in rows.items():
        free = scheme.let(f"slides_{k + 1}", 1 - row.sticks)
        right = gamma[k] + scheme.let(f"push_{k + 1}", row.push)
        equations[k] = JointEquation(1 - free, free, free * right)
    return DryFriction(tuple(known), gamma, equations, rows)
