"""Replicas of an MJCF file written out: <replicate> as many frames, each a step further.

Replica k of n is turned by k times the angles `euler`, stands where the one before it has `offset`,
and has names with `sep` and its number, of as many digits as n has.  Equality constraints inside
what is replicated are replicated with it.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

from kinetree.errors import FormatError
from kinetree.formats.mjcf.places import FramePose, quaternion_of, read_rotation, still, vector

if TYPE_CHECKING:
    from kinetree.formats.mjcf.settings import MujocoSettings

MOST = 100_000
"""Replicas of one <replicate> at most."""
MOST_ELEMENTS = 1_000_000
"""Elements that one <replicate> may become, with all that are inside it."""
REFERENCES = tuple(f"{what}{k}" for what in ("body", "joint", "site") for k in (1, 2))
"""Attributes of equality constraints that name elements."""


def expand_replicas(root: Element, settings: MujocoSettings, where: str) -> None:
    """Put frames in the place of every <replicate>, those inside others first."""
    holders = [(holder, k) for holder in root.iter() for k, entry in enumerate(holder)
               if entry.tag == "replicate"]  # fmt: skip
    for holder, k in reversed(holders):
        entry = holder[k]
        suffixes = _suffixes(entry, where)
        if len(suffixes) * sum(1 for _ in entry.iter()) > MOST_ELEMENTS:
            raise FormatError(
                f"it becomes more than {MOST_ELEMENTS:,} elements",
                element=f"{where} replicate",
                cure="make fewer replicas",
            )
        _replicate_rows(root.findall("equality"), {*_names([entry])}, suffixes)
        holder.remove(entry)
        for number, frame in enumerate(_frames(entry, suffixes, settings, where)):
            holder.insert(k + number, frame)


def _suffixes(entry: Element, where: str) -> list[str]:
    """What the names of every replica end in."""
    text = entry.get("count", "")
    if not text.isdigit() or not 0 < int(text) <= MOST:
        raise FormatError(
            f"'{text}' is not a valid count", element=f"{where} replicate", cure="write a number"
        )
    return [f"{entry.get('sep', '')}{k:0{len(text)}}" for k in range(int(text))]


def _frames(
    entry: Element, suffixes: Iterable[str], settings: MujocoSettings, where: str
) -> Iterable[Element]:
    """The replicas, each in a frame."""
    where = f"{where} replicate"
    offset = vector(entry.attrib, "offset", (0.0, 0.0, 0.0), where)
    angles = vector(entry.attrib, "euler", (0.0, 0.0, 0.0), where)
    pose = still()
    for k, suffix in enumerate(suffixes, 1):
        frame = Element("frame", {"pos": _words(pose.p), "quat": _words(quaternion_of(pose.R))})
        frame.extend(deepcopy(list(entry)))
        for element in frame.iter():
            if "name" in element.attrib:
                element.set("name", element.attrib["name"] + suffix)
        yield frame
        turned = read_rotation({"euler": _words(k * angles)}, settings, where)
        pose = FramePose(turned, pose.p + pose.R @ offset)


def _words(values: Iterable[float]) -> str:
    return " ".join(repr(float(x)) for x in values)


def _names(entries: Iterable[Element]) -> Iterable[str]:
    return (x.attrib["name"] for entry in entries for x in entry.iter() if "name" in x.attrib)


def _replicate_rows(holders: Iterable[Element], names: set[str], suffixes: list[str]) -> None:
    """Replicate the rows that name something of a replica."""
    for holder in holders:
        for k, row in reversed(list(enumerate(holder))):
            said = [key for key, text in row.attrib.items() if key != "name" and text in names]
            if not said:
                continue
            holder.remove(row)
            for number, suffix in enumerate(suffixes):
                more = {
                    key: row.attrib[key] + suffix for key in (*said, "name") if key in row.attrib
                }
                holder.insert(k + number, Element(row.tag, {**row.attrib, **more}))
