"""Conditions between the two ends of a closure, each as one row of h, J and Jdqd.

| | meaning |
|---|---|
| h | value; 0 for a condition between velocities |
| J | columns: hdot = J qd + ht |
| ht | what of hdot does not depend on qd: moving laws |
| Jdqd | hddot = J qdd + Jdqd |

d is the vector from the second end to the first; u a direction fixed in the second's frame.
A condition along a moving direction needs the velocity of the material point of one body that
currently coincides with the other end.  Projecting a force through that point gives it, so no
further kinematics is written.

Refs: Docquier2013 sec. 2.2, eqs. 7 to 9
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from kinetree.engine import ZERO, Node, number, scale
from kinetree.formalism.links.motion import unit
from kinetree.formalism.links.vectors import NULL, Vec, cross, dot, minus, plus
from kinetree.formalism.loops.closure_views import Columns, End, Push
from kinetree.program import Note

if TYPE_CHECKING:
    from kinetree.formalism.links.frames import Frames
    from kinetree.model import Closure, Vector3


@dataclass(frozen=True)
class Row:
    """One equation, or one quantity that a law may use; see the module's table.

    Attributes:
        rate: hdot, for laws of this quantity.
        label: "closure.component".
        holonomic: False for a condition between velocities.
        pushes: the forces of a unit multiplier, where the equation is one between ends; J is their
            projection.
    """

    h: Node
    J: Columns
    Jdqd: Node
    ht: Node = ZERO
    rate: Node = ZERO
    label: str = ""
    holonomic: bool = True
    pushes: tuple[Push, ...] = ()

    @property
    def constant(self) -> bool:
        """Whether no velocity changes it."""
        return all(x is ZERO for x in self.J.values())


@dataclass(frozen=True)
class Ends:
    """A closure with its two ends in the frame of the last link that carries both.

    Attributes:
        frames: the links and the scheme.
        closure: what is closed.
        first, second: the two ends.
        d: place of the first minus that of the second.
        dd: its rate.
        ddd: its second rate at qdd = 0.
    """

    frames: Frames
    closure: Closure
    first: End
    second: End
    d: Vec = field(init=False)
    dd: Vec = field(init=False)
    ddd: Vec = field(init=False)

    def __post_init__(self) -> None:
        parts = (
            ("d", minus(self.first.p, self.second.p), "m"),
            ("dd", minus(self.first.v, self.second.v), "m/s"),
            ("ddd", minus(self.first.a, self.second.a), "m/s2"),
        )
        for key, v, unit_of in parts:
            object.__setattr__(self, key, self.let(key, v, "first end minus second", unit_of))

    def scalar(self, name: str) -> Node:
        """A run-time scalar of the closure."""
        return self.frames.system.table.closure_scalar(self.closure, name)

    def let(self, stem: str, v: Vec, step: str, unit_of: str) -> Vec:
        """A vector in the base's frame, its components named."""
        note = Note(self.closure.name, step, "", unit_of, "last common link", "closures")
        return self.frames.scheme.vector(f"{self.closure.name}_{stem}", v, note)

    def axis(self, end: End, axis: Vector3, stem: str) -> Vec:
        """A direction of an end's frame, in the base's frame."""
        return self.let(stem, end.direction(axis), "direction of an end", "1")

    def force_row(self, h: Node, force: Vec, at: Vec, other: Vec | None = None) -> Row:
        """The row of a force through `at` on the first end, and its reaction through `other`."""
        back = at if other is None else other
        pushes = (Push(self.first, force, at), Push(self.second, minus(NULL, force), back))
        return Row(h, projection(pushes), ZERO, pushes=pushes)

    def torque_row(self, h: Node, torque: Vec) -> Row:
        """The row of a torque on the first end, and its reaction on the second."""
        none = minus(NULL, torque)
        pushes = (Push(self.first, NULL, NULL, torque), Push(self.second, NULL, NULL, none))
        return Row(h, projection(pushes), ZERO, pushes=pushes)


def projection(pushes: Iterable[Push]) -> Columns:
    """Sum of the projections of some pushes."""
    out: Columns = {}
    for push in pushes:
        for k, x in push.columns().items():
            out[k] = out.get(k, ZERO) + x
    return out


def coincide(ends: Ends, k: int) -> Row:
    """h = d·e, e an axis of the base."""
    row = ends.force_row(ends.d[k], unit(k), ends.first.p, ends.second.p)
    return replace(row, Jdqd=ends.ddd[k], rate=ends.dd[k])


def distance(ends: Ends) -> Row:
    """h = (d·d - L²)/2, J = d·(v1 - v2), Jdqd = dd·dd + d·ddd."""
    d, dd, L = ends.d, ends.dd, ends.scalar("length")
    row = ends.force_row(scale(0.5, dot(d, d) - L * L), d, ends.first.p, ends.second.p)
    return replace(row, Jdqd=dot(dd, dd) + dot(d, ends.ddd), rate=dot(d, dd))


def along(ends: Ends, axis: Vector3, stem: str = "u") -> Row:
    """h = u·d with u fixed in the second's frame; hdot = u·(v1 - velocity of the second there)."""
    u = ends.axis(ends.second, axis, stem)
    d, w, wd = ends.d, ends.second.w, ends.second.wd
    ud = cross(w, u)
    udd = plus(cross(wd, u), cross(w, ud))
    bias = dot(u, ends.ddd) + 2 * dot(ud, ends.dd) + dot(udd, d)
    row = ends.force_row(dot(u, d), u, ends.first.p)
    return replace(row, Jdqd=bias, rate=dot(u, ends.dd) + dot(ud, d))


def angle(ends: Ends, a_first: Vector3, b_second: Vector3, cosine: float = 0) -> Row:
    """h = a·b - cosine; hdot = (w1 - w2)·n with n = a×b."""
    a, b = ends.axis(ends.first, a_first, "a"), ends.axis(ends.second, b_second, "b")
    n = ends.let("n", cross(a, b), "common normal", "1")
    w1, w2 = ends.first.w, ends.second.w
    nd = plus(cross(cross(w1, a), b), cross(a, cross(w2, b)))
    w = minus(w1, w2)
    bias = dot(minus(ends.first.wd, ends.second.wd), n) + dot(w, nd)
    return replace(ends.torque_row(dot(a, b) - number(cosine), n), Jdqd=bias, rate=dot(w, n))
