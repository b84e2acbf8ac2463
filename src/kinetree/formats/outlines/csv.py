"""Outlines of tables: a row per corner, x and y and, where an arc follows, its bulge.

Columns are parted by commas, semicolons, tabs or blanks; lines that begin with # and a first line
of names are passed over.
"""

from __future__ import annotations

import re
from itertools import pairwise

from kinetree.errors import FormatError
from kinetree.formats.outlines.outline import Outline
from kinetree.units import to_si


def read(text: str, where: str, name: str | None, unit: str | None) -> list[Outline]:
    """The outline of a table; lengths are metres unless a unit is given."""
    if name is not None:
        raise FormatError("a table has one outline", element=where, cure="leave name out")
    scale, _ = to_si(1.0, unit or "m", f"{where} unit")
    rows = list[list[float]]()
    lines = [line.strip() for line in text.splitlines()]
    for number, line in enumerate(lines, 1):
        if not line or line.startswith("#"):
            continue
        words = [word for word in re.split(r"[,;\t ]+", line) if word]
        try:
            rows.append([float(word) for word in words])
        except ValueError:
            if rows or any(re.fullmatch(r"[-+.\d].*", word) for word in words):
                raise FormatError(
                    f"line {number} holds {line[:40]!r}", element=where, cure="give numbers"
                ) from None
            continue
        if len(words) not in (2, 3):
            raise FormatError(f"line {number} has {len(words)} columns", element=where,
                              cure="give x, y and, where an arc follows, its bulge")  # fmt: skip
    if not rows:
        raise FormatError("it has no rows of numbers", element=where, cure="give x and y per line")
    found = Outline.at(complex(*rows[0][:2]) * scale)
    for row, (x, y, *_) in pairwise(rows):
        found.line(complex(x, y) * scale, row[2] if len(row) == 3 else 0.0)
    return [found]
