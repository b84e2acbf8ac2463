"""Small vectors and matrices of CasADi scalars, as lists, so that nothing is hidden or expanded."""

from __future__ import annotations

from typing import Any

import casadi as ca

Scalar = Any
Vec = list[Scalar]
Mat = list[Vec]


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


def solve_symmetric(A: Mat, b: Vec) -> Vec:
    """A x = b by LDL^T without pivoting."""
    return solve_columns(A, [b])[0]


def solve_columns(A: Mat, columns: list[Vec]) -> list[Vec]:
    """A X = B column by column, A factored once: A = L D L^T."""
    n = len(A)
    L, scaled = ([[ca.SX(0)] * n for _ in range(n)] for _ in range(2))
    inverse_d: Vec = []
    for j in range(n):
        for i in range(j, n):
            scaled[i][j] = A[i][j] - dot(L[j][:j], scaled[i][:j])
        inverse_d.append(1 / scaled[j][j])
        for i in range(j + 1, n):
            L[i][j] = scaled[i][j] * inverse_d[j]
    return [substituted(L, inverse_d, b) for b in columns]


def substituted(L: Mat, inverse_d: Vec, b: Vec) -> Vec:
    """Forward and backward substitution."""
    y: Vec = []
    for i in range(len(b)):
        y.append(b[i] - dot(L[i][:i], y))
    x: Vec = [a * d for a, d in zip(y, inverse_d, strict=True)]
    for i in reversed(range(len(b))):
        below = range(i + 1, len(b))
        x[i] = x[i] - sum((L[k][i] * x[k] for k in below), ca.SX(0))
    return x
