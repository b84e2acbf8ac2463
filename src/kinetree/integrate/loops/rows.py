"""Output of a native run: a window of times and states that the loop fills, then asks for the next.

However many output times there are, the memory of a run holds one window, what was filled since the
rows were taken last, and the times.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np

from kinetree.arrays import Array
from kinetree.targets.native.function import address

WINDOW, STEPS = 4096, 4096
"""Rows of the windows of output times and of steps."""
MANY = 16
"""Full windows that are kept until rows are taken."""
TURN = ctypes.CFUNCTYPE(None)
"""What the loop calls where the window is full."""


class PendingRows:
    """Rows of a run that were not taken yet.

    Attributes:
        times: output times [s].
        every_step: whether the rows are the steps instead of the times.
        steps: window of the steps (t, y), where all of them are recorded.
        values: window of y at the output times.
    """

    def __init__(self, times: Array, n: int, *, every_step: bool, judged: bool = False) -> None:
        """No rows yet; steps are recorded where they are the rows, or are judged."""
        self.every_step = every_step
        self.times = np.ascontiguousarray(times, dtype=np.float64)
        size = min(self.times.size, WINDOW)
        self.values = np.zeros((size, n))
        self.steps = np.zeros((STEPS if every_step or judged else 0, n + 1))
        # one time more: the loop asks for the next window where that is due
        self._window = np.full(size + 1, np.inf)
        self._filled: list[tuple[Array, Array]] = []
        self._made: list[tuple[Array, Array]] = []
        self._ahead, self._taken = 0, 0
        self._turn = TURN(self._next_window)
        self._fill()

    @property
    def many(self) -> bool:
        """Whether so many rows are there that they should be taken."""
        return len(self._filled) + len(self._made) > MANY

    def table(self) -> dict[str, int]:
        """Addresses and sizes for native code."""
        return {
            "times": address(self._window), "values": address(self.values),
            "time_count": len(self.values),
            "turn": ctypes.cast(self._turn, ctypes.c_void_p).value or 0,
            "step_table": address(self.steps), "step_room": len(self.steps),
        }  # fmt: skip

    def start(self, y: Array) -> None:
        """The first row."""
        self.values[0] = y
        if len(self.steps):
            self._made = [(self.times[:1].copy(), y[None].copy())]

    def add_steps(self, count: int) -> None:
        """Take steps out of their window."""
        if count:
            rows = self.steps[:count].copy()
            self._made.append((rows[:, 0], rows[:, 1:]))

    def read_new(self, cursor: int) -> tuple[Array, Array]:
        """Times and states that were not taken yet.

        Args:
            cursor: place in the window up to which it is filled.
        """
        if self.every_step:
            return _join_rows(self._made)
        place = slice(self._taken, cursor)
        return _join_rows([*self._filled, (self._window[place], self.values[place])])

    def read_ends(self) -> tuple[Array, Array] | None:
        """Times and states at the ends of steps that were not taken yet, where they are kept."""
        return _join_rows(self._made) if self._made else None

    def take(self, cursor: int) -> tuple[Array, Array]:
        """The same; all of them but the last are gone then."""
        t, y = self.read_new(cursor)
        if not self.every_step:
            self._filled, self._taken = [(t[-1:], y[-1:])], cursor
        self._made = [(a[-1:], b[-1:]) for a, b in self._made[-1:]]
        return t, y

    def _next_window(self) -> None:
        """Keep a full window, and go on with the times that follow."""
        size = len(self.values)
        if not self.every_step:
            place = slice(self._taken, size)
            self._filled.append((self._window[place].copy(), self.values[place].copy()))
        self._ahead, self._taken = self._ahead + size, 0
        self._fill()

    def _fill(self) -> None:
        times = self.times[self._ahead : self._ahead + self._window.size]
        self._window[:] = np.inf
        self._window[: times.size] = times


def _join_rows(rows: Sequence[tuple[Array, Array]]) -> tuple[Array, Array]:
    """Times and states as one table each."""
    return np.concatenate([t for t, _ in rows]), np.concatenate([y for _, y in rows])
