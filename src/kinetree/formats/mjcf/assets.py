"""Meshes of an MJCF file: vertices given or from files, v = scale · Rᵀ(v_file - refpos)."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.arguments import check_choice
from kinetree.arrays import Array
from kinetree.errors import FormatError, unknown
from kinetree.formats.meshes import WAYS, Integrals, hull, integrate_mesh, triangles
from kinetree.formats.mjcf.places import direction, rotation_of, vector
from kinetree.formats.mjcf.settings import MujocoSettings, numbers, read_compiler

if TYPE_CHECKING:
    from collections.abc import Mapping
    from xml.etree.ElementTree import Element


class MeshAsset:
    """One mesh of a file, which is opened where its volume is needed.

    Attributes:
        path: the file of the mesh, below the folder of the MJCF; empty where vertices are given.
        scale: factors along x, y, z.
    """

    def __init__(self, row: Mapping[str, str], folder: Path | None, below: str) -> None:
        self.row, self.folder = row, folder
        self.name = row.get("name") or Path(row.get("file", "")).stem
        self.where = f"mesh '{self.name}'"
        self.path = str(Path(below) / row["file"]) if "file" in row else ""
        self.scale = vector(row, "scale", (1.0, 1.0, 1.0), self.where)

    @property
    def is_plain(self) -> bool:
        """Whether it stands in its file as it stands in a geom, but for its scale."""
        return bool(self.path) and not {"refpos", "refquat"} & {*self.row}

    @cached_property
    def integrals(self) -> Integrals:
        """Volume, centroid and inertia in the frame of the mesh."""
        way = self.row.get("inertia", "legacy")
        check_choice(f"{self.where} inertia", way, WAYS, "way to find inertia")
        found = integrate_mesh(self._corners(), way)
        if not found.volume > 0:
            raise FormatError(
                f"its volume is {found.volume:.3g}",
                element=self.where,
                cure="close it, with faces that look outwards, or say inertia='convex'",
            )
        return found

    def _corners(self) -> Array:
        """Triangles in the frame of the mesh; outwards where they are so in the file."""
        moved = self._read() - vector(self.row, "refpos", (0.0, 0.0, 0.0), self.where)
        R = rotation_of(direction(self.row, "refquat", (1.0, 0.0, 0.0, 0.0), self.where))
        corners = self.scale * (moved @ R)
        return corners if np.prod(self.scale) > 0 else corners[:, ::-1]

    def _read(self) -> Array:
        """Triangles as the file has them; points without faces are those of their hull."""
        if self.path:
            return triangles(self._file())
        given = numbers(self.row, "vertex", (), self.where) or ()
        if not given or len(given) % 3 or "builtin" in self.row:
            raise FormatError(
                "it has neither a file nor vertices", element=self.where, cure="give one of both"
            )
        points = np.array(given).reshape(-1, 3)
        faces = np.array(numbers(self.row, "face", (), self.where) or ())
        if not len(faces):
            return hull(points)
        if len(faces) % 3 or not 0 <= faces.min() <= faces.max() < len(points):
            raise FormatError("a face has no vertex", element=self.where, cure="correct face")
        return np.asarray(points[faces.astype(int).reshape(-1, 3)])

    def _file(self) -> Path:
        """The file, which lies in the folder of the MJCF or below."""
        if self.folder is None:
            cure = "give a path to load"
            raise FormatError("it is not read from a file", element=self.where, cure=cure)
        place = (self.folder / self.path).resolve()
        if not place.is_relative_to(self.folder.resolve()):
            raise FormatError(
                "it leaves the folder of the file", element=self.where, cure="put it beside it"
            )
        return place


def read_meshes(
    root: Element, settings: MujocoSettings, folder: Path | None, where: str
) -> dict[str, MeshAsset]:
    """The meshes of a file by name."""
    compiler = read_compiler(root)
    below = compiler.get("meshdir") or compiler.get("assetdir", "")
    rows = (settings.attributes(element, "", f"{where} mesh")
            for asset in root.findall("asset") for element in asset.findall("mesh"))  # fmt: skip
    made = (MeshAsset(row, folder, below) for row in rows)
    return {mesh.name: mesh for mesh in made}


def find_mesh(meshes: Mapping[str, MeshAsset], row: Mapping[str, str], where: str) -> MeshAsset:
    """The mesh that a geom names."""
    name = row.get("mesh", "")
    if name not in meshes:
        raise unknown("mesh", name, meshes, where)
    return meshes[name]


def mesh_shape(mesh: MeshAsset) -> dict[str, Any] | None:
    """A mesh as the viewer draws it; none where it does not stand as its file has it."""
    if not mesh.is_plain:
        return None
    return {"filename": mesh.path, "scale": mesh.scale.tolist()}
