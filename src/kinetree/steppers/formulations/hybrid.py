"""The hybrid formulation: relative coordinates, loops by an augmented Lagrangian of index 3.

    r = M qdd + c - τ - Jᵀ (λ - α g),     A dz = β h² r,     A = κ M + γ h C + β h² (K T + Jᵀ α J T)
    Δ ← Δ - dz,     λ ← λ - α (g - J T dz)     in every iteration

g are the gaps of the loops at the end of the step; λ and α g push as forces on the mechanism do, so
their signs are opposite to those of the paper.  The leading matrix A is regular in singular
positions too, and equations that repeat others do no harm.  It holds penalties far above the
masses, and rounding keeps the gaps from vanishing: so it is solved by elimination, never by
cofactors, whose rounding, times the penalty, keeps the residuals from falling below what is
allowed.  Once the positions are found, velocities and accelerations are projected on the loops,
along A or along the masses alone (W is either):

    qd ← qd - Y (J qd + ht),    qdd ← qdd - Y (J qdd + Jdqd),    Y = W⁻¹ β h² Jᵀ α

which is eqs. 35 and 36 written for the change; repeated, each time with a gap smaller by the ratio
of penalty to mass.  Derivatives of Y carry the rounding of the penalty, so that a step that is to
be differentiated takes the limit of the repetitions instead, with multipliers μ of its own:

    [ -ε  J ] [μ]   [J qd + ht]
    [ Jᵀ  W ] [d] = [    0    ],     qd ← qd - d,     W = M + Jᵀ σ J                    Eq. (S10)

where σ, of the size of the masses, changes nothing but lets coordinates have no mass.  The penalty
of an equation is, where none is given, a multiple of the masses and the springs that resist it,
over β h²: so the iterations converge alike for all steps.

Refs: Cuadrado2003 eqs. 1, 2, 25 to 27, 35, 36
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from kinetree.engine import ZERO, Node, linear, number
from kinetree.formalism.links.vectors import Matrix
from kinetree.formalism.natural import LINK
from kinetree.model import dot
from kinetree.program import Note, Program, Scheme
from kinetree.steppers.equations.increments import times_tangent
from kinetree.steppers.equations.residual import Residual, rows
from kinetree.steppers.equations.scaling import start
from kinetree.steppers.formulations import dynamics, structural
from kinetree.steppers.formulations.newmark import Gaps, Slopes, TimeStep, TrialEnd, begin_step

if TYPE_CHECKING:
    from kinetree.arrays import Array
    from kinetree.steppers.equations.loops import StepLoops
    from kinetree.steppers.equations.step_inputs import NewtonSettings
    from kinetree.steppers.family import Family

STIFF = {"iteration": 1e7, "step": 1e4}
"""Penalty over the resistance of the rest of the leading matrix, where none is given.

