"""Where a run goes on in other independent coordinates, because those in use have become bad."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from kinetree.analysis.runs.dynamics import Dynamics
from kinetree.arrays import Array, Flags, Integers
from kinetree.integrate.partition_health import Judge
from kinetree.integrate.problem import EVENT, FINISHED, NOT_A_NUMBER, STEP_TOO_SMALL, Hit, Path
from kinetree.model.outputs.variables import Choosing

Repartition = Callable[[Array, float], Dynamics | None]
"""(q, t) -> the dynamics in coordinates chosen there; None where the old ones are best.

Of connected components it is the states x by which others are chosen."""
PATIENCE = 64
"""Bad ends of steps after which better coordinates are looked for again."""
CELLS = 512
"""Parts of a run, of each of which the end of one step is looked at, at most."""
ROUND = 512
"""Steps of which the last is looked at in any case."""
TINY = 1e-300


def place(system: Dynamics, y: Array) -> Array:
    """What a choice of coordinates depends on: q, or x of connected components."""
    return system.split(y)[0 if system.model.equations is None else 2]


@dataclass(frozen=True)
class Better:
    """Time [s] and state from which a run goes on in other coordinates, and its dynamics there."""

    t: float
    y: Array
    system: Dynamics


class Lookout:
    """Looks at the ends of the steps of a leg, whether its coordinates have become bad there.

    Not at all of them where they are many, and where coordinates are bad but no others are better,
    it asks again a number of bad ends later.  So what a run does hangs on its steps alone: neither
    on its output times nor on when it was looked at.

    Attributes:
        found: other coordinates with which the run goes on when the method has come to its end.
    """

    def __init__(
        self, system: Dynamics, again: Repartition | None, span: tuple[float, float], begin: float
    ) -> None:
        """A lookout that has seen nothing.

        Args:
            system: the dynamics of the leg.
            again: chooses other coordinates; none where these are kept.
            span: beginning and end of the run [s].
            begin: of the leg [s].
        """
        own = system.model.equations
        self._choice: Choosing | None = None if own is None else own.choice
        kept = again is None or not (system.explicit or self._choice)
        self._again = None if kept else again
        self._system, self._begin = system, begin
        self._first, self._cell = span[0], max((span[1] - span[0]) / CELLS, TINY)
        self._seen, self._bad = 0, 0
        self.found: Better | None = None

    @property
    def looks(self) -> bool:
        """Whether there is something to look for."""
        return self._again is not None

    def look(self, path: Path) -> Better | None:
        """Where the coordinates change, and what they become; None where they do not.

        The first end of the path was the last one of that before.
        """
        if self._again is None:
            return None
        t, Y = path.ends or (path.t, path.y)
        rows = self._due(t)
        bad = rows[self._are_bad(t[rows], Y[rows])] if len(rows) else rows
        for row in bad:
            self._bad += 1
            if self._bad % PATIENCE == 1 and (found := self._before(t, Y, int(row))):
                return found
        stuck = path.end in (NOT_A_NUMBER, STEP_TOO_SMALL) and not len(bad) and len(t) > 1
        return self._before(t, Y, len(t) - 1) if stuck else None

    def _due(self, t: Array) -> Integers:
        """Numbers of the ends to look at: one per cell of the run, and now and then."""
        numbers = self._seen + np.arange(len(t))
        self._seen += len(t) - 1
        cells = np.floor((t - self._first) / self._cell)
        due = (np.diff(cells) > 0) | (numbers[1:] % ROUND == 0)
        return 1 + np.flatnonzero(due)

    def _are_bad(self, t: Array, Y: Array) -> Flags:
        system = self._system
        q = place(system, Y)
        if self._choice is not None:
            return self._choice.bad(t, q, system.parameters)
        return self._judge.bad(t, q)

    @cached_property
    def _judge(self) -> Judge:
        return self._system.judge(self._begin)

    def _before(self, t: Array, Y: Array, row: int) -> Better | None:
        """Other coordinates from the end before a row on, or from the row itself.

        Errors grow towards a bad end: the one before is better, where another choice is.
        """
        return self._from(float(t[row - 1]), Y[row - 1]) or self._from(float(t[row]), Y[row])

    def _from(self, t: float, y: Array) -> Better | None:
        """Other coordinates from a state on; None where those at hand are best there."""
        assert self._again is not None
        y = self._system.project(t, y)
        q = place(self._system, y)
        new = self._again(q, t) if np.isfinite(q).all() else None
        return None if new is None else Better(t, new.project(t, y), new)


def until(path: Path, t: float) -> Path:
    """The path up to a time [s]."""
    rows, hits = path.t <= t, tuple(hit for hit in path.hits if hit.t <= t)
    spare = 0 if path.ends is None else int(np.sum(path.ends[0] > t))
    left = max(path.steps - spare, 0)
    path = replace(path, t=path.t[rows], y=path.y[rows], hits=hits, steps=left)
    return replace(path, end=FINISHED, last_t=t, ends=_chosen_ends(path, lambda at: at <= t))


def until_instant(path: Path, t: float, hits: tuple[Hit, ...]) -> Path:
    """The path before an instant at which something happens [s], but for a start of its own."""

    def before(at: Array) -> Flags:
        return at < t if len(at) > 1 else np.ones(1, dtype=bool)

    rows, ends = before(path.t), _chosen_ends(path, before)
    return replace(path, t=path.t[rows], y=path.y[rows], hits=hits, end=FINISHED, ends=ends)


def _chosen_ends(path: Path, choose: Callable[[Array], Flags]) -> tuple[Array, Array] | None:
    """Those ends of steps whose times are chosen."""
    if path.ends is None:
        return None
    rows = choose(path.ends[0])
    return path.ends[0][rows], path.ends[1][rows]


def append_final_state(path: Path) -> Path:
    """The path with the last state reached, where a run ended between two output times."""
    t, y = path.last_t, path.last_y
    if path.end == EVENT and path.hits[-1].t != t:
        t, y = path.hits[-1].t, path.hits[-1].y
    if path.end == FINISHED or not np.isfinite(y).all():
        return path

    def append(rows: tuple[Array, Array]) -> tuple[Array, Array]:
        late = t > rows[0][-1]
        return (np.append(rows[0], t), np.vstack([rows[1], y])) if late else rows

    last_t, last_y = append((path.t, path.y))
    return replace(path, t=last_t, y=last_y, ends=path.ends and append(path.ends))
