"""Values, gradients and tangents as variables of a run's Dataset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.arrays import Array
from kinetree.measures import Measure, Misfit

if TYPE_CHECKING:
    import xarray

    from kinetree.analysis.sensitivities.direct import TangentRun
    from kinetree.analysis.sensitivities.task import Task
    from kinetree.analysis.sensitivities.variables import DesignVariable

TANGENTS = {"q_by": ("coordinate", "q"), "qd_by": ("velocity", "qd"), "x_by": ("state", "x")}
"""Variable -> dimension of its components, and what it is the derivative of."""


def with_gradients(
    run: xarray.Dataset,
    variables: Sequence[DesignVariable],
    values: Mapping[str, float],
    gradients: Array,
    facts: Mapping[str, Any],
) -> xarray.Dataset:
    """The run with the values of measures and their gradients.

    Args:
        run: the Dataset of the motion.
        variables: what varies.
        values: of the measures by name.
        gradients: measure × variable.
        facts: how they were found; go into the attributes.
    """
    names = [row.name for row in variables]
    made = run.assign_coords(measure=list(values), parameter=names)
    made["value"] = ("measure", np.array(list(values.values())), {"long_name": "measures"})
    made["gradient"] = (
        ("measure", "parameter"),
        gradients,
        {"long_name": "derivatives of the measures, in SI units"},
    )
    return made.assign_attrs({f"sensitivity_{name}": fact for name, fact in facts.items()})


def with_tangents(made: xarray.Dataset, runs: Sequence[TangentRun]) -> xarray.Dataset:
    """The run with the derivatives of its state over time; those by the duration are zero."""
    whole = np.concatenate([run.S for run in runs], axis=1)
    names = [str(name) for name in made["parameter"].values]
    places = [k for k, name in enumerate(names) if name != "duration"]
    first = 0
    for name, (dimension, of) in TANGENTS.items():
        if of not in made:
            continue
        size = made.sizes[dimension]
        table = np.zeros((len(whole), size, len(names)))
        table[:, :, places] = whole[:, :, first : first + size].transpose(0, 2, 1)
        note = {"long_name": f"derivatives of {of}, in SI units"}
        made[name] = (("time", dimension, "parameter"), table, note)
        first += size
    return made


def with_samples(
    made: xarray.Dataset, measures: Mapping[str, Measure], runs: Sequence[TangentRun]
) -> xarray.Dataset:
    """The run with what misfits compare with data: values of their expressions, and derivatives."""
    names = [str(name) for name in made["parameter"].values]
    moving = [name != "duration" for name in names]
    for number, (name, measure) in enumerate(measures.items()):
        if isinstance(measure, Misfit):
            rows = [[run.looks.at(float(t)) for t in measure.at] for run in runs]
            table = np.zeros((len(measure.at), len(names)))
            table[:, moving] = np.hstack([[look.de[number] for look in part] for part in rows])
            axis = f"time_{name}"
            made = made.assign_coords({axis: (axis, measure.at, {"units": "s"})})
            made[name] = (axis, np.array([look.e[number] for look in rows[0]]))
            made[f"{name}_by"] = ((axis, "parameter"), table)
    return made


def equilibrium_dataset(
    task: Task, values: Mapping[str, float], gradients: Array, parts: Mapping[str, Any]
) -> xarray.Dataset:
    """An equilibrium with its derivatives, and those of measures.

    Args:
        task: what was asked.
        values: of the measures by name.
        gradients: measure × variable.
        parts: "q" and "x" -> names of the components, values, derivatives.
    """
    import xarray as xr

    made = xr.Dataset(attrs={"model": task.model.name, "model_hash": task.model.content_hash()})
    made = with_gradients(made, task.variables, values, gradients, {"method": "implicit"})
    for (name, (labels, place, slopes)), axis in zip(
        parts.items(), ("coordinate", "state"), strict=True
    ):
        if labels:
            made = made.assign_coords({axis: labels})
            made[name] = (axis, place)
            made[f"{name}_by"] = ((axis, "parameter"), slopes)
    return made


def with_hessians(made: xarray.Dataset, table: Array) -> xarray.Dataset:
    """The run with second derivatives of its measures: measure × parameter × parameter2."""
    made = made.assign_coords(parameter2=made["parameter"].values)
    note = {"long_name": "second derivatives of the measures, in SI units"}
    made["hessian"] = (("measure", "parameter", "parameter2"), table, note)
    return made
