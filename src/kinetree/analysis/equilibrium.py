"""Static equilibrium: coordinates and user states at which nothing accelerates.

    qdd(q, qd = 0, x) = 0 along the independent velocities,  xd = 0

solved by a damped Newton iteration with exact derivatives; where that leads nowhere, by following
the accelerations downhill (`solve.relaxation`).  A locked coordinate keeps its value and
an effort that holds it becomes the unknown in its place, or a parameter that is freed for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from kinetree.analysis.balance import tell_unrest
from kinetree.analysis.given.operating_point import (
    Freedom,
    OperatingPoint,
    arrays,
    freedom,
    given_parts,
    point,
    treat_loops,
)
from kinetree.analysis.runs.dynamics import LOADED, Dynamics, dynamics
from kinetree.arguments import check_arguments, check_options
from kinetree.arrays import Array
from kinetree.assembly import Values
from kinetree.errors import ModelError, PartitionError, unknown
from kinetree.model import Components, Mechanism, as_mechanism, refuse_holding, retract
from kinetree.program import Program
from kinetree.solve.newton import Solution, damped_newton
from kinetree.solve.relaxation import relax

TOLERANCE = 1e-9
"""Largest acceleration at rest, relative to those at the start [rad/s2, m/s2 or 1/s]."""
ROUNDING = 64 * float(np.finfo(float).eps)
"""Accelerations of this share of their slopes are rounding of coordinates of the size 1."""
LOOSE = 1e-9
"""A coordinate whose largest slope is below this share of the others' is held by nothing."""
NUDGE = 0.05
"""Deviation from a start at which the iteration stalls, for a second attempt [rad or m]."""
PATIENCE = 15
"""Newton steps in which accelerations must be halved; else they are followed downhill."""
REACH = 1e3
"""How many times the need at the start an effort may grow in one step."""


@dataclass(frozen=True)
class Equilibrium:
    """A state of rest.

    Attributes:
        q: coordinates.
        x: user states.
        p: values of the freed parameters, by name.
        efforts: efforts that hold the locked coordinates, by name [N.m or N].
        lam: multipliers of the closures, by label.
        residual: largest acceleration that is left [rad/s2, m/s2 or 1/s].
        steps: Newton steps taken.
        t: time of laws and drives [s].
        tau: all efforts from outside that act there, those of locked coordinates included.
        parameters: all values by name that differ from the model's, freed ones included.
    """

    q: Array
    x: Array
    p: dict[str, float] = field(default_factory=dict)
    efforts: dict[str, float] = field(default_factory=dict)
    lam: dict[str, float] = field(default_factory=dict)
    residual: float = 0.0
    steps: int = 0
    t: float = 0.0
    tau: Array = field(default_factory=lambda: np.zeros(0))
    parameters: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class _Place:
    """Where the iteration is: a point, efforts, values of the freed parameters."""

    q: Array
    x: Array
    tau: Array
    p: Array


@dataclass(frozen=True)
class _Task:
    """Unknowns and equations of an equilibrium."""

    system: Dynamics
    function: Callable[..., dict[str, Array]]
    columns: tuple[int, ...]
    rows: tuple[int, ...]
    held: tuple[int, ...]
    freed: tuple[str, ...]
    t: float

    def inputs(self, at: _Place) -> dict[str, Array]:
        """Inputs of the forward dynamics at rest."""
        still = OperatingPoint(self.t, at.q, np.zeros(self.system.nv), at.x)
        given = arrays(self.system, still, self.system.forward)
        return {**given, "tau": at.tau, **self._p(at)}

    def _p(self, at: _Place) -> dict[str, Array]:
        """The run-time parameters, where some of them are unknown."""
        if not self.freed:
            return {}
        row = self.system.forward.input("p")
        assert row.default is not None
        p = np.array(row.default)
        p[[row.labels.index(name) for name in self.freed]] = at.p
        return {"p": p}

    def residuals(self, at: _Place) -> tuple[Array, Array]:
        """(accelerations and rates, their Jacobian by the unknowns)."""
        given = self.inputs(at)
        found = self.function(check=False, **given)
        columns = [
            self.function(check=False, **given, **{name: unit}) for name, unit in self._units(at)
        ]
        parts = ("qdd", "xd") if "xd" in found else ("qdd",)
        h = self._join([found[name] for name in parts])
        along = [self._join([each[f"{name}_dot"] for name in parts]) for each in columns]
        J = np.array(along).T.reshape(len(h), len(columns))
        for k in set(range(len(at.x))) - set(self.system.changing):
            J[len(self.rows) + k, len(self.columns) + k] = 1.0  # modes stay as they are
        return h, J

    def _join(self, parts: Sequence[Array]) -> Array:
        """Accelerations of the independent velocities, then the rates."""
        return np.concatenate([parts[0][list(self.rows)], *parts[1:]])

    def _units(self, at: _Place) -> Iterator[tuple[str, Array]]:
        """A unit change of every unknown, by name of the input."""
        nv = self.system.nv
        for name, numbers, size in (
            ("q_dot", self.columns, nv), ("x_dot", range(len(at.x)), len(at.x)),
            ("tau_dot", self.held, nv), ("p_dot", range(len(self.freed)), len(self.freed)),
        ):  # fmt: skip
            for row in np.eye(size)[list(numbers)] if numbers else ():
                yield name, row

    def move(self, at: _Place, step: Array) -> _Place:
        """The place after a step of the unknowns, loops closed again."""
        whole = np.zeros(self.system.nv)
        cuts = np.cumsum([len(self.columns), len(at.x), len(self.held)])
        whole[list(self.columns)], dx, dtau, dp = np.split(step, cuts)
        tau = at.tau.copy()
        tau[list(self.held)] += dtau
        new = _Place(retract(self.system.model, at.q, whole), at.x + dx, tau, at.p + dp)
        if not self.system.closed:
            return new
        y = np.concatenate([new.q, np.zeros(self.system.nv), new.x])
        q = self.system.split(self.system.project(self.t, y, **self._p(new)))[0]
        return _Place(q if np.isfinite(q).all() else new.q, new.x, new.tau, new.p)

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


