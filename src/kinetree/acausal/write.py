"""Stage 11, writing: sorted blocks become the equations of a Program.

| in | out |
|---|---|
| torn blocks in order | assignments, linear systems, Newton blocks in a Scheme |

A row alone is solved for its unknown.  A linear block becomes a linear system in its torn unknowns:
every other unknown is a constant and a slope by each of them.  A block that is not linear becomes a
Newton block with the exact Jacobian; the values that its iteration begins with are states without a
meaning of their own, which the solution renews.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from kinetree.acausal.incidence import Incidence
from kinetree.acausal.mechanics.motion import DRIVEN, EITHER, FREE, JointLink, SolvedMotion
from kinetree.acausal.tearing import RowSlopes, Torn
from kinetree.engine import ZERO, Node, Rank, add, evaluate, linear, mul, substitute, symbol
from kinetree.program import Assign, Note, Scheme
from kinetree.program.inline import inline
from kinetree.program.newton import write_newton

GUESS = "guess"
"""States from which iterations begin are called PATH.guess."""
LIMIT = 30
"""Iterations of a Newton block at most."""
TOLERANCE = 1e-11
"""Largest residual of a Newton block, in shares of the terms that it is made of at the start."""


@dataclass
class Written:
    """What was written besides the equations.

    Attributes:
        guesses: symbol of a start value of an iteration -> column that it is for.
    """

    guesses: dict[Node, int] = field(default_factory=dict)


def guess_symbol(node: Node) -> Node:
    """What stands for the value from which the iteration for an unknown begins."""
    return symbol(f"{node.name}.{GUESS}", Rank.COORDINATE)


def write_blocks(
    scheme: Scheme,
    page: Incidence,
    blocks: Sequence[Torn | SolvedMotion],
    values: Mapping[Node, float],
) -> Written:
    """Write all blocks in order.

    Args:
        scheme: where they go.
        page: whose rows they are.
        blocks: torn, each after those that it needs.
        values: of all symbols at the start, by which residuals are scaled.
    """
    written = Written()
    for number, block in enumerate(blocks, 1):
        if isinstance(block, SolvedMotion):
            _write_motion(scheme, page, block, number)
        elif block.linear and len(block.columns) + len(block.inner) == 1:
            (row,), (column,) = block.rows, block.columns
            _give(scheme, page, row, column, block.slopes[row])
        elif block.linear:
            _write_linear(scheme, page, block, number)
        else:
            _write_newton(scheme, page, block, (number, values), written)
    return written


def _note(page: Incidence, row: int) -> Note:
    origin = page.origin[row]
    return Note(body=origin.origin, step=str(origin), unit="")


def _give(scheme: Scheme, page: Incidence, row: int, column: int, slopes: RowSlopes) -> None:
    """Solve a row for a column in which it is linear."""
    node = page.columns[column]
    scheme.define(Assign(node, explicit(slopes, node), _note(page, row)))


def explicit(slopes: RowSlopes, unknown: Node) -> Node:
    """The unknown in terms of all others of its row."""
    assert slopes.rest is not None
    others = ((mul(d, s), 1) for s, d in slopes.by.items() if s is not unknown)
    return -linear(0, ((slopes.rest, 1), *others)) / slopes.by[unknown]


# --- linear blocks -------------------------------------------------------------------------------


def _write_linear(scheme: Scheme, page: Incidence, block: Torn, number: int) -> None:
    """A x = b in the torn unknowns; the others follow."""
    torn = [page.columns[c] for c in block.columns]
    size = len(torn)
    parts: dict[Node, tuple[Node, dict[int, Node]]] = {
        node: (ZERO, {k: ZERO + 1}) for k, node in enumerate(torn)
    }
    note = Note(step=f"linear block {number}")
    _follow(scheme, page, block.slopes, (block.inner, parts), (f"b{number}", note))
    A, b = [], []
    for row in block.rows:
        constant, by = _combine(scheme, block.slopes[row], None, parts, (f"b{number}", note))
        A.append([by.get(k, ZERO) for k in range(size)])
        b.append([-constant])
    X = scheme.solve(f"b{number}", A, b, symmetric=False, note=note)
    for node, (x,) in zip(torn, X, strict=True):
        scheme.define(Assign(node, x, note))
    for row, column in block.inner:
        _give(scheme, page, row, column, block.slopes[row])


def _follow(
    scheme: Scheme,
    page: Incidence,
    slopes: Mapping[int, RowSlopes],
    order: tuple[Sequence[tuple[int, int]], dict[Node, tuple[Node, dict[int, Node]]]],
    about: tuple[str, Note],
) -> None:
    """Add the unknowns that follow from the torn ones to these: constant, and slope by each."""
    inner, parts = order
    stem, note = about
    for row, column in inner:
        node = page.columns[column]
        pivot = -1 / slopes[row].by[node]
        constant, by = _combine(scheme, slopes[row], node, parts, about)
        name = f"{stem}_{len(parts)}"
        parts[node] = (
            scheme.let(f"{name}_0", pivot * constant, note),
            {k: scheme.let(f"{name}_{k + 1}", pivot * x, note) for k, x in by.items()},
        )


def _combine(
    scheme: Scheme,
    slopes: RowSlopes,
    without: Node | None,
    parts: Mapping[Node, tuple[Node, dict[int, Node]]],
    name: tuple[str, Note],
) -> tuple[Node, dict[int, Node]]:
    """A row in terms of the torn unknowns: constant, and slope by each."""
    assert slopes.rest is not None
    stem, note = name
    constants = [(scheme.let(f"{stem}_r", slopes.rest, note), 1)]
    sums: dict[int, list[Node]] = {}
    for s, slope in slopes.by.items():
        if s is without:
            continue
        constant, by = parts[s]
        constants.append((mul(slope, constant), 1))
        for k, x in by.items():
            sums.setdefault(k, []).append(mul(slope, x))
    return linear(0, tuple(constants)), {k: add(*terms) for k, terms in sums.items()}


# --- motions -------------------------------------------------------------------------------------


def _write_motion(scheme: Scheme, page: Incidence, block: SolvedMotion, number: int) -> None:
    """The equations that a formalism solves: qdd and tau of every velocity, and what follows."""
    motion, links = block.motion, block.links
    known = {DRIVEN: motion.qdd, FREE: motion.tau}
    gamma = [known.get(link.word, motion.tau)[k] for k, link in enumerate(links)]
    gamma = block.meaning(gamma)
    alpha: list[Node] = []
    beta: list[Node] = []
    for k, link in enumerate(links):
        if link.word == EITHER:
            a, b, gamma[k] = _relation(scheme, page, block, link, number)
            alpha.append(a)
            beta.append(b)
    values = motion.bindings(
        block.program, gamma=gamma, alpha=alpha, beta=beta, tau=gamma, qdd=gamma
    )
    meaning = dict(zip(values, block.meaning(values.values()), strict=True))
    out = inline(scheme, block.program, meaning, scheme.let_signed)  # signs are well chosen
    qdd, tau = out.get("qdd", gamma), out.get("tau", gamma)
    for k, link in enumerate(links):
        for end, value in ((link.qdd, qdd[k]), (link.tau, tau[k])):
            if end is not None and (end is link.qdd or link.left is not None or not link.inner):
                note = Note(body=motion.path, step="motion")
                scheme.define(Assign(end[0], linear(0, ((value, end[1]),)), note))
        for row, column in link.inner:
            _give(scheme, page, row, column, block.slopes[row])


def _relation(
    scheme: Scheme, page: Incidence, block: SolvedMotion, link: JointLink, number: int
) -> tuple[Node, Node, Node]:
    """alpha, beta and gamma of a velocity, from the rows that belong to it."""
    assert link.qdd is not None
    assert link.tau is not None
    parts = {link.qdd[0]: (ZERO, {0: ZERO + 1})}
    if link.left is not None:
        parts[link.tau[0]] = (ZERO, {1: ZERO + 1})
    about = f"m{number}", Note(step=f"motion {number}")
    _follow(scheme, page, block.slopes, (link.inner, parts), about)
    if link.left is None:  # tau = slope qdd + constant
        constant, by = parts[link.tau[0]]
        sign = link.tau[1]
        return by.get(0, ZERO) * (-sign * link.qdd[1]), ZERO + 1, constant * sign
    constant, by = _combine(scheme, block.slopes[link.left], None, parts, about)
    alpha, beta = (by.get(k, ZERO) for k in (0, 1))
    return alpha * link.qdd[1], beta * link.tau[1], -constant


# --- other blocks --------------------------------------------------------------------------------


def _write_newton(
    scheme: Scheme,
    page: Incidence,
    block: Torn,
    about: tuple[int, Mapping[Node, float]],
    written: Written,
) -> None:
    """h(x) = 0 in the torn unknowns, the others explicit inside."""
    number, values = about
    torn = [page.columns[c] for c in block.columns]
    inner = Scheme(f"newton_{number}")
    inside = {node: symbol(f"{node.name}~", Rank.LOCAL) for node in torn}
    tangents: dict[Node, dict[int, Node]] = {node: {k: ZERO + 1} for k, node in enumerate(torn)}
    for row, column in block.inner:
        node = page.columns[column]
        inside[node] = symbol(f"{node.name}~", Rank.LOCAL)
        (expr,) = substitute((explicit(block.slopes[row], node),), inside)
        inner.define(Assign(inside[node], expr, _note(page, row)))
        slope = substitute((block.slopes[row].by[node],), inside)[0]
        by = _chain(inner, block.slopes[row], node, (tangents, inside))
        tangents[node] = {k: inner.let(f"d{len(tangents)}_{k}", -x / slope) for k, x in by.items()}
    equations = []
    for row in block.rows:
        (h,) = substitute((page.rows[row],), inside)
        by = _chain(inner, block.slopes[row], None, (tangents, inside))
        size = _scale(page.rows[row], block.slopes[row], values)
        line = [by.get(k, ZERO) * size for k in range(len(torn))]
        equations.append((h * size, line))
    guesses = [guess_symbol(node) for node in torn]
    written.guesses.update(zip(guesses, block.columns, strict=True))
    labels = [str(page.origin[row]) for row in block.rows]
    write_newton(
        scheme, inner, [(inside[n], g) for n, g in zip(torn, guesses, strict=True)], equations,
        labels=labels, tolerance=TOLERANCE, limit=LIMIT, note=Note(step=f"block {number}"),
    )  # fmt: skip
    for node in torn:
        scheme.define(Assign(node, inside[node], Note(step=f"block {number}")))
    for row, column in block.inner:
        _give(scheme, page, row, column, block.slopes[row])


def _chain(
    inner: Scheme,
    slopes: RowSlopes,
    without: Node | None,
    known: tuple[Mapping[Node, dict[int, Node]], Mapping[Node, Node]],
) -> dict[int, Node]:
    """Slopes of a row by the torn unknowns, through those that follow from them."""
    tangents, inside = known
    sums: dict[int, list[Node]] = {}
    for s, slope in slopes.by.items():
        if s is without:
            continue
        (own,) = substitute((slope,), inside)
        for k, x in tangents[s].items():
            sums.setdefault(k, []).append(mul(own, x))
    return {k: inner.let(f"J{k + 1}", add(*terms)) for k, terms in sums.items()}


def _scale(residual: Node, slopes: RowSlopes, values: Mapping[Node, float]) -> float:
    """What a residual is multiplied by, so that its terms are about 1 at the start."""
    terms = [abs(float(x)) for x in evaluate(tuple(slopes.by.values()), values)]
    sizes = [abs(d) * max(abs(values[s]), 1.0) for s, d in zip(slopes.by, terms, strict=True)]
    largest = max([x for x in sizes if np.isfinite(x) and x > 0], default=1.0)
    return float(2.0 ** -np.round(np.log2(largest)))
