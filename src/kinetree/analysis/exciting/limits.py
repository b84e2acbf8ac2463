"""What a motion may not do: leave ranges, go too fast, take too much effort, come too near.

All limits of one kind and coordinate over time are one smooth number that is at least as large as
the largest of them,

    KS(g) = max g + log(Σ exp(ρ (g - max g)))/ρ  ≥  max g        g ≤ 0 where a limit is held

with every g as a part of its range, so a motion with KS ≤ 0 holds all of them at the times looked
at (Kreisselmeier1979).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.arguments import is_finite, is_number, is_row, show
from kinetree.arrays import Array
from kinetree.errors import KinetreeError, ModelError, ShapeError, unknown

if TYPE_CHECKING:
    from kinetree.model import Mechanism

KINDS = ("position", "speed", "acceleration", "effort")
SHARPNESS = 200.0
"""ρ."""


@dataclass(frozen=True)
class Bounds:
    """Lowest and highest values of one quantity of every coordinate that moves.

    Attributes:
        kind: of the quantity.
        names: of the coordinates.
        low: lowest; -∞ where there is none.
        high: highest; ∞ where there is none.
    """

    kind: str
    names: tuple[str, ...]
    low: Array
    high: Array

    @property
    def size(self) -> Array:
        """Half the range of each, by which overruns are measured; 1 where it is not bounded."""
        half = 0.5 * (self.high - self.low)
        one_sided = np.maximum(np.abs(np.where(np.isfinite(self.low), self.low, self.high)), 1.0)
        half = np.where(np.isfinite(half), half, one_sided)
        return np.where(np.isfinite(half) & (half > 0), half, 1.0)

    def overruns(self, values: Array) -> Array:
        """By how much limits are passed, as a part of their range: (time, name) each side."""
        sides = np.stack([self.low - values, values - self.high], axis=1)
        return np.asarray(sides / self.size)


@dataclass(frozen=True)
class Plane:
    """A point must stay on the positive side of a plane: n·r ≥ d.

    Attributes:
        point: path of the point.
        normal: n, in the world frame.
        distance: d, of the plane from the origin along n [m].
    """

    point: str
    normal: Array
    distance: float


def soft_largest(g: Array, margin: float) -> tuple[Array, Array]:
    """KS of g + margin over its first axes, one per last; its slopes by g."""
    flat = g.reshape(-1, g.shape[-1])
    top = flat.max(axis=0)
    finite = np.where(np.isfinite(top), top, 0.0)
    weights = np.exp(SHARPNESS * (flat - finite))
    total = np.maximum(weights.sum(axis=0), 1e-300)
    return finite + np.log(total) / SHARPNESS + margin, (weights / total).reshape(g.shape)


def read_bounds(
    kind: str, given: Any, names: Sequence[str], known: Sequence[tuple[float, float]]
) -> Bounds:
    """Bounds that a user gives, in place of those that the model knows.

    Args:
        kind: of the quantity.
        given: one number for all, or by name a number or (lowest, highest); none.
        names: of the coordinates that move.
        known: bounds of the model.
    """
    rows = dict(zip(names, known, strict=True))
    if given is not None and not isinstance(given, Mapping):
        given = dict.fromkeys(names, given)
    for name, value in (given or {}).items():
        if name not in names:
            raise unknown("coordinate that moves", str(name), names, kind)
        rows[name] = _pair(kind, name, value)
    low, high = np.array(list(rows.values())).reshape(-1, 2).T
    return Bounds(kind, tuple(names), low, high)


def _pair(kind: str, name: str, value: Any) -> tuple[float, float]:
    """(lowest, highest); one number b stands for -b … b."""
    if is_number(value) and value > 0:
        return -float(value), float(value)
    good = np.shape(value) == (2,) and all(is_number(x) for x in value)
    if good and value[0] < value[1] and (kind == "position" or value[0] <= 0 <= value[1]):
        return float(value[0]), float(value[1])
    raise ModelError(
        f"it is {show(value)}",
        element=f"{kind} of '{name}'",
        cure="give a positive number, or (lowest, highest) in this order"
        + ("" if kind == "position" else " with 0 between them"),
    )


def read_planes(model: Mechanism, given: Mapping[str, Any] | None) -> list[Plane]:
    """Planes by point: (normal, distance), or a list of those."""
    found = []
    for name, value in (given or {}).items():
        path = _path(model, name)
        for pair in [value] if _is_plane(value) else value if isinstance(value, list) else [value]:
            if not _is_plane(pair):
                raise ShapeError(
                    f"{show(pair)} is not a valid plane",
                    element=f"clearance of '{name}'",
                    cure="give (normal, distance), such as ((0, 0, 1), 0.1), or a list of those",
                )
            n = np.asarray(pair[0], dtype=float)
            length = float(np.linalg.norm(n))
            found.append(Plane(path, n / length, float(pair[1]) / length))
    return found


def _path(model: Mechanism, name: str) -> str:
    try:
        return str(model.point(name).path)
    except KinetreeError as error:
        raise ModelError(error.problem, element=f"clearance of '{name}'", cure=error.cure) from None


def _is_plane(value: Any) -> bool:
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != 2:
        return False
    normal, distance = value
    return is_row(normal) and np.shape(normal) == (3,) and any(normal) and is_finite(distance)
