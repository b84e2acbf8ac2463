"""Evolution strategy with adaptation of the covariance matrix: for rough functions, by ranks alone.

A population is drawn about a mean, x = m + σ B D z; the better half, weighted, moves the mean, and
the ways that it went widen the distribution along them.  Only the order of the trials counts, so
constraints are an order, too: what breaks them less is better, then what is smaller.

Refs: Hansen2016
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, sqrt

import numpy as np

from kinetree.arrays import Array

Judgement = tuple[float, float]
"""By how much constraints are missed, and the value."""
BROAD = 0.25
"""First standard deviation, as a part of the box."""


@dataclass(frozen=True)
class CmaEnd:
    """The best point, its judgement, and whether the distribution has shrunk to it."""

    x: Array
    judged: Judgement
    converged: bool


class _Weights:
    """How much is learned from whom, for n variables; names as in Hansen2016, table 1."""

    def __init__(self, n: int) -> None:
        self.size = 4 + int(3 * np.log(n))
        raw = np.log((self.size + 1) / 2) - np.log(np.arange(1, self.size // 2 + 1))
        self.weights = raw / raw.sum()
        mu = float(1 / (self.weights**2).sum())
        self.mu = mu
        self.cc = (4 + mu / n) / (n + 4 + 2 * mu / n)
        self.cs = (mu + 2) / (n + mu + 5)
        self.c1 = 2 / ((n + 1.3) ** 2 + mu)
        self.cmu = min(1 - self.c1, 2 * (mu - 2 + 1 / mu) / ((n + 2) ** 2 + mu))
        self.damping = 1 + 2 * max(0.0, sqrt((mu - 1) / (n + 1)) - 1) + self.cs
        self.expected = sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n))


class _Distribution:
    """Mean, step, covariance C = B D² Bᵀ and the paths of both."""

    def __init__(self, mean: Array) -> None:
        n = len(mean)
        self.mean, self.sigma, self.rule = mean, BROAD, _Weights(n)
        self.C, self.B, self.D = np.eye(n), np.eye(n), np.ones(n)
        self.pc, self.ps = np.zeros(n), np.zeros(n)
        self.made = 0

    def draw(self, random: np.random.Generator) -> Array:
        """A population inside the unit box, one row each; what falls outside is mirrored."""
        values, self.B = np.linalg.eigh(self.C)
        self.D = np.sqrt(np.maximum(values, 1e-30))
        z = random.standard_normal((self.rule.size, len(self.mean)))
        x = np.abs(self.mean + self.sigma * (z * self.D) @ self.B.T) % 2.0
        mirrored: Array = np.where(x > 1.0, 2.0 - x, x)
        return mirrored

    def update(self, best: Array) -> None:
        """Learn from the better half, best first."""
        r, steps = self.rule, (best - self.mean) / self.sigma
        way = r.weights @ steps
        self.made += 1
        self.mean = self.mean + self.sigma * way
        white = self.B @ ((self.B.T @ way) / self.D)
        self.ps = (1 - r.cs) * self.ps + sqrt(r.cs * (2 - r.cs) * r.mu) * white
        length = float(np.linalg.norm(self.ps))
        slow = (
            length / sqrt(1 - (1 - r.cs) ** (2 * self.made))
            < (1.4 + 2 / (len(way) + 1)) * r.expected
        )
        self.pc = (1 - r.cc) * self.pc + slow * sqrt(r.cc * (2 - r.cc) * r.mu) * way
        loss = r.c1 * (1 - slow) * r.cc * (2 - r.cc)
        C = (1 - r.c1 - r.cmu + loss) * self.C + r.c1 * np.outer(self.pc, self.pc)
        C = C + r.cmu * (steps.T * r.weights) @ steps
        self.C = 0.5 * (C + C.T)
        self.sigma *= exp((r.cs / r.damping) * (length / r.expected - 1))

    @property
    def width(self) -> float:
        """Largest standard deviation."""
        return float(self.sigma * np.sqrt(np.diag(self.C).max()))


def minimise_cma(
    judge: Callable[[Array], Judgement], start: Array, tolerance: float, most: int, seed: int
) -> CmaEnd:
    """The best point of the unit box that was found.

    Args:
        judge: x -> by how much constraints are missed, and the value.
        start: x to begin with.
        tolerance: width of the distribution at which it has converged.
        most: evaluations.
        seed: of what is drawn.
    """
    random, found = np.random.default_rng(seed), _Distribution(np.array(start, dtype=float))
    best, best_x, spent = judge(found.mean), found.mean, 1
    while spent + found.rule.size <= most and found.width > tolerance:
        x = found.draw(random)
        judged = [judge(row) for row in x]
        spent += len(x)
        order = sorted(range(len(x)), key=lambda k: judged[k])
        if judged[order[0]] < best:
            best, best_x = judged[order[0]], x[order[0]]
        found.update(x[order[: len(found.rule.weights)]])
    return CmaEnd(best_x, best, found.width <= tolerance)
