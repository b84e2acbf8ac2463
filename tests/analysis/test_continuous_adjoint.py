"""Derivatives of runs by SUNDIALS and SciPy: tangents with the run, adjoint on dense output."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kinetree as kt
import mechanisms
from analysis.test_sensitivity import FINE, oscillator, pushed
from approx import CLOSED, COARSE_RUN, IDENTITY, LONG_RUN, assert_close

LOOSE = {"BDF": LONG_RUN, "cvode_bdf": LONG_RUN}
"""Error of runs of low order, which take few steps."""
INTEGRATORS = ("cvode_adams", "cvode_bdf", "RK45", "DOP853", "Radau", "BDF", "LSODA")


@pytest.mark.parametrize("method", ["direct", "adjoint"])
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_oscillator_of_the_paper(integrator: str, method: str) -> None:
    found = kt.sensitivity(
        oscillator(), np.pi / 2, {"end": kt.final("q_y"), "at": kt.at_time("q_y", 0.777)},
        by=["c", "m", "qd0.y", "q0.y"], qd={"y": 0.5}, method=method, integrator=integrator,
        rtol=1e-10, atol=1e-12,
    )  # fmt: skip
    exact = [-0.25, 0.25, 1.0, 0.0]
    assert_close(found.gradient.sel(measure="end"), exact, LOOSE.get(integrator, CLOSED))
    t = 0.777
    slope = 0.25 * (t * np.cos(t) - np.sin(t))
    exact = [slope, -slope, np.sin(t), np.cos(t)]
    assert_close(found.gradient.sel(measure="at"), exact, LOOSE.get(integrator, CLOSED))
    kind = "continuous" if method == "adjoint" else None
    assert found.attrs.get("sensitivity_adjoint") == kind


def test_the_continuous_adjoint_goes_down_to_rounding() -> None:
    found = kt.sensitivity(
        oscillator(), np.pi / 2, {"end": kt.final("q_y")}, by=["c"], qd={"y": 0.5},
        method="adjoint", integrator="DOP853", rtol=2.2e-14, atol=2.2e-14,
    )  # fmt: skip
    assert_close(found.gradient[0, 0], -0.25, IDENTITY)


def test_loops_integrals_peaks_and_the_duration() -> None:
    crank = mechanisms.slider_crank()
    measures = {"end": kt.final("q_q3"), "work": kt.integral("qd_q1**2*pin.reaction.fx"),
                "peak": kt.peak("qd_q3")}  # fmt: skip
    by = ["crank.tip_x", "rod.end_x", "rod.mass", "q0.q1", "gravity_x", "duration"]
    exact = kt.sensitivity(crank, 1.0, measures, by=by, method="direct", **FINE).gradient
    found = kt.sensitivity(
        crank, 1.0, measures, by=by, method="adjoint", integrator="cvode_adams", rtol=1e-11,
        atol=1e-12,
    )  # fmt: skip
    assert_close(found.gradient, exact, LONG_RUN)


def test_changes_of_independent_coordinates_are_passed() -> None:
    model, end, by = mechanisms.chain(3), {"end": kt.final("q_q0")}, ["link0.mass", "link1.tip_x"]
    exact = kt.sensitivity(model, 1.5, end, by=by, method="direct", **FINE)
    assert exact.attrs["partitions"] > 2
    for method, integrator in (("adjoint", "dop853"), ("direct", "DOP853"), ("adjoint", "DOP853")):
        found = kt.sensitivity(model, 1.5, end, by=by, method=method, integrator=integrator,
                               rtol=1e-10, atol=1e-12)  # fmt: skip
        assert found.attrs["partitions"] > 2
        assert_close(found.gradient, exact.gradient, LONG_RUN, f"{method} {integrator}")


def test_a_stiff_system_has_its_gradient() -> None:
    """Two masses, one of them on a spring and a damper that are ten thousand times faster."""
    model = kt.Model("stiff", gravity=(0, 0, 0))
    c, d = model.parameter("c", 4.0), model.parameter("d", 1e5)
    one, two = model.body("one", mass=1.0), model.body("two", mass=1e-3)
    model.prismatic("y", model.ground, one, axis="x", initial=1.0)
    model.prismatic("r", one, two, axis="x")
    model.joint_spring("soft", "y", stiffness=c)
    model.joint_spring("hard", "r", stiffness=1e6, damping=d)
    run: dict[str, Any] = {"measures": {"end": kt.final("q_y")}, "by": ["c", "d", "q0.y"]}
    found = kt.sensitivity(
        model, 3.0, integrator="cvode_bdf", method="adjoint", rtol=1e-9, atol=1e-12, **run
    )
    assert found.attrs["sensitivity_steps"] < 2000  # explicit methods need millions
    m, T = 1.001, 3.0
    w = (4.0 / m) ** 0.5
    exact = [-T * np.sin(w * T) / (2 * m * w), 0.0, np.cos(w * T)]
    assert_close(found.gradient[0], exact, COARSE_RUN)


def test_what_is_refused() -> None:
    with pytest.raises(
        kt.errors.UnsupportedError, match=r"law with the condition .*: it jumps.*method='direct'"
    ):
        kt.sensitivity(pushed("select"), 2.0, {"v": kt.final("qd_x")}, by=["s"],
                       method="adjoint", integrator="DOP853")  # fmt: skip
    found = kt.sensitivity(pushed("select"), 2.0, {"v": kt.final("qd_x")}, by=["s"],
                           method="direct", integrator="DOP853", rtol=1e-11)  # fmt: skip
    assert_close(found.gradient[0, 0], (2 - 5) / 2**0.5, LONG_RUN)
