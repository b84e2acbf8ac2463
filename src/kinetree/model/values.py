"""Numbers, vectors and rotations as the user gives them, checked and brought to one form.

A scalar of a model is a number or a Node (an expression of named parameters). Directions and
rotations are numbers: entries within 1e-15 of 0, 1 or -1 become those integers, so that the
equations lose the terms they multiply.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from kinetree.engine import Node, compounds, text
from kinetree.engine.ops import MARKS
from kinetree.engine.scalars import Number
from kinetree.errors import ModelError
from kinetree.tables import Table
from kinetree.units import quantity, to_si

Scalar = Number | Node
Vector3 = tuple[float, float, float]
Scalar3 = tuple[Scalar, Scalar, Scalar]
Matrix3 = tuple[Vector3, Vector3, Vector3]

IDENTITY: Matrix3 = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
LETTER_AXES: dict[str, Vector3] = {
    "x": (1, 0, 0),
    "y": (0, 1, 0),
    "z": (0, 0, 1),
    "-x": (-1, 0, 0),
    "-y": (0, -1, 0),
    "-z": (0, 0, -1),
}
LARGEST_DOUBLE = sys.float_info.max
SNAP = 1e-15
ORTHOGONAL = 1e-6
LOOP_TOLERANCE = 1e-11
"""Gap of a closed loop where data are exact: rounding of the arithmetic [m, m2 or 1]."""


def scalar(value: Any, element: str) -> Scalar:
    """`value` as a finite number or a Node; refused with its place otherwise."""
    if isinstance(value, Node):
        for node in compounds((value,)):
            if node.op in MARKS:
                raise ModelError(
                    f"'{node.op.name}' says what happens in a run",
                    element=element,
                    cure="use it in laws alone",
                )
        return value.value if value.is_number else value
    return number(value, element)


def number(value: Any, element: str) -> Number:
    """`value` as a finite int, Fraction or float; NumPy scalars become Python numbers."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
        raise ModelError(
            f"{value!r} is not a number",
            element=element,
            cure="give a number or an expression of the model's parameters",
        )
    if not -LARGEST_DOUBLE <= value <= LARGEST_DOUBLE:
        said = value if isinstance(value, float) else "beyond the range of doubles"
        raise ModelError(f"the value is {said}", element=element, cure="give a finite number")
    return value


def scalars(values: Any, element: str, counts: tuple[int, ...]) -> tuple[Scalar, ...]:
    """`values` as a tuple of scalars whose length is one of `counts`."""
    items = _items(values, element, counts)
    return tuple(scalar(item, f"{element}[{i}]") for i, item in enumerate(items))


def numbers(values: Any, element: str, counts: tuple[int, ...]) -> tuple[Number, ...]:
    """`values` as a tuple of numbers whose length is one of `counts`."""
    items = _items(values, element, counts)
    return tuple(number(item, f"{element}[{i}]") for i, item in enumerate(items))


def _items(values: Any, element: str, counts: tuple[int, ...]) -> list[Any]:
    """The entries of a sequence, with its length checked."""
    wanted = " or ".join(str(count) for count in counts)
    if isinstance(values, str | Node) or not isinstance(values, Sequence | np.ndarray):
        raise ModelError(f"{values!r} is not a list", element=element, cure=f"give {wanted} values")
    items = list(values)
    if len(items) not in counts:
        raise ModelError(f"has {len(items)} values", element=element, cure=f"give {wanted} values")
    return items


def loop_gap(value: Any, element: str) -> float:
    """`value` as the largest gap of a loop that counts as closed [m, m2 or 1]."""
    found = float(number(value, element))
    if not LOOP_TOLERANCE <= found < 1e-2:
        raise ModelError(
            f"{found:g} cannot be the gap of a closed loop",
            element=element,
            cure=f"give a value from {LOOP_TOLERANCE:g}, the default, to below 0.01",
        )
    return found


