"""Parts of a sweep in a folder: each whole or not at all.

`sweep.json` says what is swept.  A part is one NetCDF file, written beside its place, on the disk,
and then named: a file that is there is whole.  Killed at any moment, a sweep goes on with the parts
that are missing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.errors import ModelError
from kinetree.files import read_text, write_file
from kinetree.results.files import netcdf_bytes

if TYPE_CHECKING:
    import xarray

    from kinetree.arrays import Array

HEAD = "sweep.json"


class SweepParts:
    """The parts of one sweep, in a folder or in memory."""

    def __init__(self, folder: Path | None, task: Mapping[str, Any], count: int, size: int) -> None:
        self.folder, self.count, self.size = folder, count, size
        self._kept: dict[int, xarray.Dataset] = {}
        if folder is not None:
            self._open(folder, dict(task))

    def _open(self, folder: Path, task: dict[str, Any]) -> None:
        """Begin the folder, or refuse that of another sweep."""
        folder.mkdir(parents=True, exist_ok=True)
        head = folder / HEAD
        text = json.dumps(task, indent=1)
        if not head.exists():
            if any(folder.iterdir()):
                raise ModelError(
                    "it holds other files", element=f"folder '{folder}'", cure="take an empty one"
                )
            write_file(head, text)
        known = json.loads(read_text(head))
        other = [key for key in task if known.get(key) != json.loads(text)[key]]
        if other:
            raise ModelError(
                f"it belongs to another sweep: {', '.join(other)} differ",
                element=f"folder '{folder}'",
                cure="take another folder, or delete it",
            )

    @property
    def numbers(self) -> range:
        """Numbers of all parts."""
        return range(-(-self.count // self.size))

    def span(self, number: int) -> tuple[int, int]:
        """First run of a part, and the first behind it."""
        return number * self.size, min((number + 1) * self.size, self.count)

    def has(self, number: int) -> bool:
        """Whether a part is there."""
        return number in self._kept or (self.folder is not None and self._path(number).exists())

    def add(self, number: int, part: xarray.Dataset) -> None:
        """Keep a part."""
        if self.folder is None:
            self._kept[number] = part
        else:
            write_file(self._path(number), netcdf_bytes(part))

    def _path(self, number: int) -> Path:
        assert self.folder is not None
        return self.folder / f"part-{number:06d}.nc"

    def whole(self) -> xarray.Dataset:
        """All parts that are there as one Dataset."""
        import xarray as xr

        found = []
        for number in self.numbers:
            if number in self._kept:
                found.append(self._kept[number])
            elif self.has(number):
                with xr.open_dataset(self._path(number)) as part:
                    found.append(part.load())
        return xr.concat(
            found, "run", combine_attrs="override", coords="different", compat="equals"
        )


def part_dataset(
    first: int,
    names: Sequence[str],
    rows: Array,
    measures: Mapping[str, Array],
    reasons: Sequence[str],
) -> xarray.Dataset:
    """Runs of a part: measures by name, parameters as coordinates, why a run failed.

    Args:
        first: number of its first run.
        names: what varies.
        rows: its values, one row per run.
        measures: name -> one value per run.
        reasons: empty where a run did not fail.
    """
    import xarray as xr

    coords: dict[str, Any] = {"run": np.arange(first, first + len(rows))}
    coords |= {name: ("run", rows[:, k]) for k, name in enumerate(names)}
    data: dict[str, Any] = {name: ("run", values) for name, values in measures.items()}
    data["reason"] = ("run", np.array(reasons, dtype=object).astype(str))
    return xr.Dataset(data, coords)
