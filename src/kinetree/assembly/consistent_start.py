"""The start of every analysis and every run: coordinates and velocities that obey the loops.

    h(q, t) = 0,   J qd + ht = 0

Values given by name keep their place, the first ones before the later ones, then those that shall
be independent, then others by their worth (`worth`) until nothing is left to choose; the rest
follows from the loops.  Of a whole array of velocities the smallest change is made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kinetree.arrays import Array, Flags
from kinetree.assembly.assemble import Assembly, close, dependent_columns, free_columns
from kinetree.assembly.loops import Loops
from kinetree.assembly.named_values import Values, given_values, unit_quaternions
from kinetree.assembly.worth import worth
from kinetree.errors import AssemblyError
from kinetree.model import Mechanism
from kinetree.solve.pivots import eliminate

FITS = 1e-9
"""Largest violation of J qd + ht = 0 that is rounding, relative to 1 + the largest velocity."""
MOVED = 1e-6
"""Smallest correction of a value given by name that is told [rad, m, rad/s or m/s]."""
ROUGH = 1e-2
"""The same for a whole array, which may be rough where it depends on the rest."""


@dataclass(frozen=True)
class Wish:
    """What shall hold at the start.

    Attributes:
        q: coordinates, all in order or some by name; None: the model's initial ones.
        qd: velocities likewise; None: zero.
        independent: names of the velocities whose values, and whose coordinates' values, stay.
        t: time of laws and drives [s].
    """

    q: Values = None
    qd: Values = None
    independent: tuple[str, ...] = ()
    t: float = 0.0


def consistent_coordinates(system: Loops, wish: Wish) -> Array:
    """Coordinates that close the loops and follow the drives.

    Raises:
        AssemblyError: where the loops do not close.
    """
    start = _start(system, wish)
    if not system.model.closures:
        return start
    return _closed_assembly(system, start, wish).q


def moved_coordinates(system: Loops, wish: Wish) -> tuple[str, ...]:
    """Names of the velocities whose coordinates move at the start so that the loops close."""
    if not system.model.closures:
        return ()
    return _closed_assembly(system, _start(system, wish), wish).moved


def _closed_assembly(system: Loops, start: Array, wish: Wish) -> Assembly:
    """The closed configuration that keeps what it can of what is wished for."""
    names = kept_coordinates(system.model, wish)
    found = _close_keeping(system, start, names, wish.t) if names else None
    if found is None and len(names) > 1:
        found = _greedy(system, start, names, wish.t)
    return close(system, start, t=wish.t) if found is None else found


def kept_coordinates(model: Mechanism, wish: Wish) -> list[str]:
    """Velocities whose coordinates shall keep their values, in order of importance."""
    return list(dict.fromkeys([*_names_given(model, wish.q), *wish.independent]))


def _start(system: Loops, wish: Wish) -> Array:
    """The coordinates wished for, driven ones at their laws."""
    model = system.model
    first = given_values(wish.q, model.initial(), model.coordinates, "q")
    return system.start(unit_quaternions(model, first).tolist(), wish.t)


def _greedy(system: Loops, start: Array, names: list[str], t: float) -> Assembly | None:
    """The closed configuration that keeps names one after the other; none where it keeps none."""
    kept: list[str] = []
    best: Assembly | None = None
    for name in names:
        found = _close_keeping(system, start, [*kept, name], t)
        if found is not None:
            kept, best = [*kept, name], found
    return best


def _close_keeping(system: Loops, start: Array, kept: list[str], t: float) -> Assembly | None:
    """The closed configuration in which some coordinates keep their values, if there is one."""
    try:
        return close(system, start, independent=kept, t=t, settled=True)
    except AssemblyError:
        return None  # what was given cannot be kept; the caller tells how it changed


def _names_given(model: Mechanism, given: Values) -> list[str]:
    """Velocities whose values, or coordinates, the user gave by name, but for driven ones.

    A coordinate without a velocity of its name, one of a quaternion, stands for its whole joint.
    """
    if not isinstance(given, Mapping):
        return []
    whole = {name: joint.velocities for joint in model.leaders for name in joint.coordinates}
    names = [v for n in given for v in ((n,) if n in model.velocities else whole[n])]
    return [name for name in dict.fromkeys(names) if name not in model.drives]


def consistent_velocities(system: Loops, q: Array, wish: Wish) -> Array:
    """Velocities that the loops and drives allow at a closed configuration q."""
    return settled_velocities(system, q, wish)[0]


def settled_velocities(system: Loops, q: Array, wish: Wish) -> tuple[Array, list[int]]:
    """Velocities that the loops and drives allow, and the numbers of those that were kept."""
    model = system.model
    out = given_values(wish.qd, np.zeros(model.nv), model.velocities, "qd")
    for k, rate in system.driven_rates(q, wish.t).items():
        out[k] = rate
    if not model.closures:
        return out, list(range(model.nv))
    J, ht = system.slopes(q, wish.t)
    names = dict.fromkeys([*_names_given(model, wish.qd), *wish.independent])
    rates = _Rates(J, ht, out, model.loop_tolerance)
    fixed = rates.keep(list(system.driven), [model.velocities.index(n) for n in names])
    if wish.qd is None or isinstance(wish.qd, Mapping):
        more = [*fixed, *_keep_by_worth(system, J, fixed)]
        moved, fits = rates.correct(more)
        if fits:
            return moved, more
    return rates.correct(fixed)[0], fixed


@dataclass(frozen=True)
class _Rates:
    """J qd + ht = 0, the velocities wished for, and the share of J that counts as zero."""

    J: Array
    ht: Array
    qd: Array
    share: float

    def correct(self, fixed: Sequence[int]) -> tuple[Array, Flags]:
        """See `correct_velocities`."""
        return correct_velocities(self.J, self.ht, self.qd, fixed, self.share)

    def keep(self, fixed: list[int], wanted: list[int]) -> list[int]:
        """The fixed velocities, and of those wanted one after the other what fits."""
        if self.correct([*fixed, *wanted])[1]:
            return [*fixed, *wanted]
        for k in wanted:
            if self.correct([*fixed, k])[1]:
                fixed = [*fixed, k]
        return fixed


def _keep_by_worth(system: Loops, J: Array, fixed: list[int]) -> list[int]:
    """Velocities that stay besides fixed ones, by their worth."""
    free = [k for k in range(J.shape[1]) if k not in fixed]
    values = worth(system.model)
    at = [values[k] for k in free]
    pivots = eliminate(J[:, free], system.rates, system.share, at)
    return [free[i] for i in range(len(free)) if i not in pivots.columns]


def correct_velocities(
    J: Array, ht: Array, qd: Array, fixed: Sequence[int], share: float
) -> tuple[Array, Flags]:
    """qd with the least change of all but the fixed ones, and whether it satisfies the loops.

    Leading axes are those of a batch.  Equations whose singular value is below `share` of the
    largest repeat others.
    """
    free = [k for k in range(qd.shape[-1]) if k not in set(fixed)]
    gap = np.einsum("...ij,...j->...i", J, qd) + ht
    moved = np.array(np.broadcast_to(qd, (*gap.shape[:-1], qd.shape[-1])))
    inverse = np.linalg.pinv(J[..., free], rcond=max(1e-10, share))
    moved[..., free] -= np.einsum("...ij,...j->...i", inverse, gap)
    left = np.abs(np.einsum("...ij,...j->...i", J, moved) + ht).max(axis=-1, initial=0.0)
    return moved, np.asarray(
        left <= max(FITS, share) * (1 + np.abs(moved).max(axis=-1, initial=0.0))
    )


# --- what could not be kept ----------------------------------------------------------------------


def changes(system: Loops, wish: Wish, q: Array, qd: Array) -> list[str]:
    """Phrases for the values wished for that loops or drives change to q and qd."""
    model = system.model
    old_q = given_values(wish.q, model.initial(), model.coordinates, "q")
    old_qd = given_values(wish.qd, np.zeros(model.nv), model.velocities, "qd")
    stays = dict.fromkeys(wish.independent, 0.0)
    told_q = {name: 0.0 for name in (stays or _initial(system, wish)) if name in model.coordinates}
    given_q, given_qd = told_q if wish.q is None else wish.q, stays if wish.qd is None else wish.qd
    return [
        *_change_phrases(
            "q", _least_changes(model, given_q, model.coordinates), model.coordinates, (old_q, q)
        ),
        *_change_phrases(
            "qd", _least_changes(model, given_qd, model.velocities), model.velocities, (old_qd, qd)
        ),
    ]


def _initial(system: Loops, wish: Wish) -> list[str]:
    """Coordinates whose initial values the model gives, and which nothing forces to change."""
    model = system.model
    given = {name for joint in model.leaders if joint.initial for name in joint.velocities}
    free = free_columns(system, ())
    moving = dependent_columns(system, _start(system, wish), free, wish.t)
    names = model.velocities
    return [names[k] for k in free if k not in moving and names[k] in given]


def _least_changes(model: Mechanism, given: Values, names: Sequence[str]) -> dict[str, float]:
    """Name -> smallest change that is told; in a whole array drives have their own values."""
    if isinstance(given, Mapping):
        return dict.fromkeys(given, MOVED)
    return {} if given is None else {n: ROUGH for n in names if n not in model.drives}


def _change_phrases(
    what: str, limits: Mapping[str, float], names: Sequence[str], values: tuple[Array, Array]
) -> list[str]:
    """Phrases for the given values that change by more than their limits."""
    return [
        f"{what} of '{name}' is {b:.6g} instead of {a:.6g}"
        for name, a, b in zip(names, *values, strict=True)
        if name in limits and abs(a - b) > limits[name] * (1 + abs(a))
    ]
