"""Parts of a sweep in a folder: each whole or not at all.

`sweep.json` says what is swept.  A part is one NetCDF file, written beside its place, on the disk,
and then named: a file that is there is whole.  Killed at any moment, a sweep goes on with the parts
that are missing.  When all are there they become one file or one zarr store, part by part, so that
memory does not grow with the number of runs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.errors import FormatError, ModelError, UnsupportedError
from kinetree.files import discard_parts, read_text, replacing_folder, write_file
from kinetree.results.files import filling, load_lazily, netcdf_bytes

if TYPE_CHECKING:
    import xarray

    from kinetree.analysis.sweeping.found import PartRows
    from kinetree.arrays import Array

HEAD = "sweep.json"
CHUNK = 65536
"""Runs that stand together in the file at the end."""


class SweepParts:
    """The parts of one sweep, in a folder or in memory."""

    def __init__(self, folder: Path | None, task: Mapping[str, Any], count: int, size: int) -> None:
        self.folder, self.count, self.size = folder, count, size
        self._kept: dict[int, xarray.Dataset] = {}
        if folder is not None:
            _open(folder, dict(task))

    @property
    def numbers(self) -> range:
        """Numbers of all parts."""
        return range(-(-self.count // self.size))

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

    def check_values(self, rows: Callable[[int, int], Array], names: Sequence[str]) -> None:
        """Refuse parts whose runs have other values than the plan gives now."""
        for number in self.numbers if self.folder is not None else ():
            if not self.has(number):
                continue
            first = number * self.size
            part = _read(self._path(number))
            own = np.column_stack([part[name].values for name in names])
            if not np.array_equal(own, rows(first, first + self.size)[: len(own)]):
                raise _other(self.folder, ["plan"])

    def whole(self, store: str, facts: Mapping[str, Any]) -> xarray.Dataset:
        """All parts that are there as one Dataset; of a folder it reads what it is asked for.

        Args:
            store: "netcdf" or "zarr", of a folder.
            facts: attributes.
        """
        if self.folder is None:
            found = [self._kept[number] for number in sorted(self._kept)]
            return _join(found).assign_attrs(facts)
        files = [self._path(number) for number in self.numbers]
        return STORES[store](self.folder, files, self.count, facts)


def read_parts(folder: Path) -> xarray.Dataset:
    """What a folder holds so far, as one Dataset."""
    if not (folder / HEAD).exists():
        raise ModelError(
            "it holds no sweep", element=f"folder '{folder}'", cure=f"name one with {HEAD}"
        )
    files = sorted(folder.glob("part-*.nc"))
    known = _head(folder)
    if not files:
        raise ModelError(
            "no part of it is there yet", element=f"folder '{folder}'", cure="wait, or sweep again"
        )
    plan = known["plan"]
    facts = {"plan": plan["kind"], "seed": plan["seed"], "runs": plan["count"]}
    return _join([_read(file) for file in files]).assign_attrs(facts)


def _join(parts: Sequence[xarray.Dataset]) -> xarray.Dataset:
    import xarray as xr

    return xr.concat(parts, "run", combine_attrs="override", coords="different", compat="equals")


def _read(file: Path) -> xarray.Dataset:
    import xarray as xr

    try:
        with xr.open_dataset(file, engine="h5netcdf") as part:
            return part.load()
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        raise _damage(file) from error


def _head(folder: Path) -> dict[str, Any]:
    """What is swept into a folder."""
    try:
        known = json.loads(read_text(folder / HEAD))
        return {**known, "plan": dict(known["plan"])}
    except (ValueError, KeyError, TypeError) as error:
        raise _damage(folder / HEAD) from error


def _damage(file: Path) -> FormatError:
    what = "the folder" if file.name == HEAD else "it"
    return FormatError(
        "it is damaged", element=f"file '{file}'", cure=f"delete {what} and sweep again"
    )


def _open(folder: Path, task: dict[str, Any]) -> None:
    """Begin the folder, or refuse that of another sweep."""
    if folder.exists() and not folder.is_dir():
        raise ModelError("it is not a valid folder", element=f"folder '{folder}'", cure="name one")
    head = folder / HEAD
    text = json.dumps(task, indent=1)
    if folder.exists():
        discard_parts(folder)
    if not head.exists():
        if folder.exists() and any(folder.iterdir()):
            raise ModelError(
                "it holds other files", element=f"folder '{folder}'", cure="take an empty one"
            )
        write_file(head, text)
    known = _head(folder)
    other = [key for key in task if known.get(key) != json.loads(text)[key]]
    if other:
        raise _other(folder, other)


def _other(folder: Path | None, what: Sequence[str]) -> ModelError:
    return ModelError(
        f"it belongs to another sweep: {', '.join(what)} differ{'s' if len(what) == 1 else ''}",
        element=f"folder '{folder}'",
        cure="take another folder, or delete it",
    )


# --- the end -------------------------------------------------------------------------------------


def _netcdf(
    folder: Path, files: Sequence[Path], count: int, facts: Mapping[str, Any]
) -> xarray.Dataset:
    """One NetCDF file of all parts."""
    import h5py

    path = folder / "sweep.nc"
    if path.exists():
        return load_lazily(path)
    with filling(path, folder) as file:
        file.dimensions = {"run": count}
        file.attrs.update(facts)
        for part in map(_read, files):
            first = int(part["run"][0])
            for name, column in part.variables.items():
                text = column.dtype.kind in "OU"
                if name not in file.variables:
                    kind = h5py.string_dtype() if text else column.dtype
                    made = file.create_variable(
                        str(name), ("run",), kind, chunks=(min(count, CHUNK),)
                    )
                    if name in part.data_vars:
                        made.attrs["coordinates"] = " ".join(
                            str(key) for key in part.coords if key != "run"
                        )
                values = column.values.astype(object) if text else column.values
                file.variables[str(name)][first : first + len(values)] = values
    return load_lazily(path)


def _zarr(
    folder: Path, files: Sequence[Path], count: int, facts: Mapping[str, Any]
) -> xarray.Dataset:
    """One zarr store of all parts."""
    import xarray as xr

    try:
        import zarr
    except ImportError as error:
        raise UnsupportedError(
            "it needs the package zarr, which is not installed",
            element="store 'zarr'",
            cure="install kinetree[sweep]",
        ) from error
    del zarr
    path = folder / "sweep.zarr"
    if not path.exists():
        with replacing_folder(path) as part:
            for number, rows in enumerate(_blocks(files, min(count, CHUNK))):
                first: dict[str, Any] = {"mode": "w"} if not number else {"append_dim": "run"}
                rows.assign_attrs(facts).to_zarr(part, consolidated=False, zarr_format=3, **first)
    found: xarray.Dataset = xr.open_zarr(path, consolidated=False, chunks=None)
    return found


def _blocks(files: Sequence[Path], size: int) -> Iterator[xarray.Dataset]:
    """Parts joined to about as many runs as stand together, texts of any length."""
    held: list[xarray.Dataset] = []
    for file in files:
        part = _read(file)
        held.append(part.assign(reason=("run", part["reason"].values.astype(object))))
        if sum(row.sizes["run"] for row in held) >= size:
            yield _join(held)
            held = []
    if held:
        yield _join(held)


STORES = {"netcdf": _netcdf, "zarr": _zarr}
"""What all parts become at the end."""


def part_dataset(first: int, names: Sequence[str], rows: Array, found: PartRows) -> xarray.Dataset:
    """Runs of a part: measures by name, parameters as coordinates, why a run failed.

    Args:
        first: number of its first run.
        names: what varies.
        rows: its values, one row per run.
        found: measures and reasons.
    """
    import xarray as xr

    coords: dict[str, Any] = {"run": np.arange(first, first + len(rows))}
    coords |= {name: ("run", rows[:, k]) for k, name in enumerate(names)}
    data: dict[str, Any] = {name: ("run", values) for name, values in found.values.items()}
    data["reason"] = ("run", np.array(found.reasons, dtype=object).astype(str))
    return xr.Dataset(data, coords)
