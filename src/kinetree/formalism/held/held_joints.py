"""Forward dynamics with what elements of the model hold still: locks, dry friction, clutches.

Velocities are held by their own equations (`joint_equations`), other speeds by bonds (`bonds`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from kinetree.engine import ONE, ZERO, Node, mul, number, select
from kinetree.formalism.forces.force_writer import ExternalInputs
from kinetree.formalism.forces.rubbing import Rubbing
from kinetree.formalism.held.dry_friction import (
    OWN_SLACK,
    accelerations,
    friction_forces,
    next_modes,
)
from kinetree.formalism.held.grips import grip_motions
from kinetree.formalism.joint_equations import JointEquation, JointMotion, SpeedBond
from kinetree.program.complementarity import HALF

if TYPE_CHECKING:
    from kinetree.formalism.links.frames import Frames
    from kinetree.program import Scheme


PRESSED = number(1e-10), number(1e-12)
"""Acceleration [m/s2, rad/s2] and speed [m/s, rad/s] of what a stop holds: these are roundings, and
no reason to stick or to slide."""


class _Row(NamedTuple):
    """A speed that rubs: its mode, speed, force, acceleration and what of that is rounding."""

    rubbing: Rubbing
    speed: Node
    force: Node
    acceleration: Node
    least: Node


@dataclass(frozen=True)
class HeldJoints:
    """The equations of all velocities, some of which elements of the model may hold still.

    Attributes:
        names: of all velocities.
        tau: known forces.
        equations: one per velocity.
        given: what the elements of the model do.
        excess: dependent velocity -> what is left of it where it sticks.
        bonds: speeds other than velocities that rub, in the order of `given.grips`.
    """

    names: Sequence[str]
    tau: Sequence[Node]
    equations: Sequence[JointEquation]
    given: ExternalInputs
    excess: Mapping[int, Node] = field(default_factory=dict)
    bonds: Sequence[SpeedBond] = ()

    def write(self, scheme: Scheme, motion: JointMotion) -> None:
        """Write qdd, hold and grip, forces of what holds; with friction also what follows.

        modes: the next ones; rest: velocities, those that come to rest stopped; slip: above zero
        where a joint breaks away or comes to rest.
        """
        given, tau = self.given, motion.tau
        scheme.output("qdd", [motion.valid * x for x in motion.qdd], None, self.names)
        rows = self._joints(scheme, motion)
        hold = {k: lock * (tau[k] - self.tau[k]) for k, lock in given.locks.items()}
        hold |= {k: row.force for k, row in zip(given.rubbing, rows, strict=True)}
        whole = [hold.get(k, ZERO) for k in range(len(self.names))]
        scheme.output("hold", [motion.valid * x for x in whole], None, self.names)
        if given.grips:
            grips = self._grips(scheme, motion)
            forces = [motion.valid * row.force for row in grips]
            scheme.output("grip", forces, None, list(given.grips))
            rows += grips
        if rows:
            self._write_modes(scheme, motion, rows)

    def _write_modes(self, scheme: Scheme, motion: JointMotion, rows: Sequence[_Row]) -> None:
        """Write what follows for the modes of all that rub."""
        still, creep = PRESSED if self.given.stops else (ZERO, ZERO)
        moves = [row.rubbing.moves(row.speed) for row in rows]
        modes, count = next_modes(
            scheme,
            [row.rubbing for row in rows],
            [row.force for row in rows],
            [(row.acceleration, row.least + still) for row in rows],
            moves,
        )
        if motion.valid is not ONE:  # what slides goes on, whatever is undetermined
            modes = [select(move - HALF, row.rubbing.mode, motion.valid * new)
                     for row, move, new in zip(rows, moves, modes, strict=True)]  # fmt: skip
        begun = [row.rubbing.begin(row.speed, new) for row, new in zip(rows, modes, strict=True)]
        slip = [row.rubbing.slip(row.force, row.speed, 4 * OWN_SLACK) - creep for row in rows]
        names = [*self.given.modes.values(), *self.given.grips]
        rest = self._rest(motion, count)
        scheme.output("modes", begun, None, names)
        scheme.output("rest", list(rest.values()), None, [self.names[k] for k in rest])
        scheme.output("slip", slip, None, names)

    def _joints(self, scheme: Scheme, motion: JointMotion) -> list[_Row]:
        """The velocities that rub."""
        rubbing = self.given.rubbing
        forces = friction_forces(scheme, rubbing, self.tau, motion.tau)
        found = zip(rubbing.items(), forces, accelerations(motion, rubbing), strict=True)
        return [_Row(row, motion.qd[k], force, *qdd) for (k, row), force, qdd in found]

    def _grips(self, scheme: Scheme, motion: JointMotion) -> list[_Row]:
        """The other speeds that rub."""
        found = []
        for bond, (name, grip), (force, wd, size) in zip(
            self.bonds, self.given.grips.items(), motion.bonds, strict=True
        ):
            row = grip.rubbing
            whole = scheme.let(f"{name}_grip", select(row.sticks - HALF, force, row.push))
            found.append(_Row(row, bond.speed, whole, wd, OWN_SLACK * size))
        return found

    def _rest(self, motion: JointMotion, count: Node) -> dict[int, Node]:
        """Velocities of joints that rub, and of those that others stop with them.

        Others stop when all is decided: what passes through rest does not stop anything, nor do
        those whose forces are undetermined.
        """
        found = {
            k: select(-row.mode * motion.qd[k], 0, motion.qd[k])
            for k, row in self.given.rubbing.items()
            if k not in self.excess
        }
        for k, change in motion.changes.items():
            settled = select(HALF - count, motion.valid, 0)  # NaN is not above zero
            found[k] = found.get(k, motion.qd[k]) + select(settled, change, 0)
        return found


def hold_joints(
    frames: Frames,
    tau: Sequence[Node],
    given: ExternalInputs,
    B: Mapping[int, Mapping[int, Node]] | None = None,
) -> HeldJoints:
    """Forward dynamics with what elements of the model hold still.

    Args:
        frames: the links, and where equations are written.
        tau: known forces.
        given: what the elements do.
        B: dependent velocity -> how it follows the independent ones.
    """
    scheme, system, coupling = frames.scheme, frames.system, B or {}
    bonds = _bind(frames, given) if given.grips else []
    excess: dict[int, Node] = {}
    if bonds or coupling.keys() & given.rubbing.keys():
        excess = _count_speeds(scheme, system.qd, given, coupling)
    return HeldJoints(
        system.model.velocities, tau, hold_velocities(scheme, tau, given), given, excess, bonds
    )


def hold_velocities(
    scheme: Scheme, tau: Sequence[Node], given: ExternalInputs
) -> list[JointEquation]:
    """One equation per velocity, where elements may hold some of them still."""
    equations = [JointEquation(ZERO, ONE, x) for x in tau]
    held = {**given.locks, **{k: row.sticks for k, row in given.rubbing.items()}}
    for k, at in held.items():
        free = scheme.let(f"free_{k + 1}", 1 - at)
        equations[k] = JointEquation(1 - free, free, free * tau[k])
    return equations


def _count_speeds(
    scheme: Scheme,
    qd: Sequence[Node],
    given: ExternalInputs,
    coupling: Mapping[int, Mapping[int, Node]],
) -> dict[int, Node]:
    """Tell speeds by rounding from zero; what is left of dependent velocities that stick."""
    excess: dict[int, Node] = {}
    for k in given.rubbing:
        own = coupling.get(k)
        terms = [qd[k]] if own is None else [mul(x, qd[u]) for u, x in own.items()]
        row = given.rubbing[k] = given.rubbing[k].along(terms)
        if own is not None:
            excess[k] = scheme.let(f"excess_{k + 1}", row.excess(qd[k]))
    return excess


def _bind(frames: Frames, given: ExternalInputs) -> list[SpeedBond]:
    """The bonds of speeds that rub."""
    found: list[SpeedBond] = []
    scheme, qd = frames.scheme, frames.system.qd
    for (name, grip), motion in zip(given.grips.items(), grip_motions(frames), strict=True):
        row = grip.rubbing.along([mul(x, qd[k]) for k, x in motion.J.items()])
        given.grips[name] = grip._replace(rubbing=row)
        free = scheme.let(f"{name}_free", 1 - row.sticks)
        excess = scheme.let(f"{name}_excess", row.excess(motion.speed))
        equation = JointEquation(1 - free, free, ZERO)
        found.append(SpeedBond(name, motion.J, motion.drift, motion.speed, equation, excess))
    return found
