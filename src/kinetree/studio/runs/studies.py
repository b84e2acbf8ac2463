"""Studies of many runs, and films: `python -m kinetree.studio.runs.studies NAME OPTIONS RUN`.

The model is model.yaml of the present folder; how far a study is goes to progress.json, what it
has so far to partial.json, what it finds is printed as JSON.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.identify import identify
from kinetree.analysis.identifying.data.recordings import UNKNOWN
from kinetree.analysis.optimise import optimise
from kinetree.analysis.runs.progress import telling_file
from kinetree.analysis.sensitivities.variables import read_variables
from kinetree.analysis.sensitivity import sensitivity
from kinetree.analysis.sweep import load_sweep, sweep
from kinetree.analysis.sweeping.plans import grid, latin_hypercube, sobol
from kinetree.assembly.changed_values import change_values
from kinetree.errors import FormatError, KinetreeError, ModelWarning
from kinetree.files import write_file
from kinetree.formats.edits.entries import yaml_text
from kinetree.formats.edits.values import MISSING, differences
from kinetree.formats.yaml_file import read, save
from kinetree.results.files import load_run
from kinetree.studio.runs.wording import (
    duration_of,
    limits_of,
    list_of,
    measures_of,
    ranges_of,
    run_options_of,
    values_of,
)
from kinetree.studio.runs.worker import PARTIAL, PROGRESS
from kinetree.view.page import animate

if TYPE_CHECKING:
    import xarray

    from kinetree.model import Model

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
tell = telling_file(Path(PROGRESS))
"""Says how far the study is, 0 to 1."""


def run_sensitivity(model: Model, given: dict[str, Any], _: str) -> dict[str, Any]:
    """Values of measures and their derivatives."""
    more = {name: given[name] for name in ("order", "equations") if given.get(name)}
    if given.get("along"):
        more["along"] = values_of(given["along"], "along")
    found = sensitivity(
        model, duration_of(given), measures_of(given["measures"]), by=list_of(given["by"]),
        method=given.get("method") or "auto", progress=tell, **more, **run_options_of(given),
    )  # fmt: skip
    return {"measures": _table(found), **_seconds(found), **_units(found)}


def run_sweep(model: Model, given: dict[str, Any], _: str) -> dict[str, Any]:
    """Measures of many variants."""
    ranges, count = ranges_of(given["over"]), int(given.get("runs", 32))
    plan, seed = given.get("plan") or "sobol", int(given.get("seed", 0))
    if plan == "grid":
        if count ** len(ranges) > GRID_MOST:
            raise FormatError(
                f"a grid of {count} values of {len(ranges)} names has too many runs",
                element="sweep runs", cure=f"take at most {GRID_MOST} in all",
            )  # fmt: skip
        steps = {n: np.linspace(*ends, count).tolist() for n, ends in ranges.items()}
        made = grid(steps)
    else:
        made = (sobol if plan == "sobol" else latin_hypercube)(ranges, count, seed=seed)
    folder = Path("sweep")

    def so_far() -> dict[str, Any]:
        found = load_sweep(folder)
        return {"runs": _rows(found, [*ranges, *found.data_vars])}

    def count_runs(done: int, whole: int) -> None:
        tell(done / whole)
        SO_FAR.keep(so_far)

    found = sweep(
        model, duration_of(given), made, measures_of(given["measures"]), into=folder,
        part=max(1, min(32, count // 8)), progress=count_runs, **run_options_of(given),
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
        model, duration_of(given), objective, over=ranges,
        subject_to=limits_of(given.get("subject_to", "")),
        evaluations=most, progress=count, **_search(given), **run_options_of(given),
    )  # fmt: skip
    told = _best(model, found.parameters, float(found.value), made)
    return told | {"converged": bool(found.converged), "message": str(found.message)}


def _search(given: Mapping[str, Any]) -> dict[str, Any]:
    """How the best values are looked for."""
    names = ("method", "gradients", "starts", "tolerance", "seed")
    made = {name: given[name] for name in names if given.get(name) is not None}
    return made | ({"start": values_of(given["start"], "start")} if given.get("start") else {})


def _best(
    model: Model, values: Mapping[str, float], least: float, evaluations: int
) -> dict[str, Any]:
    """Values for which a measure is least, and the edit that enters those of the text."""
    kinds = {row.name: row.kind for row in read_variables(model, list(values))}
    own = {name: value for name, value in values.items() if kinds[name] == "parameter"}
    other = [name for name in values if name not in own]
    return {
        "parameters": dict(values), "value": least, "evaluations": evaluations,
        "operations": operations_to(change_values(model, own)) if own else [],
        **({"no values of the text": ", ".join(other)} if other else {}),
    }  # fmt: skip


def run_identify(model: Model, given: dict[str, Any], run: str) -> dict[str, Any]:
    """Parameters of a machine from a recording."""
    found = identify(
        model, run, given.get("method") or "least_squares",
        bodies=list_of(given.get("bodies", "")) or None, progress=tell, **_recording(given),
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


def _recording(given: Mapping[str, Any]) -> dict[str, Any]:
    """How a recording is to be understood, and what is unknown beside bodies."""
    names = ("rotors", "measured", "cutoff", "held_out", "prior", "segment")
    made = {name: given[name] for name in names if given.get(name) is not None}
    made |= {name: list_of(given[name]) for name in ("coefficients", "sensors") if given.get(name)}
    if given.get("friction"):
        rubbing = list_of(given["friction"])
        made["friction"] = () if rubbing == ["none"] else tuple(rubbing)
    if given.get("locked"):
        made["locked"] = values_of(given["locked"], "locked")
    if given.get("smooth"):
        made["smooth"] = _number_or_unknown(given["smooth"], "smooth")
    if given.get("gains"):
        words = (word.partition("=") for word in list_of(given["gains"]))
        made["gains"] = {n.strip(): _number_or_unknown(v, "gains") for n, _, v in words}
    return made


def _number_or_unknown(word: str, element: str) -> float | str:
    """A number, or the word for one that is to be found."""
    if word.strip() == UNKNOWN:
        return UNKNOWN
    try:
        return float(word)
    except ValueError:
        raise FormatError(
            f"'{word}' is not a number", element=element, cure=f"give a number, or {UNKNOWN}"
        ) from None


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
    file = Path(f"film.{given.get('kind') or 'gif'}")
    animate(model, load_run(run), file, shapes=beside, progress=tell)
    return {"file": file.name, "size B": file.stat().st_size}


STUDIES: Mapping[str, Callable[[Model, dict[str, Any], str], dict[str, Any]]] = {
    "sensitivity": run_sensitivity, "sweep": run_sweep, "optimise": run_optimise,
    "identify": run_identify, "film": run_film,
}  # fmt: skip
"""All studies by name."""


def _table(found: xarray.Dataset) -> list[dict[str, Any]]:
    """One row per measure: its value, and its derivative by every name."""
    names = [str(name) for name in found["parameter"].values]
    rows = []
    for k, name in enumerate(found["measure"].values):
        by = found["gradient"].values[k].tolist()
        row = {"measure": str(name), "value": float(found["value"].values[k])}
        rows.append(row | dict(zip(names, by, strict=True)))
    return rows


def _seconds(found: xarray.Dataset) -> dict[str, list[dict[str, Any]]]:
    """Second derivatives: rows of the Hessian of every measure, or those along the direction."""
    names, measures = ([str(x) for x in found[axis].values] for axis in ("parameter", "measure"))
    if "hessian_product" in found:
        products = found["hessian_product"].values.tolist()
        rows = [{"measure": m, **dict(zip(names, row, strict=True))}
                for m, row in zip(measures, products, strict=True)]  # fmt: skip
        return {"second derivatives along the direction": rows}
    if "hessian" not in found:
        return {}
    tables = found["hessian"].values.tolist()
    rows = [{"measure": m, "by": name, **dict(zip(names, row, strict=True))}
            for m, table in zip(measures, tables, strict=True)
            for name, row in zip(names, table, strict=True)]  # fmt: skip
    return {"second derivatives": rows}


def _units(found: xarray.Dataset) -> dict[str, list[dict[str, str]]]:
    """SI units of measures and of what varies, where they are known."""
    rows = [
        {"name": str(name), "unit": str(unit)}
        for axis in ("measure", "parameter")
        for name, unit in zip(found[axis].values, found[f"unit_{axis}"].values, strict=True)
        if unit
    ]
    return {"units": rows} if rows else {}


def _rows(found: xarray.Dataset, names: list[Any]) -> list[dict[str, Any]]:
    """One row per run."""
    table = {str(name): found[name].values.tolist() for name in names}
    return [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]


def make(name: str, model: Model, options: dict[str, Any], run: str) -> dict[str, Any]:
    """What a study finds, with its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ModelWarning)
        found = STUDIES[name](model, options, run)
    rows = [str(row.message) for row in caught if issubclass(row.category, ModelWarning)]
    return found | ({"warnings": [*dict.fromkeys(rows)]} if rows else {})


def main() -> None:
    """Make one study."""
    name, options, run = sys.argv[1:4]
    try:
        model = read(Path("model.yaml").read_text(encoding="utf-8"))
        print(json.dumps(make(name, model, json.loads(options), run), default=float))
    except KinetreeError as error:
        print(json.dumps({"error": str(error)}))
        sys.exit(1)
    except KeyboardInterrupt:  # cancelled
        SO_FAR.write()
        sys.exit(1)


if __name__ == "__main__":
    main()
