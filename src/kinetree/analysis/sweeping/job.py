"""A sweep as data: model, plan, measures, options; any part of it can be made anywhere."""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.given.batches import RunGiven
from kinetree.analysis.given.fingerprint import plain_facts
from kinetree.analysis.runs.dynamics import OPTIONS
from kinetree.analysis.sensitivities.functions import value_of
from kinetree.analysis.sensitivities.places.rest_start import refuse_following
from kinetree.analysis.sensitivities.task import StepChoice, Task
from kinetree.analysis.sensitivities.variables import (
    DURATION,
    DesignVariable,
    enter_values,
    read_variables,
)
from kinetree.analysis.sensitivity import as_settings, rest_of
from kinetree.analysis.sweeping.found import PartRows
from kinetree.analysis.sweeping.lanes import LaneRunner
from kinetree.analysis.sweeping.parts import part_dataset
from kinetree.analysis.sweeping.places import PlaceRunner
from kinetree.analysis.sweeping.plans import SweepPlan
from kinetree.analysis.sweeping.runner import GIVEN, Runner
from kinetree.arguments import check_choice
from kinetree.arrays import Array
from kinetree.errors import AssemblyError, KinetreeError, ModelError, RunError, UnsupportedError
from kinetree.integrate.loops.tableaus import TABLEAUS
from kinetree.integrate.methods import find
from kinetree.integrate.problem import Settings
from kinetree.measures import simple_measures
from kinetree.model import Mechanism, derivation_hash
from kinetree.steppers.families import FAMILIES
from kinetree.steppers.step import GLOBAL, all_coordinates
from kinetree.storage.load import load, save

if TYPE_CHECKING:
    import xarray

AnyRunner = Runner | LaneRunner | PlaceRunner
RATES = ("rtol", "atol", "events", "max_steps", "max_step")
"""Options of runs with error control."""
BEGINNING = ("begin", "locked")
"""Options that say whether runs begin at rest."""
TRIED = 64
"""Runs of a plan among which one has a start for which equations are derived."""


def is_stepped(run: Mapping[str, Any]) -> bool:
    """Whether runs with these options go in equal steps."""
    name = run.get("integrator", "auto")
    check_choice("integrator", name, ("auto", *TABLEAUS, *FAMILIES))
    return run.get("formulation") is not None or name not in ("auto", *TABLEAUS)


