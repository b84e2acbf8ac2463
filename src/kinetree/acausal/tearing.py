"""Stage 9, tearing: of the unknowns of a block, few that the others follow from.

| in | out |
|---|---|
| a block of rows that need each other | torn columns, the others in order, residuals |

A row gives a column explicitly where it is linear in it with a coefficient that cannot vanish: a
number or a product of parameters.  Where no row is left that has one unknown alone, one is torn: it
counts as known from there on.  Which, is tried twice in blocks that are not large: the unknown in
most of the open rows, and the one that most others follow from (of a mechanism written in full
these are its joints); fewer torn ones are better.

Long chains of unknowns that follow from each other may lose all digits: along a grid of resistors
rounding grows sixfold from row to row.  So a torn block is put to the test with the numbers of the
start (`trial`); where it fails, unknowns follow from a few torn ones alone (`NARROW`), and the
linear system is larger and sparse.

Refs: Elmqvist1994
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Any, NamedTuple

from kinetree.acausal.blocks import SolvedTogether
from kinetree.acausal.incidence import Incidence
from kinetree.acausal.trial import keeps_digits
from kinetree.engine import (
    ADD,
    MUL,
    SELECT,
    SYM,
    ZERO,
    Node,
    Rank,
    linear,
    partials,
    substitute,
    symbols,
)

FIXED = int(Rank.PARAMETER)
NARROW = 3
"""Torn unknowns that another one follows from at most, where long chains lose digits."""
LOOKED = 500
"""Unknowns of a block up to which it is tried what follows from each of them."""
MOST_WRITTEN = 20_000
"""Slopes by torn unknowns that are written out at most."""


@dataclass(frozen=True, slots=True)
class RowSlopes:
    """A row as far as it is linear in the unknowns of its block.

    Attributes:
        rest: the row with all unknowns zero, where it is linear; None where it is not.
        by: unknown -> slope.
    """

    rest: Node | None
    by: dict[Node, Node]

    def can_give(self, unknown: Node) -> bool:
        """Whether the row gives an unknown explicitly, whatever the values are."""
        slope = self.by.get(unknown)
        return slope is not None and not _moving(slope)


@dataclass(frozen=True)
class Torn:
    """A block, torn.

    Attributes:
        inner: (row, column) in the order in which the columns follow from the torn ones.
        columns: torn.
        rows: whose residuals the torn columns make zero.
        slopes: row -> its slopes by the unknowns of the block.
        linear: whether all rows are linear in all unknowns of the block.
    """

    inner: tuple[tuple[int, int], ...]
    columns: tuple[int, ...]
    rows: tuple[int, ...]
    slopes: dict[int, RowSlopes]
    linear: bool


def tear(page: Incidence, block: SolvedTogether, values: Mapping[Node, float]) -> Torn:
    """Tear a block.

    Args:
        page: all equations.
        block: rows that need each other.
        values: of all symbols at the start, by which chains of unknowns are judged.
    """
    unknowns = {page.columns[c] for c in block.columns}
    slopes = {row: find_slopes(page.rows[row], unknowns) for row in block.rows}
    linear = all(row.rest is not None for row in slopes.values())
    if len(block.rows) == 1:
        return Torn((), block.columns, block.rows, slopes, linear)
    found: list[Torn] = []
    for looks in (False, True):
        few = found and len(found[0].columns) <= 1
        if looks and (few or len(block.columns) > LOOKED):
            break
        wide = _Tearing(page, block, slopes, TearingWay(looks=looks))
        torn = wide.run(linear=linear)
        if wide.written <= MOST_WRITTEN and keeps_digits(page, torn, values):
            found.append(torn)
    if found:
        return min(found, key=lambda torn: len(torn.columns))
    return _Tearing(page, block, slopes, TearingWay(NARROW)).run(linear=linear)


class TearingWay(NamedTuple):
    """How a block is torn.

    Attributes:
        width: torn unknowns that another one follows from at most; none where any number will do.
        looks: whether the unknown is torn that most others follow from; else the most used one.
    """

    width: int | None = None
    looks: bool = False


class _Tearing:
    """A block being torn: rows by the number of their open unknowns.

    Attributes:
        way: how it is torn.
        needs: unknown -> the torn ones that it follows from.
        written: slopes of the unknowns that follow, by the torn ones.
    """

    def __init__(
        self,
        page: Incidence,
        block: SolvedTogether,
        slopes: dict[int, RowSlopes],
        way: TearingWay,
    ) -> None:
        self.slopes, self.way, self.written = slopes, way, 0
        self.needs: dict[int, frozenset[int]] = {}
        self.column_of = {page.columns[c]: c for c in block.columns}
        own = self.column_of
        self.node = {c: node for node, c in own.items()}
        self.open = {row: {own[s] for s in slopes[row].by} for row in block.rows}
        self.users: dict[int, list[int]] = {c: [] for c in block.columns}
        for row, columns in self.open.items():
            for column in columns:
                self.users[column].append(row)
        self.ready = [row for row in block.rows if len(self.open[row]) == 1]
        heapify(self.ready)
        counts = ((-len(rows), column) for column, rows in self.users.items())
        self.queue = list(counts)
        heapify(self.queue)
        self.left = dict.fromkeys(block.rows)
        self.done: set[int] = set()

    def run(self, *, linear: bool) -> Torn:
        """Tear until every unknown is torn or follows."""
        inner: list[tuple[int, int]] = []
        torn: list[int] = []
        while len(self.done) < len(self.users):
            pair = self._next()
            if pair is not None:
                inner.append(pair)
                del self.left[pair[0]]
                self._know(pair[1])
            else:
                torn.append(self._farthest() if self.way.looks else self._most_used())
                self.needs[torn[-1]] = frozenset((torn[-1],))
                self._know(torn[-1])
        return Torn(tuple(inner), tuple(torn), tuple(self.left), self.slopes, linear)

    def _next(self) -> tuple[int, int] | None:
        """A row that gives its only open unknown."""
        while self.ready:
            row = heappop(self.ready)
            if row not in self.left or len(self.open[row]) != 1:
                continue
            (column,) = self.open[row]
            if not self._gives(row, column):
                continue
            others = (self.column_of[s] for s in self.slopes[row].by)
            needs = frozenset().union(*(self.needs[c] for c in others if c != column))
            if self.way.width is None or len(needs) <= self.way.width:
                self.needs[column] = needs
                self.written += len(needs)
                return row, column
        return None

    def _most_used(self) -> int:
        """The unknown in most of the open rows."""
        while True:
            count, column = heappop(self.queue)
            if column in self.done:
                continue
            now = -sum(row in self.left for row in self.users[column])
            if now == count:
                return column
            heappush(self.queue, (now, column))

    def _farthest(self) -> int:
        """The unknown that most others follow from; of equal ones that in most open rows."""
        rows = [c for c in self.users if c not in self.done]
        counts = [
            (len(self._followers(c)), sum(r in self.left for r in self.users[c])) for c in rows
        ]
        best = max(range(len(rows)), key=lambda k: (*counts[k], -rows[k]))
        return rows[best]

    def _followers(self, column: int) -> set[int]:
        """The unknowns that follow from those that are known and one more, which is among them."""
        known, waiting, used = {column}, [column], set[int]()
        while waiting:
            for row in self.users[waiting.pop()]:
                if row not in self.left or row in used or len(self.open[row]) > len(known) + 1:
                    continue
                rest = [c for c in self.open[row] if c not in known]
                if len(rest) == 1 and self._gives(row, rest[0]):
                    used.add(row)
                    known.add(rest[0])
                    waiting.append(rest[0])
        return known

    def _gives(self, row: int, column: int) -> bool:
        """Whether a row gives an unknown explicitly, whatever the values are."""
        own = self.slopes[row]
        return own.rest is not None and own.can_give(self.node[column])

    def _know(self, column: int) -> None:
        """Count an unknown as known."""
        self.done.add(column)
        for row in self.users[column]:
            self.open[row].discard(column)
            if len(self.open[row]) == 1 and row in self.left:
                heappush(self.ready, row)


def find_slopes(residual: Node, unknowns: set[Node]) -> RowSlopes:
    """Slopes of a row by unknowns, and what is left without them where it is linear in them."""
    quick = _linear_terms(residual, unknowns)
    if quick is not None:
        return quick
    by = {s: d for s, d in partials(residual).items() if s in unknowns}
    held = [s for s in symbols((residual,)) if s in unknowns]
    by |= {s: ZERO for s in held if s not in by}  # slopes of branches may vanish
    if any(s in unknowns for s in symbols(by.values())):
        return RowSlopes(None, by)
    (rest,) = substitute((residual,), dict.fromkeys(by, ZERO))
    return RowSlopes(rest, by)


def _linear_terms(residual: Node, unknowns: set[Node]) -> RowSlopes | None:
    """The same of a sum whose terms are products with one unknown each, without a derivative."""
    if residual.op is not ADD:
        return None
    by: dict[Node, Node] = {}
    rest: list[tuple[Node, Any]] = []  # added at once: term by term takes their square in time
    for arg, coef in zip(residual.args, residual.coefs, strict=True):
        if arg.op is SYM and arg in unknowns:
            by[arg] = by.get(arg, ZERO) + coef
            continue
        inside = [s for s in symbols((arg,)) if s in unknowns]
        if not inside:
            rest.append((arg, coef))
            continue
        if arg.op is not MUL or len(inside) > 1 or inside[0] not in arg.args:
            return None
        slope = arg / inside[0]
        if inside[0] in symbols((slope,)):
            return None
        by[inside[0]] = by.get(inside[0], ZERO) + coef * slope
    return RowSlopes(linear(residual.value, tuple(rest)), by)


def _moving(slope: Node) -> bool:
    """Whether a slope may vanish: it is a sum, or depends on more than parameters."""
    if slope.is_number:
        return not slope.value
    if slope.op is SELECT:
        return any(map(_moving, slope.args[1:]))
    if slope.op is MUL and any(arg.op is SELECT for arg in slope.args):
        return any(map(_moving, slope.args))
    if slope.op is ADD and (len(slope.args) > 1 or slope.value):
        return True
    return any(s.key[0] != FIXED for s in symbols((slope,)))
