"""Boxed complementarity by principal pivoting: one pivot is a Program, repeated until it settles.

Forces f within bounds, and what they hold back, w = A f + b:

| mode | force | condition | in the words of dry friction |
|---|---|---|---|
| -1 | f = lower | w ≥ 0 | slides forward |
| 0 | lower ≤ f ≤ upper | w = 0 | sticks |
| 1 | f = upper | w ≤ 0 | slides backward |

In given modes forces and motions follow from linear equations.  Of all rows whose condition is
violated the one of least index changes its mode: from 0 to the bound that its force passed, from a
bound to 0.  For a P-matrix A (all principal minors positive, as of any mass matrix and its inverse)
this ends after finitely many pivots, degenerate or not, in the only solution:

    By induction over the rows.  With the mode of the last row held, the others are a problem of the
    same kind and settle.  Let t be the last force and w(t) what it holds back once they have: for a
    P-matrix w(t) increases.  If the last row stands at its lower bound with w < 0, the root t₀ of w
    lies above; mode 0 takes it there, and if t₀ passes the upper bound, mode 1 is next, where
    w(upper) < w(t₀) = 0 is as it should be.  The same from above: the last row changes its mode
    twice at most, so n rows settle within 3ⁿ pivots.

Ties are no harm: a force on its bound and a motion at zero violate nothing.  Violations must exceed
a slack, so that rounding cannot make two modes follow each other for ever.

Refs: Murty1974 (least index); bounds and the proof above are an own derivation
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kinetree.engine import ONE, ZERO, Node, Rank, add, call, mul, number, select, symbol
from kinetree.program.passes import condense
from kinetree.program.program import Input, Note, Program
from kinetree.program.scheme import Scheme

SLACK = 1e-11
"""Share of the terms of a sum by which it may violate its condition."""
HALF = number(0.5)


@dataclass(frozen=True)
class BoxRow:
    """One force with its bounds, in its present mode.

    Attributes:
        mode: -1, 0 or 1.
        force: f, whatever its mode.
        motion: w, what the force holds back.
        lower, upper: bounds of the force.
        force_slack, motion_slack: violations below these are none.
    """

    mode: Node
    force: Node
    motion: Node
    lower: Node
    upper: Node
    force_slack: Node = ZERO
    motion_slack: Node = ZERO

    def next_mode(self) -> Node:
        """The mode that the row asks for, given those of the others."""
        from_lower = select(-self.motion - self.motion_slack, 0, self.mode)
        from_upper = select(self.motion - self.motion_slack, 0, self.mode)
        below = select(self.lower - self.force - self.force_slack, -1, self.mode)
        between = select(self.force - self.upper - self.force_slack, 1, below)
        return choose_by_sign(self.mode, from_lower, between, from_upper)


def choose_by_sign(mode: Node, negative: Node, zero: Node, positive: Node) -> Node:
    """One of three values, by the sign of a whole number."""
    return select(mode - HALF, positive, select(-mode - HALF, negative, zero))


def change_least_index(
    scheme: Scheme, stem: str, modes: Sequence[Node], wanted: Sequence[Node]
) -> tuple[list[Node], Node]:
    """The modes after the first row that asks for another mode has got it.

    Returns:
        The modes, and how many rows asked: 0 where all is settled.
    """
    note = Note(step="least index first", eq="Murty1974")
    done, found = ZERO, []
    for k, (mode, asked) in enumerate(zip(modes, wanted, strict=True), 1):
        new = scheme.let(f"{stem}_asked_{k}", asked, note)
        found.append(select(HALF - done, new, mode))
        differs = select(call("abs", new - mode) - HALF, 1, 0)
        done = scheme.let(f"{stem}_done_{k}", done + differs, note)
    return found, done


def box_program(n: int, name: str = "box") -> Program:
    """One pivot of a problem with n rows.

    Inputs A (n×n), b, lower, upper and modes; outputs modes (after the pivot), f and w (before it),
    and open: how many rows violate their condition.
    """
    scheme = Scheme(name)
    A, b, lower, upper, modes = (
        _declare(scheme, *row)
        for row in (("A", n, n), ("b", n), ("lower", n), ("upper", n), ("modes", n))
    )
    rows = [A[n * i : n * i + n] for i in range(n)]
    held = [call("abs", mode) - HALF for mode in modes]
    unit = [[ONE if i == j else ZERO for j in range(n)] for i in range(n)]
    matrix = [
        [select(at, e, x) for e, x in zip(own, row, strict=True)]
        for at, own, row in zip(held, unit, rows, strict=True)
    ]
    rhs = [
        choose_by_sign(mode, low, -x, high)
        for mode, low, x, high in zip(modes, lower, b, upper, strict=True)
    ]
    note = Note(step="forces in the present modes", eq="Murty1974")
    f = [
        row[0] for row in scheme.solve("f", matrix, [[x] for x in rhs], symmetric=False, note=note)
    ]
    terms = [[mul(x, y) for x, y in zip(row, f, strict=True)] for row in rows]
    w = [add(c, *products) for c, products in zip(b, terms, strict=True)]
    largest = scheme.let("largest", add(*[call("abs", x) for x in f]))
    asked = [
        BoxRow(mode, force, motion, low, high, SLACK * largest, SLACK * size).next_mode()
        for mode, force, motion, low, high, size in zip(
            modes, f, w, lower, upper, _sizes(b, terms), strict=True
        )
    ]
    new, still_open = change_least_index(scheme, "pivot", modes, asked)
    for title, nodes in (("modes", new), ("f", f), ("w", w)):
        scheme.output(title, nodes)
    scheme.output("open", (still_open,), ())
    return condense(scheme.program())


def _sizes(b: Sequence[Node], terms: Sequence[Sequence[Node]]) -> list[Node]:
    """Sums of the absolute values of the terms of w."""
    return [
        add(*[call("abs", x) for x in (c, *products)]) for c, products in zip(b, terms, strict=True)
    ]


def _declare(scheme: Scheme, name: str, *shape: int) -> tuple[Node, ...]:
    size = shape[0] if len(shape) == 1 else shape[0] * shape[1]
    symbols = tuple(symbol(f"{name}_{k + 1}", Rank.FORCE) for k in range(size))
    return scheme.input(Input(name, shape, symbols))
