"""Every part of the multibody library: against a model built by hand, or a closed form."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from approx import RUN, TRAJECTORY, assert_close
from kinetree.acausal import Component, connect, parameter, part, port, setting, signal_in
from kinetree.errors import KinetreeError
from kinetree.library import electrical as el
from kinetree.library import multibody as mb
from kinetree.library import rotational as rot

INERTIA = {"I_11": 0.1, "I_22": 0.2, "I_33": 0.25}
TIGHT = {"rtol": 1e-10, "atol": 1e-12}


def last(run: Any, *names: str) -> Any:
    return [float(run[name].values[-1]) for name in names]


class Drag(Component):
    """A force against the velocity of a frame, by equations of its own."""

    frame_a = port(mb.Frame)
    k = parameter(3.0, "N.s/m")

    def equations(self) -> Iterator[Any]:
        for f, v in zip(self.frame_a.f, self.frame_a.v, strict=True):
            yield f == self.k * v
        for t in self.frame_a.t:
            yield t == 0


class Chain(Component):
    """Joints that lead to the world from their frame_a, a turned frame, a drag, sensors."""

    world, place = part(mb.World), part(mb.Fixed, r=(1, 0, 0))
    j1 = part(mb.Revolute, n="y", phi=0.3, w=0.2)
    j2 = part(mb.Universal, phi_a=0.2, phi_b=-0.1, w_a=0.5)
    j3 = part(mb.Cylindrical, s=0.1, phi=0.2, v=0.3)
    a = part(mb.Body, m=1.0, r_CM=(0, 0, -0.5), **INERTIA)
    b = part(mb.Body, m=2.0, r_CM=(0.1, 0, -0.2), **INERTIA)
    c = part(mb.Body, m=0.5, r_CM=(0.1, 0.2, 0.3), **INERTIA)
    bar = part(mb.FixedTranslation, r=(0, 0, -1.0))
    turn = part(mb.FixedRotation, n=(0, 0, 1), angle=90, r=(0, 0.2, 0))
    drag, at = part(Drag), part(mb.AbsolutePosition)
    speed, turning = part(mb.AbsoluteVelocity), part(mb.AbsoluteAngularVelocity)
    away = part(mb.Distance)

    def equations(self) -> Iterator[Any]:
        yield connect(self.place.frame_b, self.j1.frame_b, self.away.frame_a)
        yield connect(self.j1.frame_a, self.a.frame_a, self.bar.frame_a)
        yield connect(self.bar.frame_b, self.j2.frame_b)
        yield connect(self.j2.frame_a, self.b.frame_a, self.turn.frame_b)
        yield connect(self.turn.frame_a, self.j3.frame_b)
        yield connect(self.j3.frame_a, self.c.frame_a, self.drag.frame_a)
        yield connect(self.c.frame_a, self.at.frame_a, self.away.frame_b)
        yield connect(self.c.frame_a, self.speed.frame_a, self.turning.frame_a)


def chain() -> kt.Model:
    """The same by hand."""
    model = kt.Model("chain")
    inertia = tuple(INERTIA.values())
    a = model.body("a", mass=1, com=(0, 0, -0.5), inertia=inertia)
    b = model.body("b", mass=2, com=(0.1, 0, -0.2), inertia=inertia)
    c = model.body("c", mass=0.5, com=(0.1, 0.2, 0.3), inertia=inertia)
    model.revolute("j1", model.ground.point("p", (1, 0, 0)), a, axis="-y", initial=0.3)
    elbow = a.point("e", (0, 0, -1))
    model.universal("j2", elbow, b, axes=("-y", "-x"), initial=(-0.1, 0.2))
    back = np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 1]])
    place = b.point("t", (back @ (0, -0.2, 0)).tolist(), back.tolist())
    model.cylindrical("j3", place, c, axis="-x", initial=(0.1, 0.2))
    model.force_law("drag", {"p": c}, lambda points: {"p": [-3 * v for v in points["p"].v]})
    return model


def test_joints_are_reversed_where_the_tree_needs_it() -> None:
    run = kt.simulate(Chain(), 1.0, **TIGHT)
    model = chain()
    alone = kt.simulate(model, 1.0, qd=[0.2, 0, 0.5, 0.3, 0], **TIGHT)
    q, qd = alone["q"].values[-1], alone["qd"].values[-1]
    assert_close(last(run, "j1.phi", "j2.phi_b", "j2.phi_a", "j3.s", "j3.phi"), q, RUN)
    assert_close(last(run, "j1.w", "j2.w_b", "j2.w_a", "j3.v", "j3.w"), qd, RUN)
    point = kt.derive(model, "kinematics", points=["c"]).evaluate(q=q, qd=qd, qdd=0 * qd)
    assert_close(last(run, "at.r_x", "at.r_y", "at.r_z"), point["c.position"], RUN)
    names = ("turning.w_x", "turning.w_y", "turning.w_z", "speed.v_x", "speed.v_y", "speed.v_z")
    assert_close(last(run, *names), point["c.velocity"], RUN)
    distance = float(np.linalg.norm(point["c.position"] - [1, 0, 0]))
    assert_close(last(run, "away.distance"), [distance], RUN)


class Floating(Component):
    """A body that no joint holds, with another one at a ball."""

    world, ball = part(mb.World), part(mb.Spherical, w_x=0.3)
    b = part(mb.Body, m=1.0, r_CM=(0.1, 0, 0), w_0=(1, 2, 3), v_0=(0, 0, 2), r_0=(0, 0, 1),
             **INERTIA)  # fmt: skip
    c = part(mb.Body, m=0.5, r_CM=(0, 0, -0.3), **INERTIA)
    bar = part(mb.FixedTranslation, r=(0.2, 0, 0))

    def equations(self) -> Iterator[Any]:
        yield connect(self.b.frame_a, self.bar.frame_a)
        yield connect(self.bar.frame_b, self.ball.frame_a)
        yield connect(self.ball.frame_b, self.c.frame_a)


def test_a_body_without_a_joint_floats() -> None:
    run = kt.simulate(Floating(), 2.0, **TIGHT)
    model, inertia = kt.Model("floating"), tuple(INERTIA.values())
    b = model.body("b", mass=1.0, com=(0.1, 0, 0), inertia=inertia)
    c = model.body("c", mass=0.5, com=(0, 0, -0.3), inertia=inertia)
    model.free("free", model.ground, b, initial=(1, 0, 0, 0, 0, 0, 1))
    model.spherical("ball", b.point("e", (0.2, 0, 0)), c)
    alone = kt.simulate(model, 2.0, qd=[1, 2, 3, 0, 0, 2, 0.3, 0, 0], **TIGHT)
    Q = ("Q_w", "Q_x", "Q_y", "Q_z")
    names = [f"b.free.{k}" for k in (*Q, "r_x", "r_y", "r_z")] + [f"ball.{k}" for k in Q]
    assert_close(last(run, *names), alone["q"].values[-1], RUN)


class Plane(Component):
    """A disc in a plane on a bushing, a slider on a spring, forces of the world."""

    fx, ty, fz = signal_in("N", 2.0), signal_in("N.m", 1e-5), signal_in("N", 1.0)
    world = part(mb.World, g=0)
    planar = part(mb.Planar, n="y", s_x=0.0, s_y=0.0, phi=0.0, v_x=0.0, v_y=0.0, w=0.0)
    slider = part(mb.Prismatic, n="x", s=0.15, v=0.0)
    disc = part(mb.Body, m=2.0, I_11=0.3, I_22=0.5, I_33=0.3)
    block = part(mb.Body, m=3.0)
    push, twist = part(mb.WorldForce), part(mb.WorldTorque)
    bush = part(mb.Bushing, c=(8, 8, 8), c_phi=(2, 2, 2))
    spring = part(mb.SpringDamperParallel, c=12, d=1.5, s_unstretched=0.1)

    def equations(self) -> Iterator[Any]:
        yield connect(self.world.frame_b, self.planar.frame_a, self.slider.frame_a)
        yield connect(self.world.frame_b, self.bush.frame_a, self.spring.frame_a)
        yield connect(self.planar.frame_b, self.disc.frame_a, self.push.frame_b)
        yield connect(self.disc.frame_a, self.twist.frame_b, self.bush.frame_b)
        yield connect(self.slider.frame_b, self.block.frame_a, self.spring.frame_b)
        yield connect(self.fx, self.push.force_x)
        yield connect(self.fz, self.push.force_z)
        yield connect(self.ty, self.twist.torque_y)
        yield self.push.force_y == 0
        yield self.twist.torque_x == 0
        yield self.twist.torque_z == 0


def test_forces_move_sliders_and_discs_as_oscillators() -> None:
    """m x'' = f - c x; m s'' = -c (s - s0) - d s'; J phi'' = t - c_phi phi."""
    run = kt.simulate(Plane(), 1.5, step=0.1, **TIGHT)
    t = run.time.values
    assert_close(run["planar.s_y"], 2 / 8 * (1 - np.cos(2 * t)), RUN)  # along x of the world
    assert_close(run["planar.s_x"], 1 / 8 * (1 - np.cos(2 * t)), RUN)  # along z
    assert_close(run["planar.phi"], 5e-6 * (1 - np.cos(2 * t)), TRAJECTORY)  # small
    w, d = np.sqrt(12 / 3 - 0.25**2), 0.25
    free = 0.05 * np.exp(-d * t) * (np.cos(w * t) + d / w * np.sin(w * t))
    assert_close(run["slider.s"], 0.1 + free, RUN)


