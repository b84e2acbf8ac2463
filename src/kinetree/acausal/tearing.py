"""Stage 9, tearing: of the unknowns of a block, few that the others follow from.

| in | out |
|---|---|
| a block of rows that need each other | torn columns, the others in order, residuals |

A row gives a column explicitly where it is linear in it with a coefficient that cannot vanish: a
number or a product of parameters.  Where no row is left that has one unknown alone, the unknown in
most of the open rows is torn: it counts as known from there on.

Refs: Elmqvist1994
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Any

from kinetree.acausal.blocks import SolvedTogether
from kinetree.acausal.incidence import Incidence
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


def tear(page: Incidence, block: SolvedTogether) -> Torn:
    """Tear a block."""
    unknowns = {page.columns[c] for c in block.columns}
    slopes = {row: find_slopes(page.rows[row], unknowns) for row in block.rows}
    linear = all(row.rest is not None for row in slopes.values())
    if len(block.rows) == 1:
        return Torn((), block.columns, block.rows, slopes, linear)
    return _Tearing(page, block, slopes).run(linear=linear)


class _Tearing:
    """A block being torn: rows by the number of their open unknowns."""

    def __init__(
        self, page: Incidence, block: SolvedTogether, slopes: dict[int, RowSlopes]
    ) -> None:
        self.slopes = slopes
        own = {page.columns[c]: c for c in block.columns}
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
                torn.append(self._most_used())
                self._know(torn[-1])
        return Torn(tuple(inner), tuple(torn), tuple(self.left), self.slopes, linear)

    def _next(self) -> tuple[int, int] | None:
        """A row that gives its only open unknown."""
        while self.ready:
            row = heappop(self.ready)
            if row not in self.left or len(self.open[row]) != 1:
                continue
            (column,) = self.open[row]
            if self.slopes[row].rest is not None and self.slopes[row].can_give(self.node[column]):
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
