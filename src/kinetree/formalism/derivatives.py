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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kinetree.engine import ZERO, Node, linear, number
from kinetree.formalism.composite_bodies import composites
from kinetree.formalism.force_derivatives import ForceSlopes, force_slopes
from kinetree.formalism.forces.link_forces import wrenches_alone
from kinetree.formalism.links.frames import Frames
from kinetree.formalism.links.momenta import gathered, of_links, of_wrenches
from kinetree.formalism.links.passage import relative
from kinetree.formalism.links.rotors import accelerated, on_diagonal
from kinetree.formalism.links.vectors import NULL, Vec, apply, apply_sym, cross, dot, plus, times
from kinetree.formalism.newton_euler import (
    Motions,
    inward,
    outward,
    project,
    resting,
)
from kinetree.program import Note

Pair = tuple[Vec, Vec]
"""Angular and linear part of a motion, or torque and force."""
Matrix = list[list[Node]]
Key = tuple[int, int]
"""Link and velocity: a joint that follows another shares the velocity of its leader."""
TWO = number(2)


@dataclass(frozen=True)
class Column:
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


class Sensitivity:
    """Derivatives of inverse dynamics, written into a scheme.

    Attributes:
        M: derivative of tau by qdd, the mass matrix.
        by_q, by_qd: derivatives of tau times `sign`.
    """

    def __init__(self, frames: Frames, sign: int) -> None:
        """Everything that does not depend on qdd; `sign` is 1, or -1 where -∂tau is wanted."""
        self.frames, self.scheme, self.system = frames, frames.scheme, frames.system
        self.outer = wrenches_alone(frames)
        self.sign = number(sign)
        n = self.system.nv
        self.M, self.by_q, self.by_qd = ([[ZERO] * n for _ in range(n)] for _ in range(3))
        self.still = outward(frames, self.system.qd, (ZERO,) * n)
        self.u2: list[Vec] = [NULL]  # twice the velocity of the link origin
        self.u2_p: list[Vec] = [NULL]  # the same of the parent, where the link origin is
        self.columns: list[list[Column]] = [[]]
        for i in self.system.outward():
            self._advance(i)
            self.columns.append(list(self._columns(i)))
        self.m, self.h, self.I = composites(frames)
        self.moving = gathered(frames, of_links(frames, self.still.w, self.u2), "G")
        self.held = gathered(frames, of_wrenches(frames), "W")
        self.mass: dict[Key, dict[int, Pair]] = {}
        self.couple: dict[Key, dict[int, Vec]] = {}
        for i in self.system.outward():
            for column in self.columns[i]:
                self._velocity(i, column)
        on_diagonal(self.system, self.M)

    def _advance(self, i: int) -> None:
        """Twice the velocity of the origin of link i, in its frame."""
        link, frames = self.system.links[i], self.frames
        note = Note(link.name, "twice the velocity of the origin", "", "m/s", "link")
        r2 = times(TWO, frames.offset(i))
        at = plus(self.u2[link.parent], cross(self.still.w[link.parent], r2))
        at = self.scheme.vector(f"up{i}", at, note)
        before = self.scheme.vector(f"uq{i}", frames.to_link(i, at, f"u{i}"), note)
        v_rel = relative(frames, i, self.system.qd)[1]
        self.u2_p.append(before)
        self.u2.append(self.scheme.vector(f"u{i}", plus(before, v_rel, v_rel), note))

    def _columns(self, i: int) -> Iterator[Column]:
        """The columns of link i; 2Ṡ of a link with several velocities comes from its own motion."""
        frames, link = self.frames, self.system.links[i]
        note = Note(link.name, "turning of the motion subspace", "Singh2022", "", "link")
        let = self.scheme.vector
        w_p = let(f"wp{i}", frames.to_link(i, self.still.w[link.parent], f"w{i}"), note)
        alone = len(frames.columns(i)) == 1
        for k, w, v in frames.columns(i):
            y, x = cross(w_p, w), cross(w_p, v)
            wn, un = (w_p, self.u2_p[i]) if alone else (self.still.w[i], self.u2[i])
            angular = plus(y, cross(wn, w))
            along = times(number(0.5), plus(cross(self.u2_p[i], w), cross(un, w)))
            rate = (let(f"Ta{k}", angular, note), let(f"Tv{k}", plus(along, x, cross(wn, v)), note))
            yield Column(k, (w, v), let(f"y{k}", y, note), rate)

    # --- forces of one column, carried inward ----------------------------------------------------

    def _inertia(self, i: int, x: Pair) -> Pair:
        """I x of the composite body of link i."""
        n = plus(apply_sym(self.I[i], x[0]), cross(self.h[i], x[1]))
        return n, plus(times(self.m[i], x[1]), cross(x[0], self.h[i]))

    def _carried(self, stem: str, i: int, force: Pair, note: Note) -> dict[int, Pair]:
        """A force on link i about the origins of all links from there to the ground."""
        n, f = force
        force = (self._named(f"{stem}n{i}", n, note), self._named(f"{stem}f{i}", f, note))
        found = {i: force}
        while p := self.system.links[i].parent:
            n, f = (self.frames.to_parent(i, x, f"{stem}{i}") for x in force)
            f = self._named(f"{stem}f{p}", f, note)
            n = self._named(f"{stem}n{p}", plus(n, cross(self.frames.offset(i), f)), note)
            found[p] = force = (n, f)
            i = p
        return found

    def _carried_couple(self, stem: str, i: int, couple: Vec, note: Note) -> dict[int, Vec]:
        """A couple on link i in the frames of all links from there to the ground."""
        found = {i: self._named(f"{stem}{i}", couple, note)}
        while p := self.system.links[i].parent:
            turned = self.frames.to_parent(i, found[i], f"{stem}{i}")
            found[p] = self._named(f"{stem}{p}", turned, note)
            i = p
        return found

    def _named(self, stem: str, v: Vec, note: Note) -> Vec:
        """Names with exactly these signs: most of the components are results as they stand."""
        x, y, z = (
            self.scheme.let_signed(f"{stem}_{a}", e, note) for a, e in zip("xyz", v, strict=True)
        )
        return (x, y, z)

    # --- derivatives by qd and qdd ---------------------------------------------------------------

    def _velocity(self, i: int, column: Column) -> None:
        """Rows and columns of M and of ∂tau/∂qd that belong to a column of link i."""
        k, (w, v) = column.k, column.S
        name = self.system.links[i].name
        note = Note(name, f"forces of velocity {k + 1}", "Singh2022", "", "link")
        B = self.moving[i]
        mass = self._carried(f"A{k}_", i, self._inertia(i, column.S), note)
        couple = self._carried_couple(f"D{k}_", i, B.transposed(w, v), note)
        force = total(self.sign, self._inertia(i, column.rate), B.times(w))
        force_at = self._carried(f"C{k}_", i, force, note)
        for j in mass:
            for other in self.columns[j]:
                l = other.k
                _add(self.M, k, l, product(other.S, mass[j]), also=j != i)
                _add(self.by_qd, l, k, product(other.S, force_at[j]))
                if j != i:
                    row = product(other.rate, mass[j]) + dot(other.S[0], couple[j])
                    row = self.scheme.let_signed(f"dv_{k + 1}_{l + 1}", self.sign * row, note)
                    _add(self.by_qd, k, l, row)
        self.mass[i, k], self.couple[i, k] = mass, couple

    def bias(self) -> list[Node]:
        """c = ½ (∂tau/∂qd) qd + gravity - applied forces."""
        frames, system = self.frames, self.system
        qd = times_each(0.5 * self.sign, system.qd)
        n = len(system.links)
        applied = project(frames, *inward(frames, resting(n), self.outer), self.outer)
        weight = outward(frames, (ZERO,) * system.nv, (ZERO,) * system.nv).a
        c = [applied[k] + dot(row, qd) for k, row in enumerate(self.by_qd)]
        for i in system.outward():
            for column in self.columns[i]:
                f = times(self.m[i], weight[i])
                c[column.k] = c[column.k] + product(column.S, (cross(self.h[i], weight[i]), f))
        return c

    def less(self, forces: ForceSlopes) -> None:
        """Subtract the derivatives of the generalised forces of force elements."""
        for matrix, slopes in ((self.by_q, forces.by_q), (self.by_qd, forces.by_qd)):
            for k, row in enumerate(slopes):
                for l, x in enumerate(row):
                    matrix[k][l] = matrix[k][l] - self.sign * x

    # --- derivatives by q ------------------------------------------------------------------------

    def at(self, qdd: tuple[Node, ...]) -> list[Node]:
        """Fill `by_q` for accelerations qdd; tau at qdd."""
        motion = outward(self.frames, self.system.qd, qdd)
        f, n = inward(self.frames, motion, self.outer)
        second = {(i, k): x for i in self.system.outward() for k, x in self._second(i, motion)}
        for i in self.system.outward():
            for column in self.columns[i]:
                self._position(i, column, second, (n[i], f[i]))
        return accelerated(self.system, project(self.frames, f, n, self.outer), qdd)

    def _second(self, i: int, motion: Motions) -> Iterator[tuple[int, Pair]]:
        """Ψ̈ of every column of link i."""
        frames, link = self.frames, self.system.links[i]
        p = link.parent
        note = Note(link.name, "second turning of the motion subspace", "Singh2022", "", "link")
        let = self.scheme.vector
        at = let(f"ap{i}", plus(motion.a[p], apply(motion.U[p], frames.offset(i))), note)
        a_p = let(f"aq{i}", frames.to_link(i, at, f"a{i}"), note)
        w_p = let(f"wp{i}", frames.to_link(i, motion.w[p], f"w{i}"), note)
        wd_p = frames.to_link(i, motion.wd[p], f"wd{i}")
        for column in self.columns[i]:
            w, v = column.S
            if len(self.columns[i]) == 1:  # U' Φ = U Φ where the link turns about Φ or not at all
                Uw, Uv = apply(motion.U[i], w), apply(motion.U[i], v)
            else:
                Uw = plus(cross(wd_p, w), cross(w_p, column.y))
                Uv = plus(cross(wd_p, v), cross(w_p, cross(w_p, v)))
            along = plus(cross(a_p, w), cross(self.u2_p[i], column.y), Uv)
            yield column.k, (let(f"za{column.k}", Uw, note), let(f"zv{column.k}", along, note))

    def _position(self, i: int, column: Column, second: dict[Key, Pair], F: Pair) -> None:
        """Row and column of ∂tau/∂q that belong to a column of link i."""
        k, (w, v) = column.k, column.S
        name = self.system.links[i].name
        note = Note(name, f"forces of coordinate {k + 1}", "Singh2022", "", "link")
        parts = self._inertia(i, second[i, k]), self.moving[i].times(column.y)
        turned = (plus(cross(w, F[0]), cross(v, F[1])), cross(w, F[1]))  # S ×* F
        force = total(self.sign, *parts, self.held[i].times(w), turned)
        at = self._carried(f"B{k}_", i, force, note)
        held = self._carried_couple(f"E{k}_", i, self.held[i].transposed(w, v), note)
        for j in at:
            for other in self.columns[j]:
                l = other.k
                _add(self.by_q, l, k, product(other.S, at[j]))
                if j == i:
                    _add(self.by_q, l, k, -self.sign * product(other.S, turned))
                    continue
                row = product(second[j, l], self.mass[i, k][j]) + dot(other.y, self.couple[i, k][j])
                row = self.sign * (row + dot(other.S[0], held[j]))
                _add(self.by_q, k, l, self.scheme.let_signed(f"dq_{k + 1}_{l + 1}", row, note))


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


def times_each(factor: Node, values: Sequence[Node]) -> list[Node]:
    """Every value times a number."""
    return [factor * x for x in values]


def inverse_derivatives(frames: Frames, qdd: tuple[Node, ...]) -> None:
    """Outputs tau, dtau_dq, dtau_dqd, dtau_dqdd (the mass matrix)."""
    made = Sensitivity(frames, 1)
    tau = made.at(qdd)
    forces = force_slopes(frames)
    if forces:
        tau = [x - Q for x, Q in zip(tau, forces.Q, strict=True)]
        made.less(forces)
    frames.scheme.output("tau", tau, None, frames.system.model.velocities)
    write(frames, "tau", {"q": made.by_q, "qd": made.by_qd, "qdd": made.M})


def write(frames: Frames, of: str, blocks: dict[str, Matrix]) -> None:
    """Outputs d`of`_d`by`, one row per component of `of`."""
    n = frames.system.nv
    for by, rows in blocks.items():
        frames.scheme.output(f"d{of}_d{by}", [x for row in rows for x in row], (n, n))
