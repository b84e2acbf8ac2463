"""What CVODE calls, and the loop that calls CVODE, as LLVM IR.

Every callback receives the address of two addresses: state and table of `layout`.  A
derivative that is not a number is an error CVODE may recover from by a smaller step; time,
component and state of the last one are kept.

Refs: Hindmarsh2005
"""

from __future__ import annotations

from kinetree.integrate.loops.driver import guards, pace, project_text, rates_text
from kinetree.integrate.loops.events import events_text, keep_step, write_rows
from kinetree.integrate.loops.layout import DONE, FAILED, RUNNING, TERMINAL, TOO_SMALL
from kinetree.integrate.loops.memory import BOTH, Memory
from kinetree.targets.native.llvm import DECLARATIONS, I32, INT, PTR, REAL, Code, Value

LOOP = "kt_cvode"
CALLBACKS = {
    "rates": "kt_cvode_rates", "jacobian": "kt_cvode_jacobian", "weights": "kt_cvode_weights",
    "roots": "kt_cvode_roots", "project": "kt_cvode_project", "columns": "kt_cvode_columns",
}  # fmt: skip
ONE_STEP = 2
"""CVODE's task: return after every step."""
AT_END, AT_ROOT = 1, 2
"""CVODE's answers: the end was reached, a root was found."""
STALLED = 20.0
"""Steps lost in the rounding of the time after which a run is given up."""
USER = (PTR, "user")


def adapters_text() -> str:
    """IR of the loop and of all callbacks."""
    parts = [
        DECLARATIONS, rates_text(recalls=True), project_text(recalls=True),
        events_text(recalls=True), _rates(), _jacobian(), _columns(),
        _weights(), _roots(), _project(), _loop(),
    ]  # fmt: skip
    return "\n".join(parts)


def _data(memory: Memory, name: str, access: str = "vector_data") -> Value:
    """The numbers of a vector or matrix that is an argument."""
    code = memory.code
    return code.call(memory.entry(access, PTR), [code.argument(name)], PTR)


def _function(name: str, *arguments: tuple[str, str]) -> tuple[Code, Memory]:
    code = Code(CALLBACKS[name], I32, arguments)
    return code, Memory(code, code.argument("user"), recalls=True)


def _rates() -> str:
    code, memory = _function("rates", (REAL, "t"), (PTR, "y"), (PTR, "ydot"), USER)
    t, y, into = code.argument("t"), _data(memory, "y"), _data(memory, "ydot")
    code.call("kt.rates", [*memory.both, t, y, into])
    n = memory.entry("n")

    def probe(index: Value, sums: tuple[Value, ...]) -> list[Value]:
        return [sums[0] + code.load(code.at(into, index)) * 0.0]

    (total,) = code.fold(n, [code.constant(0.0)], probe)
    with code.when(total.same(0.0).negate()):
        memory.put("bad_t", t)
        code.copy(y, memory.vector("stage"), n)
        (first,) = code.fold(
            n,
            [code.constant(0, INT)],
            lambda index, _: [index + 1],
            lambda carried: (code.load(code.at(into, carried[0])) * 0.0).same(0.0),
        )
        memory.put("bad_index", code.real(first))
        code.leave(1)
    code.leave(0)
    return code.text()


def _jacobian() -> str:
    """Rows of the kernel become columns of CVODE's matrix."""
    unused = tuple((PTR, f"tmp{i}") for i in range(3))
    code, memory = _function(
        "jacobian", (REAL, "t"), (PTR, "y"), (PTR, "ydot"), (PTR, "J"), USER, *unused
    )
    into, n = _data(memory, "J", "matrix_data"), memory.entry("n")
    found = memory.evaluate("jacobian", code.argument("t"), _data(memory, "y"))

    def row(i: Value) -> None:
        start = i * n

        def entry(j: Value) -> None:
            code.store(code.load(code.at(found, start + j)), code.at(into, j * n + i))

        code.each(n, entry)

    code.each(n, row)
    code.leave(0)
    return code.text()


def _columns() -> str:
    """Entries of a sparse Jacobian, and where they stand; the library may have cleared both."""
    unused = tuple((PTR, f"tmp{i}") for i in range(3))
    code, memory = _function(
        "columns", (REAL, "t"), (PTR, "y"), (PTR, "ydot"), (PTR, "J"), USER, *unused
    )
    into = _data(memory, "J", "matrix_data")
    found = memory.evaluate("jacobian", code.argument("t"), _data(memory, "y"))
    code.copy(found, into, memory.entry("sparse_count"))
    for name in ("rows", "starts"):
        place, source = _data(memory, "J", f"matrix_{name}"), memory.entry(f"sparse_{name}", PTR)
        code.copy_bytes(source, place, memory.entry(f"sparse_{name[:-1]}_bytes"))
    code.leave(0)
    return code.text()


def _weights() -> str:
    """wᵢ = 1/(rtolᵢ |yᵢ| + atolᵢ)."""
    code, memory = _function("weights", (PTR, "y"), (PTR, "w"), USER)
    y, into = _data(memory, "y"), _data(memory, "w")
    rtol, atol = memory.vector("rtol"), memory.vector("atol")

    def one(i: Value) -> None:
        size = code.unary("fabs", code.load(code.at(y, i)))
        scale = code.load(code.at(rtol, i)) * size + code.load(code.at(atol, i))
        code.store(1.0 / scale, code.at(into, i))

    code.each(memory.entry("n"), one)
    code.leave(0)
    return code.text()


