"""Triangles of an STL file, binary or text."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from kinetree.arrays import Array
from kinetree.errors import FormatError
from kinetree.files import read_bytes

HEADER = 84
RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
VERTEX = re.compile(rb"vertex\s+(\S+)\s+(\S+)\s+(\S+)")


def triangles(path: Path) -> Array:
    """Corners of every triangle, n × 3 × 3, in the unit of the file."""
    if path.suffix.lower() != ".stl":
        raise FormatError(
            f"a mesh of type '{path.suffix or path.name}' cannot be shown",
            element=f"mesh '{path}'",
            cure="convert it to STL",
        )
    data = read_bytes(path)
    corners = _binary(data)
    if corners is None:
        corners = _text(data)
    if not len(corners) or not np.isfinite(corners).all():
        raise FormatError("it holds no triangles", element=f"mesh '{path}'", cure="export it again")
    return corners


def _text(data: bytes) -> Array:
    """Corners of a text file; none where one of them is no number."""
    try:
        found = np.array([[float(x) for x in row] for row in VERTEX.findall(data)]).reshape(-1, 3)
    except ValueError:
        return np.empty((0, 3, 3))
    return found[: len(found) // 3 * 3].reshape(-1, 3, 3)


def _binary(data: bytes) -> Array | None:
    """Corners of a binary file; none when the length does not fit its count."""
    if len(data) < HEADER:
        return None
    count = int.from_bytes(data[80:HEADER], "little")
    if len(data) != HEADER + count * RECORD.itemsize:
        return None
    records = np.frombuffer(data, dtype=RECORD, offset=HEADER, count=count)
    return np.asarray(records["corners"], dtype=float)
