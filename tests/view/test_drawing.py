"""What is drawn for a mechanism that brings no shapes stands where its joints and points are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests import mechanisms
from tests.approx import AT_STATES, IDENTITY
from tests.closed import CLOSED, branches

import kinetree as kt
from kinetree.forces.plane.profiles import profile
from kinetree.view.clips import standing
from kinetree.view.dimensions import measures
from kinetree.view.inertia import solid
from kinetree.view.payload import Look, payload
from kinetree.view.poses import poses
from kinetree.view.profiles import solid_outline, triangles
from kinetree.view.quaternions import matrices
from kinetree.view.solids import outline, part


def drawn(model: kt.Model) -> dict[str, Any]:
    return payload(model, standing(model.initial()), Look())


def parts(model: kt.Model, body: str, kind: str) -> list[dict[str, Any]]:
    rows = next(row for row in drawn(model)["bodies"] if row["name"] == body)["parts"]
    return [row for row in rows if row["kind"] == kind]


def ends(rod: dict[str, Any]) -> list[np.ndarray]:
    arm = 0.5 * rod["length"] * matrices(np.array(rod["turn"]))[:, 2]
    return [np.array(rod["at"]) - arm, np.array(rod["at"]) + arm]


def axis_of(solid: dict[str, Any]) -> np.ndarray:
    return matrices(np.array(solid["turn"]))[:, 2]


def test_a_rod_leads_from_the_joint_to_what_hangs_on_the_body() -> None:
    (rod,) = parts(mechanisms.slider_crank(), "rod", "capsule")
    start, end = ends(rod)
    assert start == pytest.approx([0, 0, 0], abs=IDENTITY)
    assert end == pytest.approx([2, 0, 0])


def test_a_hinge_lies_along_its_axis_in_the_frame_of_the_body() -> None:
    model = kt.Model("hinge")
    arm = model.body("arm", mass=1, com=(1, 0, 0))
    model.revolute("j", model.ground, arm, axis=(1, 2, 2))
    (hinge,) = parts(model, "arm", "cylinder")
    assert np.abs(axis_of(hinge)) == pytest.approx(np.array([1, 2, 2]) / 3)


def test_a_rail_is_as_long_as_its_slider_travels() -> None:
    model = kt.Model("slide")
    model.prismatic("j", model.ground, model.body("b", mass=1), axis="y")
    from kinetree.view.clips import of_run
    from kinetree.view.signals import as_run

    q = np.linspace(-0.5, 1.5, 9)[:, None]
    data = payload(model, of_run(as_run(model, {"time": np.arange(9), "q": q})), Look())
    rail = next(row for row in data["bodies"][0]["parts"] if row["kind"] == "capsule")
    low, high = sorted(end[1] for end in ends(rail))
    assert low < -0.5
    assert high > 1.5
    assert low + high == pytest.approx(1.0)


def test_a_rolling_wheel_has_its_radius_and_touches_the_floor() -> None:
    model = kt.Model("wheel")
    body = model.body("w", mass=1, inertia=(1, 1, 1))
    model.free("j", model.ground, body, initial=(1, 0, 0, 0, 0, 0, 0.4))
    model.roll("c", body, model.ground, 0.4, axis="y")
    (tyre,) = parts(model, "w", "torus")
    assert tyre["radius"] + tyre["tube"] == pytest.approx(0.4)
    assert np.abs(axis_of(tyre)) == pytest.approx([0, 1, 0])
    assert drawn(model)["floor"] == 0


def test_springs_and_rods_stretch_between_their_points() -> None:
    model = kt.Model("links")
    body = model.body("b", mass=1, com=(0, 0, -1))
    model.revolute("j", model.ground, body, axis="y")
    tip, wall = body.point("tip", (0, 0, -2)), model.ground.point("wall", (3, 0, -2))
    model.close_rod("bar", tip, wall, 3)
    (bar,) = drawn(model)["links"]
    assert (bar["kind"], bar["length"]) == ("rod", pytest.approx(3))
    assert (bar["from"]["at"], bar["to"]["at"]) == ([0, 0, -2], [3, 0, -2])
    assert (bar["from"]["body"], bar["to"]["body"]) == (1, 0)


@pytest.mark.parametrize("gravity", [(0, 0, -9.81), (0, -9.81, 0), (3, 0, 4)])
def test_up_is_against_gravity(gravity: tuple[float, ...]) -> None:
    model = kt.Model("m", gravity=gravity)
    model.revolute("j", model.ground, model.body("b", mass=1, com=(1, 0, 0)))
    assert drawn(model)["up"] == pytest.approx(-np.array(gravity) / np.linalg.norm(gravity))


@pytest.mark.parametrize("name", CLOSED)
def test_every_closure_can_be_drawn(name: str) -> None:
    data = drawn(CLOSED[name]())
    assert all(row["parts"] for row in data["bodies"][1:])
    assert np.isfinite([*data["low"], *data["high"], data["floor"]]).all()


def test_everything_drawn_lies_in_the_room_of_the_picture() -> None:
    model, _, _ = branches()
    data = drawn(model)
    place = poses(model, model.initial()[None])[0]
    for row, pose in zip(data["bodies"][1:], place, strict=True):
        cloud = np.concatenate([outline(s) for s in row["parts"]]) @ matrices(pose[:4]).T + pose[4:]
        assert (cloud >= np.array(data["low"]) - 1e-9).all()
        assert (cloud <= np.array(data["high"]) + AT_STATES).all()


@pytest.mark.parametrize(
    ("k2", "kind", "sizes"),
    [
        ((0.4, 0.4, 0.4), "sphere", {"radius": 1.0}),
        ((0.5, 0.25 + 1 / 12, 0.25 + 1 / 12), "cylinder", {"radius": 1.0, "length": 1.0}),
        ((13 / 12, 10 / 12, 5 / 12), "box", {"size": [1.0, 2.0, 3.0]}),
    ],
)
def test_a_lump_has_the_inertia_of_its_body(k2: Any, kind: str, sizes: dict[str, Any]) -> None:
    model = kt.Model("m")
    model.revolute("j", model.ground, model.body("b", mass=1, com=(9, 0, 0)))
    m = measures(model, poses(model, model.initial()[None])[0])
    made = solid(m, np.zeros(3), np.array(k2), np.eye(3))
    assert made["kind"] == kind
    for name, value in sizes.items():
        assert made[name] == pytest.approx(value)


def test_outlines_reach_as_far_as_the_solids() -> None:
    ball = outline(part("sphere", (1, 0, 0), radius=2))
    assert (ball.max(axis=0), ball.min(axis=0)) == (
        pytest.approx([3, 2, 2]),
        pytest.approx([-1, -2, -2]),
    )
    box = outline(part("box", size=[2, 4, 6]))
    assert box.max(axis=0) == pytest.approx([1, 2, 3])


def test_a_solid_outline_is_a_plate_and_no_lump() -> None:
    """Its volume is area times thickness; what else touches along it is not drawn again."""
    model = kt.Model("wheel", gravity=(0, -9.81, 0))
    model.planar("p", model.ground, model.body("wheel", mass=1.0, inertia=(0.1, 0.1, 0.1)))
    ell = ((0.0, 0.0), (0.6, 0.0), (0.6, 0.2), (0.2, 0.2, -0.2), (0.05, 0.6), (0.0, 0.6))
    whole, floor = {"chain": ell, "closed": True}, {"chain": [(5, 0), (-5, 0)]}
    model.plane_contact("rests", "wheel", model.ground, whole, floor, stiffness=1e4)
    edge, pin = {"chain": ell[:2]}, {"point": (0.3, -1.0)}
    model.plane_contact("slides", "wheel", model.ground, edge, pin, stiffness=1e4)
    kinds = [row["kind"] for body in drawn(model)["bodies"] if body["name"] == "wheel"
             for row in body["parts"]]  # fmt: skip
    assert kinds == ["mesh"]
    shape = solid_outline(profile(whole, "wheel"))
    assert shape is not None
    a, b, c = np.moveaxis(shape[triangles(shape)], 1, 0)
    pieces = (b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]
    assert (pieces > 0).all()
    x, y = shape.T
    assert pieces.sum() == pytest.approx(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))
    hole = solid_outline(profile({"chain": [row[:2] for row in ell[::-1]], "closed": True}, "hole"))
    assert hole is None
    model.shapes = {"wheel": {"kind": "sphere", "radius": 0.1}}
    assert len(parts(model, "wheel", "mesh")) > 1, "ribbons beside shapes of its own"
