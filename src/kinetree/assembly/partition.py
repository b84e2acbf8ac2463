"""Partition: which coordinates are independent, which equations repeat others, what can move.

The equations are linearised at a closed configuration and eliminated with full pivoting: pivot
columns are the dependent velocities, rows without a pivot are redundant, or dependent only there,
at a singular configuration; a small motion along the mechanism tells the two apart.

Refs: WehageHaug1982; Docquier2013 sec. 2.2.1, eq. 10
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinetree.arguments import check_arguments
from kinetree.arrays import Array
from kinetree.assembly.assemble import close, free_columns
from kinetree.assembly.loops import Loops, loops
from kinetree.assembly.loops_apart import condition, keep_apart
from kinetree.assembly.overrides import Parameters
from kinetree.errors import KinetreeError, PartitionError
from kinetree.formalism.loops import Choice
from kinetree.model import Mechanism, retract
from kinetree.solve.pivots import Pivots, combination, eliminate

AWAY = 0.02
"""How far to move from a configuration to see whether it is singular [rad or m]."""
SHARE = 1e-6
"""Smallest part of an equation in another that is told."""


@dataclass(frozen=True)
class Partition:
    """Coordinates and equations of a closed system, sorted.

    Names are those of velocities, which for one-axis joints are the coordinates.

    Attributes:
        q: the closed configuration at which everything was found.
        u, v: numbers of the independent and the dependent velocities.
        rows: numbers of the independent equations, in the order of the pivots.
        independent: u; what the loops leave to choose.
        dependent: v; what the equations between positions are solved for.
        rate_dependent: the independent ones whose velocities follow from rolling and the like.
        driven: those whose motion is given.
        equations: labels of the independent equations, in the order of the pivots.
        redundant: label of an equation that repeats others -> labels of those others.
        dropped: labels of equations that always hold.
        singular: whether equations depend on each other only at this configuration.
        structural_mobility: free velocities minus equations.
        mobility: free velocities minus independent equations: degrees of freedom at this place.
        condition: condition number of J by the dependent velocities, rows scaled to 1.
        labels: of all equations.
        rates: labels of the equations between velocities.
        uses: label -> the velocities that change the equation.
    """

    q: Array
    u: tuple[int, ...]
    v: tuple[int, ...]
    rows: tuple[int, ...]
    independent: tuple[str, ...]
    dependent: tuple[str, ...]
    rate_dependent: tuple[str, ...]
    driven: tuple[str, ...]
    equations: tuple[str, ...]
    redundant: dict[str, tuple[str, ...]]
    dropped: tuple[str, ...]
    singular: bool
    structural_mobility: int
    mobility: int
    condition: float
    labels: tuple[str, ...]
    rates: tuple[str, ...]
    uses: Mapping[str, frozenset[str]]

    def choice(self) -> Choice:
        """What a formalism needs to know of it."""
        positions = tuple(label for label in self.equations if label not in self.rates)
        velocities = tuple(label for label in self.equations if label in self.rates)
        return Choice(positions, velocities, self.dependent, self.rate_dependent, self.uses)

    @property
    def rank(self) -> int:
        """Number of independent equations."""
        return len(self.equations)


def partition(
    model: Mechanism,
    q: Sequence[float] | None = None,
    *,
    independent: Sequence[str] | None = None,
    t: float = 0.0,
    parameters: Parameters = None,
) -> Partition:
    """Sort coordinates and equations at a closed configuration.

    Args:
        model: the mechanism with its closures.
        q: start values for the assembly; by default the model's initial ones.
        independent: names of the coordinates that shall be independent; by default those are taken
            that the equations are worst solved for.
        t: time at which laws and drives are taken [s].
        parameters: values by name in place of the model's.

    Raises:
        AssemblyError: where the loops do not close.
        PartitionError: where the independent coordinates given do not determine the others.
    """
    check_arguments(partition, locals())
    return partition_at(loops(model, parameters), q, independent, t)


def partition_at(
    system: Loops, q: Sequence[float] | None, independent: Sequence[str] | None, t: float
) -> Partition:
    """The partition of loops whose equations are known; see `partition`."""
    closed = close(system, system.start(q, t), independent=independent, t=t).q
    _, J = system.evaluate(closed, t)
    free = free_columns(system, independent)
    pivots = eliminate(J[:, free], system.rates, system.share)
    pivots = keep_apart(system, J[:, free], free, pivots)
    if independent:
        _refuse_irregular(system, J, free, pivots)
    return _partition_by_pivots(system, closed, J, _in_model(pivots, free), t)


def refuse_foreign(model: Mechanism, found: Partition) -> None:
    """Refuse a partition of another model."""
    names = {*found.independent, *found.dependent, *found.driven}
    if names != set(model.velocities) or len(found.q) != model.nq:
        raise PartitionError(
            f"it belongs to another model than '{model.name}'",
            element="partition",
            cure="make it with kt.partition(model)",
        )


def _in_model(pivots: Pivots, free: list[int]) -> Pivots:
    """The same pivots with columns numbered as the model's velocities."""
    columns = tuple(free[k] for k in pivots.columns)
    return Pivots(pivots.rows, columns, pivots.sizes, pivots.rest)


