"""Forward dynamics of closed systems: the ways in which the loops enter, one row each.

| way | what it does |
|---|---|
| explicit | independent coordinates alone, loops solved by Newton's method (`explicit`) |
| multipliers | all coordinates, loops kept by Baumgarte's method (`multipliers`) |
| projection | all coordinates, positions and velocities projected on the loops (`multipliers`) |

Refs: Docquier2013 sec. 2.2.1, sec. 3.5.1
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kinetree.engine import Node, Rank, symbol
from kinetree.errors import UnsupportedError
from kinetree.formalism.closed.actuation import Actuation
from kinetree.formalism.closed.explicit import Explicit
from kinetree.formalism.closed.mixed import Mixed
from kinetree.formalism.closed.multipliers import (
    Augmented,
    declare_stabilising,
    project_positions,
    projected_coordinates,
)
from kinetree.formalism.forces.link_forces import elements
from kinetree.formalism.held.held_joints import HeldJoints, hold_joints
from kinetree.formalism.inertia_bias import INERTIA_AND_BIAS, Build
from kinetree.formalism.links.frames import Frames
from kinetree.formalism.loops.drives import drive_motions, drive_rates
from kinetree.formalism.loops.positions import (
    Choice,
    drive_positions,
    solved_coordinates,
    start_symbol,
)
from kinetree.formalism.quantities import (
    JOINT_LAWS,
    declare_coordinates,
    declare_laws,
    declare_loads,
    declare_velocities,
    write_states,
)
from kinetree.model import gimbal_locks, holding, refuse_holding
from kinetree.program import Input, Program, Scheme
from kinetree.program.sort_blocks import sort_blocks

if TYPE_CHECKING:
    from kinetree.formalism.forces.force_writer import ExternalInputs
    from kinetree.formalism.links.linkage import Linkage
    from kinetree.formalism.loops.validity import Validity
    from kinetree.program.locks import Locks


@dataclass(frozen=True)
class Closed:
    """What a way needs besides the links.

    Attributes:
        build: (frames, qd, qdd) -> M, and M qdd + c.
        choice: which equations are independent, and what they are solved for.
        labels: of all equations.
    """

    build: Build
    choice: Choice
    labels: tuple[str, ...]


def explicit(system: Linkage, closed: Closed) -> Program:
    """udd from u and ud: loops solved for the dependent coordinates."""
    choice = closed.choice
    names = {*choice.dependent, *choice.rolling, *drive_motions(system)}
    page = _Page(system, solved_coordinates(system, choice), names)
    model = Explicit(page.frames, choice, page.given, closed.labels)
    if holding(system.model):
        Mixed(model, _held_joints(page, model)).write(closed.build)
    else:
        model.accelerate(page.rates, closed.build)
    return page.program(model.tests)


def _held_joints(page: _Page, explicit: Explicit) -> HeldJoints:
    """The equations of velocities that elements of the model may hold still."""
    given = elements(page.frames)
    _refuse_driven(explicit, given)
    return hold_joints(page.frames, page.rates, given, explicit.coupling.B)


def _refuse_driven(explicit: Explicit, given: ExternalInputs) -> None:
    """Refuse to hold what drives move: by themselves, or through loops that leave no freedom."""
    names, B = explicit.system.model.velocities, explicit.coupling.B
    for k, mode in given.modes.items():
        if k in explicit.driven or not B.get(k, True):
            why = "is driven" if k in explicit.driven else "follows drives alone"
            raise UnsupportedError(
                f"velocity '{names[k]}' {why}, so it cannot stick by itself",
                element=f"dry friction '{mode}'",
                cure="remove the drive, or take joint_friction",
            )
    for k in given.locks:
        if k in explicit.driven or not B.get(k, True):
            why = "is driven and locked" if k in explicit.driven else "is locked and follows drives"
            raise UnsupportedError(
                f"it {why}", element=f"velocity '{names[k]}'", cure="keep one of them"
            )


def multipliers(system: Linkage, closed: Closed) -> Program:
    """All coordinates free, kept near the loops by Baumgarte's method; see the input baumgarte."""
    refuse_holding(system.model, "loops 'multipliers'", "leave loops= out")
    names = set(drive_motions(system))
    page = _Page(system, names, names)
    alpha, beta = declare_stabilising(page.scheme)
    drive_positions(page.scheme, system)
    _, known = drive_rates(page.scheme, system, page.given)
    model = Augmented(page.frames, closed.choice, known)
    model.accelerate(page.rates, closed.build, model.stabilise(alpha, beta), closed.labels)
    return page.program(model.tests)


def projection(system: Linkage, closed: Closed) -> Program:
    """All coordinates, projected on the loops in position and velocity."""
    refuse_holding(system.model, "loops 'projection'", "leave loops= out")
    laws, choice = set(drive_motions(system)), closed.choice
    used = {v for label in (*choice.equations, *choice.rates) for v in choice.uses[label]}
    moved = laws | (used - set(system.model.drives))
    page = _Page(system, laws | projected_coordinates(system, choice), moved)
    project_positions(page.scheme, system, choice)
    rates, known = drive_rates(page.scheme, system, page.given)
    model = Augmented(page.frames, choice, known)
    model.project_velocities([rates.get(k, s) for k, s in enumerate(page.qd)])
    model.accelerate(page.rates, closed.build, model.exact(), closed.labels)
    return page.program(model.tests)


