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

from kinetree.engine import ZERO, Node, call, number, select
from kinetree.program.program import Note
from kinetree.program.scheme import Scheme

HALF = number(0.5)


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
