"""Stage 7, states: which variables are integrated, and whose derivatives are only named so.

| in | out |
|---|---|
| a page with derivatives of rows, numbers | columns that are states; dummy derivatives |

A row that was differentiated leaves one derivative less to integrate.  In every group of rows that
are solved together, as many highest derivatives as there are differentiated rows become dummies:
those with the best pivots at the start, among equals those that are least wanted as states.  What
they are derivatives of follows from the rows before differentiation, and so on downwards.

Refs: MattssonSoederlind1993
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kinetree.acausal.diagnosis import list_names, say_equation
from kinetree.acausal.incidence import Incidence
from kinetree.acausal.pantelides import Matching
from kinetree.engine import Node, evaluate, partials
from kinetree.errors import ModelError
from kinetree.program.sparsity import strong_components
from kinetree.solve.pivots import eliminate
from kinetree.solve.sparse_pivots import sparse_columns

ALWAYS, NEVER = 3, -1
LARGE = 150
"""Rows of a group from which its matrix is sparse."""


@dataclass(frozen=True)
class States:
    """What is integrated.

    Attributes:
        states: columns, in order of their variables.
        dummies: columns of derivatives that are found from equations.
        groups: rows, highest derivatives in them, and those of these that are dummies.
    """

    states: tuple[int, ...]
    dummies: frozenset[int]
    groups: tuple[tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]], ...] = ()


def select_states(page: Incidence, row_of: Matching, values: Mapping[Node, float]) -> States:
    """Choose states.

    Args:
        page: after `reduce_index`.
        row_of: highest derivative -> its row.
        values: of all symbols at the start; 0 where there is none.
    """
    dummies: set[int] = set()
    groups = []
    bound = any(source >= 0 for source in page.source)
    for rows, columns in _groups(page, row_of) if bound else ():
        new = _dummies(page, rows, columns, values)
        dummies |= new
        bound_rows = tuple(row for row in rows if page.source[row] >= 0)
        open_columns = tuple(c for c in columns if page.place[c][1] > 0)
        groups.append((bound_rows, open_columns, tuple(c for c in open_columns if c in new)))
    found = [
        column for column, higher in enumerate(page.higher) if higher >= 0 and higher not in dummies
    ]
    found.sort(key=lambda column: (page.place[column][0], page.place[column][1]))
    _refuse_wishes(page, found)
    return States(tuple(found), frozenset(dummies), tuple(groups))


def _groups(page: Incidence, row_of: Matching) -> list[tuple[list[int], list[int]]]:
    """Rows with derivatives that are solved together, with their highest derivatives."""
    rows = sorted(row_of.values())
    place = {row: k for k, row in enumerate(rows)}
    column_of = {row: column for column, row in row_of.items()}
    needs = [[place[row_of[c]] for c in page.highest(row) if c in row_of] for row in rows]
    found = []
    for part in strong_components(needs):
        own = [rows[k] for k in part]
        if any(page.source[row] >= 0 for row in own):
            found.append((own, [column_of[row] for row in own]))
    return found


def _dummies(
    page: Incidence, rows: list[int], columns: list[int], values: Mapping[Node, float]
) -> set[int]:
    """The dummy derivatives of one group, from the highest down."""
    found: set[int] = set()
    while True:
        rows = [row for row in rows if page.source[row] >= 0]
        columns = [column for column in columns if page.place[column][1] > 0]
        if not rows:
            return found
        chosen = _pivots(page, rows, columns, values)
        found |= set(chosen)
        rows = [page.source[row] for row in rows]
        columns = [page.lower[column] for column in chosen]


def _pivots(
    page: Incidence, rows: Sequence[int], columns: Sequence[int], values: Mapping[Node, float]
) -> list[int]:
    """As many of the columns as there are rows, with good pivots."""
    place = {column: k for k, column in enumerate(columns)}
    entries = [
        {place[c]: slope for c, slope in slopes(page, row, values) if c in place} for row in rows
    ]
    worth = [_worth(page, column) for column in columns]
    found = _best_columns(entries, worth) if columns else []
    if len(found) < len(rows):
        names = ", ".join(f"'{page.variables[page.place[c][0]].path}'" for c in columns)
        raise ModelError(
            f"at the start values {names} cannot be told apart by the equations that bind them",
            element=str(page.origin[rows[0]]),
            cure="give one of them another start value",
        )
    return [columns[k] for k in sorted(found)]


def _best_columns(rows: Sequence[Mapping[int, float]], worth: Sequence[int]) -> Sequence[int]:
    """Columns with good pivots; of a large group without a full matrix."""
    if len(rows) > LARGE:
        return sparse_columns(rows, worth)
    matrix = np.zeros((len(rows), len(worth)))
    for i, row in enumerate(rows):
        for k, slope in row.items():
            matrix[i, k] = slope
    return eliminate(matrix, worth=worth).columns


def _worth(page: Incidence, column: int) -> int:
    """How much the integral of a derivative is wanted as a state; variables more than rates."""
    row = page.variables[page.place[column][0]]
    return 4 * row.want + 2 * row.fixed + (page.place[column][1] == 1)


def slopes(page: Incidence, row: int, values: Mapping[Node, float]) -> list[tuple[int, float]]:
    """Values of the slopes of a row by its highest derivatives."""
    rows = [(c, float(evaluate((slope,), values)[0])) for c, slope in slope_nodes(page, row)]
    return [(column, value) for column, value in rows if np.isfinite(value)]


def slope_nodes(page: Incidence, row: int) -> list[tuple[int, Node]]:
    """Slopes of a row by its highest derivatives: those of the row that it was, one level each."""
    level = 0
    while page.source[row] >= 0:
        row, level = page.source[row], level + 1
    found = []
    for s, slope in partials(page.rows[row]).items():
        column = page.column_of.get(s)
        if column is None:
            continue
        for _ in range(level):
            column = page.higher[column] if column >= 0 else -1
        if column >= 0:
            found.append((column, slope))
    return found


def _refuse_wishes(page: Incidence, states: Sequence[int]) -> None:
    """Refuse wishes that cannot be met."""
    chosen = {page.place[column][0] for column in states}
    for k, row in enumerate(page.variables):
        if row.want == ALWAYS and k not in chosen:
            raise ModelError(
                f"it cannot be a state: {_binding(page, k)}",
                element=f"variable '{row.path}'",
                cure="say select='prefer', or take the binding apart",
            )
        if row.want == NEVER and k in chosen:
            raise ModelError(
                "it is never to be a state, but nothing else can take its place",
                element=f"variable '{row.path}'",
                cure="say select='avoid'",
            )


def _binding(page: Incidence, variable: int) -> str:
    """Which equations bind a variable to others that are states."""
    rows = [
        row for row, grown in enumerate(page.grown)
        if grown >= 0 and any(page.place[c][0] == variable for c in page.holds[row])
    ]  # fmt: skip
    if not rows:
        return "nothing differentiates it"
    return f"{list_names(dict.fromkeys(say_equation(page.origin[r]) for r in rows))} bind it"
