"""Tyres: kinematics of the contact against plain vectors, laws against plain formulas."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.approx import CROSS_ENGINE, EQUAL_STEPS, GOLDEN, IDENTITY
from tests.unit.forces import pac2002
from tests.unit.forces.pushed import call, free_model, in_ground, rotation, state, turned, wrenches

import kinetree as kt

FORCE_REL = 1e-8  # forces of kN by formulas of their own
FORCE_ABS = 1e-6  # [N]

VERTICAL = {"radius": 0.36, "stiffness": 4.6e5}
CALSPAN = {
    "A0": 2625.0, "A1": 14.47, "A2": 12930.0, "A3": 2.29, "A4": 18175.0,
    "B1": -0.464e-4, "B3": 1.216, "B4": 2.18e-11, "SN": 1.0274, "AF1": -0.171e-4, "AF2": 0.171e-4,
}  # fmt: skip
Law = Callable[[float, float, float, float, float], tuple[float, float, float]]
"""(load, alpha, kappa, gamma, sign of the speed) -> F_x, F_y, M_z."""


def calspan(
    F: float, alpha: float, kappa: float, gamma: float, _: float = 1
) -> tuple[float, float, float]:
    """The equations of FrikLeisterSchwartz1993 as the benchmark prints them."""
    del kappa
    A0, A1, A2, A3, A4 = (CALSPAN[f"A{k}"] for k in range(5))
    mu = (CALSPAN["B1"] * F + CALSPAN["B3"] + CALSPAN["B4"] * F**2) * CALSPAN["SN"]
    if F <= A2:
        of_camber = -A2 * A3 * (A4 - F) * F / (A4 * (A1 * F * (F - A2) - A0 * A2)) * gamma
        a = (A1 * F * (F - A2) - A0 * A2) / (A2 * mu * F) * (alpha + of_camber)
    else:
        of_camber = A2 * A3 * (A4 - A2) / (A0 * A4) * gamma
        a = -A0 / (mu * F) * (alpha + of_camber)
    g = a - a * abs(a) / 3 + a**3 / 27 if abs(a) < 3 else math.copysign(1, a)
    Fy = mu * F * g
    return 0.0, Fy, (CALSPAN["AF1"] * F + CALSPAN["AF2"] * abs(Fy)) * Fy


def magic(a: tuple[float, ...], F: float, X: float, BCD: float) -> float:
    """D sin(C atan(BX - E(BX - atan BX))), load in kN."""
    C, D, E = a[0], a[1] * F**2 + a[2] * F, a[6] * F**2 + a[7] * F + a[8]
    B = BCD / (C * D)
    return D * math.sin(C * math.atan(B * X - E * (B * X - math.atan(B * X))))


FY = (1.30, -22.1, 1011, 1078, 1.82, 0.208, 0, -0.354, 0.707)
FX = (1.65, -21.3, 1144, 49.6, 226, 0.069, -0.006, 0.056, 0.486)
MZ = (2.40, -2.72, -2.28, -1.86, -2.73, 0.110, -0.070, 0.643, -4.04)


def pacejka(
    load: float, alpha: float, kappa: float, gamma: float, _: float = 1
) -> tuple[float, float, float]:
    """The formula of BakkerNyborgPacejka1987 at the resultant slip."""
    F = load / 1000
    shifted = math.tan(alpha + 0.028 * gamma)
    slip = math.hypot(kappa, shifted)
    angle = math.degrees(math.atan(slip))
    Yy = magic(FY, F, angle, FY[3] * math.sin(FY[4] * math.atan(FY[5] * F)))
    Yx = magic(FX, F, 100 * slip, (FX[3] * F**2 + FX[4] * F) / math.exp(FX[5] * F))
    Yz = magic(MZ, F, angle, (MZ[3] * F**2 + MZ[4] * F) / math.exp(MZ[5] * F))
    thrust = 14.8 * F * math.degrees(gamma)
    return kappa / slip * Yx, -shifted / slip * Yy - thrust, -shifted / slip * Yz


def linear(
    load: float, alpha: float, kappa: float, gamma: float, _: float = 1
) -> tuple[float, float, float]:
    del load
    Fy = -(40e3 * alpha + 6e3 * gamma)
    return 50e3 * kappa, Fy, -0.06 * Fy


LINEAR = {
    "slip_stiffness": 50e3,
    "cornering_stiffness": 40e3,
    "camber_stiffness": 6e3,
    "trail": 0.06,
}
TYRES: dict[str, tuple[dict[str, Any], Law]] = {
    "tyre_linear": (LINEAR, linear),
    "tyre_calspan": (CALSPAN, calspan),
    "tyre_pacejka": ({}, pacejka),
    "tyre_pac2002": (pac2002.ARGUMENTS, pac2002.forces),
}


def expected(q: np.ndarray, w: np.ndarray, v: np.ndarray, law: Law, n: np.ndarray) -> Any:
    """(force, torque about the centre) of a wheel with axis y on the plane through 0 along n."""
    a, p = rotation(q[:4])[:, 1], q[4:]
    x = np.cross(a, n)
    x /= np.linalg.norm(x)
    y, e = np.cross(n, x), np.cross(x, a)
    h = n @ p
    tilt = n @ e
    depth = VERTICAL["radius"] * tilt - h
    load = max(0.0, VERTICAL["stiffness"] * depth)
    rho = -h / tilt * e
    spin = w @ a
    u = v + np.cross(w - spin * a, rho)
    gamma = math.atan2(n @ a, n @ e)
    kappa = (spin * (VERTICAL["radius"] - depth / 3) - u @ x) / abs(u @ x)
    Fx, Fy, Mz = law(load, math.atan(u @ y / abs(u @ x)), kappa, gamma, math.copysign(1, u @ x))
    F = Fx * x + Fy * y + load * n
    return F, np.cross(rho, F) + Mz * n


@cache
def loaded(kind: str, road: Any = None, **more: Any) -> Any:
    """(q, qd) -> wrench of a tyre on a wheel that is free in space."""
    model = free_model()
    place = model.ground if road is None else model.ground.point("road", rotation=road)
    model.force(kind, "tyre", ("wheel", place), {**VERTICAL, **TYRES[kind][0], **more})
    return wrenches(model)


MOTIONS = [
    ((10.0, 0.3, -0.1), (0.2, 27.0, 0.3), (0.05, 0.02, 0.4)),
    ((-6.0, 1.5, 0.2), (0.1, -17.0, -0.2), (-0.1, 0.0, 1.2)),
    ((3.0, 2.5, 0.0), (0.0, 5.0, 0.1), (0.12, 0.03, 0.2)),
]


@pytest.mark.parametrize("kind", TYRES)
@pytest.mark.parametrize("motion", MOTIONS)
@pytest.mark.parametrize("slope", [0.0, 0.3])
def test_wrench_on_the_wheel(kind: str, motion: Any, slope: float) -> None:
    """Any attitude, on a level and on an inclined road."""
    v, w, (roll, pitch, yaw) = motion
    R = np.array(kt.model.values.rotation_rpy(roll, pitch, yaw))
    road = np.array(kt.model.values.rotation_rpy(0.1 * slope, slope, 0.0))
    n = road[:, 2]
    p = 0.347 * n + 2.0 * road[:, 0]
    v, w = road @ np.array(v), road @ np.array(w)
    quaternion = _quaternion(road @ R)
    q, qd = state(quaternion, p, w, v)
    F, T = in_ground(quaternion, loaded(kind, tuple(map(tuple, road.tolist())))(q, qd)[0])
    F_ref, T_ref = expected(q, w, v, TYRES[kind][1], n)
    assert np.linalg.norm(F_ref[:2]) > 1
    assert pytest.approx(F_ref, rel=FORCE_REL, abs=FORCE_ABS) == F
    assert pytest.approx(T_ref, rel=FORCE_REL, abs=FORCE_ABS) == T


def _quaternion(R: np.ndarray) -> np.ndarray:
    """Quaternion of a rotation by less than half a turn."""
    w = math.sqrt(1 + np.trace(R)) / 2
    return np.r_[w, R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]] / np.r_[1, [4 * w] * 3]


@pytest.mark.parametrize("depth", [0.002, 0.0281, 0.0282, 0.035, 0.062, 0.075])
@pytest.mark.parametrize("alpha", [-0.5, -0.01, 0.003, 0.2])
def test_calspan_over_its_whole_range(depth: float, alpha: float) -> None:
    """Light and overloaded (A2 is met at 28.1 mm), sliding and gripping."""
    v = np.array([20 * math.cos(alpha), 20 * math.sin(alpha), 0])
    q, qd = state((1, 0, 0, 0), (0, 0, 0.36 - depth), (0, 0, 0), v)
    F, T = in_ground(q[:4], loaded("tyre_calspan")(q, qd)[0])
    F_ref, T_ref = expected(q, np.zeros(3), v, calspan, np.array([0, 0, 1.0]))
    assert pytest.approx(F_ref, rel=GOLDEN, abs=CROSS_ENGINE) == F
    assert pytest.approx(T_ref, rel=GOLDEN, abs=CROSS_ENGINE) == T


@pytest.mark.parametrize("kind", TYRES)
def test_signs(kind: str) -> None:
    """Sliding to the left pushes right; a top that leans right pushes right; driving pushes on."""
    at = loaded(kind)
    still = ((0, 0, 0.35), (0, 10 / 0.35666666666666663, 0))
    left = at(*state((1, 0, 0, 0), *still, (10, 0.5, 0)))[0]
    assert left[4] < -100
    assert left[2] > 0  # the force acts behind the contact point and turns the wheel into the slip
    lean = turned((1, 0, 0), 0.05)
    F, _ = in_ground(lean, at(*state(lean, *still, (10, 0, 0)))[0])
    assert F[1] < -50
    if kind != "tyre_calspan":
        assert at(*state((1, 0, 0, 0), (0, 0, 0.35), (0, 30, 0), (10, 0, 0)))[0, 3] > 100
        assert at(*state((1, 0, 0, 0), (0, 0, 0.35), (0, 25, 0), (10, 0, 0)))[0, 3] < -100


@pytest.mark.parametrize("kind", TYRES)
def test_in_the_air_there_is_no_force(kind: str) -> None:
    at = loaded(kind, damping=1000.0)
    q, qd = state(turned((1, 0, 0), 0.1), (0, 0, 0.37), (0, 20, 0), (10, 3, -2))
    assert at(q, qd)[0] == pytest.approx(np.zeros(6), abs=CROSS_ENGINE)


@pytest.mark.parametrize("kind", TYRES)
def test_at_rest_it_is_a_damper(kind: str) -> None:
    """No speed gives the load alone; creeping sideways is opposed, without a jump."""
    at = loaded(kind)
    rest = at(*state((1, 0, 0, 0), (0, 0, 0.35), (0, 0, 0), (0, 0, 0)))[0]
    assert rest == pytest.approx([0, 0, 0, 0, 0, 4600.0], rel=CROSS_ENGINE, abs=FORCE_ABS)
    creep = [
        at(*state((1, 0, 0, 0), (0, 0, 0.35), (0, 0, 0), (0, s, 0)))[0, 4] for s in (1e-5, 2e-5)
    ]
    assert creep[0] < 0
    assert creep[1] == pytest.approx(2 * creep[0], rel=1e-2)


def test_spin_that_is_not_modelled_gives_no_longitudinal_force() -> None:
    at = loaded("tyre_pacejka", spin=False)
    q, qd = state((1, 0, 0, 0), (0, 0, 0.35), (0, 0, 0), (10, 0, 0))
    assert at(q, qd)[0, 3] == 0


def test_three_tyres_share_the_load() -> None:
    one, three = (loaded("tyre_pacejka", count=count, spin=False) for count in (1, 3))
    light = state((1, 0, 0, 0), (0, 0, 0.355), (0, 0, 0), (10, 0.4, 0))
    heavy = state((1, 0, 0, 0), (0, 0, 0.345), (0, 0, 0), (10, 0.4, 0))
    assert three(*heavy)[0, 2:] == pytest.approx(3 * one(*light)[0, 2:], rel=IDENTITY)


def test_linear_tyre_is_bounded_by_friction_and_follows_the_load() -> None:
    bounded = loaded("tyre_linear", friction=0.8)
    q, qd = state((1, 0, 0, 0), (0, 0, 0.35), (0, 10 / 0.36, 0), (10, 30, 0))
    wrench = bounded(q, qd)[0]
    assert np.hypot(wrench[3], wrench[4]) < 0.8 * 4600
    slope = loaded("tyre_linear", nominal_load=4600.0, spin=False, camber_stiffness=0)
    Fy = [
        slope(*state((1, 0, 0, 0), (0, 0, z), (0, 0, 0), (10, 0.1, 0)))[0, 4] for z in (0.35, 0.34)
    ]
    assert Fy[1] == pytest.approx(2 * Fy[0], rel=IDENTITY)


@cache
def differentiated(kind: str) -> tuple[Any, Any]:
    """tau and its derivatives for a wheel on a curved road."""
    model = kt.Model("wheel")
    body = model.body("wheel", 2.0, inertia=(0.3, 0.4, 0.3))
    model.sequence("to_wheel", model.ground, body, "T1 T2 T3 R3 R1 R2")
    given = {**VERTICAL, **TYRES[kind][0], "damping": 100.0, "height": lambda x: 0.01 * x**2}
    model.force(kind, "tyre", ("wheel", model.ground), given)
    quantities = ("inverse", "inverse_derivatives")
    tau, slopes = (kt.derive(model, quantity).compile() for quantity in quantities)
    return tau, slopes


@pytest.mark.parametrize("kind", TYRES)
@pytest.mark.parametrize("motion", [(8.0, 0.3), (0.0, 0.0), (0.02, 0.01)])
def test_derivatives_are_those_of_differences(kind: str, motion: tuple[float, float]) -> None:
    tau, slopes = differentiated(kind)
    base = {
        "q": np.array([0.1, 0.2, 0.35, 0.3, 0.1, 0.5]),
        "qd": np.array([*motion, 0.1, 0.3, 0.2, motion[0] / 0.35]),
        "qdd": np.zeros(6),
    }
    out, step = call(slopes, **base), 1e-6
    for name in ("q", "qd"):
        for k in range(6):
            up, down = dict(base), dict(base)
            up[name], down[name] = base[name].copy(), base[name].copy()
            up[name][k] += step
            down[name][k] -= step
            slope = (call(tau, **up)["tau"] - call(tau, **down)["tau"]) / (2 * step)
            rough = 1e-3 + 1e-5 * np.abs(slope).max()  # differences of numbers near 1e4
            assert out[f"dtau_d{name}"][:, k] == pytest.approx(slope, rel=EQUAL_STEPS, abs=rough)


@pytest.mark.parametrize(
    ("kind", "arguments", "words"),
    [
        ("tyre_linear", {"slip_at": "middle"}, "slip_at is 'middle'"),
        ("tyre_linear", {"depth": 3}, "depth is 3"),
        ("tyre_linear", {"axis": (0, 0, 0)}, "zero length"),
        ("tyre_pacejka", {"lateral": (1, 2)}, "2 values"),
        ("tyre_pacejka", {"count": 0}, "count is 0"),
        ("tyre_calspan", {"A0": "stiff"}, "not a number"),
    ],
)
def test_mistakes_are_named(kind: str, arguments: dict[str, Any], words: str) -> None:
    model = free_model()
    given = {**VERTICAL, **TYRES[kind][0], **arguments}
    with pytest.raises(kt.errors.ModelError, match=words) as caught:
        model.force(kind, "tyre", ("wheel", model.ground), given)
    assert "force 'tyre'" in str(caught.value)
