"""Vectors and tensors of Nodes: plain tuples, and the few operations the formalisms write.

A symmetric tensor is its six elements in the order xx, yy, zz, xy, xz, yz.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kinetree.engine import ZERO, Node, as_node, linear, mul

Vec = tuple[Node, Node, Node]
Sym = tuple[Node, Node, Node, Node, Node, Node]
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


def sym6(elements: Iterable[Node]) -> Sym:
    """Six Nodes as a symmetric tensor."""
    xx, yy, zz, xy, xz, yz = elements
    return (xx, yy, zz, xy, xz, yz)


NULL_TENSOR: Sym = (ZERO, ZERO, ZERO, ZERO, ZERO, ZERO)
SYM_PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
"""Row and column of each of the six elements of a symmetric tensor."""
SYM_INDEX = ((0, 3, 4), (3, 1, 5), (4, 5, 2))
"""Position of element (i, j) among the six of a symmetric tensor."""


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


def full(s: Sym) -> Mat:
    """The nine elements of a symmetric tensor."""
    return mat3((s[k] for k in row) for row in SYM_INDEX)


def symmetric(A: Mat) -> Sym:
    """The six elements of a symmetric matrix, from its upper triangle."""
    return (A[0][0], A[1][1], A[2][2], A[0][1], A[0][2], A[1][2])


def tensor_plus(a: Sym, b: Sym) -> Sym:
    """Sum of symmetric tensors."""
    return sym6(x + y for x, y in zip(a, b, strict=True))


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


def is_null(v: Sequence[Node]) -> bool:
    """Whether every component is the number zero."""
    return all(x is ZERO for x in v)
