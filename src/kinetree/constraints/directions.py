"""Conditions that several closures share: places, directions, triads, laws."""

from __future__ import annotations

from collections.abc import Sequence

from kinetree.engine import Node
from kinetree.model import Along, Angle, Coincide, Condition, Law, RateLaw, Vector3, across

UNITS: tuple[Vector3, Vector3, Vector3] = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
LETTERS = ("x", "y", "z")


def per_law(condition: type[Law | RateLaw], laws: Sequence[Node]) -> tuple[Condition, ...]:
    """One equation per expression: law, or law_1, law_2 and so on."""
    labels = [f"law_{k}" for k in range(1, len(laws) + 1)] if len(laws) > 1 else ["law"]
    return tuple(map(condition, labels, laws))


def together() -> tuple[Condition, ...]:
    """The two ends at one place: x, y, z."""
    return tuple(Coincide(letter, k) for k, letter in enumerate(LETTERS))


def triad(n: Vector3) -> tuple[tuple[str, Vector3], tuple[str, Vector3]]:
    """Two named directions that make a right-handed triad with the unit vector n.

    For ±x, ±y, ±z they are axes and carry their letters, otherwise they are called 1 and 2.
    """
    k = max(range(3), key=lambda i: abs(n[i]))
    if abs(n[k]) == 1:
        i, j = ((k + 1) % 3, (k + 2) % 3) if n[k] > 0 else ((k + 2) % 3, (k + 1) % 3)
        return (LETTERS[i], UNITS[i]), (LETTERS[j], UNITS[j])
    first, second = across(n)
    return ("1", first), ("2", second)


def parallel(n: Vector3) -> tuple[Condition, ...]:
    """The directions n of both frames stay parallel; each equation stops one turn."""
    (a, first), (b, second) = triad(n)
    return Angle(f"turn_{a}", n, second), Angle(f"turn_{b}", n, first)


def parallel_frames() -> tuple[Condition, ...]:
    """Both frames stay parallel: no turn about x, y, z."""
    x, y, z = UNITS
    return Angle("turn_x", y, z), Angle("turn_y", z, x), Angle("turn_z", x, y)


def on_line(n: Vector3) -> tuple[Condition, ...]:
    """The first end stays on the line through the second, along n of its frame."""
    (a, first), (b, second) = triad(n)
    return Along(a, first), Along(b, second)
