"""Triangles of MuJoCo's binary MSH files: four counts, then vertices, normals, texture, faces."""

from __future__ import annotations

import numpy as np

from kinetree.arrays import Array
from kinetree.errors import FormatError

COUNTS = 4
"""Numbers of vertices, normals, texture coordinates and faces, before them."""


def corners(data: bytes, where: str) -> Array:
    """Corners of every triangle, n × 3 × 3, in the unit of the file."""
    whole = len(data) % 4 == 0 and len(data) >= 4 * COUNTS
    count = np.frombuffer(data, dtype="<i4", count=COUNTS) if whole else np.array([-1])
    sizes = np.array([3, 3, 2, 3])
    if count.min() < 0 or len(data) != 4 * (COUNTS + int(count.astype(np.int64) @ sizes)):
        raise FormatError("its length does not fit its counts", element=where, cure="save it again")
    start = 4 * COUNTS
    points = np.frombuffer(data, "<f4", 3 * int(count[0]), start).reshape(-1, 3).astype(float)
    faces = np.frombuffer(data[len(data) - 12 * int(count[3]) :], "<i4").reshape(-1, 3)
    if len(faces) and not 0 <= faces.min() <= faces.max() < len(points):
        raise FormatError("a face has no vertex", element=where, cure="save it again")
    return np.asarray(points[faces])