def actuation(
    system: Linkage, closed: Closed, actuators: Sequence[str], free: Sequence[str]
) -> Program:
    """Forces of actuators for given accelerations of the independent velocities.

    Args:
        system: the links.
        closed: as for the explicit model.
        actuators: names of the actuated velocities.
        free: names of the independent velocities whose accelerations come out.
    """
    choice = closed.choice
    names = {*choice.dependent, *choice.rolling, *drive_motions(system)}
    page = _Page(system, solved_coordinates(system, choice), names, "qdd")
    weights: tuple[Node, ...] = ()
    model = Explicit(page.frames, choice, page.given, closed.labels)
    if len(actuators) > len(model.u):
        weights = tuple(symbol(f"weight_{name}", Rank.PARAMETER) for name in actuators)
        ones = (1.0,) * len(weights)
        page.scheme.input(Input("weights", (len(weights),), weights, ones, True, tuple(actuators)))
    at = {name: k for k, name in enumerate(system.model.velocities)}
    made = Actuation(model, [at[name] for name in actuators], [at[name] for name in free])
    made.write(page.rates, weights, closed.build)
    return page.program(model.tests)


def mixed_dynamics(
    system: Linkage, closed: Closed, quantity: str, known: Mapping[str, str]
) -> Program:
    """Accelerations and forces from one equation per velocity, in independent coordinates.

    Args:
        system: the links.
        quantity: name of the law of the joints.
        closed: as for the explicit model.
        known: what is known of every velocity, "qdd" of the driven ones.
    """
    choice = closed.choice
    names = {*choice.dependent, *choice.rolling, *drive_motions(system)}
    page = _Page(system, solved_coordinates(system, choice), names, "gamma")
    law = JOINT_LAWS[quantity](page.scheme, page.rates, known)
    model = Explicit(page.frames, choice, page.given, closed.labels)
    Mixed(model, law).write(closed.build)
    return replace(page.program(model.tests), name=f"{system.model.name}_{quantity}")


LOOP_TREATMENTS: Mapping[str, Callable[[Linkage, Closed], Program]] = {
    "explicit": explicit,
    "multipliers": multipliers,
    "projection": projection,
}
"""How loops enter -> the Program of forward dynamics, not yet condensed."""


def _locks(system: Linkage, q_solved: set[str], rates: str) -> Locks:
    """Gimbal locks of the coordinates whose values are used as they are given."""
    names = system.model.coordinates
    found = gimbal_locks(system.model) if rates != "qdd" else ()
    return tuple(lock for lock in found if names[lock[0]] not in q_solved)


TITLES = {"tau": "forward", "qdd": "actuation", "gamma": "mixed"}
"""Third input -> what is derived from it."""


class _Page:
    """A Program of forward dynamics with its inputs declared.

    Attributes:
        qd: symbols of the input qd.
        rates: symbols of the input tau, qdd or gamma.
        given: accelerations of the driven velocities without a law.
    """

    def __init__(
        self, system: Linkage, q_solved: set[str], qd_solved: set[str], rates: str = "tau"
    ) -> None:
        self.scheme = Scheme(f"{system.model.name}_{TITLES[rates]}")
        q = [
            start_symbol(name) if name in q_solved else s
            for name, s in zip(system.model.coordinates, system.q, strict=True)
        ]
        self.qd = [
            symbol(f"qd0_{name}", Rank.VELOCITY) if name in qd_solved else s
            for name, s in zip(system.model.velocities, system.qd, strict=True)
        ]
        declare_coordinates(self.scheme, system, q, _locks(system, q_solved, rates))
        declare_velocities(self.scheme, system, self.qd)
        self.rates = declare_loads(self.scheme, system, rates)
        declare_laws(self.scheme, system.model)
        self.given = self._given_accelerations(system, rates)
        self.frames = Frames(self.scheme, system)

    def _given_accelerations(self, system: Linkage, rates: str) -> tuple[Node, ...]:
        """Accelerations of driven velocities that have no law; an input, 0 where not given."""
        model, laws = system.model, drive_motions(system)
        names = tuple(n for n in model.velocities if n in model.drives and n not in laws)
        if rates != "tau":
            return tuple(self.rates[model.velocities.index(name)] for name in names)
        found = tuple(symbol(f"qdd_{name}", Rank.ACCELERATION) for name in names)
        if names:
            row = Input("qdd", (len(names),), found, (0.0,) * len(names), False, names)
            self.scheme.input(row)
        return found

    def program(self, tests: Validity) -> Program:
        """What was written, with the rates of user states, in order; NaN where a test fails."""
        write_states(self.frames)
        tests.guard()
        return sort_blocks(self.scheme.program())


__all__ = ["INERTIA_AND_BIAS", "LOOP_TREATMENTS", "Closed", "actuation", "mixed_dynamics"]
