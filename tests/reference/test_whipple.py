"""Whipple's bicycle, linearised about upright running, against Meijaard et al. 2007.

The equations of the paper: M q'' + v C1 q' + (g K0 + v2 K2) q = T, q = (lean, steer).  Exact
derivatives come from complex arguments of M, c, h, J and Jdqd.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import scipy.optimize
from ruamel.yaml import YAML
from tests.approx import CROSS_ENGINE, FORMALISM, GOLDEN, IDENTITY, LONG_RUN
from tests.reference.closed_numeric import DATA, Closed, load

import kinetree as kt

FILE = YAML(typ="safe").load(DATA / "mbs_testset" / "mbsbenchmark_A01_A04.yaml")["whipple_bicycle"]
M = np.array([[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]])
K0 = np.array([[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]])
K2 = np.array([[0.0, 76.59734589573222], [0.0, 2.65431523794604]])
C1 = np.array([[0.0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]])
"""Of the paper, in the digits that public programs carry (dtk.bicycle and others agree)."""
STEP = 1e-30
"""Of complex differentiation."""


@cache
def programs() -> tuple[kt.Model, kt.Program, kt.Program]:
    model = load("whipple")
    return model, kt.derive(model, "mass_bias"), kt.derive(model, "constraints")


def numbers(*names: str) -> list[int]:
    """Numbers of velocities, which are those of the coordinates here."""
    return [programs()[0].velocities.index(name) for name in names]


def placed(angles: Any) -> np.ndarray:
    """Coordinates for lean and steer: height and pitch put both wheels on the ground."""
    _, _, loops = programs()
    q = np.zeros(9, complex)
    q[numbers("lean", "steer")] = angles
    v, rows = numbers("z", "pitch"), [0, 3]
    for _ in range(6):
        out = loops.evaluate(q=q, qd=np.zeros(9))
        q[v] -= np.linalg.solve(out["J"][np.ix_(rows, v)], out["h"][rows])
    return q


def accelerations(angles: Any, rates: Any, speed: float, torques: Any = (0.0, 0.0)) -> np.ndarray:
    """Accelerations of lean and steer."""
    _, tree, loops = programs()
    q, qd, tau = placed(angles), np.zeros(9, complex), np.zeros(9, complex)
    u = numbers("lean", "steer", "rear_spin")
    v = [k for k in range(9) if k not in u]
    qd[u] = [*rates, -speed / FILE["rear_wheel"]["r"]]
    tau[u[:2]] = torques
    J = loops.evaluate(q=q, qd=qd)["J"]
    qd[v] = np.linalg.solve(J[:, v], -J[:, u] @ qd[u])
    out, loop = tree.evaluate(q=q, qd=qd), loops.evaluate(q=q, qd=qd)
    saddle = np.block([[out["M"], -J.T], [J, np.zeros((6, 6))]])
    found = np.linalg.solve(saddle, np.concatenate([tau - out["c"], -loop["Jdqd"]]))
    return np.asarray(found[u[:2]])


def slopes(speed: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Derivatives of both accelerations by angles, rates and torques about upright running."""
    found = []
    for k in range(6):
        x = np.zeros(6, complex)
        x[k] = 1j * STEP
        found.append(accelerations(x[:2], x[2:4], speed, x[4:]).imag / STEP)
    A = np.array(found).T
    return A[:, :2], A[:, 2:4], A[:, 4:]


@cache
def linearised() -> dict[str, np.ndarray]:
    """M, C1, K0, K2 from the slopes at rest and at 1 m/s."""
    still, _, compliance = slopes(0.0)
    moving, damping, _ = slopes(1.0)
    mass = np.linalg.inv(compliance)
    return {
        "M": mass,
        "K0": -mass @ still / FILE["gravity"],
        "K2": mass @ (still - moving),
        "C1": -mass @ damping,
    }


def test_three_freedoms_of_velocity() -> None:
    found = kt.partition(programs()[0])
    assert found.mobility == 3
    assert not found.redundant
    assert len(found.rate_dependent) == 4
    assert {"z", "pitch"} == set(found.dependent)


def test_linearised_matrices_are_the_published_ones() -> None:
    for name, expected in {"M": M, "C1": C1, "K0": K0, "K2": K2}.items():
        assert np.abs(linearised()[name] - expected).max() < IDENTITY, name


def test_slopes_are_polynomials_of_the_speed() -> None:
    stiff, damping, _ = slopes(5.0)
    own = linearised()
    inverse = np.linalg.inv(own["M"])
    assert (
        np.abs(stiff + inverse @ (FILE["gravity"] * own["K0"] + 25 * own["K2"])).max() < FORMALISM
    )
    assert np.abs(damping + 5 * inverse @ own["C1"]).max() < FORMALISM


def test_weave_and_capsize_speeds() -> None:
    own = linearised()
    inverse = np.linalg.inv(own["M"])

    def coefficients(v: float) -> tuple[float, float, float, float]:
        """b, c, d, e of s^4 + b s^3 + c s^2 + d s + e."""
        K = inverse @ (FILE["gravity"] * own["K0"] + v**2 * own["K2"])
        C = v * inverse @ own["C1"]
        mixed = C[0, 0] * K[1, 1] + C[1, 1] * K[0, 0] - C[0, 1] * K[1, 0] - C[1, 0] * K[0, 1]
        middle = np.trace(K) + np.linalg.det(C)
        return float(np.trace(C)), float(middle), float(mixed), float(np.linalg.det(K))

    def weave(v: float) -> float:  # Routh: an oscillation that neither grows nor decays
        b, c, d, e = coefficients(v)
        return b * c * d - d**2 - b**2 * e

    speed = scipy.optimize.brentq(weave, 4, 5, xtol=1e-14, rtol=1e-14)
    assert abs(speed - FILE["reference"]["weave_speed"]) < CROSS_ENGINE
    speed = scipy.optimize.brentq(lambda v: coefficients(v)[3], 5.5, 6.5, xtol=1e-14, rtol=1e-14)
    assert abs(speed - FILE["reference"]["capsize_speed"]) < CROSS_ENGINE


def test_run_at_a_stable_speed_keeps_energy_and_rolls() -> None:
    """4.6 m/s with a push of 0.5 rad/s in lean: upright again after some seconds."""
    system = Closed(programs()[0])
    qd = np.zeros(9)
    qd[numbers("x", "rear_spin", "front_spin", "lean")] = [4.6, -4.6 / 0.3, -4.6 / 0.35, 0.5]
    q, qd_at = system.run(np.linspace(0, 5, 11), np.zeros(9), qd, 1e-10)
    energy = [system.energy(*state) for state in zip(q, qd_at, strict=True)]
    assert np.ptp(energy) < LONG_RUN
    lean = numbers("lean")[0]
    assert np.abs(q[:, lean]).max() > 0.05
    assert abs(q[-1, lean]) < 0.05
    slip = system.constraint(q[-1], qd_at[-1])
    assert np.abs(slip["J"] @ qd_at[-1]).max() < IDENTITY


def test_linearised_explicit_model_is_the_published_one() -> None:
    for v in (1.0, 5.0):
        qd = {"x": v, "rear_spin": -v / 0.3, "front_spin": -v / 0.35}
        linear = kt.linearise(programs()[0], {"qd": qd})
        rows = [linear.states.index(n) for n in ("q_lean", "q_steer", "qd_lean", "qd_steer")]
        A = linear.A[np.ix_(rows, rows)]
        right = np.hstack([FILE["gravity"] * K0 + v**2 * K2, v * C1])
        assert np.abs(A[2:] + np.linalg.solve(M, right)).max() < GOLDEN
