"""Events, output and the end of an accepted step, as LLVM IR.

An event is a zero of a component of g(t, y), found by a change of its sign over a step and located
on the dense output by false position, with the interval halved where that is slow.  The place
reported is the first known one behind the zero, so that going on from there does not find it again.

Refs: Hairer1993 sec. II.6
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from kinetree.integrate.loops.changes import look_ahead, next_tick
from kinetree.integrate.loops.halting import PROBED, PROBES, search_dips
from kinetree.integrate.loops.layout import DONE, EVENT_VECTORS, RUNNING, TERMINAL
from kinetree.integrate.loops.memory import BOTH, Memory
from kinetree.integrate.loops.tableaus import Tableau
from kinetree.targets.native.llvm import INT, PTR, REAL, VEC, Code, Value

NONE = 2.0
"""Place of an event that does not happen: beyond every step."""
RESOLUTION = 2.0**-50
"""Width of the interval, in shares of the step or of the time, to which a zero is located."""
MOVED = 1e-3
"""Projections beyond this share of the tolerance ask for a new evaluation of the derivatives."""
NEXT = 1e-12
"""Values of a condition are next to zero below the root of this share of others."""
LITTLE = 1e-3
"""How far from its ends a step is looked at to tell where conditions go, in shares of it."""
HALVES = 50
"""Halvings of a step in search of an extremum."""
ENDLESS = 2**62
"""Repetitions that are never made."""
ITERATIONS = 120
"""Every third halves the interval, so this is enough for any function."""


def events_text(*, recalls: bool = False) -> str:
    """void kt.events(s, table, t, y, into): values of all events."""
    code = Code("kt.events", "void", (*BOTH, (REAL, "t"), (PTR, "y"), (PTR, "into")))
    memory = Memory(code, recalls=recalls)
    found = memory.evaluate("event", code.argument("t"), code.argument("y"))
    code.copy(found, code.argument("into"), memory.entry("event_count"))
    code.leave()
    return code.text()


def locate_text() -> str:
    """double kt.locate(s, table, i, before, after, work): θ where event i changes its sign."""
    arguments = (*BOTH, (INT, "i"), (REAL, "before"), (REAL, "after"), (PTR, "g"))
    code = Code("kt.locate", REAL, arguments)
    memory = Memory(code)
    t, h, work = memory.cell("t"), memory.cell("h_try"), memory.vector("work")
    coarse = code.unary("fabs", memory.cell("t_new") / h)
    width = code.larger(coarse, 1.0) * RESOLUTION
    sign = code.choose(code.argument("before") > 0.0, 1.0, -1.0)

    def step(index: Value, carried: tuple[Value, ...]) -> list[Value]:
        a, b, ga, gb, side = carried
        middle = (a + b) * 0.5
        chord = (a * gb - b * ga) / (gb - ga)
        halve = (index % 3).same(2) | (chord > a + width * 0.5).negate()
        # a step that begins next to zero: which side that is, rounding alone may tell
        plain = (index % 3).same(2) | (a.same(0.0) & (ga * ga < gb * gb * NEXT))
        halve = halve | (chord < b - width * 0.5).negate() | plain
        close = code.choose(chord <= a + width * 0.5, a + width * 0.5, middle)
        close = code.choose(chord >= b - width * 0.5, b - width * 0.5, close)
        place = code.choose(halve, code.choose(plain, middle, close), chord)
        code.call("kt.dense", [*memory.both, place, work])
        g = code.argument("g")
        code.call("kt.events", [*memory.both, t + place * h, work, g])
        value = code.load(code.at(g, code.argument("i")))
        left = value * sign > 0.0
        again = code.choose(left, side.same(1.0), side.same(2.0))
        return [
            code.choose(left, place, a),
            code.choose(left, b, place),
            code.choose(left, value, code.choose(again, ga * 0.5, ga)),
            code.choose(left, code.choose(again, gb * 0.5, gb), value),
            code.choose(left, code.constant(1.0), 2.0),
        ]

    ends = [code.constant(0.0), memory.cell("cut")]
    start = [*ends, code.argument("before"), code.argument("after"), code.constant(0.0)]
    limit = code.constant(ITERATIONS, INT)
    found = code.fold(limit, start, step, lambda carried: carried[1] - carried[0] > width)
    code.leave(found[1])
    return code.text()


def accept_text(tableau: Tableau) -> str:
    """i64 kt.accept(s, table): events and output of the step, then go to its end."""
    code = Code("kt.accept", INT, BOTH)
    memory = Memory(code)
    g = {name: memory.event_vector(tableau.rows, name) for name in EVENT_VECTORS}
    _watch(memory, tableau, g)
    theta = memory.cell("end_of_step")
    t, h = memory.cell("t"), memory.cell("h_try")
    early = theta < 1.0
    stop = code.choose(early, t + theta * h, memory.cell("t_new"))
    _output(memory, stop)
    last = stop.same(memory.cell("end"))
    with code.when(early):
        code.call("kt.dense", [*memory.both, theta, memory.vector("work")])
        code.copy(memory.vector("work"), memory.vector("y_new"), memory.entry("n"))
    code.copy(memory.derivative(tableau.stages), memory.derivative(0), memory.entry("n"))
    _advance(memory, stop)
    memory.add("steps", 1.0)
    happens = (memory.cell("terminal_hit") > 0.0) | (next_tick(memory) <= stop)
    with code.when(happens & memory.entry("update").same(0).negate()):
        status = code.call("kt.settle", memory.both, INT)
        keep_step(memory)
        done = code.constant(DONE, INT)
        code.leave(code.choose(last & status.same(RUNNING), done, status))
    _go_on(memory, g)
    with code.when(early):
        code.call("kt.rates", [*memory.both, stop, memory.vector("y"), memory.derivative(0)])
        look_ahead(memory, g["later"])
    keep_step(memory)
    with code.when(memory.cell("terminal_hit") > 0.0):
        code.leave(TERMINAL)
    with code.when(last):
        code.leave(DONE)
    code.leave(RUNNING)
    return code.text()


def _watch(memory: Memory, tableau: Tableau, g: dict[str, Value]) -> None:
    """Find the events of the step, and where it ends by them."""
    code, count = memory.code, memory.entry("event_count")
    memory.put("cut", 1.0)
    memory.put("terminal_hit", 0.0)
    with code.when(count > 0):
        y_new = memory.vector("y_new")
        code.call("kt.events", [*memory.both, memory.cell("t_new"), y_new, g["g_new"]])
        _look_inside(memory, tableau, g)
    memory.put("end_of_step", memory.cell("cut"))
    with code.when(count > 0):
        _find(memory, g)
        early = memory.cell("end_of_step") < 1.0
        with code.when(early & (memory.cell("halts") > 0.0)):
            code.call("kt.halt", memory.both)
        _record(memory, g)


def _go_on(memory: Memory, g: dict[str, Value]) -> None:
    """Conditions at the beginning of the next step: where they go is where they came from."""
    code = memory.code

    def one(index: Value) -> None:
        before, here = (code.load(code.at(g[name], index)) for name in ("earlier", "g_new"))
        code.store(here, code.at(g["g_old"], index))
        code.store(here + (here - before), code.at(g["later"], index))

    code.each(memory.entry("event_count"), one)


def _look_inside(memory: Memory, tableau: Tableau, g: dict[str, Value]) -> None:
    """Cut the step where a condition that goes to zero and comes from it has passed it."""
    code = memory.code
    t_new, h, work = memory.cell("t_new"), memory.cell("h_try"), memory.vector("work")
    weights = [None] * tableau.stages + [h * -LITTLE]
    memory.combine(work, memory.vector("y_new"), weights)
    code.call("kt.events", [*memory.both, t_new - h * LITTLE, work, g["earlier"]])

    def one(index: Value) -> None:
        rows = ("g_old", "later", "earlier", "g_new")
        a, after, before, b = (code.load(code.at(g[name], index)) for name in rows)
        same = ((a > 0.0) & (b > 0.0)) | ((a < 0.0) & (b < 0.0))
        inside = same & ((after - a) * a < 0.0) & ((b - before) * b > 0.0)
        with code.when(inside):
            ends = [code.constant(0.0), code.constant(1.0)]
            place = code.call("kt.turning", [*memory.both, index, a, *ends, g["g_work"]], REAL)
            first = memory.cell("cut")
            memory.put("cut", code.choose(place < first, place, first))

    code.each(memory.entry("event_count"), one)
    with code.when(memory.entry("update").same(0).negate() | (memory.entry("held") > 0)):
        _probe(memory, tableau, g)
    with code.when(memory.cell("cut") < 1.0):
        cut = memory.cell("cut")
        code.call("kt.dense", [*memory.both, cut, work])
        t = memory.cell("t") + cut * memory.cell("h_try")
        code.call("kt.events", [*memory.both, t, work, g["g_new"]])


def _probe(memory: Memory, tableau: Tableau, g: dict[str, Value]) -> None:
    """Cut the step where a condition has passed zero at one of some places inside it.

    Gaps that close and open again have conditions with corners, whose slopes at the ends of a step
    say nothing; where there are dry friction and stops, all are looked at.  So are they where laws
    are held on their branches, and no error tells that one was passed; their values are known then.
    """
    code, work = memory.code, memory.vector("work")
    sticking, nothing = memory.entry("sticking", PTR), [code.constant(0.0)]
    changing = memory.entry("update").same(0).negate()
    (some,) = code.fold(
        code.choose(changing, memory.entry("all_events"), 0), nothing,
        lambda index, sums: [sums[0] + code.load(code.at(sticking, index))],
    )  # fmt: skip
    some = some + code.real(memory.entry("held"))

    def count_passed(name: str, index: Value, sums: tuple[Value, ...]) -> list[Value]:
        a, b, sense = (code.load(code.at(g[row], index)) for row in ("g_old", name, "sense"))
        rising = (a < 0.0) & (b >= 0.0) & (sense >= 0.0)
        falling = (a > 0.0) & (b <= 0.0) & (sense <= 0.0)
        return [sums[0] + code.choose(rising | falling, 1.0, 0.0)]

    for share, name in zip(PROBES, PROBED, strict=True):
        with code.when((some > 0.0) & (memory.cell("cut") > share)):
            with code.when(changing):
                code.call("kt.dense", [*memory.both, code.constant(share), work])
                t = memory.cell("t") + memory.cell("h_try") * share
                code.call("kt.events", [*memory.both, t, work, g[name]])
            (count,) = code.fold(memory.entry("event_count"), nothing, partial(count_passed, name))
            with code.when(count > 0.0):
                memory.put("cut", share)
    with code.when(memory.entry("held") > 0):
        search_dips(memory, g)


def turning_text() -> str:
    """double kt.turning(s, table, i, before, a, b, g): a place behind zero near an extremum.

    That of event i between two places of the step is closed in on by halves; beyond 1 where the
    value keeps its sign.
    """
    span = (REAL, "before"), (REAL, "first"), (REAL, "last")
    code = Code("kt.turning", REAL, (*BOTH, (INT, "i"), *span, (PTR, "g")))
    memory = Memory(code)
    t, h, work, g = (
        memory.cell("t"),
        memory.cell("h_try"),
        memory.vector("work"),
        code.argument("g"),
    )

    def value(place: Value) -> Value:
        code.call("kt.dense", [*memory.both, place, work])
        code.call("kt.events", [*memory.both, t + place * h, work, g])
        return code.load(code.at(g, code.argument("i")))

    def step(index: Value, carried: tuple[Value, ...]) -> list[Value]:
        del index
        a, b, found = carried
        middle = (a + b) * 0.5
        here = value(middle)
        there = value(middle + (b - a) * LITTLE)
        behind = here * code.argument("before") <= 0.0
        to_zero = (there - here) * code.argument("before") < 0.0
        return [
            code.choose(to_zero, middle, a),
            code.choose(to_zero, b, middle),
            code.choose(behind, middle, found),
        ]

    start = [code.argument("first"), code.argument("last"), code.constant(NONE)]
    limit = code.constant(HALVES, INT)
    found = code.fold(limit, start, step, lambda carried: carried[2] > 1.0)
    code.leave(found[2])
    return code.text()


def _find(memory: Memory, g: dict[str, Value]) -> None:
    """Locate every change of sign, and the first of those that end the run."""
    code = memory.code

    def one(index: Value) -> None:
        before, after = (code.load(code.at(g[name], index)) for name in ("g_old", "g_new"))
        sense = code.load(code.at(g["sense"], index))
        rising = (before < 0.0) & (after >= 0.0) & (sense >= 0.0)
        falling = (before > 0.0) & (after <= 0.0) & (sense <= 0.0)
        root = code.at(g["root"], index)
        code.store(code.constant(NONE), root)
        with code.when(rising | falling):
            arguments = [*memory.both, index, before, after, g["g_work"]]
            code.store(code.call("kt.locate", arguments, REAL), root)
        place = code.load(root)
        ends = (code.load(code.at(g["terminal"], index)) > 0.0) & (place <= 1.0)
        with code.when(ends):
            memory.put("terminal_hit", 1.0)
            first = memory.cell("end_of_step")
            memory.put("end_of_step", code.choose(place < first, place, first))

    code.each(memory.entry("event_count"), one)


def _record(memory: Memory, g: dict[str, Value]) -> None:
    """Write every event up to the end of the step into the table: number, t, y."""
    code = memory.code
    n = memory.entry("n")
    theta = memory.cell("end_of_step")

    def one(index: Value) -> None:
        place = code.load(code.at(g["root"], index))
        later = code.load(code.at(g["terminal"], index)) > 0.0  # written when it happens
        later = later & memory.entry("update").same(0).negate()
        with code.when((place <= theta) & later.negate()):
            row = code.whole(memory.cell("events")) * (n + 2)
            at = code.at(memory.entry("event_table", PTR), row)
            t = memory.cell("t") + place * memory.cell("h_try")
            code.store(code.real(index), at)
            code.store(t, code.at(at, 1))
            work = memory.vector("work")
            code.call("kt.dense", [*memory.both, place, work])
            code.call("kt.project", [*memory.both, t, work])
            code.copy(work, code.at(at, 2), n)
            memory.add("events", 1.0)

    code.each(memory.entry("event_count"), one)


def _output(memory: Memory, stop: Value) -> None:
    """Write y at every output time up to the end of the step."""
    code = memory.code
    t, h, work = memory.cell("t"), memory.cell("h_try"), memory.vector("work")

    def dense(time: Value) -> None:
        code.call("kt.dense", [*memory.both, (time - t) / h, work])

    write_rows(memory, stop, dense)


def write_rows(memory: Memory, stop: Value, evaluate: Callable[[Value], None]) -> None:
    """Write y at every output time up to `stop`; where the window is full, Python gives the next.

    Args:
        memory: of the run.
        stop: time [s].
        evaluate: puts y at a time into the vector work.
    """
    code, work = memory.code, memory.vector("work")
    n, times, room = memory.entry("n"), memory.entry("times", PTR), memory.entry("time_count")

    def due(carried: tuple[Value, ...]) -> Value:
        return code.load(code.at(times, carried[0])) <= stop

    def one(index: Value, carried: tuple[Value, ...]) -> list[Value]:
        del index
        full = carried[0].same(room)
        with code.when(full):
            code.call(memory.entry("turn", PTR), [])
        cursor = code.choose(full, code.constant(0, INT), carried[0])
        time = code.load(code.at(times, cursor))
        evaluate(time)
        code.call("kt.project", [*memory.both, time, work])
        code.copy(work, code.at(memory.entry("values", PTR), cursor * n), n)
        return [cursor + 1]

    start = code.whole(memory.cell("cursor"))
    (cursor,) = code.fold(code.constant(ENDLESS, INT), [start], one, due)
    memory.put("cursor", code.real(cursor))


def _advance(memory: Memory, stop: Value) -> None:
    """y = y_new, projected where that is known; the derivative again where that changed much."""
    code = memory.code
    y, source = memory.vector("y"), memory.vector("y_new")
    rtol, atol = memory.vector("rtol"), memory.vector("atol")
    memory.put("t", stop)
    code.copy(source, y, memory.entry("n"))
    with code.when(memory.entry("project").same(0).negate()):
        code.call("kt.project", [*memory.both, stop, y])

        def part(index: Value, sums: tuple[Value, ...]) -> list[Value]:
            there = memory.lanes(y, index)
            size = code.unary("fabs", there)
            scale = memory.lanes(atol, index) + memory.lanes(rtol, index) * size
            moved = (there - memory.lanes(source, index)) / scale
            return [sums[0] + moved * moved]

        (total,) = code.fold(memory.chunks(), [code.constant(0.0, VEC)], part)
        moved = memory.cell("moved")
        near = code.total(total) < memory.cell("weighed") * moved * moved
        with code.when(near.negate()):
            code.call("kt.rates", [*memory.both, stop, y, memory.derivative(0)])


def keep_step(memory: Memory) -> None:
    """Write t and y into the table of steps, where there is one."""
    code = memory.code
    n = memory.entry("n")
    with code.when(memory.entry("step_room") > 0):
        row = code.whole(memory.cell("rows")) * (n + 1)
        at = code.at(memory.entry("step_table", PTR), row)
        code.store(memory.cell("t"), at)
        code.copy(memory.vector("y"), code.at(at, 1), n)
        memory.add("rows", 1.0)
