"""What joints and closures transmit along a run, as forces and torques at places of bodies."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinetree.arrays import Array
from kinetree.errors import FormatError
from kinetree.formats.yaml_file import read
from kinetree.model import Model, Point
from kinetree.results.files import load_run
from kinetree.studio.messages import EffortMark, EffortsMessage
from kinetree.studio.runs.jobs import Job
from kinetree.view.components import of_run_values
from kinetree.view.dimensions import measures
from kinetree.view.packing import pack
from kinetree.view.poses import poses
from kinetree.view.quaternions import matrices

PARTS = ("tx", "ty", "tz", "fx", "fy", "fz")
"""Torques, then forces."""
MOST_FRAMES = 2000
"""Most times that arrows are told of."""


def efforts(job: Job) -> EffortsMessage:
    """The efforts of a run of reactions in the ground frame, and where they act.

    Raises:
        FormatError: where it is a run of something else, or not there yet.
    """
    if job.state().analysis != "reactions" or not job.file.exists():
        raise FormatError(
            "it has no reactions", element=f"run {job.number}", cure="run reactions of a simulation"
        )
    run = load_run(job.file)
    model = of_run_values(read(job.text()), run)
    some = np.unique(np.linspace(0, run.sizes["time"] - 1, MOST_FRAMES).round().astype(int))
    run = run.isel(time=some)
    time = np.asarray(run["time"].values, dtype=float)
    motion = poses(model, run["q"].values, time)
    m = measures(model, motion[0])
    rows = _rows(model, run)
    found = np.zeros((2, len(time), len(rows), 3))
    marks = []
    for k, (path, point, own) in enumerate(rows):
        number = 0 if point.body is model.ground else list(model.bodies).index(point.body.name) + 1
        turns = _turns(motion, number, point)
        found[:, :, k] = np.einsum("fij,fpj->pfi", turns, own.reshape(len(time), 2, 3))
        marks.append(EffortMark(path=path, body=number, at=m.place(point).tolist()))
    torque, force = (float(np.linalg.norm(x, axis=-1).max(initial=0.0)) for x in found)
    torques, forces = (pack(x.reshape(len(time), -1), 1e-6) for x in found)
    return EffortsMessage(
        marks=marks, time=time.tolist(), forces=forces, strongest=force, torques=torques,
        strongest_torque=torque,
    )  # fmt: skip


def _rows(model: Model, run: Any) -> list[tuple[str, Point, Array]]:
    """Path, point and efforts in its frame (frames × 6) of all joints and closures."""
    made: list[tuple[str, Point, Array]] = []
    closures = {name: row.ends[0] for name, row in model.closures.items() if row.ends}
    ends = {"joint": {row.name: row.child for row in model.body_joints}, "closure": closures}
    for kind, points in ends.items():
        if f"reaction_{kind}" not in run:
            continue
        table = run[f"reaction_{kind}"].sel(part=list(PARTS))
        made += [
            (f"{kind}s.{name}", points[name], table.sel({kind: name}).values)
            for name in map(str, table[kind].values)
            if name in points
        ]
    return made


def _turns(motion: Array, number: int, point: Point) -> Array:
    """Rotations of the frame of a point over all frames of a motion, into the ground frame."""
    own = np.array(point.rotation, dtype=float)
    turn = matrices(motion[:, number - 1, :4]) if number else np.eye(3)[None]
    return np.broadcast_to(turn @ own, (len(motion), 3, 3))