class Series(Component):
    """A slider on three springs in series, with points without mass between them."""

    c = parameter(60.0, "N/m")
    world, one = part(mb.World, g=0), part(mb.Prismatic, n="x", s=0.5, v=0.0)
    a, middle = part(mb.Body, m=2.0), part(mb.AbsolutePosition)
    s1, s3 = (part(mb.SpringDamperParallel, c=c, s_unstretched=0.1) for c in (30, 20))
    s2 = part(mb.SpringDamperParallel, c=lambda self: self.c, s_unstretched=0.1)

    def equations(self) -> Iterator[Any]:
        yield connect(self.world.frame_b, self.one.frame_a, self.s1.frame_a)
        yield connect(self.s1.frame_b, self.s2.frame_a, self.middle.frame_a)
        yield connect(self.s2.frame_b, self.s3.frame_a)
        yield connect(self.s3.frame_b, self.one.frame_b, self.a.frame_a)


def test_springs_in_series_are_in_balance_without_a_mass_between_them() -> None:
    """1/c = 1/30 + 1/60 + 1/20."""
    run = kt.simulate(Series(), 1.5, step=0.1, **TIGHT)
    c, away = 10.0, 0.2 * np.cos(np.sqrt(10.0 / 2) * run.time.values)
    assert_close(run["one.s"], 0.3 + away, RUN)
    assert_close(run["middle.r_x"], 0.1 + c * away / 30, RUN)
    assert_close(run["s3.frame_a.r_x"], 0.2 + c * away / 30 + c * away / 60, RUN)