def equilibrium(  # noqa: PLR0913  one keyword per choice of the user
    model: Mechanism | Components,
    at: Any = None,
    *,
    q: Values = None,
    x: Values = None,
    locked: Sequence[str] = (),
    free: Sequence[str] = (),
    t: float = 0.0,
    **options: Any,
) -> Equilibrium:
    """A state of rest near the start values.

    Args:
        model: the mechanism with its forces.
        at: state to start from: a mapping with any of q, x, t, another `Equilibrium`, or a run (its
            last time).
        q: start values of the coordinates; by default those of `at`, or the model's initial ones.
        x: start values of the user states, likewise.
        locked: velocities (of one-axis joints: coordinates) that keep their values.  Unless
            parameters are freed, an effort holds each of them.
        free: parameters to be found, as many as coordinates are locked.
        t: time of laws and drives where `at` gives none [s].
        **options: tau, wrenches (constant), parameters by name; formalism, loops and
            base_parameters of `derive`; of a closed system partition or independent.

    Raises:
        ModelError: where no state of rest is found, naming the coordinate that still accelerates.
    """
    check_arguments(equilibrium, locals())
    model = as_mechanism(model)
    check_options("equilibrium", options, LOADED)
    refuse_holding(model, "equilibrium", "take locks and dry friction out: they hold anywhere")
    begin = given_parts(at)
    q, x = (begin.get(name) if value is None else value for name, value in (("q", q), ("x", x)))
    t = float(begin.get("t", t))
    held = [name for name in locked if name in model.velocities and name not in model.drives]
    if held and model.closures and not options.keys() & {"partition", "independent"}:
        options["independent"] = held
    options = treat_loops(model, options)
    system = dynamics(model.with_varied(free, "free"), q=q, t=t, **options)
    start = point(system, {"q": q, "x": x}, t)
    task = _task(system, freedom(system), tuple(locked), tuple(free), t)
    values = _values(task)
    first = _Place(start.q, start.x, system.loads.fixed["tau"].copy(), values)
    found = _solve(task, first)
    if not found.converged:
        found = _nearer(found, _solve(task, first, relaxed=True))
    if not found.converged:  # a start at which no small step helps is left aside
        nudge = np.zeros(len(task.columns) + len(first.x) + len(task.held) + len(task.freed))
        nudge[: len(task.columns)] = NUDGE * np.cos(1.0 + np.arange(len(task.columns)))
        found = _nearer(found, _solve(task, task.move(first, nudge)))
    if not found.converged:
        raise _failure(task, found)
    return _result(task, found)


def _task(
    system: Dynamics, independent: Freedom, locked: tuple[str, ...], free: tuple[str, ...], t: float
) -> _Task:
    forward = system.forward
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
    made = system.forms.changes(of, by).quick_function.with_values(system.parameters)
    moved = tuple(k for k in independent.u if k not in numbers)
    return _Task(system, made, moved, independent.w, () if free else numbers, free, t)


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


