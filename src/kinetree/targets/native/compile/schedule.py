"""The order of operations: long chains first, within a window of the order that the tape has.

A processor looks some hundred instructions ahead, so a chain of dependent operations should start
early; but the further operations are moved, the more values are alive at once, and the more of
them spill.  Short tapes gain about a tenth (measured on four robots), long ones lose: they keep
the order of the Program, which was chosen for locality.

In the step of an iteration nearly all work is for the matrix of a linear system.  Its columns are
derivatives by one unknown each, found by sweeps of their own; column by column, from the last,
only one sweep is open at a time.
"""

from __future__ import annotations

import heapq

from kinetree.targets.tape.tape import CALL, LATENCY, ZERO, Iteration, System, Tape

SHORT = 2000
"""Operations up to which a tape is reordered."""
WINDOW = 1000
"""Operations that may overtake one another."""
NEAR = 300
"""Operations up to which a value stays in registers or the nearest cache."""


def schedule(tape: Tape) -> Tape:
    """The same tape in an order that hides latencies."""
    work = tape.operations()
    return tape if len(work) > SHORT else _rebuilt(tape, _order(tape, work))


def _order(tape: Tape, work: list[int]) -> list[int]:
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
    """Operation -> those of the others it waits for; a part of a solution waits for its system."""
    inside = set(work)
    solved = {tape.a[entry]: entry for entry in work if tape.code[entry] == "solve"}

    def source(entry: int) -> int:
        return solved.get(tape.a[entry], entry) if tape.code[entry] == "part" else entry

    waits: dict[int, list[int]] = {}
    for entry in work:
        found = dict.fromkeys(source(operand) for operand in tape.operands(entry))
        waits[entry] = [need for need in found if need in inside]
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
    new.lookups = list(tape.lookups)
    for entry in order:
        code, a = tape.code[entry], tape.a[entry]
        if code == "solve":
            new.systems[a] = tape.systems[a].rename(name)
            names[entry] = new.place_solve(a)
        elif code == "table":
            names[entry] = new.emit(code, name(a), tape.b[entry])
        else:
            names[entry] = new.emit(code, *(name(e) for e in tape.operands(entry)))
    new.outputs = [name(entry) for entry in tape.outputs]
    return new


def split_stages(tape: Tape, count: int) -> tuple[Tape, int]:
    """The tape with all that the first outputs need before the rest; the entry after these."""
    early, late = tape.stages(count)
    order: list[int] = []
    for stage in (early, late):
        order += _on_demand(tape, stage) if len(stage) > SHORT else _order(tape, stage)
    new = _rebuilt(tape, order)
    return new, new.operations()[len(early) - 1] + 1 if early else 0


def _on_demand(tape: Tape, stage: list[int]) -> list[int]:
    """The operations where they are called for, if fewer values live long that way."""
    solves = [entry for entry in stage if tape.code[entry] == "solve"]
    if not solves:
        return stage
    needs = _needs(tape, stage)
    for entry in solves:
        rank = {e: k for k, e in enumerate(_by_columns(tape.systems[tape.a[entry]]))}
        needs[entry] = [e for _, e in sorted((rank.get(e, -1), e) for e in needs[entry])]
    done: set[int] = set()
    order: list[int] = []
    for root in [*reversed(tape.outputs), *reversed(solves), *stage]:
        stack = [(root, False)]
        while stack:
            entry, ready = stack.pop()
            if ready:
                order.append(entry)
            elif entry not in done and entry in needs:
                done.add(entry)
                stack.append((entry, True))
                stack.extend((need, False) for need in needs[entry] if need not in done)
    return min(stage, order, key=lambda rows: _long_lives(rows, needs))


def _by_columns(system: System | Iteration) -> tuple[int, ...]:
    """What a system reads, the matrix column by column."""
    if isinstance(system, Iteration) or system.factorised:
        return system.entries
    columns = (e for j in range(system.n) for e in system.matrix[j :: system.n])
    return (*columns, *system.rhs)


def _long_lives(order: list[int], needs: dict[int, list[int]]) -> int:
    """How many values are read long after they were made."""
    place = {entry: number for number, entry in enumerate(order)}
    last = {need: number for number, entry in enumerate(order) for need in needs[entry]}
    return sum(number - place[entry] > NEAR for entry, number in last.items())
