"""Closed loops to equal accuracy: kinetree, Exudyn and MuJoCo on a slider-crank and N four-bars.

Every engine runs the same motion with ever finer steps (kinetree: tolerances) until its angle at
the end is within TARGET of the reference, or until its finest setting; the first setting that is
accurate enough counts.  Times are processor times of integration alone, the least of some runs;
equations, models and compiled code are made before.  `gap` is the largest opening of a loop at the
end.

kinetree integrates the independent coordinates of the explicit model by a method of order 8 with
variable steps, Exudyn all coordinates of every body with multipliers by the generalised-alpha
method of order 2, MuJoCo the joints of the tree with soft equality constraints by Runge-Kutta of
order 4.  Of the other engines one configuration each is tried; their experts may know better ones.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import cache, partial
from typing import Any

import numpy as np

from benchmarks import report
from benchmarks.models import ROOT

if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from benchmarks import closed_exudyn, closed_kinetree, closed_mujoco

TARGET = 1e-6
"""Error of the angle at the end that is accurate enough [rad]."""
GRAVITY = 9.81
UNTIL = {"slider_crank": 2.0, "four_bar_10": 0.5, "four_bar_40": 0.5}
"""Duration [s]; N four-bars stop before their rods lie flat, where their freedom is not defined."""
ENGINES: dict[str, Any] = {
    "kinetree": closed_kinetree,
    "Exudyn": closed_exudyn,
    "MuJoCo": closed_mujoco,
}


@dataclass
class Result:
    """One run of one engine.

    Attributes:
        setting: step size or tolerance, and method.
        steps: steps taken.
        seconds: of integration, the least of some runs.
        error: of the angle at the end [rad].
        gap: largest opening of a loop at the end [m].
    """

    mechanism: str
    engine: str
    setting: str
    steps: int
    seconds: float
    error: float
    gap: float


@cache
def reference(mechanism: str) -> float:
    """Angle of the first bar at the end, by the equation of its one freedom [rad]."""
    from scipy.integrate import solve_ivp

    until = UNTIL[mechanism]
    if mechanism == "slider_crank":
        slope, start = _slider_crank, [1.0, 0.0]
    else:
        n = int(mechanism.rpartition("_")[2])
        rate = ((n + 1) / 2 + n) / ((n + 1) / 3 + n) * GRAVITY
        slope, start = partial(_falling, rate), [math.pi / 2, -1.0]
    found = solve_ivp(slope, (0, until), start, "DOP853", rtol=1e-13, atol=1e-13)
    return float(found.y[0, -1])


def _falling(rate: float, t: float, y: np.ndarray) -> list[float]:
    """N four-bars: angle of the uprights from the horizontal."""
    del t
    return [y[1], -rate * math.cos(y[0])]


def _slider_crank(t: float, y: np.ndarray) -> list[float]:
    """Lagrange's equation of the crank angle; derivatives of inertia by complex step."""
    del t

    def inertia(q: complex) -> complex:
        s, c = np.sin(q), np.cos(q)
        root = np.sqrt(4 - s * s)  # rod of 2 m: its height is s/2 of its length
        turn = -c / root  # rate of the rod's angle
        x, y_rod = -s + s * turn / 2, c / 2
        slide = -s + s * turn
        total = 1 / 3 + 2 * (x * x + y_rod * y_rod) + 2 / 3 * turn * turn + 5 * slide * slide
        return complex(total)

    m = inertia(y[0]).real
    slope = inertia(y[0] + 1e-30j).imag / 1e-30
    torque = -GRAVITY * math.cos(y[0]) * (0.5 + 1.0)
    return [y[1], (torque - slope * y[1] ** 2 / 2) / m]


def runs(mechanism: str, engine: str) -> Iterator[Result]:
    """Ever more accurate runs of an engine."""
    expected = reference(mechanism)
    settings: dict[str, Callable[[], tuple[float, float, int, float]]]
    settings = ENGINES[engine].settings(mechanism, UNTIL[mechanism])
    for setting, run in settings.items():
        angle, gap, steps, seconds = run()
        yield Result(mechanism, engine, setting, steps, seconds, abs(angle - expected), gap)


def best(mechanism: str, engine: str) -> Result:
    """The first accurate run, or the most accurate one where none is accurate enough."""
    found: list[Result] = []
    for result in runs(mechanism, engine):
        if result.error <= TARGET:
            return result
        found.append(result)
    return min(found, key=lambda r: r.error if math.isfinite(r.error) else math.inf)


def measure(*, quick: bool = False) -> dict[str, Any]:
    """The table of all mechanisms and engines."""
    names = list(UNTIL)[: 2 if quick else None]
    rows = [best(name, engine) for name in names for engine in ENGINES]
    ours = {row.mechanism: row.seconds for row in rows if row.engine == "kinetree"}
    report.show(
        f"closed loops to {TARGET:g} rad",
        ("mechanism", "engine", "setting", "steps", "ms", "times ours", "error rad", "gap m", ""),
        [
            [row.mechanism, row.engine, row.setting, row.steps, 1e3 * row.seconds,
             row.seconds / ours[row.mechanism], row.error, row.gap,
             "" if row.error <= TARGET else "less accurate"]
            for row in rows
        ],
    )  # fmt: skip
    return {"target": TARGET, "rows": [asdict(row) for row in rows]}


if __name__ == "__main__":
    measure(quick="--quick" in sys.argv)
