"""Coordinates that move by finite increments of the velocities.

An increment Δ has one component per velocity, as a velocity times a time.  A plain coordinate moves
by its component.  A quaternion turns by the exponential of a turn Δ about axes of the link, and the
origin of a floating link moves along axes halfway between those before and after:

    e₁ = e₀ ∘ (cos φ/2, Δ sin(φ/2)/φ),    p₁ = p₀ + R₀ ½(1 + C) Δp,    φ = |Δ|,  C = R₀ᵀ R₁

A change of Δ moves the coordinates along der(q) = N(q) T δΔ, with T = 1 for plain coordinates,
T = 1 - (1-cos φ)/φ² Δ~ + (φ - sin φ)/φ³ Δ~² for turns, and δp = ½(1 + Cᵀ) δΔp - ½ Δp~ T δΔ in link
axes.  For a turn at constant speed the exponential is exact; second order is kept.

Refs: Bruls2012 (generalised-α method on groups)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kinetree.engine import ONE, ZERO, Node, add, cos, number, sin, sqrt
from kinetree.formalism import MechanismView
from kinetree.formalism.links import FreeMotion, quaternion_matrix, skew
from kinetree.model import Mat, Vec, apply, mat3, matmul, transpose, vec3
from kinetree.program import Scheme

TINY = number(1e-60)
"""Added to φ², so that quotients at φ = 0 have their limits; lost in the rounding elsewhere."""
HALF = number(0.5)


@dataclass(frozen=True)
class QuaternionJoint:
    """A quaternion joint: numbers of its coordinates and of its velocities.

    Attributes:
        e: of the quaternion.
        p: of the position; empty where the origin does not move.
        turn: of the angular velocities.
        slide: of the velocities of the origin.
    """

    e: tuple[int, ...]
    p: tuple[int, ...]
    turn: tuple[int, ...]
    slide: tuple[int, ...]


@dataclass(frozen=True)
class IncrementSpace:
    """Coordinates and velocities of a system.

    Attributes:
        nq, nv: their numbers.
        plain: velocity -> the coordinate that it changes alone.
        turning: the quaternion joints.
    """

    nq: int
    nv: int
    plain: dict[int, int]
    turning: tuple[QuaternionJoint, ...] = ()

    @staticmethod
    def of(system: MechanismView) -> IncrementSpace:
        """The space of a linkage, or of position matrices."""
        place = {q: k for k, q in enumerate(system.q)}
        plain: dict[int, int] = {}
        turning: list[QuaternionJoint] = []
        for motion in system.motions:
            if isinstance(motion, FreeMotion):
                e = tuple(place[x] for x in motion.e)
                p = tuple(place[x] for x in motion.p) if motion.floats else ()
                turning.append(QuaternionJoint(e, p, motion.dofs[:3], motion.dofs[3:]))
            elif motion.q in place:
                plain[motion.dofs[0]] = place[motion.q]
        return IncrementSpace(len(system.q), system.nv, plain, tuple(turning))

    def displace(self, scheme: Scheme, q: Sequence[Node], by: Sequence[Node]) -> list[Node]:
        """The coordinates after an increment."""
        out = list(q)
        for k, at in self.plain.items():
            out[at] = scheme.let(f"q_{at + 1}_1", q[at] + by[k])
        for group in self.turning:
            turn = _Turn(scheme, vec3(by[k] for k in group.turn))
            e = unit(scheme, [q[k] for k in group.e])
            for k, x in zip(group.e, _product(e, turn.quaternion()), strict=True):
                out[k] = scheme.let("e_1", x)
            if group.p:
                way = apply(_half(turn.matrix()), vec3(by[k] for k in group.slide))
                named = vec3(scheme.let("way", x) for x in way)
                for k, x in zip(group.p, apply(quaternion_matrix(tuple(e)), named), strict=True):
                    out[k] = scheme.let("p_1", q[k] + x)
        return out

    def tangent(self, scheme: Scheme, by: Sequence[Node]) -> dict[int, dict[int, Node]]:
        """T by rows, for the velocities where it is not the unit matrix."""
        T: dict[int, dict[int, Node]] = {}
        for group in self.turning:
            turn = _Turn(scheme, vec3(by[k] for k in group.turn))
            J = turn.tangent()
            for k, row in zip(group.turn, J, strict=True):
                T[k] = dict(zip(group.turn, row, strict=True))
            if group.slide:
                along = _half(transpose(turn.matrix()))
                across = matmul(skew(vec3(by[k] for k in group.slide)), J)
                for k, row, also in zip(group.slide, along, across, strict=True):
                    named = [scheme.let("T", -HALF * x) for x in also]
                    T[k] = dict(zip((*group.slide, *group.turn), (*row, *named), strict=True))
        return T


def unit(scheme: Scheme, e: Sequence[Node]) -> list[Node]:
    """A quaternion of nearly unit length, of unit length to second order in what is missing."""
    square = add(*[x**2 for x in e])
    factor = scheme.let("e_f", 1.5 - 0.5 * square)
    return [scheme.let("e_0", x * factor) for x in e]


def times_tangent(row: Sequence[Node], T: dict[int, dict[int, Node]]) -> list[Node]:
    """A row of a matrix times T."""
    out = [ZERO if k in T else x for k, x in enumerate(row)]
    for j, changes in T.items():
        if row[j] is not ZERO:
            for k, x in changes.items():
                out[k] = out[k] + row[j] * x
    return out


class _Turn:
    """A turn by the vector Δ."""

    def __init__(self, scheme: Scheme, by: Vec) -> None:
        self.scheme, self.by = scheme, by
        self.square = scheme.let("phi2", add(*[x**2 for x in by]) + TINY)
        self.phi = sqrt(self.square)
        half = HALF * self.phi
        self.share = scheme.let("turn_s", sin(half) / self.phi)
        self.cos = cos(half)

    def quaternion(self) -> list[Node]:
        """Of the turn."""
        return [self.cos, *[self.scheme.let("turn_e", self.share * x) for x in self.by]]

    def matrix(self) -> Mat:
        """C, from axes after the turn to those before."""
        C = quaternion_matrix(tuple(self.quaternion()))
        return mat3([self.scheme.let("turn_C", x) for x in row] for row in C)

    def tangent(self) -> Mat:
        """T; (1 - cos φ)/φ² = 2 (sin(φ/2)/φ)² and sin φ = 2 sin(φ/2) cos(φ/2)."""
        a = self.scheme.let("turn_a", 2 * self.share**2)
        sine = 2 * self.share * self.cos
        b = self.scheme.let("turn_b", (1 - sine) / self.square)
        K = skew(self.by)
        KK, let = matmul(K, K), self.scheme.let
        return mat3(
            [let("T", (ONE if i == j else ZERO) - a * K[i][j] + b * KK[i][j]) for j in range(3)]
            for i in range(3)
        )


def _product(a: Sequence[Node], b: Sequence[Node]) -> list[Node]:
    """Hamilton's product of quaternions, scalar part first."""
    aw, ax, ay, az = a
    bw, bx, by, bz = b
    return [
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by + ay * bw + az * bx - ax * bz,
        aw * bz + az * bw + ax * by - ay * bx,
    ]


def _half(C: Mat) -> Mat:
    """½(1 + C)."""
    return mat3([HALF * (C[i][j] + (ONE if i == j else ZERO)) for j in range(3)] for i in range(3))
