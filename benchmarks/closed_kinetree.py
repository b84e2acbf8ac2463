"""kinetree's side of the closed loops: the explicit model in the native integrator."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
from tests import mechanisms

import kinetree as kt
from benchmarks.models import ROOT
from kinetree.analysis.given.initial_state import initial_state
from kinetree.analysis.runs.dynamics import Dynamics, dynamics
from kinetree.analysis.runs.run import RunOptions, as_problem
from kinetree.integrate.methods import choose
from kinetree.integrate.problem import Settings

Outcome = tuple[float, float, int, float]
ROUNDS = 5
"""Runs of which the quickest counts."""


@cache
def prepared(mechanism: str) -> tuple[Dynamics, Any, kt.Program]:
    """The compiled model, its initial state, its loops."""
    q = qd = None
    if mechanism == "slider_crank":
        model = kt.load(ROOT / "examples" / "models" / "slider_crank.yaml")
        found = kt.partition(model, independent=["crank"])
        q = found.q
    else:
        model = mechanisms.n_four_bar(int(mechanism.rpartition("_")[2]))
        found = kt.partition(model, independent=["u0"])
        qd = [-1.0 if name.startswith("u") else 1.0 for name in model.velocities]
    made = dynamics(model, partition=found)
    return made, initial_state(made, 0.0, q, qd, None), kt.derive(model, "constraints")


def once(mechanism: str, until: float, tolerance: float) -> Outcome:
    """(angle at the end, gap, steps, seconds)."""
    made, start, loops = prepared(mechanism)
    chosen = Settings(tolerance, tolerance)
    problem = as_problem(made, start, np.array([0.0, until]), RunOptions("dop853", chosen))
    run = choose("dop853", problem).solve
    seconds = []
    for _ in range(ROUNDS):
        begin = time.process_time()
        path = run(problem, chosen)
        seconds.append(time.process_time() - begin)
    q = path.y[-1][: made.model.nq]
    h = loops.evaluate(q=q, qd=np.zeros(made.model.nv))["h"]
    return float(q[0]), float(np.abs(h).max()), int(path.steps), min(seconds)


def settings(mechanism: str, until: float) -> dict[str, Callable[[], Outcome]]:
    """Tolerances from rough to fine."""
    return {
        f"dop853, {tol:g}": partial(once, mechanism, until, tol)
        for tol in (1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9)
    }
