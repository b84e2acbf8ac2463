"""The equations of motion at a trial end of a step, and their derivatives by its increments.

    r = M qdd + c - τ,     dr/dΔ = (κ M + γ h C + β h² K T)/(β h²),     s = xd - rate

Rows of r are multiplied by β h², those of s by γ h/κ: so a residual divided by the diagonal of the
matrix is about the distance of the coordinates from the solution.

Refs: Cuadrado2003 eqs. 25 to 34 (K and C are exact here); Bruls2012 (T)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kinetree.engine import ONE, ZERO, Node, add, call, linear, number
from kinetree.formalism.links.vectors import Matrix
from kinetree.formalism.loops import Rounding
from kinetree.model import dot
from kinetree.program import Program, Scheme
from kinetree.steppers.equations.increments import times_tangent
from kinetree.steppers.equations.residual import Residual, rows
from kinetree.steppers.formulations.newmark import Slopes, TimeStep, TrialEnd

if TYPE_CHECKING:
    from kinetree.arrays import Array
    from kinetree.steppers.equations.loops import StepLoops

CLOSED = 1e-10
"""Gap at which a loop counts as closed [m, m2 or 1]."""
FLOOR = 1e-14
"""Distance from the solution that rounding alone causes [rad or m]."""
ROUNDINGS = 4
"""Roundings of its coordinates that a closed loop may show."""
Equation = tuple[Node, list[Node]]
"""A value that is to vanish, over what is allowed of it, and its derivatives by all unknowns."""


def add_slopes(p: TrialEnd, parts: Residual, slopes: Program) -> tuple[TrialEnd, Sequence[Node]]:
    """The point with K, C, M and T, by one of the slopes of the parts; M qdd + c there."""
    found = p.inline(slopes)
    K, C, M = (rows(found[f"dtau_d{x}"], parts.space.nv) for x in ("q", "qd", "qdd"))
    T = parts.space.tangent(p.scheme, p.by)
    states = p.inline(parts.states) if parts.states is not None else {}
    return replace(p, slopes=Slopes(K, C, M, T, states)), found["tau"]


def evaluate(step: TimeStep, p: TrialEnd, *, keep: bool) -> tuple[TrialEnd, list[Node], list[Node]]:
    """M qdd + c - τ of all velocities, and γh/κ (xd - rate) of the user states.

    Args:
        step: it is about.
        p: where.
        keep: whether the tangent is kept; else the point that is returned has slopes.
    """
    forces: Sequence[Node] = ()
    if not keep:
        p, forces = add_slopes(p, step.parts, step.parts.slopes)
    found = p.inline(step.parts.value) if keep or p.at.x else {}
    pairs = zip(found["tau"] if keep else forces, step.inputs.loads, strict=True)
    r = [x - load for x, load in pairs]
    rates = zip(p.at.xd, found.get("xd", ()), strict=True)
    return p, r, [gamma_h_over_kappa(step) * (xd - rate) for xd, rate in rates]


def gamma_h_over_kappa(step: TimeStep) -> Node:
    """γ h/κ."""
    return step.scheme.let("xs", step.terms.gh / step.terms.kappa)


def dynamic_rows(step: TimeStep, p: TrialEnd) -> Matrix:
    """κ M + γ h C + β h² K T, over all velocities: Cuadrado2003 eq. (26) without loops."""
    c, slopes = step.terms, p.slopes
    return [
        [
            linear(0, ((c.kappa * m, 1), (c.gh * d, 1), (c.b2 * k, 1)))
            for m, d, k in zip(M, C, times_tangent(K, slopes.T), strict=True)
        ]
        for M, C, K in zip(slopes.M, slopes.C, slopes.K, strict=True)
    ]


def turn(p: TrialEnd, flat: Sequence[Node]) -> Matrix:
    """A matrix of derivatives along der(q), as one by increments: times T."""
    return [times_tangent(row, p.slopes.T) for row in rows(flat, len(p.by))]


def slow(step: TimeStep) -> Node:
    """β h/γ: gaps of rates [m/s] times it are lengths, as Newmark's v₁ changes by γ/(β h) per Δ."""
    return step.scheme.let("slow", step.terms.beta * step.inputs.h / step.terms.gamma)


def newmark_rates(step: TimeStep) -> Matrix:
    """d(qd)/dΔ of Newmark's formulas: γ/(β h) on the diagonal."""
    n = step.parts.space.nv
    rate = step.scheme.let("rate", step.terms.gamma / (step.terms.beta * step.inputs.h))
    return [[rate if k == l else ZERO for l in range(n)] for k in range(n)]


