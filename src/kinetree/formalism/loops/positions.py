"""Position level of closed systems: dependent coordinates from the independent ones.

In a Program of a closed system the symbol q_NAME of a dependent coordinate is a solution; the
component of the input q is only the value from which Newton's method starts, called q0_NAME.
Driven coordinates follow their laws.  Each group of loops is a Newton block of its own; equations
that are linear in their unknowns, or turn one hinge of one loop, are solved at once.

A quaternion of which some velocities depend moves along these alone: its start carries what is
independent, and it is made a unit quaternion where it is used.

Refs: Docquier2013 sec. 2.2.1, eq. 13; sec. 3.5.1, figs. 9 and 10
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kinetree.engine import ONE, ZERO, Node, Rank, add, atan2, evaluate, sign, sqrt, symbol, symbols
from kinetree.formalism.links.motion import AxisMotion, FreeMotion
from kinetree.formalism.links.rates import rate_matrix
from kinetree.formalism.links.vectors import inner as product
from kinetree.formalism.loops.constraints import equations
from kinetree.formalism.loops.drives import drive_motions
from kinetree.formalism.loops.groups import Group, groups
from kinetree.formalism.loops.rounding import (
    Rounding,
    geometric,
    loop_size,
    moved_coordinates,
    power,
)
from kinetree.model import Along, Angle, Coincide, Distance
from kinetree.program import Assign, Note, Scheme
from kinetree.program.inline import inline
from kinetree.program.newton import TOLERANCE, write_newton

MARGIN = 64
"""Allowed residual of a loop equation, in units of eps times the length of the loop.

With more, runs that pass singular positions leave them on another branch.
"""
TINY = 1e-30
"""What makes a slope of zero positive and changes no other."""

if TYPE_CHECKING:
    from kinetree.formalism.links.linkage import Linkage
    from kinetree.formalism.loops.conditions import Row


@dataclass(frozen=True)
class Choice:
    """Which equations are solved for which velocities; names are those of velocities.

    Attributes:
        equations: labels of independent equations between positions.
        rates: labels of independent equations between velocities.
        dependent: what the equations between positions are solved for.
        rolling: what those between velocities are solved for.
        uses: label -> the velocities that change the equation.
    """

    equations: tuple[str, ...]
    rates: tuple[str, ...]
    dependent: tuple[str, ...]
    rolling: tuple[str, ...]
    uses: Mapping[str, frozenset[str]]

    def position_groups(self, moved: Mapping[str, tuple[int, ...]]) -> list[Group]:
        """Groups of equations between positions, in order of solution.

        Args:
            moved: velocity -> the coordinates it changes; velocities that change the same ones,
                those of a quaternion, are solved for together.
        """
        bundle = {v: {w for w in self.dependent if moved[w] == moved[v]} for v in self.dependent}
        uses = {
            label: {w for v in self.uses[label] for w in bundle.get(v, ())}
            for label in self.equations
        }
        return groups(uses, self.dependent)

    def velocity_groups(self) -> list[Group]:
        """Groups of all equations, in order of solution."""
        labels = (*self.equations, *self.rates)
        return groups(
            {label: self.uses[label] for label in labels}, (*self.dependent, *self.rolling)
        )


def start_symbol(coordinate: str) -> Node:
    """Where Newton's method starts for a dependent coordinate."""
    return symbol(f"q0_{coordinate}", Rank.COORDINATE)


def solved_coordinates(system: Linkage, choice: Choice) -> set[str]:
    """Names of the coordinates that equations or drives determine."""
    moved = moved_coordinates(system)
    names = list(system.model.coordinates)
    found = {names[k] for v in choice.dependent for k in moved[v]}
    return found | set(drive_motions(system))


def close_positions(scheme: Scheme, system: Linkage, choice: Choice) -> None:
    """Define the symbols q_NAME of all driven and dependent coordinates."""
    drive_positions(scheme, system)
    found = choice.position_groups(moved_coordinates(system))
    rounding = Rounding(scheme)
    loops = [Loop(system, group, rounding) for group in found]
    unsolved = {s: x for loop in loops for s, x in loop.starts().items()}
    for loop in loops:
        for s in loop.starts():
            del unsolved[s]
        loop.write(unsolved)


def drive_positions(scheme: Scheme, system: Linkage) -> None:
    """Define the symbols q_NAME of all driven coordinates that have a law."""
    names = list(system.model.coordinates)
    for name, (q, _, _) in drive_motions(system).items():
        note = Note(name, "driven coordinate", section="drives")
        scheme.define(Assign(system.q[names.index(name)], q, note))


