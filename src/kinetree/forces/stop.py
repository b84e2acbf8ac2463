"""Stops: gaps that never become negative, with restitution.

    gap(q, t) ≥ 0, contact force ≥ 0, and one of them is zero

| kind | gap |
|---|---|
| joint_stop | q - lower and upper - q of one coordinate |
| gap_stop | a law of q and t |
| point_stop | a law of the places of points, of q and t |

Where a gap closes with a speed, it opens again with `restitution` times that speed; bounces shorter
than the time `shortest` end in contact.  Every gap has a mode of its own: 0 apart, 1 in contact; it
changes at events.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from kinetree.engine import Node, Rank, number, symbols
from kinetree.errors import ModelError
from kinetree.model import ANY, REQUIRED, Action, Force, ForceKind

SIDES = ("lower", "upper")
DATA = ("restitution", "shortest")
UNITS = {"restitution": "1", "shortest": "s"}
SHORTEST = 1e-5
"""Bounces shorter than this end in contact [s]."""


def write_bounds(act: Action, force: Force) -> None:
    """The gaps of a coordinate to its bounds."""
    q = act.q(force.arguments["joint"])
    bounds = {side: act.law(side) for side in SIDES if side in force.laws}
    gaps = {"lower": q - bounds.get("lower", number(0)), "upper": bounds.get("upper", q) - q}
    for label, side in zip(modes_of_sides(force.name, force.arguments), bounds, strict=True):
        act.stop(label, gaps[side], act.value("restitution"), act.value("shortest"))


def write_gap(act: Action, force: Force) -> None:
    """The gap of a law."""
    act.stop(force.name, act.law("gap"), act.value("restitution"), act.value("shortest"))


def modes_of_sides(name: str, given: Mapping[str, Any]) -> tuple[str, ...]:
    """Names of the modes: that of the stop, or one for each of its two sides."""
    sides = [side for side in SIDES if given[side] is not None]
    return (name,) if len(sides) == 1 else tuple(f"{name}_{side}" for side in sides)


def gap_mode(name: str, _: Mapping[str, Any]) -> tuple[str, ...]:
    """The name of the only mode."""
    return (name,)


def check(keys: tuple[str, ...], given: Mapping[str, Any], element: str) -> None:
    """Restitution is a share; gaps are geometry; bounds leave room."""
    e = given["restitution"]
    if not isinstance(e, Node) and not 0 <= e <= 1:
        raise ModelError(
            f"its restitution is {e}",
            element=element,
            cure="give a share of the speed from 0 (plastic) to 1 (elastic)",
        )
    laws = [given[key][0] for key in keys if given[key] is not None]
    for found in symbols(laws):
        if found.key[0] == Rank.VELOCITY:
            raise ModelError(
                f"'{found.name}' is a velocity",
                element=element,
                cure="write its gap with places and coordinates alone",
            )
    if keys == SIDES:
        _check_room(laws, element)


def _check_room(bounds: list[Node], element: str) -> None:
    """A stop has a bound; the lower one lies below the upper one."""
    if not bounds:
        raise ModelError("it has no bound", element=element, cure="give lower, upper or both")
    if len(bounds) == 2 and all(bound.is_number for bound in bounds):
        low, high = (bound.value for bound in bounds)
        if low >= high:
            raise ModelError(
                f"its lower bound {low} is not below its upper one {high}",
                element=element,
                cure="give lower < upper, or lock the joint",
            )


JOINT = ForceKind(
    "joint_stop",
    write_bounds,
    options={
        "joint": REQUIRED,
        "lower": None,
        "upper": None,
        "restitution": 0,
        "shortest": SHORTEST,
    },
    scalars=DATA,
    laws=SIDES,
    places=0,
    coordinates=("joint",),
    units=UNITS,
    check=partial(check, SIDES),
    modes=modes_of_sides,
    work=(),
)
GAP = ForceKind(
    "gap_stop",
    write_gap,
    options={"gap": REQUIRED, "restitution": 0, "shortest": SHORTEST},
    scalars=DATA,
    laws=("gap",),
    places=0,
    units=UNITS,
    check=partial(check, ("gap",)),
    modes=gap_mode,
    work=(),
)
POINTS = replace(GAP, name="point_stop", places=ANY)
KINDS = (JOINT, GAP, POINTS)
