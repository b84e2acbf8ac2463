"""Second derivatives of runs in equal steps: going back over a run and one of its tangents.

The change of a measure along a direction, dV = Σ ∂V/∂e de, is a measure of the steps that take a
state s and its tangent S to the next ones (S13).  Its gradient is a column of the Hessian.  With a
bar of s and one of S the reverse of these steps, and of what is seen of them, gives

    [λ, μ] ← (∂[s₁, S₁]/∂[s, S])ᵀ [λ, μ] + (∂[e, de]/∂[s, S])ᵀ [∂²V/∂e² de, ∂V/∂e]      Eq. (S20)

and alike the bars of what varies, where the direction stays; at the start, with S = ds/dp there,

    d²V/dpᵢdpⱼ = p̄ᵢ + λ · Sᵢ + μ · d²s/dpᵢdpⱼ                                        Eq. (S21)

Refs: Griewank2008 ch. 5
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kinetree.analysis.sensitivities.directions import bars_by_variable, seeds_of
from kinetree.analysis.sensitivities.second import blocks_of, refuse_second, second_start
from kinetree.analysis.sensitivities.stepping.law_jumps import refuse_law_jumps
from kinetree.analysis.sensitivities.stepping.step_run import StepRun
from kinetree.analysis.sensitivities.stepping.step_start import start_expressions
from kinetree.analysis.sensitivities.stepping.step_tangents import StepTangents
from kinetree.analysis.sensitivities.stepping.stepped import step_outcomes
from kinetree.arrays import Array
from kinetree.formalism.natural.relative import NEAR
from kinetree.integrate.loops.backward import SweptKernel
from kinetree.integrate.loops.backward_steps import LOOK, StepsBack
from kinetree.targets.native.lanes.packing import LANES

if TYPE_CHECKING:
    from kinetree.analysis.sensitivities.stepping.step_run import StepLeg
    from kinetree.analysis.sensitivities.stepping.stepped import StepOutcome
    from kinetree.analysis.sensitivities.task import Task
    from kinetree.integrate.loops.backward_steps import StepKernel


def step_hessians(task: Task) -> Array:
    """Second derivatives of all measures: measure × variable × variable."""
    refuse_second(task)
    with task.share.part(0.0, 0.1):
        run = StepRun(task)
    refuse_law_jumps(run, bends=True)
    measures, rows = step_outcomes(run), task.directions
    found = np.zeros((len(measures), len(rows), len(rows)))
    tangents = [StepTangents(run, rows[k : k + LANES]) for k in range(0, len(rows), LANES)]
    S = np.concatenate([part.S for part in tangents], axis=2)
    de = np.concatenate([part.de for part in tangents], axis=2)
    curved = _start_seconds(run)
    for j in task.share.parts(range(len(rows))):
        for k, row in enumerate(measures.values()):
            lam, mu, bars = column(run, row, k, (S[:, :, j], de[:, k, j]), np.eye(len(rows))[j])
            found[k, :, j] = bars + lam @ S[0] + mu @ curved[:, :, j]
    return 0.5 * (found + found.swapaxes(1, 2))


def _start_seconds(run: StepRun) -> Array:
    """Second derivatives of the state of the first step: component × variable × variable."""
    task, rows = run.task, run.task.directions
    seen = start_expressions(task, run.stepper)
    found = np.zeros((len(seen.nodes), len(rows), len(rows)))
    for block in blocks_of(len(rows)):
        part = replace(task, variables=tuple(rows[k] for k in block))
        places = np.array(block, dtype=np.int64)
        found[:, places[:, None], places] = second_start(part, seen)
    return found


def column(
    run: StepRun, row: StepOutcome, number: int, tangent: tuple[Array, Array], way: Array
) -> tuple[Array, Array, Array]:
    """λ and μ at the start, and the bars of all variables, for the tangent along a direction.

    Args:
        run: in equal steps.
        row: the measure.
        number: of its expression.
        tangent: S of all states, and de at them.
        way: the direction: a change of every variable.
    """
    S, de = tangent
    weights = np.zeros((len(run.e), 2, run.e.shape[1]))
    weights[:, 0, number], weights[:, 1, number] = row.bend(de), row.weights
    whole = weights.reshape(len(weights), -1)
    by, size = run.legs[0].forms.by, run.stepper.size
    lam = np.zeros(2 * size)
    sums = np.zeros(sum(6 if labels is None else len(labels) for labels in by.values()))
    for leg in reversed(run.legs):
        _back(run, leg, whole, (S, way), (lam, sums))
    return lam[:size], lam[size:], bars_by_variable(by, run.task.directions, sums)


def _back(
    run: StepRun,
    leg: StepLeg,
    weights: Array,
    along: tuple[Array, Array],
    bars: tuple[Array, Array],
) -> None:
    """Go back over a leg and one of its tangents."""
    forms, (S, way), span = leg.forms, along, slice(leg.first, leg.end + 1)
    seeds = {
        f"{name}_dot": rows @ way for name, rows in seeds_of(forms.by, run.task.directions).items()
    }
    reverse = run.swept(forms.second_step, f"{forms.state[0]}_next_bar")
    look = run.kernel(forms.second_looks, NEAR if run.near.size else "e_bar")
    kernels: dict[str, StepKernel] = {
        "reverse": SweptKernel(reverse.parts, {**reverse.given, **seeds}, reverse.weights),
        "look": replace(look, given={**look.given, **seeds}),
    }
    marks = np.any(weights[span] != 0.0, axis=1)
    marks[-1] &= leg.end == run.steps  # the state between two legs is looked at once
    states = np.array([run.kept[k] for k in range(leg.first, leg.end + 1)])
    slots = np.hstack([states, S[span]])
    clock = np.array([run.start.t0 + leg.first * run.start.h, run.start.h])
    own = np.hstack([run.near[span], weights[span]])
    back = StepsBack(kernels, slots, clock, (own, marks), bars)
    count = leg.end - leg.first
    back.run(np.array([(LOOK, count, 0, count, 0)]))
    back.run(leg.plan.table)
