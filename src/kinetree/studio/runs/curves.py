"""Curves of runs, thinned to least and largest values per pixel: millions of points, no peak lost.

The curves of the last runs are kept in memory, with the least and largest value of every `BLOCK`
rows; a picture of any stretch is made from these.
"""

from __future__ import annotations

import struct
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from kinetree.arrays import Array
from kinetree.errors import FormatError, unknown
from kinetree.results.files import load_run
from kinetree.studio.messages import CurvesMessage
from kinetree.view.signals import first_curves, groups

BLOCK = 64
"""Rows whose least and largest values are kept."""
STEP = "step"
"""Name of the curve of the steps that a solver made."""
EVEN = 1e-6
"""Difference of steps that are equal, as a share of them."""
MOST_PIXELS = 4000
"""Most stretches into which a picture is divided."""
ROWS_PER_PIXEL = 4
"""Up to so many rows a picture has all of them."""
MOST_KEPT = 400_000_000
"""Most bytes of curves that are kept."""


@dataclass
class RunCurves:
    """Curves of one run.

    Attributes:
        time: [s].
        values: name -> one value per time.
        units: name -> unit, empty where unknown.
        shown: names of those to show first.
        events: time [s] and name of what happened.
    """

    time: Array
    values: dict[str, Array]
    units: dict[str, str]
    shown: list[str] = field(default_factory=list)
    events: list[tuple[float, str]] = field(default_factory=list)
    _blocks: dict[str, tuple[Array, Array]] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Bytes that it takes."""
        return 8 * len(self.time) * (len(self.values) + 1)

    def get(self, name: str) -> Array:
        """Values of a curve.

        Raises:
            KinetreeError: where there is none of this name.
        """
        if name not in self.values:
            raise unknown("signal", name, list(self.values), "run")
        return self.values[name]

    def rows(self, start: float | None, end: float | None) -> tuple[int, int]:
        """First row and the one behind the last that a stretch of time shows, neighbours too."""
        low, high = 0, len(self.time)
        if start is not None:
            low = max(0, int(np.searchsorted(self.time, start, "left")) - 1)
        if end is not None:
            high = min(high, int(np.searchsorted(self.time, end, "right")) + 1)
        return low, max(low, high)

    def blocks(self, name: str) -> tuple[Array, Array]:
        """Least and largest value of every block of rows."""
        found = self._blocks.get(name)
        if found is None:
            values = self.values[name]
            starts = np.arange(0, len(values), BLOCK)
            found = np.fmin.reduceat(values, starts), np.fmax.reduceat(values, starts)
            self._blocks[name] = found
        return found

    def path(self, names: Sequence[str], count: int) -> tuple[Array, dict[str, Array]]:
        """Times and values of whole rows, evenly spread, to draw one curve over another.

        Args:
            names: of curves.
            count: most rows.
        """
        last = len(self.time) - 1
        rows = np.unique(np.linspace(0, last, min(count, last + 1)).round().astype(int))
        return self.time[rows], {name: self.get(name)[rows] for name in names}

    def picture(
        self, names: Sequence[str], start: float | None, end: float | None, pixels: int
    ) -> tuple[Array, dict[str, Array]]:
        """Times and values to draw a stretch: all rows where they are few, else two per pixel.

        Args:
            names: of curves.
            start: of the stretch [s]; None: from the beginning.
            end: of the stretch [s]; None: to the end.
            pixels: number of parts; of each the least and the largest value are given.
        """
        low, high = self.rows(start, end)
        given = {name: self.get(name) for name in names}
        if high - low <= ROWS_PER_PIXEL * pixels:
            return self.time[low:high], {name: row[low:high] for name, row in given.items()}
        if high - low >= 2 * BLOCK * pixels:
            return self._from_blocks(names, low, high, pixels)
        edges = np.unique(np.linspace(low, high, pixels + 1).astype(int))[:-1]
        extremes = {
            name: (np.fmin.reduceat(row[low:high], edges - low),
                   np.fmax.reduceat(row[low:high], edges - low))
            for name, row in given.items()
        }  # fmt: skip
        return self._join(names, low, high, edges, extremes)

    def _from_blocks(
        self, names: Sequence[str], low: int, high: int, pixels: int
    ) -> tuple[Array, dict[str, Array]]:
        first, last = low // BLOCK, -(-high // BLOCK)
        edges = np.unique(np.linspace(first, last, pixels + 1).astype(int))[:-1]
        extremes = {}
        for name in names:
            least, largest = self.blocks(name)
            extremes[name] = (
                np.fmin.reduceat(least[:last], edges), np.fmax.reduceat(largest[:last], edges)
            )  # fmt: skip
        return self._join(names, low, high, np.maximum(edges * BLOCK, low), extremes)

    def _join(
        self, names: Sequence[str], low: int, high: int, edges: Array,
        extremes: dict[str, tuple[Array, Array]],
    ) -> tuple[Array, dict[str, Array]]:  # fmt: skip
        """First row, least and largest value of every part, last row."""
        middles = (edges + np.append(edges[1:], high)) // 2
        rows = np.empty(2 * len(edges), dtype=int)
        rows[0::2], rows[1::2] = edges, middles
        time = np.concatenate([self.time[rows], self.time[high - 1 : high]])
        made = {}
        for name in names:
            values = np.empty(2 * len(edges) + 1)
            values[0:-1:2], values[1:-1:2] = extremes[name]
            values[-1] = self.values[name][high - 1]
            made[name] = values
        return time, made


class CurveStore:
    """Curves of the last runs that were looked at."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[Path, int, int], RunCurves] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, file: Path, element: str) -> RunCurves:
        """Curves of a file, read where it has changed since.

        Raises:
            FormatError: where there is none yet.
        """
        try:
            found = file.stat()
        except OSError:
            raise FormatError(
                "it has no curves", element=element, cure="wait for them, or simulate"
            ) from None
        key = (file, found.st_mtime_ns, found.st_size)
        with self._lock:
            if key not in self._kept:
                for old in [k for k in self._kept if k[0] == file]:
                    del self._kept[old]
                self._kept[key] = read_curves(file)
            self._kept.move_to_end(key)
            while len(self._kept) > 1 and sum(r.size for r in self._kept.values()) > MOST_KEPT:
                self._kept.popitem(last=False)
            return self._kept[key]


