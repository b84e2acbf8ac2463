"""Speeds over which dry friction grows, found from the data.

Dry friction is c tanh(qd/s): its size c is among the parameters x, but s stands inside the column.
With the slopes of the columns by log s beside them,

    y - W(s) x = W δx + (∂W/∂log s · x) δlog s + e                                   (eq. 24)

is one more problem of least squares, whose steps are those of Gauss and Newton for x and s at once.
Its covariance is that of both, so what is not known of s makes deviations of c and of viscous
friction larger.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from kinetree.analysis.identifying.columns import ParameterColumns
from kinetree.analysis.identifying.equations import FitEquations
from kinetree.analysis.identifying.estimate import PASSES, Estimate, tell
from kinetree.analysis.identifying.filtering import RecordedPiece
from kinetree.analysis.identifying.gains import GainEstimate, GainRange, find_gains
from kinetree.analysis.identifying.least_squares import least_squares
from kinetree.arrays import Array
from kinetree.errors import warn

ROUNDS = 40
"""Most rounds of the method."""
SETTLED = 1e-12
"""Share of the sum of squares below which its fall is the end."""
RANGE = (1e-3, 1.0)
"""Speeds are looked for between these shares of the highest speed of the joint."""
LONGEST = 1.0
"""Longest step in log s."""
SAME = 1e-8
"""Change of log s at which speeds are found."""
FAR = 0.1
"""Change of log s from which a speed is another one."""
GAINED = 0.25
"""Share of the sum of squares that other speeds would take away, from which it is told."""


def speed_name(velocity: str) -> str:
    """How the speed over which dry friction grows is called."""
    return f"{velocity}.smooth"


@dataclass(frozen=True)
class SpeedEstimate:
    """Speeds, with the parameters that go with them.

    Attributes:
        rows: the equations at these speeds.
        values: speeds by name [rad/s or m/s].
        estimate: of the parameters; its covariance and what is untold have the speeds behind them.
        ranges: gains that a deviation does not tell, as of `GainEstimate`.
    """

    rows: FitEquations
    values: dict[str, float]
    estimate: Estimate
    ranges: Mapping[str, GainRange] = field(default_factory=dict)


def find_speeds(
    table: ParameterColumns, pieces: Sequence[RecordedPiece], rows: FitEquations
) -> SpeedEstimate:
    """Speeds and parameters at once; the columns keep these speeds.

    Args:
        table: columns of the model.
        pieces: of the recordings.
        rows: the equations, at the speeds that the columns have.
    """
    search = _Search(table, pieces, rows)
    search.go()
    table.speeds.update(zip(search.names, search.s.tolist(), strict=True))
    return SpeedEstimate(search.rows, search.values, search.estimate())


def find_gains_and_speeds(
    table: ParameterColumns,
    pieces: Sequence[RecordedPiece],
    rows: FitEquations,
    motors: Sequence[str],
) -> SpeedEstimate:
    """Gains of motors, speeds and parameters at once.

    Args:
        table: columns of the model.
        pieces: of the recordings.
        rows: the equations, with currents.
        motors: velocities whose gains are unknown.
    """
    nominal = table.regrouping @ table.nominal
    base = [table.names[k] for k in table.base[0]]
    search = _Search(table, pieces, rows)

    def find(rows: FitEquations, sigma: Array | None = None) -> GainEstimate:
        return find_gains(rows, nominal, motors, base, sigma)

    found = find(rows)
    for _ in range(PASSES):
        search.go_with_gains(found, find, motors, base)
        found = find(search.rows)
    first = np.append(nominal, 0 * search.s)
    more = find_gains(search.wide(found.estimate.x), first, motors, [*base, *search.values])
    table.speeds.update(zip(search.names, search.s.tolist(), strict=True))
    made, n = more.estimate, len(nominal)
    turn = np.concatenate([np.ones(n), search.s, np.ones(len(motors))])  # from log s to s
    estimate = replace(
        made, x=found.estimate.x, covariance=made.covariance * np.outer(turn, turn),
        untold=made.untold * turn, sizes=made.sizes / turn,
        facts={**made.facts, "speeds of dry friction": "found"},
    )  # fmt: skip
    values = {**search.values, **found.values}
    return SpeedEstimate(search.rows.at_gains(found.k), values, estimate, more.ranges)


def tell_other_speeds(
    table: ParameterColumns, pieces: Sequence[RecordedPiece], rows: FitEquations
) -> None:
    """Warn where other speeds would explain much of what is left."""
    search = _Search(table, pieces, rows)
    if not search.names:
        return
    step, fall = search.step(least_squares(rows, search.nominal))
    if fall < GAINED or np.abs(step).max() < FAR:
        return
    worst = search.names[int(np.abs(step).argmax())]
    warn(
        f"the dry friction of '{worst}' does not seem to grow over {table.smooth(worst):.3g} rad/s "
        f'or m/s, which explains {100 * fall:.0f} % of the squared residuals: smooth="unknown" has '
        "these speeds found"
    )


class _Search:
    """Rounds of the method.

    Attributes:
        names: velocities whose dry friction is unknown.
        s: speeds so far [rad/s or m/s].
    """

    def __init__(
        self, table: ParameterColumns, pieces: Sequence[RecordedPiece], rows: FitEquations
    ) -> None:
        self.table, self.pieces, self.rows = table, pieces, rows
        self.nominal = table.regrouping @ table.nominal
        base = [table.names[k] for k in table.base[0]]
        ends = {name.removesuffix(".coulomb"): k for k, name in enumerate(base)
                if name.endswith(".coulomb")}  # fmt: skip
        self.names, self.places = list(ends), list(ends.values())
        self.numbers = [table.model.velocities.index(name) for name in self.names]
        self.s = np.array([table.smooth(name) for name in self.names])
        most = [max(float(np.abs(p.qd[:, v]).max()) for p in pieces) for v in self.numbers]
        self.low, self.high = (np.maximum(share * np.array(most), 1e-9) for share in RANGE)

    @property
    def values(self) -> dict[str, float]:
        """Speeds by name."""
        return {speed_name(v): float(x) for v, x in zip(self.names, self.s, strict=True)}

    def rows_at(self, s: Array) -> FitEquations:
        """The equations at other speeds."""
        W = self.rows.W.copy()
        W[:, :, self.places] = self._columns(lambda v: np.tanh(v / s))
        return replace(self.rows, W=W)

    def _slopes(self, s: Array) -> Array:
        """Of the columns by log s: time × equation × joint."""
        return self._columns(lambda v: -(v / s) * (1 - np.tanh(v / s) ** 2))

    def _columns(self, function: Any) -> Array:
        """A function of the speeds of the joints, along their velocities, as the columns are."""
        parts = []
        for piece in self.pieces:
            wide = np.zeros((len(piece.qd), self.table.model.nv, len(self.names)))
            found = function(piece.qd[:, self.numbers])
            wide[:, self.numbers, range(len(self.names))] = found
            settled = piece.settle(self.table.reduce(piece.q, wide))
            parts.append(settled[piece.chosen_rows()])
        return np.concatenate(parts)

    def wide(self, x: Array) -> FitEquations:
        """The equations with unknowns x and log s, near x."""
        slopes = self._slopes(self.s) * x[self.places]
        return replace(self.rows, W=np.concatenate([self.rows.W, slopes], axis=2))

    def step(self, made: Estimate) -> tuple[Array, float]:
        """Change of log s, and by which share the sum of squares would fall (eq. 24)."""
        A, b = self.wide(made.x).weigh(made.sigma)
        told, n = tell(A), len(made.x)
        first = np.concatenate([made.x, np.zeros(len(self.names))])
        rest = b - A @ first
        change = told.Vt.T @ ((told.U.T @ rest) / told.s) / told.scale
        power = self._squares(self.rows, made.sigma)
        return change[n:], max(0.0, 1.0 - float(np.sum((rest - A @ change) ** 2)) / power)

    def _squares(self, rows: FitEquations, sigma: Array) -> float:
        """Sum of squares that the best parameters leave."""
        A, b = rows.weigh(sigma)
        U = tell(A).U
        rest = b - U @ (U.T @ b)
        return max(float(rest @ rest), 1e-300)

    def go(self) -> None:
        """Rounds until the sum of squares does not fall any more."""
        for _ in range(ROUNDS if self.names else 0):
            made = least_squares(self.rows, self.nominal)
            change, _ = self.step(made)
            change = np.clip(change, -LONGEST, LONGEST)
            before = self._squares(self.rows, made.sigma)
            fall = self._try(change, before, made.sigma)
            if fall < SETTLED * before:
                return

    def _try(self, change: Array, before: float, sigma: Array) -> float:
        """Go along a step as far as it leads down; the fall."""
        for shorter in 0.5 ** np.arange(12):
            s = np.clip(self.s * np.exp(shorter * change), self.low, self.high)
            rows = self.rows_at(s)
            fall = before - self._squares(rows, sigma)
            if fall > 0:
                self.s, self.rows = s, rows
                return fall
        return 0.0

    def go_with_gains(
        self,
        found: GainEstimate,
        find: Callable[..., GainEstimate],
        motors: Sequence[str],
        base: Sequence[str],
    ) -> None:
        """Rounds with weights that stay: with weights found on the way there are several ends.

        Args:
            found: gains and parameters at the speeds so far; its deviations are the weights.
            find: the same at other speeds, by these weights.
            motors: velocities whose gains are unknown.
            base: names of the base parameters.
        """
        sigma, names = found.spread, [*base, *self.values]
        for _ in range(ROUNDS):
            wide, first = self.wide(found.estimate.x), np.append(self.nominal, 0 * self.s)
            more = find_gains(wide, first, motors, names, sigma).estimate.x
            change = np.clip(more[len(self.nominal) :], -LONGEST, LONGEST)
            better = self._go_along(change, float(((found.spread / sigma) ** 2).sum()), sigma, find)
            if better is None or np.abs(change).max(initial=0.0) < SAME:
                return
            found = better

    def _go_along(
        self, change: Array, cost: float, sigma: Array, find: Callable[..., GainEstimate]
    ) -> GainEstimate | None:
        """Go along a step as far as the cost becomes less; what is found there, or none."""
        first = self.s
        for shorter in 0.5 ** np.arange(8):
            s = np.clip(first * np.exp(shorter * change), self.low, self.high)
            rows = self.rows_at(s)
            made = find(rows, sigma)
            if float(((made.spread / sigma) ** 2).sum()) < cost:
                self.s, self.rows = s, rows
                return made
        return None

    def estimate(self) -> Estimate:
        """Of the parameters, with the covariance of both."""
        made = least_squares(self.rows, self.nominal)
        told = tell(self.wide(made.x).weigh(made.sigma)[0])
        turn = np.concatenate([np.ones(len(made.x)), self.s])  # from log s to s
        return replace(
            made, covariance=told.covariance(self.rows.spread) * np.outer(turn, turn),
            untold=told.rest * turn, sizes=told.scale / turn,
            facts={**made.facts, "speeds of dry friction": "found"},
        )  # fmt: skip
