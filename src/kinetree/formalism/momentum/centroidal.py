"""Centroidal momentum: that of all moving bodies about their common centre of mass.

    h = A(q) qd,      ḣ = A qdd + Ȧ qd,      all in ground components, [angular; linear].

Column k of A is the momentum of the composite body beyond velocity k, moving with its unit, about
the centre of mass; ḣ is the force that accelerates the mechanism without gravity.  Bodies that
are fixed to the ground do not count, nor do the rotors of armatures.

Refs: Orin2013; WalkerOrin1982 (composite bodies)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kinetree.engine import ZERO, Node
from kinetree.errors import ModelError
from kinetree.formalism.forces.link_forces import AppliedForces
from kinetree.formalism.kinematics import Geometry, geometry
from kinetree.formalism.links.vectors import (
    NULL,
    Pair,
    Vec,
    apply,
    apply_transposed,
    cross,
    minus,
    negative,
    plus,
    times,
)
from kinetree.formalism.momentum.composites import MovingComposites, axis_rates, moving_composites
from kinetree.formalism.newton_euler import inward, outward
from kinetree.program.notes import notes

if TYPE_CHECKING:
    from kinetree.formalism.links.frames import Frames

NOTES = notes("""
    com vcom | centre of mass, its velocity    | Orin2013 |        | ground
    arm      | link origin from there          |          | m      | ground
""")


def centroidal(frames: Frames, qdd: Sequence[Node]) -> None:
    """Write the outputs of the module's text.

    "mass" [kg]; "com" [m], "com_velocity" [m/s], "com_acceleration" [m/s2], 3 each; "momentum"
    [kg.m2/s, kg.m/s] and "momentum_rate" [N.m, N], 6 each; "matrix" A and "matrix_rate" Ȧ, 6 × nv.
    """
    system, scheme = frames.system, frames.scheme
    bodies, place = moving_composites(frames), geometry(frames, system.outward())
    bases = [i for i in system.outward() if system.links[i].parent == 0]
    mass = sum((bodies.m[i] for i in bases), ZERO)
    if mass is ZERO:
        raise ModelError(
            "nothing that moves has mass, so there is no centre of mass",
            element=f"model '{system.model.name}'",
            cure="give a body mass",
        )
    let = frames.naming(NOTES, 0)
    less = scheme.let("mass_i", 1 / mass)
    first = [plus(times(bodies.m[i], place.p[i]), apply(place.R[i], bodies.h[i])) for i in bases]
    com = let("com", times(less, plus(*first)))
    spins = [(_spin(bodies, i), bodies.P[i]) for i in bases]
    L, P = _gather(frames, place, com, bases, spins)
    f, n = inward(frames, outward(frames, system.qd, tuple(qdd), NULL), AppliedForces())
    Ld, Pd = _gather(frames, place, com, bases, [(n[i], f[i]) for i in bases])
    velocity = let("vcom", times(less, P))
    scheme.output("mass", (mass,), ())
    scheme.output("com", com)
    scheme.output("com_velocity", velocity)
    scheme.output("com_acceleration", times(less, Pd))
    scheme.output("momentum", (*L, *P))
    scheme.output("momentum_rate", (*Ld, *Pd))
    _write_matrices(frames, bodies, place, com, velocity)


def _spin(bodies: MovingComposites, i: int) -> Vec:
    """Angular momentum of composite body i about its link's origin: L~ = Dᵀ - D."""
    D = bodies.D[i]
    return (D[1][2] - D[2][1], D[2][0] - D[0][2], D[0][1] - D[1][0])


def _about(place: Geometry, i: int, arm: Vec, torque: Vec, force: Vec) -> Pair:
    """A torque about the origin of link i and a force, seen from the ground at -arm from there."""
    f = apply(place.R[i], force)
    return plus(apply(place.R[i], torque), cross(arm, f)), f


def _gather(
    frames: Frames, place: Geometry, com: Vec, bases: Sequence[int], pairs: Sequence[Pair]
) -> Pair:
    """The sum of torques and forces of links that stand on the ground, about the centre of mass."""
    angular, linear = NULL, NULL
    for i, (torque, force) in zip(bases, pairs, strict=True):
        n, f = _about(place, i, _arm(frames, place, com, i), torque, force)
        angular, linear = plus(angular, n), plus(linear, f)
    return angular, linear


def _arm(frames: Frames, place: Geometry, com: Vec, i: int) -> Vec:
    return frames.naming(NOTES, i)("arm", minus(place.p[i], com))


def _write_matrices(
    frames: Frames, bodies: MovingComposites, place: Geometry, com: Vec, velocity: Vec
) -> None:
    """Write A and Ȧ, column by column."""
    nv = frames.system.nv
    A, Ad = ([[ZERO] * nv for _ in range(6)] for _ in range(2))
    for i in frames.system.outward():
        arm = _arm(frames, place, com, i)
        for k, w, v in frames.columns(i):
            N, F = _about(place, i, arm, *bodies.momentum(i, w, v))
            turning, moving = axis_rates(frames, i, bodies.motion, k, w, v)
            n, f = bodies.momentum(i, turning, moving)  # I Φ̇ + İ Φ, İ = [[D + Dᵀ, P~], [-P~, 0]]
            D, P = bodies.D[i], bodies.P[i]
            n = plus(n, apply(D, w), apply_transposed(D, w), cross(P, v))
            Nd, Fd = _about(place, i, arm, n, plus(f, cross(w, P)))
            Nd = plus(Nd, negative(cross(velocity, F)))  # the centre of mass moves on
            _add_column(A, k, (*N, *F))
            _add_column(Ad, k, (*Nd, *Fd))
    for name, rows in (("matrix", A), ("matrix_rate", Ad)):
        frames.scheme.output(name, [x for row in rows for x in row], (6, nv))


def _add_column(rows: list[list[Node]], k: int, column: Sequence[Node]) -> None:
    """Add to column k; a follower adds to what its leader moves."""
    for row, x in zip(rows, column, strict=True):
        row[k] = row[k] + x
