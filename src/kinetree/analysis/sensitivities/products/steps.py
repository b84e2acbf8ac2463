"""Hessian products of runs in equal steps: one tangent and one way back, (S20) and (S21)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kinetree.analysis.sensitivities.products.doubled import with_tangent
from kinetree.analysis.sensitivities.products.start_back import pull_second_start
from kinetree.analysis.sensitivities.reverse import Reverse
from kinetree.analysis.sensitivities.second import refuse_second
from kinetree.analysis.sensitivities.start import start_along
from kinetree.analysis.sensitivities.stepping.law_jumps import refuse_law_jumps
from kinetree.analysis.sensitivities.stepping.step_run import StepRun
from kinetree.analysis.sensitivities.stepping.step_seconds import column
from kinetree.analysis.sensitivities.stepping.step_start import start_expressions
from kinetree.analysis.sensitivities.stepping.step_tangents import StepTangents
from kinetree.analysis.sensitivities.stepping.stepped import step_outcomes
from kinetree.analysis.sensitivities.tangent import tangent
from kinetree.arrays import Array

if TYPE_CHECKING:
    from kinetree.analysis.sensitivities.task import Task


def step_products(task: Task, way: Array) -> Array:
    """Second derivatives of all measures along a direction: measure × variable.

    Args:
        task: what runs, in equal steps.
        way: the direction: a change of every variable.
    """
    refuse_second(task)
    with task.share.part(0.0, 0.3):
        run = StepRun(task)
    refuse_law_jumps(run, bends=True)
    rows, seen = task.directions, start_expressions(task, run.stepper)
    made = with_tangent(tangent(task.system, seen, ()), rows, way, seen.key)
    reverse = Reverse(made, rows, seen.key, once=True)
    Y = start_along(made, rows, way, task.start, task.t0, task.given)
    first = reverse.look(task.t0, Y)[len(seen.nodes) :]
    moved = StepTangents(run, rows, (way[:, None], first[:, None]))
    found = []
    for k, row in task.share.parts([*enumerate(step_outcomes(run).values())]):
        lam, mu, bars = column(run, row, k, (moved.S[:, :, 0], moved.de[:, k, 0]), way)
        begin = reverse.call(reverse.of_looks, task.t0, Y, np.concatenate([lam, mu]))
        start = pull_second_start(task, seen, reverse, Y, begin.y)
        found.append(bars + reverse.of_variables(begin.p) + start)
    return np.array(found)
