"""Equations of motion in natural coordinates as Programs: M V̈ - Q, and what ties the coordinates.

The kinetic energy of a body is ½ tr(Ẋ P Ẋᵀ) with X = [e_x e_y e_z r] and the constant
P = ∫ [x; 1][x; 1]ᵀ dm, so with X = V Cᵀ the mass matrix Cᵀ P C is constant and there are no
Coriolis terms; behind driven joints Cᵀ P (2 Ċ V̇ + C̈ V) is added.

Refs: GarciaDeJalon1994; Cuadrado2003 eq. 1
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kinetree.engine import ZERO, Node, Rank, linear, scale, symbol, symbols
from kinetree.forces import FORCES
from kinetree.formalism.links.linkage import Link, Linkage
from kinetree.formalism.links.passage import wrench_symbols
from kinetree.formalism.links.vectors import NULL, Vec, minus, plus, times
from kinetree.formalism.loops.conditions import Row
from kinetree.formalism.natural.bodies import Bodies
from kinetree.formalism.natural.closures import closures
from kinetree.formalism.natural.combinations import Natural, Sum
from kinetree.formalism.natural.constraint_rows import RowWriter
from kinetree.formalism.natural.coordinates import NaturalSpace
from kinetree.formalism.natural.forces import applied_loads, state_rates
from kinetree.formalism.natural.links import LinkFrame, natural_space
from kinetree.formalism.natural.rotors import push_slid, rotor_efforts, turning_rotors
from kinetree.formalism.quantities import declare_laws
from kinetree.model import Coupled, Law, Mechanism, RateLaw, force_laws, time_symbol, uses_time
from kinetree.program import Input, Program, Scheme

TAU = "tau"


@dataclass(frozen=True)
class NaturalEquations:
    """Everything a step is made of.

    Attributes:
        space: the coordinates.
        value: inputs q, qd, qdd (natural), x, t, wrenches, tau, p; outputs r (n), with states xd.
        ties: inputs q, qd, t, p; outputs h, J, ht, Jdqd.
        labels: of the equations.
        rates: numbers of those between velocities.
    """

    space: NaturalSpace
    value: Program
    ties: Program
    labels: tuple[str, ...]
    rates: frozenset[int]


def equations(model: Mechanism, system: Linkage) -> NaturalEquations:
    """The equations of a model."""
    space = natural_space(system, _referenced_coordinates(model) | turning_rotors(system))
    forces, bound = Scheme(f"{model.name}_natural"), Scheme(f"{model.name}_ties")
    tau = tuple(symbol(f"tau_{name}", Rank.FORCE) for name in model.velocities)
    bodies = Bodies(forces, space)
    total = _inertia(bodies)
    loads = applied_loads(bodies, tau)
    push_slid(bodies, loads)
    rates = state_rates(bodies, loads)
    for v, force in loads.forces.items():
        total[v] = minus(total.get(v, NULL), force)
    rows = RowWriter(bound, space)
    ends = list(closures(rows))  # may still ask for directions
    found = [*_own(rows), *ends]
    value = _value(forces, space, (total, rotor_efforts(bodies), rates))
    return NaturalEquations(
        space, value, _ties(bound, space, found), tuple(row.label for row in found),
        frozenset(k for k, row in enumerate(found) if not row.holonomic),
    )  # fmt: skip


def _own(rows: RowWriter) -> list[Row]:
    """The equations of the links."""
    return [rows.row(tie) for tie in rows.space.conditions]


def _referenced_coordinates(model: Mechanism) -> set[str]:
    """Coordinates of the model that laws, couplings and joint forces speak of."""
    exprs = list(force_laws(model))
    names: set[str] = set()
    rates: list[Node] = []
    for closure in model.closures.values():
        for condition in closure.conditions:
            if isinstance(condition, Law):
                exprs.append(condition.expr)
            elif isinstance(condition, RateLaw):
                rates.append(condition.expr)
            elif isinstance(condition, Coupled):
                names |= {condition.first, condition.second}
    used = {s.name for s in symbols([*exprs, *rates])}
    names |= {name for name in model.coordinates if f"q_{name}" in used}
    used = {s.name for s in symbols(rates)}
    names |= {name for name in model.velocities if f"qd_{name}" in used}
    for force in model.forces.values():
        if FORCES[force.kind].coordinates:
            names.add(force.arguments["joint"])
    return names


# --- inertia -------------------------------------------------------------------------------------


def _inertia(bodies: Bodies) -> dict[Natural, Vec]:
    """M V̈ + … - weight, by natural vectors."""
    space, let = bodies.space, bodies.scheme.let
    M: dict[tuple[Natural, Natural], Node] = {}
    rest: dict[Natural, Vec] = {}
    g = space.system.gravity
    for frame in space.frames[1:]:
        P = _moments(bodies, frame.link)
        columns = _columns(frame, P)
        for a, one in columns.items():
            for b, other in columns.items():
                if P[a][b] is not ZERO:
                    _couple(M, rest, P[a][b], (one, other))
            if P[a][3] is not ZERO:
                for v, c in one.moving.items():
                    weight = times(-(c[0] * P[a][3]), g)
                    rest[v] = plus(rest.get(v, NULL), weight)
    total = dict(rest)
    for (v, w), m in M.items():
        named = let(f"M_{v.label}_{w.label}", m)
        total[v] = plus(total.get(v, NULL), times(named, w.qdd))
    return total


def _couple(
    M: dict[tuple[Natural, Natural], Node],
    rest: dict[Natural, Vec],
    moment: Node,
    pair: tuple[Sum, Sum],
) -> None:
    one, other = pair
    drift = times(moment, other.bias)
    for v, c in one.moving.items():
        for w, d in other.moving.items():
            M[v, w] = M.get((v, w), ZERO) + moment * c[0] * d[0]
        rest[v] = plus(rest.get(v, NULL), times(c[0], drift))


def _columns(frame: LinkFrame, P: Sequence[Sequence[Node]]) -> dict[int, Sum]:
    """Axes and origin that the mass of a link needs."""
    needed = [a for a in range(4) if any(x is not ZERO for x in P[a])]
    return {a: frame.origin if a == 3 else frame.axis(a) for a in needed}


def _moments(bodies: Bodies, link: Link) -> list[list[Node]]:
    """P, from mass, first moment and inertia about the origin of the link."""
    let = bodies.scheme.let
    xx, yy, zz, xy, xz, yz = link.I
    half = [
        let("P", scale(0.5, linear(0, ((yy, 1), (zz, 1), (xx, -1))))),
        let("P", scale(0.5, linear(0, ((xx, 1), (zz, 1), (yy, -1))))),
        let("P", scale(0.5, linear(0, ((xx, 1), (yy, 1), (zz, -1))))),
    ]
    x, y, z = (let("P", c) for c in link.h)
    m = let("P", link.m)
    xy, xz, yz = (let("P", -c) for c in (xy, xz, yz))
    return [[half[0], xy, xz, x], [xy, half[1], yz, y], [xz, yz, half[2], z], [x, y, z, m]]


# --- Programs ------------------------------------------------------------------------------------


def declare(scheme: Scheme, space: NaturalSpace, *names: str) -> None:
    """Declare natural coordinates and their rates."""
    parts = {"q": space.q, "qd": space.qd, "qdd": space.qdd}
    for name in names:
        row = Input(name, (len(space.q),), tuple(parts[name]), None, False, tuple(space.names))
        scheme.input(row)


def _value(
    scheme: Scheme,
    space: NaturalSpace,
    found: tuple[Mapping[Natural, Vec], Mapping[int, Node], Sequence[Node]],
) -> Program:
    model = space.system.model
    total, alone, rates = found
    declare(scheme, space, "q", "qd", "qdd")
    declare_laws(scheme, model)
    names = tuple(model.velocities)
    tau = tuple(symbol(f"tau_{name}", Rank.FORCE) for name in names)
    scheme.input(Input(TAU, (len(names),), tau, (0.0,) * len(names), False, names))
    for wrench in model.wrenches.values():
        scheme.input(Input(wrench.name, (6,), wrench_symbols(wrench.name), (0.0,) * 6))
    parameters(scheme, space)
    out = [ZERO] * len(space.q)
    for v, force in total.items():
        out[v.at : v.at + 3] = force
    for k, force_on in alone.items():
        out[k] = force_on
    scheme.output("tau", out, None, tuple(space.names))
    if rates:
        scheme.output("xd", rates, None, tuple(model.states))
    return space.finish(scheme)


def parameters(scheme: Scheme, space: NaturalSpace, *, time: bool = False) -> None:
    """Declare the run-time parameters, and the time where a law uses it."""
    table = space.system.table
    if time and uses_time(space.system.model):
        scheme.input(Input("t", (), (time_symbol(),), None, False, ("t",), ("s",)))
    if table.rows:
        size, units = (len(table.rows),), table.units
        scheme.input(Input("p", size, table.symbols, table.defaults, True, table.names, units))


def _ties(scheme: Scheme, space: NaturalSpace, found: Sequence[Row]) -> Program:
    declare(scheme, space, "q", "qd")
    parameters(scheme, space, time=True)
    n, labels = len(space.q), tuple(row.label for row in found)
    scheme.output("h", [row.h for row in found], None, labels)
    J = [row.J.get(k, ZERO) for row in found for k in range(n)]
    scheme.output("J", J, (len(found), n))
    scheme.output("Jdqd", [row.Jdqd for row in found], None, labels)
    scheme.output("ht", [row.ht for row in found], None, labels)
    return space.finish(scheme)
