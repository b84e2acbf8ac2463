"""Forward dynamics by the order-N recursion (articulated bodies), in link frames.

Three sweeps: outward kinematics, inward articulated inertias and biases, outward accelerations.
The articulated inertia of a link is kept as its three 3×3 blocks

    [ n ]   [ A   H ] [ wd ]
    [ f ] = [ Hᵀ  B ] [ a  ] + bias

| Otter1996 sec. 6 | here | meaning |
|---|---|---|
| I^b (eq. 14) | A, H, B | articulated inertia, in the link frame, about the link origin |
| b^b | pn, pf | its bias torque and force |
| M = Φᵀ I Φ (17b) | D | inertia seen by the joint, its rotor's added |
| h (17a, printed with a spurious C) | u | force left for the joint |

Deviation: with forces from the parent on the link, inertias are positive and D = +Φᵀ I Φ.

Refs: Otter1996 sec. 6, eqs. 14-19; BrandlJohanniOtter1986; Featherstone2008 sec. 7.3; Docquier2013
sec. 2.1.1
"""

from __future__ import annotations

from dataclasses import dataclass

from kinetree.engine import ONE, ZERO, Node
from kinetree.errors import UnsupportedError
from kinetree.formalism.forces.link_forces import AppliedForces, external
from kinetree.formalism.links.frames import Frames
from kinetree.formalism.links.motion import AxisMotion
from kinetree.formalism.links.rotors import rotors
from kinetree.formalism.links.vectors import (
    NULL,
    NULL_MATRIX,
    NULL_TENSOR,
    SYM_INDEX,
    SYM_PAIRS,
    Mat,
    Sym,
    Vec,
    apply,
    apply_sym,
    apply_transposed,
    cross,
    dot,
    full,
    mat3,
    matrix_plus,
    minus,
    plus,
    skew,
    sym6,
    symmetric,
    tensor_plus,
    times,
    transpose,
    vec3,
)
from kinetree.formalism.newton_euler import Motions, inertia_torque, outward
from kinetree.program.notes import notes
from kinetree.program.solving import solve_symmetric

NOTES = notes("""
    A H B           | articulated inertia                | Otter1996 eq. (14)             | | link
    pn pf           | articulated bias                   | Otter1996 eq. (14)             | | link
    D Di            | inertia seen by the joint          | Otter1996 eq. (17b)            | | link
    u qdd0_         | force left for the joint           | Otter1996 eq. (17a), C dropped | | link
    Gn Gf           | inertia over D                     | Otter1996 eq. (19)             | | link
    parent          | seen from the parent               | Otter1996 eq. (19)             | | parent
    xap xw xa yw ya | acceleration above that at qdd = 0 | Otter1996 eq. (16c)            | | link
    qdd_            | joint acceleration                 | Otter1996 eq. (16b)
""")


@dataclass(frozen=True)
class Articulated:
    """Articulated inertia of a link and its bias: A, B symmetric, H general; pn, pf bias."""

    A: Sym
    H: Mat
    B: Sym
    pn: Vec
    pf: Vec


@dataclass(frozen=True)
class Solved:
    """A joint solved for its acceleration.

    With x the acceleration of its parent side, counted from that at qdd = 0 and in the link frame,
    qdd = qdd0 - G·x and the link resists as `left` does.
    """

    qdd0: tuple[Node, ...]
    G: tuple[tuple[Vec, Vec], ...]
    left: Articulated


def forward(frames: Frames, qd: tuple[Node, ...], tau: tuple[Node, ...]) -> list[Node]:
    """Accelerations qdd for given forces tau."""
    system = frames.system
    _refuse_followers(frames)
    outer = external(frames)
    tau = tuple(x + outer.efforts.get(k, ZERO) for k, x in enumerate(tau))
    body = _rigid(frames, outward(frames, qd, (ZERO,) * len(qd)), outer)
    joints: dict[int, Solved] = {}
    armature = rotors(system)
    for i in system.inward():
        articulated = _named(frames, i, body[i], "")
        joints[i] = _solve_joint(frames, i, articulated, tau, armature)
        p = system.links[i].parent
        if p:
            body[p] = _joined(body[p], _moved(frames, i, _named(frames, i, joints[i].left, "r")))
    return _accelerations(frames, joints)


