"""Pivots of sparse matrices: as many columns as independent rows, of least worth."""

from __future__ import annotations

import numpy as np
import pytest

from kinetree.solve.sparse_pivots import sparse_columns


@pytest.mark.parametrize("seed", range(6))
def test_as_many_columns_as_independent_rows(seed: int) -> None:
    rng = np.random.default_rng(seed)
    m, n = 40, 55
    A = rng.normal(size=(m, n)) * (rng.random((m, n)) < 0.1)
    A[7] = 2 * A[3] - A[5]  # follows from others
    A[9] = 0.0
    worth = rng.integers(0, 3, n).tolist()
    rows = [{j: float(x) for j, x in enumerate(row) if x} for row in A]
    found = sparse_columns(rows, worth)
    rank = int(np.linalg.matrix_rank(A))
    assert len(found) == len(set(found)) == rank
    sizes = np.linalg.svd(A[:, found], compute_uv=False)
    assert sizes[rank - 1] > sizes[0] / 1e4


def test_columns_of_most_worth_are_left() -> None:
    """A chain x1 = x2 = … = xn: any but one may be solved for."""
    n = 300
    rows = [{k: 1.0, k + 1: -1.0} for k in range(n - 1)]
    worth = [5 if k == 123 else 1 for k in range(n)]
    assert set(range(n)) - set(sparse_columns(rows, worth)) == {123}