def _values(task: _Task) -> Array:
    """Start values of the freed parameters."""
    if not task.freed:
        return np.zeros(0)
    row = task.system.forward.input("p")
    assert row.default is not None
    return np.array([row.default[row.labels.index(name)] for name in task.freed])


def _solve(task: _Task, first: _Place, *, relaxed: bool = False) -> Solution:
    """Newton's iteration with unknowns scaled to what a step of 1 may change.

    Args:
        task: unknowns and equations.
        first: where to begin.
        relaxed: whether to follow the accelerations instead, with steps that become Newton's.
    """
    h, J = task.residuals(first)
    if task.held and np.isfinite(J).all():  # linear in the efforts: begin with the best ones
        k = len(task.columns) + len(first.x)
        tau = first.tau.copy()
        tau[list(task.held)] -= np.linalg.lstsq(J[:, k:], h, rcond=None)[0]
        first = replace(first, tau=tau)
        h, J = task.residuals(first)
    need = 1 + float(np.nan_to_num(np.abs(h)).max(initial=0.0))
    scale = np.ones(J.shape[1])
    others = slice(len(task.columns), None)
    effect = np.abs(np.nan_to_num(J[:, others])).max(axis=0, initial=0.0)
    scale[others] = np.where(effect > 0, REACH * need / np.where(effect > 0, effect, 1), 1.0)

    def function(at: _Place) -> tuple[Array, Array]:
        h, J = task.residuals(at)
        return h, J * scale

    def move(at: _Place, step: Array) -> _Place:
        return task.move(at, scale * step)

    size = float(np.nan_to_num(np.abs(J)).max(initial=0.0))
    tolerance = max(TOLERANCE * need, ROUNDING * size)
    if not relaxed:
        return damped_newton(function, first, move, tolerance=tolerance, patience=PATIENCE)
    near = relax(function, first, move, task.rates() * scale, tolerance=tolerance)
    found = damped_newton(function, near.x, move, tolerance=tolerance)  # to rounding
    return replace(found if found.converged else near, steps=near.steps + found.steps)


def _nearer(one: Solution, other: Solution) -> Solution:
    """That of two ends which is a solution, or nearer to one."""
    sizes = [
        float(np.abs(found.h).max(initial=0.0)) if np.isfinite(found.h).all() else np.inf
        for found in (one, other)
    ]
    return other if other.converged or sizes[1] < sizes[0] else one


def _loose(task: _Task, found: Solution) -> list[str]:
    """Coordinates along which nothing changes the accelerations: nothing holds them."""
    J = task.residuals(found.x)[1][:, : len(task.columns)]
    if not (J.size and np.isfinite(J).all()):
        return []
    size = np.abs(J).max(axis=0)
    unheld = size <= LOOSE * size.max(initial=0.0)
    names = task.system.model.velocities
    return [names[k] for k, free in zip(task.columns, unheld, strict=True) if free]


def _failure(task: _Task, found: Solution) -> ModelError:
    h = np.abs(found.h)
    if not np.isfinite(h).all():
        return ModelError(
            f"'{task.names[int(np.argmin(np.isfinite(h)))]}' has no acceleration at the start",
            element=f"model '{task.system.model.name}'",
            cure="start where all laws are defined",
        )
    when = "at the nearest state" if found.stalled else f"after {found.steps} steps"
    loose = _loose(task, found)
    listed = ", ".join(f"'{name}'" for name in loose)
    held = f"nothing holds {listed}: lock them by locked=, or add what holds them"
    at: _Place = found.x
    state = task.t, np.concatenate([at.q, np.zeros(task.system.nv), at.x])
    unrest = tell_unrest(task.system, *state, at.tau, dict(zip(task.names, h, strict=True)))
    return ModelError(
        f"no equilibrium was found, {when} {unrest}",
        element=f"model '{task.system.model.name}'",
        cure=held if loose else "start nearer to it, lock coordinates, or add what holds them",
    )


def _result(task: _Task, found: Solution) -> Equilibrium:
    at: _Place = found.x
    out = task.function(check=False, **task.inputs(at))
    names = task.system.model.velocities
    labels = task.system.forward.output("lam").labels if "lam" in out else ()
    freed = {name: float(v) for name, v in zip(task.freed, at.p, strict=True)}
    return Equilibrium(
        q=at.q,
        x=at.x,
        p=freed,
        efforts={names[k]: float(at.tau[k]) for k in task.held},
        lam={label: float(v) for label, v in zip(labels, out.get("lam", ()), strict=True)},
        residual=float(np.abs(found.h).max(initial=0.0)),
        steps=found.steps,
        t=task.t,
        tau=at.tau,
        parameters={**task.system.parameters, **freed},
    )
