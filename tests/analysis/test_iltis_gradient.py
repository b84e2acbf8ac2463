"""The Iltis over a bump: its gradient by twenty of its values against differences of runs."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from approx import COARSE_RUN, assert_close
from kinetree.model.parameters import scalars

BY = (
    "bump_left", "tyre_stiffness", "leaf_stiffness", "leaf", "radius_front", "A0", "SN",
    "gravity_z", "chassis.mass", "chassis.inertia_yy", "chassis.FL_arm_y", "chassis.FL_leaf_z",
    "chassis.F_rack_z", "FL_upright.arm_z", "FL_arm.mass", "FR_carrier.tie_rod_y",
    "RR_arm.inner_y", "RL_wheel.inertia_yy", "FL_tie_rod.length", "q0.z",
)  # fmt: skip
ENDS = {"q_z": kt.final("q_z"), "q_roll": kt.final("q_roll"), "qd_pitch": kt.final("qd_pitch")}
BUMPS = {"bump_left": 0.06, "bump_right": 0.02}
AXIS = {"q": "coordinate", "qd": "velocity"}
T, SHARE = 0.4, 3e-6
RUNS: dict[str, dict[str, Any]] = {"explicit": {"integrator": "rk4", "step": 2e-3}}
if os.environ.get("HYPOTHESIS_PROFILE") == "long":
    equal = {"integrator": "trapezoidal", "step": 0.01}
    tight = {"hybrid": 1e-12, "topological": 1e-10, "global": 1e-9}  # what Newton's method can
    RUNS |= {way: {"formulation": way, "tolerance": e, **equal} for way, e in tight.items()}


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
def test_against_differences(name: str) -> None:
    model, run = kt.load("examples/models/iltis.yaml"), RUNS[name]
    found = kt.sensitivity(
        model, T, ENDS, by=BY, method="adjoint", qd={"x": 5.0}, parameters=BUMPS, **run
    )
    named = {row: entry.value for row, entry in model.parameters.items()}
    values = {row: value for row, value, *_ in scalars(model)} | named | BUMPS
    values["q0.z"] = float(model.initial()[model.coordinates.index("z")])
    # one run per value and sign, all of them in one batch
    at = {row: np.full(2 * len(BY), float(values[row])) for row in BY}
    sizes = np.array([SHARE * abs(values[row]) for row in BY])
    for k, row in enumerate(BY):
        at[row][2 * k : 2 * k + 2] += sizes[k] * np.array([1, -1])
    how = {"method" if key == "integrator" else key: value for key, value in run.items()}
    runs = kt.simulate(
        model, T, q={"z": at.pop("q0.z")}, qd={"x": 5.0}, parameters=BUMPS | at, **how
    ).isel(time=-1)
    for end in ENDS:
        kind, _, label = end.partition("_")
        rows = runs[kind].sel({AXIS[kind]: label})
        table = (rows.values[::2] - rows.values[1::2]) / (2 * SHARE)
        shares = found.gradient.sel(measure=end).values * sizes / SHARE
        assert_close(shares, table, COARSE_RUN, end)
