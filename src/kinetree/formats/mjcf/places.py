"""Positions and orientations of MJCF elements: quat, axisangle, xyaxes, zaxis or euler."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kinetree.arrays import Array
from kinetree.errors import FormatError
from kinetree.formats.mjcf.settings import MujocoSettings, numbers

AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


@dataclass(frozen=True)
class FramePose:
    """A frame in another: rotation R (components in it -> components in the other), origin p."""

    R: Array
    p: Array

    def __matmul__(self, inner: FramePose) -> FramePose:
        """The frame `inner` of this frame, in the other."""
        return FramePose(self.R @ inner.R, self.p + self.R @ inner.p)

    def inverse(self) -> FramePose:
        """The other frame in this one."""
        return FramePose(self.R.T, -self.R.T @ self.p)


def still() -> FramePose:
    """The frame itself."""
    return FramePose(np.eye(3), np.zeros(3))


def turn(axis: Array, angle: float) -> Array:
    """The rotation by an angle about a unit vector."""
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.asarray(np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * (K @ K))


def rotation_of(e: Array) -> Array:
    """The rotation of a quaternion w, x, y, z of any length."""
    w, x, y, z = e / np.linalg.norm(e)
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


def quaternion_of(R: Array) -> list[float]:
    """w, x, y, z of a rotation, w not negative."""
    K = np.array([
        [R[0, 0] + R[1, 1] + R[2, 2], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]],
        [0, R[0, 0] - R[1, 1] - R[2, 2], R[0, 1] + R[1, 0], R[0, 2] + R[2, 0]],
        [0, 0, R[1, 1] - R[0, 0] - R[2, 2], R[1, 2] + R[2, 1]],
        [0, 0, 0, R[2, 2] - R[0, 0] - R[1, 1]],
    ])  # fmt: skip
    _, vectors = np.linalg.eigh(K, UPLO="U")
    e = vectors[:, -1] * (1.0 if vectors[0, -1] >= 0 else -1.0)
    return [float(x) for x in e]


def onto(direction: Array) -> Array:
    """The shortest turn that brings the z axis onto a direction."""
    z = direction / np.linalg.norm(direction)
    axis = np.cross((0.0, 0.0, 1.0), z)
    sine = float(np.linalg.norm(axis))
    if sine < 1e-10:  # parallel, or opposite
        return np.eye(3) if z[2] > 0 else np.diag([1.0, -1.0, -1.0])
    return turn(axis / sine, float(np.arctan2(sine, z[2])))


def read_pose(row: Mapping[str, str], settings: MujocoSettings, where: str) -> FramePose:
    """The place that an element says it has."""
    position = vector(row, "pos", (0.0, 0.0, 0.0), where)
    return FramePose(read_rotation(row, settings, where), position)


def vector(row: Mapping[str, str], name: str, default: tuple[float, ...], where: str) -> Array:
    """As many numbers as the default has."""
    found = numbers(row, name, default, where) or ()
    if len(found) != len(default):
        raise FormatError(
            f"it has {len(found)} values", element=f"{where} {name}", cure=f"give {len(default)}"
        )
    return np.array(found)


def scalar(row: Mapping[str, str], name: str, default: float, where: str) -> float:
    """One number."""
    return float(vector(row, name, (default,), where)[0])


def direction(row: Mapping[str, str], name: str, default: tuple[float, ...], where: str) -> Array:
    """As many numbers as the default has, scaled to length one."""
    return _unit(vector(row, name, default, where), f"{where} {name}")


def _unit(found: Array, where: str) -> Array:
    """The direction of a vector of any length but zero."""
    largest = np.abs(found).max()  # squares of it neither overflow nor vanish
    if not largest > 0:
        raise FormatError("its length is zero", element=where, cure="give a direction")
    scaled = found / largest
    return np.asarray(scaled / np.linalg.norm(scaled))


def read_rotation(row: Mapping[str, str], settings: MujocoSettings, where: str) -> Array:
    """The orientation that an element says it has."""
    if "quat" in row:
        return rotation_of(direction(row, "quat", (1.0, 0.0, 0.0, 0.0), where))
    if "axisangle" in row:
        *given, angle = vector(row, "axisangle", (0.0, 0.0, 1.0, 0.0), where)
        axis = _unit(np.array(given), f"{where} axisangle")
        return turn(axis, settings.angle(float(angle)))
    if "xyaxes" in row:
        six = vector(row, "xyaxes", (1.0, 0.0, 0.0, 0.0, 1.0, 0.0), where)
        x = _unit(six[:3], f"{where} xyaxes")
        y = _unit(six[3:] - (six[3:] @ x) * x, f"{where} xyaxes")
        return np.column_stack([x, y, np.cross(x, y)])
    if "zaxis" in row:
        return onto(direction(row, "zaxis", (0.0, 0.0, 1.0), where))
    R = np.eye(3)
    if "euler" in row:
        angles = vector(row, "euler", (0.0, 0.0, 0.0), where)
        for axis_name, angle in zip(settings.sequence, angles, strict=True):
            step = turn(np.array(AXES[axis_name.lower()]), settings.angle(float(angle)))
            R = R @ step if axis_name.islower() else step @ R
    return R
