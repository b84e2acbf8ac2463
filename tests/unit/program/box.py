"""Boxed complementarity as a Program of one pivot, for tests of the least-index rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kinetree.engine import ONE, ZERO, Node, Rank, add, call, mul, select, symbol
from kinetree.program import Input, Note, Program, Scheme
from kinetree.program.complementarity import HALF, change_least_index, choose_by_sign
from kinetree.program.passes import condense

if TYPE_CHECKING:
    from collections.abc import Sequence

SLACK = 1e-11
"""Share of the terms of a sum by which it may violate its condition."""


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
