"""A model in numbers, for files of other programs; and what such files have no word for."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from kinetree.arrays import Array
from kinetree.model import Body, Joint, Model, Point, parameter_table

ENDS = ("xx", "yy", "zz", "xy", "xz", "yz")


class ModelNumbers:
    """The scalars of a model at the values of its parameters."""

    def __init__(self, model: Model) -> None:
        self.values = parameter_table(model).values

    def _triple(self, stem: str) -> Array:
        return np.array([self.values[f"{stem}_{axis}"] for axis in "xyz"])

    def mass(self, body: Body) -> float:
        """Mass [kg]."""
        return float(self.values[f"{body.name}.mass"])

    def com(self, body: Body) -> Array:
        """Centre of mass in the body frame [m]."""
        return self._triple(f"{body.name}.com")

    def inertia(self, body: Body) -> Array:
        """Inertia matrix about the centre of mass, in the body frame [kg.m2]."""
        xx, yy, zz, xy, xz, yz = (self.values[f"{body.name}.inertia_{end}"] for end in ENDS)
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])

    def place(self, point: Point) -> tuple[Array, Array]:
        """Rotation and position of a point in its body."""
        at = self._triple(point.path) if point.name else np.zeros(3)
        return np.array(point.rotation, dtype=float), at

    def armature(self, joint: Joint) -> list[float]:
        """Rotor inertia of every velocity; empty for none."""
        return [float(self.values[name]) for name, _, _ in joint.armatures]

    def gravity(self) -> Array:
        """Acceleration of gravity [m/s2]."""
        return self._triple("gravity")


def text(values: Any) -> str:
    """Numbers such that reading them gives the same ones."""
    return " ".join(f"{float(x) + 0.0:.17g}" for x in np.ravel(values))


def omissions(model: Model, known: Collection[str] = ()) -> list[str]:
    """What robot files have no word for, as phrases; `known` are names of elements written."""
    found = []
    for what, table in (
        ("closure", model.closures), ("drive", model.drives), ("force", model.forces),
        ("state", model.states), ("wrench", model.wrenches), ("event", model.events),
        ("clock", model.clocks), ("output", model.outputs),
    ):  # fmt: skip
        found += [f"{what} '{name}'" for name in table if name not in known]
    if model.parameters:
        found.append("names of parameters; their values stand in their places")
    return found
