"""Virtual power: every link's inertial wrench, projected on every velocity that moves it.

The non-recursive formalism: for each link i and each velocity k between it and the ground the
partial velocities (Jw, Jv) = ∂(w_i, v_i)/∂qd_k are written down, and the principle of virtual power
sums over the links,

    tau_k = Σ_i Jw · n_i + Jv · f_i        M_kl = Σ_i Jw_k · L_l + Jv_k · P_l

with f, n the inertial wrench of the link about its origin, external wrenches subtracted, and P, L
its momentum and angular momentum when it moves with the partial velocity l alone.

| SaminFisette2003 | here | meaning |
|---|---|---|
| partial velocities | Jw, Jv | in the frame of link i, v that of its origin |
| | U = w~ w~ + wd~ | so that a + U p is the acceleration of a point p |

Refs: SaminFisette2003 (virtual power principle); Docquier2013 secs. 2.1.1, 2.1.2
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from kinetree.engine import ZERO, Node
from kinetree.formalism.forces.link_forces import AppliedForces, external
from kinetree.formalism.links.motion import unit
from kinetree.formalism.links.rotors import add_rotor_forces, on_diagonal
from kinetree.formalism.links.vectors import (
    NULL,
    Vec,
    apply,
    apply_sym,
    cross,
    dot,
    minus,
    plus,
    times,
)
from kinetree.formalism.newton_euler import Motions, outward
from kinetree.program.notes import notes

if TYPE_CHECKING:
    from kinetree.formalism.links.frames import Frames

NOTES = notes("""
    Jp Jw Jv | partial velocity             | SaminFisette2003 |       | link
    JP JL    | momentum of unit velocity {} | SaminFisette2003 |       | link
    M        | mass matrix up to this link  | SaminFisette2003
    L        | angular momentum by rotation | SaminFisette2003 | N.m.s | link
    f        | inertial force               | SaminFisette2003 | N     | link
    n        | inertial torque              | SaminFisette2003 | N.m   | link
    tau      | virtual power                | SaminFisette2003
""")
PartialVelocities = list[dict[int, tuple[Vec, Vec]]]
"""Link -> velocity number -> partial angular velocity and velocity of the origin, link frame."""


def partial_velocities(frames: Frames) -> PartialVelocities:
    """∂(w, v)/∂qd_k of every link, for the velocities between it and the ground."""
    return _carry(frames, {}, frames.columns)


def ground_velocities(frames: Frames) -> PartialVelocities:
    """∂(w, v)/∂(w0, v0) of every link: the ground turns about its origin, or slides, all held.

    The velocities 0 … 2 are the turns about x, y, z of the ground frame, 3 … 5 the slides.

    Refs: Docquier2013 sec. 2.1.3 (six locked joints at the base)
    """
    turns = {k: (unit(k), NULL) for k in range(3)}
    return _carry(frames, {**turns, **{3 + k: (NULL, unit(k)) for k in range(3)}}, lambda _: [])


def _carry(
    frames: Frames,
    ground: dict[int, tuple[Vec, Vec]],
    own: Callable[[int], list[tuple[int, Vec, Vec]]],
) -> PartialVelocities:
    """Partial velocities from those of the ground, with those of the joint of every link."""
    J: PartialVelocities = [ground]
    for i in frames.system.outward():
        let, p = frames.naming(NOTES, i), frames.system.links[i].parent
        mine: dict[int, tuple[Vec, Vec]] = {}
        for k, (w, v) in J[p].items():
            v_p = let("Jp", plus(v, cross(w, frames.offset(i))), f"_{k}")
            w_k = let("Jw", frames.to_link(i, w, f"Jw{i}_{k}"), f"_{k}")
            mine[k] = w_k, let("Jv", frames.to_link(i, v_p, f"Jv{i}_{k}"), f"_{k}")
        for k, w, v in own(i):
            w_k, v_k = mine.get(k, (NULL, NULL))  # a follower adds to what its leader moves
            mine[k] = (plus(w_k, w), plus(v_k, v))
        J.append(mine)
    return J


def mass_matrix(frames: Frames, J: PartialVelocities) -> list[list[Node]]:
    """M, both triangles; symmetric entries are the same Node."""
    n = frames.system.nv
    M: list[list[Node]] = [[ZERO] * n for _ in range(n)]
    for i in frames.system.outward():
        m, h, inertia = frames.properties[i]
        for b, (w, v) in J[i].items():
            let = frames.naming(NOTES, i, b + 1)
            P = let("JP", plus(times(m, v), cross(w, h)), f"_{b}")
            L = let("JL", plus(apply_sym(inertia, w), cross(h, v)), f"_{b}")
            for a, (w_a, v_a) in J[i].items():
                if a <= b:
                    total = M[a][b] + dot(w_a, L) + dot(v_a, P)
                    M[a][b] = M[b][a] = let("M", total, f"_{a + 1}_{b + 1}")
    return on_diagonal(frames.system, M)


def inertial_wrenches(
    frames: Frames, motion: Motions, outer: AppliedForces
) -> tuple[list[Vec], list[Vec]]:
    """Force and torque (about its origin) each link needs, beyond the external ones, link frame."""
    f: list[Vec] = [NULL]
    n: list[Vec] = [NULL]
    for i in frames.system.outward():
        let, U = frames.naming(NOTES, i), motion.U[i]
        m, h, inertia = frames.properties[i]
        w, wd, a = motion.w[i], motion.wd[i], motion.a[i]
        L = let("L", apply_sym(inertia, w))
        F, T = outer.wrenches.get(i, (NULL, NULL))
        f.append(let("f", minus(plus(times(m, a), apply(U, h)), F)))
        n.append(let("n", minus(plus(apply_sym(inertia, wd), cross(w, L), cross(h, a)), T)))
    return f, n


def project(
    frames: Frames,
    J: PartialVelocities,
    wrenches: tuple[list[Vec], list[Vec]],
    outer: AppliedForces,
) -> list[Node]:
    """Σ over the links of Jw · n + Jv · f, less the efforts of force elements."""
    f, n = wrenches
    tau: list[Node] = [-outer.efforts.get(k, ZERO) for k in range(frames.system.nv)]
    for i in frames.system.outward():
        let = frames.naming(NOTES, i)
        for k, (w, v) in J[i].items():
            tau[k] = let("tau", tau[k] + dot(w, n[i]) + dot(v, f[i]), f"_{k + 1}")
    return tau


def inverse(frames: Frames, qd: tuple[Node, ...], qdd: tuple[Node, ...]) -> list[Node]:
    """Generalised forces tau = M qdd + c for given motion."""
    outer = external(frames)
    wrenches = inertial_wrenches(frames, outward(frames, qd, qdd), outer)
    tau = project(frames, partial_velocities(frames), wrenches, outer)
    return add_rotor_forces(frames.system, tau, qdd)


def mass_bias(frames: Frames, qd: tuple[Node, ...]) -> tuple[list[list[Node]], list[Node]]:
    """M, and c: the generalised forces at qdd = 0."""
    J, outer = partial_velocities(frames), external(frames)
    wrenches = inertial_wrenches(frames, outward(frames, qd, (ZERO,) * len(qd)), outer)
    return mass_matrix(frames, J), project(frames, J, wrenches, outer)
