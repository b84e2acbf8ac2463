"""What robotics asks for against Pinocchio: gravity, C, centroidal momentum, frame Jacobians."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pinocchio as pin
import pytest
from tests.crosscheck.compare import assert_same

import kinetree as kt

if TYPE_CHECKING:
    from tests.crosscheck.cases import Case

pytestmark = pytest.mark.crosscheck
CONVENTIONS = {"aligned": "LOCAL_WORLD_ALIGNED", "local": "LOCAL", "world": "WORLD"}


def ours_first(linear_angular: Any) -> Any:
    """[angular; linear] from [linear; angular]."""
    return np.concatenate([linear_angular[3:], linear_angular[:3]])


def agree(ours: Any, theirs: Any, what: str) -> None:
    """Both are the same; numbers below 1 count as 1."""
    assert_same(ours, theirs, what, scale=max(1.0, float(np.abs(theirs).max())))


def test_gravity(small_case: Case) -> None:
    twin, (q,) = small_case.twin, small_case.arrays("q")
    theirs = pin.computeGeneralizedGravity(twin.peer, twin.data, twin.q(q))
    ours = kt.derive(small_case.model, "gravity").evaluate(q=q)["gravity"]
    agree(ours, twin.ours(theirs), "gravity")


def test_coriolis_matrix(small_case: Case) -> None:
    twin, (q, qd) = small_case.twin, small_case.arrays("q", "qd")
    theirs = pin.computeCoriolisMatrix(twin.peer, twin.data, twin.q(q), twin.v(qd))
    ours = kt.derive(small_case.model, "coriolis").evaluate(q=q, qd=qd)["C"]
    agree(ours, twin.ours_matrix(theirs), "C")


def test_centroidal_momentum(small_case: Case) -> None:
    twin, (q, qd, qdd) = small_case.twin, small_case.arrays("q", "qd", "qdd")
    x, data = (twin.q(q), twin.v(qd), twin.v(qdd)), twin.data
    out = kt.derive(small_case.model, "centroidal").evaluate(q=q, qd=qd, qdd=qdd)
    pin.dccrba(twin.peer, data, *x[:2])
    agree(out["matrix"], twin.ours_columns(ours_first(data.Ag)), "matrix")
    agree(out["matrix_rate"], twin.ours_columns(ours_first(data.dAg)), "matrix_rate")
    pin.computeCentroidalMomentumTimeVariation(twin.peer, data, *x)
    agree(out["momentum"], ours_first(data.hg.vector), "momentum")
    agree(out["momentum_rate"], ours_first(data.dhg.vector), "momentum_rate")
    pin.centerOfMass(twin.peer, data, *x, False)
    agree(out["mass"], data.mass[0], "mass")
    agree(out["com"], data.com[0], "com")
    agree(out["com_velocity"], data.vcom[0], "com_velocity")
    agree(out["com_acceleration"], data.acom[0], "com_acceleration")


def test_frame_jacobians(small_case: Case) -> None:
    twin, (q, qd) = small_case.twin, small_case.arrays("q", "qd")
    body = list(twin.places)[-1]
    joint, place = twin.places[body]
    peer = twin.peer.copy()
    kind = pin.FrameType.OP_FRAME
    frame = peer.addFrame(pin.Frame(f"probe_{body}", joint, 0, place, kind))
    data, x = peer.createData(), (twin.q(q), twin.v(qd))
    pin.computeJointJacobiansTimeVariation(peer, data, *x)
    pin.forwardKinematics(peer, data, *x)
    pin.updateFramePlacements(peer, data)
    out = kt.derive(small_case.model, "jacobians", points=[body]).evaluate(q=q, qd=qd)
    for name, theirs in CONVENTIONS.items():
        way = getattr(pin.ReferenceFrame, theirs)
        J = pin.getFrameJacobian(peer, data, frame, way)
        Jd = pin.getFrameJacobianTimeVariation(peer, data, frame, way)
        agree(out[f"{body}.{name}"], twin.ours_columns(ours_first(J)), name)
        agree(out[f"{body}.{name}_rate"], twin.ours_columns(ours_first(Jd)), f"{name}_rate")


def test_integrate_and_difference(small_case: Case) -> None:
    model, twin = small_case.model, small_case.twin
    q, other = model.random(1), model.random(2)
    step = np.random.default_rng(3).normal(size=model.nv)
    theirs = pin.integrate(twin.peer, twin.q(q), twin.v(step))
    apart = pin.difference(twin.peer, twin.q(model.integrate(q, step)), theirs)
    agree(apart, np.zeros(model.nv), "integrate")  # e and -e are one rotation
    between = pin.difference(twin.peer, twin.q(q), twin.q(other))
    agree(model.difference(q, other), twin.ours(between), "difference")
