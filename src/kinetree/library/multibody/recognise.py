"""Stage 1b, structures: parts whose frames are connected become a model and its equations.

| in | out |
|---|---|
| Flat with World, bodies, bars, joints, forces and `Mechanism`s, and connections of frames | the
same without these connections, with equations of motion and of frames in their place |

Rigid parts weld, joints become tree joints from the world outward, joints that close a loop become
closures, bodies without a joint float.  The rest of the system meets the model at the axes of
joints and at frames of components with equations of their own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from kinetree.acausal.components import Connector
from kinetree.acausal.connections import Union
from kinetree.acausal.instances import Flat, take_component
from kinetree.acausal.mechanics.motion import MotionRows
from kinetree.engine import ZERO, as_node
from kinetree.errors import ModelError, UnsupportedError
from kinetree.library.multibody.connectors import Frame, Part
from kinetree.library.multibody.equations import add_turning, place_frames, write_motion
from kinetree.library.multibody.forces import PairForce
from kinetree.library.multibody.joints import AxisJoint, FreeMotion, Joint, Spherical
from kinetree.library.multibody.light import (
    guess_places,
    loosen,
    positions_at_start,
    write_point,
)
from kinetree.library.multibody.mechanism import Mechanism
from kinetree.library.multibody.meetings import Meetings, forget, forget_frames, meetings_of
from kinetree.library.multibody.parts import Body, Fixed, FixedRotation, FixedTranslation, World
from kinetree.library.multibody.placement import Placement
from kinetree.library.multibody.scalars import Scalars
from kinetree.library.multibody.tree import Branch, JointEdge, RigidGroups, Weld, span
from kinetree.model import Body as Carrier
from kinetree.model import Model, Point, direction


def recognise(flat: Flat) -> None:
    """Write the equations of all mechanisms in place of connections of frames."""
    meetings = meetings_of(flat)
    parts = [one for one in flat.components if isinstance(one, Part)]
    for mechanism in parts:
        if isinstance(mechanism, Mechanism):
            _write_mechanism(flat, mechanism, meetings)
    rest = [one for one in parts if not isinstance(one, Mechanism)]
    if rest:
        _Assembly(flat, meetings, rest).write()
    for frames in meetings.shown.values():
        raise ModelError(
            "it is connected with no part of a mechanism",
            element=f"frame '{frames[0].path}'",
            cure="connect it with a frame of a body, a bar or a joint",
        )


def _write_mechanism(flat: Flat, mechanism: Mechanism, meetings: Meetings) -> None:
    """The equations of a model that is a component."""
    motion = mechanism.motion(flat)
    frames: dict[Point, list[Frame]] = {}
    for point in mechanism.points():
        frame: Frame = getattr(mechanism, point.path.replace(".", "_"))
        place = meetings.place(frame)
        _refuse_parts(meetings, place, mechanism)
        if place in meetings.shown:
            frames.setdefault(point, []).extend(meetings.shown.pop(place))
    write_motion(flat, motion, frames, mechanism.path_of)


def _refuse_parts(meetings: Meetings, place: int, mechanism: Mechanism) -> None:
    """Refuse parts that would be welded to a model."""
    for frame in meetings.numbers:
        owner = frame.owner
        if meetings.place(frame) == place and owner is not mechanism and isinstance(owner, Part):
            raise UnsupportedError(
                f"its frame meets '{frame.path}', and a model takes no further parts",
                element=f"component '{mechanism.path}'",
                cure="add the part to the model, or connect forces and sensors",
            )


def identifier(path: str) -> str:
    """A path as a name of an element of a model."""
    return re.sub(r"\W+", "_", path).strip("_")


@dataclass
class _Group:
    """A rigid group as a body of the model, with the places of its frames."""

    body: Carrier
    placements: dict[int, Placement]
    points: dict[int, Point] = field(default_factory=dict)


class _Assembly:
    """Parts that become one model."""

    def __init__(self, flat: Flat, meetings: Meetings, parts: list[Part]) -> None:
        self.flat, self.meetings, self.parts = flat, meetings, parts
        self.world = self._only_world()
        axis = direction(self.world.n, f"component '{self.world.path}' n")
        gravity = [float(self.world.g) * x if x else 0 for x in axis]
        self.model = Model(flat.name, gravity=gravity)
        self.scalars = Scalars(flat, self.model)
        self.motion = MotionRows(self.model, self.world.path)
        self.groups: dict[int, _Group] = {}
        self.rigid = RigidGroups()
        self.light: dict[int, str] = {}
        self.lines: list[tuple[int, int]] = []
        ends = [end for _, made in flat.connections for end in made.ends]
        self._met = {end for end in ends if isinstance(end, Connector)}

    def _only_world(self) -> World:
        """The world of the parts."""
        worlds = [part for part in self.parts if isinstance(part, World)]
        if len(worlds) == 1:
            return worlds[0]
        names = ", ".join(f"'{one.path}'" for one in worlds)
        raise ModelError(
            f"there are {len(worlds)} worlds ({names})" if worlds else "there is no World",
            element=f"component '{self.parts[0].path}'",
            cure="keep one of them" if worlds else "add world = part(mb.World)",
        )

    # --- the order of work -----------------------------------------------------------------------

    def write(self) -> None:
        """Build the model, and write its equations."""
        place = self.meetings.place
        self._refuse_loose()
        ground = place(self.world.frame_b)
        self._weld(ground)
        joints: list[JointEdge] = [
            (one, place(one.frame_a), place(one.frame_b))
            for one in self.parts
            if isinstance(one, Joint)
        ]
        bodies = [one for one in self.parts if isinstance(one, Body)]
        weights = {joint: self._weight(joint) for joint, _, _ in joints}
        places = [place(one.frame_a) for one in bodies]
        tree, cuts = span(self.rigid, (ground, places), joints, weights)
        self._add_group(ground, self.model.ground)
        for branch in tree:
            self._add_branch(branch, bodies)
        for joint, a, b in cuts:
            self._add_cut(joint, a, b)
        self._add_forces()
        self._write_equations()

    def _weight(self, joint: Joint) -> tuple[bool, int]:
        """How little a joint is wanted in the tree: less where it moves with something else."""
        used = any(end.owner is joint and end in self._met for end in self.flat.ports)
        return not (used or joint.given.keys() - {"n", "n_a", "n_b"}), joint.weight

    def _refuse_loose(self) -> None:
        """Refuse parts with a frame that nothing is connected with, but for worlds and bodies."""
        for part in self.parts:
            if isinstance(part, World | Body | FreeMotion):
                continue
            frames = [end for end in self.meetings.numbers if end.owner is part]
            loose = [end for end in frames if end not in self.meetings.connected]
            needed = isinstance(part, Joint | PairForce)
            if loose and (needed or len(loose) == len(frames)):
                what = f"its {loose[0].label}" if len(loose) < len(frames) else "it"
                raise ModelError(
                    f"{what} is connected with nothing",
                    element=f"component '{part.path}'",
                    cure="connect it, or take the component away",
                )

    def _weld(self, ground: int) -> None:
        """Join the places that rigid parts hold together."""
        place = self.meetings.place
        for part in self.parts:
            if isinstance(part, Fixed):
                weld = Weld(part, ground, place(part.frame_b), part.placement(self.scalars))
            elif isinstance(part, FixedTranslation | FixedRotation):
                a, b = place(part.frame_a), place(part.frame_b)
                weld = Weld(part, a, b, part.placement(self.scalars))
            else:
                continue
            self.rigid.add(weld)

    # --- bodies and points -----------------------------------------------------------------------

    def _add_group(self, first: int, body: Carrier) -> None:
        """A rigid group, whose body has its origin at a place."""
        group = _Group(body, self.rigid.placements(first))
        self.groups[self.rigid.union.find(first)] = group

    def _point(self, place: int) -> Point:
        """The point of the model at a place."""
        group = self.groups.get(self.rigid.union.find(place))
        if group is None:
            raise ModelError(
                "it hangs on parts that no body and no joint holds",
                element=f"frame '{self.meetings.name(place)}'",
                cure="connect it with a body, or with the world",
            )
        placement = group.placements[place]
        if placement.is_identity:
            return group.body.origin
        if place not in group.points:
            turned = None if placement.is_parallel else placement.R.tolist()
            name = identifier(self.meetings.name(place))
            group.points[place] = group.body.point(name, placement.p, turned)
        return group.points[place]

    def _add_branch(self, branch: Branch, bodies: list[Body]) -> None:
        """A joint, and the rigid group that it carries with the bodies of that."""
        placements = self.rigid.placements(branch.outer)
        own = [one for one in bodies if self.meetings.place(one.frame_a) in placements]
        seated = [one for one in own
                  if placements[self.meetings.place(one.frame_a)].is_identity]  # fmt: skip
        joint = branch.joint or self._floating(own[0])
        name = identifier(seated[0].path if seated else f"{joint.path}_link")
        data = seated[0].data(self.scalars) if seated else {}
        carrier = self.model.body(name, **data)
        inner = self._point(branch.inner)
        self._add_group(branch.outer, carrier)
        self._add_joint(joint, inner, carrier, outward=branch.outward)
        for one in own:
            if one not in seated[:1]:
                extra = self.model.body(identifier(one.path), **one.data(self.scalars))
                place = self._point(self.meetings.place(one.frame_a))
                self.model.fixed(f"{extra.name}_weld", place, extra)

    def _floating(self, body: Body) -> FreeMotion:
        """The free motion of a body that no joint holds."""
        given = dict(zip(("r_x", "r_y", "r_z"), body.r_0, strict=True))
        given |= dict(zip(("v_x", "v_y", "v_z"), body.v_0, strict=True))
        given |= dict(zip(("w_x", "w_y", "w_z"), body.w_0, strict=True))
        made = FreeMotion(**{name: float(x) for name, x in given.items()})
        made.put_into(body, "free")
        take_component(self.flat, made)
        forget_frames(self.flat, made)
        return made

    # --- joints ----------------------------------------------------------------------------------

    def _add_joint(self, joint: Joint, inner: Point, outer: Carrier, *, outward: bool) -> None:
        """A joint of the tree, and what stands for its coordinates."""
        if joint.kind == "planar" and not outward:
            raise UnsupportedError(
                "it leads to the world from its frame_a",
                element=f"component '{joint.path}'",
                cure="swap its frames",
            )
        if isinstance(joint, Spherical):
            self._stand_for_turn(joint)
            names = (*joint.quaternion, *joint.position)
        else:
            assert isinstance(joint, AxisJoint)
            freedoms = joint.coordinates(outward=outward)
            names = tuple(freedom[0] for freedom in freedoms)
            for freedom in freedoms:
                for rows, name in zip((self.motion.q, self.motion.qd, self.motion.qdd,
                                       self.motion.tau), freedom, strict=False):  # fmt: skip
                    rows.append(getattr(joint, name).node)
        start = [self.flat.variables[joint.path_of(name)].start or 0.0 for name in names]
        arguments = joint.arguments(outward=outward)
        self.model.joint(joint.kind, identifier(joint.path), inner, outer, arguments, initial=start)

    def _stand_for_turn(self, joint: Spherical) -> None:
        """Coordinates are the unit quaternion along Q, and the position; no force acts."""
        nodes = [getattr(joint, name).node for name in (*joint.quaternion, *joint.position)]
        add_turning(self.flat, self.motion, joint.path, nodes)
        self.motion.qd += [getattr(joint, name).node for name in joint.rates]
        self.motion.qdd += [getattr(joint, name).node for name in joint.seconds]
        self.motion.tau += [ZERO] * len(joint.rates)

    def _add_cut(self, joint: Joint, a: int, b: int) -> None:
        """A joint that closes a loop: an equation between its frames, without coordinates."""
        flanges = [end for end in self.flat.ports if end.owner is joint]
        for end in (end for end in flanges if end in self._met):
            raise UnsupportedError(
                f"all joints of a loop have flanges that are connected, and '{end.path}' closes it",
                element=f"component '{joint.path}'",
                cure="leave the flange of one of its joints open",
            )
        for element in (joint, *flanges):
            forget(self.flat, element)
        gone = set(flanges)
        self.flat.ports[:] = [end for end in self.flat.ports if end not in gone]
        self.flat.equations[:] = [e for e in self.flat.equations if e.origin != joint.path]
        if joint.cut:
            ends = self._point(a), self._point(b)
            arguments = joint.arguments(outward=True)
            self.model.closure(joint.cut, identifier(joint.path), ends, arguments)

    # --- forces ----------------------------------------------------------------------------------

    def _add_forces(self) -> None:
        """Forces of the model, and those that end in points without mass."""
        place = self.meetings.place
        forces = [one for one in self.parts if isinstance(one, PairForce)]
        lines = [(place(one.frame_a), place(one.frame_b)) for one in forces]
        frames = [end for one in forces for end in (one.frame_a, one.frame_b)]
        self.light = {place(end): end.path for end in frames[::-1] if self._hangs(place(end))}
        for one, ends in zip(forces, lines, strict=True):
            if any(k in self.light for k in ends):
                loosen(self.flat, one, self.scalars, self.meetings)
            else:
                points = self._point(ends[0]), self._point(ends[1])
                one.add(self.model, identifier(one.path), points, self.scalars)
        self.lines = [ends for ends in lines if any(k in self.light for k in ends)]

    def _hangs(self, place: int) -> bool:
        """Whether forces alone hold a place."""
        free = self.rigid.union.find(place) not in self.groups
        return free and len(self.rigid.placements(place)) == 1

    def _write_points(self) -> None:
        """Points without mass, from the middle of what they are connected with."""
        held = list(dict.fromkeys(k for ends in self.lines for k in ends if k not in self.light))
        groups = Union()
        for a, b in self.lines:
            groups.merge(a, b)
        roots = {groups.find(k) for k in held}
        for k in self.light:
            if groups.find(k) not in roots:
                self._point(k)
        known = positions_at_start(self.model, {k: self._point(k) for k in held})
        starts = guess_places(list(self.light), self.lines, known)
        for place, path in self.light.items():
            write_point(self.flat, path, self.meetings.shown.pop(place), starts[place])

    # --- equations -------------------------------------------------------------------------------

    def _write_equations(self) -> None:
        """Equations of motion, and frames of components with equations of their own."""
        if self.light:
            self._write_points()
        frames: dict[Point, list[Frame]] = {}
        ground = self.groups[self.rigid.union.find(self.meetings.place(self.world.frame_b))]
        for place in list(self.meetings.shown):
            if self.rigid.union.find(place) not in self.groups:
                continue
            ends = self.meetings.shown.pop(place)
            if place in ground.placements:
                self._place_fixed(ends, ground.placements[place])
            else:
                frames[self._point(place)] = ends
        if self.model.velocities:
            write_motion(self.flat, self.motion, frames, self._rename)

    def _place_fixed(self, ends: list[Frame], placement: Placement) -> None:
        """Frames that stand still in the world."""
        r = [as_node(x) for x in placement.p]
        R = [as_node(x) for x in placement.R.ravel().tolist()]
        place_frames(self.flat, ends, (r, R, [ZERO] * 3, [ZERO] * 3), self.world.path)

    def _rename(self, label: str) -> str:
        """Parameters of parts have their paths; gravity is the world's."""
        return label if label in self.model.parameters else self.world.path_of(label)