def read_curves(file: Path) -> RunCurves:
    """Curves of a run in a file."""
    run = load_run(file)
    found = groups(run)
    values, units = {}, {}
    for group in found:
        for k, name in enumerate(group.names):
            full = group.name if len(group.names) == 1 and name == group.name else (
                f"{group.name}.{name}"
            )  # fmt: skip
            values[full] = np.ascontiguousarray(group.values[:, k], dtype=float)
            units[full] = group.units[k]
    independent = str(run.attrs.get("independent", "")).split(", ")
    events: list[tuple[float, str]] = []
    if "event_time" in run and "event_name" in run:
        names = [str(name) for name in run["event_name"].values]
        events = list(zip(run["event_time"].values.tolist(), names, strict=True))
    time = np.ascontiguousarray(run["time"].values, dtype=float)
    if "method" in run.attrs and _is_uneven(time):  # its rows are the steps of the solver
        values[STEP], units[STEP] = np.diff(time, prepend=2 * time[0] - time[1]), "s"
    return RunCurves(time, values, units, first_curves(found, independent), events)


def _is_uneven(time: Array) -> bool:
    """Whether rows are not at equal distances, as where a solver chose them; the last is cut."""
    steps = np.diff(time)[:-1]
    return len(steps) > 1 and bool(np.ptp(steps) > EVEN * steps.max())


def curves_message(
    curves: RunCurves, names: Sequence[str], stretch: tuple[float | None, float | None],
    pixels: int, *, whole: bool = False,
) -> CurvesMessage:  # fmt: skip
    """Curves as JSON; without names, what there is; with `whole`, rows as they are."""
    if not names:
        return CurvesMessage(
            signals=list(curves.values), units=curves.units,
            shown=curves.shown, rows=len(curves.time), events=curves.events[:10_000],
            start=float(curves.time[0]) if len(curves.time) else 0.0,
            end=float(curves.time[-1]) if len(curves.time) else 0.0,
        )  # fmt: skip
    if whole:
        time, values = curves.path(names, ROWS_PER_PIXEL * _pixels(pixels))
    else:
        time, values = curves.picture(names, *stretch, _pixels(pixels))
    return CurvesMessage(
        time=time.tolist(), curves={name: row.tolist() for name, row in values.items()},
        rows=len(curves.time),
    )  # fmt: skip


def curves_bytes(
    curves: RunCurves, names: Sequence[str], stretch: tuple[float | None, float | None], pixels: int
) -> bytes:
    """The same as numbers: how many rows (8 bytes), then times, then curve after curve.

    All are little-endian, rows an unsigned integer of 64 bits, values of double precision.
    """
    time, values = curves.picture(names, *stretch, _pixels(pixels))
    parts = [struct.pack("<Q", len(time)), time.astype("<f8").tobytes()]
    return b"".join([*parts, *(values[name].astype("<f8").tobytes() for name in names)])


def _pixels(given: int) -> int:
    return min(max(given, 2), MOST_PIXELS)
