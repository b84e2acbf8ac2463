"""Models of joints and bodies as components: the same motion, whatever drives the joints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from approx import FORMALISM, RUN, assert_close
from kinetree.acausal import Component, connect, part, signal_in
from kinetree.errors import KinetreeError, ModelWarning
from kinetree.library import electrical as el
from kinetree.library import multibody as mb
from kinetree.library import rotational as rot
from kinetree.library import translational as tr


def arm(armature: float = 0.0) -> kt.Model:
    """Two links under gravity, and a slider at the end."""
    model = kt.Model("arm", gravity=(0, 0, -9.81))
    upper = model.body("upper", mass=2.0, com=(0, 0, -0.4), inertia=(0.1, 0.1, 0.02))
    lower = model.body("lower", mass=1.0, com=(0, 0, -0.3), inertia=(0.05, 0.05, 0.01))
    tip = model.body("tip", mass=0.5)
    model.revolute("q1", model.ground, upper, axis="y", initial=0.6, armature=armature)
    model.revolute("q2", upper.point("elbow", (0, 0, -0.8)), lower, axis="x", initial=-0.3)
    model.prismatic("q3", lower.point("end", (0, 0, -0.6)), tip, axis="x", initial=0.1)
    model.joint_spring("spring", "q3", stiffness=50.0, damping=1.0)
    return model


class Free(Component):
    arm = part(mb.Mechanism, model=arm())


def test_a_model_moves_as_a_component_as_it_does_alone() -> None:
    found = kt.simulate(Free(), 1.0)
    alone = kt.simulate(arm(), 1.0)
    names = ("arm.q1.phi", "arm.q2.phi", "arm.q3.s")
    assert_close(np.stack([found[name] for name in names], axis=-1), alone["q"].values, RUN)
    states = Free().report().states
    assert states[:2] == ("arm.q1.phi", "der(arm.q1.phi)")
    assert len(states) == 6


class Geared(Component):
    arm, gear = part(mb.Mechanism, model=arm()), part(rot.IdealGear, ratio=-20.0)
    rotor = part(rot.Inertia, J=1e-3)

    def equations(self) -> Iterator[Any]:
        yield connect(self.rotor.flange_b, self.gear.flange_a)
        yield connect(self.gear.flange_b, self.arm.q1)


def test_a_rotor_behind_a_rigid_gear_is_an_armature() -> None:
    made = Geared()
    assert len(made.report().states) == 6
    alone = kt.simulate(arm(armature=0.4), 1.0)
    found = kt.simulate(made, 1.0)
    assert_close(found["arm.q1.phi"].values, alone["q"].values[:, 0], RUN)
    assert_close(found["rotor.w"].values, -20 * alone["qd"].values[:, 0], RUN)


class Motorised(Geared):
    source, R, L = part(el.ConstantVoltage, V=12.0), part(el.Resistor), part(el.Inductor, L=0.01)
    emf, ground = part(el.EMF, k=0.05), part(el.Ground)

    def equations(self) -> Iterator[Any]:
        yield from super().equations()
        yield connect(self.source.p, self.R.p)
        yield connect(self.R.n, self.L.p)
        yield connect(self.L.n, self.emf.p)
        yield connect(self.emf.n, self.source.n, self.ground.p)
        yield connect(self.emf.flange, self.rotor.flange_a)


def test_circuits_and_mechanics_in_one_system() -> None:
    found = kt.simulate(Motorised(), 1.0, method="cvode_bdf", rtol=1e-9, atol=1e-11)
    model = arm(armature=0.4)
    current = model.state("i", unit="A")
    model.state_rate("i", lambda qd, x: (12 - x["i"] - 0.05 * -20 * qd["q1"]) / 0.01)
    model.joint_law("motor", "q1", -20 * 0.05 * current)
    alone = kt.simulate(model, 1.0, method="cvode_bdf", rtol=1e-9, atol=1e-11)
    assert_close(found["L.i"].values, alone["x"].values[:, 0], 10 * RUN)


class Driven(Component):
    arm = part(mb.Mechanism, model=arm())
    t1, t2, f3 = part(rot.Torque), part(rot.Torque), part(tr.Force)
    u1, u2, u3 = signal_in("N.m"), signal_in("N.m"), signal_in("N")

    def equations(self) -> Iterator[Any]:
        yield connect(self.t1.flange, self.arm.q1)
        yield connect(self.t2.flange, self.arm.q2)
        yield connect(self.f3.flange, self.arm.q3)
        yield connect(self.u1, self.t1.tau)
        yield connect(self.u2, self.t2.tau)
        yield connect(self.u3, self.f3.f)


def test_the_same_component_answers_the_inverse_question() -> None:
    known = ["arm.q1.phi", "arm.q2.phi", "arm.q3.s"]
    program = kt.derive(Driven(), known=known, wanted=["u1", "u2", "u3"])
    q, qd, qdd = np.array([0.3, -0.5, 0.2]), np.array([1.0, -2.0, 0.5]), np.array([3.0, 1.0, -1.0])
    labels = program.input("known").labels
    values = dict(zip(known, q, strict=True))
    values |= {f"der({n})": v for n, v in zip(known, qd, strict=True)}
    values |= {f"der(der({n}))": v for n, v in zip(known, qdd, strict=True)}
    found = program.evaluate(t=0.0, known=np.array([values[n] for n in labels]))["wanted"]
    exact = kt.derive(arm(), "inverse").evaluate(q=q, qd=qd, qdd=qdd)["tau"]
    assert_close(found, exact, FORMALISM)


def test_some_joints_driven_and_others_free() -> None:
    known = ["arm.q1.phi", "u2", "u3"]
    program = kt.derive(Driven(), known=known, wanted=["u1"])
    x = program.input("x").labels
    assert x == ("arm.q2.phi", "der(arm.q2.phi)", "arm.q3.s", "der(arm.q3.s)")
    given = {"arm.q1.phi": 0.3, "der(arm.q1.phi)": 1.0, "der(der(arm.q1.phi))": 3.0}
    given |= {"u2": 0.7, "u3": -0.2}
    values = np.array([given[name] for name in program.input("known").labels])
    found = program.evaluate(t=0.0, known=values, x=np.array([-0.5, -2.0, 0.2, 0.5]))
    mixed = kt.derive(arm(), "mixed", known={"q1": "qdd"})
    q, qd, gamma = np.array([0.3, -0.5, 0.2]), np.array([1.0, -2.0, 0.5]), np.array([3, 0.7, -0.2])
    exact = mixed.evaluate(q=q, qd=qd, gamma=gamma)
    assert_close(found["wanted"][0], exact["tau"][0], FORMALISM)
    assert_close(found["xd"][[1, 3]], exact["qdd"][1:], FORMALISM)


def linkage() -> kt.Model:
    """A four-bar with a floating load beside it, and a state that follows its crank."""
    model = kt.Model("linkage", gravity=(0, 0, -9.81))
    crank = model.body("crank", mass=1.0, com=(0.1, 0, 0), inertia=(0.01, 0.02, 0.02))
    rod = model.body("rod", mass=2.0, com=(0.3, 0, 0), inertia=(0.02, 0.1, 0.1))
    rocker = model.body("rocker", mass=1.5, com=(0.2, 0, 0), inertia=(0.01, 0.05, 0.05))
    ball = model.body("ball", mass=0.5, inertia=(0.01, 0.02, 0.03))
    model.revolute("q1", model.ground, crank, axis="-y", initial=1.0)
    model.revolute("q2", crank.point("end", (0.2, 0, 0)), rod, axis="-y", initial=-0.6)
    right = model.ground.point("right", (0.6, 0, 0))
    model.revolute("q3", right, rocker, axis="-y", initial=1.5)
    model.close_revolute(
        "pin", rod.point("end", (0.6, 0, 0)), rocker.point("end", (0.4, 0, 0)), "y"
    )
    model.free("free", model.ground, ball, initial=(1, 0, 0, 0, 0, 0, 1))
    filtered = model.state("filtered", 0.2)
    model.state_rate("filtered", lambda qd, x: 3 * (qd["q1"] - x["filtered"]))
    model.joint_law("drag", "q1", -0.5 * filtered)
    return model


class Linkage(Component):
    arm = part(mb.Mechanism, model=linkage(), qd={"q1": 2.0, "free_wx": 3.0, "free_wy": 1.0})
    motor, u = part(rot.Torque), signal_in("N.m", 1.5)

    def equations(self) -> Iterator[Any]:
        yield connect(self.motor.flange, self.arm.q3)
        yield connect(self.motor.tau, self.u)


def test_a_model_with_loops_states_and_floating_bodies_is_a_component() -> None:
    tight = {"rtol": 1e-10, "atol": 1e-12}
    found = kt.simulate(Linkage(), 0.5, **tight)
    qd = dict.fromkeys(linkage().velocities, 0.0) | {"q1": 2.0, "free_wx": 3.0, "free_wy": 1.0}
    model = linkage()
    model.joint_law("motor", "q3", 1.5)
    with pytest.warns(ModelWarning, match="qd of 'q2' is"):
        alone = kt.simulate(model, 0.5, qd=qd, independent=["q1"], **tight)
    angles = [float(found[f"arm.q{k}.phi"][-1]) for k in (1, 2, 3)]
    assert_close(angles, alone["q"].values[-1][:3], RUN)
    Q = [float(found[f"arm.free_{k}"][-1]) for k in ("w", "x", "y", "z", "px", "py", "pz")]
    assert_close(Q, alone["q"].values[-1][3:], RUN)
    assert_close([float(found["arm.filtered"][-1])], alone["x"].values[-1], RUN)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda m: m.drive("q1", lambda t: t), "it has drives; connect a Position"),
        (lambda m: m.wrench("push", "tip"), "it has wrenches; connect a WorldForce"),
        (lambda m: m.event("mark", lambda q: q["q1"]), "it has events; write them with when"),
        (
            lambda m: m.stop("wall", "q1", lower=0.0, restitution=0.5),
            "'wall' may come into contact",
        ),
        (lambda m: m.constrain_rates("roll", lambda qd: qd["q1"] - qd["q2"]), "of velocities"),
    ],
)
def test_what_a_component_cannot_be_made_of(change: Any, words: str) -> None:
    model = arm()
    change(model)
    with pytest.raises(KinetreeError, match=words):
        mb.Mechanism(model=model).report()
    with pytest.raises(KinetreeError, match="it has no model"):
        mb.Mechanism().report()
