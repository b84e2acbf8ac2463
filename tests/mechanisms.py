"""Small closed mechanisms with known mobility."""

from __future__ import annotations

import math
from typing import Any

import kinetree as kt


def slider_crank(rod: float = 2.0, **initial: float) -> kt.Model:
    """Crank of 1 m, connecting rod, slider along x; closed by a ball."""
    model = kt.Model("slider_crank", gravity=(0, -9.81, 0))
    crank = model.body("crank", mass=1.0, com=(0.5, 0, 0), inertia=(0, 0.0833, 0.0833))
    bar = model.body("rod", mass=2.0, com=(rod / 2, 0, 0), inertia=(0, 0.6667, 0.6667))
    slider = model.body("slider", mass=5.0)
    start = {"q1": 0.5, "q2": -0.8, "q3": 2.5, **initial}
    model.revolute("q1", model.ground, crank, axis="z", initial=start["q1"])
    model.revolute("q2", crank.point("tip", (1, 0, 0)), bar, axis="z", initial=start["q2"])
    model.prismatic("q3", model.ground, slider, axis="x", initial=start["q3"])
    model.close_ball("pin", bar.point("end", (rod, 0, 0)), slider)
    return model


def four_bar(hinge: str = "ball") -> kt.Model:
    """Parallelogram in the x-y plane, sides 1 m, base 2 m; closed by a ball or a hinge about z."""
    model = kt.Model("four_bar", gravity=(0, -9.81, 0))
    left, top, right = (
        model.body(n, mass=1.0, inertia=(1, 1, 1)) for n in ("left", "top", "right")
    )
    model.revolute("a", model.ground, left, initial=1.0)
    model.revolute("b", left.point("tip", (1, 0, 0)), top, initial=-0.9)
    model.revolute("c", model.ground.point("foot", (2, 0, 0)), right, initial=1.1)
    getattr(model, f"close_{hinge}")(
        "pin", top.point("end", (2, 0, 0)), right.point("tip", (1, 0, 0))
    )
    return model


def n_four_bar(n: int) -> kt.Model:
    """n + 1 upright bars of 1 m on the ground, joined at their tops by n bars of 1 m."""
    model = kt.Model(f"four_bar_{n}", gravity=(0, -9.81, 0))
    upright = []
    for i in range(n + 1):
        bar = model.body(f"up{i}", mass=1.0, com=(0.5, 0, 0), inertia=(0, 1 / 12, 1 / 12))
        model.revolute(f"u{i}", model.ground.point(f"foot{i}", (i, 0, 0)), bar, initial=math.pi / 2)
        bar.point("top", (1, 0, 0))
        upright.append(bar)
    for i in range(n):
        bar = model.body(f"across{i}", mass=1.0, com=(0.5, 0, 0), inertia=(0, 1 / 12, 1 / 12))
        model.revolute(f"h{i}", upright[i].points["top"], bar, initial=-math.pi / 2)
        model.close_ball(f"pin{i}", bar.point("end", (1, 0, 0)), upright[i + 1].points["top"])
    return model


def parallelogram(angle: float = 1.0) -> kt.Model:
    """Cranks of 1 m, 2 m apart, joined by a bar of 2 m, cut at the ground: singular at 0 and π."""
    model = kt.Model("parallelogram", gravity=(0, -9.81, 0))
    first = model.body("first", mass=1.5, com=(0.5, 0, 0), inertia=(0, 0.125, 0.125))
    bar = model.body("bar", mass=4.0, com=(1, 0, 0), inertia=(0, 4 / 3, 4 / 3))
    second = model.body("second", mass=3.0, com=(0.5, 0, 0), inertia=(0, 0.25, 0.25))
    model.revolute("q1", model.ground, first, initial=angle)
    model.revolute("q2", first.point("tip", (1, 0, 0)), bar, initial=-angle)
    model.revolute("q3", bar.point("tip", (2, 0, 0)), second, initial=angle + math.pi)
    foot = model.ground.point("foot", (2, 0, 0))
    model.close_ball("pin", second.point("tip", (1, 0, 0)), foot)
    return model


