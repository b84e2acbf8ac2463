"""Pinocchio as a contender: its algorithms compiled natively, run in a process of their own."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pinocchio as pin

from benchmarks.models import BUILD, floating, urdf_path
from benchmarks.native_build import pinocchio_driver

if TYPE_CHECKING:
    from pathlib import Path

STATES = 64

# Which of its algorithms compute a quantity; the best one per model counts.
ALGORITHMS = {
    "inverse": ("rnea",),
    "mass": ("crba_local", "crba_world"),
    "mass_bias": ("crba_local+nle", "crba_world+nle"),
    "forward": ("aba_local", "aba_world", "crba_local+cholesky", "crba_world+cholesky"),
    "inverse_derivatives": ("rnea_derivatives",),
    "forward_derivatives": ("aba_derivatives",),
}


@dataclass(frozen=True)
class States:
    """STATES random states in Pinocchio's order and conventions, one per row."""

    q: np.ndarray
    v: np.ndarray
    u: np.ndarray


def read_model(name: str) -> Any:
    """The benchmark model, read by Pinocchio's own URDF reader."""
    path = str(urdf_path(name))
    if floating(name):
        return pin.buildModelFromUrdf(path, pin.JointModelFreeFlyer())
    return pin.buildModelFromUrdf(path)


def random_states(model: Any, seed: int = 1) -> States:
    """Coordinates, velocities and accelerations (or forces) within [-1, 1]."""
    rng = np.random.default_rng(seed)
    q = rng.uniform(-1, 1, (STATES, model.nq))
    for joint in list(model.joints)[1:]:
        if joint.shortname() == "JointModelFreeFlyer":
            part = q[:, joint.idx_q + 3 : joint.idx_q + 7]
            part /= np.linalg.norm(part, axis=1, keepdims=True)
    v, u = rng.uniform(-1, 1, (2, STATES, model.nv))
    return States(q, v, u)


def joint_kind(joint: Any) -> tuple[str, np.ndarray]:
    """The driver's word for a joint type and the joint's axis."""
    short = joint.shortname().removeprefix("JointModel")
    if short == "FreeFlyer":
        return "FREE", np.zeros(3)
    if short == "Spherical":
        return "BALL", np.zeros(3)
    if short in {"RX", "RY", "RZ", "PX", "PY", "PZ"}:
        return short, np.eye(3)["XYZ".index(short[1])]
    words = {"RevoluteUnaligned": "R", "PrismaticUnaligned": "P"}
    if short not in words:
        raise ValueError(f"the benchmark driver has no joint type {short}")
    return words[short], axis_of(joint)


def axis_of(joint: Any) -> np.ndarray:
    """The axis of an unaligned joint, read from its motion subspace."""
    data = joint.createData()
    joint.calc(data, np.zeros(joint.nq))
    column = np.asarray(data.S.__array__() if hasattr(data.S, "__array__") else data.S.matrix)
    return np.asarray(column.reshape(2, 3, -1)[:, :, 0].sum(axis=0))


def numbers(*arrays: Any) -> str:
    """Numbers on one line, exact."""
    flat = np.concatenate([np.ravel(np.asarray(a, dtype=float)) for a in arrays])
    return " ".join(f"{x:.17g}" for x in flat)


def describe(model: Any) -> str:
    """The plain text the driver builds its model from."""
    rows = [numbers(model.gravity.linear), str(model.njoints - 1)]
    for i in range(1, model.njoints):
        kind, axis = joint_kind(model.joints[i])
        place, body = model.jointPlacements[i], model.inertias[i]
        rows.append(
            f"{model.names[i]} {model.parents[i]} {kind} "
            + numbers(axis, place.rotation, place.translation, body.mass, body.lever, body.inertia)
        )
    return "\n".join(rows) + "\n"


class Driver:
    """The driver process; a context manager."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [pinocchio_driver()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.process.communicate("quit\n")

    def ask(self, line: str) -> list[str]:
        """Send a line, return the words of the answer."""
        pipe_in, pipe_out = self.process.stdin, self.process.stdout
        assert pipe_in is not None
        assert pipe_out is not None
        pipe_in.write(line + "\n")
        pipe_in.flush()
        answer = pipe_out.readline().split()
        if not answer or answer[0] != "ok":
            raise RuntimeError(f"Pinocchio driver: {' '.join(answer) or 'no answer'} to {line!r}")
        return answer[1:]

    def load(self, name: str, model: Any, states: States) -> None:
        """Give the driver a model and its states."""
        text, data = BUILD / f"{name}.txt", BUILD / f"{name}.states"
        text.write_text(describe(model))
        write_states(data, states)
        nq, nv = (int(x) for x in self.ask(f"load {text} {data}"))
        if (nq, nv) != (model.nq, model.nv):
            raise RuntimeError(f"{name}: the driver built nq, nv = {nq}, {nv}")

    def time(self, algorithm: str, repeats: int, seconds: float) -> float:
        """Nanoseconds per call: minimum over the repeats."""
        return float(self.ask(f"time {algorithm} {repeats} {seconds}")[0])

    def evaluate(self, algorithm: str, index: int) -> np.ndarray:
        """What an algorithm computes for one of the states."""
        return np.array(self.ask(f"eval {algorithm} {index}"), dtype=float)


def write_states(path: Path, states: States) -> None:
    """Doubles, state by state: q, v, u."""
    np.concatenate([states.q, states.v, states.u], axis=1).astype(np.float64).tofile(path)
