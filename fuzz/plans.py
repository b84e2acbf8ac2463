"""Random trees as plain data, for kinetree's builder and for the recursion of this folder.

A plan holds numbers under the names that kinetree gives its parameters ("b0.mass", "b0.com_x",
"ground.p0_y", "j0.pitch"), so that both sides can be evaluated with other values than those the
model was built with.  A few of the scalars are expressions of named parameters.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from tests import zoo

import kinetree as kt

Rng = np.random.Generator
TENSOR = ("xx", "yy", "zz", "xy", "xz", "yz")
MASSLESS: dict[str, Any] = {"mass": 0.0, "com": (0.0, 0.0, 0.0), "inertia": (0.0,) * 6}


@dataclass(frozen=True)
class Follow:
    """A joint that follows another: q = ratio·q(leader) + offset."""

    leader: int
    ratio: float
    offset: float


@dataclass(frozen=True)
class Affine:
    """factor·NAME + plus, with a named parameter."""

    name: str
    factor: float
    plus: float

    def value(self, named: Mapping[str, float]) -> float:
        """The number, with those of the named parameters."""
        return self.factor * named[self.name] + self.plus


@dataclass(frozen=True)
class Plan:
    """A tree: link i is body `b<i>` behind joint `j<i>`.

    Attributes:
        links: joints and bodies, parents first.
        gravity: [m/s2].
        follow: link -> the joint it follows.
        named: named parameters with their values.
        affine: name of a scalar -> its expression; it replaces the number of the link.
        initial: link -> coordinates to start from.
        armature: link -> inertia of the rotor that turns with a one-axis joint [kg.m2 or kg].
    """

    links: tuple[zoo.Link, ...]
    gravity: zoo.Vector = (0.0, 0.0, -9.81)
    follow: Mapping[int, Follow] = field(default_factory=dict)
    named: Mapping[str, float] = field(default_factory=dict)
    affine: Mapping[str, Affine] = field(default_factory=dict)
    initial: Mapping[int, Any] = field(default_factory=dict)
    armature: Mapping[int, float] = field(default_factory=dict)

    def numbers(self) -> dict[str, float]:
        """Name of every scalar -> its number, expressions aside."""
        found = dict(_triple("gravity", self.gravity))
        for i, link in enumerate(self.links):
            found[f"b{i}.mass"] = link.mass
            found |= _triple(f"b{i}.com", link.com)
            found |= {f"b{i}.inertia_{k}": x for k, x in zip(TENSOR, link.inertia, strict=True)}
            found |= _triple(f"{body_name(link.parent)}.p{i}", link.position)
            found |= _triple(f"b{i}.held", link.child_position)
            found[f"j{i}.pitch"] = link.pitch
            found[f"j{i}.armature"] = self.armature.get(i, 0.0)
        return found

    def values(self, changed: Mapping[str, float] | None = None) -> dict[str, float]:
        """Name of every scalar -> its value, with some parameters changed."""
        changed = changed or {}
        named = {name: changed.get(name, value) for name, value in self.named.items()}
        found = self.numbers()
        found |= {name: value for name, value in changed.items() if name in found}
        found |= {name: row.value(named) for name, row in self.affine.items()}
        return found

    def build(self) -> kt.Model:
        """The model, through the public builder."""
        model = kt.Model("tree", gravity=self.gravity)
        nodes = {name: model.parameter(name, value) for name, value in self.named.items()}
        given: dict[str, Any] = self.numbers()
        given |= {name: r.factor * nodes[r.name] + r.plus for name, r in self.affine.items()}
        bodies = [model.ground]
        for i, link in enumerate(self.links):
            tensor = [given[f"b{i}.inertia_{k}"] for k in TENSOR]
            body = model.body(
                f"b{i}", given[f"b{i}.mass"], _vector(given, f"b{i}.com"), tensor, physical=False
            )
            child: Any = body
            parent = bodies[link.parent + 1]
            where = _vector(given, f"{parent.name}.p{i}")
            at = parent.point(f"p{i}", where, rotation=link.rotation)
            if held(link):
                where = _vector(given, f"b{i}.held")
                child = body.point("held", where, rotation=link.child_rotation)
            data = self._joint_data(i, link, given)
            getattr(model, link.kind)(f"j{i}", at, child, **data)
            bodies.append(body)
        return model

    def _joint_data(self, i: int, link: zoo.Link, given: Mapping[str, Any]) -> dict[str, Any]:
        """What the builder takes for one joint."""
        data = dict(zoo.joint_data(link))
        if link.kind == "screw":
            data["pitch"] = given[f"j{i}.pitch"]
        if i in self.armature:
            data["armature"] = given[f"j{i}.armature"]
        if i in self.follow:
            row = self.follow[i]
            data["mimic"] = (f"j{row.leader}", row.ratio, row.offset)
        if i in self.initial:
            data["initial"] = self.initial[i]
        return data


def body_name(link: int) -> str:
    """Name of the body of a link; that of the ground for -1."""
    return "ground" if link < 0 else f"b{link}"


def held(link: zoo.Link) -> bool:
    """Whether the joint holds its body at another place than the body's origin."""
    return any(link.child_position) or link.child_rotation != zoo.IDENTITY


