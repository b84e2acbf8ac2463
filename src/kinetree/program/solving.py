"""Linear systems inside a Program: their cost, and writing the small ones out.

A symmetric matrix is factorised as Lᵀ D L from its last row to its first.  For the mass matrix of a
kinematic tree numbered from the base outwards this makes no fill-in: a zero of M is a zero of L
(Featherstone2008 sec. 6.5).

Refs: Featherstone2008 sec. 6.5; Docquier2013 sec. 2.1.1
"""

from __future__ import annotations

from collections.abc import Sequence

from kinetree.engine import ZERO, Node, OperationCount, linear
from kinetree.program.program import Note, Solve
from kinetree.program.scheme import Scheme
from kinetree.program.sparsity import factor_products, fill_in

WRITTEN_OUT = 12
"""Rows up to which a system with one right-hand side is written out."""


def solve_count(block: Solve) -> OperationCount:
    """Operations of a Solve block, structural zeros skipped."""
    n, k = block.n, block.k
    if not block.symmetric:
        products = (2 * n**3 - 3 * n**2 + n) // 6 + n * (n - 1) * k
        return OperationCount(products, products, n * (n - 1) // 2 + n * k)
    rows = filled_rows(block)
    add = mul = 0
    for i in reversed(range(n)):
        below = len(rows[i])
        mul += below + below * (below + 1) // 2
        add += below * (below + 1) // 2
    links = sum(len(row) for row in rows)
    return OperationCount(add + 2 * links * k, mul + (2 * links + n) * k, n)


def filled_rows(block: Solve) -> list[set[int]]:
    """Columns j < i of the entries of L in row i of a symmetric system, fill-in included."""
    n = block.n
    return fill_in([j for j in range(i) if block.matrix[i * n + j] is not ZERO] for i in range(n))


def solve_symmetric(
    scheme: Scheme, stem: str, matrix: list[list[Node]], rhs: list[Node], note: Note | None = None
) -> list[Node]:
    """x with A x = b as straight-line equations: A = Lᵀ D L, then three sweeps.

    Only the lower triangle of `matrix` is read.
    """
    (x,) = solve_columns(scheme, stem, matrix, [rhs], note)
    return x


def solve_by_size(
    scheme: Scheme, stem: str, matrix: list[list[Node]], rhs: list[Node], note: Note
) -> list[Node]:
    """x with A x = b, A symmetric: written out up to WRITTEN_OUT equations, one block beyond."""
    if len(rhs) <= WRITTEN_OUT:
        return solve_symmetric(scheme, stem, matrix, rhs) if rhs else []
    return [row[0] for row in scheme.solve(stem, matrix, [[x] for x in rhs], note=note)]


def solve_columns(
    scheme: Scheme,
    stem: str,
    matrix: list[list[Node]],
    columns: Sequence[Sequence[Node]],
    note: Note | None = None,
) -> list[list[Node]]:
    """The columns of X with A X = B as straight-line equations; zeros of B stay out of them.

    Only the lower triangle of `matrix` is read.
    """
    note = note or Note(step="LᵀDL solution", eq="Featherstone2008 Table 6.3")
    L, inverse = _factorise(scheme, stem, matrix, note)
    return [_substitute(scheme, stem, L, inverse, list(column), note) for column in columns]


def _substitute(
    scheme: Scheme,
    stem: str,
    L: list[dict[int, Node]],
    inverse: list[Node],
    x: list[Node],
    note: Note,
) -> list[Node]:
    for i in reversed(range(len(x))):  # Lᵀ y = b
        x[i] = scheme.let(f"{stem}_y_{i + 1}", x[i], note)
        if x[i] is not ZERO:
            for j, factor in L[i].items():
                x[j] = x[j] - factor * x[i]
    for i, y in enumerate(x):  # D z = y, L x = z
        known = [(factor * x[j], -1) for j, factor in L[i].items() if x[j] is not ZERO]
        x[i] = scheme.let_signed(f"{stem}_{i + 1}", linear(0, ((y * inverse[i], 1), *known)), note)
    return x


def written_cost(matrix: list[list[Node]], columns: Sequence[Sequence[Node]]) -> int:
    """About how many products `solve_columns` writes out."""
    n = len(matrix)
    full = fill_in([j for j in range(i) if matrix[i][j] is not ZERO] for i in range(n))
    total = factor_products(full)
    for column in columns:
        moved = {i for i, x in enumerate(column) if x is not ZERO}
        for i in reversed(range(n)):
            if i in moved:
                moved |= full[i]
                total += len(full[i])
        for i in range(n):
            used = full[i] & moved
            if used:
                moved.add(i)
            total += len(used) + (i in moved)
    return total


def _factorise(
    scheme: Scheme, stem: str, matrix: list[list[Node]], note: Note
) -> tuple[list[dict[int, Node]], list[Node]]:
    """(L, 1/D) of A = Lᵀ D L: the non-zero entries of each row of L left of its diagonal."""
    n = len(matrix)
    H = [list(matrix[i][: i + 1]) for i in range(n)]
    rows: list[dict[int, Node]] = [{} for _ in range(n)]
    inverse: list[Node] = [ZERO] * n
    for k in reversed(range(n)):
        inverse[k] = scheme.let(f"{stem}_Di_{k + 1}", 1 / H[k][k], note)
        below = [(j, H[k][j]) for j in range(k) if H[k][j] is not ZERO]
        for j, entry in below:
            rows[k][j] = scheme.let(f"{stem}_L_{k + 1}_{j + 1}", entry * inverse[k], note)
        for i, _ in below:
            for j, entry in below:
                if j <= i:
                    left = H[i][j] - rows[k][i] * entry
                    H[i][j] = scheme.let(f"{stem}_H_{i + 1}_{j + 1}_{k + 1}", left, note)
    return rows, inverse
