"""Lagrange's equations from the energies, by differentiation: the slow reference.

Energies are written once as named equations; every derivative is taken name by name (the chain rule
of Docquier2013 sec. 3.5.2), so nothing is expanded.  No force, acceleration or composite body
appears, which makes the result an independent check of the other formalisms.

Quaternion joints have velocities that are no derivatives of coordinates.  For them the equations
are Hamel's: derivatives by coordinates become derivatives along the motion of one velocity, and the
commutator of the velocities adds w × ∂T/∂w + v × ∂T/∂v to the torque and w × ∂T/∂v to the force.

| here | meaning |
|---|---|
| T, V, P | kinetic energy, potential energy of gravity, power of the applied wrenches |
| y_k | ∂T/∂qd_k, the generalised momentum |
| d_k | derivative along the motion that velocity k alone would cause, der(q) = N(q) e_k |

    M_kl = ∂y_k/∂qd_l      c_k = (∂y_k/∂q) N qd - d_k (T - V) + commutator - ∂P/∂qd_k

Refs: SaminFisette2003; Docquier2013 sec. 3.5.2 (differentiation by names); Hamel1904
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from kinetree.engine import ONE, SYM, ZERO, Node, Rank, scale, split_coefficient, symbol, tangent
from kinetree.formalism.energy import kinetic, link_velocities, potential
from kinetree.formalism.forces.link_forces import AppliedForces, external
from kinetree.formalism.links.frames import Frames
from kinetree.formalism.links.motion import FreeMotion
from kinetree.formalism.links.rates import rate_matrix
from kinetree.formalism.links.rotors import on_diagonal
from kinetree.formalism.links.vectors import Vec, cross, dot, plus, vec3
from kinetree.program import Assign, Note, Program, Scheme
from kinetree.program.inline import inline

if TYPE_CHECKING:
    from kinetree.formalism.links.linkage import Linkage

Seeds = Mapping[Node, Node]
"""Input symbol -> its derivative."""


@dataclass
class Record:
    """Named equations in order, so that they can be differentiated name by name.

    Attributes:
        scheme: where equations are written.
        rows: (name, what it stands for).
    """

    scheme: Scheme
    rows: list[tuple[Node, Node]] = field(default_factory=list)
    known: set[Node] = field(default_factory=set)

    def let(self, name: str, expr: Node, note: Note | None = None) -> Node:
        """Name a value and remember the equation."""
        made = self.scheme.let(name, expr, note)
        sign, atom = split_coefficient(made)
        if made is not expr and atom.op is SYM and atom not in self.known:
            self.known.add(atom)
            self.rows.append((atom, scale(sign, expr)))
        return made

    def along(self, roots: Sequence[Node], seeds: Seeds, mark: str, rows: int) -> list[Node]:
        """Derivatives of the roots, where the first `rows` equations depend on the inputs."""
        dot_of: dict[Node, Node] = dict(seeds)
        note = Note(step=f"derivative {mark}")
        for name, expr in self.rows[:rows]:
            (rate,) = tangent((expr,), dot_of.get)  # Sec. 3.5.2, Docquier2013
            if rate is not ZERO:
                dot_of[name] = self.let(f"{name.name}_{mark}", rate, note)
        return tangent(roots, dot_of.get)


def mass_bias(frames: Frames, qd: tuple[Node, ...]) -> tuple[list[list[Node]], list[Node]]:
    """M and c of Lagrange's equations, applied forces included in c."""
    n = len(qd)
    record = Record(frames.scheme)
    outer = _freeze(frames.scheme, external(frames))
    found = inline(frames.scheme, _energies(frames, qd, outer), {}, record.let)
    (T,), (V,), (P,) = (found[name] for name in "TVP")
    first = len(record.rows)
    pairs = [record.along((T, P), {u: ONE}, f"u{k + 1}", first) for k, u in enumerate(qd)]
    note = Note(step="generalised momentum", eq="Hamel1904")
    y = [record.let(f"y_{k + 1}", dT, note) for k, (dT, _) in enumerate(pairs)]
    second = len(record.rows)
    columns = [record.along(y, {u: ONE}, f"u{k + 1}", second) for k, u in enumerate(qd)]
    M = [[columns[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)]
    rates = _seeds(frames, qd)
    y_dot = record.along(y, rates, "t", second)
    c: list[Node] = []
    for k in range(n):
        unit = tuple(ONE if j == k else ZERO for j in range(n))
        dT, dV = record.along((T, V), _seeds(frames, unit), f"q{k + 1}", first)
        c.append(y_dot[k] - dT + dV - pairs[k][1] - outer.efforts.get(k, ZERO))
    for k, term in _commutator(frames.system, qd, y).items():
        c[k] = c[k] + term
    return on_diagonal(frames.system, M), c


def inverse(frames: Frames, qd: tuple[Node, ...], qdd: tuple[Node, ...]) -> list[Node]:
    """Generalised forces tau = M qdd + c for given motion."""
    M, c = mass_bias(frames, qd)
    return [x + dot(row, qdd) for row, x in zip(M, c, strict=True)]


def _freeze(scheme: Scheme, outer: AppliedForces) -> AppliedForces:
    """The same wrenches under names that no derivative looks through.

    The generalised forces are ∂P/∂qd with the wrenches held, whatever they depend on themselves.
    """
    note = Note(step="applied wrench, held while the power is differentiated")

    def hold_vector(stem: str, v: Vec) -> Vec:
        return vec3(
            x if x is ZERO else hold(f"{stem}_{a}", x) for a, x in zip("xyz", v, strict=True)
        )

    def hold(name: str, x: Node) -> Node:
        made = symbol(scheme.fresh(name), Rank.LOCAL)
        scheme.append_block(Assign(made, x, note))
        return made

    wrenches = {
        i: (hold_vector(f"Fa{i}", force), hold_vector(f"Ta{i}", torque))
        for i, (force, torque) in outer.wrenches.items()
    }
    return replace(outer, wrenches=wrenches)


def _energies(frames: Frames, qd: tuple[Node, ...], outer: AppliedForces) -> Program:
    """Kinetic energy, potential energy and power of the applied wrenches, in named equations."""
    own = Frames(Scheme("energies"), frames.system)
    motion = link_velocities(own, qd)
    power: Node = ZERO
    for i, (force, torque) in outer.wrenches.items():
        power = power + dot(force, motion.v[i]) + dot(torque, motion.w[i])
    own.scheme.output("T", (kinetic(own, motion),))
    own.scheme.output("V", (potential(own),))
    own.scheme.output("P", (power,))
    return own.scheme.program()


def _seeds(frames: Frames, rates: Sequence[Node]) -> Seeds:
    """der(q) of every coordinate when the velocities are `rates`."""
    N = rate_matrix(frames.system)
    values = [dot(row, rates) for row in N] if N else rates
    return {q: x for q, x in zip(frames.system.q, values, strict=True) if x is not ZERO}


def _commutator(system: Linkage, qd: Sequence[Node], y: Sequence[Node]) -> dict[int, Node]:
    """Velocity number -> what its not being a derivative of a coordinate adds (Hamel1904)."""
    terms: dict[int, Node] = {}
    for link in system.links:
        motion = link.motion
        if not isinstance(motion, FreeMotion):
            continue
        w, y_w = _three(qd, motion.dofs[:3]), _three(y, motion.dofs[:3])
        torque = cross(w, y_w)
        if motion.floats:
            v, y_v = _three(qd, motion.dofs[3:]), _three(y, motion.dofs[3:])
            torque = plus(torque, cross(v, y_v))
            terms.update(zip(motion.dofs[3:], cross(w, y_v), strict=True))
        terms.update(zip(motion.dofs[:3], torque, strict=True))
    return terms


def _three(values: Sequence[Node], at: tuple[int, ...]) -> Vec:
    x, y, z = (values[k] for k in at)
    return (x, y, z)
