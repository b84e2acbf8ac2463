"""Derivatives."""

from __future__ import annotations

from dataclasses import dataclass

from kinetree.engine import ZERO, Node, linear
from kinetree.formalism.frames import Frames
from kinetree.formalism.mass_matrix import composites
from kinetree.formalism.newton_euler import Motions, inward, outward, project, relative
from kinetree.formalism.vectors import (
    NULL,
    Mat,
    Vec,
    apply,
    apply_sym,
    cross,
    dot,
    plus,
    times,
)
from kinetree.program import Note


@dataclass(frozen=True)
class Direction:
    """Column of S of a joint in its link frame, and how it moves.

    S = (w, v); Sd = v' × S (dS), Sdd, and rate = Sd + dS/dt.
    """

    k: int
    S: tuple[Vec, Vec]
    first: tuple[Vec, Vec]
    second: tuple[Vec, Vec]
    rate: tuple[Vec, Vec]


def directions(frames: Frames, motion: Motions, qd) -> tuple[list[list[Direction]], list[Vec]]:
    scheme, system = frames.scheme, frames.system
    u: list[Vec] = [NULL]
    found: list[list[Direction]] = [[]]
    for i in system.outward():
        link = system.links[i]
        p = link.parent
        w_rel, v_rel = relative(frames, i, qd)
        note = Note(link.name, "velocity of the origin", "", "m/s", "link")
        at = scheme.vector(f"up{i}", plus(u[p], cross(motion.w[p], frames.offset(i))), note)
        u_p = scheme.vector(f"uq{i}", frames.to_link(i, at, f"u{i}"), note)
        u_i = scheme.vector(f"u{i}", plus(u_p, v_rel), note)
        u.append(u_i)
        w_p = scheme.vector(f"wp{i}", frames.to_link(i, motion.w[p], f"w{i}"), note)
        at = plus(motion.a[p], apply(motion.U[p], frames.offset(i)))
        at = scheme.vector(f"ap{i}", at, note)
        a_p = scheme.vector(f"aq{i}", frames.to_link(i, at, f"a{i}"), note)
        wd_p = frames.to_link(i, motion.wd[p], f"wd{i}")
        rows = []
        single = len(frames.columns(i)) == 1
        for k, w, v in frames.columns(i):
            y = scheme.vector(f"Sa{k}", cross(w_p, w), note)
            lin = scheme.vector(f"Sl{k}", plus(cross(u_p, w), cross(w_p, v)), note)
            if single:
                Uw, Uv = apply(motion.U[i], w), apply(motion.U[i], v)
            else:
                Uw = plus(cross(wd_p, w), cross(w_p, y))
                Uv = plus(cross(wd_p, v), cross(w_p, cross(w_p, v)))
            Uw = scheme.vector(f"Ta{k}", Uw, note)
            second = scheme.vector(f"Tl{k}", plus(cross(a_p, w), times2(cross(u_p, y)), Uv), note)
            if single:
                rate = (times2(y), times2(lin))
            else:
                rate = (plus(y, cross(motion.w[i], w)), plus(lin, cross(u_i, w), cross(motion.w[i], v)))
            rate = (scheme.vector(f"Ra{k}", rate[0], note), scheme.vector(f"Rl{k}", rate[1], note))
            rows.append(Direction(k, (w, v), (y, lin), (Uw, second), rate))
        found.append(rows)
    return found, u


def times2(v: Vec) -> Vec:
    return plus(v, v)


def momenta(frames: Frames, motion: Motions, u: list[Vec]) -> tuple[list[Mat], list[Vec]]:
    """G = ∫ ṙ rᵀ dm, P = ∫ ṙ dm of every composite body."""
    scheme, system = frames.scheme, frames.system
    G: list[Mat] = []
    P: list[Vec] = []
    for i in range(len(system.links)):
        m, h, I = frames.properties[i]
        w = motion.w[i]
        xx, yy, zz, xy, xz, yz = I
        let = lambda n, x: scheme.let(f"J{i}_{n}", x)
        J: Mat = (
            (let("x", 0.5 * (yy + zz - xx)), -xy, -xz),
            (-xy, let("y", 0.5 * (xx + zz - yy)), -yz),
            (-xz, -yz, let("z", 0.5 * (xx + yy - zz))),
        )
        cols = [cross(w, c) for c in J]  # w~ J, columns (J symmetric)
        G.append(tuple(tuple(linear(0, ((cols[b][a], 1), (u[i][a] * h[b], 1))) for b in range(3)) for a in range(3)))
        P.append(plus(times(m, u[i]), cross(w, h)))
    for i in system.inward():
        link, p = system.links[i], system.links[i].parent
        note = Note(link.name, "momentum", "", "", "link")
        G[i] = tuple(scheme.vector(f"G{i}_{k}", row, note) for k, row in enumerate(G[i]))
        P[i] = scheme.vector(f"P{i}", P[i], note)
        if p == 0:
            continue
        r = frames.offset(i)
        P_p = scheme.vector(f"P{i}p", frames.to_parent(i, P[i], f"P{i}"), note)
        G_p = frames.tensor_to_parent(i, G[i], f"G{i}")
        P[p] = plus(P[p], P_p)
        G[p] = tuple(
            tuple(linear(0, ((G[p][a][b], 1), (G_p[a][b], 1), (P_p[a] * r[b], 1))) for b in range(3))
            for a in range(3)
        )
    return G, P


