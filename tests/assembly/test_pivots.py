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
    worth = [2, 0, 1, 0, 3][: shape[1]]
    known = [eliminate(one, later, worth=worth) for one in A]
    assert eliminate_many(A, later, worth=worth) == known


def test_columns_that_tie_least_are_taken_first() -> None:
    """A large column of both rows gives way to small ones of one row each, but not to none."""
    A = [[5.0, 0.3, 0.0], [5.0, 0.0, 0.2]]
    assert set(eliminate(A).columns) == {0, 1}
    assert set(eliminate(A, ties=[1, 0, 0]).columns) == {1, 2}
    alike = [[5.0, 0.3, 0.0], [5.0, 0.3, 0.0]]  # the second row repeats the first
    assert eliminate(alike, ties=[1, 0, 0]).rank == 1
    beside = [[1.0, 1.0, 0.0], [1.0, 1.0 + 1e-4, 1.0]]  # nothing of column 1 is left behind 0
    assert set(eliminate(beside, ties=[0, 0, 1]).columns) == {0, 2}
