"""Closed mechanisms whose lengths are named parameters, for runs with other values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import kinetree as kt

Values = Mapping[str, float]


def four_bar(**values: float) -> kt.Model:
    """Four-bar linkage in the x-y plane; Z lifts the foot of the rocker out of it."""
    model = kt.Model("lifted", gravity=(0, -9.81, 0))
    p = {"Z": 0.0, "crank": 1.0, "coupler": 2.1, "rocker": 1.2, "base": 2.0, **values}
    Z, crank, coupler, rocker, base = (model.parameter(name, x, "m") for name, x in p.items())
    left, top, right = _bars(model, "left", "top", "right")
    model.revolute("a", model.ground, left, initial=1.0)
    model.revolute("b", left.point("tip", (crank, 0, 0)), top, initial=-0.9)
    model.revolute("c", model.ground.point("foot", (base, 0, Z)), right, initial=1.1)
    model.close_ball("pin", top.point("end", (coupler, 0, 0)), right.point("tip", (rocker, 0, 0)))
    return model


def three_cranks(**values: float) -> kt.Model:
    """Parallelogram with a third crank: one of four equations repeats others if L3 = L1 = L2."""
    model = kt.Model("three_cranks", gravity=(0, -9.81, 0))
    p = {"L1": 1.0, "L2": 1.0, "L3": 1.0, **values}
    L1, L2, L3 = (model.parameter(name, x, "m") for name, x in p.items())
    first, second, third, top = _bars(model, "first", "second", "third", "top")
    model.revolute("a", model.ground, first, initial=1.0)
    model.revolute("b", model.ground.point("at2", (1, 0, 0)), second, initial=1.0)
    model.revolute("c", model.ground.point("at3", (2, 0, 0)), third, initial=1.0)
    model.revolute("h", first.point("tip", (L1, 0, 0)), top, initial=-1.0)
    model.close_ball("p1", top.point("mid", (1, 0, 0)), second.point("tip", (L2, 0, 0)))
    model.close_ball("p2", top.point("end", (2, 0, 0)), third.point("tip", (L3, 0, 0)))
    return model


def braced(**values: float) -> kt.Model:
    """The same with a third crank that holds all still, and an arm that swings on the third."""
    model = three_cranks(**{"L3": 1.2, **values})
    (arm,) = _bars(model, "arm")
    model.revolute("swing", model.bodies["third"].points["tip"], arm, initial=0.4)
    return model


def strut(**values: float) -> kt.Model:
    """A swinging arm held by a rod on a slider, and a gear with a run-time ratio."""
    model = kt.Model("strut", gravity=(0, -9.81, 0))
    p = {"length": 1.5, "arm": 1.0, "height": 0.25, "ratio": -2.0, "depth": 0.0, **values}
    length, arm, height, ratio, depth = (model.parameter(name, x) for name, x in p.items())
    beam, slide, wheel = _bars(model, "beam", "slide", "wheel")
    model.revolute("swing", model.ground, beam, initial=0.9)
    model.prismatic("shift", model.ground.point("rail", (0, -height, depth)), slide, axis="x",
                    initial=1.4)  # fmt: skip
    model.revolute("turn", model.ground, wheel)
    model.close_rod("rod", beam.point("tip", (arm, 0, 0)), slide, length)
    model.couple("gear", "turn", "swing", ratio)
    return model


def spatial(**values: float) -> kt.Model:
    """Spatial crank and rocker joined by a bar on two balls, all in space."""
    model = kt.Model("spatial", gravity=(0, 0, -9.81))
    p = {"crank": 0.5, "rocker": 1.0, "base": 1.2, "rise": 0.0, "bar": 1.3, **values}
    crank, rocker, base, rise, bar = (model.parameter(name, x, "m") for name, x in p.items())
    one, two, link = _bars(model, "one", "two", "link")
    model.revolute("a", model.ground, one, axis="x", initial=0.3)
    model.revolute("b", model.ground.point("foot", (base, rise, 0)), two, axis="y", initial=-0.4)
    tip = one.point("tip", (0, 0, crank))
    model.spherical("ball", tip, link)
    model.close_ball("end", link.point("end", (bar, 0, 0)), two.point("tip", (0, 0, rocker)))
    return model


def hinged(**values: float) -> kt.Model:
    """Four-bar linkage closed by a hinge: five equations, three of them by structure or value."""
    model = kt.Model("hinged", gravity=(0, -9.81, 0))
    p = {"up": 0.2, "down": 0.2, "crank": 1.0, "coupler": 2.1, **values}
    up, down, crank, coupler = (model.parameter(name, x, "m") for name, x in p.items())
    left, top, right = _bars(model, "left", "top", "right")
    model.revolute("a", model.ground, left, initial=1.0)
    model.revolute("b", left.point("tip", (crank, 0, up)), top, initial=-0.9)
    model.revolute("c", model.ground.point("foot", (2, 0, 0)), right, initial=1.1)
    end, tip = top.point("end", (coupler, 0, 0)), right.point("tip", (1.2, 0, down))
    model.close_revolute("pin", end, tip)
    return model


def _bars(model: kt.Model, *names: str) -> list[Any]:
    return [model.body(n, mass=1.0, com=(0.3, 0.1, 0), inertia=(0.3, 0.4, 0.5)) for n in names]


MODELS = {made.__name__: made for made in (four_bar, three_cranks, braced, strut, spatial, hinged)}
"""Name -> function of values that makes the model."""


def with_parameters(program: kt.Program, values: Values) -> np.ndarray[Any, Any]:
    """The input p of a Program with some values by name."""
    row = program.input("p")
    return np.array(
        [values.get(name, x) for name, x in zip(row.labels, row.default or (), strict=True)]
    )
