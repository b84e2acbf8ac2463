"""Derivatives of the linear model about a place, and of its modes.

Of A = ∂f/∂y an eigenvalue with A v = λ v and wᵀ A = λ wᵀ moves with

    dλ = wᵀ dA v / wᵀ v,   dA v = ∂(A v)/∂y S + ∂(A v)/∂p δp                           Eq. (S8)

the place moving along.  With its shape v, whose largest component stays 1 (eᵀ v = 1), it is the
solution of

    [ A - λ   -v ] [dv]     [dA v]
    [   eᵀ     0 ] [dλ] = - [  0 ]                                                   Eq. (S17)

Equal eigenvalues have derivatives as a group alone: those of their mean, tr(Wᵀ dA V (Wᵀ V)⁻¹)/m.
dA and dB themselves are found column by column in the same way, B v being the rates along efforts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.given.operating_point import freedom
from kinetree.analysis.modes import Modes, modes
from kinetree.analysis.sensitivities.start import turning
from kinetree.analysis.sensitivities.variables import DesignVariable, symbols_of
from kinetree.arrays import Array
from kinetree.engine import Rank, symbol
from kinetree.errors import ModelError, unknown, warn
from kinetree.program import Input, Output, Program
from kinetree.program.differentiate import forward_along
from kinetree.program.state_form import STATE
from kinetree.targets.kept import DerivedProgram, remember

if TYPE_CHECKING:
    from kinetree.analysis.sensitivities.places.statics import Statics, StaticTangents
    from kinetree.measures import Mode

EQUAL = 1e-6
"""Part of the largest eigenvalue within which two of them are one."""
REFINEMENTS = 2
"""Steps of Newton's method to an eigenvalue and its shape."""
SMALL = 1e-9
"""Below this coordinates do not take part in a mode, whose largest component is about 1."""
ALIKE = 0.6
"""Likeness of a mode with the shape that is asked for, below which it is told."""


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
class StaticMatrices:
    """The linear model der(z) = A z + B u about a place, and how it changes.

    Attributes:
        states: names of z.
        inputs: names of u.
        A: state × state, and its changes: state × state × variable.
        B: state × input, and its changes.
    """

    states: list[str]
    inputs: list[str]
    A: tuple[Array, Array]
    B: tuple[Array, Array]


