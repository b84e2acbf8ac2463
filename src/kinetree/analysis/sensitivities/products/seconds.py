"""Second derivatives beside first ones: all of them, or those along one direction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from kinetree.analysis.sensitivities.products.runs import run_products
from kinetree.analysis.sensitivities.products.steps import step_products
from kinetree.analysis.sensitivities.result import with_hessians, with_products
from kinetree.analysis.sensitivities.second import hessians
from kinetree.analysis.sensitivities.stepping.step_seconds import step_hessians
from kinetree.arrays import Array
from kinetree.integrate.loops.tableaus import TABLEAUS
from kinetree.results.draft import Draft

if TYPE_CHECKING:
    from kinetree.analysis.sensitivities.task import Task


def with_seconds(task: Task, made: Draft, along: Mapping[str, float] | None, times: Array) -> Draft:
    """The run with second derivatives.

    Args:
        task: what runs.
        made: with first derivatives.
        along: changes by name of the direction that is wanted; none for all.
        times: output times [s].
    """
    stepped = task.steps is not None
    if along is None:
        return with_hessians(made, step_hessians(task) if stepped else hessians(task, times))
    way = np.array([float(along.get(row.name, 0.0)) for row in task.variables])
    if not stepped and task.integrator not in TABLEAUS:  # it keeps no steps to go back over
        return with_products(made, way, hessians(task, times) @ way)
    return with_products(made, way, (step_products if stepped else run_products)(task, way))
