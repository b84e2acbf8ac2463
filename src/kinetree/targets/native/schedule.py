"""The order of operations: long chains first, within a window of the order that the tape has.

A processor looks some hundred instructions ahead, so a chain of dependent operations should start
early; but the further operations are moved, the more values are alive at once, and the more of
them spill.  Short tapes gain about a tenth (measured on four robots), long ones lose: they keep
the order of the Program, which was chosen for locality.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

from kinetree.targets.tape import CALL, LATENCY, LEAVES, ZERO, System, Tape

if TYPE_CHECKING:
    from collections.abc import Callable

SHORT = 2000
"""Operations up to which a tape is reordered."""
WINDOW = 1000
"""Operations that may overtake one another."""


def schedule(tape: Tape) -> Tape:
    """The same tape in an order that hides latencies."""
    work = [entry for entry, code in enumerate(tape.code) if code not in LEAVES]
    return tape if len(work) > SHORT else _rebuilt(tape, _ordered(tape, work))


def _ordered(tape: Tape, work: list[int]) -> list[int]:
    """List scheduling: of the operations that are ready, the one with the longest way to go."""
    needs = _needs(tape, work)
    height = _heights(tape, work, needs)
    waiting = {entry: len(needs[entry]) for entry in work}
    users: dict[int, list[int]] = {}
    for entry in work:
        for need in needs[entry]:
            users.setdefault(need, []).append(entry)
    order: list[int] = []
    ready: list[tuple[int, int]] = []
    seen: set[int] = set()
    for start, entry in enumerate(work):
        seen.add(entry)
        if waiting[entry] == 0:
            heapq.heappush(ready, (-height[entry], entry))
        while ready and (start - len(order) > WINDOW or start == len(work) - 1):
            done = heapq.heappop(ready)[1]
            order.append(done)
            for user in users.get(done, ()):
                waiting[user] -= 1
                if waiting[user] == 0 and user in seen:
                    heapq.heappush(ready, (-height[user], user))
    return order


def _needs(tape: Tape, work: list[int]) -> dict[int, list[int]]:
    """Operation -> the operations it waits for; a part of a solution waits for its system."""
    solved = {tape.a[entry]: entry for entry in work if tape.code[entry] == "solve"}

    def source(entry: int) -> int:
        return solved[tape.a[entry]] if tape.code[entry] == "part" else entry

    waits: dict[int, list[int]] = {}
    for entry in work:
        found = dict.fromkeys(source(operand) for operand in tape.operands(entry))
        waits[entry] = [need for need in found if tape.code[need] not in LEAVES]
    return waits


def _heights(tape: Tape, work: list[int], needs: dict[int, list[int]]) -> dict[int, int]:
    """Operation -> cycles from its start to the end of the longest chain that begins with it."""
    after: dict[int, int] = {}
    for entry in reversed(work):
        height = after.get(entry, 0) + LATENCY.get(tape.code[entry], CALL)
        after[entry] = height
        for need in needs[entry]:
            after[need] = max(after.get(need, 0), height)
    return after


def _rebuilt(tape: Tape, order: list[int]) -> Tape:
    """A tape with its operations in that order."""
    new = Tape(tape.sizes, numbers=list(tape.numbers))
    names: dict[int, int] = {ZERO: ZERO}

    def name(entry: int) -> int:
        if entry not in names:
            names[entry] = new.leaf(tape.code[entry], tape.a[entry], tape.b[entry])
        return names[entry]

    new.systems = [System(s.n, s.k, (), (), ()) for s in tape.systems]
    for entry in order:
        code, a, b = tape.code[entry], tape.a[entry], tape.b[entry]
        if code == "solve":
            new.systems[a] = _renamed(tape.systems[a], name)
            names[entry] = new.place_solve(a)
        else:
            two = len(tape.operands(entry)) == 2
            names[entry] = new.emit(code, name(a), name(b) if two else 0)
    new.outputs = [name(entry) for entry in tape.outputs]
    return new


def _renamed(system: System, name: Callable[[int], int]) -> System:
    matrix, inverse, rhs = (
        tuple(name(e) for e in part) for part in (system.matrix, system.inverse, system.rhs)
    )
    return System(system.n, system.k, matrix, inverse, rhs)
