"""The Manutec r3 of 1993: M, c and torques at the printed state, without and with a load."""

from __future__ import annotations

from typing import Any

import pytest
from tests.approx import GOLDEN, assert_close
from tests.reference import manutec

import kinetree as kt

pytestmark = pytest.mark.golden
CASES = manutec.golden_cases()


def arm(case: dict[str, Any]) -> kt.Model:
    load = "point" if case["mL"] else "none"
    return manutec.r3(load, mass=case["mL"], com=tuple(case["rL"]))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"load_{case['mL']:g}kg")
def test_torques(case: dict[str, Any]) -> None:
    program = kt.derive(arm(case), "inverse")
    out = program.evaluate(q=case["q"], qd=case["qd"], qdd=case["qdd"])
    assert_close(out["tau"], case["tau"], GOLDEN, "r3 torques")


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"load_{case['mL']:g}kg")
def test_mass_matrix_and_bias(case: dict[str, Any]) -> None:
    out = kt.derive(arm(case), "mass_bias").evaluate(q=case["q"], qd=case["qd"])
    assert_close(out["M"], case["M"], GOLDEN, "r3 M")
    assert_close(out["c"], case["c"], GOLDEN, "r3 c")


def test_load_is_a_parameter() -> None:
    program = kt.derive(manutec.r3("point", mass=1.0, com=(0.0, 0.2, 0.0)), "inverse")
    p = program.input("p")
    assert p.default is not None
    values, case = list(p.default), CASES[1]
    for name, value in zip(("mL", "rL_x", "rL_y", "rL_z"), (case["mL"], *case["rL"]), strict=True):
        values[p.labels.index(name)] = value
    out = program.evaluate(q=case["q"], qd=case["qd"], qdd=case["qdd"], p=values)
    assert_close(out["tau"], case["tau"], GOLDEN, "r3 torques with the load given at run time")
