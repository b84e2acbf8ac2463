"""Full-pivoting elimination: rank, the best columns to solve for, the rows that depend on others.

Rows are scaled to a largest entry of 1, so that metres and square metres count alike; a pivot below
`TOLERANCE` of the largest is zero.

Refs: WehageHaug1982; Docquier2013 sec. 2.2.1
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinetree.arrays import Array

SHARE = 0.1
"""A pivot in a column that should give way is taken down to this share of the largest one."""
SMALL = 1e-3
"""A pivot below this share of the largest one is not preferred for what its column ties."""
TOLERANCE = 1e-8
"""Pivots below this share of the largest are zero: the square root of the rounding error, because
at a configuration closed to rounding a redundant loop is known no better."""


@dataclass(frozen=True)
class Pivots:
    """What elimination found.

    Attributes:
        rows: pivot rows, in the order taken: independent equations.
        columns: the pivot column of each: what they are best solved for.
        sizes: the pivots' magnitudes, of rows scaled to 1.
        rest: rows without a pivot: they depend on the others.
    """

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    sizes: tuple[float, ...]
    rest: tuple[int, ...]

    @property
    def rank(self) -> int:
        """Number of independent rows."""
        return len(self.rows)


def eliminate(
    matrix: Any,
    later: Sequence[int] = (),
    tolerance: float = TOLERANCE,
    worth: Sequence[int] | None = None,
    ties: Sequence[int] | None = None,
) -> Pivots:
    """Gaussian elimination with the largest entry as the next pivot.

    Args:
        matrix: m × n.
        later: rows that take their pivots after all others.
        tolerance: share of the largest pivot below which a pivot is zero.
        worth: of every column; of those with a good pivot the one of least worth is taken, so that
            the columns of most worth are left without a pivot.
        ties: of every column, how much it ties rows together; of those that have kept a good part
            of their entries one that ties least is taken, and of equal ones the largest pivot.
    """
    A, size = scale_rows(matrix, tolerance)
    tops = np.abs(A).max(axis=0, initial=0.0)
    rows: list[int] = []
    columns: list[int] = []
    sizes: list[float] = []
    first = [i for i in range(len(A)) if i not in set(later)]
    for group in (first, list(later)):
        open_rows = list(group)
        while open_rows and A.shape[1]:
            block = np.abs(A[open_rows])
            k, j = _next(block, worth) if ties is None else _least_tied(block, ties, tops)
            if block.max() <= tolerance * max(size, *sizes, 0.0):
                break
            i = open_rows.pop(k)
            rows.append(i)
            columns.append(j)
            sizes.append(float(block[k, j]))
            below = [r for r in range(len(A)) if r not in rows]
            A[below] -= np.outer(A[below, j] / A[i, j], A[i])
            A[:, j][below] = 0.0
    rest = tuple(i for i in range(len(A)) if i not in rows)
    return Pivots(tuple(rows), tuple(columns), tuple(sizes), rest)


def eliminate_many(
    matrices: Array,
    later: Sequence[int] = (),
    tolerance: float = TOLERANCE,
    worth: Sequence[int] | None = None,
) -> list[Pivots]:
    """The same for many matrices at once, (count, m, n); every one as `eliminate` finds it."""
    found = _Many(matrices, tolerance, worth)
    first = [i for i in range(found.used.shape[1]) if i not in set(later)]
    for group in (first, list(later)):
        lanes = np.arange(len(matrices))
        for _ in group:
            lanes = found.step(lanes, group)
    return found.pivots()


class _Many:
    """Eliminations side by side; matrices that have no pivot left in a group stand aside."""

    def __init__(self, matrices: Any, tolerance: float, worth: Sequence[int] | None = None) -> None:
        self.tolerance, self.worth = tolerance, worth
        tops = np.abs(matrices).max(axis=2, initial=0.0)
        keep = tops > tolerance * tops.max(axis=1, initial=0.0)[:, None]
        scale = np.where(keep, tops, 1.0)[:, :, None]
        self.A = np.where(keep[:, :, None], matrices / scale, 0.0)
        self.largest = keep.any(axis=1).astype(float)
        self.used = np.zeros(keep.shape, dtype=bool)
        self.found: list[list[tuple[int, int, float]]] = [[] for _ in matrices]

    def step(self, lanes: Any, group: list[int]) -> Any:
        """Take the next pivot of some matrices in a group of rows; those that had one."""
        if not len(lanes) or not self.A.shape[-1]:
            return lanes[:0]
        block = np.full((len(lanes), *self.A.shape[1:]), -1.0)
        block[:, group] = np.abs(self.A[lanes][:, group])
        block[self.used[lanes]] = -1.0
        best = block.max(axis=(1, 2))
        good = best > self.tolerance * self.largest[lanes]
        lanes, block = lanes[good], block[good]
        i, j = self._next(block)
        top = block[np.arange(len(lanes)), i, j]
        for lane, row, column, size in zip(lanes, i, j, top, strict=True):
            self.found[lane].append((int(row), int(column), float(size)))
        self.used[lanes, i] = True
        self.largest[lanes] = np.maximum(self.largest[lanes], top)
        self._clear(lanes, i, j)
        return lanes

    def _next(self, block: Array) -> tuple[Any, Any]:
        """Row and column of the next pivot of every matrix."""
        flat = block.reshape(len(block), block.shape[1] * block.shape[2])
        if self.worth is None:
            return np.divmod(flat.argmax(axis=1), block.shape[2])
        tops = block.max(axis=1)
        good = tops >= SHARE * flat.max(axis=1)[:, None]
        j = np.where(good, np.asarray(self.worth, dtype=float), np.inf).argmin(axis=1)
        return block[np.arange(len(block)), :, j].argmax(axis=1), j

    def _clear(self, lanes: Any, i: Any, j: Any) -> None:
        """Subtract the pivot rows from those that have no pivot yet."""
        A, open_rows, here = self.A[lanes], ~self.used[lanes], np.arange(len(lanes))
        share = np.where(open_rows, A[here, :, j] / A[here, i, j][:, None], 0.0)
        A -= share[:, :, None] * A[here, i][:, None, :]
        A[here, :, j] = np.where(open_rows, 0.0, A[here, :, j])
        self.A[lanes] = A

    def pivots(self) -> list[Pivots]:
        """What was found, matrix by matrix."""
        return [
            Pivots(
                tuple(i for i, _, _ in row), tuple(j for _, j, _ in row),
                tuple(size for _, _, size in row), tuple(np.flatnonzero(~used).tolist()),
            )
            for row, used in zip(self.found, self.used, strict=True)
        ]  # fmt: skip


def _next(block: Array, worth: Sequence[int] | None) -> tuple[int, int]:
    """Row and column of the next pivot."""
    if worth is None:
        k, j = divmod(int(np.argmax(block)), block.shape[1])
        return k, j
    good = np.flatnonzero(block.max(axis=0) >= SHARE * block.max())
    j = min(good.tolist(), key=lambda column: worth[column])
    return int(np.argmax(block[:, j])), j


def _least_tied(block: Array, ties: Sequence[int], tops: Array) -> tuple[int, int]:
    """Row and column of the next pivot where columns that tie few rows are taken first.

    Args:
        block: sizes of the entries of the rows without a pivot.
        ties: of every column, how much it ties rows together.
        tops: largest entry of every column before elimination; what is left of it tells, in any
            unit, how far a column still differs from those that have a pivot.
    """
    now = block.max(axis=0)
    good = (now >= SHARE * tops) & (now >= SMALL * now.max())
    least = np.where(good & (now > 0), np.asarray(ties, dtype=float), np.inf)
    if not np.isfinite(least.min(initial=np.inf)):
        return _next(block, None)
    j = int(np.argmax(np.where(least == least.min(), now, -1.0)))
    return int(np.argmax(block[:, j])), j


def scale_rows(matrix: Any, tolerance: float = TOLERANCE) -> tuple[Array, float]:
    """A copy with rows of largest entry 1, and the largest entry there is; zero rows stay."""
    A = np.array(matrix, dtype=float)
    tops = np.abs(A).max(axis=1, initial=0.0)
    whole = float(tops.max(initial=0.0))
    keep = tops > tolerance * whole
    A[keep] /= tops[keep, None]
    A[~keep] = 0.0
    return A, 1.0 if keep.any() else 0.0


def combination(matrix: Any, row: int, others: Sequence[int]) -> Array:
    """Coefficients with which rows `others` make up row `row`, in the least-squares sense."""
    A, _ = scale_rows(matrix)
    found: Array = np.linalg.lstsq(A[list(others)].T, A[row], rcond=None)[0]
    return found
