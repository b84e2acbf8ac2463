"""Rotation tensors: components in a turned frame -> components in the frame it was turned from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, overload

from kinetree import functions
from kinetree.algebra.vectors import Vector, vector
from kinetree.errors import ShapeError

AXES = {
    "x": Vector(1, 0, 0), "y": Vector(0, 1, 0), "z": Vector(0, 0, 1),
    "-x": Vector(-1, 0, 0), "-y": Vector(0, -1, 0), "-z": Vector(0, 0, -1),
}  # fmt: skip


RotationRows = tuple[Vector, Vector, Vector]


class Factor(NamedTuple):
    """One rotation of a product, as it was given.

    Attributes:
        axis: about which it turns, a unit vector; None where only the elements are known.
        angle: by which it turns [rad].
        rows: its elements.
    """

    axis: Vector | None
    angle: Any
    rows: RotationRows

    def back(self) -> Factor:
        """The inverse rotation."""
        angle = None if self.axis is None else -self.angle
        return Factor(self.axis, angle, _transpose(self.rows))


class Rotation:
    """A rotation tensor, three rows of three: ``R @ v`` turns components, ``R @ S`` composes.

    Column k is the k-th axis of the turned frame (`ux`, `uy`, `uz`), seen from the other one.

    Attributes:
        rows: the elements.
        factors: the rotations it is the product of, from left to right; angular velocities are
            read off them.
    """

    __slots__ = ("factors", "rows")

    def __init__(
        self, rows: Iterable[Iterable[Any]], factors: tuple[Factor, ...] | None = None
    ) -> None:
        found = tuple(vector(row) for row in rows)
        if len(found) != 3:
            raise ShapeError(f"has {len(found)} rows", element="rotation", cure="give three")
        self.rows: RotationRows = (found[0], found[1], found[2])
        self.factors = self._alone() if factors is None else factors

    def _alone(self) -> tuple[Factor, ...]:
        """The rotation as its only factor; none where it is the identity."""
        unit = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
        plain = all(isinstance(x, int | float) for row in self.rows for x in row)
        if plain and tuple(tuple(row) for row in self.rows) == unit:
            return ()
        return (Factor(None, None, self.rows),)

    def __repr__(self) -> str:
        return f"Rotation({[list(row) for row in self.rows]})"

    def __getitem__(self, at: tuple[int, int]) -> Any:
        return self.rows[at[0]][at[1]]

    @overload
    def __matmul__(self, other: Rotation) -> Rotation: ...
    @overload
    def __matmul__(self, other: Sequence[Any]) -> Vector: ...
    def __matmul__(self, other: Any) -> Any:
        if isinstance(other, Rotation):
            columns = other.T.rows
            rows = [[row.dot(column) for column in columns] for row in self.rows]
            return Rotation(rows, self.factors + other.factors)
        if isinstance(other, Sequence):
            return Vector(*(row.dot(other) for row in self.rows))
        return NotImplemented

    @property
    def T(self) -> Rotation:  # noqa: N802  the transposed, as NumPy calls it
        """The transposed tensor, which is the inverse rotation."""
        return Rotation(_transpose(self.rows), tuple(f.back() for f in reversed(self.factors)))

    @property
    def inverse(self) -> Rotation:
        """The inverse rotation."""
        return self.T

    @property
    def ux(self) -> Vector:
        """The x axis of the turned frame."""
        return Vector(*(row.x for row in self.rows))

    @property
    def uy(self) -> Vector:
        """The y axis of the turned frame."""
        return Vector(*(row.y for row in self.rows))

    @property
    def uz(self) -> Vector:
        """The z axis of the turned frame."""
        return Vector(*(row.z for row in self.rows))

    @classmethod
    def identity(cls) -> Rotation:
        """No rotation."""
        return cls(((1, 0, 0), (0, 1, 0), (0, 0, 1)))

    @classmethod
    def about(cls, axis: str | Iterable[Any], angle: Any) -> Rotation:
        """Rotation by an angle [rad] about an axis, right-handed (Rodrigues' formula).

        Args:
            axis: "x", "-z" and so on, or a direction of any length.
            angle: number or expression.
        """
        c, s = functions.cos(angle), functions.sin(angle)
        if isinstance(axis, str):
            rows = _about_letter(axis, c, s)
            return cls(rows, (Factor(AXES[axis], angle, rows),))
        n = vector(axis).unit
        turned = [[n[i] * n[j] * (1 - c) for j in range(3)] for i in range(3)]
        cross = ((0, -n.z, n.y), (n.z, 0, -n.x), (-n.y, n.x, 0))
        rows = cls(
            [turned[i][j] + (c if i == j else s * cross[i][j]) for j in range(3)] for i in range(3)
        ).rows
        return cls(rows, (Factor(n, angle, rows),))

    @classmethod
    def quaternion(cls, w: Any, x: Any, y: Any, z: Any) -> Rotation:
        """The rotation of the unit quaternion w + x i + y j + z k."""
        return cls(
            (
                (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
                (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
                (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
            )
        )


def _transpose(rows: RotationRows) -> RotationRows:
    x, y, z = (Vector(*column) for column in zip(*rows, strict=True))
    return x, y, z


def _about_letter(axis: str, c: Any, s: Any) -> RotationRows:
    """Rotation about an axis of the frame: a planar one."""
    if axis not in AXES:
        raise ShapeError(
            f"'{axis}' is not a valid axis",
            element="rotation",
            cure="give 'x', 'y', 'z' or a vector",
        )
    k = "xyz".index(axis[-1])
    i, j = (k + 1) % 3, (k + 2) % 3
    s = -s if axis[0] == "-" else s
    rows: list[list[Any]] = [[0, 0, 0], [0, 0, 0], [0, 0, 0]]
    rows[k][k], rows[i][i], rows[i][j], rows[j][i], rows[j][j] = 1, c, -s, s, c
    x, y, z = (Vector(*row) for row in rows)
    return x, y, z
