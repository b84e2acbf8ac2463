"""Outputs: what a model can be asked for besides its motion, by name.

| name | what | from |
|---|---|---|
| q_NAME, qd_NAME, qdd_NAME, tau_NAME, x_NAME | coordinates, their rates, efforts, states | motion |
| FORCE.force, FORCE.rate, FORCE.power, … | what force elements tell of themselves | "forces" |
| JOINT.reaction, CLOSURE.reaction | wrench [torque; force] that it transmits | "reactions" |
| BODY.position, BODY.POINT.velocity, … | motion of points, ground frame | "kinematics" |
| PATH | a variable of connected components | "variables" |
| energy.kinetic, energy.potential, energy.total | energy of the mechanism | "energy" |
| NAME | an output of the user's own | `model.output` |

An output with components is asked for as a whole (chassis.position) or one of them
(chassis.position.z).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from kinetree.engine import Node, Rank, symbol
from kinetree.errors import UnknownNameError, unknown
from kinetree.model.forces import FORCES, stop_modes
from kinetree.model.laws import Named, state_names
from kinetree.model.outputs.elements import POINT_QUANTITIES, Seen
from kinetree.model.outputs.variables import VARIABLES
from kinetree.model.parameters import unit_words
from kinetree.model.unchanged import while_unchanged

if TYPE_CHECKING:
    from kinetree.model.forces import Force
    from kinetree.model.mechanism import Mechanism

WRENCH = ("tx", "ty", "tz", "fx", "fy", "fz")
WRENCH_UNITS = ("N.m",) * 3 + ("N",) * 3
MOTION_RANKS = {
    "q": Rank.COORDINATE, "qd": Rank.VELOCITY, "qdd": Rank.ACCELERATION, "x": Rank.COORDINATE,
}  # fmt: skip
"""What stands for the motion in laws has these ranks."""


@dataclass(frozen=True, slots=True)
class Offered:
    """One output that a model offers.

    Attributes:
        name: whole name.
        source: quantity of `derive` that gives it, "motion" or "own".
        key: output of that quantity, input of the motion, own output, or path and quantity of a
            point.
        first: number of its first component there.
        parts: endings of the names of its components; empty for a scalar.
        units: of its components.
    """

    name: str
    source: str
    key: str
    first: int = 0
    parts: tuple[str, ...] = ()
    units: tuple[str, ...] = ("",)

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of its components."""
        return tuple(f"{self.name}.{part}" for part in self.parts) or (self.name,)

    @property
    def unit(self) -> str:
        """The unit of a scalar."""
        return self.units[0]

    @property
    def symbol(self) -> Node:
        """What stands for a scalar in expressions."""
        return symbol(self.name, self.rank)

    @property
    def rank(self) -> Rank:
        """Of its symbols: what stands for the motion in laws has that of the laws."""
        return MOTION_RANKS.get(self.key, Rank.FORCE) if self.source == "motion" else Rank.FORCE


def signals(row: Offered) -> list[Offered]:
    """The components of what a model offers, each as a scalar."""
    rows = zip(row.labels, row.units, strict=True)
    return [
        Offered(label, row.source, row.key, row.first + k, (), (unit,))
        for k, (label, unit) in enumerate(rows)
    ]


@while_unchanged
def offers(model: Mechanism) -> dict[str, Offered]:
    """Everything that a model offers, by name: the user's own outputs first."""
    parts = (_own, _variables, _motion, _forces, _reactions, _points, _energies)
    return {row.name: row for part in parts for row in part(model)}


@while_unchanged
def offered_units(model: Mechanism) -> dict[str, str]:
    """Units of the components of everything that a model offers, by name; empty where unknown."""
    rows = offers(model).values()
    return {name: unit for row in rows for name, unit in zip(row.labels, row.units, strict=True)}


def asked_outputs(
    model: Mechanism, names: Sequence[str], element: str = "outputs"
) -> list[Offered]:
    """The components that names stand for, each once, in order; unknown names are refused."""
    known = offers(model)
    single = {one.name: one for row in known.values() for one in signals(row)}
    found: dict[str, Offered] = {}
    for name in names:
        if name not in known and name not in single:
            raise _not_offered(str(name), (*known, *single), element)
        rows = signals(known[name]) if name in known else [single[name]]
        found |= {row.name: row for row in rows}
    return list(found.values())


def _not_offered(name: str, known: Sequence[str], element: str) -> UnknownNameError:
    """The error of a name that is not offered, or that has two meanings."""
    if f"closure.{name}" in known:
        return UnknownNameError(
            f"'{name}' may be of a joint or of a closure",
            element=element,
            cure=f"say 'joint.{name}' or 'closure.{name}'",
        )
    return unknown("output", name, known, element)


def output_names(model: Mechanism, element: str = "") -> dict[str, Any]:
    """What expressions of outputs may use, under the names of a function's arguments.

    Beside what the rates of states may use, every component that the model offers.
    """
    return {**state_names(model, element), "outputs": Named("output", Offers(model), element)}


