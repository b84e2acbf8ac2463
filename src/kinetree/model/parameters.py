"""The scalars of a model as Nodes, and the list of run-time parameters behind them.

Numbers given for gravity, masses, centres of mass, inertias, points and pitches become parameters
with names such as "crank.mass", "crank.com_x", "crank.inertia_xx", "crank.tip_x", "thread.pitch",
"hip.armature", "gravity_z", "strut.stiffness". Exact zeros and ones are folded into the equations
unless they are to be varied. Named parameters stay symbols whatever their value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from kinetree.engine import Node, Rank, as_node, evaluate, log, number, sign, symbol, symbols, text
from kinetree.errors import DuplicateNameError, ModelError, unknown
from kinetree.model.forces import FORCES, Force, gripping
from kinetree.model.parts import Body, CoordinateGroup, Joint, Point, Twist
from kinetree.model.unchanged import while_unchanged

if TYPE_CHECKING:
    from kinetree.model.closures import Closure
    from kinetree.model.mechanism import Mechanism
    from kinetree.model.values import Scalar

M = TypeVar("M", bound="Mechanism")
AXES = ("x", "y", "z")
INERTIA = ("xx", "yy", "zz", "xy", "xz", "yz")
"""Order of the tensor elements of an inertia."""

CLOSURE_UNITS = {"length": "m", "radius": "m", "crown": "m"}
"""Unit of the scalars of closures; ratios and offsets have the one their coordinates give them."""

POSITIVE = ("length", "radius")
"""Scalars of closures that must be above zero."""

Nodes3 = tuple[Node, Node, Node]


@dataclass(frozen=True, slots=True)
class ParameterRow:
    """One run-time parameter: name, default value in SI units, unit, and its symbol."""

    name: str
    value: float
    unit: str
    symbol: Node


@dataclass(frozen=True)
class ParameterTable:
    """Every scalar of a model as a Node, and the run-time parameters in model order.

    Attributes:
        rows: the run-time parameters: named ones first, then gravity, bodies, points, joints.
        nodes: name of a scalar -> the Node that stands for it in the equations.
        values: name of a scalar -> its default value.
    """

    rows: tuple[ParameterRow, ...]
    nodes: dict[str, Node]
    values: dict[str, float]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the run-time parameters."""
        return tuple(row.name for row in self.rows)

    @property
    def defaults(self) -> tuple[float, ...]:
        """Default values of the run-time parameters."""
        return tuple(row.value for row in self.rows)

    def numbers(self) -> dict[Node, float]:
        """Symbol -> default value of the run-time parameters."""
        return {row.symbol: row.value for row in self.rows}

    @property
    def units(self) -> tuple[str, ...]:
        """Units of the run-time parameters."""
        return tuple(row.unit for row in self.rows)

    @property
    def symbols(self) -> tuple[Node, ...]:
        """Symbols of the run-time parameters."""
        return tuple(row.symbol for row in self.rows)

    @property
    def gravity(self) -> Nodes3:
        """Acceleration of gravity in the ground frame [m/s2]."""
        return self._triple("gravity")

    def mass(self, body: Body) -> Node:
        """Mass [kg]."""
        return self.nodes[f"{body.name}.mass"]

    def com(self, body: Body) -> Nodes3:
        """Centre of mass from the body's origin, in the body frame [m]."""
        return self._triple(f"{body.name}.com")

    def inertia(self, body: Body) -> tuple[Node, ...]:
        """Inertia about the centre of mass, in the body frame: xx, yy, zz, xy, xz, yz [kg.m2]."""
        return tuple(self.nodes[f"{body.name}.inertia_{end}"] for end in INERTIA)

    def position(self, point: Point) -> Nodes3:
        """Position from the body's origin, in the body frame [m]; zero for the origin itself."""
        if not point.name:
            return (number(0), number(0), number(0))
        return self._triple(point.path)

    def pitch(self, joint: Joint) -> Node:
        """Advance per angle of the screw motion of `joint` [m/rad]."""
        return self.nodes[f"{joint.name}.pitch"]

    def armature(self, joint: CoordinateGroup) -> tuple[Node, ...]:
        """Rotor inertia of every velocity of `joint` [kg.m2 or kg]; empty where it has none."""
        return tuple(self.nodes[name] for name, _, _ in joint.armatures)

    def closure_scalar(self, closure: Closure, name: str) -> Node:
        """A length [m] or ratio of a closure; no number where it must be positive and is not."""
        node = self.nodes[f"{closure.name}.{name}"]
        return node + log(sign(node)) if name in POSITIVE else node

    def force_scalar(self, force: Force, name: str) -> Node:
        """A scalar of a force element."""
        return self.nodes[f"{force.name}.{name}"]

    def force_vector(self, force: Force, name: str) -> Nodes3:
        """Three scalars of a force element."""
        return self._triple(f"{force.name}.{name}")

    def _triple(self, stem: str) -> Nodes3:
        return (self.nodes[f"{stem}_x"], self.nodes[f"{stem}_y"], self.nodes[f"{stem}_z"])


