"""Derivatives of inverse dynamics, by composite bodies in link frames.

A column S = (ω, ν) of a link's motion subspace, in the link frame, is turned by the motion of its
parent: first derivative Ψ̇, second Ψ̈.  Forces are pairs (n, f) about the link origin.  The inertial
force of a composite body is linear in what changes, so every pair of columns, k on a link and l on
the same link or closer to the ground, takes a few dozen operations:

    ∂tau_l/∂q_k   = S_l·(I Ψ̈_k + 2B Ψ̇_k + S_k ×* F)     ∂tau_k/∂q_l  = Ψ̈_l·(I S_k) + Ψ̇_l·(2Bᵀ S_k)
    ∂tau_l/∂qd_k  = S_l·(I Θ_k + 2B S_k)                 ∂tau_k/∂qd_l = Θ_l·(I S_k) + S_l·(2Bᵀ S_k)
    ∂tau_l/∂qdd_k = S_l·(I S_k) = M

with I, B, F of the composite body of k's link.  Derivatives by q are along der(q) = N(q) e_k: by
the coordinate itself for one-axis motions, by a turn about a link axis for quaternions.

| Singh2022 | here | meaning |
|---|---|---|
| Ψ̇ = v × S | (y, ·) | (w'×ω, u'×ω + w'×ν); w', u', U', a' are the parent's, at the link origin |
| Ψ̈ = a × S + v × Ψ̇ | second | (U'ω, a'×ω + 2u'×y + U'ν), with the classical acceleration a' |
| Θ = Ψ̇ + Ṡ | rate | 2Ψ̇ on a link with one velocity |
| 2B | moving | ((tr G)1 - G  0; -P~  0), with G = 2∫ ṙ rᵀ dm, P = 2∫ ṙ dm (see `momenta`) |
| I S, 2Bᵀ S | mass, couple | force of unit acceleration; the second has no force part |

The form of B is an own derivation: for a link with pseudo-inertia J = ½tr(I)1 - I, first moment h
and twist (w, u), G = 2(w~J + u hᵀ) and P = 2(m u + w×h).  A wrench held in the ground frame resists
turning in the same form, with G = F pᵀ + T~ and P = F.

The bias is c = ½ (∂tau/∂qd) qd + gravity - applied forces, since it is quadratic in qd.  Force
elements are left out of all this: their generalised forces are differentiated name by name
(`force_derivatives`) and subtracted at the end.

Refs: Singh2022 (in the ground frame there); WalkerOrin1982; Featherstone2008
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kinetree.engine import ZERO, Node, linear, number
from kinetree.formalism.composite_bodies import composites
from kinetree.formalism.force_derivatives import force_slopes
from kinetree.formalism.forces.link_forces import AppliedForces, wrenches_alone
from kinetree.formalism.links.frames import Frames
from kinetree.formalism.links.momenta import Momentum, gather, of_links, of_wrenches
from kinetree.formalism.links.passage import relative
from kinetree.formalism.links.rotors import add_rotor_forces, on_diagonal
from kinetree.formalism.links.vectors import (
    NULL,
    Matrix,
    Pair,
    Sym,
    Vec,
    apply,
    apply_sym,
    cross,
    dot,
    plus,
    times,
    vec3,
)
from kinetree.formalism.newton_euler import Motions, inward, outward, project, resting
from kinetree.program import Note
from kinetree.program.notes import notes

NOTES = notes("""
    up uq u     | twice the velocity of the origin      |           | m/s | link
    wp Ta Tv y  | turning of the motion subspace        | Singh2022 |     | link
    ap aq za zv | second turning of the motion subspace | Singh2022 |     | link
    velocity    | forces of velocity {}                 | Singh2022 |     | link
    coordinate  | forces of coordinate {}               | Singh2022 |     | link
