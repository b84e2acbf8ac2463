"""Plan -> LLVM IR, as text: `void NAME(const double* x, const double* c, double* y)`.

With one lane x, c and y are plain arrays of doubles.  With several lanes every element of x and y
is a row of that many doubles, one per evaluation; c holds one double for all lanes, or rows too;
and the workspace, which then is large, is a fourth argument w.

A short tape is one function.  A longer one is a driver, NAME, that holds the workspace (on its
stack) and calls the segments of the plan in turn.  A segment receives the workspace twice, once to
read and once to write: what it reads it never writes, so the compiler may treat them as apart.  An
iteration is a segment that calls its step, which is written like a tape of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from kinetree.targets.native.compile.layout import layout
from kinetree.targets.native.compile.plan import Plan
from kinetree.targets.native.compile.writer import Options, Writer
from kinetree.targets.native.lanes import copies
from kinetree.targets.native.llvm import Code
from kinetree.targets.native.maths import angles, arctangent, tables
from kinetree.targets.native.systems import newton, solve
from kinetree.targets.native.values import BOOL, INT, PTR, Value
from kinetree.targets.tape.tape import ZERO, Iteration

if TYPE_CHECKING:
    from kinetree.targets.native.compile.input_tests import Checks

WantedValues = dict[int, list[tuple[str, int]]]
"""Entry -> where its value has to be stored: (array, element)."""

ON_STACK = 32768
"""Doubles of workspace that a single evaluation takes from the stack: a quarter of a megabyte."""
HEAP = "declare ptr @malloc(i64)\ndeclare void @free(ptr)\n"


def kernel(made: Plan, name: str, options: Options) -> str:
    """IR of the function NAME and of everything it calls, helpers apart."""
    parts = [_whole(made, name, options)] if made.inline else _split(made, name, options)
    return "\n".join(parts)


def helpers(plans: Iterable[Plan], options: Options) -> str:
    """IR of the functions that the kernels of these plans call, each once."""
    found: dict[str, None] = {}
    for made in plans:
        for part in (made, *made.inner.values()):
            texts = [*angles.definitions(part, options.fused), *solve.helpers(part.tape, options)]
            texts += tables.definitions(part.tape, part.lanes, options.flags)
            texts += arctangent.definitions(part.tape, part.lanes)
            found.update(dict.fromkeys(texts))
    return "\n".join([HEAP, *found])


def _whole(made: Plan, name: str, options: Options, step: Iteration | None = None) -> str:
    """One function for a short tape."""
    writer = _writer(made, options, name, step)
    wanted = _wanted_values(made) if step is None else {}
    _operations(writer, made.prologue, wanted)
    if angles.in_registers(made):
        angles.through_registers(writer)
    elif made.angles:
        if step is None:
            _workspace(writer)
        angles.through_memory(writer)
    for number, segment in enumerate(made.segments):
        _pause(writer, step, number)
        _operations(writer, segment, wanted)
    _pause(writer, step, len(made.segments))
    if step is None:
        _leaves(writer, wanted, trig=True)
        _leaves(writer, wanted, trig=False)
    return _finish(writer, step)


def _split(made: Plan, name: str, options: Options, step: Iteration | None = None) -> list[str]:
    """A driver and its segments."""
    wanted = _wanted_values(made)
    start = Writer(made, options, (f"{name}.start", "xcyw"), into="w")
    _operations(start, made.prologue, wanted)
    if made.angles:
        angles.through_memory(start)
    _leaves(start, wanted, trig=False)
    texts = [_finish(start)]
    driver = _writer(made, options, name, step, into="w")
    code, arrays = driver.code, driver.arrays
    if step is None:
        _workspace(driver)
    nothing = Value(code, PTR, "null")  # a step is given all it needs in x
    pointers = [arrays["x"], arrays.get("c", nothing), arrays["y"], arrays["w"]]
    code.call(f"{name}.start", pointers)
    _leaves(driver, wanted, trig=True)
    for number, segment in enumerate(made.segments):
        _pause(driver, step, number)
        callee = f"{name}.{number}"
        if made.tape.code[segment[0]] == "solve":
            index = made.tape.a[segment[0]]
            texts += _system(made, index, callee, options)
            code.call(callee, [arrays["w"], arrays["y"]])
            _parts(driver, index, wanted)
            continue
        writer = Writer(made, options, (callee, "xcyrz"))
        _operations(writer, segment, wanted)
        texts.append(_finish(writer))
        code.call(callee, [*pointers, arrays["w"]])
    _pause(driver, step, len(made.segments))
    copies.solutions(driver)
    return [*texts, _finish(driver, step)]


def _writer(
    made: Plan, options: Options, name: str, step: Iteration | None, into: str = "z"
) -> Writer:
    """The function of a tape, or of the step of an iteration, which says what is done."""
    if step is not None:
        return Writer(made, options, (name, "xyw"), into, newton.verdict(options.lanes))
    return Writer(made, options, (name, "xcy" if options.lanes == 1 else "xcyw"), into)


def _finish(writer: Writer, step: Iteration | None = None) -> str:
    """The definition, with the end of the function."""
    if step is not None:
        _move(writer, step)
    else:
        if "heap" in writer.arrays:
            writer.code.call("free", [writer.arrays["heap"]])
        writer.code.leave()
    return writer.code.text()


def _system(made: Plan, index: int, name: str, options: Options) -> list[str]:
    """The function that solves a system, and what it calls."""
    system = made.tape.systems[index]
    if not isinstance(system, Iteration):
        return [solve.definition(made, index, name, options)]
    inner = made.inner[index]
    what = f"{name}.step", options, system
    texts = [_whole(inner, *what)] if inner.inline else _split(inner, *what)
    return [*texts, newton.loop(made, index, name, system)]


def _pause(writer: Writer, step: Iteration | None, number: int) -> None:
    """In the step of an iteration: the test, as soon as all h are known."""
    made = writer.plan
    first = number == 0 or not made.late(number - 1)
    if step is not None and made.late(number) and first:
        writer.settled = newton.test(writer, step, _results(writer, range(step.equations)))


def _move(writer: Writer, step: Iteration) -> None:
    """In the step of an iteration: v moved by dv."""
    assert writer.settled is not None
    v = [writer.load("x", i) for i in range(step.n)]
    places = range(step.equations, step.equations + step.n)
    newton.move(writer, writer.settled, v, _results(writer, places))


def _results(writer: Writer, places: Iterable[int]) -> list[Value]:
    """Outputs: known in a whole function, else read back from where they were stored."""
    made = writer.plan
    if not made.inline:
        return [_read_back(writer, place) for place in places]
    return [writer.value(made.tape.outputs[place]) for place in places]


def _read_back(writer: Writer, place: int) -> Value:
    """An output in the driver of a step."""
    entry = writer.tape.outputs[place]
    if entry != ZERO and writer.tape.code[entry] == "part":
        panel = writer.plan.panel(entry)
        return writer.load("y" if panel.base == "y" else "w", writer.plan.part_place(entry))
    return writer.load("y", place)


def _workspace(writer: Writer) -> None:
    """A single evaluation keeps its workspace on the stack, a very large one on the heap."""
    size, code, arrays = writer.plan.workspace, writer.code, writer.arrays
    if writer.options.lanes > 1:
        return
    if size <= ON_STACK:
        arrays["w"] = code.emit(PTR, f"alloca [{size} x double], align 64")
        return
    arrays["heap"] = code.call("malloc", [code.constant(8 * size + 64, INT)], PTR)
    given = [code.at(arrays["heap"], 8), code.constant(-64, INT)]
    arrays["w"] = code.call("llvm.ptrmask.p0.i64", given, PTR)


def _wanted_values(made: Plan) -> WantedValues:
    """Outputs, values that other segments read, and what systems read."""
    wanted: WantedValues = {}
    for position, entry in enumerate(made.tape.outputs):
        if entry == ZERO or made.tape.code[entry] != "part":
            wanted.setdefault(entry, []).append(("y", position))
    for entry, place in made.place.items():
        wanted.setdefault(entry, []).append(("workspace", place))
    for index, system in enumerate(made.tape.systems):
        at = made.matrix_at[index], made.panels[index]
        for entry, base, element in layout(system, made.lanes, *at):
            if entry != ZERO:
                wanted.setdefault(entry, []).append((base, element))
    return wanted


def _operations(writer: Writer, entries: Iterable[int], wanted: WantedValues) -> None:
    """Write operations, each stored at once where it is wanted."""
    entries = list(entries)
    writer.divisions(entries)
    for entry in entries:
        writer.keep(writer.operation(entry), wanted.get(entry, ()))


def _leaves(writer: Writer, wanted: WantedValues, *, trig: bool) -> None:
    """Store what no segment makes: early sines and cosines, or inputs, constants and numbers."""
    made = writer.plan
    for entry, places in wanted.items():
        made_elsewhere = entry in made.home or (entry != ZERO and made.tape.code[entry] == "part")
        if not made_elsewhere and (entry in made.trig) is trig:
            writer.keep(writer.value(entry), places)


def _parts(driver: Writer, index: int, wanted: WantedValues) -> None:
    """Hand the parts of a solution on to the systems that read them."""
    tape = driver.tape
    for entry, places in wanted.items():
        if entry != ZERO and tape.code[entry] == "part" and tape.a[entry] == index:
            driver.keep(driver.value(entry), places)


def checked_definition(name: str, body: str, count: int, checks: Checks) -> str:
    """IR of `i1 NAME(x, c, y)`: the body, and whether an input is not finite or fails a test.

    Zero times infinity is not a number, so the sum of all inputs times zero tells.
    """
    code = Code(name, BOOL, [(PTR, "x"), (PTR, "c"), (PTR, "y")], flags="")
    x, c, y = (code.argument(array) for array in "xcy")
    code.call(body, [x, c, y])

    def one(i: Value, sums: tuple[Value, ...]) -> list[Value]:
        return [sums[0] + code.load(code.at(x, i)) * 0.0]

    (total,) = code.fold(code.constant(count, INT), [code.constant(0.0)], one)
    bad = code.no_number(total)
    for failed in checks(code, x):
        bad = bad | failed
    code.leave(bad)
    return code.text()
