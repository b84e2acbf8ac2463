"""The vehicle on its road: a ramp up, stairs down, given by a table of places and heights."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

import kinetree as kt
from kinetree.functions import table

ROOT = Path(__file__).resolve().parents[2]
MODELS = ROOT / "examples" / "models"
CORNERS = ("FL", "FR", "RR", "RL")
SPEED = 5.0
"""At the start [m/s]."""
DURATION = 8.0
"""Of a run [s]."""
HARD = 1.25
"""Scale of the heights that makes the hard road: the stops are hit, the chassis peaks at 4.5 g."""
Array = np.ndarray


@cache
def knots() -> Array:
    """Rows of the road: place [m], height [m], slope."""
    return np.loadtxt(MODELS / "iltis_stairs.csv", delimiter=",", skiprows=3)


def vehicle() -> kt.Model:
    """The Iltis whose four tyres feel the road; the parameter "road" scales its heights."""
    model = kt.load(MODELS / "iltis.yaml")
    profile = model.table("stairs", *knots().T)
    scale = model.parameter("road", 1.0, unit="1")
    for corner in CORNERS:
        old = model.forces.pop(f"{corner}_tyre")
        law = {"height": lambda x: scale * table(x, profile)}
        model.force(old.kind, old.name, old.points, {**old.arguments, **law})
    return model


def height(x: Array) -> Array:
    """Of the road [m], for pictures."""
    places, heights, slopes = knots().T
    return np.array(table(x, kt.Table(tuple(places), tuple(heights), tuple(slopes), "stairs")))


def start(model: kt.Model) -> Array:
    """Velocities at the start: straight on."""
    qd = np.zeros(model.nv)
    qd[model.velocities.index("x")] = SPEED
    return qd


__all__ = ["CORNERS", "DURATION", "HARD", "ROOT", "SPEED", "height", "knots", "start", "vehicle"]
