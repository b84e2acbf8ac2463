"""Force elements written down: motions of their points, wrenches on links, efforts in joints.

A pair of points is seen from the last link that carries both, as loops are (`closure_views`), so a
force between two bodies of a robot never sees the motion of what carries it.  A single point is
seen from the ground.  Every push becomes a force and a torque about the origin of its link, in the
link frame, where the formalisms add it to what acts on the link.

| here | meaning |
|---|---|
| wrenches | link -> (force, torque about its origin), link frame |
| efforts | velocity number -> generalised force |
| energy | potential energy of the elements that know theirs |

Refs: Docquier2013 secs. 2.2 (last common body), 4.2 (link forces, user equations); SaminFisette2003
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from kinetree.engine import ZERO, Node
from kinetree.forces import FORCES
from kinetree.formalism.forces.force_writer import (
    ExternalInputs,
    ForceWriter,
)
from kinetree.formalism.forces.heard import (
    hears_forces,
    state_rate_expressions,
    write_elements,
    write_told,
)
from kinetree.formalism.forces.told import declare_holds
from kinetree.formalism.kinematics import Geometry, Velocities, geometry, velocities
from kinetree.formalism.links.linkage import Pose, rotate, wrench_poses
from kinetree.formalism.links.passage import ground_to_link, wrench_symbols
from kinetree.formalism.links.vectors import (
    NULL,
    Mat,
    Vec,
    apply,
    apply_transposed,
    cross,
    is_null,
    minus,
    plus,
    vec3,
)
from kinetree.formalism.loops.closure_views import last_common
from kinetree.model import Between, Force, Frame, Place, Point
from kinetree.program import Note
from kinetree.program.notes import about, notes

if TYPE_CHECKING:
    from kinetree.formalism.links.frames import Frames

NOTES = notes("""
    d    | from the first point to the second | | m   | last common
    dd   | rate of that vector                | | m/s | last common
    F    | on the link                        | | N   | link
    T    | on the link                        | | N.m | link
    r x  | position of the point              | | m   | {}
    vr v | velocity of the point              | | m/s | {}
""")


@dataclass
class AppliedForces(ExternalInputs):
    """What acts on the mechanism from outside its joints; see the module's table."""

    wrenches: dict[int, tuple[Vec, Vec]] = field(default_factory=dict)

    def push(self, pose: Pose, force: Vec, torque: Vec) -> None:
        """Add a force through the origin of `pose` and a torque, both in the link frame."""
        old = self.wrenches.get(pose.link, (NULL, NULL))
        moment = plus(old[1], torque, cross(pose.p, force))
        self.wrenches[pose.link] = (plus(old[0], force), moment)


def external(frames: Frames, *, known: bool = False) -> AppliedForces:
    """Run-time wrenches and force elements, all summed; see `elements`."""
    total = elements(frames, known=known)
    add_wrenches(frames, total)
    return total


def wrenches_alone(frames: Frames) -> AppliedForces:
    """Run-time wrenches without force elements."""
    total = AppliedForces()
    add_wrenches(frames, total)
    return total


def add_wrenches(frames: Frames, total: AppliedForces) -> None:
    """Add the run-time wrenches."""
    for wrench, pose in wrench_poses(frames.system):
        symbols_of = wrench_symbols(wrench.name)
        T, F = vec3(symbols_of[:3]), vec3(symbols_of[3:])
        if wrench.frame == "world":
            T_l, F_l = ground_to_link(frames, pose.link, T), ground_to_link(frames, pose.link, F)
        else:
            T_l, F_l = rotate(pose.R, T), rotate(pose.R, F)
        total.push(pose, F_l, T_l)


def elements(frames: Frames, *, known: bool = False) -> AppliedForces:
    """All force elements of the model; the forces of frictions and stops may be known."""
    total, sight = AppliedForces(known=known), RelativeViews(frames)
    write_elements(
        frames.system.model, lambda force: LinkForceWriter(frames, sight, force, total), total
    )
    return total


def elastic(frames: Frames) -> Node:
    """Potential energy [J] of the force elements that know theirs."""
    total, sight = ZERO, RelativeViews(frames)
    for force in frames.system.model.forces.values():
        row = FORCES[force.kind]
        if row.potential is not None and row.stores(force):
            act = LinkForceWriter(frames, sight, force, AppliedForces())
            total = total + row.potential(act, force)
    return total


def write_outputs(frames: Frames, _: tuple[Node, ...] = ()) -> None:
    """Write what every force element tells of itself."""
    sight, total, model = RelativeViews(frames), AppliedForces(), frames.system.model
    declare_holds(frames.scheme, model)
    write_told(frames.scheme, model, lambda force: LinkForceWriter(frames, sight, force, total))


