"""Model to MJCF.

A joint of several axes becomes several joints of its body, at the outer end of the joint.  Joints
that follow another, balls and solids that close loops become equality constraints, which yield a
little in MuJoCo.  What is left out is returned.
"""

from __future__ import annotations

from xml.etree import ElementTree as ET

import numpy as np

from kinetree.errors import UnsupportedError
from kinetree.formats.mjcf.places import FramePose, quaternion_of, rotation_of
from kinetree.formats.model_numbers import ModelNumbers, omissions, text
from kinetree.model import Ball, Body, Closure, Float, Joint, Model, Motion, Point, Shift, Turn

TYPES = {Turn: "hinge", Shift: "slide", Ball: "ball"}
WORLD = "world"
CLOSURES = {"ball": "connect", "solid": "weld"}


def write(model: Model) -> tuple[str, list[str]]:
    """The text of an MJCF file, and phrases for what was left out."""
    writer = _MujocoWriter(model)
    return writer.run(), writer.left


class _MujocoWriter:
    def __init__(self, model: Model) -> None:
        self.model, self.numbers = model, ModelNumbers(model)
        self.elements: dict[str, ET.Element] = {}
        self.springs = {
            force.arguments["joint"]: force
            for force in model.forces.values()
            if force.kind == "joint_spring"
        }
        closed = [name for name, row in model.closures.items() if row.kind in CLOSURES]
        self.left = omissions(model, (*(row.name for row in self.springs.values()), *closed))
        self.left += ["shapes"] if model.shapes else []

    def run(self) -> str:
        """Bodies inside each other, then what ties them."""
        root = ET.Element("mujoco", model=self.model.name)
        ET.SubElement(root, "compiler", angle="radian", autolimits="true")
        ET.SubElement(root, "option", gravity=text(self.numbers.gravity()))
        tree = self.model.tree()
        self.elements[self.model.ground.name] = ET.SubElement(root, "worldbody")
        for k in tree.outward():
            inner = self.elements[tree.bodies[tree.parent[k]].name]
            self.elements[tree.bodies[k].name] = self._body(inner, tree.joints[k])
        self._equalities(root)
        ET.indent(root)
        return ET.tostring(root, encoding="unicode") + "\n"

    def _pose(self, point: Point) -> FramePose:
        return FramePose(*self.numbers.place(point))

    def _body(self, parent: ET.Element, joint: Joint) -> ET.Element:
        """One body; its joints act at the outer end, about axes of the frame there."""
        inner, outer = self._pose(joint.parent), self._pose(joint.child)
        place, body = inner @ outer.inverse(), joint.child.body
        if joint.kind == "free":
            place = self._start(joint, inner, outer)
        element = ET.SubElement(parent, "body", name=self._body_name(body), pos=text(place.p))
        element.set("quat", text(quaternion_of(place.R)))
        for k, motion in enumerate(joint.motions):
            name = joint.name if len(joint.motions) == 1 else f"{joint.name}_{k + 1}"
            self._joint(element, joint, name, motion, outer)
        mass, inertia = self.numbers.mass(body), self.numbers.inertia(body)
        if mass or np.any(inertia):
            six = inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
            # MuJoCo takes zero moments, of a point mass, on the diagonal alone
            moments = {"fullinertia": six} if np.any(six[3:]) else {"diaginertia": six[:3]}
            given = {"pos": self.numbers.com(body), "mass": mass, **moments}
            ET.SubElement(element, "inertial", {name: text(x) for name, x in given.items()})
        ends = {end.path for j in self.model.body_joints for end in (j.parent, j.child)}
        for point in body.points.values():
            if point.path not in ends:
                self._site(element, f"{body.name}_{point.name}", point)
        return element

    def _start(self, joint: Joint, inner: FramePose, outer: FramePose) -> FramePose:
        """Where a free body starts."""
        if any(np.any(x.p) or not np.array_equal(x.R, np.eye(3)) for x in (inner, outer)):
            raise UnsupportedError(
                "MuJoCo's free joint moves the origin of a body in the world",
                element=f"joint '{joint.name}'",
                cure="let it join the origins of the ground and of the body",
            )
        start = np.array(joint.initial or joint.neutral)
        return FramePose(rotation_of(start[:4]), start[4:])

    def _joint(
        self, element: ET.Element, joint: Joint, name: str, motion: Motion, outer: FramePose
    ) -> None:
        if isinstance(motion, Float):
            if any(self.numbers.armature(joint)):
                self.left.append(f"armature of joint '{joint.name}'")
            ET.SubElement(element, "freejoint", name=name)
            return
        if type(motion) not in TYPES:
            raise UnsupportedError(
                f"MJCF has no {joint.kind} joint",
                element=f"joint '{joint.name}'",
                cure="write it as a revolute and a prismatic joint that follows it",
            )
        made = ET.SubElement(element, "joint", name=name, type=TYPES[type(motion)])
        made.set("pos", text(outer.p))
        if isinstance(motion, Ball):
            turned = not np.array_equal(outer.R, np.eye(3))
            if turned:
                self.left.append(f"axes of joint '{name}'; MuJoCo takes those of its body")
        else:
            made.set("axis", text(outer.R @ np.array(motion.axis, dtype=float)))
            self._data(made, joint)
        armature = self.numbers.armature(joint)
        if len(set(armature)) > 1:
            self.left.append(f"armature of joint '{joint.name}'")
        elif armature and armature[0]:
            made.set("armature", text(armature[0]))

    def _data(self, made: ET.Element, joint: Joint) -> None:
        """Limits, friction, springs."""
        bounds = joint.limits
        if bounds is not None and bounds.is_bound:
            if bounds.lower is None or bounds.upper is None:
                self.left.append(f"the one bound of joint '{joint.name}'; MJCF wants two")
            else:
                made.set("range", text((bounds.lower, bounds.upper)))
        if joint.friction:
            made.set("frictionloss", text(joint.friction))
        if joint.damping:
            self.left.append(f"damping of joint '{joint.name}', which is data here and acts there")
        force = self.springs.get(joint.name)
        if force is not None:
            values = self.numbers.values
            names = {"stiffness": "stiffness", "damping": "damping", "rest": "springref"}
            for own, theirs in names.items():
                made.set(theirs, text(values[f"{force.name}.{own}"]))

    def _equalities(self, root: ET.Element) -> None:
        """Loops and joints that follow others."""
        section = ET.Element("equality")
        for joint in self.model.body_joints:
            if joint.follows and joint.mimic:
                mimic = joint.mimic
                row = {"joint1": joint.name, "joint2": mimic.joint}
                row["polycoef"] = text((mimic.offset, mimic.ratio, 0, 0, 0))
                ET.SubElement(section, "joint", row)
        for name, closure in self.model.closures.items():
            if closure.kind in CLOSURES:
                self._closure(section, name, closure)
        if len(section):
            root.append(section)

    def _closure(self, section: ET.Element, name: str, closure: Closure) -> None:
        """A loop that is closed by a ball or a solid, between two sites."""
        row = {"name": name}
        for k, end in enumerate(closure.ends, 1):
            row[f"site{k}"] = f"{name}_{k}"
            self._site(self.elements[end.body.name], f"{name}_{k}", end)
        ET.SubElement(section, CLOSURES[closure.kind], row)

    def _body_name(self, body: Body) -> str:
        """The name of a body; MuJoCo keeps that of the world for itself."""
        if body.name != WORLD:
            return body.name
        self.left.append(f"the name of body '{WORLD}', which is '{WORLD}_' there")
        return f"{WORLD}_"

    def _site(self, element: ET.Element, name: str, point: Point) -> None:
        at = self._pose(point)
        place = {"name": name, "pos": text(at.p), "quat": text(quaternion_of(at.R))}
        ET.SubElement(element, "site", place)
