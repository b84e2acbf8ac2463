"""Force elements being written: what does not depend on how the motion of bodies is known.

The kinds of forces ask an `Action`; here it gives them parameters, coordinates, states and laws.
How points move and where pushes go is said by those who know the bodies: `link_forces` for links,
`matrices.forces` for position matrices.

Refs: Docquier2013 sec. 4.2 (link forces, user equations)
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kinetree.engine import (
    ZERO,
    Node,
    Rank,
    derivative,
    maximum,
    select,
    substitute,
    symbol,
    symbols,
)
from kinetree.errors import ModelError, unknown
from kinetree.formalism.forces.heard_values import bind_heard
from kinetree.formalism.forces.rubbing import Grip, Rubbing
from kinetree.formalism.links.vectors import NULL, Vec, cross, minus, plus, times, vec3
from kinetree.formalism.loops.laws import fold_parameters
from kinetree.model import (
    Action,
    Between,
    FlowPort,
    Force,
    Frame,
    Place,
    Point,
    Told,
    place_symbols,
    state_names,
    time_symbol,
    variable,
)
from kinetree.program import Note, Scheme

if TYPE_CHECKING:
    from kinetree.formalism.view import MechanismView


@dataclass
class ExternalInputs:
    """What force elements give besides wrenches on bodies.

    Attributes:
        efforts: velocity number -> generalised force.
        rates: state name -> its rate, where a force element gives it.
        locks: velocity number -> 1 where a force element holds it still, else 0.
        rubbing: velocity number -> its dry friction.
        modes: velocity number -> name of the mode of its friction.
        stops: name of the mode of a gap -> the gap, its restitution, its shortest bounce.
        grips: mode -> a speed other than a velocity that rubs.
        known: whether the forces of grips and contacts are given by their symbols.
        told: symbol of an output that laws use -> its value.
        ports: name of a port -> its pressure and what its state becomes of flows.
        supplies: name of a port -> sum of the flows into it.
    """

    efforts: dict[int, Node] = field(default_factory=dict)
    rates: dict[str, Node] = field(default_factory=dict)
    locks: dict[int, Node] = field(default_factory=dict)
    rubbing: dict[int, Rubbing] = field(default_factory=dict)
    modes: dict[int, str] = field(default_factory=dict)
    stops: dict[str, tuple[Node, Node, Node]] = field(default_factory=dict)
    grips: dict[str, Grip] = field(default_factory=dict)
    known: bool = False
    told: dict[Node, Node] = field(default_factory=dict)
    ports: dict[str, FlowPort] = field(default_factory=dict)
    supplies: dict[str, Node] = field(default_factory=dict)

    def rate_of(self, state: str) -> Node | None:
        """The rate of a state that a force element brings, all of them being written."""
        port = self.ports.get(state)
        if port is not None and port.rate is not None:
            return port.rate(self.supplies.get(state, ZERO))
        return self.rates.get(state)


def contact_symbol(mode: str) -> Node:
    """The force of a stop that opens its gap, by its mode: contact_MODE."""
    return symbol(f"contact_{mode}", Rank.FORCE)


def grip_symbol(mode: str) -> Node:
    """The force of what rubs along a speed other than a velocity [N.m, N]: grip_MODE."""
    return symbol(f"grip_{mode}", Rank.FORCE)


def hold_symbol(velocity: str) -> Node:
    """The force of a lock or of dry friction along a velocity [N.m, N]: hold_NAME."""
    return symbol(f"hold_{velocity}", Rank.FORCE)


Express = Callable[[str, Sequence[Node]], Sequence[Node]]
"""(beginning of names, expressions of the model's coordinates) -> the same as the scheme knows."""


class ForceWriter(Action):
    """One force element being written; see `Action` for what each method means."""

    def __init__(
        self,
        scheme: Scheme,
        system: MechanismView,
        force: Force,
        given: ExternalInputs,
        express: Express = lambda _, exprs: exprs,
    ) -> None:
        self.scheme, self.system = scheme, system
        self.force, self.given = force, given
        self.express = express
        self.t = time_symbol()
        self.told: dict[str, Told] | None = None

    def value(self, name: str) -> Node:
        """A scalar argument, as its parameter."""
        return self.system.table.force_scalar(self.force, name)

    def vector(self, name: str) -> Vec:
        """Three scalars of an argument."""
        return self.system.table.force_vector(self.force, name)

    def q(self, coordinate: str) -> Node:
        """A coordinate of the model."""
        names = self.system.model.coordinates
        (node,) = self.express("q", [self.system.q[self._index("coordinate", coordinate, names)]])
        return node

    def qd(self, velocity: str) -> Node:
        """A velocity of the model."""
        names = self.system.model.velocities
        (node,) = self.express("qd", [self.system.qd[self._index("velocity", velocity, names)]])
        return node

    @property
    def velocities(self) -> list[str]:
        """Names of all velocities of the model."""
        return self.system.model.velocities

    def velocity_of(self, coordinate: str) -> str:
        """Velocity that is the rate of a coordinate."""
        return self.system.model.velocity_of(coordinate)

    def state(self, name: str) -> Node:
        """The symbol of a user state."""
        names = state_names(self.system.model, self._element)["x"]
        node: Node = names[name]
        return node

    def give_rate(self, state: str, rate: Node) -> None:
        """Keep the rate of a state of this element."""
        self.given.rates[state] = rate

    def value_of(self, element: str, name: str) -> Node:
        """A scalar of another element, as its parameter."""
        return self.system.table.force_scalar(self.system.model.forces[element], name)

    def word_of(self, element: str, name: str) -> str:
        """A word among the arguments of another element."""
        return str(self.system.model.forces[element].arguments[name])

    def open_port(self, name: str, port: FlowPort) -> None:
        """Keep a port for the elements after this one."""
        self.given.ports[name] = port

    def port(self, name: str) -> FlowPort:
        """A port that an element before this one opened."""
        return self.given.ports[name]

    def supply(self, port: str, flow: Node) -> None:
        """Add to what flows into a port."""
        self.given.supplies[port] = self.given.supplies.get(port, ZERO) + flow

    def law(self, name: str, **values: Node) -> Node:
        """The only expression of a law, variables bound; 0 where there is none."""
        found = self.laws(name, **values)
        return found[0] if found else ZERO

    def laws(self, name: str, **values: Node) -> tuple[Node, ...]:
        """All expressions of a law, variables and motions of points bound."""
        return tuple(self.express(f"{self.force.name}_{name}", self._law_expressions(name, values)))

    def slope(self, name: str, by: Node, **values: Node) -> Node:
        """The derivative of the only expression of a law by one of its symbols."""
        laws = [derivative(law, by) for law in self.force.laws.get(name, ())]
        found = self.express(f"{self.force.name}_{name}", self._bind(laws, values))
        return found[0] if found else ZERO

    def profile(self, name: str, **values: Node) -> Node:
        """The only expression of a law, its variables bound but nothing named."""
        (found,) = self._law_expressions(name, values)
        return found

    def _law_expressions(self, name: str, values: Mapping[str, Node]) -> list[Node]:
        """The expressions of a law, variables and motions of points bound."""
        return self._bind(self.force.laws.get(name, ()), values)

    def gradient(self, name: str, label: str) -> tuple[Vec, Vec]:
        """How the only expression of a law grows with one of its points: moved, and turned.

        Both are vectors in the ground frame; a turn dθ moves the axes r of the point by dθ × r.
        """
        (law,), at = self.force.laws[name], place_symbols(label)
        moved = vec3(derivative(law, x) for x in at.p)
        axes = [vec3(row[k] for row in at.R) for k in range(3)]
        turned = plus(*(cross(r, vec3(derivative(law, x) for x in r)) for r in axes))
        x = self._bind([*moved, *turned], {})
        return vec3(x[:3]), vec3(x[3:])

    def _bind(self, laws: Sequence[Node], values: Mapping[str, Node]) -> list[Node]:
        """Expressions with parameters, variables and motions of points in their places."""
        exprs = [fold_parameters(self.system, x) for x in laws]
        exprs = bind_heard(self.system.model, exprs, self.force.hears, self.given.told, self.place)
        bound = {variable(key): node for key, node in values.items()}
        used = set(symbols(exprs))
        for label, point in zip(self.force.labels, self.force.points, strict=True):
            given = _flat(place_symbols(label))
            if not used.isdisjoint(given):
                bound |= zip(given, _flat(self.place(point)), strict=True)
        return substitute(exprs, bound)

    def let(self, stem: str, node: Node) -> Node:
        """A name that begins with that of the force."""
        note = Note(self.force.name, f"{self.force.kind} force", section="forces")
        return self.scheme.let(f"{self.force.name}_{stem}", node, note)

    def pull(self, between: Between, tension: Node) -> None:
        """Push both points along their line."""
        share = self.let("share", tension / between.length)
        F = vec3(self.let(f"F{a}", x) for a, x in zip("xyz", times(share, between.d), strict=True))
        self.push(between.first, F, NULL, between)
        self.push(between.second, minus(NULL, F), NULL, between)

    def effort(self, velocity: str, value: Node) -> None:
        """Add to the generalised force of a velocity."""
        k = self._index("velocity", velocity, self.system.model.velocities)
        self.given.efforts[k] = self.given.efforts.get(k, ZERO) + self.let("effort", value)

    def lock(self, velocity: str, condition: Node) -> None:
        """Hold a velocity still."""
        self.given.locks[self._held_number(velocity)] = self.let("locked", select(condition, 1, 0))

    def rub(
        self, velocity: str, mode: str, coulomb: Node, breakaway: Node, *, loose: bool = False
    ) -> None:
        """Let a velocity stick or slide; where it slides, the friction is an effort."""
        k = self._held_number(velocity)
        largest = self.let("breakaway", maximum(breakaway, coulomb))
        row = self.given.rubbing[k] = Rubbing(self.state(mode), coulomb, largest, loose)
        self.given.modes[k] = mode
        self.effort(velocity, row.push)

    def grip(self, mode: str, speed: Node, coulomb: Node, breakaway: Node) -> Node:
        """Let a speed stick or slide; the force of the friction where it slides."""
        if mode in self.given.grips or mode in self.given.modes.values():
            raise ModelError(
                f"another friction has the mode '{mode}'",
                element=self._element,
                cure="give its own",
            )
        row = Rubbing(self.state(mode), coulomb, breakaway, loose=True)
        self.given.grips[mode] = Grip(row, self.let("speed", speed))
        return grip_symbol(mode) if self.given.known else self.let("push", row.push)

    def gripping_force(self, mode: str) -> Node:
        """The symbol of the force along a speed that rubs."""
        return grip_symbol(mode)

    def holding_force(self, velocity: str) -> Node:
        """The symbol of the force that holds or rubs a velocity."""
        return hold_symbol(velocity)

    def tell(self, values: Callable[[], Mapping[str, Told]]) -> None:
        """Keep what the element tells, where somebody listens."""
        if self.told is not None:
            self.told.update(values())

    def stop(self, mode: str, gap: Node, restitution: Node, shortest: Node) -> None:
        """Keep a gap; what follows from it is written after the dynamics (`stops`)."""
        self.given.stops[mode] = (self.let(f"{mode}_gap", gap), restitution, shortest)
        for label, point in zip(self.force.labels, self.force.points, strict=True):
            if self.given.known:
                moved, turned = self.gradient("gap", label)
                size = contact_symbol(mode)
                self.push(point, times(size, moved), times(size, turned))

    def _held_number(self, velocity: str) -> int:
        """The number of a velocity that no other element holds."""
        k = self._index("velocity", velocity, self.system.model.velocities)
        if k in self.given.locks or k in self.given.rubbing:
            raise ModelError(
                f"another element locks '{velocity}' or lets it stick",
                element=self._element,
                cure="give a joint one lock or one dry friction",
            )
        return k

    @abstractmethod
    def between(self, first: Point, second: Point) -> Between:
        """Relative motion of two points."""

    @abstractmethod
    def place(self, point: Point) -> Place:
        """A point seen from the ground."""

    @abstractmethod
    def push(self, point: Point, force: Vec, torque: Vec = NULL, frame: Frame = "ground") -> None:
        """A force through the point and a torque, both on the body of the point."""

    @property
    def _element(self) -> str:
        return f"force '{self.force.name}'"

    def _index(self, what: str, name: str, names: list[str]) -> int:
        if name not in names:
            raise unknown(what, name, names, self._element)
        return names.index(name)


def _flat(place: Place) -> list[Node]:
    """The eighteen scalars of a place."""
    return [*place.R[0], *place.R[1], *place.R[2], *place.p, *place.v, *place.w]
