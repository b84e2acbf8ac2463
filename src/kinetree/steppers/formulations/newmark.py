"""Newmark's formulas: from increments to the state at a trial end of a step.

Unknown are the increments Δ of the coordinates over the step (and those of the user states).  From
them Newmark's formulas give accelerations a₁ and velocities at the end, and the weights of the
family give the accelerations qdd₁ for which the equations of motion hold there:

    a₁ = (Δ - h v₀ - h² (½-β) a₀)/(β h²),     v₁ = v₀ + h ((1-γ) a₀ + γ a₁)
    (1-δm) a₁ + δm a₀ = (1-δf) qdd₁ + δf qdd₀

so qdd₁ = κ a₁ + (δm a₀ - δf qdd₀)/(1-δf) with κ = (1-δm)/(1-δf).  Where no weight is at the start,
a is qdd.  User states follow alike, with y in the place of a and xd in that of qdd.

Cuadrado2003 eq. 38 weighs forces instead of accelerations.  For a constant mass matrix both are the
same; for one that changes, weighed forces lose the second order (M₁ multiplies an acceleration that
belongs to an earlier time), weighed accelerations keep it.

Refs: Cuadrado2003 eqs. 21 to 24, 37 to 42; ArnoldBruls2007; Jansen2000 (first-order equations)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kinetree.engine import ONE, ZERO, Node, select
from kinetree.formalism.links.vectors import Matrix
from kinetree.model import dot
from kinetree.program import Program, Scheme
from kinetree.program.inline import bindings, inline
from kinetree.steppers.equations.loops import StepLoops, angles
from kinetree.steppers.equations.scaling import Scales, sample_coordinates, scales
from kinetree.steppers.equations.step_inputs import (
    NewtonSettings,
    StepInputs,
    StepState,
    declare_step,
)

if TYPE_CHECKING:
    from kinetree.formalism.loops import Coupling
    from kinetree.steppers.equations.residual import Residual
    from kinetree.steppers.family import Family

NEAR = 0.03
"""Largest extrapolation by accelerations that is trusted: norm over the angles of loops [rad]."""
AGAINST = -0.5
"""Predicted end acceleration over start acceleration where the latter is too large to extrapolate;
negative, because undamped methods oscillate from step to step."""
Drives = Mapping[int, tuple[Node, Node, Node]]
"""Driven velocity -> coordinate, rate and second rate at the end of the step."""


@dataclass(frozen=True)
class Iterate:
    """The unknowns of a step, or values of them.

    Attributes:
        D: increments of the free velocities, by number.
        S: increments of the user states.
        L: multipliers, in formulations that iterate them.
    """

    D: Mapping[int, Node]
    S: Sequence[Node]
    L: Sequence[Node] = ()

    @property
    def values(self) -> list[Node]:
        """All of them, in order."""
        return [*self.D.values(), *self.S, *self.L]


@dataclass(frozen=True)
class Slopes:
    """Derivatives of the residual at a point.

    Attributes:
        K, C, M: of M qdd + c along der(q), by qd and by qdd.
        T: how increments move the coordinates, by rows, where not by themselves.
        states: what user states add: dtau_dx, dxd_dq, dxd_dqd, dxd_dx.
    """

    K: Matrix = field(default_factory=list)
    C: Matrix = field(default_factory=list)
    M: Matrix = field(default_factory=list)
    T: dict[int, dict[int, Node]] = field(default_factory=dict)
    states: Mapping[str, tuple[Node, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Gaps:
    """The loops at a point.

    Attributes:
        g: gaps; of equations between velocities [m/s] times β h/γ, so that they are lengths.
        J, ht, Jdqd: of J qd + ht = 0 and J qdd + Jdqd = 0.
        B: dependent rates by independent ones, in formulations that eliminate the former.
        rest: dependent velocities where the independent ones rest.
    """

    g: Sequence[Node]
    J: Matrix
    ht: Sequence[Node]
    Jdqd: Sequence[Node]
    B: Coupling | None = None
    rest: Mapping[int, Node] = field(default_factory=dict)


@dataclass(frozen=True)
class TrialEnd:
    """A trial end of a step.

    Attributes:
        scheme: where its values stand: that of the iterations, or the one around them.
        by: increments of all velocities; those of driven ones are not needed.
        t: the time there [s].
        at: the state there.
        slopes: of the residual, once they are needed.
        gaps: of the loops, once they are known.
    """

    scheme: Scheme
    by: list[Node]
    t: Node
    at: StepState
    slopes: Slopes = Slopes()
    gaps: Gaps | None = None

    def inline(self, program: Program, **more: Sequence[Node]) -> dict[str, tuple[Node, ...]]:
        """The outputs of a Program here; what is written already is not written again."""
        at = self.at
        given = {"q": at.q, "qd": at.qd, "qdd": at.qdd, "x": at.x, "t": (self.t,), **more}
        return inline(self.scheme, program, bindings(program, **given))


@dataclass(frozen=True)
class NewmarkTerms:
    """Newmark's formulas over one step.

    Attributes:
        gamma, beta, kappa: γ, β, κ.
        gh, b2, b2i: γ h, β h², 1/(β h²).
        a, v: (h v₀ + h² (½-β) a₀)/(β h²) and v₀ + h (1-γ) a₀, of the free velocities.
        qdd, xd: (δm a₀ - δf qdd₀)/(1-δf) of all velocities, and of the user states.
    """

    gamma: Node
    beta: Node
    kappa: Node
    gh: Node
    b2: Node
    b2i: Node
    a: Mapping[int, Node]
    v: Mapping[int, Node]
    qdd: Sequence[Node]
    xd: Sequence[Node]


@dataclass(frozen=True)
class TimeStep:
    """A step of a structural method: what is known before its iterations.

    Attributes:
        inputs: state at the start, time, step, forces given.
        parts: the equations of motion.
        settings: of Newton's method.
        sizes: of the equations.
        free: numbers of the velocities that are not driven.
        turning: numbers of the angles of loops; their changes are bounded.
        drives: where driven coordinates are at the end.
        terms: of Newmark's formulas.
        guess: where the iterations start.
    """

    inputs: StepInputs
    parts: Residual
    settings: NewtonSettings
    sizes: Scales
    free: Sequence[int]
    turning: Sequence[int]
    drives: Drives
    terms: NewmarkTerms
    guess: Iterate

    @property
    def scheme(self) -> Scheme:
        """The scheme around the iterations."""
        return self.inputs.scheme


def begin_step(
    parts: Residual, loops: StepLoops | None, family: Family, settings: NewtonSettings,
    *, sizes: Scales | None = None, loaded: bool = True,
) -> TimeStep:  # fmt: skip
    """Declare a step and write what its start gives; arguments as in `TimeStep`, `declare_step`."""
    labels = loops.labels if loops else ()
    inputs = declare_step(parts.model, parts.value, family, labels, loaded=loaded)
    let, h, start, free = inputs.scheme.let, inputs.h, inputs.start, parts.free
    turning = angles(parts, loops) if loops else []
    sizes = sizes or scales(parts, sample_coordinates(parts.model, parts.drives))
    dm, df, gamma, beta = (let(name, x) for name, x in family.named_weights().items())
    b2, gh = let("b2", beta * h**2), let("gh", gamma * h)
    kappa = let("kappa", (1 - dm) / (1 - df))
    drives = _drive_values(parts, inputs)
    near, rest = let("h2a", h**2 * (0.5 - beta)), let("hg", h * (1 - gamma))
    b2i = let("b2i", 1 / b2)
    a = {k: let("a0", (h * start.qd[k] + near * start.a[k]) * b2i) for k in free}
    v = {k: let("v0", start.qd[k] + rest * start.a[k]) for k in free}
    ahead = let("h2", near + _expect(inputs, b2, turning) if turning else 0.5 * h**2)
    D = {k: let("start", h * start.qd[k] + ahead * start.a[k]) for k in free}
    S = [let("start", h * y) for y in start.xd]
    share = let("share", 1 / (1 - df))
    qdd, xd = (
        [let("late", (dm * a - df * rate) * share) for a, rate in zip(*pair, strict=True)]
        for pair in ((start.a, start.qdd), (start.y, start.xd))
    )
    terms = NewmarkTerms(gamma, beta, kappa, gh, b2, b2i, a, v, qdd, xd)
    guess = Iterate(D, S)
    return TimeStep(inputs, parts, settings, sizes, free, turning, drives, terms, guess)


def _drive_values(parts: Residual, inputs: StepInputs) -> Drives:
    """The laws of the driven velocities at the end of the step."""
    drives = parts.drives
    if drives is None:
        return {}
    found = inline(inputs.scheme, drives, bindings(drives, t=(inputs.time(),)))
    numbers = map(parts.model.velocities.index, drives.output("q").labels)
    values = zip(found["q"], found["qd"], found["qdd"], strict=True)
    return dict(zip(numbers, values, strict=True))


def _expect(inputs: StepInputs, b2: Node, turning: Sequence[int]) -> Node:
    """β h² a₁/a₀ where the iterations start: as at the start of the step, or against it."""
    let = inputs.scheme.let
    moves = [let("ahead", b2 * inputs.start.a[k]) for k in turning]
    trusted = NEAR**2 - let("ahead", dot(moves, moves))
    return let("expected", b2 * select(trusted, ONE, AGAINST))


def end(step: TimeStep, scheme: Scheme, z: Iterate) -> TrialEnd:
    """The end of the step for some increments."""
    let, outer, start, n = scheme.let, step.scheme.let, step.inputs.start, step.parts.space.nv
    c, by = step.terms, [z.D.get(k, ZERO) for k in range(n)]
    q = step.parts.space.displace(scheme, start.q, by)
    qd, qdd, a = [ZERO] * n, [ZERO] * n, [ZERO] * n
    for k in step.free:
        a[k] = let(f"a_{k + 1}", z.D[k] * c.b2i - c.a[k])  # Cuadrado2003 eqs. (40), (42)
        qd[k] = let(f"v_{k + 1}", c.v[k] + c.gh * a[k])  # Cuadrado2003 eqs. (39), (41)
        qdd[k] = let(f"qdd_{k + 1}", c.kappa * a[k] + c.qdd[k])  # for Cuadrado2003 eq. (38)
    # driven velocities have no increment: their laws give coordinate, rate and acceleration
    for k, row in step.drives.items():
        q[step.parts.drive_numbers[k]], qd[k], qdd[k] = row
        a[k] = qdd[k]
    x = [let("x_1", x + s) for x, s in zip(start.x, z.S, strict=True)]
    inverse, rest = outer("ghi", 1 / c.gh), outer("xr", (1 - c.gamma) / c.gamma)
    y = [let("y_1", s * inverse - y * rest) for y, s in zip(start.y, z.S, strict=True)]
    xd = [let("xd_1", c.kappa * y + late) for y, late in zip(y, c.xd, strict=True)]
    return TrialEnd(scheme, by, step.inputs.time(), StepState(q, qd, qdd, x, xd, a, y, z.L))
