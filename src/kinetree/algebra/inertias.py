"""Inertia tensors: about a point, in a frame, with the tensor sign of the products."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from kinetree.algebra.rotations import Rotation
from kinetree.algebra.vectors import Vector, vector

PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
INDEX = ((0, 3, 4), (3, 1, 5), (4, 5, 2))


class Inertia(Sequence[Any]):
    """A symmetric tensor: ``Inertia(xx, yy, zz, xy, xz, yz)`` [kg.m2].

    ``J @ w`` is the angular momentum, ``J + K`` that of two bodies about the same point.  An
    inertia stands wherever a body asks for its six elements.
    """

    __slots__ = ("elements",)

    def __init__(self, xx: Any, yy: Any, zz: Any, xy: Any = 0, xz: Any = 0, yz: Any = 0) -> None:
        self.elements: tuple[Any, ...] = (xx, yy, zz, xy, xz, yz)

    def __getitem__(self, k: Any) -> Any:
        return self.elements[k]

    def __len__(self) -> int:
        return 6

    def __repr__(self) -> str:
        return f"Inertia({', '.join(str(x) for x in self.elements)})"

    @property
    def rows(self) -> tuple[Vector, Vector, Vector]:
        """The nine elements, row by row."""
        x, y, z = (Vector(*(self.elements[k] for k in row)) for row in INDEX)
        return x, y, z

    def __add__(self, other: Inertia) -> Inertia:
        return Inertia(*(a + b for a, b in zip(self, other, strict=True)))

    def __sub__(self, other: Inertia) -> Inertia:
        return Inertia(*(a - b for a, b in zip(self, other, strict=True)))

    def __mul__(self, factor: Any) -> Inertia:
        return Inertia(*(factor * a for a in self))

    __rmul__ = __mul__

    def __matmul__(self, v: Sequence[Any]) -> Vector:
        return Vector(*(row.dot(v) for row in self.rows))

    def rotate(self, R: Rotation) -> Inertia:
        """R J Rᵀ: the components that R brings from this frame into another."""
        half = Rotation(R.rows) @ Rotation(self.rows)
        return Inertia(*(half.rows[i].dot(R.rows[j]) for i, j in PAIRS))

    def shift(self, mass: Any, offset: Iterable[Any]) -> Inertia:
        """The inertia of a body about a point, from that about its centre of mass (Steiner).

        Args:
            mass: of the body [kg].
            offset: from the centre of mass to the point, or back, in this frame [m].
        """
        return self + point_mass(mass, offset)


def point_mass(mass: Any, offset: Iterable[Any]) -> Inertia:
    """The inertia of a mass at a distance: m (r² 1 - r rᵀ)."""
    r = vector(offset)
    xx, yy, zz = (mass * a * a for a in r)
    return Inertia(
        yy + zz, xx + zz, xx + yy, -mass * r.x * r.y, -mass * r.x * r.z, -mass * r.y * r.z
    )
