"""What events change, as LLVM IR: the state after the events of one instant.

At an event the changes of all events that happen there are made at once; the state is made
consistent again; conditions that pass zero by it are events of the same instant and make theirs
next, until nothing more happens.  Where that does not end, or has no value, the state before it is
put back and the caller is left with the event.
"""

from __future__ import annotations

from kinetree.integrate.loops.layout import CHATTERING, RUNNING, TERMINAL
from kinetree.integrate.loops.memory import BOTH, Memory
from kinetree.integrate.loops.tableaus import Tableau
from kinetree.targets.native.llvm import INT, PTR, Code, Value

ROUNDS = 100
"""Rounds of changes at one instant after which events are said not to settle."""
GATES = ("g_old", "g_hit", "g_work", "later", "root")
"""Vectors of conditions that are looked at here."""
PIVOTS = 10_000
"""Changes of modes of dry friction and contacts at one instant, at most."""
SAME = 1e-13
"""Share of 1 and of a value up to which it has not changed: projections leave roundings."""
CROWD = 8
"""Instants with events in a row that are too many where they come too fast."""
AHEAD = 2.0**-46
"""How far after an event conditions are looked at, in shares of the step and of the time."""
TINY = 1e-300
"""Size of a value that is on a side of zero and as good as zero."""


def next_tick(memory: Memory) -> Value:
    """Time of the next row in the table of ticks [s]; the last one is at infinity."""
    code = memory.code
    row = code.whole(memory.cell("tick")) * (memory.entry("tick_events") + 1)
    return code.load(code.at(memory.entry("ticks", PTR), row))


def look_ahead(memory: Memory, into: Value) -> None:
    """Values of all events a little after t, along the derivatives there."""
    code, t = memory.code, memory.cell("t")
    with code.when(memory.entry("event_count") > 0):
        ahead = code.unary("fabs", t) * AHEAD + memory.cell("h") * AHEAD
        memory.combine(memory.vector("work"), memory.vector("y"), [ahead])
        code.call("kt.events", [*memory.both, t + ahead, memory.vector("work"), into])


def settle_text(tableau: Tableau) -> str:
    """i64 kt.settle(s, table): let the events at t happen; RUNNING where the run goes on.

    The conditions that passed zero in the step and the ticks of clocks at t happen first.
    """
    code = Code("kt.settle", INT, BOTH)
    memory = Memory(code)
    g = {name: memory.event_vector(tableau.rows, name) for name in (*GATES, "g_new")}
    n, y, before = memory.entry("n"), memory.vector("y"), memory.vector("stage")
    conditions, all_events = memory.entry("event_count"), memory.entry("all_events")
    code.copy(y, before, n)
    memory.put("final_hit", 0.0)
    _events(memory, g["g_work"])
    code.copy(g["g_work"], g["g_hit"], conditions)
    _mark_crossings(memory, tableau, "g_old", "g_work")
    _mark_ticks(memory)
    _record(memory, all_events)
    told = memory.cell("events")

    def change(index: Value, carried: tuple[Value, ...]) -> list[Value]:
        del index, carried
        found = memory.evaluate("update", memory.cell("t"), y)
        _mark_changed_modes(memory, found, g["later"])
        code.copy(found, y, n)
        code.call("kt.project", [*memory.both, memory.cell("t"), y])
        _settle_friction(memory, all_events)
        _events(memory, g["g_new"])
        _clear(memory, all_events)
        _mark_crossings(memory, tableau, "g_work", "g_new")
        code.copy(g["g_new"], g["g_work"], conditions)
        return [_record(memory, all_events)]

    once = code.constant(1.0)
    rounds = code.constant(ROUNDS, INT)
    (left,) = code.fold(rounds, [once], change, lambda carried: carried[0] > 0.0)
    with code.when((left > 0.0) | _sum(memory, y).same(0.0).negate()):
        code.copy(before, y, n)
        memory.put("events", told)
        code.leave(TERMINAL)
    _begin_again(memory, g)
    with code.when(_are_crowded(memory)):
        code.leave(CHATTERING)
    code.leave(code.choose(memory.cell("final_hit") > 0.0, code.constant(TERMINAL, INT), RUNNING))
    return code.text()


