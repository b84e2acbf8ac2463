"""Large sparse systems: an elimination by tables, tested, refined, with pivots where it fails."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tests.approx import CROSS_ENGINE, IDENTITY, assert_close
from tests.targets import corpus

from kinetree import engine as en
from kinetree.arrays import Array
from kinetree.program import Output, Program, Solve
from kinetree.targets.tape.lowering import lower
from kinetree.targets.tape.tape import System

SIDE = 11
N = SIDE * SIDE


def grid() -> list[tuple[int, int]]:
    """Rows and columns of the entries of a grid of SIDE by SIDE nodes."""
    found = []
    for i in range(N):
        row, column = divmod(i, SIDE)
        near = [(row, column), (row + 1, column), (row - 1, column), (row, column + 1),
                (row, column - 1)]  # fmt: skip
        found += [(i, r * SIDE + c) for r, c in near if 0 <= r < SIDE and 0 <= c < SIDE]
    return found


def program(k: int) -> Program:
    """A X = B with the entries of A and B as inputs."""
    names = tuple(f"b{i}" for i in range(N * k))
    a, b = corpus.vector("a", len(grid())), corpus.vector("b", N * k, labels=names)
    matrix = [en.ZERO] * (N * N)
    for symbol, (i, j) in zip(a.symbols, grid(), strict=True):
        matrix[i * N + j] = symbol
    x = tuple(en.symbol(f"x{i}", en.Rank.LOCAL) for i in range(N * k))
    block = Solve(x, tuple(matrix), b.symbols, N, k, symmetric=False)
    return Program("grid", (a, b), (), (block,), (Output("x", (N, k), x),))


def full(values: Array) -> Array:
    """The matrices of the values of their entries."""
    rows, columns = np.array(grid()).T
    found = np.zeros((*values.shape[:-1], N, N))
    found[..., rows, columns] = values
    return found


def dominant(rng: np.random.Generator, i: int, j: int) -> float:
    return 4.5 if i == j else rng.uniform(-1, 1)


def vanishing(rng: np.random.Generator, i: int, j: int) -> float:
    """Pivots on the diagonal are of no use."""
    return 1e-13 * rng.uniform(-1, 1) if i == j else rng.uniform(0.5, 1.5) * rng.choice((-1, 1))


@pytest.mark.parametrize("k", [1, 4])
@pytest.mark.parametrize("entry", [dominant, vanishing])
def test_the_solution_is_that_of_numpy(
    entry: Callable[[np.random.Generator, int, int], float], k: int
) -> None:
    made = program(k)
    (system,) = lower(made).body.systems
    assert isinstance(system, System)
    assert system.sparse is not None  # else this tests something else
    assert sum(map(len, system.sparse.filled)) < 0.25 * N * N
    rng = np.random.default_rng(3)
    a = np.array([[entry(rng, i, j) for i, j in grid()] for _ in range(11)])
    b = rng.normal(size=(11, N * k))
    function = made.compile(cache=False, tier="quick")
    expected = np.linalg.solve(full(a), b.reshape(11, N, k))
    size = np.abs(expected).max(axis=(1, 2), keepdims=True)
    batch = function(a=a, b=b)["x"]
    assert np.max(np.abs(batch - expected) / size) < CROSS_ENGINE
    single = function(a=a[4], b=b[4])["x"]
    assert np.max(np.abs(single - expected[4]) / size[4]) < CROSS_ENGINE


def test_a_singular_matrix_gives_no_finite_solution() -> None:
    function = program(1).compile(cache=False, tier="quick")
    a = np.array([0.0 if i == 5 else 4.0 if i == j else -1.0 for i, j in grid()])
    assert not np.isfinite(function(a=a, b=np.ones(N))["x"]).all()


def test_derivatives_go_through_sparse_systems() -> None:
    made = program(1).derivative("x", {"b": ["b0", "b7"]})
    rng = np.random.default_rng(5)
    a = np.array([dominant(rng, i, j) for i, j in grid()])
    found = made.compile(cache=False, tier="quick")(a=a, b=rng.normal(size=N))
    expected = np.linalg.inv(full(a))[:, [0, 7]]
    assert_close(found["dx_db"].reshape(N, 2), expected, IDENTITY)