class Loose(Component):
    """A body that moves freely in the world."""

    world, free = part(mb.World), part(mb.FreeMotion, r_x=1.0, v_x=2.0, w_z=3.0)
    b = part(mb.Body, m=1.0, **INERTIA)

    def equations(self) -> Iterator[Any]:
        yield connect(self.world.frame_b, self.free.frame_a)
        yield connect(self.free.frame_b, self.b.frame_a)


def test_free_motion_is_a_throw() -> None:
    """The velocity is in axes of the body, which turns by 3 t about z."""
    run = kt.simulate(Loose(), 2.0, **TIGHT)
    assert_close(last(run, "free.r_x", "free.r_y", "free.r_z"), [5.0, 0.0, -9.81 * 2], RUN)
    assert_close(last(run, "free.Q_w", "free.Q_z"), [np.cos(3), np.sin(3)], RUN)
    assert_close(last(run, "free.v_x", "free.v_y"), [2 * np.cos(6), -2 * np.sin(6)], RUN)


def test_every_component_of_the_library_stands_in_a_test() -> None:
    rigs = (Chain, Floating, Plane, Loose)
    used = {type(x) for rig in rigs for x in vars(_made(rig)).values()}
    used |= {mb.Mechanism}  # test_mechanics.py
    assert not {kind.__name__ for kind in mb.ALL} - {kind.__name__ for kind in used}


def _made(rig: type[Component]) -> Component:
    made = rig()
    for name in vars(rig):
        getattr(made, name)
    return made


def test_a_model_meets_forces_and_sensors_at_its_points() -> None:
    """A drag at the tip of a model, as if it were one of the model's forces."""
    tree = chain()
    drags = tree.forces.pop("drag")
    assert drags is not None

    class Dragged(Component):
        arm, drag = part(mb.Mechanism, model=tree, qd={"j1": 0.2}), part(Drag)

        def equations(self) -> Iterator[Any]:
            yield connect(self.arm.c, self.drag.frame_a)

    run = kt.simulate(Dragged(), 1.0, **TIGHT)
    alone = kt.simulate(chain(), 1.0, qd=[0.2, 0, 0, 0, 0], **TIGHT)
    names = ("arm.j1.phi", "arm.j2_1.phi", "arm.j2_2.phi", "arm.j3_1.s", "arm.j3_2.phi")
    assert_close(last(run, *names), alone["q"].values[-1], RUN)


# --- bad input -----------------------------------------------------------------------------------


def whole(connections: Any, **parts: Any) -> Component:
    """A component of parts and connections."""
    own = {name: part(kind) for name, kind in parts.items()}
    return type("Whole", (Component,), {**own, "equations": connections})()


def two_bars(self: Any) -> Iterator[Any]:
    yield connect(self.w.frame_b, self.a.frame_a, self.b.frame_a)
    yield connect(self.a.frame_b, self.b.frame_b)


