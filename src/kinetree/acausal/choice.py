"""States that turn bad during a run are chosen anew.

Where equations bind states, and how well they do changes with the motion, a run carries all that
could be states: those that are follow their rates, the others follow the equations, and are where
these iterate from.  So another choice has the same components, and a run goes on with it, as it
does with other independent coordinates of a loop.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.acausal.incidence import Incidence
from kinetree.acausal.selection import States, select_states, slope_nodes
from kinetree.acausal.start import StartValues
from kinetree.arrays import Array
from kinetree.engine import ZERO, Node, add, evaluate, log, mul, select, symbols
from kinetree.errors import KinetreeError
from kinetree.model import time_symbol

if TYPE_CHECKING:
    from kinetree.acausal.sort import SortedComponent
    from kinetree.model import Model

LEAST = 0.05
"""Share of the least singular value of all below which the dummies are a bad choice."""
GUARDED = 3
"""Rows of a group up to which rates have no value where the choice is bad: a run stops there at
once, and not after many small steps towards what is singular."""


def followers(page: Incidence, states: States) -> list[int]:
    """Columns that are no states, but might be at another place; none where nothing changes."""
    moving = any(
        s in page.column_of
        for rows, _, _ in states.groups
        for row in rows
        for _, slope in slope_nodes(page, row)
        for s in symbols((slope,))
    )
    return [c for c, up in enumerate(page.higher) if up in states.dummies] if moving else []


def guard(page: Incidence, states: States) -> Node:
    """0 where the states are a good choice, without value where they are a bad one.

    The squares of all minors of a matrix add to det(G Gᵀ), so that of the dummies is a share.
    """
    total = ZERO
    for rows, columns, chosen in states.groups:
        if len(rows) > GUARDED:
            continue
        slopes = [dict(slope_nodes(page, row)) for row in rows]
        G = [[row.get(c, ZERO) for c in columns] for row in slopes]
        own = _determinant([[row.get(c, ZERO) for c in chosen] for row in slopes])
        whole = _determinant([[add(*map(mul, a, b)) for b in G] for a in G])
        total = total + log(select(own * own - LEAST**2 * whole, 1, -1))
    return total


def _determinant(A: list[list[Node]]) -> Node:
    """By the first row; for few rows."""
    if len(A) == 1:
        return A[0][0]
    terms = []
    for j, x in enumerate(A[0]):
        if x is not ZERO:
            rest = _determinant([row[:j] + row[j + 1 :] for row in A[1:]])
            terms.append(x * rest if j % 2 == 0 else -x * rest)
    return add(ZERO, *terms)


@dataclass(frozen=True)
class StateChoice:
    """Judges the states of a run and chooses others.

    Attributes:
        found: the sorted component with the states at hand.
        made: states -> the model with them, of all choices so far.
    """

    found: SortedComponent
    made: dict[tuple[int, ...], Model]

    def bad(self, t: Array, x: Array, parameters: Mapping[str, float]) -> Array:
        """Where the states are a bad choice, at many moments."""
        page = self.found.page
        values = self._values(t, x, parameters)
        found = np.zeros(len(t), dtype=bool)
        for rows, columns, chosen in self.found.states.groups:
            place = {column: k for k, column in enumerate(columns)}
            G = np.zeros((len(t), len(rows), len(columns)))
            for i, row in enumerate(rows):
                for column, slope in slope_nodes(page, row):
                    if column in place:
                        (value,) = evaluate((slope,), values)
                        G[:, i, place[column]] = value
            G /= np.maximum(np.abs(G).max(axis=-1, keepdims=True), 1e-300)
            part = G[..., [place[column] for column in chosen]]
            finite = np.isfinite(G).all(axis=(1, 2))
            G[~finite], part[~finite] = 1.0, 1.0
            last = len(rows) - 1
            least = np.linalg.svd(G, compute_uv=False)[:, last]
            own = np.linalg.svd(part, compute_uv=False)[:, last]
            found |= finite & np.asarray(own < LEAST * least)
        return found

    def better(self, t: float, x: Array, parameters: Mapping[str, float]) -> Model | None:
        """The model with the best states at a moment; none where they are those at hand."""
        from kinetree.acausal.model import write_model  # noqa: PLC0415  stands above this
        from kinetree.acausal.sort import sort_blocks_of  # noqa: PLC0415  likewise

        page = self.found.page
        values = self._values(np.array(t), x, parameters)
        values = StartValues({node: float(value) for node, value in values.items()})
        try:
            states = select_states(page, self.found.matching, values)
        except KinetreeError:
            return None
        if states.states == self.found.states.states:
            return None
        if states.states not in self.made:
            blocks = sort_blocks_of(page, states)
            other = replace(self.found, states=states, blocks=blocks)
            self.made[states.states] = write_model(other, self.made)
        return self.made[states.states]

    def _values(self, t: Array, x: Array, parameters: Mapping[str, float]) -> Any:
        """Values of symbols at moments of a run."""
        found = self.found
        values: Any = StartValues(found.beginning.values)
        rows = found.flat.parameters
        values.update({rows[k].symbol: v for k, v in parameters.items() if k in rows})
        values[time_symbol()] = t
        for k, column in enumerate(found.run_columns):
            values[found.page.columns[column]] = x[..., k]
        return values
