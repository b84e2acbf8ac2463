"""Symmetric tensors of Nodes, beside the vectors and matrices of `kinetree.model.vectors`.

A symmetric tensor is its six elements in the order xx, yy, zz, xy, xz, yz.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kinetree.engine import ZERO, Node, linear, mul
from kinetree.model import (
    NULL,
    Mat,
    Vec,
    apply,
    apply_transposed,
    cross,
    dot,
    is_null,
    mat3,
    matmul,
    minus,
    negative,
    plus,
    times,
    transpose,
    vec,
    vec3,
)

Sym = tuple[Node, Node, Node, Node, Node, Node]
Pair = tuple[Vec, Vec]
"""Angular and linear part of a motion, or torque and force."""
Matrix = list[list[Node]]
"""Rows of any number and length."""

NULL_TENSOR: Sym = (ZERO, ZERO, ZERO, ZERO, ZERO, ZERO)
NULL_MATRIX: Mat = (NULL, NULL, NULL)
SYM_PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
"""Row and column of each of the six elements of a symmetric tensor."""
SYM_INDEX = ((0, 3, 4), (3, 1, 5), (4, 5, 2))
"""Position of element (i, j) among the six of a symmetric tensor."""


def sym6(elements: Iterable[Node]) -> Sym:
    """Six Nodes as a symmetric tensor."""
    xx, yy, zz, xy, xz, yz = elements
    return (xx, yy, zz, xy, xz, yz)


def full(s: Sym) -> Mat:
    """The nine elements of a symmetric tensor."""
    return mat3((s[k] for k in row) for row in SYM_INDEX)


def symmetric(A: Mat) -> Sym:
    """The six elements of a symmetric matrix, from its upper triangle."""
    return (A[0][0], A[1][1], A[2][2], A[0][1], A[0][2], A[1][2])


def tensor_plus(a: Sym, b: Sym) -> Sym:
    """Sum of symmetric tensors."""
    return sym6(x + y for x, y in zip(a, b, strict=True))


def matrix_plus(A: Mat, B: Mat) -> Mat:
    """Sum of matrices."""
    return mat3(plus(a, b) for a, b in zip(A, B, strict=True))


def outer(a: Vec, b: Vec) -> Mat:
    """a bᵀ."""
    return mat3([x * y for y in b] for x in a)


def skew(v: Vec) -> Mat:
    """v~, with v~ x = v × x."""
    x, y, z = v
    return ((ZERO, -z, y), (z, ZERO, -x), (-y, x, ZERO))


def apply_sym(s: Sym, v: Vec) -> Vec:
    """Symmetric tensor times vector."""
    return apply(full(s), v)


def steiner(m: Node, h: Vec, r: Vec) -> Sym:
    """What an inertia about a point O gains when it is referred to a point P, r from P to O.

    With mass m and first moment h about O, both in the same frame:
    m (r²1 - r rᵀ) + 2 (r·h) 1 - r hᵀ - h rᵀ.
    """
    u = plus(times(m, r), h, h)  # m r + 2 h
    x, y, z = (u[i] * r[i] for i in range(3))
    off = [
        linear(0, ((m * r[i] * r[j], -1), (r[i] * h[j], -1), (h[i] * r[j], -1)))
        for i, j in ((0, 1), (0, 2), (1, 2))
    ]
    return (y + z, x + z, x + y, off[0], off[1], off[2])


def inner(a: Sequence[Node], b: Sequence[Node]) -> Node:
    """Σ aᵢ bᵢ of any number of elements, structural zeros left out."""
    pairs = ((x, y) for x, y in zip(a, b, strict=True) if x is not ZERO and y is not ZERO)
    return linear(0, tuple((mul(x, y), 1) for x, y in pairs))


__all__ = [
    "NULL", "NULL_MATRIX", "NULL_TENSOR", "SYM_INDEX", "SYM_PAIRS", "Mat", "Matrix", "Pair", "Sym",
    "Vec", "apply", "apply_sym", "apply_transposed", "cross", "dot", "full", "inner", "is_null",
    "mat3", "matmul", "matrix_plus", "minus", "negative", "outer", "plus", "skew", "steiner",
    "sym6", "symmetric", "tensor_plus", "times", "transpose", "vec", "vec3",
]  # fmt: skip
