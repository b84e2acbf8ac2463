"""Contact of a wheel with a road: places are the centre of the wheel, and the road's frame.

The wheel is a circle of radius r about `axis` (fixed in the first place), swept by a sphere of
radius `crown` [m]; with crown 0 it is a thin disc.  With the height h of the centre above the
tangent plane at the foot, the normal n and c = n·axis, s = √(1 - c²):

    e = (n - c axis)/s         from the lowest point of the circle to the centre
    δ = r s + crown - h
    rho = -r e - (crown - δ) n

Other arguments: `touching`.

Refs: HuntCrossley1975
"""

from __future__ import annotations

from kinetree.engine import ONE, Node, sqrt
from kinetree.forces.branches import at_least
from kinetree.forces.surfaces import foot, let_vector, see, unit
from kinetree.forces.touching import Patch, contact, load
from kinetree.model import Action, Force, Vec, dot, minus, plus, times

FLAT = 1e-12
"""Square of the sine of the angle between axis and normal at which a wheel counts as lying."""


def spoke(n: Vec, axis: Vec) -> tuple[Node, Node, Vec]:
    """c = n·axis, s = √(1 - c²) and the unit vector e in the wheel that points up most."""
    c = dot(n, axis)
    s = sqrt(at_least(ONE - c * c, FLAT))
    return c, s, times(1 / s, minus(n, times(c, axis)))


def write(act: Action, force: Force) -> None:
    """Push the wheel out of the road."""
    body = see(act, force, unit(force.arguments["axis"], f"force '{force.name}'"))
    below = foot(act, force, body.p)
    assert body.axis is not None
    _, s, e = spoke(below.n, body.axis)
    s, e = act.let("s", s), let_vector(act, "e", e)
    h = act.let("h", below.height(body.p))
    crown = act.value("crown")
    depth = act.value("radius") * s + crown - h
    rho = plus(times(-act.value("radius"), e), times(depth - crown, below.n))
    load(act, force, body, Patch(depth, rho, below))


KIND = contact("contact_wheel", write, {"axis": "y", "crown": 0})
