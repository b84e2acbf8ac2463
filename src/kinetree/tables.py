"""Tables: look-up by a piecewise cubic that keeps the shape of its data.

Between two knots stands the cubic with the values and slopes of both; beyond the first and the last
knot the straight line with the slope there.  Value and first derivative are continuous.  A table
and an order of derivative make an operator of the engine, which takes one argument.

Refs: Fritsch1980; Fritsch1984
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from math import perm
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kinetree.arguments import check_arguments
from kinetree.arrays import Array
from kinetree.door import guard_methods
from kinetree.errors import ExpressionError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

CUBIC = 3
"""Highest order of derivative that is not zero everywhere."""


@guard_methods
@dataclass(frozen=True, slots=True)
class Table:
    """Values and slopes over knots; tables of equal content and name are equal.

    Attributes:
        knots: arguments at which the values are given, increasing.
        values: one per knot.
        slopes: derivative at each knot.
        name: letters, digits and underscores; what expressions call it by, after "table_".
        digest: of name and content.
    """

    knots: tuple[float, ...] = field(compare=False)
    values: tuple[float, ...] = field(compare=False)
    slopes: tuple[float, ...] = field(compare=False)
    name: str = field(default="", compare=False)
    digest: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not re.fullmatch(r"\w*", self.name):
            raise ExpressionError(
                f"a table cannot be called {self.name!r}",
                cure="use letters, digits and underscores",
            )
        rows = _check(self.name, self.knots, self.values, self.slopes)
        for attribute, row in zip(("knots", "values", "slopes"), rows, strict=True):
            object.__setattr__(self, attribute, tuple(row.tolist()))
        content = sha256(np.concatenate(rows).tobytes() + self.name.encode()).hexdigest()
        object.__setattr__(self, "digest", content[:16])
        object.__setattr__(self, "name", self.name or content[:8])
        with np.errstate(all="ignore"):
            if not np.isfinite(pieces(self)).all():
                raise _refusal(self.name, "it rises too steeply for double precision")

    @classmethod
    def monotone(cls, knots: ArrayLike, values: ArrayLike, name: str = "") -> Table:
        """The table through data: it rises where they rise and falls where they fall.

        Args:
            knots: at least two arguments, increasing.
            values: one per knot.
            name: what expressions call it by; made of its content where none is given.

        Raises:
            ExpressionError: where the data are no table.
        """
        check_arguments(Table.monotone, {"name": name})
        x, y = _check(name, knots, values)
        with np.errstate(all="ignore"):
            slopes = _monotone_slopes(np.diff(x), np.diff(y))
        return cls(tuple(x.tolist()), tuple(y.tolist()), tuple(slopes.tolist()), name)


def _check(name: str, *given: ArrayLike) -> list[Array]:
    """Knots and what belongs to them as arrays, if they make a table."""
    try:
        rows = [np.asarray(row, dtype=float) for row in given]
    except (TypeError, ValueError):
        raise _refusal(name, "it holds something that is not a number") from None
    if any(row.ndim != 1 for row in rows) or len({row.size for row in rows}) > 1:
        sizes = ", ".join(str(row.shape) for row in rows)
        raise _refusal(name, f"its rows have shapes {sizes}, but each knot has one value")
    if rows[0].size < 2:
        raise _refusal(name, f"it has {rows[0].size} knot(s), but needs at least 2")
    if not all(np.isfinite(row).all() for row in rows):
        raise _refusal(name, "a knot, a value or a slope is not finite")
    wrong = np.flatnonzero(np.diff(rows[0]) <= 0)
    if wrong.size:
        k = int(wrong[0])
        raise _refusal(name, f"its knots do not increase from {rows[0][k]} to {rows[0][k + 1]}")
    return rows


def _refusal(name: str, problem: str) -> ExpressionError:
    element = f"table '{name}'" if name else "table"
    return ExpressionError(problem, element=element, cure="correct its knots and values")


def _monotone_slopes(h: Array, dy: Array) -> Array:
    """Slopes at the knots, from lengths of intervals and rises over them.

    Inside, the harmonic mean of the slopes on both sides, weighted by the lengths, and 0 where the
    data turn (Fritsch1984); at the ends the parabola through three points, limited so that it
    neither turns nor rises more than three times the data.
    """
    rise = dy / h
    if rise.size == 1:
        return np.repeat(rise, 2)
    before, after = 2 * h[1:] + h[:-1], h[1:] + 2 * h[:-1]
    mean = (before + after) / (before / rise[:-1] + after / rise[1:])
    inner = np.where(np.sign(rise[:-1]) * np.sign(rise[1:]) > 0, mean, 0.0)
    ends = _end(h[0], h[1], rise[0], rise[1]), _end(h[-1], h[-2], rise[-1], rise[-2])
    return np.array([ends[0], *inner, ends[1]])


def _end(h: float, further: float, rise: float, next_rise: float) -> float:
    """Slope at an end: of the outermost interval h, and of the one further in."""
    slope = ((2 * h + further) * rise - h * next_rise) / (h + further)
    if np.sign(slope) != np.sign(rise):
        return 0.0
    turns = np.sign(rise) != np.sign(next_rise)
    return 3.0 * rise if turns and abs(slope) > 3 * abs(rise) else slope


@lru_cache(maxsize=256)
def pieces(table: Table) -> Array:
    """One row (start, c0, c1, c2, c3) per piece: c0 + c1 d + c2 d² + c3 d³ with d = x - start.

    The first and the last piece are the straight lines beyond the ends, so piece k holds from
    knot k - 1 to knot k.
    """
    x, y, m = (np.array(row) for row in (table.knots, table.values, table.slopes))
    h = np.diff(x)
    rise = np.diff(y) / h
    bend = (m[:-1] + m[1:] - 2 * rise) / h
    rows = np.zeros((x.size + 1, 5))
    rows[0, :3] = x[0], y[0], m[0]
    rows[1:-1] = np.stack([x[:-1], y[:-1], m[:-1], (rise - m[:-1]) / h - bend, bend / h], axis=1)
    rows[-1, :3] = x[-1], y[-1], m[-1]
    rows.flags.writeable = False
    return rows


def weights(order: int) -> tuple[float, ...]:
    """Factors of the coefficients from c_order on in that derivative of a cubic."""
    return tuple(float(perm(j, order)) for j in range(order, CUBIC + 1))


def look_up(table: Table, x: Any, order: int = 0) -> Any:
    """That derivative of the table at x, an array or a number; the real part chooses the piece."""
    if order > CUBIC:
        return 0.0 * x
    at = np.searchsorted(np.array(table.knots), np.real(x), side="right")
    start, *coefs = np.moveaxis(pieces(table)[at], -1, 0)
    d = x - start
    terms = [weight * coef for coef, weight in zip(coefs[order:], weights(order), strict=True)]
    total: Any = terms[-1]
    for term in reversed(terms[:-1]):
        total = total * d + term
    return total


class Lookup(NamedTuple):
    """What the operator of a table stands for."""

    table: Table
    order: int


def is_zero(table: Table, order: int) -> bool:
    """Whether that derivative of the table is zero everywhere."""
    return not pieces(table)[:, 1 + order :].any()