def _refuse_followers(frames: Frames) -> None:
    """Two joints on one coordinate are solved together, not one after the other."""
    for joint in frames.system.model.joints.values():
        if joint.follows:
            raise UnsupportedError(
                "it follows another joint, which the order-N recursion cannot treat",
                element=f"joint '{joint.name}'",
                cure="use formalism='newton_euler', or give the joint its own coordinate",
            )


def _rigid(frames: Frames, still: Motions, outer: AppliedForces) -> list[Articulated]:
    """Every link alone; its bias is the whole inertial force of the motion at qdd = 0."""
    bodies = []
    for i, (m, h, inertia) in enumerate(frames.properties):
        a, U = still.a[i], still.U[i]
        f = plus(times(m, a), apply(U, h))
        n = plus(inertia_torque(inertia, still.wd[i], still.ww[i], U), cross(h, a))
        if i in outer.wrenches:
            force, torque = outer.wrenches[i]
            f, n = minus(f, force), minus(n, torque)
        bodies.append(Articulated(inertia, skew(h), (m, m, m, ZERO, ZERO, ZERO), n, f))
    return bodies


def _named(frames: Frames, i: int, body: Articulated, mark: str) -> Articulated:
    """Names for every element."""
    let = frames.naming(NOTES, i)
    return Articulated(
        let("A", body.A, mark), let("H", body.H, mark), let("B", body.B, mark),
        let("pn", body.pn, mark), let("pf", body.pf, mark),
    )  # fmt: skip


def _solve_joint(
    frames: Frames, i: int, body: Articulated, tau: tuple[Node, ...], armature: dict[int, Node]
) -> Solved:
    """Remove the joint's own motion from the articulated inertia."""
    motion = frames.motions[i]
    rotor = tuple(armature.get(k, ZERO) for k in motion.dofs)
    if isinstance(motion, AxisMotion):
        return _solve_axis(frames, i, body, tau[motion.dofs[0]], rotor[0])
    mine = tuple(tau[k] for k in motion.dofs)
    if any(x is not ZERO for x in rotor):
        return _solve_rotors(frames, i, body, mine, rotor)
    return (
        _solve_float(frames, i, body, mine) if motion.floats else _solve_ball(frames, i, body, mine)
    )


def _solve_axis(frames: Frames, i: int, body: Articulated, tau: Node, rotor: Node) -> Solved:
    """One motion Φ = (w, v): D = Φᵀ I Φ + rotor, G = I Φ / D (Otter1996 eqs. 16b, 17, 19)."""
    let = frames.naming(NOTES, i)
    ((_, w, v),) = frames.columns(i)
    Un = plus(apply_sym(body.A, w), apply(body.H, v))
    Uf = plus(apply_transposed(body.H, w), apply_sym(body.B, v))
    D = let("D", dot(w, Un) + dot(v, Uf) + rotor)
    Di = let("Di", ONE / D)
    u = let("u", tau - dot(w, body.pn) - dot(v, body.pf))
    qdd0 = let("qdd0_", Di * u)
    Gn = let("Gn", times(Di, Un))
    Gf = let("Gf", times(Di, Uf))
    left = Articulated(
        symmetric(_less(full(body.A), Un, Gn)),
        _less(body.H, Un, Gf),
        symmetric(_less(full(body.B), Uf, Gf)),
        plus(body.pn, times(qdd0, Un)),
        plus(body.pf, times(qdd0, Uf)),
    )
    solved = Solved((qdd0,), ((Gn, Gf),), left)
    return _exact_along_axis(frames, i, solved, tau) if rotor is ZERO else solved


