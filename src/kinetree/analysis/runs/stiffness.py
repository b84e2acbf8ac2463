"""Whether stability, not accuracy, held the steps of an explicit method: stiff forces.

An explicit method is stable while its step times the largest |eigenvalue| of the rates stays below
a few units; a run that accuracy guides stays far below that.  The eigenvalue is estimated by a
power iteration with differences of the rates.

Refs: Hairer1996 sec. IV.2
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from kinetree.arrays import Array

if TYPE_CHECKING:
    from kinetree.analysis.runs.run import Run

MANY = 2000
"""Steps from which it is worth asking."""
LIMIT = 2.5
"""Step times eigenvalue above which stability guides an explicit method."""
STIFF = "a stiff method may help: method='cvode_bdf' or 'BDF'"
ITERATIONS = 30
"""Steps of the power iteration."""


def stiff_advice(run: Run, jumps: str) -> str:
    """What to do about steps that became too small, or too many."""
    if jumps:
        return "make its jump steep instead, such as tanh, or let dry friction or a stop see to it"
    return "look for a jump in a law or a singular configuration" if run.method.stiff else STIFF


def stiff(run: Run) -> bool:
    """Whether stability held the steps of the last part of a run."""
    path, system = run.last.path, run.last.dynamics
    t, y = float(path.t[-1]), path.y[-1]
    if run.method.stiff or "rtol" not in run.method.uses or path.steps < MANY:
        return False
    mean = (t - run.last.begin) / path.steps
    with np.errstate(all="ignore"):
        return bool(mean * _largest_eigenvalue(lambda z: system.rates(t, z), y) > LIMIT)


def _largest_eigenvalue(rates: Callable[[Array], Array], y: Array) -> float:
    """Estimate of the largest |eigenvalue| of d rates/dy [1/s]; NaN where there is none."""
    size = 1e-7 * (1 + float(np.linalg.norm(y)))
    first = rates(y)
    direction = np.cos(1.0 + np.arange(len(y)))
    growth = []
    for _ in range(ITERATIONS):
        step = direction / np.linalg.norm(direction) * size
        direction = (rates(y + step) - first) / size
        growth.append(float(np.linalg.norm(direction)))
        if not np.isfinite(growth[-1]) or growth[-1] == 0:
            return growth[-1]
    late = np.array(growth[-ITERATIONS // 3 :])  # q and qd take turns: the mean is geometric
    return float(np.exp(np.log(late).mean()))
