"""Units of what an identification finds and compares, by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kinetree.results.dataset import PARTS

if TYPE_CHECKING:
    from kinetree.model import Mechanism

BODY = {"mass": "kg", "h": "kg.m", "I": "kg.m2"}
"""Beginning of the name of a parameter of a body -> unit."""
TURNING = {
    "coulomb": "N.m", "viscous": "N.m.s/rad", "offset": "N.m", "armature": "kg.m2",
    "current_gain": "N.m/A", "smooth": "rad/s",
}  # fmt: skip
SLIDING = {
    "coulomb": "N", "viscous": "N.s/m", "offset": "N", "armature": "kg", "current_gain": "N/A",
    "smooth": "m/s",
}  # fmt: skip
"""Parameter of a joint -> unit, where it turns and where it slides."""


def value_units(model: Mechanism, names: Sequence[str], sensed: Sequence[str] = ()) -> list[str]:
    """Unit of every value; none where nobody gave one.

    Args:
        model: the mechanism.
        names: of the values.
        sensed: properties of sensors among them: "gain", "offset", "delay".
    """
    turns = _turning(model)
    own = {name: row.unit for name, row in model.parameters.items()}
    return [own.get(name) or _unit(name, turns, sensed) for name in names]


def equation_units(model: Mechanism, measured: str, names: Sequence[str]) -> list[str]:
    """Unit of what was measured in every equation: "tau", "wrench" or "q"."""
    if measured == "wrench":
        return ["N.m" if PARTS.index(name) < 3 else "N" for name in names]
    if measured == "q":
        rows = [(joint.coordinates, joint.q_units) for joint in model.leaders]
        own = {n: unit for row in rows for n, unit in zip(*row, strict=True)}
        return [own.get(name, "rad").replace("1", "") for name in names]
    turns = _turning(model)
    return ["N.m" if turns.get(name, True) else "N" for name in names]


def _turning(model: Mechanism) -> dict[str, bool]:
    """Whether a coordinate or velocity is an angle, by its name."""
    found: dict[str, bool] = {}
    for joint in model.leaders:
        for names, units in (
            (joint.coordinates, joint.q_units), (joint.velocities, joint.v_units)
        ):  # fmt: skip
            found |= {n: u.startswith("rad") for n, u in zip(names, units, strict=True)}
    return found


def _unit(name: str, turns: dict[str, bool], sensed: Sequence[str]) -> str:
    owner, _, kind = name.rpartition(".")
    if owner not in turns:
        return BODY.get(kind.partition("_")[0], "")
    if kind in sensed:
        return {"gain": "", "offset": "rad" if turns[owner] else "m", "delay": "s"}[kind]
    return (TURNING if turns[owner] else SLIDING).get(kind, "")
