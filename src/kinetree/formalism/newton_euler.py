"""Recursive Newton–Euler inverse dynamics, in link frames.

Outward: velocities and accelerations of every link; inward: forces and torques, projected on the
motion subspace.  Gravity enters as acceleration -g of the ground.  Mass properties are those about
the link origin (m, h = m c, I), so that equations are linear in them.

| SaminFisette2003 / Docquier2013 | here | meaning |
|---|---|---|
| ω, ω̇ | w, wd | angular velocity and acceleration of the link |
| β = ω̃ω̃ + ω̇~ | U | so that a + U p is the acceleration of a point p |
| α - g | a | acceleration of the link origin minus gravity |
| F, L | f, n | force and torque about the link origin from the parent on the link |

Refs: LuhWalkerPaul1980; SaminFisette2003; Docquier2013 sec. 2.1.2
"""

from __future__ import annotations

from dataclasses import dataclass

from kinetree.engine import ZERO, Node
from kinetree.formalism.forces.link_forces import AppliedForces, external
from kinetree.formalism.links.frames import Frames
from kinetree.formalism.links.linkage import Link, Linkage, rotate
from kinetree.formalism.links.passage import relative
from kinetree.formalism.links.rotors import accelerated
from kinetree.formalism.links.vectors import (
    NULL,
    NULL_TENSOR,
    SYM_PAIRS,
    Mat,
    Sym,
    Vec,
    apply,
    cross,
    dot,
    mat3,
    minus,
    plus,
    sym6,
    times,
)
from kinetree.program import Note, Scheme


@dataclass
class Motions:
    """Velocities and accelerations of every link, in its own frame; index 0 is the ground."""

    w: list[Vec]
    wd: list[Vec]
    ww: list[Sym]
    U: list[Mat]
    a: list[Vec]


def outward(
    frames: Frames, qd: tuple[Node, ...], qdd: tuple[Node, ...], gravity: Vec | None = None
) -> Motions:
    """The forward sweep; the ground accelerates by -g, the model's gravity where none is given."""
    scheme, system = frames.scheme, frames.system
    g = system.gravity if gravity is None else gravity
    still: Mat = (NULL, NULL, NULL)
    motion = Motions([NULL], [NULL], [NULL_TENSOR], [still], [(-g[0], -g[1], -g[2])])
    for i in system.outward():
        link = system.links[i]
        p = link.parent
        w_rel, v_rel = relative(frames, i, qd)
        wd_rel, vd_rel = relative(frames, i, qdd)
        note = Note(link.name, "angular velocity", "LuhWalkerPaul1980 eq. (1)", "rad/s", "link")
        w_p = frames.scheme.vector(f"wp{i}", frames.to_link(i, motion.w[p], f"w{i}"), note)
        w = scheme.vector(f"w{i}", plus(w_p, w_rel), note)
        note = Note(
            link.name, "angular acceleration", "LuhWalkerPaul1980 eq. (2)", "rad/s2", "link"
        )
        wd_p = frames.to_link(i, motion.wd[p], f"wd{i}")
        wd = scheme.vector(f"wd{i}", plus(wd_p, cross(w_p, w_rel), wd_rel), note)
        note = Note(
            link.name, "acceleration of the origin", "LuhWalkerPaul1980 eq. (3)", "m/s2", "link"
        )
        at = plus(motion.a[p], apply(motion.U[p], frames.offset(i)))
        at = scheme.vector(f"ap{i}", at, note)
        coriolis = cross(plus(w_p, w_p, w_rel), v_rel)
        a = scheme.vector(f"a{i}", plus(frames.to_link(i, at, f"a{i}"), coriolis, vd_rel), note)
        motion.w.append(w)
        motion.wd.append(wd)
        motion.a.append(a)
        ww, U = _gyration(scheme, link, w, wd)
        motion.ww.append(ww)
        motion.U.append(U)
    return motion


def _gyration(scheme: Scheme, link: Link, w: Vec, wd: Vec) -> tuple[Sym, Mat]:
    """The products of velocities w wᵀ, and U = w̃ w̃ + w̃d; all elements named."""
    i = link.index
    note = Note(link.name, "products of angular velocity", "", "rad2/s2", "link")
    ww = sym6(scheme.let(f"ww{i}_{'xyz'[a]}{'xyz'[b]}", w[a] * w[b], note) for a, b in SYM_PAIRS)
    xx, yy, zz, xy, xz, yz = ww
    note = Note(link.name, "U = w~ w~ + wd~", "SaminFisette2003", "rad2/s2", "link")
    rows = (
        (-yy - zz, xy - wd[2], xz + wd[1]),
        (xy + wd[2], -xx - zz, yz - wd[0]),
        (xz - wd[1], yz + wd[0], -xx - yy),
    )
    U = mat3(
        (scheme.let(f"U{i}_{a}{b}", x, note) for b, x in enumerate(row, 1))
        for a, row in enumerate(rows, 1)
    )
    return ww, U


def resting(n: int) -> Motions:
    """n links at rest, without gravity."""
    nothing = [NULL] * n
    return Motions(nothing, nothing, [(ZERO,) * 6] * n, [(NULL,) * 3] * n, nothing)


