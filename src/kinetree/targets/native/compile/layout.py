"""How systems stand in memory.

The factors of a matrix are packed in the workspace, structural zeros left out; a general matrix
keeps its rows.  Right-hand sides, and then the solution in their place, stand in panels of
neighbouring columns.  A panel whose solution only goes into an output stands there from the start;
the others, and those of a general matrix, stand in the workspace.

The unknowns of an iteration stand where its step reads them: v, then w, are the step's inputs; its
outputs and its own workspace follow.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kinetree.targets.tape.tape import ZERO, Iteration, System, Tape

ANGLES = 4
"""Angles side by side in a single evaluation.  Not eight: on processors with 512-bit units those
slow down the scalar code that runs after them (measured: 45 ns for twelve angles)."""
ROW = 8
"""Doubles to which rows of a linear system are padded in a single evaluation."""
COLUMNS = 8
"""Right-hand sides side by side in a single evaluation."""


@dataclass(frozen=True, slots=True)
class Panel:
    """Neighbouring columns of right-hand sides.

    Attributes:
        first: number of the first column.
        count: number of columns.
        base: the array in which they stand: `y` or `workspace`.
        start: element of row 0 of the first column.
        stride: elements from one row to the next.
    """

    first: int
    count: int
    base: str
    start: int
    stride: int

    def place(self, row: int, column: int) -> int:
        """The element of a row and a column of the system."""
        return self.start + row * self.stride + column - self.first


def pad(length: int) -> int:
    """The next multiple of ROW."""
    return -(-length // ROW) * ROW


def matrix_size(system: System, lanes: int) -> int:
    """Workspace elements for the matrix: packed if factorised, else rows, padded or not.

    A sparse one has its entries, a zero, its factors, a row, and two columns per right side.
    """
    if system.factorised:
        return pad(len(system.coefs))
    if system.sparse is not None:
        filled = sum(map(len, system.sparse.filled))
        return pad(len(system.sparse.given) + 1 + filled + system.n * (1 + 2 * system.k))
    return system.n * (pad(system.n) if lanes == 1 else system.n)


def iteration_size(iteration: Iteration, inner: int, lanes: int) -> int:
    """Workspace elements of an iteration besides v, whose step needs `inner` doubles itself."""
    rows = -(-inner // lanes)
    return pad(len(iteration.given) + len(iteration.step.outputs) + rows + ROW)


def step_places(iteration: Iteration, panel: Panel) -> tuple[int, int, int]:
    """Elements at which inputs, outputs and workspace of the step start."""
    inputs = panel.start
    outputs = inputs + iteration.n + len(iteration.given)
    return inputs, outputs, pad(outputs + len(iteration.step.outputs))


def panels(tape: Tape, index: int, lanes: int, free: int) -> tuple[Panel, ...]:
    """The panels of a system; those in the workspace start at element `free`.

    Panels in outputs save a copy, but each may end with a block of columns that is not full; where
    that would cost more than a tenth of the work, all columns stand together in the workspace.
    """
    system = tape.systems[index]
    if isinstance(system, Iteration):
        return (Panel(0, 1, "workspace", free, 1),)
    homes = _output_columns(tape, system, index) if system.factorised else {}
    found = _panels(system, homes, lanes, free)
    if lanes > 1 or sum(_blocks(p.count) for p in found) <= 1.1 * _blocks(system.k):
        return found
    return _panels(system, {}, lanes, free)


def _blocks(columns: int) -> int:
    """Blocks of columns that go through the substitutions together."""
    return -(-columns // COLUMNS)


def _panels(
    system: System, homes: dict[int, tuple[int, int]], lanes: int, free: int
) -> tuple[Panel, ...]:
    found: list[Panel] = []
    column = 0
    while column < system.k:
        last = column + 1
        while last < system.k and _joins(homes, column, last):
            last += 1
        count = last - column
        if column in homes:
            found.append(Panel(column, count, "y", *homes[column]))
        else:
            stride = pad(count) if lanes == 1 else count
            found.append(Panel(column, count, "workspace", free, stride))
            free += system.n * stride
        column = last
    return tuple(found)


def _joins(homes: dict[int, tuple[int, int]], first: int, column: int) -> bool:
    """Whether a column stands beside the first one of a panel."""
    if first not in homes or column not in homes:
        return first not in homes and column not in homes
    (start, stride), (place, step) = homes[first], homes[column]
    return place == start + column - first and step == stride


def _output_columns(tape: Tape, system: System, index: int) -> dict[int, tuple[int, int]]:
    """Column -> (output of its row 0, outputs between rows), for columns that are outputs alone."""
    places: dict[int, list[int]] = {}
    for position, entry in enumerate(tape.outputs):
        if entry != ZERO and tape.code[entry] == "part" and tape.a[entry] == index:
            places.setdefault(tape.b[entry], []).append(position)
    read = {tape.b[e] for e in _read(tape) if tape.code[e] == "part" and tape.a[e] == index}
    homes: dict[int, tuple[int, int]] = {}
    for column in range(system.k):
        parts = range(column, system.n * system.k, system.k)
        if any(part in read or len(places.get(part, ())) != 1 for part in parts):
            continue
        at = [places[part][0] for part in parts]
        stride = at[1] - at[0] if system.n > 1 else 1
        if all(place == at[0] + row * stride for row, place in enumerate(at)) and stride > 0:
            homes[column] = (at[0], stride)
    return homes


def _read(tape: Tape) -> set[int]:
    """The entries that operations and systems read."""
    return {read for entry in range(len(tape.code)) for read in tape.operands(entry)}


def layout(
    system: System | Iteration, lanes: int, matrix_at: int, columns: tuple[Panel, ...]
) -> Iterator[tuple[int, str, int]]:
    """(entry, array, element) for everything that the system reads, ZERO included."""
    if isinstance(system, Iteration):
        for place, entry in enumerate((*system.start, *system.given), columns[0].start):
            yield entry, "workspace", place
        return
    yield from _matrix_layout(system, lanes, matrix_at)
    for panel in columns:
        for row in range(system.n):
            for column in range(panel.first, panel.first + panel.count):
                yield system.rhs[row * system.k + column], panel.base, panel.place(row, column)


def _matrix_layout(system: System, lanes: int, matrix_at: int) -> Iterator[tuple[int, str, int]]:
    """The same of the matrix alone."""
    if system.factorised:
        for place, entry in enumerate(system.coefs, matrix_at):
            yield entry, "workspace", place
    elif system.sparse is not None:
        rows, columns_at = system.sparse.rows, system.sparse.columns
        for place, (i, j) in enumerate(system.sparse.given, matrix_at):
            yield system.matrix[rows[i] * system.n + columns_at[j]], "workspace", place
    else:
        stride = pad(system.n) if lanes == 1 else system.n
        for index, entry in enumerate(system.matrix):
            row, column = divmod(index, system.n)
            yield entry, "workspace", matrix_at + row * stride + column
