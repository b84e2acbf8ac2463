"""What rounding leaves of the equations of loops, at the values of the moment.

An angle of 5000 rad is known to 1e-12 rad: no loop that it moves closes better than that, times its
lengths.  A residual counts as nothing where it is below

    ε (S (LENGTHS + Σ|angles|/2) + Σ|displacements|)

over the coordinates that move the equation; S is one plus the lengths along the loop, squared for a
distance, and ε the rounding of the numbers in use.  A law of the user has ε Σ|J q| instead.

Refs: own
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from kinetree.engine import ONE, ZERO, Node, Rank, add, call, linear, mul, select, symbol, symbols
from kinetree.formalism.links.motion import FreeMotion
from kinetree.formalism.loops.closure_views import last_common
from kinetree.model import Along, Angle, Closure, Coincide, Distance
from kinetree.program import Assign, Note, Scheme

if TYPE_CHECKING:
    from kinetree.formalism.links.linkage import Linkage
    from kinetree.formalism.loops.conditions import Row

LENGTHS = 16
"""Roundings that the lengths of a loop cause; those of its angles come on top."""


def loop_size(system: Linkage, closure: Closure) -> Node:
    """One plus the sum of the lengths along a loop [m]; a closure without ends has none."""
    if not closure.ends:
        return ONE
    first, second = (system.pose(end) for end in closure.ends)
    base = system.path(last_common(system, first.link, second.link))
    links = {i for pose in (first, second) for i in system.path(pose.link)} - {*base}
    places = [system.links[i].r for i in sorted(links)] + [first.p, second.p]
    return add(ONE, *[call("abs", x) for place in places for x in place])


def geometric(closure: Closure) -> bool:
    """Whether no slope of its equations is above the size of the loop; false for laws of users."""
    return all(isinstance(c, Coincide | Along | Angle | Distance) for c in closure.conditions)


def power(closure: Closure) -> int:
    """The power of a length that its equations are measured in."""
    return 2 if any(isinstance(c, Distance) for c in closure.conditions) else 1


@dataclass(frozen=True)
class Rounding:
    """Rounding in one scheme.

    Attributes:
        scheme: where it is named.
    """

    scheme: Scheme

    @cached_property
    def unit(self) -> Node:
        """The rounding of the numbers that the Program is evaluated in: 2⁻⁵² or 2⁻²³.

        4/3 is rounded, and 3 (4/3 - 1) - 1 shows by how much.  Names keep the engine, which is
        exact, from seeing through it.
        """
        one = self._define("one", ONE)
        thirds = self._define("thirds", 4 * one / 3)
        third = self._define("third", thirds - one)
        return self._define("rounding", call("abs", 3 * third - one))

    def _define(self, name: str, expr: Node) -> Node:
        found = symbol(self.scheme.fresh(name), Rank.LOCAL)
        self.scheme.define(Assign(found, expr, Note(step="rounding")))
        return found

    def above(self, inner: Scheme, system: Linkage, row: Row, h: Node) -> Node:
        """A residual of an equation, or 0 where it is no more than rounding.

        Args:
            inner: scheme of the iteration, inside this one.
            system: the links.
            row: the equation.
            h: its residual, named.
        """
        far = inner.let("far", mul(self.unit, roundings(system, row)))
        return select(far - call("abs", h), ZERO, h)


def roundings(system: Linkage, row: Row) -> Node:
    """Roundings of an equation at the coordinates of the moment, in its own unit."""
    units = [unit for joint in system.model.leaders for unit in joint.q_units]
    moved, names = moved_coordinates(system), system.model.velocities
    closure = system.model.closures[row.label.partition(".")[0]]
    by = [(k, x) for v, x in row.J.items() for k in moved[names[v]] if units[k] != "1"]
    if not geometric(closure):
        return add(*[call("abs", mul(x, system.q[k])) for k, x in by])
    angles, displacements = (
        add(*[call("abs", system.q[k]) for k in sorted({*dict(by)}) if units[k] == unit])
        for unit in ("rad", "m")
    )
    size, high = loop_size(system, closure), power(closure)
    turned = mul(size**high, linear(LENGTHS, ((angles, 0.5),)))
    return add(turned, mul(size ** (high - 1), displacements))


def moved_coordinates(system: Linkage) -> dict[str, tuple[int, ...]]:
    """Velocity -> numbers of the coordinates that it changes."""
    place = {q: k for k, q in enumerate(system.q)}
    names = system.model.velocities
    found: dict[str, tuple[int, ...]] = {}
    for link in system.links[1:]:
        motion = link.motion
        if isinstance(motion, FreeMotion):
            whole = (*motion.e, *motion.p) if motion.floats else motion.e
            at = tuple(place[q] for q in whole)
            found.update({names[k]: at for k in motion.dofs})
        else:
            for k in motion.dofs:
                found.setdefault(names[k], tuple(place[s] for s in symbols([motion.q])))
    return found
