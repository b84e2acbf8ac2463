"""Outputs that are parts of a solution, copied out of the workspace.

The parts of one row of a solution that follow each other among the outputs are a run; runs of equal
length at equal distances, as the rows of a matrix are, become one loop.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kinetree.targets.tape.tape import ZERO

if TYPE_CHECKING:
    from kinetree.targets.native.compile.plan import Plan
    from kinetree.targets.native.compile.writer import Writer

LONG = 256
"""Doubles above which a run is left to the C library."""
WIDTH = 4
"""Doubles moved at a time."""


@dataclass(slots=True)
class Run:
    """`length` elements from place `source` of the workspace to output `target`, `count` times.

    From one time to the next the source moves by `stride` and the target by `step`.
    """

    target: int
    source: int
    length: int
    count: int = 1
    step: int = 0
    stride: int = 0

    def takes(self, other: Run) -> bool:
        """Whether the other run is the next of these; if so, it becomes one of them."""
        if other.length != self.length:
            return False
        step, stride = other.target - self.target, other.source - self.source
        if self.count == 1:
            self.step, self.stride = step, stride
        elif (step, stride) != (self.step * self.count, self.stride * self.count):
            return False
        self.count += 1
        return True


def solutions(driver: Writer) -> None:
    """Copy all outputs that are parts of solutions."""
    for number, run in enumerate(_grouped(_runs(driver.plan))):
        if run.count == 1:
            _move(driver, driver.pointer("%y", run.target), driver.pointer("%w", run.source), run)
        else:
            _loop(driver, run, f"rows{number}")


def _runs(made: Plan) -> list[Run]:
    """Pieces of rows of solutions, in the order of the outputs."""
    tape = made.tape
    runs: list[Run] = []
    for position, entry in enumerate(tape.outputs):
        if entry == ZERO or tape.code[entry] != "part":
            continue
        if made.panel(entry).base == "%y":
            continue
        place = made.part_place(entry)
        last = runs[-1] if runs else None
        row_starts = tape.b[entry] % tape.systems[tape.a[entry]].k == 0
        if last and not row_starts and _follows(last, position, place):
            last.length += 1
        else:
            runs.append(Run(position, place, 1))
    return runs


def _follows(run: Run, position: int, place: int) -> bool:
    return run.target + run.length == position and run.source + run.length == place


def _grouped(runs: list[Run]) -> list[Run]:
    groups: list[Run] = []
    for run in runs:
        if not (groups and groups[-1].takes(run)):
            groups.append(run)
    return groups


def _loop(driver: Writer, run: Run, label: str) -> None:
    """The rows of a matrix."""
    lanes = driver.options.lanes
    before, i = f"{label}.before", f"%{label}.i"
    driver.add(f"br label %{before}")
    driver.lines.append(f"{before}:")
    driver.add(f"br label %{label}")
    driver.lines.append(f"{label}:")
    driver.add(f"{i} = phi i64 [ 0, %{before} ], [ {i}.next, %{label} ]")
    ends = []
    for base, start, step in (("%y", run.target, run.step), ("%w", run.source, run.stride)):
        first, offset, moved = driver.pointer(base, start), driver.fresh(), driver.fresh()
        driver.add(f"{offset} = mul i64 {i}, {step * lanes}")
        driver.add(f"{moved} = getelementptr inbounds double, ptr {first}, i64 {offset}")
        ends.append(moved)
    _move(driver, ends[0], ends[1], run)
    driver.add(f"{i}.next = add i64 {i}, 1")
    driver.add(f"{i}.more = icmp ult i64 {i}.next, {run.count}")
    driver.add(f"br i1 {i}.more, label %{label}, label %{label}.done")
    driver.lines.append(f"{label}.done:")


def _move(driver: Writer, target: str, source: str, run: Run) -> None:
    """One run; the last move reaches back where the length is no multiple of the width."""
    length = run.length * driver.options.lanes
    if length > LONG:
        sizes = f"ptr align 8 {target}, ptr align 8 {source}, i64 {8 * length}, i1 false"
        driver.add(f"call void @llvm.memcpy.p0.p0.i64({sizes})")
        return
    width = WIDTH if length >= WIDTH else 1
    kind = f"<{WIDTH} x double>" if width == WIDTH else "double"
    for start in [*range(0, length - width, width), length - width]:
        there, here, value = (driver.fresh() for _ in range(3))
        driver.add(f"{here} = getelementptr inbounds double, ptr {source}, i64 {start}")
        driver.add(f"{there} = getelementptr inbounds double, ptr {target}, i64 {start}")
        driver.add(f"{value} = load {kind}, ptr {here}, align 8")
        driver.add(f"store {kind} {value}, ptr {there}, align 8")
