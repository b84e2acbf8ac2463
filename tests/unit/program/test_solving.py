"""Linear systems: written out, as blocks, and what they cost."""

from __future__ import annotations

import numpy as np
import pytest
from tests.approx import FORMALISM, assert_close

from kinetree import engine as en
from kinetree.engine import Rank
from kinetree.program import Input, Program, Scheme, Solve
from kinetree.program.solving import solve_count, solve_symmetric
from kinetree.program.sparsity import factor_products, fill_in
from kinetree.program.verify import verify

PARENTS = {
    "chain": (-1, 0, 1, 2, 3, 4),
    "star": (-1, 0, 0, 0, 0),
    "tree": (-1, 0, 0, 1, 1, 2, 2),
    "forest": (-1, -1, 0, 1, 0),
}


def pattern(parents: tuple[int, ...]) -> list[list[bool]]:
    """Where the mass matrix of a tree has entries: one joint supports the other."""
    n = len(parents)
    full = [[i == j for j in range(n)] for i in range(n)]
    for i in range(n):
        j = i
        while j >= 0:
            full[i][j] = full[j][i] = True
            j = parents[j]
    return full


def positive(mask: list[list[bool]], seed: int) -> np.ndarray:
    """A random symmetric positive definite matrix with these entries."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(len(mask), len(mask))) * np.array(mask)
    return np.array(A + A.T + 4 * len(mask) * np.eye(len(mask)))


def symbolic(mask: list[list[bool]]) -> tuple[Scheme, list[list[en.Node]], list[en.Node]]:
    """A scheme with inputs A (n·n) and b (n), and a matrix that holds the entries of the mask."""
    n = len(mask)
    scheme = Scheme("solve")
    names = [en.symbol(f"A_{i}_{j}", Rank.COORDINATE) for i in range(n) for j in range(n)]
    rhs = [en.symbol(f"b_{i}", Rank.COORDINATE) for i in range(n)]
    scheme.input(Input("A", (n, n), tuple(names)))
    scheme.input(Input("b", (n,), tuple(rhs)))
    entry = [
        [names[max(i, j) * n + min(i, j)] if mask[i][j] else en.ZERO for j in range(n)]
        for i in range(n)
    ]
    return scheme, entry, rhs


def written(mask: list[list[bool]]) -> Program:
    scheme, matrix, rhs = symbolic(mask)
    scheme.output("x", solve_symmetric(scheme, "x", matrix, rhs))
    return verify(scheme.program())


def as_block(mask: list[list[bool]], wide: int = 1, *, symmetric: bool = True) -> Program:
    scheme, matrix, rhs = symbolic(mask)
    columns = [[value * (k + 1) for k in range(wide)] for value in rhs]
    rows = scheme.solve("x", matrix, columns, symmetric=symmetric)
    scheme.output("x", [value for row in rows for value in row], (len(mask), wide))
    return verify(scheme.program())


MASKS = {
    **{f"dense{n}": [[True] * n for _ in range(n)] for n in (1, 2, 3, 6)},
    **{name: pattern(parents) for name, parents in PARENTS.items()},
}


@pytest.mark.parametrize("name", MASKS)
def test_solution_is_that_of_numpy(name: str) -> None:
    mask = MASKS[name]
    program, block = written(mask), as_block(mask)
    for seed in range(3):
        A, b = positive(mask, seed), np.random.default_rng(seed).normal(size=len(mask))
        expected = np.linalg.solve(A, b)
        assert_close(program.evaluate(A=A, b=b)["x"], expected, FORMALISM)
        assert_close(block.evaluate(A=A, b=b)["x"][:, 0], expected, FORMALISM)


@pytest.mark.parametrize("name", MASKS)
def test_zeros_of_a_tree_stay_zeros_and_the_count_is_true(name: str) -> None:
    mask = MASKS[name]
    program, block = written(mask), as_block(mask)
    assert program.count() == block.count()
    factors = sum(mask[i][j] for i in range(len(mask)) for j in range(i))
    assert program.count().div == len(mask)
    assert sum("_L_" in b.targets[0].name for b in program.blocks) == factors


def test_several_right_hand_sides_share_the_factorisation() -> None:
    mask = MASKS["tree"]
    one, three = as_block(mask), as_block(mask, 3)
    A, b = positive(mask, 0), np.arange(7.0)
    expected = np.linalg.solve(A, np.outer(b, [1, 2, 3]))
    assert_close(three.evaluate(A=A, b=b)["x"], expected, FORMALISM)
    assert three.count().div == one.count().div
    assert three.count().mul < 3 * one.count().mul


def test_general_matrices() -> None:
    n = 4
    scheme = Scheme("general")
    names = [en.symbol(f"A_{i}", Rank.COORDINATE) for i in range(n * n)]
    scheme.input(Input("A", (n, n), tuple(names)))
    matrix = [names[i * n : (i + 1) * n] for i in range(n)]
    rows = scheme.solve("x", matrix, [[en.number(i)] for i in range(n)], symmetric=False)
    scheme.output("x", [row[0] for row in rows])
    program = verify(scheme.program())
    A = np.random.default_rng(0).normal(size=(n, n))
    assert_close(program.evaluate(A=A)["x"], np.linalg.solve(A, np.arange(4.0)), FORMALISM)
    (block,) = [b for b in program.blocks if isinstance(b, Solve)]
    assert solve_count(block) == en.OperationCount(add=26, mul=26, div=10)


def test_batches_and_complex_numbers() -> None:
    program = as_block(MASKS["tree"])
    A = np.stack([positive(MASKS["tree"], seed) for seed in range(4)])
    b = np.random.default_rng(1).normal(size=(4, 7)) + 1e-3j
    x = program.evaluate(A=A, b=b)["x"]
    assert x.shape == (4, 7, 1)
    assert_close(np.abs(np.einsum("bij,bjk->bik", A, x)[..., 0] - b), np.zeros((4, 7)), FORMALISM)


def test_fill_in_is_what_elimination_from_the_last_row_makes() -> None:
    rows = fill_in([[], [], [0], [0, 1]])
    assert rows == [set(), {0}, {0}, {0, 1}]
    assert factor_products(rows) == 2 + 2 + 5
