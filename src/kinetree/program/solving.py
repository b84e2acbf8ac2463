"""Linear systems inside a Program: their cost, and writing the small ones out.

A symmetric matrix is factorised as Lᵀ D L from its last row to its first.  For the mass matrix of a
kinematic tree numbered from the base outwards this makes no fill-in: a zero of M is a zero of L
(Featherstone2008 sec. 6.5).

Refs: Featherstone2008 sec. 6.5; Docquier2013 sec. 2.1.1
"""

from __future__ import annotations

from kinetree.engine import ZERO, Node, OperationCount
from kinetree.program.program import Note, Solve
from kinetree.program.scheme import Scheme

WRITTEN_OUT = 12
"""Rows up to which a system with one right-hand side is written out."""


def solve_count(block: Solve) -> OperationCount:
    """Operations of a Solve block, structural zeros skipped."""
    n, k = block.n, block.k
    if not block.symmetric:
        third = (2 * n**3 - 3 * n**2 + n) // 6
        return OperationCount(third + n * (n - 1) * k, third + n * (n - 1) * k, n * (n - 1) // 2 + n * k)
    rows = _pattern(block)
    add = mul = 0
    for i in reversed(range(n)):
        below = len(rows[i])
        mul += below + below * (below + 1) // 2
        add += below * (below + 1) // 2
    links = sum(len(row) for row in rows)
    return OperationCount(add + 2 * links * k, mul + (2 * links + n) * k, n)


def _pattern(block: Solve) -> list[list[int]]:
    """Columns j < i of the entries of L in row i, fill-in included."""
    n = block.n
    full = [[block.matrix[i * n + j] is not ZERO for j in range(i)] for i in range(n)]
    for k in reversed(range(n)):
        cols = [j for j in range(k) if full[k][j]]
        for i in cols:
            for j in cols:
                if j < i:
                    full[i][j] = True
    return [[j for j in range(i) if full[i][j]] for i in range(n)]


def solve_symmetric(
    scheme: Scheme, stem: str, matrix: list[list[Node]], rhs: list[Node], note: Note | None = None
) -> list[Node]:
    """x with A x = b as straight-line equations: A = Lᵀ D L, then three sweeps.

    Only the lower triangle of `matrix` is read.
    """
    note = note or Note(step="LᵀDL solution", eq="Featherstone2008 Table 6.3")
    n = len(rhs)
    H = [[matrix[i][j] for j in range(i + 1)] for i in range(n)]
    inverse: list[Node] = [ZERO] * n
    for k in reversed(range(n)):
        inverse[k] = scheme.let(f"{stem}_Di_{k + 1}", 1 / H[k][k], note)
        cols = [j for j in range(k) if H[k][j] is not ZERO]
        L = {i: scheme.let(f"{stem}_L_{k + 1}_{i + 1}", H[k][i] * inverse[k], note) for i in cols}
        for i in cols:
            for j in cols:
                if j <= i:
                    H[i][j] = scheme.let(f"{stem}_H_{i + 1}_{j + 1}_{k + 1}", H[i][j] - L[i] * H[k][j], note)
        for i in cols:
            H[k][i] = L[i]
    x = list(rhs)
    for i in reversed(range(n)):  # Lᵀ y = b
        for j in range(i):
            if H[i][j] is not ZERO:
                x[j] = x[j] - H[i][j] * x[i]
        if i:
            x[i - 1] = scheme.let(f"{stem}_y_{i}", x[i - 1], note)
    for i in range(n):  # D z = y, L x = z
        done = x[i] * inverse[i]
        for j in range(i):
            done = done - H[i][j] * x[j]
        x[i] = scheme.let(f"{stem}_{i + 1}", done, note)
    return x


