"""Coordinates of the model from natural ones, as a Program: what `Relative` reads, to be derived.

Angles and quaternions are those next to values that are given, which choose the turn and the sign;
with c, s the cosine and sine of an angle, and K(R) = 4 e eᵀ of a rotation with quaternion e,

    q = q₀ + atan2(s cos q₀ - c sin q₀, c cos q₀ + s sin q₀),        e = K e₀ / |K e₀|

Derivatives by q₀ and e₀ vanish.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kinetree.engine import ONE, ZERO, Node, Rank, atan2, cos, number, sin, sqrt, symbol
from kinetree.formalism.links.linkage import Linkage
from kinetree.formalism.links.motion import AxisMotion, FreeMotion
from kinetree.formalism.links.vectors import (
    Mat,
    Vec,
    apply,
    apply_transposed,
    cross,
    inner,
    mat3,
    matmul,
    matrix_plus,
    minus,
    plus,
    times,
    transpose,
    vec3,
)
from kinetree.formalism.loops.closure_views import last_common
from kinetree.formalism.natural.coordinates import NaturalSpace
from kinetree.formalism.natural.equations import declare, parameters
from kinetree.formalism.natural.links import Driven, LinkFrame, Sliding, circle
from kinetree.model import Coincide
from kinetree.program import Input, Program, Scheme

if TYPE_CHECKING:
    from kinetree.formalism.natural.model_map import Chart

MatJet = tuple[Mat, Mat, Mat]
VecJet = tuple[Vec, Vec, Vec]
"""Values, rates and second rates."""
NEAR = "near"
"""Input: coordinates of the model next to which those that are read shall be."""
EYE: Mat = mat3((ONE if i == k else ZERO for i in range(3)) for k in range(3))
STILL: Mat = mat3((ZERO,) * 3 for _ in range(3))


def relative_program(chart: Chart) -> Program:
    """Inputs natural q, qd, qdd, lam, t, p, near; outputs q, qd, qdd, lam of the model."""
    space = chart.found.space
    return _Reader(chart, space, space.system).program()


class _Reader:
    """The Program being written."""

    def __init__(self, chart: Chart, space: NaturalSpace, system: Linkage) -> None:
        self.chart, self.space, self.system = chart, space, system
        self.scheme = Scheme(f"{system.model.name}_relative")
        model = system.model
        self.near = tuple(symbol(f"{NEAR}_{name}", Rank.COORDINATE) for name in model.coordinates)
        self.lam = tuple(symbol(f"lam_{name}", Rank.FORCE) for name in chart.found.labels)
        self.rotations: list[MatJet] = []
        self.q: list[Node] = [ZERO] * model.nq
        self.qd: list[Node] = [ZERO] * model.nv
        self.qdd: list[Node] = [ZERO] * model.nv

    def program(self) -> Program:
        """All of it."""
        scheme, model, labels = self.scheme, self.system.model, self.chart.found.labels
        declare(scheme, self.space, "q", "qd", "qdd")
        if self.lam:
            scheme.input(Input("lam", (len(self.lam),), self.lam, None, False, tuple(labels)))
        parameters(scheme, self.space, time=True)
        scheme.input(Input(NEAR, (model.nq,), self.near, None, False, tuple(model.coordinates)))
        for frame in self.space.frames:
            self._link(frame)
        self._insert_driven()
        velocities = tuple(model.velocities)
        scheme.output("q", self.q, None, tuple(model.coordinates))
        scheme.output("qd", self.qd, None, velocities)
        scheme.output("qdd", self.qdd, None, velocities)
        lam = self._multipliers()
        if lam:
            scheme.output("lam", list(lam.values()), None, tuple(lam))
        return self.space.finish(scheme)

    # --- links -----------------------------------------------------------------------------------

    def _link(self, frame: LinkFrame) -> None:
        """The rotation of a link, and the coordinates that move it."""
        if frame.grounded:
            self.rotations.append((EYE, STILL, STILL))
            return
        base = mat3([number(x) for x in row] for row in frame.link.R0.tolist())
        A, Ad, Add = self.rotations[frame.link.parent]
        before = self._name((matmul(A, base), matmul(Ad, base), matmul(Add, base)))
        if isinstance(frame, Driven):
            R = _product(before, _drive_rotation(frame))
        elif isinstance(frame, Sliding):
            R = before
        else:
            R = self._axes(frame)
        self.rotations.append(self._name(R))
        motion = frame.link.motion
        at = {s: k for k, s in enumerate(self.system.q)}
        if isinstance(motion, FreeMotion) or motion.q in at:
            place = frame.parent.point(frame.link.r)
            d = (minus(frame.origin.value, place.value), minus(frame.origin.rate, place.rate),
                 minus(frame.origin.second, place.second))  # fmt: skip
            back = _transpose(before)
            turn, way = self._name(_product(back, self.rotations[-1])), _turn_vector(back, d)
            if isinstance(motion, FreeMotion):
                self._free(motion, [at[e] for e in motion.e], turn, way)
                for s, x in zip(motion.p if motion.floats else (), way[0], strict=False):
                    self.q[at[s]] = x
            else:
                self._axis(motion, at[motion.q], turn, way)

    def _name(self, R: MatJet) -> MatJet:
        """Names for all elements."""
        one, two, three = (
            mat3((self.scheme.let("R", x) for x in row) for row in part) for part in R
        )
        return one, two, three

    def _axes(self, frame: LinkFrame) -> MatJet:
        """The rotation of a link by its axes, missing ones by the other two."""
        columns: list[VecJet | None] = [
            None if row is None else (row.value, row.rate, row.second) for row in frame.axes
        ]
        for k, known in enumerate(columns):
            a, b = columns[(k + 1) % 3], columns[(k + 2) % 3]
            if known is None and a is not None and b is not None:
                second = plus(cross(a[2], b[0]), times(number(2), cross(a[1], b[1])),
                              cross(a[0], b[2]))  # fmt: skip
                columns[k] = (
                    cross(a[0], b[0]), plus(cross(a[1], b[0]), cross(a[0], b[1])), second,
                )  # fmt: skip
        whole = [column for column in columns if column is not None]
        one, two, three = (transpose(mat3(c[n] for c in whole)) for n in range(3))
        return one, two, three

    # --- coordinates -----------------------------------------------------------------------------

    def _axis(self, motion: AxisMotion, at: int, turn: MatJet, way: VecJet) -> None:
        """Coordinate, velocity and acceleration of one axis."""
        k, v = motion.k, motion.dofs[0]
        if motion.turn is ZERO:
            s = motion.slide
            self.q[at], self.qd[v], self.qdd[v] = (s * part[k] for part in way)
            return
        i, j, s = (k + 1) % 3, (k + 2) % 3, motion.turn
        near, R = s * self.near[at], turn[0]
        C, S = R[i][i], R[j][i]
        apart = atan2(S * cos(near) - C * sin(near), C * cos(near) + S * sin(near))
        w, wd = _spin(turn)
        self.q[at], self.qd[v], self.qdd[v] = self.near[at] + s * apart, s * w[k], s * wd[k]

    def _free(self, motion: FreeMotion, e: Sequence[int], turn: MatJet, way: VecJet) -> None:
        """Quaternion and velocities of a link that turns freely."""
        near = [self.near[k] for k in e]
        turned = [self.scheme.let("e", inner(row, near)) for row in _quaternion_products(turn[0])]
        length = self.scheme.let("length", 1 / sqrt(inner(turned, turned)))
        for k, x in zip(e, turned, strict=True):
            self.q[k] = x * length
        w, wd = _spin(turn)
        for k, v in enumerate(motion.dofs[:3]):
            self.qd[v], self.qdd[v] = w[k], wd[k]
        if motion.floats:
            R, Rd, _ = turn
            rate = apply_transposed(R, way[1])
            second = plus(apply_transposed(Rd, way[1]), apply_transposed(R, way[2]))
            for k, v in enumerate(motion.dofs[3:]):
                self.qd[v], self.qdd[v] = rate[k], second[k]

    def _insert_driven(self) -> None:
        """Coordinates that laws give."""
        model = self.system.model
        for name, law in self.space.laws.items():
            self.q[model.coordinates.index(name)] = law[0]
            k = model.velocities.index(name)
            self.qd[k], self.qdd[k] = law[1], law[2]

    def _multipliers(self) -> dict[str, Node]:
        """Those of closures; forces at one place along the axes of the last common link."""
        rows = dict(zip(self.chart.found.labels, self.lam, strict=True))
        for closure in self.system.model.closures.values():
            three = [c for c in closure.conditions if isinstance(c, Coincide)]
            if three:
                a, b = (self.system.pose(end).link for end in closure.ends)
                R = self.rotations[last_common(self.system, a, b)][0]
                force = [ZERO, ZERO, ZERO]
                for c in three:
                    force[c.k] = rows[f"{closure.name}.{c.label}"]
                turned = apply_transposed(R, vec3(force))
                rows |= {f"{closure.name}.{c.label}": turned[c.k] for c in three}
        return {label: rows[label] for label in self.chart.labels}


def _spin(turn: MatJet) -> tuple[Vec, Vec]:
    """ω and its rate, of a rotation relative to a joint, link components."""
    R, Rd, Rdd = turn
    first = matmul(transpose(R), Rd)
    second = matrix_plus(matmul(transpose(Rd), Rd), matmul(transpose(R), Rdd))
    return _vector(first), _vector(second)


def _vector(S: Mat) -> Vec:
    """The vector of a matrix that is skew but for errors."""
    half = number(0.5)
    return vec3((half * (S[2][1] - S[1][2]), half * (S[0][2] - S[2][0]),
                 half * (S[1][0] - S[0][1])))  # fmt: skip


def _quaternion_products(R: Mat) -> list[list[Node]]:
    """K = 4 e eᵀ of a rotation with the quaternion e."""
    t = R[0][0] + R[1][1] + R[2][2]
    K: list[list[Node]] = [[ZERO] * 4 for _ in range(4)]
    K[0][0] = 1 + t
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        K[0][k + 1] = K[k + 1][0] = R[j][i] - R[i][j]
        K[k + 1][k + 1] = 1 + 2 * R[k][k] - t
        K[i + 1][j + 1] = K[j + 1][i + 1] = R[i][j] + R[j][i]
    return K


def _drive_rotation(frame: Driven) -> MatJet:
    """The rotation of a driven link relative to its joint."""
    k, turn = frame.motion.k, frame.motion.turn
    if turn is ZERO:
        return EYE, STILL, STILL
    i, j = (k + 1) % 3, (k + 2) % 3
    C, S = circle(turn, frame.law)
    parts = []
    for n in range(3):
        rows = [[ZERO] * 3 for _ in range(3)]
        rows[k][k] = ONE if n == 0 else ZERO
        rows[i][i] = rows[j][j] = C[n]
        rows[j][i], rows[i][j] = S[n], -S[n]
        parts.append(mat3(rows))
    return parts[0], parts[1], parts[2]


def _product(A: MatJet, B: MatJet) -> MatJet:
    first = matrix_plus(matmul(A[1], B[0]), matmul(A[0], B[1]))
    middle = matmul(A[1], B[1])
    second = matrix_plus(matrix_plus(matmul(A[2], B[0]), matmul(A[0], B[2])),
                         matrix_plus(middle, middle))  # fmt: skip
    return matmul(A[0], B[0]), first, second


def _turn_vector(A: MatJet, d: VecJet) -> VecJet:
    first = plus(apply(A[1], d[0]), apply(A[0], d[1]))
    second = plus(apply(A[2], d[0]), times(number(2), apply(A[1], d[1])), apply(A[0], d[2]))
    return apply(A[0], d[0]), first, second


def _transpose(A: MatJet) -> MatJet:
    return transpose(A[0]), transpose(A[1]), transpose(A[2])