def state_rates(frames: Frames, applied: AppliedForces | None = None) -> list[Node]:
    """der(x) of every user state, in model order.

    Args:
        frames: the links and the scheme to write into.
        applied: what `elements` or `external` gave, where that has been written already.
    """
    model = frames.system.model
    silent = any(state.rate is None for state in model.states.values())
    if applied is None and (silent or hears_forces(model)):
        applied = elements(frames)
    found, given = list[Node](), applied or ExternalInputs()
    sight = cache(lambda: RelativeViews(frames))  # written only where a rate sees a point
    places = lambda point: sight().place(point)  # noqa: E731
    for name, rate in state_rate_expressions(frames.system, given, places):
        note = Note(name, "rate of the state", section="states")
        found.append(frames.scheme.let(f"xd_{name}", rate, note))
    return found


class RelativeViews:
    """Links as seen from one of them; what was seen once is kept."""

    def __init__(self, frames: Frames) -> None:
        self.frames = frames
        self._views: dict[int, tuple[Geometry, Velocities]] = {}
        self._places: dict[str, Place] = {}
        wanted: dict[int, set[int]] = {}  # all pairs at once, so that each view is written once
        for force in frames.system.model.forces.values():
            if len(force.points) == 2:
                base, pair = self.base(*force.points)
                wanted.setdefault(base, set()).update(pair)
        for base, pairs in wanted.items():
            self.links(base, pairs)

    def base(self, first: Point, second: Point) -> tuple[int, tuple[int, int]]:
        """The last link that carries both points, and the links of the points."""
        a, b = (self.frames.system.pose(point).link for point in (first, second))
        return last_common(self.frames.system, a, b), (a, b)

    def links(self, base: int, wanted: Iterable[int]) -> tuple[Geometry, Velocities]:
        """Poses and velocities of some links relative to `base`, in its frame."""
        system = self.frames.system
        carried = set(system.path(base))
        needed = {k for i in wanted for k in system.path(i) if k not in carried}
        found = self._views.get(base)
        if found is None or not needed <= found[0].p.keys():
            if found is not None:
                needed |= found[0].p.keys() - {base}
            place = geometry(self.frames, sorted(needed), base)
            self._views[base] = found = (place, velocities(self.frames, place))
        return found

    def rotation(self, link: int) -> Mat | None:
        """Rotation from a link to the ground where it is known already."""
        found = self._views.get(0)
        return found[0].R.get(link) if found else None

    def end(self, base: int, point: Point) -> Place:
        """A point relative to `base`, in its frame."""
        frames, pose = self.frames, self.frames.system.pose(point)
        place, motion = self.links(base, (pose.link,))
        i, title = pose.link, point.path
        where = "ground" if base == 0 else "last common link"
        let = about(frames.scheme, NOTES, title, where, "points")
        arm = let("r", apply(place.R[i], pose.p))
        p = let("x", plus(place.p[i], arm))
        turning = let("vr", cross(motion.w[i], arm))
        v = let("v", plus(motion.v[i], turning))
        x, y, z = (rotate(pose.R.T, row) for row in place.R[i])
        return Place((x, y, z), p, v, motion.w[i])

    def place(self, point: Point) -> Place:
        """A point relative to the ground."""
        if point.path not in self._places:
            self._places[point.path] = self.end(0, point)
        return self._places[point.path]


class LinkForceWriter(ForceWriter):
    """One force element being written on links; see `Action` for what each method means."""

    def __init__(
        self, frames: Frames, sight: RelativeViews, force: Force, total: AppliedForces
    ) -> None:
        super().__init__(frames.scheme, frames.system, force, total)
        self.frames, self.sight, self.total = frames, sight, total

    def between(self, first: Point, second: Point) -> Between:
        """Two points seen from the last link that carries both."""
        base, links = self.sight.base(first, second)
        self.sight.links(base, links)
        a, b = self.sight.end(base, first), self.sight.end(base, second)
        let = about(self.scheme, NOTES, self.force.name, section="forces")
        d, rate = let("d", minus(b.p, a.p)), let("dd", minus(b.v, a.v))
        return Between(first, second, d, rate, a.R, b.R, a.w, b.w, base, self.let)

    def place(self, point: Point) -> Place:
        """A point seen from the ground."""
        return self.sight.place(point)

    def push(self, point: Point, force: Vec, torque: Vec = NULL, frame: Frame = "ground") -> None:
        """Add a wrench to the link of the point."""
        pose = self.frames.system.pose(point)
        self.total.push(
            pose, self._in_link(pose, force, frame, "F"), self._in_link(pose, torque, frame, "T")
        )

    def _in_link(self, pose: Pose, v: Vec, frame: Frame, stem: str) -> Vec:
        """Components in the frame of the link that carries `pose`, named."""
        if is_null(v):
            return NULL
        if frame == "point":
            v = rotate(pose.R, v)
        elif frame == "ground":
            R = self.sight.rotation(pose.link)
            v = ground_to_link(self.frames, pose.link, v) if R is None else apply_transposed(R, v)
        else:
            place, _ = self.sight.links(frame.base, (pose.link,))
            v = apply_transposed(place.R[pose.link], v)
        let = about(self.scheme, NOTES, self.force.name, section="forces")
        return let(stem, v, at=pose.link)
