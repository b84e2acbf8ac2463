"""Bars of the start and of its tangent along a direction, pulled back to what varies.

With y₀ the consistent start and S₀ its tangent along v, bars λ of y₀ and μ of S₀ give

    λ · dy₀/dpᵢ + μ · dS₀/dpᵢ

S₀ is what the projection makes of itself, P_S = ∂P/∂y S + ∂P/∂p v, with K dS₀ = 0 (S2), so that

    μ · dS₀/dpᵢ = ν · (∂P_S/∂y dy₀/dpᵢ + ∂P_S/∂pᵢ)      ν = μ - Kᵀ (K A)⁺ᵀ Aᵀ μ            Eq. (S23)

and no second derivative of the start is made one by one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kinetree.analysis.sensitivities.direct import TOGETHER
from kinetree.analysis.sensitivities.reverse import Reverse
from kinetree.analysis.sensitivities.start import (
    free_bars,
    pull_start,
    tangent_start,
)
from kinetree.analysis.sensitivities.start_checks import has_redundant
from kinetree.analysis.sensitivities.tangent import tangent
from kinetree.arrays import Array

if TYPE_CHECKING:
    from kinetree.analysis.sensitivities.expressions import Expressions
    from kinetree.analysis.sensitivities.task import Task


def pull_second_start(
    task: Task, seen: Expressions, double: Reverse, Y: Array, bars: Array
) -> Array:
    """What bars of the start and of its tangent say of every variable.

    Args:
        task: what runs.
        seen: what is looked at.
        double: the reverse of the dynamics with the tangent.
        Y: at the start, with its tangent.
        bars: of Y.
    """
    made, t, given = double.made, task.t0, task.given
    n, width = made.size, made.width
    y, lam, mu = Y[:n], bars[:n], bars[width : width + n]
    rest, form = np.zeros(double.count), double.of_projection
    if form is not None:
        weights = np.zeros(2 * width)
        weights[width : width + n] = free_bars(made, y, t, given, mu)
        found = double.call(form, t, Y, weights)
        lam, rest = lam + found.y[:n], found.p
    moved: Array = double.of_variables(rest) + _pull(task, seen, y, lam)
    return moved


def _pull(task: Task, seen: Expressions, y: Array, lam: Array) -> Array:
    """What bars of the start alone say."""
    rows, system = task.directions, task.system
    if not (system.projects and has_redundant(system)):
        single = Reverse(tangent(system, seen, ()), rows, seen.key, once=True)
        return pull_start(single, y, task.t0, task.given, lam)
    found = []  # tangents alone tell whether equations go on repeating others
    for k in range(0, len(rows), TOGETHER):
        part = rows[k : k + TOGETHER]
        made = tangent(system, seen, part)
        Y = tangent_start(made, part, y, task.t0, task.given)
        found.append(Y[made.width :].reshape(len(part), made.width)[:, : made.size] @ lam)
    return np.concatenate(found)
