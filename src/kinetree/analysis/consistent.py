"""Consistent coordinates and velocities; what the user gives is kept where the loops let it.

    h(q, t) = 0,   J qd + ht = 0

Values given by name keep their place, the others follow from the loops; of a whole array the
smallest change is made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinetree.analysis.values import Values, given_values, unit_quaternions
from kinetree.assembly.assemble import close
from kinetree.assembly.loops import Loops, closure_equations, loops
from kinetree.assembly.overrides import Parameters, with_values
from kinetree.errors import AssemblyError
from kinetree.pipeline import derive

if TYPE_CHECKING:
    from kinetree.model.system import Model

Array = NDArray[np.float64]
FITS = 1e-9
"""Largest violation of J qd + ht = 0 that is rounding, relative to 1 + the largest velocity."""


def assembled(
    model: Model,
    q: Values,
    t: float,
    parameters: Parameters = None,
    kept: Sequence[str] = (),
) -> Array:
    """Coordinates that close the loops, from the given or the model's initial ones.

    Args:
        model: the mechanism.
        q: coordinates, all or some by name; those given by name keep their values, the first ones
            before the later ones, as far as the loops let them.
        t: time of laws and drives [s].
        parameters: values by name in place of the model's.
        kept: coordinates that keep their values too, if they can.

    Raises:
        AssemblyError: where the loops do not close.
    """
    first = unit_quaternions(model, given_values(q, model.initial(), model.coordinates, "q"))
    if not model.closures and not model.drives:
        return first
    system = loops(model, parameters)
    start = system.start(first.tolist(), t)
    names = list(dict.fromkeys([*kept_names(model, q), *kept]))
    found = _closed(system, start, names, t) if names else None
    if found is None and len(names) > 1:
        found = _greedy(system, start, names, t)
    return close(system, start, t=t).q if found is None else found


def _greedy(system: Loops, start: Array, names: list[str], t: float) -> Array | None:
    """The closed configuration that keeps names one after the other; none where it keeps none."""
    kept: list[str] = []
    best: Array | None = None
    for name in names:
        found = _closed(system, start, [*kept, name], t)
        if found is not None:
            kept, best = [*kept, name], found
    return best


def _closed(system: Loops, start: Array, kept: list[str], t: float) -> Array | None:
    """The closed configuration in which some coordinates keep their values, if there is one."""
    try:
        return close(system, start, independent=kept, t=t).q
    except AssemblyError:
        return None  # what was given cannot be kept; the caller tells how it changed


def kept_names(model: Model, q: Values) -> list[str]:
    """Velocities whose coordinates the user gave by name; driven ones follow their laws."""
    given = q if isinstance(q, Mapping) else {}
    return [name for name in given if name in model.velocities and name not in model.drives]


def consistent_velocities(
    model: Model, q: Array, qd: Values, t: float, parameters: Parameters = None
) -> Array:
    """Velocities that the loops allow at a closed configuration.

    Args:
        model: the mechanism.
        q: closed configuration.
        qd: given velocities, all or some by name; by default zero.
        t: time of laws and drives [s].
        parameters: values by name in place of the model's.
    """
    out = given_values(qd, np.zeros(model.nv), model.velocities, "qd")
    held = _driven(model, q, t, out, parameters)
    if not model.closures:
        return out
    program = closure_equations(model, parameters)
    names = {row.name for row in program.inputs}
    given: dict[str, Any] = {"q": q, "qd": out, "t": np.array(t)}
    found = program.evaluate(**{k: v for k, v in given.items() if k in names})
    named = [model.velocities.index(n) for n in qd] if isinstance(qd, Mapping) else []
    J, ht = found["J"], found["ht"]
    share = model.loop_tolerance
    best, fits = _corrected(J, ht, out, [*held, *named], share)
    if fits:
        return best
    best, _ = _corrected(J, ht, out, held, share)
    for k in named:  # one after the other, as far as the loops let them
        moved, fits = _corrected(J, ht, out, [*held, k], share)
        if fits:
            best, held = moved, [*held, k]
    return best


def _corrected(
    J: Array, ht: Array, qd: Array, fixed: list[int], share: float
) -> tuple[Array, bool]:
    """qd with the least change of all but the fixed ones, and whether it satisfies the loops.

    Equations whose singular value is below `share` of the largest repeat others.
    """
    free = [k for k in range(len(qd)) if k not in fixed]
    moved = qd.copy()
    moved[free] += np.linalg.lstsq(J[:, free], -(J @ qd + ht), rcond=max(1e-10, share))[0]
    size = 1 + np.abs(moved).max(initial=0.0)
    return moved, bool(np.abs(J @ moved + ht).max(initial=0.0) <= max(FITS, share) * size)


def _driven(model: Model, q: Array, t: float, qd: Array, parameters: Parameters) -> list[int]:
    """Put the velocities of drives into qd; their numbers."""
    numbers = [model.velocities.index(name) for name in model.drives if name in model.velocities]
    if any(drive.law is not None for drive in model.drives.values()):
        program = with_values(derive(model, "drives"), parameters)
        names = {row.name for row in program.inputs}
        given: dict[str, Any] = {"q": q, "t": np.array(t)}
        values = program.evaluate(**{k: v for k, v in given.items() if k in names})["qd"]
        for name, value in zip(program.output("qd").labels, values, strict=True):
            qd[model.velocities.index(name)] = value
    return numbers


__all__ = ["assembled", "consistent_velocities", "kept_names"]
