"""Gradients through laws whose slope jumps: behind a bend tangents belong to the new branch."""

from __future__ import annotations

import cmath
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from approx import PERCENT, assert_close

T, GAP, SOFT, HARD, SPEED = 0.2, 0.1, 100.0, 1e6, 2.0


def stopped() -> kt.Model:
    """A mass of 1 kg on a spring, which meets one that is ten thousand times stiffer."""
    model = kt.Model("stopped", gravity=(0, 0, 0))
    model.prismatic("x", model.ground, model.body("body", mass=1.0), axis="x")
    k = model.parameter("k", HARD)

    def force(q: Any) -> Any:
        return -SOFT * q["x"] - kt.functions.select(q["x"] - GAP, k * (q["x"] - GAP), 0)

    model.joint_law("springs", "x", force)
    return model


def end(k: complex, v: complex) -> tuple[complex, complex]:
    """Place and speed at the end: three harmonic motions one after the other."""
    w = SOFT**0.5
    hit = cmath.asin(GAP * w / v) / w
    speed = v * cmath.cos(w * hit)
    W = cmath.sqrt(SOFT + k)
    aside = GAP - k * GAP / W**2
    rest = T - hit - 2 * (cmath.pi / 2 - cmath.atan(aside * W / speed)) / W
    s, c = cmath.sin(w * rest), cmath.cos(w * rest)
    return GAP * c - speed * s / w, -GAP * w * s - speed * c


@pytest.mark.parametrize("method", ["direct", "adjoint"])
@pytest.mark.parametrize("integrator", ["dop853", "dopri5"])
def test_a_stop_against_its_closed_form(integrator: str, method: str) -> None:
    tiny = 1e-20
    rows = [end(HARD + tiny * 1j, SPEED), end(HARD, SPEED + tiny * 1j)]
    exact = np.imag(np.array(rows)).T / tiny
    found = kt.sensitivity(
        stopped(), T, {"q": kt.final("q_x"), "v": kt.final("qd_x")}, by=["k", "qd0.x"],
        qd={"x": SPEED}, method=method, integrator=integrator, rtol=1e-10, atol=1e-12,
    )  # fmt: skip
    for measure, row in zip(found.measure.values, exact, strict=True):
        for name, slope in zip(found.parameter.values, row, strict=True):
            own = found.gradient.sel(measure=measure, parameter=name)
            assert_close(own, slope, PERCENT, f"{measure} by {name}")
