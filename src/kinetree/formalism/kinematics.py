"""Kinematics of points: pose, velocity, acceleration, Jacobian, all in ground components.

Orientation and position pass outward from link to link; the rows of R are the ground's axes seen in
the link, so each elementary motion costs a planar rotation per row and an output that asks for one
component drags only one row along (Docquier2013 eq. 48, which propagates the same rows).
Velocities and accelerations are summed in ground components, where every axis stands once for all
points beyond it and is the column of all their Jacobians.

| Docquier2013 eq. 48 | here | meaning |
|---|---|---|
| R^{i,0}, elements ROki | R[i] transposed | rotation, here from link to ground components |
| RL | r | position of a link from its parent, ground components |
| JT_1 | p | positions of the link origins, ground components |
| | w, v, wd, a | angular, linear velocity and acceleration of the link origin; no gravity in a |

Velocities are [angular; linear], the linear part that of the point, so velocity = J qd and
acceleration = J qdd + Jdqd.

Robotics knows three Jacobians of a frame (`jacobians`), all [angular; linear]:

| here | elsewhere | angular part in | linear part |
|---|---|---|---|
| aligned | LOCAL_WORLD_ALIGNED | ground components | velocity of the frame's origin, ground |
| local | LOCAL | components of the frame | velocity of the frame's origin, frame |
| world | WORLD | ground components | velocity at the ground's origin, ground |

Refs: Docquier2013 secs. 3.3, 3.5.2, eqs. 47 and 48; SaminFisette2003
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kinetree.engine import ONE, ZERO, Node
from kinetree.formalism.links.linkage import Pose, rotate
from kinetree.formalism.links.passage import relative
from kinetree.formalism.links.vectors import (
    NULL,
    Mat,
    Pair,
    Vec,
    apply,
    apply_transposed,
    cross,
    mat3,
    minus,
    plus,
)
from kinetree.program.notes import about, notes

if TYPE_CHECKING:
    from kinetree.formalism.links.frames import Frames
    from kinetree.model import Mechanism, Point

NOTES = notes("""
    R             | orientation                      | Docquier2013 eq. (48) | 1      | ground
    r x           | position                         | Docquier2013 eq. (48) | m      | ground
    joints: wr vl | relative motion                  |                       |        | ground
    w             | angular velocity                 | SaminFisette2003      | rad/s  | ground
    vr            | velocity by the parent's turning |                       | m/s    | ground
    v             | velocity of the origin           | SaminFisette2003      | m/s    | ground
    wq wd         | angular acceleration             | SaminFisette2003      | rad/s2 | ground
    ac a          | acceleration of the origin       | SaminFisette2003      | m/s2   | ground
""")
FRAME = notes("""
    joints: ad bd | rate of the axis of velocity {} | |  | ground
""")
POINT = notes("""
    r x | position of the point | | m    | ground
    vr  | w × r                 | | m/s  | ground
    ar  | w × w × r             | | m/s2 | ground
