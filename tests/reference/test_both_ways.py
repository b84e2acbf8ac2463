"""The explicit model of every example beside the witness: accelerations, reactions, motions.

The explicit model has a partition, Newton blocks and a reduction; the witness has none of them.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from tests.approx import CROSS_ENGINE, ILL_CONDITIONED, LONG_RUN, TRAJECTORY, assert_close
from tests.reference import robotran
from tests.reference.closed_numeric import Closed, load

import kinetree as kt
from kinetree.model import retract

NAMES = ("andrews", "bricard", "four_bar", "quarter_car", "slider_crank", "stewart", "whipple")
PUSHES = {"bricard": 0.3, "four_bar": 1.0, "stewart": 0.1, "quarter_car": 0.1}
"""Largest initial velocity; elsewhere 0.5 [rad/s or m/s]."""


def limousine() -> kt.Model:
    """The 63-joint Limousine with its 16 loops; joints with a given constant angle are held."""
    name = "limousine_63"
    model = robotran.model(name, wrenches=False, cuts=True)
    closed = robotran.read("assembled_configurations")["models"][name]["q"]
    for number in robotran.driven(name):
        hold(model, model.coordinates[number - 1], closed[number - 1])
    return model


def hold(model: kt.Model, coordinate: str, value: float) -> None:
    """Keep a coordinate where it is, by an equation."""
    model.constrain(f"hold_{coordinate}", lambda q: q[coordinate] - value)


@cache
def system(name: str) -> Closed:
    return Closed(limousine() if name == "limousine_63" else load(name))


def state(name: str, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """A closed configuration near the initial one and velocities that fit it."""
    closed = system(name)
    rng = np.random.default_rng(seed)
    model = closed.model
    q = retract(model, kt.assemble(model).q, rng.uniform(-0.02, 0.02, model.nv))
    return closed.project(q, rng.uniform(-1, 1, model.nv) * PUSHES.get(name, 0.5))


@pytest.mark.parametrize("name", [*NAMES, "limousine_63"])
def test_accelerations_and_reactions(name: str) -> None:
    closed = system(name)
    program = kt.derive(closed.model, "forward")
    q, qd = state(name)
    out = program.evaluate(q=q, qd=qd, tau=np.zeros(closed.model.nv))
    assert_close(out["q_closed"], q, CROSS_ENGINE, "q")
    assert_close(out["qd_closed"], qd, CROSS_ENGINE, "qd")
    qdd, lam = closed.accelerations(q, qd)
    assert_close(out["qdd"], qdd, ILL_CONDITIONED, "qdd")
    J = closed.constraint(q, qd)["J"]
    assert_close(J.T @ out["lam"], J.T @ lam, ILL_CONDITIONED, "reactions")


@pytest.mark.parametrize("name", NAMES)
def test_motions(name: str) -> None:
    closed = system(name)
    q, qd = state(name)
    until = 0.01 if name == "andrews" else 0.1
    run = kt.simulate(closed.model, until, q=q, qd=qd, rtol=1e-10, atol=1e-10, step=until / 3)
    assert run.attrs["termination"] == "finished"
    expected, rates = closed.run(run.time.to_numpy(), q, qd, 1e-10)
    assert_close(run.q.to_numpy(), expected, LONG_RUN, "q")
    assert_close(run.qd.to_numpy(), rates, TRAJECTORY, "qd")
