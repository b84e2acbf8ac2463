"""Contact of a sphere with a road: places are the centre of the sphere, and the road's frame.

With the height h of the centre above the tangent plane at the foot and the normal n:

    δ = r - h,    rho = -h n

Arguments: `touching`.

Refs: HuntCrossley1975
"""

from __future__ import annotations

from kinetree.forces.surfaces import RoadView, foot, see
from kinetree.forces.touching import Patch, contact, load
from kinetree.model import Action, Force, times


def meet(act: Action, force: Force) -> tuple[RoadView, Patch]:
    """The sphere as its road sees it, and where it touches."""
    body = see(act, force)
    below = foot(act, force, body.p)
    h = act.let("h", below.height(body.p))
    return body, Patch(act.value("radius") - h, times(-h, below.n), below)


def write(act: Action, force: Force) -> None:
    """Push the sphere out of the road."""
    load(act, force, *meet(act, force))


KIND = contact("contact_sphere", write)
