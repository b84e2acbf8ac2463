"""What has no derivative at the start of a run: values that follow, loops that a length opens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from kinetree.arrays import Array
from kinetree.assembly import closure_equations
from kinetree.errors import ModelError, UnsupportedError

if TYPE_CHECKING:
    from kinetree.analysis.runs.dynamics import Dynamics
    from kinetree.analysis.sensitivities.variables import DesignVariable

SMALL = 1e-6
"""Change of a parameter for which loops must stay closed [SI]."""
OPEN = 1e-3
"""Gap per change of a parameter above which a loop opens."""


def has_redundant(system: Dynamics) -> bool:
    """Whether equations repeat others."""
    return system.partition is not None and bool(system.partition.redundant)


def refuse_redundant(system: Dynamics) -> None:
    """Refuse equations that repeat others: tangents alone tell whether they go on doing so."""
    if system.partition is not None and has_redundant(system):
        raise UnsupportedError(
            f"equation {next(iter(system.partition.redundant))} repeats others, perhaps for these "
            "values alone",
            element=f"model '{system.model.name}'",
            cure="take method='direct'",
        )


def refuse_following(variables: Sequence[DesignVariable], changes: Array) -> None:
    """Refuse start values that follow from others: nothing that is kept changes with them."""
    for row, change in zip(variables, changes, strict=True):
        if row.starts and not change.any():
            raise UnsupportedError(
                f"'{row.label}' follows from other start values by the loops",
                element=f"by, '{row.name}'",
                cure="vary one of those that are free instead",
            )


def refuse_open_loops(
    system: Dynamics, variables: Sequence[DesignVariable], start: tuple[Array, Array], t: float
) -> None:
    """Refuse parameters that open loops: where equations repeat others for their values alone.

    Args:
        system: of the run.
        variables: one per tangent.
        start: the state and its tangents, one row each.
        t: time [s].
    """
    model, loops, (y, S) = system.model, system.loops, start
    if not model.closures or loops is None:
        return
    changed = refuse_dropped(system, variables)
    q, rows = system.split(y)[0], zip(variables, system.split(S)[0], strict=True)
    own = {row.label: s for row, s in rows if row.label in changed}
    closed = loops.at(system.parameters).evaluate(q, t)[0]
    for name, s in own.items():
        there = loops.at({**system.parameters, name: changed[name]})
        gaps = (there.evaluate(q + SMALL * s, t)[0] - closed)[loops.positions()]
        if not np.abs(gaps).max(initial=0.0) < OPEN * SMALL:
            raise _opens(f"'{name}'", f"model '{model.name}'")


def refuse_dropped(system: Dynamics, variables: Sequence[DesignVariable]) -> dict[str, float]:
    """Refuse parameters on whose values equations depend that no coordinate changes.

    Returns:
        Values of the parameters that vary, a little changed.
    """
    p = system.forward.input("p") if system.forward.takes("p") else None
    values = {} if p is None else dict(zip(p.labels, p.default or (), strict=True))
    own = [row.label for row in variables if row.kind == "parameter" and row.label in values]
    changed = {name: values[name] + SMALL for name in own}
    loops = system.loops
    if loops is None or not loops.written.info.get("dropped_by_value"):
        return changed  # every equation is solved, whatever the lengths
    if loops.labels and not loops.parameters.intersection(own):
        return changed
    error = _opening(system, changed)
    if error is not None:
        alone = [name for name in own if _opening(system, {name: changed[name]}) is not None]
        names = ", ".join(f"'{name}'" for name in alone or own)
        raise _opens(names, error.element) from error
    return changed


def _opening(system: Dynamics, changed: dict[str, float]) -> ModelError | None:
    """What is said of loops that other values of parameters open; none where they stay closed."""
    try:
        closure_equations(system.model, {**system.parameters, **changed})
    except ModelError as error:
        return error
    return None


def _opens(names: str, element: str) -> ModelError:
    return ModelError(
        f"it stays closed for the present values of {names} alone",
        element=element,
        cure="tie lengths that must be equal to one named parameter",
    )
