"""Closed systems for the laws: one model per kind of closure, on two branches of a random tree.

The branches hold one-axis joints, a spherical and a free joint, so that quaternions take part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from tests import zoo

import kinetree as kt
from kinetree.engine import cos, sin, sqrt

if TYPE_CHECKING:
    from collections.abc import Callable

KINDS = ("revolute", "prismatic", "spherical", "revolute", "free", "screw")
PARENTS = (-1, 0, 1, 0, 3, -1)


def branches(seed: int = 0) -> tuple[kt.Model, Any, Any]:
    """A tree with two branches on one carrier, and the places at their tips."""
    rng = np.random.default_rng(seed)
    links = [zoo.random_link(rng, k, p) for k, p in zip(KINDS, PARENTS, strict=True)]
    model = zoo.build(links, "branches")
    turn = zoo.rotation_about((1, 2, 3), 0.7)
    a = model.bodies["b2"].point("a", (0.3, -0.2, 0.1), rotation=turn)
    b = model.bodies["b4"].point("b", (0.1, 0.4, -0.3), rotation=turn.T)
    return model, a, b


def closed(add: Callable[[kt.Model, Any, Any], Any], seed: int = 0) -> kt.Model:
    """The two branches with what `add` closes between their tips."""
    model, a, b = branches(seed)
    add(model, a, b)
    return model


def add_mechanism(model: kt.Model, a: Any, b: Any) -> None:
    """Several closures at once, one of them to the ground."""
    model.close_ball("pin", a, b)
    model.close_rod("bar", a, model.ground, 0.7)
    model.couple("gear", "j0", "j5", 3, 0.1)


CLOSED: dict[str, Callable[[], kt.Model]] = {
    "ball": lambda: closed(lambda m, a, b: m.close_ball("c", a, b)),
    "rod": lambda: closed(lambda m, a, b: m.close_rod("c", a, b, 0.8)),
    "solid": lambda: closed(lambda m, a, b: m.close_solid("c", a, b)),
    "revolute": lambda: closed(lambda m, a, b: m.close_revolute("c", a, b, axis="y")),
    "revolute_skew": lambda: closed(lambda m, a, b: m.close_revolute("c", a, b, (1, 2, 3))),
    "universal": lambda: closed(lambda m, a, b: m.close_universal("c", a, b, ("x", (0, 1, 1)))),
    "cylindrical": lambda: closed(lambda m, a, b: m.close_cylindrical("c", a, b, axis="-x")),
    "prismatic": lambda: closed(lambda m, a, b: m.close_prismatic("c", a, b, axis=(1, 1, 0))),
    "planar": lambda: closed(lambda m, a, b: m.close_planar("c", a, b)),
    "line": lambda: closed(lambda m, a, b: m.close_line("c", a, b, axis="y")),
    "surface": lambda: closed(
        lambda m, a, b: m.close_surface("c", a, b, lambda x, y, z, t: x**2 + y * z - cos(t))
    ),
    "curve": lambda: closed(
        lambda m, a, b: m.close_curve(
            "c", a, b, lambda x, y, z, q: (y - sin(x), z - x * q["j5"] * q["j2_w"])
        )
    ),
    "coupling": lambda: closed(lambda m, a, b: m.couple("c", "j0", "j1", -2.5, 0.3)),
    "law": lambda: closed(
        lambda m, a, b: m.constrain(
            "c", lambda q, t: (q["j0"] * sin(q["j1"]) - t**2, q["j4_x"] * q["j4_py"] - sqrt(2 + t))
        )
    ),
    "rate": lambda: closed(
        lambda m, a, b: m.constrain_rates(
            "c", lambda q, qd, t: qd["j0"] * cos(q["j1"]) - t * qd["j4_wx"] - sin(t) * q["j0"]
        )
    ),
    "sphere": lambda: closed(lambda m, a, b: m.roll("c", a, b, 0.3)),
    "wheel": lambda: closed(lambda m, a, b: m.roll("c", a, b, 0.4, axis="y", normal=(0, 1, 2))),
    "tyre": lambda: closed(
        lambda m, a, b: m.roll("c", a, m.ground, 0.4, axis=(1, 1, 0), crown=0.1)
    ),
    "mechanism": lambda: closed(add_mechanism),
}
"""Name -> model; kinds of closures, and one with several."""
