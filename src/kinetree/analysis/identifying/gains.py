"""Gains of motors that are unknown beside the parameters: effort = gain · current.

    i = g (W x - y) + e        g = 1/k                                              (eq. 21)

for every equation whose motor has an unknown gain k; the errors e are those of the current i, y is
what the model knows.  The sum of squares of e/σ is the least by the method of Gauss and Newton: as
errors of currents do not stand in any column, gains have no bias.

Where y is zero, k and x times any number fit as well: a factor that all gains and parameters of
joints that move each other have in common is told by something known alone, such as one gain or a
load of known mass (eq. 22).

Refs: Gautier2014
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kinetree.analysis.identifying.equations import FitEquations
from kinetree.analysis.identifying.estimate import TOLD, Estimate, ToldDirections, tell
from kinetree.analysis.identifying.profile import gain_range
from kinetree.analysis.identifying.report.words import sentences
from kinetree.arrays import Array
from kinetree.errors import ModelError, UnsupportedError

ROUNDS = 60
"""Most rounds of the method."""
FIRST = 12
"""Rounds in which parameters and gains are found by turns, before both at once."""
RUBS = ("coulomb", "viscous")
"""Friction: what it takes is not negative."""
CLEAR = 9.0
"""Sum of squares, in variances, by which data tell a sign."""
EXACT = 1e-4
"""Errors of currents are not believed to be a smaller share of them: where those of one motor are
hardly seen, the others count as well."""
WEAK = 0.2
"""Deviation of a gain as a part of it from which on errors are not those of small changes."""
SETTLED = 1e-13
"""Share of the sum of squares below which its fall is the end."""
LINKED = 1e-6
"""Share of its longest column above which an equation depends on a parameter."""


GainRange = tuple[float, float]
"""Smallest and largest gain [N.m/A or N/A]."""


def gain_name(velocity: str) -> str:
    """How the gain of the motor along a velocity is called."""
    return f"{velocity}.current_gain"


@dataclass(frozen=True)
class GainEstimate:
    """Gains of motors, with the parameters that go with them.

    Attributes:
        names: velocities of the motors.
        k: their gains [N.m/A or N/A].
        estimate: of the parameters; its covariance and what is untold have the gains behind them.
        spread: standard deviation of every equation, of currents where its gain is unknown.
        ranges: gains that a deviation does not tell, by name -> between what 95 % of them lie.
    """

    names: tuple[str, ...]
    k: Array
    estimate: Estimate
    spread: Array
    ranges: Mapping[str, GainRange] = field(default_factory=dict)

    @property
    def values(self) -> dict[str, float]:
        """Gains by name."""
        return {gain_name(v): float(x) for v, x in zip(self.names, self.k, strict=True)}


def find_gains(
    rows: FitEquations,
    nominal: Array,
    names: Sequence[str],
    base: Sequence[str],
    sigma: Array | None = None,
) -> GainEstimate:
    """Gains and parameters at once.

    Args:
        rows: the equations, with currents.
        nominal: values of the base parameters in the model; what is not told is theirs.
        names: velocities of the motors whose gains are unknown.
        base: names of the base parameters.
        sigma: deviations by which equations are weighed; by default those of the residuals.
    """
    search = GainSearch(rows, nominal, _motors(rows, names), len(names), sigma)
    search.go()
    for number, name in enumerate(names):
        search.turn_where_it_drives(number, [base.index(f"{name}.{kind}") for kind in RUBS
                                        if f"{name}.{kind}" in base])  # fmt: skip
    told, J = search.directions(), search.slopes()
    n, k = len(nominal), 1.0 / search.g
    turn = np.concatenate([np.ones(n), -(k**2)])  # from 1/k to k
    factors = list(search.factors(J))
    rest = _without(told.rest, factors)
    words = [_factor_in_words(names, direction[n:]) for direction in factors]
    words += sentences([*base, *map(gain_name, names)], rest * turn, told.scale / np.abs(turn))
    covariance = told.covariance(rows.spread) * np.outer(turn, turn)
    shares = np.sqrt(np.diag(covariance)[n:]) / np.abs(k)
    weak = [number for number, share in enumerate(shares) if WEAK < share < np.inf]
    ranges = {names[number]: gain_range(search, number) for number in weak}
    words += _weak_in_words(ranges, dict(zip(names, k.tolist(), strict=True)))
    estimate = Estimate(
        search.x, covariance, rows.at_gains(k).deviations(search.x), told.rest * turn,
        told.scale / np.abs(turn),
        facts={"condition": told.condition, "gains": "found from currents"}, words=tuple(words),
    )  # fmt: skip
    called = {gain_name(name): pair for name, pair in ranges.items()}
    return GainEstimate(tuple(names), k, estimate, search.deviations(), called)


def _motors(rows: FitEquations, names: Sequence[str]) -> list[int | None]:
    """Number of the gain of every equation; none where its efforts are known."""
    sizes = np.linalg.norm(rows.G[rows.in_fit], axis=0)
    for k, name in enumerate(names):
        if not sizes[:, k].any():
            raise ModelError(
                f"the current of '{name}' is zero", element="gains", cure="leave this gain out"
            )
    found: list[int | None] = []
    for e, row in enumerate(sizes):
        own = np.flatnonzero(row > 0).tolist()
        known = np.abs(rows.measured[rows.in_fit, e]).max() > 0
        if len(own) > 1 or (own and known):
            motors = ", ".join(f"'{names[k]}'" for k in own)
            raise UnsupportedError(
                f"an equation of the loops has the unknown gain of {motors} and other efforts",
                element="gains",
                cure="give the gains of all motors but one of every equation",
            )
        found.append(own[0] if own else None)
    return found


class GainSearch:
    """Rounds of the method, on triangles of [W y i] of every equation.

    Attributes:
        x: parameters so far.
        g: currents per effort so far.
        sigma: standard deviation of every equation, of currents where its gain is unknown.
    """

    def __init__(
        self, rows: FitEquations, nominal: Array, motors: Sequence[int | None], count: int,
        given: Array | None,
    ) -> None:  # fmt: skip
        self.rows, self.motors, self.given = rows, motors, given
        tables = [
            np.column_stack([rows.W[:, e], rows.y[:, e],
                             np.zeros(len(rows.y)) if k is None else rows.G[:, e, k]])[rows.in_fit]
            for e, k in enumerate(motors)
        ]  # fmt: skip
        self.triangles: list[Array] = [
            np.asarray(np.linalg.qr(table, mode="r")) for table in tables
        ]
        self.x, self.g = nominal.copy(), np.ones(count)
        self.sigma = np.ones(len(motors)) if given is None else given
        for k in range(count):
            self.g[k] = self._own_gain(k) or 1.0

    def _own_gain(self, k: int) -> float:
        """The gain with which the parameters so far explain its current best."""
        parts = [T for T, own in zip(self.triangles, self.motors, strict=True) if own == k]
        effort = np.concatenate([T[:, :-2] @ self.x - T[:, -2] for T in parts])
        current = np.concatenate([T[:, -1] for T in parts])
        power = float(effort @ effort)
        return float(effort @ current) / power if power > 0 else 1.0

    def _gain(self, e: int, g: Array) -> float:
        own = self.motors[e]
        return 1.0 if own is None else float(g[own])

    def residuals(self, x: Array, g: Array) -> Array:
        """Of all equations, weighed: i - g (W x - y)."""
        parts = []
        for e, T in enumerate(self.triangles):
            one = self._gain(e, g)
            parts.append(T @ np.concatenate([-one * x, [one, 1.0]]) / self.sigma[e])
        return np.concatenate(parts)

    def slopes(self) -> Array:
        """Slopes at the values so far."""
        return self.slopes_at(self.x, self.g)

    def slopes_at(self, x: Array, g: Array) -> Array:
        """Of the residuals, by x and by g, with the sign of the columns."""
        n, parts = len(x), []
        for e, T in enumerate(self.triangles):
            J = np.zeros((len(T), n + len(g)))
            J[:, :n] = self._gain(e, g) * T[:, :n]
            own = self.motors[e]
            if own is not None:
                J[:, n + own] = T[:, :n] @ x - T[:, n]
            parts.append(J / self.sigma[e])
        return np.concatenate(parts)

    def deviations(self) -> Array:
        """σ of every equation from its residuals (eq. 8)."""
        ends = np.cumsum([len(T) for T in self.triangles])[:-1]
        parts = np.split(self.residuals(self.x, self.g), ends)
        used = (len(self.x) + len(self.g)) / len(parts) * self.rows.spread
        free = max(float(self.rows.in_fit.sum()) - used, 1.0)
        sizes = np.array([float(np.linalg.norm(part)) for part in parts]) * self.sigma
        return np.asarray(np.maximum(sizes / np.sqrt(free), 1e-12 * self._sizes()))

    def go(self) -> None:
        """Rounds until the sum of squares does not fall any more.

        The first weights are those of what was measured: residuals of the first values would give
        equations that these explain by chance all the weight.
        """
        if self.given is None:
            self.sigma = self._sizes()
        for _ in range(FIRST):  # x and g by turns are linear problems, from far away as well
            told = tell(self.slopes()[:, : len(self.x)])
            r = self.residuals(self.x, self.g)
            self.x = self.x + told.Vt.T @ ((told.U.T @ r) / told.s) / told.scale
            self.g = np.array([self._own_gain(k) or old for k, old in enumerate(self.g)])
        self._rounds(weigh=False)
        if self.given is None:
            self._rounds(weigh=True)

    def _rounds(self, *, weigh: bool) -> None:
        """Rounds of Gauss and Newton, with weights found on the way where wanted."""
        for number in range(ROUNDS):
            self.sigma = self._weights() if weigh else self.sigma
            r, told = self.residuals(self.x, self.g), self.directions()
            step = told.Vt.T @ ((told.U.T @ r) / told.s) / told.scale
            fall = self._try(step, float(r @ r))
            if number > 3 and fall < SETTLED * float(r @ r):
                break
        self.sigma = self._weights() if weigh else self.sigma

    def _weights(self) -> Array:
        """Deviations by which equations are weighed."""
        return np.maximum(self.deviations(), EXACT * self._sizes())

    def _sizes(self) -> Array:
        """σ of every equation as if all errors were the same share of what was measured."""
        rows = np.sqrt(float(self.rows.in_fit.sum()))
        return np.array([max(float(np.linalg.norm(T[:, -2:])), 1e-300) / rows
                         for T in self.triangles])  # fmt: skip

    def turn_where_it_drives(self, k: int, rubbing: Sequence[int]) -> None:
        """Turn the sign of a gain with which friction would drive, where the data allow it.

        Where friction is most of an effort, the data hardly tell the sign of both.
        """
        if not rubbing or self.x[rubbing[0]] >= 0:
            return
        before, sigma = (self.x, self.g, self.sigma), self.sigma
        cost = float((self.residuals(self.x, self.g) ** 2).sum())
        self.x, self.g = self.x.copy(), self.g.copy()
        self.x[rubbing] *= -1
        self.g[k] *= -1
        self.go()
        self.sigma = sigma
        after = float((self.residuals(self.x, self.g) ** 2).sum())
        if self.x[rubbing[0]] < 0 or after - cost > CLEAR * self.rows.spread:
            self.x, self.g, self.sigma = before
        else:
            self.sigma = self._weights() if self.given is None else sigma

    def _try(self, step: Array, before: float) -> float:
        """Go along a step as far as it leads down, gains keeping their signs; the fall."""
        for shorter in 0.5 ** np.arange(30):
            x, g = self.x + shorter * step[: len(self.x)], self.g + shorter * step[len(self.x) :]
            r = self.residuals(x, g)
            if (g * self.g > 0).all() and float(r @ r) < before:
                self.x, self.g = x, g
                return before - float(r @ r)
        return 0.0

    def directions(self) -> ToldDirections:
        """What the rows tell near the values so far."""
        return tell(self.slopes())

    def factors(self, J: Array) -> Any:
        """Common factors that are not told: changes of x and g, one per set of joints (eq. 22)."""
        n = len(self.x)
        W = np.concatenate([T[:, :n] / s for T, s in zip(self.triangles, self.sigma, strict=True)])
        y = np.concatenate([T[:, n] / s for T, s in zip(self.triangles, self.sigma, strict=True)])
        size = np.maximum(np.linalg.norm(W, axis=0), 1e-300)
        # a load that is always carried is known, and yet like one more value of a body
        away = self.x - np.linalg.lstsq(W / size, y, rcond=TOLD)[0] / size
        for columns, gains in self._sets():
            change = np.zeros(n + len(self.g))
            change[columns], change[[n + k for k in gains]] = away[columns], -self.g[gains]
            size = float(np.linalg.norm(J * change, axis=0).sum())
            if gains and np.linalg.norm(J @ change) < TOLD * size:
                yield change

    def _sets(self) -> list[tuple[list[int], list[int]]]:
        """Parameters and gains of equations that have parameters in common."""
        sets: list[tuple[set[int], set[int]]] = []
        for e, T in enumerate(self.triangles):
            sizes = np.linalg.norm(T[:, : len(self.x)], axis=0)
            columns = set(np.flatnonzero(sizes > LINKED * sizes.max(initial=0.0)).tolist())
            own = self.motors[e]
            gains = set() if own is None else {own}
            near = [row for row in sets if row[0] & columns or row[1] & gains]
            sets = [row for row in sets if row not in near]
            sets.append((columns.union(*(a for a, _ in near)), gains.union(*(b for _, b in near))))
        return [(sorted(a), sorted(b)) for a, b in sets]


def _without(rest: Array, directions: Sequence[Array]) -> Array:
    """Directions that are not told, without some of them."""
    for direction in directions:
        part = np.linalg.lstsq(rest.T, direction, rcond=None)[0]
        rest = np.linalg.svd(part[None])[2][1:] @ rest
    return rest


def _weak_in_words(ranges: Mapping[str, GainRange], k: Mapping[str, float]) -> list[str]:
    """Gains whose errors are so large that slopes at the values found do not tell them."""
    return [
        f"the data hardly tell the gain of '{name}', {k[name]:.3g} N.m/A or N/A: 95 % of such data "
        f"have it {_between(*pair)}, whatever its deviation says; give this gain, or add a "
        "recording with a heavier load (carried=)"
        for name, pair in ranges.items()
    ]


def _between(low: float, high: float) -> str:
    """A range in words."""
    if low == 0 and math.isinf(high):
        return "at any value"
    if math.isinf(high):
        return f"above {low:.3g}"
    return f"below {high:.3g}" if low == 0 else f"between {low:.3g} and {high:.3g}"


def _factor_in_words(names: Sequence[str], change: Array) -> str:
    motors = ", ".join(f"'{v}'" for v, x in zip(names, change, strict=True) if x)
    return (
        f"the data tell the gains of {motors}, and the parameters that their efforts depend on, up "
        "to a common factor; it is that of the model: give one of these gains, or add a recording "
        "with a load of known mass (carried=)"
    )
