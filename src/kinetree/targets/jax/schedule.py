"""Values in an order of few steps: what can be found at the same time stands in one array.

All values live in one array, each in a slot.  Numbers and inputs come first; then, level by level,
calls of a kind together, systems, and arithmetic in steps of equal width.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kinetree.engine.ops import Op
    from kinetree.targets.jax.graph import GraphSystem, ValueGraph

WIDTHS = (2, 4, 8, 16, 32, 64, 128, 256)
"""Values per step of arithmetic to choose from."""
PRICE = 24
"""What a step costs besides its values, in values."""


@dataclass(frozen=True, slots=True)
class Calls:
    """Values of one function, in slots `at`, `at` + 1, …; slots of their arguments, each a row."""

    op: Op
    at: int
    arguments: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class SolveStage:
    """The solution of a system, in slots `at`, …, and the slots of the block's operands."""

    system: GraphSystem
    at: int
    operands: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Steps:
    """Arithmetic: per step and value the slots a, b, c, d, e and the sign; results from `at` on."""

    at: int
    rows: tuple[tuple[tuple[int, ...], ...], ...]

    @property
    def width(self) -> int:
        """Values per step."""
        return len(self.rows[0])


Stage = Calls | SolveStage | Steps


@dataclass(slots=True)
class Schedule:
    """The order in which the values of a graph are found.

    Attributes:
        graph: the values.
        slots: value -> its slot.
        stages: in order.
        size: number of slots.
    """

    graph: ValueGraph
    slots: dict[int, int] = field(default_factory=dict)
    stages: list[Stage] = field(default_factory=list)
    size: int = 0

    def __post_init__(self) -> None:
        for value in (0.0, 1.0):
            self.graph.number(value)
        self._place([*self.graph.numbers.values(), *self.graph.inputs])
        levels = {row.level for row in self.graph.values}
        for level in sorted(levels):
            self._calls(level)
            self._systems(level)
            self._arithmetic(level)

    def _place(self, values: list[int]) -> int:
        start = self.size
        self.slots.update({value: start + i for i, value in enumerate(values)})
        self.size += len(values)
        return start

    def _calls(self, level: int) -> None:
        groups: dict[Op, list[int]] = {}
        for i, row in enumerate(self.graph.values):
            if row.node is not None and row.level == level:
                groups.setdefault(row.node.op, []).append(i)
        for op, group in groups.items():
            needs = [[self.slots[k] for k in self.graph.values[i].needs] for i in group]
            arguments = tuple(zip(*needs, strict=True))
            self.stages.append(Calls(op, self._place(group), arguments))

    def _systems(self, level: int) -> None:
        for number, system in enumerate(self.graph.systems):
            if system.level != level:
                continue
            targets = [i for i, row in enumerate(self.graph.values) if row.system == number]
            operands = tuple(self.slots[i] for i in system.needs)
            self.stages.append(SolveStage(system, self._place(targets), operands))

    def _arithmetic(self, level: int) -> None:
        values = self.graph.values
        wanted = [i for i, row in enumerate(values) if row.sign and row.level == level]
        if not wanted:
            return
        tries = (list(_order_steps(self.graph, wanted, width)) for width in WIDTHS)
        priced = zip(WIDTHS, tries, strict=True)
        width, steps = min(priced, key=lambda row: len(row[1]) * (PRICE + row[0]))
        start = self.size
        for step in steps:
            self._place(step)
            self.size += width - len(step)
        zero, one = (self.slots[self.graph.numbers[x]] for x in (0.0, 1.0))
        empty = (zero, zero, zero, zero, one, 1)
        rows = tuple(
            tuple(
                (*(self.slots[k] for k in values[step[j]].needs), values[step[j]].sign)
                if j < len(step)
                else empty
                for j in range(width)
            )
            for step in steps
        )
        self.stages.append(Steps(start, rows))


def _order_steps(graph: ValueGraph, wanted: list[int], width: int) -> Iterator[list[int]]:
    """Steps of at most `width` values; those with the longest way to go first."""
    here = set(wanted)
    height = dict.fromkeys(wanted, 0)
    users: dict[int, list[int]] = {i: [] for i in wanted}
    waiting: dict[int, int] = {}
    for i in reversed(wanted):
        inner = here.intersection(graph.values[i].needs)
        waiting[i] = len(inner)
        for k in inner:
            users[k].append(i)
            height[k] = max(height[k], height[i] + 1)
    ready = [(-height[i], i) for i in wanted if not waiting[i]]
    heapq.heapify(ready)
    while ready:
        step = [heapq.heappop(ready)[1] for _ in range(min(width, len(ready)))]
        for i in step:
            for user in users[i]:
                waiting[user] -= 1
                if not waiting[user]:
                    heapq.heappush(ready, (-height[user], user))
        yield step
