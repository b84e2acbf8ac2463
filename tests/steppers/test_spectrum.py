"""Spectral radii on the linear oscillator: at infinite frequency they are the parameters."""

from __future__ import annotations

import numpy as np
import pytest
from tests.approx import AT_STATES, EQUAL_STEPS
from tests.steppers import systems

from kinetree.steppers import FAMILIES, step_program

CASES = [
    ("trapezoidal", None, 1.0),
    ("newmark", -0.2, 0.8 / 1.2),
    ("newmark", -0.52, 0.48 / 1.52),
    ("hht", 0.2, 0.8 / 1.2),
    ("hht", 1 / 3, 0.5),
    ("generalised_alpha", 0.0, 0.0),
    ("generalised_alpha", 0.5, 0.5),
    ("generalised_alpha", 0.9, 0.9),
]


def amplification(name: str, value: float | None, stiffness: float) -> np.ndarray:
    """Matrix of a step of 1 s, by exact derivatives of the step."""
    program = step_program(systems.oscillator(stiffness), method=name)
    state = [out.name.removesuffix("_next") for out in program.outputs if "_next" in out.name]
    made = program.derivative([f"{n}_next" for n in state], state, only=True)
    given = {n: np.zeros(1) for n in state} | {"h": np.asarray(1.0)}
    basic = FAMILIES[name].basic
    if basic is not None:
        given[basic.name] = np.asarray(value)
    names = {row.name for row in made.inputs}
    found = made.evaluate(**{k: v for k, v in given.items() if k in names})
    return np.array([[found[f"d{a}_next_d{b}"][0, 0] for b in state] for a in state])


@pytest.mark.parametrize(("name", "value", "radius"), CASES)
def test_radius_at_infinity(name: str, value: float | None, radius: float) -> None:
    # roots at infinity are double or triple: a finite frequency leaves a root of its inverse
    A = amplification(name, value, 1e12)
    assert np.abs(np.linalg.eigvals(A)).max() == pytest.approx(
        radius, abs=2 * EQUAL_STEPS if radius else 2e-2
    )


@pytest.mark.parametrize("name", ["trapezoidal", "newmark", "hht", "generalised_alpha"])
@pytest.mark.parametrize("stiffness", [1e-2, 1.0, 10.0, 1e3, 1e6])
def test_stable(name: str, stiffness: float) -> None:
    basic = FAMILIES[name].basic
    for value in (basic.least, basic.default, basic.most) if basic else (None,):
        A = amplification(name, value, stiffness)
        assert np.abs(np.linalg.eigvals(A)).max() <= 1 + AT_STATES
