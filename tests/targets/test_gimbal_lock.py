"""Gimbal lock: named where the mass matrix is singular, refused by functions and analyses."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from tests.approx import IDENTITY, ULP

import kinetree as kt
from kinetree.errors import KinetreeError
from kinetree.model import JOINTS, JointKind, Turn, gimbal_locks

HALF = np.pi / 2
LOCKING = {
    "R3 R1 R2": (1, HALF),
    "R1 R2 R3": (1, HALF),
    "R3 R1 R3": (1, 0.0),
    "R2 R3 R2": (1, 0.0),
    "T1 T2 T3 R3 R2 R1": (4, HALF),
    "R3 T3 R1 R2": (2, HALF),
    "R1 R2 T3 R3": (1, HALF),
}
"""Steps of a joint -> which coordinate locks, and where."""
FREE = ("R3 R1", "R3 T1 R1 R2", "R1 R2 T2 R3", "T1 T2 R3", "R3 T1 T2 R1")


def turned(steps: str, **data: Any) -> kt.Model:
    """A body on a slide, by a joint of many steps."""
    model = kt.Model("turned")
    carrier = model.body("carrier", mass=3.0)
    model.prismatic("slide", model.ground, carrier, axis="x")
    body = model.body("body", mass=2.0, com=(0.1, -0.2, 0.3), inertia=(0.7, 0.8, 0.9))
    model.sequence("j", carrier, body, steps=steps, **data)
    return model


def rank_lost(model: kt.Model, coordinate: int, angles: Any) -> np.ndarray:
    """Whether M is singular at angles of a coordinate, others at random."""
    q = np.random.default_rng(5).uniform(0.2, 0.6, (len(angles), model.nq))
    q[:, coordinate] = angles
    found = kt.derive(model, "mass_bias").compile()(q=q, qd=np.zeros((len(q), model.nv)))
    singular = np.linalg.svd(found["M"], compute_uv=False)
    return np.asarray(singular[:, -1] < IDENTITY * singular[:, 0])


def assert_locks(model: kt.Model, coordinate: int, lock: float) -> None:
    """M is singular at the lock and every half turn on, and nowhere between."""
    half_turns = np.arange(-2, 3)
    assert rank_lost(model, coordinate, lock + np.pi * half_turns).all()
    beside = lock + np.pi * np.linspace(-1, 1, 41)
    beside = beside[np.abs(np.sin(beside - lock)) > 1e-6]
    assert not rank_lost(model, coordinate, beside).any()
    assert not rank_lost(model, coordinate, [lock - 1e-4, lock + 1e-4]).any()


@pytest.mark.parametrize("steps", LOCKING)
def test_locks_are_where_the_mass_matrix_is_singular(steps: str) -> None:
    model, (k, angle) = turned(steps), LOCKING[steps]
    locks = kt.derive(model, "forward").input("q").locks
    assert locks == ((k + 1, pytest.approx(angle, abs=ULP)),)
    assert_locks(model, *locks[0])


@pytest.mark.parametrize("steps", FREE)
def test_joints_that_do_not_lock_have_none(steps: str) -> None:
    model = turned(steps)
    assert kt.derive(model, "forward").input("q").locks == ()
    for k in range(1, model.nq):
        assert not rank_lost(model, k, np.pi * np.linspace(-1, 1, 9)).any()


def test_axes_at_any_angle(monkeypatch: pytest.MonkeyPatch) -> None:
    axes = np.random.default_rng(1).normal(size=(4, 3, 3))
    for three in axes / np.linalg.norm(axes, axis=-1, keepdims=True):
        motions = tuple(Turn(tuple(axis)) for axis in three)
        monkeypatch.setitem(JOINTS, "sequence", JointKind("sequence", lambda *_, m=motions: m))
        model = kt.Model("skew")
        body = model.body("body", mass=2.0, com=(0.1, -0.2, 0.3), inertia=(0.7, 0.8, 0.9))
        model.joint("sequence", "j", model.ground, body)
        ((k, angle),) = gimbal_locks(model)
        assert k == 1
        assert_locks(model, k, angle)


def test_what_keeps_the_turns_apart_keeps_from_locking() -> None:
    rotor = turned("R3 R1 R2", armature=(0.0, 0.0, 0.1))
    assert gimbal_locks(rotor) == ()
    assert not rank_lost(rotor, 2, [HALF]).any()
    assert gimbal_locks(turned("R3 R1 R2", armature=(0.0, 0.1, 0.0)))
    driven = turned("R3 R1 R2")
    driven.drive("j_1")
    assert gimbal_locks(driven) == ()
    geared = turned("R3 R1 R2")
    geared.couple("gear", "j_3", "slide", ratio=2.0)
    assert gimbal_locks(geared) == ()


def test_quantities_without_the_inverse_of_the_mass_matrix_have_no_locks() -> None:
    model = turned("R3 R1 R2")
    for quantity in ("inverse", "mass_bias", "energy", "kinematics"):
        assert kt.derive(model, quantity).input("q").locks == ()
    assert kt.derive(model, "forward_derivatives").input("q").locks
    assert kt.derive(model, "forward", formalism="order_n").input("q").locks


@pytest.mark.parametrize("count", [0, 3, 100])
@pytest.mark.parametrize("angle", [HALF, -HALF, 5 * HALF, HALF + 5e-10])
def test_functions_refuse_gimbal_lock(count: int, angle: float) -> None:
    model = turned("R3 R1 R2")
    function = kt.derive(model, "forward").compile()
    lead = (count,) if count else ()
    given = {name: np.full((*lead, 4), 0.3) for name in ("q", "qd", "tau")}
    function(**given)
    rows = given["q"].reshape(-1, 4)
    rows[-1, 2] = angle + 1e-8
    function(**given)
    rows[-1, 2] = angle
    with pytest.raises(KinetreeError, match=r"'j_2'.* is at its gimbal lock") as refused:
        function(**given)
    assert ("sample [99]" in str(refused.value)) == (count == 100)
    assert "spherical" in str(refused.value)
    assert function(check=False, **given)["qdd"].shape == (*lead, 4)


def test_locks_survive_derivatives_and_other_processes() -> None:
    model = turned("R3 R1 R2")
    program = kt.derive(model, "forward").derivative("qdd", "q")
    given = {name: np.full(4, 0.3) for name in ("qd", "tau")}
    at = np.array([0.0, 0.1, HALF, 0.2])
    for function in (program.compile(), pickle.loads(pickle.dumps(program.compile()))):
        with pytest.raises(KinetreeError, match="gimbal lock"):
            function(q=at, **given)


@pytest.mark.parametrize(
    "analyse",
    [
        lambda model, q: kt.simulate(model, 0.01, q=q),
        lambda model, q: kt.simulate(model, 0.01, q=q, method="hht"),
        lambda model, q: kt.equilibrium(model, q=q),
        lambda model, q: kt.linearise(model, at={"q": q}),
        lambda model, q: kt.modes(model, at={"q": q}),
    ],
    ids=["simulate", "hht", "equilibrium", "linearise", "modes"],
)
def test_analyses_refuse_to_start_at_gimbal_lock(analyse: Any) -> None:
    with pytest.raises(KinetreeError, match="'j_2' is at its gimbal lock"):
        analyse(turned("R3 R1 R2"), {"j_2": HALF})


def test_closed_systems_look_at_the_angles_that_are_given() -> None:
    model = turned("R3 R1 R2")
    arm = model.body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1))
    model.revolute("hinge", "body", arm, axis="y")
    model.close_rod("rod", arm.point("tip", (0.5, 0.0, 0.0)), "carrier", length=0.5)
    with pytest.raises(KinetreeError, match="'j_2' is at its gimbal lock"):
        kt.simulate(model, 0.01, q={"j_2": HALF}, independent=["slide", "j_1", "j_2", "j_3"])