""")
Key = tuple[int, int]
"""Link and velocity: a joint that follows another shares the velocity of its leader."""
TWO = number(2)


@dataclass(frozen=True)
class VelocityColumn:
    """A velocity of a link: its column of the motion subspace and how that turns, link frame.

    Attributes:
        k: number of the velocity.
        S: the column (ω, ν).
        y: angular part of Ψ̇.
        rate: Ψ̇ + Ṡ.
    """

    k: int
    S: Pair
    y: Vec
    rate: Pair


@dataclass(frozen=True)
class Composite:
    """A link and all beyond it, frozen together, about the link origin and in the link frame.

    Attributes:
        m, h, I: mass, first moment, inertia.
        moving: twice the moments of momentum.
        held: moments of the wrenches that are given in the ground frame.
    """

    m: Node
    h: Vec
    I: Sym
    moving: Momentum
    held: Momentum

    def inertia(self, x: Pair) -> Pair:
        """Torque and force that accelerate it by x."""
        n = plus(apply_sym(self.I, x[0]), cross(self.h, x[1]))
        return n, plus(times(self.m, x[1]), cross(x[0], self.h))


@dataclass(frozen=True)
class Sweep:
    """Everything of the links that does not depend on qdd.

    Attributes:
        frames: the links and the scheme to write into.
        sign: 1, or -1 where -∂tau is wanted.
        outer: external wrenches.
        columns: of every link.
        u2_p: twice the velocity of the parent where the link origin is, link frame.
        bodies: composite body of every link.
    """

    frames: Frames
    sign: Node
    outer: AppliedForces
    columns: list[list[VelocityColumn]]
    u2_p: list[Vec]
    bodies: list[Composite]

    def each(self) -> Iterator[tuple[int, VelocityColumn]]:
        """(link, column) of every velocity of every link, outward."""
        return ((i, column) for i, some in enumerate(self.columns) for column in some)


@dataclass(frozen=True)
class JointForceSlopes:
    """Derivatives by qdd (the mass matrix) and, times the sign of the sweep, by qd.

    Attributes:
        mass, couple: link and velocity -> I S and 2Bᵀ S, on every link inward.
    """

    M: Matrix
    by_qd: Matrix
    mass: dict[Key, dict[int, Pair]]
    couple: dict[Key, dict[int, Pair]]


def sweep(frames: Frames, sign: int) -> Sweep:
    """Turning columns and composite bodies; `sign` is 1, or -1 where -∂tau is wanted."""
    system, outer = frames.system, wrenches_alone(frames)
    w = outward(frames, system.qd, (ZERO,) * system.nv).w
    u2, u2_p, columns = [NULL], [NULL], [list[VelocityColumn]()]
    for i in system.outward():
        let, p = frames.naming(NOTES, i), system.links[i].parent
        at = let("up", plus(u2[p], cross(w[p], times(TWO, frames.offset(i)))))
        u2_p.append(let("uq", frames.to_link(i, at, f"u{i}")))
        v_rel = relative(frames, i, system.qd)[1]
        u2.append(let("u", plus(u2_p[i], v_rel, v_rel)))
        w_p = let("wp", frames.to_link(i, w[p], f"w{i}"))
        columns.append(list(_columns(frames, i, (w_p, u2_p[i]), (w[i], u2[i]))))
    mass = composites(frames)
    moving = gather(frames, of_links(frames, w, u2), "G")
    held = gather(frames, of_wrenches(frames), "W")
    bodies = [Composite(*row) for row in zip(*mass, moving, held, strict=True)]
    return Sweep(frames, number(sign), outer, columns, u2_p, bodies)


def _columns(frames: Frames, i: int, carrier: Pair, own: Pair) -> Iterator[VelocityColumn]:
    """The columns of link i.

    Args:
        frames: the links.
        i: number of the link.
        carrier: angular velocity and twice the velocity of the parent, at the link origin.
        own: the same of the link; from these comes Ṡ where it has several velocities.
    """
    let, (w_p, u2_p) = frames.naming(NOTES, i), carrier
    wn, un = carrier if len(frames.columns(i)) == 1 else own
    for k, w, v in frames.columns(i):
        y, x = cross(w_p, w), cross(w_p, v)
        along = times(number(0.5), plus(cross(u2_p, w), cross(un, w)))
        angular = let("Ta", plus(y, cross(wn, w)), at=k)
        rate = (angular, let("Tv", plus(along, x, cross(wn, v)), at=k))
        yield VelocityColumn(k, (w, v), let("y", y, at=k), rate)


# --- forces of one column, carried inward --------------------------------------------------------


def carry(
    frames: Frames, stem: str, i: int, force: Pair, note: Note, ends: str = "nf"
) -> dict[int, Pair]:
    """A force on link i about the origins of all links from there to the ground.

    Names have exactly these signs, since most of the components are results as they stand; `ends`
    are the letters of torque and force in them.
    """

    def let(k: int, v: Vec, at: int) -> Vec:
        stem_of = f"{stem}{ends[k : k + 1]}{at}"
        return vec3(
            frames.scheme.let_signed(f"{stem_of}_{a}", e, note)
            for a, e in zip("xyz", v, strict=True)
        )

    found = {i: (let(0, force[0], i), let(1, force[1], i))}
    while p := frames.system.links[i].parent:
        n, f = (frames.to_parent(i, x, f"{stem}{i}") for x in found[i])
        f = let(1, f, p)
        found[p] = let(0, plus(n, cross(frames.offset(i), f)), p), f
        i = p
    return found


# --- derivatives by qd and qdd -------------------------------------------------------------------


def velocity_slopes(made: Sweep) -> JointForceSlopes:
    """M and ∂tau/∂qd, by rows and columns that belong to one velocity of a link."""
    frames, sign, n = made.frames, made.sign, made.frames.system.nv
    out = JointForceSlopes([[ZERO] * n for _ in range(n)], [[ZERO] * n for _ in range(n)], {}, {})
    for i, column in made.each():
        k, (w, v), body = column.k, column.S, made.bodies[i]
        note = frames.naming(NOTES, i, k + 1).note("velocity")
        mass = carry(frames, f"A{k}_", i, body.inertia(column.S), note)
        couple = carry(frames, f"D{k}_", i, (body.moving.times_transposed(w, v), NULL), note, "")
        force = total(sign, body.inertia(column.rate), body.moving.times(w))
        force_at = carry(frames, f"C{k}_", i, force, note)
        for j in mass:
            for other in made.columns[j]:
                l = other.k
                _add(out.M, k, l, product(other.S, mass[j]), also=j != i)
                _add(out.by_qd, l, k, product(other.S, force_at[j]))
                if j != i:
                    row = product(other.rate, mass[j]) + dot(other.S[0], couple[j][0])
                    row = frames.scheme.let_signed(f"dv_{k + 1}_{l + 1}", sign * row, note)
                    _add(out.by_qd, k, l, row)
        out.mass[i, k], out.couple[i, k] = mass, couple
    on_diagonal(frames.system, out.M)
    return out


def bias(made: Sweep, by_qd: Matrix) -> list[Node]:
    """c = ½ (∂tau/∂qd) qd + gravity - applied forces."""
    frames, system = made.frames, made.frames.system
    qd = [0.5 * made.sign * x for x in system.qd]
    applied = project(frames, *inward(frames, resting(len(system.links)), made.outer), made.outer)
    weight = outward(frames, (ZERO,) * system.nv, (ZERO,) * system.nv).a
    c = [applied[k] + dot(row, qd) for k, row in enumerate(by_qd)]
    for i, column in made.each():
        body = made.bodies[i]
        force = cross(body.h, weight[i]), times(body.m, weight[i])
        c[column.k] = c[column.k] + product(column.S, force)
    return c


def subtract(matrix: Matrix, sign: Node, slopes: Matrix) -> None:
    """Subtract, times a sign, the derivatives of the generalised forces of force elements."""
    for row, own in zip(matrix, slopes, strict=True):
        row[:] = [x - sign * y for x, y in zip(row, own, strict=True)]


# --- derivatives by q ----------------------------------------------------------------------------


def position_slopes(
    made: Sweep, slopes: JointForceSlopes, qdd: tuple[Node, ...]
) -> tuple[list[Node], Matrix]:
    """(tau, ∂tau/∂q times the sign of the sweep) at accelerations qdd."""
    frames, system = made.frames, made.frames.system
    motion = outward(frames, system.qd, qdd)
    f, n = inward(frames, motion, made.outer)
    second = {(i, k): x for i in system.outward() for k, x in _second(made, i, motion)}
    by_q = [[ZERO] * system.nv for _ in range(system.nv)]
    for i, column in made.each():
        _add_position(made, slopes, (i, column), second, (n[i], f[i]), by_q)
    return add_rotor_forces(system, project(frames, f, n, made.outer), qdd), by_q


def _second(made: Sweep, i: int, motion: Motions) -> Iterator[tuple[int, Pair]]:
    """Ψ̈ of every column of link i."""
    frames, p = made.frames, made.frames.system.links[i].parent
    let = frames.naming(NOTES, i)
    at = let("ap", plus(motion.a[p], apply(motion.U[p], frames.offset(i))))
    a_p = let("aq", frames.to_link(i, at, f"a{i}"))
    w_p = let("wp", frames.to_link(i, motion.w[p], f"w{i}"))
    wd_p = frames.to_link(i, motion.wd[p], f"wd{i}")
    for column in made.columns[i]:
        w, v = column.S
        if len(made.columns[i]) == 1:  # U' Φ = U Φ where the link turns about Φ or not at all
            Uw, Uv = apply(motion.U[i], w), apply(motion.U[i], v)
        else:
            Uw = plus(cross(wd_p, w), cross(w_p, column.y))
            Uv = plus(cross(wd_p, v), cross(w_p, cross(w_p, v)))
        along = plus(cross(a_p, w), cross(made.u2_p[i], column.y), Uv)
        yield column.k, (let("za", Uw, at=column.k), let("zv", along, at=column.k))


def _add_position(
    made: Sweep,
    slopes: JointForceSlopes,
    which: tuple[int, VelocityColumn],
    second: dict[Key, Pair],
    F: Pair,
    by_q: Matrix,
) -> None:
    """Row and column of ∂tau/∂q that belong to a column of a link."""
    frames, (i, column) = made.frames, which
    k, (w, v), body = column.k, column.S, made.bodies[i]
    note = frames.naming(NOTES, i, k + 1).note("coordinate")
    parts = body.inertia(second[i, k]), body.moving.times(column.y)
    turned = (plus(cross(w, F[0]), cross(v, F[1])), cross(w, F[1]))  # S ×* F
    force = total(made.sign, *parts, body.held.times(w), turned)
    at = carry(frames, f"B{k}_", i, force, note)
    held = carry(frames, f"E{k}_", i, (body.held.times_transposed(w, v), NULL), note, "")
    mass, couple = slopes.mass[i, k], slopes.couple[i, k]
    for j in at:
        for other in made.columns[j]:
            l = other.k
            _add(by_q, l, k, product(other.S, at[j]))
            if j == i:
                _add(by_q, l, k, -made.sign * product(other.S, turned))
                continue
            row = product(second[j, l], mass[j]) + dot(other.y, couple[j][0])
            row = made.sign * (row + dot(other.S[0], held[j][0]))
            _add(by_q, k, l, frames.scheme.let_signed(f"dq_{k + 1}_{l + 1}", row, note))


def _add(matrix: Matrix, k: int, l: int, x: Node, *, also: bool = False) -> None:
    """Add to an element; `also` to its mirror image."""
    matrix[k][l] = matrix[k][l] + x
    if also:
        matrix[l][k] = matrix[l][k] + x


def product(a: Pair, b: Pair) -> Node:
    """Power of a force along a motion: the sum over both parts."""
    return linear(0, ((dot(a[0], b[0]), 1), (dot(a[1], b[1]), 1)))


def total(sign: Node, *forces: Pair) -> Pair:
    """The sum of forces, times a sign."""
    n, f = (plus(*parts) for parts in zip(*forces, strict=True))
    return times(sign, n), times(sign, f)


def inverse_derivatives(frames: Frames, qdd: tuple[Node, ...]) -> None:
    """Outputs tau, dtau_dq, dtau_dqd, dtau_dqdd (the mass matrix)."""
    made = sweep(frames, 1)
    slopes = velocity_slopes(made)
    tau, by_q = position_slopes(made, slopes, qdd)
    forces = force_slopes(frames)
    if forces:
        tau = [x - Q for x, Q in zip(tau, forces.Q, strict=True)]
        subtract(by_q, made.sign, forces.by_q)
        subtract(slopes.by_qd, made.sign, forces.by_qd)
    frames.scheme.output("tau", tau, None, frames.system.model.velocities)
    write(frames, "tau", {"q": by_q, "qd": slopes.by_qd, "qdd": slopes.M})


def write(frames: Frames, of: str, blocks: dict[str, Matrix]) -> None:
    """Outputs d`of`_d`by`, one row per component of `of`."""
    n = frames.system.nv
    for by, rows in blocks.items():
        frames.scheme.output(f"d{of}_d{by}", [x for row in rows for x in row], (n, n))
