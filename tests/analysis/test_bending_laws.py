"""Gradients through laws whose slope jumps: behind a bend tangents belong to the new branch."""

from __future__ import annotations

import cmath
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from approx import CLOSED, COARSE_RUN, LONG_RUN, TRAJECTORY, assert_close

T, GAP, SOFT, HARD, SPEED = 0.2, 0.1, 100.0, 1e6, 2.0


f = kt.functions
STOPS: dict[str, Any] = {
    "above": lambda gap, k: f.select(gap, k * gap, 0),
    "below": lambda gap, k: f.select(-gap, 0, k * gap),
    "scaled": lambda gap, k: f.select(3 * gap, k * gap, 0),
    "larger": lambda gap, k: k * f.maximum(gap, 0),
    "twice": lambda gap, k: f.select(f.maximum(2 * gap, 0), k * gap, 0),
    "never": lambda gap, k: f.select(-f.maximum(gap, 0), 1e3, f.select(gap, k * gap, 0)),
    "inside": lambda gap, k: f.select(gap, k * f.select(gap, gap, -gap), 0),
}
"""One force by selections of several kinds, of how far the mass is behind the gap [m]."""


def stopped(way: str = "above") -> kt.Model:
    """A mass of 1 kg on a spring, which meets one that is ten thousand times stiffer."""
    model = kt.Model("stopped", gravity=(0, 0, 0))
    model.prismatic("x", model.ground, model.body("body", mass=1.0), axis="x")
    k, stop = model.parameter("k", HARD), STOPS[way]
    model.joint_law("springs", "x", lambda q: -SOFT * q["x"] - stop(q["x"] - GAP, k))
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


def exact() -> Any:
    """Slopes of place and speed, one row each, by the stiffness and by the first speed."""
    tiny = 1e-20
    rows = [end(HARD + tiny * 1j, SPEED), end(HARD, SPEED + tiny * 1j)]
    return np.imag(np.array(rows)).T / tiny


def found(method: str, way: str = "above", **run: Any) -> Any:
    """The same by a run."""
    measures = {"q": kt.final("q_x"), "v": kt.final("qd_x")}
    return kt.sensitivity(
        stopped(way), T, measures, by=["k", "qd0.x"], qd={"x": SPEED}, method=method, **run
    )


@pytest.mark.parametrize("method", ["direct", "adjoint"])
@pytest.mark.parametrize(("integrator", "within"), [("dop853", TRAJECTORY), ("dopri5", COARSE_RUN)])
def test_a_stop_against_its_closed_form(integrator: str, within: float, method: str) -> None:
    """No stage of a step is on the other branch, so the error is that of the tolerance."""
    for rtol, share in ((1e-8, 1.0), (1e-10, 1e-2)):
        slopes = found(method, integrator=integrator, rtol=rtol, atol=rtol / 100).gradient
        assert np.abs(slopes.values / exact() - 1).max() < share * within


@pytest.mark.parametrize("way", STOPS)
def test_every_kind_of_branch_is_held(way: str) -> None:
    for method in ("direct", "adjoint"):
        slopes = found(method, way, rtol=1e-10, atol=1e-12)
        assert np.abs(slopes.gradient.values / exact() - 1).max() < LONG_RUN


def test_a_branch_is_held_over_kept_moments() -> None:
    whole, part = (found("adjoint", memory=memory) for memory in (None, 2000.0))
    assert part.attrs["sensitivity_repeats"] > 1
    assert np.array_equal(part.gradient, whole.gradient)


@pytest.mark.parametrize("method", ["direct", "adjoint"])
def test_what_is_brief_inside_a_step_is_found(method: str) -> None:
    """Free flight takes long steps, and no error tells of hurdles that begin and end in one."""
    model = kt.Model("flight", gravity=(0, 0, 0))
    model.prismatic("x", model.ground, model.body("body", mass=1.0), axis="x", initial=0.1)
    slow, speed = model.parameter("slow", 20.0), 10.0
    model.joint_law(
        "hurdles", "x", lambda q: -slow * f.select(f.cos(4 * np.pi * q["x"]) - 0.5, 1, 0)
    )
    run = kt.sensitivity(model, 0.12, {"v": kt.final("qd_x")}, by=["slow", "qd0.x"],
                         qd={"x": speed}, method=method)  # fmt: skip
    length = 2 / 6  # of the two hurdles at 0.5 m and 1 m
    last = np.sqrt(speed**2 - 2 * 20.0 * length)
    assert_close(run.value[0], last, CLOSED)
    assert_close(run.gradient[0], [-length / last, speed / last], CLOSED)


@pytest.mark.parametrize("integrator", ["dopri5", "dop853"])
@pytest.mark.parametrize(
    ("speed", "level"), [(40.0, 0.0), (700.0, 0.0), (40.0, 0.98), (30.0, -0.999)]
)
def test_a_force_that_changes_sides_often_is_followed(
    integrator: str, speed: float, level: float
) -> None:
    """No error tells of pulses, wide or narrow: steps are as short as their conditions ask for."""
    model, span = kt.Model("pulses", gravity=(0, 0, 0)), 1.2
    model.prismatic("x", model.ground, model.body("body", mass=1.0), axis="x")
    w, a = model.parameter("w", speed), model.parameter("a", 3.0)
    model.joint_law("push", "x", lambda q, t: f.select(f.sin(w * t) - level, a, -1.0) + 0 * q["x"])
    found = kt.sensitivity(
        model, span, {"v": kt.final("qd_x")}, by=["a", "w"], integrator=integrator
    )
    # pulses begin and end at phases that w moves; the run begins and ends with time alone
    turns = 2 * np.pi * np.arange(-1, speed * span)
    begins, ends = np.arcsin(level) + turns, np.pi - np.arcsin(level) + turns
    last = speed * span
    on = (np.clip(ends, 0, last) - np.clip(begins, 0, last)).sum() / speed
    by_speed = begins[(begins > 0) & (begins < last)].sum() - ends[(ends > 0) & (ends < last)].sum()
    assert_close(found.value, [3 * on - (span - on)], LONG_RUN)
    assert_close(found.gradient[0], [on, 4 * by_speed / speed**2], LONG_RUN)
