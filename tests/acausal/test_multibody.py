"""Bodies, bars and joints as components: the tree of joints that their connections make."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.acausal.robots import JOINTS, R3, TORQUES, DoublePendulum
from tests.reference import manutec

import kinetree as kt
from approx import AT_STATES, CROSS_ENGINE, GOLDEN, IDENTITY, TRAJECTORY, assert_close
from kinetree.acausal import Component, connect, parameter, part
from kinetree.errors import KinetreeError
from kinetree.functions import sqrt
from kinetree.library import multibody as mb
from kinetree.library import rotational as rot
from kinetree.view.components import drawn_mechanism

CASE = manutec.golden_cases()[1]
"""The state with a load of 15 kg."""


def known_values(program: Any, **values: Any) -> Any:
    """The input `known` from values by name: of joints q, qd, qdd, of others a number."""
    found = {}
    for name, value in values.pop("joints", {}).items():
        path = f"{name}.phi"
        found |= {path: value[0], f"der({path})": value[1], f"der(der({path}))": value[2]}
    found |= values
    return np.array([found[label] for label in program.input("known").labels])


def state(program: Any, joints: dict[str, tuple[float, ...]]) -> Any:
    """The states: angles and speeds of joints."""
    values = {f"{n}.phi": v[0] for n, v in joints.items()}
    values |= {f"{n}.w": v[1] for n, v in joints.items()}
    return np.array([values[label] for label in program.input("x").labels])


MOTION = dict(zip(JOINTS, zip(CASE["q"], CASE["qd"], CASE["qdd"], strict=True), strict=True))
ANGLES = [f"{name}.phi" for name in JOINTS]
ACCELERATIONS = [f"{name}.a" for name in JOINTS]


# --- the r3 of 1993 ------------------------------------------------------------------------------


def test_inverse_dynamics_of_r3_from_components() -> None:
    program = kt.derive(R3(rigid=False), known=ANGLES, wanted=TORQUES)
    out = program.evaluate(t=0.0, known=known_values(program, joints=MOTION))
    assert_close(out["wanted"], CASE["tau"], GOLDEN, "r3 torques")


def test_forward_dynamics_of_r3_from_components() -> None:
    program = kt.derive(R3(rigid=False), wanted=ACCELERATIONS)
    torques = known_values(program, **dict(zip(TORQUES, CASE["tau"], strict=True)))
    out = program.evaluate(t=0.0, known=torques, x=state(program, MOTION))
    assert_close(out["wanted"], CASE["qdd"], GOLDEN, "r3 accelerations")


@pytest.mark.parametrize(
    ("quantity", "known", "wanted"),
    [("inverse", ANGLES, TORQUES), ("forward", None, ACCELERATIONS)],
)
def test_r3_from_components_takes_the_operations_of_the_model(
    quantity: str, known: Any, wanted: Any
) -> None:
    found = kt.derive(R3(), known=known, wanted=wanted).count()
    assert found == kt.derive(manutec.r3("rigid"), quantity).count()
    wanted_counts = {"inverse": (194, 150, 0), "forward": (385, 291, 5)}
    assert (found.mul, found.add, found.div) == wanted_counts[quantity]


def test_first_joints_of_r3_driven_and_the_others_free() -> None:
    program = kt.derive(R3(rigid=False), known=[*ANGLES[:3], *TORQUES[3:]], wanted=TORQUES[:3])
    driven = {name: MOTION[name] for name in JOINTS[:3]}
    free = dict(zip(TORQUES[3:], (1.0, -2.0, 0.5), strict=True))
    given = known_values(program, joints=driven, **free)
    rest = {name: MOTION[name] for name in JOINTS[3:]}
    out = program.evaluate(t=0.0, known=given, x=state(program, rest))
    M, c = np.array(CASE["M"]), np.array(CASE["c"])
    qdd = np.array(CASE["qdd"])
    qdd[3:] = np.linalg.solve(M[3:, 3:], [*free.values()] - c[3:] - M[3:, :3] @ qdd[:3])
    assert_close(out["xd"][1::2], qdd[3:], GOLDEN, "free accelerations")
    assert_close(out["wanted"], (M @ qdd + c)[:3], GOLDEN, "driving torques")
    assert "3 free, 3 driven" in str(_report(known=[*ANGLES[:3], *TORQUES[3:]]))


def _report(known: Any) -> Any:
    from kinetree.acausal.sort import sort_component

    return sort_component(R3(rigid=False), known).report()


class GearedR3(R3):
    """A rotor of inertia 0.0013 behind a rigid gear of ratio -105 in the first joint."""

    rotor, gear = part(rot.Inertia, J=0.0013), part(rot.IdealGear, ratio=-105.0)

    def equations(self) -> Iterator[Any]:
        yield from super().equations()
        yield connect(self.rotor.flange_b, self.gear.flange_a)
        yield connect(self.gear.flange_b, self.link[0].axis)


def test_a_rotor_behind_a_rigid_gear_meets_the_recursion() -> None:
    """The joint takes alpha = J i², beta = 1; nothing is left to be torn."""
    made = GearedR3(rigid=False)
    report = made.report()
    assert not report.blocks
    assert "5 free, 1 with a rotor or the like" in report.motions[0]
    program = kt.derive(made, wanted=ACCELERATIONS)
    tau = np.array(CASE["tau"])
    tau[0] += 0.0013 * 105**2 * CASE["qdd"][0]
    out = program.evaluate(
        t=0.0, known=known_values(program, **dict(zip(TORQUES, tau, strict=True))),
        x=state(program, MOTION | {"rotor": tuple(-105 * x for x in MOTION[JOINTS[0]])}),
    )  # fmt: skip
    assert_close(out["wanted"], CASE["qdd"], GOLDEN, "r3 accelerations with a rotor")


def test_axes_that_share_a_gear_take_a_linear_block() -> None:
    """A differential between two joints: M and c, and one block of both."""

    class Differential(R3):
        gear, rotor = part(rot.IdealPlanetary, ratio=2.0), part(rot.Inertia, J=3.0)

        def equations(self) -> Iterator[Any]:
            yield from super().equations()
            yield connect(self.gear.sun, self.link[0].axis)
            yield connect(self.gear.ring, self.link[1].axis)
            yield connect(self.gear.carrier, self.rotor.flange_a)

    made = Differential(rigid=False)
    report = made.report()
    assert not report.motions
    assert len(report.blocks) == 1
    program = kt.derive(made, wanted=ACCELERATIONS)
    known = known_values(program, **dict(zip(TORQUES, CASE["tau"], strict=True)))
    carrier = tuple((a + 2 * b) / 3 for a, b in zip(*(MOTION[n] for n in JOINTS[:2]), strict=True))
    out = program.evaluate(t=0.0, known=known, x=state(program, MOTION | {"rotor": carrier}))
    shares = np.array([1, 2, 0, 0, 0, 0]) / 3.0
    M = np.array(CASE["M"]) + 3.0 * np.outer(shares, shares)
    exact = np.linalg.solve(M, np.array(CASE["tau"]) - CASE["c"])
    assert_close(out["wanted"], exact, GOLDEN, "accelerations behind a differential")


# --- the double pendulum of fig. 4 ---------------------------------------------------------------


def test_accelerations_of_the_double_pendulum_with_spring() -> None:
    program = kt.derive(DoublePendulum(), wanted=["j1.a", "j2.a"])
    x = state(program, {"j1": (0.3, 0.5), "j2": (-0.2, 0.7)})
    out = program.evaluate(t=0.0, known=[], x=x)
    assert_close(out["wanted"], [-24.05433719, 78.39663416], GOLDEN)


def test_frequencies_of_the_double_pendulum_with_spring() -> None:
    hanging = DoublePendulum(j1={"phi": 0.0})
    omega = np.sort(np.abs(np.linalg.eigvals(kt.linearise(hanging).A).imag))
    assert_close(omega[::2], [4.01016849, 18.41435713], CROSS_ENGINE)


def test_motion_of_the_double_pendulum_with_spring() -> None:
    path = manutec.DATA.parent / "seeds" / "dymola_double_pendulum_spring.csv"
    rows = np.loadtxt(path, delimiter=",", skiprows=1)
    found = kt.simulate(DoublePendulum(), 5.0, step=0.05, rtol=1e-10, atol=1e-12)
    names = ("j1.phi", "j2.phi", "j1.w", "j2.w")
    assert_close(np.stack([found[name] for name in names], axis=-1), rows[:, 1:], TRAJECTORY)


class LineSpring(mb.Interact):
    """The spring of fig. 4 by its own law: c (|r| - s0) along the line of both frames."""

    c, s0 = parameter(1.0, "N/m"), parameter(0.5, "m")

    def law(self) -> Iterator[Any]:
        length = sqrt(sum((x**2 for x in self.r[1:]), self.r[0] ** 2))
        for f, x in zip(self.f, self.r, strict=True):
            yield f == self.c * (length - self.s0) * x / length
        for t in self.t:
            yield t == 0


class PendulumOfLaws(DoublePendulum):
    spring = part(LineSpring)


def test_a_force_element_may_be_a_component_of_its_own_law() -> None:
    program = kt.derive(PendulumOfLaws(), wanted=["j1.a", "j2.a"])
    x = state(program, {"j1": (0.3, 0.5), "j2": (-0.2, 0.7)})
    out = program.evaluate(t=0.0, known=[], x=x)
    assert_close(out["wanted"], [-24.05433719, 78.39663416], GOLDEN)


class Elastic(mb.Interact):
    """Springs and dampers along the axes of frame_a, a damper of rotation."""

    c, d, h = parameter(40.0, "N/m"), parameter(3.0, "N.s/m"), parameter(0.2, "N.m.s/rad")

    def law(self) -> Iterator[Any]:
        for f, r, v in zip(self.f, self.r, self.v, strict=True):
            yield f == self.c * r + self.d * v
        for t, w in zip(self.t, self.w, strict=True):
            yield t == self.h * w


class Joined(Component):
    """Two bodies that spin about the world, joined by an element between tips of bars."""

    element: Any = part(Elastic)
    world = part(mb.World)
    j1, j2 = part(mb.Spherical, w_x=0.4, w_z=0.7), part(mb.Universal, phi_a=0.3, w_b=-0.5)
    m1, m2 = (part(mb.Body, m=m, I_11=0.2, I_22=0.3, I_33=0.25) for m in (1.0, 2.0))
    b0 = part(mb.FixedTranslation, r=(0.4, 0, 0))
    b1, b2 = part(mb.FixedTranslation, r=(0.1, 0.2, -0.5)), part(mb.FixedTranslation, r=(0, 0, -1))

    def equations(self) -> Iterator[Any]:
        yield connect(self.world.frame_b, self.j1.frame_a, self.b0.frame_a)
        yield connect(self.b0.frame_b, self.j2.frame_a)
        yield connect(self.j1.frame_b, self.m1.frame_a, self.b1.frame_a)
        yield connect(self.j2.frame_b, self.m2.frame_a, self.b2.frame_a)
        yield connect(self.b1.frame_b, self.element.frame_a)
        yield connect(self.b2.frame_b, self.element.frame_b)


class JoinedByBushing(Joined):
    element = part(mb.Bushing, c=(40, 40, 40), d=(3, 3, 3), d_phi=(0.2, 0.2, 0.2))


def test_an_element_between_moving_frames_acts_as_a_bushing() -> None:
    """Forces, torques and their levers of both ends are those of the force of models."""
    how = {"step": 0.1, "rtol": 1e-10, "atol": 1e-12}
    own, other = (kt.simulate(kind(), 1.0, **how) for kind in (Joined, JoinedByBushing))
    for name in ("j1.Q_w", "j1.Q_x", "j1.Q_y", "j1.Q_z", "j2.phi_a", "j2.phi_b"):
        assert_close(own[name], other[name], TRAJECTORY, name)
    last = {name: float(own[f"element.{name}"][-1]) for name in ("r_x", "v_x", "f_x")}
    assert_close(last["f_x"], 40 * last["r_x"] + 3 * last["v_x"], AT_STATES)


class Torsion(mb.Interact):
    """A spring of rotation about y: k sin of the angle, from the rotation of both frames."""

    k = parameter(6.0, "N.m")

    def law(self) -> Iterator[Any]:
        for f in self.f:
            yield f == 0
        for n, t in enumerate(self.t):
            yield t == (self.k * (self.R[0][2] - self.R[2][0]) / 2 if n == 1 else 0)


class Wheel(Component):
    world, spring = part(mb.World), part(Torsion)
    joint, disc = part(mb.Revolute, n="y", phi=0.7), part(mb.Body, m=1.0, I_22=2.0, physical=False)

    def equations(self) -> Iterator[Any]:
        yield connect(self.world.frame_b, self.joint.frame_a, self.spring.frame_a)
        yield connect(self.joint.frame_b, self.disc.frame_a, self.spring.frame_b)


def test_an_element_sees_the_rotation_of_its_frames() -> None:
    program = kt.derive(Wheel(), wanted=["joint.a"])
    out = program.evaluate(t=0.0, known=[], x=state(program, {"joint": (0.7, 0.0)}))
    assert_close(out["wanted"], [-6.0 * np.sin(0.7) / 2.0], IDENTITY)


class CoupledR3(R3):
    """The first two joints turn by a rigid gear: q1 = -3 q2."""

    gear = part(rot.IdealGear, ratio=-3.0)

    def equations(self) -> Iterator[Any]:
        yield from super().equations()
        yield connect(self.gear.flange_a, self.link[0].axis)
        yield connect(self.gear.flange_b, self.link[1].axis)


def test_axes_behind_a_rigid_gear_are_one_freedom() -> None:
    """Five freedoms: B^T M B, with q = B y and q1 = -3 q2."""
    made = CoupledR3(rigid=False)
    assert len(made.report().states) == 10
    motion = dict(MOTION)
    motion[JOINTS[0]] = tuple(-3 * x for x in MOTION[JOINTS[1]])
    program = kt.derive(made, wanted=ACCELERATIONS)
    known = known_values(program, **dict(zip(TORQUES, CASE["tau"], strict=True)))
    found = program.evaluate(t=0.0, known=known, x=state(program, motion))["wanted"]
    tree = kt.derive(manutec.r3("point"), "mass_bias")
    q, qd = (np.array([motion[name][k] for name in JOINTS]) for k in (0, 1))
    out = tree.evaluate(q=q, qd=qd)
    B = np.vstack([[-3, 0, 0, 0, 0], np.eye(5)])
    free = np.linalg.solve(B.T @ out["M"] @ B, B.T @ (np.array(CASE["tau"]) - out["c"]))
    assert_close(found, B @ free, GOLDEN)


# --- pictures ------------------------------------------------------------------------------------


def test_a_page_draws_the_mechanism_as_a_run_of_the_whole_moves_it() -> None:
    """The coordinates drawn are the variables of the joints."""
    run = kt.simulate(DoublePendulum(), 0.5, step=0.1)
    model, moved = drawn_mechanism(DoublePendulum(), run)
    assert list(model.bodies)
    assert_close(moved["q"], np.stack([run["j1.phi"], run["j2.phi"]], axis=-1), IDENTITY)
    assert drawn_mechanism(DoublePendulum(), None)[1] is None


def test_what_cannot_be_drawn_of_components_is_told(tmp_path: Path) -> None:
    class Shaft(Component):
        J = part(rot.Inertia, J=1.0)

    with pytest.raises(KinetreeError, match="component 'Shaft': nothing in it moves in space"):
        kt.animate(Shaft(), None, tmp_path / "a.html")
    with pytest.raises(KinetreeError, match="live= is for mechanisms"):
        kt.animate(DoublePendulum(), None, tmp_path / "a.html", live=True)
    with pytest.raises(KinetreeError, match=r"run: it holds no 'j1\.phi'; give a run"):
        kt.animate(DoublePendulum(), kt.simulate(Shaft(), 1.0), tmp_path / "a.html")
