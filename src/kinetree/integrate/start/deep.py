"""Starts at which bodies are deep inside each other: refused, for no law of contact means them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from kinetree.arrays import Array
from kinetree.errors import ModelError
from kinetree.forces.plane.contact import sizes
from kinetree.model import FORCES, Mechanism
from kinetree.pipeline import derive
from kinetree.program import Input, Program
from kinetree.program.restrict import restrict
from kinetree.targets.kept import remember

DEEP = 0.25
"""Share of the smaller of two profiles to which they may begin inside each other."""
TOLD = ("depth", "sunk")


def refuse_deep(
    model: Mechanism, q: Array, t: float, x: Array | None, parameters: Mapping[str, Any]
) -> None:
    """Refuse coordinates at which two profiles are deep inside each other.

    Args:
        model: the mechanism.
        q: coordinates; leading axes are a batch.
        t: time of laws and drives [s].
        x: states; none where there are none.
        parameters: values by name that differ from the model's.

    Raises:
        ModelError: with the contact, and how deep.
    """
    names = [f.name for f in model.forces.values() if _tells(f.kind)]
    if not names:
        return
    wanted = [f"{name}.{told}" for name in names for told in TOLD]
    program = remember(lambda: _program(model, wanted), "depths of contacts", model)
    given: dict[str, Any] = {"q": q, "qd": np.zeros((*q.shape[:-1], model.nv)), "t": np.asarray(t)}
    if x is not None:
        given["x"] = x
    if program.takes("p"):
        given["p"] = _values(program.input("p"), parameters)
    found = program.evaluate_some(**given)
    for name in names:
        depth, sunk = (float(np.max(found[f"{name}.{told}"])) for told in TOLD)
        if sunk > 0 or depth > DEEP * sizes(model.forces[name]):
            more = "more than " if sunk > depth else ""
            raise ModelError(
                f"its bodies begin {more}{max(depth, sunk):.3g} m inside each other",
                element=f"force '{name}'",
                cure="start with them apart, or draw the profile the other way round if its "
                "material is on the wrong side",
            )


def _tells(kind: str) -> bool:
    """Whether forces of a kind tell how deep bodies are inside each other."""
    return {"depth", "sunk"} <= {row.name for row in FORCES[kind].outputs}


def _values(row: Input, parameters: Mapping[str, Any]) -> Array:
    """All parameters, with the axes of those given."""
    own = {name: np.asarray(value) for name, value in parameters.items() if name in row.labels}
    lead = np.broadcast_shapes(*[value.shape for value in own.values()])
    out = np.array(np.broadcast_to(np.array(row.default), (*lead, len(row.labels))))
    for name, value in own.items():
        out[..., row.labels.index(name)] = value
    return out


def _program(model: Mechanism, wanted: list[str]) -> Program:
    return restrict(derive(model, "forces"), wanted)
