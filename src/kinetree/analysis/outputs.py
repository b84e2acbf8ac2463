"""Outputs along a run: forces, motions of points, reactions, energies, whatever has a name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.observing.program import OUT, Observed, derive_outputs
from kinetree.analysis.runs.manifest import parameters_of
from kinetree.analysis.runs.progress import EQUATIONS, ProgressCall, sharing
from kinetree.analysis.runs.rows import RowFile, end_word
from kinetree.arguments import check_arguments
from kinetree.arrays import Array
from kinetree.errors import ModelError
from kinetree.model import Components, Mechanism, as_mechanism
from kinetree.results.dataset import with_outputs
from kinetree.results.draft import as_it_is
from kinetree.targets.kept import remember

if TYPE_CHECKING:
    import xarray

    from kinetree.program import Input

MANY = 2000
"""Variables of components up to which a run has all of them."""
MOTION = ("q", "qd", "qdd", "x", "hold", "grip", "contact")
"""Inputs that a run must have."""


def outputs(
    model: Mechanism | Components,
    run: xarray.Dataset,
    names: Sequence[str] | None = None,
    *,
    progress: bool | ProgressCall | None = None,
    file: str | Path | None = None,
) -> xarray.Dataset:
    """The run with outputs of its model beside the motion.

    Args:
        model: the mechanism that moved.
        run: of `simulate`, or of another analysis that gives what the outputs depend on.
        names: such as "strut.force", "chassis.position.z", "pin.reaction", "energy.total" or the
            user's own; by default all of these last ones.
        progress: show how far it is; by default on a terminal when it takes long.  A function is
            told the share done, 0 to 1, and ends it by returning True: the rows so far stay.
        file: NetCDF file (.nc, .h5) that is written while it goes: whatever ends the program, it
            has the rows that were reached up to about a second before.

    Returns:
        A Dataset with one more variable over time per component, under its name, with its unit.

    Raises:
        UnknownNameError: for a name that the model does not offer, with the nearest one.
    """
    check_arguments(outputs, locals())
    model = as_mechanism(model)
    _refuse_other(model, run)
    varied = model.with_varied(parameters_of(run))
    with sharing(progress, "outputs") as share:
        with share.part(0.0, EQUATIONS):
            look = observer(varied, names)

        def give(made: Sequence[xarray.Dataset], at: slice) -> xarray.Dataset:
            return _join(run.isel(time=at), made)

        disk = RowFile(file, give)
        if run["q"].ndim > 2:  # a batch, all of it at once
            return disk.finish(look(run))
        times = run["time"].values
        with share.part(EQUATIONS, 1.0):
            parts = share.along(len(times), lambda rows: look(run.isel(time=rows)), see=disk.see)
    reached = sum(part.sizes["time"] for part in parts)
    if reached < len(times):
        word = end_word("outputs", times, reached)
        run = run.isel(time=slice(0, reached)).assign_attrs(termination=word)
    return disk.finish(_join(run, parts))


def _join(run: xarray.Dataset, parts: Sequence[xarray.Dataset]) -> xarray.Dataset:
    """The run with the outputs of its parts, one after the other."""
    first, dims = parts[0].variables, run["q"].dims[:-1]
    made = {
        name: (dims, np.concatenate([part.variables[name].values for part in parts]),
               first[name].attrs)
        for name in parts[0].data_vars if first[name].dims == dims
    }  # fmt: skip
    return run.assign(made)


def _refuse_other(model: Mechanism, run: Any) -> None:
    """Refuse what is not a run, or is one of another model."""
    known = getattr(run, "data_vars", {})
    names = [str(name) for name in run["coordinate"].values] if "q" in known else None
    if names != list(model.coordinates):
        said = "it is not a valid run" if names is None else f"its coordinates are {names}"
        raise ModelError(said, element="run", cure=f"give a run of model '{model.name}'")


def observer(
    model: Mechanism, names: Sequence[str] | None
) -> Callable[[xarray.Dataset], xarray.Dataset]:
    """What adds outputs to a run: those named, or the model's own; see `outputs`."""
    wanted = _own_outputs(model) if names is None else list(names)
    return partial(observe, _observation(model, wanted)) if wanted else as_it_is


def _observation(model: Mechanism, wanted: Sequence[str]) -> Observed:
    """The Program of outputs, made once for equal models and names."""
    own = model.equations
    if own is not None and model.outputs:
        return derive_outputs(model, wanted)
    told = repr(list(wanted) if own is None else (list(wanted), own.names, own.units))
    return remember(lambda: derive_outputs(model, wanted), "outputs", model, told)


def _own_outputs(model: Mechanism) -> list[str]:
    """Names of the outputs that a run has by itself: the user's, and variables of components."""
    sorted_equations = model.equations
    variables = () if sorted_equations is None else sorted_equations.names
    return [*model.outputs, *(variables if len(variables) <= MANY else ())]


def observe(found: Observed, run: xarray.Dataset) -> xarray.Dataset:
    """The run with the values of outputs whose Program is at hand."""
    program = found.program
    given = {row.name: _values(run, row) for row in program.inputs if not row.parameter}
    if program.takes("p"):
        given["p"] = _parameters(run, program.input("p"))
    values = found.function(check=False, **given)
    lead = run["q"].shape[:-1]
    table = np.broadcast_to(values[OUT], (*lead, len(found.labels)))
    return with_outputs(run, found.labels, found.units, table)


def _parameters(run: xarray.Dataset, row: Input) -> Array:
    """The parameters of a run; of a batch with its axes, and one for the time."""
    own = {k: np.asarray(v) for k, v in parameters_of(run).items() if k in row.labels}
    lead = np.broadcast_shapes(*[value.shape for value in own.values()])
    out = np.array(np.broadcast_to(np.array(row.default), (*lead, len(row.labels))))
    for name, value in own.items():
        out[..., row.labels.index(name)] = value
    return out[..., None, :] if lead else out


def _values(run: xarray.Dataset, row: Input) -> Array:
    """The values of an input along a run."""
    lead = run["q"].shape[:-1]
    if row.name == "t":
        return np.broadcast_to(np.asarray(run["time"], dtype=float), lead)
    if row.name == "lam":
        return _multipliers(run, row.labels)
    if row.name in run.data_vars:
        return np.asarray(run[row.name], dtype=float)
    if "external_wrench" in run and row.name in run["wrench"].values:
        return np.asarray(run["external_wrench"].sel(wrench=row.name), dtype=float)
    if row.name in MOTION:
        raise ModelError(
            f"it has no {row.name}, on which the outputs depend",
            element="run",
            cure="give a run of kt.simulate",
        )
    return np.zeros((*lead, *row.shape))  # efforts and wrenches that did not act


def _multipliers(run: xarray.Dataset, labels: Sequence[str]) -> Array:
    """Multipliers in the order of the labels; 0 for equations that the run does not use."""
    found = np.zeros((*run["q"].shape[:-1], len(labels)))
    if "lam" not in run:
        raise ModelError(
            "it has no multipliers, on which reactions depend",
            element="run",
            cure="give a run of kt.simulate, or find them with kt.inverse(model, run)",
        )
    known = [str(name) for name in run["equation"].values]
    for k, label in enumerate(labels):
        if label in known:
            found[..., k] = run["lam"].values[..., known.index(label)]
    return found
