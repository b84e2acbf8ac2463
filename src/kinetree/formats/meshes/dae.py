"""Triangles of a COLLADA file: geometries where the nodes of its scene put them.

Read are <triangles>, <polylist> and <polygons>, the latter cut into fans, the transforms matrix,
translate, rotate and scale, and the unit of the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from kinetree.arrays import Array
from kinetree.errors import FormatError
from kinetree.formats.urdf_xml import parse_xml

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

MOST_NODES = 100_000
"""Nodes of a scene, those that stand in it several times counted each time."""


def corners(data: bytes, where: str) -> Array:
    """Corners of every triangle, n × 3 × 3 [m]."""
    root = parse_xml(data, where)
    try:
        shapes = {
            geometry.get("id", ""): _geometry(geometry)
            for geometry in root.iterfind("{*}library_geometries/{*}geometry")
        }
        unit = root.find("{*}asset/{*}unit")
        metre = float(unit.get("meter", "1")) if unit is not None else 1.0
        placed = [
            shapes[name] @ T[:3, :3].T + T[:3, 3]
            for name, T in _instances(root)
            if name in shapes and len(shapes[name])
        ]
        found = placed or [shape for shape in shapes.values() if len(shape)]
        return metre * np.concatenate([*found, np.empty((0, 3, 3))])
    except (ValueError, IndexError, KeyError, AttributeError) as error:
        raise FormatError(
            f"it cannot be read ({error})", element=where, cure="export it again"
        ) from error


def _numbers(element: Element | None) -> Array:
    text = "" if element is None else element.text or ""
    return np.array(text.split(), dtype=float)


def _geometry(geometry: Element) -> Array:
    """Triangles of one geometry, in its own frame."""
    mesh = geometry.find("{*}mesh")
    if mesh is None:
        return np.empty((0, 3, 3))
    sources = {source.get("id", ""): _source(source) for source in mesh.iterfind("{*}source")}
    points: dict[str, Array] = {}
    for vertices in mesh.iterfind("{*}vertices"):
        for entry in vertices.iterfind("{*}input"):
            if entry.get("semantic") == "POSITION":
                points[vertices.get("id", "")] = sources[_target(entry, "source")]
    parts = [_faces(part, points) for part in mesh]
    return np.concatenate([*parts, np.empty((0, 3, 3))])


def _source(source: Element) -> Array:
    """Rows of a source; the first three numbers of each."""
    values = _numbers(source.find("{*}float_array"))
    accessor = source.find("{*}technique_common/{*}accessor")
    stride = 3 if accessor is None else int(accessor.get("stride", "3"))
    return values.reshape(-1, stride)[:, :3]


def _faces(part: Element, points: dict[str, Array]) -> Array:
    """Triangles of a <triangles>, <polylist> or <polygons>."""
    kind = part.tag.rpartition("}")[2]
    inputs = list(part.iterfind("{*}input"))
    vertex = [entry for entry in inputs if entry.get("semantic") == "VERTEX"]
    if kind not in ("triangles", "polylist", "polygons") or not vertex:
        return np.empty((0, 3, 3))
    stride = 1 + max(int(entry.get("offset", "0")) for entry in inputs)
    offset, where = int(vertex[0].get("offset", "0")), points[_target(vertex[0], "source")]
    listed = [_numbers(p).astype(int).reshape(-1, stride)[:, offset] for p in part.iterfind("{*}p")]
    if not listed:
        return np.empty((0, 3, 3))
    if kind == "triangles":
        return np.asarray(where[np.concatenate(listed).reshape(-1, 3)])
    if kind == "polylist":
        cuts = np.cumsum(_numbers(part.find("{*}vcount")).astype(int))[:-1]
        listed = np.split(listed[0], cuts)
    fans = [(face[0], face[k], face[k + 1]) for face in listed for k in range(1, len(face) - 1)]
    return np.asarray(where[np.array(fans, dtype=int).reshape(-1, 3)])


def _instances(root: Element) -> Iterator[tuple[str, Array]]:
    """Geometries of the scene with their transforms."""
    shared = {node.get("id", ""): node for node in root.iterfind("{*}library_nodes/{*}node")}
    waiting = [
        (node, np.eye(4))
        for node in root.iterfind("{*}library_visual_scenes/{*}visual_scene/{*}node")
    ]
    count = 0
    while waiting:
        node, outer = waiting.pop()
        count += 1
        if count > MOST_NODES:
            raise ValueError("its nodes stand inside each other")
        T = outer @ _transform(node)
        for entry in node:
            tag = entry.tag.rpartition("}")[2]
            if tag == "instance_geometry":
                yield _target(entry, "url"), T
            elif tag == "node":
                waiting.append((entry, T))
            elif tag == "instance_node" and _target(entry, "url") in shared:
                waiting.append((shared[_target(entry, "url")], T))


def _transform(node: Element) -> Array:
    """The transforms of a node, one after the other."""
    T = np.eye(4)
    for entry in node:
        tag, step = entry.tag.rpartition("}")[2], np.eye(4)
        if tag == "matrix":
            step = _numbers(entry).reshape(4, 4)
        elif tag == "translate":
            step[:3, 3] = _numbers(entry)
        elif tag == "scale":
            step[:3, :3] = np.diag(_numbers(entry))
        elif tag == "rotate":
            x, y, z, angle = _numbers(entry)
            K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
            a = np.radians(angle)
            step[:3, :3] = np.eye(3) + np.sin(a) * K + (1 - np.cos(a)) * (K @ K)
        else:
            continue
        T = T @ step
    return T


def _target(element: Element, name: str) -> str:
    """The id that an element points to."""
    return element.get(name, "").removeprefix("#")
