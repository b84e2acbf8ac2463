"""Rolling in natural coordinates: the touching points of wheel and plane have one velocity.

With c the components of the touching point in a link, its material point moves with Ṗ + Σ c_i ė_i,
so c and the direction u of the slip are all that the row needs.  The formulas of the touching point
are those of `formalism.rolling`.

Refs: SaminFisette2003; GarciaDeJalon1994
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinetree.engine import ZERO, Node, sqrt
from kinetree.formalism.links.vectors import Vec, dot, minus, negative, plus, times
from kinetree.formalism.loops.conditions import Row
from kinetree.formalism.natural.combinations import Sum

if TYPE_CHECKING:
    from kinetree.formalism.natural.closures import NaturalEnd
    from kinetree.formalism.natural.constraint_rows import RowWriter
    from kinetree.model import Roll


def roll(
    rows: RowWriter, condition: Roll, ends: tuple[NaturalEnd, NaturalEnd], size: tuple[Node, Node]
) -> Row:
    """0 = u·(velocity of the wheel - velocity of the plane's body) at the touching point."""
    first, second = ends
    u = second.direction(condition.direction)
    uv, ud = rows.name_vector("u", u.value), rows.name_vector("ud", u.rate)
    rho, rhod = _contact(rows, condition, ends, size)
    d = first.place.minus(second.place)
    span, spand = plus(d.value, rho), plus(d.rate, rhod)
    J: dict[int, Node] = {}
    slip: list[Vec] = []
    gain: list[Vec] = []
    for end, arm, armd, sign in ((first, rho, rhod, 1), (second, span, spand, -1)):
        for part, c, cd in _material(rows, end, (arm, armd)):
            if part.moving or cd is not ZERO:
                slip.append(times(sign * c, part.rate))
                gain += [times(sign * cd, part.rate), times(sign * c, part.bias)]
            for v, (own, _, _) in part.moving.items():
                for k, x in enumerate(uv):
                    J[v.at + k] = J.get(v.at + k, ZERO) + sign * c * own * x
    total = rows.name_vector("slip", plus(*slip))
    bias = dot(uv, plus(*gain)) + dot(ud, total)
    rate = dot(uv, total)
    drift = _drift(rows, ends, (rho, span))
    return Row(ZERO, {k: x for k, x in J.items() if x is not ZERO}, bias, dot(uv, drift), rate)


def _material(
    rows: RowWriter, end: NaturalEnd, arm: tuple[Vec, Vec]
) -> list[tuple[Sum, Node, Node]]:
    """Place of the end and axes of its link, with the components of an arm and their rates."""
    from kinetree.engine import ONE  # noqa: PLC0415

    found = [(end.place, ONE, ZERO)]
    r, rd = arm
    for k in range(3):
        e = end.frame.axis(k)
        c = rows.scheme.let("c", dot(e.value, r))
        cd = rows.scheme.let("cd", dot(e.rate, r) + dot(e.value, rd))
        found.append((e, c, cd))
    return found


def _drift(rows: RowWriter, ends: tuple[NaturalEnd, NaturalEnd], arms: tuple[Vec, Vec]) -> Vec:
    """What driven joints add to the slip by themselves."""
    total: Vec = (ZERO, ZERO, ZERO)
    for end, arm, sign in ((ends[0], arms[0], 1), (ends[1], arms[1], -1)):
        for part, c, _ in _material(rows, end, (arm, (ZERO, ZERO, ZERO))):
            total = plus(total, times(sign * c, part.drift))
    return total


def _contact(
    rows: RowWriter, condition: Roll, ends: tuple[NaturalEnd, NaturalEnd], size: tuple[Node, Node]
) -> tuple[Vec, Vec]:
    """rho, from the centre to the touching point, and its rate."""
    (r, crown), let = size, rows.scheme.let
    normal = ends[1].direction(condition.normal)
    n, nd = rows.name_vector("n", normal.value), rows.name_vector("nd", normal.rate)
    if condition.axis is None:
        return times(-(r + crown), n), times(-(r + crown), nd)
    axis = ends[0].direction(condition.axis)
    a, ad = rows.name_vector("a", axis.value), rows.name_vector("ad", axis.rate)
    c, cd = let("c", dot(n, a)), let("cd", dot(nd, a) + dot(n, ad))
    s = let("s", sqrt(1 - c * c))
    e = rows.name_vector("e", times(1 / s, minus(n, times(c, a))))
    turning = minus(minus(nd, times(cd, a)), times(c, ad))
    ed = plus(times(1 / s, turning), times(c * cd / (s * s), e))
    rho = plus(times(-r, e), times(-crown, n))
    rhod = minus(negative(times(r, ed)), times(crown, nd))
    return rows.name_vector("rho", rho), rows.name_vector("rhod", rhod)
