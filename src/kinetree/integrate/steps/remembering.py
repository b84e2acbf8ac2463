"""A step at whose end memories are up to date, so that many follow each other in native code."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING

from kinetree.program import Input, Program, Scheme
from kinetree.program.inline import bindings, inline
from kinetree.program.passes import condense
from kinetree.program.restrict import restrict
from kinetree.program.state_form import MEMORY, PARTS
from kinetree.steppers.step import GLOBAL
from kinetree.targets.kept import DerivedProgram, remember

if TYPE_CHECKING:
    from kinetree.integrate.steps.stepper import Stepper


REMEMBERS = "remembers"
"""What the info of such a step says."""


def with_memories(stepper: Stepper, forward: Program) -> Stepper:
    """The same, at the end of whose steps memories are up to date; itself where that cannot be.

    Args:
        stepper: of a model with memories.
        forward: dynamics of that model, which tell what memories become.
    """
    if stepper.model.closures:
        return stepper  # whose other coordinates would forget them
    step = stepper.program
    made = remember(
        lambda: DerivedProgram.of(_remembering(step, forward)), "remembering step",
        stepper.model, stepper.derived.digest,
    )  # fmt: skip
    if REMEMBERS not in made.program.info:
        return stepper
    found = copy(stepper)
    found.derived, found.remembers = made, True
    return found


def _remembering(step: Program, forward: Program) -> Program:
    """A step with memories that are what their laws make of the state at its end.

    As it was where its state is not of the model's coordinates, or a law wants what a step is not
    given.
    """
    law = restrict(forward, [MEMORY])
    if step.info["formulation"] == GLOBAL or not all(_takes(step, row) for row in law.inputs):
        return step
    scheme = Scheme(step.name)
    own = {row.name: scheme.input(row) for row in step.inputs}
    ended = inline(scheme, step, bindings(step, **own))
    given = {**own, **{name: ended[f"{name}_next"] for name in PARTS if name in own}}
    if law.takes("t"):
        given["t"] = (own["t"][0] + own["h"][0],)
    found = inline(scheme, law, bindings(law, **given))[MEMORY]
    labels, x = step.input("x").labels, list(ended["x_next"])
    for name, node in zip(law.output(MEMORY).labels, found, strict=True):
        x[labels.index(name)] = node
    for out in step.outputs:
        values = x if out.name == "x_next" else ended[out.name]
        scheme.output(out.name, values, out.shape, out.labels)
    return condense(scheme.program()).with_info(**{**step.info, REMEMBERS: "yes"})


def _takes(step: Program, row: Input) -> bool:
    """Whether a step has an input of the same components."""
    return step.takes(row.name) and step.input(row.name).labels == row.labels
