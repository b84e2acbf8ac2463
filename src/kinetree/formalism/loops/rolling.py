"""Rolling of a wheel or a sphere on a plane: touching, and no slip of the touching point.

The wheel is a circle of radius r about the axis a through the first end, swept by a sphere of
radius crown; n is the normal of the plane through the second end.  With c = n·a, s = √(1 - c²):

    e = (n - c a)/s            direction from the lowest point of the circle to the centre
    rho = -(r e + crown n)     from the centre to the touching point
    touch: n·d - r s - crown = 0
    roll:  u·(velocity of the wheel - velocity of the plane's body, both at the touching point) = 0

A sphere has rho = -r n.  The touching point moves along the wheel, so rho changes at the rate rhod.

Refs: SaminFisette2003; own derivation of the rates
"""

from __future__ import annotations

from dataclasses import replace

from kinetree.engine import ZERO, Node, Rank, sqrt, symbol
from kinetree.formalism.links.vectors import Vec, cross, dot, minus, plus, times
from kinetree.formalism.loops.conditions import Ends, Row, along, angle
from kinetree.formalism.loops.laws import law
from kinetree.model import Roll, Touch


def touch(ends: Ends, condition: Touch) -> Row:
    """h = height of the lowest point of the wheel above the plane [m]."""
    height = symbol("height", Rank.LOCAL)
    tilt = symbol("tilt", Rank.LOCAL)
    r, crown = ends.scalar("radius"), ends.scalar("crown")
    atoms = {height: along(ends, condition.normal, "n")}
    if condition.axis is None:
        return law(height - r - crown, atoms)
    atoms[tilt] = angle(ends, condition.axis, condition.normal)
    return law(height - r * sqrt(1 - tilt * tilt) - crown, atoms)


def roll(ends: Ends, condition: Roll) -> Row:
    """0 = velocity of the wheel's touching point relative to the plane, along u [m/s]."""
    u = ends.axis(ends.second, condition.direction, "u")
    rho, rhod = _contact(ends, condition)
    first, second = ends.first, ends.second
    s, sd = plus(ends.d, rho), plus(ends.dd, rhod)  # from the second end to the touching point
    slip = minus(plus(ends.dd, cross(first.w, rho)), cross(second.w, s))
    gain = plus(ends.ddd, cross(first.wd, rho), cross(first.w, rhod))
    loss = plus(cross(second.wd, s), cross(second.w, sd))
    bias = dot(u, minus(gain, loss)) + dot(cross(second.w, u), slip)
    at = ends.let("touch", plus(first.p, rho), "touching point", "m")
    return replace(ends.force_row(ZERO, u, at), Jdqd=bias, rate=dot(u, slip))


def _contact(ends: Ends, condition: Roll) -> tuple[Vec, Vec]:
    """rho, from the centre to the touching point, and its rate."""
    r, crown = ends.scalar("radius"), ends.scalar("crown")
    w1, w2 = ends.first.w, ends.second.w
    n = ends.axis(ends.second, condition.normal, "n")
    nd = cross(w2, n)
    if condition.axis is None:
        return _let_both(ends, times(-(r + crown), n), times(-(r + crown), nd))
    a = ends.axis(ends.first, condition.axis, "a")
    ad = cross(w1, a)
    c, cd = dot(n, a), dot(nd, a) + dot(n, ad)
    s = _let(ends, "s", sqrt(1 - c * c))
    e = ends.let("e", times(1 / s, minus(n, times(c, a))), "upward in the wheel", "1")
    turning = minus(minus(nd, times(cd, a)), times(c, ad))
    ed = plus(times(1 / s, turning), times(c * cd / (s * s), e))
    rho = plus(times(-r, e), times(-crown, n))
    return _let_both(ends, rho, plus(times(-r, ed), times(-crown, nd)))


def _let_both(ends: Ends, rho: Vec, rhod: Vec) -> tuple[Vec, Vec]:
    return (
        ends.let("rho", rho, "centre to touching point", "m"),
        ends.let("rhod", rhod, "its rate", "m/s"),
    )


def _let(ends: Ends, stem: str, x: Node) -> Node:
    return ends.frames.scheme.let(f"{ends.closure.name}_{stem}", x)
