"""Shapes that a model brings along, as solids of the picture.

`model.shapes` (section ``shapes`` of a model file) maps the name of a body, or "ground", to a shape
or a list of shapes:

| key | meaning | default |
|---|---|---|
| kind | box, cylinder, sphere, capsule, cone, frustum, torus, line or mesh | required |
| size | of a box: three sides [m] | required |
| radius, length, tube | of the round kinds [m], axis z | required where they apply |
| top | of a frustum: radius of its end at +z [m], `radius` is that at −z | required |
| points | of a line: two or more in its frame [m]; `radius` is how thick it is drawn | required |
| file, scale | of a mesh: an STL, OBJ or DAE file and one factor or three | required, 1 |
| position | of its middle, in the body frame [m] | 0, 0, 0 |
| rotation, rpy or axis | 3×3 rows, angles [rad], or the direction of its z axis | none |
| colour, opacity | "#rrggbb" or red, green, blue from 0 to 1; 0 to 1 | the body's, 1 |

The visual elements of a URDF, as its reader keeps them, are understood too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from kinetree.errors import FormatError, KinetreeError, unknown
from kinetree.formats.meshes import find_file, triangles
from kinetree.formats.pictures import DIMENSIONS, LOOKS
from kinetree.model import Mechanism, direction, rotation, rotation_rpy
from kinetree.view.packing import pack
from kinetree.view.quaternions import NONE, onto, quaternions
from kinetree.view.solids import Solid, chain, part

HEX = re.compile(r"#[0-9a-fA-F]{6}\Z")


@dataclass
class Shapes:
    """Solids by name of the body, and sentences about what cannot be shown.

    Attributes:
        parts: body -> its solids.
        notes: one sentence for every mesh of a URDF that was left out.
    """

    parts: dict[str, list[Solid]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def read_shapes(model: Mechanism, folder: Path) -> Shapes:
    """The shapes of a model; mesh files are looked for below `folder`."""
    found = Shapes()
    data = model.shapes
    if data is None:
        return found
    if not isinstance(data, Mapping):
        raise FormatError(
            "it is not a table of bodies", element="shapes", cure="write 'body: [{kind: box, …}]'"
        )
    known = {model.ground.name, *model.bodies}
    for name, entry in data.items():
        if name not in known:
            raise unknown("body", str(name), sorted(known), "shapes")
        parts = _of_body(f"shapes.{name}", entry, folder, found.notes)
        if parts:
            found.parts[name] = parts
    return found


def _of_body(path: str, entry: Any, folder: Path, notes: list[str]) -> list[Solid]:
    """Solids of one body, in either form."""
    if isinstance(entry, Mapping) and "kind" not in entry:
        return _of_link(path, entry, folder, notes)
    rows = [entry] if isinstance(entry, Mapping) else entry
    if not isinstance(rows, list | tuple):
        raise FormatError(
            "it is not a list of shapes", element=path, cure="write '[{kind: box, …}]'"
        )
    return [s for k, row in enumerate(rows) for s in _own(f"{path}[{k}]", row, folder)]


def _of_link(path: str, entry: Any, folder: Path, notes: list[str]) -> list[Solid]:
    """Solids of a link of a URDF: its visual elements; where none can be shown, the others."""
    missed: list[str] = []
    for role in ("visual", "collision"):
        rows = entry.get(role, [])
        parts = [solid for row in rows for solid in _urdf(path, row, folder, missed)]
        if parts:
            return parts
    notes += missed
    return []


def _own(path: str, row: Any, folder: Path) -> list[Solid]:
    """The solid of a shape in the form of this project; of a line, one for each straight part."""
    if not isinstance(row, Mapping) or "kind" not in row:
        raise FormatError("a shape needs its kind", element=path, cure="write '{kind: box, …}'")
    kind = row["kind"]
    if kind not in DIMENSIONS:
        raise unknown("kind of shape", str(kind), DIMENSIONS, path)
    for key in row:
        if key not in (*DIMENSIONS[kind], *LOOKS):
            raise unknown(f"property of a {kind}", str(key), (*DIMENSIONS[kind], *LOOKS), path)
    dimensions = _dimensions(path, row, folder)
    at = _numbers(row.get("position", (0, 0, 0)), 3, f"{path}.position")
    opacity = _numbers(row.get("opacity", 1), 1, f"{path}.opacity")[0]
    colour = _colour(row.get("colour"), f"{path}.colour")
    looks = {"colour": colour, "opacity": opacity if opacity < 1 else None}
    rest = {"at": at, "turn": _turn(row, path), **dimensions, **looks}
    return chain(**rest) if kind == "line" else [part(kind, **rest)]


def _dimensions(path: str, row: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """What a shape of its kind needs."""
    kind = row["kind"]
    made: dict[str, Any] = {}
    for name in DIMENSIONS[kind]:
        if name not in row:
            raise FormatError(f"a {kind} needs its {name}", element=path, cure=f"give {name}")
        if name == "file":
            made["triangles"] = _mesh(row["file"], row.get("scale", 1), folder)
        elif name == "points":
            made["points"] = _points(row["points"], f"{path}.points")
        else:
            count = 3 if name == "size" else 1
            values = _numbers(row[name], count, f"{path}.{name}", positive=True)
            made[name] = values if count == 3 else values[0]
    return made


def _urdf(path: str, row: Mapping[str, Any], folder: Path, notes: list[str]) -> list[Solid]:
    """A solid from a visual element of a URDF; none, and a note, for a mesh that is not there."""
    origin = row.get("origin", {})
    place = {"position": origin.get("xyz", (0, 0, 0)), "rpy": origin.get("rpy", (0, 0, 0))}
    rgba = row.get("material", {}).get("rgba")
    looks = {"colour": list(rgba[:3]) if isinstance(rgba, list) else None}
    if "mesh" in row:
        file = row["mesh"].get("filename", "")
        form = {"kind": "mesh", "file": file, "scale": row["mesh"].get("scale", 1)}
        try:
            return _own(path, form | place | looks, folder)
        except KinetreeError as error:
            notes.append(f"{error.element}: {error.problem}")
            return []
    kind = next((name for name in ("box", "cylinder", "sphere", "capsule") if name in row), None)
    if kind is None:
        return []
    return _own(path, {"kind": kind, **row[kind]} | place | looks, folder)


def _mesh(file: Any, scale: Any, folder: Path) -> dict[str, Any]:
    """Triangles of a mesh file, packed."""
    factors = np.broadcast_to(np.asarray(scale, dtype=float), (3,))
    corners = triangles(find_file(str(file), folder)) * factors
    size = float(np.ptp(corners)) or 1.0
    return pack(corners.reshape(len(corners), 9), 1e-6 * size)


def _points(given: Any, element: str) -> list[list[float]]:
    """Two or more points."""
    if not isinstance(given, list | tuple) or len(given) < 2:
        raise FormatError(
            f"{given!r} are not two or more points", element=element, cure="write [[x, y, z], …]"
        )
    return [_numbers(row, 3, f"{element}[{k}]") for k, row in enumerate(given)]


def _turn(row: Mapping[str, Any], path: str) -> tuple[float, ...]:
    """The quaternion of a shape."""
    ways = [name for name in ("rotation", "rpy", "axis") if name in row]
    if len(ways) > 1:
        raise FormatError(
            f"it is turned by {' and by '.join(ways)}", element=path, cure="keep one of them"
        )
    if "axis" in row:
        return onto(direction(row["axis"], f"{path}.axis"))
    if "rpy" in row:
        roll, pitch, yaw = _numbers(row["rpy"], 3, f"{path}.rpy")
        return tuple(float(x) for x in quaternions(rotation_rpy(roll, pitch, yaw)))
    if "rotation" in row:
        R = rotation(row["rotation"], f"{path}.rotation")
        return tuple(float(x) for x in quaternions(R))
    return NONE


def _colour(given: Any, element: str) -> str | None:
    """A colour as "#rrggbb"."""
    if given is None:
        return None
    if isinstance(given, str):
        if not HEX.match(given):
            raise FormatError(
                f"'{given}' is not a valid colour",
                element=element,
                cure="write '#3b73d9' or [r, g, b]",
            )
        return given
    shares = np.clip(_numbers(given, 3, element), 0, 1)
    return "#" + "".join(f"{round(255 * share):02x}" for share in shares)


def _numbers(given: Any, count: int, element: str, *, positive: bool = False) -> list[float]:
    """`count` finite numbers."""
    listed = [given] if isinstance(given, int | float) else given
    fits = isinstance(listed, list | tuple) and len(listed) == count
    if not fits or not all(isinstance(x, int | float) and np.isfinite(x) for x in listed):
        wanted = "a number" if count == 1 else f"{count} numbers"
        raise FormatError(f"{given!r} is not {wanted}", element=element, cure=f"give {wanted}")
    if positive and min(listed) <= 0:
        raise FormatError(
            f"{given!r} is not a valid length",
            element=element,
            cure="give positive lengths in metres",
        )
    return [float(x) for x in listed]
