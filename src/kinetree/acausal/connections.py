"""Stage 2, connection sets: what meets at a node has equal potentials and flows that add to zero.

| in | out |
|---|---|
| connections between connectors and signals | pairs of variables that are one; sums of flows |

A connector has two faces: parts are connected from outside by the component around them, and the
component's own connectors from inside.  Flows are positive into the component, so those of the own
connectors count negative.  What nothing is connected with carries no flow.

Refs: Otter1996 sec. 2
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from kinetree.acausal.components import Connector, variables_of
from kinetree.acausal.instances import Flat, FlatEquation
from kinetree.acausal.physical import split_name
from kinetree.engine import Node, linear, symbols
from kinetree.errors import ModelError

Face = tuple[Connector, bool]
"""A connector, and whether it is seen from inside of its component."""


class Union:
    """Sets of numbers that are one; every number begins alone.

    The root of a set is the smallest number in it, so that the outcome depends on no order.
    """

    def __init__(self) -> None:
        self._up: dict[int, int] = {}

    def find(self, number: int) -> int:
        """The root of the set of a number."""
        up, root = self._up, number
        while (above := up.get(root, root)) != root:
            root = above
        while number != root:
            up[number], number = root, up.get(number, number)
        return root

    def merge(self, a: int, b: int) -> None:
        """Make two sets one."""
        a, b = self.find(a), self.find(b)
        if a != b:
            self._up[max(a, b)] = min(a, b)


@dataclass
class Joined:
    """What connections say.

    Attributes:
        pairs: symbols of variables that are one.
        sums: flows that add to zero.
        open: paths of the ports that nothing is connected with.
        lone: paths of the parts with ports, all of which are open.
    """

    pairs: list[tuple[Node, Node]] = field(default_factory=list)
    sums: list[FlatEquation] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    lone: list[str] = field(default_factory=list)


def join(flat: Flat) -> Joined:
    """The equations of all connections."""
    found = Joined()
    faces: dict[Face, int] = {}
    union = Union()
    place: dict[int, str] = {}
    for path, made in flat.connections:
        ends = [end for end in made.ends if isinstance(end, Connector)]
        if not ends:
            nodes = [end.node for end in made.ends if not isinstance(end, Connector)]
            found.pairs += [(nodes[0], node) for node in nodes[1:]]
            continue
        numbers = [faces.setdefault(face_of(end, path), len(faces)) for end in ends]
        place.setdefault(numbers[0], path)
        for number in numbers[1:]:
            union.merge(numbers[0], number)
    sets: dict[int, list[Face]] = {}
    for face, number in faces.items():
        sets.setdefault(union.find(number), []).append(face)
    for number, members in sets.items():
        _write_set(found, members, place.get(number, ""))
    _write_open(flat, found, faces)
    found.lone += _lone_parts(flat, found)
    return found


def _lone_parts(flat: Flat, found: Joined) -> list[str]:
    """Parts with ports that nothing meets: neither a connection nor an equation around them.

    Those that stand alone in what holds them are wholes of their own; those without equations are
    judged by who reads them.
    """
    ends = set(found.open)
    by_part: dict[str, list[str]] = {}
    around: dict[str, set[str]] = {}
    for end in flat.ports:
        part = end.owner
        if part is not None and part.owner is not None:
            by_part.setdefault(part.path, []).append(end.path)
            around.setdefault(part.owner.path, set()).add(part.path)
    company = {path for rows in around.values() if len(rows) > 1 for path in rows}
    lone = {path for path, own in by_part.items() if path in company and ends.issuperset(own)}
    lone &= {row.origin for row in flat.equations} if lone else lone
    if not lone:
        return []
    met = set[str]()
    for origin, s in _mentions(flat):
        steps = split_name(s)[0].split(".")
        above = [".".join(steps[:k]) for k in range(1, len(steps))]
        met.update(path for path in above if not f"{origin}.".startswith(f"{path}."))
    return [path for path in by_part if path in lone - met]


def _mentions(flat: Flat) -> Iterator[tuple[str, Node]]:
    """Symbols in equations and connected signals, with the instance that says them."""
    for row in flat.equations:
        yield from ((row.origin, s) for s in symbols((row.residual,)))
    for path, made in flat.connections:
        yield from ((path, end.node) for end in made.ends if not isinstance(end, Connector))


def face_of(end: Connector, path: str) -> Face:
    """The face of a connector that a component sees: its own, of a part, or of a part around it."""
    owner = end.owner
    assert owner is not None
    inside = owner.path == path
    around = None if owner.owner is None else owner.owner.path
    if not inside and (around is None or not f"{path}.".startswith(f"{around}." if around else "")):
        raise ModelError(
            f"'{end.path}' is not a port of it or of one of its parts",
            element=f"connection in '{path or 'the whole'}'",
            cure="connect it in the component that has the part",
        )
    return end, inside


def _write_set(found: Joined, members: list[Face], path: str) -> None:
    """Potentials are one, flows add to zero."""
    first = members[0][0]
    for row, node in variables_of(first):
        others = [getattr(end, row.name).node for end, _ in members]
        if row.role == "through":
            terms = tuple(
                (flow, -1 if inside else 1)
                for flow, (_, inside) in zip(others, members, strict=True)
            )
            found.sums.append(FlatEquation(linear(0, terms), path))
        else:
            found.pairs += [(node, other) for other in others[1:]]


def _write_open(flat: Flat, found: Joined, faces: dict[Face, int]) -> None:
    """Ports that nothing is connected with from outside carry no flow."""
    for end in flat.ports:
        if (end, False) in faces:
            continue
        owner = end.owner
        if owner is None or not owner.gathered:  # an axis of a joint may be free
            found.open.append(end.path)
        for row, node in variables_of(end):
            if row.role == "through":
                found.sums.append(FlatEquation(node, "" if owner is None else owner.path))
