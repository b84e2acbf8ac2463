"""A mechanism at a glance: one line of text, or tables in a notebook."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kinetree.model.parts import Body, CoordinateGroup, Joint, Point
from kinetree.plain import html_table

if TYPE_CHECKING:
    from kinetree.model.closures import Closure
    from kinetree.model.forces import Force


class Summary(ABC):
    """What a mechanism says of itself."""

    name: str
    bodies: dict[str, Body]
    closures: Mapping[str, Closure]
    forces: dict[str, Force]
    joints: Mapping[str, CoordinateGroup]

    @property
    @abstractmethod
    def nq(self) -> int:
        """Number of coordinates."""

    @property
    @abstractmethod
    def nv(self) -> int:
        """Number of velocities."""

    def __repr__(self) -> str:
        size = f"{len(self.bodies)} bodies, nq={self.nq}, nv={self.nv}"
        return f"{type(self).__name__}('{self.name}', {size})"

    def _repr_html_(self) -> str:
        """Tables of bodies, joints, closures and forces."""
        facts = f"{self.name}: {self.nq} coordinates, {self.nv} velocities"
        tables = {
            facts: [{"body": body.name, "mass [kg]": body.mass} for body in self.bodies.values()],
            "joints": list(self._joint_rows()),
            "closures": [_row(one, "closure", one.ends) for one in self.closures.values()],
            "forces": [_row(one, "force", one.points) for one in self.forces.values()],
        }
        return "".join(html_table(title, rows) for title, rows in tables.items() if rows)

    def _joint_rows(self) -> Iterator[dict[str, Any]]:
        for joint in self.joints.values():
            if isinstance(joint, Joint):
                row = _row(joint, "joint", (joint.parent, joint.child))
            else:
                row = {"coordinate": joint.name}
            yield row | {"coordinates": ", ".join(joint.coordinates)}


def _row(one: Joint | Closure | Force, noun: str, places: Sequence[Point]) -> dict[str, Any]:
    """An element in a table: name, kind, places."""
    where = ", ".join(point.path for point in places)
    return {noun: one.name, "kind": one.kind, "between": where}
