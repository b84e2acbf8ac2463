"""Runs that begin at the equilibrium of their own parameters, and how these move it.

At rest r(u, p) = 0 with the unknowns u of `resting.equations`, so that what varies moves them by

    du/dp = -(∂r/∂u)⁻¹ ∂r/∂p,        dy₀ = ∂y/∂u du + ∂y/∂p δp,                         Eq. (S24)

the coordinates that follow by the loops included.  A run that begins there keeps its coordinates
and states at what moves with p, not at what it was given: K S = K dy₀ in Eq. (S2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.given.operating_point import freedom, point
from kinetree.analysis.resting.equations import (
    RestEquations,
    RestPlace,
    first_place,
    refuse_no_rest,
    rest_equations,
    system_at_rest,
)
from kinetree.analysis.resting.search import loose, settle
from kinetree.analysis.sensitivities.directions import inputs_by, seeds_of
from kinetree.analysis.sensitivities.start import turning
from kinetree.analysis.sensitivities.task import with_given
from kinetree.arrays import Array
from kinetree.errors import ModelError, UnsupportedError

if TYPE_CHECKING:
    from kinetree.analysis.given.batches import RunGiven
    from kinetree.analysis.runs.dynamics import Dynamics
    from kinetree.analysis.sensitivities.directions import ByLabels
    from kinetree.analysis.sensitivities.task import Task
    from kinetree.analysis.sensitivities.variables import DesignVariable

SURE = 1e-12
"""Singular values below this part of the largest count as zero."""


@dataclass(frozen=True)
class RestStart:
    """The equilibrium with which runs begin.

    Attributes:
        locked: names of what is held while it is found, and let go when the run begins.
    """

    locked: tuple[str, ...] = ()

    def begin(self, task: Task) -> RunGiven:
        """What a run is given, its coordinates and states at rest."""
        found = self._rest(task)[1]
        own = found.x[: len(task.model.states)]
        return replace(task.given, q=found.q, x=own if len(own) else None)

    def slopes(self, task: Task) -> Array:
        """dy₀ by all that varies but the duration, one row each, of a task that begins at rest."""
        variables = task.directions
        refuse_following(variables)
        equations, at = self._rest(task)
        seeds = _seeds(equations, variables)
        given, J = equations.inputs(at), equations.residuals(at)[1]
        slopes = [equations.slopes({**given, **seed}) for seed in seeds]
        columns = np.array(slopes).T.reshape(len(J), len(variables))
        moved, _, rank, _ = np.linalg.lstsq(J, -columns, rcond=SURE)  # Eq. (S24)
        if rank < J.shape[1]:
            raise _not_alone(equations, at)
        rows = [
            _state_change(equations, {**given, **seed}, step)
            for seed, step in zip(seeds, moved.T, strict=True)
        ]
        return np.array(rows).reshape(len(variables), -1)

    def _rest(self, task: Task) -> tuple[RestEquations, RestPlace]:
        """The state of rest near the start values; its equations are derived once."""
        given, known = task.given, task.shared.get("rest")
        if known is None:
            known = task.shared["rest"] = self._system(task)
        system = with_given(known, given)
        along = _inputs(system.forms.forward.program, task.directions)
        equations = rest_equations(system, self.locked, (), task.t0, along)
        start = point(system, {"q": given.q, "x": given.x}, task.t0)
        place: RestPlace = settle(equations, first_place(equations, start)).x
        return equations, place

    def _system(self, task: Task) -> Dynamics:
        """The dynamics of the run, where they leave free what is locked; else others."""
        own = task.system
        free = {own.model.velocities[k] for k in freedom(own).u}
        same = own.explicit or not own.closed
        if same and free.issuperset(self.locked) and not own.forward.gives("switches"):
            refuse_no_rest(own.model)
            return own
        options = {**task.given.fixed, **task.options}
        return system_at_rest(task.model, task.given.q, task.t0, self.locked, options)


def refuse_following(variables: Sequence[DesignVariable], kept: Sequence[str] = ()) -> None:
    """Refuse start values that an equilibrium does not take from the user.

    Args:
        variables: what varies.
        kept: coordinates whose start values stay.
    """
    for row in variables:
        if row.kind in ("q", "x") and row.label not in kept:
            raise UnsupportedError(
                "it follows from the equilibrium at which the run begins",
                element=f"by, '{row.name}'",
                cure="vary something else, or leave begin= out",
            )


def _inputs(program: Any, variables: Sequence[DesignVariable]) -> ByLabels:
    """Inputs by which the state of rest is differentiated; efforts by all of them."""
    found = inputs_by(program, variables)
    return {name: None if name == "tau" else labels for name, labels in found.items()}


def _seeds(equations: RestEquations, variables: Sequence[DesignVariable]) -> list[dict[str, Array]]:
    """The direction of every variable, by input of the equations."""
    program = equations.system.forward
    by = inputs_by(program, variables)
    tables = {f"{name}_dot": rows for name, rows in seeds_of(by, variables).items()}
    if "tau" in by:
        tables["tau_dot"] = np.zeros((equations.system.nv, len(variables)))
        for k, row in enumerate(variables):
            if row.kind == "tau":
                tables["tau_dot"][equations.system.model.velocities.index(row.label), k] = 1.0
    return [{name: rows[:, k] for name, rows in tables.items()} for k in range(len(variables))]


def _state_change(equations: RestEquations, given: dict[str, Array], step: Array) -> Array:
    """dy₀ with a step of the unknowns and of what varies."""
    system = equations.system
    whole, dx, _, _ = equations.split(step)
    if system.closed:
        more = {"q_dot": whole, **({"x_dot": dx} if len(dx) else {})}
        dq = equations.function(check=False, **{**given, **more})["q_closed_dot"]
    else:
        dq = turning(system, given["q"]) @ whole
    return np.concatenate([dq, np.zeros(system.nv), dx])


def _not_alone(equations: RestEquations, at: RestPlace) -> ModelError:
    """The error of a state of rest that something may leave without a force."""
    listed = ", ".join(f"'{name}'" for name in loose(equations, at)) or "a coordinate"
    return ModelError(
        f"the equilibrium is not alone: nothing holds {listed}",
        element=f"model '{equations.system.model.name}'",
        cure="hold it by a spring, or lock it by locked=",
    )
