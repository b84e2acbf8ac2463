"""Stage 10, start: consistent values of all variables from what is said of the beginning.

| in | out |
|---|---|
| a page, its states, fixed start values, initial equations | a value per column; what was assumed |

The equations of the start are those of the page, fixed start values and initial equations.  Where
they leave states open, these begin with their start values, in order: every such default is
listed.  The whole goes through matching and block triangular form, and block by block through a
damped Newton iteration from the start values; where that ends in a hollow of the residual, a
continuation leads out of it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from kinetree.acausal.diagnosis import excess_rows, list_names, say_equation
from kinetree.acausal.incidence import Incidence
from kinetree.acausal.instances import FlatEquation
from kinetree.acausal.physical import join_name
from kinetree.acausal.selection import States
from kinetree.arrays import Array
from kinetree.engine import Node, as_node, evaluate, partials, substitute, symbols
from kinetree.errors import AssemblyError, ModelError
from kinetree.program.sparsity import match, strong_components
from kinetree.solve.continuation import follow_path
from kinetree.solve.newton import Solution, damped_newton

TOLERANCE = 1e-10
"""Largest residual of a block at the start, in shares of its terms."""


LARGEST = (np.inf, 10.0, 1.0, 0.1)
"""Longest components of steps, tried in turn: exponentials want short ones."""
STEPS = 200
"""Iterations at most, with each of them."""
FOLLOWED = 100
"""Unknowns of a block up to which a path is followed where an iteration ends in a hollow."""
MOST = 4
"""Unknowns and equations that a sentence names."""


class StartValues(dict[Node, float]):
    """Values of symbols; 0 where none is known."""

    def __missing__(self, key: Node) -> float:
        return 0.0

    def __contains__(self, key: object) -> bool:
        return True


@dataclass(frozen=True)
class SystemStart:
    """Values at the start.

    Attributes:
        values: of all symbols.
        assumed: sentences on defaults that were added.
        defaults: columns of the states that begin with them.
        solved: whether all variables have their values, not states alone.
    """

    values: StartValues
    assumed: list[str] = field(default_factory=list)
    defaults: tuple[int, ...] = ()
    solved: bool = False


def find_start(
    page: Incidence,
    states: States,
    initial: Sequence[FlatEquation],
    values: StartValues,
    *,
    iterates: bool,
    modes: Collection[Node] = (),
) -> SystemStart:
    """Consistent values.

    Args:
        page: all equations.
        states: of the page.
        initial: equations at the start, without aliases.
        values: of parameters, and start values; completed.
        iterates: whether blocks need values to iterate from.
        modes: what events alone change.  What they leave out of equations takes no part: a friction
            that sticks does not give its force.
    """
    own = {page.columns[c] for c in states.states}
    fixed = [row for row in page.variables if row.fixed]
    if not initial and not iterates and all(row.symbol in own for row in fixed):
        names = {row.symbol for row in fixed}
        open_states = [c for c in states.states if page.columns[c] not in names]
        return _start_with(page, open_states, values)
    rows = [*page.rows, *(row.symbol - values[row.symbol] for row in fixed)]
    rows += [row.residual for row in initial]
    rows = substitute(rows, {mode: as_node(values[mode]) for mode in modes}) if modes else rows
    said = [*map(str, page.origin)]
    said += [f"start value {values[row.symbol]:g} of '{row.path}'" for row in fixed]
    said += [f"initial {say_equation(row)}" for row in initial]
    return _solve(page, states, (rows, said), values)


def _start_with(page: Incidence, defaults: Sequence[int], values: StartValues) -> SystemStart:
    told = [_assumption(page, column, values) for column in defaults]
    return SystemStart(values, told, tuple(defaults))


def _assumption(page: Incidence, column: int, values: StartValues) -> str:
    name = join_name(page.variables[page.place[column][0]].path, page.place[column][1])
    return f"{name} = {values[page.columns[column]]:g}"


def _solve(
    page: Incidence, states: States, given: tuple[list[Node], list[str]], values: StartValues
) -> SystemStart:
    rows, said = given
    size, count = len(page.columns), len(rows)
    pattern = [[page.column_of[s] for s in symbols((r,)) if s in page.column_of] for r in rows]
    row_of = match(pattern)
    if len(row_of) < count:
        _refuse_many(said, excess_rows(pattern, row_of), len(page.rows))
    candidates = list(states.states)
    pattern += [[column] for column in candidates]
    row_of = match(pattern, row_of)
    column_of = {row: column for column, row in row_of.items()}
    if len(row_of) < size:
        raise ModelError("the initial values leave variables open", element="the whole")
    used = [k for k in range(len(pattern)) if k in column_of]
    defaults = [candidates[k - count] for k in used if k >= count]
    begun = _start_with(page, defaults, values)  # told with the values before any iteration
    place = {row: k for k, row in enumerate(used)}
    needs = [[place[row_of[column]] for column in pattern[row]] for row in used]
    for part in strong_components(needs):
        own = [used[k] for k in part]
        if own[0] < count:
            columns = [page.columns[column_of[row]] for row in own]
            _solve_block([rows[k] for k in own], columns, values, [said[k] for k in own])
    return replace(begun, solved=True)


def _refuse_many(said: Sequence[str], excess: Sequence[int], own: int) -> None:
    names = [said[k] for k in excess if k >= own]
    count = "is" if len(names) == 1 else "are"
    raise ModelError(
        f"too many initial values: {', '.join(names)} {count} one too many for what the equations "
        "leave open",
        element="the whole",
        cure="take one of them away, or give it with fixed=False as a guess",
    )


def _solve_block(
    rows: Sequence[Node], columns: Sequence[Node], values: StartValues, said: Sequence[str]
) -> None:
    """Solve one block from the values that there are."""
    slopes = [partials(row) for row in rows]
    entries = [
        (i, j, slope[c]) for i, slope in enumerate(slopes) for j, c in enumerate(columns)
        if c in slope
    ]  # fmt: skip
    nodes = [*rows, *(node for _, _, node in entries)]

    def function(x: Array) -> tuple[Array, Array]:
        for c, value in zip(columns, x, strict=True):
            values[c] = float(value)
        with np.errstate(all="ignore"):
            found = [float(v) for v in evaluate(nodes, values)]
        found = [v if np.isfinite(v) else np.nan for v in found]
        h, J = np.array(found[: len(rows)]), np.zeros((len(rows), len(columns)))
        for (i, j, _), value in zip(entries, found[len(rows) :], strict=True):
            J[i, j] = value
        return h, J

    found = _iterate(function, np.array([values[c] for c in columns]))
    for c, value in zip(columns, found.x, strict=True):
        values[c] = float(value)
    if not found.converged:
        raise _not_found(rows, columns, values, said)


def _iterate(function: Callable[[Array], tuple[Array, Array]], start: Array) -> Solution:
    """A damped iteration, with shorter and shorter steps; then one from where a path leads."""

    def relative(x: Array) -> tuple[Array, Array]:
        h, J = function(x)
        size = _sizes(J, x)
        return h / size, J / size[:, None]

    def newton(x: Array, largest: float) -> Solution:
        return damped_newton(
            relative, x, lambda x, step: x + step, tolerance=TOLERANCE, largest=largest,
            steps=STEPS, cutoff=1e-15,
        )  # fmt: skip

    for largest in LARGEST:
        found = newton(start, largest)
        if found.converged:
            return found
    if len(start) <= FOLLOWED:
        unit = np.maximum(np.abs(start), 1.0)
        size = _sizes(function(start)[1], start)

        def in_units(z: Array) -> tuple[Array, Array]:
            h, J = function(z * unit)
            return h / size, J * unit / size[:, None]

        led = follow_path(in_units, start / unit)
        if led is not None and (other := newton(led * unit, np.inf)).converged:
            return other
    return found


def _sizes(J: Array, x: Array) -> Array:
    """The sizes of the terms of every row."""
    return np.asarray(np.maximum(np.abs(J) @ np.maximum(np.abs(x), 1.0), 1e-300))


def _not_found(
    rows: Sequence[Node], columns: Sequence[Node], values: StartValues, said: Sequence[str]
) -> AssemblyError:
    """The error of a block that has no solution near its start values."""
    with np.errstate(all="ignore"):
        left = [float(v) for v in evaluate(tuple(rows), values)]
    worst = sorted(range(len(rows)), key=lambda k: -abs(left[k]))[:MOST]
    residuals = ", ".join(f"{said[k]} is off by {left[k]:.2g}" for k in worst)
    names = ", ".join(f"'{c.name.removeprefix('x_')}' = {values[c]:.3g}" for c in columns[:MOST])
    more = f" and {len(columns) - MOST} more" if len(columns) > MOST else ""
    block = f"block of {len(columns)} unknowns" if len(columns) > 1 else "unknown"
    return AssemblyError(
        f"no solution is found at the start; the iteration ends at {names}{more}, where "
        f"{residuals}",
        element=f"{block} {list_names(c.name.removeprefix('x_') for c in columns)}",
        cure="give start values nearer to a solution",
    )