def inertia_torque(I: Sym, wd: Vec, ww: Sym, U: Mat) -> Vec:
    """I wd + w × I w, multiplied out by moments of inertia."""
    Ixx, Iyy, Izz, Ixy, Ixz, Iyz = I
    xx, yy, zz, xy, xz, yz = ww
    return (
        Ixx * wd[0] + (Izz - Iyy) * yz - Ixy * U[2][0] + Ixz * U[1][0] + Iyz * (yy - zz),
        Iyy * wd[1] + (Ixx - Izz) * xz - Iyz * U[0][1] + Ixy * U[2][1] + Ixz * (zz - xx),
        Izz * wd[2] + (Iyy - Ixx) * xy - Ixz * U[1][2] + Iyz * U[0][2] + Ixy * (xx - yy),
    )


def inward(frames: Frames, motion: Motions, outer: AppliedForces) -> tuple[list[Vec], list[Vec]]:
    """The backward sweep: force and torque (about the link origin) on every link by its parent."""
    scheme, system = frames.scheme, frames.system
    size = len(system.links)
    f: list[Vec] = [NULL] * size
    n: list[Vec] = [NULL] * size
    for i, (force, torque) in outer.wrenches.items():
        f[i], n[i] = minus(f[i], force), minus(n[i], torque)
    for i in system.inward():
        link = system.links[i]
        m, h, inertia = frames.properties[i]
        wd, ww, U, a = motion.wd[i], motion.ww[i], motion.U[i], motion.a[i]
        note = Note(link.name, "force on the link", "LuhWalkerPaul1980 eq. (6)", "N", "link")
        F = plus(f[i], times(m, a), apply(U, h))
        F = scheme.vector(f"f{i}", F, note)
        note = Note(link.name, "torque on the link", "LuhWalkerPaul1980 eq. (7)", "N.m", "link")
        N = plus(n[i], inertia_torque(inertia, wd, ww, U), cross(h, a))
        N = scheme.vector(f"n{i}", N, note)
        f[i], n[i] = F, N
        p = link.parent
        note = Note(link.name, "force on the link", "LuhWalkerPaul1980 eq. (6)", "N", "parent")
        F_p = scheme.vector(f"fp{i}", frames.to_parent(i, F, f"f{i}"), note)
        N_p = frames.to_parent(i, N, f"n{i}")
        f[p] = plus(f[p], F_p)
        n[p] = plus(n[p], N_p, cross(frames.offset(i), F_p))
    return f, n


def project(frames: Frames, f: list[Vec], n: list[Vec], outer: AppliedForces) -> list[Node]:
    """tau = Φᵀ (n, f) - efforts of force elements, for every velocity."""
    tau: list[Node] = [-outer.efforts.get(k, ZERO) for k in range(frames.system.nv)]
    for i in frames.system.outward():
        for k, w, v in frames.columns(i):
            tau[k] = tau[k] + dot(w, n[i]) + dot(v, f[i])
    return tau


def inverse(frames: Frames, qd: tuple[Node, ...], qdd: tuple[Node, ...]) -> list[Node]:
    """Generalised forces tau = M qdd + c for given motion."""
    outer = external(frames)
    f, n = inward(frames, outward(frames, qd, qdd), outer)
    return accelerated(frames.system, project(frames, f, n, outer), qdd)


def inertial(frames: Frames, qdd: tuple[Node, ...]) -> list[Node]:
    """M qdd: the generalised forces of accelerations alone, in two sweeps over the links."""
    none = AppliedForces()
    motion = outward(frames, (ZERO,) * len(qdd), qdd, NULL)
    return accelerated(frames.system, project(frames, *inward(frames, motion, none), none), qdd)


def bias(frames: Frames, qd: tuple[Node, ...]) -> list[Node]:
    """c: the generalised forces at qdd = 0."""
    return inverse(frames, qd, (ZERO,) * len(qd))


def reaction(frames: Frames, qd: tuple[Node, ...], qdd: tuple[Node, ...]) -> tuple[Vec, Vec]:
    """Force and torque (about the ground origin) from the ground on the mechanism, ground frame.

    Bodies welded to the ground belong to the mechanism: the ground carries their weight.  Force
    elements between a body and the ground are part of the result.

    Refs: Docquier2013 sec. 2.1.3, eqs. 4 and 5 (six locked joints there; here the ground link).
    """
    motion = outward(frames, qd, qdd)
    f, n = inward(frames, motion, external(frames))
    m, h = _welded(frames.system)
    return plus(f[0], times(m, motion.a[0])), plus(n[0], cross(h, motion.a[0]))


def _welded(system: Linkage) -> tuple[Node, Vec]:
    """Mass and first moment about the ground origin of the bodies welded to the ground."""
    m, h = ZERO, NULL
    for body in system.model.bodies.values():
        pose = system.poses[body.name]
        if pose.link == 0:
            com = plus(pose.p, rotate(pose.R, system.table.com(body)))
            m, h = m + system.table.mass(body), plus(h, times(system.table.mass(body), com))
    return m, h


__all__ = [
    "Motions", "bias", "inertia_torque", "inertial", "inverse", "inward", "outward", "project",
    "reaction", "resting",
]  # fmt: skip
