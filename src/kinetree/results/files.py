"""Runs on disk: NetCDF keeps everything, CSV the curves."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.arguments import check_arguments
from kinetree.errors import FormatError
from kinetree.files import replacing, unreadable, write_file
from kinetree.plain import plain

if TYPE_CHECKING:
    import xarray

NETCDF = (".nc", ".h5")
SUFFIXES = (*NETCDF, ".csv")
LONGEST = 200
"""Characters of what a library says about a damaged file."""


def save_run(run: xarray.Dataset, path: str | Path) -> Path:
    """Write a run into a file: .nc (NetCDF, everything) or .csv (one column per curve).

    Returns:
        The path written.
    """
    check_arguments(save_run, locals())
    file = Path(path)
    if file.suffix not in SUFFIXES:
        raise _unknown_suffix(file)
    if file.suffix != ".csv":
        return write_file(file, _netcdf(run))
    with replacing(file) as part:
        _write_csv(run, part)
    return file


def load_run(path: str | Path) -> xarray.Dataset:
    """Read a run that `save_run` wrote as NetCDF, whole into memory.

    Raises:
        FormatError: for a file that cannot be read, is damaged, or holds no times.
    """
    check_arguments(load_run, locals())
    file = Path(path)
    if file.suffix not in NETCDF:
        raise _unknown_suffix(file, NETCDF)
    try:
        with file.open("rb"):
            pass
    except (OSError, ValueError) as error:
        raise unreadable(file, error) from error
    try:
        run = _open(file)
    except Exception as error:  # damage shows in every kind of exception
        said = " ".join(str(error).split())[:LONGEST]
        raise _unread(file, f"it cannot be read as NetCDF ({said})") from error
    time = run.coords.get("time")
    if time is None or time.dims != ("time",) or time.dtype.kind not in "fiu":
        raise _unread(file, "it holds no run, which has times in 'time'")
    return run


def _open(file: Path) -> xarray.Dataset:
    """The content of a NetCDF file."""
    import h5netcdf
    import xarray as xr
    from xarray.backends import H5NetCDFStore

    class Whole(h5netcdf.File):  # type: ignore[misc]
        """A file that can be closed even where it could not be opened to the end."""

        _writable = False

    with Whole(file, "r") as opened, xr.open_dataset(H5NetCDFStore(opened)) as run:
        return run.load()


def _unread(file: Path, problem: str) -> FormatError:
    return FormatError(problem, element=f"file '{file}'", cure="give a file that save_run wrote")


def columns(run: xarray.Dataset) -> tuple[list[str], Any]:
    """Names "variable.component" and values of all curves over time, the time first."""
    names, parts = ["time"], [np.asarray(run["time"])[:, None]]
    for name, variable in run.data_vars.items():
        if not over_time(variable):
            continue
        rows = np.asarray(variable).reshape(run.sizes["time"], -1)
        names += _names(run, str(name))
        parts.append(rows)
    return names, np.concatenate(parts, axis=1)


def over_time(variable: xarray.DataArray) -> bool:
    """Whether a variable holds numbers, rows of them for the times of a run."""
    return variable.dims[:1] == ("time",) and variable.dtype.kind in "biuf"


def _names(run: xarray.Dataset, name: str) -> list[str]:
    """Names of the columns of one variable, its dimensions joined by dots."""
    found = [name]
    for dimension in run[name].dims[1:]:
        entries = run[dimension].values if dimension in run.coords else range(run.sizes[dimension])
        found = [f"{stem}.{entry}" for stem in found for entry in entries]
    return found


def _netcdf(run: xarray.Dataset) -> bytes:
    """Everything, as NetCDF; made in memory, since HDF5 does not survive a disk that is full."""
    import h5netcdf
    from xarray.backends import H5NetCDFStore

    whole = io.BytesIO()
    with h5netcdf.File(whole, "w") as file:
        run.dump_to_store(H5NetCDFStore(file))
    return whole.getvalue()


def _write_csv(run: xarray.Dataset, file: Path) -> None:
    """Manifest as comment lines, a line of names, then numbers that read back exactly."""
    names, table = columns(run)
    with file.open("w", encoding="utf-8", newline="") as out:
        for key, value in run.attrs.items():
            out.write(f"# {plain(f'{key}: {value}')}\n")
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(names)
        writer.writerows([repr(float(x)) for x in row] for row in table)


def _unknown_suffix(file: Path, known: tuple[str, ...] = SUFFIXES) -> FormatError:
    return FormatError(
        f"'{file.suffix}' is not a valid format of runs",
        element=f"file '{file}'",
        cure=f"use {', '.join(known)}",
    )


__all__ = ["columns", "load_run", "over_time", "save_run"]
