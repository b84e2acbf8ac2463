"""Dynamics of a tree by an own recursion in NumPy: spatial vectors [angular; linear], link frames.

Nothing of kinetree takes part.  Every elementary motion is a frame of its own; q, qd and qdd may
carry leading axes and may be complex, so that derivatives follow by complex step.

    v_i = X_i v_p + S_i qd_i              velocity
    a_i = X_i a_p + S_i qdd_i + v_i × S_i qd_i,   a_0 = -g
    f_i = I_i a_i + v_i ×* I_i v_i        force on body i; then inwards f_p += X_iᵀ f_i
    tau_i = S_iᵀ f_i
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fuzz.plans import Plan, coordinates

if TYPE_CHECKING:
    from tests import zoo

Array = Any
"""A NumPy array, real or complex."""
STEP = 1e-30
"""Of complex differentiation."""
AXES = {"1": (1.0, 0.0, 0.0), "2": (0.0, 1.0, 0.0), "3": (0.0, 0.0, 1.0)}


@dataclass(frozen=True)
class Frame:
    """One elementary motion: turn, shift, twist, ball, float or none.

    Attributes:
        parent: index of the frame before it, -1 for the ground.
        R: rotation from here to the parent's components before the motion.
        r: where the motion begins, in the parent frame.
        kind: of the motion.
        axis: of one-axis motions.
        pitch: advance of a twist per angle.
        i, j: where its numbers begin in q and qd.
        ratio, offset: it moves by ratio·q + offset.
        armature: inertia of the rotor that turns with it.
    """

    parent: int
    R: Array
    r: Array
    kind: str
    axis: Array
    pitch: float
    i: int
    j: int
    ratio: float = 1.0
    offset: float = 0.0
    armature: float = 0.0


@dataclass(frozen=True)
class Mass:
    """A body carried by a frame: its place there (R, r) and its mass properties."""

    frame: int
    R: Array
    r: Array
    mass: float
    com: Array
    inertia: Array


MOTIONS = {
    "revolute": ("turn",), "prismatic": ("shift",), "screw": ("twist",), "fixed": (),
    "cylindrical": ("shift", "turn"), "universal": ("turn", "turn"), "spherical": ("ball",),
    "planar": ("shift", "shift", "turn"), "free": ("float",),
}  # fmt: skip
SIZES = {"ball": (4, 3), "float": (7, 6), "none": (0, 0)}


def skew(a: Array) -> Array:
    """The matrix of the vector product with a."""
    x, y, z = np.moveaxis(np.asarray(a), -1, 0)
    o = np.zeros_like(x)
    return np.stack([np.stack(r, -1) for r in ((o, -z, y), (z, o, -x), (-y, x, o))], -2)


def turned(axis: Array, angle: Array) -> Array:
    """Rotation by an angle about a unit axis."""
    k = skew(axis)
    s, c = np.sin(angle)[..., None, None], np.cos(angle)[..., None, None]
    return np.eye(3) + s * k + (1 - c) * (k @ k)


def quaternion_matrix(e: Array) -> Array:
    """Rotation of a unit quaternion w x y z."""
    w, k = e[..., :1, None], skew(e[..., 1:])
    return np.eye(3) + 2 * w * k + 2 * k @ k


def planar_axes(n: Array) -> tuple[Array, Array]:
    """The two directions in which a planar joint with normal n slides, as its manual says."""
    if np.count_nonzero(n) == 1 and n.max() == 1.0:
        k = int(np.argmax(n))
        return np.eye(3)[(k + 1) % 3], np.eye(3)[(k + 2) % 3]
    first = np.cross(np.eye(3)[int(np.argmin(np.abs(n)))], n)
    first = first / np.linalg.norm(first)
    return first, np.cross(n, first)


def joint_motions(link: zoo.Link) -> list[tuple[str, Array]]:
    """Kind and axis of every elementary motion of a joint."""
    if link.kind == "sequence":
        return [("shift" if s[0] == "T" else "turn", np.array(AXES[s[1]])) for s in link.steps]
    axis = np.array(link.axis, dtype=float)
    axes = {"universal": (axis, np.array(link.second)), "planar": (*planar_axes(axis), axis)}
    kinds = MOTIONS[link.kind]
    return list(zip(kinds, axes.get(link.kind, (axis,) * len(kinds)), strict=True))


class Recursion:
    """The tree of a plan with the values of its scalars."""

    def __init__(self, plan: Plan, values: Mapping[str, float]) -> None:
        self.plan, self.at = plan, values
        self.frames: list[Frame] = []
        self.bodies: list[Mass] = []
        self.nq = self.nv = 0
        leaders: dict[int, tuple[int, int]] = {}
        for i, link in enumerate(plan.links):
            if i not in plan.follow:
                leaders[i] = (self.nq, self.nv)
                sizes = [SIZES.get(kind, (1, 1)) for kind, _ in joint_motions(link)]
                self.nq += sum(n for n, _ in sizes)
                self.nv += sum(n for _, n in sizes)
        for i, link in enumerate(plan.links):
            self._add(i, link, leaders)

    def triple(self, stem: str) -> Array:
        """Three scalars."""
        return np.array([self.at[f"{stem}_{axis}"] for axis in "xyz"])

    def _add(self, i: int, link: zoo.Link, leaders: Mapping[int, tuple[int, int]]) -> None:
        """The motions of a joint and the body behind it."""
        base = self.bodies[link.parent] if link.parent >= 0 else None
        parent = -1 if base is None else base.frame
        R_b, r_b = (np.eye(3), np.zeros(3)) if base is None else (base.R, base.r)
        name = "ground" if base is None else f"b{link.parent}"
        R, r = R_b @ np.array(link.rotation), r_b + R_b @ self.triple(f"{name}.p{i}")
        row = self.plan.follow.get(i)
        iq, iv = leaders[row.leader if row else i]
        ratio, offset = (row.ratio, row.offset) if row else (1.0, 0.0)
        rotor = self.at[f"j{i}.armature"] if coordinates(link) == 1 else 0.0
        moves = (ratio, offset, rotor)
        pitch = self.at[f"j{i}.pitch"]
        for kind, axis in joint_motions(link) or [("none", np.zeros(3))]:
            self.frames.append(Frame(parent, R, r, kind, axis, pitch, iq, iv, *moves))
            parent, R, r = len(self.frames) - 1, np.eye(3), np.zeros(3)
            n, m = SIZES.get(kind, (1, 1))
            iq, iv = iq + n, iv + m
        R_c = np.array(link.child_rotation).T
        xx, yy, zz, xy, xz, yz = (self.at[f"b{i}.inertia_{k}"] for k in
                                  ("xx", "yy", "zz", "xy", "xz", "yz"))  # fmt: skip
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        mass, com = self.at[f"b{i}.mass"], self.triple(f"b{i}.com")
        place = -R_c @ self.triple(f"b{i}.held")
        self.bodies.append(Mass(parent, R_c, place, mass, com, tensor))

    def draw(self, rng: np.random.Generator, count: int) -> dict[str, Array]:
        """Random q (unit quaternions), qd, qdd, tau within -1 and 1, `count` rows of each."""
        q = rng.uniform(-1, 1, (count, self.nq))
        for frame in self.frames:
            if frame.kind in {"ball", "float"}:
                part = slice(frame.i, frame.i + 4)
                q[:, part] = rng.normal(size=(count, 4))
                q[:, part] /= np.linalg.norm(q[:, part], axis=1, keepdims=True)
        rest = {name: rng.uniform(-1, 1, (count, self.nv)) for name in ("qd", "qdd", "tau")}
        return {"q": q, **rest}

    # --- motion ---------------------------------------------------------------------------------

    def pose(self, frame: Frame, q: Array) -> tuple[Array, Array]:
        """Rotation to the parent's components and origin in the parent frame."""
        R, r = frame.R, frame.r
        if frame.kind == "none":
            return R, r
        if frame.kind in {"ball", "float"}:
            turn = R @ quaternion_matrix(q[..., frame.i : frame.i + 4])
            if frame.kind == "float":
                r = r + q[..., frame.i + 4 : frame.i + 7] @ R.T
            return turn, r
        x = frame.ratio * q[..., frame.i] + frame.offset
        advance = {"turn": 0.0, "shift": 1.0, "twist": frame.pitch}[frame.kind]
        r = r + (advance * x)[..., None] * (R @ frame.axis)
        return (R if frame.kind == "shift" else R @ turned(frame.axis, x)), r

    def subspace(self, frame: Frame) -> Array:
        """S, 6 × n: what the velocities of a frame add to its spatial velocity."""
        match frame.kind:
            case "none":
                return np.zeros((6, 0))
            case "ball":
                return np.eye(6)[:, :3]
            case "float":
                return np.eye(6)
        angular = 0.0 if frame.kind == "shift" else 1.0
        linear = {"turn": 0.0, "shift": 1.0, "twist": frame.pitch}[frame.kind]
        column = np.concatenate([angular * frame.axis, linear * frame.axis])
        return frame.ratio * column[:, None]

    def moved(self, q: Array, qd: Array, qdd: Array, gravity: bool = True) -> list[Any]:
        """(X, v, a, R, p) of every frame; R and p lead from its frame to the ground's.

        With `gravity` the ground accelerates upwards in place of the weights.
        """
        a0 = np.concatenate([np.zeros(3), -self.triple("gravity") * gravity])
        state: list[Any] = []
        for frame in self.frames:
            R, r = self.pose(frame, q)
            E = np.swapaxes(R, -1, -2)
            X = transform(E, r)
            S = self.subspace(frame)
            own = slice(frame.j, frame.j + S.shape[1])
            joint = qd[..., own] @ S.T
            first = (None, np.zeros(6), a0, np.eye(3), np.zeros(3))
            _, v_p, a_p, R_p, p_p = state[frame.parent] if frame.parent >= 0 else first
            v = dot(X, v_p) + joint
            a = dot(X, a_p) + qdd[..., own] @ S.T + dot(cross_motion(v), joint)
            state.append((X, v, a, R_p @ R, p_p + dot(R_p, r)))
        return state

    def moves(self, frame: int) -> bool:
        """Whether a joint that moves stands between a frame and the ground."""
        while frame >= 0 and self.frames[frame].kind == "none":
            frame = self.frames[frame].parent
        return frame >= 0

    def rates(self, q: Array) -> Array:
        """N of der(q) = N(q) qd."""
        N = np.zeros((*q.shape[:-1], self.nq, self.nv))
        for frame in self.frames:
            i, j = frame.i, frame.j
            if frame.kind in {"turn", "shift", "twist"}:
                N[..., i, j] = 1.0
            if frame.kind in {"ball", "float"}:
                w, k = q[..., i : i + 1, None], q[..., i + 1 : i + 4]
                N[..., i, j : j + 3] = -k / 2
                N[..., i + 1 : i + 4, j : j + 3] = (w * np.eye(3) + skew(k)) / 2
            if frame.kind == "float":
                N[..., i + 4 : i + 7, j + 3 : j + 6] = quaternion_matrix(q[..., i : i + 4])
        return N

    # --- dynamics -------------------------------------------------------------------------------

    def inverse(self, q: Array, qd: Array, qdd: Array, gravity: bool = True) -> tuple[Array, float]:
        """Joint forces, and the size of the forces that were added up for them."""
        state = self.moved(q, qd, qdd, gravity)
        force: list[Any] = [np.zeros(6)] * len(self.frames)
        for body in self.bodies:
            if body.frame >= 0:
                _, v, a, _, _ = state[body.frame]
                I = spatial_inertia(body)
                own = a @ I.T - dot(np.swapaxes(cross_motion(v), -1, -2), v @ I.T)
                force[body.frame] = force[body.frame] + own
        shape = np.broadcast_shapes(q.shape[:-1], qd.shape[:-1], qdd.shape[:-1])
        tau = np.zeros((*shape, self.nv), dtype=np.result_type(q, qd, qdd, float))
        size = 0.0
        for k in reversed(range(len(self.frames))):
            frame, f = self.frames[k], force[k]
            S = self.subspace(frame)
            size = max(size, float(np.abs(f).max(initial=0.0)))
            tau[..., frame.j : frame.j + S.shape[1]] += f @ S
            if frame.armature:
                rotor = frame.ratio**2 * frame.armature * qdd[..., frame.j]
                tau[..., frame.j] += rotor
                size = max(size, float(np.abs(rotor).max(initial=0.0)))
            if frame.parent >= 0:
                X = state[k][0]
                force[frame.parent] = force[frame.parent] + dot(np.swapaxes(X, -1, -2), f)
        return tau, size

    def mass_matrix(self, q: Array) -> Array:
        """M, column by column from unit accelerations."""
        units = np.eye(self.nv)
        still = np.zeros(self.nv)
        return self.inverse(q[..., None, :], still, units, gravity=False)[0]

    def bias(self, q: Array, qd: Array) -> Array:
        """c of M qdd + c = tau."""
        return self.inverse(q, qd, np.zeros(self.nv))[0]

    def energy(self, q: Array, qd: Array) -> tuple[Array, Array]:
        """Kinetic and potential energy of what can move; potential 0 at the ground's origin."""
        g = self.triple("gravity")
        kinetic, potential = np.zeros(q.shape[:-1]), np.zeros(q.shape[:-1])
        state = self.moved(q, qd, np.zeros(self.nv))
        for body in self.bodies:
            if not self.moves(body.frame):
                continue
            _, v, _, R, p = state[body.frame]
            kinetic = kinetic + np.sum(v * (v @ spatial_inertia(body).T), -1) / 2
            com = p + dot(R, body.r + body.R @ body.com)
            potential = potential - body.mass * (com @ g)
        for frame in self.frames:
            if frame.armature:
                kinetic = kinetic + frame.armature * (frame.ratio * qd[..., frame.j]) ** 2 / 2
        return kinetic, potential

    def inverse_derivatives(self, q: Array, qd: Array, qdd: Array) -> tuple[Array, Array]:
        """dtau along the tangent directions of q and dtau/dqd, by complex step; one state."""
        along = q + 1j * STEP * self.rates(q).T
        by_q = np.imag(self.inverse(along, qd, qdd)[0]) / STEP
        faster = qd + 1j * STEP * np.eye(self.nv)
        by_qd = np.imag(self.inverse(q, faster, qdd)[0]) / STEP
        return by_q.T, by_qd.T

    def point(self, link: int, r: Array, q: Array, qd: Array, qdd: Array) -> dict[str, Array]:
        """Pose, velocity and acceleration [angular; linear] of a body's point, ground components.

        r is given in the body frame; -1 is the ground.
        """
        if link < 0:
            shape = np.broadcast_shapes(q.shape[:-1], qd.shape[:-1], qdd.shape[:-1])
            still = np.zeros((*shape, 6))
            return {"position": r, "rotation": np.eye(3), "velocity": still, "acceleration": still}
        body = self.bodies[link]
        _, v, a, R, p = self.moved(q, qd, qdd, gravity=False)[body.frame]
        at = body.r + body.R @ r
        w, wd = v[..., :3], a[..., :3]
        speed = v[..., 3:] + np.cross(w, at)
        rise = a[..., 3:] + np.cross(w, v[..., 3:]) + np.cross(wd, at)
        rise = rise + np.cross(w, np.cross(w, at))
        return {
            "position": p + dot(R, at),
            "rotation": R @ body.R,
            "velocity": np.concatenate([dot(R, w), dot(R, speed)], -1),
            "acceleration": np.concatenate([dot(R, wd), dot(R, rise)], -1),
        }


def dot(A: Array, x: Array) -> Array:
    """A x over leading axes."""
    return (A @ x[..., None])[..., 0]


def transform(E: Array, r: Array) -> Array:
    """Motion vectors from the parent frame to a frame turned by E with its origin at r."""
    lower = -E @ skew(r)
    zero = np.zeros_like(lower)
    E = np.broadcast_to(E, lower.shape)
    return np.concatenate([np.concatenate([E, zero], -1), np.concatenate([lower, E], -1)], -2)


def cross_motion(v: Array) -> Array:
    """The matrix v × of motion vectors; minus its transpose acts on forces."""
    w, u = skew(v[..., :3]), skew(v[..., 3:])
    zero = np.zeros_like(w)
    return np.concatenate([np.concatenate([w, zero], -1), np.concatenate([u, w], -1)], -2)


def spatial_inertia(body: Mass) -> Array:
    """6 × 6 about the origin of the frame that carries the body."""
    c = body.r + body.R @ body.com
    tensor = body.R @ body.inertia @ body.R.T - body.mass * skew(c) @ skew(c)
    moment = body.mass * skew(c)
    return np.block([[tensor, moment], [moment.T, body.mass * np.eye(3)]])
