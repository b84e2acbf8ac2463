"""The expressions of measures in the terms of forward dynamics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from kinetree.analysis.observing.attach import attach_used
from kinetree.analysis.runs.event_laws import EventLaw
from kinetree.analysis.runs.events import branches
from kinetree.engine import Node, substitute, symbols, text
from kinetree.program import Program
from kinetree.program.events import hold_branches
from kinetree.program.state_form import consistent_state, state_parts

if TYPE_CHECKING:
    from kinetree.analysis.runs.dynamics import Dynamics
    from kinetree.measures import Measure

SETS = 8
"""Sets of measures whose expressions are kept with the equations that they look at."""


@dataclass(frozen=True)
class Expressions:
    """What measures look at.

    Attributes:
        forward: forward dynamics with the equations of the outputs that are used.
        nodes: one per measure, at the consistent state.
        integrands: of those measures that are integrals, in order.
        integrated: number of the integral of each measure; None where it has none.
    """

    forward: Program
    nodes: tuple[Node, ...]
    integrands: tuple[Node, ...]
    integrated: tuple[int | None, ...]

    @cached_property
    def key(self) -> str:
        """Tells it from others of the same dynamics."""
        return "; ".join(text(node) for node in (*self.nodes, *self.integrands))

    @cached_property
    def with_held_laws(self) -> Expressions:
        """The same with laws that can be held on their branches; itself where there are none."""
        conditions = branches(self.forward)
        if not conditions.nodes:
            return self
        return replace(self, forward=hold_branches(self.forward, conditions))

    @cached_property
    def symbols(self) -> frozenset[Node]:
        """The symbols that stand in the equations, or in what measures look at."""
        return frozenset(symbols([*self.forward.roots(), *self.nodes, *self.integrands]))


def read_expressions(system: Dynamics, measures: Mapping[str, Measure]) -> Expressions:
    """The expressions of measures; names that the model does not know are refused.

    They are found once for the equations, but for those that others sorted, whose outputs may have
    other names.
    """
    laws = [EventLaw(system, f"measure '{name}'").node(m.of) for name, m in measures.items()]
    powers = [measure.power for measure in measures.values()]
    kept: dict[Any, Expressions] = {}
    if system.model.equations is None:
        kept = system.forms.results.setdefault("expressions", kept)
    key = (*laws, *powers)
    if key not in kept:
        if len(kept) == SETS:
            kept.clear()
        kept[key] = _find(system, laws, powers)
    return kept[key]


def _find(system: Dynamics, laws: Sequence[Node], powers: Sequence[int]) -> Expressions:
    """The expressions that are these of the state, with powers of the integrals."""
    plain = system.forms.forward.program
    forward, outputs = attach_used(system.model, plain, laws)
    y = [s for row in state_parts(plain) for s in row.symbols]
    consistent = dict(zip(y, consistent_state(plain), strict=True))
    nodes = substitute(substitute(laws, consistent), outputs)
    integrands = [node**k for node, k in zip(nodes, powers, strict=True) if k]
    numbers = iter(range(len(integrands)))
    integrated = tuple(next(numbers) if k else None for k in powers)
    return Expressions(forward, tuple(nodes), tuple(integrands), integrated)
