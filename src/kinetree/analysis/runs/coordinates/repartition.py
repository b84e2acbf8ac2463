"""How a run goes on where its independent coordinates have become a bad choice."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kinetree.analysis.runs.coordinates.chosen_loops import AUTO, PROJECTED, can_project
from kinetree.analysis.runs.dynamics import Dynamics, dynamics
from kinetree.arrays import Array
from kinetree.integrate.partition_health import better
from kinetree.pipeline import LOOPS

if TYPE_CHECKING:
    from kinetree.analysis.runs.coordinates.turning import Repartition
    from kinetree.analysis.runs.run import Run

OFTEN = 3
"""Different choices of independent coordinates after which a run goes on in all coordinates."""


def repartition(
    system: Dynamics, fixed: Mapping[str, Any], options: Mapping[str, Any]
) -> Repartition | None:
    """How coordinates are chosen anew; none where they are the user's, or none is dependent.

    Args:
        system: the dynamics at the start.
        fixed: loads and parameters of the run.
        options: of `dynamics`.
    """
    if system.model.equations is not None:
        return _states(system, fixed, options)
    chosen = "partition" in options or "independent" in options or bool(system.jumps)
    if not system.explicit or chosen:
        return None
    assert system.partition is not None
    rank, current = system.partition.rank, system.independent
    used = {current}
    most = OFTEN if options.get("loops") == AUTO and can_project(system.model) else None

    def again(q: Array, t: float) -> Dynamics | None:
        nonlocal current
        found = better(system.model, q, t, system.parameters, rank)
        if found is None or found.independent == current:
            return None
        current = found.independent
        used.add(current)
        loops = LOOPS if most is None or len(used) <= most else PROJECTED
        how = {"runs": True, **options, "loops": loops, "partition": found}
        return dynamics(system.model, **fixed, **how)

    return again


def _states(
    system: Dynamics, fixed: Mapping[str, Any], options: Mapping[str, Any]
) -> Repartition | None:
    """How states of connected components are chosen anew; none where they never turn bad."""
    choice = None if system.model.equations is None else system.model.equations.choice
    if choice is None:
        return None

    def again(x: Array, t: float) -> Dynamics | None:
        nonlocal choice
        assert choice is not None
        model = choice.better(t, x, system.parameters)
        if model is None or model.equations is None:
            return None
        choice = model.equations.choice
        return dynamics(model, **fixed, **{"runs": True, **options})

    return again


def loop_treatments(run: Run) -> dict[str, str]:
    """Row of the manifest: how the loops of a run were treated, and from when on otherwise."""
    parts = [(part.dynamics.forward.info.get("loops"), part.begin) for part in run.segments]
    if parts[0][0] is None:
        return {}
    after = f"after {run.partitions - 1} choices of independent coordinates"
    changes = [
        f"{loops} from t = {begin:.6g} s, {after}"
        for (before, _), (loops, begin) in itertools.pairwise(parts)
        if loops != before
    ]
    return {"loops": ", ".join([parts[0][0], *changes])}
