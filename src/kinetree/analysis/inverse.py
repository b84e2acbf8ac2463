"""Inverse dynamics along a motion: the efforts that actuators must add to the forces there are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.actuation import ActuationGoal, actuation
from kinetree.analysis.given.trajectory import Trajectory
from kinetree.analysis.given.trajectory import trajectory as read
from kinetree.analysis.runs.manifest import changes, manifest
from kinetree.analysis.runs.progress import EQUATIONS, TOGETHER, ProgressCall, Share, sharing
from kinetree.analysis.runs.rows import RowFile, end_word, join_rows, rows_of
from kinetree.arguments import check_arguments, check_options
from kinetree.arrays import Array
from kinetree.assembly import with_values
from kinetree.errors import ShapeError, UnsupportedError, unknown
from kinetree.pipeline import derive
from kinetree.results.dataset import Dimension, run_draft

if TYPE_CHECKING:
    import xarray

    from kinetree.model import Mechanism

CHOICES = ("independent", "partition")
"""Options of closed systems."""
WAYS = ("formalism", "base_parameters")
"""Options of trees, as of `derive`."""


def inverse(  # noqa: PLR0913  one keyword per choice of the user
    model: Mechanism,
    trajectory: Any,
    *,
    actuators: Sequence[str] | None = None,
    free: Sequence[str] = (),
    weights: Mapping[str, float] | None = None,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    wrenches: Mapping[str, Any] | None = None,
    parameters: Mapping[str, float] | None = None,
    progress: bool | ProgressCall | None = None,
    file: str | Path | None = None,
    **options: Any,
) -> xarray.Dataset:
    """The efforts along a given motion.

    Args:
        model: the mechanism, closed or not.  Drives give their own efforts.
        trajectory: a run, or a mapping with time, q, qd, qdd (one row per time, or values over time
            by name); rates that are missing are those of a cubic spline through q.  Of a closed
            system the independent coordinates count, the others follow.
        actuators: velocities along which actuators act; by default all of a tree, the independent
            ones of a closed system.
        free: where there are fewer actuators than degrees of freedom, as many independent
            velocities as are missing: their accelerations come out.
        weights: of actuators by name, 1 where none is given; where there are more than degrees of
            freedom the sum of tau²/weight is the least.
        bounds: (lowest, highest) effort of actuators by name [N.m or N].
        wrenches: external wrenches by name: six numbers, or one row of six per time [N.m, N].
        parameters: values by name in place of the model's.
        progress: show how far it is; by default on a terminal when it takes long.  A function is
            told the share done, 0 to 1, and ends it by returning True: the rows so far stay.
        file: NetCDF file (.nc, .h5) that is written while it goes: whatever ends the program, it
            has the rows that were reached up to about a second before.
        **options: of a closed system independent (names of coordinates) or partition; of a tree
            formalism and base_parameters, as for `derive`.

    Returns:
        A Dataset with q, qd, qdd and tau over time, with closures also lam; q and qd obey the
        loops.
    """
    check_arguments(inverse, locals())
    _check_options(model, options)
    with sharing(progress, "inverse") as share:
        wanted = ActuationGoal(
            actuators, tuple(free), weights or {}, bounds or {}, parameters or {}
        )
        return _inverse(model, (trajectory, wrenches, file), wanted, options, share)


def _inverse(
    model: Mechanism,
    moved: tuple[Any, Mapping[str, Any] | None, str | Path | None],
    wanted: ActuationGoal,
    options: Mapping[str, Any],
    share: Share,
) -> xarray.Dataset:
    """The efforts along a motion and with wrenches, into a file, telling how far it is."""
    trajectory, wrenches, file = moved
    parameters = wanted.parameters
    model = model.with_varied(parameters)
    motion = read(model, trajectory)
    given = _inputs(model, motion, wrenches)
    asked = wanted.actuators is not None or wanted.free or wanted.weights or wanted.bounds
    if model.closures or model.drives or asked:
        _refuse_ways(options)
        return actuation(model, motion, given, wanted, (share, file), **options)
    with share.part(0.0, EQUATIONS):
        program = with_values(derive(model, "inverse", **options), parameters)
        make = rows_of(program, given)
    inputs = {row.name: row for row in program.inputs}
    axes = {
        "coordinate": Dimension(inputs["q"].labels, inputs["q"].units),
        "velocity": Dimension(inputs["qd"].labels, inputs["qd"].units),
    }
    rows = {**manifest(model, program), **changes(parameters), "method": "inverse"}

    def give(made: Sequence[dict[str, Array]], at: slice) -> xarray.Dataset:
        moved = {"q": motion.q[at], "qd": motion.qd[at], "qdd": motion.qdd[at]}
        table = {**moved, "tau": join_rows(made)["tau"]}
        return run_draft(motion.time[at], table, axes, rows).dataset()

    disk, times = RowFile(file, give), motion.time
    with share.part(EQUATIONS, 1.0):
        made = share.along(len(times), make, see=disk.see)
    end = min(TOGETHER * len(made), len(times))
    word = end_word("inverse", times, end)
    return disk.finish(give(made, slice(end)).assign_attrs(termination=word))


def _check_options(model: Mechanism, options: Mapping[str, Any]) -> None:
    """Refuse options that the motion of this model has no use for."""
    closed = bool(model.closures or model.drives)
    check_options("inverse", options, (*CHOICES, *WAYS))
    for name in options:
        if not closed and name in CHOICES:
            raise UnsupportedError(
                f"model '{model.name}' has no loops, all its coordinates are independent",
                element=name,
                cure=f"leave {name}= out",
            )


def _refuse_ways(options: Mapping[str, Any]) -> None:
    """Refuse options of a tree where actuators are sorted out."""
    for name in options:
        if name in WAYS:
            raise UnsupportedError(
                "loops and chosen actuators have one way to be solved",
                element=name,
                cure=f"leave {name}= out",
            )


def _inputs(
    model: Mechanism, motion: Trajectory, wrenches: Mapping[str, Any] | None
) -> dict[str, Array]:
    """What the equations of inverse dynamics may take, by name."""
    given = {"q": motion.q, "qd": motion.qd, "qdd": motion.qdd, "t": motion.time, "x": motion.x}
    for name, value in (wrenches or {}).items():
        if name not in model.wrenches:
            raise unknown("wrench", name, model.wrenches, "wrenches")
        given[name] = np.asarray(value, dtype=float)
    if motion.x.shape[1] != len(model.states):
        raise ShapeError(
            f"it has {motion.x.shape[1]} columns", element="x", cure=f"give {len(model.states)}"
        )
    return given
