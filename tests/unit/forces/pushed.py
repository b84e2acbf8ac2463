"""What a force does to bodies, by numbers: wrenches read off the bias of models without gravity."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

import kinetree as kt


def free_model(names: tuple[str, ...] = ("wheel",)) -> kt.Model:
    """Bodies free in space, without gravity."""
    model = kt.Model("free", gravity=(0, 0, 0))
    for name in names:
        model.free(f"to_{name}", model.ground, model.body(name, 2.0, inertia=(0.3, 0.4, 0.5)))
    return model


def call(function: Any, **given: Any) -> dict[str, np.ndarray]:
    """A function of those inputs that it has."""
    known = {port.name for port in function.inputs}
    out: dict[str, np.ndarray] = function(**{k: v for k, v in given.items() if k in known})
    return out


@cache
def bias(names: tuple[str, ...]) -> Any:
    """The bias of free bodies without forces."""
    return kt.derive(free_model(names), "mass_bias").compile()


def wrenches(model: kt.Model) -> Callable[..., np.ndarray]:
    """(q, qd, t) -> rows [torque; force] of each body about its origin, in its frame.

    For a `free_model` with forces: c = c without forces - wrenches.
    """
    loaded = kt.derive(model, "mass_bias").compile()
    plain = bias(tuple(model.bodies))

    def at(q: np.ndarray, qd: np.ndarray, t: float = 0.0) -> np.ndarray:
        c = call(loaded, q=q, qd=qd, t=t)["c"]
        return (call(plain, q=q, qd=qd)["c"] - c).reshape(-1, 6)

    return at


def rotation(quaternion: np.ndarray) -> np.ndarray:
    """R from the body's frame to the ground's."""
    w, x, y, z = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def turned(axis: Any, angle: float) -> np.ndarray:
    """Quaternion of a rotation."""
    a = np.array(axis, float)
    return np.r_[np.cos(angle / 2), np.sin(angle / 2) * a / np.linalg.norm(a)]


def state(quaternion: Any, p: Any, w: Any, v: Any) -> tuple[np.ndarray, np.ndarray]:
    """(q, qd) of a free body with ground velocities w and v."""
    R = rotation(np.array(quaternion, float))
    return np.r_[quaternion, p], np.r_[R.T @ np.array(w, float), R.T @ np.array(v, float)]


def in_ground(quaternion: Any, wrench: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(force, torque) in ground components."""
    R = rotation(np.array(quaternion, float))
    return R @ wrench[3:], R @ wrench[:3]
