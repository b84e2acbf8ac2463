"""Dynamics against Pinocchio: four robots and random trees of all joint types, level by level."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.crosscheck.compare import assert_same
from tests.crosscheck.numeric import rates

import kinetree as kt

if TYPE_CHECKING:
    from tests.crosscheck.conftest import Case

pytestmark = [
    pytest.mark.crosscheck,
    pytest.mark.filterwarnings("ignore:body 'base'.*triangle inequality"),  # ANYmal's own data
]


def test_inverse(case: Case) -> None:
    out = kt.derive(case.model, "inverse").compile()(**case.given("q", "qd", "qdd"))
    theirs = case.twin.inverse(*case.arrays("q", "qd", "qdd"))
    assert_same(out["tau"], theirs, "inverse", labels=case.model.velocities)


def test_mass_matrix_and_bias(case: Case) -> None:
    out = kt.derive(case.model, "mass_bias").compile()(**case.given("q", "qd"))
    names = case.model.velocities
    assert_same(out["c"], case.twin.bias(*case.arrays("q", "qd")), "c", labels=names)
    assert_same(out["M"], case.twin.mass_matrix(case.state["q"]), "M", labels=names)


@pytest.mark.parametrize("formalism", ["newton_euler", "order_n"])
def test_forward(case: Case, formalism: str) -> None:
    program = kt.derive(case.model, "forward", formalism=formalism)
    out = program.compile()(**case.given("q", "qd", "tau"))
    theirs = case.twin.forward(*case.arrays("q", "qd", "tau"))
    assert_same(out["qdd"], theirs, f"qdd by {formalism}", labels=case.model.velocities)


def test_energy(case: Case) -> None:
    out = kt.derive(case.model, "energy").evaluate(**case.given("q", "qd"))
    kinetic, potential = case.twin.energy(*case.arrays("q", "qd"))
    assert_same(out["kinetic"], kinetic, "kinetic energy")
    assert_same(out["potential"], potential, "potential energy")


def test_derivatives_of_inverse(case: Case) -> None:
    program = kt.derive(case.model, "inverse").derivative("tau", ("q", "qd"))
    out = program.compile()(**case.given("q", "qd", "qdd"))
    dq, dv = case.twin.inverse_derivatives(*case.arrays("q", "qd", "qdd"))
    names = case.model.velocities
    along = out["dtau_dq"] @ rates(case.model, case.state["q"])
    assert_same(along, dq, "derivative of tau by q", labels=names)
    assert_same(out["dtau_dqd"], dv, "derivative of tau by qd", labels=names)


def test_derivatives_of_forward(case: Case) -> None:
    program = kt.derive(case.model, "forward").derivative("qdd", ("q", "qd", "tau"))
    out = program.compile()(**case.given("q", "qd", "tau"))
    dq, dv, dtau = case.twin.forward_derivatives(*case.arrays("q", "qd", "tau"))
    names = case.model.velocities
    along = out["dqdd_dq"] @ rates(case.model, case.state["q"])
    assert_same(along, dq, "derivative of qdd by q", labels=names)
    assert_same(out["dqdd_dqd"], dv, "derivative of qdd by qd", labels=names)
    assert_same(out["dqdd_dtau"], dtau, "derivative of qdd by tau", labels=names)


def test_forward_undoes_inverse_in_the_other_engine(case: Case) -> None:
    q, qd, qdd = case.arrays("q", "qd", "qdd")
    back = case.twin.forward(q, qd, case.twin.inverse(q, qd, qdd))
    assert_same(back, qdd, "the adapter itself", scale=float(np.abs(back).max()))
