"""Sampled parts of components: partitions of clocks are found from the equations.

| in | out |
|---|---|
| `sample(every(…), …)` of all instances | clocks of the model; what its sampled values become |

All sampled values of one tick are of the instant.  What lies between two of them (gains, sums,
connections) is read with the values of the instant, too, by its equations; so it does not matter
how many blocks a sampled controller is made of.  `pre(x)` is what was right before the tick.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter

from kinetree.acausal.aliases import resolve
from kinetree.acausal.hybrid.happenings import Translation, events_of
from kinetree.acausal.hybrid.words import SampledEquations, Ticks, When
from kinetree.acausal.mechanics.motion import SolvedMotion
from kinetree.acausal.physical import say, split_name
from kinetree.acausal.sort import SortedComponent
from kinetree.acausal.write import explicit
from kinetree.engine import HOLD, PREVIOUS, Node, apply, compounds, substitute, symbols
from kinetree.errors import ModelError
from kinetree.model import Clock, Model, state_symbol
from kinetree.model.events import divide

NAME = "clock"
"""Clocks are called PATH.clock by the first part that ticks with them."""


@dataclass(frozen=True)
class SampledLaw:
    """What a sampled value becomes: its mode, the law as written, the instance and the clock."""

    mode: Node
    law: Node
    path: str
    clock: Clock

    @property
    def element(self) -> str:
        """How errors call it."""
        return f"sampled value '{split_name(self.mode)[0]}' of '{self.path or 'the whole'}'"


def add_happenings(
    model: Model, found: SortedComponent, states: dict[Node, str], names: dict[str, str]
) -> None:
    """Give a model the events, clocks and sampled values of its components.

    Args:
        model: with all its states.
        found: the sorted component.
        states: symbol -> name of states and modes.
        names: path of a variable -> its name among the outputs.
    """
    model.events |= events_of(found, states, names)
    laws = _laws(model, found)
    page = _Instant(found, states, names, laws, _taint(found, laws))
    new = {mode: page.law(row) for mode, row in laws.items()}
    _refuse_cycles(laws, new)
    for mode, row in laws.items():
        name = states[mode]
        model.states[name] = replace(model.states[name], clock=row.clock.name, sampled=new[mode])


def _laws(model: Model, found: SortedComponent) -> dict[Node, SampledLaw]:
    """Mode -> what it becomes; the clocks are added to the model."""
    modes = {row.symbol for row in found.flat.variables.values() if row.role == "mode"}
    clocks: dict[Ticks, Clock] = {}
    laws: dict[Node, SampledLaw] = {}
    rows = [row for _, row in found.flat.events if isinstance(row, When)]
    changed = {change.target for row in rows for change in row.changes}
    for path, made in found.flat.events:
        if not isinstance(made, SampledEquations):
            continue
        clock = _clock(model, clocks, made, path)
        for mode, law in made.rows:
            row = SampledLaw(mode, law, path, clock)
            if mode not in modes:
                raise ModelError(
                    "it is not a mode", element=row.element, cure="declare it as mode(0.0)"
                )
            if mode in laws or mode in changed:
                raise ModelError(
                    "it is found twice, by sample(…) or reset(…)",
                    element=row.element,
                    cure="keep one of them",
                )
            laws[mode] = row
    return laws


def _clock(model: Model, clocks: dict[Ticks, Clock], made: SampledEquations, path: str) -> Clock:
    """The clock with these ticks."""
    if made.ticks not in clocks:
        stem = f"{path}.{NAME}" if path else NAME
        taken = {*model.clocks, *model.events}
        name = stem if stem not in taken else f"{stem}_{len(clocks) + 1}"
        clocks[made.ticks] = model.clocks[name] = Clock(name, made.ticks.period, made.ticks.first)
    return clocks[made.ticks]


def _taint(found: SortedComponent, laws: Mapping[Node, SampledLaw]) -> dict[Node, Node | None]:
    """Unknowns that change with sampled values -> what gives them; None inside larger blocks."""
    tainted: dict[Node, Node | None] = {}
    if not laws:
        return tainted
    page = found.page
    for block in found.blocks:
        if isinstance(block, SolvedMotion):  # what moves it may be sampled
            ends = [end for link in block.links for end in (link.qdd, link.tau) if end is not None]
            tainted |= {node: None for node, _ in ends}
            continue
        columns = [page.columns[c] for c in (*block.columns, *(c for _, c in block.inner))]
        rows = [page.rows[r] for r in (*block.rows, *(r for r, _ in block.inner))]
        if not any(s in laws or s in tainted for s in symbols(rows)):
            continue
        alone = block.linear and len(columns) == 1
        for node in columns:
            tainted[node] = explicit(block.slopes[block.rows[0]], node) if alone else None
    return tainted


@dataclass(frozen=True)
class _Instant:
    """Expressions at the instant of a tick, in the words of the model."""

    found: SortedComponent
    states: dict[Node, str]
    names: dict[str, str]
    laws: Mapping[Node, SampledLaw]
    tainted: Mapping[Node, Node | None]

    def law(self, row: SampledLaw) -> Node:
        """What a sampled value becomes: x_NAME is of the instant, previous(x_NAME) before it."""
        plain = Translation(self.found, self.states, self.names, row.element)
        before = {
            node: self._before(node.args[0], plain)
            for node in compounds((row.law,))
            if node.op in (PREVIOUS, HOLD)
        }
        marks = {node: state_symbol(f"{k} before") for k, node in enumerate(before)}
        (law,) = substitute((row.law,), marks)
        now = self._now(law, plain, row, set(marks.values()))
        return substitute((now,), {marks[node]: value for node, value in before.items()})[0]

    def _before(self, node: Node, plain: Translation) -> Node:
        """An expression right before the tick."""
        own = plain.node(node)
        new = {
            state_symbol(self.states[mode]): apply(PREVIOUS, (state_symbol(self.states[mode]),))
            for mode in self.laws
        }
        return substitute((own,), new)[0]

    def _now(self, node: Node, plain: Translation, row: SampledLaw, kept: set[Node]) -> Node:
        """An expression at the tick: what changes with sampled values by its equations."""
        meanings = self.found.reduced.meanings
        own = [s for s in symbols((node,)) if s not in kept]
        (node,) = substitute((node,), {s: resolve(s, meanings) for s in own})
        while spread := [s for s in symbols((node,)) if s in self.tainted]:
            (node,) = substitute((node,), {s: self._meaning(s, row) for s in spread})
        for other in [self.laws[s] for s in symbols((node,)) if s in self.laws]:
            _refuse_division(row, other)
        new = {s: plain.node(s) for s in symbols((node,)) if s not in kept}
        return substitute((node,), new)[0]

    def _meaning(self, s: Node, row: SampledLaw) -> Node:
        """What gives an unknown that changes with sampled values."""
        expr = self.tainted[s]
        if expr is None:
            raise ModelError(
                f"it reads '{say(s)}', which follows from values of the same tick by equations "
                "that are solved together",
                element=row.element,
                cure="read pre(…) of it, the value before the tick",
            )
        return expr


def _refuse_division(row: SampledLaw, other: SampledLaw) -> None:
    """Refuse to read a value of a clock that does not divide one's own."""
    if not divide(other.clock, row.clock):
        raise ModelError(
            f"it reads '{split_name(other.mode)[0]}', but its clock ({_ticks(row.clock)}) and that "
            f"of '{other.path or 'the whole'}' ({_ticks(other.clock)}) do not divide",
            element=row.element,
            cure="make one period a whole multiple of the other, or read pre(…) of it",
        )


def _ticks(clock: Clock) -> str:
    return f"{clock.every:g} s from {clock.offset:g} s on"


def _refuse_cycles(laws: Mapping[Node, SampledLaw], new: Mapping[Node, Node]) -> None:
    """Refuse values that need each other at one instant."""
    by_name = {state_symbol(split_name(mode)[0]): mode for mode in laws}
    order = {mode: k for k, mode in enumerate(laws)}
    needs = {}
    for mode, law in new.items():
        before = {n: state_symbol("0 before") for n in compounds((law,)) if n.op is PREVIOUS}
        (plain,) = substitute((law,), before)
        needs[order[mode]] = [order[by_name[s]] for s in symbols((plain,)) if s in by_name]
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        modes = list(laws)
        names = [split_name(modes[k])[0] for k in error.args[1][:-1]]
        through = ", ".join(f"'{name}'" for name in names)
        raise ModelError(
            f"the values {through} need each other at the same tick"
            if len(names) > 1
            else "it needs its own value at the same tick",
            element=laws[modes[error.args[1][0]]].element,
            cure="read pre(…) of one of them, or of what was measured: the value before the tick",
        ) from None
