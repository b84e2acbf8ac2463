"""Tables on the screen and JSON in the results folder."""

from __future__ import annotations

import json
import os
import platform
import time
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from benchmarks.models import RESULTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

PACKAGES = ("numpy", "llvmlite", "pin", "casadi")
console = Console(highlight=False, width=None if os.isatty(1) else 180)


def show(title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print a table; the first column is text, the others numbers."""
    table = Table(title=title, title_justify="left", header_style="bold")
    for k, name in enumerate(columns):
        table.add_column(name, justify="right" if k else "left", no_wrap=k < 2)
    for row in rows:
        table.add_row(*(cell(x) for x in row))
    console.print(table)


def cell(x: Any) -> str:
    """A value as short text."""
    if x is None:
        return "-"
    if isinstance(x, float):
        return f"{x:.3g}" if abs(x) < 1000 else f"{x:,.0f}"
    return str(x)


def verdict(value: float | None, wanted: float | None) -> str:
    """A ratio with the least one wanted, and whether it is reached."""
    if value is None:
        return "-"
    text = f"{value:.2f}"
    if wanted is None:
        return text
    mark, colour = ("ok", "green") if value >= wanted else ("short of", "red")
    return f"{text} [{colour}]{mark} {wanted:g}[/{colour}]"


def machine() -> dict[str, str]:
    """What the numbers depend on."""
    versions = {name: metadata.version(name) for name in PACKAGES}
    return {"processor": processor(), "python": platform.python_version(), **versions}


def processor() -> str:
    """The processor's name, where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def save(name: str, content: dict[str, Any]) -> Path:
    """Write the results as JSON; returns the path."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S")
    path.write_text(json.dumps({"when": stamp, "machine": machine(), **content}, indent=1) + "\n")
    return path
