"""Constraints of closed systems: h, J and Jdqd of every closure, trivial equations dropped.

An equation is trivial where no velocity changes it and its value is zero: a ball cut in a planar
mechanism leaves two equations.  Where the value is a constant other than zero, the loop cannot
close.

Refs: Docquier2013 sec. 2.2, eqs. 7 to 9
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kinetree.engine import ZERO, Node, evaluate, symbols
from kinetree.errors import ModelError
from kinetree.formalism.conditions import Ends, Row, along, angle, coincide, distance
from kinetree.formalism.laws import Atoms, coordinate_rows, folded, law, rate_law
from kinetree.formalism.loops import End, last_common, views
from kinetree.formalism.rolling import roll, touch
from kinetree.model.closing import place_symbols
from kinetree.model.closures import (
    Along,
    Angle,
    Coincide,
    Coupled,
    Distance,
    Law,
    RateLaw,
    Roll,
    Touch,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from kinetree.formalism.frames import Frames
    from kinetree.formalism.loops import View
    from kinetree.model.closures import Closure, Condition

CLOSED = 1e-9
"""A constant equation violated by more than this [m or 1] cannot be closed."""
AXES: tuple[tuple[float, float, float], ...] = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


def constraints(frames: Frames, _: tuple[Node, ...] = ()) -> None:
    """Write the outputs h (m), J (m × nv), Jdqd (m), ht (m); labels are "closure.component".

    hdot = J qd + ht and hddot = J qdd + Jdqd.  Equations between velocities have h = 0; the info
    row "rates" of the Program lists them, the row "dropped" lists the trivial equations, and
    "dropped_by_value" those among them that hold for the model's own lengths only.
    """
    system, scheme = frames.system, frames.scheme
    every = list(equations(frames))
    rows = kept(frames, every)
    dropped = [row.label for row in every if row not in rows]
    labels = [row.label for row in rows]
    scheme.output("h", [row.h for row in rows], None, labels)
    J = [row.J.get(k, ZERO) for row in rows for k in range(system.nv)]
    scheme.output("J", J, (len(rows), system.nv))
    scheme.output("Jdqd", [row.Jdqd for row in rows], None, labels)
    scheme.output("ht", [row.ht for row in rows], None, labels)
    scheme.info["dropped"] = ", ".join(dropped)
    by_value = [row.label for row in every if row.label in dropped and row.h is not ZERO]
    scheme.info["dropped_by_value"] = ", ".join(by_value)
    scheme.info["rates"] = ", ".join(row.label for row in rows if not row.holonomic)


def kept(frames: Frames, every: Sequence[Row]) -> list[Row]:
    """The equations that are not trivial."""
    known = _parameter_values(frames)
    allowed = max(CLOSED, frames.system.model.loop_tolerance)
    return [row for row in every if not _is_trivial(row, known, allowed)]


def equations(frames: Frames, names: Collection[str] | None = None) -> Iterator[Row]:
    """Every equation, trivial ones included, of all closures or of those named, in model order."""
    whole = frames.system.model.closures.values()
    closures = [closure for closure in whole if names is None or closure.name in names]
    seen = views(frames, [c for c in closures if c.ends])
    atoms = coordinate_rows(frames.system)
    for closure in closures:
        ends = _ends(frames, closure, seen) if closure.ends else None
        for condition in closure.conditions:
            row = (
                _between(ends, condition, atoms)
                if ends
                else _relation(frames, closure, condition, atoms)
            )
            label = f"{closure.name}.{condition.label}"
            yield replace(row, label=label, holonomic=condition.holonomic)


def _ends(frames: Frames, closure: Closure, seen: dict[int, View]) -> Ends:
    """The two ends of a closure in the frame of the last link that carries both."""
    one, two = (frames.system.pose(end) for end in closure.ends)
    view = seen[last_common(frames.system, one.link, two.link)]
    first = End(frames, view, one, f"{closure.name}_1")
    return Ends(frames, closure, first, End(frames, view, two, f"{closure.name}_2"))


ROWS: dict[type, Callable[..., Row]] = {
    Coincide: lambda ends, c: coincide(ends, c.k),
    Along: lambda ends, c: along(ends, c.axis),
    Angle: lambda ends, c: angle(ends, c.a, c.b, c.cosine),
    Distance: lambda ends, _: distance(ends),
    Touch: touch,
    Roll: roll,
}
"""Condition between two ends -> the function that writes its row."""


def _between(ends: Ends, condition: Condition, atoms: Atoms) -> Row:
    """The row of a condition between two ends."""
    if not isinstance(condition, Law):
        return ROWS[type(condition)](ends, condition)
    place = {
        s: along(ends, axis, f"u{s.name}") for s, axis in zip(place_symbols(), AXES, strict=True)
    }
    return law(folded(ends.frames.system, condition.expr), {**atoms, **place})


def _relation(frames: Frames, closure: Closure, condition: Condition, atoms: Atoms) -> Row:
    """The row of a condition between coordinates."""
    system = frames.system
    if isinstance(condition, Coupled):
        at = dict(zip(system.model.coordinates, system.q, strict=True))
        ratio, offset = (system.table.closure_scalar(closure, n) for n in ("ratio", "offset"))
        return law(at[condition.first] - ratio * at[condition.second] - offset, atoms)
    if isinstance(condition, RateLaw):
        return rate_law(system, folded(system, condition.expr), atoms, f"closure '{closure.name}'")
    assert isinstance(condition, Law)
    return law(folded(system, condition.expr), atoms)


def _parameter_values(frames: Frames) -> dict[Node, float]:
    """Values, for the model's own parameters, of all names that depend on nothing else."""
    known = frames.system.table.numbers()
    for block in frames.scheme.assigned():
        if all(s in known for s in symbols([block.expr])):
            known[block.target] = float(evaluate([block.expr], known)[0])
    return known


def _is_trivial(row: Row, known: dict[Node, float], allowed: float) -> bool:
    """Whether the equation always holds, but for a gap that is allowed.

    Raises:
        ModelError: where it never can.
    """
    if not row.constant or any(s not in known for s in symbols([row.h, row.ht])):
        return False
    gap = float(evaluate([row.h + row.ht], known)[0])
    if abs(gap) > allowed:
        name, _, component = row.label.partition(".")
        raise ModelError(
            f"its component {component} is {gap:.6g} whatever the coordinates are",
            element=f"closure '{name}'",
            cure="correct the places of its ends, use a closure without this component, or raise "
            f"loop_tolerance of the model above {abs(gap):.2g} where its data are rounded",
        )
    return True


__all__ = ["constraints", "equations", "kept"]
