"""Derivatives of an equilibrium and of the modes about it.

At rest r(y, p) = 0, the accelerations along the independent directions and the rates of states; so

    ∂r/∂y S + ∂r/∂p δp = 0                                                          Eq. (S7)

along the directions in which the state may move; the efforts that hold locked coordinates are
unknowns beside S, and change with p.  Of A = ∂f/∂y an eigenvalue with A v = λ v and
wᵀ A = λ wᵀ moves with

    dλ = wᵀ dA v / wᵀ v,   dA v = ∂(A v)/∂y S + ∂(A v)/∂p δp                           Eq. (S8)

the equilibrium moving along.  With its shape v, whose largest component stays 1 (eᵀ v = 1), it is
the solution of

    [ A - λ   -v ] [dv]     [dA v]
    [   eᵀ     0 ] [dλ] = - [  0 ]                                                   Eq. (S17)

Equal eigenvalues have derivatives as a group alone: those of their mean, tr(Wᵀ dA V (Wᵀ V)⁻¹)/m.
A steady motion, such as a bicycle's at constant speed, is given by its start values, whose tangents
are those of a run's start, Eq. (S2).
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
from kinetree.analysis.modes import Modes, modes
from kinetree.analysis.sensitivities.direct import TOGETHER
from kinetree.analysis.sensitivities.looks import look
from kinetree.analysis.sensitivities.start import tangent_start, turning
from kinetree.analysis.sensitivities.tangent import Tangent, tangent
from kinetree.analysis.sensitivities.task import Task
from kinetree.analysis.sensitivities.variables import DesignVariable
from kinetree.arrays import Array
from kinetree.engine import Rank, symbol
from kinetree.errors import ModelError, UnsupportedError, warn
from kinetree.measures import Final, Mode
from kinetree.program import Input, Output, Program
from kinetree.program.differentiate import forward_along
from kinetree.program.state_form import STATE
from kinetree.targets.kept import DerivedProgram, remember

EQUAL = 1e-6
"""Part of the largest eigenvalue within which two of them are one."""
REFINEMENTS = 2
"""Steps of Newton's method to an eigenvalue and its shape."""
SMALL = 1e-9
"""Below this coordinates do not take part in a mode, whose largest component is about 1."""