def _triple(stem: str, values: Any) -> dict[str, float]:
    return {f"{stem}_{axis}": float(x) for axis, x in zip("xyz", values, strict=True)}


def _vector(given: Mapping[str, Any], stem: str) -> list[Any]:
    return [given[f"{stem}_{axis}"] for axis in "xyz"]


# --- drawing ------------------------------------------------------------------------------------


def draw_plan(rng: Rng, largest: int = 5) -> Plan:
    """A random tree: kinds, axes, masses, followers, named parameters; at least one joint moves."""
    count = 1 + int(rng.integers(largest))
    links = [draw_link(rng, i) for i in range(count)]
    if all(link.kind == "fixed" for link in links):
        links[0] = replace(links[0], kind="revolute")
    plan = Plan(tuple(links), draw_gravity(rng), draw_followers(rng, links))
    return with_parameters(rng, replace(plan, armature=draw_rotors(rng, plan.links)))


def draw_rotors(rng: Rng, links: tuple[zoo.Link, ...]) -> dict[int, float]:
    """Inertias of rotors in some of the one-axis joints."""
    share = float(rng.choice([0.0, 0.0, 0.5]))
    single = [i for i, link in enumerate(links) if coordinates(link) == 1]
    return {i: float(rng.choice([0.02, 0.3, 1.0])) for i in single if rng.random() < share}


def draw_link(rng: Rng, i: int) -> zoo.Link:
    """One joint and body, behind any of those before it."""
    kind = str(rng.choice(zoo.KINDS))
    link = zoo.random_link(rng, kind, int(rng.integers(-1, i)), bool(rng.integers(2)))
    if rng.random() < 0.2:
        link = replace(link, position=simple(rng))
    if rng.random() < 0.2:
        link = replace(link, com=simple(rng))
    match int(rng.integers(14)):
        case 0:
            link = replace(link, **MASSLESS)
        case 1:
            link = replace(link, inertia=(0.0,) * 6)
        case 2:
            link = replace(link, inertia=(*link.inertia[:3], 0.0, 0.0, 0.0), mass=1.0)
        case 3:
            link = replace(link, mass=link.mass * 10.0 ** rng.integers(-3, 4))
    return link


def simple(rng: Rng) -> zoo.Vector:
    """A vector of the numbers that equations are simplified for."""
    return zoo.vector(rng.choice([0.0, 0.0, 0.0, 1.0, -1.0, 0.5, 2.0], 3))


def draw_gravity(rng: Rng) -> zoo.Vector:
    """Downwards, off, or anywhere."""
    choices = (
        (0.0, 0.0, -9.81),
        (0.0, -9.81, 0.0),
        (0.0, 0.0, 0.0),
        zoo.vector(rng.normal(size=3)),
    )
    return choices[int(rng.integers(4))]


def draw_followers(rng: Rng, links: list[zoo.Link]) -> dict[int, Follow]:
    """Joints that follow others, in one tree of three."""
    single = [i for i, link in enumerate(links) if coordinates(link) == 1]
    if len(single) < 2 or rng.random() > 0.35:
        return {}
    follower, leader = rng.permutation(single)[:2]
    row = Follow(
        int(leader), float(rng.choice([1.0, -1.0, 2.0, -0.7])), float(rng.choice([0, 0.3]))
    )
    return {int(follower): row}


def coordinates(link: zoo.Link) -> int:
    """Number of coordinates of a joint."""
    counts = {"cylindrical": 2, "universal": 2, "planar": 3, "spherical": 4, "free": 7, "fixed": 0}
    return len(link.steps) if link.kind == "sequence" else counts.get(link.kind, 1)


def with_parameters(rng: Rng, plan: Plan) -> Plan:
    """The plan with a few scalars given by named parameters, among them zeros and ones."""
    if rng.random() < 0.5:
        return plan
    value = float(rng.choice([0.0, 1.0, 0.3, -0.4]))
    numbers = plan.numbers()
    usable = [name for name in numbers if fits(plan, name)]
    count = min(len(usable), int(rng.integers(1, 4)))
    chosen: Any = rng.choice(usable, count, replace=False) if usable else []
    rows = {}
    for name in map(str, chosen):
        factor = float(rng.choice([1.0, 2.0, -0.5]))
        rows[name] = Affine("L", factor, numbers[name] - factor * value)
    return replace(plan, named={"L": value}, affine=rows) if rows else plan


def fits(plan: Plan, name: str) -> bool:
    """Whether the model takes an expression for this scalar."""
    body, _, rest = name.partition(".")
    if rest.startswith("held"):
        return held(plan.links[int(body[1:])])
    if rest == "pitch":
        return plan.links[int(body[1:])].kind == "screw"
    if rest == "armature":
        return int(body[1:]) in plan.armature
    return not name.startswith("gravity")


def draw_change(rng: Rng, labels: Any, defaults: Any) -> dict[str, float]:
    """Other values for some run-time parameters: 0, 1, negative, half to double."""
    rate = rng.choice([0.1, 0.5, 1.0])
    found = {}
    for name, value in zip(labels, defaults, strict=True):
        if rng.random() < rate:
            scaled = value * rng.uniform(0.5, 2.0)
            found[name] = float(rng.choice([0.0, 1.0, -value, scaled, scaled]))
    return found
