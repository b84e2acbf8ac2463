"""Places of frames in others: numbers or expressions of parameters, turned by numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kinetree.arrays import Array
from kinetree.model import Scalar


@dataclass(frozen=True, eq=False)
class Placement:
    """A frame in another: position p there [m], rotation R from its components to theirs."""

    p: tuple[Scalar, ...] = (0, 0, 0)
    R: Array = field(default_factory=lambda: np.eye(3))

    def __matmul__(self, other: Placement) -> Placement:
        """The place of a frame in a third one: self is the second in it."""
        p = tuple(a + b for a, b in zip(self.p, _turn(self.R, other.p), strict=True))
        return Placement(p, _clean(self.R @ other.R))

    @property
    def inverse(self) -> Placement:
        """The other frame in this one."""
        return Placement(tuple(-x for x in _turn(self.R.T, self.p)), self.R.T)

    @property
    def is_identity(self) -> bool:
        """Whether both frames are one."""
        return self.is_parallel and not any(_is_some(x) for x in self.p)

    @property
    def is_parallel(self) -> bool:
        """Whether the frames are not turned."""
        return bool((np.eye(3) == self.R).all())


def _is_some(x: Any) -> bool:
    return not isinstance(x, int | float) or bool(x)


def _turn(R: Array, p: tuple[Scalar, ...]) -> list[Any]:
    """R p, without products with zeros and ones."""
    rows = []
    for row in R:
        terms = [x if c == 1 else -x if c == -1 else c * x
                 for c, x in zip(row.tolist(), p, strict=True) if c and _is_some(x)]  # fmt: skip
        rows.append(sum(terms[1:], terms[0]) if terms else 0)
    return rows


def _clean(R: Array) -> Array:
    """R without the rounding of quarter turns that follow each other."""
    near = np.round(R)
    return np.where(np.abs(R - near) < 1e-15, near, R)
