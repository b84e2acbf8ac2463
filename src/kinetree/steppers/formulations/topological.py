"""The topological formulation: independent coordinates, by a second projection of the velocities.

With u the independent velocities, R = [1; B] and qd = R ud + …, the equations of the tree (by
accumulated inertias and forces) are projected once more:

    Rᵀ (M qdd + c - τ) = 0,      g = 0

Unknown are the increments of all coordinates; those of u follow the method of integration, the
others close the loops, those of rolling in their rates:

    A du = β h² Rᵀ (M qdd + c - τ),   A = Rᵀ (κ M + γ h C + β h² (K - G) T) R,   dv = J_v⁻¹ g + B du

where G is the stiffness of the loops under their multipliers.  What the change of R and of the
dependent rates adds is in the matrix for derivatives of the step, not in A.

Refs: Cuadrado2003 sec. 2, eqs. 16 to 19; Docquier2013 sec. 2.2.1, eqs. 10 to 17
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from kinetree.assembly.partition import partition
from kinetree.engine import ZERO, Node, linear
from kinetree.formalism.links.vectors import Matrix
from kinetree.formalism.loops import Choice, Coupling, Row, Validity, unsolved_rows
from kinetree.model import dot
from kinetree.program import Note, Program, Scheme
from kinetree.steppers.equations.increments import times_tangent
from kinetree.steppers.equations.residual import Residual, rows
from kinetree.steppers.equations.scaling import start
from kinetree.steppers.formulations import dynamics, structural
from kinetree.steppers.formulations.newmark import Gaps, TimeStep, TrialEnd, begin_step

if TYPE_CHECKING:
    from kinetree.steppers.equations.loops import StepLoops
    from kinetree.steppers.equations.step_inputs import NewtonSettings
    from kinetree.steppers.family import Family


@dataclass(frozen=True)
class Projected:
    """A step in independent coordinates.

    Attributes:
        step: what is known before the iterations.
        loops: their equations.
        choice: which of them are solved for which velocities.
        u: numbers of the independent velocities.
        v: numbers of the dependent ones, those of rolling last.
        rolling: of the latter; their coordinates are integrated.
        which: numbers of the equations that are solved.
        slow: β h/γ; see `dynamics.slow`.
    """

    step: TimeStep
    loops: StepLoops
    choice: Choice
    u: list[int]
    v: list[int]
    rolling: list[int]
    which: list[int]
    slow: Node


def topological(
    parts: Residual, loops: StepLoops, family: Family, settings: NewtonSettings
) -> Program:
    """One step of the topological formulation."""
    found = partition(parts.model, independent=settings.independent or None)
    step = begin_step(parts, loops, family, settings)
    it = _project(step, loops, found.choice())
    J = dynamics.loop_jacobian(step, loops, start(parts.model, parts.drives))
    far = dynamics.gap_roundings(step, loops, J)
    closed = [f"closure '{loops.labels[i]}'" for i in it.which]
    way = structural.Formulation(
        labels=[*dynamics.labels(step, it.u), *closed], link=partial(_link, it),
        residual=partial(_residual, it), tangent=partial(_tangent, it),
        solve=structural.solve_dense, change=partial(_change, it),
        equations=partial(_equations, it), finish=partial(_finish, it),
        far={i: far[i] for i in it.which},
    )  # fmt: skip
    chosen = {
        "independent": [n for n in found.independent if n not in found.rate_dependent],
        "equations": found.equations,
    }
    program = structural.structural_step(step, way)
    return program.with_info(**{k: ", ".join(v) for k, v in chosen.items()})


def _project(step: TimeStep, loops: StepLoops, choice: Choice) -> Projected:
    """The step with its velocities told apart."""
    number = {name: k for k, name in enumerate(step.parts.model.velocities)}
    rolling = [number[name] for name in choice.rolling]
    v = [number[name] for name in choice.dependent] + rolling
    u = [k for k in step.free if k not in v]
    which = [loops.labels.index(label) for label in (*choice.equations, *choice.rates)]
    return Projected(step, loops, choice, u, v, rolling, which, dynamics.slow(step))


# --- rates that follow from the loops ------------------------------------------------------------


def _link(it: Projected, p: TrialEnd) -> TrialEnd:
    """The trial end with dependent rates from the loops; λ of the start until they are known."""
    found, labels = p.inline(it.loops.value), it.loops.labels
    J = rows(found["J"], it.step.parts.space.nv)
    B = _couple(it, p.scheme, J, found)
    note = Note(step="dependent velocities", eq="Docquier2013 eq. (14)")
    ht = dict(zip(labels, found["ht"], strict=True))
    qd, rest = _follow(it, B, p.at.qd, ht, ("x", "v"), note)
    # gaps of rolling are those of Newmark's rates, not of those that the loops give
    moving = [p.at.qd[k] if k in it.rolling else x for k, x in enumerate(qd)]
    g = list(found["h"])
    for i in it.loops.rates:
        g[i] = it.slow * (dot(J[i], moving) + found["ht"][i])
    p = replace(p, at=replace(p.at, qd=qd, lam=it.step.inputs.start.lam))
    # once more, with the dependent velocities in place: the bias is quadratic in all of them
    Jdqd = p.inline(it.loops.value)["Jdqd"]
    note = Note(step="dependent accelerations", eq="Docquier2013 eq. (15)")
    qdd, _ = _follow(it, B, p.at.qdd, dict(zip(labels, Jdqd, strict=True)), ("b", "qdd"), note)
    # coordinates of rolling are integrated, so their a stays Newmark's
    solved = [k for k in it.v if k not in it.rolling]
    a = [qdd[k] if k in solved else x for k, x in enumerate(p.at.a)]
    return replace(p, at=replace(p.at, qdd=qdd, a=a), gaps=Gaps(g, J, found["ht"], Jdqd, B, rest))


def _couple(
    it: Projected, scheme: Scheme, J: Matrix, found: Mapping[str, Sequence[Node]]
) -> Coupling:
    """B of qd_v = B qd_u + …, Docquier2013 eq. (12)."""
    sparse = [{k: x for k, x in enumerate(row) if x is not ZERO} for row in J]
    values = zip(it.loops.labels, found["h"], sparse, found["Jdqd"], found["ht"], strict=True)
    lines = {label: Row(h, j, bias, ht, label=label) for label, h, j, bias, ht in values}
    names = it.step.parts.model.velocities
    return Coupling(scheme, lines, it.choice.velocity_groups(), names, it.u)


def _follow(
    it: Projected, B: Coupling, rates: Sequence[Node], given: Mapping[str, Node],
    stems: tuple[str, str], note: Note,
) -> tuple[list[Node], dict[int, Node]]:  # fmt: skip
    """The rates with dependent ones as the loops demand them; the part of those without u."""
    rest = B.rest(stems[0], given, {k: rates[k] for k in it.step.drives}, note)
    own = {k: rates[k] for k in it.u}
    out = list(rates)
    for k in it.v:
        out[k] = B.scheme.let(f"{stems[1]}_{k + 1}", B.follow(k, own, rest[k]))
    return out, rest


def _loops(p: TrialEnd) -> tuple[Gaps, Coupling]:
    """The loops at a linked point."""
    assert p.gaps is not None
    assert p.gaps.B is not None
    return p.gaps, p.gaps.B


# --- the iterations ------------------------------------------------------------------------------


def _residual(it: Projected, p: TrialEnd, r: list[Node], rates: list[Node]) -> structural.Residuals:
    """β h² Rᵀ (M qdd + c - τ); multipliers balance the dependent equations."""
    _, B = _loops(p)
    lam = _multipliers(it, B, r)
    b2 = it.step.terms.b2
    right = [*(b2 * p.scheme.let("F", B.project(r, u)) for u in it.u), *rates]
    return replace(p, at=replace(p.at, lam=lam)), right, right


def _multipliers(it: Projected, B: Coupling, r: Sequence[Node]) -> list[Node]:
    """λ of all equations; of those that are not solved 0."""
    lam = B.multipliers({k: r[k] for k in it.v})
    return [lam.get(label, ZERO) for label in it.loops.labels]


def _change(it: Projected, p: TrialEnd, dz: list[Node]) -> list[Node]:
    """Dependent increments follow du to first order and close the gap that is left."""
    loops, B = _loops(p)
    du = dict(zip(it.u, dz, strict=False))
    note = Note(step="increments", eq="Cuadrado2003 eq. (26)")
    closing = B.rest("dv", dict(zip(it.loops.labels, loops.g, strict=True)), {}, note)
    dv = {k: p.scheme.let("dv", B.follow(k, du, -closing[k])) for k in it.v}
    change = du | dv
    return [*(change[k] for k in it.step.free), *dz[len(it.u) :]]


def _tangent(it: Projected, p: TrialEnd) -> Matrix:
    """A: κ M + γ h C + β h² (K - G) T, projected, with rows and columns of the user states."""
    step, m, b2, let = it.step, len(p.at.x), it.step.terms.b2, p.scheme.let
    _, B = _loops(p)
    G = dynamics.turn(p, p.inline(it.loops.slopes, w=p.at.lam)["dG_dq"])
    by = p.slopes.states.get("dtau_dx", ())
    half: Matrix = []
    for k, line in enumerate(dynamics.dynamic_rows(step, p)):
        row = [x - b2 * y for x, y in zip(line, G[k], strict=True)]
        half.append([let("AR", B.project(row, u)) for u in it.u])
        half[k] += [b2 * by[k * m + i] for i in range(m)]
    A = [[let("RAR", B.project(column, u)) for column in zip(*half, strict=True)] for u in it.u]
    for i in range(m):
        row = dynamics.state_row(step, p, i, dynamics.newmark_rates(step))
        own = dict(zip(step.free, row, strict=False))
        whole = [own.get(k, ZERO) for k in range(len(G))]
        A.append([B.project(whole, u) for u in it.u] + row[len(step.free) :])
    return A


# --- for derivatives of the step -----------------------------------------------------------------


def _equations(it: Projected, p: TrialEnd, tested: list[Node]) -> list[dynamics.Equation]:
    """Residuals, and their exact matrix over all increments for derivatives."""
    step, m, b2 = it.step, len(p.at.x), it.step.terms.b2
    loops, B = _loops(p)
    bend = p.inline(it.loops.slopes, w=p.at.lam)
    G, E, F = (dynamics.turn(p, bend[f"d{x}_dq"]) for x in ("G", "e", "f"))
    dqd, dqdd = _rates(it, p, E, F, rows(bend["df_dqd"], len(G)))
    lines = _lines(p, G, dqd, dqdd)
    by, allowed = p.slopes.states.get("dtau_dx", ()), dynamics.widths(step)
    J = [
        [b2 * B.project([line[l] for line in lines], u) for l in step.free]
        + [b2 * B.project(by[i::m], u) for i in range(m)]
        for u in it.u
    ]
    J += [dynamics.state_row(step, p, i, dqd) for i in range(m)]
    own = dict(zip(step.free, allowed, strict=False))
    scales = [*(own[u] for u in it.u), *allowed[len(step.free) :]]
    found = dynamics.divide_by_allowed(p.scheme, scales, tested, J)
    for i in it.which:
        slope = _gap_row(it, p, i, E, dqd)
        line = [slope[k] / dynamics.CLOSED for k in step.free] + [ZERO] * m
        found.append((1 / dynamics.CLOSED * loops.g[i], line))
    return found


def _rates(
    it: Projected, p: TrialEnd, E: Matrix, F: Matrix, F_rate: Matrix
) -> tuple[Matrix, Matrix]:
    """d(qd)/dΔ and d(qdd)/dΔ, from d(J qd + ht)/dΔ and d(J qdd + Jdqd)/dΔ, the latter by qd too."""
    let, c = it.step.scheme.let, it.step.terms
    rate = let("rate", c.gamma / (c.beta * it.step.inputs.h))
    second = let("second", c.kappa * c.b2i)
    dqd = _rate_derivatives(it, p, rate, E)
    columns = list(zip(*dqd, strict=True))
    moved = [
        [x + dot(by, column) for x, column in zip(row, columns, strict=True)]
        for row, by in zip(F, F_rate, strict=True)
    ]
    return dqd, _rate_derivatives(it, p, second, moved)


def _rate_derivatives(it: Projected, p: TrialEnd, rate: Node, changes: Matrix) -> Matrix:
    """d(qd)/dΔ: `rate` for u, by the loops for v, zero for driven velocities."""
    n, labels, B = it.step.parts.space.nv, it.loops.labels, _loops(p)[1]
    out = [[ZERO] * n for _ in range(n)]
    for u in it.u:
        out[u][u] = rate
    note = Note(step="change of dependent rates")
    for l in it.step.free:
        column = {labels[i]: changes[i][l] for i in it.which}
        rest = B.rest("y", {label: column.get(label, ZERO) for label in labels}, {}, note)
        for k in it.v:
            own = B.B[k].get(l, ZERO)
            out[k][l] = linear(0, ((rate * own, 1), (rest[k], 1)))
    return out


def _lines(p: TrialEnd, G: Matrix, dqd: Matrix, dqdd: Matrix) -> Matrix:
    """d(M qdd + c - Jᵀλ)/dΔ, λ held."""
    slopes, by_qd, by_qdd = p.slopes, list(zip(*dqd, strict=True)), list(zip(*dqdd, strict=True))
    return [
        [
            p.scheme.let("dr", linear(0, (
                (x, 1), (bent, -1), (dot(slopes.C[k], rate), 1), (dot(slopes.M[k], second), 1)
            )))
            for x, bent, rate, second in zip(
                times_tangent(slopes.K[k], slopes.T), G[k], by_qd, by_qdd, strict=True
            )
        ]
        for k in range(len(dqd))
    ]  # fmt: skip


def _gap_row(it: Projected, p: TrialEnd, i: int, E: Matrix, dqd: Matrix) -> list[Node]:
    """Derivative of a gap."""
    J = _loops(p)[0].J[i]
    if i not in it.loops.rates:
        return times_tangent(J, p.slopes.T)
    newmark = dynamics.newmark_rates(it.step)
    moving = [newmark[k] if k in it.rolling else row for k, row in enumerate(dqd)]
    return [it.slow * (x + dot(J, [row[l] for row in moving])) for l, x in enumerate(E[i])]


# --- the end -------------------------------------------------------------------------------------


def _finish(it: Projected, p: TrialEnd, _: Matrix) -> None:
    """The state at the end of the step; NaN where equations that are not solved do not hold."""
    loops, B = _loops(p)
    tests = Validity(p.scheme, it.loops.system)
    for row in unsolved_rows(B.rows.values(), it.choice):
        tests.check_closed(row)
        tests.check_coupled(row, B, {k: p.at.qd[k] for k in it.step.drives} | dict(loops.rest))
    tests.regular(B.rows, it.choice)
    forces = p.inline(it.step.parts.value)["tau"]
    left = [x - y for x, y in zip(forces, it.step.inputs.loads, strict=True)]
    it.step.inputs.write(replace(p.at, lam=_multipliers(it, B, left)))
    # last: the guard turns every output declared above into NaN where a test fails
    tests.guard()