def _settle_friction(memory: Memory, count: Value) -> None:
    """Change modes of dry friction and contacts, one pivot after the other, while they change."""
    code, n, t, y = memory.code, memory.entry("n"), memory.cell("t"), memory.vector("y")
    fired, sticking = memory.entry("fired", PTR), memory.entry("sticking", PTR)
    nothing = [code.constant(0.0)]
    (some,) = code.fold(
        count, nothing, lambda index, sums: [sums[0] + code.load(code.at(sticking, index))]
    )

    def pivot(index: Value, carried: tuple[Value, ...]) -> list[Value]:
        del index, carried
        code.copy(sticking, fired, count)
        found = memory.evaluate("update", t, y)

        def count_moves(k: Value, sums: tuple[Value, ...]) -> list[Value]:
            new, old = code.load(code.at(found, k)), code.load(code.at(y, k))
            same = code.unary("fabs", old) * SAME + SAME
            return [sums[0] + code.choose(code.unary("fabs", new - old) > same, 1.0, 0.0)]

        (changed,) = code.fold(n, nothing, count_moves)
        code.copy(found, y, n)
        code.call("kt.project", [*memory.both, t, y])
        return [changed]

    pivots = code.constant(PIVOTS, INT)
    (left,) = code.fold(pivots, [some], pivot, lambda carried: carried[0] > 0.0)
    with code.when(left > 0.0):  # it never ends: there is no such state
        endless = left / 0.0
        code.store(endless - endless, y)


def _events(memory: Memory, into: Value) -> None:
    """Values of all conditions at the present state."""
    code = memory.code
    with code.when(memory.entry("event_count") > 0):
        code.call("kt.events", [*memory.both, memory.cell("t"), memory.vector("y"), into])


def _clear(memory: Memory, count: Value) -> None:
    """No event happens."""
    code, fired = memory.code, memory.entry("fired", PTR)
    code.each(count, lambda index: code.store(code.constant(0.0), code.at(fired, index)))


def _mark_changed_modes(memory: Memory, found: Value, into: Value) -> None:
    """What is not 0 of switches that change their mode: they do not change it back at once.

    Where both branches meet, rounding may put the condition of a switch on the side that it left;
    where it is there for good, it passes zero again in the next step.
    """
    code, y = memory.code, memory.vector("y")

    def one(index: Value) -> None:
        mode = code.load(code.at(memory.entry("modes", PTR), index))
        code.store(code.constant(0.0), code.at(into, index))
        with code.when(mode >= 0.0):
            at = code.whole(mode)
            turned = code.load(code.at(found, at)) - code.load(code.at(y, at))
            code.store(turned, code.at(into, index))

    code.each(memory.entry("event_count"), one)


def _mark_crossings(memory: Memory, tableau: Tableau, old: str, new: str) -> None:
    """The conditions that pass zero from old to new in their direction, and change something."""
    code, fired = memory.code, memory.entry("fired", PTR)
    rows = {
        name: memory.event_vector(tableau.rows, name)
        for name in (old, new, "sense", "terminal", "root", "later")
    }

    def one(index: Value) -> None:
        a, b, sense, acts, root, turned = (code.load(code.at(r, index)) for r in rows.values())
        if old == "g_old":  # on the way to t
            rising = (a < 0.0) & (b >= 0.0) & (sense >= 0.0)
            falling = (a > 0.0) & (b <= 0.0) & (sense <= 0.0)
            passes = rising | falling | (root <= memory.cell("end_of_step"))
        else:  # by a change: one that ends on zero passes nothing, one that leaves it does
            rising = (a <= 0.0) & (b > 0.0) & (sense >= 0.0)
            falling = (a >= 0.0) & (b < 0.0) & (sense <= 0.0)
            passes = (rising | falling) & turned.same(0.0)
        happens = passes & (acts > 0.0)
        code.store(code.choose(happens, 1.0, 0.0), code.at(fired, index))

    code.each(memory.entry("event_count"), one)