@dataclass(frozen=True, eq=False)
class SweepJob:
    """What is swept.

    Attributes:
        model: the mechanism.
        duration: of the runs [s]; none of equilibria and steady motions.
        plan: values of what varies.
        measures: by name.
        run: options of the runs.
        part: runs per part.
        threads: that share a part; none for as many as there are cores.
        device: "cpu" or "gpu".
    """

    model: Mechanism
    duration: float | None
    plan: SweepPlan
    measures: Mapping[str, Any]
    run: Mapping[str, Any]
    part: int
    threads: int | None = None
    device: str = "cpu"

    def facts(self) -> dict[str, Any]:
        """All that decides its results, as plain data."""
        return {
            "model": derivation_hash(self.model), "duration": self.duration,
            "plan": self.plan.data(),
            "measures": plain_facts(self.measures), "part": self.part,
            "run": plain_facts(self.run), "device": self.device,
        }  # fmt: skip

    def make(self, number: int) -> xarray.Dataset:
        """The part of that number."""
        first = number * self.part
        rows = self.plan.rows(first, first + self.part)
        found = self.runner.measure(self.plan.names, rows)
        values = {name: value_of(name, row, found.values) for name, row in self.measures.items()}
        made = PartRows(values, _reasons(found.reasons, values))
        return part_dataset(first, self.plan.names, rows, made)

    @cached_property
    def runner(self) -> AnyRunner:
        """What makes the runs, derived for the first values of the plan that have a start."""
        variables = read_variables(self.model, self.plan.names, "plan")
        errors: list[AssemblyError | RunError] = []
        for number in range(min(TRIED, self.plan.count)):
            try:
                return self._runner_at(variables, number)
            except (AssemblyError, RunError) as error:
                errors.append(error)
        said = str(errors[0]).rstrip(".")
        raise ModelError(
            f"none of its first {len(errors)} runs has a start, such as run 0: {said}",
            element="plan",
            cure="vary less, or begin nearer to a closed configuration",
        )

    def _runner_at(self, variables: Sequence[DesignVariable], number: int) -> AnyRunner:
        """What makes the runs, derived for the values of one of them."""
        plan, run = self.plan, self.run
        first = dict(zip(plan.names, plan.rows(number, number + 1)[0].tolist(), strict=True))
        options = {**run, DURATION: self.duration}
        at, rest = enter_values(variables, first, options), rest_of(run)
        if rest is not None:
            refuse_following(variables, rest.locked)
        given = RunGiven(**{name: at.get(name) for name in GIVEN})
        common = {
            "duration": self.duration, "measures": simple_measures(self.measures),
            "variables": variables,
            "t0": float(run.get("t0", 0.0)), "step": run.get("step"), "events": run.get("events"),
            "rest": rest,
        }  # fmt: skip
        if run.get("at", "run") != "run":
            kept = {k: v for k, v in run.items() if k in OPTIONS}
            asked = {**common, "duration": 0.0, "variables": (), "options": kept}
            return PlaceRunner(Task.of(self.model, given, **asked), variables, options)
        if not is_stepped(run):
            name, settings = as_settings(run)
            kept = {k: v for k, v in run.items() if k in OPTIONS}
            how = {"integrator": name, "settings": settings, "options": kept}
            task = Task.of(self.model, given, **common, **how)
            return Runner(task, options, self.threads)
        task = Task.of(self.model, given, **common, **self._steps())
        return LaneRunner(task, options, self.threads, self.device)

    def _steps(self) -> dict[str, Any]:
        """What a Task says of equal steps."""
        run, formulation = self.run, self.run.get("formulation")
        known = (*GIVEN, *RATES, *BEGINNING, "t0", "integrator", "formulation", "step")
        steps = {k: v for k, v in run.items() if k not in known}
        name = find(run.get("integrator", "auto"), formulation).name
        if formulation == GLOBAL or all_coordinates(self.model, formulation, name):
            steps.setdefault("smooth", False)  # no derivatives are wanted
        kept = {k: v for k, v in steps.items() if k == "independent"}
        choice = StepChoice(formulation, steps)
        return {"integrator": name, "settings": Settings(), "options": kept, "steps": choice}

    # --- to other processes ----------------------------------------------------------------------

    def pack(self) -> bytes:
        """The same as data that goes to another process: the model as its file."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "model.yaml"
            try:
                save(self.model, file)
            except KinetreeError as error:
                raise UnsupportedError(
                    f"it cannot be sent to workers: {error.problem}",
                    element=error.element,
                    cure="sweep without workers=, or give its laws as texts",
                ) from error
            text = file.read_text()
        rest = (self.duration, self.plan, dict(self.measures), dict(self.run), self.part)
        try:
            return pickle.dumps(
                (text, derivation_hash(self.model), rest, self.threads, self.device)
            )
        except (TypeError, AttributeError, pickle.PicklingError) as error:
            raise UnsupportedError(
                "they hold functions or expressions, which cannot be sent to workers",
                element="measures and options",
                cure="give them as texts and numbers",
            ) from error


def _reasons(reasons: Sequence[str], values: Mapping[str, Array]) -> list[str]:
    """Why runs failed; of those that went well, which measure is not a number."""
    found = list(reasons)
    for name, column in values.items():
        for k in np.flatnonzero(~np.isfinite(column)).tolist():
            found[k] = found[k] or f"measure '{name}': it has no value"
    return found


def make_packed(packed: bytes, number: int) -> xarray.Dataset:
    """A part of a sweep that came as data; equations are derived once per process."""
    return _unpack(packed).make(number)


@lru_cache(4)
def _unpack(packed: bytes) -> SweepJob:
    text, known, rest, threads, device = pickle.loads(packed)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.yaml"
        file.write_text(text)
        model = load(file)
    if derivation_hash(model) != known:  # of runs of another model nothing would be seen
        raise ModelError(
            "its file does not mean the same on a worker",
            element=f"model '{model.name}'",
            cure="start workers with this version of kinetree, or sweep without workers=",
        )
    duration, plan, measures, run, part = rest
    return SweepJob(model, duration, plan, measures, run, part, threads, device)
