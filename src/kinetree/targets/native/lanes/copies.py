"""Outputs that are parts of a solution, copied out of the workspace.

The parts of one row of a solution that follow each other among the outputs are a run; runs of equal
length at equal distances, as the rows of a matrix are, become one loop.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kinetree.targets.native.values import REAL, Value, vector
from kinetree.targets.tape.tape import ZERO

if TYPE_CHECKING:
    from kinetree.targets.native.compile.plan import Plan
    from kinetree.targets.native.compile.writer import Writer

LONG = 256
"""Doubles above which a run is left to the C library."""
WIDTH = 4
"""Doubles moved at a time."""


@dataclass(slots=True)
class CopyRun:
    """`length` elements from place `source` of the workspace to output `target`, `count` times.

    From one time to the next the source moves by `stride` and the target by `step`.
    """

    target: int
    source: int
    length: int
    count: int = 1
    step: int = 0
    stride: int = 0

    def takes(self, other: CopyRun) -> bool:
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
    for run in _group(_runs(driver.plan)):
        if run.count == 1:
            _move(driver, driver.pointer("y", run.target), driver.pointer("w", run.source), run)
        else:
            _loop(driver, run)


def _runs(made: Plan) -> list[CopyRun]:
    """Pieces of rows of solutions, in the order of the outputs."""
    tape = made.tape
    runs: list[CopyRun] = []
    for position, entry in enumerate(tape.outputs):
        if entry == ZERO or tape.code[entry] != "part":
            continue
        if made.panel(entry).base == "y":
            continue
        place = made.part_place(entry)
        last = runs[-1] if runs else None
        row_starts = tape.b[entry] % tape.systems[tape.a[entry]].k == 0
        if last and not row_starts and _follows(last, position, place):
            last.length += 1
        else:
            runs.append(CopyRun(position, place, 1))
    return runs


def _follows(run: CopyRun, position: int, place: int) -> bool:
    return run.target + run.length == position and run.source + run.length == place


def _group(runs: list[CopyRun]) -> list[CopyRun]:
    groups: list[CopyRun] = []
    for run in runs:
        if not (groups and groups[-1].takes(run)):
            groups.append(run)
    return groups


def _loop(driver: Writer, run: CopyRun) -> None:
    """The rows of a matrix."""
    code, lanes = driver.code, driver.options.lanes

    def one(i: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        ends = [
            code.at(driver.pointer(base, start), i * (step * lanes))
            for base, start, step in (("y", run.target, run.step), ("w", run.source, run.stride))
        ]
        _move(driver, ends[0], ends[1], run)
        return ()

    code.repeat(0, run.count, (), one)


def _move(driver: Writer, target: Value, source: Value, run: CopyRun) -> None:
    """One run; the last move reaches back where the length is no multiple of the width."""
    code, length = driver.code, run.length * driver.options.lanes
    if length > LONG:
        code.copy(source, target, length)
        return
    width = WIDTH if length >= WIDTH else 1
    for start in [*range(0, length - width, width), length - width]:
        here, there = code.at(source, start), code.at(target, start)
        code.store(code.load(here, vector(REAL, width)), there)
