"""Model to URDF.

The frame of a link is that of its joint's outer end, as URDF wants it; joints of several axes are
written as one joint per axis with links without mass between them.  A root body that stands on the
ground's frame is the root link; other bodies on the ground hang on a link "world".

URDF has no word for balls and screws, which are refused, nor for gravity, armatures, loops, forces,
points: what is left out is returned.
"""

from __future__ import annotations

from math import atan2, cos, hypot, sin
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np

from kinetree.arrays import Array
from kinetree.errors import UnsupportedError
from kinetree.formats.mjcf.places import FramePose
from kinetree.formats.model_numbers import ModelNumbers, omissions, text
from kinetree.model import Body, Float, Joint, Model, Motion, Point, Shift, Turn

WIDE = 1e9
"""Bounds of a prismatic joint that has none; URDF wants some [m]."""
TYPES = {Turn: "continuous", Shift: "prismatic", Float: "floating"}


def write(model: Model) -> tuple[str, list[str]]:
    """The text of a URDF file, and phrases for what was left out."""
    writer = _UrdfWriter(model)
    return writer.run(), writer.left


class _UrdfWriter:
    def __init__(self, model: Model) -> None:
        self.model, self.numbers = model, ModelNumbers(model)
        self.root = ET.Element("robot", name=model.name)
        self.frames: dict[str, FramePose] = {model.ground.name: FramePose(np.eye(3), np.zeros(3))}
        self.left = omissions(model)
        if not np.array_equal(self.numbers.gravity(), (0.0, 0.0, -9.81)):
            self.left.append("gravity; readers take 9.81 m/s2 along -z")

    def run(self) -> str:
        """Links and joints, then the text."""
        grounded = [j for j in self.model.body_joints if j.parent.body is self.model.ground]
        root = grounded[0] if len(grounded) == 1 and self._is_root(grounded[0]) else None
        if root is None:
            ET.SubElement(self.root, "link", name="world")
        elif root.motions:
            self.left.append(f"joint '{root.name}'; load the file with floating=True")
        for joint in self.model.body_joints:
            R, p = self.numbers.place(joint.child)
            self.frames[joint.child.body.name] = FramePose(R, p)
        for body in self.model.bodies.values():
            self._link(body)
        for joint in self.model.body_joints:
            if joint is not root:
                self._joint(joint)
        ET.indent(self.root)
        return ET.tostring(self.root, encoding="unicode") + "\n"

    def _is_root(self, joint: Joint) -> bool:
        """Whether a joint stands on the ground's frame and lets its body lie still or float."""
        R, p = self.numbers.place(joint.parent)
        placed = np.array_equal(R, np.eye(3)) and not np.any(p)
        return placed and (not joint.motions or joint.kind == "free")

    def _link(self, body: Body) -> None:
        frame = self.frames[body.name]
        link = ET.SubElement(self.root, "link", name=body.name)
        mass, inertia = self.numbers.mass(body), self.numbers.inertia(body)
        if mass or np.any(inertia):
            held = ET.SubElement(link, "inertial")
            at = frame.R.T @ (self.numbers.com(body) - frame.p)
            turned = frame.R.T @ inertia @ frame.R
            ET.SubElement(held, "origin", xyz=text(at), rpy="0 0 0")
            ET.SubElement(held, "mass", value=text(mass))
            ends = (("ixx", 0, 0), ("ixy", 0, 1), ("ixz", 0, 2), ("iyy", 1, 1), ("iyz", 1, 2),
                    ("izz", 2, 2))  # fmt: skip
            entries = {name: text(turned[a, b]) for name, a, b in ends}
            ET.SubElement(held, "inertia", entries)
        self._shapes(link, body, frame)

    def _shapes(self, link: ET.Element, body: Body, frame: FramePose) -> None:
        """Visual and collision geometry, where the link has the frame of its body."""
        shapes = (self.model.shapes or {}).get(body.name, {})
        if not isinstance(shapes, dict) or not shapes:
            return
        if np.any(frame.p) or not np.array_equal(frame.R, np.eye(3)):
            self.left.append(f"shapes of body '{body.name}'")
            return
        for role in ("visual", "collision"):
            for row in shapes.get(role, ()):
                _write_shape(ET.SubElement(link, role), row)

    def _joint(self, joint: Joint) -> None:
        """One URDF joint per motion, with links without mass in between."""
        if any(self.numbers.armature(joint)):
            self.left.append(f"armature of joint '{joint.name}'")
        parts: list[Motion | None] = list(joint.motions) or [None]
        planar = joint.kind == "planar"
        if planar:
            parts = [joint.motions[2]]
        R, p = self._start(joint.parent)
        held = _link_name(joint.parent.body, self.model)
        for k, motion in enumerate(parts, 1):
            last = k == len(parts)
            name = joint.name if len(parts) == 1 else f"{joint.name}_{k}"
            child = joint.child.body.name if last else f"{name}_link"
            if not last:
                ET.SubElement(self.root, "link", name=child)
            kind = "planar" if planar else self._type(joint, motion)
            element = ET.SubElement(self.root, "joint", name=name, type=kind)
            ET.SubElement(element, "parent", link=held)
            ET.SubElement(element, "child", link=child)
            ET.SubElement(element, "origin", xyz=text(p), rpy=text(roll_pitch_yaw(R)))
            if motion is not None and hasattr(motion, "axis"):
                ET.SubElement(element, "axis", xyz=text(motion.axis))
            self._data(element, joint, kind)
            held, R, p = child, np.eye(3), np.zeros(3)

    def _start(self, point: Point) -> tuple[Array, Array]:
        """The frame of a point in that of its link."""
        frame, (R, p) = self.frames[point.body.name], self.numbers.place(point)
        return frame.R.T @ R, frame.R.T @ (p - frame.p)

    def _type(self, joint: Joint, motion: Motion | None) -> str:
        if motion is None:
            return "fixed"
        if type(motion) not in TYPES:
            raise UnsupportedError(
                f"URDF has no {joint.kind} joint",
                element=f"joint '{joint.name}'",
                cure="write an MJCF file, or a sequence of revolute and prismatic motions",
            )
        kind = TYPES[type(motion)]
        bounds = joint.limits
        both = bounds is not None and bounds.lower is not None and bounds.upper is not None
        if kind == "continuous" and both:
            return "revolute"
        if bounds is not None and bounds.is_bound and not both:
            self.left.append(f"the one bound of joint '{joint.name}'; URDF wants two")
        return kind

    def _data(self, element: ET.Element, joint: Joint, kind: str) -> None:
        """Limits, mimic and dynamics."""
        if kind in ("revolute", "prismatic", "continuous"):
            bounds = joint.limits
            row: dict[str, float] = {}
            if kind != "continuous":
                low = None if bounds is None else bounds.lower
                high = None if bounds is None else bounds.upper
                row = {
                    "lower": -WIDE if low is None else low,
                    "upper": WIDE if high is None else high,
                }
            for name in ("velocity", "effort"):
                value = None if bounds is None else getattr(bounds, name)
                row |= {} if value is None and kind == "continuous" else {name: value or 0.0}
            if row:
                ET.SubElement(element, "limit", {name: text(x) for name, x in row.items()})
        if joint.follows and joint.mimic:
            mimic = joint.mimic
            ratio, offset = text(mimic.ratio), text(mimic.offset)
            ET.SubElement(element, "mimic", joint=mimic.joint, multiplier=ratio, offset=offset)
        if joint.damping or joint.friction:
            given = {"damping": text(joint.damping), "friction": text(joint.friction)}
            ET.SubElement(element, "dynamics", given)


