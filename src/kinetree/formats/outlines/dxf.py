"""Outlines of DXF files: lines, arcs, circles, ellipses, polylines and splines of one layer.

A file is pairs of lines, a code and a value.  Lines and arcs whose ends meet make one outline, in
the direction of the first.  Lengths are in the unit of the file ($INSUNITS).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from math import cos, pi, radians, sin, tan
from typing import Any

import numpy as np

from kinetree.errors import FormatError, unknown
from kinetree.formats.outlines.outline import JOINED, Outline
from kinetree.units import to_si

UNITS = {1: "in", 2: "ft", 4: "mm", 5: "cm", 6: "m", 14: "dm"}
"""$INSUNITS -> unit."""
CodePair = tuple[int, str]


class Entity:
    """One entity: its kind, and the values of its codes in order."""

    def __init__(self, kind: str, pairs: Sequence[CodePair], where: str) -> None:
        self.kind, self.pairs, self.where = kind, pairs, where
        self.layer = next((value for code, value in pairs if code == 8), "0")

    def all(self, code: int) -> list[float]:
        """All numbers of a code."""
        return [number(value, self.where) for key, value in self.pairs if key == code]

    def one(self, code: int, otherwise: float = 0.0) -> float:
        """The first number of a code."""
        return next(iter(self.all(code)), otherwise)

    def spot(self, code: int = 10) -> complex:
        """The place whose x has this code."""
        return complex(self.one(code), self.one(code + 10))

    def spots(self, code: int) -> list[complex]:
        """All places whose x has this code."""
        return [complex(x, y) for x, y in zip(self.all(code), self.all(code + 10), strict=True)]


def read(text: str, where: str, name: str | None, unit: str | None) -> list[Outline]:
    """The outlines of a layer, or of the whole drawing; in metres."""
    pairs = _pairs(text, where)
    scale, _ = to_si(1.0, unit or _unit(pairs, where), f"{where} unit")
    entities = list(_entities(pairs, where))
    if name is not None:
        layers = list(dict.fromkeys(row.layer for row in entities))
        if name not in layers:
            raise unknown("layer", name, layers, where)
        entities = [row for row in entities if row.layer == name]
    pieces = list[Outline]()
    for row in entities:
        if row.kind not in MAKERS:
            raise FormatError(
                f"{row.kind} of layer '{row.layer}' is not a valid outline", element=where,
                cure=f"keep {', '.join(MAKERS)} on the layer that is named",
            )  # fmt: skip
        if row.one(230, 1.0) < 0:
            raise FormatError(f"{row.kind} of layer '{row.layer}' is seen from below",
                              element=where, cure="draw it from above")  # fmt: skip
        pieces.append(MAKERS[row.kind](row).map(scale))
    return _join(pieces)


def number(text: str, where: str) -> float:
    """The number of a value."""
    try:
        value = float(text)
    except ValueError:
        value = np.nan
    if not np.isfinite(value):
        raise FormatError(f"{text[:40]!r} is not a number", element=where, cure="export it again")
    return value


def _pairs(text: str, where: str) -> list[CodePair]:
    """Codes and values."""
    lines = [line.strip() for line in text.splitlines()]
    try:
        found = [(int(code), value) for code, value in zip(lines[::2], lines[1::2], strict=False)]
    except ValueError:
        found = []
    if not found:
        cure = "export it as ASCII DXF"
        raise FormatError("it is not a DXF file of text", element=where, cure=cure)
    return found


def _unit(pairs: Sequence[CodePair], where: str) -> str:
    """The unit that the file says."""
    for (_, word), (_, value) in pairwise(pairs):
        if word == "$INSUNITS" and (code := int(number(value, where))) in UNITS:
            return UNITS[code]
    raise FormatError("it does not say its unit", element=where, cure="give unit, such as 'mm'")


def _entities(pairs: Sequence[CodePair], where: str) -> Iterator[Entity]:
    """What is drawn: the rows of the section ENTITIES; vertices go with their polyline."""
    inside, kind, rows = False, "", list[CodePair]()
    for k, (code, value) in enumerate(pairs):
        if code == 2 and k and pairs[k - 1] == (0, "SECTION"):
            inside = value == "ENTITIES"
        if code != 0:
            rows.append((code, value))
        elif kind != "POLYLINE" or value not in ("VERTEX", "SEQEND"):
            if kind:
                yield Entity(kind, rows, where)
            kind, rows = (value if inside and value not in ("ENDSEC", "EOF") else ""), []
        if (code, value) == (0, "ENDSEC"):
            inside = False


def _line(row: Entity) -> Outline:
    found = Outline.at(row.spot())
    found.line(row.spot(11))
    return found


def _arc(row: Entity) -> Outline:
    first, last = radians(row.one(50)), radians(row.one(51))
    return _about(row.spot(), row.one(40), first, (last - first) % (2 * pi))


def _circle(row: Entity) -> Outline:
    return _about(row.spot(), row.one(40), 0.0, 2 * pi)


def _about(centre: complex, radius: float, first: float, span: float) -> Outline:
    """An arc in two halves, so that a full circle is one too."""
    spots = [centre + radius * complex(cos(a), sin(a)) for a in first + span * np.arange(3) / 2]
    found = Outline.at(spots[0])
    for spot in spots[1:]:
        found.line(spot, tan(span / 8))
    return found


def _ellipse(row: Entity) -> Outline:
    a, b = row.spot(11), 1j * row.spot(11) * row.one(40)
    first, last = row.one(41), row.one(42, 2 * pi)
    turn = (last - first) % (2 * pi) or 2 * pi

    def along(t: Any) -> Any:
        angle = first + turn * np.asarray(t)
        return row.spot() + a * np.cos(angle) + b * np.sin(angle)

    found = Outline.at(complex(along(0.0)))
    found.curve(along, row.where)
    return found


def _polyline(row: Entity) -> Outline:
    """Corners in their order, each with the bulge (42) that follows it."""
    corners = list[list[float]]()
    for code, value in row.pairs:
        if code == 10:
            corners.append([number(value, row.where), 0.0, 0.0])
        elif code in (20, 42) and corners:
            corners[-1][1 if code == 20 else 2] = number(value, row.where)
    if row.kind == "POLYLINE":
        corners = corners[1:]  # the first place is that of the whole
    if not corners:
        raise FormatError("a polyline has no corners", element=row.where, cure="export it again")
    if int(row.one(70)) & 1:
        corners.append(corners[0])
    found = Outline.at(complex(*corners[0][:2]))
    for (*_, bulge), (x, y, _) in pairwise(corners):
        found.line(complex(x, y), bulge)
    return found


def _spline(row: Entity) -> Outline:
    """A curve by control points and knots, or through points where it has these alone."""
    from scipy.interpolate import BSpline, CubicSpline  # noqa: PLC0415  loaded where it is needed

    knots, control, through = row.all(40), np.array(row.spots(10)), np.array(row.spots(11))
    weights = np.array(row.all(41) or [1.0] * len(control))
    degree = int(row.one(71, 3))
    if len(control) and len(knots) == len(control) + degree + 1 == len(weights) + degree + 1:
        above, below = (BSpline(knots, c, degree) for c in (control * weights, weights))
        first, last = knots[degree], knots[-degree - 1]
        value: Callable[[Any], Any] = lambda s: above(s) / below(s)  # noqa: E731
    elif len(through) > 1:
        s = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(through)))])
        value, first, last = CubicSpline(s, through), 0.0, float(s[-1])
    else:
        raise FormatError("a spline has no knots that fit its control points", element=row.where,
                          cure="export it again")  # fmt: skip
    found = Outline.at(complex(value(first)))
    found.curve(lambda t: value(first + (last - first) * np.asarray(t)), row.where)
    return found


MAKERS: dict[str, Callable[[Entity], Outline]] = {
    "LINE": _line,
    "ARC": _arc,
    "CIRCLE": _circle,
    "ELLIPSE": _ellipse,
    "LWPOLYLINE": _polyline,
    "POLYLINE": _polyline,
    "SPLINE": _spline,
}


def _join(pieces: list[Outline]) -> list[Outline]:
    """Outlines of the pieces whose ends meet."""
    near = JOINED * max((piece.extent for piece in pieces), default=0.0)
    found = list[Outline]()
    left = list(pieces)
    while left:
        whole = left.pop(0)
        while not whole.closed and (more := _next(whole, left, near)) is not None:
            left.pop(more[0])
            for spot, bulge in more[1]:
                whole.line(spot, bulge)
        found.append(whole)
    return found


def _next(
    whole: Outline, left: Sequence[Outline], near: float
) -> tuple[int, list[tuple[complex, float]]] | None:
    """Which piece goes on where an outline ends, and by which corners."""
    for k, piece in enumerate(left):
        for way in (piece, piece.reverse()):
            if abs(way.start - whole.end) <= near:
                ends = [*(spot for spot, _ in way.rows[1:]), way.end]
                return k, [(b, bulge) for (_, bulge), b in zip(way.rows, ends, strict=True)]
    return None
