"""Unknowns of an estimate from motion as numbers without bounds, and what they stand for.

| unknown | numbers |
|---|---|
| ten parameters of a body | the logarithms of eq. 14: whatever they are, the body can exist |
| friction and constant efforts of joints | themselves |
| coefficients of laws, by name | themselves |
| gain, offset, delay of a sensor | themselves |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.identifying.columns import ParameterColumns, friction_of
from kinetree.analysis.identifying.consistent import prior_parameters
from kinetree.analysis.identifying.pseudo_inertia import (
    SIZE,
    logarithms,
    parameters_of_logarithms,
    scalars_of,
)
from kinetree.analysis.identifying.result import with_parameters
from kinetree.arrays import Array
from kinetree.model.parameters import AXES, INERTIA, scalars

if TYPE_CHECKING:
    from kinetree.model import Mechanism

SENSORS = {"gain": 1.0, "offset": 0.0, "delay": 0.0}
"""What a sensor may have, and what it has if nobody says."""
LOGARITHMS = (1.0, 1.0, 1.0, 1.0, 0.1, 0.1, 0.1, 0.3, 0.3, 0.3)
"""By how much the ten numbers of a body change its properties by their own size."""
ENDS = ("mass", *(f"com_{a}" for a in AXES), *(f"inertia_{e}" for e in INERTIA))
STEP = 1e-30
"""Of the complex step."""


@dataclass(frozen=True, eq=False)
class UnknownValues:
    """Numbers θ of an estimate.

    Attributes:
        columns: bodies and friction whose parameters are unknown.
        coefficients: names of other parameters of the model.
        sensors: which of "gain", "offset", "delay" every sensor has.
        size: of efforts [N.m or N], for what is not known at all.
        recorded: names of the coordinates that were recorded.
    """

    columns: ParameterColumns
    coefficients: tuple[str, ...]
    sensors: tuple[str, ...]
    size: float
    recorded: tuple[str, ...]

    @cached_property
    def model(self) -> Mechanism:
        """The mechanism in which all unknowns are parameters."""
        columns = self.columns
        first = prior_parameters(columns).ravel()
        pi = np.concatenate([first, columns.nominal[len(first) :]])
        return with_parameters(columns, pi).with_varied(list(self.names))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the parameters of the model that θ decides, in order."""
        columns = self.columns
        bodies = [f"{body}.{end}" for body in columns.bodies for end in ENDS]
        return (*bodies, *(self._joint_name(n) for n in self._joint_numbers), *self.coefficients)

    @property
    def _joint_numbers(self) -> range:
        return range(SIZE * len(self.columns.bodies), len(self.columns.names))

    def _joint_name(self, number: int) -> str:
        """Name in the model of a parameter of a joint."""
        velocity, _, kind = self.columns.names[number].rpartition(".")
        if kind == "offset":
            return f"{velocity}_constant"
        if kind == "armature":
            joint = next(j for j in self.columns.model.leaders if velocity in j.velocities)
            end = f"_{joint.velocities.index(velocity) + 1}" if joint.nv > 1 else ""
            return f"{joint.name}.armature{end}"
        force = friction_of(self.columns.model, velocity)
        return f"{velocity}_friction.{kind}" if force is None else f"{force.name}.{kind}"

    @cached_property
    def channels(self) -> tuple[str, ...]:
        """Coordinates that are measured."""
        still = self.columns.wanted.locked or {}
        names = (name for name in self.columns.model.coordinates if name not in still)
        return tuple(name for name in names if name in self.recorded)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Of all numbers but those of bodies: as the result calls them."""
        joints = [self.columns.names[n] for n in self._joint_numbers]
        return (
            *joints,
            *self.coefficients,
            *(f"{q}.{s}" for s in self.sensors for q in self.channels),
        )

    @cached_property
    def first(self) -> Array:
        """θ of the model."""
        bodies = [logarithms(pi) for pi in prior_parameters(self.columns)]
        joints = self.columns.nominal[SIZE * len(self.columns.bodies) :]
        known = _values(self.columns.model)
        rest = [float(known[name]) for name in self.coefficients]
        sensors = [SENSORS[s] for s in self.sensors for _ in self.channels]
        return np.concatenate([*bodies, joints, rest, sensors])

    @cached_property
    def scales(self) -> Array:
        """How far the numbers may lie from those of the model."""
        bodies = np.tile(LOGARITHMS, len(self.columns.bodies))
        others = self.first[len(bodies) :]
        sizes = np.full(len(others), self.size)
        known = len(self._joint_numbers)
        sizes[known:] = np.maximum(np.abs(others[known:]), 1e-3)
        at = len(others) - len(self.sensors) * len(self.channels)
        spans = {"gain": 0.2, "offset": 0.1, "delay": 0.02}
        sizes[at:] = [spans[s] for s in self.sensors for _ in self.channels]
        return np.concatenate([bodies, sizes])

    def parameters(self, theta: Any) -> Any:
        """Values of `names`; any number type."""
        count = len(self.columns.bodies)
        bodies = theta[: SIZE * count].reshape(count, SIZE)
        made = [scalars_of(parameters_of_logarithms(row)) for row in bodies]
        rest = theta[SIZE * count : len(self.names)]
        return np.concatenate([*made, rest])

    def standard(self, theta: Any) -> Any:
        """Values of all parameters of the columns; any number type."""
        count = len(self.columns.bodies)
        bodies = theta[: SIZE * count].reshape(count, SIZE)
        made = [parameters_of_logarithms(row) for row in bodies]
        return np.concatenate([*made, theta[SIZE * count : len(self.columns.names)]])

    def slopes(self, function: Any, theta: Array) -> Array:
        """Slopes of one of these functions by θ, by complex steps: value × number."""
        rows = [np.imag(function(theta + 1j * STEP * unit)) / STEP for unit in np.eye(len(theta))]
        return np.array(rows).T

    def sensor(self, theta: Array, kind: str) -> Array:
        """Gains, offsets or delays of all channels."""
        count = len(self.channels)
        if kind not in self.sensors:
            return np.full(count, SENSORS[kind])
        return np.asarray(theta[self.sensor_numbers(kind)])

    def sensor_numbers(self, kind: str) -> slice:
        """Where gains, offsets or delays stand in θ."""
        count = len(self.channels)
        first = len(self.names) + self.sensors.index(kind) * count
        return slice(first, first + count)


def _values(model: Mechanism) -> dict[str, Any]:
    own = {name: row.value for name, row in model.parameters.items()}
    return {**{row[0]: row[1] for row in scalars(model)}, **own}


def coefficient_names(model: Mechanism) -> Sequence[str]:
    """Names of all parameters that an estimate may find."""
    return list(_values(model))
