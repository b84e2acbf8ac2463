"""Forward and mixed dynamics by the order-N recursion (articulated bodies), in link frames.

Three sweeps: outward kinematics, inward articulated inertias and biases, outward accelerations.
Every joint velocity has one equation alpha qdd + beta tau = gamma (`joint_equations`).  With x the
acceleration of the joint's parent side, its force is

    tau = s + U·x + D qdd,      U = I Φ,   D = Φᵀ U + rotor,   s = Φᵀ bias

so the equation gives the acceleration, and what of the inertia and bias is left for the parent:

    E = alpha + beta D,   qdd = qdd0 - (beta/E) U·x,   qdd0 = (gamma - beta s)/E
    I - (beta/E) U Uᵀ,    bias + U qdd0

| Otter1996 sec. 6 | here | meaning |
|---|---|---|
| I^b (eq. 14) | A, H, B | articulated inertia, in the link frame, about the link origin |
| b^b | pn, pf | its bias torque and force |
| M = Φᵀ I Φ (17b) | D | inertia seen by the joint, its rotor's added |
| h (17a, printed with a spurious C) | u | force left for the joint |
| L (8, 9) | alpha, beta | 0, 1 for a free joint, 1, 0 for a locked one |

Deviation: with forces from the parent on the link, inertias are positive and D = +Φᵀ I Φ.

Refs: Otter1996 sec. 4, eqs. 8, 9, sec. 6, eqs. 14-19; BrandlJohanniOtter1986; Featherstone2008
sec. 7.3; Docquier2013 sec. 2.1.1
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kinetree.engine import ONE, ZERO, Node
from kinetree.errors import UnsupportedError
from kinetree.formalism.articulated import (
    Articulated,
    join,
    move_to_parent,
    name_elements,
    rigid_bodies,
)
from kinetree.formalism.forces.link_forces import AppliedForces, external
from kinetree.formalism.joint_equations import (
    JointEquation,
    count_from_given,
    given_accelerations,
    whole_accelerations,
)
from kinetree.formalism.links.frames import Frames
from kinetree.formalism.links.motion import AxisMotion
from kinetree.formalism.links.rotors import rotors
from kinetree.formalism.links.vectors import (
    NULL,
    NULL_MATRIX,
    NULL_TENSOR,
    SYM_INDEX,
    Mat,
    Vec,
    apply,
    apply_sym,
    apply_transposed,
    cross,
    dot,
    full,
    mat3,
    plus,
    symmetric,
    times,
    transpose,
    vec3,
)
from kinetree.formalism.newton_euler import outward
from kinetree.program.notes import Naming, notes
from kinetree.program.solving import solve_symmetric

if TYPE_CHECKING:
    from kinetree.formalism.links.linkage import Linkage

NOTES = notes("""
    joints: D Di      | inertia seen by the joint          | Otter1996 eq. (17b)            | | link
    joints: b L       | its part that gives way, resists   | Otter1996 eqs. (8), (19)       | | link
    joints: s u qdd0_ | force left for the joint           | Otter1996 eq. (17a), C dropped | | link
    joints: tau0_ S   | force of the joint at x = 0, by r  | Otter1996 eqs. (8), (17a)      | | link
    Gn Gf             | inertia over D                     | Otter1996 eq. (19)             | | link
    xap xw xa yw ya   | acceleration above that at qdd = 0 | Otter1996 eq. (16c)            | | link
    joints: r         | force that x asks of the joint     | Otter1996 eq. (16b)            | | link
    joints: qdd_      | joint acceleration                 | Otter1996 eq. (16b)
