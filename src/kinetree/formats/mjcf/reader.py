"""MJCF to Model.

Taken over: bodies with their place, frames, joints (hinge, slide, ball, free; several a body) with
anchor, axis, ref, range, stiffness, springref, damping, armature, frictionloss as data; inertia
given or from geoms, meshes among them; sites as points; gravity; classes of defaults; includes;
replicas; equality constraints connect, weld and linear joint ones, as exact loops (MuJoCo's yield).
Coordinates are numbered as MuJoCo numbers them; `kt.layout(model, "mujoco")` turns quaternions and
velocities.

What has mechanics and is left out is told in one warning: contacts, limits as forces, actuators,
tendons, fluid, composites, other constraints.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.errors import FormatError, warn
from kinetree.formats.mjcf import equalities
from kinetree.formats.mjcf.assets import MeshAsset, read_meshes
from kinetree.formats.mjcf.geoms import MassProperties, geom_mass, geom_shape, read_inertial, total
from kinetree.formats.mjcf.places import (
    FramePose,
    direction,
    quaternion_of,
    read_pose,
    scalar,
    still,
    turn,
    vector,
)
from kinetree.formats.mjcf.replicas import expand_replicas
from kinetree.formats.mjcf.settings import (
    MujocoSettings,
    clean,
    numbers,
    read_settings,
    with_includes,
)
from kinetree.formats.urdf_xml import parse_xml
from kinetree.model import Body, Joint, Model, Point

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


NO_MECHANICS = (
    "compiler", "default", "option", "size", "visual", "statistic", "asset", "custom", "sensor",
    "keyframe", "worldbody", "equality",
)  # fmt: skip
LEFT_OUT = ("actuator", "tendon", "contact", "deformable", "extension")
KINDS = {"hinge": "revolute", "slide": "prismatic", "ball": "spherical", "free": "free"}
FLUID = ("density", "viscosity")
IN_BODY = ("body", "frame", "joint", "freejoint", "inertial", "geom", "site")
DRAWN = ("camera", "light", "plugin")
COMPOSED = ("composite", "flexcomp")
"""Elements that MuJoCo makes many bodies of; they are left out."""


def read(source: bytes, where: str = "the file", *, folder: Path | None = None) -> Model:
    """The Model of an MJCF file.

    Args:
        source: the bytes of the file.
        where: its name, for errors.
        folder: where it lies, for what it includes.
    """
    root = with_includes(parse_xml(source, where), folder, where)
    if root.tag != "mujoco":
        raise FormatError(
            f"its root element is <{root.tag}>", element=where, cure="give a file of MuJoCo"
        )
    settings = read_settings(root, where)
    expand_replicas(root, settings, where)
    meshes = read_meshes(root, settings, folder, where)
    reader = _MujocoReader(root, settings, meshes, where)
    model = reader.run()
    wanted = settings.total_mass
    if wanted > 0:  # all masses are scaled, so they are read again
        found = sum(float(np.asarray(body.mass)) for body in model.bodies.values())
        reader = _MujocoReader(root, settings, meshes, where, wanted / found)
        model = reader.run()
    reader.tell()
    return model


@dataclass(frozen=True)
class BodyElement:
    """An element of a body: what it says by itself and by its class, and its frame there."""

    element: Element
    row: Mapping[str, str]
    frame: FramePose
    childclass: str


class _MujocoReader:
    """One run over a file."""

    def __init__(
        self,
        root: Element,
        settings: MujocoSettings,
        meshes: Mapping[str, MeshAsset],
        where: str,
        scale: float = 1.0,
    ) -> None:
        self.root, self.settings, self.meshes = root, settings, meshes
        self.where, self.scale = where, scale
        self.left: list[str] = []
        self.model = Model(root.get("model") or "mujoco", self._gravity())
        self.rest: dict[str, FramePose] = {self.model.ground.name: still()}
        self.refs: dict[str, float] = {}
        self.sites: dict[str, Point] = {}
        self.shapes: dict[str, Any] = {}

    def run(self) -> Model:
        """Bodies depth first, then what ties them."""
        for element in self.root:
            if element.tag in LEFT_OUT and len(element):
                self.left.append(f"<{element.tag}>")
            elif element.tag not in (*NO_MECHANICS, *LEFT_OUT):
                raise FormatError(
                    f"the element <{element.tag}> is not known",
                    element=self.where,
                    cure="remove it",
                )
        waiting: list[tuple[Element, Body, FramePose, str]] = []
        for world in self.root.findall("worldbody"):
            held = self._elements(world, "")
            self._sites(self.model.ground, held)
            waiting += self._inner(held, self.model.ground)[::-1]
        while waiting:
            waiting += self._body(*waiting.pop())[::-1]
        equalities.add(self.model, self.root, equalities.Places(self.rest, self.sites, self.refs),
                       self.left)  # fmt: skip
        self.model.shapes = self.shapes or None
        return self.model

    def tell(self) -> None:
        """Warn of what has mechanics and was left out."""
        if self.left:
            text = f"{self.where}: left out are {', '.join(dict.fromkeys(self.left))}"
            warn(text)

    def _gravity(self) -> list[float]:
        found = np.array([0.0, 0.0, -9.81])
        for option in self.root.findall("option"):
            where = f"{self.where} option"
            found = vector(option.attrib, "gravity", tuple(found), where)
            if any(any(numbers(option.attrib, x, (), where) or ()) for x in FLUID):
                self.left.append("fluid forces")
            for flag in option.findall("flag"):
                if flag.get("gravity") == "disable":
                    found = np.zeros(3)
        return [float(x) for x in found]

    def _elements(self, holder: Element, childclass: str) -> list[BodyElement]:
        """The elements of a body, those of its frames among them, in order."""
        found: list[BodyElement] = []
        waiting = [(entry, still(), childclass) for entry in reversed(holder)]
        while waiting:
            entry, frame, around = waiting.pop()
            where = f"{entry.tag} '{entry.get('name', '')}'"
            if entry.tag == "frame":
                inner = frame @ read_pose(entry.attrib, self.settings, where)
                own = entry.get("childclass") or around
                waiting += [(x, inner, own) for x in reversed(entry)]
            elif entry.tag in IN_BODY:
                row = self.settings.attributes(entry, around, where)
                found.append(BodyElement(entry, row, frame, around))
            elif entry.tag in COMPOSED:
                self.left.append(f"<{entry.tag}>")
            elif entry.tag not in DRAWN:
                raise FormatError(
                    f"the element <{entry.tag}> of a body is not known here",
                    element=self.where,
                    cure="expand it: let MuJoCo save the compiled model as XML",
                )
        return found

    def _inner(
        self, held: list[BodyElement], parent: Body
    ) -> list[tuple[Element, Body, FramePose, str]]:
        """The bodies among the elements of a body."""
        return [(x.element, parent, x.frame, x.childclass) for x in held if x.element.tag == "body"]

    def _body(
        self, element: Element, parent: Body, frame: FramePose, around: str
    ) -> list[tuple[Element, Body, FramePose, str]]:
        """Add a body and its joints; the bodies that it carries."""
        name = self._free(self.model.bodies, element.get("name") or "body")
        where, childclass = f"body '{name}'", element.get("childclass") or around
        if scalar(element.attrib, "gravcomp", 0.0, where):
            self.left.append("gravity compensation")
        held = self._elements(element, childclass)
        mass = self._mass(held, where).scale(self.scale)
        made = self.model.body(name, mass.mass, mass.com.tolist(), mass.six)
        place = frame @ read_pose(element.attrib, self.settings, where)
        self.rest[name] = self.rest[parent.name] @ place
        self._joints(made, parent, place, [x for x in held if x.element.tag.endswith("joint")])
        self._sites(made, held)
        self._geoms(made, held)
        return self._inner(held, made)

    def _mass(self, held: list[BodyElement], where: str) -> MassProperties:
        """Mass properties of a body, as the compiler's settings choose them."""
        given = [x for x in held if x.element.tag == "inertial"]
        way = self.settings.from_geoms
        if given and way != "true":
            return read_inertial(given[0].element.attrib, self.settings, where)
        if way == "false":
            return total(())
        return total(
            geom_mass(x.row, self.settings, self.meshes, f"{where} geom").move(x.frame)
            for x in held
            if x.element.tag == "geom"
        )

    def _joints(
        self, body: Body, parent: Body, place: FramePose, joints: list[BodyElement]
    ) -> None:
        """The joints of a body, one behind the other; without any it is welded."""
        if not joints:
            name = self._free(self.model.joints, f"{body.name}_weld")
            self.model.fixed(name, _point(parent, name, place), body)
        for k, held in enumerate(joints, 1):
            last = k == len(joints)
            name = self._free(self.model.joints, held.element.get("name") or f"{body.name}_joint")
            child = body if last else self.model.body(self._free(self.model.bodies, f"{name}_body"))
            self._joint(name, held, parent, child, place)
            parent, place = child, still()

    def _joint(
        self, name: str, held: BodyElement, parent: Body, child: Body, place: FramePose
    ) -> None:
        """A joint that carries `child`, whose axes at rest are those of a frame of `parent`."""
        row, where = held.row, f"joint '{name}'"
        word = "free" if held.element.tag == "freejoint" else row.get("type", "hinge")
        kind = KINDS.get(word)
        if kind is None:
            raise FormatError(
                f"there is no type '{word}'", element=where, cure=f"use {', '.join(KINDS)}"
            )
        if kind == "free":
            self._free_joint(name, held, parent, child)
            return
        at = held.frame.p + held.frame.R @ vector(row, "pos", (0.0, 0.0, 0.0), where)
        arguments, ref, R = {}, 0.0, place.R
        p = place.p + place.R @ at
        if kind != "spherical":
            axis = held.frame.R @ direction(row, "axis", (0.0, 0.0, 1.0), where)
            ref = self._coordinate(row, "ref", kind, where)
            arguments = {"axis": axis.tolist()}
            if kind == "revolute":  # q = ref where the body stands as the file says
                R = R @ turn(axis, -ref)
            else:
                p = p - place.R @ axis * ref
        foot = _point(parent, name, FramePose(R, p))
        end = _point(child, name, FramePose(np.eye(3), at))
        self.refs[name] = ref
        data = self._data(row, kind, where) | ({"initial": [ref]} if ref else {})
        joint = self.model.joint(kind, name, foot, end, arguments, **data)
        self._spring(joint, row, kind, where)

    def _free_joint(self, name: str, held: BodyElement, parent: Body, child: Body) -> None:
        """A free joint of a body that stands in the world."""
        if parent is not self.model.ground:
            raise FormatError(
                "it is inside another body", element=f"joint '{name}'", cure="put it in the world"
            )
        for word in ("armature", "damping", "stiffness"):
            if any(numbers(held.row, word, (), f"joint '{name}'") or ()) and (
                held.element.tag == "joint"
            ):
                self.left.append(f"{word} of joint '{name}'")
        start = self.rest[child.name]
        initial = [*quaternion_of(start.R), *start.p]
        self.model.free(name, self.model.ground, child, initial=[float(x) for x in initial])

    def _data(self, row: Mapping[str, str], kind: str, where: str) -> dict[str, Any]:
        """Limits, friction and armature of a joint."""
        data: dict[str, Any] = {}
        limits: dict[str, float] = {}
        word = row.get("limited", "auto")
        bounds = vector(row, "range", (0.0, 0.0), where)
        if "range" in row and (word == "true" or (word == "auto" and self.settings.autolimits)):
            if kind == "spherical":
                self.left.append("limits of ball joints")
            else:
                turning = kind == "revolute"
                low, high = (self.settings.angle(x) if turning else x for x in bounds.tolist())
                limits = {"lower": low, "upper": high}
                self.left.append("stops at limits (model.stop_at_limits adds them)")
        force = numbers(row, "actuatorfrcrange", None, where)
        if force:
            limits["effort"] = max(abs(x) for x in force)
        if limits:
            data["limits"] = limits
        for name, key in (("armature", "armature"), ("frictionloss", "friction")):
            found = numbers(row, name, (0.0,), where)
            if found and found[0]:
                data[key] = found[0]
        if "friction" in data:
            self.left.append("dry friction of joints (model.joint_forces adds it)")
        return data

    def _spring(self, joint: Joint, row: Mapping[str, str], kind: str, where: str) -> None:
        """The spring and damper of a joint."""
        if any(numbers(row, "springdamper", (), where) or ()):
            self.left.append(f"springdamper of joint '{joint.name}'")
        found = {name: numbers(row, name, (), where) or (0.0,) for name in ("stiffness", "damping")}
        if not any(any(values) for values in found.values()):
            return
        if kind == "spherical" or any(any(values[1:]) for values in found.values()):
            self.left.append(f"stiffness or damping of joint '{joint.name}'")
            return
        rest = self._coordinate(row, "springref", kind, where)
        name = self._free(self.model.forces, f"{joint.name}_spring")
        (k, *_), (d, *_) = found.values()
        self.model.joint_spring(name, joint, k, rest, d)

    def _coordinate(self, row: Mapping[str, str], name: str, kind: str, where: str) -> float:
        """A value of the joint's coordinate."""
        value = scalar(row, name, 0.0, where)
        return self.settings.angle(value) if kind == "revolute" else value

    def _sites(self, body: Body, held: list[BodyElement]) -> None:
        """Sites as points of a body."""
        for x in held:
            name = x.element.get("name")
            if x.element.tag == "site" and name:
                place = x.frame @ read_pose(x.row, self.settings, f"site '{name}'")
                self.sites[name] = _point(body, self._free(body.points, name), place, always=True)

    def _geoms(self, body: Body, held: list[BodyElement]) -> None:
        """Shapes of geoms, for viewers; their contacts are left out."""
        rubbing = [x for x in held if x.element.tag == "geom" and x.row.get("contype") != "0"]
        if any(x.row.get("conaffinity") != "0" for x in rubbing):
            self.left.append("contacts of geoms")
        rows = [
            geom_shape(x.row, self.settings, self.meshes, f"body '{body.name}' geom")
            for x in held
            if x.element.tag == "geom"
            and not np.any(x.frame.p)
            and np.array_equal(x.frame.R, np.eye(3))
        ]
        if any(rows):
            self.shapes[body.name] = {"visual": [row for row in rows if row]}

    def _free(self, taken: Mapping[str, Any], name: str) -> str:
        """A name that can be one here, and is not taken."""
        return next(
            x for x in _numbers_behind(clean(name)) if x not in taken and x not in ("ground", "com")
        )


def _numbers_behind(name: str) -> Iterator[str]:
    yield name
    k = 1
    while True:
        yield f"{name}_{k}"
        k += 1


def _point(body: Body, name: str, place: FramePose, *, always: bool = False) -> Point:
    """A point of a body; its origin where it is there."""
    if not always and not np.any(place.p) and np.array_equal(place.R, np.eye(3)):
        return body.origin
    free = next(x for x in _numbers_behind(name) if x not in body.points and x != "com")
    return body.point(free, place.p.tolist(), place.R.tolist())