def _link_name(body: Body, model: Model) -> str:
    return "world" if body is model.ground else body.name


def _write_shape(element: ET.Element, row: dict[str, Any]) -> None:
    """A <visual> or <collision>, as `urdf_shapes` reads it."""
    if "name" in row:
        element.set("name", str(row["name"]))
    for tag, value in row.items():
        if tag == "name" or not isinstance(value, dict):
            continue
        holder = element
        if tag not in ("origin", "material"):
            holder = ET.SubElement(element, "geometry")
        given = {
            key: x if isinstance(x, str) else text(x) for key, x in value.items() if key != "rgba"
        }
        made = ET.SubElement(holder, tag, given)
        if "rgba" in value:
            ET.SubElement(made, "color", rgba=text(value["rgba"]))


def roll_pitch_yaw(R: Array) -> tuple[float, float, float]:
    """Angles with R = Rz(yaw) Ry(pitch) Rx(roll); the roll makes good what yaw leaves open."""
    yaw = atan2(R[1, 0], R[0, 0])
    pitch = atan2(-R[2, 0], hypot(R[0, 0], R[1, 0]))
    s, c = sin(yaw), cos(yaw)
    return atan2(s * R[0, 2] - c * R[1, 2], c * R[1, 1] - s * R[0, 1]), pitch, yaw
