"""D'Alembert's principle on bodies given by position matrices.

The work of applied and inertial efforts vanishes for every partial contribution,

    Σ_i d^{i,j} · (F_i - m_i a_i) + th^{i,j} · (M_i - I_i wd_i - w_i × I_i w_i) + tau_j = 0

which is M qdd + c = tau with M_jk = Σ_i m_i d^{i,j} · d^{i,k} + th^{i,j} · I_i th^{i,k}.

| Verlinden2005 | here | meaning |
|---|---|---|
| R_i, M_i, eq. 6 | forces, torques | applied efforts at the centre of mass, gravity apart |
| Φ_Gi | I | inertia about the centre of mass, body components |
| h, eq. 7 | c | all that does not depend on qdd |

Refs: Verlinden2005 eqs. 6 to 8
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from kinetree.engine import ZERO, Node
from kinetree.errors import UnsupportedError
from kinetree.formalism.held.held_joints import HeldJoints, hold_velocities
from kinetree.formalism.joint_equations import (
    Declare,
    JointMotion,
    count_from_given,
    given_accelerations,
    solve_mixed,
    whole_accelerations,
)
from kinetree.formalism.kinematics import points_of
from kinetree.formalism.links.rotors import add_rotor_forces, on_diagonal, turning
from kinetree.formalism.links.vectors import (
    NULL,
    Matrix,
    Vec,
    apply,
    apply_sym,
    cross,
    dot,
    minus,
    negative,
    plus,
    times,
)
from kinetree.formalism.matrices.forces import (
    Efforts,
    applied_efforts,
    elastic,
    point_place,
    write_outputs,
)
from kinetree.formalism.matrices.forces import write_state_rates as write_states
from kinetree.formalism.matrices.kinematics import BodyMotions
from kinetree.formalism.stops import write_gaps
from kinetree.model import Point, holding
from kinetree.program import Note, Scheme
from kinetree.program.notes import about, notes
from kinetree.program.solving import solve_by_size

if TYPE_CHECKING:
    from kinetree.formalism.matrices.placement import Placement

NOTES = notes("""
    unit         | momentum of a unit velocity  | Verlinden2005 eq. (8)
    M            | mass matrix up to this body  | Verlinden2005 eq. (8)
    f            | inertial less applied force  | Verlinden2005 eq. (6) | N     | body
    L            | angular momentum             | Verlinden2005 eq. (6) | N.m.s | body
    n            | inertial less applied torque | Verlinden2005 eq. (6) | N.m   | body
    tau          | virtual work up to this body | Verlinden2005 eq. (6)
    qdd          | M qdd = tau - c              | Verlinden2005 eq. (7)
    wr           | w × r                        |                       | m/s   | body
    acceleration | acceleration                 |                       | m/s2  | body
    jdqd         | jdqd                         |                       | m/s2  | body
    d            | partial
