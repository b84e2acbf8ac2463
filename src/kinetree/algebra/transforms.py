"""Homogeneous matrices: the situation of one frame in another.

    rotx(q1) @ disp(0, -l, 0) @ rotz(q2)

reads from left to right as a walk: turn, step, turn again, each in the frame reached so far.

Refs: Verlinden2005 sec. II, eqs. 1 and 2
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, overload

from kinetree.algebra.rotations import Factor, Rotation
from kinetree.algebra.vectors import Vector, vector

TransformStep = Vector | Factor
"""A displacement or a rotation."""


class Transform:
    """T = [[R, p], [0, 1]]: a frame at p, turned by R, both seen from another frame.

    ``T @ S`` composes; ``T @ v`` is the place of a point given by v in the frame of T; for the
    components of a free vector write ``T.R @ v``.

    Attributes:
        R: rotation from components in the frame to those outside.
        p: its origin, outside components.
        steps: displacements and rotations whose product it is, from left to right; velocities are
            read off them.
    """

    __slots__ = ("R", "p", "steps")

    def __init__(
        self,
        R: Rotation | None = None,
        p: Iterable[Any] = (0, 0, 0),
        steps: tuple[TransformStep, ...] | None = None,
    ) -> None:
        self.R = Rotation.identity() if R is None else R
        self.p = vector(p)
        if steps is None:
            moved = any(not isinstance(x, int | float) or x != 0 for x in self.p)
            steps = (self.p, *self.R.factors) if moved else self.R.factors
        self.steps = steps

    def __repr__(self) -> str:
        return f"Transform({self.R}, {self.p})"

    @overload
    def __matmul__(self, other: Transform) -> Transform: ...
    @overload
    def __matmul__(self, other: Sequence[Any]) -> Vector: ...
    def __matmul__(self, other: Any) -> Any:
        if isinstance(other, Transform):
            return Transform(self.R @ other.R, self @ other.p, self.steps + other.steps)
        if isinstance(other, Sequence):
            return self.p + self.R @ other
        return NotImplemented

    @property
    def inverse(self) -> Transform:
        """The situation of the other frame in this one."""
        back = self.R.T
        steps = tuple(
            step.back() if isinstance(step, Factor) else -step for step in reversed(self.steps)
        )
        return Transform(back, -(back @ self.p), steps)

    @property
    def rows(self) -> tuple[tuple[Any, ...], ...]:
        """The sixteen elements, row by row."""
        upper = [(*row, x) for row, x in zip(self.R.rows, self.p, strict=True)]
        return (*upper, (0, 0, 0, 1))


def disp(x: Any = 0, y: Any = 0, z: Any = 0) -> Transform:
    """A displacement [m] along the axes reached so far."""
    return Transform(None, (x, y, z))


def rot(axis: str | Iterable[Any], angle: Any) -> Transform:
    """A rotation by an angle [rad] about an axis: a letter or a direction of any length."""
    return Transform(Rotation.about(axis, angle))


def rotx(angle: Any) -> Transform:
    """A rotation [rad] about x."""
    return rot("x", angle)


def roty(angle: Any) -> Transform:
    """A rotation [rad] about y."""
    return rot("y", angle)


def rotz(angle: Any) -> Transform:
    """A rotation [rad] about z."""
    return rot("z", angle)


def rotq(w: Any, x: Any, y: Any, z: Any) -> Transform:
    """The rotation of a unit quaternion."""
    return Transform(Rotation.quaternion(w, x, y, z))
