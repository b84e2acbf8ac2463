"""Round trips of every robot of example-robot-data: URDF to URDF, and to MJCF, against MuJoCo.

    python -m benchmarks.robot_files [FOLDER]

Each URDF is read, written as URDF and as MJCF and read again; M and c at random states are compared
by names of coordinates, relative to their largest entry.  The MJCF is also compiled by MuJoCo,
whose accelerations at the same state are compared.  With a FOLDER, all MJCF files below it are
read and
compared with MuJoCo in the same way.

MuJoCo refuses inertias that no body can have, which several of these files hold, and moving bodies
without mass.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from tests.crosscheck.robots import package_folder

import kinetree as kt
from benchmarks import report
from kinetree.errors import KinetreeError

Array = np.ndarray[Any, np.dtype[np.float64]]
CLOSE = 1e-12
CLOSE_TO_MUJOCO = 1e-8


def difference(one: Array, two: Array) -> float:
    """The largest deviation, relative to the largest entry."""
    return float(np.abs(one - two).max(initial=0.0) / max(1.0, np.abs(one).max(initial=0.0)))


def compare(model: kt.Model, other: kt.Model) -> float:
    """Deviation of M and c of two models whose coordinates have the same names."""
    q, qd = model.random(1, span=0.3), np.linspace(-1, 1, model.nv)
    places = [model.coordinates.index(name) for name in other.coordinates]
    rates = [model.velocities.index(name) for name in other.velocities]
    ours = kt.derive(model, "mass_bias").evaluate(q=q, qd=qd)
    theirs = kt.derive(other, "mass_bias").evaluate(q=q[places], qd=qd[rates])
    return max(
        difference(ours["M"][np.ix_(rates, rates)], theirs["M"]),
        difference(ours["c"][rates], theirs["c"]),
    )


def round_trip(model: kt.Model, path: Path, **options: Any) -> float:
    """Deviation after writing and reading."""
    kt.save(model, path)
    return compare(model, kt.load(path, **options))


def beside_mujoco(path: Path) -> float:
    """Deviation of the accelerations of a file from those of MuJoCo."""
    model = kt.load(path)
    if any(joint.mimic for joint in model.joints.values()):
        raise ValueError("followers, which MuJoCo has as soft constraints")
    peer = mujoco.MjModel.from_xml_path(str(path))
    peer.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    data, layout = mujoco.MjData(peer), kt.layout(model, "mujoco")
    rng = np.random.default_rng(2)
    q, qd, tau = model.random(2, span=0.3), rng.normal(size=model.nv), rng.normal(size=model.nv)
    data.qpos, data.qvel, data.qfrc_applied = layout.q(q), layout.v(q, qd), layout.tau(q, tau)
    mujoco.mj_forward(peer, data)
    qdd = kt.derive(model, "forward").evaluate(q=q, qd=qd, tau=tau)["qdd"]
    return difference(qdd, layout.a_from(q, qd, data.qacc))


def tried(call: Callable[..., float], *arguments: Any, **options: Any) -> float | str:
    """What a call gives, or the sentence that it raises."""
    try:
        return call(*arguments, **options)
    except (KinetreeError, ValueError) as error:
        return f"{type(error).__name__}: {error}".splitlines()[0][:110]


def measure_robot(path: Path, folder: Path) -> list[Any]:
    """One row: name, size, deviations."""
    try:
        model = kt.load(path)
    except KinetreeError as error:
        return [path.name, "", str(error).splitlines()[0][:110], "", ""]
    mjcf = folder / "again.xml"
    urdf = tried(round_trip, model, folder / "again.urdf")
    back = tried(round_trip, model, mjcf)
    peer = tried(beside_mujoco, mjcf) if isinstance(back, float) else ""
    return [path.name, model.nv, urdf, back, peer]


def measure() -> dict[str, Any]:
    """The table of all robots."""
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        if len(sys.argv) > 1:
            rows = [[path.name, "", "", "", tried(beside_mujoco, path)]
                    for path in sorted(Path(sys.argv[1]).rglob("*.xml"))]  # fmt: skip
        else:
            files = sorted(package_folder().rglob("*.urdf"))
            rows = [measure_robot(path, Path(folder)) for path in files]
    report.show(
        "robot files, relative deviations",
        ("file", "nv", "URDF and back", "MJCF and back", "qdd of MuJoCo"),
        rows,
    )
    good = {
        "URDF and back": _count(rows, 2, CLOSE),
        "MJCF and back": _count(rows, 3, CLOSE),
        "MuJoCo": _count(rows, 4, CLOSE_TO_MUJOCO),
        "files": len(rows),
    }
    print(good)
    return {"rows": rows, "good": good}


def _count(rows: list[list[Any]], column: int, bound: float) -> int:
    return sum(isinstance(row[column], float) and row[column] < bound for row in rows)


if __name__ == "__main__":
    measure()