@while_unchanged
def parameter_table(model: Mechanism, *, folded: bool = False) -> ParameterTable:
    """The Node of every scalar of `model` and the list of its run-time parameters.

    Args:
        model: the mechanism.
        folded: make every scalar a number; the list of parameters is then empty.
    """
    named = {
        row.name: ParameterRow(row.name, row.value, row.unit, row.symbol)
        for row in model.parameters.values()
    }
    automatic: list[ParameterRow] = []
    nodes: dict[str, Node] = {}
    values: dict[str, float] = {}
    for name, value, unit, rank in scalars(model):
        if name in nodes or name in named:
            raise DuplicateNameError(
                "two scalars of the model have this name",
                element=f"parameter '{name}'",
                cure="rename the named parameter or the point",
            )
        if isinstance(value, Node):
            nodes[name] = value
        elif value in (0, 1) and name not in model.varied:
            nodes[name], values[name] = number(value), float(value)
        else:
            nodes[name], values[name] = symbol(name, rank), float(value)
            automatic.append(ParameterRow(name, float(value), unit, nodes[name]))
    values.update(_evaluate(model, {n: v for n, v in nodes.items() if n not in values}))
    values = {name: values[name] for name in nodes}
    if folded:
        exact = {name: value for name, value, _, _ in scalars(model)}
        return ParameterTable((), {n: _as_number(exact[n], values[n]) for n in nodes}, values)
    return ParameterTable((*named.values(), *automatic), nodes, values)


def folded_scalars(model: Mechanism, names: Iterable[str], element: str = "") -> tuple[str, ...]:
    """Those of some scalars, by name, that are 0 or 1 and therefore no parameters yet.

    Raises:
        UnknownNameError: where the model has none of this name.
        ModelError: where it follows from named parameters.
    """
    wanted = [name for name in dict.fromkeys(names) if name not in model.parameters]
    found = {name: value for name, value, _, _ in scalars(model)} if wanted else {}
    for name in wanted:
        if name not in found:
            where = element or f"model '{model.name}'"
            raise unknown("parameter", name, [*model.parameters, *found], where)
        value = found[name]
        if isinstance(value, Node):
            used = ", ".join(f"'{row.name}'" for row in symbols([value]))
            raise ModelError(
                f"it is given by the expression {text(value)}",
                element=f"parameter '{name}'",
                cure=f"change {used} instead" if used else "give it as a plain number",
            )
    return tuple(name for name in wanted if found[name] in (0, 1) and name not in model.varied)


@while_unchanged
def open_scalars(model: M, names: tuple[str, ...], element: str) -> M | None:
    """The mechanism in which these scalars are parameters; none where they are in itself.

    Args:
        model: the mechanism.
        names: of the scalars.
        element: named where there is none of a name; the model where it is empty.
    """
    folded = folded_scalars(model, names, element)
    if not folded:
        return None
    other = copy(model)
    other.varied = (*model.varied, *folded)
    return other


def _as_number(given: Scalar, value: float) -> Node:
    """The number of a scalar, exact where it was given exactly."""
    return number(value) if isinstance(given, Node) else as_node(given)


