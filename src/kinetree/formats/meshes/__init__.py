"""Triangles of mesh files: STL, OBJ, COLLADA (DAE) and MuJoCo's MSH; what they enclose.

| module | reads |
|---|---|
| stl | binary and text; the unit is that of the file |
| obj | vertices and faces; the unit is that of the file |
| dae | geometries where the scene puts them, in metres; z is up, whatever it says, as in ROS |
| msh | vertices and faces of MuJoCo's binary files |
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from kinetree.arrays import Array
from kinetree.errors import FormatError
from kinetree.files import read_bytes
from kinetree.formats.meshes import dae, msh, obj, stl
from kinetree.formats.meshes.volume import WAYS, Integrals, hull, integrate_mesh

READERS: Mapping[str, Callable[[bytes, str], Array]] = {
    ".stl": stl.corners,
    ".obj": obj.corners,
    ".dae": dae.corners,
    ".msh": msh.corners,
}
"""Suffix -> (bytes, name for errors) -> corners of every triangle, n × 3 × 3."""


def triangles(path: Path) -> Array:
    """Corners of every triangle of a mesh file, n × 3 × 3."""
    read = READERS.get(path.suffix.lower())
    where = f"mesh '{path}'"
    if read is None:
        raise FormatError(
            f"a mesh of type '{path.suffix or path.name}' cannot be read",
            element=where,
            cure="convert it to STL, OBJ or DAE",
        )
    found = read(read_bytes(path), where)
    if not len(found) or not np.isfinite(found).all():
        raise FormatError("it holds no triangles", element=where, cure="export it again")
    return found


def find_file(file: str, folder: Path) -> Path:
    """The file below `folder`; a package is a folder around it that has the package's name."""
    package, _, inside = file.removeprefix("package://").partition("/")
    if file.startswith("package://"):
        for around in (folder.absolute(), *folder.absolute().parents):
            for place in (around / package / inside, around / inside):
                if place.is_file():
                    return place
        return folder / inside
    return folder / file


__all__ = ["READERS", "WAYS", "Integrals", "find_file", "hull", "integrate_mesh", "triangles"]
