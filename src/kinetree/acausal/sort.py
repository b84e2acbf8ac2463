"""The stages in order: from a component to sorted equations.

| stage | in | out |
|---|---|---|
| 1 instances | Component | Flat: variables, parameters, equations, connections |
| 2 connections | Flat | pairs of variables that are one, sums of flows |
| 3 aliases | Flat and these | fewer equations in fewer variables |
| 4 branches | equations | the same with modes for the conditions of switches |
| 5 incidence | equations | Incidence: rows and columns |
| 6 pantelides | Incidence | the same with derivatives of rows; matching |
| 7 selection | Incidence, numbers | states, dummy derivatives |
| 8 blocks | Incidence, states | groups that are solved together, in order |
| 9 tearing | groups | torn unknowns, explicit ones, residuals |
| 10 start | Incidence, states | values of all variables at the beginning |
| 11 write | torn blocks | Program |
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from graphlib import TopologicalSorter
from typing import TypeVar

from kinetree.acausal.aliases import Reduced, eliminate, resolve
from kinetree.acausal.blocks import sort_rows
from kinetree.acausal.branches import Branches, hold_branches
from kinetree.acausal.choice import followers
from kinetree.acausal.components import Component
from kinetree.acausal.connections import Joined, join
from kinetree.acausal.incidence import Incidence, write_page
from kinetree.acausal.instances import Flat, FlatEquation, flatten
from kinetree.acausal.pantelides import Matching, reduce_index
from kinetree.acausal.physical import join_name
from kinetree.acausal.report import SortingReport, StageRow
from kinetree.acausal.selection import States, select_states
from kinetree.acausal.start import StartValues, SystemStart, find_start
from kinetree.acausal.tearing import Torn, tear
from kinetree.engine import Node, evaluate, substitute, symbols
from kinetree.errors import unknown

T = TypeVar("T")


@dataclass
class SortedComponent:
    """A component after all stages but the last.

    Attributes:
        flat: its instances.
        joined: its connections.
        reduced: its equations without aliases.
        page: their rows and columns, with derivatives.
        states: columns that are integrated.
        blocks: torn, in order.
        beginning: values at the start.
        branches: modes of switches.
        matching: highest derivative -> its row.
        stages: name, size and time of every stage.
    """

    flat: Flat
    joined: Joined
    reduced: Reduced
    page: Incidence
    states: States
    blocks: list[Torn]
    beginning: SystemStart
    branches: Branches
    matching: Matching
    stages: list[StageRow] = field(default_factory=list)

    @property
    def outside(self) -> dict[Node, float]:
        """Symbol -> first value of what comes from outside, and of modes."""
        return self.page.given

    @property
    def run_columns(self) -> tuple[int, ...]:
        """Columns that a run carries: states, and what may take their place, in one order."""
        both = [*self.states.states, *followers(self.page, self.states)]
        return tuple(sorted(both, key=lambda column: self.page.place[column]))

    def state_names(self) -> list[str]:
        """Names of the states."""
        return [self.column_name(column) for column in self.states.states]

    def column_name(self, column: int) -> str:
        """The path of a variable, or der(path) of a derivative."""
        page = self.page
        return join_name(page.variables[page.place[column][0]].path, page.place[column][1])

    def report(self) -> SortingReport:
        """What every stage found."""
        large = [block for block in self.blocks if len(block.columns) + len(block.inner) > 1]
        torn = [
            (len(b.columns) + len(b.inner), len(b.columns), b.linear,
             [self.column_name(c) for c in b.columns])
            for b in [*large, *(b for b in self.blocks if b not in large and not b.linear)]
        ]  # fmt: skip
        return SortingReport(
            self.flat.name, tuple(self.stages), tuple(self.state_names()), tuple(torn),
            tuple(self.beginning.assumed), tuple(self.joined.open),
        )  # fmt: skip


class _Clock:
    """Times and sizes of the stages."""

    def __init__(self) -> None:
        self.rows: list[StageRow] = []

    def run(self, name: str, make: Callable[[], T], size: Callable[[T], str]) -> T:
        """Run a stage."""
        began = time.perf_counter()
        made = make()
        self.rows.append(StageRow(name, size(made), time.perf_counter() - began))
        return made


def sort_component(whole: Component, known: Sequence[str] | None = None) -> SortedComponent:
    """All stages but the last.

    Args:
        whole: the component.
        known: paths of the variables that come from outside; by default the inputs of the whole.
    """
    clock = _Clock()
    flat = clock.run(
        "instances", lambda: flatten(whole),
        lambda f: f"{len(f.variables)} variables, {len(f.equations)} equations, "
        f"{len(f.parameters)} parameters",
    )  # fmt: skip
    joined = clock.run(
        "connections", lambda: join(flat),
        lambda j: f"{len(j.pairs)} pairs, {len(j.sums)} sums, {len(j.open)} open ports",
    )  # fmt: skip
    given = _outside(flat, known)
    reduced = clock.run(
        "aliases",
        lambda: eliminate(
            list(flat.variables.values()), [*flat.equations, *joined.sums], joined.pairs, given
        ),
        lambda r: f"{len(r.equations)} equations, {r.eliminated} variables are others",
    )  # fmt: skip
    rows, branches = clock.run(
        "branches", lambda: hold_branches(reduced.equations),
        lambda b: f"{len(b[1].conditions)} modes of switches",
    )  # fmt: skip
    page = clock.run(
        "incidence", lambda: write_page(reduced.variables, rows, dict(given)),
        lambda p: f"{len(p.rows)} rows, {len(p.columns)} columns",
    )  # fmt: skip
    return _sort_page(clock, (flat, joined, reduced, page), branches)


def _sort_page(
    clock: _Clock, found: tuple[Flat, Joined, Reduced, Incidence], branches: Branches
) -> SortedComponent:
    """The stages on the page."""
    flat, joined, reduced, page = found
    row_of = clock.run(
        "pantelides", lambda: reduce_index(page),
        lambda _: f"{sum(s >= 0 for s in page.source)} rows differentiated",
    )  # fmt: skip
    values = _values(flat, reduced, page)
    branches.settle(values)
    states = clock.run(
        "selection", lambda: select_states(page, row_of, values),
        lambda s: f"{len(s.states)} states, {len(s.dummies)} dummy derivatives",
    )  # fmt: skip
    groups = clock.run(
        "blocks", lambda: sort_rows(page, states.states),
        lambda g: f"{len(g)} blocks, the largest of {max((len(b.rows) for b in g), default=0)}",
    )  # fmt: skip
    blocks = clock.run(
        "tearing", lambda: [tear(page, group) for group in groups],
        lambda b: f"the largest torn to {_largest(b)}",
    )  # fmt: skip
    initial = [_without_aliases(row, reduced) for row in flat.initial]
    iterates = any(not block.linear for block in blocks) or bool(followers(page, states))
    beginning = clock.run(
        "start", lambda: find_start(page, states, initial, values, iterates=iterates),
        lambda b: f"{len(b.assumed)} assumed",
    )  # fmt: skip
    return SortedComponent(
        flat, joined, reduced, page, states, blocks, beginning, branches, row_of, clock.rows
    )


def sort_blocks_of(page: Incidence, states: States) -> list[Torn]:
    """The stages after the choice of states."""
    return [tear(page, group) for group in sort_rows(page, states.states)]


def _largest(blocks: Sequence[Torn]) -> int:
    sizes = [len(b.columns) for b in blocks if b.inner or len(b.columns) > 1 or not b.linear]
    return max(sizes, default=0)


def _outside(flat: Flat, known: Sequence[str] | None) -> dict[Node, float]:
    """What comes from outside: the variables that are said to be known, or inputs of the whole."""
    rows = flat.variables
    for path in known or ():
        if path not in rows:
            raise unknown("variable", path, rows, "known")
    inputs = [row.path for row in rows.values() if row.role == "in" and "." not in row.path]
    modes = [row.path for row in rows.values() if row.role == "mode"]
    paths = [*(inputs if known is None else known), *modes]
    return {rows[path].symbol: rows[path].start or 0.0 for path in paths}


def _without_aliases(row: FlatEquation, reduced: Reduced) -> FlatEquation:
    new = {s: resolve(s, reduced.meanings) for s in symbols((row.residual,))}
    (residual,) = substitute((row.residual,), new)
    return FlatEquation(residual, row.origin, row.number)


def _values(flat: Flat, reduced: Reduced, page: Incidence) -> StartValues:
    """Values of parameters, and start values of variables."""
    values = StartValues({row.symbol: row.value for row in flat.parameters.values()})
    for node, expr in bound_in_order(flat):
        (value,) = evaluate((expr,), values)
        values[node] = float(value)
    values.update({row.symbol: row.start for row in reduced.variables if row.start is not None})
    values.update(page.given)
    return values


def bound_in_order(flat: Flat) -> list[tuple[Node, Node]]:
    """Parameters that follow from others, each after those that it needs."""
    bound = flat.bound
    needs = {node: [s for s in symbols((e,)) if s in bound] for node, e in bound.items()}
    order = {node: k for k, node in enumerate(bound)}
    sorter = TopologicalSorter({order[n]: [order[s] for s in row] for n, row in needs.items()})
    nodes = list(bound)
    return [(nodes[k], bound[nodes[k]]) for k in sorter.static_order()]
