"""Closures of random mechanisms: drawn so that they hold at a given configuration, and as numbers.

Every closure is a sum of a few elementary equations, written here anew from the description of its
kind: positions h(q) = 0 and velocities g(q, qd) = 0, linear in qd, with qd = der(h) for positions.
Components are taken in the frame of the second end, which spans the same equations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from tests import zoo

import kinetree as kt
from fuzz.plans import Rng, body_name
from fuzz.recursion import Array, Recursion, dot
from kinetree import functions as fn

PLACED = (
    "ball", "rod", "solid", "revolute", "universal", "cylindrical", "prismatic", "planar", "line",
    "surface", "roll",
)  # fmt: skip
"""Kinds between two places."""
FREE = ("coupling", "law", "rate")
"""Kinds between coordinates."""
KINDS = (*PLACED, *FREE)
SLIDING = ("prismatic", "cylindrical", "line")
"""Kinds whose ends slide along an axis."""


@dataclass(frozen=True)
class End:
    """A place of a body with a frame: link (-1: ground), position, rotation to the body's frame."""

    link: int
    r: Array
    R: Array


@dataclass(frozen=True)
class Tie:
    """One closure.

    Attributes:
        name: in the model; its points are called NAMEa and NAMEb.
        kind: of closure.
        a, b: its ends.
        axis, other: directions in the frames of the ends.
        scalars: run-time parameters, "length", "radius", "ratio", "offset".
        at: numbers of the coordinates (and velocities) that a coupling or law uses.
        constant: of a law or surface.
    """

    name: str
    kind: str
    a: End | None = None
    b: End | None = None
    axis: Array = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    other: Array = field(default_factory=lambda: np.array([1.0, 0.0, 0.0]))
    scalars: Mapping[str, float] = field(default_factory=dict)
    at: tuple[tuple[int, int], ...] = ()
    constant: float = 0.0

    # --- in kinetree ----------------------------------------------------------------------------

    def add(self, model: kt.Model) -> None:
        """Close it in the model."""
        if self.kind in FREE:
            self._between_coordinates(model)
            return
        ends = []
        for letter, end in (("a", self.a), ("b", self.b)):
            assert end is not None
            body = model.ground if end.link < 0 else model.bodies[body_name(end.link)]
            ends.append(body.point(f"{self.name}{letter}", list(end.r), rotation=end.R))
        k = self.constant
        own: dict[str, dict[str, Any]] = {
            "ball": {},
            "solid": {},
            "rod": {"length": self.scalars.get("length")},
            "universal": {"axes": (tuple(self.axis), tuple(self.other))},
            "planar": {"normal": tuple(self.axis)},
            "surface": {"law": lambda x, y, z: x**2 + y * z - k},
            "roll": {"radius": self.scalars.get("radius"), "normal": tuple(self.axis)},
        }
        close = getattr(model, "roll" if self.kind == "roll" else f"close_{self.kind}")
        close(self.name, *ends, **own.get(self.kind, {"axis": tuple(self.axis)}))

    def _between_coordinates(self, model: kt.Model) -> None:
        first, second = (model.coordinates[i] for i, _ in self.at)
        k = self.constant
        match self.kind:
            case "coupling":
                model.couple(self.name, first, second, **self.scalars)
            case "law":
                model.constrain(self.name, lambda q: fn.sin(q[first]) * q[second] - k)
            case _:
                rates = [model.velocities[j] for _, j in self.at]
                model.constrain_rates(
                    self.name, lambda q, qd: fn.cos(q[second]) * qd[rates[0]] - k * qd[rates[1]]
                )

    # --- as numbers -----------------------------------------------------------------------------

    def scalar(self, own: Recursion, name: str) -> float:
        """A run-time parameter of the closure."""
        return own.at.get(f"{self.name}.{name}", self.scalars.get(name, 0.0))

    def where(self, own: Recursion, end: End, letter: str, *state: Array) -> dict[str, Array]:
        """Motion of an end; its rotation leads from the frame of the end."""
        stem = f"{body_name(end.link)}.{self.name}{letter}"
        r = np.array([own.at.get(f"{stem}_{x}", v) for x, v in zip("xyz", end.r, strict=True)])
        found = own.point(end.link, r, *state)
        return {**found, "rotation": found["rotation"] @ end.R}

    def equations(self, own: Recursion, q: Array, qd: Array) -> tuple[Array, Array]:
        """h (none for equations of velocities alone) and g, last axis: equations."""
        if self.kind in FREE:
            return self._coupled(own, q, qd)
        assert self.a
        assert self.b
        still = np.zeros_like(qd)
        a = self.where(own, self.a, "a", q, qd, still)
        b = self.where(own, self.b, "b", q, qd, still)
        view = View(a, b)
        n, sides, units = self.axis, perpendicular(self.axis), np.eye(3)
        match self.kind:
            case "rod":
                return stacked([view.distance(self.scalar(own, "length"))])
            case "surface":
                return stacked([view.surface(self.constant)])
            case "roll":
                return stacked(view.rolling(n, sides, self.scalar(own, "radius")))
        along, fixed = {"planar": (n,), **dict.fromkeys(SLIDING, sides)}.get(self.kind, units), []
        if self.kind in {"revolute", "cylindrical", "planar"}:
            fixed = [view.angle(n, e) for e in sides]
        elif self.kind in {"solid", "prismatic"}:
            fixed = [view.angle(units[i], units[(i + 1) % 3]) for i in range(3)]
        elif self.kind == "universal":
            fixed = [view.angle(n, self.other, float(n @ self.other))]
        return stacked([*(view.along(e) for e in along), *fixed])

    def _coupled(self, own: Recursion, q: Array, qd: Array) -> tuple[Array, Array]:
        (i, j), (k, l) = self.at
        x, y, xd, yd = q[..., i], q[..., k], qd[..., j], qd[..., l]
        match self.kind:
            case "coupling":
                ratio, offset = self.scalar(own, "ratio"), self.scalar(own, "offset")
                return stacked([(x - ratio * y - offset, xd - ratio * yd)])
            case "law":
                rate = np.cos(x) * xd * y + np.sin(x) * yd
                return stacked([(np.sin(x) * y - self.constant, rate)])
        return stacked([(None, np.cos(y) * xd - self.constant * yd)])