def _mark_ticks(memory: Memory) -> None:
    """The clocks that tick at t; the next row of the table of ticks is theirs."""
    code, fired = memory.code, memory.entry("fired", PTR)
    count, first = memory.entry("tick_events"), memory.entry("event_count")
    due = next_tick(memory) <= memory.cell("t")
    row = code.whole(memory.cell("tick")) * (count + 1)

    def one(index: Value) -> None:
        mark = code.load(code.at(memory.entry("ticks", PTR), row + index + 1))
        code.store(code.choose(due, mark, 0.0), code.at(fired, first + index))

    code.each(count, one)
    with code.when(due):
        memory.add("tick", 1.0)


def _record(memory: Memory, count: Value) -> Value:
    """Write the events that happen into the table, with the state before; how many they are."""
    code, n = memory.code, memory.entry("n")
    fired, final = memory.entry("fired", PTR), memory.entry("final", PTR)
    room = code.real(memory.entry("event_room"))

    def one(index: Value, sums: tuple[Value, ...]) -> list[Value]:
        mark = code.load(code.at(fired, index))
        row = code.whole(memory.cell("events")) * (n + 2)
        at = code.at(memory.entry("event_table", PTR), row)
        with code.when((mark > 0.0) & (memory.cell("events") < room)):
            code.store(code.real(index), at)
            code.store(memory.cell("t"), code.at(at, 1))
            code.copy(memory.vector("y"), code.at(at, 2), n)
            memory.add("events", 1.0)
            with code.when(code.load(code.at(final, index)) > 0.0):
                memory.put("final_hit", 1.0)
        return [sums[0] + mark]

    (total,) = code.fold(count, [code.constant(0.0)], one)
    return total


def _sum(memory: Memory, y: Value) -> Value:
    """0 where every component is a number, else not a number."""
    code = memory.code

    def one(index: Value, sums: tuple[Value, ...]) -> list[Value]:
        return [sums[0] + code.load(code.at(y, index)) * 0.0]

    (total,) = code.fold(memory.entry("n"), [code.constant(0.0)], one)
    return total


def _begin_again(memory: Memory, g: dict[str, Value]) -> None:
    """Derivatives, step control and the output at t after a change of the state."""
    code = memory.code
    t, y, slope = memory.cell("t"), memory.vector("y"), memory.derivative(0)
    code.call("kt.rates", [*memory.both, t, y, slope])
    memory.put("error_before", 1e-4)
    with code.when(memory.cell("fixed") > 0.0):  # equal steps go on from here
        memory.put("t0", t - memory.cell("steps") * memory.cell("h"))
    last = code.whole(memory.cell("cursor")) + -1
    with code.when(code.load(code.at(memory.entry("times", PTR), last)).same(t)):
        n = memory.entry("n")
        code.copy(y, code.at(memory.entry("values", PTR), last * n), n)
    look_ahead(memory, g["later"])

    def one(index: Value) -> None:
        old, hit, new, later, root = (code.load(code.at(g[name], index)) for name in GATES)
        # what reached zero and was not changed is behind it, whatever rounding says
        behind = code.choose(old > 0.0, -TINY, TINY)
        passed = ((root <= memory.cell("end_of_step")) | new.same(0.0)) & new.same(hit)
        wrong = passed & (new * behind <= 0.0)
        side = code.choose(new.same(0.0), later, new)
        code.store(code.choose(wrong, behind, side), code.at(g["g_old"], index))
        mode = code.load(code.at(memory.entry("modes", PTR), index))
        with code.when(mode >= 0.0):  # a switch is on the side that its mode says
            above = code.load(code.at(y, code.whole(mode))) > 0.5
            said = code.choose(above, code.constant(TINY), -TINY)
            with code.when(new * said <= 0.0):  # by rounding, unless the next step ends there
                code.store(said, code.at(g["g_old"], index))
                code.store(said, code.at(g["later"], index))

    code.each(memory.entry("event_count"), one)


def _are_crowded(memory: Memory) -> Value:
    """Whether the last instants with events lie too close together."""
    code, t = memory.code, memory.cell("t")
    apart = t - memory.cell("crowd_t") > memory.cell("instant")
    with code.when(apart):
        memory.put("crowd_t", t)
        memory.put("crowd", 0.0)
    memory.add("crowd", 1.0)
    return memory.cell("crowd") >= float(CROWD)
