"""PAC2002 on its own: closed forms, mirrored sides, radius, complex steps, refusals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from tests.approx import AT_STATES, GOLDEN, IDENTITY, ITERATED, READ_OFF
from tests.unit.forces import pac2002
from tests.unit.forces.pushed import free_model, state, wrenches

import kinetree as kt

VERTICAL = {"radius": 0.36, "stiffness": 2e5}
C = pac2002.COEFFICIENTS
PLAIN = {name: C[name] for name in ("PCX1", "PDX1", "PKX1", "PCY1", "PDY1", "PKY1", "PKY2")}
SYMMETRIC = {
    name: value for name, value in C.items()
    if not name.startswith(("PHX", "PVX", "PHY1", "PHY2", "PVY1", "PVY2", "QHZ1", "QHZ2", "QDZ6"))
}  # fmt: skip
LOAD = pac2002.ARGUMENTS["nominal_load"]


def tyre(coefficients: Any = None, **more: Any) -> Any:
    model = free_model()
    given = {"coefficients": C if coefficients is None else coefficients, "nominal_load": LOAD}
    model.force("tyre_pac2002", "tyre", ("wheel", model.ground), {**VERTICAL, **given, **more})
    return wrenches(model)


def wrench(at: Any, v: tuple[float, float], spin: float = 0.0, load: float = LOAD) -> np.ndarray:
    """[torque; force] on an upright wheel that carries a load."""
    height = VERTICAL["radius"] - load / VERTICAL["stiffness"]
    return at(*state((1, 0, 0, 0), (0, 0, height), (0, spin, 0), (*v, 0)))[0]


@pytest.mark.parametrize("load", [LOAD, 2 * LOAD])
def test_stiffness_and_peak_are_those_of_the_formula(load: float) -> None:
    """PKY1 F_z0 sin(2 atan(F_z/(PKY2 F_z0))) at small slip; PDY1 F_z where the sine is one."""
    at = tyre(PLAIN, spin=False)
    Ky = C["PKY1"] * LOAD * math.sin(2 * math.atan(load / (C["PKY2"] * LOAD)))
    Fy = wrench(at, (20, 20 * math.tan(1e-6)), load=load)[4]
    assert Fy == pytest.approx(Ky * 1e-6, rel=AT_STATES)
    top = math.tan(math.pi / 2 / C["PCY1"]) * C["PCY1"] * C["PDY1"] * load / Ky
    Fy = wrench(at, (20, 20 * math.tan(top)), load=load)[4]
    assert pytest.approx(C["PDY1"] * load, rel=GOLDEN) == abs(Fy)


def test_where_both_slide_the_force_is_on_the_ellipse() -> None:
    """A locked wheel far beyond its peaks, in several directions; E = 0, so C leaves a share."""
    at = tyre(PLAIN)
    share = [math.sin(C[f"PC{axis}1"] * math.pi / 2) for axis in "XY"]
    for angle in (0.2, 0.7, 1.3):
        found = wrench(at, (1e3 * math.cos(angle), 1e3 * math.sin(angle)), spin=-1e9)
        x, y = found[3] / (C["PDX1"] * LOAD), found[4] / (C["PDY1"] * LOAD)
        assert min(share) ** 2 - 0.01 < x**2 + y**2 < 1.0


def test_right_is_the_mirror_image_of_left() -> None:
    left, right = tyre(side="left"), tyre(side="right")
    a, b = wrench(left, (15, 0.4), 40.0), wrench(right, (15, -0.4), 40.0)
    assert b == pytest.approx(a * [-1, 1, -1, 1, -1, 1], rel=IDENTITY)
    assert abs(wrench(left, (15, 0.0), 40.0)[4]) > 10  # conicity and ply steer


def test_grip_scales_the_peak_and_leaves_the_stiffness() -> None:
    dry, wet = tyre(PLAIN, spin=False), tyre(PLAIN, spin=False, grip=0.5)
    Ky = C["PKY1"] * LOAD * math.sin(2 * math.atan(1 / C["PKY2"]))
    top = math.tan(math.pi / 2 / C["PCY1"]) * C["PCY1"] * 0.5 * C["PDY1"] * LOAD / Ky
    peak = abs(wrench(wet, (20, 20 * math.tan(top)))[4])
    assert peak == pytest.approx(0.5 * C["PDY1"] * LOAD, rel=GOLDEN)
    small = [wrench(at, (10, 1e-5))[4] for at in (dry, wet)]
    assert small[0] == pytest.approx(small[1], rel=AT_STATES)


def test_effective_radius_is_that_of_the_file() -> None:
    """No longitudinal force where ω = v/(R0 - ρ0 (D atan(B ρ/ρ0) + F ρ/ρ0))."""
    rolling = {"BREFF": 8.4, "DREFF": 0.27, "FREFF": 0.07}
    at, rest = tyre({**SYMMETRIC, **rolling}), LOAD / VERTICAL["stiffness"]
    for load in (LOAD, 0.4 * LOAD):
        share = load / LOAD
        r = VERTICAL["radius"] - rest * (0.27 * math.atan(8.4 * share) + 0.07 * share)
        assert wrench(at, (10, 0), 10 / r, load)[3] == pytest.approx(0, abs=ITERATED * load)


def test_no_load_and_no_speed_give_no_force_and_finite_slopes() -> None:
    """Whatever the shifts; just above zero the force is proportional to the load."""
    at = tyre()
    assert wrench(at, (0, 0), 0.0)[:5] == pytest.approx(np.zeros(5), abs=ITERATED)
    light = [wrench(at, (10, 1.0), 20.0, load)[4] / load for load in (1e-6, 1e-3)]
    assert light[0] == pytest.approx(light[1], rel=READ_OFF)
    air = at(*state((1, 0, 0, 0), (0, 0, 0.4), (0, 20, 0), (10, 1, 0)))[0]
    assert np.array_equal(air, np.zeros(6))


@pytest.mark.parametrize("motion", [(12.0, 0.5, 33.0), (12.0, 0.0, 30.0), (0.03, 0.01, 0.2)])
def test_derivatives_are_those_of_the_complex_step(motion: tuple[float, float, float]) -> None:
    model = kt.Model("wheel")
    body = model.body("wheel", 2.0, inertia=(0.3, 0.4, 0.3))
    model.sequence("to_wheel", model.ground, body, "T1 T2 T3 R3 R1 R2")
    given = {**VERTICAL, **pac2002.ARGUMENTS, "damping": 100.0}
    model.force("tyre_pac2002", "tyre", ("wheel", model.ground), given)
    tau = kt.derive(model, "inverse")
    slopes = kt.derive(model, "inverse_derivatives")
    vx, vy, spin = motion
    q = np.array([0.1, 0.2, 0.34, 0.03, 0.02, 0.5])
    qd = np.array([vx, vy, 0.1, 0.03, 0.02, spin])
    found = slopes.evaluate(**slopes.pick_inputs({"q": q, "qd": qd, "qdd": 0 * q}))
    for name in ("q", "qd"):
        for k in range(6):
            at = {"q": q.astype(complex), "qd": qd.astype(complex), "qdd": 0j * q}
            at[name][k] += 1e-30j
            slope = tau.evaluate(**tau.pick_inputs(at))["tau"].imag / 1e-30
            size = np.abs(slope).max() + 1.0
            assert found[f"dtau_d{name}"][:, k] == pytest.approx(slope, abs=GOLDEN * size)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"coefficients": {**PLAIN, "PKY9": 1.0}}, "no coefficient 'PKY9'"),
        ({"coefficients": {**PLAIN, "RBX1": 12.0}}, "RBX1 is of combined slip"),
        ({"coefficients": {**PLAIN, "PTX1": 2.0}}, "PTX1 is of relaxation"),
        ({"coefficients": {**PLAIN, "PCX1": "much"}}, "PCX1 is 'much'"),
        ({"coefficients": {"PCX1": 1.6}}, "no coefficient PDX1"),
        ({"coefficients": [1, 2]}, "not a mapping"),
        ({"side": "middle"}, "side is 'middle'"),
    ],
)
def test_mistakes_are_named(more: dict[str, Any], words: str) -> None:
    model = free_model()
    given = {**VERTICAL, "coefficients": PLAIN, "nominal_load": LOAD, **more}
    with pytest.raises(kt.errors.KinetreeError, match=words) as caught:
        model.force("tyre_pac2002", "tyre", ("wheel", model.ground), given)
    assert "force 'tyre'" in str(caught.value)