The directions of the loops turn during a step.  With a kept tangent and a high penalty even a small
turn causes a large force, so the penalty is lower there.
"""
SOFT = 1e-7
"""Share of the inverse penalty in derivatives: lets equations pass that repeat others."""
Spread = Callable[[Sequence[Node]], list[Node]]
"""Gaps of the rates -> Y gaps, the change of the free velocities that closes them."""
Weighed = tuple[TrialEnd, Matrix]
"""The end of a step, and the matrix along which its rates are projected, over all velocities."""


@dataclass(frozen=True)
class AugmentedStep:
    """A step with multipliers and penalties.

    Attributes:
        step: what is known before the iterations.
        loops: their equations.
        stiff: β h² α of every equation.
        slow: β h/γ; see `dynamics.slow`.
    """

    step: TimeStep
    loops: StepLoops
    stiff: Sequence[Node]
    slow: Node


@dataclass(frozen=True)
class Leading:
    """What one formulation makes of the leading matrix A: a row of functions.

    Attributes:
        soften: (step, row of J, diagonal of A) -> terms of J A⁻¹ Jᵀ, the softness of an equation.
        shape: K, C and M as they enter A.
        solve: (scheme, stem of names, A, B) -> X with A X = B.
        weigh: (step, point at the end) -> the point, and the matrix along which is projected.
        spread: (step, what `weigh` gives, kept A⁻¹ if any) -> Y of the projections.
        order: (pattern of a symmetric matrix, number of rows that come last) -> the order in which
            its rows are eliminated.
    """

    soften: Callable[[TimeStep, Array, Sequence[Node]], list[Node]]
    shape: Callable[[Slopes], Slopes]
    solve: Callable[[Scheme, str, Matrix, Matrix], Matrix]
    weigh: Callable[[AugmentedStep, TrialEnd], Weighed]
    spread: Callable[[AugmentedStep, Weighed, Matrix], Spread]
    order: Callable[[Sequence[set[int]], int], list[int]]


def hybrid(parts: Residual, loops: StepLoops, family: Family, settings: NewtonSettings) -> Program:
    """One step of the hybrid formulation."""
    step = begin_step(parts, loops, family, settings)
    solve = partial(structural.solve_dense, stiff=True)
    leading = Leading(
        _soften, _as_it_is, solve, _weigh, _spread, lambda rows, _: [*range(len(rows))]
    )
    return augmented_step(step, loops, start(parts.model, parts.drives), leading)


def augmented_step(step: TimeStep, loops: StepLoops, q: Array, leading: Leading) -> Program:
    """The Program of a step, penalties by the loops at the configuration q."""
    let, c = step.scheme.let, step.terms
    J = dynamics.loop_jacobian(step, loops, q)
    far = dynamics.gap_roundings(step, loops, J)
    if step.settings.penalty or not loops.labels:
        stiff = [let("stiff", c.b2 * step.settings.penalty)] * len(loops.labels)
    else:
        sizes, most = dynamics.diagonal(step), STIFF[step.settings.update]
        terms = [leading.soften(step, row, sizes) for row in _free_columns(step, J)]
        sums = [linear(0, tuple((x, 1) for x in soft)) for soft in terms]
        stiff = [number(1) if x is ZERO else let("stiff", most / x) for x in sums]
    it = AugmentedStep(step, loops, stiff, dynamics.slow(step))
    return structural.structural_step(step, structural.Formulation(
        labels=[*dynamics.labels(step, step.free), *map(_label, loops.labels)],
        residual=partial(_residual, it), tangent=partial(_tangent, it, leading),
        solve=leading.solve, change=partial(_change, it), equations=partial(_equations, it),
        finish=partial(_finish, it, leading), multipliers=loops.labels,
        far=dict(enumerate(far)),
    ))  # fmt: skip


def _free_columns(step: TimeStep, J: Array) -> Array:
    """J, zero for driven velocities."""
    J = J.copy()
    J[:, list(step.parts.drive_numbers)] = 0.0
    return J


def _label(label: str) -> str:
    """An equation of a closure, or of a link in natural coordinates, for messages."""
    link = label.removeprefix(LINK)
    return f"closure '{label}'" if link == label else f"link '{link}'"


def gaps(it: AugmentedStep, p: TrialEnd) -> Gaps:
    """The loops at a point."""
    if p.gaps is not None:
        return p.gaps
    found = p.inline(it.loops.value)
    J, g = rows(found["J"], it.step.parts.space.nv), list(found["h"])
    for i in it.loops.rates:
        g[i] = it.slow * (dot(J[i], p.at.qd) + found["ht"][i])
    return Gaps(g, J, found["ht"], found["Jdqd"])


# --- the leading matrix --------------------------------------------------------------------------


def _tangent(it: AugmentedStep, leading: Leading, p: TrialEnd) -> Matrix:
    """A, with rows and columns of the user states."""
    even = replace(p, slopes=leading.shape(p.slopes))
    return dynamics.add_states(it.step, p, leading_matrix(it, even))


def leading_matrix(it: AugmentedStep, p: TrialEnd) -> Matrix:
    """A: Cuadrado2003 eq. (26), exact with the stiffness of the loops under λ."""
    return add_penalty(it, p, soft_rows(it, p), it.stiff)


def soft_rows(it: AugmentedStep, p: TrialEnd) -> Matrix:
    """A without the penalty."""
    lines = dynamics.dynamic_rows(it.step, p)
    if it.step.settings.tangent == "exact":
        bend = p.inline(it.loops.slopes, w=p.at.lam)
        lines = _subtract_bend(it, lines, dynamics.turn(p, bend["dG_dq"]))
    return lines


def _subtract_bend(it: AugmentedStep, lines: Matrix, G: Matrix) -> Matrix:
    """The lines minus β h² G, the stiffness of the loops under λ."""
    b2 = it.step.terms.b2
    return [[a - b2 * b for a, b in zip(*pair, strict=True)] for pair in zip(lines, G, strict=True)]


def add_penalty(it: AugmentedStep, p: TrialEnd, lines: Matrix, stiff: Sequence[Node]) -> Matrix:
    """The lines plus Jᵀ s J T, with s = β h² α or less per equation."""
    out = [list(row) for row in lines]
    for s, row in zip(stiff, gaps(it, p).J, strict=True):
        columns = [(l, x) for l, x in enumerate(times_tangent(row, p.slopes.T)) if x is not ZERO]
        for k, x in enumerate(row):
            if x is not ZERO:
                weight = p.scheme.let("sJ", s * x)
                for l, y in columns:
                    out[k][l] = out[k][l] + weight * y
    return out


def _soften(_: TimeStep, row: Array, sizes: Sequence[Node]) -> list[Node]:
    """Terms of J A⁻¹ Jᵀ with A diagonal: 1 over the inertia against an equation."""
    return [float(x) ** 2 / a for x, a in zip(row, sizes, strict=True) if x]


# --- the iterations ------------------------------------------------------------------------------


def _residual(
    it: AugmentedStep, p: TrialEnd, r: list[Node], rates: list[Node]
) -> structural.Residuals:
    """β h² r with λ for the test (no penalty on rounding), with λ - α g for the change."""
    let, c, loops, lam = p.scheme.let, it.step.terms, gaps(it, p), p.at.lam
    # Cuadrado2003 eq. (1): λ* + α Φ
    w = [let("w", l - c.b2i * s * x) for l, s, x in zip(lam, it.stiff, loops.g, strict=True)]
    held, pulled = (
        [let("r", r[k] - dot([row[k] for row in loops.J], x)) for k in range(len(r))]
        for x in (lam, w)
    )
    # Cuadrado2003 eq. (27)
    tested, right = ([*(c.b2 * x[k] for k in it.step.free), *rates] for x in (held, pulled))
    return replace(p, gaps=loops), tested, right


def _change(it: AugmentedStep, p: TrialEnd, dz: list[Node]) -> list[Node]:
    """dz, and of the multipliers α times the gaps that it leaves, to first order."""
    loops, free = gaps(it, p), it.step.free
    # modified Newton takes no slopes in the loop, so T of this iterate may still be missing
    T = p.slopes.T or it.step.parts.space.tangent(p.scheme, p.by)
    found = list(dz)
    for s, gap, row in zip(it.stiff, loops.g, loops.J, strict=True):
        turned = times_tangent(row, T)
        closing = dot([turned[k] for k in free], dz[: len(free)])
        # Cuadrado2003 eq. (2)
        found.append(p.scheme.let("dl", it.step.terms.b2i * s * (gap - closing)))
    return found


def _equations(it: AugmentedStep, p: TrialEnd, tested: list[Node]) -> list[dynamics.Equation]:
    """Residuals of M qdd + c - τ - Jᵀλ and g, and their exact matrix for derivatives.

    The test leaves the penalty out: it would raise the rounding of the gaps.
    """
    step, loops, b2, m = it.step, gaps(it, p), it.step.terms.b2, len(p.at.x)
    bend = p.inline(it.loops.slopes, w=p.at.lam)
    G, E = (dynamics.turn(p, bend[x]) for x in ("dG_dq", "de_dq"))
    whole = dynamics.add_states(step, p, _subtract_bend(it, dynamics.dynamic_rows(step, p), G))
    more = [[-b2 * row[k] for row in loops.J] for k in step.free]
    more += [[ZERO] * len(loops.g) for _ in range(m)]
    whole = [row + rest for row, rest in zip(whole, more, strict=True)]
    found = dynamics.divide_by_allowed(p.scheme, dynamics.widths(step), tested, whole)
    allowed = 1 / dynamics.CLOSED
    for i, gap in enumerate(loops.g):
        if i in it.loops.rates:  # velocities follow the increments themselves, not their turns T
            slope = [a + it.slow * b for a, b in zip(loops.J[i], E[i], strict=True)]
        else:
            slope = times_tangent(loops.J[i], p.slopes.T)
        soft = [SOFT * b2 / s if i == j else ZERO for j, s in enumerate(it.stiff)]
        line = [slope[k] for k in step.free] + [ZERO] * m + soft
        found.append((allowed * gap, [allowed * x for x in line]))
    return found


# --- projections ---------------------------------------------------------------------------------


def _finish(it: AugmentedStep, leading: Leading, p: TrialEnd, inverse: Matrix) -> None:
    """Write the state at the end of the step, projected on the loops."""
    loops, settings = gaps(it, p), it.step.settings
    if settings.smooth:
        close, times = _multiply(it, leading, p), min(1, settings.projections)
    else:
        weighed = (p, []) if _keeps(it, inverse) else leading.weigh(it, p)
        close, times = leading.spread(it, weighed, inverse), settings.projections
    qd = _project(it, close, times, (p.at.qd, loops.ht), loops.J)  # Cuadrado2003 eq. (35)
    # velocities first: the bias Jdqd of the accelerations depends on them
    p = replace(p, at=replace(p.at, qd=qd))
    # Cuadrado2003 eq. (36)
    qdd = _project(it, close, times, (p.at.qdd, gaps(it, p).Jdqd), loops.J)
    it.step.inputs.write(replace(p.at, qdd=qdd))


def _project(
    it: AugmentedStep, close: Spread, times: int, of: tuple[Sequence[Node], Sequence[Node]],
    J: Matrix,
) -> Sequence[Node]:  # fmt: skip
    """Rates, of rates and rest, after projection on the loops: J rates + rest vanishes."""
    rates, rest = of
    for _ in range(times if it.step.free else 0):
        change = close([dot(row, rates) + x for row, x in zip(J, rest, strict=True)])
        by = dict(zip(it.step.free, change, strict=True))
        rates = [
            it.step.scheme.let("clean", x - by[k]) if k in by else x for k, x in enumerate(rates)
        ]
    return rates


def _keeps(it: AugmentedStep, inverse: Matrix) -> bool:
    """Whether projections go along the tangent that is kept."""
    return bool(inverse) and it.step.settings.projection != "mass"


def _weigh(it: AugmentedStep, p: TrialEnd) -> Weighed:
    """The tangent at the end, or the masses alone, without the loops."""
    # projections act on velocities, not on increments: T is the identity here
    p, _ = dynamics.add_slopes(p, it.step.parts, it.step.parts.slopes)
    p = replace(p, slopes=replace(p.slopes, T={}))
    mass = it.step.settings.projection == "mass"
    return p, p.slopes.M if mass else dynamics.dynamic_rows(it.step, p)


def _spread(it: AugmentedStep, weighed: Weighed, inverse: Matrix) -> Spread:
    """Y, along the kept tangent, the tangent at the end, or the masses alone.

    Along the masses every projection solves for itself: all share one factorisation, and the
    inverse of a sparse matrix would be full.
    """
    (p, lines), step, let = weighed, it.step, weighed[0].scheme.let
    J, n = gaps(it, p).J, len(step.free)
    right = [[let("sJ", s * row[k]) for s, row in zip(it.stiff, J, strict=True)] for k in step.free]
    note = Note(step="projection", eq="Cuadrado2003 eqs. (35), (36)")

    def name(gaps: Sequence[Node]) -> list[Node]:
        return [let("gap", x) for x in gaps]

    if _keeps(it, inverse):
        columns = list(zip(*right, strict=True))
        Y = [[let("Y", dot(row[:n], x)) for x in columns] for row in inverse[:n]]
        return lambda gaps: _times(Y, name(gaps))
    W = add_penalty(it, p, lines, it.stiff)
    A = [[W[k][l] for l in step.free] for k in step.free]
    if step.settings.projection != "mass":
        Y = p.scheme.solve("Y", A, right, symmetric=False, stiff=True, note=note)
        return lambda gaps: _times(Y, name(gaps))
    A = [[let("W", x) for x in row] for row in A]

    def solve(gaps: Sequence[Node]) -> list[Node]:
        sides = [[x] for x in _times(right, name(gaps))]
        return [row[0] for row in p.scheme.solve("Y", A, sides, note=note)]

    return solve


def _multiply(it: AugmentedStep, leading: Leading, p: TrialEnd) -> Spread:
    """Y by multipliers, Eq. (S10): d with W d + Jᵀ μ = 0, J d - ε μ = gaps."""
    step, (p, lines) = it.step, leading.weigh(it, p)
    let, J, m = p.scheme.let, gaps(it, p).J, len(it.stiff)
    W = add_penalty(it, p, lines, [let("sigma", SOFT * s) for s in it.stiff])
    size = m + len(step.free)
    A = [[ZERO] * size for _ in range(size)]
    for i, (s, row) in enumerate(zip(it.stiff, J, strict=True)):
        A[i][i] = let("eps", -SOFT / s)
        for l, k in enumerate(step.free, m):
            A[i][l] = A[l][i] = row[k]
    for l, k in enumerate(step.free, m):
        A[l][m:] = [let("W", W[k][j]) for j in step.free]
    even = step.settings.projection == "mass" or leading.shape is not _as_it_is
    order = leading.order([{l for l, x in enumerate(row) if x is not ZERO} for row in A], m)
    A = [[A[k][l] for l in order] for k in order]
    note = Note(step="projection", eq="Cuadrado2003 eqs. (35), (36); Eq. (S10)")

    def solve(gaps: Sequence[Node]) -> list[Node]:
        right = [*(let("gap", x) for x in gaps), *[ZERO] * (size - m)]
        sides = [[right[k]] for k in order]
        X = dict(zip(order, p.scheme.solve("Y", A, sides, symmetric=even, note=note), strict=True))
        return [X[k][0] for k in range(m, size)]

    return solve


def _as_it_is(slopes: Slopes) -> Slopes:
    """K, C and M without a change."""
    return slopes


def _times(Y: Matrix, x: Sequence[Node]) -> list[Node]:
    return [dot(row, x) for row in Y]
