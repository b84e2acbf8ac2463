"""What errors of efforts do to estimates: the bound of Cramér and Rao, bodies that can exist."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.identification.arms import arm, motion, recorded

import kinetree as kt
from kinetree.analysis.identifying.columns import ParameterColumns, Unknowns
from kinetree.analysis.identifying.equations import equations
from kinetree.analysis.identifying.filtering import RecordedPiece
from kinetree.analysis.identifying.least_squares import least_squares
from kinetree.analysis.identifying.pseudo_inertia import is_physical

DRAWS, SIGMA = 500, 0.05
GUESS = (2.0, 2.5, 1.5)
RUBS = ("coulomb", "viscous")


def test_errors_of_parameters_are_those_of_the_bound_and_of_the_report() -> None:
    data = recorded(arm(rubs=True), motion(151))
    table = ParameterColumns(arm(GUESS), Unknowns(None, RUBS))
    piece = RecordedPiece(
        *(data[key] for key in ("time", "q", "qd", "qdd", "tau")), np.zeros((151, 0)), np.inf
    )
    rows, first = equations(table, [piece], [], 0.0), table.regrouping @ table.nominal
    exact = least_squares(rows, first).x
    W = rows.W.reshape(-1, len(exact))
    bound = SIGMA**2 * np.linalg.inv(W.T @ W)
    random, squares, said = np.random.default_rng(1), [], []
    for _ in range(DRAWS):
        noise = random.normal(scale=SIGMA, size=rows.y.shape)
        found = least_squares(replace(rows, y=rows.y + noise), first)
        e = found.x - exact
        squares.append(e @ np.linalg.solve(bound, e) / len(e))
        said.append(np.mean(np.diag(found.covariance) / np.diag(bound)))
    assert abs(np.mean(squares) - 1) < 0.05
    assert abs(np.mean(said) - 1) < 0.05


def test_consistent_estimates_are_physical_at_every_draw_and_predict_as_well() -> None:
    pytest.importorskip("clarabel")
    data, random = recorded(arm(rubs=True), motion(301)), np.random.default_rng(2)
    impossible = 0
    for _ in range(6):
        tau = data["tau"] + random.normal(scale=1.0, size=data["tau"].shape)
        free, real = (
            kt.identify(arm(GUESS), {**data, "tau": tau}, method, friction=RUBS, cutoff=0)
            for method in ("least_squares", "consistent")
        )
        bodies = np.array(list(real.standard.values())[:30]).reshape(3, 10)
        assert all(is_physical(row) for row in bodies)
        assert (real.data.rms_held <= 1.02 * free.data.rms_held).all()
        bodies = np.array(list(free.standard.values())[:30]).reshape(3, 10)
        impossible += not all(is_physical(row) for row in bodies)
    assert impossible  # errors are large enough for plain least squares to find such bodies
