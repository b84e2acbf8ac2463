"""Sensitivities of a run in equal steps: measures as sums over steps, and their derivatives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.sensitivities.stepping.law_jumps import refuse_law_jumps
from kinetree.analysis.sensitivities.stepping.stencils import (
    integral_weights,
    peak_place,
    sample_weights,
)
from kinetree.analysis.sensitivities.stepping.step_bars import step_gradient
from kinetree.analysis.sensitivities.stepping.step_run import CURE, SeenRun, StepRun
from kinetree.analysis.sensitivities.stepping.step_tangents import StepTangents
from kinetree.arrays import Array
from kinetree.errors import ModelError, UnsupportedError
from kinetree.measures import Measure, Misfit, OfEvent, Sighting
from kinetree.results.draft import Draft
from kinetree.targets.native.lanes.packing import LANES

if TYPE_CHECKING:
    from kinetree.analysis.sensitivities.task import Task


RUN = 0.4
"""Share of the analysis that the run itself takes."""


@dataclass(frozen=True)
class StepOutcome:
    """A measure of a run in equal steps.

    Attributes:
        value: of the measure.
        by_end: its slope by the duration.
        weights: ∂V/∂e at every state.
        samples: weights of the values at the times of the measure, one row each.
        curves: ∂²V by them, one number each.
        curve: ∂²V/∂e² of an integral at every state.
        powers: slopes of the integral by e.
        by_square: ∂²V by the integral.
    """

    value: float
    by_end: float
    weights: Array
    samples: Array
    curves: Array
    curve: Array
    powers: Array
    by_square: float

    def bend(self, de: Array) -> Array:
        """The change of the weights with the expression: ∂²V/∂e² de."""
        found: Array = self.curve * de + self.by_square * self.powers * float(self.powers @ de)
        return found + (self.curves * (self.samples @ de)) @ self.samples


def step_outcomes(run: SeenRun | StepRun) -> dict[str, StepOutcome]:
    """Every measure of a run."""
    rows = enumerate(run.task.measures.items())
    return {name: _outcome(run, name, measure, run.e[:, k]) for k, (name, measure) in rows}


def _outcome(run: SeenRun | StepRun, name: str, measure: Measure, e: Array) -> StepOutcome:
    if isinstance(measure, OfEvent):
        raise UnsupportedError(
            "equal steps with events have no derivatives", element=f"measure '{name}'", cure=CURE
        )
    t0, h, count = float(run.times[0]), run.h, len(e)
    end = float(run.times[-1])
    places = [peak_place(e)] if measure.peaks else (measure.times(end) - t0) / h
    if len(places) and not (min(places) >= -1e-9 and max(places) <= count - 1 + 1e-9):
        raise ModelError(
            f"the run lasts from t = {t0:.6g} s to {end:.6g} s",
            element=f"measure '{name}'",
            cure="measure inside it, or make the run longer",
        )
    samples = np.array([sample_weights(count, float(x)) for x in places]).reshape(-1, count)
    powers = h * integral_weights(count) if measure.power else np.zeros(count)
    integral = float(powers @ e**measure.power)
    seen = measure.gather(Sighting(t0, end, samples @ e, integral))
    weights = seen.by_samples @ samples if len(places) else np.zeros(count)
    curves = seen.curved_samples if len(seen.curved_samples) else np.zeros(len(places))
    by_end, curve, slopes = seen.by_end, np.zeros(count), powers
    if measure.power:
        k = measure.power
        slopes = k * powers * e ** (k - 1)
        weights = weights + seen.by_integral * slopes
        if k > 1:
            curve = seen.by_integral * k * (k - 1) * powers * e ** (k - 2)
        by_end += seen.by_integral * float(e[-1]) ** measure.power
    if len(places) and (measure.at_end or (measure.peaks and places[0] == count - 1)):
        by_end += float(seen.by_samples[0] * (sample_weights(count, count - 1, order=1) @ e)) / h
    return StepOutcome(
        seen.value, by_end, weights, samples, curves, curve, slopes, seen.curved_integral
    )


@dataclass(frozen=True)
class SteppedResult:
    """Values and derivatives of a run in equal steps.

    Attributes:
        run: the variables of the motion.
        outcomes: measures by name.
        table: measure × variable but the duration.
        facts: how they were found.
        S: tangents of y over time: time × direction × component; none of the adjoint method.
        samples: of misfits: values at the times of their data, and their changes.
    """

    run: Draft
    outcomes: Mapping[str, StepOutcome]
    table: Array
    facts: Mapping[str, Any]
    S: Array | None = None
    samples: Mapping[str, tuple[Array, Array]] = field(default_factory=dict)


def step_sensitivities(task: Task, *, direct: bool) -> SteppedResult:
    """Values of measures and their derivatives, by tangents or by going back."""
    with task.share.part(0.0, RUN):
        run = StepRun(task)
    if task.directions:
        refuse_law_jumps(run)
    found = step_outcomes(run)
    facts = {"method": "direct" if direct else "adjoint", "steps": run.steps}
    if not direct:
        table, most = np.zeros((len(found), len(task.directions))), 0
        with task.share.part(RUN, 1.0):
            for k, row in task.share.parts([*enumerate(found.values())]):
                weights = np.zeros(run.e.shape)
                weights[:, k] = row.weights
                table[k], most = step_gradient(run, weights)
        told = (
            {"repeats": most, "checkpoints": max(leg.plan.slots - 1 for leg in run.legs)}
            if run.task.memory is not None
            else {}
        )
        return SteppedResult(run.draft(), found, table, {**facts, **told})
    rows = task.directions
    if not rows:
        return SteppedResult(run.draft(), found, np.zeros((len(found), 0)), facts)
    chunks = [rows[k : k + LANES] for k in range(0, len(rows), LANES)] or [()]
    with task.share.part(RUN, 1.0):
        parts = [StepTangents(run, chunk) for chunk in task.share.parts(chunks)]
    de = np.concatenate([part.de for part in parts], axis=2)
    table = np.array([row.weights @ de[:, k] for k, row in enumerate(found.values())])
    S = np.concatenate([part.dy for part in parts], axis=1)
    samples = {
        name: (found[name].samples @ run.e[:, k], found[name].samples @ de[:, k])
        for k, (name, measure) in enumerate(task.measures.items())
        if isinstance(measure, Misfit)
    }
    return SteppedResult(run.draft(), found, table, {**facts, "runs": len(parts)}, S, samples)
