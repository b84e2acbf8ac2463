"""URDF robots.

Taken over: links with their inertial frame (origin xyz and rpy), joints of every type (revolute,
continuous, prismatic, fixed, planar, floating) with axes in any direction; limits, mimic, damping
and friction as data; visual and collision geometry in `model.shapes`, meshes as references that are
opened only where a density is given. Left out because they describe no mechanics: gazebo,
transmission, sensor, material tables, ros2_control, safety_controller, calibration.

Decimals: files write π/2 in decimals, so an rpy angle within 1e-10 of a multiple of π/2 is taken as
exactly that multiple, and an axis entry below 1e-10 of the largest as zero.
Names: dots and blanks become underscores, because "body.point" is a path here.
Root: the root link is welded to the ground by a fixed joint "root", or carried by a free joint of
that name when the robot floats; its inertia is kept either way. Coordinates are numbered in the
order of the joints in the file, the root first.
Safety: document type declarations are refused, so no entity is ever expanded or fetched.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from typing import Any

import numpy as np

from kinetree.errors import FormatError, KinetreeError, combine, suggest
from kinetree.formats.build import MOST_MISTAKES
from kinetree.formats.urdf_shapes import Filling, shapes
from kinetree.formats.urdf_xml import attribute, child, exact, origin, parse_xml, vector
from kinetree.model import IDENTITY, Body, Matrix3, Model, Point, problems

KINDS = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "planar": "planar",
    "floating": "free",
    "fixed": "fixed",
}
"""URDF type -> joint kind."""
AXIS_FIELD = {"revolute": "axis", "prismatic": "axis", "planar": "normal"}
NO_MECHANICS = ("gazebo", "transmission", "sensor", "material", "ros2_control")
FLAT = 1e-10
"""An axis entry below this share of the largest is zero."""


def read(
    source: bytes,
    where: str = "the file",
    *,
    floating: bool = False,
    filling: Filling | None = None,
) -> Model:
    """The Model of a URDF.

    Args:
        source: the bytes of the file.
        where: its name, for errors.
        floating: carry the root link by a free joint instead of welding it to the ground.
        filling: what links without <inertial> are made of; without it they have no mass.

    Raises:
        FormatError: with all mistakes found, each naming its link or joint.
    """
    robot = parse_xml(source, where)
    if robot.tag != "robot":
        raise FormatError(
            f"its root element is <{robot.tag}>",
            element=where,
            cure="give a URDF, whose root is <robot>",
        )
    return _RobotReader(robot, where, filling).run(floating=floating)


class _RobotReader:
    """One run over a robot, gathering mistakes."""

    def __init__(self, robot: ET.Element, where: str, filling: Filling | None) -> None:
        self.robot, self.where, self.filling = robot, where, filling
        self.mistakes: list[KinetreeError] = []
        self.links = self.elements("link")
        self.joints = self.elements("joint")
        self.model = Model(robot.get("name") or "robot")

    def run(self, *, floating: bool) -> Model:
        """Bodies from links, the root joint, then the joints in file order."""
        self.refuse_unknown()
        for name, link in self.links.items():
            self.attempt(self.link, name, link)
        for name, joint in self.joints.items():
            self.attempt(self.ends, name, joint)
        self.stop()
        root = self.root()
        self.stop()
        kind = "free" if floating else "fixed"
        self.model.joint(kind, _free_name("root", self.joints), self.model.ground, root)
        for name, joint in self.joints.items():
            self.attempt(self.joint, name, joint)
        self.stop()
        self.mistakes += problems(self.model)
        self.stop()
        self.model.shapes = shapes(self.links) or None
        return self.model

    def attempt(self, step: Any, name: str, element: ET.Element) -> None:
        """One step whose mistake is kept while the others go on."""
        try:
            step(name, element)
        except KinetreeError as mistake:
            self.mistakes.append(mistake)
        if len(self.mistakes) >= MOST_MISTAKES:
            self.stop()

    def stop(self) -> None:
        """Raise what was gathered."""
        if self.mistakes:
            raise combine(self.mistakes, FormatError)

    def wrong(self, element: str, problem: str, cure: str) -> None:
        """Keep a mistake."""
        self.mistakes.append(FormatError(problem, element=element, cure=cure))

    def elements(self, tag: str) -> dict[str, ET.Element]:
        """The links or joints by name, in file order."""
        found: dict[str, ET.Element] = {}
        for element in self.robot.findall(tag):
            name = _clean(element.get("name", ""))
            if not name:
                self.wrong(f"{tag} number {len(found) + 1}", "it has no name", "give it a name")
            elif name in found:
                self.wrong(
                    f"{tag} '{name}'",
                    f"there is a {tag} of this name already",
                    f"give every {tag} a name of its own",
                )
            else:
                found[name] = element
        return found

    def refuse_unknown(self) -> None:
        """Every element of the robot must be known, used or not."""
        for element in self.robot:
            if "}" in element.tag:
                self.wrong(
                    self.where,
                    f"the element <{element.tag.split('}')[1]}> is a macro",
                    "expand the file with xacro first",
                )
            elif element.tag not in ("link", "joint", *NO_MECHANICS):
                self.wrong(
                    self.where,
                    f"the element <{element.tag}> is not known",
                    suggest(element.tag, ("link", "joint"), "element"),
                )

    def link(self, name: str, link: ET.Element) -> None:
        """A body with its inertia turned into the link frame."""
        where = f"link '{name}'"
        inertial = child(link, "inertial")
        if inertial is None and self.filling is not None:
            found = self.filling.fill(link, where)
            self.model.body(_body_name(name), found.mass, found.com.tolist(), found.six)
            return
        position, R = origin(inertial, where)
        mass = attribute(child(inertial, "mass"), "value", 0.0, where)
        given = child(inertial, "inertia")
        entry = {
            f"i{a}{b}": attribute(given, f"i{a}{b}", 0.0, where)
            for a, b in ("xx", "yy", "zz", "xy", "xz", "yz")
        }
        self.model.body(
            _body_name(name), exact(mass), position, [exact(v) for v in _rotate_inertia(entry, R)]
        )

    def root(self) -> Body:
        """The one link that is no child."""
        children = {self.name_in(joint, "child") for joint in self.joints.values()}
        roots = [name for name in self.links if name not in children]
        if not self.links:
            self.wrong(self.where, "it has no link", "give a robot with at least one link")
        elif not roots:
            self.wrong(
                self.where,
                "every link is the child of a joint, so the joints form a cycle",
                "let one link be the child of no joint",
            )
        elif len(roots) > 1:
            listed = ", ".join(f"'{name}'" for name in roots)
            self.wrong(
                self.where,
                f"the links {listed} are roots",
                "connect all but one of them by a joint",
            )
        first = _body_name(roots[0]) if roots else ""
        return self.model.bodies.get(first, self.model.ground)

    def name_in(self, joint: ET.Element, tag: str) -> str:
        """Name of the link in <parent> or <child>."""
        held = child(joint, tag)
        return _clean(held.get("link", "")) if held is not None else ""

    def end(self, name: str, joint: ET.Element, tag: str) -> str:
        """Name of the body of the parent or child link."""
        link = self.name_in(joint, tag)
        if link not in self.links:
            said = f"there is no link '{link}'" if link else f"it has no {tag} link"
            raise FormatError(
                said, element=f"joint '{name}' {tag}", cure=suggest(link, self.links, "link")
            )
        return _body_name(link)

    def ends(self, name: str, joint: ET.Element) -> tuple[str, str]:
        """Names of the bodies of the parent and the child link."""
        return self.end(name, joint, "parent"), self.end(name, joint, "child")

    def joint(self, name: str, joint: ET.Element) -> None:
        """A joint at a point of the parent's body."""
        where, kind_name = f"joint '{name}'", joint.get("type", "")
        if kind_name not in KINDS:
            raise FormatError(
                f"there is no joint type '{kind_name}'",
                element=where,
                cure=suggest(kind_name, KINDS, "type"),
            )
        kind = KINDS[kind_name]
        place, held = self.ends(name, joint)
        parent = self.place(self.model.bodies[place], name, *origin(joint, where))
        arguments = {}
        if kind in AXIS_FIELD:
            arguments[AXIS_FIELD[kind]] = _axis(child(joint, "axis"), where)
        dynamics = child(joint, "dynamics")
        self.model.joint(
            kind,
            name,
            parent,
            held,
            arguments,
            limits=_limits(child(joint, "limit"), where, turning=kind_name == "continuous"),
            mimic=_mimic(child(joint, "mimic"), where),
            damping=attribute(dynamics, "damping", 0.0, where),
            friction=attribute(dynamics, "friction", 0.0, where),
        )

    def place(self, body: Body, name: str, position: list[float], R: Matrix3) -> Point:
        """The point at which a joint stands, named as the joint; the origin if it is there."""
        if not any(position) and R == IDENTITY:
            return body.origin
        return body.point("com_" if name == "com" else name, position, R)


