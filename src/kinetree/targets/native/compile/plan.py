"""What is evaluated where: early angles, segments of bounded size, places in the workspace.

A tape above a few thousand operations becomes several LLVM functions, its segments, because
register allocation grows faster than linearly with the length of a basic block.  Values that a
later segment reads live in a workspace; a place is given to another value once every segment that
reads it has run.  Angles whose sine or cosine is taken and that are known at the start (inputs, or
short expressions of inputs) are evaluated before everything else, in SIMD lanes.  The step of an
iteration has a plan of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kinetree.targets.native.compile.layout import (
    ANGLES,
    Panel,
    iteration_size,
    matrix_size,
    panels,
)
from kinetree.targets.native.compile.schedule import split_stages
from kinetree.targets.tape.tape import LEAVES, Iteration, System, Tape

WHOLE = 4000
"""Operations up to which a tape stays one LLVM function; measured, like the next."""
SEGMENT = 1000
"""Operations per LLVM function otherwise."""
LARGE = 2000
"""Operations from which code has to be kept short."""
SHALLOW = 3
"""Operations between inputs and an angle that still counts as known at the start."""
FREE = frozenset({"num", "in", "const"})


@dataclass(slots=True)
class Plan:
    """Where everything stands.

    Attributes:
        tape: what is planned.
        lanes: evaluations side by side.
        angles: entries whose sine or cosine is taken at the start.
        trig: entry of an early sine or cosine -> (number of its angle, 0 for sine, 1 for cosine).
        prologue: operations that only make angles.
        segments: operations of each segment; a lone `solve` entry is a segment by itself.
        home: entry -> segment that makes it; -1 for the prologue.
        place: entry -> its element of the workspace, where another segment reads it.
        matrix_at: per system, where its matrix starts.
        panels: per system, where its right-hand sides stand.
        size: elements of the workspace.
        inner: number of an iteration -> the plan of its step.
        pause: entry before which the step of an iteration tests whether it is done, if it is one.
    """

    tape: Tape
    lanes: int
    angles: list[int] = field(default_factory=list)
    trig: dict[int, tuple[int, int]] = field(default_factory=dict)
    prologue: list[int] = field(default_factory=list)
    segments: list[list[int]] = field(default_factory=list)
    home: dict[int, int] = field(default_factory=dict)
    place: dict[int, int] = field(default_factory=dict)
    matrix_at: list[int] = field(default_factory=list)
    panels: list[tuple[Panel, ...]] = field(default_factory=list)
    size: int = 0
    inner: dict[int, Plan] = field(default_factory=dict)
    pause: int | None = None

    @property
    def inline(self) -> bool:
        """Whether one function holds it all."""
        most = 1 if self.pause is None else 2
        return not self.tape.systems and len(self.segments) <= most

    def late(self, number: int) -> bool:
        """Whether a segment, or the end after the last one, comes after the pause."""
        if self.pause is None:
            return False
        return number == len(self.segments) or self.segments[number][0] >= self.pause

    @property
    def large(self) -> bool:
        """Whether its code fills much of a cache for instructions, 32 KB on most processors."""
        return len(self.tape.code) > LARGE

    @property
    def workspace(self) -> int:
        """Doubles of the workspace."""
        return self.lanes * (3 * self.rows * self.row if self.inline else self.size)

    @property
    def rows(self) -> int:
        """Rows of the sine and cosine stage."""
        return len(self.angles) if self.lanes > 1 else -(-len(self.angles) // ANGLES)

    @property
    def row(self) -> int:
        """Workspace elements per row of that stage."""
        return 1 if self.lanes > 1 else ANGLES

    def trig_place(self, entry: int) -> int:
        """Element of the workspace that holds an early sine or cosine."""
        angle, which = self.trig[entry]
        if self.lanes > 1:
            return len(self.angles) + 2 * angle + which
        row, lane = divmod(angle, ANGLES)
        return (self.rows + 2 * row + which) * ANGLES + lane

    def where(self, entry: int) -> int:
        """Element of the workspace that holds a value made elsewhere."""
        if self.tape.code[entry] == "part":
            return self.part_place(entry)
        return self.trig_place(entry) if entry in self.trig else self.place[entry]

    def part_place(self, entry: int) -> int:
        """Element of the array of its panel that holds a part of a solution."""
        row, column = divmod(self.tape.b[entry], self.tape.systems[self.tape.a[entry]].k)
        return self.panel(entry).place(row, column)

    def panel(self, entry: int) -> Panel:
        """The panel in which a part of a solution stands."""
        index = self.tape.a[entry]
        column = self.tape.b[entry] % self.tape.systems[index].k
        return next(p for p in self.panels[index] if p.first <= column < p.first + p.count)


def plan(tape: Tape, lanes: int) -> Plan:
    """The plan of a tape for that many evaluations side by side."""
    return _complete(Plan(tape, lanes))


def _complete(made: Plan) -> Plan:
    for index, system in enumerate(made.tape.systems):
        if isinstance(system, Iteration):
            step, pause = split_stages(system.step, system.equations)
            made.inner[index] = _complete(Plan(step, made.lanes, pause=pause))
    _find_angles(made)
    _cut(made)
    if not made.inline:
        _place(made)
    return made


def _find_angles(made: Plan) -> None:
    tape = made.tape
    shallow = _shallow(tape)
    number: dict[int, int] = {}
    for entry, code in enumerate(tape.code):
        if code in ("sin", "cos") and tape.a[entry] in shallow:
            angle = number.setdefault(tape.a[entry], len(number))
            made.trig[entry] = (angle, int(code == "cos"))
    made.angles = list(number)
    made.prologue = _needed_operations(tape, made.angles)
    made.home = dict.fromkeys(made.prologue, -1)


def _shallow(tape: Tape) -> set[int]:
    """Entries at most SHALLOW operations of sums and products away from inputs."""
    height: dict[int, int] = {}
    for entry, code in enumerate(tape.code):
        if code in FREE:
            height[entry] = 0
        elif code in ("add", "sub", "mul", "neg"):
            below = [height.get(e, SHALLOW) for e in tape.operands(entry)]
            if max(below) < SHALLOW:
                height[entry] = max(below) + 1
    return set(height)


def _needed_operations(tape: Tape, roots: list[int]) -> list[int]:
    """The operations under the roots, in the order of the tape."""
    found: set[int] = set()
    stack = list(roots)
    while stack:
        entry = stack.pop()
        if entry not in found and tape.code[entry] not in LEAVES:
            found.add(entry)
            stack.extend(tape.operands(entry))
    return sorted(found)


def _cut(made: Plan) -> None:
    """Segments of about equal size, broken at every system."""
    runs: list[list[int]] = [[]]
    for entry, code in enumerate(made.tape.code):
        if entry == made.pause:
            runs.append([])
        if code == "solve":
            runs += [[entry], []]
        elif code not in LEAVES and entry not in made.home and entry not in made.trig:
            runs[-1].append(entry)
    for run in runs:
        parts = -(-len(run) // SEGMENT) if len(run) > WHOLE else min(len(run), 1)
        for part in range(parts):
            low, high = (len(run) * p // parts for p in (part, part + 1))
            made.home.update(dict.fromkeys(run[low:high], len(made.segments)))
            made.segments.append(run[low:high])


def _place(made: Plan) -> None:
    """Give a place to angles, sines and cosines, systems, and values between segments."""
    size = _place_systems(made)
    last = _last_readers(made)
    free: list[int] = []
    leaving: list[list[int]] = [[] for _ in range(len(made.segments) + 1)]
    for number, entries in enumerate([made.prologue, *made.segments], start=-1):
        if number >= 0:
            free.extend(reversed(leaving[number]))
        for entry in entries:
            if entry in last:
                if not free:
                    free.append(size)
                    size += 1
                made.place[entry] = free.pop()
                leaving[last[entry] + 1].append(made.place[entry])
    made.size = size


def _place_systems(made: Plan) -> int:
    """Give a place to angles, then to every system; the first element that is left."""
    tape = made.tape
    size = 3 * made.rows * made.row
    for index, system in enumerate(tape.systems):
        made.matrix_at.append(size)
        if isinstance(system, System):
            size += matrix_size(system, made.lanes)
        made.panels.append(panels(tape, index, made.lanes, size))
        inside = (p for p in made.panels[-1] if p.base == "workspace")
        size += sum(system.n * panel.stride for panel in inside)
        if isinstance(system, Iteration):
            size += iteration_size(system, made.inner[index].workspace, made.lanes)
    return size


def _last_readers(made: Plan) -> dict[int, int]:
    """Entry -> last segment that reads it, for entries read outside the segment that makes them."""
    last: dict[int, int] = {}
    for number, entries in enumerate(made.segments):
        for entry in entries:
            if made.tape.code[entry] == "solve":
                continue  # what a system reads is stored where the system wants it
            for read in made.tape.operands(entry):
                if made.home.get(read, number) != number:
                    last[read] = number
    return last
