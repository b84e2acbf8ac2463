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
LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
if LONG:
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


def compare_a_start_at_rest(method: str) -> None:
    """Masses, leaves and lengths move where the car stands; runs begin there by other functions."""
    model, held = kt.load("examples/models/iltis.yaml"), ["x", "y", "yaw"]
    by = ("chassis.mass", "leaf_stiffness", "FL_arm.inner_y", "FL_tie_rod.length", "tyre_stiffness")
    steps: dict[str, Any] = {"formulation": "hybrid", "step": 0.01, "tolerance": 1e-12}
    found = kt.sensitivity(
        model, T, ENDS, by=by, method=method, begin="equilibrium", locked=held, qd={"x": 5.0},
        parameters=BUMPS, integrator="trapezoidal", **steps,
    )  # fmt: skip
    named = {row: entry.value for row, entry in model.parameters.items()}
    values = {row: value for row, value, *_ in scalars(model)} | named

    def ends(changed: dict[str, float]) -> Any:
        rest = kt.equilibrium(model, locked=held, parameters=BUMPS | changed)
        run = kt.simulate(
            model, T, q=rest.q, qd={"x": 5.0}, parameters=BUMPS | changed, method="trapezoidal",
            **steps,
        ).isel(time=-1)  # fmt: skip
        return np.array([
            float(run[kind].sel({AXIS[kind]: label}))
            for kind, _, label in (end.partition("_") for end in ENDS)
        ])  # fmt: skip

    for name in by:
        size = 1e-4 * abs(float(values[name]))
        change = (ends({name: values[name] + size}) - ends({name: values[name] - size})) / (2e-4)
        slopes = found.gradient.sel(parameter=name) * abs(values[name])
        assert_close(slopes, change, COARSE_RUN, name, scale=float(np.abs(change).max()) or 1.0)


if LONG:  # a minute

    @pytest.mark.slow
    @pytest.mark.parametrize("method", ["direct", "adjoint"])
    def test_a_start_at_rest_against_differences(method: str) -> None:
        compare_a_start_at_rest(method)