""")
NumberedColumn = tuple[int, Vec, Vec]
"""Velocity number and its column of Φ: angular, linear, in the link frame."""


@dataclass(frozen=True)
class ForcedRow(JointEquation):
    """A joint equation with what else acts along its velocity.

    Attributes:
        effort: of the model's own force elements, less what the rotor needs in the first sweep.
        rotor: inertia of what turns with the joint without being carried by its links.
    """

    effort: Node
    rotor: Node

    @property
    def is_plain(self) -> bool:
        """Whether the force is known and no rotor turns with the joint."""
        return self.is_free and self.rotor is ZERO

    @property
    def force(self) -> Node:
        """The whole force along a velocity whose force is known."""
        return self.gamma + self.effort


@dataclass(frozen=True)
class Resisting:
    """A velocity whose force is not known beforehand: with r = U·x it is tau0 + share r.

    Its acceleration is qdd0 - b r.
    """

    U: tuple[Vec, Vec]
    b: Node
    tau0: Node
    share: Node


@dataclass(frozen=True)
class Solved:
    """Velocities of a joint solved for their accelerations.

    With x the acceleration of its parent side, counted from that of the first sweep and in the
    link frame, qdd = qdd0 - G·x and the link resists as `left` does.  Of a single velocity, a unit
    of force more makes it faster by `share`.
    """

    columns: Sequence[NumberedColumn]
    qdd0: Sequence[Node]
    G: Sequence[tuple[Vec, Vec]]
    left: Articulated
    resisting: Resisting | None = None
    share: Node = ZERO


def forward(frames: Frames, qd: tuple[Node, ...], tau: tuple[Node, ...]) -> list[Node]:
    """Accelerations qdd for given forces tau."""
    qdd, _ = mixed_dynamics(frames, qd, [JointEquation(ZERO, ONE, x) for x in tau])
    return qdd


def mixed_dynamics(
    frames: Frames, qd: tuple[Node, ...], equations: Sequence[JointEquation]
) -> tuple[list[Node], list[Node]]:
    """Accelerations qdd and forces tau that obey one equation per velocity.

    Accelerations that are known enter the first sweep, so the others are counted from there.
    """
    system = frames.system
    refuse_followers(frames)
    outer, given = external(frames), given_accelerations(equations)
    rows = _rows(system, count_from_given(equations), given, outer)
    body = rigid_bodies(frames, outward(frames, qd, given), outer)
    joints: dict[int, list[Solved]] = {}
    carried: dict[int, list[Articulated]] = {}
    for i in system.inward():
        articulated = name_elements(frames, i, join(body[i], *carried.pop(i, ())), "")
        joints[i] = _solve_joint(frames, i, articulated, rows)
        p = system.links[i].parent
        if p:
            left = name_elements(frames, i, joints[i][-1].left, "r")
            carried.setdefault(p, []).append(move_to_parent(frames, i, left))
    return _accelerations(frames, joints, equations)


def _rows(
    system: Linkage, equations: Sequence[JointEquation], given: Sequence[Node], outer: AppliedForces
) -> list[ForcedRow]:
    """The equations with what acts besides tau; rotors resist the given accelerations, too."""
    found = rotors(system)
    inertias = [found.get(k, ZERO) for k in range(system.nv)]
    return [
        ForcedRow(row.alpha, row.beta, row.gamma, outer.efforts.get(k, ZERO) - rotor * x, rotor)
        for k, (row, x, rotor) in enumerate(zip(equations, given, inertias, strict=True))
    ]


def refuse_followers(frames: Frames) -> None:
    """Two joints on one coordinate are solved together, not one after the other."""
    for joint in frames.system.model.joints.values():
        if joint.follows:
            raise UnsupportedError(
                "it follows another joint, which the order-N recursion cannot treat",
                element=f"joint '{joint.name}'",
                cure="use formalism='newton_euler', or give the joint its own coordinate",
            )


def _solve_joint(
    frames: Frames, i: int, body: Articulated, equations: Sequence[ForcedRow]
) -> list[Solved]:
    """Remove the joint's own motions from the articulated inertia, all at once or in their order.

    What the last one leaves is left of the joint.
    """
    motion, columns = frames.motions[i], frames.columns(i)
    rows = [equations[k] for k in motion.dofs]
    if isinstance(motion, AxisMotion):
        return [solve_velocity(frames.naming(NOTES, i), body, columns[0], rows[0])]
    if all(row.is_plain for row in rows):
        return [(_solve_float if motion.floats else _solve_ball)(frames, i, body, rows)]
    if all(row.is_free for row in rows):
        return [_solve_rotors(frames, i, body, rows)]
    solved: list[Solved] = []
    for column, row in zip(columns, rows, strict=True):
        let = replace(frames.naming(NOTES, i), at=f"{i}_{column[0] + 1}")
        solved.append(solve_velocity(let, body, column, row))
        body = name_elements(frames, i, solved[-1].left, f"_{column[0] + 1}")
    return solved


def solve_velocity(
    let: Naming, body: Articulated, column: NumberedColumn, row: ForcedRow
) -> Solved:
    """One motion Φ = (w, v) with its equation (Otter1996 eqs. 8, 16b, 17, 19)."""
    _, w, v = column
    Un = plus(apply_sym(body.A, w), apply(body.H, v))
    Uf = plus(apply_transposed(body.H, w), apply_sym(body.B, v))
    D = let("D", dot(w, Un) + dot(v, Uf) + row.rotor)
    Di = let("Di", ONE / (row.alpha + row.beta * D))
    b = let("b", row.beta * Di)
    s = dot(w, body.pn) + dot(v, body.pf) - row.effort
    s = s if row.is_free else let("s", s)
    u = let("u", row.gamma - row.beta * s)
    qdd0 = let("qdd0_", Di * u)
    Gn = let("Gn", times(b, Un))
    Gf = let("Gf", times(b, Uf))
    left = Articulated(
        symmetric(_less(full(body.A), Un, Gn)),
        _less(body.H, Un, Gf),
        symmetric(_less(full(body.B), Uf, Gf)),
        plus(body.pn, times(qdd0, Un)),
        plus(body.pf, times(qdd0, Uf)),
    )
    resisting = None
    if not row.is_free:
        tau0, share = let("tau0_", s + D * qdd0), let("S", row.alpha * Di)
        resisting = Resisting((Un, Uf), b, tau0, share)
    solved = Solved((column,), (qdd0,), ((Gn, Gf),), left, resisting, b)
    part = let("L", Di * (row.alpha + row.beta * row.rotor))
    return _exact_along_axis(solved, body, row, part)


def _less(X: Mat, u: Vec, g: Vec) -> Mat:
    """X - u gᵀ."""
    return mat3(
        (x - a * b for x, b in zip(row, g, strict=True)) for row, a in zip(X, u, strict=True)
    )


def _exact_along_axis(solved: Solved, body: Articulated, row: ForcedRow, part: Node) -> Solved:
    """Along its own axis the link resists by the given part of its inertia: put that in.

    A free joint resists nothing there and transmits exactly its force; a locked one resists all.
    The elimination gives these values too, but as x - x·D/E, which no rule can see through.
    """
    (_, w, v), left, ((Gn, Gf),) = solved.columns[0], solved.left, solved.G[:1]
    turn, slide = (next((a for a, x in enumerate(e) if x is not ZERO), None) for e in (w, v))
    if turn is not None and slide is not None:
        return solved
    exact = replace(
        left,
        A=symmetric(_along(full(left.A), full(body.A), part, turn, turn)),
        H=_along(left.H, body.H, part, turn, slide),
        B=symmetric(_along(full(left.B), full(body.B), part, slide, slide)),
    )
    if row.is_plain:
        pn, pf = times(row.force, w), times(row.force, v)
        exact = replace(exact, pn=_where(w, pn, left.pn), pf=_where(v, pf, left.pf))
        Gn, Gf = _where(w, w, Gn), _where(v, v, Gf)
    return replace(solved, G=((Gn, Gf),), left=exact)


def _along(X: Mat, whole: Mat, part: Node, row: int | None, column: int | None) -> Mat:
    """X with one row and one column that are a part of those before the elimination."""
    return mat3(
        (part * whole[a][b] if a == row or b == column else x for b, x in enumerate(r))
        for a, r in enumerate(X)
    )


def _where(axis: Vec, there: Vec, elsewhere: Vec) -> Vec:
    """The components of one vector along an axis, those of another elsewhere."""
    return vec3(y if e is ZERO else x for e, x, y in zip(axis, there, elsewhere, strict=True))


def _solve_ball(frames: Frames, i: int, body: Articulated, rows: Sequence[ForcedRow]) -> Solved:
    """Three rotations, Φ = (1, 0): nothing resists rotation, B - Hᵀ A⁻¹ H resists translation."""
    scheme, tau = frames.scheme, [row.force for row in rows]
    A = [list(row) for row in full(body.A)]
    u = [t - p for t, p in zip(tau, body.pn, strict=True)]
    qdd0 = solve_symmetric(scheme, f"qdd0_{i}", A, u)
    columns = [
        solve_symmetric(scheme, f"G{i}_{'xyz'[k]}", A, list(column))
        for k, column in enumerate(transpose(body.H))
    ]
    K = transpose(mat3(columns))
    B = [
        [body.B[SYM_INDEX[a][b]] - dot(transpose(body.H)[a], columns[b]) for b in range(3)]
        for a in range(3)
    ]
    pf = plus(body.pf, apply_transposed(body.H, vec3(qdd0)))
    left = Articulated(NULL_TENSOR, NULL_MATRIX, symmetric(mat3(B)), vec3(tau), pf)
    return Solved(frames.columns(i), qdd0, [(_unit(k), K[k]) for k in range(3)], left)


def _unit(k: int) -> Vec:
    return vec3(ONE if j == k else ZERO for j in range(3))


def _solve_float(frames: Frames, i: int, body: Articulated, rows: Sequence[ForcedRow]) -> Solved:
    """Six motions, Φ = 1: the link follows tau alone, and hands tau on."""
    tau = [row.force for row in rows]
    A, B = full(body.A), full(body.B)
    Ht = transpose(body.H)
    whole = [[*A[k], *body.H[k]] for k in range(3)] + [[*Ht[k], *B[k]] for k in range(3)]
    u = [t - p for t, p in zip(tau, (*body.pn, *body.pf), strict=True)]
    qdd0 = solve_symmetric(frames.scheme, f"qdd0_{i}", whole, u)
    G = [(_unit(k), NULL) for k in range(3)] + [(NULL, _unit(k)) for k in range(3)]
    left = Articulated(NULL_TENSOR, NULL_MATRIX, NULL_TENSOR, vec3(tau[:3]), vec3(tau[3:]))
    return Solved(frames.columns(i), qdd0, G, left)


def _solve_rotors(frames: Frames, i: int, body: Articulated, rows: Sequence[ForcedRow]) -> Solved:
    """Several motions Φ with rotors: D = Φᵀ I Φ + diag(rotor), G = D⁻¹ Φᵀ I, I - I Φ G is left."""
    columns = [
        (plus(apply_sym(body.A, w), apply(body.H, v)),
         plus(apply_transposed(body.H, w), apply_sym(body.B, v)))
        for _, w, v in frames.columns(i)
    ]  # fmt: skip
    phi = [(w, v) for _, w, v in frames.columns(i)]
    D = [[dot(w, Un) + dot(v, Uf) for Un, Uf in columns] for w, v in phi]
    for k, row in enumerate(rows):
        D[k][k] = D[k][k] + row.rotor
    u = [
        row.force - dot(w, body.pn) - dot(v, body.pf) for row, (w, v) in zip(rows, phi, strict=True)
    ]
    qdd0 = solve_symmetric(frames.scheme, f"qdd0_{i}", D, u)
    flat = [(*Un, *Uf) for Un, Uf in columns]
    X = [
        solve_symmetric(frames.scheme, f"G{i}_{j + 1}", D, [row[j] for row in flat])
        for j in range(6)
    ]
    G = [(vec3(x[k] for x in X[:3]), vec3(x[k] for x in X[3:])) for k in range(len(rows))]
    A, H, B, pn, pf = full(body.A), body.H, full(body.B), body.pn, body.pf
    for (Un, Uf), (Gn, Gf), first in zip(columns, G, qdd0, strict=True):
        A, H, B = _less(A, Un, Gn), _less(H, Un, Gf), _less(B, Uf, Gf)
        pn, pf = plus(pn, times(first, Un)), plus(pf, times(first, Uf))
    left = Articulated(symmetric(A), H, symmetric(B), pn, pf)
    return Solved(frames.columns(i), qdd0, G, left)


def _accelerations(
    frames: Frames, joints: dict[int, list[Solved]], equations: Sequence[JointEquation]
) -> tuple[list[Node], list[Node]]:
    """The third sweep: qdd = qdd0 - G·x from the ground outward (Otter1996 eqs. 16b, 16c)."""
    system = frames.system
    qdd: list[Node] = [ZERO] * system.nv
    tau = [row.gamma for row in equations]
    wd: list[Vec] = [NULL] * len(system.links)
    a: list[Vec] = [NULL] * len(system.links)
    for i in system.outward():
        let, p = frames.naming(NOTES, i), system.links[i].parent
        at = let("xap", plus(a[p], cross(wd[p], frames.offset(i))))
        xw = let("xw", frames.to_link(i, wd[p], f"xw{i}"))
        xa = let("xa", frames.to_link(i, at, f"xa{i}"))
        for solved in reversed(joints[i]):
            found = _velocities(let, solved, (xw, xa))
            for (k, w, v), (value, force) in zip(solved.columns, found, strict=True):
                qdd[k], tau[k] = value, tau[k] if force is None else force
                xw, xa = plus(xw, times(value, w)), plus(xa, times(value, v))
        wd[i] = let("yw", xw)
        a[i] = let("ya", xa)
    return whole_accelerations(equations, qdd), tau


def _velocities(let: Naming, solved: Solved, x: tuple[Vec, Vec]) -> list[tuple[Node, Node | None]]:
    """Acceleration, counted from the first sweep, and force of every velocity; none where known."""
    if solved.resisting is None:
        rows = zip(solved.columns, solved.qdd0, solved.G, strict=True)
        return [
            (let("qdd_", first - dot(Gn, x[0]) - dot(Gf, x[1]), at=k + 1), None)
            for (k, _, _), first, (Gn, Gf) in rows
        ]
    ((k, _, _),), (first,), own = solved.columns, solved.qdd0, solved.resisting
    r = let("r", dot(own.U[0], x[0]) + dot(own.U[1], x[1]), at=k + 1)
    return [(let("qdd_", first - own.b * r, at=k + 1), own.tau0 + own.share * r)]
