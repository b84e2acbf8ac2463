"""What stands for outputs in laws: values that force elements told, motions of points."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from kinetree.engine import Node, substitute, symbols
from kinetree.model import Mechanism, Offered, Place, Point, Seen, roll_pitch_yaw
from kinetree.model.outputs import write_own


def bind_heard(
    model: Mechanism,
    laws: list[Node],
    heard: Sequence[Offered],
    told: Mapping[Node, Node],
    place: Callable[[Point], Place],
) -> list[Node]:
    """Laws with values in place of the outputs that they use.

    Args:
        model: that offers the outputs.
        laws: expressions.
        heard: the outputs.
        told: symbol of an output -> what a force element told.
        place: motion of a point, seen from the ground.
    """
    if not heard:
        return laws
    laws = write_own(model, laws, heard)
    used, places = set(symbols(laws)), dict[str, Place]()
    values = {node: value for node, value in told.items() if node in used}
    for row in heard:
        if row.symbol not in used or row.source not in ("kinematics", "own"):
            continue
        point, quantity = _point_quantity(model, row)
        if point.path not in places:
            places[point.path] = place(point)
        values[row.symbol] = _components(places[point.path], quantity)[row.first]
    return substitute(laws, values)


def _point_quantity(model: Mechanism, row: Offered) -> tuple[Point, str]:
    """The point whose motion is meant, and which motion."""
    if row.source == "own":
        what = model.outputs[row.key].what
        assert isinstance(what, Seen)
        return what.point, what.quantity
    path, _, quantity = row.key.rpartition(".")
    return model.point(path), quantity


def _components(place: Place, quantity: str) -> tuple[Node, ...]:
    """A motion of a point in ground components."""
    if quantity == "rotation":
        return tuple(x for row in place.R for x in row)
    if quantity == "orientation":
        return roll_pitch_yaw(place.R)
    return {"position": place.p, "velocity": place.v, "angular_velocity": place.w}[quantity]