def frozen(value: Any) -> Any:
    """Lists and arrays as tuples of Python values, in mappings too; everything else as it is."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {key: frozen(entry) for key, entry in value.items()}
    return tuple(frozen(entry) for entry in value) if isinstance(value, list | tuple) else value


def snap(value: float) -> float:
    """`value`, or the integer 0, 1 or -1 when it is within 1e-15 of it."""
    for exact in (0, 1, -1):
        if abs(value - exact) <= SNAP:
            return exact
    return float(value)


def direction(axis: Any, element: str) -> Vector3:
    """A unit vector from a letter (``"x"``, ``"-z"``) or from three numbers of any length."""
    if isinstance(axis, str):
        if axis not in LETTER_AXES:
            raise ModelError(
                f"'{axis}' is not a valid axis",
                element=element,
                cure="use 'x', 'y', 'z', one of them with a minus, or a vector of three numbers",
            )
        return LETTER_AXES[axis]
    x, y, z = (float(entry) for entry in numbers(axis, element, (3,)))
    largest = max(abs(x), abs(y), abs(z))
    if largest == 0:
        raise ModelError(
            "the axis has zero length",
            element=element,
            cure="give a direction such as 'z' or (0, 0, 1)",
        )
    x, y, z = x / largest, y / largest, z / largest  # so that no square over- or underflows
    length = math.sqrt(x * x + y * y + z * z)
    return (snap(x / length), snap(y / length), snap(z / length))


def across(n: Vector3) -> tuple[Vector3, Vector3]:
    """Two directions that make a right-handed orthonormal triad (first, second, n).

    The first is the cross product of the axis least aligned with n and n itself.
    """
    least = min(range(3), key=lambda i: abs(n[i]))
    first = direction(_cross((least == 0, least == 1, least == 2), n), "normal")
    return first, direction(_cross(n, first), "normal")


def _cross(a: Vector3, b: Vector3) -> Vector3:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def directions(axes: Any, element: str, count: int) -> list[Vector3]:
    """Several unit vectors, each as for `direction`."""
    found = _items(axes, element, (count,))
    return [direction(axis, f"{element}[{i}]") for i, axis in enumerate(found)]


def rotation(matrix: Any, element: str) -> Matrix3:
    """A 3×3 rotation matrix as rows, refused when it is not orthonormal and right-handed."""
    if matrix is None or matrix is IDENTITY:
        return IDENTITY
    rows = _items(matrix, element, (3,))
    R = np.array([[float(entry) for entry in numbers(row, element, (3,))] for row in rows])
    if np.abs(R @ R.T - np.eye(3)).max() > ORTHOGONAL or np.linalg.det(R) < 0:
        raise ModelError(
            "the matrix is not a rotation",
            element=element,
            cure="give three orthogonal unit columns of a right-handed frame",
        )
    return _matrix(R)


def _matrix(R: np.ndarray[Any, np.dtype[np.float64]]) -> Matrix3:
    """Rows of an array as snapped tuples."""
    a, b, c = (tuple(snap(float(entry)) for entry in row) for row in R)
    return ((a[0], a[1], a[2]), (b[0], b[1], b[2]), (c[0], c[1], c[2]))


def quarter_angle(angle: float, tolerance: float = 1e-10) -> tuple[float, float]:
    """(cosine, sine) of `angle` [rad], exact when it is within `tolerance` of a multiple of π/2."""
    turns = round(angle / (math.pi / 2))
    if abs(angle - turns * (math.pi / 2)) <= tolerance:
        return ((1, 0), (0, 1), (-1, 0), (0, -1))[turns % 4]
    return math.cos(angle), math.sin(angle)


def rotation_rpy(roll: float, pitch: float, yaw: float) -> Matrix3:
    """R = Rz(yaw) Ry(pitch) Rx(roll), angles [rad] about fixed axes.

    An angle within 1e-10 of a multiple of π/2 is taken as exactly that multiple, because files
    write π/2 in decimals.
    """
    if roll == pitch == yaw == 0:
        return IDENTITY
    cr, sr = quarter_angle(roll)
    cp, sp = quarter_angle(pitch)
    cy, sy = quarter_angle(yaw)
    return _matrix(
        np.array(
            [
                [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
                [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
                [-sp, cp * sr, cp * cr],
            ]
        )
    )


def plain(value: float) -> float:
    """A number as short as possible: integral floats become integers, minus zero zero."""
    return int(value) if float(value).is_integer() and abs(value) < 1e15 else value


class Speller:
    """Scalars as numbers or expression texts; the tables that these look up are noted."""

    def __init__(
        self, sources: Mapping[str, tuple[str, Scalar]], *, as_written: bool = False
    ) -> None:
        self.sources, self.as_written = sources, as_written
        self.tables: dict[str, Table] = {}

    def quantity(
        self, value: float, unit: str, written: tuple[float, str] | None
    ) -> tuple[float, str]:
        """A value with its unit: as it was written, where it still means the same; else in SI."""
        if self.as_written and written is not None and to_si(*written, "")[0] == value:
            return written
        return value, unit

    def start(self, name: str, value: float, unit: str) -> float | str:
        """A start value: the text that it had, where it still means the same; else in SI."""
        text = self.sources[name][0] if name in self.sources else ""
        return text if text and quantity(text, unit, name) == value else plain(value)

    def one(self, name: str, value: Scalar) -> float | str:
        """The scalar called `name` as data: the text that it had, where it still means that."""
        if isinstance(value, Node):
            rows = (node.op.lookup for node in compounds((value,)))
            self.tables |= {row.table.digest: row.table for row in rows if row is not None}
        written, meant = self.sources.get(name, ("", None))
        if meant is not None and _is_same(value, meant):
            return written
        if isinstance(value, Node):
            if not value.is_number:
                return text(value)
            value = value.value
        if isinstance(value, Fraction):
            return plain(value.numerator) if value.denominator == 1 else str(value)
        return plain(value)

    def all(
        self, stem: str, values: Iterable[Scalar], ends: Iterable[str] = "xyz"
    ) -> list[float | str]:
        """The scalars called stem_x, stem_y, … as data."""
        return [self.one(f"{stem}_{end}", v) for end, v in zip(ends, values, strict=True)]


def _is_same(value: Scalar, meant: Scalar) -> bool:
    """Whether a scalar is what its text meant when it was read."""
    if value is meant:
        return True
    a, b = (x.value if isinstance(x, Node) and x.is_number else x for x in (value, meant))
    if isinstance(a, Node) and isinstance(b, Node):
        return text(a) == text(b)
    return bool(a == b)
