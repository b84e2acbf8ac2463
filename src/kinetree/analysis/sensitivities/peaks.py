"""Where expressions are largest in a run: on a grid first, then where their rate is zero.

Between the two neighbours of the largest value the rate de/dt is taken at Chebyshev points of the
dense output; the zero of its polynomial is the place.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.polynomial import Chebyshev

from kinetree.analysis.sensitivities.looks import Looks
from kinetree.analysis.sensitivities.task import Task
from kinetree.arrays import Array

DEGREE = 15
"""Of the polynomial."""


def find_peaks(task: Task, run: Callable[[Array], Looks]) -> dict[str, float]:
    """Times of the peaks of those measures that are taken there [s].

    Args:
        task: what runs.
        run: makes the run over output times [s].
    """
    wanted = [(k, name) for k, (name, m) in enumerate(task.measures.items()) if m.peaks]
    if not wanted:
        return {}
    looks = run(task.times(np.zeros(0)))
    times, values = looks.all_values()
    found: dict[str, float] = {}
    for number, name in wanted:
        k = int(np.argmax(values[:, number]))
        low, high = times[max(k - 1, 0)], times[min(k + 1, len(times) - 1)]
        found[name] = _refine(task, run, number, (float(low), float(high), float(times[k])))
    return found


def _refine(
    task: Task, run: Callable[[Array], Looks], number: int, known: tuple[float, float, float]
) -> float:
    """The place of the largest value between two times; the best known where none is inside."""
    low, high, best = known
    nodes = 0.5 * (low + high) + 0.5 * (high - low) * np.cos(np.linspace(np.pi, 0, DEGREE + 1))
    looks = run(task.times(nodes))
    inside = nodes[nodes <= looks.end]
    rates = [looks.at(float(t)).rate[number] for t in inside]
    line = Chebyshev.fit(inside, rates, DEGREE, domain=[low, high])
    roots = [float(r.real) for r in line.roots() if abs(r.imag) < 1e-9 * (high - low)]
    falling = [r for r in roots if low <= r <= high and line.deriv()(r) < 0]
    return min(falling, key=lambda r: abs(r - best)) if falling else best