class Offers(Mapping[str, Node]):
    """Symbols of the components that a model offers; one of a force is found without the others."""

    def __init__(self, model: Mechanism) -> None:
        self._model = model

    @cached_property
    def _all(self) -> dict[str, Node]:
        rows = offers(self._model).values()
        return {label: symbol(label, row.rank) for row in rows for label in row.labels}

    def find(self, word: str) -> Node | None:
        """The symbol of a component."""
        found = of_force(self._model, word)
        return self._all.get(word) if found is None else found.symbol

    def __getitem__(self, name: str) -> Node:
        found = self.find(name)
        if found is None:
            raise KeyError(name)
        return found

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.find(name) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)


def of_force(model: Mechanism, name: str) -> Offered | None:
    """The component "FORCE.output" that a model offers; None where it is of something else."""
    force = model.forces.get(name.partition(".")[0])
    if force is None or name in model.outputs:
        return None
    found = (one for row in _force(model, force) for one in signals(row))
    return next((one for one in found if one.name == name), None)


def _own(model: Mechanism) -> Iterator[Offered]:
    for row in model.outputs.values():
        parts: tuple[str, ...] = ()
        units: tuple[str, ...] = (row.unit,)
        if isinstance(row.what, Seen):
            kind = POINT_QUANTITIES[row.what.quantity]
            parts, units = kind.parts, (kind.unit,) * len(kind.parts)
        yield Offered(row.name, "own", row.name, 0, parts, units)


def _variables(model: Mechanism) -> Iterator[Offered]:
    if model.equations is not None:
        rows = zip(model.equations.names, model.equations.units, strict=True)
        for k, (name, unit) in enumerate(rows):
            yield Offered(name, VARIABLES, VARIABLES, k, (), (unit,))


def _motion(model: Mechanism) -> Iterator[Offered]:
    q = [unit for joint in model.leaders for unit in joint.q_units]
    v = [unit for joint in model.leaders for unit in joint.v_units]
    x = [state.unit for state in model.states.values()]
    tables = (
        ("q", model.coordinates, q),
        ("qd", model.velocities, v),
        ("qdd", model.velocities, [unit.replace("/s", "/s2") for unit in v]),
        ("tau", model.velocities, ["N.m" if unit.startswith("rad") else "N" for unit in v]),
        ("x", list(model.states), x),
    )
    for stem, names, units in tables:
        for k, (name, unit) in enumerate(zip(names, units, strict=True)):
            yield Offered(f"{stem}_{name}", "motion", stem, k, (), (unit,))


def _forces(model: Mechanism) -> Iterator[Offered]:
    for force in model.forces.values():
        yield from _force(model, force)


def _force(model: Mechanism, force: Force) -> Iterator[Offered]:
    row, words = FORCES[force.kind], unit_words(model, force)
    for offer in row.offers(force.labels):
        name, unit = f"{force.name}.{offer.name}", offer.unit.format(**words)
        yield Offered(name, "forces", name, 0, offer.parts, (unit,) * (len(offer.parts) or 1))
    for mode in stop_modes(force):
        known = row.coordinates or force.points  # a law alone does not say what its gap is
        gap, effort = (words["q"], words["effort"]) if known else ("", "")
        yield Offered(f"{mode}.gap", "forces", f"{mode}.gap", 0, (), (gap,))
        yield Offered(f"{mode}.force", "forces", f"{mode}.force", 0, (), (effort,))
    more = ({"power": "W"} if row.work else {}) | ({"energy": "J"} if row.stores(force) else {})
    for ending, unit in more.items():
        name = f"{force.name}.{ending}"
        yield Offered(name, "forces", name, 0, (), (unit,))


def _reactions(model: Mechanism) -> Iterator[Offered]:
    closures = [row.name for row in model.closures.values() if row.ends]
    joints = [joint.name for joint in model.body_joints]
    twice = set(closures) & set(joints)
    for noun, names in (("joint", joints), ("closure", closures)):
        for k, name in enumerate(names):
            whole = f"{noun}.{name}" if name in twice else name
            yield Offered(f"{whole}.reaction", "reactions", f"{noun}s", 6 * k, WRENCH, WRENCH_UNITS)


def _points(model: Mechanism) -> Iterator[Offered]:
    for body in model.bodies.values():
        for point in (body.origin, *body.points.values()):
            for name, row in POINT_QUANTITIES.items():
                path, units = f"{point.path}.{name}", (row.unit,) * len(row.parts)
                yield Offered(path, "kinematics", path, 0, row.parts, units)


def _energies(model: Mechanism) -> Iterator[Offered]:
    del model
    for name in ("kinetic", "potential", "total"):
        yield Offered(f"energy.{name}", "energy", name, 0, (), ("J",))
