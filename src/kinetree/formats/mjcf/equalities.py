"""Equality constraints of MJCF as closures: connect, weld, and joints in linear dependence.

A joint that depends on another follows it and has no coordinate of its own, unless a spring acts on
it: then both are coupled.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from kinetree.errors import FormatError, suggest
from kinetree.formats.mjcf.places import FramePose, rotation_of, vector
from kinetree.formats.mjcf.settings import clean
from kinetree.model import Mimic, Model, Point

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


Tied = TypeVar("Tied")


@dataclass(frozen=True)
class Places:
    """Where things are in the reference configuration.

    Attributes:
        rest: body -> its pose in the world.
        sites: site -> its point.
        refs: joint -> its coordinate.
    """

    rest: Mapping[str, FramePose]
    sites: Mapping[str, Point]
    refs: Mapping[str, float]


def add(model: Model, root: Element, places: Places, left: list[str]) -> None:
    """Add the closures of a file; what cannot be one is added to `left`."""
    for section in root.findall("equality"):
        for k, element in enumerate(section):
            if element.get("active") == "false":
                continue
            name = element.get("name") or f"{element.tag}_{k + 1}"
            if element.tag in ("connect", "weld"):
                ends = _ends(model, element, places, name)
                close = model.close_ball if element.tag == "connect" else model.close_solid
                close(name, *ends)
            elif element.tag == "joint" and _is_linear(element, name):
                _couple(model, element, places, name)
            else:
                left.append(f"equality '{name}'")


def _ends(model: Model, element: Element, places: Places, name: str) -> tuple[Point, Point]:
    """The points that are kept together."""
    if element.get("site1"):
        first, second = (
            _find(places.sites, element.get(key, ""), "site", name) for key in ("site1", "site2")
        )
        return first, second
    bodies = {**model.bodies, "world": model.ground, "": model.ground}
    one, two = (_find(bodies, element.get(key, ""), "body", name) for key in ("body1", "body2"))
    R1, R2 = (places.rest[body.name] for body in (one, two))
    at = vector(element.attrib, "anchor", (0.0, 0.0, 0.0), f"equality '{name}'")
    if element.tag == "connect":
        there = R2.inverse() @ R1 @ FramePose(np.eye(3), at)
        here = FramePose(np.eye(3), at)
        there = FramePose(np.eye(3), there.p)
    else:
        relative = R1.inverse() @ R2
        given = vector(element.attrib, "relpose", (0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0), name)
        if element.get("relpose") and np.any(given[3:]):
            relative = FramePose(rotation_of(given[3:]), given[:3])
        here, there = relative @ FramePose(np.eye(3), at), FramePose(np.eye(3), at)
    return (
        one.point(f"{name}_1", here.p.tolist(), here.R.tolist()),
        two.point(f"{name}_2", there.p.tolist(), there.R.tolist()),
    )


def _is_linear(element: Element, name: str) -> bool:
    coefficients = vector(element.attrib, "polycoef", (0.0, 1.0, 0.0, 0.0, 0.0), name)
    return not np.any(coefficients[2:])


def _couple(model: Model, element: Element, places: Places, name: str) -> None:
    """q1 - ref1 = a + b (q2 - ref2)."""
    a, b = vector(element.attrib, "polycoef", (0.0, 1.0, 0.0, 0.0, 0.0), name)[:2]
    first = _leader(model, places, element.get("joint1", ""), name)
    rest = float(a) + places.refs[first]
    if element.get("joint2") is None:
        model.constrain(name, lambda q: q[first] - rest)
        return
    second = _leader(model, places, element.get("joint2", ""), name)
    offset = rest - float(b) * places.refs[second]
    if any(force.arguments.get("joint") == first for force in model.forces.values()):
        model.couple(name, first, second, float(b), offset)
        return
    follower = replace(model.joints[first], mimic=Mimic(second, float(b), offset))
    model.joints[first] = follower


def _leader(model: Model, places: Places, word: str, name: str) -> str:
    """The joint with one coordinate that is meant."""
    found = _find(model.joints, word, "joint", name)
    if found.name not in places.refs or found.kind == "spherical":
        raise FormatError(
            f"joint '{found.name}' has more than one coordinate",
            element=f"equality '{name}'",
            cure="name a hinge or a slide",
        )
    return found.name


def _find(table: Mapping[str, Tied], name: str, what: str, element: str) -> Tied:
    if name not in table:
        name = clean(name)
    if name not in table:
        raise FormatError(
            f"there is no {what} '{name}'",
            element=f"equality '{element}'",
            cure=suggest(name, table, what),
        )
    return table[name]
