"""Kinematics of driven mechanisms: the motion that drives and loops alone determine, over time.

    h(q, t) = 0,   J qd = -ht,   J qdd = -Jdqd

with the driven coordinates given by their laws.  Coordinates that neither a drive nor a loop
determines keep their values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kinetree.analysis.given.times import output_times
from kinetree.analysis.runs.manifest import changes, manifest
from kinetree.analysis.runs.progress import ProgressCall, Share, sharing
from kinetree.analysis.runs.rows import RowFile, end_word, join_rows
from kinetree.arguments import check_arguments
from kinetree.arrays import Array
from kinetree.assembly import (
    Loops,
    Parameters,
    Values,
    close,
    given_values,
    unit_quaternions,
    with_values,
)
from kinetree.assembly.loops import loops
from kinetree.errors import AssemblyError, ModelError
from kinetree.model import Mechanism, retract
from kinetree.pipeline import derive
from kinetree.results.dataset import Dimension, run_draft

if TYPE_CHECKING:
    import xarray

    from kinetree.program import Program

XYZ = ("x", "y", "z")
FOUND = 0.2
"""Share of the analysis at which its equations are there."""
MOVED = 0.9
"""Share of the analysis at which the motion is there, and points are still to be found."""


@dataclass(frozen=True)
class _Motion:
    """The equations of a driven mechanism."""

    model: Mechanism
    system: Loops
    constraints: Program
    free: tuple[int, ...]

    def rates(self, q: Array, t: float) -> tuple[Array, Array]:
        """qd and qdd at a closed configuration."""
        given = self._driven_values(q, t)
        qd = np.zeros(self.model.nv)
        qdd = np.zeros(self.model.nv)
        for name, (v, a) in given.items():
            k = self.model.velocities.index(name)
            qd[k], qdd[k] = v, a
        if not self.system.labels:
            return qd, qdd
        out = self._constraints(q, qd, t)
        J, free = out["J"], list(self.free)
        qd[free] = self._least(J[:, free], -(J @ qd + out["ht"]))
        out = self._constraints(q, qd, t)
        qdd[free] = self._least(J[:, free], -(J @ qdd + out["Jdqd"]))
        return qd, qdd

    def _driven_values(self, q: Array, t: float) -> dict[str, tuple[float, float]]:
        drives = self.system.drives
        if drives is None:
            return {}
        out = drives.evaluate_some(q=q, t=np.array(t))
        names = drives.output("q").labels
        return {
            name: (float(v), float(a))
            for name, v, a in zip(names, out["qd"], out["qdd"], strict=True)
        }

    def _constraints(self, q: Array, qd: Array, t: float) -> dict[str, Array]:
        given = {"q": q, "qd": qd, "t": np.array(t)}
        return self.constraints.evaluate_some(**given)

    def _least(self, A: Array, b: Array) -> Array:
        """The least x with A x = b; rows that repeat others take no part."""
        share = max(1e-10, self.model.loop_tolerance)
        return np.asarray(np.linalg.lstsq(A, b, rcond=share)[0])


def kinematics(  # noqa: PLR0913  one keyword per choice of the user
    model: Mechanism,
    duration: float,
    *,
    q: Values = None,
    t0: float = 0.0,
    step: float | None = None,
    points: Sequence[str] | None = None,
    parameters: Parameters = None,
    progress: bool | ProgressCall | None = None,
    file: str | Path | None = None,
) -> xarray.Dataset:
    """The motion of a driven mechanism, and the poses of its points.

    Args:
        model: the mechanism with drives q(t); loops are closed at every time.
        duration: length [s].
        q: coordinates to start the assembly from, all in order or some by name.
        t0: time at the beginning [s].
        step: output interval [s]; by default a 500th of the duration.
        points: paths "body" or "body.point"; by default all points of all bodies.
        parameters: values by name in place of the model's.
        progress: show how far it is; by default on a terminal when it takes long.  A function is
            told the share done, 0 to 1, and ends it by returning True: the rows so far stay.
        file: NetCDF file (.nc, .h5) that is written while it goes: whatever ends the program, it
            has the rows that were reached up to about a second before.

    Returns:
        A Dataset with q, qd, qdd, and point_position [m], point_rotation, point_velocity [rad/s,
        m/s], point_acceleration [rad/s2, m/s2] of the points in the ground frame.

    Raises:
        ModelError: where the model has no drives.
        AssemblyError: where the loops do not close at some time, which is named.
    """
    check_arguments(kinematics, locals())
    if not model.drives:
        raise ModelError(
            "nothing drives it",
            element=f"model '{model.name}'",
            cure="give coordinates a law with model.drive, or simulate it",
        )
    times = output_times(t0, duration, step or None)
    model = model.with_varied(parameters or ())
    first = unit_quaternions(model, given_values(q, model.initial(), model.coordinates, "q"))
    with sharing(progress, "kinematics") as share:
        return _find_motion(model, (first, times), points, (parameters, file), share)


def _find_motion(
    model: Mechanism,
    begin: tuple[Array, Array],
    points: Sequence[str] | None,
    chosen: tuple[Parameters, str | Path | None],
    share: Share,
) -> xarray.Dataset:
    """The motion from first coordinates over times, telling how far it is."""
    (first, times), (parameters, file) = begin, chosen
    with share.part(0.0, FOUND):
        motion = _motion(model, parameters)
        program = with_values(derive(model, "kinematics", points=points), parameters)
    axes = {
        "coordinate": Dimension(model.coordinates, _units(model, "q_units")),
        "velocity": Dimension(model.velocities, _units(model, "v_units")),
    }
    rows = {**manifest(model, program), **changes(parameters or {}), "method": "kinematics"}

    def give(made: Sequence[dict[str, Array]], at: slice) -> xarray.Dataset:
        table = join_rows(made)
        return _with_points(run_draft(times[at], table, axes, rows).dataset(), program, table)

    disk = RowFile(file, give)
    with share.part(FOUND, MOVED):
        made = _march(motion, first, times, (share, disk))
    word = end_word("kinematics", times, len(made))
    return disk.finish(give(made, slice(len(made))).assign_attrs(termination=word))


def _motion(model: Mechanism, parameters: Parameters) -> _Motion:
    system = loops(model, parameters)
    free = tuple(k for k in range(model.nv) if k not in system.driven)
    return _Motion(model, system, system.whole, free)


def _march(
    motion: _Motion, q: Array, times: Array, told: tuple[Share, RowFile[dict[str, Array]]]
) -> list[dict[str, Array]]:
    """q, qd, qdd at every time, each configuration found from the one before."""
    share, disk = told
    qd = np.zeros(motion.model.nv)

    def row(at: slice) -> dict[str, Array]:
        nonlocal q, qd
        k, t = at.start, float(times[at.start])
        if k:
            q = retract(motion.model, q, qd * (t - times[k - 1]))
        try:
            q = close(motion.system, motion.system.start(q.tolist(), t), t=t).q
        except AssemblyError as error:
            raise AssemblyError(
                f"{error.problem}, at t = {t:.6g} s", element=error.element, cure=error.cure
            ) from error
        qd, qdd = motion.rates(q, t)
        return {"q": q[None], "qd": qd[None], "qdd": qdd[None]}

    return share.along(len(times), row, size=1, see=disk.see)


def _units(model: Mechanism, which: str) -> tuple[str, ...]:
    return tuple(unit for joint in model.leaders for unit in getattr(joint, which))


def _with_points(run: xarray.Dataset, program: Program, table: dict[str, Array]) -> xarray.Dataset:
    """The run with what the kinematics Program gives of every point."""
    names = list(dict.fromkeys(row.name.rpartition(".")[0] for row in program.outputs))
    if not names:
        return run
    out = program.compile()(**program.pick_inputs(table))
    spatial = ("wx", "wy", "wz", "vx", "vy", "vz")
    run = run.assign_coords(
        point=np.array(names, dtype=str),
        xyz=np.array(XYZ, dtype=str),
        column=np.array(XYZ, dtype=str),
        component=np.array(spatial, dtype=str),
    )
    variables = (
        ("position", ("xyz",), "m"),
        ("rotation", ("xyz", "column"), "1"),
        ("velocity", ("component",), "rad/s, m/s"),
        ("acceleration", ("component",), "rad/s2, m/s2"),
    )
    for what, dims, unit in variables:
        values = np.stack([out[f"{name}.{what}"] for name in names], axis=1)
        run[f"point_{what}"] = (
            ("time", "point", *dims),
            values,
            {"units": unit, "frame": "ground"},
        )
    return run
