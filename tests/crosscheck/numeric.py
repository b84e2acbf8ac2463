"""Plain numbers of a Model, for engines that know no symbols, and N(q) of der(q) = N qd."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.model import Ball, Float, parameter_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    import kinetree as kt

    Array = NDArray[np.float64]


class Numbers:
    """Default values of a model's scalars."""

    def __init__(self, model: kt.Model) -> None:
        self.model, self.values = model, parameter_table(model).values

    def triple(self, stem: str) -> Array:
        """The three components of a vector."""
        return np.array([self.values[f"{stem}_{axis}"] for axis in "xyz"])

    def mass(self, body: Any) -> float:
        """Mass [kg]."""
        return self.values[f"{body.name}.mass"]

    def com(self, body: Any) -> Array:
        """Centre of mass in the body frame [m]."""
        return self.triple(f"{body.name}.com")

    def inertia(self, body: Any) -> Array:
        """Inertia matrix about the centre of mass, in the body frame [kg.m2]."""
        xx, yy, zz, xy, xz, yz = (
            self.values[f"{body.name}.inertia_{k}"] for k in ("xx", "yy", "zz", "xy", "xz", "yz")
        )
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])

    def place(self, point: Any) -> tuple[Array, Array]:
        """Rotation (point -> body components) and position of a point in its body."""
        at = self.triple(point.path) if point.name else np.zeros(3)
        return np.array(point.rotation, dtype=float), at

    def pitch(self, joint: Any) -> float:
        """Advance of a screw joint [m/rad]."""
        return self.values[f"{joint.name}.pitch"]

    def armature(self) -> Array:
        """Rotor inertia of every velocity, in our order [kg.m2 or kg]."""
        rows = []
        for joint in self.model.joints.values():
            own = [self.values[name] for name, _, _ in joint.armatures]
            rows += own or [0.0] * joint.nv
        return np.array(rows)

    def gravity(self) -> Array:
        """Acceleration of gravity [m/s2]."""
        return self.triple("gravity")


def quaternion_matrix(q: Array) -> Array:
    """Rotation matrix of a unit quaternion w x y z."""
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def quaternion_rates(q: Array) -> Array:
    """The 4 x 3 matrix that maps the angular velocity in the child frame to der(w x y z)."""
    w, x, y, z = q
    return 0.5 * np.array([[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]])


def rates(model: kt.Model, q: Array) -> Array:
    """N(q) of der(q) = N(q) qd."""
    N = np.zeros((model.nq, model.nv))
    i = j = 0
    for joint in model.joints.values():
        for motion in joint.motions:
            if isinstance(motion, Ball | Float):
                N[i : i + 4, j : j + 3] = quaternion_rates(q[i : i + 4])
            if isinstance(motion, Float):
                N[i + 4 : i + 7, j + 3 : j + 6] = quaternion_matrix(q[i : i + 4])
            if motion.nv == 1:
                N[i, j] = 1.0
            i, j = i + len(motion.neutral), j + motion.nv
    return N
