"""The verb about variants: sweep."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kinetree.cli.best_values import StudyName, named_measures
from kinetree.cli.common import AsJson, ModelFile, app, read
from kinetree.cli.runs import (
    AtOption,
    BeginOption,
    FormulationOption,
    Given,
    Integrator,
    Interval,
    Lock,
    OptionalRtol,
    RunLength,
    Set,
    StartQ,
    StartQd,
    StartX,
    Stop,
    Tau,
    model_warnings,
    read_numbers,
    round_rows,
    run_options,
)
from kinetree.errors import FormatError
from kinetree.printing import print_json, print_table, say

if TYPE_CHECKING:
    import xarray

    from kinetree.analysis.sweeping.plans import SweepPlan
    from kinetree.model import Mechanism

SeveralMeasures = Annotated[
    Given, typer.Option("--measure", help="NAME=final(q_y), rms(qdd_seat), peak(…), …")
]
IntoFolder = Annotated[
    Path | None, typer.Option("-o", "--into", help="Folder; killed, it goes on from there.")
]


@app.command()
def sweep(
    file: ModelFile,
    measure: SeveralMeasures = None,
    over: Annotated[
        Given, typer.Option(help="NAME=LOWEST:HIGHEST, or NAME=1,2,3 of a grid.")
    ] = None,
    duration: RunLength = None,
    study: StudyName = None,
    plan: Annotated[
        str | None, typer.Option(help="sobol (usual), latin_hypercube, saltelli or grid.")
    ] = None,
    count: Annotated[
        int | None, typer.Option("-n", help="Number of runs, or of points; usually 1000.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Of the draw.")] = None,
    part: Annotated[int | None, typer.Option(help="Runs per part.")] = None,
    store: Annotated[str, typer.Option(help="netcdf or zarr.")] = "netcdf",
    threads: Annotated[int | None, typer.Option(help="Threads.")] = None,
    device: Annotated[str, typer.Option(help="cpu or gpu.")] = "cpu",
    workers: Annotated[str, typer.Option(help="Scheduler of dask: tcp://host:8786.")] = "",
    at: AtOption = "",
    begin: BeginOption = "",
    lock: Lock = None,
    integrator: Integrator = "",
    formulation: FormulationOption = "",
    q: StartQ = None,
    qd: StartQd = None,
    x: StartX = None,
    tau: Tau = None,
    values: Set = None,
    stop: Stop = None,
    step: Interval = None,
    rtol: OptionalRtol = None,
    into: IntoFolder = None,
    as_json: AsJson = False,
) -> None:
    """Measure many variants by a plan; the folder has all runs, killed or not."""
    import kinetree as kt

    model, _ = read(file)
    words: dict[str, Any] = {"kind": plan, "runs": count, "seed": seed}
    own = {name: value for name, value in words.items() if value is not None}
    if not over and own:
        _plan_study(model, study, own)
    run = run_options(
        stop, integrator=integrator, formulation=formulation, q=q, qd=qd, x=x, tau=tau,
        parameters=values, step=step, rtol=rtol, workers=workers,
        at=at, begin=begin, locked=lock,
    )  # fmt: skip
    tell = _tell if not as_json else None
    with model_warnings(as_json) as notes:
        many = kt.sweep(
            model, duration, _plan(over, **own) if over else None,
            named_measures(measure) if measure else None, study=study, into=into, part=part,
            store=store, threads=threads, device=device, progress=tell, **run,
        )  # fmt: skip
    _say_sweep(model.name, many, {"folder": str(into or ""), "warnings": notes}, as_json)


def _say_sweep(model: str, many: xarray.Dataset, more: dict[str, Any], as_json: bool) -> None:
    """Print statistics of a sweep."""
    failed, runs = int((many.reason.values != "").sum()), many.sizes["run"]
    key, rows = _summary(many)
    if as_json:
        print_json({"model": model, "runs": runs, "failed": failed, key: rows, **more})
        return
    print_table(f"{model}: {runs} runs, {failed} failed", round_rows(rows))
    if more["folder"]:
        say(more["folder"])


def _summary(many: xarray.Dataset) -> tuple[str, list[dict[str, Any]]]:
    """One row of statistics per measure; of few runs that have values, one row per run."""
    from kinetree import summarise
    from kinetree.analysis.summarise import FEWEST

    good = [int(many[name].notnull().sum()) for name in many.data_vars if name != "reason"]
    if min(good) < FEWEST:
        return "rows", _few(many)
    found, rows = summarise(many), []
    for k, name in enumerate(found.measure.values.tolist()):
        keys = ("mean", "std", "lowest", "highest")
        row: dict[str, Any] = {"measure": name, **{key: float(found[key][k]) for key in keys}}
        if "first" in found:
            names, shares = found.variable.values.tolist(), found["first"].values[k].tolist()
            row |= {f"share of {v}": x for v, x in zip(names, shares, strict=True)}
        rows.append(row)
    return "measures", rows


def _few(many: xarray.Dataset) -> list[dict[str, Any]]:
    """One row per run."""
    table = {str(name): many[name].values.tolist() for name in (*many.coords, *many.data_vars)}
    return [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]


def _tell(done: int, whole: int) -> None:
    say(f"{done} of {whole} runs")


def _plan_study(model: Mechanism, study: str | None, own: Mapping[str, Any]) -> None:
    """Give a study of the model what is said of its plan."""
    from kinetree.model.methods.studies import PLAN_FIELDS

    if study in model.studies:
        old = model.studies[study]
        model.studies[study] = replace(old, plan={**PLAN_FIELDS, **old.plan, **own})


def _plan(over: list[str], kind: str = "sobol", runs: int = 1000, seed: int = 0) -> SweepPlan:
    """A plan from its words."""
    import kinetree as kt

    if kind == "grid":
        return kt.grid(dict(read_numbers(word, ",", "--over") for word in over))
    kinds: dict[str, Callable[..., SweepPlan]] = {
        "sobol": kt.sobol, "latin_hypercube": kt.latin_hypercube, "saltelli": kt.saltelli,
    }  # fmt: skip
    if kind not in kinds:
        raise FormatError(
            f"there is no plan '{kind}'", element="--plan", cure=f"take {', '.join(kinds)} or grid"
        )
    return kinds[kind](dict(read_numbers(word, ":", "--over") for word in over), runs, seed=seed)
