"""The stages in order: from a component to sorted equations.

| stage | in | out |
|---|---|---|
| 1 instances | Component | Flat: variables, parameters, equations, connections |
| 1b structures | Flat | the same: parts whose connections are read as a whole are equations |
| 2 connections | Flat | pairs of variables that are one, sums of flows |
| 3 aliases | Flat and these | fewer equations in fewer variables |
| 4 branches | equations | the same with modes for the conditions of switches |
| 5 incidence | equations | Incidence: rows and columns |
| 6 pantelides | Incidence | the same with derivatives of rows; matching |
| 7 selection | Incidence, numbers | states, dummy derivatives |
| 8 blocks | Incidence, states | groups that are solved together, in order |
| 8 motion | Incidence, states | the same; equations of motion are solved joint by joint |
| 9 tearing | groups | torn unknowns, explicit ones, residuals |
| 10 start | Incidence, states | values of all variables at the beginning |
| 11 write | torn blocks | Program |
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from graphlib import TopologicalSorter
from typing import TypeVar

from kinetree.acausal.aliases import Reduced, eliminate, resolve
from kinetree.acausal.blocks import SolvedTogether
from kinetree.acausal.branches import Branches, hold_branches, refuse_undetermined
from kinetree.acausal.choice import followers
from kinetree.acausal.components import Component
from kinetree.acausal.connections import Joined, join
from kinetree.acausal.diagnosis import refuse_jumps
from kinetree.acausal.diagnosis.report import LONE, SortingReport, StageRow
from kinetree.acausal.incidence import Incidence, write_page
from kinetree.acausal.instances import Flat, FlatEquation, flatten
from kinetree.acausal.mechanics.motion import SolvedMotion, solve_order
from kinetree.acausal.pantelides import Matching, reduce_index
from kinetree.acausal.physical import join_name, split_name
from kinetree.acausal.selection import States, select_states
from kinetree.acausal.start import StartValues, SystemStart, find_start
from kinetree.acausal.tearing import Torn, tear
from kinetree.engine import Node, derivation, evaluate, substitute, symbols
from kinetree.errors import ModelError, unknown, warn

T = TypeVar("T")
ROUNDS = 20
"""How often switches may change sides before a run begins."""


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
    blocks: list[Torn | SolvedMotion]
    beginning: SystemStart
    branches: Branches
    matching: Matching
    stages: list[StageRow] = field(default_factory=list)

    @property
    def outside(self) -> dict[Node, float]:
        """Symbol -> first value of what comes from outside, and of modes."""
        return self.page.given

    @property
    def modes(self) -> list[Node]:
        """Symbols of what events alone change: declared modes, then those of switches."""
        return [*modes_of(self.flat), *self.branches.conditions]

    @property
    def derivatives_wanted(self) -> list[str]:
        """Derivatives of what comes from outside that the equations need."""
        names = (split_name(node) for node in self.outside)
        return [join_name(path, order) for path, order in names if order]

    @cached_property
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
            tuple(self.beginning.assumed), tuple(self.joined.open), tuple(self.joined.lone),
            motions=tuple(str(b) for b in self.blocks if isinstance(b, SolvedMotion)),
            wanted=tuple(self.derivatives_wanted),
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


@derivation()
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
    for kind in dict.fromkeys(type(end) for end in flat.ports if end.gathers):
        clock.run(
            "structures", partial(kind.gather, flat), lambda _: f"{len(flat.motions)} mechanisms"
        )
    joined = clock.run(
        "connections", lambda: join(flat),
        lambda j: f"{len(j.pairs)} pairs, {len(j.sums)} sums, {len(j.open)} open ports",
    )  # fmt: skip
    for path in joined.lone:
        warn(f"part '{path}' is {LONE}")
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
        "pantelides", lambda: _reduce(flat, page, joined),
        lambda _: f"{sum(s >= 0 for s in page.source)} rows differentiated",
    )  # fmt: skip
    refuse_jumps(page, set(modes_of(flat)))
    values = _values(flat, reduced, page)
    branches.settle(values)
    states = clock.run(
        "selection", lambda: select_states(page, row_of, values),
        lambda s: f"{len(s.states)} states, {len(s.dummies)} dummy derivatives",
    )  # fmt: skip
    refuse_undetermined(page, states.states, flat.frictions, reduced.meaning)
    groups = clock.run(
        "blocks", lambda: solve_order(page, states.states, flat.motions, reduced.meanings),
        lambda g: f"{len(g)} blocks, the largest of {max((len(b.rows) for b in g), default=0)}",
    )  # fmt: skip
    blocks = clock.run(
        "tearing", lambda: [tear_block(page, group, values) for group in groups],
        lambda b: f"the largest torn to {_largest(b)}",
    )  # fmt: skip
    made = SortedComponent(
        flat, joined, reduced, page, states, blocks, SystemStart(values), branches, row_of,
        clock.rows,
    )  # fmt: skip
    made.beginning = clock.run(
        "start", lambda: _find_start(made, values), lambda b: f"{len(b.assumed)} assumed"
    )
    return made


def modes_of(flat: Flat) -> list[Node]:
    """Symbols of declared modes."""
    return [row.symbol for row in flat.variables.values() if row.role == "mode"]


def _find_start(found: SortedComponent, values: StartValues) -> SystemStart:
    """Values at the start, with switches on the sides that these values say.

    Where sides never agree, the run finds out: its first event does not settle.
    """
    page, states, branches = found.page, found.states, found.branches
    initial = [_without_aliases(row, found.reduced) for row in found.flat.initial]
    iterates = any(not block.linear for block in found.blocks) or bool(followers(page, states))
    find = partial(find_start, page, states, initial, values, iterates=iterates, modes=found.modes)
    start = find()
    for _ in range(ROUNDS if start.solved else 0):
        if not branches.settle(start.values):
            break
        start = find()
    return start


def start_with(found: SortedComponent, parameters: Mapping[str, float]) -> SystemStart:
    """The start for other values of parameters and inputs; iterations begin at the known one.

    Args:
        found: the sorted component.
        parameters: in SI units, those that differ.
    """
    if not found.beginning.solved:
        return found.beginning  # states begin with numbers that depend on nothing
    values = StartValues(found.beginning.values)
    rows = found.flat.parameters
    symbol_of = {name: row.symbol for name, row in rows.items()}
    symbol_of |= {join_name(*split_name(node)): node for node in found.outside}
    values.update({symbol_of[k]: float(v) for k, v in parameters.items() if k in symbol_of})
    for node, expr in bound_in_order(found.flat):
        (value,) = evaluate((expr,), values)
        values[node] = float(value)
    return _find_start(found, values)


def _reduce(flat: Flat, page: Incidence, joined: Joined) -> Matching:
    """The stage of index reduction; where it fails and a joint moves no mass, that is told."""
    try:
        return reduce_index(page, joined)
    except ModelError:
        for motion in flat.motions:
            motion.model.check()
        raise


def sort_blocks_of(found: SortedComponent, states: States) -> list[Torn | SolvedMotion]:
    """The stages after the choice of states."""
    page, motions = found.page, found.flat.motions
    groups = solve_order(page, states.states, motions, found.reduced.meanings)
    values = found.beginning.values
    return [tear_block(page, group, values) for group in groups]


def tear_block(
    page: Incidence, group: SolvedTogether | SolvedMotion, values: StartValues
) -> Torn | SolvedMotion:
    """A block, torn where nothing has solved it yet."""
    return group if isinstance(group, SolvedMotion) else tear(page, group, values)


def _largest(blocks: Sequence[Torn | SolvedMotion]) -> int:
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
