"""Tangents at the start of a run: how what varies moves the consistent start.

Without loops a start value moves itself alone.  With loops some coordinates and velocities keep the
values that they were given, and the rest follows.  With the projection P on the loops every tangent
that the loops allow is

    S = ∂P/∂y s + ∂P/∂p δp,        with S = δy in all that is kept                     Eq. (S2)

which is solved for s.  So lengths move a closed start though no start value depends on them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kinetree.analysis.sensitivities.start_checks import (
    refuse_dropped,
    refuse_following,
    refuse_open_loops,
    refuse_redundant,
)
from kinetree.arrays import Array
from kinetree.assembly import (
    Loops,
    Wish,
    kept_coordinates,
    moved_coordinates,
    settled_velocities,
)
from kinetree.engine import evaluate
from kinetree.errors import UnsupportedError

if TYPE_CHECKING:
    from kinetree.analysis.given.batches import RunGiven
    from kinetree.analysis.runs.dynamics import Dynamics
    from kinetree.analysis.sensitivities.reverse import Bars, Reverse
    from kinetree.analysis.sensitivities.tangent import Tangent
    from kinetree.analysis.sensitivities.variables import DesignVariable

SURE = 1e-9
"""Singular values below this part of the largest count as zero."""
FREE = 1e-6
"""Part of a kept value, free of all that counts more, from which on it is free itself."""


def tangent_start(
    made: Tangent,
    variables: Sequence[DesignVariable],
    y: Array,
    t: float,
    given: RunGiven,
    moved: Array | None = None,
) -> Array:
    """Y at the start: the consistent state, integrals of zero, and a tangent per variable.

    Args:
        made: the dynamics with tangents.
        variables: one per tangent.
        y: the consistent state.
        t: time [s].
        given: what the run begins with.
        moved: how what is given moves with the variables, one row each, Eq. (S24).
    """
    system = made.system
    wanted = np.zeros((len(variables), made.size)) if moved is None else moved.copy()
    for number, row in enumerate(variables):
        if row.starts:
            wanted[number, _place(system, row)] += 1.0
    if system.projects and variables:
        project = _Projection(made, y, t)
        if system.loops is None:
            wanted = project(wanted)
        else:
            allowed = _Allowed.at(made, y, t, given)
            refuse_following(variables, wanted @ allowed.rows.T)
            wanted = allowed.nearest(wanted)
            refuse_open_loops(system, variables, (y, wanted), t)
    return _with_tangents(made, y, wanted)


def start_along(
    made: Tangent,
    variables: Sequence[DesignVariable],
    way: Array,
    y: Array,
    t: float,
    given: RunGiven,
) -> Array:
    """Y at the start with its tangent along one direction.

    Args:
        made: the dynamics with this tangent.
        variables: all that varies.
        way: the direction: a change of each.
        y: the consistent state.
        t: time [s].
        given: what the run begins with.
    """
    system = made.system
    wanted = np.zeros((1, made.size))
    for row, change in zip(variables, way, strict=True):
        if row.starts:
            wanted[0, _place(system, row)] = change
    if system.loops is not None and system.projects:
        wanted = _Allowed.at(made, y, t, given).nearest(wanted)
    elif system.projects:
        wanted = _Projection(made, y, t)(wanted)
    return _with_tangents(made, y, wanted)


def _with_tangents(made: Tangent, y: Array, S: Array) -> Array:
    """Y of a state and its tangents, one row each; integrals are zero."""
    rows = np.zeros((len(S), made.width))
    rows[:, : made.size] = S
    return np.concatenate([y, np.zeros(made.integrals), rows.ravel()])


def solve_seconds(
    made: Tangent,
    variables: Sequence[DesignVariable],
    start: tuple[Array, Array],
    t: float,
    given: RunGiven,
) -> Array:
    """Second derivatives of the start: variable × variable × component.

    Args:
        made: the dynamics with first tangents.
        variables: one per tangent.
        start: the state, and what the projection makes of second derivatives of zero.
        t: time [s].
        given: what the run begins with.
    """
    system, (y, fixed) = made.system, start
    if system.loops is None:
        return fixed
    allowed = _Allowed.at(made, y, t, given)
    A, K, own = allowed.A, allowed.K, allowed.rows
    rows = fixed[..., : made.size].reshape(-1, made.size)
    s = np.linalg.lstsq(K, -own @ rows.T, rcond=SURE)[0]
    found = fixed.copy()
    found[..., : made.size] += (A @ s).T.reshape(*fixed.shape[:2], made.size)
    return found


def free_bars(made: Tangent, y: Array, t: float, given: RunGiven, mu: Array) -> Array:
    """Bars of second derivatives of the start, of which K d²y = 0, as bars of what is projected.

    Args:
        made: the dynamics with tangents.
        y: the consistent state.
        t: time [s].
        given: what the run begins with.
        mu: bars of d²y.
    """
    if made.system.loops is None:
        return mu
    allowed = _Allowed.at(made, y, t, given)
    A, K, own = allowed.A, allowed.K, allowed.rows
    found: Array = mu - own.T @ (np.linalg.pinv(K, rcond=SURE).T @ (A.T @ mu))
    return found


def pull_start(
    reverse: Reverse, y: Array, t: float, given: RunGiven, bars: Array, moved: Array | None = None
) -> Array:
    """What bars of the state at the start say of every variable: λᵀ S with the S of Eq. (S2).

    Args:
        reverse: of the run.
        y: the consistent state.
        t: time [s].
        given: what the run begins with.
        bars: λ.
        moved: how what is given moves with the variables, one row each, Eq. (S24).
    """
    made, variables = reverse.made, reverse.variables
    system, n, form = made.system, made.size, reverse.of_projection
    rest, whole = np.zeros(reverse.count), np.append(y, np.zeros(made.integrals))
    lam = bars[:n]

    def pull(weights: Array) -> Bars:
        assert form is not None
        return reverse.call(form, t, whole, np.append(weights, np.zeros(made.integrals)))

    if form is not None and system.loops is None:
        lam = pull(lam).y[:n]
    elif form is not None and system.loops is not None:
        refuse_dropped(system, variables)
        refuse_redundant(system)
        kept = _kept_values(system, system.loops, Wish(given.q, given.qd, system.kept, t), y)
        A = np.array([pull(row).y[:n] for row in np.eye(n)])
        rows, K = kept.determine(A)
        starts = [row for row in variables if row.starts]
        refuse_following(starts, rows[:, [_place(system, row) for row in starts]].T)
        mu = rows.T @ (np.linalg.pinv(K, rcond=SURE).T @ (A.T @ lam))
        rest = pull(lam - mu).p
        lam = mu
    places = [_place(system, row) if row.starts else None for row in variables]
    start = np.array([0.0 if place is None else lam[place] for place in places])
    if moved is not None:
        start += moved @ lam
    found: Array = reverse.of_variables(rest) + start
    return found


def _place(system: Dynamics, row: DesignVariable) -> int:
    """Number of the component of y that a start value is."""
    first = {"q": 0, "qd": system.nq, "x": system.nq + system.nv}[row.kind]
    return first + system.forward.input(row.kind).labels.index(row.label)


class _Projection:
    """∂P/∂y s + ∂P/∂p δp, one row per tangent."""

    def __init__(self, made: Tangent, y: Array, t: float) -> None:
        self.made, self.y, self.t = made, y, t

    def __call__(self, seeds: Array) -> Array:
        made, n = self.made, self.made.size
        rows = np.zeros((made.directions, made.width))
        rows[:, :n] = seeds
        whole = np.concatenate([self.y, np.zeros(made.integrals), rows.ravel()])
        moved = made.system.project(self.t, whole)[made.width :]
        return moved.reshape(rows.shape)[:, :n]

    def slopes(self) -> tuple[Array, Array]:
        """∂P/∂y, and ∂P/∂p δp, one row per tangent."""
        made, n = self.made, self.made.size
        fixed = self(np.zeros((made.directions, n)))
        units, columns = np.eye(n), []
        for first in range(0, n, made.directions):
            block = np.zeros((made.directions, n))
            part = units[first : first + made.directions]
            block[: len(part)] = part
            columns += list((self(block) - fixed)[: len(part)])
        return np.array(columns).T, fixed


@dataclass(frozen=True)
class _Allowed:
    """Tangents that the loops allow at the start, Eq. (S2).

    Attributes:
        A: ∂P/∂y.
        fixed: ∂P/∂p δp, one row per tangent.
        rows: K, such that K δy is the change of what decides about the start.
        K: K A.
    """

    A: Array
    fixed: Array
    rows: Array
    K: Array

    @classmethod
    def at(cls, made: Tangent, y: Array, t: float, given: RunGiven) -> _Allowed:
        """Those at a state."""
        system = made.system
        assert system.loops is not None
        kept = _kept_values(system, system.loops, Wish(given.q, given.qd, system.kept, t), y)
        A, fixed = _Projection(made, y, t).slopes()
        return cls(A, fixed, *kept.determine(A))

    def nearest(self, wanted: Array) -> Array:
        """The tangents that move what is kept as is wanted, one row each."""
        change = self.rows @ (wanted - self.fixed).T
        s = np.linalg.lstsq(self.K, change, rcond=SURE)[0]
        found: Array = (self.A @ s).T + self.fixed
        return found


@dataclass(frozen=True)
class _Kept:
    """What keeps the values that it was given.

    Attributes:
        rows: K such that K δy is the change of all of it, what counts most first.
        lost: names of what was given, but cannot be kept.
        model: name of the mechanism.
    """

    rows: Array
    lost: tuple[str, ...]
    model: str

    def determine(self, A: Array) -> tuple[Array, Array]:
        """The rows that decide about the start, and K A, which must have the rank of A = ∂P/∂y.

        More may be given than is free, all of it closed: what counts less follows then from the
        rest as soon as anything changes.
        """
        K = self.rows @ A
        rank = np.linalg.matrix_rank(A, tol=SURE * np.abs(A).max(initial=1.0))
        chosen: list[int] = []
        basis = np.zeros((0, A.shape[1]))
        for k, row in enumerate(K):
            rest = row - (row @ basis.T) @ basis
            size = float(np.linalg.norm(rest))
            if size > FREE * max(1.0, float(np.linalg.norm(row))):
                chosen.append(k)
                basis = np.vstack([basis, rest / size])
        if len(chosen) < rank:
            raise self._refusal()
        return self.rows[chosen], K[chosen]

    def _refusal(self) -> UnsupportedError:
        if self.lost:
            names = ", ".join(f"'{name}'" for name in self.lost)
            return UnsupportedError(
                f"the loops do not let {names} keep the value that the start gives",
                element=f"model '{self.model}'",
                cure="give one that the lengths reach",
            )
        return UnsupportedError(
            "the start values do not say which coordinates and velocities shall stay",
            element=f"model '{self.model}'",
            cure="give q and qd of the independent coordinates by name",
        )


def _kept_values(system: Dynamics, loops: Loops, wish: Wish, y: Array) -> _Kept:
    """What keeps the values that it was given.

    A quaternion of which some velocities move keeps its place along the others.
    """
    model, nq, nv = system.model, system.nq, system.nv
    q = system.split(y)[0]
    named = kept_coordinates(model, wish)
    moved = {*moved_coordinates(loops, wish), *model.drives}
    order = dict.fromkeys([*named, *model.velocities])
    still = [model.velocities.index(name) for name in order if name not in moved]
    _, fixed = settled_velocities(loops, q, wish)
    driven = {model.velocities.index(name) for name in model.drives if name in model.velocities}
    rows = np.zeros((2 * nv + len(y) - nq - nv, len(y)))
    rows[:nv, :nq] = np.linalg.pinv(turning(system, q))
    rows[nv:, nq:] = np.eye(len(y) - nq)
    speeds = [nv + k for k in fixed if k not in driven]
    found: Array = rows[[*still, *speeds, *range(2 * nv, len(rows))]]
    given = set(named) - set(system.kept)
    return _Kept(found, tuple(name for name in named if name in given & moved), model.name)


def turning(system: Dynamics, q: Array) -> Array:
    """N of der(q) = N qd."""
    row = system.forward.input("q")
    if not row.tangent:
        return np.eye(len(q))
    known = dict(zip(row.symbols, q.tolist(), strict=True))
    flat = evaluate([x for line in row.tangent for x in line], known)
    return np.array(flat, dtype=float).reshape(len(q), -1)
