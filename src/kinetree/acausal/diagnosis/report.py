"""Reports: what every stage found and how long it took."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

MOST = 12
"""Names of unknowns that a line lists."""
MOST_STATES = 60
"""States and defaults that a line lists."""
LONE = "connected to nothing; connect it or take it away"
"""What is said of a part with ports that nothing meets."""


@dataclass(frozen=True)
class StageRow:
    """One stage: its name, what it found, its time [s]."""

    name: str
    found: str
    seconds: float


@dataclass(frozen=True)
class SortingReport:
    """What became of a component.

    Attributes:
        name: of its class.
        stages: in order.
        states: names.
        blocks: (size, torn to, whether it is linear, names of the torn unknowns) of every block
            that is more than an assignment.
        assumed: defaults that were added for the start.
        open_ports: that nothing is connected with; they carry no flow.
        lone_parts: that have ports, and nothing is connected with any.
        motions: how equations of motion are solved, where that is joint by joint.
        wanted: derivatives of inputs that the equations need.
    """

    name: str
    stages: tuple[StageRow, ...]
    states: tuple[str, ...]
    blocks: tuple[tuple[int, int, bool, list[str]], ...]
    assumed: tuple[str, ...]
    open_ports: tuple[str, ...]
    lone_parts: tuple[str, ...] = ()
    motions: tuple[str, ...] = ()
    wanted: tuple[str, ...] = ()

    @property
    def index(self) -> str:
        """What the stage of index reduction found."""
        return next(row.found for row in self.stages if row.name == "pantelides")

    @property
    def findings(self) -> tuple[str, ...]:
        """Sentences on what is probably not meant."""
        lone = [f"part '{path}' is {LONE}" for path in self.lone_parts]
        inside = [f"{path}." for path in self.lone_parts]
        ends = [path for path in self.open_ports if not path.startswith(tuple(inside))]
        told = [f"port '{path}' is open and carries no flow; connect it where it should"
                for path in ends]  # fmt: skip
        rates = [f"'{name}' is needed beside the input; give it, or put something between that "
                 "keeps the input from being differentiated" for name in self.wanted]  # fmt: skip
        return (*lone, *told, *rates)

    def lines(self) -> list[str]:
        """States, blocks and what was assumed, one line each."""
        found = [f"states: {_list(self.states, MOST_STATES) or 'none'}"]
        for size, torn, linear, names in self.blocks:
            kind = "linear" if linear else "nonlinear"
            found.append(f"{kind} block of {size}, torn to {torn}: {_list(names)}")
        found += self.motions
        if self.assumed:
            found.append(f"assumed at the start: {_list(self.assumed, MOST_STATES)}")
        return found

    def __str__(self) -> str:
        lines = [f"component {self.name}"]
        lines += [f"  {row.name:<12} {row.found:<60} {row.seconds:8.4f} s" for row in self.stages]
        lines += [f"  {line}" for line in (*self.lines(), *self.findings)]
        return "\n".join(lines)


def _list(names: Sequence[str], most: int = MOST) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
