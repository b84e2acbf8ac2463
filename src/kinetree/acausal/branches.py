"""Stage 4, branches: switches take their branch from modes that stay as they are between events.

| in | out |
|---|---|
| equations with switch(c, a, b) | equations with select(m, a, b); the condition c of every mode m |

So a block whose branches are linear is linear, and an ideal diode may switch by what it finds
itself: the mode is known before the block is solved, its condition after.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from kinetree.acausal.instances import FlatEquation
from kinetree.engine import SELECT, SWITCH, Node, Rank, apply, compounds, evaluate, substitute
from kinetree.engine import symbol as make_symbol

STEM = "switch"
"""Modes are called switch_1, switch_2, …"""


@dataclass
class Branches:
    """Modes of switches.

    Attributes:
        conditions: symbol of a mode -> what is above zero where the mode is 1.
        origin: symbol of a mode -> path of the instance that has the switch first.
    """

    conditions: dict[Node, Node] = field(default_factory=dict)
    origin: dict[Node, str] = field(default_factory=dict)

    def settle(self, values: dict[Node, float]) -> bool:
        """Put the modes on the sides of their conditions; whether one has changed."""
        changed = False
        for mode, margin in self.conditions.items():
            (value,) = evaluate((margin,), values)
            new = 1.0 if value > 0 else 0.0
            changed |= values.get(mode, 0.0) != new
            values[mode] = new
        return changed


def hold_branches(equations: Sequence[FlatEquation]) -> tuple[list[FlatEquation], Branches]:
    """The equations with modes in place of the conditions of switches."""
    found, modes = Branches(), dict[Node, Node]()
    new: dict[Node, Node] = {}
    rows = []
    for row in equations:
        switches = [node for node in compounds((row.residual,)) if node.op is SWITCH]
        for node in switches:  # children first
            margin, a, b = substitute(node.args, new)
            if margin not in modes:
                modes[margin] = make_symbol(f"x_{STEM}_{len(modes) + 1}", Rank.FORCE)
                found.conditions[modes[margin]] = margin
                found.origin[modes[margin]] = row.origin
            new[node] = apply(SELECT, (modes[margin], a, b))
        if switches:
            (residual,) = substitute((row.residual,), new)
            rows.append(replace(row, residual=residual))
        else:
            rows.append(row)
    return rows, found
