"""Newton's method in LLVM IR: a loop around the step, whose function tests, and takes the step.

`done STEP(x, y, w)` evaluates h at the inputs x = (v, w).  Where no |h| is above the tolerance it
says so and returns at once: the Jacobian of a solution is never evaluated.  Otherwise it finds dv
and moves v in place.  With several evaluations side by side `done` has a bit for each; one that is
done keeps its v, and the loop ends when all are.  What is not done after the last iteration becomes
not a number, and so does v at once where an h is none: others need not wait for what is lost.
"""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING

from kinetree.targets.native.compile.layout import step_places
from kinetree.targets.native.llvm import Code
from kinetree.targets.native.systems.solve import ARRAYS, clear
from kinetree.targets.native.values import BOOL, REAL, Value, vector

if TYPE_CHECKING:
    from kinetree.targets.native.compile.plan import Plan
    from kinetree.targets.native.compile.writer import Writer
    from kinetree.targets.tape.tape import Iteration


def verdict(lanes: int) -> str:
    """The type of the answer of a step: one bit per evaluation."""
    return f"i{lanes}"


def test(writer: Writer, iteration: Iteration, h: list[Value]) -> Value:
    """Leave the step where no |h| is above the tolerance; a comparison with NaN is never true.

    Returns:
        The evaluations that are done.
    """
    code, flag = writer.code, vector(BOOL, writer.options.lanes)
    small, total = code.constant(True, flag), writer.number(0.0)
    with code.exact():
        for value in h:
            size = code.intrinsic("fabs", value)
            small, total = small & (size <= iteration.tolerance), total + size
    lost = code.no_number(total)
    settled = small | lost
    with code.when(code.bits(lost).differs(0)):
        for place in range(iteration.n):  # an unknown is NaN where its evaluation is lost
            writer.store(code.choose(lost, nan, writer.load("x", place)), "x", place)
    with code.when(code.bits(settled).same(-1)):
        code.leave(code.bits(settled))
    return settled


def move(writer: Writer, settled: Value, v: list[Value], dv: list[Value]) -> None:
    """v - dv in place of v, except where the test was passed, and the end of the step."""
    code = writer.code
    for place, (old, change) in enumerate(zip(v, dv, strict=True)):
        new = old - change
        if writer.options.lanes > 1:
            new = code.choose(settled, old, new)
        writer.store(new, "x", place)
    code.leave(code.bits(settled))


def loop(made: Plan, index: int, name: str, iteration: Iteration) -> str:
    """IR of `void NAME(double* w, double* y)`: the solution takes the place of the start values."""
    lanes = made.lanes
    code = Code(name, "void", ARRAYS, "nounwind noinline")
    places = step_places(iteration, made.panels[index][0])
    arrays = [code.at(code.argument("w"), place * lanes) for place in places]
    clear(code, made, index)

    def again(*_: object) -> list[Value]:
        done = code.call(f"{name}.step", arrays, verdict(lanes))
        with code.when(done.same(-1)):
            code.leave()
        return [done]

    none = code.constant(0, verdict(lanes))
    (done,) = code.repeat(0, iteration.limit + 1, [none], again)
    good = code.cast("bitcast", done, vector(BOOL, lanes))
    for i in range(iteration.n):
        place = code.at(arrays[0], i * lanes)
        code.store(code.choose(good, code.load(place, vector(REAL, lanes)), nan), place)
    code.leave()
    return code.text()
