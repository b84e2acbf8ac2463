"""Derivatives of runs of connected components, by both methods: a closed form."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from tests.approx import FORMALISM, LONG_RUN, assert_close

import kinetree as kt
from kinetree.acausal import Component, connect, part
from kinetree.library import electrical as el


class Charging(Component):
    """A capacitor of 0.5 F behind 2 ohm under 3 V: v = 3 (1 - exp(-t/RC))."""

    source, ground = part(el.ConstantVoltage, V=3.0), part(el.Ground)
    R, C = part(el.Resistor, R=2.0), part(el.Capacitor, C=0.5)

    def equations(self) -> Iterator[Any]:
        """One loop."""
        yield connect(self.source.p, self.R.p)
        yield connect(self.R.n, self.C.p)
        yield connect(self.C.n, self.source.n, self.ground.p)


@pytest.mark.parametrize("integrator", ["dop853", "cvode_bdf"])
def test_a_capacitor_is_charged(integrator: str) -> None:
    measures = {"end": kt.final("C.v"), "heat": kt.integral("R.v*R.i"), "rms": kt.rms("C.v")}
    run = {"integrator": integrator, "rtol": 1e-11, "atol": 1e-12}
    by = ["R.R", "C.C", "source.V"]
    direct, adjoint = (
        kt.sensitivity(Charging(), 0.7, measures, by=by, x={"C.v": 0.0}, method=method, **run)
        for method in ("direct", "adjoint")
    )
    assert_close(
        adjoint.gradient, direct.gradient, FORMALISM if integrator == "dop853" else LONG_RUN
    )
    t, fall = 0.7, np.exp(-0.7)
    known = [-3 * fall * t / 2, -3 * fall * t / 0.5, 1 - fall]
    assert_close(direct.gradient.sel(measure="end"), known, LONG_RUN)
    # heat: V² C/2 (1 - exp(-2t/RC))
    slope = 9 * 0.25 * 2 * np.exp(-2 * t) * t
    heat = [-slope / 2, 4.5 * (1 - np.exp(-2 * t)) - slope / 0.5, 1.5 * (1 - np.exp(-2 * t))]
    assert_close(direct.gradient.sel(measure="heat"), heat, LONG_RUN)
