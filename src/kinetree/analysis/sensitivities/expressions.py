"""The expressions of measures in the terms of forward dynamics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kinetree.analysis.observing.attach import attach_used
from kinetree.analysis.runs.event_laws import EventLaw
from kinetree.engine import Node, substitute, text
from kinetree.program import Program
from kinetree.program.state_form import consistent_state, state_parts

if TYPE_CHECKING:
    from kinetree.analysis.runs.dynamics import Dynamics
    from kinetree.measures import Measure


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

    @property
    def key(self) -> str:
        """Tells it from others of the same dynamics."""
        return "; ".join(text(node) for node in (*self.nodes, *self.integrands))


def read_expressions(system: Dynamics, measures: Mapping[str, Measure]) -> Expressions:
    """The expressions of measures; names that the model does not know are refused."""
    plain = system.forms.forward.program
    laws = [EventLaw(system, f"measure '{name}'").node(m.of) for name, m in measures.items()]
    forward, outputs = attach_used(system.model, plain, laws)
    y = [s for row in state_parts(plain) for s in row.symbols]
    consistent = dict(zip(y, consistent_state(plain), strict=True))
    nodes = substitute(substitute(laws, consistent), outputs)
    powers = [measure.power for measure in measures.values()]
    integrands = [node**k for node, k in zip(nodes, powers, strict=True) if k]
    numbers = iter(range(len(integrands)))
    integrated = tuple(next(numbers) if k else None for k in powers)
    return Expressions(forward, tuple(nodes), tuple(integrands), integrated)