def _partition_by_pivots(system: Loops, q: Array, J: Array, pivots: Pivots, t: float) -> Partition:
    """The partition of given pivots."""
    names, labels = system.model.velocities, system.labels
    pairs = list(zip(pivots.rows, pivots.columns, strict=True))
    v = sorted(j for i, j in pairs if i not in system.rates)
    rolling = sorted(j for i, j in pairs if i in system.rates)
    u = [k for k in range(len(names)) if k not in v and k not in system.driven]
    moving = len(names) - len(system.driven)
    return Partition(
        q=q,
        u=tuple(u),
        v=tuple(v),
        rows=pivots.rows,
        independent=tuple(names[k] for k in u),
        dependent=tuple(names[k] for k in v),
        rate_dependent=tuple(names[k] for k in rolling),
        driven=tuple(names[k] for k in system.driven),
        equations=tuple(labels[i] for i in pivots.rows),
        redundant={labels[i]: _others(J, i, pivots, labels) for i in pivots.rest},
        dropped=system.dropped,
        singular=bool(pivots.rest) and _is_singular(system, q, J, pivots, t),
        structural_mobility=moving - len(labels),
        mobility=moving - pivots.rank,
        condition=condition(J, pivots),
        labels=labels,
        rates=tuple(labels[i] for i in system.rates),
        uses=system.uses(),
    )


def _others(J: Array, row: int, pivots: Pivots, labels: Sequence[str]) -> tuple[str, ...]:
    """Labels of the independent equations that make up a redundant one."""
    if not pivots.rows or not np.abs(J[row]).max(initial=0.0):
        return ()
    share = np.abs(combination(J, row, pivots.rows))
    return tuple(labels[i] for i, c in zip(pivots.rows, share, strict=True) if c > SHARE)


def _is_singular(system: Loops, q: Array, J: Array, pivots: Pivots, t: float) -> bool:
    """Whether a small motion of the mechanism makes more equations independent."""
    free = [k for k in range(system.model.nv) if k not in system.driven]
    _, s, Vt = np.linalg.svd(J[:, free])
    basis = Vt[int((s > system.share * s.max(initial=0.0)).sum()) :]
    if not len(basis):
        return False
    step = np.zeros(system.model.nv)
    direction = np.cos(1.0 + np.arange(len(basis))) @ basis
    step[free] = AWAY * direction / np.abs(direction).max()
    try:
        near = close(system, retract(system.model, q, step), t=t).q
    except KinetreeError:
        return False
    J = system.evaluate(near, t)[1][:, free]
    return eliminate(J, system.rates, system.share).rank > pivots.rank


def _refuse_irregular(system: Loops, J: Array, free: list[int], pivots: Pivots) -> None:
    """Refuse independent coordinates that leave equations without a coordinate to solve for."""
    names = system.model.velocities
    columns = list(free)
    release: list[str] = []
    rank, whole = pivots.rank, [k for k in range(len(names)) if k not in system.driven]
    full = eliminate(J[:, whole], system.rates, system.share).rank
    for k in whole:
        if rank == full:
            break
        if k in free:
            continue
        more = eliminate(J[:, [*columns, k]], system.rates, system.share).rank
        if more > rank:
            columns.append(k)
            release.append(names[k])
            rank = more
    if release:
        count = full - pivots.rank
        raise PartitionError(
            f"{count} of {full} independent equations cannot be solved for the other coordinates",
            element="independent",
            cure=f"let {', '.join(repr(name) for name in release)} be dependent",
        )


def facts(found: Partition) -> dict[str, Any]:
    """The partition as rows for people and for JSON."""
    listed = ", ".join
    repeated = [f"{one} (by {listed(rest) or 'itself'})" for one, rest in found.redundant.items()]
    return {
        "equations": len(found.equations) + len(found.redundant),
        "trivial equations": listed(found.dropped) or "none",
        "redundant equations": "; ".join(repeated) or "none",
        "structural mobility": found.structural_mobility,
        "mobility": found.mobility,
        "singular": "yes" if found.singular else "no",
        "independent": listed(found.independent) or "none",
    }
