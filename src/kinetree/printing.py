"""What the command line prints: tables, JSON documents, a line of progress, sentences."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rich.console import Console

Row = dict[str, Any]

NAMES = ("quantity", "formalism", "example")
"""Columns whose entries are never broken or cut."""


def stdout() -> Console:
    """Console on standard output."""
    from rich.console import Console

    return Console()


def stderr() -> Console:
    """Console on standard error."""
    from rich.console import Console

    return Console(stderr=True)


def print_json(data: Any) -> None:
    """One JSON document on standard output."""
    print(json.dumps(data, indent=2, ensure_ascii=False))


def print_table(title: str, rows: Sequence[Row]) -> None:
    """Rows of equal keys as a table; numbers to the right."""
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=None, padding=(0, 1, 0, 0))
    for name, value in (rows[0] if rows else {}).items():
        number = isinstance(value, int | float)
        table.add_column(
            name, justify="right" if number else "left", no_wrap=number or name in NAMES
        )
    for row in rows:
        table.add_row(*(f"{x:,}" if isinstance(x, int) else str(x) for x in row.values()))
    stdout().print(table)


@contextmanager
def working(*, show: bool) -> Iterator[Callable[[str], None]]:
    """A line on standard error that says what is being done, while it is being done."""
    if not show:
        yield lambda _: None
        return
    with stderr().status("") as status:
        yield status.update


def os_sentence(error: OSError) -> str:
    """What the operating system refused, as one sentence."""
    place = f"file '{error.filename}': " if error.filename else ""
    return f"{place}{error.strerror or error}."
