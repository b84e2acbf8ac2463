"""Mass properties of MJCF bodies: given by <inertial>, or those of their geoms.

| geom | size | volume |
|---|---|---|
| sphere | r | 4/3 π r³ |
| capsule | r, half length h of the cylinder | π r² 2h + 4/3 π r³ |
| cylinder | r, half length h | π r² 2h |
| ellipsoid | half axes a, b, c | 4/3 π a b c |
| box | half lengths a, b, c | 8 a b c |
| mesh | | as its asset says: see `kinetree.formats.meshes` |

Capsules, cylinders, boxes and ellipsoids may be given by `fromto`, the ends of their z axis.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import pi

import numpy as np

from kinetree.arrays import Array
from kinetree.errors import FormatError
from kinetree.formats.meshes import Integrals
from kinetree.formats.mjcf.assets import MeshAsset, find_mesh, mesh_shape
from kinetree.formats.mjcf.places import (
    FramePose,
    onto,
    read_pose,
    read_rotation,
    scalar,
    vector,
)
from kinetree.formats.mjcf.settings import MujocoSettings, numbers, whole
from kinetree.formats.urdf_xml import number

MASSLESS = ("plane", "hfield")
SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}
DENSITY = 1000.0
"""Of geoms that say neither mass nor density [kg/m3]."""


@dataclass(frozen=True)
class MassProperties:
    """Mass [kg], centre of mass [m] and inertia about it [kg.m2], in one frame."""

    mass: float
    com: Array
    inertia: Array

    def move(self, pose: FramePose) -> MassProperties:
        """Seen from the frame in which this one has a pose."""
        turned = pose.R @ self.inertia @ pose.R.T
        return MassProperties(self.mass, pose.p + pose.R @ self.com, turned)

    def scale(self, factor: float) -> MassProperties:
        """The same shape of another density."""
        return MassProperties(factor * self.mass, self.com, factor * self.inertia)

    @property
    def six(self) -> list[float]:
        """xx, yy, zz, xy, xz, yz."""
        order = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
        return [float(self.inertia[place]) for place in order]


def total(parts: Iterable[MassProperties]) -> MassProperties:
    """Several parts together."""
    listed = [part for part in parts if part.mass]
    mass = sum(part.mass for part in listed)
    if not mass:
        return MassProperties(0.0, np.zeros(3), np.zeros((3, 3)))
    com = np.sum([part.mass * part.com for part in listed], axis=0) / mass
    inertia = np.zeros((3, 3))
    for part in listed:
        r = part.com - com
        inertia += part.inertia + part.mass * (r @ r * np.eye(3) - np.outer(r, r))
    return MassProperties(mass, com, inertia)


def read_inertial(row: Mapping[str, str], settings: MujocoSettings, where: str) -> MassProperties:
    """What <inertial> says."""
    place = read_pose(row, settings, where)
    mass = scalar(row, "mass", 0.0, where)
    if "fullinertia" in row:
        xx, yy, zz, xy, xz, yz = vector(row, "fullinertia", (0.0,) * 6, where)
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    else:
        inertia = np.diag(vector(row, "diaginertia", (0.0, 0.0, 0.0), where))
    return MassProperties(mass, np.zeros(3), inertia).move(place)


def geom_pose(row: Mapping[str, str], settings: MujocoSettings, where: str) -> FramePose:
    """Where a geom is in its body."""
    if "fromto" not in row:
        return read_pose(row, settings, where)
    ends = vector(row, "fromto", (0.0,) * 6, where)
    if not np.any(ends[:3] - ends[3:]):
        return FramePose(read_rotation(row, settings, where), ends[:3])
    return FramePose(onto(ends[:3] - ends[3:]), (ends[:3] + ends[3:]) / 2)


def geom_size(row: Mapping[str, str], where: str) -> tuple[float, ...]:
    """The sizes of a geom, half lengths of `fromto` in the last place."""
    kind = row.get("type", "sphere")
    given = numbers(row, "size", (), where) or ()
    if "fromto" in row and kind in SIZES and kind != "sphere":
        ends = vector(row, "fromto", (0.0,) * 6, where)
        half = float(np.linalg.norm(ends[:3] - ends[3:])) / 2
        across = given[:1] * (SIZES[kind] - 1)
        given = (*across, half)
    if len(given) < SIZES[kind]:
        raise FormatError(
            f"a {kind} has {SIZES[kind]} sizes", element=f"{where} size", cure="give them"
        )
    return given[: SIZES[kind]]


def geom_mass(
    row: Mapping[str, str], settings: MujocoSettings, meshes: Mapping[str, MeshAsset], where: str
) -> MassProperties:
    """Mass properties of a geom in the frame of its body."""
    kind, zero = row.get("type", "sphere"), MassProperties(0.0, np.zeros(3), np.zeros((3, 3)))
    low, high = settings.groups
    if kind in MASSLESS or not low <= whole(row.get("group", "0"), f"{where} group") <= high:
        return zero
    mass, density = (numbers(row, name, None, where) for name in ("mass", "density"))
    if (mass and not mass[0]) or (not mass and density and not density[0]):
        return zero
    _refuse_mass(kind, row, where)
    if kind == "mesh":
        solid = find_mesh(meshes, row, where).integrals
    else:
        solid = integrate_solid(kind, geom_size(row, where))
    if mass and not solid.volume > 0:
        raise FormatError(
            f"its volume is {solid.volume:.3g}", element=f"{where} size", cure="give positive sizes"
        )
    share = mass[0] / solid.volume if mass else density[0] if density else DENSITY
    made = MassProperties(share * solid.volume, solid.centroid, share * solid.inertia)
    return made.move(geom_pose(row, settings, where))


def _refuse_mass(kind: str, row: Mapping[str, str], where: str) -> None:
    """Refuse geoms whose mass is not computed here."""
    fitted = kind != "mesh" and "mesh" in row
    if kind in (*SIZES, "mesh") and not fitted and row.get("shellinertia") != "true":
        return
    said = f"the mass of a {kind} is not computed here" if kind not in SIZES else "it is a shell"
    raise FormatError(
        f"it is a {kind} fitted to a mesh" if fitted else said,
        element=where,
        cure="give its body an <inertial>",
    )


def integrate_solid(kind: str, size: tuple[float, ...]) -> Integrals:
    """Volume and inertia of a solid about its centre."""
    volume, unit = _solid(kind, size)
    return Integrals(volume, np.zeros(3), volume * np.diag(unit))


def _solid(kind: str, size: tuple[float, ...]) -> tuple[float, tuple[float, float, float]]:
    """Volume, and moments of inertia per mass, of a solid about its centre."""
    if kind == "capsule":
        return _capsule(*size)
    if kind == "cylinder":
        r, h = size
        across = r * r / 4 + h * h / 3
        return 2 * pi * r * r * h, (across, across, r * r / 2)
    a, b, c = size * 3 if kind == "sphere" else size
    volume, share = (8 * a * b * c, 3) if kind == "box" else (4 / 3 * pi * a * b * c, 5)
    return volume, ((b * b + c * c) / share, (a * a + c * c) / share, (a * a + b * b) / share)


def _capsule(r: float, h: float) -> tuple[float, tuple[float, float, float]]:
    """A cylinder of half length h between two half spheres."""
    cylinder, ball = 2 * pi * r * r * h, 4 / 3 * pi * r * r * r
    volume = cylinder + ball
    if not volume:
        return 0.0, (0.0, 0.0, 0.0)
    # half spheres: 2/5 r² about their centre on the flat side, 3/8 r from there to their own
    across = cylinder * (r * r / 4 + h * h / 3) + ball * (2 / 5 * r * r + h * h + 3 / 4 * h * r)
    along = cylinder * r * r / 2 + ball * 2 / 5 * r * r
    return volume, (across / volume, across / volume, along / volume)


def geom_shape(
    row: Mapping[str, str], settings: MujocoSettings, meshes: Mapping[str, MeshAsset], where: str
) -> dict[str, object] | None:
    """A geom as the viewer draws it; none for what has no shape of its own."""
    kind = row.get("type", "sphere")
    mesh = mesh_shape(find_mesh(meshes, row, where)) if kind == "mesh" else None
    if mesh is None and kind not in SIZES:
        return None
    place = geom_pose(row, settings, where)
    yaw = float(np.arctan2(place.R[1, 0], place.R[0, 0]))
    pitch = float(np.arctan2(-place.R[2, 0], np.hypot(place.R[0, 0], place.R[1, 0])))
    roll = float(np.arctan2(place.R[2, 1], place.R[2, 2]))
    data: dict[str, object] = {"origin": {"xyz": place.p.tolist(), "rpy": [roll, pitch, yaw]}}
    data |= _solid_shape(kind, geom_size(row, where)) if mesh is None else {"mesh": mesh}
    if "rgba" in row:
        data["material"] = {"rgba": [number(word, where) for word in row["rgba"].split()]}
    return data


def _solid_shape(kind: str, size: tuple[float, ...]) -> dict[str, object]:
    """A solid as the viewer draws it, in the nearest shape that it has."""
    if kind == "box":
        return {"box": {"size": [2 * x for x in size]}}
    if kind in ("cylinder", "capsule"):
        return {"cylinder": {"radius": size[0], "length": 2 * size[1]}}
    return {"sphere": {"radius": max(size)}}
