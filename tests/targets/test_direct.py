"""General systems along their structure: quick where the diagonal serves, right where it fails."""

from __future__ import annotations

import numpy as np
import pytest
from tests.approx import CROSS_ENGINE, ITERATED, ULP

from kinetree import engine as en
from kinetree.program import Program
from kinetree.targets.native.systems import direct
from kinetree.targets.tape.pivot_order import diagonal_order
from targets import corpus

LEGS, SIZE, BASE = 4, 6, 4
N = BASE + LEGS * SIZE


def full(i: int, j: int) -> bool:
    """A base that everything touches, and legs that do not touch each other."""
    return i < BASE or j < BASE or (i - BASE) // SIZE == (j - BASE) // SIZE


PLACES = [(i, j) for i in range(N) for j in range(N) if full(i, j)]


def arrow(k: int) -> Program:
    a, b = corpus.vector("a", len(PLACES)), corpus.vector("b", N * k)
    entries = dict(zip(PLACES, a.symbols, strict=True))
    matrix = tuple(entries.get((i, j), en.ZERO) for i in range(N) for j in range(N))
    x = corpus.vector("x", N * k).symbols
    block = corpus.Solve(x, matrix, b.symbols, N, k, symmetric=False)
    outputs = (corpus.Output("x", (N, k), tuple(2 * e for e in x)),)
    return Program(f"arrow_{k}", (a, b), (), (block,), outputs)


def values(rng: np.random.Generator, diagonal: float) -> tuple[np.ndarray, np.ndarray]:
    A = np.zeros((N, N))
    for i, j in PLACES:
        A[i, j] = rng.standard_normal() + diagonal * (i == j)
    return A, np.array([A[i, j] for i, j in PLACES])


def test_the_order_keeps_the_structure() -> None:
    pattern = [[j for j in range(N) if full(i, j)] for i in range(N)]
    found = diagonal_order(pattern, direct.MOST)
    assert found is not None
    order, products = found
    assert sorted(order) == list(range(N))
    assert set(order[-BASE:]) == set(range(BASE)) or products < N**3 / 8
    assert diagonal_order(pattern, products - 1) is None
    assert diagonal_order([[1], [0]], direct.MOST) is None


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("diagonal", [30.0, 0.0])
def test_solutions(k: int, diagonal: float) -> None:
    rng = np.random.default_rng(7)
    function = arrow(k).compile()
    assert "@kt_body.0.test" in function.kernels.single_text()
    systems = [values(rng, diagonal) for _ in range(24)]
    b = rng.standard_normal((24, N, k))
    x = np.stack([np.linalg.solve(A, y) for (A, _), y in zip(systems, b, strict=True)])
    given = {"a": np.stack([row for _, row in systems]), "b": b.reshape(24, -1)}
    error = np.abs(function(**given)["x"] / 2 - x).max(axis=(1, 2))
    single = [function(a=given["a"][i], b=given["b"][i])["x"] / 2 - x[i] for i in range(24)]
    allowed = 1e-13 * np.array([np.linalg.cond(A) * np.abs(y).max()
                                for (A, _), y in zip(systems, x, strict=True)])  # fmt: skip
    assert (error <= allowed).all()
    assert (np.abs(single).max(axis=(1, 2)) <= allowed).all()


def test_a_zero_pivot_in_one_lane_is_no_obstacle() -> None:
    rng = np.random.default_rng(8)
    function = arrow(1).compile()
    systems = [values(rng, 20.0) for _ in range(8)]
    for i in range(N):
        systems[3][0][i, i] = 0.0
    rows = np.stack([[A[i, j] for i, j in PLACES] for A, _ in systems])
    b = rng.standard_normal((8, N))
    found = function(a=rows, b=b)["x"][..., 0] / 2
    for (A, _), y, x in zip(systems, b, found, strict=True):
        assert np.allclose(A @ x, y, rtol=0, atol=ITERATED)
    assert np.allclose(function(a=rows[3], b=b[3])["x"][:, 0] / 2, found[3], rtol=CROSS_ENGINE)


def test_arc_tangent_in_lanes() -> None:
    q = corpus.vector("q", 1)
    outputs = (corpus.Output("y", (1,), (en.atan(q.symbols[0]),)),)
    x = np.concatenate([
        np.linspace(-4, 4, 4001), np.logspace(-300, 300, 2001), -np.logspace(-9, 9, 501), [0.0],
    ])  # fmt: skip
    found = Program("arc", (q,), (), (), outputs).compile()(q=x[:, None])["y"][:, 0]
    assert (np.abs(found - np.arctan(x)) <= np.spacing(np.abs(np.arctan(x)))).all()


def test_divisions_by_one_value_share_its_inverse() -> None:
    q = corpus.vector("q", 4)
    a, b, c, d = q.symbols
    outputs = (corpus.Output("y", (3,), (a / d, (a + b) / d, b * c / d)),)
    program = Program("shares", (q,), (), (), outputs)
    assert program.compile().kernels.single_text().count("fdiv") == 1
    assert program.compile(strict=True).kernels.single_text().count("fdiv") == 3
    values = np.random.default_rng(3).uniform(0.5, 2.0, (20, 4))
    assert np.allclose(program.compile()(q=values)["y"], program.evaluate(q=values)["y"], ULP)
