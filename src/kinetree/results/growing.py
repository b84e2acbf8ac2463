"""A run on disk while it is made: whatever ends the program, what was written can be opened.

Rows over time go into complete files, the parts, in a folder beside the file of the run.  The file
itself has everything else and shows the rows of all parts as its own (virtual datasets of HDF5), so
that every reader of NetCDF sees one run.  A part is complete before a file shows it, and both take
their places by renaming: at any moment the file shows complete parts.  In the end one file of the
usual kind holds all of it, and the parts go.
"""

from __future__ import annotations

import io
import itertools
import os
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.files import PART, discard, write_file
from kinetree.results.files import filling, netcdf_bytes, over_time

if TYPE_CHECKING:
    import xarray

FOLDER = ".parts"
"""What the name of the folder adds to the name of the file."""
PATTERNS = ("rows-*.h5", f".*{PART}*")
"""Names of the parts, and of what was being written when a program was killed."""
EVERY = 1.0
"""Time between two moments of writing [s]."""
SHARE = 20.0
"""They are further apart than this many times what writing takes."""
WHOLE = 2**24
"""Bytes of rows that make a part [B]; fewer rows are written again with those that follow."""
SPREAD = ("lam",)
"""Variables that get more components on the way; they are 0 before."""


@dataclass(frozen=True)
class _Part:
    """Rows on disk: the file, and the shape of every variable over time in it."""

    path: Path
    shapes: Mapping[str, tuple[int, ...]]

    @property
    def rows(self) -> int:
        """How many rows it has."""
        return self.shapes["time"][0]


class GrowingRun:
    """The file of a run that is being made.

    Attributes:
        path: of the file.
        parts: what is on disk already and stays as it is.
    """

    def __init__(self, path: Path) -> None:
        self.path = Path(os.path.realpath(path))
        self.parts: list[_Part] = []
        self._folder = self.path.with_name(self.path.name + FOLDER)
        token = secrets.token_hex(4)
        self._names = (f"rows-{token}-{k}.h5" for k in itertools.count())
        # nothing takes the place of a pipe or a device: that is written once, at the end
        self._next = np.inf if self.path.exists() and not self.path.is_file() else 0.0

    def due(self, size: int) -> bool:
        """Whether it is time to write, or rows of that size [B] make a part."""
        return time.perf_counter() >= self._next or (self._next < np.inf and size >= WHOLE)

    def show(self, rows: xarray.Dataset) -> bool:
        """Let the file show these rows behind all parts.

        Returns:
            Whether they have become a part; if not, they are given again next time, with more.
        """
        began = time.perf_counter()
        names = _names(rows)
        path = write_file(self._folder / next(self._names), _hdf5(rows, names))
        part = _Part(path, {name: rows[name].shape for name in names})
        self._replace(self._index(rows, [*self.parts, part]))
        discard(self._older({part.path, *(part.path for part in self.parts)}))
        now = time.perf_counter()
        self._next = now + max(EVERY, SHARE * (now - began))
        if rows.nbytes < WHOLE:
            return False
        self.parts.append(part)
        return True

    def finish(self, rows: xarray.Dataset) -> Path:
        """Put all parts and these rows behind them into one file; the parts go."""
        if self.parts:
            self._merge(rows)
        else:
            self._replace(netcdf_bytes(rows))
        discard([*self._older(set()), self._folder])
        return self.path

    def _older(self, kept: set[Path]) -> list[Path]:
        """Parts of this run and of others before it in its place, but those that are kept."""
        found = itertools.chain.from_iterable(map(self._folder.glob, PATTERNS))
        return [path for path in found if path not in kept]

    def _replace(self, content: bytes) -> None:
        """Write the file of the run; what a killed program leaves of that is among the parts."""
        write_file(self.path, content, by=self._folder)

    def _index(self, rows: xarray.Dataset, parts: Sequence[_Part]) -> bytes:
        """A file that shows the rows of parts as its own."""
        import h5py

        made = io.BytesIO(netcdf_bytes(rows.drop_dims("time")))
        with h5py.File(made, "r+") as file:
            for name in _names(rows):
                fill = 0.0 if name in SPREAD else np.nan
                layout = self._layout(name, rows[name], parts)
                file.create_virtual_dataset(name, layout, fillvalue=fill)
                file[name].attrs.update(rows[name].attrs)
            file["time"].make_scale("time")
            for name in _names(rows)[1:]:
                for k, dimension in enumerate(rows[name].dims):
                    file[name].dims[k].attach_scale(file[str(dimension)])
        return made.getvalue()

    def _layout(self, name: str, variable: xarray.DataArray, parts: Sequence[_Part]) -> Any:
        """Where the rows of a variable come from."""
        import h5py

        total = sum(part.rows for part in parts)
        layout = h5py.VirtualLayout((total, *variable.shape[1:]), variable.dtype)
        first = 0
        for part in parts:
            shape = part.shapes[name]
            place = (slice(first, first + part.rows), *(slice(size) for size in shape[1:]))
            source = f"{self._folder.name}/{part.path.name}"
            layout[place] = h5py.VirtualSource(source, name, shape, variable.dtype)
            first += part.rows
        return layout

    def _merge(self, rows: xarray.Dataset) -> None:
        """One file of all parts and these rows, variable by variable and part by part."""
        from xarray.backends import H5NetCDFStore

        with filling(self.path, self._folder) as file:
            rows.drop_dims("time").dump_to_store(H5NetCDFStore(file))
            count = sum(part.rows for part in self.parts) + rows.sizes["time"]
            file.dimensions["time"] = count
            for name in _names(rows):
                made = file.create_variable(
                    name, rows[name].dims, rows[name].dtype, fillvalue=np.nan
                )
                for key, value in rows[name].attrs.items():
                    made.attrs[key] = value
                first = 0
                for values in filter(len, self._values(name, rows[name])):
                    made[first : first + len(values)] = values
                    first += len(values)

    def _values(self, name: str, last: xarray.DataArray) -> Iterator[Any]:
        """Rows of a variable part by part, with all the components that it has at the end."""
        import h5py

        for part in self.parts:
            with h5py.File(part.path, "r") as file:
                found = file[name][...]
            more = np.subtract(last.shape[1:], found.shape[1:])
            yield np.pad(found, [(0, 0), *((0, size) for size in more)])
        yield last.values


def _hdf5(rows: xarray.Dataset, names: Sequence[str]) -> bytes:
    """The values of variables alone, as HDF5."""
    import h5py

    made = io.BytesIO()
    with h5py.File(made, "w") as file:
        for name in names:
            file[name] = rows.variables[name].values
    return made.getvalue()


def _names(rows: xarray.Dataset) -> list[str]:
    """Variables over time, the time first."""
    return ["time", *(str(n) for n in rows.data_vars if over_time(rows.variables[n]))]
