"""Where a run that goes on begins: the last row of another one, of the same model."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kinetree.analysis.runs.manifest import parameters_of
from kinetree.arrays import Array
from kinetree.errors import ShapeError, UnsupportedError
from kinetree.results.files import load_last

if TYPE_CHECKING:
    import xarray

    from kinetree.model import Mechanism

GIVEN = ("q", "qd", "x", "t0", "at")
"""Arguments of a run that its beginning takes the place of."""


class Saved(NamedTuple):
    """The end of a run: coordinates, velocities, user states, time [s], values of parameters."""

    q: Array
    qd: Array
    x: Array | None
    t: float
    parameters: Mapping[str, float] | None


def last_state(
    model: Mechanism, continues: str | Path | xarray.Dataset, parameters: Mapping[str, float] | None
) -> Saved:
    """The end of a run, or of one in a file.

    Args:
        model: of the run that goes on; it must be the same.
        continues: the run or its file.
        parameters: values that take the place of those of the run; by default they stay.
    """
    run, element = continues, "continues"
    if isinstance(run, str | Path):
        run, element = load_last(run), f"file '{continues}'"
    if run.attrs.get("model_hash") != model.content_hash():
        raise ShapeError(
            f"its run is one of model '{run.attrs.get('model', '?')}' with another content than "
            f"model '{model.name}'",
            element=element,
            cure="give the model that made it, or give its last row as q=, qd=, x=, t0=",
        )
    last = {name: run[name].isel(time=-1).values for name in ("q", "qd", "x") if name in run}
    if not all(np.isfinite(row).all() for row in last.values()):
        raise ShapeError("its last row has NaN", element=element, cure="give a run that ends well")
    values = parameters_of(run) or None if parameters is None else parameters
    return Saved(last["q"], last["qd"], last.get("x"), float(run["time"].values[-1]), values)


def refuse_start(given: Mapping[str, Any]) -> None:
    """Refuse arguments that do not fit to a run that goes on."""
    for name in GIVEN:
        if given[name] is not None and not (name == "t0" and given[name] == 0.0):
            raise UnsupportedError(
                "the run that this one continues gives it",
                element=name,
                cure="leave it out, or leave continues= out",
            )
    file, before = given["file"], given["continues"]
    same = file is not None and isinstance(before, str | Path)
    if same and Path(file).resolve() == Path(before).resolve():
        raise UnsupportedError(
            "the run that this one continues is in it",
            element=f"file '{file}'",
            cure="name another one",
        )
