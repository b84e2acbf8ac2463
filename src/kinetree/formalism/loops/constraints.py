"""Constraints of closed systems: h, J and Jdqd of every closure, trivial equations dropped.

An equation is trivial where no velocity changes it and its value depends on parameters alone: a
ball cut in a planar mechanism leaves two equations.  The value must be zero for the loop to close:
where parameters make it another one, the first h is NaN.

Refs: Docquier2013 sec. 2.2, eqs. 7 to 9
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kinetree.engine import ZERO, Node, evaluate, substitute, symbols
from kinetree.errors import ModelError
from kinetree.formalism.links.frames import Frames
from kinetree.formalism.loops.closure_views import End, View, last_common, views
from kinetree.formalism.loops.conditions import Ends, Row, along, angle, coincide, distance
from kinetree.formalism.loops.laws import Atoms, coordinate_rows, fold_parameters, law, rate_law
from kinetree.formalism.loops.rolling import roll, touch
from kinetree.formalism.loops.rounding import loop_size
from kinetree.formalism.loops.validity import CLOSED, Validity
from kinetree.model import (
    POSITIVE,
    Along,
    Angle,
    Closure,
    Coincide,
    Condition,
    Coupled,
    Distance,
    Law,
    RateLaw,
    Roll,
    Touch,
    end_symbols,
)
from kinetree.program import Scheme
from kinetree.program.inline import WrittenEquations

if TYPE_CHECKING:
    from kinetree.formalism.links.linkage import Linkage

AXES: tuple[tuple[float, float, float], ...] = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


def constraints(
    frames: Frames, _: tuple[Node, ...] = (), values: Mapping[str, float] | None = None
) -> None:
    """Write the outputs h (m), J (m × nv), Jdqd (m), ht (m); labels are "closure.component".

    hdot = J qd + ht and hddot = J qdd + Jdqd.  Equations between velocities have h = 0; the info
    row "rates" of the Program lists them, the row "dropped" lists the trivial equations, and
    "dropped_by_value" those among them that hold for some lengths only: for others the first h is
    NaN.

    Args:
        frames: the links.
        values: parameters by name in place of the model's, for which the loops have to close.
    """
    system, scheme = frames.system, frames.scheme
    rows, dropped = sort_equations(frames, equations(scheme, system), values)
    labels = [row.label for row in rows]
    gap = trivial_tests(frames, dropped).gap()
    h, ht = [row.h for row in rows], [row.ht for row in rows]
    if gap is not None and rows:  # one that has no value is enough to tell, and cheap
        first = next((k for k, row in enumerate(rows) if row.holonomic), None)
        told, at = (ht, 0) if first is None else (h, first)
        told[at] = told[at] + gap
    scheme.output("h", h, None, labels)
    J = [row.J.get(k, ZERO) for row in rows for k in range(system.nv)]
    scheme.output("J", J, (len(rows), system.nv))
    scheme.output("Jdqd", [row.Jdqd for row in rows], None, labels)
    scheme.output("ht", ht, None, labels)
    scheme.info["dropped"] = ", ".join(row.label for row in dropped)
    by_value = [row.label for row in dropped if row.h is not ZERO]
    scheme.info["dropped_by_value"] = ", ".join(by_value)
    scheme.info["rates"] = ", ".join(row.label for row in rows if not row.holonomic)


def sort_equations(
    frames: Frames, every: Sequence[Row], values: Mapping[str, float] | None = None
) -> tuple[list[Row], list[Row]]:
    """The equations to be solved, and the trivial ones.

    Raises:
        ModelError: where a trivial one does not hold, for the model's parameters or those given,
            or a length that must be positive is not.
    """
    known = _parameter_values(frames, values or {})
    _refuse_lengths(frames, known)
    dropped = [row for row in every if _is_trivial(row, known)]
    for row in dropped:
        _refuse_open(frames, row, known, values or {})
    return [row for row in every if row not in dropped], dropped


def trivial_tests(frames: Frames, dropped: Sequence[Row]) -> Validity:
    """The tests of trivial equations."""
    tests = Validity(frames.scheme, frames.system)
    for row in dropped:
        tests.check_closed(row)
    return tests


def equations(
    scheme: Scheme, system: Linkage, names: Collection[str] | None = None, *, rates: bool = True
) -> list[Row]:
    """Every equation, trivial ones included, of all closures or of those named, in model order.

    They are derived once, and written wherever they are evaluated.

    Args:
        scheme: where they are written.
        system: the links.
        names: of closures.
        rates: False where h and J are enough.
    """
    every, written = _loop_equations(system)
    rows = [row for row in every if names is None or row.label.partition(".")[0] in names]
    results = [x for row in rows for x in (row.h, *row.J.values())]
    if rates:
        results += [x for row in rows for x in (row.Jdqd, row.ht)]
    renamed = written.copy(scheme, results)
    return [_rename(row, renamed) for row in rows] if renamed else rows


def _loop_equations(system: Linkage) -> tuple[tuple[Row, ...], WrittenEquations]:
    """All equations of the closures, in a scheme of their own."""
    if "loops" not in system.kept:
        scheme = Scheme("loops")
        rows = write_equations(Frames(scheme, system))
        known = tuple(replace(row, rate=ZERO, pushes=()) for row in rows)
        system.kept["loops"] = known, WrittenEquations(scheme)
    found: tuple[tuple[Row, ...], WrittenEquations] = system.kept["loops"]
    return found


def _rename(row: Row, renamed: Mapping[Node, Node]) -> Row:
    """The same row with other names."""
    values = (row.h, row.Jdqd, row.ht, *row.J.values())
    h, Jdqd, ht, *J = substitute(values, renamed)
    return replace(row, h=h, Jdqd=Jdqd, ht=ht, J=dict(zip(row.J, J, strict=True)))


def write_equations(frames: Frames) -> Iterator[Row]:
    """Derive every equation, with its pushes, in the scheme of the frames."""
    closures = frames.system.model.closures.values()
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
    first = End(frames, view, one, f"{closure.name}_1", closure.name)
    second = End(frames, view, two, f"{closure.name}_2", closure.name)
    return Ends(frames, closure, first, second)


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
        s: along(ends, axis, f"u{s.name}") for s, axis in zip(end_symbols(), AXES, strict=True)
    }
    return law(fold_parameters(ends.frames.system, condition.expr), {**atoms, **place})


def _relation(frames: Frames, closure: Closure, condition: Condition, atoms: Atoms) -> Row:
    """The row of a condition between coordinates."""
    system = frames.system
    if isinstance(condition, Coupled):
        at = dict(zip(system.model.coordinates, system.q, strict=True))
        ratio, offset = (system.table.closure_scalar(closure, n) for n in ("ratio", "offset"))
        return law(at[condition.first] - ratio * at[condition.second] - offset, atoms)
    if isinstance(condition, RateLaw):
        return rate_law(
            system, fold_parameters(system, condition.expr), atoms, f"closure '{closure.name}'"
        )
    assert isinstance(condition, Law)
    return law(fold_parameters(system, condition.expr), atoms)


def _parameter_values(frames: Frames, values: Mapping[str, float]) -> dict[Node, float]:
    """Values of all names that depend on parameters alone."""
    table = frames.system.table
    known = {row.symbol: float(values.get(row.name, row.value)) for row in table.rows}
    for block in frames.scheme.assignments():
        if all(s in known for s in symbols([block.expr])):
            known[block.target] = float(evaluate([block.expr], known)[0])
    return known


def _is_trivial(row: Row, known: Mapping[Node, float]) -> bool:
    """Whether parameters alone say if the equation holds."""
    return row.constant and all(s in known for s in symbols([row.h, row.ht]))


def _refuse_open(
    frames: Frames, row: Row, known: Mapping[Node, float], values: Mapping[str, float]
) -> None:
    """Refuse a trivial equation that does not hold."""
    gap = float(evaluate([row.h + row.ht], known)[0])
    name, _, component = row.label.partition(".")
    model = frames.system.model
    size = float(evaluate([loop_size(frames.system, model.closures[name])], known)[0])
    if abs(gap) <= max(CLOSED * size, model.loop_tolerance):
        return
    used = _parameters_of(frames, row)
    given = [f"{n} = {float(x):.6g}" for n, x in values.items() if n in used]
    among = f", with parameter {', '.join(given)}" if given else ""
    raise ModelError(
        f"its component {component} is {gap:.6g} whatever the coordinates are{among}",
        element=f"closure '{name}'",
        cure="correct the places of its ends, use a closure without this component, or raise "
        f"loop_tolerance of the model above {abs(gap):.2g} where its data are rounded",
    )


def _refuse_lengths(frames: Frames, known: Mapping[Node, float]) -> None:
    """Refuse lengths and radii of closures that are not positive."""
    table = frames.system.table
    for closure in frames.system.model.closures.values():
        for name in (n for n in POSITIVE if n in closure.scalars):
            value = float(evaluate([table.nodes[f"{closure.name}.{name}"]], known)[0])
            if value <= 0:
                element, cure = f"closure '{closure.name}'", "give a positive value"
                raise ModelError(f"its {name} is {value:g}", element=element, cure=cure)


def _parameters_of(frames: Frames, row: Row) -> set[str]:
    """Names of the parameters that an equation speaks of."""
    wanted = set(symbols([row.h, row.ht]))
    for block in reversed(list(frames.scheme.assignments())):
        if block.target in wanted:
            wanted.update(symbols([block.expr]))
    return {p.name for p in frames.system.table.rows if p.symbol in wanted}
