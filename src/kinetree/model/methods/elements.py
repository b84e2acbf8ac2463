"""Adding forces and states to a model: arguments completed, laws traced, places found.

Laws of forces take any of the arguments

| argument | meaning |
|---|---|
| q, qd | coordinates and velocities by name |
| t | time [s] |
| x | user states by name |
| points | the points of the force by label, each with p, v, w, R as of `Place` (ground frame) |
| length, rate, … | the variables of the kind |

and in text q_NAME, qd_NAME, t, x_NAME, LABEL.p_x, LABEL.v_y, LABEL.w_z, LABEL.R_xz.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kinetree.arguments import check_arguments
from kinetree.engine import Node, Rank, symbol
from kinetree.errors import DuplicateNameError, ModelError, unknown
from kinetree.model.forces import ANY, Force, ForceKind, Mat, Place, State, Vec
from kinetree.model.laws import (
    LawMethods,
    Named,
    coordinate_symbol,
    state_symbol,
    time_symbol,
    velocity_symbol,
)
from kinetree.model.parts import REQUIRED, Joint, Point, check_name
from kinetree.model.values import Scalar, number, scalar, scalars
from kinetree.units import to_si

if TYPE_CHECKING:
    from kinetree.model.laws import Law
    from kinetree.model.model import Model

FORCES: dict[str, ForceKind] = {}
"""The force table: kind name -> row; the room `forces` fills it."""
AXES = ("x", "y", "z")
LABELS: dict[int, tuple[str, ...]] = {0: (), 1: ("at",), 2: ("first", "second")}
"""Names of the points of a kind with so many places."""


def place_symbols(label: str) -> Place:
    """The symbols that stand for the motion of a point in laws, such as LABEL.p_x."""

    def vec(stem: str, rank: Rank = Rank.COORDINATE) -> Vec:
        x, y, z = (symbol(f"{label}.{stem}{a}", rank) for a in AXES)
        return x, y, z

    R: Mat = (vec("R_x"), vec("R_y"), vec("R_z"))
    return Place(R, vec("p_"), vec("v_", Rank.VELOCITY), vec("w_", Rank.VELOCITY))


def variable(name: str) -> Node:
    """The symbol of a variable of a force kind in its laws, such as the length of a link."""
    return symbol(name, Rank.COORDINATE)


class ForceTable(LawMethods):
    """``model.force(kind, name, places, arguments)`` and ``model.state(name, …)``."""

    forces: dict[str, Force]
    states: dict[str, State]

    @abstractmethod
    def _place(self, place: Any, element: str) -> Point:
        """The Point meant by a body, a point or a path."""

    def force(
        self,
        kind: str,
        name: str,
        places: Sequence[Any] | Mapping[str, Any] = (),
        arguments: Mapping[str, Any] | None = None,
    ) -> Force:
        """Add a force of the kind called `kind`; other methods spell the known kinds.

        Args:
            kind: a name in the force table.
            name: unique among the forces; its scalars are the parameters "name.argument".
            places: bodies, points or paths; a mapping by label for a kind with any number.
            arguments: what the kind takes.
        """
        element = f"force '{name}'"
        self._force_name(name, element)
        given_ones = {"kind": kind, "places": places, "arguments": arguments}
        check_arguments(ForceTable.force, given_ones, element)
        if kind not in FORCES:
            raise unknown("force kind", kind, FORCES, element)
        row = FORCES[kind]
        labels, points = self._force_places(row, places, element)
        given = _complete(row, arguments or {}, element)
        self._joint_argument(row, given, element)
        values = _scalar_values(row, given, element)
        laws = dict(self._force_laws(row, given, self.force_law_names(kind, labels, element), name))
        if row.check is not None:
            row.check(given, element)
        self.forces[name] = Force(name, kind, points, labels, given, values, laws)
        return self.forces[name]

    def state(
        self, name: str, initial: float = 0.0, rate: Law | None = None, unit: str = ""
    ) -> Node:
        """Add a state with der(x) = rate; the Node returned may stand in laws.

        Args:
            name: unique among the states; x_NAME in laws and equations.
            initial: value to start from, in `unit`; without one in SI units.
            rate: expression or function of q, qd, t, x, in SI units; it may use this state and
                earlier ones.  Without it, give it later by `state_rate`.
            unit: such as "bar", see `parameter`: `initial` is turned into SI units.
        """
        element = f"state '{name}'"
        check_name(name, element)
        check_arguments(ForceTable.state, {"unit": unit}, element)
        if name in self.states:
            raise DuplicateNameError(
                "there is a state of this name already",
                element=element,
                cure="give every state a name of its own",
            )
        given = float(number(initial, f"{element} initial")), str(unit)
        si, own = to_si(*given, element)
        written = None if own == given[1] else given
        self.states[name] = State(name, si, None, own, written)
        if rate is not None:
            try:
                self.state_rate(name, rate)
            except Exception:
                del self.states[name]
                raise
        return state_symbol(name)

    def state_rate(self, name: str, rate: Law) -> State:
        """Give der(x) of a state, where it speaks of states that are added after it."""
        check_arguments(ForceTable.state_rate, {"name": name}, "state")
        if name not in self.states:
            raise unknown("state", name, self.states, "state rate")
        element = f"state '{name}'"
        exprs = self._laws(rate, self.state_names(element), element)
        if len(exprs) != 1:
            raise ModelError(
                f"its rate has {len(exprs)} values", element=element, cure="give one expression"
            )
        self.states[name] = replace(self.states[name], rate=exprs[0])
        return self.states[name]

    def state_names(self, element: str = "") -> dict[str, Any]:
        """What the rates of states may use, under the names of a function's arguments."""
        q = {name: coordinate_symbol(name) for name in self.coordinates}
        qd = {name: velocity_symbol(name) for name in self.velocities}
        x = {name: state_symbol(name) for name in self.states}
        return {
            "q": Named("coordinate", q, element),
            "qd": Named("velocity", qd, element),
            "t": time_symbol(),
            "x": Named("state", x, element),
        }

    def force_law_names(
        self, kind: str, labels: Sequence[str], element: str = ""
    ) -> dict[str, Any]:
        """What the laws of a force may use, under the names of a function's arguments."""
        points = {label: place_symbols(label) for label in labels}
        own = {name: variable(name) for name in FORCES[kind].variables}
        return {**self.state_names(element), "points": Named("point", points, element), **own}

    # --- what the methods share ------------------------------------------------------------------

    def _force_name(self, name: Any, element: str) -> None:
        check_name(name, element)
        if name in self.forces:
            raise DuplicateNameError(
                "there is a force of this name already",
                element=element,
                cure="give every force a name of its own",
            )

    def _force_places(
        self, row: ForceKind, places: Any, element: str
    ) -> tuple[tuple[str, ...], tuple[Point, ...]]:
        """Labels and points of a force."""
        if row.places == ANY:
            labels, places = _labelled(places, element)
        else:
            labels = LABELS[row.places]
        given = list(places.values() if isinstance(places, Mapping) else places)
        if len(given) != len(labels):
            cure = f"give {len(labels)}: {', '.join(labels)}" if labels else "give none"
            raise ModelError(f"acts on {len(given)} places", element=element, cure=cure)
        pairs = zip(given, labels, strict=True)
        points = tuple(self._place(place, f"{element} {label}") for place, label in pairs)
        if row.places == 2 and points[0].body is points[1].body:
            raise ModelError(
                f"both its places are on the body '{points[0].body.name}'",
                element=element,
                cure="give places on two different bodies",
            )
        return labels, points

    def _joint_argument(self, row: ForceKind, given: dict[str, Any], element: str) -> None:
        """Put the name of the coordinate or velocity meant in place of a joint."""
        if row.coordinate:
            given["joint"] = self._coordinate(given["joint"], element)
        elif row.velocity:
            given["joint"] = self._velocity(given["joint"], element)

    def _velocity(self, joint: Any, element: str) -> str:
        """The velocity of a joint that has exactly one of its own, or the one of that name."""
        name = joint.name if isinstance(joint, Joint) else str(joint)
        if name in self.velocities:
            return name
        found = self.joints.get(name)
        if found is None or (found.nv == 1 and not found.follows):
            return self.velocity_of(self._coordinate(name, element))
        if found.follows:
            raise ModelError(
                f"joint '{name}' follows another",
                element=element,
                cure="use the velocity of the joint that leads",
            )
        raise ModelError(
            f"joint '{name}' has {found.nv} velocities",
            element=element,
            cure=f"name one of {', '.join(found.velocities) or 'another joint'}",
        )

    def velocity_of(self, coordinate: str) -> str:
        """The name of the velocity that is the rate of a coordinate."""
        check_arguments(ForceTable.velocity_of, {"coordinate": coordinate})
        for joint in self.joints.values():
            if coordinate in joint.coordinates:
                return joint.velocities[joint.coordinates.index(coordinate)]
        raise unknown("coordinate", coordinate, self.coordinates, "velocity")

    def turns(self, velocity: str) -> bool:
        """Whether a velocity is a rate of turning [rad/s], not of sliding [m/s]."""
        check_arguments(ForceTable.turns, {"velocity": velocity})
        if velocity not in self.velocities:
            raise unknown("velocity", str(velocity), self.velocities, "turns")
        rows = (zip(j.velocities, j.v_units, strict=True) for j in self.joints.values())
        return "rad/s" in [unit for row in rows for name, unit in row if name == velocity]

    def _force_laws(
        self, row: ForceKind, given: dict[str, Any], names: Mapping[str, Any], name: str
    ) -> Iterator[tuple[str, tuple[Node, ...]]]:
        """Argument -> expressions; the arguments are replaced by them too."""
        element = f"force '{name}'"
        for key in row.laws:
            if given[key] is None and row.options[key] is REQUIRED:
                raise ModelError(
                    f"a {row.name} needs its '{key}'", element=element, cure=f"give {key}"
                )
            if given[key] is not None:
                given[key] = self._counted(given[key], names, f"{element} {key}", 1)
                yield key, given[key]
        for key in row.vector_laws:
            if row.places != ANY:
                if given[key] is not None:
                    given[key] = self._counted(given[key], names, f"{element} {key}", 3)
                    yield key, given[key]
                continue
            for label in given[key]:
                if label not in names["points"]:
                    raise unknown("point", label, names["points"], f"{element} {key}")
            where = f"{element} {key}"
            given[key] = {
                label: self._counted(law, names, f"{where} at '{label}'", 3)
                for label, law in given[key].items()
            }
            yield from ((f"{key}.{label}", exprs) for label, exprs in given[key].items())

    def _counted(
        self, law: Any, names: Mapping[str, Any], element: str, count: int
    ) -> tuple[Node, ...]:
        """The expressions of a law, so many."""
        exprs = self._laws(law, names, element)
        if len(exprs) != count:
            raise ModelError(
                f"its law has {len(exprs)} values", element=element, cure=f"give {count}"
            )
        return exprs


