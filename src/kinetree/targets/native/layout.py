"""How a linear system stands in the workspace.

Rows of right-hand sides stand one after another, in a single evaluation padded to whole vectors.
The factors of a matrix are packed, structural zeros left out; a general matrix keeps its rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinetree.targets.tape import ZERO

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kinetree.targets.tape import System

ANGLES = 4
"""Angles side by side in a single evaluation.  Not eight: on processors with 512-bit units those
slow down the scalar code that runs after them (measured: 45 ns for twelve angles)."""
ROW = 8
"""Doubles to which rows of a linear system are padded in a single evaluation."""
COLUMNS = 8
"""Right-hand sides side by side in a single evaluation."""


def padded(length: int) -> int:
    """The next multiple of ROW."""
    return -(-length // ROW) * ROW


def matrix_size(system: System, lanes: int) -> int:
    """Workspace elements for the matrix: packed if factorised, else with padded rows."""
    if system.factorised:
        return padded(len(_factors(system)))
    scratch = system.n * (padded(system.n) + padded(system.k))
    return scratch if lanes == 1 else system.n * system.n + scratch // lanes


def rhs_stride(system: System, lanes: int) -> int:
    """Workspace elements between two rows of right-hand sides."""
    return padded(system.k) if lanes == 1 else system.k


def matrix_stride(system: System, lanes: int) -> int:
    """Workspace elements between two rows of a general matrix."""
    return padded(system.n) if lanes == 1 else system.n


def layout(system: System, lanes: int, matrix_at: int, rhs_at: int) -> Iterator[tuple[int, int]]:
    """(entry, element of the workspace) for everything that the system reads, ZERO included."""
    if system.factorised:
        full = _factors(system)
        yield from zip(full, range(matrix_at, matrix_at + len(full)), strict=True)
    else:
        stride = matrix_stride(system, lanes)
        for index, entry in enumerate(system.matrix):
            row, column = divmod(index, system.n)
            yield entry, matrix_at + row * stride + column
    stride = rhs_stride(system, lanes)
    for index, entry in enumerate(system.rhs):
        row, column = divmod(index, system.k)
        yield entry, rhs_at + row * stride + column


def _factors(system: System) -> list[int]:
    """L, 1/D and L again: one copy per sweep, else the compiler keeps every entry in a register."""
    lower = [entry for entry in system.matrix if entry != ZERO]
    return [*lower, *system.inverse, *lower]