def stacked(rows: list[tuple[Array | None, Array]]) -> tuple[Array, Array]:
    """h and g of several equations, all with the same leading axes."""
    g = np.stack(np.broadcast_arrays(*(row for _, row in rows)), -1)
    h = [np.broadcast_to(row, g.shape[:-1]) for row, _ in rows if row is not None]
    return np.stack(h, -1) if h else np.zeros((*g.shape[:-1], 0)), g


def perpendicular(n: Array) -> tuple[Array, Array]:
    """Two unit vectors that make a right-handed triad with n."""
    first = np.cross(np.eye(3)[int(np.argmin(np.abs(n)))], n)
    first = first / np.linalg.norm(first)
    return first, np.cross(n, first)


class View:
    """One end seen from the other: x, the first end in the frame of the second, and turns."""

    def __init__(self, a: Mapping[str, Array], b: Mapping[str, Array]) -> None:
        self.R_a, self.R_b = a["rotation"], b["rotation"]
        self.back = np.swapaxes(self.R_b, -1, -2)
        self.d = a["position"] - b["position"]
        self.w_a, self.w_b = a["velocity"][..., :3], b["velocity"][..., :3]
        self.speed = a["velocity"][..., 3:] - b["velocity"][..., 3:]
        self.x = dot(self.back, self.d)
        self.xd = dot(self.back, self.speed - np.cross(self.w_b, self.d))

    def along(self, e: Array) -> tuple[Array, Array]:
        """No distance along e of the second frame."""
        return self.x @ e, self.xd @ e

    def angle(self, a: Array, b: Array, cosine: float = 0.0) -> tuple[Array, Array]:
        """a of the first and b of the second frame keep their angle."""
        u, v = dot(self.R_a, a), dot(self.R_b, b)
        h = np.sum(u * v, -1) - cosine
        return h, np.sum((self.w_a - self.w_b) * np.cross(u, v), -1)

    def distance(self, length: float) -> tuple[Array, Array]:
        """The ends keep their distance."""
        return (np.sum(self.d**2, -1) - length**2) / 2, np.sum(self.d * self.speed, -1)

    def surface(self, constant: float) -> tuple[Array, Array]:
        """x² + y z = constant."""
        (x, y, z), (xd, yd, zd) = np.moveaxis(self.x, -1, 0), np.moveaxis(self.xd, -1, 0)
        return x**2 + y * z - constant, 2 * x * xd + yd * z + y * zd

    def rolling(self, n: Array, sides: Any, radius: float) -> list[tuple[Array | None, Array]]:
        """A sphere about the first end touches the plane of the second and does not slip."""
        reach = -radius * dot(self.R_b, n)
        slip = self.speed + np.cross(self.w_a, reach) - np.cross(self.w_b, self.d + reach)
        touch = (self.x @ n - radius, self.xd @ n)
        return [touch, *((None, dot(self.back, slip) @ e) for e in sides)]


