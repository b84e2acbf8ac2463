"""Derivatives of an equilibrium and of the modes about it.

At rest r(y, p) = 0, the accelerations along the independent directions and the rates of states; so

    ∂r/∂y S + ∂r/∂p δp = 0                                                          Eq. (S7)

along the directions in which the state may move.  Of A = ∂f/∂y an eigenvalue with A v = λ v and
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


class Statics:
    """An equilibrium or a steady motion, its tangents and its modes.

    Attributes:
        task: what was asked.
        steady: whether the state is the one at the start, and moves on.
        system: the dynamics.
        y: the state.
        options: of analyses of the same place.
    """

    def __init__(self, task: Task, *, steady: bool = False) -> None:
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
        self.task = task
        given, options = task.given, {**task.given.fixed, **task.options}
        self.options = {name: value for name, value in options.items() if value is not None}
        if steady:
            self.system, self.y = task.system, task.start
            q, qd, x = self.system.split(self.y)
            self.place: Any = {"q": q, "qd": qd, "x": x}
            return
        self.place = rest = equilibrium(task.model, q=given.q, x=given.x, t=task.t0, **self.options)
        self.task = replace(task, given=replace(given, q=rest.q))
        self.system = self.task.system
        self.y = np.concatenate([rest.q, np.zeros(self.system.nv), rest.x])

    def tangents(self) -> Array:
        """S of all variables, one row each."""
        rows = self.task.directions
        chunks = [rows[k : k + TOGETHER] for k in range(0, len(rows), TOGETHER)]
        return np.concatenate([np.zeros((0, len(self.y))), *map(self._tangents, chunks)])

    def _tangent_of(self, variables: Sequence[DesignVariable]) -> Tangent:
        return tangent(self.system, self.task.expressions, variables)

    def _tangents(self, variables: Sequence[DesignVariable]) -> Array:
        """S of some variables, Eq. (S7), or Eq. (S2) of a steady motion."""
        made, system, task = self._tangent_of(variables), self.system, self.task
        if self.steady:
            Y = tangent_start(made, variables, self.y, task.t0, task.given)
            start: Array = Y[made.width :].reshape(len(variables), made.width)[:, : made.size]
            return start
        own = len(system.split(self.y)[2])
        Y = np.concatenate([self.y, np.zeros(made.system.forward.input("x").shape[0] - own)])
        slopes = made.system.rates(self.task.t0, Y)[made.width :]
        f_p = slopes.reshape(len(variables), made.width)[:, : made.size]
        D, rows = self._directions()
        r_y = system.jacobian(self.task.t0, self.y)[rows] @ D
        found, _, rank, _ = np.linalg.lstsq(r_y, -f_p[:, rows].T, rcond=1e-12)
        if rank < r_y.shape[1]:
            raise ModelError(
                "the equilibrium is not alone: something may move without a force",
                element=f"model '{system.model.name}'",
                cure="hold it by a spring, or lock it",
            )
        S = (D @ found).T
        if system.projects:
            whole = np.concatenate([
                self.y, np.zeros(made.integrals),
                np.hstack([S, np.zeros((len(S), made.integrals))]).ravel(),
            ])  # fmt: skip
            moved = made.system.project(self.task.t0, whole)[made.width :]
            S = moved.reshape(len(variables), made.width)[:, : made.size]
        return S

    def _directions(self) -> tuple[Array, list[int]]:
        """Columns along which the state may move at rest, and rows of y that must not change."""
        system, free = self.system, freedom(self.system)
        nq, nv, n = system.nq, system.nv, len(self.y)
        x = [nq + nv + k for k in system.changing]
        D = np.zeros((n, len(free.u) + len(x)))
        D[:nq, : len(free.u)] = turning(system, system.split(self.y)[0])[:, list(free.u)]
        D[x, range(len(free.u), D.shape[1])] = 1.0
        return D, [*(nq + k for k in free.w), *x]

    # --- measures --------------------------------------------------------------------------------

    def expressions(self, S: Array) -> tuple[Array, Array]:
        """Values of all expressions, and their changes: measure × variable."""
        rows, found = self.task.directions, []
        chunks = [slice(k, k + TOGETHER) for k in range(0, len(rows), TOGETHER)] or [slice(0, 0)]
        for part in chunks:
            made = self._tangent_of(rows[part])
            tail = np.hstack([S[part], np.zeros((len(S[part]), made.integrals))]).ravel()
            Y = np.concatenate([self.y, np.zeros(made.integrals), tail])
            found.append(look(made, self.task.t0, Y))
        return found[0].e, np.hstack([row.de for row in found])

    @cached_property
    def modes(self) -> Modes:
        """The modes about the place, in their order."""
        return modes(self.task.model, self.place, t=self.task.t0, **self.options)

    @cached_property
    def slopes(self) -> Array:
        """d der(y)/dy."""
        return self.system.jacobian(self.task.t0, self.y)

    def mode(self, number: int, S: Array) -> ModeChange:
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
            return self._group(known, complex(values[k]), right[:, near], S)
        v = right[:, k]
        nq = self.system.nq
        pivot = int(np.argmax(np.abs(v[:nq] if np.abs(v[:nq]).max() > SMALL else v)))
        v = v / v[pivot]
        dA = self._along(v, S)
        n = len(v)
        whole = np.zeros((n + 1, n + 1), dtype=complex)
        whole[:n, :n], whole[:n, n], whole[n, pivot] = self.slopes - values[k] * np.eye(n), -v, 1.0
        found = np.linalg.solve(whole, np.hstack([-dA, np.zeros((len(S), 1))]).T).T
        return ModeChange(complex(values[k]), found[:, n], v[:nq], found[:, :nq])

    def _group(self, known: Any, value: complex, V: Any, S: Array) -> ModeChange:
        """Modes with one eigenvalue: the changes of their mean; each alone has none."""
        limit = EQUAL * np.abs(known).max(initial=1.0)
        names = ", ".join(str(j + 1) for j, x in enumerate(known) if abs(x - value) <= limit)
        warn(
            f"modes {names} have one eigenvalue, {value:.4g} 1/s: they have derivatives as a group"
            " alone",
        )
        others, left = np.linalg.eig(self.slopes.T)
        W = left[:, np.argsort(np.abs(others - value))[: V.shape[1]]]
        columns = np.array([self._along(v, S) for v in V.T])  # column × variable × component
        projected = np.einsum("iv,jpi->pvj", W, columns)
        mean = np.trace(np.linalg.solve(W.T @ V, projected), axis1=1, axis2=2) / V.shape[1]
        nq, nan = self.system.nq, complex(np.nan, np.nan)
        shape = np.full(nq, nan)
        return ModeChange(value, np.full(len(S), nan), shape, np.full((len(S), nq), nan), mean)

    def _along(self, v: Any, S: Array) -> Any:
        """dA v along all directions, one row each."""
        return self._second(v.real, S) + 1j * self._second(v.imag, S)

    def _second(self, v: Array, S: Array) -> Array:
        """∂(A v)/∂y S + ∂(A v)/∂p δp, one row per variable."""
        variables, system = self.task.directions, self.system
        program = system.forms.rates.program
        made = remember(
            lambda: DerivedProgram.of(_second_program(program, variables)), "second derivatives",
            system.model, ", ".join(row.name for row in variables), system.forms.rates.digest,
        )  # fmt: skip
        function = made.quick_function.with_values(system.parameters)
        units = np.eye(len(variables))
        rows = [
            system.call(function, self.task.t0, self.y, v=v, s=s, c=c)["dAv_dalong"][:, 0]
            for s, c in zip(S, units, strict=True)
        ]
        return np.array(rows).reshape(len(variables), len(self.y))


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
    task: Task, *, steady: bool = False
) -> tuple[dict[str, float], Array, dict[str, Any]]:
    """Values of measures at a place, gradients (measure × variable), and facts of it."""
    statics = Statics(task, steady=steady)
    S = statics.tangents()
    e, de = statics.expressions(S)
    values, table = {}, np.zeros((len(task.measures), len(task.variables)))
    groups = np.full(table.shape, np.nan)
    found: dict[int, ModeChange] = {}
    known: Mapping[str, Any] = task.measures
    for row, (name, measure) in enumerate(known.items()):
        values[name], table[row] = float(e[row]), de[row]
        if isinstance(measure, Mode):
            mode = found[measure.number] = found.get(measure.number) or statics.mode(
                measure.number, S
            )
            values[name] = measure.of_eigenvalue(mode.value, 0j)[0]
            table[row] = [measure.of_eigenvalue(mode.value, complex(x))[1] for x in mode.changes]
            if mode.mean is not None:
                groups[row] = [measure.of_eigenvalue(mode.value, complex(x))[1] for x in mode.mean]
    system = statics.system
    q, _, x = system.split(statics.y)
    own = system.split(S)
    facts: dict[str, Any] = {
        "q": (list(system.model.coordinates), q, own[0].T),
        "x": (list(system.states), x, own[2].T),
    }
    if found:
        facts["shape"] = {number: (row.shape, row.slopes.T) for number, row in found.items()}
    if np.isfinite(groups).any():
        facts["group"] = groups
    return values, table, facts