def lonely(self: Any) -> Iterator[Any]:
    yield connect(self.w.frame_b, self.j.frame_a)
    yield connect(self.j.frame_b, self.b.frame_a)


def open_end(self: Any) -> Iterator[Any]:
    yield connect(self.w.frame_b, self.j.frame_a)


def electric(self: Any) -> Iterator[Any]:
    yield connect(self.w.frame_b, self.r.p)


def pinned(self: Any) -> Iterator[Any]:
    yield connect(self.w.frame_b, self.a.frame_a, self.j.frame_a)
    yield connect(self.a.frame_b, self.j.frame_b)


def held_twice(self: Any) -> Iterator[Any]:
    yield from lonely(self)
    yield connect(self.j.axis, self.drive.flange, self.lock.flange)


def in_series(self: Any) -> Iterator[Any]:
    yield from lonely(self)
    yield connect(self.w.frame_b, self.s1.frame_a)
    yield connect(self.s1.frame_b, self.s2.frame_a)
    yield connect(self.s2.frame_b, self.b.frame_a)


def by_themselves(self: Any) -> Iterator[Any]:
    yield from lonely(self)
    yield connect(self.s1.frame_a, self.s2.frame_a)
    yield connect(self.s1.frame_b, self.s2.frame_b)


class Damped(mb.SpringDamperParallel):
    d = setting(2.0)


class Heavy(mb.Body):
    m = setting(1.0)
    r_CM = setting((1, 0, 0))


BAD = {
    "a loop of rigid parts": (
        whole(two_bars, w=mb.World, a=mb.FixedTranslation, b=mb.FixedTranslation),
        "component 'b': it closes a loop of rigid parts",
    ),
    "a part connected to nothing": (
        whole(lonely, w=mb.World, j=mb.Revolute, b=mb.Body, lost=mb.FixedTranslation),
        "component 'lost': it is connected with nothing",
    ),
    "a joint with an open end": (
        whole(open_end, w=mb.World, j=mb.Revolute),
        "component 'j': its frame_b is connected with nothing",
    ),
    "two worlds": (
        whole(lonely, w=mb.World, j=mb.Revolute, b=mb.Body, other=mb.World),
        r"there are 2 worlds \('w', 'other'\); keep one of them",
    ),
    "no world": (
        whole(two_bars, w=mb.Fixed, a=mb.FixedTranslation, b=mb.FixedTranslation),
        "there is no World; add",
    ),
    "a frame of another kind": (
        whole(electric, w=mb.World, r=el.Resistor),
        r"'w.frame_b' \(Frame\) and 'r.p' \(Pin\) are connectors of different kinds",
    ),
    "a joint on one rigid part": (
        whole(pinned, w=mb.World, a=mb.FixedTranslation, j=mb.Revolute),
        "component 'j': both its frames are on one rigid part",
    ),
    "a joint both driven and locked": (
        whole(held_twice, w=mb.World, j=mb.Revolute, b=Heavy, drive=rot.ConstantSpeed,
              lock=rot.Fixed),
        "'drive'.*'lock'.*",
    ),
    "a bushing that ends in a spring": (
        whole(in_series, w=mb.World, j=mb.Revolute, b=Heavy, s1=mb.SpringDamperParallel,
              s2=mb.Bushing),
        "component 's2': one of its ends hangs on forces alone",
    ),
    "a damper that ends in a spring": (
        whole(in_series, w=mb.World, j=mb.Revolute, b=Heavy, s1=mb.SpringDamperParallel,
              s2=Damped),
        "component 's2': its damper ends in a point that forces alone hold",
    ),
    "springs that no body holds": (
        whole(by_themselves, w=mb.World, j=mb.Revolute, b=Heavy, s1=mb.SpringDamperParallel,
              s2=mb.SpringDamperParallel),
        "frame 's1.frame_b': it hangs on parts that no body and no joint holds",
    ),
    "a joint without mass": (
        whole(lonely, w=mb.World, j=mb.Revolute, b=mb.Body),
        "joint 'j': the mass matrix is singular: body 'b'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_told_in_one_sentence(name: str) -> None:
    made, words = BAD[name]
    with pytest.raises(KinetreeError, match=words) as caught:
        made.report()
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith(".")


def test_vectors_and_units_of_parts_are_checked() -> None:
    rig = whole(lonely, w=mb.World, j=mb.Revolute, b=mb.Body)
    rig.b.given["r_CM"] = (1, 2)
    with pytest.raises(KinetreeError, match=r"component 'b': r_CM is .*; give three numbers"):
        rig.report()
    rig.b.given["r_CM"] = (0, 0, "3 kg")
    with pytest.raises(KinetreeError, match="r_CM_z"):
        rig.report()
