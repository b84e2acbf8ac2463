"""Vectors of three components, numbers or expressions alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, overload

from kinetree import functions
from kinetree.errors import ShapeError


class Vector(Sequence[Any]):
    """Three components in some frame: ``Vector(x, y, z)``.

    Vectors add, subtract, stretch by ``s * v`` and ``v / s``; ``a @ b`` is the scalar product and
    ``a.cross(b)`` the vector product.  A vector stands wherever three values are asked for.
    """

    __slots__ = ("x", "y", "z")
    __array_priority__ = 100  # a NumPy number times a vector is a vector

    def __init__(self, x: Any, y: Any, z: Any) -> None:
        self.x, self.y, self.z = x, y, z

    def __iter__(self) -> Iterator[Any]:
        return iter((self.x, self.y, self.z))

    def __len__(self) -> int:
        return 3

    @overload
    def __getitem__(self, k: int) -> Any: ...
    @overload
    def __getitem__(self, k: slice) -> Sequence[Any]: ...
    def __getitem__(self, k: int | slice) -> Any:
        return (self.x, self.y, self.z)[k]

    def __repr__(self) -> str:
        return f"Vector({self.x}, {self.y}, {self.z})"

    def __add__(self, other: Iterable[Any]) -> Vector:
        x, y, z = vector(other)
        return Vector(self.x + x, self.y + y, self.z + z)

    __radd__ = __add__

    def __sub__(self, other: Iterable[Any]) -> Vector:
        x, y, z = vector(other)
        return Vector(self.x - x, self.y - y, self.z - z)

    def __rsub__(self, other: Iterable[Any]) -> Vector:
        return vector(other) - self

    def __neg__(self) -> Vector:
        return Vector(-self.x, -self.y, -self.z)

    def __mul__(self, factor: Any) -> Vector:
        return Vector(self.x * factor, self.y * factor, self.z * factor)

    __rmul__ = __mul__

    def __truediv__(self, divisor: Any) -> Vector:
        return Vector(self.x / divisor, self.y / divisor, self.z / divisor)

    def __matmul__(self, other: Any) -> Any:
        return self.dot(other) if isinstance(other, Vector) else NotImplemented

    def dot(self, other: Iterable[Any]) -> Any:
        """Scalar product."""
        x, y, z = vector(other)
        return self.x * x + self.y * y + self.z * z

    def cross(self, other: Iterable[Any]) -> Vector:
        """Vector product self × other, right-handed."""
        x, y, z = vector(other)
        return Vector(self.y * z - self.z * y, self.z * x - self.x * z, self.x * y - self.y * x)

    @property
    def norm(self) -> Any:
        """Length."""
        return functions.sqrt(self.dot(self))

    @property
    def unit(self) -> Vector:
        """The same direction with length 1."""
        length = self.norm
        return Vector(self.x / length, self.y / length, self.z / length)


def vector(values: Iterable[Any]) -> Vector:
    """Three values as a Vector."""
    if isinstance(values, Vector):
        return values
    items = list(values)
    if len(items) != 3:
        raise ShapeError(f"has {len(items)} components", element="vector", cure="give three")
    return Vector(*items)


def dot(a: Iterable[Any], b: Iterable[Any]) -> Any:
    """Scalar product of two vectors."""
    return vector(a).dot(b)


def cross(a: Iterable[Any], b: Iterable[Any]) -> Vector:
    """Vector product a × b."""
    return vector(a).cross(b)
