"""Iltis at 20 m/s: the eigenvalues ROBOTRAN prints, and those of the vehicle itself.

`docs/theory/iltis.md` tells the story in full.

The printed ones come from a reading of the linear coefficients that is not the vehicle's: shocks
without natural length, cornering and camber stiffness as torques, a state that is not at rest.
Read that way they come out to the last printed digit; the other tests show what the reading is.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
import scipy.optimize
from tests.approx import AT_STATES, FOUR_DIGITS, READ_OFF
from tests.reference import iltis

import kinetree as kt

PRINTED = 1e-6  # seven printed digits

SPEED = 20.0
AXLES = {"F": "front", "R": "rear"}
WIDTH = "sqrt(w.R_xy**2 + w.R_yy**2)"
"""Sine of the angle between the axis of the wheel w and the normal of the level road."""


def coefficients(corner: str) -> dict[str, float]:
    """What the data print for linear analysis at one corner; k, c of the shock."""
    data, axle = iltis.published(), AXLES[corner[0]]
    shock = data["force_laws"]["shock_absorber"]["linearised_for_modal_analysis"][axle]
    tyre = data["tyre"]["linear_coefficients_for_modal_analysis"][axle]
    return {**shock, **tyre, "radius": data["tyre"][f"radius_{axle}"]}


def as_the_source_does(document: dict[str, Any]) -> None:
    """Shocks k L + c Ld of the whole length L; tyres of a damper, two torques and a trail."""
    for corner in iltis.CORNERS:
        c = coefficients(corner)
        document["forces"][f"{corner}_shock"]["law"] = f"{c['k']}*length + {c['c']}*rate"
        document["forces"][f"{corner}_tyre"] = source_tyre(f"{corner}_wheel", c)


def source_tyre(wheel: str, c: dict[str, float]) -> dict[str, Any]:
    """Load and lateral damper at a point behind the contact; torques by camber and slip angle.

    With the wheel's axis a: forward x = a × n, lateral y = n × x, upward in the wheel e = x × a.
    """
    x = (f"(w.R_yy/{WIDTH})", f"(-w.R_xy/{WIDTH})", "0")
    y = (f"(w.R_xy/{WIDTH})", f"(w.R_yy/{WIDTH})", "0")
    e = (f"({x[1]}*w.R_zy)", f"(-{x[0]}*w.R_zy)", WIDTH)
    vy, vx = (f"(w.v_x*{d[0]} + w.v_y*{d[1]})" for d in (y, x))
    side = f"(-{c['lateral_damping_at_20mps']}*{vy})"
    F = (f"{side}*{y[0]}", f"{side}*{y[1]}", f"(460000*({c['radius']} - w.p_z))")
    r = [f"(-{c['trail']}*{x[k]} - w.p_z/{WIDTH}*{e[k]})" for k in range(3)]
    overturning = f"({c['camber']}*atan(w.R_zy/{WIDTH}))"
    aligning = f"{c['cornering']}*atan({vy}/{vx})"
    T = [f"{r[k - 2]}*{F[k - 1]} - {r[k - 1]}*{F[k - 2]}" for k in range(3)]
    T = [f"{T[0]} + {overturning}*{x[0]}", f"{T[1]} + {overturning}*{x[1]}", f"{T[2]} + {aligning}"]
    return {"kind": "law", "points": {"w": wheel}, "force": {"w": F}, "torque": {"w": T}}


def running(model: kt.Model) -> dict[str, np.ndarray]:
    """Attitude of rest, 20 m/s ahead, wheels rolling."""
    names = list(model.coordinates)
    qd = np.zeros(len(names))
    qd[names.index("x")] = SPEED
    for corner in iltis.CORNERS:
        qd[names.index(f"spin_{corner}")] = SPEED / coefficients(corner)["radius"]
    return {"q": model.initial(), "qd": qd}


@cache
def held() -> tuple[kt.Linear, np.ndarray]:
    """The linear model of the source's reading, and the efforts that hold its state.

    ROBOTRAN takes A = -M⁻¹ [K G] from the derivatives of the reduced forces alone.  With constant
    efforts equal to the forces that are left, qdd = 0 and that is the exact linearisation.
    """
    model = iltis.model(as_the_source_does)
    how: dict[str, Any] = {
        "parameters": {"speed": SPEED},
        "partition": kt.partition(model, independent=iltis.INDEPENDENT),
    }
    left = kt.linearise(model, running(model), **how)
    at = [left.velocities.index(name) for name in iltis.INDEPENDENT]
    by_tau = left.B[10:, [left.inputs.index(f"tau_{name}") for name in iltis.INDEPENDENT]]
    tau = np.zeros(len(left.velocities))
    tau[at] = -np.linalg.solve(by_tau, left.qdd[at])
    return kt.linearise(model, running(model), tau=tau, **how), tau[at]


def printed() -> np.ndarray:
    rows = np.genfromtxt(iltis.DATA / "robotran_modal_20ms.csv", delimiter=",", names=True)
    return np.array(rows["re_per_s"] + 1j * rows["im_rad_per_s"])


def matched(found: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Found values in the order of the wanted ones, nearest to nearest."""
    distance = np.abs(wanted[:, None] - found[None, :])
    return np.array(found[scipy.optimize.linear_sum_assignment(distance)[1]])


