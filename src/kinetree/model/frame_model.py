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

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import numpy as np

from kinetree.algebra import Rotation, Transform, Vector
from kinetree.algebra.rotations import Factor, RotationRows
from kinetree.algebra.transforms import TransformStep
from kinetree.arguments import check_arguments
from kinetree.door import guard_methods
from kinetree.engine import SWITCH, Node, as_node, evaluate, symbols
from kinetree.errors import MissingError, ModelError
from kinetree.model import check as checks
from kinetree.model.check import ERROR, Finding
from kinetree.model.contents import elements
from kinetree.model.laws import Named, coordinate_symbol, law_expressions, refuse_words, time_symbol
from kinetree.model.methods.closures import ClosureMethods
from kinetree.model.methods.forces import ForceMethods
from kinetree.model.methods.joints import JointMethods
from kinetree.model.new_element import new_element
from kinetree.model.parameters import parameter_table
from kinetree.model.parts import QUATERNION, Ball, Body, CoordinateGroup, Motion, Shift, Turn
from kinetree.model.values import ORTHOGONAL, Scalar, number, numbers

INSTEAD = {
    JointMethods: "add a coordinate and use it in the matrices",
    ClosureMethods: "solve the condition for a coordinate, write a given motion as an expression "
    "of t, or use a Model",
}
"""Methods of models of joints -> what to do in a model of matrices."""
MOTIONS: dict[str, Motion] = {"rad": Turn((0, 0, 1)), "m": Shift((0, 0, 1))}
"""Unit of a coordinate -> a motion of that kind; its axis means nothing here."""
ENDS = ("w", "x", "y", "z")


@guard_methods
class FrameModel(ForceMethods):
    """A mechanism given by a homogeneous matrix per body, beside what every `Mechanism` has.

    Attributes:
        joints: name -> CoordinateGroup, a coordinate or a quaternion each.
        matrices: body name -> situation of its frame in the ground frame.
    """

    by_matrices: ClassVar[bool] = True

    def __init__(self, name: str, gravity: Sequence[Scalar] = (0, 0, -9.81)) -> None:
        super().__init__(name, gravity)
        self.joints: dict[str, CoordinateGroup] = {}
        self.matrices: dict[str, Transform] = {}

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
        """Add coordinates and velocities that belong together."""
        new_element("coordinate", name, self.joints)
        self.joints[name] = CoordinateGroup(name, motions, *names, initial=initial)

    def _transform(self, T: Any, element: str) -> Transform:
        """The matrix with expressions of known symbols as elements."""
        if not isinstance(T, Transform):
            T = _from_rows(T, element)
        q = {name: coordinate_symbol(name) for name in self.coordinates}
        names = {"q": Named("coordinate", q, element), "t": time_symbol()}

        def read(flat: Any) -> tuple[Node, ...]:
            found = law_expressions(self, flat, names, element)
            refuse_words(found, (SWITCH,), element)
            return found

        return map_elements(T, read)

    # --- what such a model does not have ---------------------------------------------------------

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Refuse what only a model of joints can do, with what to do in its place."""
            for methods, cure in INSTEAD.items():
                if name in vars(methods):
                    raise self._missing(name, cure)
            raise AttributeError(f"FrameModel has no attribute '{name}'")

    def _missing(self, what: str, cure: str) -> MissingError:
        return MissingError(
            f"model '{self.name}' is given by position matrices and has none",
            element=what,
            cure=cure,
        )

    # --- asking ----------------------------------------------------------------------------------

    def tree(self) -> NoReturn:
        """Refused: there is no tree of joints."""
        raise self._missing("tree", "use a Model of joints where a tree is needed")

    def as_frames(self) -> FrameModel:
        """Itself."""
        return self

    def findings(self) -> tuple[Finding, ...]:
        """Every problem of the model, all at once."""
        found, table = checks.general(self)
        if table is not None:
            found += [*_missing_matrices(self), *_idle_coordinates(self), *_bad_rotations(self)]
        return tuple(found)


def map_elements(T: Transform, change: Callable[[list[Any]], Sequence[Any]]) -> Transform:
    """The matrix with its elements and those of its steps changed, a row of them at a time."""

    def rows(R: RotationRows) -> RotationRows:
        new = change([x for row in R for x in row])
        return Vector(*new[:3]), Vector(*new[3:6]), Vector(*new[6:])

    def step(old: TransformStep) -> TransformStep:
        if isinstance(old, Vector):
            return Vector(*change([*old]))
        if old.axis is None:
            return Factor(None, None, rows(old.rows))
        angle, *axis = change([old.angle, *old.axis])
        return Factor(Vector(*axis), angle, rows(old.rows))

    steps = tuple(map(step, T.steps))
    return Transform(Rotation(rows(T.R.rows)), Vector(*change([*T.p])), steps)


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


def _missing_matrices(model: FrameModel) -> Iterator[Finding]:
    """Bodies without a matrix."""
    for name in model.bodies:
        if name not in model.matrices:
            cure = "add bodies by model.frame(name, T, …)"
            yield Finding(ERROR, "tree", f"body '{name}'", "it has no position matrix", cure)


def _idle_coordinates(model: FrameModel) -> Iterator[Finding]:
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


def _bad_rotations(model: FrameModel) -> Iterator[Finding]:
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
