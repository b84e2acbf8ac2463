"""Runs of a sweep that are places: equilibria or steady motions, and their modes, one by one."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kinetree.analysis.given.batches import RunGiven
from kinetree.analysis.sensitivities.task import Task
from kinetree.analysis.sensitivities.variables import DesignVariable, enter_values
from kinetree.analysis.sensitivity import static_results
from kinetree.analysis.sweeping.found import PartRows
from kinetree.analysis.sweeping.runner import GIVEN
from kinetree.arrays import Array
from kinetree.errors import KinetreeError


@dataclass(frozen=True)
class PlaceRunner:
    """Makes the places of one sweep.

    Attributes:
        task: what is asked; the values of its first place.
        variables: what varies.
        run: options of all of them.
    """

    task: Task
    variables: Sequence[DesignVariable]
    run: Mapping[str, Any]

    def measure(self, names: Sequence[str], rows: Array) -> PartRows:
        """All measures of all places.

        Args:
            names: what varies.
            rows: its values, one row per place.
        """
        found = PartRows.of(self.task.measures, len(rows))
        for k, row in enumerate(rows.tolist()):
            at = enter_values(self.variables, dict(zip(names, row, strict=True)), self.run)
            task = self.task.at(RunGiven(**{name: at.get(name) for name in GIVEN}), 0.0)
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    made = static_results(
                        task, steady=self.run["at"] == "start",
                        locked=tuple(self.run.get("locked", ())),
                    )  # fmt: skip
            except KinetreeError as error:
                found.reasons[k] = str(error)
                continue
            for name, value in zip(made.labels("measure"), made["value"].values, strict=True):
                found.values[name][k] = value
        return found
