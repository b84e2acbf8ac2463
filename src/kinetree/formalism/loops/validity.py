"""Whether what was decided for the model's own parameters still holds for those given.

An equation of a closure that no coordinate changes is left out; one that repeats others is not
solved.  Both are so for the model's own lengths, in the configuration at hand, and may be otherwise
for other lengths or on another branch.  They are therefore tested: with r such an equation, R the
motions that the solved equations leave, and x the velocities that they make by themselves,

    |h_r| ≤ CLOSED S,   |J_r R| ≤ ALIKE S,   |J_r x + ht_r| ≤ ALIKE S (1 + |x|)

and equations that hold coordinates still are tested to be independent (`regular`).

S is one plus the lengths along the loop, squared for a distance; CLOSED and ALIKE are widened for
numbers of single precision.  Where a test fails the outputs are NaN.  Tests of parameters alone
stand in the preamble: they cost nothing per evaluation.

Refs: own
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kinetree.engine import (
    ONE,
    ZERO,
    Node,
    Rank,
    add,
    call,
    linear,
    log,
    mul,
    number,
    scale,
    sign,
    sqrt,
    symbol,
)
from kinetree.formalism.loops.coupling import Coupling, still
from kinetree.formalism.loops.rounding import Rounding, loop_size, power
from kinetree.program import Assign, Note, Scheme

if TYPE_CHECKING:
    from kinetree.formalism.links.linkage import Linkage
    from kinetree.formalism.loops.conditions import Row
    from kinetree.formalism.loops.positions import Choice

CLOSED = 1e-9
"""An equation that is not solved may be violated by this, times the size of its loop [m or 1]."""
ALIKE = 1e-7
"""Share by which the Jacobian of such an equation may deviate from what the others make of it."""
ROUNDINGS = 512
"""Roundings of one size that these tests bear."""
GENERAL = 0.6180339887498949
"""Multiples of this number make no simple ratios."""
LOST = Note(step="no number where equations that are not solved do not hold")


@dataclass
class Validity:
    """Tests of equations that are not solved, being collected.

    Attributes:
        scheme: where they are written.
        system: the links.
        terms: of a sum that is below 1 where all hold.
        rounding: of the numbers that the Program is evaluated in.
    """

    scheme: Scheme
    system: Linkage
    terms: list[Node] = field(default_factory=list)
    rounding: Rounding = field(init=False)

    def __post_init__(self) -> None:
        self.rounding = Rounding(self.scheme)

    @property
    def closing(self) -> float:
        """What may be left open of an equation, over the size of its loop [m or 1].

        Where data are rounded, a motion may add to the gap that the model allows.
        """
        return max(CLOSED, 10 * self.system.model.loop_tolerance)

    def check_closed(self, row: Row) -> None:
        """Test that an equation between positions holds."""
        self._test(row, row.h, self.closing)

    def check_coupled(self, row: Row, coupling: Coupling, given: Mapping[int, Node]) -> None:
        """Test that the velocities which the solved equations allow obey another one.

        Args:
            row: the other equation.
            coupling: how dependent velocities follow from independent ones.
            given: velocities where the independent ones rest: dependent and driven.
        """
        B, J = coupling.B, row.J
        for u in coupling.independent:
            terms = [(mul(J[v], B[v][u]), 1) for v in B if v in J and u in B[v]]
            self._alike(row, linear(0, ((J.get(u, ZERO), 1), *terms)))
        moved = {k: x for k, x in given.items() if k in J}
        terms = [(mul(J[k], x), 1) for k, x in moved.items()]
        self._alike(row, linear(0, ((row.ht, 1), *terms)), _sizes(moved.values()))

    def regular(self, rows: Mapping[str, Row], choice: Choice) -> None:
        """Test that equations which hold their coordinates still do so, whatever the others do.

        Where parameters make them repeat each other, the solution of J_v x = w is huge for a w
        that is none of their sums.

        Args:
            rows: label -> equation.
            choice: which equations are solved for which velocities.
        """
        names = self.system.model.velocities
        for n, (lines, unknowns) in enumerate(still(rows, choice.velocity_groups(), names)):
            J = [[row.J.get(k, ZERO) for k in unknowns] for row in lines]
            w = [[number(1 / (1 + GENERAL * k))] for k in range(len(lines))]
            note = Note(step="whether the equations are independent")
            for (x,) in self.scheme.solve(f"still{n}", J, w, symmetric=False, note=note):
                self.terms.append((ALIKE * x) ** 2)

    def check_repeated(
        self,
        row: Row,
        solved: Sequence[tuple[Row, Node]],
        free: Sequence[int],
        given: Mapping[int, Node],
    ) -> None:
        """Test that an equation is the sum of solved ones, which may be violated themselves.

        At a distance h from the loops, sums of equations that repeat others deviate by h², those
        of their Jacobians by h.

        Args:
            row: the equation.
            solved: the solved ones, each with its share.
            free: numbers of the velocities that are not driven.
            given: the driven ones.
        """
        away = [c.h for c, _ in solved if c.holonomic]
        near = add(ONE, *[scale(10 / CLOSED, h * h) for h in away])
        beside = add(ONE, *[scale(10 / ALIKE, call("abs", h)) for h in away])
        h = linear(0, ((row.h, 1), *[(mul(share, c.h), -1) for c, share in solved]))
        self._test(row, h, self.closing, near)
        for k in free:
            terms = [(mul(share, c.J[k]), -1) for c, share in solved if k in c.J]
            self._alike(row, linear(0, ((row.J.get(k, ZERO), 1), *terms)), beside)
        own, *others = (
            linear(0, ((c.ht, 1), *[(mul(c.J[k], x), 1) for k, x in given.items() if k in c.J]))
            for c in (row, *[c for c, _ in solved])
        )
        terms = [(mul(share, e), -1) for e, (_, share) in zip(others, solved, strict=True)]
        self._alike(row, linear(0, ((own, 1), *terms)), beside * _sizes(given.values()))

    def _alike(self, row: Row, value: Node, size: Node = ONE) -> None:
        """Test that a part of J, or of a rate, of an equation is 0 beside a size."""
        self._test(row, value, max(ALIKE, self.closing), size)

    def _test(self, row: Row, value: Node, allowed: float, size: Node = ONE) -> None:
        if value.is_number and abs(float(value.value)) <= allowed:
            return
        closure = self.system.model.closures[row.label.partition(".")[0]]
        length = loop_size(self.system, closure)
        value = self.scheme.let(f"{closure.name}_open", value)
        some = allowed + ROUNDINGS * self.rounding.unit
        length = length ** power(closure)
        allowance = self.scheme.let(f"{closure.name}_allowed", some * length * size)
        self.terms.append((value / allowance) ** 2)

    def gap(self) -> Node | None:
        """0 where all tests hold, NaN where one fails; none where there is nothing to test."""
        if not self.terms:
            return None
        return self._define("gap", log(sign(1 - add(*self.terms))))  # log(-1) has no value

    def guard(self) -> None:
        """Make the outputs NaN where a test fails."""
        if self.terms:
            self.scheme.guard(valid(self.scheme, self.terms))

    def _define(self, name: str, expr: Node, note: Note = LOST) -> Node:
        return _define(self.scheme, name, expr, note)


def valid(scheme: Scheme, terms: Sequence[Node]) -> Node:
    """1 where the sum of terms is below 1, elsewhere NaN."""
    return _define(scheme, "valid", sqrt(2 * sign(1 - add(*terms)) - 1))  # 1, root of -1 or -3


def _define(scheme: Scheme, name: str, expr: Node, note: Note = LOST) -> Node:
    """A name that the engine does not see through."""
    found = symbol(scheme.fresh(name), Rank.LOCAL)
    scheme.define(Assign(found, expr, note))
    return found


def _sizes(values: Iterable[Node]) -> Node:
    """One plus the sum of the absolute values."""
    return add(ONE, *[call("abs", x) for x in values])


def unsolved_rows(rows: Iterable[Row], choice: Choice) -> list[Row]:
    """The equations that are not among those solved."""
    solved = {*choice.equations, *choice.rates}
    return [row for row in rows if row.label not in solved]
