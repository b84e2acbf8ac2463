"""Values, gradients and tangents as variables of a run's Dataset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.arrays import Array

if TYPE_CHECKING:
    import xarray

    from kinetree.analysis.sensitivities.direct import TangentRun
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
