"""A crank-rocker against its closed form: positions, speed ratio, energy of one freedom."""

from __future__ import annotations

from functools import cache

import numpy as np
from tests.approx import FORMALISM, IDENTITY, ITERATED
from tests.reference.closed_numeric import Closed, load

import kinetree as kt

PRINTED = 1e-5  # six printed digits

BASE, A, B, C = 0.4, 0.1, 0.35, 0.25


@cache
def system() -> Closed:
    return Closed(load("four_bar"))


def by_hand(angle: float) -> np.ndarray:
    """Coordinates for a crank angle, by the two circles about crank tip and pivot."""
    tip = A * np.array([np.cos(angle), np.sin(angle)])
    d = np.array([BASE, 0.0]) - tip
    length = np.hypot(*d)
    along = (length**2 + B**2 - C**2) / (2 * length)
    up = np.sqrt(B**2 - along**2)
    pin = tip + (along * d + up * np.array([-d[1], d[0]])) / length
    coupler = np.arctan2(*(pin - tip)[::-1])
    rocker = np.arctan2(pin[1], pin[0] - BASE)
    return np.array([angle, coupler - angle, rocker])


def test_crank_turns_a_full_circle() -> None:
    q = kt.assemble(system().model, independent=["crank"]).q
    for angle in np.arange(1.0, 1.0 + 2 * np.pi, 0.3):
        q = kt.assemble(system().model, [angle, *q[1:]], independent=["crank"]).q
        assert np.abs(np.sin((q - by_hand(angle)) / 2)).max() < IDENTITY


def test_accelerations_are_those_of_the_reduced_inertia() -> None:
    """m(a) a'' + m'(a) a'^2/2 + U'(a) = 0 with m and U by differences of the closed form."""

    def reduced(angle: float) -> tuple[float, float]:
        slope = (by_hand(angle + 1e-4) - by_hand(angle - 1e-4)) / 2e-4
        far = (by_hand(angle + 2e-4) - by_hand(angle - 2e-4)) / 4e-4
        slope = (4 * slope - far) / 3
        M = system().tree(q=by_hand(angle), qd=np.zeros(3))["M"]
        return float(slope @ M @ slope), system().energy(by_hand(angle), np.zeros(3))

    angle, rate, h = 2.2, 3.0, 1e-4
    (m1, u1), (m0, u0), (m, _) = reduced(angle + h), reduced(angle - h), reduced(angle)
    expected = -((m1 - m0) * rate**2 / 2 + u1 - u0) / (2 * h) / m
    q = by_hand(angle)
    J = system().constraint(q, np.zeros(3))["J"]
    qd = np.concatenate([[rate], np.linalg.solve(J[:, 1:], -J[:, 0] * rate)])
    assert abs(system().accelerations(q, qd)[0][0] - expected) < PRINTED * abs(expected)


def test_energy_stays() -> None:
    q, qd = system().run(np.linspace(0, 2, 21), by_hand(1.0), np.zeros(3), 1e-11)
    energy = [system().energy(*state) for state in zip(q, qd, strict=True)]
    assert np.ptp(energy) < ITERATED * np.ptp(q[:, 0])
    assert np.abs(np.sin((q - [by_hand(x) for x in q[:, 0]]) / 2)).max() < FORMALISM
