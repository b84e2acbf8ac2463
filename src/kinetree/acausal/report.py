"""Reports: what every stage found and how long it took."""

from __future__ import annotations

from dataclasses import dataclass


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
    """

    name: str
    stages: tuple[StageRow, ...]
    states: tuple[str, ...]
    blocks: tuple[tuple[int, int, bool, list[str]], ...]
    assumed: tuple[str, ...]
    open_ports: tuple[str, ...]

    @property
    def index(self) -> str:
        """What the stage of index reduction found."""
        return next(row.found for row in self.stages if row.name == "pantelides")

    def __str__(self) -> str:
        lines = [f"component {self.name}"]
        lines += [f"  {row.name:<12} {row.found:<60} {row.seconds:8.4f} s" for row in self.stages]
        lines.append(f"  states: {', '.join(self.states) or 'none'}")
        for size, torn, linear, names in self.blocks:
            kind = "linear" if linear else "nonlinear"
            lines.append(f"  {kind} block of {size}, torn to {torn}: {', '.join(names)}")
        if self.assumed:
            lines.append(f"  assumed at the start: {', '.join(self.assumed)}")
        if self.open_ports:
            lines.append(f"  open ports: {', '.join(self.open_ports)}")
        return "\n".join(lines)
