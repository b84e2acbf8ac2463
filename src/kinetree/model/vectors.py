"""Vectors and matrices of Nodes: plain tuples, and the few operations that equations need."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kinetree.engine import ZERO, Node, as_node, atan2, linear, mul, sqrt

Vec = tuple[Node, Node, Node]
Mat = tuple[Vec, Vec, Vec]

NULL: Vec = (ZERO, ZERO, ZERO)


def vec3(components: Iterable[Node]) -> Vec:
    """Three Nodes as a vector."""
    x, y, z = components
    return (x, y, z)


def mat3(rows: Iterable[Iterable[Node]]) -> Mat:
    """Three rows as a matrix."""
    x, y, z = (vec3(row) for row in rows)
    return (x, y, z)


def vec(x: object, y: object, z: object) -> Vec:
    """A vector of three numbers or Nodes."""
    return (as_node(x), as_node(y), as_node(z))


def plus(*vectors: Vec) -> Vec:
    """Sum of vectors."""
    return vec3(linear(0, tuple((v[i], 1) for v in vectors)) for i in range(3))


def minus(a: Vec, b: Vec) -> Vec:
    """a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def times(s: Node, v: Vec) -> Vec:
    """s·v."""
    return (s * v[0], s * v[1], s * v[2])


def dot(a: Sequence[Node], b: Sequence[Node]) -> Node:
    """a · b, of any length."""
    return linear(0, tuple((mul(x, y), 1) for x, y in zip(a, b, strict=True)))


def cross(a: Vec, b: Vec) -> Vec:
    """a × b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def apply(A: Mat, v: Vec) -> Vec:
    """A v."""
    return (dot(A[0], v), dot(A[1], v), dot(A[2], v))


def apply_transposed(A: Mat, v: Vec) -> Vec:
    """Aᵀ v."""
    return apply(transpose(A), v)


def transpose(A: Mat) -> Mat:
    """Aᵀ."""
    return mat3(zip(*A, strict=True))


def matmul(A: Mat, B: Mat) -> Mat:
    """A B."""
    columns = transpose(B)
    return mat3((dot(row, c) for c in columns) for row in A)


def is_null(v: Sequence[Node]) -> bool:
    """Whether every component is the number zero."""
    return all(x is ZERO for x in v)


def negative(v: Vec) -> Vec:
    """-v."""
    return (-v[0], -v[1], -v[2])


def roll_pitch_yaw(R: Mat) -> Vec:
    """Angles [rad] of R = Rz(yaw) Ry(pitch) Rx(roll).

    At a pitch of a right angle roll and yaw have no value of their own.
    """
    level = sqrt(R[2][1] * R[2][1] + R[2][2] * R[2][2])
    return atan2(R[2][1], R[2][2]), atan2(-R[2][0], level), atan2(R[1][0], R[0][0])
