"""The continuous adjoint method: for runs whose steps are not gone back over one by one.

Of a run by SUNDIALS or SciPy the dense output y(t) is known.  With λ = dV/dy and σ = T - t

    dλ/dσ = (∂f/∂y)ᵀ λ,      p̄ = ∫ (∂f/∂p)ᵀ λ dσ                                       Eq. (S14)

is linear in λ.  Over every step of the run it is solved by the collocation at Radau's points, which
is stable however stiff the run is, at the states that the dense output has there:

    Λᵢ = λ + h Σⱼ aᵢⱼ (∂f/∂y)ⱼᵀ Λⱼ,   λ ← Λₛ,   p̄ ← p̄ + h Σ bᵢ (∂f/∂p)ᵢᵀ Λᵢ            Eq. (S15)

Samples between steps divide these.  Results agree with those of the steps up to the tolerance.

Refs: Kurz2008 sec. 3; Hairer1996 sec. IV.5
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from kinetree.analysis.sensitivities.demands import (
    Demand,
    change_bars,
    growth_back,
    refusal,
    refuse_ending,
    refuse_jumps,
    time_of_comparison,
)
from kinetree.analysis.sensitivities.direct import run_tangents
from kinetree.analysis.sensitivities.reverse import Reverse
from kinetree.analysis.sensitivities.start import pull_start
from kinetree.arrays import Array

if TYPE_CHECKING:
    from kinetree.analysis.sensitivities.direct import TangentRun
    from kinetree.analysis.sensitivities.passages import Passages
    from kinetree.analysis.sensitivities.tangent import Tangent
    from kinetree.analysis.sensitivities.task import Task

STAGES = 6
"""Points of collocation per step: order 11."""
AT_ONCE = 2000
"""States at which slopes are computed together."""


@dataclass(frozen=True, eq=False)
class DenseLeg:
    """Steps one after the other in one set of coordinates.

    Attributes:
        reverse: of the dynamics.
        t: ends of the steps, the first time included [s].
        nodes: times of the points, step × stage [s]; the last of each is its beginning.
        Y: states there: step × stage × component.
        last: states at the ends of the steps: step × component.
    """

    reverse: Reverse
    t: Array
    nodes: Array
    Y: Array
    last: Array


class ContinuousBackward:
    """A run by its dense output, to be gone backwards.

    Attributes:
        facts: number of steps of the run.
        growth: of small changes, as bars tell it.
    """

    kind = "continuous"

    def __init__(self, task: Task, times: Array, run: TangentRun, passages: Passages) -> None:
        del run, passages  # its rows are not those of the steps, and nothing may change on its way
        self.task, self.ends, self.growth = task, times[[0, -1]], 1.0
        made = run_tangents(task, (), self.ends, every_step=True, jump=refuse_jumps)
        refuse_ending(made)
        self.grid = np.unique(np.append(made.t, task.t0))
        self.facts = {"steps": len(self.grid) - 1}

    def gradients(self, demands: Sequence[Demand]) -> Array:
        """The derivatives of measures by every variable but the duration, one row each."""
        if any(row.instants for row in demands):
            raise refusal("event", "it is measured when it happens")
        samples = [t for row in demands for t in row.weights]
        grid = np.unique(np.clip([*self.grid, *samples], self.ends[0], self.ends[1]))
        stretches = self._stretches(grid)
        last, first = stretches[-1].reverse, stretches[0].reverse
        lam = np.zeros((len(demands), last.made.width))
        sums = np.zeros((len(demands), last.count))
        for row, bars in zip(demands, lam, strict=True):
            bars[last.made.size :] = row.z
        marks = [time_of_comparison(row, *map(float, self.ends)) for row in demands]
        late = np.zeros_like(lam)
        tell = self.task.share.over(float(self.ends[1]), float(self.ends[0]))
        for k, part in reversed(list(enumerate(stretches))):
            lam = _back(part, demands, (lam, late, np.array(marks)), sums, tell)
            if k:
                before = stretches[k - 1].reverse
                place = float(part.t[0]), part.Y[0, -1]
                for bars, own in zip(lam, sums, strict=True):
                    bars[:] = change_bars(before, part.reverse, place, bars, own)
        task = self.task
        _look(first, (task.t0, stretches[0].Y[0, -1]), demands, (lam, sums))
        n = first.made.size
        pairs = zip(lam[:, :n], late[:, :n], strict=True)
        self.growth = max([1.0, *(growth_back(*pair) for pair in pairs)])
        begun = task.start, task.t0, task.given
        moved = task.start_slopes(task.directions)
        start = [pull_start(first, *begun, bars, moved) for bars in lam]
        return np.array([first.of_variables(row) for row in sums]) + np.array(start)

    def _stretches(self, grid: Array) -> list[DenseLeg]:
        """The run at all points of collocation."""
        c, _, _ = radau()
        nodes = grid[1:, None] - c * np.diff(grid)[:, None]
        nodes[:, -1] = grid[:-1]
        times = np.unique(np.append(nodes, grid))
        run = run_tangents(self.task, (), times, jump=refuse_jumps)
        made = [part.made for part in run.looks.parts for _ in part.t]
        Y = np.concatenate([part.Y for part in run.looks.parts])
        ends = np.searchsorted(run.t, grid[1:])
        found: list[DenseLeg] = []
        first = 0
        for k in range(1, len(ends) + 1):
            if k == len(ends) or made[ends[k]] is not made[ends[first]]:
                part = nodes[first:k]
                states = Y[np.searchsorted(run.t, part.ravel())].reshape(*part.shape, -1)
                reverse = self._reverse(made[ends[first]], [row.reverse for row in found])
                found.append(DenseLeg(reverse, grid[first : k + 1], part, states, Y[ends[first:k]]))
                first = k
        return found

    def _reverse(self, made: Tangent, known: Sequence[Reverse]) -> Reverse:
        """The reverse of dynamics, the same for the same ones."""
        same = next((row for row in known if row.made is made), None)
        key = self.task.expressions.key
        return same or Reverse(made, self.task.directions, key)


def _back(
    part: DenseLeg,
    demands: Sequence[Demand],
    bars: tuple[Array, Array, Array],
    sums: Array,
    tell: Callable[[float], None] | None,
) -> Array:
    """Bars at the beginning of a stretch, Eq. (S15).

    Args:
        part: the stretch.
        demands: one per measure.
        bars: at its end; those that are noted, and the times down to which they are [s].
        sums: bars of what varies; grow.
        tell: is told the time down to which it has come [s].
    """
    lam, late, marks = bars
    _, A, b = radau()
    count, n = len(part.nodes), part.reverse.made.width
    stages = np.zeros((len(lam), count, STAGES, n))
    block = max(1, AT_ONCE // (STAGES * n))
    for first in reversed(range(0, count, block)):
        J = _slopes(part, slice(first, first + block))
        for k in reversed(range(first, min(first + block, count))):
            _look(part.reverse, (float(part.t[k + 1]), part.last[k]), demands, (lam, sums))
            h = part.t[k + 1] - part.t[k]
            whole = np.eye(STAGES * n) - h * np.einsum("ij,jrc->icjr", A, J[k - first]).reshape(
                STAGES * n, STAGES * n
            )
            found = np.linalg.solve(whole, np.tile(lam, STAGES).T).T
            stages[:, k] = h * b[:, None] * found.reshape(len(lam), STAGES, n)
            lam = found[:, -n:].copy()
            noted = part.t[k] >= marks
            late[noted] = lam[noted]
        if tell is not None:
            tell(float(part.t[first]))
    t, Y = part.nodes.ravel(), part.Y.reshape(-1, n)
    for own, added in zip(stages, sums, strict=True):
        _, more = part.reverse.call_many(part.reverse.of_rates, t, Y, own.reshape(-1, n))
        added[:] += more.sum(0)
    return lam


def _slopes(part: DenseLeg, steps: slice) -> Array:
    """∂f/∂y at the points of some steps: step × stage × row × column."""
    t, Y = part.nodes[steps].ravel(), part.Y[steps]
    n = Y.shape[-1]
    units = np.tile(np.eye(n), (len(t), 1))
    reverse = part.reverse
    rows, _ = reverse.call_many(
        reverse.of_rates, np.repeat(t, n), np.repeat(Y.reshape(-1, n), n, axis=0), units
    )
    return rows.reshape(*Y.shape[:2], n, n)


def _look(
    reverse: Reverse, place: tuple[float, Array], demands: Sequence[Demand],
    bars: tuple[Array, Array],
) -> None:  # fmt: skip
    """Take up what measures see at a time and a state."""
    t, Y = place
    for row, lam, sums in zip(demands, *bars, strict=True):
        if t in row.weights:
            found = reverse.call(reverse.of_looks, t, Y, row.unit * row.weights[t])
            lam[:] += found.y
            sums[:] += found.p


@cache
def radau() -> tuple[Array, Array, Array]:
    """Points c, weights A of the stages and b of the end of Radau's method, Hairer1996 IV.5."""
    from scipy.special import roots_jacobi

    inside = roots_jacobi(STAGES - 1, 1.0, 0.0)[0]
    c: Array = np.append(0.5 * (1 + np.sort(inside)), 1.0)
    powers = np.arange(1.0, STAGES + 1)
    # Σⱼ aᵢⱼ cⱼ^(k-1) = cᵢ^k / k
    table = c[:, None] ** powers
    A: Array = np.linalg.solve((table / c[:, None]).T, (table / powers).T).T.astype(float)
    return c, A, A[-1]
