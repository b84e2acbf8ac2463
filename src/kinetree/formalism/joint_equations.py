"""One equation per velocity, alpha qdd + beta tau = gamma, and its solution from M and c.

| alpha, beta, gamma | meaning |
|---|---|
| 0, 1, tau | the force is known: a free joint, or one with an actuator |
| 1, 0, qdd | the acceleration is known: a driven joint, a locked one (0), one that sticks |
| i² J, 1, i tau_m | a rotor of inertia J with torque tau_m behind a rigid gear of ratio i |

tau is what acts on the joint besides the model's own force elements and rotors.  With
M qdd + c = tau the velocities are eliminated one after the other, the last one first: for velocity
k with m the rest of its row of M,

    E = alpha + beta M_kk,   qdd_k = (gamma - beta c_k)/E - (beta/E) m·qdd

and M - (beta/E) m mᵀ is left of M
which keeps M symmetric, makes no fill-in for a tree numbered outwards, and divides by positive
numbers alone where alpha, beta ≥ 0 are not both zero.

Refs: Otter1996 eqs. 8, 9; Featherstone2008 sec. 6.5 (order of elimination), sec. 9.1 (hybrid
dynamics)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from kinetree.arguments import check_choice
from kinetree.engine import ONE, ZERO, Node, Rank, linear, mul, symbol
from kinetree.errors import unknown
from kinetree.formalism.links.vectors import Matrix, inner
from kinetree.model import Mechanism
from kinetree.program import Input, Note, Scheme
from kinetree.program.solving import WRITTEN_OUT

Known = str | Mapping[str, str]
"""One of `CHOICES` for all velocities, or by name of joint or velocity; "tau" where not named."""
TAU, QDD, EITHER = CHOICES = ("tau", "qdd", "either")
"""What is known of a velocity: its force, its acceleration, or an equation between the two."""


@dataclass(frozen=True)
class JointEquation:
    """alpha qdd + beta tau = gamma of one velocity, all three known before the dynamics."""

    alpha: Node
    beta: Node
    gamma: Node

    @property
    def is_free(self) -> bool:
        """Whether gamma is the force."""
        return self.alpha is ZERO and self.beta is ONE

    @property
    def is_driven(self) -> bool:
        """Whether gamma is the acceleration."""
        return self.alpha is ONE and self.beta is ZERO


def read_known(model: Mechanism, known: Known) -> dict[str, str]:
    """What is known of every velocity, by name."""
    if isinstance(known, str):
        check_choice("known", known, CHOICES)
        return dict.fromkeys(model.velocities, known)
    found = dict.fromkeys(model.velocities, TAU)
    parts = {joint.name: joint.velocities for joint in model.leaders}
    for name, word in known.items():
        check_choice(f"known of '{name}'", word, CHOICES, "word")
        if name not in parts and name not in found:
            raise unknown("joint or velocity", name, (*parts, *found), "known")
    ordered = sorted(known.items(), key=lambda item: item[0] in found)  # joints, then velocities
    for name, word in ordered:
        found.update(dict.fromkeys((name,) if name in found else parts[name], word))
    return found


@dataclass(frozen=True)
class SpeedBond:
    """A speed other than a velocity, with a force along it and an equation between the two.

    Attributes:
        name: of the mode of what rubs.
        J: velocity number -> its share in the speed; zeros left out.
        drift: rate of the speed where nothing accelerates.
        speed: its value.
        equation: alpha, beta, gamma.
        excess: what is left of the speed where it shall be zero.
    """

    name: str
    J: Mapping[int, Node]
    drift: Node
    speed: Node
    equation: JointEquation
    excess: Node


@dataclass(frozen=True)
class JointMotion:
    """What obeys the equations of all velocities.

    Attributes:
        qd, qdd, tau: velocities, accelerations and forces.
        changes: velocity number -> its change, by which dependent ones that shall be zero are.
        sizes: velocity number -> size of the terms of its acceleration, where that is a difference.
        valid: 1, or NaN where forces are undetermined.
        bonds: force along each bond, its acceleration, and the size of the terms of that.
    """

    qd: Sequence[Node]
    qdd: Sequence[Node]
    tau: Sequence[Node]
    changes: Mapping[int, Node] = field(default_factory=dict)
    sizes: Mapping[int, Node] = field(default_factory=dict)
    valid: Node = ONE
    bonds: Sequence[tuple[Node, Node, Node]] = ()


class JointLaw(Protocol):
    """Equations of all velocities, and what is made of the solution."""

    @property
    def equations(self) -> Sequence[JointEquation]:
        """One per velocity."""

    @property
    def excess(self) -> Mapping[int, Node]:
        """Dependent velocity -> what is left of it where it shall be zero."""

    @property
    def bonds(self) -> Sequence[SpeedBond]:
        """Speeds other than velocities with equations of their own."""

    def write(self, scheme: Scheme, motion: JointMotion) -> None:
        """Write the outputs, given velocities, accelerations and forces."""


Declare = Callable[["Scheme", "Sequence[Node]", Mapping[str, str]], JointLaw]
"""(scheme, gamma, what is known of every velocity) -> the equations; declares further inputs."""


@dataclass(frozen=True)
class PlainLaw:
    """Equations with coefficients from outside, by name of velocity; qdd and tau come out."""

    names: Sequence[str]
    equations: Sequence[JointEquation]
    excess: Mapping[int, Node] = field(default_factory=dict)
    bonds: Sequence[SpeedBond] = ()

    def write(self, scheme: Scheme, motion: JointMotion) -> None:
        """Write qdd and tau."""
        scheme.output("qdd", motion.qdd, None, self.names)
        scheme.output("tau", motion.tau, None, self.names)


def declare_equations(scheme: Scheme, gamma: Sequence[Node], known: Mapping[str, str]) -> PlainLaw:
    """The equation of every velocity; declares alpha and beta where they are not known.

    Without values they say that gamma is the force.
    """
    alpha = {name: ONE if word == QDD else ZERO for name, word in known.items()}
    beta = {name: ONE if word == TAU else ZERO for name, word in known.items()}
    names = tuple(name for name, word in known.items() if word == EITHER)
    for stem, found, value in (("alpha", alpha, 0.0), ("beta", beta, 1.0)) if names else ():
        symbols = tuple(symbol(f"{stem}_{name}", Rank.PARAMETER) for name in names)
        scheme.input(Input(stem, (len(names),), symbols, (value,) * len(names), True, names))
        found.update(zip(names, symbols, strict=True))
    equations = [
        JointEquation(alpha[name], beta[name], right)
        for name, right in zip(known, gamma, strict=True)
    ]
    return PlainLaw(tuple(known), equations)


def given_accelerations(equations: Sequence[JointEquation]) -> tuple[Node, ...]:
    """The known accelerations, 0 elsewhere: what M qdd + c is written for."""
    return tuple(row.gamma if row.is_driven else ZERO for row in equations)


def count_from_given(equations: Sequence[JointEquation]) -> list[JointEquation]:
    """The equations of accelerations that are counted from the known ones."""
    return [replace(row, gamma=ZERO) if row.is_driven else row for row in equations]


def whole_accelerations(equations: Sequence[JointEquation], qdd: Sequence[Node]) -> list[Node]:
    """Accelerations, from those counted from the known ones."""
    return [row.gamma if row.is_driven else x for row, x in zip(equations, qdd, strict=True)]


def solve_mixed(
    scheme: Scheme, M: Matrix, c: Sequence[Node], equations: Sequence[JointEquation]
) -> tuple[list[Node], list[Node]]:
    """Accelerations and forces with M qdd + c = tau and one equation per velocity."""
    if len(c) > WRITTEN_OUT:
        return _solve_block(scheme, M, c, equations)
    H, s = [list(row[: k + 1]) for k, row in enumerate(M)], list(c)
    note = Note(step="elimination of a velocity", eq="Featherstone2008 Table 6.3")
    solved: list[_Eliminated] = []
    for k in reversed(range(len(c))):
        row, m, D = equations[k], H[k][:k], H[k][k]
        Ei = scheme.let(f"Ei_{k + 1}", ONE / (row.alpha + row.beta * D), note)
        b = scheme.let(f"b_{k + 1}", row.beta * Ei, note)
        bias = scheme.let(f"s_{k + 1}", s[k], note)
        qdd0 = scheme.let(f"qdd0_{k + 1}", Ei * (row.gamma - row.beta * bias), note)
        G = [scheme.let(f"G_{k + 1}_{i + 1}", b * x, note) for i, x in enumerate(m)]
        for i, x in enumerate(m):
            s[i] = s[i] + qdd0 * x
            for j in range(i + 1):
                H[i][j] = scheme.let(f"H_{i + 1}_{j + 1}_{k + 1}", H[i][j] - G[i] * m[j], note)
        solved.append(_Eliminated(qdd0, b, m, G, bias, D))
    return _substitute(scheme, solved[::-1], equations)


@dataclass(frozen=True)
class _Eliminated:
    """Velocity k in terms of those before it: with r = m·qdd, qdd_k = qdd0 - b r = qdd0 - G·qdd.

    Its force is bias + r + D qdd_k.
    """

    qdd0: Node
    b: Node
    m: list[Node]
    G: list[Node]
    bias: Node
    D: Node


def _substitute(
    scheme: Scheme, solved: Sequence[_Eliminated], equations: Sequence[JointEquation]
) -> tuple[list[Node], list[Node]]:
    """The second sweep: accelerations from the first to the last, with their forces."""
    qdd: list[Node] = []
    tau: list[Node] = []
    note = Note(step="mixed dynamics", eq="Otter1996 eqs. (8), (9)")
    for k, (row, own) in enumerate(zip(equations, solved, strict=True)):
        r = scheme.let(f"r_{k + 1}", inner(own.m, qdd), note)
        value = own.qdd0 - (inner(own.G, qdd) if row.is_free else own.b * r)
        qdd.append(scheme.let_signed(f"qdd_{k + 1}", value, note))
        tau.append(row.gamma if row.is_free else own.bias + r + own.D * qdd[k])
    return qdd, tau


def _solve_block(
    scheme: Scheme, M: Matrix, c: Sequence[Node], equations: Sequence[JointEquation]
) -> tuple[list[Node], list[Node]]:
    """(alpha + beta M) qdd = gamma - beta c as one block; tau = M qdd + c."""
    note = Note(step="(alpha + beta M) qdd = gamma - beta c", eq="Otter1996 eqs. (8), (9)")
    A = [[row.beta * x for x in line] for row, line in zip(equations, M, strict=True)]
    for k, row in enumerate(equations):
        A[k][k] = A[k][k] + row.alpha
    rhs = [[row.gamma - row.beta * x] for row, x in zip(equations, c, strict=True)]
    qdd = [x for (x,) in scheme.solve("qdd", A, rhs, symmetric=False, note=note)]
    moved = [[(mul(x, a), 1) for x, a in zip(line, qdd, strict=True)] for line in M]
    tau = [linear(0, ((x, 1), *terms)) for x, terms in zip(c, moved, strict=True)]
    return qdd, [row.gamma if row.is_free else x for row, x in zip(equations, tau, strict=True)]
