"""Loops: the two ends of a closure, as seen from the last link that carries both.

Only the links of the two branches move relative to that link, so a loop never sees the motion of
what carries it as a whole (Docquier2013 sec. 2.2; ROBOTRAN writes its loops so).  Loops with the
same last common link share the poses and velocities of the links they have in common.

A row of J is the projection of a reaction on the axes of a branch: of a force F through a point P
and a torque T, w·(T + (P - p)×F) + v·F for the column (w, v) of a link with origin p.  Rows of all
conditions come from this one formula, and J is at once the matrix whose transpose carries the
multipliers.

Refs: Docquier2013 sec. 2.2; SaminFisette2003
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kinetree.engine import ZERO, Node, number
from kinetree.formalism.kinematics import (
    Accelerations,
    Geometry,
    Velocities,
    accelerations,
    geometry,
    velocities,
)
from kinetree.formalism.links.linkage import Linkage, Pose, rotate
from kinetree.formalism.links.vectors import (
    NULL,
    Vec,
    apply,
    cross,
    dot,
    is_null,
    minus,
    plus,
    times,
    vec3,
)
from kinetree.program.notes import Naming, notes

if TYPE_CHECKING:
    from kinetree.formalism.links.frames import Frames
    from kinetree.model import Closure

NOTES = notes("""
    r x  | place of the end        | | m    | last common link
    vr v | velocity of the end     | | m/s  | last common link
    a    | acceleration of the end | | m/s2 | last common link
    mo   | moment about the joint  | |      | last common link
""")
Columns = dict[int, Node]
"""Velocity number -> element of a row of J."""


def last_common(system: Linkage, a: int, b: int) -> int:
    """The outermost link that carries both links, or is one of them."""
    common = 0
    for i, j in zip(system.path(a), system.path(b), strict=False):
        if i != j:
            break
        common = i
    return common


@dataclass(frozen=True)
class View:
    """Motion of some links relative to one of them, the base, in its frame."""

    base: int
    place: Geometry
    motion: Velocities
    free: Accelerations


def views(frames: Frames, closures: Iterable[Closure]) -> dict[int, View]:
    """Base -> view of all branches that loops with this last common link need."""
    system = frames.system
    wanted: dict[int, set[int]] = {}
    for closure in closures:
        a, b = (system.pose(end).link for end in closure.ends)
        base = last_common(system, a, b)
        branch = {i for i in (*system.path(a), *system.path(b)) if i not in system.path(base)}
        wanted.setdefault(base, set()).update(branch)
    return {base: _view(frames, base, sorted(links)) for base, links in wanted.items()}


def _view(frames: Frames, base: int, links: list[int]) -> View:
    place = geometry(frames, links, base)
    motion = velocities(frames, place)
    still = (ZERO,) * frames.system.nv
    return View(base, place, motion, accelerations(frames, place, motion, still))


class End:
    """One end of a closure: its link, and its motion in the frame of the view's base.

    Attributes:
        p: place [m].
        v: velocity of the point [m/s].
        a: acceleration of the point at qdd = 0 [m/s2].
        w, wd: angular velocity, and angular acceleration at qdd = 0, of its link.
    """

    def __init__(self, frames: Frames, view: View, pose: Pose, title: str, closure: str) -> None:
        self.frames, self.view, self.pose, self.link = frames, view, pose, pose.link
        place, motion, free = view.place, view.motion, view.free
        self.w, self.wd = motion.w[self.link], free.wd[self.link]
        let = Naming(frames.scheme, NOTES, closure, before=f"{title}_", section="closures")
        arm = let("r", apply(place.R[self.link], pose.p))
        self.p = let("x", plus(place.p[self.link], arm))
        turning = let("vr", cross(self.w, arm))
        self.v = let("v", plus(motion.v[self.link], turning))
        bias = plus(free.a[self.link], cross(self.wd, arm), cross(self.w, turning))
        self.a = let("a", bias)

    def direction(self, axis: Sequence[float]) -> Vec:
        """A direction fixed in the frame of the end, in the frame of the base."""
        fixed = rotate(self.pose.R, vec3(number(x) for x in axis))
        return apply(self.view.place.R[self.link], fixed)

    def columns(self, force: Vec, at: Vec, torque: Vec = NULL) -> Columns:
        """Projection of a force through `at`, and of a torque, on the axes of the branch."""
        system, place = self.frames.system, self.view.place
        row: Columns = {}
        let = Naming(self.frames.scheme, NOTES)
        for j in system.path(self.link):
            if j not in place.p or j == self.view.base:
                continue
            moment = plus(torque, cross(minus(at, place.p[j]), force))
            moment = moment if is_null(force) else let("mo", moment, at=j)
            for k, w, v in self.frames.columns(j):
                term = dot(apply(place.R[j], w), moment) + dot(apply(place.R[j], v), force)
                row[k] = row.get(k, ZERO) + term  # a follower adds to what its leader moves
        return row


@dataclass(frozen=True)
class Push:
    """A force through a place, and a torque, on the link of an end; in the frame of the base."""

    end: End
    force: Vec
    at: Vec
    torque: Vec = NULL

    def columns(self) -> Columns:
        """Its projection on the axes of the branch."""
        return self.end.columns(self.force, self.at, self.torque)

    def scale(self, factor: Node) -> Push:
        """The same with another size."""
        force, torque = times(factor, self.force), times(factor, self.torque)
        return Push(self.end, force, self.at, torque)
