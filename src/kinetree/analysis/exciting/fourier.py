"""Fourier series as motions: q, qd, qdd at given times are linear in their coefficients.

    q(t) = c₀ + Σ_k a_k sin(k ω t) + b_k cos(k ω t)        ω = 2π/T        k = 1 … H

Refs: Swevers1997
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kinetree.arrays import Array


@dataclass(frozen=True)
class Fourier:
    """Series of one period T for several coordinates.

    Attributes:
        duration: T [s].
        harmonics: H.
        rest: whether velocity and acceleration are zero at both ends.
    """

    duration: float
    harmonics: int
    rest: bool

    def tables(self, time: Array) -> tuple[Array, Array, Array]:
        """q, qd, qdd of every free number at times [s]: time × free number each."""
        k = 2 * np.pi / self.duration * np.arange(1, self.harmonics + 1)
        s, c = np.sin(np.outer(time, k)), np.cos(np.outer(time, k))
        one = np.ones((len(time), 1))
        rows = (
            np.hstack([one, s, c]),
            np.hstack([0 * one, k * c, -k * s]),
            np.hstack([0 * one, -(k**2) * s, -(k**2) * c]),
        )
        q, qd, qdd = (table @ self.free for table in rows)
        return q, qd, qdd

    @cached_property
    def free(self) -> Array:
        """Coefficients (c₀, a, b) = free · z: those that begin and end at rest; z₀ is c₀.

        At t = 0 and T, qd = ω Σ k a_k and qdd = -ω² Σ k² b_k.
        """
        H = self.harmonics
        made = np.eye(1 + 2 * H)
        if not self.rest:
            return made
        k = np.arange(1.0, H + 1)
        bound = np.array([[*k, *np.zeros(H)], [*np.zeros(H), *k**2]])
        made = np.zeros((1 + 2 * H, 2 * H - 1))
        made[0, 0] = 1.0
        made[1:, 1:] = np.linalg.svd(bound)[2][2:].T  # directions that change neither
        return made

    @property
    def size(self) -> int:
        """Free numbers of one coordinate."""
        return int(self.free.shape[1])
