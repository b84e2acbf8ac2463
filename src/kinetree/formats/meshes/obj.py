"""Triangles of a Wavefront OBJ file: vertices and faces; materials and normals are left aside."""

from __future__ import annotations

import numpy as np

from kinetree.arrays import Array
from kinetree.errors import FormatError


def corners(data: bytes, where: str) -> Array:
    """Corners of every triangle, n × 3 × 3; faces of more corners are cut into fans."""
    vertices: list[list[float]] = []
    faces: list[tuple[int, int, int]] = []
    try:
        for line in data.decode("utf-8", errors="replace").splitlines():
            word, *rest = line.split() or [""]
            if word == "v":
                vertices.append([float(x) for x in rest[:3]])
            elif word == "f":
                at = [_vertex(int(entry.split("/")[0]), len(vertices)) for entry in rest]
                faces += [(at[0], at[k], at[k + 1]) for k in range(1, len(at) - 1)]
        points = np.array(vertices, dtype=float).reshape(-1, 3)
        return np.asarray(points[np.array(faces, dtype=int).reshape(-1, 3)])
    except (ValueError, IndexError) as error:
        raise FormatError(
            f"a line of it cannot be read ({error})", element=where, cure="export it again"
        ) from error


def _vertex(number: int, count: int) -> int:
    """Position of a vertex: counted from 1, or back from the last one."""
    at = number - 1 if number > 0 else count + number
    if not 0 <= at < count:
        raise IndexError(f"there is no vertex {number}")
    return at
