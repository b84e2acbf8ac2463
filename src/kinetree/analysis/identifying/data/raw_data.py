"""Data as users have them (files, Datasets, DataFrames, mappings) as columns by name."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kinetree.arrays import Array
from kinetree.errors import FormatError, ShapeError
from kinetree.files import unreadable
from kinetree.results.dataset import refuse_many
from kinetree.results.files import columns, load_run


def raw_columns(data: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Columns of a file, a Dataset, a DataFrame, or a mapping of columns or of tables.

    Args:
        data: of the user.
        name: of it, for messages.
    """
    if isinstance(data, str | Path):
        file = Path(data)
        if file.suffix in (".nc", ".h5"):
            yield from raw_columns(load_run(file), name)
        else:
            yield from read_csv_columns(file)
    elif hasattr(data, "data_vars"):
        refuse_many(data, name)
        names, table = columns(data)
        yield from zip(names, table.T, strict=True)
    elif isinstance(data, Mapping) or (hasattr(data, "columns") and hasattr(data, "items")):
        for key, value in data.items():
            yield from _spread(str(key), value)
    else:
        raise ShapeError(
            f"{type(data).__name__} is not a valid recording",
            element=name,
            cure="give a .csv or .nc file, a Dataset, a DataFrame, or a mapping with time, q, tau",
        )


def _spread(key: str, value: Any) -> Iterator[tuple[str, Any]]:
    """A column, or the columns of a table, numbered or by name."""
    if isinstance(value, Mapping):
        yield from ((f"{key}.{name}", column) for name, column in value.items())
    elif np.ndim(value) == 2:
        numbered = enumerate(np.transpose(value), 1)
        yield from ((f"{key}{number}", column) for number, column in numbered)
    else:
        yield key, value


def read_csv_columns(file: Path) -> Iterator[tuple[str, Array]]:
    """Columns of a file with a line of names; what is empty or no number is a gap."""
    try:
        lines = [row for row in file.read_text(encoding="utf-8-sig").splitlines() if row.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise unreadable(file, error) from error
    lines = _with_names_first(lines)
    mark = next((m for m in (";", "\t", ",") if lines and m in lines[0]), None)
    names = _names(lines[0], mark) if lines else []
    if mark == ";" and not any("." in row for row in lines[1:]):
        lines = [lines[0], *(row.replace(",", ".") for row in lines[1:])]  # decimal commas
    if len(lines) < 2 or not any(re.search(r"[A-Za-z]", word) for word in names):
        raise FormatError(
            "it has no line of names above rows of numbers",
            element=f"file '{file}'",
            cure="begin with a line such as time,q.shoulder,tau.shoulder",
        )
    try:
        table = np.loadtxt(lines[1:], delimiter=mark, ndmin=2)
    except ValueError:
        table = np.atleast_2d(np.genfromtxt(lines[1:], delimiter=mark, invalid_raise=False))
    if table.shape[1] != len(names):
        raise FormatError(
            f"its rows have {table.shape[1]} columns, but {len(names)} names",
            element=f"file '{file}'",
            cure="give as many names as columns",
        )
    _refuse_twice(names, file)
    yield from zip(names, table.T, strict=True)


def _names(line: str, mark: str | None) -> list[str]:
    """Names of columns; one in quotes may have the mark in it that divides them."""
    words = line.split() if mark is None else next(csv.reader([line], delimiter=mark))
    return [word.strip().strip('"') for word in words]


def _refuse_twice(names: Sequence[str], file: Path) -> None:
    """Refuse columns of one name, of which only the last would be seen."""
    twice = next((name for name in names if name and names.count(name) > 1), None)
    if twice is not None:
        raise FormatError(
            f"{names.count(twice)} columns are called '{twice}'",
            element=f"file '{file}'",
            cure="give each a name of its own",
        )


def _with_names_first(lines: Sequence[str]) -> list[str]:
    """Lines without comments; the last comment has the names where no other line does."""
    notes = [row.lstrip("#").strip() for row in lines if row.startswith("#")]
    rows = [row for row in lines if not row.startswith("#")]
    if notes and rows and not re.search(r"[A-DF-Za-df-z]", rows[0]):  # e stands in numbers, too
        return [notes[-1], *rows]
    return rows
