"""Stewart platform: legs, energy and gravity against the closed form of its legs.

The witness places a thin leg between two points: unit vector e, length s, and so the mass centres
of cylinder and piston; no joint angle occurs.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.spatial.transform import Rotation
from tests.approx import CROSS_ENGINE, assert_close
from tests.reference.closed_numeric import Closed, load

import kinetree as kt

SLOPE = 1e-8  # difference quotients

POSE = [f"pose_{letter}" for letter in ("wx", "wy", "wz", "vx", "vy", "vz")]
GRAVITY, PLATFORM, CYLINDER, PISTON = 9.81, 80.0, 6.0, 3.0
INERTIA = np.diag([8.0, 8.0, 15.0])
CENTRE = np.array([0, 0, 0.05])


@cache
def system() -> Closed:
    return Closed(load("stewart"))


def points() -> tuple[np.ndarray, np.ndarray]:
    """Base joints in the ground frame, platform joints in the platform's."""
    model = system().model
    base = [[float(x) for x in model.ground.points[f"B{k}"].position] for k in range(1, 7)]
    top = [[float(x) for x in model.bodies["platform"].points[f"P{k}"].position]
           for k in range(1, 7)]  # fmt: skip
    return np.array(base), np.array(top)


def pose(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A quaternion, a place, and the closed coordinates."""
    rng = np.random.default_rng(seed)
    e = np.array([1.0, *rng.uniform(-0.1, 0.1, 3)])
    e /= np.linalg.norm(e)
    p = np.array([0, 0, 1.1]) + rng.uniform(-0.15, 0.15, 3)
    start = np.array(system().model.initial())
    start[:7] = [*e, *p]
    return e, p, kt.assemble(system().model, start, independent=POSE).q


def legs(e: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(base joints, platform joints in space, rotation of the platform)."""
    base, top = points()
    turn = Rotation.from_quat(np.array([*e[1:], e[0]])).as_matrix()
    return base, p + top @ turn.T, turn


def reduced(q: np.ndarray) -> np.ndarray:
    """All velocities from those of the platform: qd = R w."""
    model = system().model
    u = [model.velocities.index(name) for name in POSE]
    v = [k for k in range(model.nv) if k not in u]
    J = system().constraint(q, np.zeros(model.nv))["J"]
    R = np.zeros((model.nv, 6))
    R[u], R[v] = np.eye(6), -np.linalg.solve(J[:, v], J[:, u])
    return R


def kinetic(e: np.ndarray, p: np.ndarray, w: np.ndarray) -> float:
    """Kinetic energy of platform and thin legs for a velocity [angular; linear] of the platform."""
    base, ends, turn = legs(e, p)
    _, top = points()
    mass_centre = turn @ (w[3:] + np.cross(w[:3], CENTRE))
    total = 0.5 * PLATFORM * mass_centre @ mass_centre + 0.5 * w[:3] @ INERTIA @ w[:3]
    for a, b, arm in zip(base, ends, top, strict=True):
        velocity = turn @ (w[3:] + np.cross(w[:3], arm))
        s = np.linalg.norm(b - a)
        n = (b - a) / s
        nd = (velocity - n * (n @ velocity)) / s
        foot, rod = 0.3 * nd, velocity - 0.3 * nd
        total += 0.5 * CYLINDER * foot @ foot + 0.5 * PISTON * rod @ rod
        total += 0.5 * (0.18 + 0.09) * nd @ nd
    return float(total)


def test_six_freedoms_from_six_loops() -> None:
    found = kt.partition(system().model, independent=POSE)
    assert found.mobility == found.structural_mobility == 6
    assert not found.redundant
    assert found.condition < 10


def test_legs_reach_from_base_to_platform() -> None:
    for seed in range(3):
        e, p, q = pose(seed)
        base, ends, _ = legs(e, p)
        names = system().model.coordinates
        lengths = [q[names.index(f"leg{k}")] for k in range(1, 7)]
        assert_close(lengths, np.linalg.norm(ends - base, axis=1), CROSS_ENGINE)


def test_reduced_mass_matrix_is_that_of_thin_legs() -> None:
    for seed in range(3):
        e, p, q = pose(seed)
        R = reduced(q)
        M = R.T @ system().tree(q=q, qd=np.zeros(24))["M"] @ R
        basis = np.eye(6)
        single = [kinetic(e, p, b) for b in basis]
        expected = np.array(
            [[kinetic(e, p, a + b) - x - y for a, x in zip(basis, single, strict=True)]
             for b, y in zip(basis, single, strict=True)]
        )  # fmt: skip
        assert_close(M, expected, CROSS_ENGINE)


def test_gravity_and_actuators_by_virtual_work() -> None:
    """Slope of the potential energy along the platform's six velocities."""

    def potential(e: np.ndarray, p: np.ndarray) -> float:
        base, ends, turn = legs(e, p)
        total = PLATFORM * GRAVITY * (p + turn @ CENTRE)[2]
        for a, b in zip(base, ends, strict=True):
            s = np.linalg.norm(b - a)
            up = (b - a)[2] / s
            total += GRAVITY * (CYLINDER * 0.3 * up + PISTON * (b[2] - 0.3 * up))
            total += 0.5 * 50000 * (s - 1.35) ** 2
        return float(total)

    e, p, q = pose(5)
    turn = Rotation.from_quat(np.array([*e[1:], e[0]]))
    slope = []
    for k in range(6):
        values = []
        for step in (1e-4, -1e-4, 2e-4, -2e-4):
            w = np.zeros(6)
            w[k] = step
            x, y, z, s = (turn * Rotation.from_rotvec(w[:3])).as_quat()
            values.append(potential(np.array([s, x, y, z]), p + turn.apply(w[3:])))
        slope.append((8 * (values[0] - values[1]) - (values[2] - values[3])) / 12e-4)
    c = reduced(q).T @ system().tree(q=q, qd=np.zeros(24))["c"]
    assert_close(c, slope, SLOPE)
