"""Runs on disk: NetCDF keeps everything, CSV the curves."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.arguments import check_arguments
from kinetree.errors import FormatError
from kinetree.files import replacing, unreadable, write_file
from kinetree.plain import plain
from kinetree.results.dataset import refuse_many
from kinetree.results.heaps import has_endless_heap

if TYPE_CHECKING:
    import xarray

NETCDF = (".nc", ".h5")
SUFFIXES = (*NETCDF, ".csv", ".mat")
LONGEST_NAME = 63
"""Characters of a name in MATLAB."""
LONGEST = 200
"""Characters of what a library says about a damaged file."""


def save_run(run: xarray.Dataset, path: str | Path) -> Path:
    """Write a run into a file: .nc (NetCDF, everything), .csv (a column per curve), or .mat.

    A .mat file of MATLAB has the variables as arrays over time, and in `names` those of their
    components.

    Returns:
        The path written.
    """
    check_arguments(save_run, locals())
    file = Path(path)
    if file.suffix not in SUFFIXES:
        raise _unknown_suffix(file)
    writers = {".csv": _write_csv, ".mat": _write_mat}
    if file.suffix not in writers:
        return write_file(file, netcdf_bytes(run))
    with replacing(file) as part:
        writers[file.suffix](run, part)
    return file


def load_run(path: str | Path) -> xarray.Dataset:
    """Read a run that `save_run` wrote as NetCDF, whole into memory.

    Raises:
        FormatError: for a file that cannot be read, is damaged, or holds no times.
    """
    check_arguments(load_run, locals())
    return _load_rows(Path(path), slice(None))


def load_last(path: str | Path) -> xarray.Dataset:
    """The last row of such a run; see `load_run`."""
    return _load_rows(Path(path), slice(-1, None))


def _load_rows(file: Path, rows: slice) -> xarray.Dataset:
    """Rows of a run in a file."""
    refuse_suffix(file)
    try:
        endless = has_endless_heap(file)
    except (OSError, ValueError) as error:
        raise unreadable(file, error) from error
    if endless:
        raise _unread(file, "its texts are damaged")
    try:
        run = _open(file, rows)
        missing = _missing(file)
    except Exception as error:  # damage shows in every kind of exception
        said = " ".join(str(error).split())[:LONGEST]
        raise _unread(file, f"it cannot be read as NetCDF ({said})") from error
    if missing:
        raise FormatError(
            f"the run was not finished, and its rows in '{missing}' are missing",
            element=f"file '{file}'",
            cure="put the folder with the parts of the run beside it",
        )
    time = run.coords.get("time")
    if time is None or time.dims != ("time",) or time.dtype.kind not in "fiu":
        raise _unread(file, "it holds no run, which has times in 'time'")
    return run


def refuse_suffix(file: Path) -> None:
    """Refuse a file that is not a NetCDF file by its name."""
    if file.suffix not in NETCDF:
        raise _unknown_suffix(file, NETCDF)


def load_lazily(path: Path) -> xarray.Dataset:
    """A run in a NetCDF file whose variables are read when they are asked for."""
    import xarray as xr

    return _with_plain_facts(xr.open_dataset(path, engine="h5netcdf"))


def _with_plain_facts(run: xarray.Dataset) -> xarray.Dataset:
    """The run with the numbers of its manifest as they were before they were written."""
    rows = run.attrs.items()
    run.attrs = {k: value.item() if isinstance(value, np.generic) else value for k, value in rows}
    return run


def _open(file: Path, rows: slice) -> xarray.Dataset:
    """The content of a NetCDF file, with some of the rows over time."""
    import h5netcdf
    import xarray as xr
    from xarray.backends import H5NetCDFStore

    class Whole(h5netcdf.File):  # type: ignore[misc]
        """A file that can be closed even where it could not be opened to the end."""

        _writable = False

    with Whole(file, "r") as opened, xr.open_dataset(H5NetCDFStore(opened)) as run:
        return _with_plain_facts(run.isel(time=rows, missing_dims="ignore").load())


def _missing(file: Path) -> str:
    """A part of a run which is not there, though the file shows its rows; empty: all are there."""
    import h5py

    with h5py.File(file, "r") as opened:
        time = opened.get("time")
        shown = time is not None and getattr(time, "is_virtual", False)
        sources = [row.file_name for row in time.virtual_sources()] if shown else []
    folder = Path(os.path.realpath(file)).parent
    return next((name for name in sources if not (folder / name).is_file()), "")


def _unread(file: Path, problem: str) -> FormatError:
    return FormatError(problem, element=f"file '{file}'", cure="give a file that save_run wrote")


def columns(run: xarray.Dataset) -> tuple[list[str], Any]:
    """Names "variable.component" and values of all curves over time, the time first."""
    names, parts = ["time"], [np.asarray(run["time"])[:, None]]
    for _, own, rows in tables(run):
        names += own
        parts.append(rows)
    return names, np.concatenate(parts, axis=1)


def tables(run: xarray.Dataset) -> Iterator[tuple[str, list[str], Any]]:
    """Every variable over time: its name, the names of its columns, and these, not copied."""
    refuse_many(run)
    count, plain = run.sizes.get("time", 0), run.variables  # to join one with its axes looks at all
    for key in run.data_vars:
        variable = plain[key]
        if over_time(variable):
            rows = np.asarray(variable).reshape(count, -1)
            yield str(key), _names(run, str(key)), rows


def over_time(variable: xarray.DataArray | xarray.Variable) -> bool:
    """Whether a variable holds numbers, rows of them for the times of a run."""
    return variable.dims[:1] == ("time",) and variable.dtype.kind in "biuf"


def _names(run: xarray.Dataset, name: str) -> list[str]:
    """Names of the columns of one variable, its dimensions joined by dots."""
    found = [name]
    for dimension in run.variables[name].dims[1:]:
        known = dimension in run.coords
        entries = run.variables[dimension].values if known else range(run.sizes[dimension])
        found = [f"{stem}.{entry}" for stem in found for entry in entries]
    return found


def netcdf_bytes(run: xarray.Dataset) -> bytes:
    """Everything, as NetCDF; made in memory, since HDF5 does not survive a disk that is full."""
    import h5netcdf
    from xarray.backends import H5NetCDFStore

    whole = io.BytesIO()
    with h5netcdf.File(whole, "w") as file:
        run.dump_to_store(H5NetCDFStore(file))
    return whole.getvalue()


@contextmanager
def filling(path: Path, by: Path) -> Iterator[Any]:
    """A NetCDF file to fill, in the folder `by` until it takes its place at the end."""
    import h5netcdf

    with replacing(path, by=by) as part, part.open("r+b", buffering=0) as disk:
        raw = _Disk(disk)
        with h5netcdf.File(raw, "w") as file:
            yield file
        if raw.refusal is not None:
            raise raw.refusal


class _Disk(io.RawIOBase):
    """A file for HDF5, which does not survive a refusal to write: it is kept and told later."""

    def __init__(self, file: io.FileIO) -> None:
        self.file = file
        self.refusal: OSError | None = None

    def seek(self, offset: int, whence: int = 0) -> int:
        return self.file.seek(offset, whence)

    def tell(self) -> int:
        return self.file.tell()

    def readinto(self, buffer: Any) -> int | None:
        return self.file.readinto(buffer)

    def truncate(self, size: int | None = None) -> int:
        with self._keep_refusal():
            self.file.truncate(size)
        return size or 0

    def write(self, data: Any) -> int:
        rest = memoryview(data).cast("B")
        size = len(rest)
        with self._keep_refusal():
            while rest and self.refusal is None:
                rest = rest[self.file.write(rest) :]
        return size

    @contextmanager
    def _keep_refusal(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            self.refusal = self.refusal or error


def _write_csv(run: xarray.Dataset, file: Path) -> None:
    """Manifest as comment lines, a line of names, then numbers that read back exactly."""
    names, table = columns(run)
    with file.open("w", encoding="utf-8", newline="") as out:
        for key, value in run.attrs.items():
            out.write(f"# {plain(f'{key}: {value}')}\n")
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(names)
        writer.writerows([repr(float(x)) for x in row] for row in table)


def _write_mat(run: xarray.Dataset, file: Path) -> None:
    """Variables over time as arrays, names of their components as cells, and the manifest."""
    from scipy.io import savemat

    refuse_many(run)
    rows = {str(name): run.variables[name] for name in run.data_vars}
    curves = {name: row for name, row in rows.items() if over_time(row)}
    names = {
        name: np.array([str(x) for x in run.variables[row.dims[1]].values], dtype=object)
        for name, row in curves.items()
        if row.ndim == 2 and row.dims[1] in run.coords
    }
    spelled = {_field(name): row.values for name, row in curves.items()}
    attrs = {_field(str(name)): value for name, value in run.attrs.items()}
    labels = {_field(name): row for name, row in names.items()}
    content = {"time": run["time"].values, **spelled, "names": labels, "manifest": attrs}
    savemat(file, content, long_field_names=True, oned_as="column")


def _field(name: str) -> str:
    """A name as MATLAB takes it: letters, digits and underscores, a letter first."""
    word = re.sub(r"\W", "_", name, flags=re.ASCII)
    return (word if word[:1].isalpha() else f"x{word}")[:LONGEST_NAME]


def _unknown_suffix(file: Path, known: tuple[str, ...] = SUFFIXES) -> FormatError:
    return FormatError(
        f"'{file.suffix}' is not a valid format of runs",
        element=f"file '{file}'",
        cure=f"use {', '.join(known)}",
    )
