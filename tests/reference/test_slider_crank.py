"""EasyDyn's slider-crank with its loop closed by a constraint instead of by hand."""

from __future__ import annotations

from functools import cache

import numpy as np
import scipy.integrate
from tests.approx import CROSS_ENGINE, IDENTITY, RUN
from tests.reference.closed_numeric import Closed, load, table

import kinetree as kt


@cache
def system() -> Closed:
    return Closed(load("slider_crank"))


@cache
def start() -> np.ndarray:
    return kt.assemble(system().model, independent=["crank"]).q


def by_hand(q0: float) -> np.ndarray:
    """Coordinates for a crank angle, with alpha = asin(l1 sin(q0)/l2)."""
    alpha = np.arcsin(np.sin(q0) / 2)
    return np.array([q0, -alpha - q0, np.cos(q0) + 2 * np.cos(alpha)])


def test_assembly_is_the_closed_form() -> None:
    for angle in (-2.0, 0.3, 1.0, 3.0):
        rough = by_hand(angle) + np.array([0.0, 0.1, -0.1])
        found = kt.assemble(system().model, rough, independent=["crank"])
        assert np.abs(found.q - by_hand(angle)).max() < IDENTITY


def test_history() -> None:
    expected = table("seeds/easydyn_slider_crank.csv")
    q, qd = system().run(expected["t"], start(), np.zeros(3), 1e-11)
    assert np.abs(q[:, 0] - expected["q0"]).max() < CROSS_ENGINE
    assert np.abs(qd[:, 0] - expected["q0_d"]).max() < CROSS_ENGINE
    assert np.abs(q - [by_hand(angle) for angle in q[:, 0]]).max() < IDENTITY


def test_it_turns_at_minus_pi_minus_one() -> None:
    def stops(t: float, y: np.ndarray) -> float:
        del t
        return float(y[3])

    stops.terminal, stops.direction = True, 1.0  # type: ignore[attr-defined]
    found = scipy.integrate.solve_ivp(
        system().derivative,
        (0, 5),
        np.concatenate([start(), np.zeros(3)]),
        "DOP853",
        events=stops,
        rtol=1e-12,
        atol=1e-12,
    )
    (state,) = found.y_events[0][-1:]
    assert abs(state[0] + np.pi + 1) < RUN


def test_explicit_model_does_the_same() -> None:
    expected = table("seeds/easydyn_slider_crank.csv")
    exact = {"method": "dop853", "rtol": 1e-12, "atol": 1e-12}
    run = kt.simulate(system().model, 5.0, q=start(), step=0.05, **exact)
    assert np.abs(run.q.to_numpy()[:, 0] - expected["q0"]).max() < CROSS_ENGINE
    stops = {"turns": kt.Event("qd_crank", "rising", stops=True)}
    run = kt.simulate(system().model, 5.0, q=start(), events=stops, **exact)
    assert abs(float(run.q.sel(coordinate="crank")[-1]) + np.pi + 1) < RUN
