"""The regressor: Y(q, qd, qdd) π = tau, linear in the mass properties.

Column by column, Y is the inverse dynamics of a mechanism in which one mass property is 1 and all
others are 0: the unit wrench of that property on its carrier, projected on the partial velocities
of the carrier, so only the joints between it and the ground are touched.

A carrier is a body with its ten standard parameters about its origin, in its frame; or, for base
parameters, a link with those that remain when everything that can be regrouped has been.  What can
be is decided with a symbol for every standard parameter, so values that are zero change nothing;
what regrouping along the joints leaves dependent is sorted out by numbers (`base_columns`).

| Khalil1987 | here | meaning |
|---|---|---|
| M | mass | mass [kg] |
| MX, MY, MZ | h_x, h_y, h_z | first moment about the origin [kg.m] |
| XX, …, YZ | I_xx, I_yy, I_zz, I_xy, I_xz, I_yz | inertia about the origin [kg.m2] |

A rotor inertia A (`rotors`) is a parameter of its own, JOINT.armature: its column is qdd of the
joint.  Among base parameters it joins the one that has the same column, as the moment of a body
about a first axis that stands still.

The same wrenches on the partial velocities of the ground give the wrench that the ground exerts,
which no effort inside a joint enters: Y(q, qd, qdd) π + wrench of what is welded to the ground.

Refs: Khalil1987 (base parameters); SaminFisette2003 (partial velocities)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from kinetree.arrays import Array
from kinetree.engine import (
    ADD,
    ZERO,
    Node,
    Rank,
    number,
    scale,
    split_coefficient,
    substitute,
    symbol,
)
from kinetree.formalism.links.frames import Frames
from kinetree.formalism.links.linkage import Linkage, Pose, rotate
from kinetree.formalism.links.motion import unit
from kinetree.formalism.links.regroup import load, refer, regroup
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
    plus,
    steiner,
    sym6,
    tensor_plus,
    times,
    transpose,
    vec3,
)
from kinetree.formalism.newton_euler import Motions, acceleration_tensor, outward
from kinetree.formalism.virtual_power import (
    PartialVelocities,
    ground_velocities,
    partial_velocities,
)
from kinetree.model import leader_of
from kinetree.program.notes import TENSOR, Naming, about, notes

NOTES = notes("""
    Jw Jv             | motion of the carrier        |                     |         | body
    w wd a            | motion of the carrier        | LuhWalkerPaul1980   |         | body
    ww                | products of angular velocity |                     | rad2/s2 | body
    U                 | U = w~ w~ + wd~              | SaminFisette2003    | rad2/s2 | body
    xx yy zz xy xz yz | torque of a unit inertia     | BalafoutisPatel1991 |         | body
