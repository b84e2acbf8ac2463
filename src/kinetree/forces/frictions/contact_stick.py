"""Contact of a sphere with a road whose friction sticks and slides along one direction.

    slides: force = ∓μ F        sticks: no sliding, |force| ≤ static·μ F

with the load F of `normal_force` and the direction in the tangent plane of the road that is nearest
to `along`.  A sphere that may turn rolls where it sticks.  Across that direction nothing rubs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinetree.engine import maximum, sqrt
from kinetree.errors import ModelError
from kinetree.forces import touching
from kinetree.forces.contact_sphere import meet
from kinetree.forces.frictions import bounds
from kinetree.forces.normal_force import tangential
from kinetree.forces.surfaces import ROAD, VARIABLES, contact_outputs, let_vector, push, unit
from kinetree.model import (
    AT_POINT,
    AT_POINT_WORK,
    REQUIRED,
    Action,
    Force,
    ForceKind,
    Offer,
    Vec,
    cross,
    direction,
    dot,
    plus,
    times,
)

STEEP = 1e-6
"""Share of a direction in the plane of the road below which it has none there."""


def write(act: Action, force: Force) -> None:
    """Push the sphere out of the road; what the mode says, and a force against sliding."""
    body, patch = meet(act, force)
    u, depth, F = touching.press(act, force, body, patch)
    e, mode = _tangent(act, force, patch.foot.n), force.arguments["mode"]
    coulomb = act.let("capacity", act.value("friction") * F)
    breakaway = act.let("breakaway", maximum(act.value("static"), 1) * coulomb)
    rubs = act.grip(mode, dot(e, u), coulomb, breakaway)
    total = plus(times(F, patch.foot.n), times(rubs, e))
    push(act, force, body.p, total, cross(patch.rho, total))

    def outputs() -> dict[str, Any]:
        whole = plus(times(F, patch.foot.n), times(act.gripping_force(mode), e))
        return {"Fz": F, "depth": depth, **contact_outputs(body, whole, cross(patch.rho, whole))}

    act.tell(outputs)


def _tangent(act: Action, force: Force, n: Vec) -> Vec:
    """The unit vector in the tangent plane."""
    flat = tangential(unit(force.arguments["along"], f"force '{force.name}'"), n)
    return let_vector(act, "along", times(1 / sqrt(dot(flat, flat)), flat))


def check(given: Mapping[str, Any], element: str) -> None:
    """Its road, its mode, and a direction along the road."""
    touching.check(given, element)
    bounds.check(given, element)
    x, y, _ = direction(given["along"], element)
    if x * x + y * y < STEEP**2:
        raise ModelError(
            "its direction stands upright on the road",
            element=element,
            cure="give along= as 'x', 'y' or three numbers in the frame of the road",
        )


TAKEN = ("radius", "stiffness", "dissipation", "damping", "friction")
KIND = ForceKind(
    "contact_stick",
    write,
    options={
        "radius": REQUIRED, **ROAD, "stiffness": REQUIRED, "exponent": 1.5, "dissipation": 0,
        "damping": 0, "friction": REQUIRED, "static": 1, "along": "x", "mode": REQUIRED,
    },
    scalars=(*TAKEN, "static"),
    laws=("height",),
    variables=VARIABLES,
    units={k: x for k, x in touching.UNITS.items() if k in TAKEN} | {"static": "1"},
    check=check,
    holds=True,
    grips=True,
    outputs=(Offer("Fz", "N"), Offer("depth", "m"), *AT_POINT),
    work=AT_POINT_WORK,
)  # fmt: skip
