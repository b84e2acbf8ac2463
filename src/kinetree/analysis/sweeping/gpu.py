"""Runs of a sweep on a GPU: all runs of a block in every launch of the step.

States, loads and parameters live on the device; the expressions of the measures are taken there
after every step and come back once per block.  Starts are those of the lanes of the CPU.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.arrays import Array
from kinetree.errors import UnsupportedError
from kinetree.integrate.steps.repartitioned_run import WATCHED
from kinetree.steppers.step import GLOBAL

if TYPE_CHECKING:
    from kinetree.analysis.given.batches import RunGiven
    from kinetree.analysis.sensitivities.stepping.step_forms import StepForms
    from kinetree.analysis.sweeping.lanes import LaneRunner
    from kinetree.integrate.start.beginning import Lanes
    from kinetree.program import Program


@dataclass(frozen=True, eq=False)
class DeviceMarch:
    """Marches on a device.

    Attributes:
        forms: the step, and what measures see.
        target: that compiles for the device, with its options.
        arrays: module of its arrays, with the functions of NumPy.
    """

    forms: StepForms
    target: Mapping[str, Any]
    arrays: Any

    @cached_property
    def step(self) -> Any:
        """The step, compiled for the device."""
        return self.forms.step.compile(**self.target)

    @cached_property
    def looks(self) -> Any:
        """What measures see, compiled for the device."""
        return self.forms.looks.compile(**self.target)

    def __call__(self, runner: LaneRunner, lanes: Lanes, given: RunGiven) -> tuple[Array, Any]:
        """Expressions of all measures, run × time × measure; which runs are lost."""
        xp, stepper = self.arrays, runner.how.stepper
        count, t0, h = lanes.x.shape[1], runner.how.t, runner.how.length
        held = {
            name: self._ship(lanes.x[port.start : port.stop]).reshape(count, *port.shape)
            for name, port in stepper.ports.items()
            if not port.parameter and name != "t"
        }
        state, watched = list(stepper.state), []
        p = self._ship(self._parameters(given, count))
        e = xp.empty((count, runner.steps + 1, len(runner.task.measures)))
        for k in range(runner.steps + 1):
            now = {**held, "t": xp.full(count, t0 + k * h), "p": p}
            e[:, k] = self.looks(**_pick(self.forms.looks, now))["e"]
            if k % WATCHED == 0:
                rows = [held[name].reshape(count, -1) for name in state]
                watched.append(_fetch(xp.concatenate(rows, axis=1)))
            if k < runner.steps:
                found = self.step(**_pick(self.forms.step, now))
                held |= {name: found[f"{name}_next"] for name in state}
        values = _fetch(e)
        bad = runner.restless(np.stack(watched, axis=1), lanes, given)
        return values, bad | ~np.isfinite(values).all(axis=(1, 2))

    def _ship(self, rows: Array) -> Any:
        """Rows of components on the device, as one row per run in the order kernels read."""
        return self.arrays.asarray(np.ascontiguousarray(rows)).T

    def _parameters(self, given: RunGiven, count: int) -> Array:
        """Values of the parameters that both Programs share, one column per run."""
        if not self.forms.step.takes("p"):
            return np.zeros((0, count))
        row = self.forms.step.input("p")
        p = np.repeat(np.asarray(row.default, dtype=float)[:, None], count, axis=1)
        for name, value in (given.parameters or {}).items():
            if name in row.labels:
                p[list(row.labels).index(name)] = value
        return p


def gpu_march(forms: StepForms) -> DeviceMarch:
    """Marches on the GPU of this machine; refused where there is none."""
    if forms.step.info["formulation"] == GLOBAL:
        raise _refusal("the global formulation is not swept there", "take formulation='hybrid'")
    try:
        import cupy
    except ImportError as error:
        cure = "install CuPy on a machine with an NVIDIA GPU, or leave device= out"
        raise _refusal("the package CuPy is not installed", cure) from error
    if not cupy.cuda.is_available():
        raise _refusal("this machine has none", "leave device= out")
    return DeviceMarch(forms, {"target": "cuda", "dtype": "double"}, cupy)


def _refusal(problem: str, cure: str) -> UnsupportedError:
    return UnsupportedError(problem, element="device 'gpu'", cure=cure)


def _fetch(array: Any) -> Array:
    """An array of the device here."""
    return np.asarray(array.get() if hasattr(array, "get") else array)


def _pick(program: Program, given: Mapping[str, Any]) -> dict[str, Any]:
    """What a Program takes of what is given."""
    return {row.name: given[row.name] for row in program.inputs if row.name in given}