def _roots() -> str:
    code, memory = _function("roots", (REAL, "t"), (PTR, "y"), (PTR, "g"), USER)
    arguments = [code.argument("t"), _data(memory, "y"), code.argument("g")]
    code.call("kt.events", [*memory.both, *arguments])
    g, sides = code.argument("g"), memory.event_vector(1, "g_old")

    def one(index: Value) -> None:
        side = code.load(code.at(sides, index))
        value = code.load(code.at(g, index))
        with code.when((value * side <= 0.0) & side.same(0.0).negate()):
            code.store(side, code.at(g, index))

    with code.when(code.argument("t").same(memory.cell("t0"))):  # where a side is known, it counts
        code.each(memory.entry("event_count"), one)
    code.leave(0)
    return code.text()


def _project() -> str:
    """The correction that makes y consistent."""
    code, memory = _function(
        "project", (REAL, "t"), (PTR, "y"), (PTR, "move"), (REAL, "limit"), (PTR, "error"), USER
    )
    y, into, n = _data(memory, "y"), _data(memory, "move"), memory.entry("n")
    found = memory.evaluate("project", code.argument("t"), y)

    def one(i: Value, sums: tuple[Value, ...]) -> list[Value]:
        moved = code.load(code.at(found, i)) - code.load(code.at(y, i))
        code.store(moved, code.at(into, i))
        return [sums[0] + moved * 0.0]

    (total,) = code.fold(n, [code.constant(0.0)], one)
    with code.when(total.same(0.0).negate()):
        code.leave(1)
    code.leave(0)
    return code.text()


def _loop() -> str:
    """i64 kt_cvode(s, table, budget): that many steps, with output and events."""
    code = Code(LOOP, INT, (*BOTH, (INT, "budget")))
    memory = Memory(code)
    tret = code.at(memory.state, memory.place("t"))

    def step(index: Value) -> None:
        del index
        guards(memory)
        _limit(memory)
        arguments = [memory.entry("cvode", PTR), memory.cell("end"), memory.entry("cvode_y", PTR)]
        task, before = Value(code, I32, str(ONE_STEP)), memory.cell("t")
        answer = code.call(memory.entry("cvode_step", PTR), [*arguments, tret, task], I32)
        flag = code.wide(answer)
        memory.put("flag", code.real(flag))
        with code.when(flag < 0):
            code.leave(FAILED)
        memory.add("steps", 1.0)
        stalled = memory.cell("t").same(before)
        memory.put("stalled", code.choose(stalled, memory.cell("stalled") + 1.0, 0.0))
        with code.when(memory.cell("stalled") > STALLED):
            code.leave(TOO_SMALL)
        _output(memory)
        _remember(memory)
        keep_step(memory)
        with code.when(flag.same(AT_ROOT)):
            _events(memory)
            with code.when(memory.cell("terminal_hit") > 0.0):
                code.leave(TERMINAL)
        with code.when(flag.same(AT_END) & (memory.cell("t") >= memory.cell("end"))):
            code.leave(DONE)

    code.each(code.argument("budget"), step)
    code.leave(RUNNING)
    return code.text()


def _limit(memory: Memory) -> None:
    """Let CVODE stop before a step passes over something brief."""
    code = memory.code
    with code.when(memory.entry("pace").same(0).negate()):
        memory.put("t_new", memory.cell("t"))
        stop, end = memory.cell("t") + pace(memory, memory.vector("y")), memory.cell("end")
        arguments = [memory.entry("cvode", PTR), code.choose(stop < end, stop, end)]
        code.call(memory.entry("cvode_stop", PTR), arguments, I32)


def _remember(memory: Memory) -> None:
    """Bring memories up to date: CVODE's own y keeps the first ones, so its history is smooth."""
    code, y = memory.code, memory.vector("y")
    with code.when(memory.entry("memory_count") > 0):
        code.call("kt.project", [*memory.both, memory.cell("t"), y])
        code.copy(y, memory.vector("y_new"), memory.entry("n"))


def _output(memory: Memory) -> None:
    """Write y at every output time up to the time reached."""
    code = memory.code

    def between(time: Value) -> None:
        zeroth, vector = Value(code, I32, "0"), memory.entry("cvode_work", PTR)
        arguments = [memory.entry("cvode", PTR), time, zeroth, vector]
        code.call(memory.entry("cvode_between", PTR), arguments, I32)

    write_rows(memory, memory.cell("t"), between)


def _events(memory: Memory) -> None:
    """Write the events found into the table: number, t, y."""
    code = memory.code
    n, found = memory.entry("n"), memory.entry("roots_found", PTR)
    code.call(memory.entry("cvode_roots", PTR), [memory.entry("cvode", PTR), found], I32)
    terminal = memory.event_vector(1, "terminal")

    def one(index: Value) -> None:
        with code.when(code.small(found, index).same(0).negate()):
            at = code.at(
                memory.entry("event_table", PTR), code.whole(memory.cell("events")) * (n + 2)
            )
            code.store(code.real(index), at)
            code.store(memory.cell("t"), code.at(at, 1))
            code.copy(memory.vector("y"), code.at(at, 2), n)
            code.call("kt.project", [*memory.both, memory.cell("t"), code.at(at, 2)])
            memory.add("events", 1.0)
            with code.when(code.load(code.at(terminal, index)) > 0.0):
                memory.put("terminal_hit", 1.0)

    code.each(memory.entry("event_count"), one)
