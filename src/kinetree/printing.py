"""What the command line prints: tables, JSON documents, a line of progress, sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

from kinetree.plain import json_text, plain

if TYPE_CHECKING:
    from rich.console import Console

TableRow = dict[str, Any]

NAMES = ("quantity", "formalism", "example")
"""Columns whose entries are never broken or cut."""
SHORT = {"preamble": "once", "derive s": "s"}
"""Headings where a screen of 80 columns needs them."""


def console(*, error: bool = False) -> Console:
    """Console on standard output, or on standard error."""
    from rich.console import Console

    return Console(stderr=error)


def print_json(data: Any) -> None:
    """One JSON document on standard output."""
    print(json_text(data, indent=2))


def print_table(title: str, rows: Sequence[TableRow]) -> None:
    """Rows of equal keys as a table; numbers to the right."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 1, 0, 0))
    for name, value in (rows[0] if rows else {}).items():
        number = isinstance(value, int | float)
        side: Literal["left", "right"] = "right" if number else "left"
        table.add_column(SHORT.get(name, name), justify=side, no_wrap=number or name in NAMES)
    for row in rows:
        table.add_row(*(Text(plain(str(x))) for x in row.values()))
    say(title, style="italic")
    console().print(table)


def say(text: object, *, error: bool = False, style: str = "") -> None:
    """Lines as they stand: names in them may look like markup or like commands of a terminal."""
    from rich.text import Text

    lines = "\n".join(map(plain, str(text).split("\n")))
    console(error=error).print(Text(lines, style=style), soft_wrap=True)


def warn(note: str) -> None:
    """One warning on standard error."""
    say(f"warning: {note}", error=True)


@contextmanager
def working(*, show: bool) -> Iterator[Callable[[str], None]]:
    """A line on standard error that says what is being done, while it is being done."""
    if not show:
        yield lambda _: None
        return
    from rich.text import Text

    from kinetree.work import hearing

    said = ""
    with console(error=True).status("") as status:

        def say_text(text: str) -> None:
            nonlocal said
            said = text
            status.update(Text(plain(text)))

        with hearing(lambda work: status.update(Text(plain(f"{said} ({work})")))):
            yield say_text


def os_sentence(error: OSError) -> str:
    """What the operating system refused, as one sentence."""
    place = f"file '{error.filename}': " if error.filename else ""
    return f"{place}{error.strerror or error}."
