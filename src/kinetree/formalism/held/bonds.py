"""Accelerations and forces where equations bind sums of velocities, besides one per velocity.

A bond is a speed s = Σ J_u ud_u + … with a force f along it, and one equation between the two:

    alpha sd + beta f = gamma,      sd = J udd + b

for a dependent velocity of a loop, or for two points or joints that stick to each other.  With the
equations of the velocities themselves (`joint_equations`) and

    tau = M udd + c - Jᵀ f

f follows from one equation per bond in sd = A f + b, with A = J (alpha + beta M)⁻¹ beta Jᵀ.  Bonds
that fix the same motion twice leave f undetermined: the terms of a test become large there.  A
further right-hand side takes from the velocities what is left of speeds that shall be zero, as an
impulse along f would.

Refs: Otter1996 eqs. 8, 9; Docquier2013 sec. 2.2.1
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kinetree.engine import ZERO, Node, add, call, linear, mul, number, sqrt
from kinetree.formalism.links.vectors import Matrix, inner
from kinetree.formalism.loops.validity import ALIKE, GENERAL
from kinetree.program import Note, Scheme

if TYPE_CHECKING:
    from kinetree.formalism.joint_equations import JointEquation

LEAST = 1e-30
"""Added to what a force does to its own speed, so that a speed which no force changes at the moment
(of a slider at its dead centre) asks for a huge one, not for one without value [1/kg, …]."""
NOTE = Note(step="mixed dynamics", eq="Otter1996 eqs. (8), (9)")


@dataclass(frozen=True)
class Bond:
    """A speed, the force along it, and the equation between them.

    Attributes:
        row: J, by place of the velocity in the system; zeros left out.
        drift: b, the acceleration of the speed where the velocities do not accelerate.
        equation: alpha, beta, gamma.
        excess: what is left of the speed where it shall be zero; 0 where it may have any.
    """

    row: Mapping[int, Node]
    drift: Node
    equation: JointEquation
    excess: Node = ZERO


@dataclass(frozen=True)
class BoundMotion:
    """The solution.

    Attributes:
        udd: accelerations.
        tau: forces of the velocities.
        forces: of the bonds.
        rates: accelerations along the bonds.
        changes: by which the velocities bring to rest what shall be; empty where nothing shall.
        sizes: of the terms of udd, then of the accelerations along the bonds.
        tests: terms of a sum that stays below 1 where the bonds are independent.
    """

    udd: list[Node]
    tau: list[Node]
    forces: list[Node]
    rates: list[Node] = field(default_factory=list)
    changes: list[Node] = field(default_factory=list)
    sizes: list[Node] = field(default_factory=list)
    tests: list[Node] = field(default_factory=list)


def solve_bound(
    scheme: Scheme,
    M: Matrix,
    c: Sequence[Node],
    equations: Sequence[JointEquation],
    bonds: Sequence[Bond],
) -> BoundMotion:
    """Accelerations and forces with M udd + c = tau + Jᵀ f and one equation per velocity and bond.

    Args:
        scheme: where they are written.
        M: of the velocities.
        c: of the velocities.
        equations: of the velocities.
        bonds: at least one.
    """
    free, answers = _respond(scheme, M, c, equations, bonds)
    at_rest = [
        scheme.let(f"bond_w_{k}", linear(0, ((bond.drift, 1), *_dot(bond.row, free))), NOTE)
        for k, bond in enumerate(bonds, 1)
    ]
    A = _delassus(scheme, bonds, answers)
    X = _forces(scheme, A, at_rest, bonds)
    forces = [row[0] for row in X]
    udd = [
        scheme.let_signed(f"udd_{i}", x + inner(line, forces), NOTE)
        for i, (x, line) in enumerate(zip(free, answers, strict=True), 1)
    ]
    rates = [x + inner(line, forces) for x, line in zip(at_rest, A, strict=True)]
    sizes = [
        add(*[call("abs", term) for term in (x, *map(mul, line, forces))])
        for x, line in zip((*free, *at_rest), (*answers, *A), strict=True)
    ]
    tau = []
    for i, (line, bias, own) in enumerate(zip(M, c, equations, strict=True)):
        carried = inner([bond.row.get(i, ZERO) for bond in bonds], forces)
        tau.append(own.gamma if own.is_free else inner(line, udd) + bias - carried)
    tests = [(ALIKE * row[1]) ** 2 for row in X] if len(bonds) > 1 else []
    changes = [inner(line, [row[2] for row in X]) for line in answers] if len(X[0]) > 2 else []
    return BoundMotion(udd, tau, forces, rates, changes, sizes, tests)


def _respond(
    scheme: Scheme,
    M: Matrix,
    c: Sequence[Node],
    equations: Sequence[JointEquation],
    bonds: Sequence[Bond],
) -> tuple[list[Node], Matrix]:
    """Accelerations without bonds, and by unit forces of each: row by row of the velocities.

    (alpha + beta M) udd = gamma - beta c + beta Jᵀ f.
    """
    if not equations:
        return [], []
    K: Matrix = []
    rhs: Matrix = []
    for i, (line, bias, own) in enumerate(zip(M, c, equations, strict=True)):
        left = [own.beta * x for x in line]
        left[i] = left[i] + own.alpha
        K.append(left)
        pulls = [own.beta * bond.row.get(i, ZERO) for bond in bonds]
        rhs.append([own.gamma - own.beta * bias, *pulls])
    symmetric = all(own.is_free for own in equations)
    X = scheme.solve("bound", K, rhs, symmetric=symmetric, note=NOTE)
    return [row[0] for row in X], [row[1:] for row in X]


def _delassus(scheme: Scheme, bonds: Sequence[Bond], answers: Matrix) -> Matrix:
    """J K⁻¹ Jᵀ: what a unit force of one bond does to the speed of another."""
    columns = [[row[j] for row in answers] for j in range(len(bonds))]
    return [
        [
            scheme.let(f"bond_A_{i}_{j}", linear(LEAST if i == j else 0, _dot(bond.row, x)), NOTE)
            for j, x in enumerate(columns)
        ]
        for i, bond in enumerate(bonds)
    ]


def _forces(
    scheme: Scheme, A: Matrix, at_rest: Sequence[Node], bonds: Sequence[Bond]
) -> list[list[Node]]:
    """f with alpha (A f + b) + beta f = gamma; columns for a test and for impulses beside it.

    Speeds are counted in such units that the diagonal of A is 1: two of them may be told apart
    where their directions may, however little the one or the other moves.  There the solution for
    right-hand sides that are no sum of one another stays small.
    """
    sizes = [scheme.let(f"bond_d_{k}", sqrt(row[k]), NOTE) for k, row in enumerate(A)]
    matrix: Matrix = []
    rhs: Matrix = []
    for k, (bond, line, size, rest) in enumerate(zip(bonds, A, sizes, at_rest, strict=True)):
        own = bond.equation
        matrix.append([own.alpha * x / other for x, other in zip(line, sizes, strict=True)])
        matrix[k][k] = matrix[k][k] + own.beta / size
        test = own.alpha * size * number(1 / (1 + GENERAL * k))
        rhs.append([own.gamma - own.alpha * rest, test, -bond.excess])
    resting = any(bond.excess is not ZERO for bond in bonds)
    rhs = [row if resting else row[:2] for row in rhs]
    X = scheme.solve("bond_f", matrix, rhs, symmetric=False, note=NOTE)
    return [
        [row[0] / size, row[1], *[x / size for x in row[2:]]]
        for row, size in zip(X, sizes, strict=True)
    ]


def _dot(row: Mapping[int, Node], x: Sequence[Node]) -> tuple[tuple[Node, int], ...]:
    """Terms of J x."""
    return tuple((mul(share, x[i]), 1) for i, share in row.items())