def _less(X: Mat, u: Vec, g: Vec) -> Mat:
    """X - u gᵀ."""
    return mat3(
        (x - a * b for x, b in zip(row, g, strict=True)) for row, a in zip(X, u, strict=True)
    )


def _exact_along_axis(frames: Frames, i: int, solved: Solved, tau: Node) -> Solved:
    """Along its own axis the joint transmits exactly tau and nothing resists: put that in.

    The elimination gives these values too, but as x - x·D/D, which no rule can see through.
    """
    motion = frames.motions[i]
    assert isinstance(motion, AxisMotion)
    if motion.turn is not ZERO and motion.slide is not ZERO:
        return solved
    k = motion.k
    left, ((Gn, Gf),) = solved.left, solved.G
    if motion.turn is not ZERO:
        A, H = _cleared(full(left.A), k, k), _cleared(left.H, k, None)
        body = Articulated(symmetric(A), H, left.B, _set(left.pn, k, motion.turn * tau), left.pf)
        return Solved(solved.qdd0, ((_set(Gn, k, motion.turn), Gf),), body)
    B, H = _cleared(full(left.B), k, k), _cleared(left.H, None, k)
    body = Articulated(left.A, H, symmetric(B), left.pn, _set(left.pf, k, motion.slide * tau))
    return Solved(solved.qdd0, ((Gn, _set(Gf, k, motion.slide)),), body)


def _cleared(X: Mat, row: int | None, column: int | None) -> Mat:
    return mat3(
        (ZERO if a == row or b == column else x for b, x in enumerate(r)) for a, r in enumerate(X)
    )


def _set(v: Vec, k: int, x: Node) -> Vec:
    return vec3(x if j == k else y for j, y in enumerate(v))


def _solve_ball(frames: Frames, i: int, body: Articulated, tau: tuple[Node, ...]) -> Solved:
    """Three rotations, Φ = (1, 0): nothing resists rotation, B - Hᵀ A⁻¹ H resists translation."""
    scheme = frames.scheme
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
    G = tuple((_unit(k), K[k]) for k in range(3))
    return Solved(tuple(qdd0), G, left)


def _unit(k: int) -> Vec:
    return vec3(ONE if j == k else ZERO for j in range(3))


def _solve_float(frames: Frames, i: int, body: Articulated, tau: tuple[Node, ...]) -> Solved:
    """Six motions, Φ = 1: the link follows tau alone, and hands tau on."""
    A, B = full(body.A), full(body.B)
    Ht = transpose(body.H)
    rows = [[*A[k], *body.H[k]] for k in range(3)] + [[*Ht[k], *B[k]] for k in range(3)]
    u = [t - p for t, p in zip(tau, (*body.pn, *body.pf), strict=True)]
    qdd0 = solve_symmetric(frames.scheme, f"qdd0_{i}", rows, u)
    G = tuple((_unit(k), NULL) for k in range(3)) + tuple((NULL, _unit(k)) for k in range(3))
    left = Articulated(NULL_TENSOR, NULL_MATRIX, NULL_TENSOR, vec3(tau[:3]), vec3(tau[3:]))
    return Solved(tuple(qdd0), G, left)


