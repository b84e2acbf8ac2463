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

from typing import TYPE_CHECKING

from kinetree.targets.native.compile.layout import layout
from kinetree.targets.native.compile.plan import Plan
from kinetree.targets.native.compile.writer import Options, Writer
from kinetree.targets.native.lanes import copies
from kinetree.targets.native.maths import angles, arctangent, tables
from kinetree.targets.native.systems import newton, solve
from kinetree.targets.tape.tape import ZERO, Iteration

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kinetree.targets.native.compile.input_tests import Test

Wanted = dict[int, list[tuple[str, int]]]
"""Entry -> where its value has to be stored: (array, element)."""

ON_STACK = 32768
"""Doubles of workspace that a single evaluation takes from the stack: a quarter of a megabyte."""
HEAP = "declare ptr @malloc(i64)\ndeclare void @free(ptr)\n"
UNLIKELY = '!0 = !{!"branch_weights", i32 1, i32 1000000}\n'
"""Module-level note that the way of far angles is hardly ever taken."""


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
    writer = Writer(made, options)
    wanted = _wanted(made) if step is None else {}
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
    if step is not None:
        _move(writer, step)
        return _step_function(name, writer)
    _leaves(writer, wanted, trig=True)
    _leaves(writer, wanted, trig=False)
    return _function(name, _arguments(options), writer)


def _split(made: Plan, name: str, options: Options, step: Iteration | None = None) -> list[str]:
    """A driver and its segments."""
    wanted = _wanted(made)
    start = Writer(made, options, into="%w")
    _operations(start, made.prologue, wanted)
    if made.angles:
        angles.through_memory(start)
    _leaves(start, wanted, trig=False)
    texts = [_function(f"{name}.start", ("x", "c", "y", "w"), start)]
    driver = Writer(made, options, into="%w")
    if step is None:
        _workspace(driver)
    constants = "%c" if step is None else "null"  # a step is given all it needs in x
    pointers = f"ptr %x, ptr {constants}, ptr %y, ptr %w"
    driver.add(f"call void @{name}.start({pointers})")
    _leaves(driver, wanted, trig=True)
    for number, segment in enumerate(made.segments):
        _pause(driver, step, number)
        callee = f"{name}.{number}"
        if made.tape.code[segment[0]] == "solve":
            index = made.tape.a[segment[0]]
            texts += _system(made, index, callee, options)
            driver.add(f"call void @{callee}(ptr %w, ptr %y)")
            _parts(driver, index, wanted)
            continue
        writer = Writer(made, options)
        _operations(writer, segment, wanted)
        texts.append(_function(callee, ("x", "c", "y", "r", "z"), writer))
        driver.add(f"call void @{callee}({pointers}, ptr %w)")
    _pause(driver, step, len(made.segments))
    copies.solutions(driver)
    if step is not None:
        _move(driver, step)
        return [*texts, _step_function(name, driver)]
    _release(driver)
    return [*texts, _function(name, _arguments(options), driver)]


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
        newton.test(writer, step, _results(writer, range(step.equations)))


def _move(writer: Writer, step: Iteration) -> None:
    """In the step of an iteration: v moved by dv."""
    v = [writer.load("%x", i) for i in range(step.n)]
    places = range(step.equations, step.equations + step.n)
    newton.move(writer, v, _results(writer, places))


def _results(writer: Writer, places: Iterable[int]) -> list[str]:
    """Outputs by name: known in a whole function, else read back from where they were stored."""
    made = writer.plan
    if not made.inline:
        return [_read_back(writer, place) for place in places]
    return [writer.value(made.tape.outputs[place]) for place in places]


def _read_back(writer: Writer, place: int) -> str:
    """An output in the driver of a step."""
    entry = writer.tape.outputs[place]
    if entry != ZERO and writer.tape.code[entry] == "part":
        panel = writer.plan.panel(entry)
        return writer.load("%y" if panel.base == "%y" else "%w", writer.plan.part_place(entry))
    return writer.load("%y", place)


def _workspace(writer: Writer) -> None:
    """A single evaluation keeps its workspace on the stack, a very large one on the heap."""
    size = writer.plan.workspace
    if writer.options.lanes == 1 and size <= ON_STACK:
        writer.add(f"%w = alloca [{size} x double], align 64")
    elif writer.options.lanes == 1:
        writer.add(f"%heap = call ptr @malloc(i64 {8 * size + 64})")
        writer.add("%w = call ptr @llvm.ptrmask.p0.i64(ptr %after, i64 -64)")
        writer.lines.insert(-1, "  %after = getelementptr i8, ptr %heap, i64 64")