class Loop:
    """One group of loops being written.

    Attributes:
        coordinates: numbers of those that it is solved for.
    """

    def __init__(self, system: Linkage, group: Group, rounding: Rounding) -> None:
        self.outer, self.rounding = rounding.scheme, rounding
        self.system, self.group = system, group
        moved = moved_coordinates(system)
        self.velocities = [system.model.velocities.index(name) for name in group.unknowns]
        at = [k for name in group.unknowns for k in moved[name]]
        self.coordinates = list(dict.fromkeys(at))
        motions = [link.motion for link in system.links[1:]]
        self.free = [
            motion
            for motion in motions
            if isinstance(motion, FreeMotion) and not set(motion.dofs).isdisjoint(self.velocities)
        ]
        names = system.model.coordinates
        self.start = [start_symbol(names[k]) for k in self.coordinates]
        closures = dict.fromkeys(label.partition(".")[0] for label in group.rows)
        self.note = Note(
            ", ".join(closures), "loop closure", "Docquier2013 eq. (13)", section="closures"
        )
        self.closures = set(closures)

    def starts(self) -> dict[Node, Node]:
        """Coordinate of the group -> where it starts."""
        q = (self.system.q[k] for k in self.coordinates)
        return dict(zip(q, self.start, strict=True))

    def write(self, unsolved: Mapping[Node, Node], *, nearest: bool = False) -> None:
        """Solve for the coordinates of the group.

        Args:
            unsolved: coordinates of later groups, with their starts.  No value of the equations
                depends on them, but how they are written may: the starts stand in.
            nearest: for fewer equations than velocities: take the solution nearest to the start.
        """
        inner = Scheme("step", self.outer.input_names())
        unknowns = self._unknowns(inner)
        square = len(self.group.rows) == len(unknowns) and not self.free
        harmonic = square and self._is_harmonic()
        found = equations(inner, self.system, self.closures, rates=harmonic)
        at = {row.label: row for row in found}
        rows = [at[label] for label in self.group.rows]
        J = [[row.J.get(k, ZERO) for k in self.velocities] for row in rows]
        h = [row.h for row in rows]
        if square and not _moving(inner, unknowns).intersection(symbols(_flat(J))):
            self._linear(inner, unknowns, h, J, unsolved)
            return
        if harmonic:
            self._harmonic(inner, rows[0], unsolved)
            return
        D = self._directions(inner) if self.free or nearest else None
        if D is not None and nearest:
            D = [[product(row, a) for a in J] for row in D]  # N Jᵀ
            J = [[product(a, b) for b in J] for a in J]
        pairs = list(zip(unknowns, self.start, strict=True))
        rows_of = list(zip(h, J, strict=True))
        write_newton(
            self.outer, inner, pairs, rows_of, D,
            values=unsolved, tested=self._test(inner, rows),
            tolerance=self._tolerance(), symmetric=nearest, note=self.note,
        )  # fmt: skip
        self._normalise(self.outer)

    def _unknowns(self, inner: Scheme) -> list[Node]:
        """Symbols of the unknowns; components of a quaternion have any length."""
        q = [self.system.q[k] for k in self.coordinates]
        turning = {e for motion in self.free for e in motion.e}
        self._normalise(inner)
        return [_long(s) if s in turning else s for s in q]

    def _normalise(self, scheme: Scheme) -> None:
        note = Note(self.note.body, "unit quaternion", section="closures")
        for motion in self.free:
            scale = 1 / _length(scheme, motion)
            for e in motion.e:
                scheme.define(Assign(e, _long(e) * scale, note))

    def _directions(self, inner: Scheme) -> list[list[Node]]:
        """Change of every unknown by a unit of every dependent velocity of the group."""
        N = rate_matrix(self.system) or _unit(self.system.nv)
        lengths = {e: _length(inner, motion) for motion in self.free for e in motion.e}
        return [
            [lengths.get(self.system.q[i], ONE) * N[i][k] for k in self.velocities]
            for i in self.coordinates
        ]

    def _linear(
        self,
        inner: Scheme,
        unknowns: Sequence[Node],
        h: list[Node],
        J: list[list[Node]],
        unsolved: Mapping[Node, Node],
    ) -> None:
        """v = -J⁻¹ h(v = 0), where J does not depend on v."""
        inner.output("h", h)
        inner.output("J", _flat(J), (len(h), len(h)))
        found = inline(self.outer, inner.program(), {**unsolved, **dict.fromkeys(unknowns, ZERO)})
        n = len(h)
        A = [list(found["J"][i * n : (i + 1) * n]) for i in range(n)]
        rhs = [[-x] for x in found["h"]]
        stem = f"{unknowns[0].name}_s"
        X = self.outer.solve(stem, A, rhs, symmetric=False, note=self.note)
        for s, (x,) in zip(unknowns, X, strict=True):
            self.outer.define(Assign(s, x, self.note))

    def _test(self, inner: Scheme, rows: Sequence[Row]) -> list[Node]:
        """The residuals without those that are no more than rounding."""
        named = [inner.let("h", row.h) for row in rows]
        pairs = zip(rows, named, strict=True)
        return [self.rounding.above(inner, self.system, row, h) for row, h in pairs]

    def _tolerance(self) -> float:
        """What rounding leaves of the equations, with a margin; a law of the user has its own."""
        closures = [self.system.model.closures[name] for name in sorted(self.closures)]
        if not all(map(geometric, closures)):
            return TOLERANCE
        sizes = [loop_size(self.system, closure) for closure in closures]
        size = float(max(evaluate(sizes, self.system.table.numbers())))
        return MARGIN * float(np.finfo(float).eps) * size ** max(map(power, closures))

    def _is_harmonic(self) -> bool:
        """Whether h = A cos v + B sin v + C: one hinge turns one branch of one loop."""
        if len(self.group.rows) != 1:
            return False
        name, _, component = self.group.rows[0].partition(".")
        conditions = self.system.model.closures[name].conditions
        condition = next(c for c in conditions if c.label == component)
        moved = [link.motion for link in self.system.links[1:]
                 if self.velocities[0] in link.motion.dofs]  # fmt: skip
        (q,) = self.starts()
        hinged = [m for m in moved if isinstance(m, AxisMotion) and m.turns and m.slide is ZERO]
        alone = len(hinged) == len(moved) == 1 and hinged[0].q is q
        return alone and isinstance(condition, Coincide | Along | Angle | Distance)

    def _harmonic(self, inner: Scheme, row: Row, unsolved: Mapping[Node, Node]) -> None:
        """The root of A cos v + B sin v + C = 0 nearest to the start v₀, without iteration.

        At v₀, h = a + C, dh/dv = b and d²h/dv² = -a.  With D² = a² + b² - C², D with the sign of b,
        the root is v₀ + atan2(-b C - a D, b D - a C).  No real D: the loop cannot close, and the
        value is NaN.  At b = 0, halfway between two roots, either is as near.
        """
        ((q, start),) = self.starts().items()
        (k,) = self.velocities
        for name, x in (("h", row.h), ("b", row.J[k]), ("hvv", row.Jdqd)):
            inner.output(name, [x])
        rates = dict.fromkeys(self.system.qd, ZERO) | {self.system.qd[k]: ONE}
        found = inline(self.outer, inner.program(), {**unsolved, **rates, q: start})
        (h,), (b,), (hvv,) = (found[name] for name in ("h", "b", "hvv"))
        a, C = -hvv, self.outer.let(f"{q.name}_C", h + hvv, self.note)
        D2 = self.outer.let(f"{q.name}_D2", a * a + b * b - C * C, self.note)
        D = self.outer.let(f"{q.name}_D", sign(b + TINY) * sqrt(D2), self.note)
        turn = atan2(-(b * C + a * D), b * D - a * C)
        self.outer.define(Assign(q, start + turn, self.note))


def _long(e: Node) -> Node:
    """The component of a quaternion of any length that belongs to a unit one."""
    return symbol(f"{e.name}_long", Rank.COORDINATE)


def _length(scheme: Scheme, motion: FreeMotion) -> Node:
    square = scheme.let(f"{motion.e[0].name}_square", add(*[_long(e) ** 2 for e in motion.e]))
    return sqrt(square)


def _moving(inner: Scheme, unknowns: Sequence[Node]) -> set[Node]:
    """The unknowns, and all names whose values depend on them."""
    moving = set(unknowns)
    for block in inner.assignments():
        if not moving.isdisjoint(symbols([block.expr])):
            moving.add(block.target)
    return moving


def _unit(n: int) -> list[list[Node]]:
    return [[ONE if i == j else ZERO for j in range(n)] for i in range(n)]


def _flat(rows: Sequence[Sequence[Node]]) -> list[Node]:
    return [x for row in rows for x in row]