def test_all_printed_eigenvalues() -> None:
    """Twenty values, each to half a unit of the fourth digit; two are zero."""
    linear, _ = held()
    wanted = printed()
    found = matched(np.linalg.eigvals(linear.A), wanted)
    assert np.all(np.abs(found - wanted) <= AT_STATES + 5 * FOUR_DIGITS * np.abs(wanted))


def test_printed_state_is_not_at_rest() -> None:
    """Shocks that pull by k L, 10 kN in place of some 300 N of thrust, leave kN.m at the leaves."""
    _, left = held()
    rest = iltis.published()["reference"]["static_equilibrium"]
    length = iltis.published()["reference"]["nominal_position"]["shock_length"]
    assert coefficients("FL")["k"] * length > 30 * abs(rest["front_shock"]["recomputed"])
    assert np.abs(left[6:]).min() > 2e3
    assert np.abs(left[6:]).max() == pytest.approx(3258, abs=1)


@pytest.mark.parametrize("corner", ["FL", "RR"])
def test_coefficients_are_the_slopes_of_the_laws(corner: str) -> None:
    """Cornering and camber stiffness are forces per angle, the shock's k a slope at rest.

    So the lateral damper is the cornering stiffness over the speed, and a torque of the cornering
    stiffness times the slip angle counts it twice, in a unit that is not its own.
    """
    c, F = coefficients(corner), {"F": 3829.5, "R": 3593.52}[corner[0]]
    t = iltis.published()["tyre"]["calspan"]
    cornering = t["A0"] + t["A1"] * F * (1 - F / t["A2"])
    camber = t["A3"] * F * (1 - F / t["A4"])
    assert c["cornering"] == pytest.approx(cornering, rel=2e-3)
    assert c["camber"] == pytest.approx(camber, rel=2e-3)
    assert c["trail"] == pytest.approx(-t["AF1"] * F, rel=2e-3)
    assert c["lateral_damping_at_20mps"] == pytest.approx(c["cornering"] / SPEED, rel=PRINTED)
    length = {"F": 0.4348738, "R": 0.4379429}[corner[0]]
    assert c["k"] == pytest.approx(
        2.8397e7 - 2 * 6.7061e7 * length + 3 * 5.2796e7 * length**2, rel=5e-3
    )


class Small:
    """Small motions of the vehicle itself, on Calspan tyres, by differences of its equations."""

    def __init__(self) -> None:
        model = iltis.model()
        chosen = kt.partition(model, independent=iltis.INDEPENDENT)
        self.function = kt.derive(model, "forward", partition=chosen).compile()
        self.at = [model.coordinates.index(name) for name in iltis.INDEPENDENT]
        port = next(port for port in self.function.inputs if port.name == "p")
        self.p = np.array(port.default, float)
        self.p[list(port.labels).index("speed")] = SPEED
        self.q = model.initial()

    def qdd(self, y: np.ndarray) -> np.ndarray:
        """Accelerations of the independent coordinates; y holds them and their velocities."""
        q, at = self.q.copy(), self.at
        qd = np.zeros(q.size)
        q[at], qd[at] = y[:10], y[10:]
        out = self.function(q=q, qd=qd, tau=0 * q, t=0.0, p=self.p)
        return np.array(out["qdd"][at])

    def slope(self, y: np.ndarray, columns: list[int]) -> np.ndarray:
        steps = 1e-6 * np.eye(20)[columns]
        return np.array([(self.qdd(y + s) - self.qdd(y - s)) / 2e-6 for s in steps]).T

    def steady(self) -> np.ndarray:
        """Height, pitch and leaves of straight running."""
        moving = [2, 3, 6, 7, 8, 9]
        y = np.concatenate([self.q[self.at], np.zeros(10)])
        y[10] = SPEED
        for _ in range(6):
            y[moving] -= np.linalg.solve(self.slope(y, moving)[moving], self.qdd(y)[moving])
        return y

    def eigenvalues(self, y: np.ndarray) -> np.ndarray:
        upper = np.concatenate([np.zeros((10, 10)), np.eye(10)], axis=1)
        A = np.concatenate([upper, self.slope(y, list(range(20)))])
        return np.linalg.eigvals(A)


VEHICLE = np.array([
    -29.81 + 82.01j, -29.68 + 82.86j, -29.32 + 85.95j, -27.71 + 71.49j, -23.75 + 13.78j,
    -4.900 + 11.12j, -3.944 + 9.481j, -4.055 + 3.779j,
])  # fmt: skip
"""Wheel hop (4), roll, bounce, pitch, lateral motion with yaw; by a program of its own.

That program reduces M and c of the tree by the Jacobian of the loops, and differentiates these."""


def test_modes_of_the_vehicle() -> None:
    """What kinetree's equations say of the vehicle, running straight on its own tyres."""
    small = Small()
    y = small.steady()
    assert np.abs(small.qdd(y)).max() < READ_OFF  # the drag of the toe angles is left
    found = matched(small.eigenvalues(y), VEHICLE)
    assert np.all(np.abs(found - VEHICLE) < READ_OFF * np.abs(VEHICLE))
