"""SDF robots (SDFormat): the first model of a file.

Taken over: links with their inertial, joints (revolute, continuous, prismatic, fixed, ball,
universal, screw) with axes in the frame of the joint or as `expressed_in` says, poses relative to
links, joints, frames or the model, limits, damping and friction as data, spring_stiffness with
spring_reference as springs.  What no joint carries floats; a static model is welded.

Joints whose child is carried already close loops.

The body of a link has the link's own frame; its joint stands where SDF puts the joint's frame.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.errors import FormatError, suggest, warn
from kinetree.formats.mjcf.geoms import MassProperties
from kinetree.formats.mjcf.places import FramePose, quaternion_of, still
from kinetree.formats.urdf_xml import number, parse_xml
from kinetree.model import Body, Joint, Model, rotation_rpy

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


KINDS = {
    "revolute": "revolute", "continuous": "revolute", "prismatic": "prismatic", "fixed": "fixed",
    "ball": "spherical", "universal": "universal", "screw": "screw",
}  # fmt: skip
CLOSURES = {
    "revolute": "revolute", "prismatic": "prismatic", "fixed": "solid", "spherical": "ball",
    "universal": "universal",
}  # fmt: skip
"""Joint -> what closes a loop like it."""
NO_MECHANICS = ("static", "pose", "frame", "link", "joint", "plugin", "self_collide",
                "allow_auto_disable", "enable_wind")  # fmt: skip
WORLD = "world"


def read(source: bytes, where: str = "the file") -> Model:
    """The Model of an SDF file."""
    root = parse_xml(source, where)
    holder = root if root.find("model") is not None else root.find(WORLD)
    found = None if holder is None else holder.find("model")
    if found is None:
        raise FormatError("it has no model", element=where, cure="give an SDF file with a <model>")
    gravity = root.find(f"{WORLD}/gravity")
    g = (0.0, 0.0, -9.81) if gravity is None else _numbers(gravity.text, 3, f"{where} gravity")
    return _SdfReader(found, where, g).run()


@dataclass(frozen=True)
class PosedElement:
    """An element with a pose: what it says, relative to which frame."""

    pose: FramePose
    relative: str


class _SdfReader:
    """One run over a model."""

    def __init__(self, element: Element, where: str, gravity: tuple[float, ...]) -> None:
        self.element, self.where = element, where
        self.model = Model(element.get("name") or "sdf", gravity)
        self.links = {str(x.get("name")): x for x in element.findall("link")}
        self.joints = {str(x.get("name")): x for x in element.findall("joint")}
        self.frames = {str(x.get("name")): x for x in element.findall("frame")}
        self.left: list[str] = []
        self.poses: dict[str, FramePose] = {"__model__": still()}

    def run(self) -> Model:
        """Links, then joints from the ground outward."""
        for entry in self.element:
            if entry.tag not in NO_MECHANICS:
                self.left.append(f"<{entry.tag}>")
        for name, link in self.links.items():
            self._link(name, link)
        carried = {self._end(joint, "child") for joint in self.joints.values()}
        model_pose = _pose(self.element.find("pose"), self.where)
        static = (self.element.findtext("static") or "").strip() in ("true", "1")
        for name in self.links:
            if name not in carried:
                self._root(name, model_pose @ self._place(name), static=static)
        for name, joint in self.joints.items():
            self._joint(name, joint)
        if self.left:
            text = f"{self.where}: left out are {', '.join(dict.fromkeys(self.left))}"
            warn(text)
        return self.model

    def _link(self, name: str, link: Element) -> None:
        where = f"link '{name}'"
        inertial = link.find("inertial")
        place = _pose(None if inertial is None else inertial.find("pose"), where)
        held = None if inertial is None else inertial.find("inertia")
        mass = 1.0 if inertial is None else _number(inertial, "mass", 1.0, where)

        def entry(key: str, default: float) -> float:
            return default if held is None else _number(held, key, default, where)

        xx, yy, zz = (entry(key, 1.0) for key in ("ixx", "iyy", "izz"))
        xy, xz, yz = (entry(key, 0.0) for key in ("ixy", "ixz", "iyz"))
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        found = MassProperties(mass, np.zeros(3), tensor).move(place)
        self.model.body(name, found.mass, found.com.tolist(), found.six)

    def _root(self, name: str, place: FramePose, *, static: bool) -> None:
        """The joint of a link that no other carries."""
        body = self.model.bodies[name]
        if static:
            at = self.model.ground.point(name, place.p.tolist(), place.R.tolist())
            self.model.fixed(f"{name}_root", at, body)
            return
        initial = [*quaternion_of(place.R), *(float(x) for x in place.p)]
        self.model.free(f"{name}_root", self.model.ground, body, initial=initial)

    def _joint(self, name: str, joint: Element) -> None:
        where, word = f"joint '{name}'", joint.get("type", "")
        if word not in KINDS:
            raise FormatError(
                f"there is no type '{word}' here", element=where, cure=suggest(word, KINDS, "type")
            )
        kind = KINDS[word]
        at = self._place(name)
        child, parent = (self._body(joint, end) for end in ("child", "parent"))
        outer = self._of_body(child).inverse() @ at
        inner = self._of_body(parent).inverse() @ at
        axes = [
            self._axis(x, at, where)
            for x in (joint.find("axis"), joint.find("axis2"))
            if x is not None
        ]
        arguments: dict[str, Any] = {}
        if kind in ("revolute", "prismatic", "screw"):
            arguments["axis"] = (axes or [[0.0, 0.0, 1.0]])[0]
        if kind == "universal":
            arguments["axes"] = axes
        if kind == "screw":
            pitch = joint.findtext("screw_thread_pitch") or joint.findtext("thread_pitch") or "0"
            arguments["pitch"] = number(pitch, where) / (2 * np.pi)
        carried = [other.child.body for other in self.model.body_joints]
        if child in carried:  # a loop: the joint that came first carries the link
            self._loop(name, kind, (_at(parent, name, inner), _at(child, name, outer)), arguments)
            return
        made = self.model.joint(
            kind, name, _at(parent, name, inner), _at(child, name, outer), arguments,
            **self._data(joint, kind, where),
        )  # fmt: skip
        self._spring(made, joint, where)

    def _loop(self, name: str, kind: str, ends: Any, arguments: dict[str, Any]) -> None:
        """A joint that closes a loop."""
        if kind not in CLOSURES:
            raise FormatError(
                f"a {kind} joint cannot close a loop here",
                element=f"joint '{name}'",
                cure="let it be the first joint of its link in the file",
            )
        self.model.closure(CLOSURES[kind], name, ends, arguments)

    def _data(self, joint: Element, kind: str, where: str) -> dict[str, Any]:
        """Limits, damping and friction of a joint with one axis."""
        axis = joint.find("axis")
        if axis is None or kind not in ("revolute", "prismatic", "screw"):
            return {}
        limit, dynamics = axis.find("limit"), axis.find("dynamics")
        found: dict[str, float] = {}
        for key in () if limit is None else ("lower", "upper", "velocity", "effort"):
            value = _number(limit, key, np.inf, where)
            if abs(value) < 1e16 and not (key in ("velocity", "effort") and value < 0):
                found[key] = value
        data: dict[str, Any] = {"limits": found} if found else {}
        for key in () if dynamics is None else ("damping", "friction"):
            data[key] = _number(dynamics, key, 0.0, where)
        return data

    def _spring(self, made: Joint, joint: Element, where: str) -> None:
        dynamics = joint.find("axis/dynamics")
        stiffness = _number(dynamics, "spring_stiffness", 0.0, where)
        if stiffness:
            rest = _number(dynamics, "spring_reference", 0.0, where)
            self.model.joint_spring(f"{made.name}_spring", made, stiffness, rest)

    def _axis(self, axis: Element, at: FramePose, where: str) -> list[float]:
        """The direction of an axis in the frame of its joint."""
        xyz = axis.find("xyz")
        given = np.array(_numbers(None if xyz is None else xyz.text or "0 0 1", 3, where))
        seen = "" if xyz is None else xyz.get("expressed_in", "")
        if (axis.findtext("use_parent_model_frame") or "").strip() in ("true", "1"):
            seen = "__model__"
        if seen:
            given = at.R.T @ self._place(seen).R @ given
        length = float(np.linalg.norm(given))
        if not length > 0:
            raise FormatError("its axis has no length", element=where, cure="give a direction")
        return [float(x) for x in given / length]

    def _end(self, joint: Element, tag: str) -> str:
        name = (joint.findtext(tag) or "").strip()
        passed: set[str] = set()
        while name in self.frames:  # a frame belongs to what it is attached to
            if name in passed:
                raise FormatError(
                    "it is attached to itself", element=f"frame '{name}'", cure="correct it"
                )
            passed.add(name)
            name = self.frames[name].get("attached_to", "")
        return name

    def _body(self, joint: Element, tag: str) -> Body:
        name = self._end(joint, tag)
        if name == WORLD and tag == "parent":
            return self.model.ground
        if name not in self.model.bodies:
            raise FormatError(
                f"there is no link '{name}'",
                element=f"joint '{joint.get('name')}' {tag}",
                cure=suggest(name, self.links, "link"),
            )
        return self.model.bodies[name]

    def _of_body(self, body: Body) -> FramePose:
        """A body in the frame of the model; the world is where the model's pose is seen from."""
        if body is self.model.ground:
            return _pose(self.element.find("pose"), self.where).inverse()
        return self._place(body.name)

    def _place(self, name: str) -> FramePose:
        """Where a link, joint or frame is in the frame of the model."""
        chain: list[str] = []
        while name not in self.poses:
            if name in chain or len(chain) > len(self.links) + len(self.joints) + len(self.frames):
                raise FormatError(
                    "its pose is relative to itself", element=f"frame '{name}'", cure="correct it"
                )
            chain.append(name)
            name = self._own_place(name).relative
        for inner in reversed(chain):
            said = self._own_place(inner)
            self.poses[inner] = self.poses[said.relative] @ said.pose
        return self.poses[chain[0] if chain else name]

    def _own_place(self, name: str) -> PosedElement:
        """What a link, joint or frame says about its place."""
        for table in (self.links, self.joints, self.frames):
            if name in table:
                element, usual = table[name], "__model__"
                if table is self.joints:
                    usual = (element.findtext("child") or "").strip()
                elif table is self.frames:
                    usual = element.get("attached_to") or usual
                pose = element.find("pose")
                relative = "" if pose is None else pose.get("relative_to", "")
                return PosedElement(_pose(pose, f"'{name}'"), relative or usual)
        known = [*self.links, *self.joints, *self.frames]
        raise FormatError(
            f"there is no frame '{name}'", element=self.where, cure=suggest(name, known, "frame")
        )


