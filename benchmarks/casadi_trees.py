"""Tree dynamics over CasADi scalars, as a careful user of CasADi would write them by hand.

Three-vector recursions in link frames: Newton-Euler inverse dynamics, composite-body mass matrix,
articulated-body forward dynamics. Scalars are SX, so products with 0 and 1 vanish while building.

Refs: Featherstone2008 ch. 5 to 7
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

Scalar = Any
Vec = list[Scalar]
Mat = list[Vec]

ROUNDING = 1e-14  # numbers this close to 0, 1, -1 are exact
DECIMALS = (
    1e-10  # entries of rotations: files write multiples of pi/2 in decimals; kinetree does the same
)


@dataclass(frozen=True)
class Link:
    """A joint ("turn", "shift" or "free") and its body, numbers only."""

    kind: str
    parent: int  # -1 = ground
    axis: Vec
    R: Mat  # joint frame -> parent frame at q = 0
    p: Vec  # joint origin in the parent frame
    mass: float
    com: Vec
    inertia: Mat  # about the centre of mass


def snapped(x: Any, near: float = ROUNDING) -> Any:
    """Nested lists of floats, values next to 0, 1, -1 made exact."""
    a = np.array(x, dtype=float)
    for exact in (0.0, 1.0, -1.0):
        a[np.abs(a - exact) < near] = exact
    return a.tolist()


def dot(a: Vec, b: Vec) -> Scalar:
    """Scalar product."""
    return sum((x * y for x, y in zip(a, b, strict=True)), ca.SX(0))


def cross(a: Vec, b: Vec) -> Vec:
    """Vector product."""
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def add(*vectors: Vec) -> Vec:
    """Sum of vectors."""
    return [sum(parts[1:], parts[0]) for parts in zip(*vectors, strict=True)]


def scale(s: Scalar, a: Vec) -> Vec:
    """Product of a number and a vector."""
    return [s * x for x in a]


def apply(A: Mat, x: Vec) -> Vec:
    """A x."""
    return [dot(row, x) for row in A]


def transpose(A: Mat) -> Mat:
    """Rows become columns."""
    return [list(row) for row in zip(*A, strict=True)]


def product(A: Mat, B: Mat) -> Mat:
    """A B."""
    columns = transpose(B)
    return [[dot(row, column) for column in columns] for row in A]


def symmetric(n: int, entry: Any) -> Mat:
    """The symmetric matrix with the given upper entries."""
    rows: Mat = [[ca.SX(0)] * n for _ in range(n)]
    for i in range(n):
        for j in range(i, n):
            rows[i][j] = rows[j][i] = entry(i, j)
    return rows


def congruent(R: Mat, A: Mat) -> Mat:
    """R A R^T of a symmetric A."""
    RA = product(R, A)
    return symmetric(3, lambda i, j: dot(RA[i], R[j]))


def skew(a: Vec) -> Mat:
    """The matrix of the vector product with a."""
    zero = ca.SX(0)
    return [[zero, -a[2], a[1]], [a[2], zero, -a[0]], [-a[1], a[0], zero]]


def quaternion_matrix(x: Scalar, y: Scalar, z: Scalar, w: Scalar) -> Mat:
    """Rotation matrix of a unit quaternion."""
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    wx, wy, wz = w * x, w * y, w * z
    return [
        [1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy)],
        [2 * (xy + wz), 1 - 2 * (xx + zz), 2 * (yz - wx)],
        [2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy)],
    ]


def turn_matrix(axis: Vec, angle: Scalar) -> Mat:
    """Rotation by an angle about an axis; about x, y, z without superfluous terms."""
    c, s = ca.cos(angle), ca.sin(angle)
    for k in range(3):
        if abs(axis[k]) == 1:
            i, j = (k + 1) % 3, (k + 2) % 3
            E: Mat = [[ca.SX(int(a == b)) for b in range(3)] for a in range(3)]
            E[i][i] = E[j][j] = c
            E[i][j], E[j][i] = -axis[k] * s, axis[k] * s
            return E
    K, KK = skew(axis), product(skew(axis), skew(axis))
    return [[int(a == b) + s * K[a][b] + (1 - c) * KK[a][b] for b in range(3)] for a in range(3)]


class Tree:
    """Dynamics of a tree as SX expressions; coordinates in Pinocchio's order and conventions."""

    def __init__(self, model: Any, links: list[Link]) -> None:
        self.links = links
        self.nq, self.nv = int(model.nq), int(model.nv)
        joints = [model.joints[i + 1] for i in range(len(links))]
        self.iq, self.iv = [j.idx_q for j in joints], [j.idx_v for j in joints]
        self.gravity = [float(g) for g in model.gravity.linear]

    def place(self, q: Vec) -> tuple[list[Mat], list[Vec]]:
        """Rotation to the parent frame and origin in it, link by link."""
        Rs, ps = [], []
        for link, k in zip(self.links, self.iq, strict=True):
            R, p = link.R, link.p
            if link.kind == "turn":
                R = product(link.R, turn_matrix(link.axis, q[k]))
            elif link.kind == "shift":
                p = add(link.p, apply(link.R, scale(q[k], link.axis)))
            else:
                R = product(link.R, quaternion_matrix(*q[k + 3 : k + 7]))
                p = add(link.p, apply(link.R, q[k : k + 3]))
            Rs.append(R)
            ps.append(p)
        return Rs, ps

    def rate(self, i: int, v: Vec) -> tuple[Vec, Vec]:
        """Angular and linear part of the joint's own motion, in the link frame."""
        link, k = self.links[i], self.iv[i]
        zero = [ca.SX(0)] * 3
        if link.kind == "turn":
            return scale(v[k], link.axis), zero
        if link.kind == "shift":
            return zero, scale(v[k], link.axis)
        return v[k + 3 : k + 6], v[k : k + 3]

    def projected(self, i: int, n: Vec, f: Vec) -> list[Scalar]:
        """Generalised forces of a wrench on the joint of link i."""
        link = self.links[i]
        if link.kind == "turn":
            return [dot(link.axis, n)]
        if link.kind == "shift":
            return [dot(link.axis, f)]
        return [*f, *n]

    def inverse(self, q: Vec, v: Vec, a: Vec) -> Vec:
        """Newton-Euler: joint forces for given accelerations."""
        R, p = self.place(q)
        zero = [ca.SX(0)] * 3
        motion: list[tuple[Vec, Vec, Vec]] = []
        n, f = [], []
        for i, link in enumerate(self.links):
            base = (zero, zero, [ca.SX(-g) for g in self.gravity])
            w0, wd0, a0 = motion[link.parent] if link.parent >= 0 else base
            Rt = transpose(R[i])
            wj, vj = self.rate(i, v)
            wdj, aj = self.rate(i, a)
            w, acc = apply(Rt, w0), apply(Rt, add(a0, cross(wd0, p[i]), cross(w0, cross(w0, p[i]))))
            wd = add(apply(Rt, wd0), wdj, cross(w, wj))
            coriolis = (
                scale(2, cross(w, vj)) if link.kind == "shift" else cross(add(scale(2, w), wj), vj)
            )
            acc = add(acc, aj, coriolis)
            w = add(w, wj)
            motion.append((w, wd, acc))
            force = scale(link.mass, add(acc, cross(wd, link.com), cross(w, cross(w, link.com))))
            Iw = apply(link.inertia, w)
            n.append(add(apply(link.inertia, wd), cross(w, Iw), cross(link.com, force)))
            f.append(force)
        return self.collect(R, p, n, f)

    def collect(self, R: list[Mat], p: list[Vec], n: list[Vec], f: list[Vec]) -> Vec:
        """Backward sweep: wrenches to the parents, components along the joints."""
        tau: list[Vec] = [[] for _ in self.links]
        for i in reversed(range(len(self.links))):
            tau[i] = self.projected(i, n[i], f[i])
            parent = self.links[i].parent
            if parent >= 0:
                force = apply(R[i], f[i])
                n[parent] = add(n[parent], apply(R[i], n[i]), cross(p[i], force))
                f[parent] = add(f[parent], force)
        return self.ordered(tau)

    def ordered(self, parts: list[Vec]) -> Vec:
        """Joint values in the order of the velocities."""
        out = [ca.SX(0)] * self.nv
        for k, part in zip(self.iv, parts, strict=True):
            out[k : k + len(part)] = part
        return out

    def directions(self, i: int) -> list[tuple[Vec, Vec]]:
        """Unit motions (angular, linear) of the joint, one per velocity."""
        link = self.links[i]
        unit = [[ca.SX(int(a == b)) for b in range(3)] for a in range(3)]
        zero = [ca.SX(0)] * 3
        if link.kind == "turn":
            return [(list(link.axis), zero)]
        if link.kind == "shift":
            return [(zero, list(link.axis))]
        return [(zero, e) for e in unit] + [(e, zero) for e in unit]

    def mass_matrix(self, q: Vec) -> Mat:
        """Composite bodies: mass, first moment and inertia about the link origin."""
        R, p = self.place(q)
        mass, moment, inertia = self.composites(R, p)
        M: Mat = [[ca.SX(0)] * self.nv for _ in range(self.nv)]
        for i in range(len(self.links)):
            for k, (w, a) in enumerate(self.directions(i)):
                h = moment[i]
                f = add(scale(mass[i], a), cross(w, h))
                n = add(apply(inertia[i], w), cross(h, a))
                self.fill_column(M, R, p, (i, k), (n, f))
        return M

    def fill_column(
        self, M: Mat, R: list[Mat], p: list[Vec], which: tuple[int, int], wrench: tuple[Vec, Vec]
    ) -> None:
        """Carry a wrench down to the ground; its components are a column of the mass matrix."""
        (i, k), (n, f) = which, wrench
        column = self.iv[i] + k
        j = i
        while j >= 0:
            for row, value in enumerate(self.projected(j, n, f)):
                M[self.iv[j] + row][column] = M[column][self.iv[j] + row] = value
            f, n = apply(R[j], f), apply(R[j], n)
            n = add(n, cross(p[j], f))
            j = self.links[j].parent

    def composites(self, R: list[Mat], p: list[Vec]) -> tuple[Vec, list[Vec], list[Mat]]:
        """Mass, first moment and inertia of every subtree about its link origin, in link frames."""
        mass: Vec = [ca.SX(link.mass) for link in self.links]
        moment = [scale(link.mass, link.com) for link in self.links]
        inertia = [self.about_origin(link) for link in self.links]
        for i in reversed(range(len(self.links))):
            parent = self.links[i].parent
            if parent < 0:
                continue
            h, J, m = apply(R[i], moment[i]), congruent(R[i], inertia[i]), mass[i]
            u = add(h, scale(m, p[i]))
            hp, up = dot(h, p[i]), dot(u, p[i])

            def entry(a: int, b: int, i: int = i, h: Vec = h, u: Vec = u, s: Any = hp + up) -> Any:
                outer = h[a] * p[i][b] + p[i][a] * u[b]
                return (s if a == b else 0) - outer

            shift = symmetric(3, entry)
            old = inertia[parent]
            inertia[parent] = symmetric(
                3, lambda a, b, o=old, J=J, s=shift: o[a][b] + J[a][b] + s[a][b]
            )
            moment[parent] = add(moment[parent], u)
            mass[parent] = mass[parent] + m
        return mass, moment, inertia

    def about_origin(self, link: Link) -> Mat:
        """Inertia of a link's body about its joint frame's origin."""
        c = np.array(link.com)
        about: Mat = snapped(link.inertia + link.mass * (c @ c * np.eye(3) - np.outer(c, c)))
        return about

    def forward(self, q: Vec, v: Vec, tau: Vec) -> Vec:
        """Articulated bodies: accelerations for given joint forces."""
        R, p = self.place(q)
        W, bias = self.velocities(R, p, v)
        J, H, M, n, f = self.isolated_bodies(W)
        U: list[Any] = [None] * len(self.links)
        for i in reversed(range(len(self.links))):
            U[i] = self.articulate(i, (J, H, M, n, f), bias[i], tau)
            parent = self.links[i].parent
            if parent >= 0:
                self.hand_down(i, (J, H, M, n, f), U[i], R[i], p[i])
        return self.accelerate(R, p, bias, U, (J, H, M))

    def velocities(self, R: list[Mat], p: list[Vec], v: Vec) -> tuple[list[Vec], list[Any]]:
        """Angular velocities and velocity-product accelerations (angular, linear), link frames."""
        W: list[Vec] = []
        bias = []
        for i, link in enumerate(self.links):
            w0 = W[link.parent] if link.parent >= 0 else [ca.SX(0)] * 3
            Rt = transpose(R[i])
            wj, vj = self.rate(i, v)
            w = apply(Rt, w0)
            lin = apply(Rt, cross(w0, cross(w0, p[i])))
            coriolis = (
                scale(2, cross(w, vj)) if link.kind == "shift" else cross(add(scale(2, w), wj), vj)
            )
            bias.append((cross(w, wj), add(lin, coriolis)))
            W.append(add(w, wj))
        return W, bias

    def isolated_bodies(self, W: list[Vec]) -> tuple[list[Any], ...]:
        """Inertia blocks [J H; H^T M] about the link origins and velocity-product wrenches."""
        J, H, M, n, f = [], [], [], [], []
        for link, w in zip(self.links, W, strict=True):
            h = scale(link.mass, link.com)
            J.append(self.about_origin(link))
            H.append(skew(h))
            M.append(
                [[ca.SX(link.mass) if a == b else ca.SX(0) for b in range(3)] for a in range(3)]
            )
            n.append(cross(w, apply(J[-1], w)))
            f.append(cross(w, cross(w, h)))
        return J, H, M, n, f

    def articulate(self, i: int, body: tuple[list[Any], ...], bias: Any, tau: Vec) -> Any:
        """Add the bias acceleration's wrench; the joint's (U_angular, U_linear, 1/D, u)."""
        J, H, M, n, f = body
        wb, ab = bias
        n[i] = add(n[i], apply(J[i], wb), apply(H[i], ab))
        f[i] = add(f[i], apply(transpose(H[i]), wb), apply(M[i], ab))
        link, k = self.links[i], self.iv[i]
        if link.kind == "free":
            free = [*f[i], *n[i]]
            return None, None, None, [tau[k + r] - free[r] for r in range(6)]
        if link.kind == "turn":
            Ua, Ul = apply(J[i], link.axis), apply(transpose(H[i]), link.axis)
            return Ua, Ul, 1 / dot(link.axis, Ua), tau[k] - dot(link.axis, n[i])
        Ua, Ul = apply(H[i], link.axis), apply(M[i], link.axis)
        return Ua, Ul, 1 / dot(link.axis, Ul), tau[k] - dot(link.axis, f[i])

    def hand_down(self, i: int, body: tuple[list[Any], ...], joint: Any, R: Mat, p: Vec) -> None:
        """Add what the joint passes on of link i's articulated inertia and wrench to its parent."""
        J, H, M, n, f = body
        Ua, Ul, inverse_d, u = joint
        parent = self.links[i].parent
        if Ua is None:
            return
        Va, Vl = scale(inverse_d, Ua), scale(inverse_d, Ul)
        Ja = congruent(R, symmetric(3, lambda a, b: J[i][a][b] - Va[a] * Ua[b]))
        Ma = congruent(R, symmetric(3, lambda a, b: M[i][a][b] - Vl[a] * Ul[b]))
        Ha = [[H[i][a][b] - Ua[a] * Vl[b] for b in range(3)] for a in range(3)]
        Ha = product(product(R, Ha), transpose(R))
        na, fa = add(n[i], scale(u, Va)), add(f[i], scale(u, Vl))
        P = skew(p)
        PM = product(P, Ma)
        Hn = [add(x, y) for x, y in zip(Ha, PM, strict=True)]
        T = product(Ha, P)
        T2 = product(PM, P)
        old = J[parent]
        J[parent] = symmetric(3, lambda a, b: old[a][b] + Ja[a][b] - T[a][b] - T[b][a] - T2[a][b])
        H[parent] = [add(x, y) for x, y in zip(H[parent], Hn, strict=True)]
        oldM = M[parent]
        M[parent] = symmetric(3, lambda a, b: oldM[a][b] + Ma[a][b])
        force = apply(R, fa)
        n[parent] = add(n[parent], apply(R, na), cross(p, force))
        f[parent] = add(f[parent], force)

    def accelerate(
        self, R: list[Mat], p: list[Vec], bias: list[Any], joints: list[Any], body: tuple[Any, ...]
    ) -> Vec:
        """Outward sweep: joint accelerations from the root on."""
        reached: list[tuple[Vec, Vec]] = []
        out = []
        for i, link in enumerate(self.links):
            base = ([ca.SX(0)] * 3, [ca.SX(-g) for g in self.gravity])
            w0, a0 = reached[link.parent] if link.parent >= 0 else base
            Rt = transpose(R[i])
            w, a = apply(Rt, w0), apply(Rt, add(a0, cross(w0, p[i])))
            Ua, Ul, inverse_d, u = joints[i]
            if Ua is None:
                solved = self.root(i, body, u)
                out.append(add(solved, scale(-1, [*a, *w])))
                reached.append((add(solved[3:], bias[i][0]), add(solved[:3], bias[i][1])))
                continue
            qdd = inverse_d * (u - dot(Ua, w) - dot(Ul, a))
            out.append([qdd])
            w, a = add(w, bias[i][0]), add(a, bias[i][1])
            turned = link.kind == "turn"
            own = scale(qdd, link.axis)
            reached.append((add(w, own), a) if turned else (w, add(a, own)))
        return self.ordered(out)

    def root(self, i: int, body: tuple[Any, ...], u: Vec) -> Vec:
        """Acceleration [linear; angular] of a free body from its articulated inertia."""
        J, H, M = body
        A = [[*M[i][r], *transpose(H[i])[r]] for r in range(3)]
        A += [[*H[i][r], *J[i][r]] for r in range(3)]
        return solve_symmetric(A, u)


def solve_symmetric(A: Mat, b: Vec) -> Vec:
    """A x = b by LDL^T without pivoting."""
    n = len(b)
    L: Mat = [[ca.SX(0)] * n for _ in range(n)]
    inverse_d: Vec = []
    scaled: Mat = [[ca.SX(0)] * n for _ in range(n)]
    for j in range(n):
        for i in range(j, n):
            scaled[i][j] = A[i][j] - sum((L[j][k] * scaled[i][k] for k in range(j)), ca.SX(0))
        inverse_d.append(1 / scaled[j][j])
        for i in range(j + 1, n):
            L[i][j] = scaled[i][j] * inverse_d[j]
    y: Vec = []
    for i in range(n):
        y.append(b[i] - sum((L[i][k] * y[k] for k in range(i)), ca.SX(0)))
    x: Vec = [y[i] * inverse_d[i] for i in range(n)]
    for i in reversed(range(n)):
        x[i] = x[i] - sum((L[k][i] * x[k] for k in range(i + 1, n)), ca.SX(0))
    return x
