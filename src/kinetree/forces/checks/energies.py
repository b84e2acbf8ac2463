"""Laws given by their energy: force = -dV/dx, so that what goes in comes out again.

An energy V [J] is an expression of places alone: of the length of a link, of the coordinate of a
joint, of the positions and rotations of points; and of parameters.  Forces follow by
differentiation, and V counts as potential energy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kinetree.engine import Node, Rank, symbols
from kinetree.errors import ModelError
from kinetree.model import (
    ENERGY,
    NULL,
    Action,
    Point,
    Vec,
    cross,
    negative,
    place_symbols,
    plus,
    transpose,
    vec3,
)


def used_coordinates(energy: tuple[Node, ...]) -> list[Node]:
    """The symbols of an energy that are no parameters."""
    return [node for node in symbols(energy) if node.key[0] in (Rank.COORDINATE, Rank.VELOCITY)]


def energy_check(
    fits: Callable[[str], bool], what: str
) -> Callable[[Mapping[str, Any], str], None]:
    """The check of a kind whose energy may use the names that fit, and no others."""

    def check(given: Mapping[str, Any], element: str) -> None:
        for node in used_coordinates(given[ENERGY] or ()):
            if not fits(node.name):
                raise ModelError(
                    f"its energy uses '{node.name}', and may use {what} and parameters alone",
                    element=element,
                    cure="leave it out, or give a law of forces",
                )

    return check


def point_force(act: Action, label: str, point: Point) -> tuple[Vec, Vec]:
    """Force -dV/dp [N] and torque [N.m] of an energy on one of its points, ground components.

    The columns r_j of R turn with the body, δr_j = δθ × r_j, so the torque is -Σ r_j × dV/dr_j.
    """
    place, R = place_symbols(label), act.place(point).R
    F = vec3(-act.slope(ENERGY, p) for p in place.p)
    T = NULL
    for r, names in zip(transpose(R), transpose(place.R), strict=True):
        T = plus(T, negative(cross(r, vec3(act.slope(ENERGY, x) for x in names))))
    return F, T