def _at(body: Body, name: str, place: FramePose) -> Any:
    """The end of a joint on a body."""
    if not np.any(place.p) and np.array_equal(place.R, np.eye(3)):
        return body.origin
    return body.point("com_" if name == "com" else name, place.p.tolist(), place.R.tolist())


def _pose(element: Element | None, where: str) -> FramePose:
    """A <pose>: x y z roll pitch yaw, or with a quaternion."""
    if element is None or not (element.text or "").strip():
        return still()
    if element.get("rotation_format") == "quat_xyzw":
        raise FormatError(
            "its rotation is a quaternion", element=f"{where} pose", cure="write roll pitch yaw"
        )
    x, y, z, *angles = _numbers(element.text, 6, f"{where} pose")
    if element.get("degrees") in ("true", "1"):
        angles = [float(np.radians(a)) for a in angles]
    return FramePose(np.array(rotation_rpy(*angles), dtype=float), np.array([x, y, z]))


def _number(element: Element | None, tag: str, default: float, where: str) -> float:
    said = None if element is None else element.findtext(tag)
    if said is None or said.strip() in ("inf", "-inf", "1e+inf"):
        return default
    return number(said.strip(), f"{where} {tag}")


def _numbers(said: str | None, count: int, where: str) -> tuple[float, ...]:
    values = tuple(number(word, where) for word in (said or "").split())
    if len(values) != count:
        raise FormatError(f"it has {len(values)} values", element=where, cure=f"give {count}")
    return values
