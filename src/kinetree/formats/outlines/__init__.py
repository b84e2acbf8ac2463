"""Profiles of drawings and tables: SVG, DXF and CSV files as plain data for contacts in the plane.

| module | reads |
|---|---|
| svg | paths, lines, polygons, rectangles, circles, ellipses with their transforms, by id |
| dxf | lines, arcs, circles, ellipses, polylines and splines, by layer |
| csv | corners, a row each |
| outline | what all become: corners and arcs |

Nothing in a file is run, and no file names another.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from math import isclose
from pathlib import Path
from typing import Any

from kinetree.arguments import check_arguments
from kinetree.errors import FormatError, unknown
from kinetree.files import read_bytes
from kinetree.formats.outlines import csv, dxf, svg
from kinetree.formats.outlines.outline import MOST, Outline

READERS: Mapping[str, Callable[[str, str, str | None, str | None], list[Outline]]] = {
    ".svg": svg.read,
    ".dxf": dxf.read,
    ".csv": csv.read,
    ".txt": csv.read,
}
"""Suffix -> (text, name for errors, chosen name, unit) -> outlines [m]."""
LARGEST = 4_000_000
"""Bytes of a file at most."""
FIELDS = ("file", "name", "unit", "flip", "smooth", "rounding", "repeat")
"""What a profile of a file may say."""


def read_profile(
    path: str | os.PathLike[str],
    name: str | None = None,
    unit: str | None = None,
    *,
    flip: bool = False,
    smooth: bool = False,
) -> dict[str, Any]:
    """The profile of a drawing or table, for `Model.plane_contact`.

    A closed outline is solid, whichever way it is drawn; an open one has its material on the left
    of the way it is drawn.  In SVG y points down, so drawings are turned over.

    Args:
        path: an SVG, DXF or CSV file.
        name: id of an element or group of an SVG, layer of a DXF; needed where there are several
            outlines.
        unit: of its numbers, such as "mm"; by default what the file says, of CSV "m".
        flip: a closed outline is a hole, an open one has its material on the right.
        smooth: a smooth curve through the corners, which has no arcs then.

    Returns:
        {"circle": …} or {"chain": …} or {"spline": …} [m].
    """
    check_arguments(read_profile, locals())
    file = Path(path)
    where = f"profile '{file.name}'"
    read = READERS.get(file.suffix.lower())
    if read is None:
        raise FormatError(
            f"a profile of type '{file.suffix or file.name}' cannot be read", element=where,
            cure="give an SVG, DXF or CSV file",
        )  # fmt: skip
    outlines = read(_text(file, where), where, name, unit)
    if len(outlines) != 1:
        raise FormatError(
            f"it has {len(outlines)} outlines", element=where,
            cure="give the name of one: its id in SVG, its layer in DXF",
        )  # fmt: skip
    return _data(outlines[0], where, flip=flip, smooth=smooth)


def profile_of(data: Mapping[str, Any], folder: Path | None, element: str) -> dict[str, Any]:
    """The profile that a model file names by {file: …}, below the folder of that file."""
    for key in data:
        if key not in FIELDS:
            raise unknown("field of a profile of a file", str(key), FIELDS, element)
    given = str(data["file"])
    if folder is None:
        raise FormatError(
            f"it names the file '{given}', but text alone has no folder", element=element,
            cure="load the model file, or give the outline itself",
        )  # fmt: skip
    place = (folder / given).resolve()
    if Path(given).is_absolute() or not place.is_relative_to(folder.resolve()):
        raise FormatError(
            f"the file '{given}' is not below the folder of the model", element=element,
            cure="give a path relative to the model file, beside or below it",
        )  # fmt: skip
    flags = {word: data.get(word, False) is True for word in ("flip", "smooth")}
    found = read_profile(place, data.get("name"), data.get("unit"), **flags)
    return found | {word: data[word] for word in ("rounding", "repeat") if word in data}


def _text(file: Path, where: str) -> str:
    """Content of a file that is not too large."""
    if file.is_file() and file.stat().st_size > LARGEST:
        raise FormatError(f"it has more than {LARGEST} bytes", element=where, cure="simplify it")
    return read_bytes(file).decode("utf-8-sig", "replace")


def _data(found: Outline, where: str, *, flip: bool, smooth: bool) -> dict[str, Any]:
    """Plain data of an outline."""
    if not 0 < len(found.rows) <= MOST:
        raise FormatError(f"its outline has {len(found.rows)} edges", element=where,
                          cure=f"give 1 to {MOST}")  # fmt: skip
    closed = found.closed
    solid = found.area > 0 if closed else True
    if solid is flip:
        found = found.reverse()
    if closed and (circle := _as_circle(found)) is not None:
        return circle
    if smooth and any(bulge for _, bulge in found.rows):
        raise FormatError("it has arcs", element=where, cure="leave smooth out")
    rows = [(z.real, z.imag, bulge) if bulge else (z.real, z.imag) for z, bulge in found.rows]
    if not closed:
        rows.append((found.end.real, found.end.imag))
    return {"spline" if smooth else "chain": tuple(rows), "closed": closed}


def _as_circle(found: Outline) -> dict[str, Any] | None:
    """A circle, where the outline is one of two equal halves."""
    (a, one), (b, other) = found.rows if len(found.rows) == 2 else ((0j, 0.0), (0j, 0.0))
    if not isclose(one, other) or not isclose(abs(one), 1.0):
        return None
    centre = (a + b) / 2
    return {"circle": (centre.real, centre.imag), "radius": abs(a - b) / 2 * (1 if one > 0 else -1)}
