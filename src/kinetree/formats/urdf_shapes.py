"""Visual and collision geometry of a URDF as plain data for viewers; meshes stay references."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kinetree.formats.urdf_xml import child
from kinetree.model import plain

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


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