""")
IDENTITY: Mat = ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE))
OUTPUTS = ("position", "rotation", "velocity", "acceleration", "jacobian", "jdqd")
"""What is given of every point, as outputs called "point.position" and so on."""


@dataclass(frozen=True)
class Geometry:
    """Pose of the links in the ground frame.

    Attributes:
        R: link -> rotation from link to ground components.
        r: link -> its origin from that of its parent.
        p: link -> its origin from that of the ground.
    """

    R: dict[int, Mat]
    r: dict[int, Vec]
    p: dict[int, Vec]


@dataclass(frozen=True)
class Velocities:
    """Angular velocity of the links and velocity of their origins, ground components."""

    w: dict[int, Vec]
    v: dict[int, Vec]


@dataclass(frozen=True)
class Accelerations:
    """Angular acceleration of the links and acceleration of their origins, ground components."""

    wd: dict[int, Vec]
    a: dict[int, Vec]


def geometry(frames: Frames, links: Iterable[int], base: int = 0) -> Geometry:
    """Poses of some links, parents before children, seen from a link that carries them all.

    Args:
        frames: the links and the scheme to write into.
        links: those between the base and the last ones asked for, the base excluded.
        base: the link in whose frame everything stands, in place of the ground.
    """
    place = Geometry({base: IDENTITY}, {base: NULL}, {base: NULL})
    for i in links:
        let, p = frames.naming(NOTES, i), frames.system.links[i].parent
        R_p = place.R[p]
        x, y, z = (
            let("R", frames.to_link(i, row, f"R{i}{k}"), k)
            for k, row in zip("xyz", R_p, strict=True)
        )
        place.R[i] = (x, y, z)  # Eq. (48), Docquier2013; R_0i = R_0p R_pi, row by row
        place.r[i] = let("r", apply(R_p, frames.offset(i)))
        place.p[i] = let("x", plus(place.p[p], place.r[i]))
    return place


def velocities(frames: Frames, place: Geometry) -> Velocities:
    """Velocities of the links of a geometry."""
    base = next(iter(place.p))
    motion = Velocities({base: NULL}, {base: NULL})
    for i in _moving(place):
        let, p = frames.naming(NOTES, i), frames.system.links[i].parent
        w_rel, v_rel = _relative(frames, place, i, frames.system.qd)
        motion.w[i] = let("w", plus(motion.w[p], w_rel))
        motion.v[i] = let("v", plus(motion.v[p], swept(frames, place, motion, i), v_rel))
    return motion


def swept(frames: Frames, place: Geometry, motion: Velocities, i: int) -> Vec:
    """Velocity w × r of the origin of link i by the turning of its parent."""
    w_p = motion.w[frames.system.links[i].parent]
    return frames.naming(NOTES, i)("vr", cross(w_p, place.r[i]))


def accelerations(
    frames: Frames, place: Geometry, motion: Velocities, qdd: Sequence[Node]
) -> Accelerations:
    """Accelerations of the links of a geometry; gravity is not in them."""
    base = next(iter(place.p))
    rates = Accelerations({base: NULL}, {base: NULL})
    for i in _moving(place):
        let, p = frames.naming(NOTES, i), frames.system.links[i].parent
        w_p, wd_p = motion.w[p], rates.wd[p]
        w_rel, v_rel = _relative(frames, place, i, frames.system.qd)
        wd_rel, vd_rel = _relative(frames, place, i, qdd)
        gyration = let("wq", cross(w_p, w_rel))
        rates.wd[i] = let("wd", plus(wd_p, gyration, wd_rel))
        tangential = cross(wd_p, place.r[i])
        centripetal = cross(w_p, swept(frames, place, motion, i))
        coriolis = cross(plus(w_p, w_p, w_rel), v_rel)
        still = let("ac", plus(centripetal, coriolis))
        rates.a[i] = let("a", plus(rates.a[p], tangential, still, vd_rel))
    return rates


def jacobian(frames: Frames, place: Geometry, link: int, at: Vec) -> list[list[Node]]:
    """J, 6 × nv, of a point of a link at the position `at`, everything in ground components."""
    J: list[list[Node]] = [[ZERO] * frames.system.nv for _ in range(6)]
    for j in frames.system.path(link):
        arm = minus(at, place.p[j])
        for k, w, v in frames.columns(j):
            axis = apply(place.R[j], w)
            linear = plus(cross(axis, arm), apply(place.R[j], v))
            for row, x in enumerate((*axis, *linear)):
                J[row][k] = J[row][k] + x  # a follower adds to what its leader moves
    return J


def moving_columns(
    frames: Frames, state: tuple[Geometry, Velocities], link: int, at: Vec, v_at: Vec
) -> tuple[list[Pair], list[Pair]]:
    """Columns of the Jacobian of a link's velocity at a point, and their rates, ground components.

    Args:
        frames: the links and the scheme to write into.
        state: poses and velocities of the links up to that one.
        link: whose velocity it is.
        at: position of the point.
        v_at: velocity of the point; 0 for one that stands still in the ground.
    """
    place, motion = state
    J, Jd = ([(NULL, NULL)] * frames.system.nv for _ in range(2))
    for j in frames.system.path(link):
        arm, arm_rate = minus(at, place.p[j]), minus(v_at, motion.v[j])
        for k, w, v in frames.columns(j):
            let = frames.naming(FRAME, j, k + 1)
            a, b = apply(place.R[j], w), apply(place.R[j], v)
            ad = let("ad", cross(motion.w[j], a), at=f"{j}_{k}")
            bd = let("bd", cross(motion.w[j], b), at=f"{j}_{k}")
            linear = plus(J[k][1], cross(a, arm), b)
            rate = plus(Jd[k][1], cross(ad, arm), cross(a, arm_rate), bd)
            J[k], Jd[k] = (plus(J[k][0], a), linear), (plus(Jd[k][0], ad), rate)
    return J, Jd


def jacobians(frames: Frames, _: Sequence[Node] = (), points: Sequence[str] | None = None) -> None:
    """Write the Jacobians of every point in the three conventions of the module's table.

    The outputs are "point.aligned", "point.local", "point.world", 6 × nv, [angular; linear], and
    their rates of change "point.aligned_rate" and so on.
    """
    system = frames.system
    wanted = [(point.path, system.pose(point)) for point in points_of(system.model, points)]
    place = geometry(frames, sorted({i for _, pose in wanted for i in system.path(pose.link)}))
    state = place, velocities(frames, place)
    for path, pose in wanted:
        let, i = about(frames.scheme, POINT, path, section="points"), pose.link
        w, r = state[1].w[i], let("r", apply(place.R[i], pose.p))
        v = plus(state[1].v[i], let("vr", cross(w, r)))
        J, Jd = moving_columns(frames, state, i, let("x", plus(place.p[i], r)), v)
        R = mat3(rotate(pose.R.T, row) for row in place.R[i])
        local = [_turn(R, column) for column in J]
        # d(Rᵀ J)/dt = Rᵀ (J̇ - w × J)
        still = [
            (minus(ad, cross(w, a)), minus(bd, cross(w, b)))
            for (a, b), (ad, bd) in zip(J, Jd, strict=True)
        ]
        _write_columns(frames, f"{path}.aligned", J, Jd)
        _write_columns(frames, f"{path}.local", local, [_turn(R, column) for column in still])
        _write_columns(frames, f"{path}.world", *moving_columns(frames, state, i, NULL, NULL))


def _turn(R: Mat, column: Pair) -> Pair:
    """Rᵀ times both parts."""
    return apply_transposed(R, column[0]), apply_transposed(R, column[1])


def _write_columns(frames: Frames, name: str, value: list[Pair], rate: list[Pair]) -> None:
    """Write a Jacobian and its rate, given by their columns."""
    for tail, columns in (("", value), ("_rate", rate)):
        rows = zip(*((*a, *b) for a, b in columns), strict=True)
        nodes = [x for row in rows for x in row]
        frames.scheme.output(f"{name}{tail}", nodes, (6, frames.system.nv))


def points_of(model: Mechanism, names: Sequence[str] | None) -> list[Point]:
    """The points of the given paths "body" or "body.point"; by default all of the moving bodies."""
    if names is not None:
        return [model.point(str(name)) for name in names]
    return [p for body in model.bodies.values() for p in (body.origin, *body.points.values())]


def kinematics(frames: Frames, qdd: Sequence[Node], points: Sequence[str] | None = None) -> None:
    """Write the outputs of every point: see OUTPUTS; all in ground components.

    Args:
        frames: the links and the scheme to write into.
        qdd: joint accelerations, of which "acceleration" depends.
        points: paths "body" or "body.point"; by default all points of all moving bodies.
    """
    system = frames.system
    wanted = [(point.path, system.pose(point)) for point in points_of(system.model, points)]
    links = sorted({i for _, pose in wanted for i in system.path(pose.link)})
    place = geometry(frames, links)
    motion = velocities(frames, place)
    driven = accelerations(frames, place, motion, qdd)
    free = accelerations(frames, place, motion, (ZERO,) * system.nv)
    for path, pose in wanted:
        _outputs(frames, path, pose, (place, motion, driven, free))


def poses(frames: Frames, _: Sequence[Node] = (), points: Sequence[str] | None = None) -> None:
    """Write "position" and "rotation" of every point as `kinematics` does, and nothing else."""
    system = frames.system
    wanted = [(point.path, system.pose(point)) for point in points_of(system.model, points)]
    place = geometry(frames, sorted({i for _, pose in wanted for i in system.path(pose.link)}))
    for path, pose in wanted:
        i = pose.link
        let = about(frames.scheme, POINT, path, section="points")
        r = let("r", apply(place.R[i], pose.p))
        _write_pose(frames, path, pose, place, let("x", plus(place.p[i], r)))


def _write_pose(frames: Frames, path: str, pose: Pose, place: Geometry, at: Vec) -> None:
    """Position and rotation of a point."""
    turned = [rotate(pose.R.T, row) for row in place.R[pose.link]]
    frames.scheme.output(f"{path}.position", at)
    frames.scheme.output(f"{path}.rotation", [x for row in turned for x in row], (3, 3))


def _outputs(
    frames: Frames,
    path: str,
    pose: Pose,
    state: tuple[Geometry, Velocities, Accelerations, Accelerations],
) -> None:
    """The outputs of one point."""
    scheme, i = frames.scheme, pose.link
    place, motion, driven, free = state
    let, w = about(scheme, POINT, path, section="points"), motion.w[i]
    r = let("r", apply(place.R[i], pose.p))
    at = let("x", plus(place.p[i], r))
    _write_pose(frames, path, pose, place, at)
    v_r = let("vr", cross(w, r))
    v_rr = let("ar", cross(w, v_r))
    J = jacobian(frames, place, i, at)
    scheme.output(f"{path}.velocity", (*w, *plus(motion.v[i], v_r)))
    for name, rates in (("acceleration", driven), ("jdqd", free)):
        wd, a = rates.wd[i], rates.a[i]
        scheme.output(f"{path}.{name}", (*wd, *plus(a, cross(wd, r), v_rr)))
    scheme.output(f"{path}.jacobian", [x for row in J for x in row], (6, frames.system.nv))


def _moving(place: Geometry) -> list[int]:
    return list(place.p)[1:]  # the first one is the base


def _relative(frames: Frames, place: Geometry, i: int, rates: Sequence[Node]) -> tuple[Vec, Vec]:
    """Angular and linear rate of link i relative to its joint, in ground components."""
    w, v = relative(frames, i, tuple(rates))
    let = frames.naming(NOTES, i)
    return let("wr", apply(place.R[i], w)), let("vl", apply(place.R[i], v))