def _evaluate(model: Mechanism, expressions: dict[str, Node]) -> dict[str, float]:
    """Default values of the scalars given as expressions of named parameters."""
    if not expressions:
        return {}
    known = {row.symbol: row.value for row in model.parameters.values()}
    if any(found not in known for found in symbols(list(expressions.values()))):
        for name, node in expressions.items():
            for missing in foreign_symbols(model, node):
                raise unknown("parameter", missing, model.parameters, f"'{name}'")
    results = evaluate(list(expressions.values()), known)
    return {name: float(value) for name, value in zip(expressions, results, strict=True)}


def foreign_symbols(model: Mechanism, node: Node) -> list[str]:
    """Names of the symbols in `node` that are not named parameters of `model`."""
    own = {row.symbol for row in model.parameters.values()}
    return [found.name for found in symbols([node]) if found not in own]


def scalars(model: Mechanism) -> Iterator[tuple[str, Scalar, str, Rank]]:
    """(name, value, unit, rank) of every scalar of the model, in model order."""
    for axis, value in zip(AXES, model.gravity, strict=True):
        yield f"gravity_{axis}", value, "m/s2", Rank.PARAMETER
    for body in (model.ground, *model.bodies.values()):
        yield from _body_scalars(body)
    for joint in model.joints.values():
        yield from _joint_scalars(joint)
    for closure in model.closures.values():
        for name, value in closure.scalars.items():
            yield f"{closure.name}.{name}", value, CLOSURE_UNITS.get(name, ""), Rank.LENGTH
    for force in model.forces.values():
        for name, value, unit in force_units(model, force):
            yield f"{force.name}.{name}", value, unit, Rank.PARAMETER


@while_unchanged
def scalar_units(model: Mechanism) -> dict[str, str]:
    """Units of all scalars and named parameters, by name; these come first."""
    named = {row.name: row.unit for row in model.parameters.values()}
    return named | {name: unit for name, _, unit, _ in scalars(model) if name not in named}


def _joint_scalars(joint: CoordinateGroup) -> Iterator[tuple[str, Scalar, str, Rank]]:
    """The scalars of one joint: pitch, rotor inertias."""
    for motion in joint.motions:
        if isinstance(motion, Twist):
            yield f"{joint.name}.pitch", motion.pitch, "m/rad", Rank.LENGTH
    for name, value, unit in joint.armatures:
        yield name, value, unit, Rank.MASS


def _body_scalars(body: Body) -> Iterator[tuple[str, Scalar, str, Rank]]:
    """The scalars of one body: mass, centre of mass, inertia, positions of its points."""
    yield f"{body.name}.mass", body.mass, "kg", Rank.MASS
    for axis, value in zip(AXES, body.com, strict=True):
        yield f"{body.name}.com_{axis}", value, "m", Rank.LENGTH
    for end, value in zip(INERTIA, body.inertia, strict=True):
        yield f"{body.name}.inertia_{end}", value, "kg.m2", Rank.MASS
    for point in body.points.values():
        for axis, value in zip(AXES, point.position, strict=True):
            yield f"{point.path}_{axis}", value, "m", Rank.LENGTH


def force_units(model: Mechanism, force: Force) -> Iterable[tuple[str, Scalar, str]]:
    """(name without that of the force, value, unit) of every run-time parameter of a force."""
    row, words = FORCES[force.kind], unit_words(model, force)
    for name, value in force.scalars.items():
        unit = row.units.get(name, row.units.get(name.rpartition("_")[0], ""))
        yield name, value, unit.format(**words)


def grip_units(model: Mechanism) -> dict[str, str]:
    """Mode of every friction along a speed that is not a velocity -> unit of its force."""
    found = {}
    for force in gripping(model):
        offers = {row.name: row.unit for row in FORCES[force.kind].outputs}
        found[force.arguments["mode"]] = offers["force"].format(**unit_words(model, force))
    return found


def unit_words(model: Mechanism, force: Force) -> dict[str, str]:
    """The units that "{q}" and "{effort}" stand for in the row of a force."""
    row, turns = FORCES[force.kind], False
    if row.coordinates or row.velocities:
        joint: str = force.arguments["joint"]
        turns = model.turns(model.velocity_of(joint) if row.coordinates else joint)
    return {"q": "rad", "effort": "N.m"} if turns else {"q": "m", "effort": "N"}
