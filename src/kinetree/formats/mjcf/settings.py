"""What holds for a whole MJCF file: includes, classes of defaults, units of angles.

A class of defaults takes over what the class around it says.  An element belongs to the class that
it names, else to the `childclass` of the nearest body around it, else to the outermost class.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree as ET

from kinetree.errors import FormatError, suggest
from kinetree.files import read_bytes
from kinetree.formats.urdf_xml import number, parse_xml

MOST_FILES = 100
"""Files that one may include, in all."""
MOST_DIGITS = 9
"""Of a whole number: no count or group needs more."""
ORIENTATIONS = ("quat", "axisangle", "xyaxes", "zaxis", "euler")
MAIN = "main"


def with_includes(root: ET.Element, folder: Path | None, where: str) -> ET.Element:
    """The element with the contents of included files in the place of <include>."""
    waiting, files = [root], 0
    while waiting:
        holder = waiting.pop()
        for element in list(holder):
            if element.tag != "include":
                waiting.append(element)
                continue
            files += 1
            if files > MOST_FILES:
                raise FormatError(
                    f"it includes more than {MOST_FILES} files",
                    element=where,
                    cure="let no file include itself",
                )
            at = list(holder).index(element)
            held = list(_read_include(element.get("file", ""), folder, where))
            holder.remove(element)
            for k, found in enumerate(held):
                holder.insert(at + k, found)
            waiting.append(holder)
            break
    return root


def _read_include(name: str, folder: Path | None, where: str) -> ET.Element:
    """The root of an included file, which lies in the folder of the first or below."""
    element = f"{where} include '{name}'"
    if folder is None:
        raise FormatError("it is not read from a file", element=element, cure="give a path to load")
    place = (folder / name).resolve()
    if not place.is_relative_to(folder.resolve()):
        raise FormatError(
            "it leaves the folder of the file", element=element, cure="put it beside the file"
        )
    return parse_xml(read_bytes(place), element)


@dataclass
class MujocoSettings:
    """Compiler settings and defaults of a file.

    Attributes:
        radians: whether angles are in radians, in place of degrees.
        sequence: axes of Euler angles; small letters turn with the frame.
        from_geoms: whether inertia comes from geoms: "auto", "true" or "false".
        groups: geoms of these groups have mass.
        autolimits: whether a range means that the joint is limited.
        total_mass: to which all masses are scaled [kg]; negative for none.
        classes: class -> tag -> attributes.
    """

    radians: bool = False
    sequence: str = "xyz"
    from_geoms: str = "auto"
    groups: tuple[int, int] = (0, 5)
    autolimits: bool = True
    total_mass: float = -1.0
    classes: dict[str, dict[str, dict[str, str]]] = field(default_factory=lambda: {MAIN: {}})

    def angle(self, value: float) -> float:
        """An angle of the file in radians."""
        return value if self.radians else math.radians(value)

    def attributes(self, element: ET.Element, childclass: str, where: str) -> dict[str, str]:
        """What an element says, itself or by its class."""
        name = element.get("class") or childclass or MAIN
        if name not in self.classes:
            raise FormatError(
                f"there is no class '{name}' of defaults",
                element=where,
                cure=suggest(name, self.classes, "class"),
            )
        given = dict(self.classes[name].get(element.tag, {}))
        if any(key in element.attrib for key in ORIENTATIONS):
            given = {key: text for key, text in given.items() if key not in ORIENTATIONS}
        return {**given, **element.attrib}


def read_settings(root: ET.Element, where: str) -> MujocoSettings:
    """The settings of a file."""
    compiler = read_compiler(root)
    for name in ("boundmass", "boundinertia"):
        if number(compiler.get(name, "0"), f"{where} compiler") > 0:
            raise FormatError(
                f"the compiler setting {name} is not known here",
                element=where,
                cure="write the masses that it makes, and leave it out",
            )
    groups = compiler.get("inertiagrouprange", "0 5").split()
    if len(groups) != 2:
        raise FormatError(
            f"inertiagrouprange has {len(groups)} values",
            element=f"{where} compiler",
            cure="give 2",
        )
    low, high = (whole(word, f"{where} compiler inertiagrouprange") for word in groups)
    sequence = compiler.get("eulerseq", "xyz")
    if len(sequence) != 3 or not {*sequence.lower()} <= {*"xyz"}:
        raise FormatError(
            f"'{sequence}' is not a valid sequence of axes",
            element=f"{where} compiler eulerseq",
            cure="write three of x, y, z",
        )
    made = MujocoSettings(
        compiler.get("angle", "degree") == "radian",
        sequence,
        compiler.get("inertiafromgeom", "auto"),
        (low, high),
        compiler.get("autolimits", "true") != "false",
        number(compiler.get("settotalmass", "-1"), f"{where} compiler"),
    )
    for element in root.findall("default"):
        _read_classes(element, made.classes)
    return made


def read_compiler(root: ET.Element) -> dict[str, str]:
    """Attributes of <compiler>, of the last one that gives them."""
    found: dict[str, str] = {}
    for element in root.findall("compiler"):
        found |= element.attrib
    return found


def _read_classes(outer: ET.Element, classes: dict[str, dict[str, dict[str, str]]]) -> None:
    """Add the classes of a <default>, each with what it takes over from the one around it."""
    waiting: list[tuple[ET.Element, str]] = [(outer, MAIN)]
    while waiting:
        element, parent = waiting.pop()
        name = element.get("class") or (MAIN if element is outer else parent)
        own = {tag: dict(row) for tag, row in classes[parent].items()}
        for entry in element:
            if entry.tag != "default":
                own[entry.tag] = {**own.get(entry.tag, {}), **entry.attrib}
        classes[name] = own
        if element is outer:
            classes[MAIN] = own
        waiting += [(entry, name) for entry in element.findall("default")]


def clean(name: str) -> str:
    """A name as names are here: letters, digits, underscores and dashes."""
    return re.sub(r"[^\w-]+", "_", name.strip()) or "unnamed"


def whole(text: str, where: str) -> int:
    """A whole number of few digits."""
    try:
        return int(text) if len(text) <= MOST_DIGITS else int("?")
    except ValueError:
        raise FormatError(
            f"'{text[:40]}' is not a whole number", element=where, cure="write an integer"
        ) from None


def numbers(
    row: Mapping[str, str], name: str, default: tuple[float, ...] | None, where: str
) -> tuple[float, ...] | None:
    """The numbers of an attribute, or the default."""
    text = row.get(name)
    if text is None:
        return default
    return tuple(number(word, f"{where} {name}") for word in text.split())
