"""Verbs about forces along a motion: inverse, reactions, outputs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kinetree.cli.common import AsJson, ModelFile, app, read
from kinetree.cli.runs import (
    Given,
    IndependentOption,
    OutOption,
    Outputs,
    ProgressFile,
    Set,
    early_end,
    growing,
    model_warnings,
    parse,
    progress_option,
    round_rows,
    write_table,
)
from kinetree.errors import FormatError
from kinetree.printing import TableRow, print_json, print_table

if TYPE_CHECKING:
    import xarray

MotionFile = Annotated[Path, typer.Argument(metavar="RUN", help="A .nc file with q, qd, qdd.")]


@app.command()
def inverse(
    file: ModelFile,
    motion: MotionFile,
    actuator: Annotated[
        Given, typer.Option("--actuator", help="Velocity that is acted on.")
    ] = None,
    free: Annotated[
        Given, typer.Option("--free", help="Velocity whose acceleration comes out.")
    ] = None,
    weight: Annotated[Given, typer.Option("--weight", help="Of an actuator: name=number.")] = None,
    bound: Annotated[
        Given, typer.Option("--bound", help="Of an actuator: name=lowest:highest.")
    ] = None,
    independent: IndependentOption = None,
    values: Set = None,
    out: OutOption = None,
    progress: ProgressFile = None,
    as_json: AsJson = False,
) -> None:
    """Find the efforts that a given motion needs."""
    from kinetree import inverse as run
    from kinetree import load_run

    bounds = ranges(bound)
    model, _ = read(file)
    options: dict[str, Any] = {"independent": independent} if independent else {}
    with model_warnings(as_json) as notes:
        found = run(
            model, load_run(motion), actuators=actuator or None, free=free or (),
            weights=parse(weight), bounds=bounds, parameters=parse(values),
            progress=progress_option(progress, as_json), file=growing(out), **options,
        )  # fmt: skip
    write_table(found, out)
    peaks = [
        {"velocity": str(name), "largest |tau|": float(abs(found["tau"].values[:, k]).max())}
        for k, name in enumerate(found["velocity"].values)
    ]
    more = {**early_end(found), "file": str(out or ""), "warnings": notes}
    _say_along(model.name, found, ("efforts", peaks), more, as_json)
    raise typer.Exit("error" in more)


@app.command()
def reactions(
    file: ModelFile,
    motion: MotionFile,
    joint: Annotated[Given, typer.Option("--joint", help="Joint or closure; all if none.")] = None,
    out: OutOption = None,
    progress: ProgressFile = None,
    as_json: AsJson = False,
) -> None:
    """Find what joints and closures transmit along a run."""
    from kinetree import load_run
    from kinetree import reactions as run

    model, _ = read(file)
    with model_warnings(as_json) as notes:
        told = progress_option(progress, as_json)
        found = run(model, load_run(motion), joint or None, progress=told, file=growing(out))
    write_table(found, out)
    peaks = []
    for kind in ("joint", "closure"):
        if f"reaction_{kind}" not in found:
            continue
        table = found[f"reaction_{kind}"].values
        for k, name in enumerate(found[kind].values):
            force, torque = ((table[:, k, s] ** 2).sum(axis=1).max() ** 0.5 for s in HALVES)
            peaks.append(
                {"name": str(name), "kind": kind, "largest |force| N": float(force),
                 "largest |torque| N.m": float(torque)}
            )  # fmt: skip
    more = {**early_end(found), "file": str(out or ""), "warnings": notes}
    _say_along(model.name, found, ("reactions", peaks), more, as_json)
    raise typer.Exit("error" in more)


@app.command()
def outputs(
    file: ModelFile,
    motion: Annotated[Path | None, typer.Argument(help="Run (.nc); without it: a list.")] = None,
    output: Outputs = None,
    out: OutOption = None,
    progress: ProgressFile = None,
    as_json: AsJson = False,
) -> None:
    """List what a model offers as outputs, or find outputs along a run."""
    from kinetree import load_run
    from kinetree import outputs as run
    from kinetree.model import offers

    model, _ = read(file)
    if motion is None:
        rows = [{"name": row.name, "parts": ", ".join(row.parts), "unit": row.unit}
                for row in offers(model).values()]  # fmt: skip
        print_json({"outputs": rows}) if as_json else print_table(f"{model.name}: outputs", rows)
        return
    with model_warnings(as_json) as notes:
        before = load_run(motion)
        told = progress_option(progress, as_json)
        found = run(model, before, output, progress=told, file=growing(out))
    write_table(found, out)
    new = [name for name in found.data_vars if name not in before]
    ranges = [
        {"name": str(name), "unit": str(found[name].attrs["units"]),
         "smallest": float(found[name].min()), "largest": float(found[name].max())}
        for name in new
    ]  # fmt: skip
    more = {"file": str(out or ""), "warnings": notes}
    _say_along(model.name, found, ("outputs", ranges), more, as_json)
    raise typer.Exit(found.sizes["time"] < before.sizes["time"])


def _say_along(
    model: str,
    found: xarray.Dataset,
    told: tuple[str, list[TableRow]],
    more: dict[str, Any],
    as_json: bool,
) -> None:
    """Print what was found along a run: its name, and its rows."""
    what, rows = told
    if as_json:
        print_json({**found.attrs, what: rows, **more})
        return
    print_table(f"{model}: {what} over {found.sizes['time']} times", round_rows(rows))


HALVES = (slice(3, 6), slice(0, 3))
"""Parts of a wrench: force, torque."""


def ranges(given: Sequence[str] | None) -> dict[str, tuple[float, float]] | None:
    """Bounds from words such as name=-1:2; none where there are no words."""
    if not given:
        return None
    found = {}
    for word in given:
        name, _, text = word.rpartition("=")
        low, _, high = text.partition(":")
        try:
            found[name] = (float(low or "-inf"), float(high or "inf"))
        except ValueError:
            name = ""
        if not name:
            raise FormatError(
                f"'{word}' gives no bounds", element="command", cure="write name=-1:2"
            )
    return found
