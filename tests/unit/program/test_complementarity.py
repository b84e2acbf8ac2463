"""Boxed complementarity: the conditions hold, pivots are few, ties and warm starts do no harm."""

from __future__ import annotations

import itertools
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.approx import CROSS_ENGINE, IDENTITY, ROUNDING
from tests.unit.program.box import box_program

from kinetree.solve.settle import settle

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

SLACK = 1e-9


@cache
def compiled(n: int) -> Callable[..., Any]:
    return box_program(n).compile()


def solved(problem: dict[str, Any], modes: Any = None) -> tuple[dict[str, Any], int]:
    """The settled outputs and the number of pivots."""
    n = len(problem["b"])
    pivot = compiled(n)
    start = np.zeros(n) if modes is None else modes
    return settle(lambda m: pivot(**problem, modes=m), start)


def random_problem(n: int, seed: int, *, symmetric: bool = True) -> dict[str, Any]:
    """A P-matrix (positive definite, symmetric or not) and forces of which many are on bounds."""
    rng = np.random.default_rng(seed)
    L = rng.normal(size=(n, n))
    A = L @ L.T / n + 0.05 * np.eye(n)
    if not symmetric:
        skew = rng.normal(size=(n, n))
        A = A + skew - skew.T
    limit = rng.uniform(0.1, 1.0, n)
    return {"A": A, "b": rng.normal(size=n), "lower": -limit, "upper": limit}


def assert_solves(problem: dict[str, Any], out: dict[str, Any]) -> None:
    f, w, modes = out["f"], out["w"], out["modes"]
    lower, upper = np.asarray(problem["lower"]), np.asarray(problem["upper"])
    np.testing.assert_allclose(np.asarray(problem["A"]) @ f + problem["b"], w, atol=SLACK)
    assert (f >= lower - SLACK).all()
    assert (f <= upper + SLACK).all()
    assert (w[modes == -1] >= -SLACK).all()
    assert (w[modes == 1] <= SLACK).all()
    assert np.abs(w[modes == 0]).max(initial=0) <= SLACK
    np.testing.assert_allclose(f[modes == -1], lower[modes == -1])
    np.testing.assert_allclose(f[modes == 1], upper[modes == 1])


def brute_force(problem: dict[str, Any]) -> list[tuple[int, ...]]:
    """All modes whose conditions hold."""
    A, b = np.asarray(problem["A"]), np.asarray(problem["b"])
    found = []
    for modes in itertools.product((-1, 0, 1), repeat=len(b)):
        m = np.array(modes)
        f = np.where(m < 0, problem["lower"], np.where(m > 0, problem["upper"], 0.0))
        k = np.flatnonzero(m == 0)
        f[k] = np.linalg.solve(A[np.ix_(k, k)], -(b + A @ f)[k])
        w = A @ f + b
        inside = (f >= problem["lower"] - 1e-12).all() and (f <= problem["upper"] + IDENTITY).all()
        if inside and (w[m < 0] >= -1e-12).all() and (w[m > 0] <= IDENTITY).all():
            found.append(modes)
    return found


@settings(max_examples=60)
@given(st.sampled_from((1, 2, 3, 5, 8, 20)), st.integers(0, 10**6), st.booleans())
def test_the_conditions_hold(n: int, seed: int, symmetric: bool) -> None:
    problem = random_problem(n, seed, symmetric=symmetric)
    out, pivots = solved(problem)
    assert_solves(problem, out)
    assert pivots <= min(3**n, 50 * n)


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.booleans())
def test_modes_are_those_of_a_search_through_all(seed: int, symmetric: bool) -> None:
    problem = random_problem(5, seed, symmetric=symmetric)
    (only,) = brute_force(problem)
    assert tuple(solved(problem)[0]["modes"]) == only


@settings(max_examples=25)
@given(st.sampled_from((3, 8)), st.integers(0, 10**6))
def test_from_any_modes_to_the_same(n: int, seed: int) -> None:
    """The solution is one; the modes of a problem close by lead there in few pivots."""
    problem = random_problem(n, seed)
    out, cold = solved(problem)
    start = np.random.default_rng(seed).integers(-1, 2, n)
    np.testing.assert_array_equal(solved(problem, start)[0]["modes"], out["modes"])
    near = {**problem, "b": problem["b"] * (1 + 1e-3)}
    again, warm = solved(near, out["modes"])
    assert_solves(near, again)
    assert warm <= max(cold, 3)
    assert solved(problem, out["modes"])[1] == 0


@settings(max_examples=60)
@given(st.sampled_from((1, 2, 4, 9)), st.integers(0, 10**6))
def test_ties_settle(n: int, seed: int) -> None:
    """Forces exactly on their bounds with motions exactly zero: any mode that says so is right."""
    problem = random_problem(n, seed)
    rng = np.random.default_rng(seed)
    f = rng.choice([-1.0, 0.0, 1.0], n) * problem["upper"]
    problem["b"] = -problem["A"] @ f
    out, pivots = solved(problem, rng.integers(-1, 2, n))
    np.testing.assert_allclose(out["f"], f, atol=CROSS_ENGINE)
    assert pivots <= 3**n


def test_equal_whole_numbers_tie_everywhere() -> None:
    """Rows that are alike in every respect, as identical axes of a machine are."""
    n = 6
    problem = {
        "A": np.eye(n) + 1.0,
        "b": np.full(n, -7.0),
        "lower": -np.ones(n),
        "upper": np.ones(n),
    }
    out, _ = solved(problem)
    np.testing.assert_allclose(out["f"], 1.0)
    np.testing.assert_allclose(out["w"], 0.0, atol=ROUNDING)


def test_no_bound_above_is_the_plain_problem() -> None:
    problem = random_problem(6, 3)
    problem |= {"lower": np.zeros(6), "upper": np.full(6, np.inf)}
    pivot = box_program(6)
    out, _ = settle(lambda m: pivot.evaluate(**problem, modes=m), np.zeros(6))
    assert (out["f"] >= 0).all()
    assert (out["w"] >= -1e-12).all()
    assert abs(out["f"] @ out["w"]) < IDENTITY


def test_the_worst_case_goes_through_all_modes() -> None:
    """Triangles of ones and twos: the least index counts through 2ⁿ modes, and ends."""
    n = 8
    A = np.eye(n) + 2 * np.triu(np.ones((n, n)), 1)
    problem = {"A": A, "b": -np.ones(n), "lower": np.zeros(n), "upper": np.full(n, 1e6)}
    out, pivots = solved(problem, -np.ones(n))
    assert_solves(problem, out)
    assert pivots == 2**n - 1


def test_modes_that_do_not_settle_are_reported() -> None:
    with pytest.raises(ArithmeticError, match="do not settle"):
        settle(lambda m: {"modes": -m}, np.ones(1))
