"""Visual and collision geometry of a URDF: plain data for viewers, and what it weighs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.errors import FormatError
from kinetree.formats.meshes import Integrals, find_file, integrate_mesh, triangles
from kinetree.formats.mjcf.geoms import MassProperties, integrate_solid, total
from kinetree.formats.mjcf.places import FramePose
from kinetree.formats.urdf_xml import attribute, child, origin, vector
from kinetree.model import plain

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


ROUND = ("sphere", "cylinder", "capsule")


@dataclass(frozen=True)
class Filling:
    """What links without <inertial> are made of.

    Attributes:
        density: [kg/m3].
        folder: where the file lies, from which mesh files are looked for.
    """

    density: float
    folder: Path

    def fill(self, link: Element, where: str) -> MassProperties:
        """Mass properties of the solids of a link: its <collision>, or else its <visual>."""
        solids = link.findall("collision") or link.findall("visual")
        return total(part for solid in solids for part in self._parts(solid, where))

    def _parts(self, solid: Element, where: str) -> list[MassProperties]:
        position, R = origin(solid, where)
        pose = FramePose(np.array(R, dtype=float), np.array(position))
        geometry = child(solid, "geometry")
        found = [self._integrals(x, where) for x in (geometry if geometry is not None else ())]
        return [MassProperties(x.volume, x.centroid, x.inertia).scale(self.density).move(pose)
                for x in found]  # fmt: skip

    def _integrals(self, solid: Element, where: str) -> Integrals:
        """Of a <box>, <sphere>, <cylinder>, <capsule> or <mesh>."""
        if solid.tag == "mesh":
            scale = np.array(vector(solid, "scale", (1.0, 1.0, 1.0), where))
            corners = scale * triangles(find_file(solid.get("filename", ""), self.folder))
            return integrate_mesh(corners if np.prod(scale) > 0 else corners[:, ::-1])
        if solid.tag == "box":
            size = vector(solid, "size", (0.0, 0.0, 0.0), where)
            return integrate_solid("box", tuple(x / 2 for x in size))
        if solid.tag not in ROUND:
            raise FormatError(
                f"the mass of a {solid.tag} is not computed here",
                element=where,
                cure="give it an <inertial>, or leave density= out",
            )
        radius = attribute(solid, "radius", 0.0, where)
        half = () if solid.tag == "sphere" else (attribute(solid, "length", 0.0, where) / 2,)
        return integrate_solid(solid.tag, (radius, *half))


def shapes(links: dict[str, Element]) -> dict[str, Any]:
    """Link name -> {"visual": [...], "collision": [...]}, for links that have any."""
    found: dict[str, Any] = {}
    for name, link in links.items():
        row = {
            role: [_shape(element) for element in link.findall(role)]
            for role in ("visual", "collision")
            if link.find(role) is not None
        }
        if row:
            found[name] = row
    return found


def _shape(element: Element) -> dict[str, Any]:
    """Geometry, place and material of one <visual> or <collision>."""
    data: dict[str, Any] = {}
    if element.get("name"):
        data["name"] = element.get("name")
    for tag in ("origin", "material"):
        held = child(element, tag)
        if held is not None:
            data[tag] = _attributes(held)
            color = child(held, "color")
            if color is not None:
                data[tag]["rgba"] = _value(color.get("rgba", ""))
    geometry = child(element, "geometry")
    for solid in geometry if geometry is not None else ():
        data[solid.tag] = _attributes(solid)
    return data


def _attributes(element: Element) -> dict[str, Any]:
    """Attributes with numbers and lists of numbers as such, file names verbatim."""
    return {
        name: text if name in ("filename", "name") else _value(text)
        for name, text in element.attrib.items()
    }


def _value(text: str) -> Any:
    """A number, a list of numbers, or the text when it is neither."""
    try:
        values = [plain(float(word)) for word in text.split()]
    except ValueError:
        return text
    return values[0] if len(values) == 1 else values
