"""States that turn bad during a run are chosen anew.

Where equations bind states, and how well they do changes with the motion, a run carries all that
could be states: those that are follow their rates, the others follow the equations, and are where
these iterate from.  So another choice has the same components, and a run goes on with it, as it
does with other independent coordinates of a loop.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from kinetree.acausal.diagnosis.singular import values_at
from kinetree.acausal.incidence import Incidence
from kinetree.acausal.selection import States, select_states, slope_nodes
from kinetree.acausal.start import StartValues
from kinetree.arrays import Array, Flags
from kinetree.engine import ZERO, Node, add, evaluate, log, mul, select, symbols
from kinetree.errors import KinetreeError

if TYPE_CHECKING:
    from kinetree.acausal.sort import SortedComponent
    from kinetree.model import Model

LEAST = 0.05
"""Share of the least singular value of all below which the dummies are a bad choice."""
GUARDED = 3
"""Rows of a group up to which rates have no value where the choice is bad: a run stops there at
once, and not after many small steps towards what is singular."""


def followers(page: Incidence, states: States) -> list[int]:
    """Columns that are no states, but might be at another place; none where nothing changes.

    A group of which no variable is a state leaves no choice: inverse models have such ones.
    """
    own = {page.place[c][0] for c in states.states}
    groups = [(rows, {page.place[c][0] for c in columns}) for rows, columns, _ in states.groups]
    open_ones = [(rows, variables) for rows, variables in groups if variables & own]
    moving = any(
        s in page.column_of
        for rows, _ in open_ones
        for row in rows
        for _, slope in slope_nodes(page, row)
        for s in symbols((slope,))
    )
    able = set[int]().union(*(variables for _, variables in open_ones)) if moving else set()
    found = [c for c, up in enumerate(page.higher) if up in states.dummies]
    return [c for c in found if page.place[c][0] in able]


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


def _least_singular(G: Array) -> Array:
    """Least singular values of matrices with at most as many rows as columns."""
    rows = G.shape[-2]
    if rows > 2:
        return np.asarray(np.linalg.svd(G, compute_uv=False)[:, rows - 1], dtype=float)
    squares = (G * G).sum(axis=-1)
    if rows == 1:
        return np.asarray(np.sqrt(squares[:, 0]))
    # of [[a, b], [b, c]] = G Gᵀ the least eigenvalue is (ac - b²)/largest, which does not cancel
    mean, half = squares.mean(axis=-1), (squares[:, 0] - squares[:, 1]) / 2
    both = (G[:, 0] * G[:, 1]).sum(axis=-1)
    largest = mean + np.hypot(half, both)
    least = np.maximum(squares[:, 0] * squares[:, 1] - both**2, 0.0) / np.maximum(largest, 1e-300)
    return np.asarray(np.sqrt(least))


SlopeGroup = tuple[tuple[int, int], list[tuple[int, int, Node]], list[int]]
"""Size of a matrix, (row, column, expression) of its elements, columns that are chosen."""


@dataclass(frozen=True)
class StateChoice:
    """Judges the states of a run and chooses others.

    Attributes:
        found: the sorted component with the states at hand.
        made: states -> the model with them, of all choices so far.
    """

    found: SortedComponent
    made: dict[tuple[int, ...], Model]

    @cached_property
    def slopes(self) -> list[SlopeGroup]:
        """Slopes of the rows of every group: places in its matrix, expressions, columns chosen."""
        found = []
        for rows, columns, chosen in self.found.states.groups:
            place = {column: k for k, column in enumerate(columns)}
            entries = [
                (i, place[column], slope)
                for i, row in enumerate(rows)
                for column, slope in slope_nodes(self.found.page, row)
                if column in place
            ]
            shape = len(rows), len(columns)
            found.append((shape, entries, [place[column] for column in chosen]))
        return found

    def bad(self, t: Array, x: Array, parameters: Mapping[str, float]) -> Flags:
        """Where the states are a bad choice, at many moments."""
        values = values_at(self.found, t, x, parameters)
        found = np.zeros(len(t), dtype=bool)
        nodes = [slope for _, entries, _ in self.slopes for _, _, slope in entries]
        numbers = iter(evaluate(tuple(nodes), values))
        for shape, entries, chosen in self.slopes:
            G = np.zeros((len(t), *shape))
            for i, k, _ in entries:
                G[:, i, k] = next(numbers)
            G /= np.maximum(np.abs(G).max(axis=-1, keepdims=True), 1e-300)
            part = G[..., chosen]
            finite = np.isfinite(G).all(axis=(1, 2))
            G[~finite], part[~finite] = 1.0, 1.0
            found |= finite & (_least_singular(part) < LEAST * _least_singular(G))
        return found

    def better(self, t: float, x: Array, parameters: Mapping[str, float]) -> Model | None:
        """The model with the best states at a moment; none where they are those at hand."""
        from kinetree.acausal.model import write_model  # noqa: PLC0415  stands above this
        from kinetree.acausal.sort import sort_blocks_of  # noqa: PLC0415  likewise

        page = self.found.page
        values = values_at(self.found, np.array(t), x, parameters)
        values = StartValues({node: float(value) for node, value in values.items()})
        try:
            states = select_states(page, self.found.matching, values)
        except KinetreeError:
            return None
        if states.states == self.found.states.states:
            return None
        if states.states not in self.made:
            blocks = sort_blocks_of(self.found, states)
            other = replace(self.found, states=states, blocks=blocks)
            self.made[states.states] = write_model(other, self.made)
        return self.made[states.states]
