"""Many starts in one call of native code, where what is given says all that can be chosen.

Then nothing is to be weighed: the start's Program (`start_program`) has one answer for every run.
Other starts, and runs of which it finds no value, go the way that a single one goes (`starts`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from kinetree.arrays import Array, Flags, StateArrays
from kinetree.assembly import Loops, Wish, kept_coordinates
from kinetree.assembly.loops import loops
from kinetree.assembly.partition import partition
from kinetree.errors import KinetreeError, unknown
from kinetree.integrate.start.beginning import Beginning, lanes_of, rows_of
from kinetree.integrate.start.start_program import start_program
from kinetree.integrate.start.starts import Starts
from kinetree.model import Mechanism
from kinetree.program import Program
from kinetree.targets.kept import DerivedProgram, remember
from kinetree.targets.native.function import Function

SAME = 1e-6
"""Largest difference of coordinates that were found in two ways [rad or m]."""
LEAST = 256
"""Runs for which deriving and compiling a Program pays."""


def begin_many(system: Loops, given: Beginning) -> tuple[Array, Array]:
    """Consistent coordinates and velocities of many runs.

    Args:
        system: the loops.
        given: at the start; its parameters by name, with one leading axis where they differ.
    """
    given = replace(given, p=parameter_rows(system, given.parameters))
    found = None if system.guards is not None else ManyStarts(system.model).state(given)
    return Starts(system, given).solve() if found is None else (found["q"], found["qd"])


def parameter_rows(system: Loops, parameters: Mapping[str, Any]) -> Array | None:
    """All run-time parameters, some replaced by name; none where all are the model's."""
    programs = (system.written, system.drives)
    rows = [row for p in programs if p is not None for row in p.inputs if row.name == "p"]
    if not parameters or not rows:
        return None
    labels = rows[0].labels
    lead = np.broadcast_shapes(*[np.shape(value) for value in parameters.values()])
    out = np.array(np.broadcast_to(np.array(rows[0].default), (*lead, len(labels))))
    for name, value in parameters.items():
        if name not in labels:
            raise unknown("parameter", name, labels, f"model '{system.model.name}'")
        out[..., labels.index(name)] = value
    return out


class ManyStarts:
    """Consistent states of many runs at once; the Programs that were made are kept."""

    def __init__(self, model: Mechanism) -> None:
        self.model = model
        self._made: dict[tuple[str, ...], tuple[Program, Function] | None] = {}

    def state(self, given: Beginning) -> StateArrays | None:
        """q, qd, qdd, lam and xd by label of the model's rows; None where it is not sure."""
        model, by_name = self.model, isinstance(given.q, Mapping)
        if not (model.closures and by_name and (given.qd is None or isinstance(given.qd, Mapping))):
            return None
        q = rows_of(given.q, model.initial(), list(model.coordinates), "q")
        if np.prod(q.shape[:-1]) < LEAST:
            return None
        names = tuple(kept_coordinates(model, Wish(given.q, independent=given.independent)))
        if names not in self._made:
            self._made[names] = self._make(names)
        made = self._made[names]
        return None if made is None else self._evaluate(*made, given, q)

    def _make(self, names: tuple[str, ...]) -> tuple[Program, Function] | None:
        """The Program for some kept velocities, where they are all that the loops leave."""
        try:
            found = partition(self.model, independent=names)
        except KinetreeError:
            return None  # what was given cannot be kept; the other way tells how it changes
        left = {*found.independent} != {*names}
        if left or found.redundant or found.singular or self.model.nq != self.model.nv:
            return None
        made = remember(
            lambda: DerivedProgram.of(start_program(self.model, independent=names)),
            "start", self.model, repr(names),
        )  # fmt: skip
        return made.program, made.function

    def _evaluate(
        self, program: Program, function: Function, given: Beginning, q: Array
    ) -> StateArrays | None:
        model = self.model
        qd = rows_of(given.qd, np.zeros(model.nv), list(model.velocities), "qd")
        x0 = np.array([state.initial for state in model.states.values()])
        values: dict[str, Any] = {
            "tau": rows_of(given.tau, np.zeros(model.nv), list(model.velocities), "tau"),
            "x": rows_of(given.x, x0, list(model.states), "x"),
            "t": given.t, **given.wrenches,
        }  # fmt: skip
        if given.p is not None:
            values["p"] = np.asarray(given.p, dtype=float)

        def evaluate(q: Array, qd: Array) -> StateArrays:
            pairs = {"u": (q, model.coordinates), "v": (q, model.coordinates),
                     "ud": (qd, model.velocities)}  # fmt: skip
            for name, (whole, labels) in pairs.items():
                if program.takes(name):
                    values[name] = whole[..., [labels.index(n) for n in program.input(name).labels]]
            return dict(function(**program.pick_inputs(values), check=False))

        out = evaluate(q, qd)
        if not self._is_settled(program, given, out) or not _are_near(out, q, np.inf).all():
            return None  # what does not close is told with all the others
        doubtful = np.flatnonzero(~_are_near(out, q))
        if doubtful.size:
            better = self._solve(given, out, doubtful)
            out = evaluate(*better)
            return out if _are_near(out, better[0], SAME).all() else None
        return out

    def _solve(self, given: Beginning, out: StateArrays, numbers: Any) -> tuple[Array, Array]:
        """q and qd of all runs, of some of them as a single start finds them."""
        lead = out["q"].shape[:-1]
        q, qd, parameters = (
            {k: lanes_of(x, 0, lead, numbers) for k, x in (value or {}).items()}
            for value in (given.q, given.qd, given.parameters)
        )
        p = lanes_of(given.p, 1, lead, numbers)
        some = replace(given, q=q, qd=qd or None, parameters=parameters, p=p)
        found = Starts(loops(self.model), some).solve()
        whole = []
        for name, rows in zip(("q", "qd"), found, strict=True):
            table = out[name].reshape(-1, out[name].shape[-1]).copy()
            table[numbers] = rows
            whole.append(table.reshape(out[name].shape))
        return whole[0], whole[1]

    def _is_settled(self, program: Program, given: Beginning, out: StateArrays) -> bool:
        """Whether nothing is left to be weighed: velocities that nobody gave, unless all rest."""
        kept = {*(given.qd or ()), *given.independent}
        free = {*program.input("ud").labels} if program.takes("ud") else set()
        return kept <= free and (free <= kept or not np.nan_to_num(out["qd"]).any())


def _are_near(out: StateArrays, q: Array, most: float = np.pi) -> Flags:
    """Which runs have values, with coordinates near those they began at; counted through."""
    near = np.abs(out["q"] - q).max(axis=-1) < most  # else it may be a turn away
    finite = [np.isfinite(rows).all(axis=-1) for rows in out.values()]
    return np.asarray(np.logical_and.reduce([near, *finite])).reshape(-1)
