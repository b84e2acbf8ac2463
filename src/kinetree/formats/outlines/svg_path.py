"""The attribute `d` of paths of SVG: lines, cubic and quadratic Bézier curves, elliptic arcs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from math import radians, tan
from typing import Any

import numpy as np

from kinetree.errors import FormatError
from kinetree.formats.outlines.outline import Outline

TOKEN = re.compile(r"([A-Za-z])|([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)|[\s,]+")
COUNTS = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "S": 4, "Q": 4, "T": 2, "A": 7, "Z": 0}
"""Command -> how many numbers it takes."""
FLAGS = (3, 4)
"""Numbers of an arc that are one digit, which the next number may follow without a blank."""
NEARLY = 1e-9
"""Share of a map that is taken for none."""
Put = Callable[[Any], Any]


def sense(linear: tuple[complex, complex]) -> int:
    """1 of a map z -> a z + b conj(z) that keeps circles, -1 if it turns them over, 0 of others."""
    a, b = abs(linear[0]), abs(linear[1])
    return 1 if b <= NEARLY * a else -1 if a <= NEARLY * b else 0


def elliptic(centre: complex, rx: float, ry: float, turn: float, angle: Any) -> Any:
    """Places of an ellipse whose axes are turned [rad]."""
    return centre + np.exp(1j * turn) * (rx * np.cos(angle) + 1j * ry * np.sin(angle))


def draw_path(
    text: str, put: Put, linear: tuple[complex, complex], where: str
) -> Iterator[Outline]:
    """The outlines of a path, mapped by `put`.

    Args:
        text: the attribute.
        put: map of the drawing.
        linear: a and b of its linear part, z -> a z + b conj(z).
        where: how sentences call it.
    """
    pen = _Pen(put, linear, where)
    for command, numbers in _commands(text, where):
        done = pen.do(command, numbers)
        if done is not None:
            yield done
    if pen.found is not None and pen.found.rows:
        yield pen.found


def _commands(text: str, where: str) -> Iterator[tuple[str, list[float]]]:
    """Commands with their numbers; repeated ones are spelt out."""
    at, command = 0, ""
    values: list[float] = []
    while at < len(text):
        flag = command.upper() == "A" and len(values) in FLAGS and text[at] in "01"
        found = TOKEN.match(text, at)
        if found is None or (found[2] and not command):
            raise FormatError(f"its path reads '{text[at : at + 20]}'", element=where,
                              cure="export it again")  # fmt: skip
        at = at + 1 if flag else found.end()
        if found[1]:
            if found[1].upper() not in COUNTS or values:
                raise FormatError(f"its path has the command '{found[1]}' there", element=where,
                                  cure="export it again")  # fmt: skip
            command = found[1]
        elif flag or found[2]:
            values.append(float(text[at - 1] if flag else found[2]))
        if command and len(values) == COUNTS[command.upper()] and (found[1] or values):
            if values or command in "Zz":
                yield command, values
            values = []
            command = {"M": "L", "m": "l"}.get(command, command) if found[2] or flag else command
    if values:
        raise FormatError("its path ends amid its numbers", element=where, cure="export it again")


class _Pen:
    """Where a path is, and what it has drawn since it began."""

    def __init__(self, put: Put, linear: tuple[complex, complex], where: str) -> None:
        self.put, self.linear, self.where = put, linear, where
        self.at = self.begin = 0j
        self.found: Outline | None = None
        self.control: tuple[str, complex] = ("", 0j)

    def do(self, command: str, v: list[float]) -> Outline | None:
        """One command; an outline that is finished by it."""
        kind, base = command.upper(), self.at if command.islower() else 0j
        if kind == "M":
            done, self.found = self.found, None
            self.at = self.begin = base + complex(*v)
            return done if done is not None and done.rows else None
        if self.found is None:
            self.found = Outline.at(complex(self.put(self.at)))
        before, self.control = self.control, ("", 0j)
        if kind == "Z":
            self.line(self.begin)
            done, self.found = self.found, None
            return done
        if kind in "HV":
            x, y = (base.real + v[0], self.at.imag) if kind == "H" else (
                self.at.real, base.imag + v[0])  # fmt: skip
            self.line(complex(x, y))
        elif kind == "L":
            self.line(base + complex(*v))
        elif kind == "A":
            self.arc(v, base + complex(*v[5:]))
        else:
            self.bezier(kind, [base + complex(x, y) for x, y in zip(v[::2], v[1::2], strict=True)],
                        before)  # fmt: skip
        return None

    def line(self, to: complex) -> None:
        """A straight edge."""
        assert self.found is not None
        self.found.line(complex(self.put(to)))
        self.at = to

    def bezier(self, kind: str, spots: list[complex], before: tuple[str, complex]) -> None:
        """A Bézier curve; S and T mirror the control point of the curve before."""
        if kind in "ST":
            family = "CS" if kind == "S" else "QT"
            mirrored = 2 * self.at - before[1] if before[0] and before[0] in family else self.at
            spots = [mirrored, *spots]
        P = [self.at, *spots]
        weights = (1, 3, 3, 1) if len(P) == 4 else (1, 2, 1)
        n = len(P) - 1

        def along(t: Any) -> Any:
            t = np.asarray(t, dtype=float)
            whole = sum(
                w * p * (1 - t) ** (n - k) * t**k
                for k, (w, p) in enumerate(zip(weights, P, strict=True))
            )
            return self.put(whole)

        self.curve(along, P[-1])
        self.control = (kind, P[-2])

    def curve(self, along: Callable[[Any], Any], to: complex) -> None:
        """Any curve, as arcs."""
        assert self.found is not None
        self.found.curve(along, self.where)
        self.at = to

    def arc(self, v: list[float], to: complex) -> None:
        """An elliptic arc by its radii, the turn of its axes, two flags and its end."""
        rx, ry, turn = abs(v[0]), abs(v[1]), radians(v[2])
        if not rx or not ry or to == self.at:
            return self.line(to)
        level = [complex(z * np.exp(-1j * turn)) for z in (self.at, to)]
        a, b = (complex(z.real / rx, z.imag / ry) for z in level)  # on the unit circle
        half = abs(b - a) / 2
        if half > 1:  # radii too small for their chord are enlarged
            rx, ry, a, b, half = rx * half, ry * half, a / half, b / half, 1.0
        side = 1 if bool(v[3]) != bool(v[4]) else -1
        middle = (a + b) / 2 + side * 1j * (b - a) / (2 * half) * np.sqrt(max(1 - half**2, 0.0))
        first, span = np.angle(a - middle), float(np.angle((b - middle) / (a - middle)))
        if (span > 0) != bool(v[4]):
            span += 2 * np.pi if v[4] else -2 * np.pi
        sign = sense(self.linear)
        if rx == ry and sign:
            assert self.found is not None
            halfway = np.exp(1j * turn) * rx * (middle + np.exp(1j * (first + span / 2)))
            for spot in (complex(halfway), to):
                self.found.line(complex(self.put(spot)), sign * tan(span / 8))
            self.at = to
            return None
        centre = np.exp(1j * turn) * complex(rx * middle.real, ry * middle.imag)
        return self.curve(
            lambda t: self.put(elliptic(centre, rx, ry, turn, first + span * np.asarray(t))), to
        )
