"""Unknowns and equations of a state of rest.

    qdd(q, qd = 0, x) = 0 along the independent velocities,  xd = 0

A locked coordinate keeps its value, and an effort that holds it, or a parameter that is freed for
it, becomes the unknown in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from kinetree.analysis.given.operating_point import (
    Freedom,
    OperatingPoint,
    arrays,
    freedom,
    treat_loops,
)
from kinetree.analysis.runs.dynamics import Dynamics, dynamics
from kinetree.arrays import Array
from kinetree.errors import ModelError, PartitionError, unknown
from kinetree.model import Mechanism, refuse_holding, retract
from kinetree.program import Program

NOTHING: Mapping[str, Sequence[str] | None] = MappingProxyType({})


@dataclass(frozen=True)
class RestPlace:
    """Where the iteration is: a point, efforts, values of the freed parameters."""

    q: Array
    x: Array
    tau: Array
    p: Array


@dataclass(frozen=True)
class RestEquations:
    """Unknowns and equations of an equilibrium.

    Attributes:
        system: the dynamics.
        function: forward dynamics with changes along a direction of its inputs.
        columns: numbers of the velocities along which coordinates are found.
        rows: numbers of the velocities that must not accelerate.
        held: numbers of the velocities whose efforts are found.
        freed: names of the parameters that are found.
        t: time of laws and drives [s].
    """

    system: Dynamics
    function: Callable[..., dict[str, Array]]
    columns: tuple[int, ...]
    rows: tuple[int, ...]
    held: tuple[int, ...]
    freed: tuple[str, ...]
    t: float

    def inputs(self, at: RestPlace) -> dict[str, Array]:
        """Inputs of the forward dynamics at rest."""
        still = OperatingPoint(self.t, at.q, np.zeros(self.system.nv), at.x)
        given = arrays(self.system, still, self.system.forward)
        return {**given, "tau": at.tau, **self._p(at)}

    def _p(self, at: RestPlace) -> dict[str, Array]:
        """The run-time parameters, where some of them are unknown."""
        if not self.freed:
            return {}
        row = self.system.forward.input("p")
        assert row.default is not None
        p = np.array(row.default)
        p[[row.labels.index(name) for name in self.freed]] = at.p
        return {"p": p}

    def residuals(self, at: RestPlace) -> tuple[Array, Array]:
        """(accelerations and rates, their Jacobian by the unknowns)."""
        given = self.inputs(at)
        found = self.function(check=False, **given)
        parts = ("qdd", "xd") if "xd" in found else ("qdd",)
        h = self._join([found[name] for name in parts])
        along = [self.slopes({**given, name: unit}) for name, unit in self._units(at)]
        J = np.array(along).T.reshape(len(h), len(along))
        for k in set(range(len(at.x))) - set(self.system.changing):
            J[len(self.rows) + k, len(self.columns) + k] = 1.0  # modes stay as they are
        return h, J

    def slopes(self, given: Mapping[str, Array]) -> Array:
        """Changes of the accelerations and rates along a direction among the inputs."""
        found = self.function(check=False, **given)
        return self._join([found[f"{k}_dot"] for k in ("qdd", "xd") if f"{k}_dot" in found])

    def split(self, step: Array) -> tuple[Array, Array, Array, Array]:
        """Changes of all coordinates, states, holding efforts and freed parameters."""
        whole, states = np.zeros(self.system.nv), len(self.system.states)
        cuts = np.cumsum([len(self.columns), states, len(self.held)])
        whole[list(self.columns)], dx, dtau, dp = np.split(step, cuts)
        return whole, dx, dtau, dp

    def _join(self, parts: Sequence[Array]) -> Array:
        """Accelerations of the independent velocities, then the rates."""
        return np.concatenate([parts[0][list(self.rows)], *parts[1:]])

    def _units(self, at: RestPlace) -> Iterator[tuple[str, Array]]:
        """A unit change of every unknown, by name of the input."""
        nv = self.system.nv
        for name, numbers, size in (
            ("q_dot", self.columns, nv), ("x_dot", range(len(at.x)), len(at.x)),
            ("tau_dot", self.held, nv), ("p_dot", range(len(self.freed)), len(self.freed)),
        ):  # fmt: skip
            for row in np.eye(size)[list(numbers)] if numbers else ():
                yield name, row

    def move(self, at: RestPlace, step: Array) -> RestPlace:
        """The place after a step of the unknowns, loops closed again."""
        whole, dx, dtau, dp = self.split(step)
        tau = at.tau.copy()
        tau[list(self.held)] += dtau
        new = RestPlace(retract(self.system.model, at.q, whole), at.x + dx, tau, at.p + dp)
        if not self.system.closed:
            return new
        y = np.concatenate([new.q, np.zeros(self.system.nv), new.x])
        q = self.system.split(self.system.project(self.t, y, **self._p(new)))[0]
        return RestPlace(q if np.isfinite(q).all() else new.q, new.x, new.tau, new.p)

    def rates(self) -> Array:
        """Which equation (row) tells the acceleration or rate of which unknown (column)."""
        states, efforts = len(self.system.states), len(self.held) + len(self.freed)
        found = np.zeros((len(self.rows) + states, len(self.columns) + states + efforts))
        for column, k in enumerate(self.columns):
            if k in self.rows:
                found[self.rows.index(k), column] = 1.0
        for k in range(states):
            found[len(self.rows) + k, len(self.columns) + k] = 1.0
        return found

    @property
    def names(self) -> list[str]:
        """Names of the equations."""
        velocities = self.system.model.velocities
        return [*(velocities[k] for k in self.rows), *self.system.states]


def system_at_rest(
    model: Mechanism, q: Any, t: float, locked: Sequence[str], options: Mapping[str, Any]
) -> Dynamics:
    """The dynamics whose state of rest is wanted; loops leave what is locked independent.

    Args:
        model: the mechanism.
        q: start values of the coordinates.
        t: time of laws and drives [s].
        locked: what is held.
        options: of `dynamics`.
    """
    refuse_no_rest(model)
    held = [name for name in locked if name in model.velocities and name not in model.drives]
    chosen: dict[str, Any] = dict(options)
    if held and model.closures and not chosen.keys() & {"partition", "independent"}:
        chosen["independent"] = held
    return dynamics(model, q=q, t=t, **treat_loops(model, chosen))


def refuse_no_rest(model: Mechanism) -> None:
    """Refuse what rests anywhere."""
    refuse_holding(model, "equilibrium", "take locks and dry friction out: they hold anywhere")


def rest_equations(
    system: Dynamics,
    locked: tuple[str, ...],
    free: tuple[str, ...],
    t: float,
    along: Mapping[str, Sequence[str] | None] = NOTHING,
) -> RestEquations:
    """The equations of a state of rest.

    Args:
        system: the dynamics.
        locked: what is held.
        free: parameters to be found.
        t: time of laws and drives [s].
        along: further inputs, with labels of their components, along which changes are wanted.
    """
    forward, independent = system.forward, freedom(system)
    numbers = _locked_numbers(system, independent, locked)
    _refuse_free(forward, free, locked)
    by: dict[str, Sequence[str] | None] = {"q": None}
    of = ["qdd"]
    if forward.gives("xd"):
        of.append("xd")
        by["x"] = None
    if numbers and not free:
        by["tau"] = None
    if free:
        by["p"] = free
    if along and system.closed:
        of.append("q_closed")
    made = system.forms.changes(of, by | dict(along)).quick_function
    moved = tuple(k for k in independent.u if k not in numbers)
    held = () if free else numbers
    function = made.with_values(system.parameters)
    return RestEquations(system, function, moved, independent.w, held, free, t)


def _locked_numbers(
    system: Dynamics, independent: Freedom, locked: tuple[str, ...]
) -> tuple[int, ...]:
    names = system.model.velocities
    for name in locked:
        if name not in names:
            raise unknown("coordinate", name, names, "locked")
        if names.index(name) not in independent.u:
            listed = ", ".join(f"'{names[k]}'" for k in independent.u)
            raise PartitionError(
                f"'{name}' depends on other coordinates, or is driven",
                element="locked",
                cure=f"lock one of {listed}, or choose other independent coordinates",
            )
    return tuple(names.index(name) for name in locked)


def _refuse_free(forward: Program, free: tuple[str, ...], locked: tuple[str, ...]) -> None:
    known = forward.input("p").labels if forward.takes("p") else ()
    for name in free:
        if name not in known:
            raise unknown("parameter", name, known, "free")
    if free and len(free) != len(locked):
        raise ModelError(
            f"{len(free)} parameters are free, but {len(locked)} coordinates are locked",
            element="equilibrium",
            cure="lock as many coordinates as there are free parameters, or free none",
        )


def first_place(task: RestEquations, start: OperatingPoint) -> RestPlace:
    """Where the search begins: a point, the efforts that are given, the model's parameters."""
    p = np.zeros(0)
    if task.freed:
        row = task.system.forward.input("p")
        assert row.default is not None
        p = np.array([row.default[row.labels.index(name)] for name in task.freed])
    return RestPlace(start.q, start.x, task.system.loads.fixed["tau"].copy(), p)
