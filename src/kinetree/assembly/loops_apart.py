"""A choice of dependent coordinates that keeps loops apart, where pivots alone would tie them.

A coordinate that many loops share, as those of a subframe that carries the links of two wheels,
ties all of them into one system of equations when it is made dependent: closing the loops then
takes the cube of their common size, and every dependent velocity follows from all independent ones.
Coordinates of one loop alone serve as well.  The choice by the largest pivots stays wherever this
one has no smaller groups, or is far worse conditioned.

Refs: WehageHaug1982; Docquier2013 sec. 3.5.1, figs. 9 and 10
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kinetree.arrays import Array
from kinetree.assembly.loops import Loops
from kinetree.formalism.loops.groups import groups
from kinetree.solve.pivots import Pivots, eliminate

WORSE = 10.0
"""How many times the condition number may grow for smaller groups."""


def keep_apart(system: Loops, J: Array, free: Sequence[int], pivots: Pivots) -> Pivots:
    """The pivots, or others of as many equations that tie fewer loops together.

    Args:
        system: equations of the loops.
        J: their slopes by the velocities that may depend.
        free: numbers of these velocities.
        pivots: the choice by the largest pivots, in columns of J.
    """
    if len({label.partition(".")[0] for label in system.labels}) < 2 or pivots.rank < 2:
        return pivots
    found = eliminate(J, system.rates, system.share, ties=_ties(system, free))
    if found.rank < pivots.rank or _cost(system, free, found) >= _cost(system, free, pivots):
        return pivots
    return found if condition(J, found) <= WORSE * condition(J, pivots) else pivots


def condition(J: Array, pivots: Pivots) -> float:
    """Condition number of the rows and columns of the pivots, rows scaled to 1."""
    if not pivots.rows:
        return 1.0
    A = J[np.ix_(pivots.rows, pivots.columns)]
    return float(np.linalg.cond(A / np.abs(A).max(axis=1, keepdims=True)))


def _ties(system: Loops, free: Sequence[int]) -> list[int]:
    """How much every velocity ties together: the loops it is in, then its neighbours in them."""
    closures: dict[str, set[str]] = {}
    beside: dict[str, set[str]] = {}
    for label, names in system.uses().items():
        for name in names:
            closures.setdefault(name, set()).add(label.partition(".")[0])
            beside.setdefault(name, set()).update(names)
    chosen = [system.model.velocities[k] for k in free]
    ties = [(len(closures.get(name, ())), len(beside.get(name, ()))) for name in chosen]
    order = {pair: number for number, pair in enumerate(sorted(set(ties)))}
    return [order[pair] for pair in ties]


def _cost(system: Loops, free: Sequence[int], pivots: Pivots) -> int:
    """Work of closing the loops with a choice: cubes of the sizes of its groups."""
    names, uses = system.model.velocities, system.uses()
    pairs = zip(pivots.rows, pivots.columns, strict=True)
    chosen = {system.labels[i]: names[free[j]] for i, j in pairs if i not in system.rates}
    solved = set(chosen.values())
    used = {label: uses[label] & solved for label in chosen}
    return sum(len(group.unknowns) ** 3 for group in groups(used, tuple(chosen.values())))