def _solve_rotors(
    frames: Frames, i: int, body: Articulated, tau: tuple[Node, ...], rotor: tuple[Node, ...]
) -> Solved:
    """Several motions Φ with rotors: D = Φᵀ I Φ + diag(rotor), G = D⁻¹ Φᵀ I, I - I Φ G is left."""
    columns = [
        (plus(apply_sym(body.A, w), apply(body.H, v)),
         plus(apply_transposed(body.H, w), apply_sym(body.B, v)))
        for _, w, v in frames.columns(i)
    ]  # fmt: skip
    rows = range(len(columns))
    phi = [(w, v) for _, w, v in frames.columns(i)]
    D = [[dot(w, Un) + dot(v, Uf) for Un, Uf in columns] for w, v in phi]
    for k in rows:
        D[k][k] = D[k][k] + rotor[k]
    u = [t - dot(w, body.pn) - dot(v, body.pf) for t, (w, v) in zip(tau, phi, strict=True)]
    qdd0 = solve_symmetric(frames.scheme, f"qdd0_{i}", D, u)
    flat = [(*Un, *Uf) for Un, Uf in columns]
    solved = [
        solve_symmetric(frames.scheme, f"G{i}_{j + 1}", D, [row[j] for row in flat])
        for j in range(6)
    ]
    G = tuple((vec3(s[k] for s in solved[:3]), vec3(s[k] for s in solved[3:])) for k in rows)
    A, H, B, pn, pf = full(body.A), body.H, full(body.B), body.pn, body.pf
    for (Un, Uf), (Gn, Gf), first in zip(columns, G, qdd0, strict=True):
        A, H, B = _less(A, Un, Gn), _less(H, Un, Gf), _less(B, Uf, Gf)
        pn, pf = plus(pn, times(first, Un)), plus(pf, times(first, Uf))
    return Solved(tuple(qdd0), G, Articulated(symmetric(A), H, symmetric(B), pn, pf))


def _moved(frames: Frames, i: int, body: Articulated) -> Articulated:
    """The inertia of link i seen from its parent: turned, and referred to the parent's origin.

    With r from the parent origin to the link origin: H' = H + r~ B, A' = A + r~ H'ᵀ + (r~ Hᵀ)ᵀ.
    """
    let, r = frames.naming(NOTES, i), frames.offset(i)
    A = frames.sym_to_parent(i, body.A, f"A{i}t")
    B = let("B", frames.sym_to_parent(i, body.B, f"B{i}t"), "p", row="parent")
    H = let("H", frames.tensor_to_parent(i, body.H, f"H{i}t"), "p", row="parent")
    pf = let("pf", frames.to_parent(i, body.pf, f"pf{i}t"), "p", row="parent")
    pn = frames.to_parent(i, body.pn, f"pn{i}t")
    shifted = transpose(mat3(cross(r, column) for column in full(B)))
    H_p = let("H", matrix_plus(H, shifted), "q", row="parent")
    P = [cross(r, row) for row in H_p]  # column j of r~ H'ᵀ is r × (row j of H')
    Q = [cross(r, row) for row in H]
    A_p = sym6(a + P[k][j] + Q[j][k] for a, (j, k) in zip(A, SYM_PAIRS, strict=True))
    return Articulated(A_p, H_p, B, plus(pn, cross(r, pf)), pf)


def _joined(a: Articulated, b: Articulated) -> Articulated:
    return Articulated(
        tensor_plus(a.A, b.A),
        matrix_plus(a.H, b.H),
        tensor_plus(a.B, b.B),
        plus(a.pn, b.pn),
        plus(a.pf, b.pf),
    )


def _accelerations(frames: Frames, joints: dict[int, Solved]) -> list[Node]:
    """The third sweep: qdd = qdd0 - G·x from the ground outward (Otter1996 eqs. 16b, 16c)."""
    system = frames.system
    qdd: list[Node] = [ZERO] * system.nv
    wd: list[Vec] = [NULL] * len(system.links)
    a: list[Vec] = [NULL] * len(system.links)
    for i in system.outward():
        let, joint, p = frames.naming(NOTES, i), joints[i], system.links[i].parent
        at = let("xap", plus(a[p], cross(wd[p], frames.offset(i))))
        xw = let("xw", frames.to_link(i, wd[p], f"xw{i}"))
        xa = let("xa", frames.to_link(i, at, f"xa{i}"))
        own_w, own_a = xw, xa
        for (k, w, v), first, (Gn, Gf) in zip(frames.columns(i), joint.qdd0, joint.G, strict=True):
            qdd[k] = let("qdd_", first - dot(Gn, xw) - dot(Gf, xa), at=k + 1)
            own_w, own_a = plus(own_w, times(qdd[k], w)), plus(own_a, times(qdd[k], v))
        wd[i] = let("yw", own_w)
        a[i] = let("ya", own_a)
    return qdd
