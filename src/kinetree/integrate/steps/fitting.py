"""Whether a step derived with the model's own parameters is valid for other values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.assembly import closure_equations
from kinetree.assembly.partition import partition
from kinetree.errors import PartitionError, UnsupportedError
from kinetree.model import Mechanism
from kinetree.model.parameters import POSITIVE
from kinetree.program import Program

if TYPE_CHECKING:
    from kinetree.integrate.start.initial import Initial

LIGHT = 0.01
"""Share of the model's own inertia below which its steps are not exact enough."""


def refuse_parameters(
    model: Mechanism, loops: Program | None, parameters: Mapping[str, Any], t: float
) -> None:
    """Refuse values for which a component of a closure that no coordinate changes is open.

    Args:
        model: the mechanism.
        loops: h of its closures; none where it has none.
        parameters: values by name, single ones or those of a batch.
        t: time of laws [s].

    Raises:
        ModelError: naming closure and parameter.
    """
    if loops is None or not parameters:
        return
    row = next((row for row in loops.inputs if row.name == "p"), None)
    if row is None:
        return
    lead = np.broadcast_shapes(*[np.shape(x) for x in parameters.values()])
    values = {name: np.broadcast_to(x, lead).reshape(-1) for name, x in parameters.items()}
    p = np.tile(np.array(row.default), (int(np.prod(lead)), 1))
    for name, x in values.items():
        p[:, row.labels.index(name)] = x
    given = {"q": model.initial(), "qd": np.zeros(model.nv), "t": np.asarray(t), "p": p}
    with np.errstate(all="ignore"):
        h = loops.evaluate_some(**given)["h"]
    lost = np.flatnonzero(np.isnan(np.broadcast_to(h, (len(p), h.shape[-1]))).any(axis=-1))
    if not h.shape[-1]:
        lost = np.arange(len(p))  # no equation is left that could tell
    lengths = [f"{name}.{scalar}" for name in model.closures for scalar in POSITIVE]
    for name in values.keys() & lengths:
        lost = np.union1d(lost, np.flatnonzero(values[name] <= 0))
    for lane in lost[:1]:  # for the sentence, if there is one to say
        closure_equations(model, {name: float(x[lane]) for name, x in values.items()})


def refuse_light(model: Mechanism, initial: Initial, parameters: Mapping[str, Any], p: Any) -> None:
    """Refuse masses so small that residuals which a step allows would be large motions.

    What a step may leave of its residuals is measured by the model's own masses.

    Args:
        model: the mechanism.
        initial: has what gives M.
        parameters: values by name, for the sentence.
        p: all run-time parameters, single ones or those of a batch.

    Raises:
        UnsupportedError: naming the parameters and what they make light.
    """
    dynamics = initial.dynamics
    if not initial.inertial.intersection(parameters) or not dynamics.takes("q"):
        return
    given = dynamics.pick_inputs(
        {"q": model.initial(), "qd": np.zeros(model.nv), "t": np.asarray(0.0)}
    )
    with np.errstate(all="ignore"):
        own, now = (
            np.abs(np.diagonal(dynamics.evaluate(**given, **more)["M"], axis1=-2, axis2=-1))
            for more in ({}, {"p": p})
        )
    share = np.where(own > 0, now / np.where(own > 0, own, 1.0), 1.0)
    least = share.reshape(-1, model.nv).min(axis=0, initial=1.0)
    if model.nv and least.min() < LIGHT:
        raise UnsupportedError(
            f"they leave {least.min():.2g} of the inertia that '"
            f"{model.velocities[int(least.argmin())]}' moves, by which steps are measured",
            element=f"parameters {', '.join(parameters)}",
            cure="make the model with these values",
        )


def refuse_other_rank(
    model: Mechanism, info: Mapping[str, str], parameters: Mapping[str, Any], t: float
) -> None:
    """Refuse values for which more or fewer equations are independent than a step solves.

    Args:
        model: the mechanism.
        info: of the Program of the step; it names the equations or coordinates solved for.
        parameters: single values by name; those of a batch are left to the step itself.
        t: time of laws [s].

    Raises:
        PartitionError: naming the parameters.
    """
    solved = info.get("equations", info.get("dependent"))
    if solved is None or not parameters or any(np.ndim(x) for x in parameters.values()):
        return
    found = partition(model, t=t, parameters={name: float(x) for name, x in parameters.items()})
    now = found.rank if "equations" in info else len(found.dependent)
    before = len([name for name in solved.split(", ") if name])
    if now != before:
        raise PartitionError(
            f"{now} equations of the closures are independent, but {before} with the model's own",
            element=f"parameters {', '.join(parameters)}",
            cure="make the model with these values, or choose formulation 'hybrid'",
        )
