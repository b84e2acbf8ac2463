"""Elimination of many matrices at once finds for each what it finds alone."""

from __future__ import annotations

import numpy as np
import pytest

from kinetree.solve.pivots import eliminate, eliminate_many


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (1, 1), (3, 3), (2, 5), (5, 4)])
@pytest.mark.parametrize("later", [(), (0,), (0, 2)])
def test_many_are_eliminated_as_one(shape: tuple[int, int], later: tuple[int, ...]) -> None:
    later = tuple(i for i in later if i < shape[0])
    A = np.random.default_rng(3).normal(size=(20, *shape))
    A[3] = 0.0
    A[4] = np.round(A[4])  # entries of equal size
    if shape[0] > 1:
        A[5, 1] = 2 * A[5, 0]  # a row that repeats another
        A[6, -1] = 1e-12 * A[6, 0]
    assert eliminate_many(A, later) == [eliminate(one, later) for one in A]
