"""Whipple's bicycle: rolling constraints in the linear model, against published speeds.

Refs: Meijaard, Papadopoulos, Ruina, Schwab 2007, as carried by data/mbs_testset.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.approx import CROSS_ENGINE, FORMALISM, READ_OFF

import kinetree as kt

MODELS = Path(__file__).resolve().parents[2] / "examples" / "models"
STATES = ("q_lean", "q_steer", "qd_lean", "qd_steer")
WEAVE, CAPSIZE = 4.29238253634111, 6.02426201538837
"""Speeds at which the upright bicycle becomes stable, and unstable again [m/s]."""


def eigenvalues(speed: float) -> np.ndarray:
    """Of lean and steer; place, heading and spin do not act on them."""
    model = kt.load(MODELS / "whipple.yaml")
    linear = kt.linearise(model, at={"qd": {"x": speed}})
    assert np.abs(linear.qdd).max() < FORMALISM
    at = [linear.states.index(name) for name in STATES]
    return np.sort_complex(np.linalg.eigvals(linear.A[np.ix_(at, at)]))


@pytest.mark.parametrize("speed", [WEAVE, CAPSIZE])
def test_a_mode_is_neither_damped_nor_excited_at_the_published_speeds(speed: float) -> None:
    assert np.abs(eigenvalues(speed).real).min() < CROSS_ENGINE


def test_eigenvalues_at_five_metres_per_second() -> None:
    published = [
        -14.07838969279822,
        -0.77534188219585 - 4.46486771378823j,
        -0.77534188219585 + 4.46486771378823j,
        -0.32286642900409,
    ]
    assert eigenvalues(5.0) == pytest.approx(published, rel=CROSS_ENGINE)


def test_modes_keep_their_numbers_beside_those_that_move_freely() -> None:
    """Eigenvalues of zero come in pairs that rounding parts; those of others are found behind."""
    model = kt.load(MODELS / "whipple.yaml")
    base = model.parameters["base"].value
    measures = {str(k): kt.growth(k) for k in (7, 8, 9)}
    run = {"measures": measures, "by": [], "at": "start", "qd": {"x": 3.0}}
    usual = kt.sensitivity(model, **run).value.values
    for share in (1e-4, -1e-4, 2e-4, -2e-4):
        moved = kt.sensitivity(model, parameters={"base": base * (1 + share)}, **run).value.values
        assert moved == pytest.approx(usual, rel=READ_OFF)
    with (
        pytest.warns(kt.errors.ModelWarning, match="as a group alone"),
        pytest.raises(kt.errors.ModelError, match=r"measure 'd'.*is zero"),
    ):
        kt.sensitivity(model, **{**run, "measures": {"d": kt.damping(1)}})
