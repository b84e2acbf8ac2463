"""Motion of links in natural coordinates, and loads on them.

With the axes e_i, e_j, e_k of a link in cyclic order the angular velocity is ω_k = e_j·ė_i in link
components, and a torque n does the work n_k e_j·δe_i: it acts on direction i as the force n_k e_j.
A force through a point acts on the natural vectors of the point by their coefficients.

Refs: GarciaDeJalon1994
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kinetree.engine import ZERO, Node, cos, sin
from kinetree.formalism.forces.force_writer import ExternalInputs
from kinetree.formalism.links.linkage import rotate
from kinetree.formalism.links.motion import AxisMotion, FreeMotion
from kinetree.formalism.links.vectors import (
    NULL,
    Mat,
    Vec,
    cross,
    dot,
    minus,
    negative,
    plus,
    times,
)
from kinetree.formalism.natural.combinations import Natural, Sum
from kinetree.formalism.natural.coordinates import AXES, NaturalSpace
from kinetree.formalism.natural.links import Driven, LinkFrame, Sliding
from kinetree.program import Scheme


@dataclass
class NaturalLoads(ExternalInputs):
    """What force elements give.

    Attributes:
        forces: natural vector -> generalised force on it.
    """

    forces: dict[Natural, Vec] = field(default_factory=dict)

    def push(self, at: Sum, force: Vec) -> None:
        """A force on whatever a combination stands for; ground components."""
        for v, c in at.moving.items():
            self.forces[v] = plus(self.forces.get(v, NULL), times(c[0], force))


class Bodies:
    """Motion of links, named in a scheme."""

    def __init__(self, scheme: Scheme, space: NaturalSpace) -> None:
        self.scheme, self.space = scheme, space
        self._axes: dict[tuple[LinkFrame, int], tuple[Vec, Vec]] = {}
        self._spins: dict[LinkFrame, Vec] = {}
        self._known: dict[Node, Node] = {}

    # --- motion ----------------------------------------------------------------------------------

    def axis(self, frame: LinkFrame, k: int) -> tuple[Vec, Vec]:
        """Direction k of a link and its rate, ground components."""
        if (frame, k) not in self._axes:
            self._axes[frame, k] = self._axis(frame, k)
        return self._axes[frame, k]

    def _axis(self, frame: LinkFrame, k: int) -> tuple[Vec, Vec]:
        vector, stem = self.scheme.vector, f"{frame.name}_{AXES[k]}"
        made = frame.axes_for(k)
        if len(made) == 1:
            e = frame.axis(k)
            return vector(f"{stem}_e", e.value), vector(f"{stem}_ed", e.rate)
        (a, ad), (b, bd) = (self.axis(frame, i) for i in made)
        rate = plus(cross(ad, b), cross(a, bd))
        return vector(f"{stem}_e", cross(a, b)), vector(f"{stem}_ed", rate)

    def rotation(self, frame: LinkFrame) -> Mat:
        """From link to ground components."""
        x, y, z = (self.axis(frame, k)[0] for k in range(3))
        return ((x[0], y[0], z[0]), (x[1], y[1], z[1]), (x[2], y[2], z[2]))

    def spin(self, frame: LinkFrame) -> Vec:
        """Angular velocity in link components."""
        if frame not in self._spins:
            found = self._spin(frame)
            self._spins[frame] = self.scheme.vector(f"{frame.name}_w", found)
        return self._spins[frame]

    def _spin(self, frame: LinkFrame) -> Vec:
        if frame.grounded:
            return NULL
        if isinstance(frame, Driven):
            motion = frame.motion
            w = turned_in(frame, self.spin(frame.parent))
            own = tuple(motion.turn * frame.law[1] if k == motion.k else ZERO for k in range(3))
            return plus(w, (own[0], own[1], own[2]))
        if isinstance(frame, Sliding):
            return rotate(frame.link.R0.T, self.spin(frame.parent))
        x, y, z = (self._turning(frame, k) for k in range(3))
        return (x, y, z)

    def _turning(self, frame: LinkFrame, k: int) -> Node:
        """ω_k = e_j·ė_i = -e_i·ė_j, by the rate of a direction that is made."""
        i, j = (k + 1) % 3, (k + 2) % 3
        if len(frame.axes_for(i)) == 1:
            return dot(self.axis(frame, j)[0], self.axis(frame, i)[1])
        return -dot(self.axis(frame, i)[0], self.axis(frame, j)[1])

    def angular(self, frame: LinkFrame) -> Vec:
        """Angular velocity in ground components."""
        w = self.spin(frame)
        terms = [times(w[k], self.axis(frame, k)[0]) for k in range(3) if w[k] is not ZERO]
        return self.scheme.vector(f"{frame.name}_wg", plus(*terms)) if terms else NULL

    # --- coordinates of the model ----------------------------------------------------------------

    def value_of(self, s: Node) -> Node:
        """A coordinate or velocity of the model, by its symbol; other symbols stay."""
        if s not in self._known:
            system = self.space.system
            found = s
            if s in system.q:
                found = self._coordinate(system.q.index(s))
            elif s in system.qd:
                found = self._velocity(system.qd.index(s))
            self._known[s] = self.scheme.let(f"{s.name}_m", found)
        return self._known[s]

    def _coordinate(self, at: int) -> Node:
        space = self.space
        name = space.system.model.coordinates[at]
        if name in space.laws:
            return space.laws[name][0]
        if name in space.angles:
            return space.q[space.angles[name]]
        frame, motion = space.owner(space.system.q[at])
        d = frame.origin.minus(frame.parent.point(frame.link.r))
        if isinstance(motion, AxisMotion):
            along = frame.parent.direction(frame.link.R0[:, motion.k])
            return motion.slide * dot(along.value, d.value)
        along = frame.parent.direction(frame.link.R0[:, motion.p.index(space.system.q[at])])
        return dot(along.value, d.value)

    def _velocity(self, at: int) -> Node:
        space = self.space
        name = space.system.model.velocities[at]
        if name in space.laws:
            return space.laws[name][1]
        if name in space.angles:
            return space.qd[space.angles[name]]
        frame = space.mover(at)
        motion = frame.link.motion
        if isinstance(motion, FreeMotion):
            return self._loose(frame, motion.dofs.index(at))
        if motion.turn is not ZERO:
            w = rotate(frame.link.R0.T, self.spin(frame.parent))
            return motion.turn * (self.spin(frame)[motion.k] - w[motion.k])
        d = frame.origin.minus(frame.parent.point(frame.link.r))
        along = frame.parent.direction(frame.link.R0[:, motion.k])
        return motion.slide * (dot(along.rate, d.value) + dot(along.value, d.rate))

    def _loose(self, frame: LinkFrame, k: int) -> Node:
        """Component k of the velocity of a loose link relative to its joint, link components."""
        w_p = self.angular(frame.parent)
        e = self.axis(frame, k % 3)[0]
        if k < len(AXES):
            return self.spin(frame)[k] - dot(e, w_p)
        d = frame.origin.minus(frame.parent.point(frame.link.r))
        return dot(e, minus(d.rate, cross(w_p, d.value)))

    # --- loads -----------------------------------------------------------------------------------

    def twist(self, loads: NaturalLoads, frame: LinkFrame, torque: Vec) -> None:
        """A torque on a link, link components."""
        if frame.grounded:
            return
        if isinstance(frame, Driven):
            self.twist(loads, frame.parent, turned_out(frame, torque))
            return
        if isinstance(frame, Sliding):
            self.twist(loads, frame.parent, rotate(frame.link.R0, torque))
            return
        for k, n in enumerate(torque):
            if n is ZERO:
                continue
            i, j = (k + 1) % 3, (k + 2) % 3
            if len(frame.axes_for(i)) == 1:
                loads.push(frame.axis(i), times(n, self.axis(frame, j)[0]))
            else:
                loads.push(frame.axis(j), times(-n, self.axis(frame, i)[0]))

    def effort(self, loads: NaturalLoads, velocity: int, value: Node) -> None:
        """A generalised force along a velocity of the model."""
        space = self.space
        if space.system.model.velocities[velocity] in space.laws or value is ZERO:
            return
        frame = space.mover(velocity)
        motion = frame.link.motion
        if isinstance(motion, FreeMotion):
            self._loose_effort(loads, frame, motion.dofs.index(velocity), value)
            return
        if motion.turn is not ZERO:  # a screw's way follows its angle
            n = _along(motion.k, motion.turn * value)
            self.twist(loads, frame, n)
            self.twist(loads, frame.parent, negative(rotate(frame.link.R0, n)))
            return
        along = frame.parent.direction(frame.link.R0[:, motion.k]).value
        F = self.scheme.vector("effort", times(motion.slide * value, along))
        loads.push(frame.origin.minus(frame.parent.point(frame.link.r)), F)

    def _loose_effort(self, loads: NaturalLoads, frame: LinkFrame, k: int, value: Node) -> None:
        parent = frame.parent
        if k < len(AXES):
            n = _along(k, value)
            self.twist(loads, frame, n)
            back = times(-value, self.axis(frame, k)[0])
            self.twist(loads, parent, self.in_link(parent, back))
            return
        F = self.scheme.vector("effort", times(value, self.axis(frame, k - 3)[0]))
        d = frame.origin.minus(parent.point(frame.link.r))
        loads.push(d, F)
        self.twist(loads, parent, self.in_link(parent, negative(cross(d.value, F))))

    def in_link(self, frame: LinkFrame, v: Vec) -> Vec:
        """Ground components -> link components."""
        if frame.grounded:
            return v
        x, y, z = (dot(self.axis(frame, k)[0], v) for k in range(3))
        return self.scheme.vector(f"{frame.name}_n", (x, y, z))


def _along(k: int, x: Node) -> Vec:
    a, b, c = (x if i == k else ZERO for i in range(3))
    return (a, b, c)


def turned_in(frame: Driven, v: Vec) -> Vec:
    """Parent components -> components in a driven link."""
    C, S = cos(frame.motion.turn * frame.law[0]), sin(frame.motion.turn * frame.law[0])
    return _planar(frame.motion.k, rotate(frame.link.R0.T, v), C, -S)


def turned_out(frame: Driven, v: Vec) -> Vec:
    """Components in a driven link -> parent components."""
    C, S = cos(frame.motion.turn * frame.law[0]), sin(frame.motion.turn * frame.law[0])
    return rotate(frame.link.R0, _planar(frame.motion.k, v, C, S))


def _planar(k: int, v: Vec, C: Node, S: Node) -> Vec:
    i, j = (k + 1) % 3, (k + 2) % 3
    out = list(v)
    out[i], out[j] = C * v[i] - S * v[j], S * v[i] + C * v[j]
    return (out[0], out[1], out[2])