""")


def falling(scheme: Scheme, system: Placement, qdd: Sequence[Node] = ()) -> BodyMotions:
    """The motion with gravity as acceleration -g of the ground."""
    return BodyMotions(scheme, system, qdd, negative(system.gravity))


def mass_matrix(motion: BodyMotions) -> Matrix:
    """M, both triangles; eq. (8)."""
    n = motion.system.nv
    M: Matrix = [[ZERO] * n for _ in range(n)]
    for body in motion.system.bodies.values():
        if not body.heavy:
            continue
        let, parts = about(motion.scheme, NOTES, body.name), motion.contributions(body.name)
        for b, (th, d) in parts.items():
            L = let("L", apply_sym(body.I, th), at=b + 1, row="unit")
            for a, (th_a, d_a) in parts.items():
                if a <= b:
                    total = M[a][b] + body.m * dot(d_a, d) + dot(th_a, L)
                    name = f"M_{body.name}_{a + 1}_{b + 1}"
                    M[a][b] = M[b][a] = motion.scheme.let(name, total, let.note("M"))
    return on_diagonal(motion.system, M)


def required_forces(motion: BodyMotions, efforts: Efforts) -> list[Node]:
    """Generalised forces tau for the motion with the accelerations it was made for; eq. (6)."""
    tau: list[Node] = [-efforts.efforts.get(k, ZERO) for k in range(motion.system.nv)]
    for body in motion.system.bodies.values():
        acting = (efforts.forces.get(body.name, NULL), efforts.torques.get(body.name, NULL))
        if not body.heavy and acting == (NULL, NULL):
            continue
        f, n = _wrench(motion, body.name, acting)
        note = about(motion.scheme, NOTES, body.name).note("tau")
        for k, (th, d) in motion.contributions(body.name).items():
            total = tau[k] + dot(d, f) + dot(th, n)
            tau[k] = motion.scheme.let(f"tau_{body.name}_{k + 1}", total, note)
    return tau


def _wrench(motion: BodyMotions, name: str, acting: tuple[Vec, Vec]) -> tuple[Vec, Vec]:
    """Inertial less applied efforts, body components; gravity is in the accelerations."""
    body = motion.body(name)
    (w, _), (wd, a) = motion.velocity(name), motion.acceleration(name)
    force, torque = acting
    let = about(motion.scheme, NOTES, name)
    f = let("f", minus(times(body.m, a), force))
    L = let("L", apply_sym(body.I, w))
    return f, let("n", minus(plus(apply_sym(body.I, wd), cross(w, L)), torque))


# --- quantities ----------------------------------------------------------------------------------


def inverse(scheme: Scheme, system: Placement, qdd: Sequence[Node]) -> None:
    """Write tau."""
    motion = falling(scheme, system, qdd)
    tau = add_rotor_forces(system, required_forces(motion, applied_efforts(motion)), qdd)
    scheme.output("tau", tau, None, system.model.velocities)


def mass_bias(scheme: Scheme, system: Placement, _: Sequence[Node]) -> None:
    """Write M and c."""
    motion = falling(scheme, system)
    M, c = mass_matrix(motion), required_forces(motion, applied_efforts(motion))
    scheme.output("M", [x for row in M for x in row], (system.nv, system.nv))
    scheme.output("c", c, None, system.model.velocities)


def forward(scheme: Scheme, system: Placement, tau: Sequence[Node]) -> None:
    """Write qdd, and xd where there are user states."""
    motion = falling(scheme, system)
    efforts = applied_efforts(motion)
    M, c = mass_matrix(motion), required_forces(motion, efforts)
    if holding(system.model):
        rows = hold_velocities(scheme, tau, efforts)
        for name in efforts.grips:
            raise UnsupportedError(
                "it holds no velocity of the model, which d'Alembert's way does not know",
                element=f"friction '{name}'",
                cure="leave formalism= out",
            )
        law = HeldJoints(system.model.velocities, tau, rows, efforts)
        law.write(scheme, JointMotion(system.qd, *solve_mixed(scheme, M, c, law.equations)))
        write_states(motion, efforts)
        return
    b = [t - x for t, x in zip(tau, c, strict=True)]
    qdd = solve_by_size(scheme, "qdd", M, b, NOTES["qdd"])
    scheme.output("qdd", qdd, None, system.model.velocities)
    write_states(motion, efforts)


def write_joints(
    declare: Declare,
    scheme: Scheme,
    system: Placement,
    gamma: Sequence[Node],
    known: Mapping[str, str],
) -> None:
    """Write accelerations and forces from one equation per velocity, and xd of user states."""
    law = declare(scheme, gamma, known)
    rows = law.equations
    given = given_accelerations(rows)
    motion = falling(scheme, system, given)
    efforts = applied_efforts(motion)
    M, c = mass_matrix(motion), add_rotor_forces(system, required_forces(motion, efforts), given)
    qdd, tau = solve_mixed(scheme, M, c, count_from_given(rows))
    law.write(scheme, JointMotion(system.qd, whole_accelerations(rows, qdd), tau))
    write_states(motion, efforts)


def gaps(scheme: Scheme, system: Placement, _: Sequence[Node]) -> None:
    """Write gap, restitution, shortest and gravity of stops."""
    write_gaps(scheme, system, applied_efforts(BodyMotions(scheme, system)))


def energy(scheme: Scheme, system: Placement, _: Sequence[Node]) -> None:
    """Write the outputs "kinetic" and "potential" [J], the latter of gravity and of springs.

    As in trees, bodies that cannot move are left out.
    """
    motion = BodyMotions(scheme, system)
    twice, V = turning(system), elastic(motion)
    for body in system.bodies.values():
        w, v = motion.velocity(body.name)
        if body.heavy and any(x is not ZERO for x in (*w, *v)):
            spin = dot(w, apply_sym(body.I, w))
            note = Note(body.name, "twice the kinetic energy", "", "J")
            twice = scheme.let("T2", twice + body.m * dot(v, v) + spin, note)
            V = V - body.m * dot(system.gravity, motion.centre(body.name))
    scheme.output("kinetic", (twice / 2,), ())
    scheme.output("potential", (V,), ())


def forces(scheme: Scheme, system: Placement, _: Sequence[Node]) -> None:
    """Write what every force element tells of itself."""
    write_outputs(BodyMotions(scheme, system))


def kinematics(
    scheme: Scheme, system: Placement, qdd: Sequence[Node], points: Sequence[str] | None = None
) -> None:
    """Write position, rotation, velocity, acceleration, jacobian and jdqd of every point.

    Args:
        scheme: to write into.
        system: the position matrices.
        qdd: accelerations, of which "acceleration" depends.
        points: paths "body" or "body.point"; by default all points of all bodies.
    """
    driven, free = BodyMotions(scheme, system, qdd), BodyMotions(scheme, system)
    for point in points_of(system.model, points):
        _point(driven, free, point)


def _point(driven: BodyMotions, free: BodyMotions, point: Point) -> None:
    """The outputs of one point, ground components."""
    scheme, path, name = driven.scheme, point.path, point.body.name
    place = point_place(driven, point)
    R, arm = (
        driven.rotation(name),
        minus(driven.system.table.position(point), driven.body(name).com),
    )
    scheme.output(f"{path}.position", place.p)
    scheme.output(f"{path}.rotation", [x for row in place.R for x in row], (3, 3))
    scheme.output(f"{path}.velocity", (*place.w, *place.v))
    w, _ = driven.velocity(name)
    let = about(scheme, NOTES, path, section="points")
    swept = let("wr", cross(w, arm))
    for title, motion in (("acceleration", driven), ("jdqd", free)):
        wd, a = motion.acceleration(name)
        at = let("a", plus(a, cross(wd, arm), cross(w, swept)), row=title)
        scheme.output(f"{path}.{title}", (*apply(R, wd), *apply(R, at)))
    J: Matrix = [[ZERO] * driven.system.nv for _ in range(6)]
    for k, (th, d) in driven.contributions(name).items():
        at = let("d", plus(d, cross(th, arm)), at=k + 1)
        column = (*apply(R, th), *apply(R, at))
        for row, x in zip(J, column, strict=True):
            row[k] = x
    scheme.output(f"{path}.jacobian", [x for row in J for x in row], (6, driven.system.nv))
