"""What the laws share: programs derived once, rates of coordinates, derivatives by complex step."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from tests import zoo

import kinetree as kt
from kinetree.formalism import QUANTITIES

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Array = NDArray[Any]

STEP = 1e-30
MODELS = tuple(zoo.SMALL)
HINGED = ("pendulum", "double_pendulum", "chain4", "tree7")
"""Models of the zoo in which every velocity is the derivative of a coordinate."""
SLOW = {"every_kind"}
"""Models too large for the slow reference."""
WAYS = {row.name: tuple(row.ways) for row in QUANTITIES.values()}


@cache
def model(name: str) -> kt.Model:
    """A model of the zoo."""
    return zoo.SMALL[name]()


@cache
def program(name: str, quantity: str, way: str | None = None) -> kt.Program:
    """A quantity of a model of the zoo, derived once."""
    return kt.derive(model(name), quantity, way)


def values(prog: kt.Program, **arrays: Any) -> dict[str, Array]:
    """Reference values; arrays the Program does not take are left out."""
    names = {row.name for row in prog.inputs}
    return prog.evaluate(**{k: v for k, v in arrays.items() if k in names})


def ways(quantity: str, name: str) -> tuple[str, ...]:
    """The formalisms that give a quantity of a model in reasonable time."""
    return tuple(way for way in WAYS[quantity] if not (way == "lagrange" and name in SLOW))


def coordinate_rates(system: kt.Model, q: Array, qd: Array) -> Array:
    """der(q) = N(q) qd: half a quaternion product for orientations, R v for free positions."""
    out = np.zeros_like(q, dtype=np.result_type(q, qd, float))
    kq = kv = 0
    for joint in system.joints.values():
        for motion in joint.motions:
            if motion.nv == 1:
                out[..., kq] = qd[..., kv]
            else:
                e = q[..., kq : kq + 4]
                out[..., kq : kq + 4] = 0.5 * product(e, pure(qd[..., kv : kv + 3]))
            if motion.nv == 6:
                turned = product(product(e, pure(qd[..., kv + 3 : kv + 6])), conjugate(e))
                out[..., kq + 4 : kq + 7] = turned[..., 1:]
            kq, kv = kq + len(motion.neutral), kv + motion.nv
    return out


def pure(v: Array) -> Array:
    """The quaternion 0, v."""
    return np.concatenate([np.zeros_like(v[..., :1]), v], axis=-1)


def conjugate(e: Array) -> Array:
    """The inverse of a unit quaternion."""
    return e * np.array([1, -1, -1, -1])


def product(a: Array, b: Array) -> Array:
    """Hamilton's product, scalar part first."""
    w = a[..., :1] * b[..., :1] - np.sum(a[..., 1:] * b[..., 1:], axis=-1, keepdims=True)
    v = a[..., :1] * b[..., 1:] + b[..., :1] * a[..., 1:] + np.cross(a[..., 1:], b[..., 1:])
    return np.concatenate([w, v], axis=-1)


def time_derivative(
    f: Callable[..., Any], system: kt.Model, q: Array, qd: Array, qdd: Array | None = None
) -> Any:
    """d/dt of f(q, qd) along a motion, by complex step: exact to rounding."""
    q_step = q + 1j * STEP * coordinate_rates(system, q, qd)
    qd_step = qd + 1j * STEP * (np.zeros_like(qd) if qdd is None else qdd)
    return np.imag(f(q_step, qd_step)) / STEP


def skew(v: Array) -> Array:
    """v~, so that v~ x = v × x."""
    x, y, z = np.moveaxis(v, -1, 0)
    o = np.zeros_like(x)
    rows = [np.stack(row, axis=-1) for row in ((o, -z, y), (z, o, -x), (-y, x, o))]
    return np.stack(rows, axis=-2)


def mat_vec(A: Array, x: Array) -> Array:
    """A x over any leading axes."""
    return np.einsum("...ij,...j->...i", A, x)


def regressor_rank(Y: np.ndarray) -> int:
    """Rank of regressors at several states, of columns of unit length; rounding is no column."""
    Y = Y.reshape(-1, Y.shape[-1])
    size = np.linalg.norm(Y, axis=0)
    Y = Y[:, size > 1e-10 * size.max(initial=0)]
    return int(np.linalg.matrix_rank(Y / np.linalg.norm(Y, axis=0), rtol=1e-7))
