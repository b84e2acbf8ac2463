"""Six small models of different kinds, and the Program of each whose files are reviewed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests import mechanisms

import kinetree as kt
from kinetree.algebra import disp, rotz
from kinetree.functions import cos, maximum, sin, sqrt, table


@dataclass(frozen=True)
class Row:
    """A model, what is derived of it, and how its parameters enter."""

    build: Callable[[], kt.Model]
    quantity: str
    parameters: str = "folded"


def pendulum() -> kt.Model:
    """A rod of L [m] that swings in the x-z plane; its length is a parameter."""
    model = kt.Model("pendulum")
    m, L = model.parameter("m", 2.0, "kg"), model.parameter("L", 0.8, "m")
    rod = model.body("rod", mass=m, com=(0, 0, -L / 2), inertia=(m * L**2 / 12, m * L**2 / 12, 0))
    model.revolute("swing", model.ground, rod, axis="y", initial=0.5)
    return model


def drill() -> kt.Model:
    """A screw of 0.25 m/rad with a bob on a ball joint below it."""
    model = kt.Model("drill")
    bit = model.body("bit", mass=3.0, inertia=(0.25, 0.25, 0.125))
    bob = model.body("bob", mass=2.0, com=(0, 0, -0.5), inertia=(0.125, 0.125, 0.125))
    model.screw("thread", model.ground, bit, axis="z", pitch=0.25)
    model.spherical("ball", bit.point("tip", (0, 0, -0.5)), bob)
    return model


def cart() -> kt.Model:
    """A cart between a damper with a table, a stop on one side and a motor with a lag."""
    model = kt.Model("cart")
    cart, wall = model.body("cart", mass=2.0), model.ground.point("wall", (1.5, 0, 0))
    model.prismatic("x", model.ground, cart, axis="x")
    curve = model.table("damper", [-1.0, 0.0, 1.0], [-900.0, 0.0, 400.0])
    model.link("damper", cart, wall, lambda rate: table(rate, curve))
    model.link("stop", cart, wall, lambda length: -1e3 * maximum(1.6 - length, 0))
    model.state("push", 0.0, lambda x, t: (20 * sin(5 * t) - x["push"]) / 0.05, unit="N")
    model.joint_law("motor", "x", lambda x: x["push"])
    return model


def matrices() -> kt.Model:
    """A slider-crank by position matrices: the root closes its loop."""
    model = kt.FrameModel("matrices", gravity=(0, -9.81, 0))
    q = model.coordinate("q", initial=0.5)
    model.frame("crank", rotz(q) @ disp(0.5, 0, 0), 3.0, (0, 0.25, 0.25))
    model.frame("slider", disp(cos(q) + sqrt(4 - sin(q) ** 2), 0, 0), 5.0)
    return model


def satellite() -> kt.Model:
    """A floating base with one panel on a hinge; the numbers have no rounding."""
    model = kt.Model("satellite", gravity=(0, 0, 0))
    base = model.body("base", mass=9.0, inertia=(2.0, 2.0, 3.0))
    panel = model.body("panel", mass=2.0, com=(0.5, 0, 0), inertia=(0.25, 0.5, 0.75))
    model.free("base", model.ground, base)
    model.revolute("panel", base.point("side", (0.5, 0, 0)), panel, axis="y")
    return model


ROWS = {
    "pendulum": Row(pendulum, "forward", "run-time"),
    "slider_crank": Row(mechanisms.slider_crank, "forward"),
    "drill": Row(drill, "inverse"),
    "cart": Row(cart, "forward", "run-time"),
    "matrices": Row(matrices, "forward"),
    "satellite": Row(satellite, "inverse"),
}
