"""The adjoint method in equal steps: the reverse of whole steps, last to first, Eq. (S11)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kinetree.analysis.sensitivities.directions import bars_by_variable
from kinetree.analysis.sensitivities.stepping.step_start import pull_to_start
from kinetree.arrays import Array, Integers
from kinetree.formalism.natural.relative import NEAR
from kinetree.integrate.loops.backward_steps import LOOK, StepKernel, StepsBack

if TYPE_CHECKING:
    from kinetree.analysis.sensitivities.stepping.step_run import StepLeg, StepRun


def step_gradient(run: StepRun, weights: Array) -> tuple[Array, int]:
    """The derivative of Σ weights · e by every variable but the duration.

    Args:
        run: in equal steps.
        weights: one per state and expression.

    Returns:
        It, and how often a step was made at most, the run included.
    """
    by = run.legs[0].forms.by
    sums = np.zeros(sum(6 if labels is None else len(labels) for labels in by.values()))
    lam = np.zeros(run.stepper.size)
    most = 0
    for leg in reversed(run.legs):
        most = max(most, int(_back(run, leg, weights, (lam, sums)).max(initial=0)))
    found: Array = pull_to_start(run, lam) + bars_by_variable(by, run.task.directions, sums)
    return found, 1 + most


def _back(run: StepRun, leg: StepLeg, weights: Array, bars: tuple[Array, Array]) -> Integers:
    """Go back over a leg; how often its steps were made anew."""
    forms, count = leg.forms, leg.end - leg.first
    ends = f"{forms.state[0]}_next_bar"
    kernels: dict[str, StepKernel] = {
        "step": run.kernel(forms.step_form), "reverse": run.swept(forms.reverse_step, ends),
        "look": run.kernel(forms.reverse_looks, NEAR if run.near.size else "e_bar"),
    }  # fmt: skip
    span = slice(leg.first, leg.end + 1)
    marks = np.any(weights[span] != 0.0, axis=1)
    marks[-1] &= leg.end == run.steps  # the state between two legs is looked at once
    # what looks are given of a state stands before the weights among their arguments
    own = np.hstack([run.near[span], weights[span]])
    plan = leg.plan
    slots = np.zeros((plan.slots + 1, run.stepper.size))
    slots[: len(plan.positions)] = [run.kept[leg.first + k] for k in plan.positions]
    slots[-1] = run.kept[leg.end]
    clock = np.array([run.start.t0 + leg.first * run.start.h, run.start.h])
    back = StepsBack(kernels, slots, clock, (own, marks), bars)
    back.run(np.array([(LOOK, plan.slots, 0, count, 0)]))
    back.run(plan.table)
    return back.advances[:-1]
