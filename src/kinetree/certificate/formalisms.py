"""The same quantity by every other formalism that gives it."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.arguments import check_options
from kinetree.certificate.certificate import LeftOut
from kinetree.certificate.runners import reference
from kinetree.certificate.trials import InputValues, Trial
from kinetree.errors import KinetreeError, ModelWarning
from kinetree.formalism import QUANTITIES
from kinetree.formalism.inertia_bias import INERTIA_AND_BIAS
from kinetree.formalism.matrices import FORMALISM as MATRICES
from kinetree.formalism.matrices import PLACED
from kinetree.pipeline import derive
from kinetree.steppers.step import step_program

if TYPE_CHECKING:
    from kinetree.certificate.certify import _Work
    from kinetree.certificate.compare import Expected
    from kinetree.model import Mechanism
    from kinetree.program import Program

TOLERANCE = 1e-11
"""Deviation of another formalism that is allowed: another order of thousands of operations."""
LAGRANGE, MOST = "lagrange", 12
"""Formalism whose equations grow with the square of the depth, and velocities up to which it is
tried."""


STEP = "step"
"""What is asked for to certify a time step; no quantity of `derive`."""


def derive_program(model: Mechanism, recipe: Mapping[str, Any]) -> Program:
    """The Program that a recipe stands for; the warnings of the model's check are not repeated."""
    options = {k: x for k, x in recipe.items() if k not in ("quantity", "states", "seed", "by")}
    made_by = step_program if recipe["quantity"] == STEP else derive
    check_options("certify", options, signature(made_by).parameters)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        if recipe["quantity"] == STEP:
            program = step_program(model, **options)
        else:
            program = derive(model, recipe["quantity"], **options)
    by = tuple(recipe.get("by") or ())
    return program.derivative([out.name for out in program.outputs], by) if by else program


def compare_formalisms(
    model: Mechanism, found: Expected, options: Mapping[str, Any], work: _Work
) -> None:
    """Compare a quantity with every other formalism; what is refused is left out, with why."""
    program = found.trial.program
    quantity, own = program.info["quantity"], program.info.get("formalism", "")
    for way in _ways(model, quantity):
        if way == own:
            continue
        if way == LAGRANGE and model.nv > MOST:
            reason = f"its equations grow too large: {model.nv} velocities, tried up to {MOST}"
            work.left_out.append(LeftOut("formalism", way, reason))
            continue
        work.tell(f"formalism {way}")
        try:
            other = derive_program(model, {"quantity": quantity, **options, "formalism": way})
            values = evaluate_like(other, found.trial)
        except KinetreeError as error:
            work.left_out.append(LeftOut("formalism", way, str(error)))
            continue
        work.add(0, values, kind="formalism", name=way, tool="reference", tolerance=TOLERANCE)


def _ways(model: Mechanism, quantity: str) -> tuple[str, ...]:
    """All formalisms that may give a quantity."""
    if model.by_matrices:
        return (MATRICES,)
    ways = QUANTITIES[quantity].ways
    if quantity == "forward" and (model.closures or model.drives):
        ways = dict.fromkeys(INERTIA_AND_BIAS)  # type: ignore[assignment]
    return (*ways, *((MATRICES,) if quantity in PLACED else ()))


def evaluate_like(program: Program, trial: Trial) -> list[dict[str, Any]]:
    """Reference values of a Program at the states of a trial of another one of the same quantity.

    Parameters are matched by name: a formalism need not use all of them.
    """
    states = tuple(_match(program, trial.program, state) for state in trial.states)
    return reference(Trial(program, states))


def _match(program: Program, other: Program, state: InputValues) -> dict[str, Any]:
    found = dict(program.pick_inputs(state))
    for row in program.inputs:
        if row.parameter and other.takes(row.name):
            named = dict(zip(other.input(row.name).labels, np.ravel(state[row.name]), strict=True))
            pairs = zip(row.labels, row.default or (), strict=True)
            found[row.name] = np.array([named.get(label, value) for label, value in pairs])
    return found
