"""Triangles of an STL file, binary or text."""

from __future__ import annotations

import re

import numpy as np

from kinetree.arrays import Array

HEADER = 84
RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
VERTEX = re.compile(rb"vertex\s+(\S+)\s+(\S+)\s+(\S+)")


def corners(data: bytes, _: str) -> Array:
    """Corners of every triangle, n × 3 × 3, in the unit of the file."""
    found = _binary(data)
    return _text(data) if found is None else found


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