def _release(writer: Writer) -> None:
    """Give the heap back what came from it."""
    if writer.options.lanes == 1 and writer.plan.workspace > ON_STACK:
        writer.add("call void @free(ptr %heap)")


def _arguments(options: Options) -> tuple[str, ...]:
    return ("x", "c", "y") if options.lanes == 1 else ("x", "c", "y", "w")


def _wanted(made: Plan) -> Wanted:
    """Outputs, values that other segments read, and what systems read."""
    wanted: Wanted = {}
    for position, entry in enumerate(made.tape.outputs):
        if entry == ZERO or made.tape.code[entry] != "part":
            wanted.setdefault(entry, []).append(("%y", position))
    for entry, place in made.place.items():
        wanted.setdefault(entry, []).append(("workspace", place))
    for index, system in enumerate(made.tape.systems):
        at = made.matrix_at[index], made.panels[index]
        for entry, base, element in layout(system, made.lanes, *at):
            if entry != ZERO:
                wanted.setdefault(entry, []).append((base, element))
    return wanted


def _operations(writer: Writer, entries: Iterable[int], wanted: Wanted) -> None:
    """Write operations, each stored at once where it is wanted."""
    entries = list(entries)
    writer.divisions(entries)
    for entry in entries:
        writer.keep(writer.operation(entry), wanted.get(entry, ()))


def _leaves(writer: Writer, wanted: Wanted, *, trig: bool) -> None:
    """Store what no segment makes: early sines and cosines, or inputs, constants and numbers."""
    made = writer.plan
    for entry, places in wanted.items():
        made_elsewhere = entry in made.home or (entry != ZERO and made.tape.code[entry] == "part")
        if not made_elsewhere and (entry in made.trig) is trig:
            writer.keep(writer.value(entry), places)


def _parts(driver: Writer, index: int, wanted: Wanted) -> None:
    """Hand the parts of a solution on to the systems that read them."""
    tape = driver.tape
    for entry, places in wanted.items():
        if entry != ZERO and tape.code[entry] == "part" and tape.a[entry] == index:
            driver.keep(driver.value(entry), places)


KINDS = {"x": "readonly ", "c": "readonly ", "r": "readonly ", "y": "writeonly ", "z": "writeonly "}


def _step_function(name: str, writer: Writer) -> str:
    """The step of an iteration: it reads and writes all its arrays, and says what is done."""
    lanes = writer.options.lanes
    body = "\n".join(writer.lines)
    head = f"define internal {newton.verdict(lanes)} @{name}(ptr noalias %x, ptr noalias %y, "
    return f"{head}ptr noalias %w) nounwind noinline{_stack(lanes)} {{\nentry:\n{body}\n}}\n"


def _stack(lanes: int) -> str:
    """With lanes, values that spill are whole cache lines, if the stack is aligned to these."""
    return " alignstack(64)" if lanes > 1 else ""


def _function(name: str, arguments: tuple[str, ...], writer: Writer) -> str:
    """A function without result whose pointers do not overlap."""
    listed = ", ".join(f"ptr noalias {KINDS.get(a, '')}%{a}" for a in arguments)
    stack = _stack(writer.options.lanes)
    scope = "internal " if "." in name else ""
    body = "\n".join(writer.lines)
    head = f"define {scope}void @{name}({listed}) nounwind noinline{stack}"
    return f"{head} {{\nentry:\n{body}\n  ret void\n}}\n"


def checked_definition(name: str, body: str, count: int, found: Sequence[Test] = ()) -> str:
    """IR of `i1 NAME(x, c, y)`: the body, and whether an input is not finite or fails a test.

    Zero times infinity is not a number, so the sum of all inputs times zero tells.
    """
    tests, flag = [line for lines, _ in found for line in lines], "%bad"
    for m, (_, failed) in enumerate(found):
        tests.append(f"%or{m} = or i1 {flag}, {failed}")
        flag = f"%or{m}"
    more = "\n  ".join(["", *tests])
    return f"""\
define zeroext i1 @{name}(ptr %x, ptr %c, ptr %y) nounwind {{
entry:
  call void @{body}(ptr %x, ptr %c, ptr %y)
  br label %test
test:
  %i = phi i64 [ 0, %entry ], [ %next, %one ]
  %sum = phi double [ 0.0, %entry ], [ %more, %one ]
  %left = icmp ult i64 %i, {count}
  br i1 %left, label %one, label %done
one:
  %p = getelementptr inbounds double, ptr %x, i64 %i
  %v = load double, ptr %p, align 8
  %z = fmul double %v, 0.0
  %more = fadd double %sum, %z
  %next = add i64 %i, 1
  br label %test
done:
  %bad = fcmp uno double %sum, 0.0{more}
  ret i1 {flag}
}}
"""
