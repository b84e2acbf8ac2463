"""Andrews' squeezing mechanism against the Test Set for IVP Solvers.

The published state at t = 0.03 s balances energy and work to 2e-10 J and satisfies the velocity
constraints to 1e-9 m/s only; the run here is a thousand times better in both, so velocities, of
which small ones change at 3e5 rad/s2, are compared on the scale of the largest.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from ruamel.yaml import YAML
from tests.approx import CROSS_ENGINE, GOLDEN, IDENTITY, TRAJECTORY, assert_close
from tests.reference.closed_numeric import DATA, Closed, load

import kinetree as kt

FILE: dict[str, Any] = YAML(typ="safe").load(DATA / "mbs_testset" / "andrews_squeezer.yaml")
P: dict[str, float] = FILE["parameters"]
NAMES: list[str] = FILE["coordinates"]


def ours(values: Any) -> np.ndarray:
    """Values in the order of the file, in the order of our coordinates."""
    return np.array([values[NAMES.index(name)] for name in load("andrews").coordinates])


START = ours(FILE["initial"]["q"])
END: dict[str, Any] = FILE["reference_t_0.03"]


def spring(gamma: float) -> tuple[float, float]:
    """Moment on gamma and energy of the spring between D and C, by hand."""
    s, c = np.sin(gamma), np.cos(gamma)
    x, y = P["sd"] * c + P["sc"] * s, P["sd"] * s - P["sc"] * c  # from B to D
    wx, wy = P["xc"] - P["xb"] - x, P["yc"] - P["yb"] - y  # from D to C
    length = np.hypot(wx, wy)
    tension = P["c0"] * (length - P["l0"])
    return tension * (x * wy - y * wx) / length, 0.5 * P["c0"] * (length - P["l0"]) ** 2


def published_mass_matrix(q: np.ndarray) -> np.ndarray:
    """M of the test set, in the order of the file."""
    th, ph, om = (q[NAMES.index(name)] for name in ("Theta", "Phi", "Omega"))
    m, inertia = P["m"], P["I"]
    M = np.zeros((7, 7))
    da, rr, zt, u = P["da"], P["rr"], P["zt"], P["u"]
    ee, zz = P["e"] - P["ea"], P["zf"] - P["fa"]
    M[0, 0] = m[0] * P["ra"] ** 2 + inertia[0] + inertia[1]
    M[0, 0] += m[1] * (rr**2 - 2 * da * rr * np.cos(th) + da**2)
    M[0, 1] = M[1, 0] = m[1] * (da**2 - da * rr * np.cos(th)) + inertia[1]
    M[1, 1] = m[1] * da**2 + inertia[1]
    M[2, 2] = m[2] * (P["sa"] ** 2 + P["sb"] ** 2) + inertia[2]
    M[3, 3] = m[3] * ee**2 + inertia[3]
    M[3, 4] = M[4, 3] = m[3] * (ee**2 + zt * ee * np.sin(ph)) + inertia[3]
    M[4, 4] = m[3] * (zt**2 + 2 * zt * ee * np.sin(ph) + ee**2) + inertia[3] + inertia[4]
    M[4, 4] += m[4] * (P["ta"] ** 2 + P["tb"] ** 2)
    M[5, 5] = m[5] * zz**2 + inertia[5]
    M[5, 6] = M[6, 5] = m[5] * (zz**2 - u * zz * np.sin(om)) + inertia[5]
    M[6, 6] = m[5] * (zz**2 - 2 * u * zz * np.sin(om) + u**2) + inertia[5] + inertia[6]
    M[6, 6] += m[6] * (P["ua"] ** 2 + P["ub"] ** 2)
    return M


def published_constraints(q: dict[str, float]) -> np.ndarray:
    """g of the test set."""
    be, th, ga, ph, de, om, ep = (q[name] for name in NAMES)
    ex = P["rr"] * np.cos(be) - P["d"] * np.cos(be + th)
    ey = P["rr"] * np.sin(be) - P["d"] * np.sin(be + th)
    return np.array([
        ex - P["ss"] * np.sin(ga) - P["xb"],
        ey + P["ss"] * np.cos(ga) - P["yb"],
        ex - P["e"] * np.sin(ph + de) - P["zt"] * np.cos(de) - P["xa"],
        ey + P["e"] * np.cos(ph + de) - P["zt"] * np.sin(de) - P["ya"],
        ex - P["zf"] * np.cos(om + ep) - P["u"] * np.sin(ep) - P["xa"],
        ey - P["zf"] * np.sin(om + ep) + P["u"] * np.cos(ep) - P["ya"],
    ])  # fmt: skip


@cache
def system() -> Closed:
    return Closed(load("andrews"))


@pytest.fixture(scope="module")
def run() -> tuple[np.ndarray, np.ndarray]:
    """States at 0, 10, 20 and 30 ms."""
    return system().run([0, 0.01, 0.02, 0.03], START, np.zeros(7))


def test_mass_matrix_and_constraints_are_the_published_ones() -> None:
    rng = np.random.default_rng(3)
    order = [NAMES.index(name) for name in system().model.coordinates]
    for _ in range(5):
        q = rng.uniform(-2, 2, 7)
        M = system().tree(q=q[order], qd=np.zeros(7))["M"]
        assert_close(M, published_mass_matrix(q)[np.ix_(order, order)], IDENTITY)
        h = system().loops(q=q[order], qd=np.zeros(7))["h"]
        assert_close(h, published_constraints(dict(zip(NAMES, q, strict=True))), IDENTITY)


def test_spring_and_drive_are_those_of_the_equations() -> None:
    names = system().model.coordinates
    rest = system().energy(START, np.zeros(7)) - spring(START[names.index("gamma")])[1]
    for gamma in (0.1, 0.4553, 1.0):
        q = START.copy()
        q[names.index("gamma")] = gamma
        moment, energy = spring(gamma)
        expected = [{"beta": P["mom"], "gamma": moment}.get(name, 0.0) for name in names]
        assert_close(-system().tree(q=q, qd=np.zeros(7))["c"], expected, IDENTITY)
        assert abs(system().energy(q, np.zeros(7)) - energy - rest) < IDENTITY


def test_one_freedom_without_redundancy() -> None:
    found = kt.partition(system().model, independent=["beta"])
    assert (found.mobility, found.structural_mobility) == (1, 1)
    assert not found.redundant
    assert_close(found.q, START, IDENTITY)


def test_start_accelerations_and_multipliers() -> None:
    qdd, lam = system().accelerations(START, np.zeros(7))
    assert_close(qdd, ours(FILE["initial"]["qdd"]), IDENTITY)
    assert_close(-lam, FILE["initial"]["lambda"], IDENTITY)  # the test set has M w + Gᵀ lam = f


def test_state_at_30_ms_to_eight_digits(run: tuple[np.ndarray, np.ndarray]) -> None:
    q, qd = run[0][-1], run[1][-1]
    assert np.abs(q / ours(END["q"]) - 1).max() < CROSS_ENGINE
    assert_close(qd, ours(END["qd"]), CROSS_ENGINE, "qd")
    qdd, lam = system().accelerations(q, qd)
    assert_close(qdd, ours(END["qdd"]), TRAJECTORY, "qdd")
    assert_close(-lam, END["lambda"], TRAJECTORY, "lam")


def test_energy_balance_is_better_than_that_of_the_reference(
    run: tuple[np.ndarray, np.ndarray],
) -> None:
    def balance(q: np.ndarray, qd: np.ndarray) -> float:
        return system().energy(q, qd) - P["mom"] * (q[0] - START[0])

    start = balance(START, np.zeros(7))
    assert abs(balance(run[0][-1], run[1][-1]) - start) < IDENTITY
    assert 1e-10 < abs(balance(ours(END["q"]), ours(END["qd"])) - start) < CROSS_ENGINE


def test_trajectory(run: tuple[np.ndarray, np.ndarray]) -> None:
    rows = np.genfromtxt(
        DATA / "mbs_testset" / "A03_andrews_trajectory.csv", delimiter=",", names=True
    )
    for k, name in enumerate(system().model.coordinates):
        assert_close(run[0][:, k], rows[name][[0, 10, 20, 30]], GOLDEN, name, 16.0)
        assert_close(run[1][:, k], rows[f"{name}_d"][[0, 10, 20, 30]], CROSS_ENGINE, name, 1400.0)


def test_explicit_model_to_eight_digits() -> None:
    found = kt.simulate(system().model, 0.03, method="dop853", rtol=1e-12, atol=1e-12, step=0.01)
    assert found.attrs["termination"] == "finished"
    assert np.abs(found.q.to_numpy()[-1] / ours(END["q"]) - 1).max() < CROSS_ENGINE
    assert_close(found.qd.to_numpy()[-1], ours(END["qd"]), CROSS_ENGINE, "qd")
    assert_close(-found.lam.to_numpy()[-1], END["lambda"], TRAJECTORY, "lam")