def add_states(step: TimeStep, p: TrialEnd, lines: Matrix) -> Matrix:
    """Rows for velocities, of the free ones, with rows and columns of the user states."""
    m, by = len(p.at.x), p.slopes.states.get("dtau_dx", ())
    found = [
        [lines[k][l] for l in step.free] + [step.terms.b2 * by[k * m + i] for i in range(m)]
        for k in step.free
    ]
    return found + [state_row(step, p, i, newmark_rates(step)) for i in range(m)]


def state_row(step: TimeStep, p: TrialEnd, i: int, dqd: Matrix) -> list[Node]:
    """Derivative of γh/κ (xd - rate) of a user state, with d(qd)/dΔ given."""
    n, m, share, found = len(dqd), len(p.at.x), gamma_h_over_kappa(step), p.slopes.states
    by_q = times_tangent(found["dxd_dq"][i * n : i * n + n], p.slopes.T)
    by_v = found["dxd_dqd"][i * n : i * n + n]
    row = [-share * (by_q[l] + dot(by_v, [x[l] for x in dqd])) for l in step.free]
    by_x = found["dxd_dx"][i * m : i * m + m]
    return row + [(ONE if i == j else ZERO) - share * x for j, x in enumerate(by_x)]


def diagonal(step: TimeStep) -> list[Node]:
    """Approximate diagonal of the leading matrix, from the model's own values."""
    let, c, size = step.scheme.let, step.terms, step.sizes
    return [
        let("size", float(m) + c.gh * float(d) + c.b2 * float(k))
        for m, d, k in zip(size.M, size.C, size.K, strict=True)
    ]


def widths(step: TimeStep) -> list[Node]:
    """1/(scale · distance allowed), per free velocity and per user state."""
    let, h, sizes = step.scheme.let, step.inputs.h, diagonal(step)
    near = let("near", number(step.settings.tolerance) * h**2)
    found = []
    for k in step.free:
        # increments are known relative to themselves, springs feel the rounding of coordinates
        soft = let("soft", 1 - float(step.sizes.M[k]) / sizes[k])
        found.append(let("width", 1 / ((near + FLOOR * (h + soft)) * sizes[k])))
    return found + [let("width", 1 / ((near + FLOOR) * float(x))) for x in step.sizes.x]


def loop_jacobian(step: TimeStep, loops: StepLoops, q: Array) -> Array:
    """J at rest at t = 0."""
    given = {"q": q, "qd": np.zeros(step.parts.model.nv), "t": np.asarray(0.0)}
    return np.array(loops.value.evaluate_some(**given)["J"])


def gap_roundings(step: TimeStep, loops: StepLoops, J: Array) -> list[Node]:
    """What the rounding of coordinates leaves of every gap; nothing where it is one of rates.

    Args:
        step: its coordinates at the start count.
        loops: the equations.
        J: their slopes somewhere.
    """
    unit, q, space = Rounding(step.scheme).unit, step.inputs.start.q, step.parts.space
    places: dict[int, tuple[int, ...]] = {k: (at,) for k, at in space.plain.items()}
    places |= {k: joint.p for joint in space.turning for k in joint.slide}
    found = []
    for i, row in enumerate(rows(loops.value.output("J").nodes, space.nv)):
        moved = {at for k, x in enumerate(row) if x is not ZERO for at in places.get(k, ())}
        terms = [] if i in loops.rates else [call("abs", q[at]) for at in sorted(moved)]
        slope = ROUNDINGS * float(np.abs(J[i]).max(initial=0.0))
        found.append(step.scheme.let("far", slope * unit * add(*terms)))
    return found


def divide_by_allowed(
    scheme: Scheme, widths: Iterable[Node], values: Sequence[Node], J: Matrix
) -> list[Equation]:
    """Equations and rows of J, divided by the residual allowed: solved below 1."""
    return [
        (scheme.let("h", width * x), [scheme.let("J", width * y) for y in row])
        for width, x, row in zip(widths, values, J, strict=True)
    ]


def labels(step: TimeStep, numbers: Sequence[int]) -> list[str]:
    """Velocities with the bodies that they move, and the user states, for messages."""
    model = step.parts.model
    body = {v: f" of body '{j.child.body.name}'" for j in model.body_joints for v in j.velocities}
    names = [model.velocities[k] for k in numbers]
    return [f"'{v}'{body.get(v, '')}" for v in names] + [f"state '{x}'" for x in model.states]
