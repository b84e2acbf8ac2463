"""Recordings of a machine: times, coordinates, and efforts or the wrench on the ground.

| column of a file | what |
|---|---|
| time, t | times [s] |
| q.NAME, q_NAME, q3 | a coordinate, by its name or its number in the model (from 1, or from q0) |
| qd.…, qdd.… | a velocity, an acceleration, likewise |
| tau.… | an effort along a velocity [N.m or N] |
| current.… | a motor current [A]; the gain of its joint, known or not, makes it an effort |
| wrench.tx … wrench.fz | the wrench from the ground, about its origin, in its frame [N.m, N] |
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.identifying.data.data_units import (
    NAMED,
    column_factor,
    data_labels,
    time_factor,
)
from kinetree.analysis.identifying.data.raw_data import raw_columns
from kinetree.arrays import Array
from kinetree.errors import ModelError, ShapeError, unknown
from kinetree.results.dataset import PARTS

if TYPE_CHECKING:
    from kinetree.model import Mechanism

TIMES = ("time", "t")
"""Names of the column of times."""
FEWEST = 20
"""Rows that a recording has at least."""
UNKNOWN = "unknown"
"""A gain that is to be found."""


@dataclass(frozen=True)
class DataOptions:
    """How a user's data are to be read.

    Attributes:
        measured: "tau", "wrench", or "none" of a motion alone.
        renamed: name of a column in the data -> name as above.
        units: kind of a column, or name of one -> unit in which it is given.
        gains: effort per current by velocity [N.m/A or N/A], or "unknown".
        locked: coordinates that stand still and are not recorded -> their values.
        carried: bodies that the machine has in some recordings only -> their numbers, from 1.
    """

    measured: str = "tau"
    renamed: Mapping[str, str] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    gains: Mapping[str, float | str] = field(default_factory=dict)
    locked: Mapping[str, float] = field(default_factory=dict)
    carried: Mapping[str, Sequence[int]] = field(default_factory=dict)

    @property
    def open_gains(self) -> tuple[str, ...]:
        """Velocities whose gains are to be found."""
        return tuple(label for label, gain in self.gains.items() if gain == UNKNOWN)

    def absent(self, number: int) -> tuple[str, ...]:
        """Bodies that the machine does not carry in a recording of a number, from 1."""
        return tuple(body for body, runs in self.carried.items() if number not in runs)


@dataclass(frozen=True)
class RecordedMotion:
    """What was recorded, in SI units, one row per time.

    Attributes:
        name: for messages.
        time: rising [s].
        q: coordinates of the model.
        qd: velocities; none where they were not recorded.
        qdd: accelerations; likewise.
        measured: efforts along all velocities, or the wrench.
        currents: of motors whose gains are unknown, one column each [A]; their efforts are 0.
        absent: bodies of the model that were not carried.
        given: coordinates that were recorded or are locked; of a closed system the others follow.
        notes: what was done to the rows.
    """

    name: str
    time: Array
    q: Array
    qd: Array | None
    qdd: Array | None
    measured: Array
    currents: Array
    absent: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def read_recordings(model: Mechanism, data: Any, how: DataOptions) -> list[RecordedMotion]:
    """The recordings that a user means: one, or several in a list."""
    several = isinstance(data, Sequence) and not isinstance(data, str)
    rows = list(data) if several else [data]
    if not rows:
        raise ShapeError("it is empty", element="data", cure="give a file or a Dataset")
    names = [
        f"file '{row}'" if isinstance(row, str | Path) else f"data {k}" if several else "data"
        for k, row in enumerate(rows, 1)
    ]
    tables = [dict(raw_columns(row, name)) for row, name in zip(rows, names, strict=True)]
    for old in how.renamed:
        if not any(old in table for table in tables):  # each may have names of its own
            raise unknown("column", old, tables[0], f"columns of {names[0]}")
    found = [_read(model, table, name, how) for table, name in zip(tables, names, strict=True)]
    return [replace(row, absent=how.absent(k)) for k, row in enumerate(found, 1)]


def _read(
    model: Mechanism, table: Mapping[str, Any], name: str, how: DataOptions
) -> RecordedMotion:
    found = _columns(table, name, how)
    time = next((found[word] for word in TIMES if word in found), None)
    if time is None:
        raise _missing(name, "time", found)
    rows = _rise(time * time_factor(how.units), _tables(model, found, how), name)
    return _recording(model, name, rows, how)


def _columns(table: Mapping[str, Any], name: str, how: DataOptions) -> dict[str, Array]:
    """Columns by name, renamed."""
    found: dict[str, Array] = {}
    for old, values in table.items():
        new = how.renamed.get(old, old)
        if new in found:
            raise ModelError(
                f"two of them are called '{new}'",
                element=f"columns of {name}",
                cure="take another name, or leave one of them out",
            )
        try:
            found[new] = np.asarray(values, dtype=float)
        except (TypeError, ValueError) as error:
            raise ShapeError(f"'{old}' holds more than numbers", element=name) from error
    return found


def _tables(
    model: Mechanism, found: Mapping[str, Array], how: DataOptions
) -> dict[str, dict[str, Array]]:
    """Columns by kind and label, in SI units."""
    labels = data_labels(model)
    tables: dict[str, dict[str, Array]] = {kind: {} for kind in NAMED}
    first = {kind: int(not any(_number(name, kind) == 0 for name in found)) for kind in labels}
    for name, values in found.items():
        for kind, known in labels.items():
            label = _label(name, kind, known, first[kind])
            if label is not None:
                tables[kind][label] = values * column_factor(model, how.units, kind, label)
    return tables


def _label(name: str, kind: str, known: Sequence[str], first: int) -> str | None:
    """Which of the known labels a column is meant by; numbers begin with `first`."""
    tail = name.removeprefix(kind)
    if tail[1:] in known and tail != name and tail[0] in "._":
        return tail[1:]
    number = _number(name, kind)
    if number is None or not first <= number < first + len(known):
        return None
    return known[number - first]


def _number(name: str, kind: str) -> int | None:
    """The number that a column of a kind has instead of a name."""
    digits = name.removeprefix(kind).removeprefix("_").removeprefix(".")
    return int(digits) if digits.isdecimal() and digits != name else None


def _rise(
    time: Array, tables: Mapping[str, Mapping[str, Array]], name: str
) -> tuple[Array, dict[str, dict[str, Array]], tuple[str, ...]]:
    """Rows with rising times and without gaps in their numbers; what was done, in words."""
    good = np.isfinite(time)
    for table in tables.values():
        for label, column in table.items():
            if column.shape != time.shape:
                raise ShapeError(
                    f"'{label}' has {column.size} rows, time has {time.size}", element=name
                )
            if len(column) and not np.isfinite(column).any():
                raise ModelError(
                    f"its column of '{label}' is empty",
                    element=name,
                    cure="fill it, or leave it out",
                )
            good &= np.isfinite(column)
    notes = [f"{(~good).sum()} rows without numbers left out"] if not good.all() else []
    order = np.argsort(time[good], kind="stable")
    if (np.diff(order) < 0).any():
        notes.append("rows sorted by time")
    stamps, first, counts = np.unique(time[good][order], return_index=True, return_counts=True)
    if len(stamps) < len(order):
        notes.append(f"{len(order) - len(stamps)} rows with repeated times averaged")
    if not len(stamps):
        raise too_short(name, 0)

    def settle(column: Array) -> Array:
        return np.asarray(np.add.reduceat(column[good][order], first) / counts)

    rows = {kind: {key: settle(x) for key, x in table.items()} for kind, table in tables.items()}
    return stamps, rows, tuple(notes)


def _recording(
    model: Mechanism,
    name: str,
    rows: tuple[Array, dict[str, dict[str, Array]], tuple[str, ...]],
    how: DataOptions,
) -> RecordedMotion:
    """The recording, its columns in the order of the model."""
    time, tables, notes = rows
    q = {**{label: np.full(len(time), x) for label, x in how.locked.items()}, **tables["q"]}
    still = dict.fromkeys(_velocities(model, how.locked), np.zeros(len(time)))
    qd, qdd = (
        _table(model.velocities, {**still, **tables[kind]}) if tables[kind] else None
        for kind in ("qd", "qdd")
    )
    if model.closures and q:
        unknown_yet = {label: np.zeros(len(time)) for label in model.coordinates if label not in q}
        whole = _require(name, "q", model.coordinates, {**unknown_yet, **q})
    else:
        whole = _require(name, "q", model.coordinates, q)
    measured = _measurements(model, name, tables, how, len(time))
    currents = _currents(name, tables, how, len(time))
    return RecordedMotion(
        name, time, whole, qd, qdd, measured, currents, given=tuple(q), notes=notes
    )


def _velocities(model: Mechanism, locked: Mapping[str, float]) -> list[str]:
    """Velocities of the joints whose coordinates are locked."""
    return [v for joint in model.leaders if set(joint.coordinates) & set(locked)
            for v in joint.velocities]  # fmt: skip


def _table(labels: Sequence[str], found: Mapping[str, Array]) -> Array | None:
    """Columns in the order of labels; nothing where some are missing."""
    if any(label not in found for label in labels):
        return None
    return np.column_stack([found[label] for label in labels])


def _require(name: str, kind: str, labels: Sequence[str], found: Mapping[str, Array]) -> Array:
    """Columns in the order of labels; missing ones are refused."""
    table = _table(labels, found)
    if table is None:
        missing = next(label for label in labels if label not in found)
        also = f', or locked={{"{missing}": 0.0}} if it stands still' if kind == "q" else ""
        raise _missing(name, f"{kind}.{missing}", [f"{kind}.{label}" for label in found], also)
    return table


def _measurements(
    model: Mechanism,
    name: str,
    tables: Mapping[str, dict[str, Array]],
    how: DataOptions,
    size: int,
) -> Array:
    """The wrench, or efforts along all velocities; what loops leave passive has none."""
    if how.measured == "none":
        return np.zeros((size, 0))
    if how.measured == "wrench":
        return _require(name, "wrench", PARTS, tables["wrench"])
    efforts = dict(tables["tau"])
    for label in how.gains:
        if label not in tables["current"]:
            known = [f"current.{other}" for other in tables["current"]]
            raise _missing(name, f"current.{label}", known, f", or leave the gain of '{label}' out")
    for label, current in tables["current"].items():
        gain = how.gains.get(label)
        if gain is not None:
            _refuse_both(name, label, tables["tau"], "unknown" if gain == UNKNOWN else "given")
            efforts[label] = np.zeros(size) if gain == UNKNOWN else current * float(gain)
        elif label not in efforts:
            raise ModelError(
                f"the current of '{label}' has no gain",
                element=name,
                cure=f'give gains={{"{label}": …}} in N.m/A, or "unknown" to have it found',
            )
    idle = _velocities(model, how.locked)
    if model.closures and efforts:
        idle = [*idle, *model.velocities]
    whole = {**dict.fromkeys(idle, np.zeros(size)), **efforts}
    return _require(name, "tau", model.velocities, whole)


def _refuse_both(name: str, label: str, efforts: Mapping[str, Array], what: str) -> None:
    if label in efforts:
        raise ModelError(
            f"it has efforts of '{label}', and currents whose gain is {what}",
            element=name,
            cure=f"leave out the gain, or the column 'tau.{label}'",
        )


def _currents(
    name: str, tables: Mapping[str, dict[str, Array]], how: DataOptions, size: int
) -> Array:
    """Currents of motors whose gains are unknown, one column each."""
    if how.measured != "tau" or not how.open_gains:
        return np.zeros((size, 0))
    return _require(name, "current", how.open_gains, tables["current"])


def _missing(name: str, wanted: str, known: Any, also: str = "") -> ModelError:
    listed = ", ".join(known) or "none"
    return ModelError(
        f"it has no column '{wanted}' (it has {listed})",
        element=name,
        cure=f'name it so in the file, or give columns={{"name in the file": "{wanted}"}}{also}',
    )


def too_short(name: str, count: int) -> ModelError:
    """The error of a recording with too few rows."""
    return ModelError(
        f"it has {count} rows", element=name, cure=f"record at least {FEWEST}, better thousands"
    )
