"""Link: a force along the line of two points, the same on both, opposite in direction.

    tension = stiffness·(l - length) + damping·ldot + law(l, ldot, t, q, qd, x) + dV/dl

with l the present distance [m] and V(l) the energy [J]; a positive tension [N] draws the points
together.  Laws call the present distance `length` and its rate `rate`.  The direction is undefined
where the points meet.  A spring of natural length zero without damping and law pulls by stiffness·d
and has no such place.

Refs: Docquier2013 sec. 4.2 (link forces)
"""

from __future__ import annotations

from kinetree.engine import Node
from kinetree.forces.checks.energies import energy_check
from kinetree.model import ENERGY, Action, Force, ForceKind, Offer, Work, variable


def write(act: Action, force: Force) -> None:
    """Pull on both points."""
    seen = act.between(*force.points)
    spring = act.value("stiffness") * (seen.length - act.value("length"))
    law = act.law("law", length=seen.length, rate=seen.speed)
    law = law + act.slope(ENERGY, variable("length"), length=seen.length)
    tension = spring + act.value("damping") * seen.speed + law
    act.pull(seen, tension)
    act.tell(
        lambda: {
            "force": tension,
            "length": seen.length,
            "deflection": seen.length - act.value("length"),
            "rate": seen.speed,
        }
    )


def potential(act: Action, force: Force) -> Node:
    """½ stiffness·(l - length)² + V(l)."""
    length = act.between(*force.points).length
    stretch = length - act.value("length")
    spring = act.value("stiffness") * stretch * stretch / 2
    return spring + act.law(ENERGY, length=length)


KIND = ForceKind(
    "link",
    write,
    options={"stiffness": 0, "length": 0, "damping": 0, "law": None, ENERGY: None},
    scalars=("stiffness", "length", "damping"),
    laws=("law", ENERGY),
    variables=("length", "rate"),
    check=energy_check("length".__eq__, "length"),
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