def _clean(name: str) -> str:
    """A name without dots and blanks."""
    return re.sub(r"[.\s]+", "_", name.strip())


def _body_name(link: str) -> str:
    """The body of a link; a link called ground is not the ground of the model."""
    return "ground_link" if link == "ground" else link


def _free_name(name: str, taken: Iterable[str]) -> str:
    """`name`, lengthened until it is not taken."""
    known = set(taken)
    while name in known:
        name += "_"
    return name


def _rotate_inertia(entry: dict[str, float], R: Matrix3) -> list[float]:
    """Inertia R I Rᵀ of the link frame, from the elements in the inertial frame."""
    xx, yy, zz, xy, xz, yz = (entry[f"i{end}"] for end in ("xx", "yy", "zz", "xy", "xz", "yz"))
    if R == IDENTITY:
        return [xx, yy, zz, xy, xz, yz]
    R_LI = np.array(R, dtype=float)
    turned = R_LI @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R_LI.T
    places = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
    return [float(turned[place]) for place in places]


def _axis(element: ET.Element | None, where: str) -> list[float]:
    """The axis of a joint; x when none is given, as URDF says."""
    axis = vector(element, "xyz", (1.0, 0.0, 0.0), where)
    flat = FLAT * max(abs(value) for value in axis)
    return [0.0 if abs(value) <= flat else value for value in axis]


def _limits(element: ET.Element | None, where: str, *, turning: bool) -> dict[str, float] | None:
    """The limits that are given; a continuous joint has no end stops."""
    if element is None:
        return None
    names = ("velocity", "effort") if turning else ("lower", "upper", "velocity", "effort")
    found = {n: attribute(element, n, 0.0, where) for n in names if element.get(n) is not None}
    return found or None


def _mimic(element: ET.Element | None, where: str) -> tuple[str, float, float] | None:
    """(joint, ratio, offset), when the joint follows another."""
    if element is None:
        return None
    return (
        _clean(element.get("joint", "")),
        attribute(element, "multiplier", 1.0, where),
        attribute(element, "offset", 0.0, where),
    )
