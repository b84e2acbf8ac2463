"""Verbs about what varies: sensitivity, optimise."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kinetree.cli.common import AsJson, ModelFile, app, read, read_any
from kinetree.cli.runs import (
    Atol,
    AtOption,
    BeginOption,
    FormulationOption,
    Given,
    Integrator,
    Interval,
    Lock,
    ModelOut,
    OptionalRtol,
    OutOption,
    ProgressFile,
    Rtol,
    RunLength,
    Set,
    StartQ,
    StartQd,
    StartX,
    Stop,
    Tau,
    model_warnings,
    parse,
    progress_option,
    read_numbers,
    round_rows,
    run_options,
    write,
)
from kinetree.errors import FormatError
from kinetree.printing import print_json, print_table, say

if TYPE_CHECKING:
    import xarray

    from kinetree.analysis.optimise import Optimum
    from kinetree.measures import Measure

MeasureOption = Annotated[
    list[str], typer.Option("--measure", help="NAME=final(q_y), rms(qdd_seat), peak(…), …")
]
Varies = Annotated[
    list[str], typer.Option("--by", help="Parameter, q0.NAME, qd0.NAME, x0.NAME, tau.NAME, …")
]
AlongOption = Annotated[Given, typer.Option(help="Direction of second derivatives: name=number.")]
Way = Annotated[str, typer.Option("--method", help="direct, adjoint or auto.")]
Begin = Annotated[Given, typer.Option(help="Value to begin with: name=number.")]
StartCount = Annotated[int, typer.Option(help="Number of starts.")]
Evaluations = Annotated[int, typer.Option(help="Most evaluations per start.")]
Tolerance = Annotated[float, typer.Option(help="Of objective and variables.")]
JournalFile = Annotated[Path | None, typer.Option(help="File to go on from when killed.")]
StudyName = Annotated[str | None, typer.Option(help="Study of the model file.")]
LIMIT = re.compile(r"^(?P<name>[^=<>]+)=(?P<text>.*?)\s*(?P<sign><=|>=|==)\s*(?P<bound>\S+)$")


@app.command()
def sensitivity(
    file: ModelFile,
    measure: MeasureOption,
    by: Varies,
    duration: RunLength = None,
    at: AtOption = "run",
    begin: BeginOption = "given",
    method: Way = "auto",
    order: Annotated[int, typer.Option(help="2 for second derivatives, too.")] = 1,
    along: AlongOption = None,
    integrator: Integrator = "auto",
    formulation: FormulationOption = "",
    q: StartQ = None,
    qd: StartQd = None,
    x: StartX = None,
    tau: Tau = None,
    values: Set = None,
    lock: Lock = None,
    stop: Stop = None,
    step: Interval = None,
    rtol: Rtol = 1e-8,
    atol: Atol = 1e-10,
    out: OutOption = None,
    progress: ProgressFile = None,
    as_json: AsJson = False,
) -> None:
    """Values of measures of a run, and their derivatives by what varies."""
    from kinetree import sensitivity as run

    model, _ = read(file)
    with model_warnings(as_json) as notes:
        found = run(
            model, duration, named_measures(measure), by=by, at=at, begin=begin, method=method,
            order=order, along=parse(along), locked=lock or (),
            progress=progress_option(progress, as_json),
            **run_options(
                stop, integrator=integrator, formulation=formulation, q=q, qd=qd, x=x, tau=tau,
                parameters=values, step=step, rtol=rtol, atol=atol,
            ),
        )  # fmt: skip
    if out is not None:
        write(found, out)
    _say_gradients(model.name, found, {"file": str(out or ""), "warnings": notes}, as_json)


def _say_gradients(model: str, found: xarray.Dataset, more: dict[str, Any], as_json: bool) -> None:
    """Print values and derivatives."""
    names = [str(name) for name in found["measure"].values]
    values = dict(zip(names, found.value.values.tolist(), strict=True))
    slopes = _by_names(found, "gradient")
    if as_json:
        second: dict[str, Any] = {}
        if "hessian" in found:
            second["hessian"] = found.hessian.values.tolist()
        if "hessian_product" in found:
            second["hessian_product"] = _by_names(found, "hessian_product")
        second["units"] = {axis: _units(found, axis) for axis in ("measure", "parameter")}
        told = {key: value for key, value in found.attrs.items() if key.startswith("sensitivity_")}
        print_json({"model": model, "value": values, "gradient": slopes, **second, **told, **more})
        return
    rows = [{"measure": name, "value": values[name], **slopes[name]} for name in names]
    print_table(f"{model}: values, and derivatives by", round_rows(rows))
    if "hessian_product" in found:
        curves = _by_names(found, "hessian_product")
        rows = [{"measure": name, **curves[name]} for name in names]
        print_table("second derivatives along the direction, by", round_rows(rows))
    say(f"by the {found.attrs['sensitivity_method']} method")
    if more["file"]:
        say(more["file"])


def _units(found: xarray.Dataset, axis: str) -> dict[str, str]:
    """SI units by name; empty where unknown."""
    labels, units = found[axis].values.tolist(), found[f"unit_{axis}"].values.tolist()
    return dict(zip(labels, units, strict=True))


def _by_names(found: xarray.Dataset, what: str) -> dict[str, dict[str, float]]:
    """A table of measure × parameter by name."""
    names, by = ([str(x) for x in found[axis].values] for axis in ("measure", "parameter"))
    rows = (dict(zip(by, row.tolist(), strict=True)) for row in found[what].values)
    return dict(zip(names, rows, strict=True))


@app.command()
def optimise(
    file: ModelFile,
    minimise: Annotated[
        Given, typer.Option(help="Measure, such as rms(qdd_seat) or comfort=rms(qdd_seat).")
    ] = None,
    over: Annotated[Given, typer.Option(help="What varies: NAME=LOWEST:HIGHEST.")] = None,
    duration: RunLength = None,
    study: StudyName = None,
    subject_to: Annotated[Given, typer.Option(help="'NAME=peak(q_wheel) <= 0.08'.")] = None,
    method: Annotated[str, typer.Option(help="SLSQP, L-BFGS-B, ipopt, cma, …")] = "auto",
    start: Begin = None,
    starts: StartCount = 1,
    at: AtOption = "",
    begin: BeginOption = "",
    lock: Lock = None,
    evaluations: Evaluations = 500,
    tolerance: Tolerance = 1e-10,
    journal: JournalFile = None,
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
    out: ModelOut = None,
    as_json: AsJson = False,
) -> None:
    """Find values for which a measure is least; write the model that has them."""
    import kinetree as kt
    from kinetree.model import as_mechanism

    model, _ = read_any(file)
    with model_warnings(as_json) as notes:
        options = run_options(
            stop, integrator=integrator, formulation=formulation, q=q, qd=qd, x=x, tau=tau,
            parameters=values, step=step, rtol=rtol, at=at, begin=begin, locked=lock,
            subject_to=dict(map(_limit, subject_to or ())),
        )  # fmt: skip
        best = kt.optimise(
            model, duration, named_measures(minimise or []) or None, study=study,
            over=dict(map(_bounds, over or ())), method=method, start=parse(start), starts=starts,
            evaluations=evaluations, tolerance=tolerance, journal=journal,
            progress=None if as_json else _tell, **options,
        )  # fmt: skip
    _say_best(as_mechanism(model).name, best, out, notes if as_json else None)
    raise typer.Exit(not best.converged)


def _say_best(model: str, best: Optimum, out: Path | None, notes: list[str] | None) -> None:
    """Write the model and print the best values, and what holds them; notes go with JSON."""
    from kinetree import save

    if out is not None:
        save(best.model, out)
    names = ("parameters", "value", "gradient", "constraints", "active", "multipliers",
             "converged", "message", "gradient_error")  # fmt: skip
    if notes is not None:
        facts = {name: getattr(best, name) for name in names}
        more = {"evaluations": best.history.sizes["evaluation"], "file": str(out or "")}
        print_json({"model": model, **facts, **more, "warnings": notes})
        return
    rows = [
        {"what": name, "best": value, "at a bound": name in best.active}
        for name, value in best.parameters.items()
    ]
    print_table(f"{model}: {best.value:.6g} ({best.message})", round_rows(rows))
    if out is not None:
        say(out)


def named_measures(given: list[str]) -> dict[str, Measure]:
    """Measures by name from words such as end=final(q_y); the text is the name where none is."""
    from kinetree import measure as read_measure

    found = {}
    for word in given:
        name, equals, text = word.partition("=")
        own = bool(equals) and "(" not in name
        found[name if own else word] = read_measure(text if own else word)
    return found


def _bounds(word: str) -> tuple[str, tuple[float, float]]:
    """Bounds from a word such as strut.damping=500:5000."""
    name, row = read_numbers(word, ":", "--over")
    if len(row) != 2:
        raise FormatError(f"'{word}' gives no bounds", element="--over", cure="write name=0.5:2")
    return name, (row[0], row[1])


def _limit(word: str) -> tuple[str, tuple[Any, float | None, float | None]]:
    """A constraint from words such as travel=peak(q_wheel) <= 0.08."""
    from kinetree import measure as read_measure

    match = LIMIT.match(word.strip())
    try:
        bound = float(match["bound"]) if match else None
    except ValueError:
        bound = None
    if match is None or bound is None:
        raise FormatError(
            f"'{word}' is not a valid constraint",
            element="--subject-to",
            cure="write 'travel=peak(q_wheel) <= 0.08'",
        )
    low = bound if match["sign"] in (">=", "==") else None
    high = bound if match["sign"] in ("<=", "==") else None
    return match["name"].strip(), (read_measure(match["text"].strip()), low, high)


def _tell(row: dict[str, Any]) -> None:
    """One line per evaluation: objective, violation, step."""
    if "failed" in row:
        say(f"{row['number']:5d}  no run: {row['failed']}")
        return
    say(
        f"{row['number']:5d}  {row['value']:.9g}  violation {row['violation']:.2g}"
        f"  step {row['step']:.2g}"
    )
