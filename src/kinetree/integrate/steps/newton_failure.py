"""Why a step failed: Newton's method once more on NumPy arrays, watching the residuals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.program import Newton, Output, Program
from kinetree.program.passes import dead

if TYPE_CHECKING:
    from numpy.typing import NDArray

ENOUGH = 8
"""Iterations that show what does not converge; they are slow here."""


@dataclass(frozen=True)
class Failure:
    """What is left of the residuals of a step.

    Attributes:
        residual: largest one, as a multiple of what is allowed.
        worst: what it belongs to.
    """

    residual: float
    worst: str


def diagnose(program: Program, given: Mapping[str, Any]) -> Failure:
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
        found = page.evaluate(**page.given(given))
        h = _least(block, found["v"], found["w"])
    sizes = np.where(np.isfinite(h), np.abs(h), np.inf)
    at = int(np.argmax(sizes))
    return Failure(float(sizes[at] / block.tolerance), _words(block, at))


def _least(block: Newton, v: NDArray[np.float64], w: NDArray[np.float64]) -> Any:
    """The residuals of the best iteration."""
    best: Any = None
    for _ in range(min(block.limit, ENOUGH)):
        found = block.step.evaluate(v=v, w=w)
        h = found["h"]
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


__all__ = ["Failure", "diagnose"]
