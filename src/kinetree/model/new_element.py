"""One way to add an element: its name is new, its kind is known, its places and arguments complete.

| step | function | says |
|---|---|---|
| name | `new_element` | how sentences call the element |
| kind | `find_kind` | the row of its table |
| places | `find_places` | points of the model, with their labels |
| arguments | `complete` | all of them, each in its one form |
| what stays a parameter or a law | `scalar_values`, `law_values` | by name |
| what it brings | `forces.admit` | modes of its gaps, states and ports of its own |
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from kinetree.engine import SWITCH, Node
from kinetree.errors import DuplicateNameError, ModelError, unknown
from kinetree.model.kinds import ANY, REQUIRED, ElementKind
from kinetree.model.laws import find_coordinate, find_velocity, law_expressions, refuse_words
from kinetree.model.outputs.heard import HEARING, with_outputs
from kinetree.model.parts import Body, Point, check_name
from kinetree.model.values import Scalar, frozen, scalar, scalars

if TYPE_CHECKING:
    from kinetree.model.mechanism import Mechanism

K = TypeVar("K", bound=ElementKind)
AXES = ("x", "y", "z")


def new_element(noun: str, name: Any, taken: Container[str]) -> str:
    """How sentences call a new element; refused where its name is not one, or taken."""
    element = f"{noun} '{name}'"
    check_name(name, element)
    refuse_duplicate(noun, name, taken)
    return element


def refuse_duplicate(noun: str, name: str, taken: Container[str]) -> None:
    """Refuse a name that another element of the same sort has."""
    if name in taken:
        raise DuplicateNameError(
            f"there is {'an' if noun[0] in 'aeiou' else 'a'} {noun} of this name already",
            element=f"{noun} '{name}'",
            cure=f"give every {noun} a name of its own",
        )


def find_kind(table: Mapping[str, K], noun: str, kind: str, element: str) -> K:
    """The row of a kind in its table."""
    if kind not in table:
        raise unknown(f"{noun} kind", kind, table, element)
    return table[kind]


def find_place(model: Mechanism, place: Any, element: str) -> Point:
    """The Point meant by a body, a point or a path; refused when it is not of this model."""
    if isinstance(place, str):
        return _find_path(model, place, element)
    at = place.origin if isinstance(place, Body) else place
    if not isinstance(at, Point):
        raise ModelError(
            f"{place!r} is not a valid place",
            element=element,
            cure="give a body, a point, or a path such as 'body.point'",
        )
    owner = model.ground if at.body is model.ground else model.bodies.get(at.body.name)
    if owner is not at.body:
        raise ModelError(
            f"body '{at.body.name}' belongs to another model",
            element=element,
            cure=f"add the body to model '{model.name}'",
        )
    return at


def _find_path(model: Mechanism, path: str, element: str) -> Point:
    """The Point at a path, with the nearest name proposed when there is none."""
    body_name, dot, point_name = path.partition(".")
    body = model.ground if body_name == model.ground.name else model.bodies.get(body_name)
    if body is None:
        raise unknown("body", body_name, (model.ground.name, *model.bodies), element)
    if not dot:
        return body.origin
    if point_name not in body.points:
        known = [f"{body_name}.{name}" for name in body.points]
        raise unknown("point", path, known, element)
    return body.points[point_name]


def find_places(
    model: Mechanism, row: ElementKind, places: Any, element: str
) -> tuple[tuple[str, ...], tuple[Point, ...]]:
    """Labels and points of an element, two of them on different bodies."""
    labels = _own_labels(places, element) if row.places == ANY else row.labels
    given = list(places.values() if isinstance(places, Mapping) else places)
    if len(given) != len(labels):
        cure = f"give {len(labels)}: {', '.join(labels)}" if labels else "give none"
        raise ModelError(f"it has {len(given)} places", element=element, cure=cure)
    pairs = zip(given, labels, strict=True)
    points = tuple(find_place(model, place, f"{element} {label}") for place, label in pairs)
    if row.places == 2 and points[0].body is points[1].body:
        raise ModelError(
            f"both its places are on the body '{points[0].body.name}'",
            element=element,
            cure="give places on two different bodies",
        )
    return labels, points


def _own_labels(places: Any, element: str) -> tuple[str, ...]:
    """Labels of places that the user names, each a word that can stand in a law."""
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
    return tuple(places)


def complete(
    model: Mechanism,
    row: ElementKind,
    given: Mapping[str, Any] | None,
    names: Mapping[str, Any],
    element: str,
) -> dict[str, Any]:
    """All arguments of a kind, defaults filled in; unknown and missing ones refused.

    Args:
        model: whose coordinates, velocities and parameters are meant.
        row: the kind.
        given: what the user gave.
        names: what laws may use, under the names of a function's arguments.
        element: how sentences call the element.

    Returns:
        Scalars as numbers or Nodes, laws as tuples of expressions, joints as the name of the
        coordinate or velocity that is meant, lists as tuples.
    """
    for key in given or {}:
        if key not in row.options:
            raise unknown(f"argument of a {row.name} {row.noun}", key, row.options, element)
    full = {**row.options, **(given or {})}
    for key, value in full.items():
        lawless = value is None and key in row.laws and row.options[key] is REQUIRED
        if value is REQUIRED or lawless:
            raise ModelError(
                f"a {row.name} {row.noun} needs its '{key}'", element=element, cure=f"give {key}"
            )
        full[key] = _argument(model, row, key, value, names, element)
    return full


def _argument(  # noqa: PLR0911  one line per sort of argument
    model: Mechanism, row: ElementKind, key: str, value: Any, names: Mapping[str, Any], element: str
) -> Any:
    """One argument in its one form."""
    where = f"{element} {key}"
    if key in row.coordinates:
        return find_coordinate(model, value, element)
    if key in row.velocities:
        return find_velocity(model, value, element)
    if key in row.scalars:
        return scalar(value, where)
    if key in row.vectors:
        return scalars(value, where, (3,))
    if value is None or key not in (*row.laws, *row.vector_laws):
        return frozen(value)
    if row.noun == "force" and key in HEARING:
        names = with_outputs(model, value, names, where)
    if key in row.vector_laws:
        return _vector_law(model, row, value, names, where)
    found = law_expressions(model, value, names, where, row.law_size)
    if row.noun != "force":
        refuse_words(found, (SWITCH,), where)
    return found


def _vector_law(
    model: Mechanism, row: ElementKind, value: Any, names: Mapping[str, Any], element: str
) -> Any:
    """Three expressions; where the user names the places, three at every one that is given."""
    if row.places != ANY:
        return law_expressions(model, value, names, element, 3)
    for label in value:
        if label not in names["points"]:
            raise unknown("point", label, names["points"], element)
    return {
        label: law_expressions(model, law, names, f"{element} at '{label}'", 3)
        for label, law in value.items()
    }


def scalar_values(row: ElementKind, arguments: Mapping[str, Any]) -> dict[str, Scalar]:
    """Name -> value of the complete arguments that stay run-time parameters."""
    values: dict[str, Scalar] = {key: arguments[key] for key in row.scalars}
    for key in row.vectors:
        values |= {f"{key}_{a}": v for a, v in zip(AXES, arguments[key], strict=True)}
    return values


def law_values(
    row: ElementKind, arguments: Mapping[str, Any]
) -> Iterator[tuple[str, tuple[Node, ...]]]:
    """(argument, expressions) of the complete arguments; of a law per place, "argument.label"."""
    for key in (*row.laws, *row.vector_laws):
        value = arguments[key]
        if isinstance(value, Mapping):
            yield from ((f"{key}.{label}", exprs) for label, exprs in value.items())
        elif value is not None:
            yield key, value
