"""One step of a structural method as a Program: state in, state out, Newton's method between.

A formulation says how the equations are written at a trial end of the step (`Formulation`, a row of
functions); `structural_step` makes a step of it.  It owns the Newton block, its tolerance, the
bound on its changes, and what becomes of the tangent: full Newton rebuilds the matrix in every
iteration; modified Newton inverts it once per step, at the first iterate, and where a few
iterations do not converge full Newton goes on from there.

| formulation | unknowns | equations |
|---|---|---|
| tree (here) | Δ | M qdd + c - τ = 0 |
| `hybrid`, `global_step` | Δ, λ | M qdd + c - τ - Jᵀλ = 0, g = 0, then projections |
| `topological` | Δ | Rᵀ (M qdd + c - τ) = 0, g = 0 |

Refs: Cuadrado2003 eqs. 25 to 27
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from kinetree.engine import ONE, ZERO, Node, Rank, call, linear, number, select, sqrt, symbol
from kinetree.formalism.links.vectors import Matrix
from kinetree.model import dot
from kinetree.program import Note, Program, Scheme
from kinetree.program.newton import write_newton
from kinetree.steppers.family import COUNT, Family
from kinetree.steppers.formulations import dynamics
from kinetree.steppers.formulations.newmark import Iterate, TimeStep, TrialEnd, begin_step, end

if TYPE_CHECKING:
    from kinetree.steppers.equations.residual import Residual
    from kinetree.steppers.equations.step_inputs import NewtonSettings

TURN = 0.3
"""Largest change of the angles of loops in one iteration, as the norm of all of them [rad].

