"""Equations of natural coordinates as rows: value, Jacobian and what its rates need.

A scalar product of two combinations a = Σ c V, b = Σ d V has

    h = a·b,   ∂h/∂V = c b + d a,   hdot = ȧ·b + a·ḃ,   hddot at V̈ = 0: ä·b + 2 ȧ·ḃ + a·b̈

and everything else is a law of such products (`formalism.laws`).

Refs: GarciaDeJalon1994; Docquier2013 sec. 2.2, eqs. 7 to 9
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kinetree.engine import ONE, ZERO, Node, Rank, linear, mul, symbol, symbols
from kinetree.errors import UnsupportedError
from kinetree.formalism.links.motion import AxisMotion, FreeMotion
from kinetree.formalism.links.vectors import Vec, dot
from kinetree.formalism.loops.conditions import Row
from kinetree.formalism.loops.laws import Atoms, law
from kinetree.formalism.natural.constraints import Measured, ProductConstraint, Tie, ZeroComponent

if TYPE_CHECKING:
    from kinetree.formalism.natural.combinations import Sum
    from kinetree.formalism.natural.coordinates import NaturalSpace
    from kinetree.program import Scheme


class RowWriter:
    """Rows being written into a scheme."""

    def __init__(self, scheme: Scheme, space: NaturalSpace) -> None:
        self.scheme, self.space = scheme, space
        self._atoms: Atoms = {}

    def name_vector(self, stem: str, v: Vec) -> Vec:
        """A vector with its components named."""
        return self.scheme.vector(stem, v)

    def row(self, tie: Tie) -> Row:
        """The row of an equation."""
        if isinstance(tie, ProductConstraint):
            found = self.product(tie.a, tie.b, tie.factor)
            value = mul(tie.factor, tie.value)
            found = replace(found, h=found.h - value)
        elif isinstance(tie, ZeroComponent):
            found = self.component(tie.of, tie.k)
        else:
            found = self.measure_row(tie)
        return replace(found, label=tie.label)

    def product(self, a: Sum, b: Sum, factor: Node = ONE) -> Row:
        """factor·(a·b)."""
        va, vb = self.name_vector("a", a.value), self.name_vector("b", b.value)
        ra, rb = self.name_vector("ad", a.rate), self.name_vector("bd", b.rate)
        h = factor * dot(va, vb)
        rate = factor * (dot(ra, vb) + dot(va, rb))
        bias = factor * (dot(a.bias, vb) + 2 * dot(ra, rb) + dot(va, b.bias))
        ht = factor * (dot(a.drift, vb) + dot(va, b.drift))
        J: dict[int, Node] = {}
        for one, other in ((a, vb), (b, va)):
            for v, c in one.moving.items():
                for k, x in enumerate(other):
                    J[v.at + k] = J.get(v.at + k, ZERO) + factor * c[0] * x
        return Row(h, _full(J), bias, ht, rate)

    def component(self, of: Sum, k: int) -> Row:
        """One ground component."""
        J = {v.at + k: c[0] for v, c in of.moving.items()}
        return Row(of.value[k], _full(J), of.bias[k], of.drift[k], of.rate[k])

    def measure_row(self, tie: Measured) -> Row:
        """A law of products and coordinates."""
        atoms: Atoms = {}
        for number, pair in enumerate(tie.pairs):
            atoms[symbol(f"measure_{number}", Rank.LOCAL)] = self.product(*pair)
        expr = tie.law(*atoms)
        return self.law(expr, atoms)

    def law(self, expr: Node, atoms: Atoms) -> Row:
        """A law of given quantities and of coordinates of the model."""
        spoken = set(symbols([expr]))
        wanted = {q: self.coordinate(q) for q in self.space.system.q if q in spoken}
        found = law(expr, {**wanted, **atoms})
        return replace(found, J=_full(found.J), pushes=())

    def coordinate(self, q: Node) -> Row:
        """A coordinate of the model as a row."""
        if q not in self._atoms:
            self._atoms[q] = self._coordinate(q)
        return self._atoms[q]

    def _coordinate(self, q: Node) -> Row:
        space = self.space
        name = space.system.model.coordinates[space.system.q.index(q)]
        if name in space.laws:
            value, rate, second = space.laws[name]
            return Row(value, {}, second, rate, rate)
        if name in space.angles:
            at = space.angles[name]
            return Row(space.q[at], {at: ONE}, ZERO, rate=space.qd[at])
        frame, motion = space.owner(q)
        d = frame.origin.minus(frame.parent.point(frame.link.r))
        if isinstance(motion, AxisMotion):
            along = frame.parent.direction(frame.link.R0[:, motion.k])
            return self.product(along, d, motion.slide)
        assert isinstance(motion, FreeMotion)
        along = frame.parent.direction(frame.link.R0[:, motion.p.index(q)])
        return self.product(along, d)

    def velocity(self, at: int, element: str) -> Row:
        """A velocity of the model as a row: h = 0, rate and how it depends on rates."""
        space = self.space
        model = space.system.model
        name = model.velocities[at]
        if name in model.coordinates:
            return self.coordinate(space.system.q[model.coordinates.index(name)])
        frame = space.mover(at)
        motion = frame.link.motion
        assert isinstance(motion, FreeMotion)
        k = motion.dofs.index(at)
        if k < 3:
            return self._turning(motion, k)
        if not frame.parent.grounded:
            raise UnsupportedError(
                f"its law speaks of '{name}', a velocity of a link that floats beside a moving one",
                element=element,
                cure="choose the formulation hybrid",
            )
        e, d = frame.axis(k - 3), frame.origin.minus(frame.parent.point(frame.link.r))
        u = self.name_vector("u", e.value)
        J = {v.at + i: c[0] * u[i] for v, c in d.moving.items() for i in range(3)}
        bias = dot(e.rate, d.rate) + dot(u, d.bias)
        return Row(ZERO, _full(J), bias, dot(u, d.drift), dot(u, d.rate))

    def _turning(self, motion: FreeMotion, k: int) -> Row:
        """ω = 2 (w v̇ - ẇ v - v×v̇) of the quaternion (w, v); its second rate is free of v̇ ẇ."""
        names = dict(zip(self.space.system.q, self.space.system.model.coordinates, strict=True))
        at = [self.space.angles[names[e]] for e in motion.e]
        w, v = motion.e[0], motion.e[1:]
        i, j = (k + 1) % 3, (k + 2) % 3
        J = {at[k + 1]: 2 * w, at[0]: -2 * v[k], at[j + 1]: -2 * v[i], at[i + 1]: 2 * v[j]}
        rate = linear(0, tuple((x * self.space.qd[n], 1) for n, x in J.items()))
        return Row(ZERO, J, ZERO, rate=rate)


def _full(J: dict[int, Node]) -> dict[int, Node]:
    return {k: x for k, x in J.items() if x is not ZERO}