def chain(n: int) -> kt.Model:
    """n links of 1 m that hang from two points at one height, n - 1 metres apart."""
    model = kt.Model("chain", gravity=(0, -9.81, 0))
    inner: Any = model.ground
    for k in range(n):
        link = model.body(f"link{k}", mass=1.0, com=(0.5, 0, 0), inertia=(0, 1 / 12, 1 / 12))
        model.revolute(f"q{k}", inner, link, initial=0.9 if k == 0 else -1.8 / (n - 1))
        inner = link.point("tip", (1, 0, 0))
    model.close_ball("pin", inner, model.ground.point("foot", (n - 1, 0, 0)))
    return model


def hanging(n: int) -> kt.Model:
    """n links, 10 m together, that hang from one point and begin nearly level."""
    model = kt.Model("hanging", gravity=(0, -9.81, 0))
    length, inner = 10.0 / n, model.ground
    inertia = (0, 0.1 * length**3 / 12, 0.1 * length**3 / 12)
    for k in range(n):
        link = model.body(f"link{k}", mass=0.1 * length, com=(length / 2, 0, 0), inertia=inertia)
        model.revolute(f"q{k}", inner, link, initial=-0.3 if k == 0 else 0.01)
        inner = link.point("tip", (length, 0, 0))
    return model


def ring(n: int) -> kt.Model:
    """n links closed to a ring of 1 m radius that hangs from one of its hinges."""
    model = kt.Model("ring", gravity=(0, -9.81, 0))
    length, mass, inner = 2 * math.sin(math.pi / n), 6.0 / n, model.ground
    inertia = (0, mass * length**2 / 12, mass * length**2 / 12)
    for k in range(n):
        link = model.body(f"link{k}", mass=mass, com=(length / 2, 0, 0), inertia=inertia)
        turn = -math.pi / n if k == 0 else -2 * math.pi / n
        model.revolute(f"q{k}", inner, link, initial=turn)
        inner = link.point("tip", (length, 0, 0))
    model.close_ball("closed", inner, model.ground)
    return model


def tilted(angle: float) -> kt.Model:
    """A four-bar whose second hinge is not quite parallel: it cannot move."""
    model = kt.Model("tilted", gravity=(0, -9.81, 0))
    crank, bar, rocker = (
        model.body(name, mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.2, 0.2))
        for name in ("crank", "bar", "rocker")
    )
    model.revolute("q1", model.ground, crank, initial=1.0)
    axis = (0.0, math.sin(angle), math.cos(angle))
    model.revolute("q2", crank.point("tip", (1, 0, 0)), bar, axis=axis, initial=-0.5)
    model.revolute("q3", model.ground.point("foot", (2, 0, 0)), rocker, initial=1.7)
    ends = bar.point("end", (2, 0, 0)), rocker.point("end", (1.5, 0, 0))
    model.close_revolute("pin", *ends, axis="z")
    return model


def bricard() -> kt.Model:
    """Six hinges in space that move although counting leaves no freedom: one redundant equation."""
    model = kt.Model("bricard", gravity=(0, -9.81, 0))
    places = [(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)]
    axes = ["y", "z", "x", "y", "z", "x"]
    inner = model.ground
    at = (0, 0, 0)
    for k in range(5):
        body = model.body(f"rod{k + 1}", mass=1.0, inertia=(0.1, 0.1, 0.1))
        joint = tuple(p - a for p, a in zip(places[k], at, strict=True))
        model.revolute(f"j{k + 1}", inner.point(f"at{k + 1}", joint), body, axis=axes[k])
        inner, at = body, places[k]
    end = tuple(p - a for p, a in zip(places[5], at, strict=True))
    model.close_revolute(
        "j6", inner.point("end", end), model.ground.point("foot", places[5]), axis=axes[5]
    )
    return model


def rolling_ball() -> kt.Model:
    """A ball of 0.3 m on the ground plane: five velocities minus two of rolling."""
    model = kt.Model("ball")
    ball = model.body("ball", mass=1.0, inertia=(0.04, 0.04, 0.04))
    model.free("float", model.ground, ball, initial=(1, 0, 0, 0, 0, 0, 0.5))
    model.roll("floor", ball, model.ground, 0.3)
    return model
