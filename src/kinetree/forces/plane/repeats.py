"""Profiles of equal parts about the origin of their place, such as wheels with teeth or slots.

Of n equal parts those count that are nearest to what is met: the part in whose sector that lies,
and the ones before and behind it.  With the angle a of a place from the middle of the first part,

    k = round(a n/2π),    the place turned by -2π k/n lies in the sector of the first part

so that the number of pairs does not grow with that of the parts.  k is a sum of branches, whose
slope is zero.
"""

from __future__ import annotations

from math import atan2, cos, hypot, pi, sin

from kinetree.engine import ONE, ZERO, Node, add, select
from kinetree.engine import atan2 as angle_of
from kinetree.engine import cos as cosine
from kinetree.engine import sin as sine
from kinetree.errors import ModelError
from kinetree.forces.plane.shapes import Xy

FEW = 3
"""Parts up to which all of them are looked at."""
MOST = 1000
"""Parts at most."""
SAME = 1e-9
"""Share by which equal distances may differ by rounding."""

PlaneTurn = tuple[Node, Node]
"""Cosine and sine of an angle."""


def expand(corners: list[tuple[Xy, float]], count: int) -> list[tuple[Xy, float]]:
    """All corners of a profile of equal parts, which go on where the first one ends."""
    step = 2 * pi / count * _way(corners, count)
    found = []
    for k in range(count):
        c, s = cos(k * step), sin(k * step)
        found += [((c * x - s * y, s * x + c * y), bulge) for (x, y), bulge in corners]
    return found


def middle(corners: list[tuple[Xy, float]], count: int) -> float:
    """Angle of the middle of the first part [rad]."""
    x, y = corners[0][0]
    return atan2(y, x) + pi / count * _way(corners, count)


def _way(corners: list[tuple[Xy, float]], count: int) -> int:
    """1 where the next part begins counter-clockwise of a part, -1 otherwise.

    It is the one whose begin is nearer to the end of the part; where both are as near, the first.
    """
    (x, y), end = corners[0][0], corners[-1][0]
    far = []
    for way in (1, -1):
        c, s = cos(2 * pi / count), way * sin(2 * pi / count)
        far.append(hypot(c * x - s * y - end[0], s * x + c * y - end[1]))
    return -1 if far[1] < far[0] * (1 - SAME) else 1


def check_count(value: object, element: str) -> int:
    """The number of parts; what is none is refused."""
    if isinstance(value, bool) or not isinstance(value, int) or not 1 < value <= MOST:
        raise ModelError(f"repeat is {value!r}", element=element,
                         cure=f"give the number of equal parts, 2 to {MOST}")  # fmt: skip
    return value


def to_first(e: tuple[Node, Node], count: int, first: float) -> PlaneTurn:
    """The turn by a multiple of 2π/count that brings a direction into the sector of the first part.

    Args:
        e: the direction.
        count: number of parts.
        first: angle of the middle of the first one [rad].
    """
    c, s = cos(first), sin(first)
    a = angle_of(c * e[1] - s * e[0], c * e[0] + s * e[1])
    borders = [(2 * j + 1) * pi / count for j in range(count // 2)]
    above = [select(a - border, ONE, ZERO) for border in borders]
    below = [select(-a - border, ONE, ZERO) for border in borders]
    turn = (add(*above) - add(*below)) * (2 * pi / count)
    return cosine(turn), -sine(turn)
