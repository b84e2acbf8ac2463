"""Laws of outputs: forces times rates are the power of generalised forces; rates of points."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests import forced, zoo
from tests.approx import EFFORTS, FORMALISM, GOLDEN, IDENTITY, ROUNDING, assert_close
from tests.laws.tools import time_derivative
from tests.unit.forces import pac2002

import kinetree as kt
from kinetree.forces import ALL
from kinetree.model import offers, stop_modes
from kinetree.program.restrict import restrict

STATES = 5
ROAD: dict[str, Any] = {"height": lambda x, y, t: 0.3 * x - 0.1 * x * y + 0.05 * t - 5.0}
CALSPAN = {"A0": 4e3, "A1": 8.0, "A2": 9e3, "A3": 1.2, "A4": -7e3, "B1": -3e-5, "B3": 1.1}


def in_joints(kind: str, arguments: dict[str, Any]) -> Callable[[kt.Model], None]:
    """One element in the first joint and one in the last."""

    def add(model: kt.Model) -> None:
        for name in (model.velocities[0], model.velocities[-1]):
            model.force(kind, f"new_{name}", (), {"joint": name, **arguments})

    return add


def rubbing(model: kt.Model) -> None:
    """Dry friction in two joints: one slides, one sticks."""
    model.dry_friction("slides", model.velocities[0], 0.4, 0.5, viscous=0.2)
    model.dry_friction("sticks", model.velocities[-1], 50.0, 60.0, viscous=0.3)


def gripping(kind: str) -> Callable[[kt.Model], None]:
    """Friction along two speeds that are not velocities: one slides, one sticks."""

    def add(model: kt.Model) -> None:
        first, _, last = model.velocities
        ground, body, end = forced.places(model)
        for name, force in (("slides", 0.4), ("sticks", 90.0)):
            where = (first, last) if name == "slides" else (last, first)
            if kind == "clutch":
                model.clutch(name, *where, force, ratio=0.7, viscous=0.2)
            elif kind == "link_friction":
                ends = (ground, end) if name == "slides" else (ground, body)
                model.link_friction(name, *ends, force, viscous=0.2)
            elif kind == "brake":
                model.brake(name, where[0], force, viscous=0.2)
            else:
                model.friction_law(
                    name, lambda q, qd, w=where: qd[w[0]] - q[w[1]] * qd[w[1]], force
                )

    return add


def on_road(kind: str, arguments: dict[str, Any]) -> Callable[[kt.Model], None]:
    """One element between two bodies and one between a body and the ground."""

    def add(model: kt.Model) -> None:
        ground, first, last = forced.places(model)
        model.force(kind, "touch", (last, ground), {**arguments, **ROAD})
        model.force(kind, "inner", (last, first), arguments)

    return add


def sticking_contacts(model: kt.Model) -> None:
    """One that slides on the ground and one that sticks on another body."""
    ground, first, last = forced.places(model)
    for name, road, friction in (("slides", ground, 0.1), ("sticks", first, 9.0)):
        model.sticking_contact(name, last, road, 9.0, friction, 20.0, dissipation=0.2, along="y")


def between(kind: str) -> Callable[[kt.Model], None]:
    """What stands between a point of the ground and one of the last body."""

    def add(model: kt.Model) -> None:
        ground, first, last = forced.places(model)
        forced.BETWEEN[kind][0](model, ground, last)
        if kind == "bushing":
            model.force("bushing", "inner", (first, last), forced.BUSHING)

    return add


def in_plane(kind: str) -> Callable[[kt.Model], None]:
    """A box that touches a floor with corners, edges and friction, and a disc in a ring."""

    def add(model: kt.Model) -> None:
        law, data = PLANE[kind]
        tip = model.bodies["b2"].point(
            "tip", (0.3, 0, 0), rotation=zoo.rotation_about((0, 0, 1), 0.4)
        )
        floor = model.ground.point("floor", (0, -2, 0), rotation=zoo.rotation_about((0, 0, 1), 0.2))
        box = {"chain": ((-4, -4), (4, -4), (4, 4, 0.4), (-4, 4)), "closed": True}
        model.plane_contact("touch", tip, floor, box, {"chain": ((9, 0), (-9, 0))}, law,
                            friction=0.3, slip_speed=0.2, thickness=50.0, **data)  # fmt: skip
        model.plane_contact("inner", "b0", "b2", {"circle": (0.1, 0), "radius": 0.5},
                            {"circle": (0, 0), "radius": -0.6}, law, **data)  # fmt: skip

    return add


PLANE: dict[str, tuple[Any, dict[str, Any]]] = {
    "plane_linear": ("linear", {"stiffness": 20.0, "damping": 0.4}),
    "plane_hunt_crossley": ("hunt_crossley", {"stiffness": 20.0, "dissipation": 0.05}),
    "plane_lankarani_nikravesh": (
        "lankarani_nikravesh", {"stiffness": 20.0, "restitution": 0.8, "impact_speed": 9.0}
    ),
    "plane_felt": ("felt", {"force": 20.0, "depth": 1.0, "exponent": 1.8, "dissipation": 0.05}),
    "plane_law": (lambda depth, rate: 20.0 * depth + 0.1 * depth * rate, {}),
}  # fmt: skip


FLUID = ("fluid", "fluid_volume", "accumulator", "tank", "cylinder", "fluid_line",
         "fluid_resistance", "orifice", "check_valve", "pump", "fluid_source")  # fmt: skip


def circuit(model: kt.Model) -> None:
    """Every kind of fluid power: a cylinder and a pump, and what is between them."""
    ground, _, last = forced.places(model)
    model.fluid("oil", 870.0, 1e9)
    model.tank("sump", "oil")
    model.fluid_volume("block", "oil", 1e-4, 2e5)
    model.accumulator("gas", "oil", 1e-3, 4e5)
    model.cylinder("jack", ground, last, "oil", 0.05, rod=0.02, length=0.5, stroke=50.0,
                   cap_volume=1.0, rod_volume=1.0, cap_pressure=6e5, rod_pressure=3e5)  # fmt: skip
    model.fluid_line("pipe", "jack_cap", "block", 2.0, 0.01)
    model.fluid_resistance("leak", "jack_rod", "block", 1e10)
    model.orifice("neck", "block", "gas", 1e-5)
    model.check_valve("valve", "sump", "jack_rod", 1e-9)
    model.pump("pump", "sump", "block", model.velocities[0], 1e-5)
    model.fluid_source("source", "sump", "block", lambda t: 1e-5 * t)


CONTACT = {"radius": 9.0, "stiffness": 20.0, "dissipation": 0.2, "friction": 0.3,
           "rolling_resistance": 0.1}  # fmt: skip
TYRE = {"radius": 9.0, "stiffness": 200.0, "damping": 0.1}
LINEAR = {"slip_stiffness": 3.0, "cornering_stiffness": 4.0, "camber_stiffness": 1.5, "trail": 0.1}
ELEMENTS: dict[str, Callable[[kt.Model], None]] = {
    "link": between("link"),
    "crushable": between("crushable"),
    "bushing": between("bushing"),
    "external": between("external"),
    "law": between("law"),
    "joint_spring": in_joints("joint_spring", {"stiffness": 3.0, "rest": 0.2, "damping": 0.3}),
    "joint_friction": in_joints("joint_friction", {"coulomb": 0.4, "viscous": 0.1, "smooth": 0.3}),
    "joint_law": in_joints("joint_law", {"law": lambda t, q, qd: t - next(iter(q.values())) ** 2}),
    "dry_friction": rubbing,
    **{kind: gripping(kind) for kind in ("brake", "clutch", "link_friction", "friction_law")},
    "contact_stick": sticking_contacts,
    "joint_lock": in_joints("joint_lock", {"locked": lambda t: 1 + t}),
    "joint_stop": in_joints("joint_stop", {"lower": -3.0, "upper": 3.0}),
    "gap_stop": lambda model: model.stop("wall", gap=lambda q: 3.0 - next(iter(q.values()))),
    "point_stop": lambda model: model.stop(
        "floor", gap=lambda points: points["tip"].p[2] + 9.0, points={"tip": list(model.bodies)[-1]}
    ),
    **dict.fromkeys(FLUID, circuit),
    "contact_sphere": on_road("contact_sphere", CONTACT),
    "contact_wheel": on_road("contact_wheel", {**CONTACT, "crown": 0.1}),
    **{kind: in_plane(kind) for kind in PLANE},
    "tyre_linear": on_road("tyre_linear", {**TYRE, **LINEAR}),
    "tyre_calspan": on_road("tyre_calspan", {**TYRE, **CALSPAN}),
    "tyre_pacejka": on_road("tyre_pacejka", TYRE),
    "tyre_pac2002": on_road("tyre_pac2002", {**TYRE, **pac2002.ARGUMENTS}),
}
"""Kind -> how to add elements of it to a chain of revolute and prismatic joints."""


def chain(kind: str = "") -> kt.Model:
    """Three bodies that turn, slide and turn; of contacts in the plane about and across z."""
    if kind.startswith("plane_"):
        return flat_chain()
    return zoo.build(zoo.chain_links(3, 3, ("revolute", "prismatic", "revolute")))


def flat_chain() -> kt.Model:
    """Three bodies that turn about z, slide and turn."""
    model = kt.Model("flat", gravity=(0, -9.81, 0))
    parent: Any = model.ground
    for k, (joint, axis) in enumerate((("revolute", "z"), ("prismatic", "x"), ("revolute", "z"))):
        body = model.body(f"b{k}", mass=1.0 + k, com=(0.2, 0.1, 0), inertia=(0.3, 0.4, 0.5))
        getattr(model, joint)(f"j{k}", parent, body, axis=axis)
        parent = body.point("out", (0.6, 0.2, 0.1))
    return model


def start_of_states(model: kt.Model) -> Any:
    """Pressures at the start; of frictions, the first slides and the second sticks."""
    x = np.tile([float(state.initial) for state in model.states.values()], (STATES, 1))
    if model.states and "oil" not in model.forces:
        x[:] = 0.0
        x[:, 0] = 1.0
    return x


def powers(model: kt.Model, values: dict[str, Any]) -> tuple[Any, Any]:
    """The sum of the powers of all elements, and qd · Q of the generalised forces."""
    state = {**values, "t": np.full(STATES, 0.3), "x": start_of_states(model)}
    forward = kt.derive(model, "forward")
    moved = forward.evaluate(**forward.pick_inputs(state))
    flat = model.name == "flat"
    free = kt.derive(flat_chain() if flat else chain(), "inverse")
    Q = free.evaluate(q=state["q"], qd=state["qd"], qdd=moved["qdd"])["tau"] - state["tau"]
    told = kt.derive(model, "forces")
    working = {row.name for row in ALL if row.work}
    told = restrict(told, [f"{x.name}.power" for x in model.forces.values() if x.kind in working])
    held = {name: moved.get(name, np.zeros(0)) for name in ("hold", "grip")}
    out = told.evaluate(**told.pick_inputs({**state, **held}))
    return sum(out.values()), np.einsum("ij,ij->i", Q, state["qd"])


@pytest.mark.parametrize("kind", [row.name for row in ALL if row.work])
def test_power_of_elements_is_the_power_of_generalised_forces(kind: str) -> None:
    model = chain(kind)
    ELEMENTS[kind](model)
    kinds = {force.kind for force in model.forces.values()}
    assert kinds == (set(FLUID) if kind in FLUID else {kind})
    values = zoo.state(model, 4, (STATES,))
    found, expected = powers(model, values)
    assert np.median(np.abs(expected)) > 1e-3, "the elements do work"
    assert_close(found, expected, GOLDEN, kind)


def test_power_of_all_elements_together_is_that_of_the_generalised_forces() -> None:
    model = chain()
    for kind in ("joint_spring", "dry_friction"):
        ELEMENTS[kind](model)
    ground, first, last = forced.places(model)
    for add in (forced.add_link, forced.add_external, forced.add_law):
        add(model, ground, last)
    forced.add_bushing(model, ground, first)
    model.force("tyre_linear", "tyre", (last, ground), {**TYRE, **LINEAR})
    found, expected = powers(model, zoo.state(model, 5, (STATES,)))
    assert_close(found, expected, GOLDEN, "all")


@pytest.mark.parametrize("kind", [row.name for row in ALL if not row.holds])
def test_position_matrices_tell_the_same(kind: str) -> None:
    model = chain(kind)
    ELEMENTS[kind](model)
    values = {**zoo.state(model, 4, (STATES,)), "t": np.full(STATES, 0.3)}
    stops = sum(len(stop_modes(force)) for force in model.forces.values())
    values |= {"contact": np.ones((STATES, stops)), "x": start_of_states(model)}
    one, other = kt.derive(model, "forces"), kt.derive(model.as_frames(), "forces")
    expected, found = (p.evaluate(**p.pick_inputs(values)) for p in (one, other))
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        assert_close(found[name], value, GOLDEN, name, scale=max(1.0, float(np.abs(value).max())))


@pytest.mark.parametrize("kind", [row.name for row in ALL])
def test_rows_say_what_elements_tell(kind: str) -> None:
    model = chain(kind)
    ELEMENTS[kind](model)
    told = {out.name: out.shape for out in kt.derive(model, "forces").outputs}
    rows = {row.name: row for row in offers(model).values() if row.source == "forces"}
    assert told.keys() == rows.keys()
    for name, shape in told.items():
        assert shape == ((len(rows[name].parts),) if rows[name].parts else ())
    lawless = kind != "gap_stop"  # of which a law alone says what the gap is
    assert all(all(row.units) == lawless for row in rows.values()), "every output has its unit"


def motion() -> tuple[kt.Model, Any]:
    """A tree with points that have frames of their own, in a fine run."""
    model = zoo.build(zoo.chain_links(3, 3, ("revolute", "prismatic", "universal")))
    names = list(model.bodies)
    model.bodies[names[1]].point("eye", (0.3, 0.5, -0.7), rotation=forced.TURN)
    model.bodies[names[2]].point("tip", (-0.4, 0.2, 0.6), rotation=forced.TURN)
    return model, names


@pytest.mark.parametrize("place", ["ground", "first", "eye"])
def test_rates_of_points_are_derivatives_in_the_frame_they_are_seen_from(place: str) -> None:
    model, names = motion()
    at = {"ground": "ground", "first": names[0], "eye": f"{names[1]}.eye"}[place]
    for quantity in ("position", "velocity", "acceleration", "angular_velocity", "rotation"):
        frame = {} if quantity == "rotation" else {"frame": at}
        model.output(quantity, point=f"{names[2]}.tip", quantity=quantity, relative_to=at, **frame)
    model.output("angles", point=f"{names[2]}.tip", quantity="orientation", relative_to=at)
    model.output("spin", point=f"{names[2]}.tip", quantity="angular_acceleration",
                 relative_to=at, frame=at)  # fmt: skip
    run = kt.simulate(model, 0.02, step=1e-3, rtol=1e-12, atol=1e-13,
                      qd=list(np.linspace(0.4, 1.3, model.nv)))  # fmt: skip

    def values(name: str, parts: Any = "xyz") -> Any:
        return np.stack([run[f"{name}.{part}"].values for part in parts], axis=-1)

    def rate(table: Any) -> Any:
        h = 1e-3
        near = (table[3:-1] - table[1:-3]) / (2 * h)
        far = (table[4:] - table[:-4]) / (4 * h)
        return (4 * near - far) / 3  # error of order h⁴

    for one, other in (("position", "velocity"), ("velocity", "acceleration"),
                       ("angular_velocity", "spin")):  # fmt: skip
        assert_close(rate(values(one)), values(other)[2:-2], EFFORTS, other)
    nine = [f"{a}{b}" for a in "xyz" for b in "xyz"]
    R = values("rotation", nine).reshape(-1, 3, 3)
    W = np.einsum("tij,tkj->tik", rate(R), R[2:-2])  # the rate is [ω] R
    w = np.stack([W[:, 2, 1], W[:, 0, 2], W[:, 1, 0]], axis=-1)
    assert_close(w, values("angular_velocity")[2:-2], EFFORTS, "angular velocity")
    roll, pitch, yaw = np.moveaxis(values("angles", ("roll", "pitch", "yaw")), -1, 0)
    assert_close(np.stack([-np.sin(pitch), np.cos(pitch) * np.sin(roll)]),
                 np.stack([R[:, 2, 0], R[:, 2, 1]]), IDENTITY)  # fmt: skip
    assert_close(np.cos(pitch) * np.sin(yaw), R[:, 1, 0], IDENTITY, "yaw")


@pytest.mark.parametrize("kind", [row.name for row in ALL if row.potential])
def test_energy_of_an_element_falls_by_its_power(kind: str) -> None:
    """Without dampers and laws; of a bushing with equal stiffnesses against turning."""
    model = chain()
    ground, first, last = forced.places(model)
    if kind == "link":
        model.spring("new", ground, last, 7.0, 0.4)
    elif kind == "bushing":
        model.force(kind, "new", (first, last), {"stiffness": (3, 4, 5), "rotation": (0.6,) * 3})
    elif kind == "joint_law":
        name = model.coordinates[0]
        model.joint_law("new", name, energy=lambda q: q[name] ** 3)
    elif kind == "law":
        model.force_law("new", {"a": first, "b": last},
                        energy=lambda points: points["a"].p[0] * points["b"].R[1][2])  # fmt: skip
    else:
        model.joint_spring("new", model.coordinates[0], 3.0, 0.2)
    assert model.forces["new"].kind == kind
    program = restrict(kt.derive(model, "forces"), ["new.energy", "new.power"])
    state = zoo.state(model, 6)
    fall = time_derivative(
        lambda q, qd: program.evaluate(**program.pick_inputs({"q": q, "qd": qd}))["new.energy"],
        model, state["q"], state["qd"],
    )  # fmt: skip
    power = program.evaluate(**program.pick_inputs(state))["new.power"]
    assert abs(power) > ROUNDING
    assert_close(-fall, power, FORMALISM, kind, scale=1.0)


def test_unequal_bushings_keep_their_energy_to_second_order_of_the_angle() -> None:
    """Of a body that turns by small angles, the energy lost is of the third order in them."""
    model = kt.Model("mount", gravity=(0, 0, 0))
    body = model.body("body", mass=1.0, inertia=(1, 1, 1))
    model.spherical("s", model.ground, body)
    model.force("bushing", "new", (model.ground, body), {"stiffness": (0, 0, 0),
                                                        "rotation": (0.6, 0.7, 0.8)})  # fmt: skip
    program = restrict(kt.derive(model, "forces"), ["new.energy", "new.power"])
    lost = []
    for angle in (0.1, 0.05):
        axis = np.array([0.48, 0.6, 0.64])
        q = np.array([np.cos(angle / 2), *(np.sin(angle / 2) * axis)])
        qd = np.array([0.3, -0.2, 0.5])
        fall = time_derivative(
            lambda q, qd: program.evaluate(**program.pick_inputs({"q": q, "qd": qd}))["new.energy"],
            model, q, qd,
        )  # fmt: skip
        power = program.evaluate(**program.pick_inputs({"q": q, "qd": qd}))["new.power"]
        lost.append(float(power + fall))
    assert 3.5 < lost[0] / lost[1] < 4.5
