"""Derivatives of an equilibrium or of a steady motion.

At rest r(y, p) = 0, the accelerations along the independent directions and the rates of states; so

    ∂r/∂y S + ∂r/∂p δp = 0                                                          Eq. (S7)

along the directions in which the state may move; the efforts that hold locked coordinates are
unknowns beside S, and change with p.  Modes about it are those of `mode_changes`.  A steady motion,
such as a bicycle's at constant speed, is given by its start values, whose tangents are those of a
run's start, Eq. (S2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from kinetree.analysis.equilibrium import equilibrium
from kinetree.analysis.given.operating_point import freedom
from kinetree.analysis.linearise import let_tyres_stand
from kinetree.analysis.sensitivities.direct import TOGETHER
from kinetree.analysis.sensitivities.looks import look
from kinetree.analysis.sensitivities.places.mode_changes import ModeChange, StaticChanges
from kinetree.analysis.sensitivities.start import tangent_start, turning
from kinetree.analysis.sensitivities.tangent import Tangent, tangent
from kinetree.analysis.sensitivities.task import Task
from kinetree.analysis.sensitivities.variables import DesignVariable
from kinetree.arrays import Array
from kinetree.errors import ModelError, UnsupportedError
from kinetree.measures import Final, Mode


@dataclass(frozen=True)
class StaticTangents:
    """How a place changes with what varies.

    Attributes:
        S: changes of the state, one row per variable.
        efforts: changes of the efforts that hold: variable × effort.
    """

    S: Array
    efforts: Array


class Statics:
    """An equilibrium or a steady motion, its tangents and its modes.

    Attributes:
        task: what was asked.
        steady: whether the state is the one at the start, and moves on.
        system: the dynamics.
        y: the state.
        options: of analyses of the same place.
        holding: efforts that hold locked coordinates, as what varies.
    """

    def __init__(self, task: Task, *, steady: bool = False, locked: Sequence[str] = ()) -> None:
        self.steady = steady
        for name, measure in task.measures.items():
            if not isinstance(measure, Final | Mode):
                raise UnsupportedError(
                    "it needs a run",
                    element=f"measure '{name}'",
                    cure="give kt.final(…), kt.frequency(…), kt.damping(…) or kt.growth(…)",
                )
        for row in task.variables:
            if (row.starts and not steady) or row.kind == "duration":
                raise UnsupportedError(
                    "an equilibrium does not depend on it",
                    element=f"by, '{row.name}'",
                    cure="vary parameters, efforts and wrenches",
                )
        self.task, self.holding = task, tuple(_effort(name) for name in locked)
        options = {**task.given.fixed, **task.options}
        self.options = {name: value for name, value in options.items() if value is not None}
        if steady:
            self.system, self.y = task.system, task.start
            q, qd, x = self.system.split(self.y)
            self.place: Any = {"q": q, "qd": qd, "x": x}
            return
        self._rest(tuple(locked))

    def _rest(self, locked: tuple[str, ...]) -> None:
        """Take the state of rest near the start values."""
        task, given = self.task, self.task.given
        self.place = rest = equilibrium(
            task.model,
            q=given.q,
            x=given.x,
            t=task.t0,
            locked=locked,
            progress=False,
            **self.options,
        )
        self.options["tau"] = rest.tau
        chosen, options = {"partition", "independent"}, dict(task.options)
        if locked and task.model.closures and not options.keys() & chosen:
            options["independent"] = locked  # so that the loops leave them free to be held
        given = replace(given, q=rest.q, x=rest.x, tau=rest.tau)
        self._take(replace(task, given=given, options=options, shared={}))
        if not self.system.split(self.y)[1].any():  # as modes about a state without motion do
            model, standing = let_tyres_stand(task.model)
            if standing:
                self._take(replace(self.task, model=model, shared={}))

    def _take(self, task: Task) -> None:
        """Take the state that a task begins with."""
        self.task, self.system, self.y = task, task.system, task.start

    @cached_property
    def rows(self) -> tuple[DesignVariable, ...]:
        """What varies, and behind it the efforts that hold."""
        return (*self.task.directions, *self.holding)

    def tangents(self) -> StaticTangents:
        """Changes with all variables, Eq. (S7), or Eq. (S2) of a steady motion."""
        rows, count = self.rows, len(self.task.directions)
        chunks = [rows[k : k + TOGETHER] for k in range(0, len(rows), TOGETHER)]
        if self.steady:
            made = [self._at_start(chunk) for chunk in chunks]
            S = np.concatenate([np.zeros((0, len(self.y))), *made])
            return StaticTangents(S, np.zeros((count, 0)))
        moved = [self._forces(chunk) for chunk in chunks]
        f_p = np.concatenate([np.zeros((0, len(self.y))), *moved])
        D, equations = self._directions()
        r_y = self.system.jacobian(self.task.t0, self.y)[equations] @ D
        r = np.hstack([r_y, f_p[count:, equations].T])
        found, _, rank, _ = np.linalg.lstsq(r, -f_p[:count, equations].T, rcond=1e-12)
        if rank < r.shape[1]:
            raise ModelError(
                "the equilibrium is not alone: something may move without a force",
                element=f"model '{self.system.model.name}'",
                cure="hold it by a spring, or lock it by locked=",
            )
        S = np.concatenate([(D @ found[: D.shape[1]]).T, np.zeros((len(self.holding), len(D)))])
        parts = [
            self._project(chunk, S[k : k + TOGETHER])
            for k, chunk in zip(range(0, len(rows), TOGETHER), chunks, strict=True)
        ]
        S = np.concatenate([np.zeros((0, len(D))), *parts])[:count]
        return StaticTangents(S, found[D.shape[1] :].T)

    def _tangent_of(self, variables: Sequence[DesignVariable]) -> Tangent:
        return tangent(self.system, self.task.expressions, variables, lanes=True)

    def _at_start(self, variables: Sequence[DesignVariable]) -> Array:
        """S of some variables at the start of a steady motion."""
        made, task = self._tangent_of(variables), self.task
        Y = tangent_start(made, variables, self.y, task.t0, task.given)
        S: Array = Y[made.width :].reshape(len(variables), made.width)[:, : made.size]
        return S

    def _forces(self, variables: Sequence[DesignVariable]) -> Array:
        """∂f/∂p of some variables where the state stays, one row each."""
        made, system = self._tangent_of(variables), self.system
        own = len(system.split(self.y)[2])
        Y = np.concatenate([self.y, np.zeros(made.system.forward.input("x").shape[0] - own)])
        slopes = made.system.rates(self.task.t0, Y)[made.width :]
        found: Array = slopes.reshape(len(variables), made.width)[:, : made.size]
        return found

    def _project(self, variables: Sequence[DesignVariable], S: Array) -> Array:
        """Tangents that the loops allow, as they change with the variables."""
        made = self._tangent_of(variables)
        if not self.system.projects:
            return S
        moved = made.system.project(self.task.t0, self._with_tangents(made, S))[made.width :]
        found: Array = moved.reshape(len(S), made.width)[:, : made.size]
        return found

    def _with_tangents(self, made: Tangent, S: Array) -> Array:
        """Y of the state with some tangents."""
        tail = np.hstack([S, np.zeros((len(S), made.integrals))]).ravel()
        return np.concatenate([self.y, np.zeros(made.integrals), tail])

    def _directions(self) -> tuple[Array, list[int]]:
        """Columns along which the state may move at rest, and rows of y that must not change."""
        system, free = self.system, freedom(self.system)
        nq, nv, n = system.nq, system.nv, len(self.y)
        held = {row.label for row in self.holding}
        u = [k for k in free.u if system.model.velocities[k] not in held]
        x = [nq + nv + k for k in system.changing]
        D = np.zeros((n, len(u) + len(x)))
        D[:nq, : len(u)] = turning(system, system.split(self.y)[0])[:, u]
        D[x, range(len(u), D.shape[1])] = 1.0
        return D, [*(nq + k for k in free.w), *x]

    # --- measures --------------------------------------------------------------------------------

    def expressions(self, moves: StaticTangents) -> tuple[Array, Array]:
        """Values of all expressions, and their changes: measure × variable."""
        rows, count, found = self.rows, len(self.task.directions), []
        S = np.concatenate([moves.S, np.zeros((len(self.holding), len(self.y)))])
        chunks = [slice(k, k + TOGETHER) for k in range(0, len(rows), TOGETHER)] or [slice(0, 0)]
        for part in chunks:
            made = self._tangent_of(rows[part])
            found.append(look(made, self.task.t0, self._with_tangents(made, S[part])))
        de = np.hstack([row.de for row in found])
        return found[0].e, de[:, :count] + de[:, count:] @ moves.efforts.T


def _effort(name: str) -> DesignVariable:
    """The effort along a velocity as what varies."""
    return DesignVariable(f"tau.{name}", "tau", name)


def static_sensitivities(
    task: Task, *, steady: bool = False, locked: Sequence[str] = (), matrices: bool = False
) -> tuple[dict[str, float], Array, dict[str, Any]]:
    """Values of measures at a place, gradients (measure × variable), and facts of it."""
    with task.share.part(0.0, 0.4):
        statics = Statics(task, steady=steady, locked=locked)
    with task.share.part(0.4, 0.7):
        moves = statics.tangents()
    e, de = statics.expressions(moves)
    changes = StaticChanges(statics, moves)
    values, table = {}, np.zeros((len(task.measures), len(task.variables)))
    groups = np.full(table.shape, np.nan)
    found: dict[int, ModeChange] = {}
    known: Mapping[str, Any] = task.measures
    for row, (name, measure) in enumerate(known.items()):
        values[name], table[row] = float(e[row]), de[row]
        if isinstance(measure, Mode):
            number = changes.number(name, measure)
            mode = found.get(number) or changes.mode(number)
            found[number] = mode
            values[name] = measure.of_eigenvalue(mode.value, 0j)[0]
            table[row] = [measure.of_eigenvalue(mode.value, complex(x))[1] for x in mode.changes]
            if mode.mean is not None:
                groups[row] = [measure.of_eigenvalue(mode.value, complex(x))[1] for x in mode.mean]
    system = statics.system
    q, _, x = system.split(statics.y)
    own = system.split(moves.S)
    facts: dict[str, Any] = {
        "q": (list(system.model.coordinates), q, own[0].T),
        "x": (list(system.states), x, own[2].T),
    }
    if locked:
        held = np.array([statics.place.efforts[name] for name in locked])
        facts["effort"] = list(locked), held, moves.efforts.T
    if matrices:
        facts["matrices"] = changes.matrices()
    if found:
        facts["shape"] = {number: (row.shape, row.slopes.T) for number, row in found.items()}
    if np.isfinite(groups).any():
        facts["group"] = groups
    return values, table, facts
