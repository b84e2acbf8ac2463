"""Models given by position matrices: for every body the situation T(q) of its frame.

    model = FrameModel("pendulum")
    q = model.coordinate("q")
    model.frame("bob", rotx(q) @ disp(0, 0, -1), mass=1.0)

The coordinates are any that determine the situation of all bodies; nothing is said of joints.  The
matrices hold any expressions of coordinates, the time and parameters, such as the arcsine that
closes a slider-crank.

Refs: Verlinden2005 secs. II, VI
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, Unpack

import numpy as np

from kinetree.algebra import Rotation, Transform, Vector
from kinetree.algebra.rotations import Factor, Rows
from kinetree.algebra.transforms import Step
from kinetree.arguments import check_arguments
from kinetree.engine import Node, as_node, evaluate, symbols, text
from kinetree.errors import DuplicateNameError, ModelError, UnsupportedError
from kinetree.model import check as checks
from kinetree.model.check import ERROR, Finding
from kinetree.model.laws import Named, coordinate_symbol, time_symbol
from kinetree.model.model import Model
from kinetree.model.parameters import parameter_table
from kinetree.model.parts import QUATERNION, Ball, Joint, Motion, Shift, Turn, check_name
from kinetree.model.values import ORTHOGONAL, Scalar, number, numbers

if TYPE_CHECKING:
    from kinetree.model.closures import Closure, Drive
    from kinetree.model.laws import Law
    from kinetree.model.methods.joints import JointData, Place
    from kinetree.model.parts import Body
    from kinetree.model.topology import Tree

MOTIONS: dict[str, Motion] = {"rad": Turn((0, 0, 1)), "m": Shift((0, 0, 1))}
"""Unit of a coordinate -> a motion of that kind; its axis means nothing here."""
ENDS = ("w", "x", "y", "z")


class FrameModel(Model):
    """A mechanism given by a homogeneous matrix per body.

    Gravity, parameters, points, wrenches, forces and user states are those of any `Model`.  Every
    coordinate is kept as a joint that joins nothing, so it has a name, a unit and a start value.

    Attributes:
        matrices: body name -> situation of its frame in the ground frame.
    """

    def __init__(self, name: str, gravity: Sequence[Scalar] = (0, 0, -9.81)) -> None:
        super().__init__(name, gravity)
        self.matrices: dict[str, Transform] = {}

    def __repr__(self) -> str:
        return f"FrameModel('{self.name}', {len(self.bodies)} bodies, nq={self.nq}, nv={self.nv})"

    # --- building --------------------------------------------------------------------------------

    @property
    def t(self) -> Node:
        """The time [s], for matrices and laws that depend on it."""
        return time_symbol()

    def coordinate(self, name: str, unit: str = "rad", initial: float = 0.0) -> Node:
        """Add a coordinate; the Node returned may stand in matrices and laws.

        Args:
            name: unique among the coordinates; q_NAME and qd_NAME in equations.
            unit: "rad" or "m"; its effort is then a torque [N.m] or a force [N].
            initial: value to start from.
        """
        element = f"coordinate '{name}'"
        check_arguments(FrameModel.coordinate, {"name": name, "unit": unit}, element)
        if unit not in MOTIONS:
            raise ModelError(
                f"'{unit}' is not a valid unit of a coordinate",
                element=element,
                cure="use 'rad' or 'm'",
            )
        start = (float(number(initial, f"{element} initial")),)
        self._coordinates(name, (MOTIONS[unit],), ((name,), (name,)), start)
        return coordinate_symbol(name)

    def quaternion(self, name: str, initial: Sequence[float] = QUATERNION) -> tuple[Node, ...]:
        """Add an orientation: four coordinates NAME_w to NAME_z with three velocities.

        The velocities NAME_wx, NAME_wy, NAME_wz are the angular velocity, in the frame that the
        quaternion turns: der(e) = ½ e ∘ (0, w).

        Args:
            name: unique among the coordinates.
            initial: unit quaternion w, x, y, z to start from.

        Returns:
            Nodes of w, x, y, z, as `rotq` takes them.
        """
        start = tuple(float(v) for v in numbers(initial, f"quaternion '{name}' initial", (4,)))
        names = tuple(f"{name}_{end}" for end in ENDS)
        rates = tuple(f"{name}_w{end}" for end in ENDS[1:])
        self._coordinates(name, (Ball(),), (names, rates), start)
        return tuple(coordinate_symbol(n) for n in names)

    def frame(
        self,
        name: str,
        T: Transform | Sequence[Sequence[Any]],
        mass: Scalar = 0,
        inertia: Sequence[Scalar] = (0, 0, 0),
        com: Sequence[Scalar] = (0, 0, 0),
        *,
        physical: bool = True,
    ) -> Body:
        """Add a body with the situation of its frame.

        Args:
            name: unique among the bodies.
            T: body frame in the ground frame, a `Transform` or rows of a 4×4 matrix.
            mass: [kg].
            inertia: about the centre of mass, in the body frame: xx, yy, zz or
                xx, yy, zz, xy, xz, yz, tensor elements [kg.m2].
            com: centre of mass from the body's origin, in the body frame [m].
            physical: False for an effective inertia that no real body has.
        """
        placed = self._transform(T, f"body '{name}' position matrix")
        made = self.body(name, mass, com, inertia, physical=physical)
        self.matrices[name] = placed
        return made

    def _coordinates(
        self,
        name: str,
        motions: tuple[Motion, ...],
        names: tuple[tuple[str, ...], tuple[str, ...]],
        initial: tuple[float, ...],
    ) -> None:
        """Keep coordinates and velocities as a joint of the ground with itself."""
        element = f"coordinate '{name}'"
        check_name(name, element)
        if name in self.joints:
            raise DuplicateNameError(
                "there is a coordinate of this name already",
                element=element,
                cure="give every coordinate a name of its own",
            )
        at = self.ground.origin
        self.joints[name] = Joint(
            name, "coordinate", at, at, motions, names[0], names[1], {}, initial=initial
        )

    def _transform(self, T: Any, element: str) -> Transform:
        """The matrix with expressions of known symbols as elements."""
        if not isinstance(T, Transform):
            T = _from_rows(T, element)
        q = {name: coordinate_symbol(name) for name in self.coordinates}
        names = {"q": Named("coordinate", q, element), "t": time_symbol()}
        return mapped(T, lambda flat: self._laws(flat, names, element))

    # --- what such a model does not have ---------------------------------------------------------

    def joint(
        self,
        kind: str,
        name: str,
        parent: Place,
        child: Place,
        arguments: Mapping[str, Any] | None = None,
        **data: Unpack[JointData],
    ) -> Joint:
        """Refused: the matrices say how bodies move."""
        del kind, parent, child, arguments, data
        self._refuse(f"joint '{name}'", "add a coordinate and use it in the matrices")

    def closure(
        self,
        kind: str,
        name: str,
        ends: Sequence[Place] = (),
        arguments: Mapping[str, Any] | None = None,
    ) -> Closure:
        """Refused: the matrices satisfy all conditions by themselves."""
        del kind, ends, arguments
        self._refuse(f"closure '{name}'", "solve the condition for a coordinate, or use a Model")

    def drive(self, joint: Joint | str, law: Law | None = None) -> Drive:
        """Refused: a given motion is an expression of the time t in the matrices."""
        del law
        self._refuse(f"drive of '{joint}'", "write the motion as an expression of t")

    def tree(self) -> Tree:
        """Refused: there is no tree of joints."""
        self._refuse("tree", "use a Model of joints where a tree is needed")

    def _refuse(self, what: str, cure: str) -> NoReturn:
        raise UnsupportedError(
            f"model '{self.name}' is given by position matrices and has none",
            element=what,
            cure=cure,
        )

    # --- asking ----------------------------------------------------------------------------------

    def findings(self) -> tuple[Finding, ...]:
        """Every problem of the model, all at once."""
        found, table = checks.general(self)
        if table is not None:
            found += [*_unplaced(self), *_unmoved(self), *_distorted(self)]
        return tuple(found)

    def content_hash(self) -> str:
        """SHA-256 of the mechanics (names, numbers, matrices), equal for equal models."""
        rows = [super().content_hash()]
        for name, T in self.matrices.items():
            rows.append(f"{name}:{','.join(text(x) for x in elements(T))}")
        return hashlib.sha256("\n".join(rows).encode()).hexdigest()


def mapped(T: Transform, change: Callable[[list[Any]], Sequence[Any]]) -> Transform:
    """The matrix with all its elements and those of its steps changed together."""
    flat: list[Any] = [*_flat(T.R.rows), *T.p]
    for step in T.steps:
        flat += _step_values(step)
    new = iter(change(flat))
    R, p = _rows(new), _three(new)
    return Transform(Rotation(R), p, tuple(_renewed(step, new) for step in T.steps))


def _step_values(step: Step) -> list[Any]:
    """All values of a step."""
    if isinstance(step, Vector):
        return [*step]
    return _flat(step.rows) + ([] if step.axis is None else [step.angle, *step.axis])


def _renewed(step: Step, new: Iterator[Any]) -> Step:
    """The step with other values, in the order of `_step_values`."""
    if isinstance(step, Vector):
        return _three(new)
    rows = _rows(new)
    return Factor(None, None, rows) if step.axis is None else _turn(rows, new)


def _turn(rows: Rows, new: Iterator[Any]) -> Factor:
    angle = next(new)
    return Factor(_three(new), angle, rows)


def _three(new: Iterator[Any]) -> Vector:
    return Vector(next(new), next(new), next(new))


def _rows(new: Iterator[Any]) -> Rows:
    return _three(new), _three(new), _three(new)


def _flat(rows: Sequence[Sequence[Any]]) -> list[Any]:
    return [x for row in rows for x in row]


def elements(T: Transform) -> list[Node]:
    """The twelve elements of a matrix that are not constant: R row by row, then p."""
    return [as_node(x) for x in (*(x for row in T.R.rows for x in row), *T.p)]


def _from_rows(T: Any, element: str) -> Transform:
    """A matrix given by its rows; the last one, 0 0 0 1, may be missing."""
    listed = (list, tuple, np.ndarray)
    fits = isinstance(T, listed) and all(isinstance(row, listed) for row in T)
    rows = [list(row) for row in T] if fits else []
    if len(rows) not in (3, 4) or any(len(row) != 4 for row in rows):
        raise ModelError(
            "the matrix is not 4×4", element=element, cure="give a Transform or four rows of four"
        )
    return Transform(Rotation(row[:3] for row in rows[:3]), [row[3] for row in rows[:3]])


def _unplaced(model: FrameModel) -> Iterator[Finding]:
    """Bodies without a matrix."""
    for name in model.bodies:
        if name not in model.matrices:
            cure = "add bodies by model.frame(name, T, …)"
            yield Finding(ERROR, "tree", f"body '{name}'", "it has no position matrix", cure)


def _unmoved(model: FrameModel) -> Iterator[Finding]:
    """Coordinates that move nothing with mass: M would be singular."""
    heavy = [
        T
        for name, T in model.matrices.items()
        if any(as_node(x) is not as_node(0) for x in _inertial(model.bodies[name]))
    ]
    used = {s.name for s in symbols([x for T in heavy for x in elements(T)])}
    for joint in model.leaders:
        if used.isdisjoint(f"q_{name}" for name in joint.coordinates):
            yield Finding(
                ERROR,
                "mass",
                f"coordinate '{joint.name}'",
                "the mass matrix is singular: no body with mass depends on it",
                "use it in the matrix of a body with mass, or remove it",
            )


def _inertial(body: Body) -> tuple[Scalar, ...]:
    return (body.mass, *body.inertia)


def _distorted(model: FrameModel) -> Iterator[Finding]:
    """Matrices whose rotation is none at the start values."""
    values = {row.symbol: row.value for row in parameter_table(model).rows}
    names = (coordinate_symbol(name) for name in model.coordinates)
    values |= dict(zip(names, model.initial().tolist(), strict=True))
    values[time_symbol()] = 0.0
    for name, T in model.matrices.items():
        with np.errstate(all="ignore"):
            R = np.array(evaluate(elements(T)[:9], values), dtype=float).reshape(3, 3)
        if not np.isfinite(R).all():
            continue  # the start may lie where the expressions have no value
        if np.abs(R @ R.T - np.eye(3)).max() > ORTHOGONAL or np.linalg.det(R) < 0:
            yield Finding(
                ERROR,
                "value",
                f"body '{name}' position matrix",
                "at the start values its rotation is not orthonormal and right-handed",
                "build it from rotx, roty, rotz, rot and disp",
            )


__all__ = ["FrameModel", "elements", "mapped"]
