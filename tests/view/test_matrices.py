"""Pictures of models given by position matrices."""

from __future__ import annotations

import numpy as np

import kinetree as kt
from kinetree.algebra import disp, rotq, rotx, rotz
from kinetree.functions import asin, cos, sin
from kinetree.view.matrices.matrix_motion import SHIFT, TURN, walks
from kinetree.view.page import footage
from kinetree.view.payload import Look, payload
from kinetree.view.poses import poses


def model() -> kt.FrameModel:
    """A slider that carries a pendulum."""
    made = kt.FrameModel("crane")
    x, q = made.coordinate("x", "m"), made.coordinate("q", initial=0.5)
    cart = made.frame("cart", disp(x, 0, 0), 2.0, (1, 1, 1))
    bob = made.frame("bob", disp(x, 0, 0) @ rotz(0.3) @ rotx(q) @ disp(0, 0, -1), 1.0)
    made.spring("rope", cart, bob, 30.0, 0.9)
    return made


def test_poses_are_those_of_the_kinematics() -> None:
    crane = model()
    q = np.array([[0.1, 0.2], [0.3, -0.4]])
    found = poses(crane, q)
    zero = np.zeros_like(q)
    seen = kt.derive(crane, "kinematics").evaluate(q=q, qd=zero, qdd=zero)
    assert np.allclose(found[:, 1, 4:], seen["bob.position"])
    w, x, y, z = found[:, 1, :4].T
    assert np.allclose(2 * (x * y + w * z), seen["bob.rotation"][:, 1, 0])


def test_a_motion_given_in_the_matrices() -> None:
    made = kt.FrameModel("lift")
    q = made.coordinate("q")
    made.frame("bob", disp(0, 0, 2 * made.t) @ rotx(q) @ disp(0, 0, -1), 1.0)
    found = poses(made, np.zeros((3, 1)), [0.0, 0.5, 1.0])
    assert np.allclose(found[:, 0, 6], [-1, 0, 1])
    run = kt.simulate(made, 0.5, step=0.05)
    assert payload(made, footage(made, run, None), Look())["size"] > 0


def test_everything_a_page_shows() -> None:
    crane = model()
    run = kt.simulate(crane, 0.5, step=0.05)
    data = payload(crane, footage(crane, run, None), Look())
    assert [body["name"] for body in data["bodies"]] == ["ground", "cart", "bob"]
    assert all(body["parts"] for body in data["bodies"][1:])
    assert data["links"]


def slider_crank() -> kt.FrameModel:
    """Crank of 1 m and rod of 2 m; the pin of both is named by neither product."""
    made = kt.FrameModel("slider_crank", gravity=(0, -9.81, 0))
    q = made.coordinate("q", initial=1.0)
    alpha = asin(sin(q) / 2)
    x = cos(q) + 2 * cos(alpha)
    made.frame("crank", rotz(q) @ disp(0.5, 0, 0), 1.0, (0, 1 / 12, 1 / 12))
    made.frame("rod", disp(x, 0, 0) @ rotz(-alpha) @ disp(-1, 0, 0), 2.0, (0, 2 / 3, 2 / 3))
    made.frame("slider", disp(x, 0, 0), 5.0)
    return made


def test_knees_are_where_the_products_turn_and_shift() -> None:
    made = slider_crank()
    q = np.linspace(0, 3, 31)[:, None]
    found = walks(made, q)
    assert [knee.kind for knee in found.knees] == [TURN, SHIFT, TURN]
    crank, slide, pin = found.knees
    assert found.fixed_at("ground", crank.at) is not None
    assert np.allclose(found.fixed_at("crank", crank.at), [-0.5, 0, 0])
    assert np.allclose(found.fixed_at("rod", pin.at), [1, 0, 0])
    assert found.fixed_at("crank", pin.at) is None
    assert np.allclose(found.along("slider", slide.axis), [1, 0, 0])
    x = np.cos(q) + np.sqrt(4 - np.sin(q) ** 2)
    assert np.allclose(slide.travel, [x.min(), x.max()], atol=0.01)


def test_knees_are_drawn_on_the_bodies_that_carry_them() -> None:
    made = slider_crank()
    data = payload(made, footage(made, None, None), Look())
    kinds = {body["name"]: [part["kind"] for part in body["parts"]] for body in data["bodies"]}
    assert kinds["ground"].count("cone") == 1  # the post of the crank
    assert "capsule" in kinds["ground"]  # the rail
    assert "box" in kinds["slider"]
    assert kinds["crank"].count("cylinder") == 1
    lengths = [part["length"] for part in data["bodies"][2]["parts"] if part["kind"] == "capsule"]
    assert np.allclose(lengths, 2.0)  # from the slider to the far end, by its inertia
    made.shapes = {"slider": {"kind": "sphere", "radius": 0.1}}
    data = payload(made, footage(made, None, None), Look())
    assert [part["kind"] for part in data["bodies"][3]["parts"]] == ["sphere"]


def test_a_free_orientation_and_a_shift_in_a_plane_are_no_hinges() -> None:
    made = kt.FrameModel("puck")
    x, y = made.coordinate("x", "m"), made.coordinate("y", "m")
    turn = rotq(*made.quaternion("e"))
    made.frame("puck", disp(x, y, 0) @ turn @ disp(0, 0, 0.2), 1.0, (1, 1, 1))
    found = walks(made, made.initial()[None])
    assert [knee.axis for knee in found.knees] == [None, None]
    data = payload(made, footage(made, None, None), Look())
    assert "sphere" in [part["kind"] for part in data["bodies"][1]["parts"]]
