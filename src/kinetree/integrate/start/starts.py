"""Coordinates and velocities that obey the loops at the start of one run, or of many side by side.

Each run begins as any analysis begins (`assembly.consistent_start`).  Many are found together, in
the same steps; a run for which these fail is started on its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from kinetree.arrays import Array, Flags
from kinetree.assembly import (
    MOVED,
    Loops,
    Wish,
    allowed_gaps,
    changes,
    consistent_coordinates,
    correct_velocities,
    free_columns,
    kept_coordinates,
    settled_velocities,
    solved_columns,
    unit_quaternions,
)
from kinetree.errors import warn
from kinetree.integrate.start.beginning import Beginning, row_of, rows_of
from kinetree.model import retract
from kinetree.program import Program
from kinetree.solve.newton import CUTOFF, damped_newtons

REGULAR = 1e-3
"""Smallest over largest singular value above which elimination would find a pivot per column."""


class Starts:
    """Consistent coordinates and velocities of many runs, one row each."""

    def __init__(self, system: Loops, given: Beginning) -> None:
        self.system, self.model, self.given = system, system.model, given
        model = self.model
        q = rows_of(given.q, model.initial(), list(model.coordinates), "q")
        qd = rows_of(given.qd, np.zeros(model.nv), list(model.velocities), "qd")
        leads = [np.shape(value) for value in given.parameters.values()]
        self.lead = np.broadcast_shapes(q.shape[:-1], qd.shape[:-1], *leads)
        self.q, self.qd = self._rows(q), self._rows(qd)
        self.p = None if given.p is None else self._rows(np.asarray(given.p, dtype=float))

    @property
    def _turns(self) -> bool:
        """Whether quaternions are among the coordinates; else these move by their velocities."""
        return self.model.nq != self.model.nv

    def _rows(self, values: Array) -> Array:
        return np.array(np.broadcast_to(values, (*self.lead, values.shape[-1]))).reshape(
            -1, values.shape[-1]
        )

    def solve(self) -> tuple[Array, Array]:
        """q and qd, with the leading axes of what is given; what is not kept is told."""
        q = self._coordinates()
        qd = self._velocities(q)
        self._tell(q, qd)
        return q.reshape(*self.lead, -1), qd.reshape(*self.lead, -1)

    def _alone(self, number: int) -> tuple[Loops, Wish]:
        """Loops and wish of one run."""
        given, lead = self.given, self.lead
        q, qd = (row_of(value, lead, number) for value in (given.q, given.qd))
        parameters = row_of(dict(given.parameters), lead, number)
        return self.system.at(parameters), Wish(q, qd, given.independent, given.t)

    def _at(self, program: Program, q: Array, rows: Any = slice(None)) -> dict[str, Array]:
        """Outputs of a Program for all or some of the runs, one row each."""
        known: dict[str, Any] = {"q": q, "qd": np.zeros((len(q), self.model.nv))}
        known["t"] = np.full(len(q), self.given.t)
        if self.p is not None:
            known["p"] = self.p[rows]
        found = program.evaluate_some(**known)
        shapes = {out.name: out.shape for out in program.outputs}
        return {name: np.broadcast_to(x, (len(q), *shapes[name])) for name, x in found.items()}

    def _insert_driven(self, what: str, values: Array, names: list[str]) -> Array:
        """Values with those in place that drives give."""
        program, out = self.system.drives, values.copy()
        if program is not None:
            found = self._at(program, self.q)[what]
            out[:, [names.index(name) for name in program.output(what).labels]] = found
        return out

    # --- coordinates -----------------------------------------------------------------------------

    def _coordinates(self) -> Array:
        if len(self.q) > 1:
            out, done = self._together()
        else:
            out, done = self.q.copy(), np.zeros(1, dtype=bool)
        for number in np.flatnonzero(~done):
            out[number] = consistent_coordinates(*self._alone(int(number)))
        return out

    def _together(self) -> tuple[Array, Flags]:
        """Coordinates, and for which runs they are as each of them would find them by itself."""
        system, wish = self._alone(0)
        first = self.q
        if self._turns:
            first = np.array([unit_quaternions(self.model, row) for row in first])
        first = self._insert_driven("q", first, list(self.model.coordinates))
        J = self._at(system.program, first)["J"]
        free = free_columns(system, kept_coordinates(self.model, wish))
        finite = np.asarray(np.isfinite(J).all(axis=(1, 2)))
        # where the loops need every free velocity nothing is left to choose
        every = _full_rank(np.where(finite[:, None, None], J, 0)[:, system.positions()][..., free])
        groups = {tuple(free): np.flatnonzero(every).tolist()}
        some = np.flatnonzero(finite & ~every)
        for k, chosen in zip(some, solved_columns(system, J[some], free), strict=True):
            groups.setdefault(tuple(chosen), []).append(int(k))
        q, done = first.copy(), np.zeros(len(first), dtype=bool)
        for columns, rows in ((c, sorted(rows)) for c, rows in groups.items() if rows):
            q[rows], done[rows] = self._close(first[rows], rows, list(columns))
        self._unwind(q, first, done)
        if system.guards is not None:
            done &= ~(self._at(system.guards, q)["h"] < -1).any(axis=-1)
        return q, done

    def _unwind(self, q: Array, first: Array, done: Flags) -> None:
        """Take whole turns back where that leaves the loops closed; others are not done."""
        units = [unit for joint in self.model.leaders for unit in joint.q_units]
        angles = np.array([unit == "rad" for unit in units])
        turns = np.where(angles, np.round((q - first) / (2 * np.pi)), 0.0)
        far = np.flatnonzero(done & turns.any(axis=1))
        if far.size:
            back = q[far] - 2 * np.pi * turns[far]
            found, rows = self._at(self.system.program, back, far), self.system.positions()
            allowed = allowed_gaps(self.model, back, found["J"][:, rows])
            good = np.abs(found["h"][:, rows]).max(axis=1, initial=0.0) <= allowed
            q[far[good]], done[far[~good]] = back[good], False

    def _close(self, q: Array, rows: list[int], columns: list[int]) -> tuple[Array, Flags]:
        """Coordinates of some of the runs, and which of these are closed."""
        positions, nv = self.system.positions(), self.model.nv

        places = np.array(rows)

        def function(x: Array, which: Any) -> tuple[Array, Array]:
            found = self._at(self.system.program, x, places[which])
            return found["h"][:, positions], found["J"][:, positions][..., columns]

        def move(x: Array, step: Array) -> Array:
            whole = np.zeros((len(x), nv))
            whole[:, columns] = step
            if not self._turns:
                return x + whole
            return retract(self.model, x, whole)

        J = self._at(self.system.program, q, places)["J"][:, positions]
        allowed = allowed_gaps(self.model, q, J)
        cutoff = max(CUTOFF, self.model.loop_tolerance)
        return damped_newtons(function, q, move, tolerance=allowed, cutoff=cutoff)

    # --- velocities ------------------------------------------------------------------------------

    def _velocities(self, q: Array) -> Array:
        system, wish = self._alone(0)
        one, fixed = settled_velocities(system, q[0], wish)
        if len(q) == 1:
            return one[None]
        out = self._insert_driven("qd", self.qd, list(self.model.velocities))
        if not self.model.closures:
            return out
        found = self._at(system.whole, q)
        out, fits = correct_velocities(
            found["J"], found["ht"], out, fixed, self.model.loop_tolerance
        )
        for number in np.flatnonzero(~fits):
            system, wish = self._alone(int(number))
            out[number] = settled_velocities(system, q[number], wish)[0]
        return out

    # --- what could not be kept ------------------------------------------------------------------

    def _tell(self, q: Array, qd: Array) -> None:
        """Warn of values that could not be kept."""
        every = (changes(*self._alone(k), q[k], qd[k]) for k in self._suspects(q, qd))
        told = [phrases for phrases in every if phrases]
        if told:
            where = f" in {len(told)} of {len(q)} runs" if self.lead else ""
            text = f"the initial values do not satisfy the loops{where}: {', '.join(told[0])}"
            warn(text)

    def _suspects(self, q: Array, qd: Array) -> list[int]:
        """Runs in which a value that is given may have changed; the first one always."""
        out = np.arange(len(q)) == 0
        model, given = self.model, self.given
        parts = ((given.q, self.q, q, model.coordinates), (given.qd, self.qd, qd, model.velocities))
        for value, old, new, names in parts:
            wanted = given.independent if value is None else value
            by_name = value is None or isinstance(value, Mapping)
            at = [k for k, name in enumerate(names) if not by_name or name in wanted]
            out |= (np.abs(new - old) > MOVED * (1 + np.abs(old)))[:, at].any(axis=1)
        return [int(number) for number in np.flatnonzero(out)]


def _full_rank(J: Array) -> Flags:
    """Of which samples the columns are independent beyond doubt."""
    if J.shape[1] < J.shape[2] or not J.shape[2]:
        return np.zeros(len(J), dtype=bool)
    sizes = np.linalg.svd(J, compute_uv=False)
    return np.asarray(sizes[:, -1] > REGULAR * sizes[:, 0])
