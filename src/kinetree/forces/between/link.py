"""Link: a force along the line of two points, or along an axis, the same on both, opposite.

    tension = stiffness·(l - length) + damping·ldot + law(l, ldot, t, q, qd, x) + dV/dl

with l the present distance [m] and V(l) the energy [J]; a positive tension [N] draws the points
together.  Laws call the present distance `length` and its rate `rate`.  The direction is undefined
where the points meet.  A spring of natural length zero without damping and law pulls by stiffness·d
and has no such place.

With an axis, a unit vector u fixed in the first place, l = u·d is the distance along it alone, of
either sign, and the force acts along u through the second point: a guided spring, a face that is
pushed.  d leads from the first point to the second; forces and moments balance.

    ldot = u·ddot + (ω × u)·d        ω of the first body

Refs: Docquier2013 sec. 4.2 (link forces)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from kinetree.engine import Node
from kinetree.forces.checks.energies import energy_check
from kinetree.forces.surfaces import let_vector, unit
from kinetree.model import (
    ENERGY,
    Action,
    Between,
    Force,
    ForceKind,
    Offer,
    Vec,
    Work,
    apply,
    cross,
    direction,
    dot,
    negative,
    times,
    variable,
)


class Line(NamedTuple):
    """Two points along their line, or along the axis u: their distance [m] and its rate [m/s]."""

    seen: Between
    u: Vec | None
    length: Node
    rate: Node


def line(act: Action, force: Force) -> Line:
    """The two points of a link."""
    seen, axis = act.between(*force.points), force.arguments["axis"]
    if axis is None:
        return Line(seen, None, seen.length, seen.speed)
    u = let_vector(act, "u", apply(seen.R_first, unit(axis, f"force '{force.name}'")))
    rate = dot(u, seen.rate) + dot(cross(seen.w_first, u), seen.d)
    return Line(seen, u, act.let("length", dot(u, seen.d)), act.let("rate", rate))


def pull(act: Action, at: Line, tension: Node) -> None:
    """Draw the points together; along an axis by a force through the second one."""
    if at.u is None:
        act.pull(at.seen, tension)
        return
    F = let_vector(act, "F", times(act.let("tension", tension), at.u))
    act.push(at.seen.first, F, cross(at.seen.d, F), at.seen)
    act.push(at.seen.second, negative(F), frame=at.seen)


def write(act: Action, force: Force) -> None:
    """Pull on both points."""
    at = line(act, force)
    spring = act.value("stiffness") * (at.length - act.value("length"))
    law = act.law("law", length=at.length, rate=at.rate)
    law = law + act.slope(ENERGY, variable("length"), length=at.length)
    tension = spring + act.value("damping") * at.rate + law
    pull(act, at, tension)
    act.tell(
        lambda: {
            "force": tension,
            "length": at.length,
            "deflection": at.length - act.value("length"),
            "rate": at.rate,
        }
    )


def check(arguments: Mapping[str, Any], element: str) -> None:
    """Refuse an axis that is none, and energies of other things."""
    if arguments["axis"] is not None:
        direction(arguments["axis"], f"{element} axis")
    energy_check("length".__eq__, "length")(arguments, element)


def potential(act: Action, force: Force) -> Node:
    """½ stiffness·(l - length)² + V(l)."""
    length = line(act, force).length
    stretch = length - act.value("length")
    spring = act.value("stiffness") * stretch * stretch / 2
    return spring + act.law(ENERGY, length=length)


KIND = ForceKind(
    "link",
    write,
    options={"axis": None, "stiffness": 0, "length": 0, "damping": 0, "law": None, ENERGY: None},
    scalars=("stiffness", "length", "damping"),
    laws=("law", ENERGY),
    variables=("length", "rate"),
    check=check,
    units={"stiffness": "N/m", "length": "m", "damping": "N.s/m"},
    potential=potential,
    outputs=(
        Offer("force", "N"),
        Offer("length", "m"),
        Offer("deflection", "m"),
        Offer("rate", "m/s"),
    ),
    work=(Work(sign=-1),),  # a tension draws in, a rate lengthens
)