""")
PARAMETERS = ("mass", "h_x", "h_y", "h_z", *(f"I_{name}" for name in TENSOR))
"""Endings of the labels of the ten parameters of a carrier."""


@dataclass(frozen=True)
class Carrier:
    """What carries mass properties: a name, a frame on a link, the ten values in order."""

    name: str
    pose: Pose
    values: tuple[Node, ...]


PROPORTIONAL = 1e-12
"""Relative difference up to which two parameters count as proportional."""


@dataclass(frozen=True)
class RegressorColumn:
    """A parameter: its label, its value, its column of Y as velocity number -> entry."""

    label: str
    value: Node
    column: dict[int, Node]


@dataclass(frozen=True)
class CarrierMotion:
    """Motion of a carrier in its frame: w, wd, U = w~ w~ + wd~, a of its origin less gravity."""

    w: Vec
    wd: Vec
    U: Mat
    a: Vec


def bodies(system: Linkage) -> list[Carrier]:
    """The moving bodies with their standard parameters, in model order."""
    table = system.table
    found = []
    for body in system.model.bodies.values():
        pose = system.poses[body.name]
        if pose.link:
            m, com = table.mass(body), table.com(body)
            xx, yy, zz, xy, xz, yz = table.inertia(body)
            inertia = tensor_plus((xx, yy, zz, xy, xz, yz), steiner(m, NULL, com))
            found.append(Carrier(body.name, pose, (m, *times(m, com), *inertia)))
    return found


def base_links(system: Linkage) -> list[Carrier]:
    """The links with what remains of their parameters after all regrouping; the rest is zero.

    The values are linear forms in `unknowns`, one symbol for every standard parameter.
    """
    minimal = regroup(_load_unknowns(system), all_moves=True)
    return [
        Carrier(link.name, Pose(link.index, np.eye(3), NULL), (link.m, *link.h, *link.I))
        for link in minimal.links[1:]
    ]


def unknowns(carrier: Carrier) -> tuple[Node, ...]:
    """Symbols that stand for the ten standard parameters of a body."""
    return tuple(symbol(f"{carrier.name}.{end}", Rank.PARAMETER) for end in PARAMETERS)


def _load_unknowns(system: Linkage) -> Linkage:
    """The linkage with the standard parameters of all bodies as symbols."""
    links = [replace(link, m=ZERO, h=NULL, I=NULL_TENSOR) for link in system.links]
    for body in bodies(system):
        m, *rest = unknowns(body)
        part = (m, vec3(rest[:3]), sym6(rest[3:]))
        load(links[body.pose.link], refer(part, body.pose.R, body.pose.p))
    return replace(system, links=tuple(links))


def regressor(frames: Frames, qdd: tuple[Node, ...], *, base_parameters: bool = True) -> None:
    """Write the outputs "Y" (nv × number of parameters) and "pi", labelled "carrier.parameter".

    Args:
        frames: the links and the scheme to write into.
        qdd: joint accelerations.
        base_parameters: the base parameters of the links instead of the ten of every body; what
            cannot move any joint is left out.
    """
    system = frames.system
    carriers = base_links(system) if base_parameters else bodies(system)
    motion = outward(frames, system.qd, qdd)
    rows = list(_columns(frames, partial_velocities(frames), carriers, motion))
    armatures = list(_armatures(system, qdd))
    if base_parameters:
        rows = _with_armatures(_insert_values(_merge(rows), bodies(system)), armatures)
    else:
        rows += armatures
    _write(frames, rows, system.nv)


def reaction_regressor(
    frames: Frames, qdd: tuple[Node, ...], *, base_parameters: bool = True
) -> None:
    """Write "Y" (6 × number of parameters) of the wrench [torque; force] from the ground, and "pi".

    Args:
        frames: the links and the scheme to write into.
        qdd: joint accelerations.
        base_parameters: leave out what depends on others; `base_columns` does.
    """
    motion = outward(frames, frames.system.qd, qdd)
    carriers = bodies(frames.system)
    _write(frames, list(_columns(frames, ground_velocities(frames), carriers, motion)), 6)
    del base_parameters


def _write(frames: Frames, rows: list[RegressorColumn], count: int) -> None:
    """The outputs "Y", with so many rows, and "pi"."""
    Y = [row.column.get(k, ZERO) for k in range(count) for row in rows]
    frames.scheme.output("Y", Y, (count, len(rows)))
    values = [row.value for row in rows]
    frames.scheme.output("pi", values, (len(rows),), [row.label for row in rows])


def _insert_values(
    rows: list[RegressorColumn], standard: Iterable[Carrier]
) -> list[RegressorColumn]:
    """The rows with the values of the standard parameters in place of their symbols."""
    known: dict[Node, Node] = {}
    for body in standard:
        known.update(zip(unknowns(body), body.values, strict=True))
    values = substitute([row.value for row in rows], known)
    return [replace(row, value=value) for row, value in zip(rows, values, strict=True)]


def _armatures(system: Linkage, qdd: tuple[Node, ...]) -> Iterator[RegressorColumn]:
    """One row per rotor inertia; followers count ratio² at their leader."""
    model = system.model
    for joint in model.joints.values():
        leader, ratio, _ = leader_of(model, joint)
        for k, (label, _, _) in enumerate(joint.armatures):
            at = model.velocities.index(leader.velocities[k])
            value = system.table.nodes[label]
            if value is not ZERO:
                yield RegressorColumn(label, value, {at: number(ratio) ** 2 * qdd[at]})


def _with_armatures(
    rows: list[RegressorColumn], armatures: Iterable[RegressorColumn]
) -> list[RegressorColumn]:
    """The rows and those of rotors; a rotor whose column is there already joins that row."""
    found = list(rows)
    for rotor in armatures:
        ((at, entry),) = rotor.column.items()
        factor, qdd = split_coefficient(entry)
        for n, row in enumerate(found):
            own = split_coefficient(row.column.get(at, ZERO))
            if len(row.column) == 1 and own[1] is qdd:
                total = row.value + scale(factor / own[0], rotor.value)
                found[n] = RegressorColumn(row.label, total, row.column)
                break
        else:
            found.append(RegressorColumn(rotor.label, rotor.value, rotor.column))
    return found


def _merge(rows: Iterable[RegressorColumn]) -> list[RegressorColumn]:
    """The rows without parameters that are zero or move nothing; proportional ones become one.

    What is regrouped onto a massless frame inside a joint can stand there in several places.
    """
    kept: list[RegressorColumn] = []
    alike: dict[tuple[Node, ...], list[int]] = {}
    for row in rows:
        column = {k: x for k, x in row.column.items() if x is not ZERO}
        if not column or row.value is ZERO:
            continue
        key = _terms(row.value)[0]
        for n in alike.setdefault(key, []):
            ratio = _ratio(row.value, kept[n].value)
            if ratio is not None:
                kept[n] = _join(kept[n], column, ratio)
                break
        else:
            alike[key].append(len(kept))
            kept.append(RegressorColumn(row.label, row.value, column))
    return kept


def _join(row: RegressorColumn, column: dict[int, Node], ratio: float) -> RegressorColumn:
    """A row that also carries the column of a parameter that is `ratio` times its own."""
    both = dict(row.column)
    for k, x in column.items():
        both[k] = both.get(k, ZERO) + scale(ratio, x)
    return RegressorColumn(row.label, row.value, both)


def _terms(value: Node) -> tuple[tuple[Node, ...], Array]:
    """What a value is a linear combination of, and its coefficients; a constant term included."""
    if value.op is not ADD:
        return (value,), np.ones(1)
    constant = () if value.value == 0 else (value.value,)
    return value.args, np.array([*map(float, value.coefs), *map(float, constant)])


def _ratio(a: Node, b: Node) -> float | None:
    """c with a = c·b, if there is one."""
    (args, x), (others, y) = _terms(a), _terms(b)
    if args != others or x.shape != y.shape:
        return None
    c = float(x[0] / y[0])
    return c if np.allclose(x, c * y, rtol=PROPORTIONAL, atol=0) else None


def _columns(
    frames: Frames, J: PartialVelocities, carriers: Iterable[Carrier], motion: Motions
) -> Iterator[RegressorColumn]:
    """One row for every parameter of every carrier."""
    for carrier in carriers:
        i, R, p = carrier.pose.link, carrier.pose.R, carrier.pose.p
        let = about(frames.scheme, NOTES, carrier.name)
        partials = {
            k: (let("Jw", rotate(R.T, w), at=k), let("Jv", rotate(R.T, plus(v, cross(w, p))), at=k))
            for k, (w, v) in J[i].items()
        }
        state = _state(let, carrier, motion)
        for n, (force, torque) in enumerate(unit_wrenches(let, state)):
            column = {k: dot(v, force) + dot(w, torque) for k, (w, v) in partials.items()}
            yield RegressorColumn(f"{carrier.name}.{PARAMETERS[n]}", carrier.values[n], column)


def _state(let: Naming, carrier: Carrier, motion: Motions) -> CarrierMotion:
    """The motion of a carrier's frame, from that of its link."""
    i, R, p = carrier.pose.link, carrier.pose.R, carrier.pose.p
    w = let("w", rotate(R.T, motion.w[i]))
    wd = let("wd", rotate(R.T, motion.wd[i]))
    a = let("a", rotate(R.T, plus(motion.a[i], apply(motion.U[i], p))))
    x, y, z = (
        let("U", row, at=k) for k, row in enumerate(acceleration_tensor(_products(let, w), wd))
    )
    return CarrierMotion(w, wd, (x, y, z), a)


def _products(let: Naming, w: Vec) -> Sym:
    """Products of the components of w."""
    return sym6(let("ww", w[i] * w[j], at=f"{i}{j}") for i, j in SYM_PAIRS)


def unit_wrenches(let: Naming, state: CarrierMotion) -> list[tuple[Vec, Vec]]:
    """(force, torque about the origin) that each of the ten parameters asks for when it is 1."""
    w, wd, U, a = state.w, state.wd, state.U, state.a

    def torque(name: str, x: Node, y: Node, z: Node) -> tuple[Vec, Vec]:
        return NULL, let(name, (x, y, z))

    *_, xy, xz, yz = _products(let, w)
    columns = transpose(U)
    return [
        (a, NULL),
        *((columns[k], cross(unit(k), a)) for k in range(3)),
        torque("xx", wd[0], xz, -xy),
        torque("yy", -yz, wd[1], xy),
        torque("zz", yz, -xz, wd[2]),
        torque("xy", -U[2][0], U[2][1], U[0][0] - U[1][1]),
        torque("xz", U[1][0], U[2][2] - U[0][0], -U[1][2]),
        torque("yz", U[1][1] - U[2][2], -U[0][1], U[0][2]),
    ]
