"""Bricard's mechanism: a redundant loop that moves, against the benchmark's trajectory."""

from __future__ import annotations

from functools import cache

import numpy as np
from tests.approx import CLOSED, CROSS_ENGINE, IDENTITY, ITERATED, TRAJECTORY
from tests.reference.closed_numeric import Closed, load, table

import kinetree as kt


@cache
def system() -> Closed:
    return Closed(load("bricard"))


def test_it_moves_although_counting_says_no() -> None:
    found = kt.partition(system().model)
    assert (found.structural_mobility, found.mobility) == (0, 1)
    assert not found.singular
    (row,) = found.redundant
    assert row.startswith("last.")
    assert found.redundant[row]


def test_reaction_of_a_redundant_loop_balances() -> None:
    """M qdd + c - Jᵀ lam vanishes although J has no full rank; qdd satisfies every equation."""
    rng = np.random.default_rng(2)
    q, qd = system().project(rng.uniform(-0.1, 0.1, 5), rng.uniform(-1, 1, 5))
    qdd, lam = system().accelerations(q, qd)
    loop, tree = system().constraint(q, qd), system().tree(q=q, qd=qd)
    assert np.linalg.matrix_rank(loop["J"], tol=1e-9) == 4
    assert np.abs(tree["M"] @ qdd + tree["c"] - loop["J"].T @ lam).max() < IDENTITY
    assert np.abs(loop["J"] @ qdd + loop["Jdqd"]).max() < IDENTITY


def test_ten_seconds() -> None:
    expected = table("mbs_testset/A04_bricard_reference.csv")
    q, qd = system().run(expected["t"], np.zeros(5), np.zeros(5), 1e-11)
    for k in range(5):  # ten digits are printed
        assert np.abs(q[:, k] - expected[f"q{k + 1}"]).max() < CROSS_ENGINE
    energy = [system().energy(*state) for state in zip(q, qd, strict=True)]
    assert np.ptp(energy) < ITERATED * abs(energy[0])


def test_paths_of_two_joints() -> None:
    expected = table("mbs_testset/A04_bricard_reference.csv")
    places = kt.derive(system().model, "kinematics", points=["rod2.end", "rod3.end"])
    q = np.stack([expected[f"q{k + 1}"] for k in range(5)], axis=1)
    out = places.evaluate(q=q, qd=np.zeros_like(q), qdd=np.zeros_like(q))
    for name, point in (("P3", "rod2.end"), ("P4", "rod3.end")):
        path = np.stack([expected[f"{name}{axis}"] for axis in "xyz"], axis=1)
        assert np.abs(out[f"{point}.position"] - path).max() < CROSS_ENGINE


def test_explicit_model_for_ten_seconds() -> None:
    expected = table("mbs_testset/A04_bricard_reference.csv")
    run = kt.simulate(system().model, 10.0, method="dop853", rtol=1e-11, atol=1e-11, step=0.05)
    q, qd = run.q.to_numpy(), run.qd.to_numpy()
    for k in range(5):
        assert np.abs(q[:, k] - expected[f"q{k + 1}"]).max() < CROSS_ENGINE
    assert np.abs(system().loops(q=q, qd=qd)["h"]).max() < CLOSED
    energy = [system().energy(*state) for state in zip(q, qd, strict=True)]
    assert np.ptp(energy) < TRAJECTORY * abs(energy[0])
