"""Verbs about machines: excite, identify."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kinetree.cli.common import AsJson, ModelFile, app, read
from kinetree.cli.runs import (
    Given,
    Interval,
    ModelOut,
    OutOption,
    ProgressFile,
    early_end,
    model_warnings,
    not_empty,
    parse,
    progress_option,
    read_numbers,
    round_rows,
    write,
)
from kinetree.errors import FormatError
from kinetree.printing import print_json, print_table, say

if TYPE_CHECKING:
    from kinetree.analysis.identifying.result import Identification

UNKNOWN = "unknown"
"""A gain that is to be found."""

Friction = Annotated[
    list[str] | None, typer.Option(help="coulomb, viscous, offset; none: --friction none.")
]
Locked = Annotated[Given, typer.Option(help="Coordinate that stands still: name=number.")]
MeasuredOption = Annotated[str, typer.Option(help="tau or wrench.")]
Rotors = Annotated[bool, typer.Option("--rotors", help="Rotor inertias, too.")]
BodyOption = Annotated[list[str] | None, typer.Option(help="Body, as a payload; all by default.")]
Recordings = Annotated[list[str], typer.Argument(help="Recordings: .csv or .nc.")]
EstimateOption = Annotated[
    str, typer.Option(help="least_squares, instrumental, consistent, output_error.")
]
GainOption = Annotated[
    Given, typer.Option(help=r"Effort per current: name=number \[N.m/A], or name=unknown.")
]
LoadOption = Annotated[Given, typer.Option(help="Load of some recordings only: body=2, body=2,3.")]
PredictOption = Annotated[
    list[int] | None, typer.Option(help="Number of a recording that is not fitted at all.")
]
VolumeOption = Annotated[
    Given, typer.Option(help="Ellipsoid with a body's mass: BODY=X,Y,Z:A,B,C, its half axes.")
]
PriorOption = Annotated[float, typer.Option(help="Measurements that the model counts for.")]
SmoothOption = Annotated[
    str, typer.Option(help="Speed over which dry friction grows; unknown has it found.")
]
ClearanceOption = Annotated[
    Given, typer.Option(help="Point on one side of a plane: POINT=NX,NY,NZ:DISTANCE.")
]
DeviationOption = Annotated[
    Given, typer.Option(help="Standard deviation of what is measured: NAME=NUMBER; tx … fz.")
]
NoRest = Annotated[bool, typer.Option("--no-rest", help="May begin and end in motion.")]
BoundOption = Annotated[Given, typer.Option(help="NAME=LOWEST:HIGHEST or NAME=NUMBER.")]


@app.command()
def excite(
    file: ModelFile,
    duration: Annotated[
        float, typer.Option("--duration", "-t", help=r"Of the motion \[s].")
    ] = 20.0,
    harmonics: Annotated[int, typer.Option(help="Of the Fourier series.")] = 5,
    criterion: Annotated[str, typer.Option(help="condition or determinant.")] = "condition",
    friction: Friction = None,
    rotors: Rotors = False,
    bodies: BodyOption = None,
    measured: MeasuredOption = "tau",
    position: BoundOption = None,
    speed: BoundOption = None,
    acceleration: BoundOption = None,
    effort: BoundOption = None,
    clearance: ClearanceOption = None,
    deviation: DeviationOption = None,
    locked: Locked = None,
    no_rest: NoRest = False,
    starts: Annotated[int, typer.Option(help="Number of first motions.")] = 2,
    seed: Annotated[int, typer.Option(help="Of their draw.")] = 0,
    step: Interval = None,
    out: OutOption = None,
    progress: ProgressFile = None,
    as_json: AsJson = False,
) -> None:
    """Plan the motion that tells parameters best, within limits of the model and those given."""
    from kinetree import excite as plan

    model, _ = read(file)
    limits = _limits(position=position, speed=speed, acceleration=acceleration, effort=effort)
    with model_warnings(as_json) as notes:
        found = plan(
            model, duration, harmonics, criterion=criterion, friction=_friction(friction),
            rotors=rotors, bodies=bodies, measured=measured, **limits,
            clearance=_read_planes(clearance), deviations=parse(deviation), locked=parse(locked),
            rest=not no_rest, starts=starts, seed=seed, progress=progress_option(progress, as_json),
            **not_empty(step=step),
        )  # fmt: skip
    if out is not None:
        write(found, out)
    more = {**early_end(found), "file": str(out or ""), "warnings": notes}
    _say_plan(model.name, found.attrs, more, as_json)
    raise typer.Exit(bool(early_end(found)))


def _say_plan(model: str, attrs: Mapping[Any, Any], more: dict[str, Any], as_json: bool) -> None:
    """Print how good a planned motion is, and how far limits are used."""
    facts = {name: attrs[name] for name in ("condition", "base_parameters", "limits_used")}
    if as_json:
        print_json({"model": model, **facts, **more})
        return
    rows = [
        dict(zip(("limit", "used"), text.rsplit(": ", 1), strict=True))
        for text in str(facts["limits_used"]).split("; ")
        if text
    ]
    title = f"{model}: condition number {facts['condition']:.4g}"
    print_table(f"{title} of {facts['base_parameters']} parameters", rows)
    if more["file"]:
        say(more["file"])


@app.command()
def identify(
    file: ModelFile,
    data: Recordings,
    method: EstimateOption = "least_squares",
    friction: Friction = None,
    rotors: Rotors = False,
    bodies: BodyOption = None,
    measured: MeasuredOption = "tau",
    cutoff: Annotated[float | None, typer.Option(help=r"Of the filter \[Hz]; 0 for none.")] = None,
    held_out: Annotated[float, typer.Option(help="Share that is predicted, not fitted.")] = 0.3,
    predict: PredictOption = None,
    locked: Locked = None,
    column: Annotated[Given, typer.Option(help="Name in the data = name here: stamp=time.")] = None,
    unit: Annotated[Given, typer.Option(help="Unit of q, qd, tau, …: q=deg.")] = None,
    gain: GainOption = None,
    carried: LoadOption = None,
    prior: PriorOption = 0.1,
    volume: VolumeOption = None,
    smooth: SmoothOption = "0.02",
    instruments: Annotated[list[str] | None, typer.Option(help="Planned motions.")] = None,
    segment: Annotated[float, typer.Option(help=r"Of output_error \[s].")] = 1.0,
    coefficient: Annotated[Given, typer.Option(help="Of laws (output_error).")] = None,
    sensor: Annotated[Given, typer.Option(help="gain, offset, delay.")] = None,
    page: Annotated[Path | None, typer.Option(help="HTML page with tables and pictures.")] = None,
    out: ModelOut = None,
    progress: ProgressFile = None,
    as_json: AsJson = False,
) -> None:
    """Find masses, inertias, friction from recordings; write the model that has them."""
    import kinetree as kt

    more = not_empty(coefficients=coefficient or (), sensors=sensor or (), instruments=instruments)
    with model_warnings(as_json) as notes:
        fit = kt.identify(
            read(file)[0], data, method, friction=_friction(friction), rotors=rotors, bodies=bodies,
            measured=measured, cutoff=cutoff, held_out=predict or held_out, locked=parse(locked),
            columns=_words(column), units=_words(unit), gains=_gains(gain), segment=segment,
            carried=_read_loads(carried), prior=prior, volumes=_read_volumes(volume),
            smooth=_speed(smooth), progress=progress_option(progress, as_json), **more,
        )  # fmt: skip
        files = _write_fit(fit, out, page)
    _say_fit(fit, {**files, "warnings": notes}, as_json)


def _write_fit(fit: Identification, out: Path | None, page: Path | None) -> dict[str, str]:
    """Write the model and the page that are wanted; their names."""
    from kinetree import save

    if out is not None:
        save(fit.model, out)
    if page is not None:
        fit.page(page)
    return {"file": str(out or ""), "page": str(page or "")}


def _facts(fit: Identification) -> dict[str, Any]:
    """What was found, as data."""
    rms = {
        key: dict(
            zip(fit.data.equation.values.tolist(), fit.data[key].values.tolist(), strict=True)
        )
        for key in ("rms", "rms_held")
    }
    return {
        "parameters": fit.parameters, "deviations": fit.deviations, "meaning": fit.meaning,
        "untold": fit.untold, "ranges": {k: [*pair] for k, pair in fit.ranges.items()},
        "idle": fit.idle, "condition": fit.data.attrs["condition"], **rms,
        "data": fit.data.attrs["data"],
    }  # fmt: skip


def _say_fit(fit: Identification, more: dict[str, Any], as_json: bool) -> None:
    """Print values, residuals and what the data do not tell."""
    model = fit.columns.model.name
    if as_json:
        print_json({"model": model, **_facts(fit), **more})
        return
    rows = [
        {"parameter": name, "value": value, "deviation": fit.deviations.get(name, ""),
         "stands for": fit.sums.get(name, "")}
        for name, value in fit.parameters.items()
    ]  # fmt: skip
    print_table(f"{model}: values", round_rows(rows))
    parts = (fit.data.equation.values, fit.data.rms.values, fit.data.rms_held.values)
    heads = ("equation", "rms fitted", "rms held out")
    table = [dict(zip(heads, (str(a), float(b), float(c)), strict=True))
             for a, b, c in zip(*parts, strict=True)]  # fmt: skip
    print_table("residuals", round_rows(table))
    for text in (*fit.untold, *filter(None, (more["file"], more["page"]))):
        say(text)


def _limits(**given: Given) -> dict[str, Any]:
    """Bounds by kind and name: a number, or LOWEST:HIGHEST."""
    found = {}
    for kind, words in given.items():
        rows = dict(read_numbers(word, ":", f"--{kind}") for word in words or ())
        found[kind] = {k: row[0] if len(row) == 1 else tuple(row) for k, row in rows.items()}
    return not_empty(**found)


def _read_planes(given: Given) -> dict[str, list[Any]] | None:
    """Planes by point: normal and distance."""
    found: dict[str, list[Any]] = {}
    for word in given or ():
        name, row = read_numbers(word.replace(":", ","), ",", "--clearance")
        if len(row) != 4:
            raise FormatError(
                f"'{word}' is not a valid plane",
                element="--clearance",
                cure="write POINT=NX,NY,NZ:DISTANCE, such as hand=0,0,1:0.1",
            )
        found.setdefault(name, []).append((tuple(row[:3]), row[3]))
    return found or None


def _read_volumes(given: Given) -> dict[str, Any] | None:
    """Ellipsoids by body: centre and half axes."""
    found: dict[str, Any] = {}
    for word in given or ():
        name, row = read_numbers(word.replace(":", ","), ",", "--volume")
        if len(row) != 6:
            raise FormatError(
                f"'{word}' is not a valid ellipsoid",
                element="--volume",
                cure="write BODY=X,Y,Z:A,B,C, such as hand=0,0,0.05:0.1,0.1,0.2",
            )
        found[name] = (tuple(row[:3]), tuple(row[3:]))
    return found or None


def _gains(given: Given) -> dict[str, Any] | None:
    """Gains of motors by name: a number, or the word for one that is to be found."""
    end = f"={UNKNOWN}"
    words = {word.removesuffix(end): UNKNOWN for word in given or () if word.endswith(end)}
    numbers = parse([word for word in given or () if not word.endswith(end)])
    return {**words, **(numbers or {})} or None


def _read_loads(given: Given) -> dict[str, list[int]] | None:
    """Bodies with the numbers of the recordings that have them."""
    rows = dict(read_numbers(word, ",", "--carried") for word in given or ())
    return {name: [int(x) for x in row] for name, row in rows.items()} or None


def _speed(word: str) -> float | str:
    """A speed, or the word for one that is to be found."""
    try:
        return word if word == UNKNOWN else float(word)
    except ValueError:
        raise FormatError(
            f"'{word}' is not a valid speed",
            element="--smooth",
            cure=f"give a number, or {UNKNOWN}",
        ) from None


def _words(given: Given) -> dict[str, str] | None:
    """Pairs of words."""
    return dict(word.partition("=")[::2] for word in given) if given else None


def _friction(given: list[str] | None) -> tuple[str, ...]:
    """Parameters of friction; all where none are named."""
    if given is None:
        return ("coulomb", "viscous", "offset")
    return () if given == ["none"] else tuple(given)