def inverse_derivatives(frames: Frames, qd, qdd):
    """(tau, M, dtau_dq, dtau_dqd)."""
    scheme, system = frames.scheme, frames.system
    motion = outward(frames, qd, qdd)
    rows, u = directions(frames, motion, qd)
    m, h, I = composites(frames)
    f, n = inward(frames, motion)
    G, P = momenta(frames, motion, u)
    nv = system.nv
    M = [[ZERO] * nv for _ in range(nv)]
    dq = [[ZERO] * nv for _ in range(nv)]
    dv = [[ZERO] * nv for _ in range(nv)]
    for i in system.outward():
        trace = scheme.let(f"trG{i}", G[i][0][0] + G[i][1][1] + G[i][2][2])
        K = tuple(tuple(2 * ((trace if a == b else ZERO) - G[i][a][b]) for b in range(3)) for a in range(3))
        Kt = tuple(zip(*K))

        def inertia(x):
            return (plus(apply_sym(I[i], x[0]), cross(h[i], x[1])), plus(times(m[i], x[1]), cross(x[0], h[i])))

        for row in rows[i]:
            note = Note(system.links[i].name, f"x {row.k}")
            w, v = row.S
            k = row.k
            t2 = inertia(row.S)
            t1 = plus(apply(Kt, w), times2(cross(P[i], v)))
            y = row.first[0]
            a2 = inertia(row.second)
            uu0 = (plus(apply(K, y), a2[0]), plus(times2(cross(y, P[i])), a2[1]))
            uu = (plus(uu0[0], cross(w, n[i]), cross(v, f[i])), plus(uu0[1], cross(w, f[i])))
            a1 = inertia(row.rate)
            ww = (plus(apply(K, w), a1[0]), plus(times2(cross(w, P[i])), a1[1]))

            def let2(stem, x):
                return (scheme.vector(f"{stem}n", x[0], note), scheme.vector(f"{stem}f", x[1], note))

            t2 = let2(f"A{k}_{i}", t2)
            uu = let2(f"B{k}_{i}", uu)
            ww = let2(f"C{k}_{i}", ww)
            t1 = scheme.vector(f"D{k}_{i}", t1, note)
            j = i
            while j:
                for col in rows[j]:
                    l = col.k
                    if j == i:
                        if l > k:
                            M[k][l] = M[l][k] = sdot(col.S, t2)
                        elif l == k:
                            M[k][k] = sdot(col.S, t2)
                        dq[l][k] = sdot(col.S, uu0)
                        dv[l][k] = sdot(col.S, ww)
                    else:
                        M[k][l] = M[l][k] = sdot(col.S, t2)
                        dq[l][k] = sdot(col.S, uu)
                        dv[l][k] = sdot(col.S, ww)
                        dq[k][l] = linear(0, ((dot(t1, col.first[0]), 1), (sdot(col.second, t2), 1)))
                        dv[k][l] = linear(0, ((dot(t1, col.S[0]), 1), (sdot(col.rate, t2), 1)))
                p = system.links[j].parent
                if p:
                    def step(stem, x):
                        f_p = scheme.vector(f"{stem}f", frames.to_parent(j, x[1], f"{stem}f"), note)
                        n_p = plus(frames.to_parent(j, x[0], f"{stem}n"), cross(frames.offset(j), f_p))
                        return scheme.vector(f"{stem}n", n_p, note), f_p
                    t2 = step(f"A{k}_{p}", t2)
                    uu = step(f"B{k}_{p}", uu)
                    ww = step(f"C{k}_{p}", ww)
                    t1 = scheme.vector(f"D{k}_{p}", frames.to_parent(j, t1, f"D{k}_{p}"), note)
                j = p
    return project(frames, f, n), M, dq, dv


def sdot(a, b):
    return linear(0, ((dot(a[0], b[0]), 1), (dot(a[1], b[1]), 1)))


def write_inverse(frames: Frames, qdd) -> None:
    tau, M, dq, dv = inverse_derivatives(frames, frames.system.qd, qdd)
    n = frames.system.nv
    frames.scheme.output("tau", tau)
    frames.scheme.output("dtau_dq", [x for r in dq for x in r], (n, n))
    frames.scheme.output("dtau_dqd", [x for r in dv for x in r], (n, n))
    frames.scheme.output("M", [x for r in M for x in r], (n, n))
