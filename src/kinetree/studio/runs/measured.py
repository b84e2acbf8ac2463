"""Measured curves as a run: a table of numbers with a line of names."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from kinetree.analysis.identifying.data.raw_data import read_csv_columns
from kinetree.arrays import Array
from kinetree.errors import FormatError
from kinetree.results.files import columns, load_run, save_run

TIMES = ("time", "t", "zeit", "temps")
"""Names of the column of times."""
NAME_AND_UNIT = re.compile(r"\s*(.+?)\s*[\[(]([^\])]*)[\])]\s*\Z")
"""A heading such as "q.heave [m]"."""
COMMA = re.compile(r"(?<=\d),(?=\d)")
"""A decimal comma, where columns are divided by something else."""


def measured_run(name: str, content: str, renamed: dict[str, str], target: Path) -> list[str]:
    """Write measured curves as a run.

    Args:
        name: of the source, for errors.
        content: text of a table, with a line of names; columns divided by comma, semicolon or tab.
        renamed: heading -> name of a signal such as q.heave.
        target: .nc file to write.

    Returns:
        Notes of columns that have rows without a number.

    Raises:
        FormatError: where it is no such table, or has no times that rise.
    """
    first = next((row for row in content.splitlines() if row.strip()), "")
    if ";" in first or "\t" in first:
        content = COMMA.sub(".", content)
    with TemporaryDirectory() as place:
        file = Path(place) / "measured.csv"
        file.write_text(content, encoding="utf-8")
        try:
            found = dict(read_csv_columns(file))
        except FormatError as error:
            raise FormatError(error.problem, element=name, cure=error.cure) from None
    return _write(name, found, renamed, target)


def run_of_file(file: Path, renamed: dict[str, str], target: Path) -> list[str]:
    """The same from a .csv or .nc file."""
    if not file.is_file():
        raise FormatError("there is no such file", element=f"file '{file.name}'",
                          cure="name one of the folder")  # fmt: skip
    if file.suffix == ".csv":
        text = file.read_text(encoding="utf-8-sig", errors="replace")
        return measured_run(f"file '{file.name}'", text, renamed, target)
    names, table = columns(load_run(file))
    return _write(f"file '{file.name}'", dict(zip(names, table.T, strict=True)), renamed, target)


def _write(name: str, found: dict[str, Array], renamed: dict[str, str], target: Path) -> list[str]:
    import xarray as xr  # noqa: PLC0415  a studio starts without it

    values: dict[str, tuple[Array, str]] = {}
    for heading, column in found.items():
        spelled = NAME_AND_UNIT.match(heading)
        word, unit = (spelled[1], spelled[2]) if spelled else (heading.strip(), "")
        values[renamed.get(heading, renamed.get(word, word))] = (column, unit)
    key = next((word for word in values if word.lower() in TIMES), None)
    if key is None:
        raise FormatError(
            "it has no column of times", element=name, cure="call one of its columns time"
        )
    time = values.pop(key)[0]
    kept = np.isfinite(time)
    if not kept.any() or np.any(np.diff(time[kept]) <= 0):
        raise FormatError("its times do not rise", element=name, cure="sort its rows by time")
    data = {
        word: ("time", np.asarray(column, dtype=float)[kept], {"units": unit})
        for word, (column, unit) in values.items()
    }
    run = xr.Dataset(data, {"time": ("time", time[kept], {"units": "s"})}, {"source": name})
    save_run(run, target)
    lost = {word: int(np.isnan(column.values).sum()) for word, column in run.data_vars.items()}
    return [f"'{word}': {count} of {kept.sum()} rows have no number"
            for word, count in lost.items() if count]  # fmt: skip
