"""Derivatives of an equilibrium and of the modes about it.

At rest r(y, p) = 0, the accelerations along the independent directions and the rates of states; so

    ∂r/∂y S + ∂r/∂p δp = 0                                                          Eq. (S7)

along the directions in which the state may move.  Of A = ∂f/∂y an eigenvalue with A v = λ v and
wᵀ A = λ wᵀ moves with

    dλ = wᵀ dA v / wᵀ v,   dA v = ∂(A v)/∂y S + ∂(A v)/∂p δp                           Eq. (S8)

the equilibrium moving along.  Equal eigenvalues have derivatives as a group alone.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kinetree.analysis.equilibrium import Equilibrium, equilibrium
from kinetree.analysis.given.operating_point import freedom
from kinetree.analysis.modes import modes
from kinetree.analysis.sensitivities.direct import TOGETHER
from kinetree.analysis.sensitivities.looks import look
from kinetree.analysis.sensitivities.start import turning
from kinetree.analysis.sensitivities.tangent import Tangent, tangent
from kinetree.analysis.sensitivities.task import Task
from kinetree.analysis.sensitivities.variables import DesignVariable
from kinetree.arrays import Array
from kinetree.engine import Rank, symbol
from kinetree.errors import ModelError, ModelWarning, UnsupportedError
from kinetree.measures import Final, Mode
from kinetree.program import Input, Output, Program
from kinetree.program.differentiate import forward_along
from kinetree.program.state_form import STATE
from kinetree.targets.kept import DerivedProgram, remember

EQUAL = 1e-6
"""Part of the largest eigenvalue within which two of them are one."""


class Statics:
    """An equilibrium, its tangents and its modes."""

    def __init__(self, task: Task) -> None:
        for name, measure in task.measures.items():
            if not isinstance(measure, Final | Mode):
                raise UnsupportedError(
                    "it needs a run",
                    element=f"measure '{name}'",
                    cure="give kt.final(…), kt.frequency(…), kt.damping(…) or kt.growth(…)",
                )
        for row in task.variables:
            if row.starts or row.kind == "duration":
                raise UnsupportedError(
                    "an equilibrium does not depend on it",
                    element=f"by, '{row.name}'",
                    cure="vary parameters, efforts and wrenches",
                )
        self.task = task
        given, options = task.given, {**task.given.fixed, **task.options}
        self.options = {name: value for name, value in options.items() if value is not None}
        self.place: Equilibrium = equilibrium(
            task.model, q=given.q, x=given.x, t=task.t0, **self.options
        )
        self.task = replace(task, given=replace(given, q=self.place.q))
        self.system = self.task.system
        self.y = np.concatenate([self.place.q, np.zeros(self.system.nv), self.place.x])

    def tangents(self) -> Array:
        """S of all variables, one row each."""
        rows = self.task.directions
        chunks = [rows[k : k + TOGETHER] for k in range(0, len(rows), TOGETHER)]
        return np.concatenate([np.zeros((0, len(self.y))), *map(self._tangents, chunks)])

    def _tangent_of(self, variables: Sequence[DesignVariable]) -> Tangent:
        return tangent(self.system, self.task.expressions, variables)

    def _tangents(self, variables: Sequence[DesignVariable]) -> Array:
        """S of some variables, Eq. (S7)."""
        made, system = self._tangent_of(variables), self.system
        Y = np.concatenate([self.y, np.zeros(made.system.forward.input("x").shape[0]
                                             - len(self.place.x))])  # fmt: skip
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
        D[:nq, : len(free.u)] = turning(system, self.place.q)[:, list(free.u)]
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

    def eigenvalue(self, number: int, S: Array) -> tuple[complex, Array]:
        """An eigenvalue, and its changes along all directions, Eq. (S8); NaN of one in a group."""
        known = modes(self.task.model, self.place, t=self.task.t0, **self.options).eigenvalues
        if number > len(known):
            raise ModelError(
                f"there are {len(known)} modes", element=f"mode {number}", cure="ask for another"
            )
        A = self.system.jacobian(self.task.t0, self.y)
        values, right = np.linalg.eig(A)
        k = int(np.argmin(np.abs(values - known[number - 1])))
        near = np.abs(values - values[k]) <= EQUAL * np.abs(values).max(initial=1.0)
        if near.sum() > 1:
            twins = [str(j + 1) for j, x in enumerate(known) if abs(x - values[k]) <= EQUAL *
                     np.abs(values).max()]  # fmt: skip
            names = ", ".join(twins)
            warnings.warn(
                f"modes {names} have one eigenvalue, {values[k]:.4g} 1/s: they have derivatives as"
                " a group alone",
                ModelWarning,
                stacklevel=4,
            )
            return complex(values[k]), np.full(len(S), complex(np.nan, np.nan))
        v = right[:, k]
        others, left = np.linalg.eig(A.T)
        w = left[:, int(np.argmin(np.abs(others - values[k])))]
        dA = self._second(v.real, S) + 1j * self._second(v.imag, S)
        return complex(values[k]), (dA @ w) / (w @ v)

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


def static_sensitivities(task: Task) -> tuple[dict[str, float], Array, dict[str, Any]]:
    """Values of measures at the equilibrium, gradients (measure × variable), and facts of it."""
    statics = Statics(task)
    S = statics.tangents()
    e, de = statics.expressions(S)
    values, table = {}, np.zeros((len(task.measures), len(task.variables)))
    known: Mapping[str, Any] = task.measures
    for row, (name, measure) in enumerate(known.items()):
        values[name], table[row] = float(e[row]), de[row]
        if isinstance(measure, Mode):
            value, changes = statics.eigenvalue(measure.number, S)
            pairs = [measure.of_eigenvalue(value, complex(x)) for x in changes]
            values[name] = measure.of_eigenvalue(value, 0j)[0]
            table[row] = [slope for _, slope in pairs]
    system = statics.system
    facts = {
        "q": (list(system.model.coordinates), statics.place.q, S[:, : system.nq].T),
        "x": (list(system.states), statics.place.x, S[:, system.nq + system.nv :].T),
    }
    return values, table, facts
