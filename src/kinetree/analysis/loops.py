"""The equations of a closed system as functions of numbers, and the names of their rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinetree.errors import ShapeError
from kinetree.pipeline import derive
from kinetree.program.select import select

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kinetree.model.system import Model
    from kinetree.program import Program

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Loops:
    """h and J of a model.

    Attributes:
        model: the mechanism.
        program: gives h and J.
        labels: "closure.component" of every row.
        rates: numbers of the rows that only velocities have to satisfy.
        driven: numbers of the velocities whose motion is given.
        dropped: labels of trivial rows.
    """

    model: Model
    program: Program
    labels: tuple[str, ...]
    rates: tuple[int, ...]
    driven: tuple[int, ...]
    dropped: tuple[str, ...]

    def evaluate(self, q: Any, t: float) -> tuple[Array, Array]:
        """(h, J) at coordinates q and time t."""
        given = {"q": np.asarray(q, dtype=float), "qd": np.zeros(self.model.nv), "t": np.asarray(t)}
        names = {row.name for row in self.program.inputs}
        out = self.program.evaluate(**{k: v for k, v in given.items() if k in names})
        return out["h"], out["J"]

    def positions(self) -> list[int]:
        """Numbers of the rows that positions have to satisfy."""
        return [i for i in range(len(self.labels)) if i not in self.rates]

    def unit(self, row: int) -> str:
        """Unit of a row of h; empty where the law does not tell."""
        name, _, component = self.labels[row].partition(".")
        conditions = self.model.closures[name].conditions
        return next((c.unit for c in conditions if c.label == component), "")


def loops(model: Model) -> Loops:
    """The equations of the closures of a model."""
    whole = derive(model, "constraints")
    labels = whole.output("h").labels
    rates = _listed(whole.info["rates"])
    at = {name: k for k, name in enumerate(model.velocities)}
    return Loops(
        model,
        select(whole, ("h", "J")),
        labels,
        tuple(i for i, label in enumerate(labels) if label in rates),
        tuple(at[name] for name in model.velocities if name in model.drives),
        tuple(_listed(whole.info["dropped"])),
    )


def _listed(text: str) -> list[str]:
    return text.split(", ") if text else []


def start(model: Model, q: Sequence[float] | None, t: float) -> Array:
    """Coordinates to begin with: given ones or the model's, driven ones at their laws."""
    out = model.initial() if q is None else np.array(q, dtype=float)
    if out.shape != (model.nq,) or not np.isfinite(out).all():
        raise ShapeError(
            f"it must be {model.nq} finite numbers, but has shape {out.shape}", element="q"
        )
    if any(drive.law is not None for drive in model.drives.values()):
        program = derive(model, "drives")
        given = {"t": np.asarray(t)} if any(row.name == "t" for row in program.inputs) else {}
        row = program.output("q")
        values = program.evaluate(q=out, **given)["q"]
        names = list(model.coordinates)
        for name, value in zip(row.labels, values, strict=True):
            out[names.index(name)] = value
    return out


__all__ = ["Loops", "loops", "start"]
