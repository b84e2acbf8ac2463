"""Contact of a sphere with a road: places are the centre of the sphere, and the road's frame.

With the height h of the centre above the tangent plane at the foot and the normal n:

    δ = r - h,    rho = -h n

Arguments: `touching`.

Refs: HuntCrossley1975
"""

from __future__ import annotations

from kinetree.forces.surfaces import foot, see
from kinetree.forces.touching import Patch, contact, load
from kinetree.model import Action, Force, times


def write(act: Action, force: Force) -> None:
    """Push the sphere out of the road."""
    body = see(act, force)
    below = foot(act, force, body.p)
    h = act.let("h", below.height(body.p))
    load(act, force, body, Patch(act.value("radius") - h, times(-h, below.n), below))


KIND = contact("contact_sphere", write)
