"""Rows along a run: made some after the others, joined, and on the disk while they are made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from kinetree.analysis.runs.manifest import UNFINISHED
from kinetree.arrays import Array
from kinetree.errors import warn
from kinetree.integrate.problem import FINISHED, INTERRUPTED
from kinetree.results.files import refuse_suffix
from kinetree.results.growing import GrowingRun

if TYPE_CHECKING:
    import xarray

    from kinetree.program import Program

T = TypeVar("T")


class RowFile(Generic[T]):
    """Rows on the disk while they are made.

    Attributes:
        file: that grows; None where nothing is written.
        give: makes a run of rows, given as they were made, and of their place among all.
    """

    def __init__(
        self, file: str | Path | None, give: Callable[[Sequence[T], slice], xarray.Dataset]
    ) -> None:
        if file is not None:
            refuse_suffix(Path(file))
        self.file = None if file is None else GrowingRun(Path(file))
        self.give = give
        self._settled, self._first = 0, 0  # pieces and rows that the disk has for good

    def see(self, made: Sequence[T], reached: int) -> None:
        """Let the file show what was made so far, unless that was done a moment ago.

        Args:
            made: all pieces so far.
            reached: how many rows they have.
        """
        if self.file is None or not self.file.due(0):
            return
        rows = self.give(made[self._settled :], slice(self._first, reached))
        if self.file.show(rows.assign_attrs(termination=UNFINISHED)):
            self._settled, self._first = len(made), reached

    def finish(self, run: xarray.Dataset) -> xarray.Dataset:
        """The run, which is in the file as well from now on."""
        if self.file is not None:
            self.file.finish(run.isel(time=slice(self._first, None)))
        return run


def rows_of(
    program: Program, given: Mapping[str, Any], **options: Any
) -> Callable[[slice], dict[str, Array]]:
    """Outputs of a Program at some rows of a run, compiled once.

    Args:
        program: what is evaluated.
        given: values of its inputs, or more; constant, or one row per time.
        **options: of the call.
    """
    function = program.compile()
    picked = {name: np.asarray(value) for name, value in program.pick_inputs(given).items()}
    ranks = {row.name: len(row.shape) for row in program.inputs}
    varied = {name for name, value in picked.items() if value.ndim > ranks[name]}

    def make(rows: slice) -> dict[str, Array]:
        own = {name: x[rows] if name in varied else x for name, x in picked.items()}
        found, count = function(**own, **options), rows.stop - rows.start
        return {
            row.name: np.broadcast_to(found[row.name], (count, *row.shape))
            for row in program.outputs
        }

    return make


def join_rows(parts: Sequence[Mapping[str, Array]]) -> dict[str, Array]:
    """Tables of rows one after the other."""
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def end_word(name: str, times: Array, reached: int) -> str:
    """Why an analysis along a run ended, as its attribute `termination`; an early end is warned of.

    Args:
        name: of the analysis.
        times: of all rows [s].
        reached: how many of them there are.
    """
    if reached == len(times):
        return FINISHED
    said = f"{INTERRUPTED} at t = {times[reached - 1]:.6g} s"
    warn(f"{name}: {said}; results up to there are kept")
    return said