def _labelled(places: Any, element: str) -> tuple[tuple[str, ...], Mapping[str, Any]]:
    """Labels of named places, each a word that can stand in a law."""
    if not isinstance(places, Mapping) or not places:
        raise ModelError(
            f"{places!r} names no points",
            element=element,
            cure="give a mapping from a name to a place, such as {'tip': 'arm.tip'}",
        )
    for label in places:
        if not str(label).isidentifier():
            raise ModelError(
                f"{label!r} cannot name a point in a law",
                element=element,
                cure="use letters, digits and underscores",
            )
    return tuple(places), places


def _complete(row: ForceKind, given: Mapping[str, Any], element: str) -> dict[str, Any]:
    """The arguments of a kind, defaults filled in; unknown and missing ones refused."""
    for key in given:
        if key not in row.options:
            raise unknown(f"argument of a {row.name} force", key, row.options, element)
    full = {**row.options, **given}
    for key, value in full.items():
        if value is REQUIRED:
            raise ModelError(
                f"a {row.name} force needs its '{key}'", element=element, cure=f"give {key}"
            )
        if isinstance(value, list):
            full[key] = tuple(value)
    return full


def _scalar_values(row: ForceKind, given: dict[str, Any], element: str) -> dict[str, Scalar]:
    """Parameter name without that of the force -> value; the arguments are replaced too."""
    values: dict[str, Scalar] = {}
    for key in row.scalars:
        given[key] = values[key] = scalar(given[key], f"{element} {key}")
    for key in row.vectors:
        given[key] = scalars(given[key], f"{element} {key}", (3,))
        values |= {f"{key}_{a}": v for a, v in zip(AXES, given[key], strict=True)}
    return values


def force_laws(model: Model) -> list[Node]:
    """Every expression of a force or state; the time itself where a kind uses it by itself."""
    found = [state.rate for state in model.states.values() if state.rate is not None]
    for force in model.forces.values():
        found += [expr for exprs in force.laws.values() for expr in exprs]
        if FORCES[force.kind].time:
            found.append(time_symbol())
    return found


def force_units(model: Model, force: Force) -> Iterable[tuple[str, Scalar, str]]:
    """(name without that of the force, value, unit) of every run-time parameter of a force."""
    row, turns = FORCES[force.kind], False
    if row.coordinate or row.velocity:
        joint: str = force.arguments["joint"]
        turns = model.turns(model.velocity_of(joint) if row.coordinate else joint)
    words = {"q": "rad", "effort": "N.m"} if turns else {"q": "m", "effort": "N"}
    for name, value in force.scalars.items():
        unit = row.units.get(name, row.units.get(name.rpartition("_")[0], ""))
        yield name, value, unit.format(**words)


__all__ = [
    "FORCES", "LABELS", "ForceTable", "force_laws", "force_units", "place_symbols", "variable",
]  # fmt: skip
