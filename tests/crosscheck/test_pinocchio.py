"""Dynamics against Pinocchio: four robots and random trees of all joint types, level by level."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests import zoo
from tests.crosscheck.cases import Case, one_joint_case
from tests.crosscheck.compare import assert_same
from tests.crosscheck.numeric import rates
from tests.crosscheck.pinocchio_adapter import Twin
from tests.crosscheck.pinocchio_adapter import twin as pinocchio_twin

import kinetree as kt

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


@pytest.mark.parametrize("seed", range(3))
def test_external_wrenches(seed: int) -> None:
    model, rng = zoo.random_tree(5, 40 + seed), np.random.default_rng(seed)
    for k, body in enumerate(model.bodies.values()):
        at = body.point("loaded", rng.uniform(-1, 1, 3), rotation=zoo.random_rotation(rng))
        model.wrench(f"w{k}", at, frame=("body", "world")[k % 2])
    twin, state = pinocchio_twin(model), zoo.state(model, seed)
    loads = {name: rng.uniform(-5, 5, 6) for name in model.wrenches}
    q, qd, qdd, tau = (state[name] for name in ("q", "qd", "qdd", "tau"))
    ours = kt.derive(model, "inverse").compile()(q=q, qd=qd, qdd=qdd, **loads)
    assert_same(ours["tau"], twin.loaded_inverse(q, qd, qdd, loads), "inverse under load")
    for formalism in ("newton_euler", "order_n"):
        program = kt.derive(model, "forward", formalism=formalism)
        ours = program.compile()(q=q, qd=qd, tau=tau, **loads)
        theirs = twin.loaded_forward(q, qd, tau, loads)
        assert_same(ours["qdd"], theirs, f"qdd under load by {formalism}")


def test_energy(case: Case) -> None:
    out = kt.derive(case.model, "energy").evaluate(**case.given("q", "qd"))
    kinetic, potential = case.twin.energy(*case.arrays("q", "qd"))
    assert_same(out["kinetic"], kinetic, "kinetic energy")
    assert_same(out["potential"], potential, "potential energy")


def test_derivatives_of_inverse(case: Case) -> None:
    out = kt.derive(case.model, "inverse_derivatives").compile()(**case.given("q", "qd", "qdd"))
    check_inverse_derivatives(case, out)
    theirs, names = case.twin.mass_matrix(case.state["q"]), case.model.velocities
    assert_same(out["dtau_dqdd"], theirs, "derivative of tau by qdd", labels=names)


def test_derivatives_of_forward(case: Case) -> None:
    out = kt.derive(case.model, "forward_derivatives").compile()(**case.given("q", "qd", "tau"))
    check_forward_derivatives(case, out)


def test_differentiated_inverse(small_case: Case) -> None:
    program = kt.derive(small_case.model, "inverse")
    program = program.derivative("tau", ("q", "qd"), tangent=True)
    out = program.compile(tier="quick")(**small_case.given("q", "qd", "qdd"))
    check_inverse_derivatives(small_case, out)


def test_differentiated_forward(small_case: Case) -> None:
    program = kt.derive(small_case.model, "forward")
    program = program.derivative("qdd", ("q", "qd", "tau"), tangent=True)
    out = program.compile(tier="quick")(**small_case.given("q", "qd", "tau"))
    check_forward_derivatives(small_case, out)


def check_inverse_derivatives(case: Case, out: dict[str, Any]) -> None:
    names = case.model.velocities
    dq, dv = case.twin.inverse_derivatives(*case.arrays("q", "qd", "qdd"))
    assert_same(out["dtau_dq"], dq, "derivative of tau by q", labels=names)
    assert_same(out["dtau_dqd"], dv, "derivative of tau by qd", labels=names)


def check_forward_derivatives(case: Case, out: dict[str, Any]) -> None:
    names = case.model.velocities
    dq, dv, dtau = case.twin.forward_derivatives(*case.arrays("q", "qd", "tau"))
    assert_same(out["dqdd_dq"], dq, "derivative of qdd by q", labels=names)
    assert_same(out["dqdd_dqd"], dv, "derivative of qdd by qd", labels=names)
    assert_same(out["dqdd_dtau"], dtau, "derivative of qdd by tau", labels=names)


@pytest.mark.parametrize("kind", ["spherical", "free"])
def test_derivatives_by_quaternion_components(kind: str) -> None:
    case = one_joint_case(kind)
    program = kt.derive(case.model, "inverse").derivative("tau", "q")
    out = program.evaluate(**case.given("q", "qd", "qdd"))
    dq, _ = case.twin.inverse_derivatives(*case.arrays("q", "qd", "qdd"))
    along = out["dtau_dq"] @ rates(case.model, case.state["q"])
    assert_same(along, dq, "derivative of tau by q", labels=case.model.velocities)


def test_points(case: Case) -> None:
    """Poses, then velocities, then Jacobians, then accelerations, body by body."""
    program = kt.derive(case.model, "kinematics", points=list(case.twin.places))
    out = program.evaluate(**case.given("q", "qd", "qdd"))
    case.twin.move(*case.arrays("q", "qd", "qdd"))
    for level in ("pose", "velocity", "jacobian", "acceleration"):
        for body in case.twin.places:
            compare_point(case.twin, body, level, out)


def compare_point(twin: Twin, body: str, level: str, out: dict[str, Any]) -> None:
    """One level of one body's origin; a magnitude of 1 keeps vanishing numbers harmless."""
    if level == "pose":
        R, p = twin.pose(body)
        assert_same(out[f"{body}.rotation"], R, f"rotation of {body}")
        assert_same(out[f"{body}.position"], p, f"position of {body}", scale=1.0)
        return
    angular, linear = getattr(twin, level)(body, np.zeros(3))
    theirs = np.concatenate([angular, linear])
    scale = max(1.0, float(np.abs(theirs).max()))
    assert_same(out[f"{body}.{level}"], theirs, f"{level} of {body}", scale=scale)


def test_points_away_from_the_origin() -> None:
    model, r = zoo.every_kind(), (0.3, -0.2, 0.5)
    for body in model.bodies.values():
        body.point("hand", r)
    twin, state = pinocchio_twin(model), zoo.state(model, 6)
    out = kt.derive(model, "kinematics").evaluate(q=state["q"], qd=state["qd"], qdd=state["qdd"])
    twin.move(state["q"], state["qd"], state["qdd"])
    for name in model.bodies:
        for level in ("velocity", "jacobian", "acceleration"):
            theirs = np.concatenate(getattr(twin, level)(name, np.array(r)))
            assert_same(out[f"{name}.hand.{level}"], theirs, f"{level} of {name}.hand")


def test_forward_undoes_inverse_in_the_other_engine(case: Case) -> None:
    q, qd, qdd = case.arrays("q", "qd", "qdd")
    back = case.twin.forward(q, qd, case.twin.inverse(q, qd, qdd))
    assert_same(back, qdd, "the adapter itself", scale=float(np.abs(back).max()))
