"""Why a step failed: what has no value, or Newton's method once more, watching the residuals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.arrays import Array
from kinetree.assembly import depending
from kinetree.integrate.without_value import UNDEFINED, element_without_value
from kinetree.model import retract
from kinetree.program import Newton, Output, Program
from kinetree.program.interpret import test_name
from kinetree.program.passes import dead

if TYPE_CHECKING:
    from kinetree.integrate.start.beginning import Lanes
    from kinetree.integrate.steps.stepper import Stepper

ENOUGH = 8
"""Iterations that show what does not converge; they are slow here."""


@dataclass(frozen=True)
class Failure:
    """What is left of the residuals of a step.

    Attributes:
        residual: largest one, as a multiple of what is allowed.
        worst: what it belongs to.
        why: a phrase for people, with what helps.
    """

    residual: float
    worst: str
    why: str = ""


@dataclass(frozen=True)
class StepPlace:
    """Where a step failed: its inputs at the start by name, and the motion of the model there."""

    given: Mapping[str, Any]
    motion: Mapping[str, Array]

    @property
    def t(self) -> float:
        """Time at the start of the step [s]."""
        return float(self.given["t"])


def explain(
    stepper: Stepper, lanes: Lanes, begin: float, place: StepPlace, parameters: Mapping[str, Any]
) -> Failure:
    """Why the step from a place failed.

    Args:
        stepper: whose step it is.
        lanes: start of the run.
        begin: time there [s].
        place: where it failed.
        parameters: values by name in place of the model's.
    """
    found = left_over(stepper.program, place.given)
    if whose := _undefined_element(stepper, place, parameters):
        return replace(found, worst=whose, why=f"NaN in {whose}; {UNDEFINED}")
    q, model = place.motion["q"], stepper.model
    lost: list[str] = []
    if stepper.independent is not None:
        judge = stepper.independent.judge(lanes.q, begin, parameters)
        bad = judge.bad(np.array([place.t]), q[None])[0]
        lost = sorted(stepper.independent.names) if bad else []
    free = [k for k, name in enumerate(model.velocities) if name not in model.drives]
    loops = None if stepper.loops is None else stepper.loops.whole
    equation = singular_equation(loops, (lanes.q, q), free)
    return replace(found, why=f"{describe(found)}; {_advice(found, lost, equation)}")


def _undefined_element(stepper: Stepper, place: StepPlace, parameters: Mapping[str, Any]) -> str:
    """The element that has no value at the end of the step, as far as that can be foreseen."""
    h, motion = float(place.given["h"]), place.motion
    ahead = {
        "q": retract(stepper.model, motion["q"], h * motion["qd"]),
        "qd": motion["qd"] + h * motion["qdd"],
        "x": motion["x"] + h * motion["xd"] if motion["x"].size else motion["x"],
    }
    given = {**place.given, **ahead, "t": np.asarray(place.t + h)}
    given.pop("p", None)  # values are known by their names
    return element_without_value(stepper.model, given, parameters)


def describe(found: Failure) -> str:
    """What Newton's method did."""
    if found.residual <= 1:  # repeated with another rounding it converges
        return f"Newton's method does not settle by a hair, most in {found.worst}"
    return (
        f"Newton's method leaves {found.residual:.3g} times the residual allowed, "
        f"most in {found.worst}"
    )


def _advice(found: Failure, lost: list[str], equation: str) -> str:
    """What helps.

    Args:
        found: what is left of the equations.
        lost: independent coordinates that do not determine the others there.
        equation: one that depends on others nearly, and there alone; empty: none does.
    """
    if lost:
        return (
            f"the independent coordinates {', '.join(lost)} do not determine the others there: "
            "choose others by independent=, or the formulation 'hybrid'"
        )
    if equation:
        return (
            f"the position is nearly singular, equation {equation} depends on others there: "
            "a longer step passes over it, or another formulation"
        )
    return "take a smaller step" if found.residual > 1 else "allow a larger tolerance="


def singular_equation(loops: Program | None, places: tuple[Array, Array], free: list[int]) -> str:
    """Label of an equation that depends on others at the second place, not at the first.

    Args:
        loops: gives J.
        places: coordinates.
        free: numbers of the velocities that may move.
    """
    if loops is None:
        return ""
    J, nearby = (_slopes(loops, q)[:, free] for q in places)
    row = depending(nearby, J) if np.isfinite(nearby).all() else None
    return "" if row is None else loops.output("h").labels[row]


def _slopes(loops: Program, q: Array) -> Array:
    nv = loops.output("J").shape[-1]
    given: dict[str, Any] = {"q": q, "qd": np.zeros(nv), "t": np.zeros(())}
    return np.asarray(loops.evaluate_some(**given)["J"])


def left_over(program: Program, given: Mapping[str, Any]) -> Failure:
    """Repeat the iterations of the largest Newton block of a step, the last of several."""
    blocks = [block for block in program.blocks if isinstance(block, Newton)]
    if not blocks:
        return Failure(float("nan"), "the accelerations")
    block = max(reversed(blocks), key=lambda b: len(b.targets))
    before = program.blocks[: program.blocks.index(block)]
    outputs = (
        Output("v", (len(block.start),), block.start),
        Output("w", (len(block.given),), block.given),
    )
    page = dead(replace(program, blocks=before, outputs=outputs))
    with np.errstate(all="ignore"):
        found = page.evaluate_some(**given)
        h = _least(block, found["v"], found["w"])
    sizes = np.where(np.isfinite(h), np.abs(h), np.inf)
    at = int(np.argmax(sizes))
    return Failure(float(sizes[at] / block.tolerance), _words(block, at))


def _least(block: Newton, v: Array, w: Array) -> Any:
    """The residuals of the best iteration."""
    best: Any = None
    for _ in range(min(block.limit, ENOUGH)):
        found = block.step.evaluate(v=v, w=w)
        h = found[test_name(block)]
        if best is None or np.abs(h).max() < np.abs(best).max():
            best = h
        if not np.isfinite(found["dv"]).all():
            break
        v = v - found["dv"]
    return best


def _words(block: Newton, at: int) -> str:
    labels = block.step.output("h").labels
    if at < len(labels):
        return labels[at]
    # Newton blocks of forward dynamics: all of their equations are loops
    name = block.targets[min(at, len(block.targets) - 1)].name
    return f"the loops of '{name.partition('_')[2]}'"
