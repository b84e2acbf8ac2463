"""The camera of a page goes along with what travels far over the ground, and with nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.view.clips import of_run
from kinetree.view.payload import Look, payload
from kinetree.view.signals import as_run


def cart(way: float) -> dict[str, Any]:
    """The page of a cart with a pendulum that goes `way` metres along x."""
    model = kt.Model("cart")
    body = model.body("cart", mass=1.0, inertia=(0.1, 0.1, 0.1))
    bob = model.body("bob", mass=1.0, com=(0, 0, -1))
    model.sequence("place", model.ground, body, steps="T1 T2 R3")
    model.revolute("swing", body, bob, axis="y")
    time = np.linspace(0, 1, 11)
    q = np.zeros((11, model.nq))
    q[:, 0] = way * time
    return payload(model, of_run(as_run(model, {"time": time, "q": q})), Look())


@pytest.mark.parametrize(("way", "follow"), [(0.5, 0), (50.0, 1)])
def test_first_body_that_roams_far_is_followed(way: float, follow: int) -> None:
    assert cart(way)["follow"] == follow


def test_room_of_a_traveller_is_that_of_its_first_frame() -> None:
    near, far = cart(0.5), cart(50.0)
    extent = [np.subtract(page["high"], page["low"])[0] for page in (near, far)]
    assert extent[1] == pytest.approx(extent[0] - 0.5)
    assert far["floor"] == near["floor"]
