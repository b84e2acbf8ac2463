"""Forces of actuators along a motion, with loops, drives and free velocities.

Every time is solved by the Program of `derive_actuation`.  Where bounds are passed by the least
forces of redundant actuators, others do the same: A τ = b with A = Rᵀ S, R = [1; B; 0] and
B = -J_v⁻¹ J_u.  Forces that only strain the loops change the multipliers, J_vᵀ δλ = -δτ_v, and the
drives, δτ_d = -J_dᵀ δλ.

Refs: Docquier2013 sec. 2.2.2, eqs. 22 to 27
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.bounded_least_norm import least_between, within
from kinetree.analysis.runs.manifest import changes, manifest
from kinetree.analysis.runs.progress import EQUATIONS, Share
from kinetree.analysis.runs.rows import RowFile, end_word, join_rows
from kinetree.arguments import check_arguments
from kinetree.arrays import Array
from kinetree.assembly import (
    ROUGH,
    Loops,
    Partition,
    Wish,
    consistent_coordinates,
    partition_at,
    with_values,
)
from kinetree.assembly.loops import loops
from kinetree.errors import AssemblyError, ModelError, ShapeError, unknown, warn
from kinetree.pipeline import derive_actuation
from kinetree.results.dataset import Dimension, run_draft

if TYPE_CHECKING:
    import xarray

    from kinetree.analysis.given.trajectory import Trajectory
    from kinetree.model import Mechanism
    from kinetree.program import Program

INFINITE = (-np.inf, np.inf)


@dataclass(frozen=True)
class ActuationGoal:
    """What a user asks of the actuators.

    Attributes:
        actuators: velocities along which they act; none for the independent ones.
        free: velocities whose accelerations come out.
        weights: by actuator.
        bounds: lowest and highest effort by actuator [N.m or N].
        parameters: values by name in place of the model's.
    """

    actuators: Sequence[str] | None = None
    free: tuple[str, ...] = ()
    weights: Mapping[str, float] = field(default_factory=dict)
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    parameters: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class _Task:
    """The equations, and who acts."""

    model: Mechanism
    program: Program
    found: Partition
    names: tuple[str, ...]
    weights: Array
    bounds: tuple[Array, Array]
    constraints: Program

    @property
    def numbers(self) -> list[int]:
        """Numbers of the actuated velocities."""
        return [self.model.velocities.index(name) for name in self.names]

    @property
    def independent(self) -> list[int]:
        """Numbers of the velocities that neither loops nor rolling determine."""
        rolling = set(self.found.rate_dependent)
        return [k for k in self.found.u if self.model.velocities[k] not in rolling]

    @property
    def dependent(self) -> list[int]:
        """Numbers of the velocities that loops and rolling determine."""
        names = (*self.found.dependent, *self.found.rate_dependent)
        return [self.model.velocities.index(name) for name in names]


def actuation(  # noqa: PLR0913  one keyword per choice of the user
    model: Mechanism,
    motion: Trajectory,
    given: Mapping[str, Array],
    wanted: ActuationGoal,
    told: tuple[Share, str | Path | None],
    *,
    independent: Sequence[str] | None = None,
    partition: Partition | None = None,
) -> xarray.Dataset:
    """The efforts of actuators and drives along a motion.

    Args:
        model: the mechanism.
        motion: the wanted motion.
        given: inputs of the equations, constant or one row per time.
        wanted: who acts, and how.
        told: what is told how far it is, and the file that rows go to meanwhile.
        independent: coordinates that shall be independent.
        partition: independent and dependent coordinates, in place of those.

    Raises:
        AssemblyError: where the loops do not close at some time, which is named.
        ModelError: where the motion needs more than the bounds allow.
    """
    check_arguments(actuation, locals())
    share, file = told
    t0, values = float(motion.time[0]), wanted.parameters
    chosen = independent or (motion.named if model.closures else None) or None
    first: Any = motion.q[0]
    if motion.named:
        first = {name: motion.q[0][model.coordinates.index(name)] for name in motion.named}
    with share.part(0.0, EQUATIONS):
        system = loops(model, values)
        q0 = consistent_coordinates(system, Wish(first, t=t0))
        found = partition or partition_at(system, q0.tolist(), chosen, t0)
        task = _task(system, found, wanted)
    facts = {
        **manifest(model, task.program),
        **changes(values),
        "method": "inverse",
        "actuators": ", ".join(task.names),
        "free": ", ".join(wanted.free),
        "independent": ", ".join(found.independent),
    }
    disk = RowFile(file, partial(_run_of_rows, task, motion.time, facts))
    with share.part(EQUATIONS, 1.0):
        made = _march(task, motion, given, (q0, share, disk))
    if not motion.named:
        _warn_of_moved(model, motion, join_rows(made))
    word = end_word("inverse", motion.time, len(made))
    return disk.finish(disk.give(made, slice(len(made))).assign_attrs(termination=word))


def _run_of_rows(
    task: _Task, times: Array, facts: Mapping[str, Any], made: Sequence[Mapping[str, Array]],
    at: slice,
) -> xarray.Dataset:  # fmt: skip
    """What the equations give at some of the times as a run."""
    out = join_rows(made)
    names = {"q": "q_closed", "qd": "qd_closed", "qdd": "qdd", "tau": "tau"}
    if len(task.program.output("lam").labels):
        names["lam"] = "lam"
    table = {name: out[source] for name, source in names.items()}
    return run_draft(times[at], table, _axes(task), facts).dataset()


def _task(system: Loops, found: Partition, wanted: ActuationGoal) -> _Task:
    model = system.model
    program = derive_actuation(model, wanted.actuators, free=wanted.free, partition=found)
    program = with_values(program, wanted.parameters)
    names = tuple(name for name in program.info["actuators"].split(", ") if name)
    weighted = program.takes("weights")
    if wanted.weights and not weighted:
        raise ModelError(
            "there are no more actuators than degrees of freedom, so that none can be chosen",
            element="weights",
            cure="name more actuators, or leave weights= out",
        )
    weights, bounds = _weights(names, wanted), _bounds(names, wanted)
    return _Task(model, program, found, names, weights, bounds, system.whole)


def _weights(names: Sequence[str], wanted: ActuationGoal) -> Array:
    out = np.ones(len(names))
    for name, value in wanted.weights.items():
        if name not in names:
            raise unknown("actuator", name, names, "weights")
        if not (np.isfinite(value) and value > 0):
            raise ShapeError(f"it is {value}", element=f"weight of '{name}'", cure="make it > 0")
        out[names.index(name)] = value
    return out


def _bounds(names: Sequence[str], wanted: ActuationGoal) -> tuple[Array, Array]:
    for name, pair in wanted.bounds.items():
        if name not in names:
            raise unknown("actuator", name, names, "bounds")
        low, high = pair
        if not low <= high:
            raise ShapeError(
                f"{low:g} is not below {high:g}",
                element=f"bounds of '{name}'",
                cure="give (lowest, highest)",
            )
    rows = [wanted.bounds.get(name, INFINITE) for name in names]
    return np.array([row[0] for row in rows]), np.array([row[1] for row in rows])


def _march(
    task: _Task, motion: Trajectory, given: Mapping[str, Array],
    way: tuple[Array, Share, RowFile[dict[str, Array]]],
) -> list[dict[str, Array]]:  # fmt: skip
    """Outputs of the equations at every time; loops are followed where few coordinates are given.

    A dependent coordinate that nobody gives is looked for near its value at the time before.

    Args:
        task: the equations.
        motion: the wanted one.
        given: inputs, constant or one row per time.
        way: coordinates that close the loops at the first time, what is told how far it is, and
            what has the rows on the disk.
    """
    function = task.program.compile()
    inputs = {row.name: len(row.shape) for row in task.program.inputs}
    fixed = {"weights": task.weights} if "weights" in inputs else {}
    columns = [task.model.coordinates.index(name) for name in motion.named]
    picked = task.program.pick_inputs(given)
    q, share, disk = way[0].copy(), way[1], way[2]

    def row(at: slice) -> dict[str, Array]:
        nonlocal q
        k, t = at.start, float(motion.time[at.start])
        now = {
            name: np.array(value[k] if value.ndim > inputs[name] else value)
            for name, value in picked.items()
        }  # fmt: skip
        if motion.named:
            q[columns] = motion.q[k, columns]
            now["q"] = q
        out = {name: np.array(value) for name, value in function(**now, **fixed).items()}
        if not all(np.isfinite(value).all() for value in out.values()):
            raise _no_value(task.model, t)
        q = out["q_closed"].copy()
        return {name: x[None] for name, x in _kept_in_bounds(task, out, t).items()}

    return share.along(len(motion.time), row, size=1, see=disk.see)


def _no_value(model: Mechanism, t: float) -> AssemblyError:
    return AssemblyError(
        f"the efforts have no value at t = {t:.6g} s: the loops do not close there, or the "
        "actuators cannot move it",
        element=f"model '{model.name}'",
        cure="change the motion, choose other independent coordinates, or other actuators",
    )


def _kept_in_bounds(task: _Task, out: dict[str, Array], t: float) -> dict[str, Array]:
    """The outputs at one time with efforts between their bounds."""
    numbers, lower, upper = task.numbers, *task.bounds
    tau = out["tau"][numbers]
    if within(tau, lower, upper):
        return out
    guilty: tuple[int, ...]
    if len(numbers) <= len(task.independent):
        guilty = tuple(np.flatnonzero((tau < lower) | (tau > upper)))
        raise _beyond(task, guilty, tau, t)
    J = _jacobian(task, out, t)
    R = _reduction(task, J)
    new, guilty = least_between(R[numbers].T, tau, task.weights, (lower, upper))
    if new is None:
        raise _beyond(task, guilty, tau, t)
    change = np.zeros(task.model.nv)
    change[numbers] = new - tau
    return _add_strain(task, J, out, change)


def _jacobian(task: _Task, out: Mapping[str, Array], t: float) -> Array:
    """J of the independent equations at the closed state."""
    known = {"q": out["q_closed"], "qd": out["qd_closed"], "t": np.array(t)}
    found = task.constraints.evaluate_some(**known)["J"]
    return np.asarray(found[list(task.found.rows)])


def _reduction(task: _Task, J: Array) -> Array:
    """R = [1; B; 0]: all velocities by the independent ones."""
    u, v = task.independent, task.dependent
    R = np.zeros((task.model.nv, len(u)))
    R[u] = np.eye(len(u))
    if v:
        R[v] = -np.linalg.solve(J[:, v], J[:, u])
    return R


def _add_strain(task: _Task, J: Array, out: Mapping[str, Array], change: Array) -> dict[str, Array]:
    """The outputs after a change of efforts that moves nothing."""
    tau, lam = out["tau"] + change, out["lam"].copy()
    if task.dependent:
        strain = -np.linalg.solve(J[:, task.dependent].T, change[task.dependent])
        labels = list(task.program.output("lam").labels)
        lam[[labels.index(label) for label in task.found.equations]] += strain
        driven = [task.model.velocities.index(name) for name in task.found.driven]
        tau[driven] -= J[:, driven].T @ strain
    return {**out, "tau": tau, "lam": lam}


def _beyond(task: _Task, guilty: Sequence[int], tau: Array, t: float) -> ModelError:
    """The sentence for a motion that needs more than the bounds allow."""
    listed = ", ".join(f"'{task.names[k]}'" for k in guilty)
    several = len(guilty) > 1
    need = ", ".join(f"{tau[k]:.4g}" for k in guilty)
    return ModelError(
        f"at t = {t:.6g} s the motion needs more than the bounds allow"
        f" ({need} without {'them' if several else 'it'})",
        element=f"actuator{'s' if several else ''} {listed}",
        cure="widen the bounds, move more slowly, or add an actuator",
    )


def _warn_of_moved(model: Mechanism, motion: Trajectory, out: Mapping[str, Array]) -> None:
    """Warn where the motion given does not obey the loops."""
    parts = (
        ("q", model.coordinates, motion.q, out["q_closed"]),
        ("qd", model.velocities, motion.qd, out["qd_closed"]),
    )
    moved = []
    for part, names, old, new in parts:
        off = np.abs(new - old[: len(new)]) / (1 + np.abs(old[: len(new)]))
        for k in np.flatnonzero(off.max(axis=0) > ROUGH):
            i = int(np.argmax(off[:, k]))
            moved.append(
                f"{part} of '{names[k]}' is {new[i, k]:.6g} instead of {old[i, k]:.6g}"
                f" at t = {motion.time[i]:.6g} s"
            )
    if moved:
        text = "the motion does not satisfy the loops: " + ", ".join(moved)
        warn(text)


def _axes(task: _Task) -> dict[str, Dimension]:
    q, qd = task.program.input("q"), task.program.input("qd")
    axes = {"coordinate": Dimension(q.labels, q.units), "velocity": Dimension(qd.labels, qd.units)}
    labels = task.program.output("lam").labels
    return {**axes, "equation": Dimension(labels)} if labels else axes
