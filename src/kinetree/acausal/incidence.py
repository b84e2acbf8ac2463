"""Stage 5, incidence: which equation holds which variable, in which order of derivative.

| in | out |
|---|---|
| equations without aliases | a page: rows (equations) and columns (variables and derivatives) |

Differentiating a row adds rows and columns; both know what they are the derivative of.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from kinetree.acausal.instances import FlatEquation, FlatVariable
from kinetree.acausal.physical import derivative_symbol, differentiate, split_name
from kinetree.engine import Node, symbols
from kinetree.model import state_symbol, time_symbol


@dataclass
class Incidence:
    """Equations and what they hold.

    Attributes:
        variables: that the equations are for.
        given: symbols that come from outside; derivatives of them are added as they are needed.
        columns: symbol of every variable and derivative.
        place: of every column, the number of its variable and how often that is differentiated.
        higher: of every column, that of its derivative, or -1.
        lower: of every column, that of its integral, or -1.
        rows: residual of every equation.
        origin: of every row, the equation that it comes from.
        grown: of every row, that of its derivative, or -1.
        source: of every row, the one that it is the derivative of, or -1.
        holds: of every row, its columns.
    """

    variables: Sequence[FlatVariable]
    given: dict[Node, float]
    columns: list[Node] = field(default_factory=list)
    place: list[tuple[int, int]] = field(default_factory=list)
    higher: list[int] = field(default_factory=list)
    lower: list[int] = field(default_factory=list)
    rows: list[Node] = field(default_factory=list)
    origin: list[FlatEquation] = field(default_factory=list)
    grown: list[int] = field(default_factory=list)
    source: list[int] = field(default_factory=list)
    holds: list[list[int]] = field(default_factory=list)
    column_of: dict[Node, int] = field(default_factory=dict)

    def differentiate_row(self, row: int) -> int:
        """The row of the time derivative of a row."""
        if self.grown[row] < 0:
            (residual,) = differentiate((self.rows[row],))
            self.grown[row] = self.add_row(residual, self.origin[row], row)
        return self.grown[row]

    def differentiate_column(self, column: int) -> int:
        """The column of the time derivative of a column."""
        if self.higher[column] < 0:
            node = derivative_symbol(self.columns[column])
            self.higher[column] = len(self.columns)
            base, order = self.place[column]
            self._add_column(node, (base, order + 1), column)
        return self.higher[column]

    def _add_column(self, node: Node, place: tuple[int, int], lower: int) -> None:
        self.column_of[node] = len(self.columns)
        self.columns.append(node)
        self.place.append(place)
        self.higher.append(-1)
        self.lower.append(lower)

    def add_variable(self, symbol: Node, number: int) -> None:
        """Add the column of a variable."""
        self._add_column(symbol, (number, 0), -1)

    def add_row(self, residual: Node, origin: FlatEquation, source: int = -1) -> int:
        """Add a row; the columns of derivatives in it are added where they are new."""
        self.rows.append(residual)
        self.origin.append(origin)
        self.grown.append(-1)
        self.source.append(source)
        found = [self._column(s) for s in symbols((residual,)) if s not in self.given]
        self.holds.append([column for column in found if column >= 0])
        return len(self.rows) - 1

    def _column(self, s: Node) -> int:
        """The column of a symbol; -1 where it is not a variable."""
        known = self.column_of.get(s)
        if known is not None:
            return known
        path, order = split_name(s)
        if not order:
            return -1
        base = self.column_of.get(state_symbol(path))
        if base is None:
            self.given.setdefault(s, 0.0)  # the derivative of what comes from outside
            return -1
        column = base
        for _ in range(order):
            column = self.differentiate_column(column)
        return column

    def highest(self, row: int) -> list[int]:
        """The columns of a row that are the highest derivatives of their variables."""
        return [column for column in self.holds[row] if self.higher[column] < 0]

    def levels(self, row: int) -> int:
        """How often a row was differentiated."""
        count = 0
        while self.source[row] >= 0:
            row, count = self.source[row], count + 1
        return count


def write_page(
    variables: Sequence[FlatVariable], equations: Iterable[FlatEquation], given: dict[Node, float]
) -> Incidence:
    """The page of equations.

    Args:
        variables: that they are for.
        equations: without aliases.
        given: symbol -> value of what comes from outside.
    """
    page = Incidence(variables, given | {time_symbol(): 0.0})
    for k, row in enumerate(variables):
        page.add_variable(row.symbol, k)
    for equation in equations:
        page.add_row(equation.residual, equation)
    return page
