"""Newton's method in LLVM IR: a loop around the step, whose function tests, and takes the step.

`done STEP(x, y, w)` evaluates h at the inputs x = (v, w).  Where no |h| is above the tolerance it
says so and returns at once: the Jacobian of a solution is never evaluated.  Otherwise it finds dv
and moves v in place.  With several evaluations side by side `done` has a bit for each; one that is
done keeps its v, and the loop ends when all are.  What is not done after the last iteration becomes
not a number, and so does v at once where an h is none: others need not wait for what is lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinetree.targets.native.compile.layout import step_places
from kinetree.targets.native.maths.sincos import literal, real, splat, suffix
from kinetree.targets.native.systems.solve import clear

if TYPE_CHECKING:
    from kinetree.targets.native.compile.plan import Plan
    from kinetree.targets.native.compile.writer import Writer
    from kinetree.targets.tape.tape import Iteration

NAN = literal(float("nan"))


def verdict(lanes: int) -> str:
    """The type of the answer of a step: one bit per evaluation."""
    return f"i{lanes}"


def test(writer: Writer, iteration: Iteration, h: list[str]) -> None:
    """Leave the step where no |h| is above the tolerance; a comparison with NaN is never true."""
    lanes, type_, flag = writer.options.lanes, writer.type, writer.flag
    limit = writer.number(iteration.tolerance)
    every, total = splat("true", "i1", lanes), writer.number(0.0)
    for value in h:
        size, small, both, sum_ = (writer.fresh() for _ in range(4))
        writer.add(f"{size} = call {type_} @llvm.fabs.{suffix(lanes)}({type_} {value})")
        writer.add(f"{small} = fcmp ole {type_} {size}, {limit}")
        writer.add(f"{both} = and {flag} {every}, {small}")
        writer.add(f"{sum_} = fadd {type_} {total}, {size}")
        every, total = both, sum_
    writer.add(f"%small = and {flag} {every}, {splat('true', 'i1', lanes)}")
    writer.add(f"%lost = fcmp uno {type_} {total}, {writer.number(0.0)}")
    writer.add(f"%settled = or {flag} %small, %lost")
    writer.add(f"%done = bitcast {flag} %settled to {verdict(lanes)}")
    writer.add(f"%bad = bitcast {flag} %lost to {verdict(lanes)}")
    writer.add(f"%any = icmp ne {verdict(lanes)} %bad, 0")
    writer.add("br i1 %any, label %forget, label %judge")
    writer.lines.append("forget:")
    for place in range(iteration.n):
        _forget(writer, place)
    writer.add("br label %judge")
    writer.lines.append("judge:")
    writer.add(f"%all = icmp eq {verdict(lanes)} %done, -1")
    writer.add("br i1 %all, label %finished, label %onwards")
    writer.lines.append("onwards:")


def _forget(writer: Writer, place: int) -> None:
    """An unknown becomes not a number where its evaluation is lost."""
    type_, old, new = writer.type, writer.load("%x", place), writer.fresh()
    nothing = f"{type_} {splat(NAN, 'double', writer.options.lanes)}"
    writer.add(f"{new} = select {writer.flag} %lost, {nothing}, {type_} {old}")
    writer.store(new, "%x", place)


def move(writer: Writer, v: list[str], dv: list[str]) -> None:
    """v - dv in place of v, except where the test was passed, and the end of the step."""
    type_ = writer.type
    for place, (old, change) in enumerate(zip(v, dv, strict=True)):
        new = writer.fresh()
        writer.add(f"{new} = fsub {writer.flags}{type_} {old}, {change}")
        if writer.options.lanes > 1:
            kept = writer.fresh()
            writer.add(f"{kept} = select {writer.flag} %settled, {type_} {old}, {type_} {new}")
            new = kept
        writer.store(new, "%x", place)
    writer.add("br label %finished")
    writer.lines.append("finished:")
    writer.add(f"ret {verdict(writer.options.lanes)} %done")


def loop(made: Plan, index: int, name: str, iteration: Iteration) -> str:
    """IR of `void NAME(double* w, double* y)`: the solution takes the place of the start values."""
    lanes, kind = made.lanes, verdict(made.lanes)
    places = step_places(iteration, made.panels[index][0])
    areas = "\n".join(
        f"  %{area} = getelementptr inbounds double, ptr %w, i64 {place * lanes}"
        for area, place in zip(("v", "results", "space"), places, strict=True)
    )
    holes = "\n".join(f"  {line}" for line in clear(made, index))
    return f"""\
define internal void @{name}(ptr noalias %w, ptr noalias %y) nounwind noinline {{
entry:
{areas}
{holes}
  br label %again
again:
  %count = phi i64 [ 0, %entry ], [ %next, %test ]
  %done = call {kind} @{name}.step(ptr %v, ptr %results, ptr %space)
  %all = icmp eq {kind} %done, -1
  br i1 %all, label %found, label %test
test:
  %next = add i64 %count, 1
  %more = icmp ule i64 %next, {iteration.limit}
  br i1 %more, label %again, label %lost
lost:
{_lost(iteration.n, lanes)}
  br label %found
found:
  ret void
}}
"""


def _lost(n: int, lanes: int) -> str:
    """Not a number in place of what did not converge."""
    type_, flag = real(lanes), "i1" if lanes == 1 else f"<{lanes} x i1>"
    nothing = splat(NAN, "double", lanes)
    lines = [f"  %good = bitcast {verdict(lanes)} %done to {flag}"]
    for i in range(n):
        lines += [
            f"  %p{i} = getelementptr inbounds double, ptr %v, i64 {i * lanes}",
            f"  %old{i} = load {type_}, ptr %p{i}, align 8",
            f"  %new{i} = select {flag} %good, {type_} %old{i}, {type_} {nothing}",
            f"  store {type_} %new{i}, ptr %p{i}, align 8",
        ]
    return "\n".join(lines)