@dataclass(frozen=True)
class StaticChanges:
    """The linear model about a place, as it changes with what varies.

    Attributes:
        statics: the place.
        moves: how it changes.
    """

    statics: Statics
    moves: StaticTangents

    @cached_property
    def modes(self) -> Modes:
        """The modes about the place, in their order."""
        at = self.statics
        return modes(at.task.model, at.place, t=at.task.t0, progress=False, **at.options)

    @cached_property
    def slopes(self) -> Array:
        """d der(y)/dy."""
        return self.statics.system.jacobian(self.statics.task.t0, self.statics.y)

    @cached_property
    def eigenvectors(self) -> tuple[Any, Any]:
        """Eigenvalues of A, and shapes in columns."""
        return np.linalg.eig(self.slopes)

    def number(self, name: str, measure: Mode) -> int:
        """The number of the mode that a measure asks for, or of the one that looks most like it.

        Likeness is the modal assurance criterion |vᵀ* u|²/(|v|² |u|²) of the coordinates named.
        """
        if not measure.like:
            return measure.number
        labels = list(self.statics.system.model.coordinates)
        for label, _ in measure.like:
            if label not in labels:
                raise unknown("coordinate", label, labels, f"measure '{name}', like")
        wanted = np.array([complex(x) for _, x in measure.like])
        places = [labels.index(label) for label, _ in measure.like]
        values, right = self.eigenvectors
        known = self.modes.eigenvalues
        shapes = [right[places, np.argmin(np.abs(values - x))] for x in known]
        alike = [_assurance(wanted, shape) for shape in shapes]
        best = int(np.argmax(alike))
        if alike[best] < ALIKE:
            warn(
                f"measure '{name}': no mode looks like it, the nearest, mode {best + 1}, by "
                f"{alike[best]:.2f} of 1"
            )
        return best + 1

    def mode(self, number: int) -> ModeChange:
        """A mode, and its changes along all directions, Eq. (S8), Eq. (S17)."""
        known = self.modes.eigenvalues
        if number > len(known):
            count = "is 1 mode" if len(known) == 1 else f"are {len(known)} modes"
            raise ModelError(f"there {count}", element=f"mode {number}", cure="ask for another")
        values, right = self.eigenvectors
        k = int(np.argmin(np.abs(values - known[number - 1])))
        limit = EQUAL * np.abs(values).max(initial=1.0)
        near = np.flatnonzero(np.abs(values - values[k]) <= limit)
        if len(near) > 1:
            value = 0j if known[number - 1] == 0 else complex(values[k])
            return self._group(known, value, right[:, near])
        v = right[:, k]
        nq = self.statics.system.nq
        sizes = np.abs(v[:nq] if np.abs(v[:nq]).max() > SMALL else v)
        # of equal ones the first: left and right of a vehicle differ by rounding
        pivot = int(np.argmax(sizes >= (1 - EQUAL) * sizes.max()))
        v, value, whole = self._refine(v / v[pivot], complex(values[k]), pivot)
        dA, n = self._along(v), len(v)
        found = np.linalg.solve(whole, np.hstack([-dA, np.zeros((len(dA), 1))]).T).T
        value = 0j if known[number - 1] == 0 else value
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

    def _group(self, known: Any, value: complex, V: Any) -> ModeChange:
        """Modes with one eigenvalue: the changes of their mean; each alone has none."""
        limit = EQUAL * np.abs(known).max(initial=1.0)
        names = ", ".join(str(j + 1) for j, x in enumerate(known) if abs(x - value) <= limit)
        warn(
            f"modes {names} have one eigenvalue, {value:.4g} 1/s: they have derivatives as a group"
            " alone",
        )
        others, left = np.linalg.eig(self.slopes.T)
        W = left[:, np.argsort(np.abs(others - value))[: V.shape[1]]]
        columns = np.array([self._along(v) for v in V.T])  # column × variable × component
        projected = np.einsum("iv,jpi->pvj", W, columns)
        mean = np.trace(np.linalg.solve(W.T @ V, projected), axis1=1, axis2=2) / V.shape[1]
        nq, nan = self.statics.system.nq, complex(np.nan, np.nan)
        shape = np.full(nq, nan)
        none = np.full(len(mean), nan)
        return ModeChange(value, none, shape, np.full((len(mean), nq), nan), mean)

    def _along(self, v: Any) -> Any:
        """dA v along all directions, one row each."""
        rest = np.zeros(self._inputs - len(v))
        parts = (np.append(part, rest) for part in (v.real, v.imag))
        real, imaginary = (self._second(part) for part in parts)
        return real + 1j * imaginary

    @property
    def _inputs(self) -> int:
        """Components of the state and of the efforts."""
        return len(self.statics.y) + self.statics.system.nv

    @cached_property
    def _function(self) -> Any:
        """The change of A v + B u."""
        system, variables = self.statics.system, self.statics.rows
        program = system.forms.rates.program
        made = remember(
            lambda: DerivedProgram.of(_second_program(program, variables)), "second derivatives",
            system.model, ", ".join(row.name for row in variables), system.forms.rates.digest,
        )  # fmt: skip
        return made.quick_function.with_values(system.parameters)

    def _call(self, v: Array, s: Array, c: Array) -> dict[str, Array]:
        """A v + B u for v = [v, u], and its change."""
        at = self.statics
        found: dict[str, Array] = at.system.call(self._function, at.task.t0, at.y, v=v, s=s, c=c)
        return found

    def _second(self, v: Array) -> Array:
        """∂(A v + B u)/∂y S + ∂(A v + B u)/∂p δp for [v, u], one row per variable."""
        moves = self.moves
        changes = np.hstack([np.eye(len(moves.S)), moves.efforts])
        pairs = zip(moves.S, changes, strict=True)
        rows = [self._call(v, s, c)["dAv_dalong"][:, 0] for s, c in pairs]
        return np.array(rows).reshape(len(moves.S), len(self.statics.y))

    def _first(self, v: Array) -> Array:
        """A v + B u for [v, u]."""
        at = self.statics
        return self._call(v, np.zeros(len(at.y)), np.zeros(len(at.rows)))["Av"]

    def matrices(self) -> StaticMatrices:
        """A and B in the independent states, and their derivatives."""
        at, system = self.statics, self.statics.system
        free, names, nq, nv = freedom(system), system.model.velocities, system.nq, system.nv
        N = turning(system, system.split(at.y)[0])[:, list(free.u)]
        q = np.flatnonzero(np.abs(N).max(axis=1, initial=0.0) > 0).tolist()
        rows = [*q, *(nq + k for k in free.w), *(nq + nv + k for k in system.changing)]
        labels = [
            *(f"q_{system.model.coordinates[k]}" for k in q), *(f"qd_{names[k]}" for k in free.w),
            *(f"x_{system.states[k]}" for k in system.changing),
        ]  # fmt: skip
        units = np.eye(self._inputs)[[*rows, *range(len(at.y), self._inputs)]]
        whole = np.array([self._first(v)[rows] for v in units]).T
        changes = np.array([self._second(v)[:, rows] for v in units]).transpose(2, 0, 1)
        n, inputs = len(rows), [f"tau_{name}" for name in names]
        A, B = ((part[:, :n], part[:, n:]) for part in (whole, changes))
        return StaticMatrices(labels, inputs, (A[0], B[0]), (A[1], B[1]))


def _second_program(program: Program, variables: Sequence[DesignVariable]) -> Program:
    """The change of A v + B u along s in the state and c in what varies; v stands for [v, u]."""
    y = program.input(STATE).symbols
    efforts = program.input("tau").symbols if program.takes("tau") else ()
    inputs = {"v": len(y) + len(efforts), "s": len(y), "c": len(variables)}
    new = {
        name: tuple(symbol(f"along_{name}_{k}", Rank.VELOCITY) for k in range(size))
        for name, size in inputs.items()
    }
    more = tuple(Input(name, (len(row),), row) for name, row in new.items())
    whole = replace(program, inputs=(*program.inputs, *more))
    first = forward_along(whole, "yd", [dict(zip((*y, *efforts), new["v"], strict=True))])
    nodes = first.output("dyd_dalong").nodes
    moved = dict(zip(y, new["s"], strict=True))
    rows = zip(symbols_of(program, variables), new["c"], strict=True)
    moved |= {own: c for own, c in rows if own is not None}
    short = replace(first, outputs=(Output("Av", (len(nodes),), nodes),))
    return forward_along(short, "Av", [moved])


def _assurance(one: Any, two: Any) -> float:
    """How alike two shapes are, from 0 to 1, whatever their sizes and phases."""
    sizes = float(np.vdot(one, one).real * np.vdot(two, two).real)
    return float(abs(np.vdot(one, two)) ** 2 / sizes) if sizes > 0.0 else 0.0
