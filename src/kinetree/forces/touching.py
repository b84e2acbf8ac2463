"""A rigid body that touches a road: normal force, friction and rolling resistance together.

Arguments of every such contact, with their units:

| argument | meaning |
|---|---|
| radius | of the sphere, or of the circle about the wheel's axis [m] |
| height | road z(x, y, t) in the frame of the second place [m]; without it the plane z = 0 |
| corrections | steps that move the foot of the contact to the nearest point of a curved road |
| stiffness, exponent | k [N/m^e] and e of the normal force k δ^e |
| dissipation, damping | a [s/m] and d [N.s/m] of its dissipation (`normal_force`) |
| friction | coefficient μ of Coulomb friction |
| slip_speed | sliding speed below which friction fades [m/s]; also of rolling, divided by radius |
| rolling_resistance | torque against rolling divided by load and radius |

The force on the body is F n - friction, applied where the body meets the surface; the road's body
gets the opposite one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from kinetree.engine import Node
from kinetree.errors import ModelError
from kinetree.forces.normal_force import compression, friction, rolling_torque, tangential
from kinetree.forces.surfaces import (
    ROAD,
    UP,
    VARIABLES,
    Foot,
    RoadView,
    check_road,
    contact_outputs,
    push,
)
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
    dot,
    plus,
    times,
)

OPTIONS: dict[str, Any] = {
    "radius": REQUIRED,
    **ROAD,
    "stiffness": REQUIRED,
    "exponent": 1.5,
    "dissipation": 0,
    "damping": 0,
    "friction": 0,
    "slip_speed": 0.01,
    "rolling_resistance": 0,
}
SCALARS = (
    "radius", "stiffness", "dissipation", "damping", "friction", "slip_speed", "rolling_resistance",
)  # fmt: skip

UNITS = {
    "radius": "m",
    "dissipation": "s/m",
    "damping": "N.s/m",
    "friction": "1",
    "slip_speed": "m/s",
    "rolling_resistance": "1",
}


@dataclass(frozen=True, slots=True)
class Patch:
    """Where a body touches: depth [m], from its centre to the surface `rho` [m], the foot below."""

    depth: Node
    rho: Vec
    foot: Foot


def press(act: Action, force: Force, body: RoadView, patch: Patch) -> tuple[Vec, Node, Node]:
    """Velocity of the body at its patch relative to the road [m/s], depth [m], load [N]."""
    u = plus(body.v, cross(body.w, patch.rho), times(-patch.foot.rise, UP))
    depth = act.let("depth", patch.depth)
    law = compression(act, force.arguments["exponent"])
    return u, depth, act.let("load", law.force(depth, -dot(patch.foot.n, u)))


def load(act: Action, force: Force, body: RoadView, patch: Patch) -> None:
    """Put the forces of a contact on the two bodies."""
    n = patch.foot.n
    u, depth, F = press(act, force, body, patch)
    slow = act.value("slip_speed")
    sliding = tangential(u, n)
    T = rolling_torque(
        F,
        tangential(body.w, n),
        act.value("rolling_resistance") * act.value("radius"),
        slow / act.value("radius"),
    )
    total = plus(times(F, n), friction(F, sliding, act.value("friction"), slow))
    torque = plus(cross(patch.rho, total), T)
    push(act, force, body.p, total, torque)
    act.tell(lambda: {"Fz": F, "depth": depth, **contact_outputs(body, total, torque)})


def check(arguments: Mapping[str, Any], element: str) -> None:
    """Refuse an exponent below one, whose stiffness would be infinite at touching."""
    check_road(arguments, element)
    exponent = arguments["exponent"]
    if isinstance(exponent, bool) or not isinstance(exponent, int | float) or exponent < 1:
        raise ModelError(
            f"the exponent is {exponent!r}", element=element, cure="give a number, 1 or more"
        )


def contact(
    name: str, write: Callable[[Action, Force], None], more: Mapping[str, Any] | None = None
) -> ForceKind:
    """The row of a contact: how it is written, what it takes besides the common arguments."""
    more = more or {}
    return ForceKind(
        name,
        write,
        options={**OPTIONS, **more},
        scalars=(*SCALARS, *(key for key in more if key != "axis")),
        laws=("height",),
        variables=VARIABLES,
        units={**UNITS, "crown": "m"},
        check=check,
        outputs=(Offer("Fz", "N"), Offer("depth", "m"), *AT_POINT),
        work=AT_POINT_WORK,
    )
