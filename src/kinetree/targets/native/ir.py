"""Tape -> LLVM IR, as text: `void NAME(const double* x, const double* c, double* y)`.

With one lane x, c and y are plain arrays of doubles.  With several lanes every element of x and y
is a row of that many doubles, one per evaluation; c holds one double for all lanes, or rows too;
and the workspace, which then is large, is a fourth argument w.

A short tape is one function.  A longer one is a driver, NAME, that holds the workspace (on its
stack) and calls the segments of the plan in turn.  A segment receives the workspace twice, once to
read and once to write: what it reads it never writes, so the compiler may treat them as apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinetree.targets.native import angles, solve
from kinetree.targets.native.layout import layout
from kinetree.targets.native.plan import Plan, output_runs
from kinetree.targets.native.writer import Options, Writer
from kinetree.targets.tape import ZERO

if TYPE_CHECKING:
    from collections.abc import Iterable

Wanted = dict[int, list[tuple[str, int]]]
"""Entry -> where its value has to be stored: (array, element)."""

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
        texts = [*angles.definitions(made, options.fused), *solve.helpers(made.tape)]
        found.update(dict.fromkeys(texts))
    return "\n".join(found)


def _whole(made: Plan, name: str, options: Options) -> str:
    """One function for a short tape."""
    writer = Writer(made, options)
    wanted = _wanted(made)
    _operations(writer, made.prologue, wanted)
    if angles.in_registers(made):
        angles.through_registers(writer)
    elif made.angles:
        _workspace(writer)
        angles.through_memory(writer)
    for segment in made.segments:
        _operations(writer, segment, wanted)
    _leaves(writer, wanted, trig=True)
    _leaves(writer, wanted, trig=False)
    return _function(name, _arguments(options), writer)


def _split(made: Plan, name: str, options: Options) -> list[str]:
    """A driver and its segments."""
    wanted = _wanted(made)
    start = Writer(made, options, into="%w")
    _operations(start, made.prologue, wanted)
    if made.angles:
        angles.through_memory(start)
    _leaves(start, wanted, trig=False)
    texts = [_function(f"{name}.start", ("x", "c", "y", "w"), start)]
    driver = Writer(made, options, into="%w")
    _workspace(driver)
    driver.add(f"call void @{name}.start(ptr %x, ptr %c, ptr %y, ptr %w)")
    _leaves(driver, wanted, trig=True)
    for number, segment in enumerate(made.segments):
        callee = f"{name}.{number}"
        if made.tape.code[segment[0]] == "solve":
            index = made.tape.a[segment[0]]
            texts.append(solve.definition(made, index, callee))
            driver.add(f"call void @{callee}(ptr %w)")
            _parts(driver, index, wanted)
            continue
        writer = Writer(made, options)
        _operations(writer, segment, wanted)
        texts.append(_function(callee, ("x", "c", "y", "r", "z"), writer))
        driver.add(f"call void @{callee}(ptr %x, ptr %c, ptr %y, ptr %w, ptr %w)")
    _solutions(driver)
    return [*texts, _function(name, _arguments(options), driver)]


def _workspace(writer: Writer) -> None:
    """A single evaluation keeps its workspace on the stack."""
    if writer.options.lanes == 1:
        writer.add(f"%w = alloca [{writer.plan.workspace} x double], align 64")


def _arguments(options: Options) -> tuple[str, ...]:
    return ("x", "c", "y") if options.lanes == 1 else ("x", "c", "y", "w")


def _wanted(made: Plan) -> Wanted:
    """Outputs, values that other segments read, and what systems read."""
    wanted: Wanted = {}
    for position, entry in enumerate(made.tape.outputs):
        wanted.setdefault(entry, []).append(("%y", position))
    for entry, place in made.place.items():
        wanted.setdefault(entry, []).append(("workspace", place))
    for index, system in enumerate(made.tape.systems):
        at = made.matrix_at[index], made.rhs_at[index]
        for entry, element in layout(system, made.lanes, *at):
            if entry != ZERO:
                wanted.setdefault(entry, []).append(("workspace", element))
    return wanted


def _operations(writer: Writer, entries: Iterable[int], wanted: Wanted) -> None:
    """Write operations, each stored at once where it is wanted."""
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
            inner = [place for place in places if place[0] == "workspace"]
            if inner:
                driver.keep(driver.value(entry), inner)


def _solutions(driver: Writer) -> None:
    """Outputs that are parts of a solution, copied in runs."""
    made = driver.plan
    for position, entry, length in output_runs(made.tape):
        there = driver.pointer("%y", position)
        here = driver.pointer("%w", made.part_place(entry))
        size = 8 * made.lanes * length
        driver.add(
            f"call void @llvm.memcpy.p0.p0.i64(ptr align 8 {there}, ptr align 8 {here}, "
            f"i64 {size}, i1 false)"
        )


KINDS = {"x": "readonly ", "c": "readonly ", "r": "readonly ", "y": "writeonly ", "z": "writeonly "}


def _function(name: str, arguments: tuple[str, ...], writer: Writer) -> str:
    """A function without result whose pointers do not overlap."""
    listed = ", ".join(f"ptr noalias {KINDS.get(a, '')}%{a}" for a in arguments)
    # with lanes, values that spill are whole cache lines, if the stack is aligned to these
    stack = " alignstack(64)" if writer.options.lanes > 1 else ""
    scope = "internal " if "." in name else ""
    body = "\n".join(writer.lines)
    head = f"define {scope}void @{name}({listed}) nounwind noinline{stack}"
    return f"{head} {{\nentry:\n{body}\n  ret void\n}}\n"


def checked_definition(name: str, body: str, count: int) -> str:
    """IR of `i1 NAME(x, c, y)`: the body, and whether any of the inputs is not finite.

    Zero times infinity is not a number, so the sum of all inputs times zero tells.
    """
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
  %bad = fcmp uno double %sum, 0.0
  ret i1 %bad
}}
"""
