"""The order of operations for small live sets: what a thread of a GPU keeps has to fit registers.

A thread has at most 255 registers of 32 bits; what does not fit goes to local memory.  No single
rule is best for every Program (finding the best order is NP-hard, Sethi1975), so several quick ones
are tried and the one with the shortest lives is kept, those beyond the budget counted more:

- the order of the tape,
- depth first from the outputs, of two operands the one that needs more values first (Sethi1970),
- from the start forwards: always the operation that ends most lives,
- from the end backwards: always the operation that adds fewest to what has to be kept, and among
  equal ones by several weights of how recent and how late they are.

Inputs, constants and literals are not counted: they are loaded where they are used.  A product that
only one sum reads is part of that sum, as the hardware has it: it keeps its factors, not itself.

Refs: Sethi1970; Sethi1975
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kinetree.targets.tape.tape import Tape

PULLS: dict[str, tuple[float, float, float]] = {
    "recent": (1, 0, 0), "old": (-1, 0, 0), "late": (0, 1, 0),
    **{f"time_{w:g}": (1, w, 0) for w in (0.25, 0.5, 1, 2, 4)},
    **{f"steps_{w:g}": (1, 0, w) for w in (0.5, 1, 2, 3)},
}  # fmt: skip
"""Backward orders: among operations that add equally many values the one with the largest sum of
how recently a reader of it was placed, how late it can be ready [cycles], and how many operations
stand before it in sequence, with these weights."""
RULES = ("tape", "first", "last", "eager", *PULLS)
"""Names of the orders that are tried."""
BEYOND = 3
"""What a value beyond the budget costs more than one within: the spills of five models agree."""


@dataclass(frozen=True, slots=True)
class DependencyGraph:
    """What waits for what among some operations of a tape.

    Attributes:
        work: the operations, in the order of the tape.
        needs: operation -> the others that it reads; parts of a solution mean its system.
        users: the other way round.
        weight: operation -> values that it leaves: 1, or for a system the parts that are read.
        fused: sum -> the product that is part of it.
    """

    tape: Tape
    work: list[int]
    needs: dict[int, list[int]]
    users: dict[int, list[int]]
    weight: dict[int, int]
    fused: dict[int, int]


def graph(tape: Tape, work: list[int]) -> DependencyGraph:
    """The graph of some operations; results of others count as given."""
    fused = _fused_products(tape, work)
    products = set(fused.values())
    rest = [entry for entry in work if entry not in products]
    inside = set(rest)
    solved = {tape.a[entry]: entry for entry in work if tape.code[entry] == "solve"}
    needs: dict[int, list[int]] = {}
    users: dict[int, list[int]] = {entry: [] for entry in rest}
    parts: dict[int, set[int]] = {}
    for entry in rest:
        found: dict[int, None] = {}
        for operand in _read(tape, entry, fused):
            source = operand
            if tape.code[operand] == "part":
                source = solved.get(tape.a[operand], operand)
                parts.setdefault(source, set()).add(operand)
            found[source] = None
        needs[entry] = [need for need in found if need in inside]
        for need in needs[entry]:
            users[need].append(entry)
    weight = {entry: len(parts.get(entry, ())) or 1 for entry in rest}
    return DependencyGraph(tape, rest, needs, users, weight, fused)


def _fused_products(tape: Tape, work: list[int]) -> dict[int, int]:
    """Sum or difference -> a product that nothing else reads."""
    readers: dict[int, int] = dict.fromkeys(tape.outputs, 2)
    for entry in tape.operations():
        for operand in tape.operands(entry):
            readers[operand] = readers.get(operand, 0) + 1
    inside = set(work)
    found = {}
    for entry in work:
        if tape.code[entry] in ("add", "sub"):
            for operand in tape.operands(entry):
                if tape.code[operand] == "mul" and readers[operand] == 1 and operand in inside:
                    found[entry] = operand
                    break
    return found


def _read(tape: Tape, entry: int, fused: dict[int, int]) -> tuple[int, ...]:
    """What an operation reads, with the factors of a product that is part of it."""
    operands = tape.operands(entry)
    if entry not in fused:
        return operands
    product = fused[entry]
    return (*tape.operands(product), *(e for e in operands if e != product))


def live(page: DependencyGraph, order: list[int]) -> list[int]:
    """How many values have to be kept after each operation of an order."""
    ends: dict[int, int] = {}
    place = {entry: number for number, entry in enumerate(order)}
    for entry in order:
        if page.users[entry]:
            last = max(place[user] for user in page.users[entry])
            ends[last] = ends.get(last, 0) + page.weight[entry]
    now, found = 0, []
    for number, entry in enumerate(order):
        now += page.weight[entry] if page.users[entry] else 0
        now -= ends.get(number, 0)
        found.append(now)
    return found


def order_operations(tape: Tape, work: list[int], budget: int, rule: str = "best") -> list[int]:
    """Operations in an order with few live values.

    Args:
        tape: where they stand.
        work: the operations, in an order that is possible.
        budget: values that are free to keep.
        rule: one of RULES, or `best` to take the best of them.
    """
    page = graph(tape, work)
    if rule != "best":
        return _whole(page, by_rule(page, rule))
    found = [by_rule(page, name) for name in RULES]
    return _whole(page, min(found, key=lambda order: _price(page, order, budget)))


def _whole(page: DependencyGraph, order: list[int]) -> list[int]:
    """The order with every product right before its sum."""
    found: list[int] = []
    for entry in order:
        if entry in page.fused:
            found.append(page.fused[entry])
        found.append(entry)
    return found


def _price(page: DependencyGraph, order: list[int], budget: int) -> int:
    """What lives, summed over time; what lives beyond the budget counts four times."""
    kept = live(page, order)
    return sum(kept) + BEYOND * sum(n - budget for n in kept if n > budget)


def by_rule(page: DependencyGraph, rule: str) -> list[int]:
    """The order of one rule."""
    if rule in PULLS:
        return _backward(page, PULLS[rule])
    roots = [entry for entry in page.work if not page.users[entry]]
    if rule in ("first", "last"):
        return _depth_first(page, roots if rule == "first" else reversed(roots))
    return _forward(page) if rule == "eager" else list(page.work)


def _depth_first(page: DependencyGraph, roots: Iterable[int]) -> list[int]:
    """What each root needs, before the next; of several operands the most demanding first."""
    demand: dict[int, int] = {}
    for entry in page.work:
        below = sorted((demand[need] for need in page.needs[entry]), reverse=True)
        demand[entry] = max([page.weight[entry], *(d + i for i, d in enumerate(below))])
    done: set[int] = set()
    order: list[int] = []
    for root in roots:
        stack = [(root, False)]
        while stack:
            entry, ready = stack.pop()
            if ready:
                order.append(entry)
            elif entry not in done:
                done.add(entry)
                stack.append((entry, True))
                stack += [(n, False) for n in sorted(page.needs[entry], key=demand.__getitem__)]
    return order


class _Queue:
    """Operations that are ready, cheapest first; a price that changes is pushed again."""

    def __init__(self, price: Callable[[int], tuple[int, float]]) -> None:
        self.price = price
        self.heap: list[tuple[tuple[int, float], int, int]] = []
        self.version: dict[int, int] = {}

    def push(self, entry: int) -> None:
        self.version[entry] = self.version.get(entry, -1) + 1
        heapq.heappush(self.heap, (self.price(entry), entry, self.version[entry]))

    def renew(self, entries: Iterable[int]) -> None:
        for entry in entries:
            if entry in self.version:
                self.push(entry)

    def pop(self) -> int | None:
        while self.heap:
            _, entry, version = heapq.heappop(self.heap)
            if self.version.get(entry) == version:
                del self.version[entry]
                return entry
        return None


def _backward(page: DependencyGraph, weights: tuple[float, float, float]) -> list[int]:
    """From the end: of all whose readers stand already, what adds fewest values to keep."""
    stamp: dict[int, int] = {}
    kept: set[int] = set()
    steps: dict[int, int] = {}
    for entry in page.work:
        steps[entry] = 1 + max((steps[need] for need in page.needs[entry]), default=0)
    recent, time, before = weights
    fixed = {e: time * page.tape.depth[e] + before * steps[e] for e in page.work}

    def price(entry: int) -> tuple[int, float]:
        more = sum(page.weight[need] for need in page.needs[entry] if need not in kept)
        less = page.weight[entry] if page.users[entry] else 0
        return more - less, -recent * stamp.get(entry, 0) - fixed[entry]

    queue = _Queue(price)
    left = {entry: len(page.users[entry]) for entry in page.work}
    for entry in page.work:
        if not left[entry]:
            queue.push(entry)
    order: list[int] = []
    while (done := queue.pop()) is not None:
        order.append(done)
        kept.discard(done)
        for need in page.needs[done]:
            stamp[need] = len(order)
            if need not in kept:
                kept.add(need)
                queue.renew(page.users[need])
            left[need] -= 1
            if not left[need]:
                queue.push(need)
    return order[::-1]


def _forward(page: DependencyGraph) -> list[int]:
    """From the start: of all that are ready, what ends most lives."""
    stamp: dict[int, int] = {}
    left = {entry: len(page.users[entry]) for entry in page.work}
    waiting = {entry: len(page.needs[entry]) for entry in page.work}

    def price(entry: int) -> tuple[int, float]:
        less = sum(page.weight[need] for need in page.needs[entry] if left[need] == 1)
        more = page.weight[entry] if page.users[entry] else 0
        return more - less, -stamp.get(entry, 0)

    queue = _Queue(price)
    for entry in page.work:
        if not waiting[entry]:
            queue.push(entry)
    order: list[int] = []
    while (done := queue.pop()) is not None:
        order.append(done)
        for need in page.needs[done]:
            left[need] -= 1
            if left[need] == 1:
                queue.renew(page.users[need])
        for user in page.users[done]:
            waiting[user] -= 1
            if not waiting[user]:
                stamp[user] = len(order)
                queue.push(user)
    return order
