"""The two-dimensional sweep, step × basic parameter, and its results on disk.

Refs: Cuadrado2003 tables 2 and 3
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.iltis.runs import Reference, Signals, Steps, error

FORMULATIONS = ("hybrid", "topological", "global")
FAMILIES = ("trapezoidal", "newmark", "hht", "generalised_alpha")
BOUND = 5e-3
"""Largest error that is acceptable [m]."""
FINE = 1e-3
"""Step of the references [s]."""
STEPS = tuple(np.round(np.arange(0.01, 0.0501, 0.0025), 4).tolist())
RANGES = {
    "trapezoidal": (0.0,),
    "newmark": tuple(np.round(np.arange(-1, 0.001, 0.02), 2).tolist()),
    "hht": tuple(np.round(np.arange(0, 0.3301, 0.01), 2).tolist()),
    "generalised_alpha": tuple(np.round(np.arange(0, 1.001, 0.02), 2).tolist()),
}
"""Basic parameters of table 3; the trapezoidal rule has none."""
COLUMNS = ("road", "family", "parameter", "step_s", "cpu_ms", "error_m", "end_s")
SHORT, AGAIN = 0.03, 2
"""Runs below that processor time [s] are repeated that often; the least time counts."""


@dataclass(frozen=True)
class Row:
    """One run of the sweep.

    Attributes:
        road: scale of the heights.
        formulation, family: what was run.
        parameter: basic parameter; 0 for the trapezoidal rule.
        step: [s].
        seconds: processor time.
        error: eq. 43 [m]; not a number where the run failed.
        end: time reached [s].
    """

    road: float
    formulation: str
    family: str
    parameter: float
    step: float
    seconds: float
    error: float
    end: float

    @property
    def spread(self) -> float:
        """Root of the mean square [m]."""
        return self.error * float(np.sqrt(round(self.end / self.step) + 1))

    @property
    def finished(self) -> bool:
        """Whether the run came to its end."""
        return bool(np.isfinite(self.error))


Measure = Callable[[Row], float]
MEASURES: dict[str, Measure] = {
    "printed": lambda row: row.error,
    "rms": lambda row: row.spread,
}
"""Readings of eq. 43: as printed, and as the root of a mean square."""


@dataclass(frozen=True)
class Grid:
    """Which part of the grid: every k-th parameter and step."""

    parameters: int = 1
    steps: int = 1

    def points(self, family: str) -> list[tuple[float, float]]:
        """Pairs (parameter, step)."""
        values = RANGES[family][:: self.parameters]
        return [(value, step) for value in values for step in STEPS[:: self.steps]]


def sweep(
    steps: Steps, signals: Signals, reference: Reference, grid: Grid, road: float = 1.0
) -> Iterator[Row]:
    """Run every point of the grid once."""
    for parameter, step in grid.points(steps.family):
        yield once(steps, signals, reference, (parameter, step), road)


def once(
    steps: Steps, signals: Signals, reference: Reference, at: tuple[float, float], road: float
) -> Row:
    """Run one point (parameter, step) of the grid."""
    parameter, step = at
    found = steps.march(step, parameter, parameters={"road": road})
    seconds = found.seconds
    if seconds < SHORT:
        given = {"road": road}
        more = (steps.march(step, parameter, parameters=given, keep=False) for _ in range(AGAIN))
        seconds = min(seconds, *(run.seconds for run in more))
    wrong = float("nan")
    if found.run is not None:
        heights = signals.heights(found.run)
        wrong = error(reference.difference(found.run.times, heights))
    return Row(
        road, steps.formulation, steps.family, parameter, step, seconds, wrong, found.reached
    )


def acceptable(rows: Iterable[Row], measure: str = "printed") -> list[Row]:
    """Runs that finished within the bound, fastest first."""
    return sorted((r for r in rows if within(measure, r)), key=lambda r: r.seconds)


def within(measure: str, row: Row) -> bool:
    """Whether a run finished with an error below the bound."""
    return row.finished and MEASURES[measure](row) < BOUND


def of(
    rows: Iterable[Row], formulation: str, family: str | None = None, road: float = 1.0
) -> list[Row]:
    """Rows of one formulation, or of one combination."""
    return [
        r
        for r in rows
        if r.formulation == formulation and r.road == road and family in (None, r.family)
    ]


def write(rows: Sequence[Row], path: Path) -> None:
    """Store rows of one formulation as CSV; a run that failed has no error."""
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(COLUMNS)
        for r in rows:
            wrong = f"{r.error:.3g}" if r.finished else ""
            out.writerow(
                (
                    f"{r.road:g}",
                    r.family,
                    f"{r.parameter:g}",
                    f"{r.step:g}",
                    f"{1e3 * r.seconds:.3g}",
                    wrong,
                    f"{r.end:g}",
                )
            )


def read(path: Path, formulation: str) -> list[Row]:
    """What `write` has written of a formulation."""
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [
        Row(
            float(r["road"]),
            formulation,
            r["family"],
            float(r["parameter"]),
            float(r["step_s"]),
            float(r["cpu_ms"]) / 1e3,
            float(r["error_m"] or "nan"),
            float(r["end_s"]),
        )
        for r in rows
    ]


__all__ = [
    "BOUND",
    "FAMILIES",
    "FINE",
    "FORMULATIONS",
    "MEASURES",
    "RANGES",
    "STEPS",
    "Grid",
    "Row",
    "acceptable",
    "of",
    "once",
    "read",
    "sweep",
    "within",
    "write",
]
