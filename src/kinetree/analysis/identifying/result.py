"""What an identification found: values, how sure they are, and the model that has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.identifying.columns import ParameterColumns, friction_of
from kinetree.analysis.identifying.consistent import prior_parameters
from kinetree.analysis.identifying.pseudo_inertia import SIZE, is_physical, scalars_of
from kinetree.analysis.identifying.report.units_of_values import equation_units, value_units
from kinetree.arrays import Array
from kinetree.assembly.changed_values import change_values
from kinetree.engine import Node, text
from kinetree.errors import warn
from kinetree.model.parameters import AXES, INERTIA, scalars

if TYPE_CHECKING:
    import xarray

    from kinetree.model import Mechanism

SIZES = (1.0, *(0.3,) * 3, *(0.1,) * 6)
"""By how much of the mass of a body [kg], in SI units, its ten parameters are free to change."""

FRAME = 1e-3
"""The same of bodies without mass in the model, which are frames."""

UNCHANGED = 1e-10
"""Change of a body, by its size, below which it is rounding: frames without mass stay so."""
EQUAL = 1e-12
"""Difference up to which a value is the one before, relative beyond 1."""

ROUNDED = 1e-9
"""Rotor inertias and frictions that are negative by no more are zero."""

RUBBING = (".coulomb", ".viscous")
"""Ends of the names of frictions; where they are negative the model has none."""


@dataclass(frozen=True)
class Identification:
    """What was found.

    Attributes:
        parameters: values by name [SI]; of least squares those of base parameters, which stand for
            the sums in `meaning`.
        deviations: standard deviations of their errors by name, of "consistent" and "output_error"
            with what the model says beforehand; infinite where nothing tells a value.
        meaning: base parameter -> sum of parameters that the motion tells, in words.
        idle: names of parameters on which nothing that was measured depends.
        untold: what these data do not tell, one sentence each.
        data: Dataset with `value`, `deviation` (parameter), the same of base parameters, which are
            the sums in `meaning`: `base_value`, `std` (base), `covariance` (base × base2); with
            `measured`, `predicted`, `residual` (time × equation), `held` (time), and `rms`,
            `rms_held` (equation); rows have `time` and the number of their `recording`, from 1;
            its attributes say what was done to the data.
        standard: values of all parameters, those of every body included, that the model takes.
        columns: what the model says of what is measured.
        coefficients: other parameters of the model that were found, by name.
        ranges: gains that the data hardly tell, by name -> smallest and largest between which 95 %
            lie, by the sum of squares itself (profile likelihood); 0 or infinite where none.
    """

    parameters: dict[str, float]
    deviations: dict[str, float]
    meaning: dict[str, str]
    idle: tuple[str, ...]
    untold: tuple[str, ...]
    data: xarray.Dataset
    standard: dict[str, float]
    columns: ParameterColumns
    coefficients: Mapping[str, float] = field(default_factory=dict)
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def residual(self) -> xarray.DataArray:
        """Measured less predicted: time × equation."""
        return self.data["residual"]

    @property
    def correlation(self) -> xarray.DataArray:
        """Of the errors of base parameters; not a number where the data tell none."""
        covariance = self.data["covariance"]
        size = np.sqrt(np.diag(covariance.values))
        size = np.where(np.isfinite(size) & (size > 0), size, np.nan)
        return covariance / np.outer(size, size)

    @property
    def sums(self) -> dict[str, str]:
        """What values of `parameters` stand for, where they are those of base parameters."""
        told = set(self.data["base"].values.tolist())
        return self.meaning if told.issuperset(self.parameters) else {}

    @cached_property
    def model(self) -> Mechanism:
        """The mechanism with the values found."""
        made = with_parameters(self.columns, np.array(list(self.standard.values())))
        return change_values(made, dict(self.coefficients)) if self.coefficients else made

    def page(self, file: str | Path) -> Path:
        """Write what was found as one HTML page with pictures; the path written."""
        from kinetree.analysis.identifying.report.page import write_page

        return write_page(self, Path(file))


def fit_coordinates(
    columns: ParameterColumns,
    names: tuple[Sequence[str], Sequence[str], Sequence[str]],
    measured: str,
    rows: tuple[Array, Array],
    sensed: Sequence[str] = (),
) -> dict[str, Any]:
    """Coordinates of the Dataset of a result, with units.

    Args:
        columns: of the model.
        names: of all values, of base parameters, of equations.
        measured: "tau", "wrench" or "q".
        rows: time [s] and number of the recording, from 1, of every row.
        sensed: properties of sensors among the values.
    """
    values, base, equations = (list(row) for row in names)
    model = columns.model
    return {
        "parameter": values, "base": base, "base2": base, "equation": equations,
        "unit_parameter": ("parameter", value_units(model, values, sensed)),
        "unit_base": ("base", value_units(model, base, sensed)),
        "unit_equation": ("equation", equation_units(model, measured, equations)),
        "time": ("time", rows[0], {"units": "s"}), "recording": ("time", rows[1]),
    }  # fmt: skip


def standard_parameters(columns: ParameterColumns, x: Array) -> Array:
    """All parameters with these base parameters, the nearest to those of the model (eq. 6)."""
    B, first = columns.regrouping, columns.nominal
    size = np.ones(len(first))
    size[columns.base[1]] = 0.0  # a rotor that joins a body's moment of inertia stays as it is
    masses = prior_parameters(columns)[:, 0]
    own = first[: SIZE * len(masses) : SIZE] > 0
    masses = np.where(own, masses, FRAME * masses)
    size[: SIZE * len(masses)] = np.outer(masses, SIZES).ravel()
    change = np.linalg.lstsq(B * size, x - B @ first, rcond=None)[0]
    bodies = change[: SIZE * len(masses)].reshape(-1, SIZE)
    bodies[np.abs(bodies).max(axis=1) < UNCHANGED] = 0.0
    return np.asarray(first + size * change)


def with_parameters(columns: ParameterColumns, pi: Array) -> Mechanism:
    """The model with other values of all parameters."""
    values: dict[str, float] = {}
    wrong = []
    for k, name in enumerate(columns.bodies):
        own = pi[SIZE * k : SIZE * (k + 1)]
        if np.array_equal(own, columns.nominal[SIZE * k : SIZE * (k + 1)]):
            continue
        if not is_physical(own):
            wrong.append(name)
        first = columns.nominal[SIZE * k : SIZE * (k + 1)]
        values |= _changed_scalars(name, own, first)
    rotors = {k: v for k, v in zip(columns.names, pi, strict=True) if k.endswith(".armature")}
    wrong += [name for name, value in rotors.items() if value < -ROUNDED]
    wrong += [
        name
        for name, value in zip(columns.names, pi, strict=True)
        if name.endswith(RUBBING) and value < -ROUNDED
    ]
    if wrong:
        text = (
            f"nothing can have the values found for {', '.join(map(repr, wrong))}: "
            "method='consistent' finds some that exist and predict the same"
        )
        warn(text)
    _tell_untied(columns.model, values)
    made = change_values(columns.model, values, untie=True)
    return _with_friction(made, dict(zip(columns.names, pi.tolist(), strict=True)), columns)


def _changed_scalars(body: str, pi: Array, first: Array) -> dict[str, float]:
    """Mass, centre of mass and moments of inertia of a body that are not what they were."""
    ends = ("mass", *(f"com_{a}" for a in AXES), *(f"inertia_{e}" for e in INERTIA))
    new = scalars_of(pi)
    old = scalars_of(first) if first[0] else np.full(SIZE, np.nan)
    rows = zip(ends, new.tolist(), (np.abs(new - old) < EQUAL * (1 + np.abs(new))), strict=True)
    return {f"{body}.{end}": x for end, x, same in rows if not same}


def _tell_untied(model: Mechanism, values: Mapping[str, float]) -> None:
    """Warn of values found for what the model gives by expressions."""
    tied = [f"{name} = {text(value)}" for name, value, _, _ in scalars(model)
            if name in values and isinstance(value, Node) and not value.is_number]  # fmt: skip
    if tied:
        warn(f"the values found replace expressions of model '{model.name}': {', '.join(tied)}")


def _with_friction(
    model: Mechanism, values: Mapping[str, float], columns: ParameterColumns
) -> Mechanism:
    """The model with friction, offsets and rotors."""
    made: Any = deepcopy(model)
    kinds = set(columns.joint_kinds)
    for v in columns.velocities:
        found = {kind: values[f"{v}.{kind}"] for kind in kinds}
        rubbing = {key: max(found[key], 0.0) for key in ("coulomb", "viscous") if key in found}
        if rubbing:
            old = friction_of(made, v)
            if old is not None:
                del made.forces[old.name]
            name = f"{v}_friction" if old is None else old.name
            made.joint_friction(name, v, **rubbing, smooth=columns.smooth(v))
        if "offset" in found:
            made.joint_law(f"{v}_offset", v, -made.parameter(f"{v}_constant", found["offset"]))
        if "armature" in found:
            _set_armature(made, v, max(found["armature"], 0.0))
    return made  # type: ignore[no-any-return]


def _set_armature(model: Mechanism, velocity: str, value: float) -> None:
    for joint in model.leaders:
        if velocity in joint.velocities:
            row = list(joint.armature or (0.0,) * joint.nv)
            row[list(joint.velocities).index(velocity)] = value
            object.__setattr__(joint, "armature", tuple(row))
