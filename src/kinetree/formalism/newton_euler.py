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
from kinetree.formalism.links.linkage import Linkage, rotate
from kinetree.formalism.links.passage import relative
from kinetree.formalism.links.rotors import add_rotor_forces
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
    minus,
    plus,
    sym6,
    times,
)
from kinetree.program.notes import notes

NOTES = notes("""
    wp w | angular velocity             | LuhWalkerPaul1980 eq. (1) | rad/s   | link
    wd   | angular acceleration         | LuhWalkerPaul1980 eq. (2) | rad/s2  | link
    ap a | acceleration of the origin   | LuhWalkerPaul1980 eq. (3) | m/s2    | link
    ww   | products of angular velocity |                           | rad2/s2 | link
    U    | U = w~ w~ + wd~              | SaminFisette2003          | rad2/s2 | link
    f    | force on the link            | LuhWalkerPaul1980 eq. (6) | N       | link
    n    | torque on the link           | LuhWalkerPaul1980 eq. (7) | N.m     | link
    fp   | force on the link            | LuhWalkerPaul1980 eq. (6) | N       | parent
""")


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
    system = frames.system
    g = system.gravity if gravity is None else gravity
    still: Mat = (NULL, NULL, NULL)
    motion = Motions([NULL], [NULL], [NULL_TENSOR], [still], [(-g[0], -g[1], -g[2])])
    for i in system.outward():
        let, p = frames.naming(NOTES, i), system.links[i].parent
        w_rel, v_rel = relative(frames, i, qd)
        wd_rel, vd_rel = relative(frames, i, qdd)
        w_p = let("wp", frames.to_link(i, motion.w[p], f"w{i}"))
        w = let("w", plus(w_p, w_rel))
        wd_p = frames.to_link(i, motion.wd[p], f"wd{i}")
        wd = let("wd", plus(wd_p, cross(w_p, w_rel), wd_rel))
        a_p = let("ap", plus(motion.a[p], apply(motion.U[p], frames.offset(i))))
        coriolis = cross(plus(w_p, w_p, w_rel), v_rel)
        a = let("a", plus(frames.to_link(i, a_p, f"a{i}"), coriolis, vd_rel))
        ww = let("ww", sym6(w[j] * w[k] for j, k in SYM_PAIRS))
        motion.w.append(w)
        motion.wd.append(wd)
        motion.a.append(a)
        motion.ww.append(ww)
        motion.U.append(let("U", acceleration_tensor(ww, wd)))
    return motion


def acceleration_tensor(ww: Sym, wd: Vec) -> Mat:
    """U = w̃ w̃ + w̃d from the products w wᵀ."""
    xx, yy, zz, xy, xz, yz = ww
    return (
        (-yy - zz, xy - wd[2], xz + wd[1]),
        (xy + wd[2], -xx - zz, yz - wd[0]),
        (xz - wd[1], yz + wd[0], -xx - yy),
    )


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
    system = frames.system
    f: list[Vec] = [NULL] * len(system.links)
    n: list[Vec] = [NULL] * len(system.links)
    for i, (force, torque) in outer.wrenches.items():
        f[i], n[i] = minus(f[i], force), minus(n[i], torque)
    for i in system.inward():
        let, p = frames.naming(NOTES, i), system.links[i].parent
        m, h, inertia = frames.properties[i]
        wd, ww, U, a = motion.wd[i], motion.ww[i], motion.U[i], motion.a[i]
        f[i] = let("f", plus(f[i], times(m, a), apply(U, h)))
        n[i] = let("n", plus(n[i], inertia_torque(inertia, wd, ww, U), cross(h, a)))
        f_p = let("fp", frames.to_parent(i, f[i], f"f{i}"))
        n_p = frames.to_parent(i, n[i], f"n{i}")
        f[p] = plus(f[p], f_p)
        n[p] = plus(n[p], n_p, cross(frames.offset(i), f_p))
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
    return add_rotor_forces(frames.system, project(frames, f, n, outer), qdd)


def inertial(frames: Frames, qdd: tuple[Node, ...]) -> list[Node]:
    """M qdd: the generalised forces of accelerations alone, in two sweeps over the links."""
    none = AppliedForces()
    motion = outward(frames, (ZERO,) * len(qdd), qdd, NULL)
    return add_rotor_forces(
        frames.system, project(frames, *inward(frames, motion, none), none), qdd
    )


def gravity(frames: Frames, _: tuple[Node, ...] = ()) -> None:
    """Write the output "gravity": the generalised forces that hold the weight of the bodies."""
    none, still = AppliedForces(), (ZERO,) * frames.system.nv
    f, n = inward(frames, outward(frames, still, still), none)
    tau = project(frames, f, n, none)
    frames.scheme.output("gravity", tau, None, frames.system.model.velocities)


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
    m, h = _welded_mass(frames.system)
    return plus(f[0], times(m, motion.a[0])), plus(n[0], cross(h, motion.a[0]))


def _welded_mass(system: Linkage) -> tuple[Node, Vec]:
    """Mass and first moment about the ground origin of the bodies welded to the ground."""
    m, h = ZERO, NULL
    for body in system.model.bodies.values():
        pose = system.poses[body.name]
        if pose.link == 0:
            com = plus(pose.p, rotate(pose.R, system.table.com(body)))
            m, h = m + system.table.mass(body), plus(h, times(system.table.mass(body), com))
    return m, h
