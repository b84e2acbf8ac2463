"""Studies of many runs, and films: `python -m kinetree.studio.runs.studies NAME OPTIONS RUN`.

The model is model.yaml of the present folder; how far a study is goes to progress.json, what it
has so far to partial.json, what it finds is printed as JSON.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.identify import identify
from kinetree.analysis.optimise import optimise
from kinetree.analysis.sensitivity import sensitivity
from kinetree.analysis.sweep import load_sweep, sweep
from kinetree.analysis.sweeping.plans import grid, latin_hypercube, sobol
from kinetree.errors import FormatError, KinetreeError
from kinetree.files import write_file
from kinetree.formats.edits.entries import yaml_text
from kinetree.formats.edits.values import MISSING, differences
from kinetree.formats.yaml_file import read, save
from kinetree.measures import measure
from kinetree.results.files import load_run
from kinetree.studio.runs.worker import PARTIAL
from kinetree.units import to_si
from kinetree.view.page import animate

if TYPE_CHECKING:
    import xarray

    from kinetree.model import Model

MEASURE = re.compile(r"\s*(?:(\w+)\s*=\s*)?(\w+\s*\(.*\).*?)\s*\Z")
"""A measure such as travel=peak(q_wheel)."""
LIMIT = re.compile(r"(.*?)\s*(<=|>=|==)\s*(\S+)\s*\Z")
"""A measure with its bound, such as travel=peak(q_wheel) <= 0.08."""
GRID_MOST = 10_000
BESIDE = 3
"""Folders from that of a run up to that of the model file, less one."""
PAUSE = 1.0
"""Least time between two of what a study keeps while it goes [s]."""
WORTH = 10.0
"""The same, as a multiple of the time that keeping takes."""


class SoFar:
    """What a study has found so far, kept on the disk: one that is cancelled has that."""

    def __init__(self) -> None:
        self._give: Callable[[], dict[str, Any]] | None = None
        self._due = 0.0

    def keep(self, give: Callable[[], dict[str, Any]]) -> None:
        """Take what there is now, and write it unless that was done a moment ago."""
        self._give = give
        if time.monotonic() >= self._due:
            self.write()

    def write(self) -> None:
        """Write what there is."""
        if self._give is None:
            return
        began = time.monotonic()
        write_file(Path(PARTIAL), json.dumps(self._give(), default=float))
        self._due = began + max(PAUSE, WORTH * (time.monotonic() - began))


SO_FAR = SoFar()


def run_sensitivity(model: Model, given: dict[str, Any], _: str) -> dict[str, Any]:
    """Values of measures and their derivatives."""
    found = sensitivity(
        model, given["duration"], measures_of(given["measures"]), by=list_of(given["by"]),
        method=given.get("method") or "auto", **_starts(given),
    )  # fmt: skip
    return {"measures": _table(found)}


def run_sweep(model: Model, given: dict[str, Any], _: str) -> dict[str, Any]:
    """Measures of many variants."""
    ranges, count = ranges_of(given["over"]), int(given.get("runs", 32))
    plan = given.get("plan") or "sobol"
    if plan == "grid":
        if count ** len(ranges) > GRID_MOST:
            raise FormatError(
                f"a grid of {count} values of {len(ranges)} names has too many runs",
                element="sweep runs", cure=f"take at most {GRID_MOST} in all",
            )  # fmt: skip
        steps = {n: np.linspace(*ends, count).tolist() for n, ends in ranges.items()}
        made = grid(steps)
    else:
        made = (sobol if plan == "sobol" else latin_hypercube)(ranges, count)
    folder = Path("sweep")

    def so_far() -> dict[str, Any]:
        found = load_sweep(folder)
        return {"runs": _rows(found, [*ranges, *found.data_vars])}

    def count_runs(done: int, whole: int) -> None:
        tell(done / whole)
        SO_FAR.keep(so_far)

    found = sweep(
        model, given["duration"], made, measures_of(given["measures"]), into=folder,
        part=max(1, min(32, count // 8)), progress=count_runs, **_starts(given),
    )  # fmt: skip
    return {"runs": _rows(found, [*ranges, *found.data_vars])}


def run_optimise(model: Model, given: dict[str, Any], _: str) -> dict[str, Any]:
    """Values for which a measure is least."""
    most = int(given.get("evaluations", 100))
    ranges = ranges_of(given["over"])
    made = 0
    best: tuple[float, float, dict[str, float]] = (np.inf, np.inf, {})

    def count(row: Mapping[str, Any]) -> None:
        nonlocal made, best
        made += 1
        tell(min(1.0, made / most))
        here = (float(row["violation"]), float(row.get("value", np.inf)))
        if here < best[:2]:
            best = (*here, dict(zip(ranges, row["x"], strict=True)))
        SO_FAR.keep(so_far)

    def so_far() -> dict[str, Any]:
        said = f"the best of {made} evaluations so far"
        return _best(model, best[2], best[1], made) | {"converged": False, "message": said}

    (objective,) = measures_of(given["objective"]).values()
    found = optimise(
        model, given["duration"], objective, over=ranges,
        subject_to=limits_of(given.get("subject_to", "")),
        method=given.get("method") or "auto", evaluations=most, progress=count, **_starts(given),
    )  # fmt: skip
    told = _best(model, found.parameters, float(found.value), made)
    return told | {"converged": bool(found.converged), "message": str(found.message)}


def _best(
    model: Model, values: Mapping[str, float], least: float, evaluations: int
) -> dict[str, Any]:
    """Values for which a measure is least, and the edit that enters them."""
    operations = [["set", path, value] for path, value in _edits(model, values)]
    return {
        "parameters": dict(values), "value": least, "evaluations": evaluations,
        "operations": operations,
    }  # fmt: skip


def run_identify(model: Model, given: dict[str, Any], run: str) -> dict[str, Any]:
    """Parameters of a machine from a recording."""
    rubbing = list_of(given.get("friction", ""))
    unknown_friction = () if rubbing == ["none"] else tuple(rubbing)
    friction: dict[str, Any] = {"friction": unknown_friction} if rubbing else {}
    found = identify(
        model, run, given.get("method") or "least_squares",
        bodies=list_of(given.get("bodies", "")) or None, rotors=bool(given.get("rotors")),
        **friction,
    )  # fmt: skip
    rows = [
        {"parameter": name, "value": value, "deviation": found.deviations.get(name),
         "meaning": found.sums.get(name, name)}
        for name, value in found.parameters.items()
    ]  # fmt: skip
    return {
        "parameters": rows, "idle": list(found.idle), "untold": list(found.untold),
        "operations": operations_to(found.model),
    }  # fmt: skip


def operations_to(model: Any) -> list[list[Any]]:
    """Operations that bring the text model.yaml to another model of the same elements."""
    text = Path("model.yaml").read_text(encoding="utf-8")
    file = Path("found.yaml")
    write_file(file, text)
    save(model, file)  # what is equal keeps its words
    before, after = (yaml_text(t).plain.data for t in (text, file.read_text(encoding="utf-8")))
    return [
        ["unset", list(path)] if new is MISSING else ["set", list(path), new]
        for path, new in differences(before, after)
    ]


def run_film(model: Model, given: dict[str, Any], run: str) -> dict[str, Any]:
    """A run as a film, with the shapes that lie beside the model."""
    beside = Path.cwd().parents[BESIDE]
    file = animate(model, load_run(run), Path(f"film.{given.get('kind') or 'gif'}"), shapes=beside)
    return {"file": file.name, "size B": file.stat().st_size}


STUDIES: Mapping[str, Callable[[Model, dict[str, Any], str], dict[str, Any]]] = {
    "sensitivity": run_sensitivity, "sweep": run_sweep, "optimise": run_optimise,
    "identify": run_identify, "film": run_film,
}  # fmt: skip
"""All studies by name."""


def measures_of(text: str) -> dict[str, Any]:
    """Measures from a text such as "travel=peak(q_wheel); end=final(q_wheel)".

    Raises:
        FormatError: for what is none.
    """
    made: dict[str, Any] = {}
    for word in filter(str.strip, text.split(";")):
        match = MEASURE.match(word)
        if match is None:
            raise FormatError(
                f"'{word.strip()}' is not a valid measure", element="measures",
                cure="write it as travel=peak(q_wheel)",
            )  # fmt: skip
        made[match[1] or word.strip()] = measure(match[2])
    return made


def limits_of(text: str) -> dict[str, tuple[Any, float | None, float | None]]:
    """Constraints from a text such as "travel=peak(q_wheel) <= 0.08; end=final(q_y) == 0".

    Raises:
        FormatError: for what is none.
    """
    made: dict[str, tuple[Any, float | None, float | None]] = {}
    for word in filter(str.strip, text.split(";")):
        match = LIMIT.match(word)
        try:
            bound = float(match[3]) if match is not None else None
        except ValueError:
            bound = None
        if match is None or bound is None:
            raise FormatError(
                f"'{word.strip()}' is not a valid constraint", element="subject_to",
                cure="write it as travel=peak(q_wheel) <= 0.08",
            )  # fmt: skip
        low = bound if match[2] in (">=", "==") else None
        high = bound if match[2] in ("<=", "==") else None
        for name, row in measures_of(match[1]).items():
            made[name] = (row, low, high)
    return made


def ranges_of(text: str) -> dict[str, tuple[float, float]]:
    """Bounds from a text such as "stiffness=1e4:2e4, mass=1:2".

    Raises:
        FormatError: for what is none.
    """
    made = {}
    for word in list_of(text):
        name, _, ends = word.partition("=")
        low, _, high = ends.partition(":")
        try:
            made[name.strip()] = (float(low), float(high))
        except ValueError:
            raise FormatError(
                f"'{word}' is not a range", element="over", cure="write it as name=lowest:highest"
            ) from None
    return made


def list_of(text: str) -> list[str]:
    """Words between commas."""
    return [word.strip() for word in text.split(",") if word.strip()]


def tell(share: float) -> None:
    """Say how far the study is, 0 to 1."""
    write_file(Path("progress.json"), json.dumps({"share": share}))


def _starts(given: Mapping[str, Any]) -> dict[str, Any]:
    """Start values that were given."""
    made: dict[str, Any] = {}
    for key in ("q", "qd"):
        rows = [word.partition("=") for word in list_of(given.get(key, ""))]
        try:
            values = {name.strip(): float(value) for name, _, value in rows}
        except ValueError:
            raise FormatError(
                "a start value is not a number", element=key, cure="write it as name=number"
            ) from None
        if values:
            made[key] = values
    return made


def _table(found: xarray.Dataset) -> list[dict[str, Any]]:
    """One row per measure: its value, and its derivative by every name."""
    names = [str(name) for name in found["parameter"].values]
    rows = []
    for k, name in enumerate(found["measure"].values):
        by = found["gradient"].values[k].tolist()
        row = {"measure": str(name), "value": float(found["value"].values[k])}
        rows.append(row | dict(zip(names, by, strict=True)))
    return rows


def _rows(found: xarray.Dataset, names: list[Any]) -> list[dict[str, Any]]:
    """One row per run."""
    table = {str(name): found[name].values.tolist() for name in names}
    return [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]


def _edits(model: Model, values: Mapping[str, float]) -> list[tuple[list[str], float]]:
    """Entries of the model file that hold parameters, with other values in their units."""
    written = yaml_text(Path("model.yaml").read_text(encoding="utf-8")).plain.data
    made: list[tuple[list[str], float]] = []
    for name, value in values.items():
        element, _, field = name.partition(".")
        if name in model.parameters:
            row = written["parameters"][name]
            unit = row.get("unit", "") if isinstance(row, dict) else ""
            path = ["parameters", name, *(["value"] if isinstance(row, dict) else [])]
            made.append((path, value / to_si(1.0, unit, name)[0]))
        elif field and element in model.forces:
            made.append((["forces", element, field], value))
        elif field == "mass" and element in model.bodies:
            made.append((["bodies", element, "mass"], value))
    return made


def main() -> None:
    """Make one study."""
    name, options, run = sys.argv[1:4]
    try:
        model = read(Path("model.yaml").read_text(encoding="utf-8"))
        found = STUDIES[name](model, json.loads(options), run)
    except KinetreeError as error:
        print(json.dumps({"error": str(error)}))
        sys.exit(1)
    except KeyboardInterrupt:  # cancelled
        SO_FAR.write()
        sys.exit(1)
    print(json.dumps(found, default=float))


if __name__ == "__main__":
    main()