# --- drawing ------------------------------------------------------------------------------------


def draw_tie(rng: Rng, name: str, own: Recursion, q: Array, kinds: Any) -> Tie:
    """A closure that holds at q."""
    kind = str(rng.choice(kinds))
    if kind in FREE:
        return draw_coupling(rng, name, kind, own, q)
    count = len(own.bodies)
    first, second = rng.choice(count + 1, 2, replace=False) - 1
    if first < 0:
        first, second = second, first
    axis = np.array(zoo.AXES[int(rng.integers(3))], dtype=float)
    if rng.random() < 0.5:
        axis = np.array(zoo.unit(rng.normal(size=3)))
    a = End(int(first), rng.uniform(-0.4, 0.4, 3), np.array(zoo.random_rotation(rng)))
    still = np.zeros(own.nv)
    seen = own.point(a.link, a.r, q, still, still)
    base = own.point(int(second), np.zeros(3), q, still, still)
    R_b = base["rotation"].T @ seen["rotation"] @ a.R
    slide = allowed(rng, kind, axis, perpendicular(axis))
    place = seen["position"] - seen["rotation"] @ a.R @ slide
    b = End(int(second), base["rotation"].T @ (place - base["position"]), R_b)
    other = np.array(zoo.unit(np.cross(axis, rng.normal(size=3)) + 0.3 * axis))
    length = float(np.linalg.norm(slide))
    scalars = {"rod": {"length": length}, "roll": {"radius": length}}.get(kind, {})
    constant = float(slide[0] ** 2 + slide[1] * slide[2])
    return Tie(name, kind, a, b, axis, other, scalars, (), constant)


def allowed(rng: Rng, kind: str, axis: Array, sides: tuple[Array, Array]) -> Array:
    """From the second end to the first, in the second's frame: what the closure leaves free."""
    some = rng.uniform(0.3, 0.8, 3) * rng.choice([-1.0, 1.0], 3)
    match kind:
        case "prismatic" | "cylindrical" | "line":
            return np.asarray(some[0] * axis)
        case "planar":
            return np.asarray(some[0] * sides[0] + some[1] * sides[1])
        case "roll":
            return np.asarray(abs(some[0]) * axis)
        case "rod" | "surface":
            return np.asarray(some)
    return np.zeros(3)


def draw_coupling(rng: Rng, name: str, kind: str, own: Recursion, q: Array) -> Tie:
    """A coupling, law or equation of velocities between one-axis motions."""
    single = [(f.i, f.j) for f in own.frames if f.kind in {"turn", "shift", "twist"}]
    first, second = (single[int(k)] for k in rng.choice(len(single), 2, replace=False))
    x, y = q[first[0]], q[second[0]]
    ratio = float(rng.choice([1.0, -1.0, 0.5, -2.5]))
    scalars = {"ratio": ratio, "offset": float(x - ratio * y)} if kind == "coupling" else {}
    constant = float(np.sin(x) * y) if kind == "law" else float(rng.uniform(0.5, 1.5))
    return Tie(name, kind, scalars=scalars, at=(first, second), constant=constant)