A loop can close in several ways: a longer change may end in another one, far from the start.
"""
HUGE = 1e300
"""`value + HUGE > 0` holds for every finite value that occurs, and fails for NaN."""
KEPT = 8
"""Iterations of modified Newton (tangent kept) before the switch to full Newton."""
Residuals = tuple[TrialEnd, list[Node], list[Node]]
"""The point with its loops, the values that are tested, and the right-hand side r of A dz = r."""


@dataclass(frozen=True)
class Formulation:
    """How a step writes its equations: a row of functions of a trial end.

    Attributes:
        labels: what the equations are about, in their order, for messages.
        residual: (point, M qdd + c - τ, γh/κ (xd - rate)) -> what is tested, and r of A dz = r.
        tangent: the leading matrix A at a point that has slopes.
        solve: (scheme, stem of names, A, B) -> X with A X = B.
        change: (point, dz) -> the change of all unknowns.
        equations: (point, what is tested) -> equations and their exact derivatives.
        finish: (point, kept A⁻¹ if any) -> None; writes the state at the end of the step.
        multipliers: labels of those that are unknowns.
        link: completes a trial end by rates that the loops give.
        far: number of a gap -> what rounding leaves of it, in the order of the last equations.
    """

    labels: Sequence[str]
    residual: Callable[[TrialEnd, list[Node], list[Node]], Residuals]
    tangent: Callable[[TrialEnd], Matrix]
    solve: Callable[[Scheme, str, Matrix, Matrix], Matrix]
    change: Callable[[TrialEnd, list[Node]], list[Node]]
    equations: Callable[[TrialEnd, list[Node]], list[dynamics.Equation]]
    finish: Callable[[TrialEnd, Matrix], None]
    multipliers: Sequence[str] = ()
    link: Callable[[TrialEnd], TrialEnd] = lambda p: p
    far: Mapping[int, Node] = field(default_factory=dict)


def structural_step(step: TimeStep, way: Formulation) -> Program:
    """The Program of a step in a formulation."""
    limit, counts = step.settings.limit, []
    inverse: Matrix = []
    start = replace(step.guess, L=step.inputs.start.lam if way.multipliers else ())
    z = _unknowns(step, way, "")
    if step.settings.update == "step" and z.values:
        few = min(KEPT, limit)
        kept = _unknowns(step, way, "kept_")
        inverse, count = _write_block(step, way, kept, start, few, keep=True)
        counts.append(_or_else(count, number(few)))
        start = _last_finite(kept, start)
    if z.values:
        _, count = _write_block(step, way, z, start, limit)
        counts.append(count)
    way.finish(way.link(end(step, step.scheme, z)), inverse)
    if counts:
        step.scheme.output(COUNT, [linear(0, tuple((x, 1) for x in counts))], ())
    return step.scheme.program()


def _unknowns(step: TimeStep, way: Formulation, mark: str) -> Iterate:
    """Names for the unknowns of a Newton block."""
    model = step.parts.model
    D = {k: symbol(f"{mark}D_{model.velocities[k]}", Rank.COORDINATE) for k in step.free}
    S = [symbol(f"{mark}D_{name}", Rank.COORDINATE) for name in model.states]
    return Iterate(D, S, [symbol(f"{mark}L_{label}", Rank.FORCE) for label in way.multipliers])


def _write_block(
    step: TimeStep, way: Formulation, z: Iterate, start: Iterate, limit: int, *, keep: bool = False
) -> tuple[Matrix, Node]:
    """Write a Newton block; A⁻¹ where the tangent is kept, and the number of iterations."""
    inner = Scheme("step", step.scheme.names)
    p = way.link(end(step, inner, z))
    p, r, rates = dynamics.evaluate(step, p, keep=keep)
    p, tested, right = way.residual(p, r, rates)
    inverse: Matrix = []
    dz: list[Node] = []
    if keep and right:
        inverse = _invert_tangent(step, way, start)
        named = [inner.let("rhs", x) for x in right]
        dz = [inner.let("dz", dot(row, named)) for row in inverse]
    elif right:
        X = way.solve(inner, "dz", way.tangent(p), [[x] for x in right])
        dz = [row[0] for row in X]
    change = way.change(p, dz)
    if keep or step.parts.exact is not step.parts.slopes:
        p, _ = dynamics.add_slopes(p, step.parts, step.parts.exact)
    equations = way.equations(p, tested)
    count = symbol("kept_count" if keep else "count", Rank.COORDINATE)
    write_newton(
        step.scheme, inner, list(zip(z.values, start.values, strict=True)), equations,
        change=_limit_turns(step, inner, change), count=count, labels=way.labels,
        tested=_above_rounding(p, way.far, [h for h, _ in equations]),
        tolerance=1.0, limit=limit, note=Note(step="time step", eq="Cuadrado2003 eq. (25)"),
    )  # fmt: skip
    return inverse, count


def _above_rounding(p: TrialEnd, far: Mapping[int, Node], values: list[Node]) -> list[Node] | None:
    """The values that are tested, 0 for gaps that are no more than rounding."""
    if not far:
        return None
    assert p.gaps is not None
    pairs = zip(far.items(), values[-len(far) :], strict=True)
    closed = [select(x - call("abs", p.gaps.g[i]), ZERO, value) for (i, x), value in pairs]
    return values[: -len(far)] + closed


def _invert_tangent(step: TimeStep, way: Formulation, start: Iterate) -> Matrix:
    """A⁻¹ at the first iterate: iterations and projections along the tangent all use it."""
    first = way.link(end(step, step.scheme, start))
    A = way.tangent(dynamics.add_slopes(first, step.parts, step.parts.slopes)[0])
    unit = [[ONE if i == j else ZERO for j in range(len(A))] for i in range(len(A))]
    return way.solve(step.scheme, "Ai", A, unit)


def _limit_turns(step: TimeStep, scheme: Scheme, change: Sequence[Node]) -> list[Node]:
    """A change of all unknowns, shortened where angles of loops would turn too far."""
    if not step.turning:
        return list(change)
    turns = [change[step.free.index(k)] for k in step.turning]
    square = scheme.let("turn2", dot(turns, turns))
    short = select(square - TURN**2, TURN / sqrt(square), ONE)
    return [scheme.let("dz", short * x) for x in change]


def _last_finite(kept: Iterate, start: Iterate) -> Iterate:
    """What modified Newton found, or its start where it found nothing."""
    D = {k: _or_else(kept.D[k], x) for k, x in start.D.items()}
    S = [_or_else(value, x) for value, x in zip(kept.S, start.S, strict=True)]
    return Iterate(D, S, [_or_else(value, x) for value, x in zip(kept.L, start.L, strict=True)])


def _or_else(value: Node, otherwise: Node) -> Node:
    """`value`, or `otherwise` where `value` is NaN."""
    return select(value + HUGE, value, otherwise)


def solve_dense(scheme: Scheme, stem: str, A: Matrix, B: Matrix, *, stiff: bool = False) -> Matrix:
    """X with A X = B; `stiff` where A holds penalties far above the masses."""
    note = Note(step="increments", eq="Cuadrado2003 eq. (26)")
    return scheme.solve(stem, A, B, symmetric=False, stiff=stiff, note=note)


def tree(parts: Residual, family: Family, settings: NewtonSettings) -> Program:
    """One step of a system without loops."""
    step = begin_step(parts, None, family, settings)

    def residual(p: TrialEnd, r: list[Node], rates: list[Node]) -> Residuals:
        right = [*(step.terms.b2 * r[k] for k in step.free), *rates]  # Cuadrado2003 eq. (27)
        return p, right, right

    def tangent(p: TrialEnd) -> Matrix:
        return dynamics.add_states(step, p, dynamics.dynamic_rows(step, p))

    def equations(p: TrialEnd, tested: list[Node]) -> list[dynamics.Equation]:
        allowed = dynamics.widths(step)
        return dynamics.divide_by_allowed(p.scheme, allowed, tested, tangent(p))

    return structural_step(step, Formulation(
        labels=dynamics.labels(step, step.free), residual=residual, tangent=tangent,
        solve=solve_dense, change=lambda _, dz: dz, equations=equations,
        finish=lambda p, _: step.inputs.write(p.at),
    ))  # fmt: skip
