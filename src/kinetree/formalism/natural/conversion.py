"""Between coordinates of the model and natural ones.

To natural ones by the kinematics of the links; back by the rotation and the way of every link
relative to its joint, B = R_parent R0:

    Rel = Bᵀ R,   ω = Relᵀ Ṙel,   s = Bᵀ d      each with its rates

Angles are continued from one time to the next by their rates.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinetree.arrays import Array
from kinetree.engine import ZERO, Node
from kinetree.formalism.kinematics import accelerations, geometry, velocities
from kinetree.formalism.links.frames import Frames
from kinetree.formalism.links.linkage import Linkage
from kinetree.formalism.links.motion import AxisMotion
from kinetree.formalism.links.vectors import Vec, cross, dot, plus, vec3
from kinetree.formalism.natural.coordinates import NaturalSpace
from kinetree.formalism.natural.equations import declare, parameters
from kinetree.formalism.natural.links import Driven, LinkFrame, Sliding
from kinetree.formalism.quantities import declare_inputs
from kinetree.program import Program, Scheme

Jets = tuple[Array, Array, Array]
"""Values, rates and second rates."""


def to_natural(system: Linkage, space: NaturalSpace) -> Program:
    """Inputs q, qd, qdd, p of the model; outputs q, qd, qdd of natural coordinates."""
    scheme = Scheme(f"{system.model.name}_to_natural")
    qdd = declare_inputs(scheme, system, "qdd", wrenches=False)
    frames = Frames(scheme, system)
    place = geometry(frames, list(system.outward()))
    motion = velocities(frames, place)
    rates = accelerations(frames, place, motion, qdd)
    out = [[ZERO] * len(space.q) for _ in range(3)]
    spoken = _model_values(system, qdd)
    for name, at in space.angles.items():
        for part, value in zip(out, spoken[name], strict=True):
            part[at] = value
    for v, frame, k in space.made:
        i = frame.link.index
        if k == ORIGIN:
            found = (place.p[i], motion.v[i], rates.a[i])
        else:
            e = vec3(row[k] for row in place.R[i])
            w, wd = motion.w[i], rates.wd[i]
            ed = cross(w, e)
            found = (e, ed, plus(cross(wd, e), cross(w, ed)))
        for row, x in zip(out, found, strict=True):
            row[v.at : v.at + 3] = x
    for name, row in zip(("q", "qd", "qdd"), out, strict=True):
        scheme.output(f"natural_{name}", row)
    return scheme.program()


def _model_values(system: Linkage, qdd: tuple[Node, ...]) -> dict[str, tuple[Node, Node, Node]]:
    """Coordinate of the model -> value, rate, second rate."""
    found: dict[str, tuple[Node, Node, Node]] = {}
    names = dict(zip(system.q, system.model.coordinates, strict=True))
    for motion in system.motions:
        if isinstance(motion, AxisMotion):
            if motion.q in names:
                k = motion.dofs[0]
                found[names[motion.q]] = (motion.q, system.qd[k], qdd[k])
            continue
        w, wd = ([x[k] for k in motion.dofs[:3]] for x in (system.qd, qdd))
        first = [dot(row, w) for row in turning_rows(motion.e)]
        second = [dot(row, wd) for row in turning_rows(motion.e)]
        again = [dot(row, w) for row in turning_rows(tuple(first))]
        for n, e in enumerate(motion.e):
            found[names[e]] = (e, first[n], second[n] + again[n])
    return found


def turning_rows(e: tuple[Node, ...]) -> list[tuple[Node, Node, Node]]:
    """der(e) of a quaternion by the angular velocity in link components."""
    w, x, y, z = (0.5 * part for part in e)
    return [(-x, -y, -z), (w, -z, y), (z, w, -x), (-y, x, w)]


ORIGIN = 3
"""Number of the origin behind those of the axes."""


def frames_program(system: Linkage, space: NaturalSpace) -> Program:
    """Inputs natural q, qd, qdd, t, p; outputs "X", "Xd", "Xdd", (links, 5, 3).

    The rows of a link are its axes as far as they are made, its origin, and the place of its joint.
    """
    scheme = Scheme(f"{system.model.name}_frames")
    declare(scheme, space, "q", "qd", "qdd")
    parameters(scheme, space, time=True)
    parts: list[list[Vec]] = [[], [], []]
    for frame in space.frames:
        for row in (*frame.axes, frame.origin, frame.parent.point(frame.link.r)):
            jets = (row.value, row.rate, row.second) if row is not None else (EMPTY,) * 3
            for part, x in zip(parts, jets, strict=True):
                part.append(x)
    shape = (len(space.frames), 5, 3)
    for name, part in zip(("X", "Xd", "Xdd"), parts, strict=True):
        scheme.output(name, [x for v in part for x in v], shape)
    laws = [frame.law for frame in space.frames if isinstance(frame, Driven)]
    flat: list[Node] = [x for law in laws for x in law]
    if flat:
        scheme.output("laws", flat, (len(laws), 3))
    return space.finish(scheme)


EMPTY: Vec = (ZERO, ZERO, ZERO)


@dataclass(frozen=True)
class Relative:
    """Reads coordinates of the model from natural ones."""

    system: Linkage
    space: NaturalSpace
    program: Program

    def rotation(self, found: Mapping[str, Array], link: int) -> Array:
        """Rotation from a link to the ground."""
        return self._frames(found)[link][0][0]

    def read(self, found: Mapping[str, Array], times: Array, start: Array) -> Jets:
        """q, qd, qdd of the model, (…, time, components).

        Args:
            found: outputs of the program.
            times: along the last but one axis.
            start: q at the first of them.
        """
        frames, lead = self._frames(found), found["X"].shape[:-3]
        model = self.system.model
        q = np.zeros((*lead, model.nq))
        qd, qdd = np.zeros((*lead, model.nv)), np.zeros((*lead, model.nv))
        at = {s: k for k, s in enumerate(self.system.q)}
        for frame in self.space.frames[1:]:
            motion = frame.link.motion
            turn, way = frames[frame.link.index][2:]
            if isinstance(motion, AxisMotion):
                if motion.q in at:
                    jets = _axis(motion, turn, way)
                    k, v = at[motion.q], motion.dofs[0]
                    q[..., k], qd[..., v], qdd[..., v] = jets
                    if motion.turn is not ZERO:
                        q[..., k] = continue_angles(q[..., k], qd[..., v], times, start[..., k])
                continue
            _loose((q, qd, qdd), motion, [at[e] for e in motion.e], (turn, way), start)
            if motion.floats:
                q[..., [at[p] for p in motion.p]] = way[0]
        return q, qd, qdd

    def _frames(self, found: Mapping[str, Array]) -> dict[int, tuple[Jets, Jets, Jets, Jets]]:
        """Link -> rotation, origin, rotation and way relative to its joint."""
        X = tuple(np.swapaxes(found[name], -1, -2) for name in ("X", "Xd", "Xdd"))
        out: dict[int, tuple[Jets, Jets, Jets, Jets]] = {}
        laws = iter(range(len(self.space.frames)))
        for i, frame in enumerate(self.space.frames):
            own = tuple(x[..., i, :, :] for x in X)
            if frame.grounded:
                eye = np.broadcast_to(np.eye(3), own[0][..., :3].shape)
                R: Jets = (eye, 0 * eye, 0 * eye)
                out[i] = (R, R, R, R)
                continue
            before = _times(out[frame.link.parent][0], frame.link.R0)
            if isinstance(frame, Driven):
                law = found["laws"][..., next(laws), :]
                R = _product(before, _driven_rotation(frame.motion, law))
            elif isinstance(frame, Sliding):
                R = before
            else:
                R = complete_rotation(frame, own)
            back = _transpose(before)
            d: Jets = (own[0][..., 3:4] - own[0][..., 4:5], own[1][..., 3:4] - own[1][..., 4:5],
                       own[2][..., 3:4] - own[2][..., 4:5])  # fmt: skip
            way = _product(back, d)
            out[i] = (R, d, _product(back, R), (way[0][..., 0], way[1][..., 0], way[2][..., 0]))
        return out


def complete_rotation(frame: LinkFrame, own: tuple[Array, ...]) -> Jets:
    """The rotation of a link, missing axes by the other two."""
    R, Rd, Rdd = (x[..., :3].copy() for x in own)
    for k in range(3):
        if frame.axes[k] is None:
            i, j = (k + 1) % 3, (k + 2) % 3
            a, ad, add = (x[..., i] for x in (R, Rd, Rdd))
            b, bd, bdd = (x[..., j] for x in (R, Rd, Rdd))
            R[..., k] = np.cross(a, b)
            Rd[..., k] = np.cross(ad, b) + np.cross(a, bd)
            Rdd[..., k] = np.cross(add, b) + 2 * np.cross(ad, bd) + np.cross(a, bdd)
    return R, Rd, Rdd


def _axis(motion: AxisMotion, turn: Jets, way: Jets) -> Jets:
    """q, qd, qdd of one axis."""
    k = motion.k
    if motion.turn is ZERO:
        s = float(motion.slide.value)
        return s * way[0][..., k], s * way[1][..., k], s * way[2][..., k]
    i, j, s = (k + 1) % 3, (k + 2) % 3, float(motion.turn.value)
    w, wd = _spin(turn)
    angle = np.arctan2(turn[0][..., j, i], turn[0][..., i, i])
    return s * angle, s * w[..., k], s * wd[..., k]


def _spin(turn: Jets) -> tuple[Array, Array]:
    """ω and its rate, of a rotation relative to a joint, link components."""
    R, Rd, Rdd = turn
    T = np.swapaxes(R, -1, -2)
    return _vector(T @ Rd), _vector(np.swapaxes(Rd, -1, -2) @ Rd + T @ Rdd)


def _vector(S: Array) -> Array:
    """The vector of a matrix that is skew but for errors."""
    return 0.5 * np.stack([S[..., 2, 1] - S[..., 1, 2], S[..., 0, 2] - S[..., 2, 0],
                           S[..., 1, 0] - S[..., 0, 1]], axis=-1)  # fmt: skip


def _loose(out: Jets, motion: Any, e: list[int], jets: tuple[Jets, Jets], start: Array) -> None:
    """Quaternion and velocities of a loose link."""
    turn, way = jets
    q, qd, qdd = out
    dofs = list(motion.dofs)
    found = quaternion(turn[0])
    first = np.sum(found[..., :1, :] * start[..., None, e], axis=-1)
    signs = np.sign(np.sum(found[..., 1:, :] * found[..., :-1, :], axis=-1))
    signs = np.concatenate([np.where(first < 0, -1.0, 1.0), np.where(signs < 0, -1.0, 1.0)], -1)
    q[..., e] = found * np.cumprod(signs, axis=-1)[..., None]
    qd[..., dofs[:3]], qdd[..., dofs[:3]] = _spin(turn)
    if motion.floats:
        back = _transpose(turn)
        v = np.einsum("...ij,...j->...i", back[0], way[1])
        a = np.einsum("...ij,...j->...i", back[1], way[1])
        qd[..., dofs[3:]] = v
        qdd[..., dofs[3:]] = a + np.einsum("...ij,...j->...i", back[0], way[2])


def quaternion(R: Array) -> Array:
    """w, x, y, z of rotations, by the largest of the four."""
    t = np.trace(R, axis1=-2, axis2=-1)
    d = [R[..., k, k] for k in range(3)]
    K = np.empty((*R.shape[:-2], 4, 4))
    K[..., 0, 0] = 1 + t
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        K[..., 0, k + 1] = K[..., k + 1, 0] = R[..., j, i] - R[..., i, j]
        K[..., k + 1, k + 1] = 1 + 2 * d[k] - t
        K[..., i + 1, j + 1] = K[..., j + 1, i + 1] = R[..., i, j] + R[..., j, i]
    best = np.argmax(np.diagonal(K, axis1=-2, axis2=-1), axis=-1)
    row = np.take_along_axis(K, best[..., None, None], axis=-2)[..., 0, :]
    return np.asarray(row / np.linalg.norm(row, axis=-1, keepdims=True))


def continue_angles(angle: Array, rate: Array, times: Array, start: Array) -> Array:
    """Angles without jumps: each next to what the one before and the rates foretell."""
    step = np.diff(times) * 0.5 * (rate[..., 1:] + rate[..., :-1])
    turn = 2 * np.pi
    first = angle[..., :1] + turn * np.round((start[..., None] - angle[..., :1]) / turn)
    jump = np.diff(angle, axis=-1)
    jump = jump + turn * np.round((step - jump) / turn)
    return np.asarray(np.concatenate([first, first + np.cumsum(jump, axis=-1)], axis=-1))


def _driven_rotation(motion: AxisMotion, law: Array) -> Jets:
    """The rotation of a driven link."""
    i, j = (motion.k + 1) % 3, (motion.k + 2) % 3
    out = [np.zeros((*law.shape[:-1], 3, 3)) for _ in range(3)]
    out[0][..., motion.k, motion.k] = 1.0
    if motion.turn is ZERO:
        out[0][..., i, i] = out[0][..., j, j] = 1.0
        return out[0], out[1], out[2]
    s = float(motion.turn.value)
    a, ad, add = (s * law[..., n] for n in range(3))
    C, S = np.cos(a), np.sin(a)
    c = (C, -S * ad, -S * add - C * ad**2)
    r = (S, C * ad, C * add - S * ad**2)
    for part, x, y in zip(out, c, r, strict=True):
        part[..., i, i], part[..., j, j] = x, x
        part[..., j, i], part[..., i, j] = y, -y
    return out[0], out[1], out[2]


def _times(A: Jets, R: Array) -> Jets:
    return A[0] @ R, A[1] @ R, A[2] @ R


def _product(A: Jets, B: Jets) -> Jets:
    return A[0] @ B[0], A[1] @ B[0] + A[0] @ B[1], A[2] @ B[0] + 2 * A[1] @ B[1] + A[0] @ B[2]


def _transpose(A: Jets) -> Jets:
    return np.swapaxes(A[0], -1, -2), np.swapaxes(A[1], -1, -2), np.swapaxes(A[2], -1, -2)
