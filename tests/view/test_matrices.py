"""Pictures of models given by position matrices."""

from __future__ import annotations

import numpy as np

import kinetree as kt
from kinetree.algebra import disp, rotx, rotz
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
