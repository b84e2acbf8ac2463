"""Rows of a run whose states are made again by its trail, and the march back over them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kinetree.arrays import Array
from kinetree.integrate.loops.backward import BackwardMarch, ReverseKernel, SweptKernel
from kinetree.targets.native.lanes.packing import LANES

if TYPE_CHECKING:
    from kinetree.analysis.runs.dynamics import Dynamics
    from kinetree.analysis.sensitivities.trail.trail import Trail
    from kinetree.integrate.loops.tableaus import Tableau


@dataclass(frozen=True, eq=False)
class TrailRows:
    """Consistent states of a stretch, made again.

    Attributes:
        trail: makes them.
        system: makes them consistent.
        stretch: its number.
        first: steps made before the first row.
        t: times of the rows [s].
    """

    trail: Trail
    system: Dynamics
    stretch: int
    first: int
    t: Array

    def __len__(self) -> int:
        return len(self.t)

    def block(self, k: int) -> tuple[int, Array]:
        """Rows up to one, some of them, and the number of the first."""
        at, found = self.trail.states(self.stretch, self.first + k)
        low = max(at, self.first)
        first = low - self.first
        return first, self.system.project_each(self.t[first : k + 1], found[low - at :])


@dataclass(frozen=True, eq=False)
class PlainRows:
    """States that are kept as they are."""

    Y: Array

    def __len__(self) -> int:
        return len(self.Y)

    def block(self, k: int) -> tuple[int, Array]:
        """Rows up to one, and the number of the first."""
        first = max(0, k + 1 - LANES)
        return first, self.Y[first : k + 1]


@dataclass(frozen=True, eq=False)
class RemadeRows:
    """Rows of a leg, behind the last one of the leg before.

    Attributes:
        before: the leg before; none at the start of the run.
        own: the rows behind.
    """

    before: RemadeRows | None
    own: TrailRows | PlainRows

    def __len__(self) -> int:
        return len(self.own) + (self.before is not None)

    def __getitem__(self, k: int) -> Array:
        """One state."""
        found: Array = self.block(k)[1][-1]
        return found

    def block(self, k: int) -> tuple[int, Array]:
        """Rows up to one, some of them, and the number of the first."""
        if self.before is None:
            return self.own.block(k)
        if k == 0:
            return 0, self.before.block(len(self.before) - 1)[1][-1:]
        first, found = self.own.block(k - 1)
        return first + 1, found


class RemadeMarch:
    """The way back over rows that are made again, as `BackwardMarch` goes over those at hand."""

    def __init__(
        self, tableau: Tableau, leg: tuple[Array, RemadeRows], width: int,
        kernels: tuple[SweptKernel, ReverseKernel | None], sums: Array,
    ) -> None:  # fmt: skip
        self._times, self._rows = leg
        self._t = np.zeros(LANES + 1)
        self._y = np.zeros((LANES + 1, width))
        self._march = BackwardMarch(tableau, (self._t, self._y), kernels, sums)

    @property
    def lam(self) -> Array:
        """Bars of the state where the march has come to."""
        return self._march.lam

    def back(self, first: int, end: int) -> None:
        """Go back over the steps end - 1 … first."""
        while end > first:
            at, states = self._rows.block(end - 1)
            low = max(at, first)
            self._t[: end - low + 1] = self._times[low : end + 1]
            self._y[: end - low] = states[low - at :]
            self._march.back(0, end - low)
            end = low
