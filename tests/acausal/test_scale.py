"""Large systems: accuracy of torn blocks, growth, determinism."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.acausal.grids import Grid, Ladder, Varistor, branches, potentials
from tests.approx import CLOSED, FORMALISM, TRAJECTORY, assert_close

import kinetree as kt
from kinetree.acausal import Component

ROOT = Path(__file__).parents[2]
SIDE = 14
"""Rounding grows sixfold from row to row where a grid is torn to one row: eleven digits in all."""


def wanted(component: Component, names: list[str]) -> list[float]:
    """Values of variables of a system without states."""
    program = kt.derive(component, wanted=names)
    rest = {row.name: np.zeros(row.shape) for row in program.inputs if row.default is None}
    return [float(x) for x in program.compile(tier="quick")(**rest)["wanted"]]


def test_a_grid_of_resistors_keeps_its_digits() -> None:
    grid = Grid(n=SIDE)
    found = wanted(grid, [f"R[{k}].p.v" for k in range(len(branches(SIDE)))])
    exact = potentials(SIDE)[[a for a, _, _ in branches(SIDE)]]
    assert_close(found, exact, FORMALISM)
    ((size, torn, linear, _),) = grid.report().blocks
    assert linear
    assert size > 900  # one algebraic loop through everything,
    assert SIDE**2 - 2 <= torn < 1.2 * SIDE**2  # which is about nodal analysis


def test_a_grid_that_is_not_linear_keeps_them_too() -> None:
    """The iteration begins at the solution of the start; its states ride along."""
    n, k = 7, 1e-3
    grid = Grid(n=n, kind=Varistor)
    run = kt.simulate(grid, 1.0, step=0.5)
    exact = potentials(n, k)[[a for a, _, _ in branches(n)]]
    found = [float(run[f"R[{j}].p.v"][-1]) for j in range(len(branches(n)))]
    assert_close(found, exact, CLOSED)


def test_short_blocks_are_torn_as_far_as_can_be() -> None:
    ((_, torn, _, _),) = Grid(n=3).report().blocks
    assert torn <= 5  # of nine nodes


@pytest.mark.parametrize("model", ["Grid(n=5)", "Grid(n=4, kind=Varistor)", "Ladder(n=20)"])
def test_the_same_model_gives_the_same_program_in_every_process(model: str) -> None:
    line = f"print({model}.as_mechanism().equations.digest)"
    code = f"from tests.acausal.grids import Grid, Ladder, Varistor\n{line}"
    found = set()
    for seed in ("1", "2"):
        env = {"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT / "src")}
        asked = [sys.executable, "-c", code]
        done = subprocess.run(asked, cwd=ROOT, check=True, text=True, capture_output=True, env=env)
        found.add(done.stdout)
    assert len(found) == 1


def test_reports_of_large_systems_stay_short() -> None:
    lines = Ladder(n=200).report().lines()
    assert lines[0].endswith("C[59].v and 140 more")
    assert max(map(len, lines)) < 1500


def test_a_ladder_falls_as_its_eigenvalues_say() -> None:
    n = 12
    run = kt.simulate(Ladder(n=n), 0.05, step=0.05, method="cvode_bdf", rtol=1e-9, atol=1e-12)
    A = np.diag(np.full(n, -2.0)) + np.diag(np.ones(n - 1), 1) + np.diag(np.ones(n - 1), -1)
    A[-1, -1] = -1.0
    A /= 1e3 * 1e-6
    values, vectors = np.linalg.eigh(A)
    end = 5.0 + vectors @ (np.exp(values * 0.05) * (vectors.T @ np.full(n, -5.0)))
    found = [float(run[f"C[{k}].v"][-1]) for k in range(n)]
    assert_close(found, end, TRAJECTORY)