@dataclass(frozen=True)
class ModeChange:
    """A mode and how it changes.

    Attributes:
        value: λ [1/s].
        changes: dλ along all directions; NaN of one in a group.
        shape: small changes of the coordinates, the largest 1.
        slopes: their changes: direction × coordinate.
        mean: changes of the mean of a group; none of a mode that is alone.
    """

    value: complex
    changes: Any
    shape: Any
    slopes: Any
    mean: Any = None


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
            task.model, q=given.q, x=given.x, t=task.t0, locked=locked, **self.options
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

    @cached_property
    def modes(self) -> Modes:
        """The modes about the place, in their order."""
        return modes(self.task.model, self.place, t=self.task.t0, **self.options)

    @cached_property
    def slopes(self) -> Array:
        """d der(y)/dy."""
        return self.system.jacobian(self.task.t0, self.y)

    def mode(self, number: int, moves: StaticTangents) -> ModeChange:
        """A mode, and its changes along all directions, Eq. (S8), Eq. (S17)."""
        known = self.modes.eigenvalues
        if number > len(known):
            raise ModelError(
                f"there are {len(known)} modes", element=f"mode {number}", cure="ask for another"
            )
        values, right = np.linalg.eig(self.slopes)
        k = int(np.argmin(np.abs(values - known[number - 1])))
        limit = EQUAL * np.abs(values).max(initial=1.0)
        near = np.flatnonzero(np.abs(values - values[k]) <= limit)
        if len(near) > 1:
            return self._group(known, complex(values[k]), right[:, near], moves)
        v = right[:, k]
        nq = self.system.nq
        sizes = np.abs(v[:nq] if np.abs(v[:nq]).max() > SMALL else v)
        # of equal ones the first: left and right of a vehicle differ by rounding
        pivot = int(np.argmax(sizes >= (1 - EQUAL) * sizes.max()))
        v, value, whole = self._refine(v / v[pivot], complex(values[k]), pivot)
        dA, n = self._along(v, moves), len(v)
        found = np.linalg.solve(whole, np.hstack([-dA, np.zeros((len(dA), 1))]).T).T
        return ModeChange(value, found[:, n], v[:nq], found[:, :nq])

    def _refine(self, v: Any, value: complex, pivot: int) -> tuple[Any, complex, Any]:
        """A shape and its eigenvalue to rounding, and the matrix of Eq. (S17).

        Beside eigenvalues of zero that have too few shapes, those of others come out with errors of
        1e-7; Newton's method on A v = λ v, eᵀ v = 1, whose matrix is the same, takes them away.
        """
        n, whole = len(v), np.zeros((len(v) + 1, len(v) + 1), dtype=complex)
        for step in range(1 + REFINEMENTS):
            whole[:n, :n], whole[:n, n] = self.slopes - value * np.eye(n), -v
            whole[n, pivot] = 1.0
            if step < REFINEMENTS:
                gap = np.append(value * v - self.slopes @ v, 0.0)
                change = np.linalg.solve(whole, gap)
                v, value = v + change[:n], value + complex(change[n])
        return v, value, whole

    def _group(self, known: Any, value: complex, V: Any, moves: StaticTangents) -> ModeChange:
        """Modes with one eigenvalue: the changes of their mean; each alone has none."""
        limit = EQUAL * np.abs(known).max(initial=1.0)
        names = ", ".join(str(j + 1) for j, x in enumerate(known) if abs(x - value) <= limit)
        warn(
            f"modes {names} have one eigenvalue, {value:.4g} 1/s: they have derivatives as a group"
            " alone",
        )
        others, left = np.linalg.eig(self.slopes.T)
        W = left[:, np.argsort(np.abs(others - value))[: V.shape[1]]]
        columns = np.array([self._along(v, moves) for v in V.T])  # column × variable × component
        projected = np.einsum("iv,jpi->pvj", W, columns)
        mean = np.trace(np.linalg.solve(W.T @ V, projected), axis1=1, axis2=2) / V.shape[1]
        nq, nan = self.system.nq, complex(np.nan, np.nan)
        shape = np.full(nq, nan)
        none = np.full(len(mean), nan)
        return ModeChange(value, none, shape, np.full((len(mean), nq), nan), mean)

    def _along(self, v: Any, moves: StaticTangents) -> Any:
        """dA v along all directions, one row each."""
        return self._second(v.real, moves) + 1j * self._second(v.imag, moves)

    def _second(self, v: Array, moves: StaticTangents) -> Array:
        """∂(A v)/∂y S + ∂(A v)/∂p δp, one row per variable."""
        variables, system = self.rows, self.system
        program = system.forms.rates.program
        made = remember(
            lambda: DerivedProgram.of(_second_program(program, variables)), "second derivatives",
            system.model, ", ".join(row.name for row in variables), system.forms.rates.digest,
        )  # fmt: skip
        function = made.quick_function.with_values(system.parameters)
        changes = np.hstack([np.eye(len(moves.S)), moves.efforts])
        rows = [
            system.call(function, self.task.t0, self.y, v=v, s=s, c=c)["dAv_dalong"][:, 0]
            for s, c in zip(moves.S, changes, strict=True)
        ]
        return np.array(rows).reshape(len(moves.S), len(self.y))


def _effort(name: str) -> DesignVariable:
    """The effort along a velocity as what varies."""
    return DesignVariable(f"tau.{name}", "tau", name)


def _second_program(program: Program, variables: Sequence[DesignVariable]) -> Program:
    """The change of A v along s in the state and c in what varies."""
    y = program.input(STATE).symbols
    inputs = {"v": len(y), "s": len(y), "c": len(variables)}
    new = {
        name: tuple(symbol(f"along_{name}_{k}", Rank.VELOCITY) for k in range(size))
        for name, size in inputs.items()
    }
    more = tuple(Input(name, (len(row),), row) for name, row in new.items())
    whole = replace(program, inputs=(*program.inputs, *more))
    first = forward_along(whole, "yd", [dict(zip(y, new["v"], strict=True))])
    nodes = first.output("dyd_dalong").nodes
    moved = dict(zip(y, new["s"], strict=True))
    for row, c in zip(variables, new["c"], strict=True):
        own = row.symbol(program)
        if own is not None:
            moved[own] = c
    short = replace(first, outputs=(Output("Av", (len(nodes),), nodes),))
    return forward_along(short, "Av", [moved])


def static_sensitivities(
    task: Task, *, steady: bool = False, locked: Sequence[str] = ()
) -> tuple[dict[str, float], Array, dict[str, Any]]:
    """Values of measures at a place, gradients (measure × variable), and facts of it."""
    statics = Statics(task, steady=steady, locked=locked)
    moves = statics.tangents()
    e, de = statics.expressions(moves)
    values, table = {}, np.zeros((len(task.measures), len(task.variables)))
    groups = np.full(table.shape, np.nan)
    found: dict[int, ModeChange] = {}
    known: Mapping[str, Any] = task.measures
    for row, (name, measure) in enumerate(known.items()):
        values[name], table[row] = float(e[row]), de[row]
        if isinstance(measure, Mode):
            mode = found.get(measure.number) or statics.mode(measure.number, moves)
            found[measure.number] = mode
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
    if found:
        facts["shape"] = {number: (row.shape, row.slopes.T) for number, row in found.items()}
    if np.isfinite(groups).any():
        facts["group"] = groups
    return values, table, facts
