"""Elements of a part of a mechanism as they are on the other side of a plane."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Sequence
from typing import Any

from kinetree.arguments import check_choice
from kinetree.errors import unknown
from kinetree.formats.edits.entries import EntryPath
from kinetree.formats.edits.mirror import (
    LETTERS,
    MirroredPart,
    collect,
    directions_of,
    expression_of,
    motions_of,
    rule,
    value_at,
    vector_of,
    with_sign,
)
from kinetree.formats.edits.names import tokens, uses
from kinetree.model.parts import Twist

POINTED = ("cone", "frustum")
"""Solids whose two ends differ."""
Z = LETTERS.index("z")
NamedEntry = tuple[str, str, Any]
"""Section, name and value of an element."""


def image_rows(
    data: dict[str, Any], bodies: Sequence[str], old: str, new: str, normal: str
) -> tuple[list[tuple[EntryPath, Any]], list[NamedEntry]]:
    """Points to add to bodies that stay, and elements to add, for the other side.

    Args:
        data: the document.
        bodies: to copy; joints, closures, forces, drives and outputs that speak of them go along.
        old: the part of names that changes; a name without it gets _new behind it.
        new: what stands there on the other side.
        normal: the axis across the plane: x, y or z.
    """
    check_choice("mirror", normal, LETTERS, "axis")
    known = data.get("bodies") or {}
    for name in bodies:
        if name not in known:
            raise unknown("body", str(name), known, "mirror")
    part = MirroredPart(data, tuple(bodies), rule(old, new), LETTERS.index(normal))
    for name in bodies:
        part.names["bodies", name] = part.rename(name)
    collect(part)
    points = list(_shared_points(part))
    rows = [("bodies", n, _body(part, known[n])) for n in bodies]
    for (section, name), _ in list(part.names.items()):
        if section != "bodies":
            rows.append((section, name, _element(part, section, name)))
    shapes = data.get("shapes") or {}
    rows += [("shapes", n, _shapes(part, shapes[n])) for n in bodies if n in shapes]
    named = [(s, part.names[("bodies" if s == "shapes" else s), n], v) for s, n, v in rows]
    return points, named


def _shared_points(part: MirroredPart) -> Iterator[tuple[EntryPath, Any]]:
    """Points of bodies that stay, at which the part is held, on the other side."""
    mine = {key for key in part.names if key[0] != "bodies"}
    for use in uses(part.data):
        if use.role != "place" or use.path[:2] not in mine:
            continue
        body, _, point = str(value_at(part.data, use.path)).partition(".")
        if not point or body in part.bodies or (body, point) in part.points:
            continue
        path: EntryPath = ("ground",) if body == "ground" else ("bodies", body)
        held = value_at(part.data, (*path, "points", point))
        other = _point(part, held)
        if other != held:
            part.points[body, point] = part.rename(point)
            yield (*path, "points", part.rename(point)), other


def _point(part: MirroredPart, value: Any) -> Any:
    if isinstance(value, list):
        return vector_of(value, part.polar, part)
    made = dict(value)
    for name, signs in (("position", part.polar), ("rpy", part.axial)):
        if made.get(name) is not None:
            made[name] = vector_of(made[name], signs, part)
    if made.get("rotation") is not None:  # S R S
        made["rotation"] = [
            vector_of(row, [a * b for b in part.polar])
            for row, a in zip(made["rotation"], part.polar, strict=True)
        ]
    return made


def _body(part: MirroredPart, row: dict[str, Any]) -> dict[str, Any]:
    made = dict(row)
    if "mass" in made:
        made["mass"] = expression_of(part, made["mass"])
    if "com" in made:
        made["com"] = vector_of(made["com"], part.polar, part)
    if "inertia" in made:
        pairs = ("xx", "yy", "zz", "xy", "xz", "yz")
        made["inertia"] = vector_of(made["inertia"], [part.sign_of(f"i_{p}") for p in pairs], part)
    if "points" in made:
        made["points"] = {name: _point(part, value) for name, value in made["points"].items()}
    return made


def _shapes(part: MirroredPart, value: Any) -> Any:
    """Solids on the other side; of most, the sign of their own z axis does not matter."""
    if isinstance(value, list):
        return [_shapes(part, row) for row in value]
    if not isinstance(value, dict) or "kind" not in value:
        return value  # links of a URDF are shown as they are
    made = {**_point(part, value), **directions_of(part, value)}
    if value["kind"] == "line":
        made["points"] = [vector_of(row, part.polar) for row in value["points"]]
        if "axis" in value:  # S R S of the shortest turn R from z to the axis
            signs = part.axial if part.normal == Z else part.polar
            made["axis"] = _axis(value["axis"], signs)
    return made | _pointing(part, value, made) if value["kind"] in POINTED else made


def _pointing(part: MirroredPart, value: dict[str, Any], made: dict[str, Any]) -> dict[str, Any]:
    """The turn of a solid whose ends differ: S times its z axis."""
    if "axis" in value:
        return {"axis": _axis(value["axis"], part.polar)}
    if part.normal != Z:  # S R S keeps it
        return {}
    if "rotation" in value:  # half a turn about the own x axis
        return {"rotation": [vector_of(row, (1, -1, -1)) for row in made["rotation"]]}
    if "rpy" in value:
        return {"rpy": [made["rpy"][0] + math.pi, *made["rpy"][1:]]}
    return {"axis": "-z"}


def _axis(given: Any, signs: Sequence[int]) -> Any:
    """A direction, by its letter or components, with signs."""
    if not isinstance(given, str):
        return vector_of(given, signs)
    if signs[LETTERS.index(given[-1])] > 0:
        return given
    return given[1:] if given.startswith("-") else f"-{given}"


def _element(part: MirroredPart, section: str, name: str) -> Any:
    """An element of the part on the other side."""
    row = value_at(part.data, (section, name))
    if not isinstance(row, dict):  # the short form
        sign = part.coordinates[name][1] if section == "drives" else 1
        return with_sign(expression_of(part, row), sign)
    made = copy.deepcopy(row)
    for use in uses(part.data):
        if use.path[:2] == (section, name) and not use.is_key:
            _put(made, use.path[2:], part.text(value_at(part.data, use.path), use))
    made |= directions_of(part, row)
    if section == "joints":
        _finish_joint(part, name, made)
    elif section == "drives":
        made["law"] = with_sign(made.get("law"), part.coordinates[name][1])
    elif section in ("forces", "closures"):
        _finish_force(part, row, made)
    return made


def _put(data: Any, path: EntryPath, value: Any) -> None:
    for step in path[:-1]:
        data = data[step]
    data[path[-1]] = value


def _finish_joint(part: MirroredPart, name: str, made: dict[str, Any]) -> None:
    """Signs of what is told in coordinates of a joint."""
    if any(isinstance(motion, Twist) for motion in motions_of(name, made["kind"], made)):
        made["pitch"] = with_sign(made["pitch"], -1)
    mine = part.of_joint[name]
    signs = [sign for _, sign in mine]
    if "coordinates" in made:
        made["coordinates"] = [other for other, _ in mine]
    if made.get("initial") is not None:
        held = made["initial"] if isinstance(made["initial"], list) else [made["initial"]]
        made["initial"] = vector_of(held, signs)
    if made.get("limits") and signs and signs[0] < 0:
        _turn_bounds(made["limits"])
    if made.get("mimic"):
        leader = part.data["joints"][name]["mimic"]["joint"]
        made["mimic"]["joint"], sign = part.coordinates.get(leader, (leader, 1))
        made["mimic"]["ratio"] = with_sign(made["mimic"].get("ratio", 1), sign * signs[0])
        made["mimic"]["offset"] = with_sign(made["mimic"].get("offset", 0), signs[0])


def _finish_force(part: MirroredPart, row: dict[str, Any], made: dict[str, Any]) -> None:
    """Signs of what a force or closure tells in components, or in the coordinate of a joint."""
    for name, signs in (("force", part.polar), ("torque", part.axial)):
        if isinstance(made.get(name), list):
            made[name] = vector_of(made[name], signs)
        elif isinstance(made.get(name), dict):
            made[name] = {label: vector_of(v, signs) for label, v in made[name].items()}
    if row["kind"] in ("surface", "curve"):
        own = LETTERS[part.normal]
        laws = made["law"] if isinstance(made["law"], list) else [made["law"]]
        flip = [tokens(str(law), lambda w: f"(-{w})" if w == own else w) for law in laws]
        made["law"] = flip if isinstance(made["law"], list) else flip[0]
    named = [row[key] for key in ("joint", "first", "other", "second") if key in row]
    signs = [part.coordinates[str(key)][1] for key in named if str(key) in part.coordinates]
    if signs:
        _finish_coordinate(row["kind"], signs, made)


def _finish_coordinate(kind: str, signs: list[int], made: dict[str, Any]) -> None:
    """Signs of what is told in coordinates: rest, bounds, offset, ratio, effort."""
    first, product = signs[0], signs[0] * signs[-1]
    for name in ("rest", "offset"):
        if name in made:
            made[name] = with_sign(made[name], first)
    if "ratio" in made and len(signs) > 1:
        made["ratio"] = with_sign(made["ratio"], product)
    if first < 0:
        _turn_bounds(made)
        if kind == "joint_law":  # the effort along the coordinate
            made["law"] = with_sign(made.get("law"), -1)


def _turn_bounds(made: dict[str, Any]) -> None:
    """Bounds of a coordinate that has changed its sign."""
    held = {"lower": made.pop("upper", None), "upper": made.pop("lower", None)}
    made |= {name: with_sign(value, -1) for name, value in held.items() if value is not None}
