"""Text that others chose (names, units, notes, titles) made fit for what it is written into.

A model file may hold any text, so every border that writes some goes through here, or through the
`comment` and `string` of the language that it writes: names stay data.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from html import escape
from typing import Any

LONGEST = 40
"""Rows of a table of HTML at most."""
DIGITS = 8
"""Hexadecimal digits that tell apart names that were cut."""
MARKS = re.compile(r"[\\`*\[\]|~$]|(?<![^\W_])_|_(?![^\W_])")
"""What Markdown takes for more than text; an underscore inside a word is none of it."""


def plain(text: str) -> str:
    """One line of printable characters, with blanks for all others.

    These are line ends, controls, marks that turn the direction of writing, and lone surrogates.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else " " for c in text)


def markup(text: str) -> str:
    """Text as the content of an element or attribute of HTML, MathML or XML."""
    return escape(plain(text))


def markdown(text: str) -> str:
    """Text in a heading or a cell of Markdown, without marks and without HTML."""
    return escape(MARKS.sub(r"\\\g<0>", plain(text)), quote=False)


def cell(text: str) -> str:
    """Text as one cell of comma-separated values."""
    one = plain(text)
    return '"{}"'.format(one.replace('"', '""')) if '"' in one or "," in one else one


def json_text(data: Any, **options: Any) -> str:
    """A JSON document; characters that do not print are spelled by their numbers."""
    text = json.dumps(data, ensure_ascii=False, **options)
    return "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text)


def html_table(title: str, rows: Sequence[Mapping[str, object]]) -> str:
    """Rows of equal keys as a table of HTML, at most `LONGEST` of them."""
    head = "".join(f"<th>{markup(key)}</th>" for key in rows[0]) if rows else ""
    body = "".join(
        f"<tr>{''.join(f'<td>{markup(_value(value))}</td>' for value in row.values())}</tr>"
        for row in rows[:LONGEST]
    )
    more = f"<p>… {len(rows) - LONGEST} more</p>" if len(rows) > LONGEST else ""
    caption = f"<caption>{markup(title)}</caption>"
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def html_frame(page: str, height: int) -> str:
    """A whole page inside another one, so high [px], which it cannot reach."""
    style = f"width:100%;height:{height}px;border:0"
    return f'<iframe sandbox="allow-scripts" style="{style}" srcdoc="{escape(page)}"></iframe>'


def _value(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def digits(text: str) -> str:
    """A digest of a text: what tells apart names that look alike once they are spelled."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]


def shorten(name: str, longest: int, whole: str) -> str:
    """A name of at most so many letters; one that is cut ends in a digest of what it stands for."""
    if len(name) <= longest:
        return name
    return f"{name[: longest - DIGITS - 1]}_{digits(whole)}"
