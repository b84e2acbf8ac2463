"""Outlines of SVG files: paths, lines, polygons, rectangles, circles and ellipses by their id.

Transforms of an element and of the groups around it are applied; what is in <defs>, <clipPath>,
<mask>, <pattern>, <marker> and <symbol> is not drawn.  y points up here and down there.  A length
is in px of 1/96 inch, or as width and viewBox of the file say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import radians, tan
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from kinetree.errors import FormatError, unknown
from kinetree.formats.outlines.outline import Outline
from kinetree.formats.outlines.svg_path import draw_path, elliptic, sense
from kinetree.formats.urdf_xml import parse_xml
from kinetree.units import to_si

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
HIDDEN = ("defs", "clipPath", "mask", "pattern", "marker", "symbol")
INCH = 0.0254
SIZES = {"": INCH / 96, "px": INCH / 96, "pt": INCH / 72, "pc": INCH / 6, "in": INCH,
         "mm": 1e-3, "cm": 1e-2, "m": 1.0}  # fmt: skip
Affine = tuple[complex, complex, complex]
"""z -> a z + b conj(z) + c."""
PLAIN: Affine = (1 + 0j, 0j, 0j)


def read(text: str, where: str, name: str | None, unit: str | None) -> list[Outline]:
    """The outlines of an element or group, or of the whole drawing; in metres, y up."""
    root = parse_xml(text.encode(), where)
    scale = _scale(root, where) if unit is None else to_si(1.0, unit, f"{where} unit")[0]
    shapes = list(_shapes(root))
    if name is None and len(shapes) > 1:
        raise FormatError(f"it has {len(shapes)} outlines", element=where,
                          cure="give the name of one, its id")  # fmt: skip
    if name is not None:
        ids = list(dict.fromkeys(one for _, _, around in shapes for one in around))
        if name not in ids:
            raise unknown("id", name, ids, where)
        shapes = [row for row in shapes if name in row[2]]
    return [
        outline.map(scale, mirrored=True)
        for element, transforms, _ in shapes
        for outline in _draw(element, transforms, where)
    ]


def _tag(element: Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _shapes(root: Element) -> Iterator[tuple[Element, tuple[str, ...], tuple[str, ...]]]:
    """What is drawn, with the transforms and the ids of its groups and of itself."""
    stack: list[tuple[Element, tuple[str, ...], tuple[str, ...]]] = [(root, (), ())]
    while stack:
        row, transforms, ids = stack.pop()
        if _tag(row) in HIDDEN:
            continue
        transforms = (*transforms, row.get("transform", ""))
        ids = (*ids, row.attrib["id"]) if "id" in row.attrib else ids
        if _tag(row) in DRAWN:
            yield row, transforms, ids
        stack += [(child, transforms, ids) for child in reversed(row)]


def _transform(text: str, where: str) -> Affine:
    """The map of an attribute `transform`."""
    whole = PLAIN
    for word, inside in re.findall(r"(\w+)\s*\(([^)]*)\)", text):
        v = [float(x) for x in NUMBER.findall(inside)]
        whole = _compose(whole, _one_transform(word, v, where))
    return whole


def _one_transform(word: str, v: list[float], where: str) -> Affine:
    """One word of a transform; what it does to 1 and i."""
    if word == "matrix" and len(v) == 6:
        return _by_images(complex(v[0], v[1]), complex(v[2], v[3]), complex(v[4], v[5]))
    if word == "translate" and v:
        return (1 + 0j, 0j, complex(v[0], v[1] if len(v) > 1 else 0.0))
    if word == "scale" and v:
        return _by_images(v[0] + 0j, 1j * v[-1])
    if word in ("skewX", "skewY") and v:
        lean = tan(radians(v[0]))
        return _by_images(1 + 0j, lean + 1j) if word == "skewX" else _by_images(1 + 1j * lean, 1j)
    if word == "rotate" and v:
        turn = complex(np.exp(1j * radians(v[0])))
        middle = complex(v[1], v[2]) if len(v) == 3 else 0j
        return (turn, 0j, middle - turn * middle)
    raise FormatError(f"its transform '{word[:40]}' is not known", element=where,
                      cure="use matrix, translate, scale, rotate or skewX")  # fmt: skip


def _by_images(one: complex, i: complex, shift: complex = 0j) -> Affine:
    """The map that brings 1 and i there."""
    return ((one - 1j * i) / 2, (one + 1j * i) / 2, shift)


def _compose(outer: Affine, inner: Affine) -> Affine:
    """First `inner`, then `outer`."""
    (a, b, c), (p, q, r) = outer, inner
    return (a * p + b * q.conjugate(), a * q + b * p.conjugate(), a * r + b * r.conjugate() + c)


def _scale(root: Element, where: str) -> float:
    """Metres of a unit of the drawing."""
    width = re.fullmatch(r"\s*([-+.\deE]+)\s*([a-z%]*)\s*", root.get("width", ""))
    box = [float(x) for x in NUMBER.findall(root.get("viewBox", ""))]
    if width is None or width[2] == "%" or len(box) != 4 or not box[2]:
        return SIZES["px"]
    if width[2] not in SIZES:
        raise unknown("unit of its width", width[2], list(SIZES), where)
    return float(width[1]) * SIZES[width[2]] / box[2]


def _draw(element: Element, transforms: tuple[str, ...], where: str) -> Iterator[Outline]:
    """The outlines of one element, in units of the drawing."""
    name, affine = f"{where} {element.get('id') or _tag(element)}", PLAIN
    for text in transforms:
        affine = _compose(affine, _transform(text, name))
    yield from DRAWN[_tag(element)](element, affine, name)


def _value(element: Element, key: str) -> float:
    """A length in units of the drawing; 0 where none is given."""
    text = element.get(key, "0").strip()
    found = NUMBER.match(text)
    if found is None or text[found.end() :] not in ("", "px"):
        raise FormatError(f"its {key} is '{text[:40]}'", element=element.get("id") or _tag(element),
                          cure="give a number without a unit")  # fmt: skip
    return float(found[0])


def put(affine: Affine, z: Any) -> Any:
    """Where a map puts a place."""
    a, b, c = affine
    return a * z + b * np.conjugate(z) + c


def _path(element: Element, affine: Affine, where: str) -> Iterator[Outline]:
    yield from draw_path(element.get("d", ""), lambda z: put(affine, z), affine[:2], where)


def _corners(element: Element, affine: Affine, where: str) -> Iterator[Outline]:
    v = [float(x) for x in NUMBER.findall(element.get("points", ""))]
    spots = [complex(x, y) for x, y in zip(v[::2], v[1::2], strict=False)]
    if len(spots) < 2:
        raise FormatError("it has no corners", element=where, cure="give points")
    yield _straight(spots + spots[:1] * (_tag(element) == "polygon"), affine)


def _straight(spots: list[complex], affine: Affine) -> Outline:
    found = Outline.at(complex(put(affine, spots[0])))
    for spot in spots[1:]:
        found.line(complex(put(affine, spot)))
    return found


def _line(element: Element, affine: Affine, where: str) -> Iterator[Outline]:
    del where
    a, b = (complex(_value(element, f"x{k}"), _value(element, f"y{k}")) for k in (1, 2))
    yield _straight([a, b], affine)


def _rectangle(element: Element, affine: Affine, where: str) -> Iterator[Outline]:
    if _value(element, "rx") or _value(element, "ry"):
        raise FormatError("its corners are rounded", element=where, cure="convert it to a path")
    x, y, w, h = (_value(element, key) for key in ("x", "y", "width", "height"))
    corners = [complex(x, y), complex(x + w, y), complex(x + w, y + h), complex(x, y + h)]
    yield _straight([*corners, corners[0]], affine)


def _ellipse(element: Element, affine: Affine, where: str) -> Iterator[Outline]:
    centre = complex(_value(element, "cx"), _value(element, "cy"))
    round_one = _tag(element) == "circle"
    rx, ry = (_value(element, "r" if round_one else key) for key in ("rx", "ry"))
    found = Outline.at(complex(put(affine, centre + rx)))
    way = sense(affine[:2])
    if rx == ry and way:
        for spot in (centre - rx, centre + rx):
            found.line(complex(put(affine, spot)), float(way))
    else:
        found.curve(lambda t: put(affine, elliptic(centre, rx, ry, 0.0, 2 * np.pi * t)), where)
    yield found


DRAWN = {"path": _path, "line": _line, "polyline": _corners, "polygon": _corners,
         "rect": _rectangle, "circle": _ellipse, "ellipse": _ellipse}  # fmt: skip
