"""Placement: the mechanism as position matrices show it, in Nodes.

| Verlinden2005 | here | meaning |
|---|---|---|
| T_0i, eq. 1 | R, p | rotation from body to ground components; place of the body's origin |
| e_i | g | place of the centre of mass |
| m_i, Φ_Gi | m, I | mass; inertia about the centre of mass, body components |

Refs: Verlinden2005 sec. II
"""

from __future__ import annotations

from dataclasses import dataclass

from kinetree.algebra import Vector
from kinetree.algebra.transforms import TransformStep
from kinetree.engine import ONE, ZERO, Node, Rank, as_node, number, substitute, symbol, symbols
from kinetree.formalism.links.motion import AxisMotion, FreeMotion, LinkMotion
from kinetree.formalism.links.vectors import (
    NULL,
    Mat,
    Sym,
    Vec,
    apply,
    is_null,
    mat3,
    plus,
    sym6,
    vec3,
)
from kinetree.model import (
    Ball,
    Float,
    FrameModel,
    ParameterTable,
    map_elements,
    parameter_table,
    time_symbol,
)


@dataclass(frozen=True)
class PlacedTurn:
    """One rotation of a product.

    Attributes:
        axis: unit vector; None where only the elements are known.
        angle: by which it turns about the axis.
        R: its elements.
    """

    axis: Vec | None
    angle: Node
    R: Mat


PlacedStep = Vec | PlacedTurn
"""A displacement in the frame reached so far, or a rotation of it."""


@dataclass(frozen=True)
class Placed:
    """One body; see the module's table.

    Attributes:
        com: centre of mass from the body's origin, body frame.
        steps: displacements and rotations from the ground to the centre of mass.
    """

    name: str
    R: Mat
    p: Vec
    m: Node
    com: Vec
    I: Sym
    steps: tuple[PlacedStep, ...] = ()

    @property
    def g(self) -> Vec:
        """Place of the centre of mass, ground frame."""
        return plus(self.p, apply(self.R, self.com))

    @property
    def heavy(self) -> bool:
        """Whether it has mass or inertia."""
        return any(x is not ZERO for x in (self.m, *self.I))


@dataclass(frozen=True)
class Placement:
    """All bodies, the ground first.

    Attributes:
        model: what it was made from.
        bodies: name -> body.
        gravity: acceleration of gravity in the ground frame.
        q, qd: symbols of coordinates and velocities.
        table: the run-time parameters.
        motions: what each coordinate does by itself; only its rates matter.
    """

    model: FrameModel
    bodies: dict[str, Placed]
    gravity: Vec
    q: tuple[Node, ...]
    qd: tuple[Node, ...]
    table: ParameterTable
    motions: tuple[LinkMotion, ...]

    @property
    def nv(self) -> int:
        """Number of velocities."""
        return len(self.qd)


IDENTITY: Mat = ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE))


def placement(model: FrameModel, *, folded: bool = False) -> Placement:
    """The position matrices of a model as Nodes.

    Args:
        model: the mechanism.
        folded: whether parameters are numbers instead of run-time inputs.
    """
    table = parameter_table(model, folded=folded)
    rows = parameter_table(model).rows if folded else ()
    numbers = {row.symbol: number(row.value) for row in rows}
    ground = Placed(model.ground.name, IDENTITY, NULL, ZERO, NULL, sym6((ZERO,) * 6))
    bodies = {model.ground.name: ground}
    q = tuple(symbol(f"q_{name}", Rank.COORDINATE) for name in model.coordinates)
    moving = {*q, time_symbol()}
    for body in model.bodies.values():
        T = map_elements(
            model.matrices[body.name], lambda flat: substitute([as_node(x) for x in flat], numbers)
        )
        bodies[body.name] = Placed(
            body.name,
            mat3(T.R.rows),
            vec3(T.p),
            table.mass(body),
            table.com(body),
            sym6(table.inertia(body)),
            (*(_step(step, moving) for step in T.steps), *_offset(table.com(body))),
        )
    qd = tuple(symbol(f"qd_{name}", Rank.VELOCITY) for name in model.velocities)
    return Placement(model, bodies, table.gravity, q, qd, table, _motions(model, q))


def _offset(r: Vec) -> tuple[Vec, ...]:
    return () if is_null(r) else (r,)


def _step(factor: TransformStep, moving: set[Node]) -> PlacedStep:
    """A step in Nodes; an axis that moves is as good as none."""
    if isinstance(factor, Vector):
        return vec3(factor)
    axis = None if factor.axis is None else vec3(factor.axis)
    if axis is not None and not moving.isdisjoint(symbols(axis)):
        axis = None
    return PlacedTurn(axis, ZERO if axis is None else factor.angle, mat3(factor.rows))


def _motions(model: FrameModel, q: tuple[Node, ...]) -> tuple[LinkMotion, ...]:
    """The motions that the coordinates make, for their rates."""
    found: list[LinkMotion] = []
    kq = kv = 0
    for joint in model.leaders:
        for motion in joint.motions:
            dofs = tuple(range(kv, kv + motion.nv))
            if isinstance(motion, Ball):
                found.append(FreeMotion(q[kq : kq + 4], NULL, False, dofs))
            elif isinstance(motion, Float):
                found.append(FreeMotion(q[kq : kq + 4], vec3(q[kq + 4 : kq + 7]), True, dofs))
            else:
                found.append(AxisMotion(0, ONE, ZERO, q[kq], dofs))
            kq, kv = kq + len(motion.neutral), kv + motion.nv
    return tuple(found)
