"""Shared by the commands about motion: options, values by name, warnings, files, tables."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kinetree.cli.common import gather_warnings
from kinetree.errors import FormatError
from kinetree.files import write_file
from kinetree.printing import TableRow, print_json, print_table, say, warn

if TYPE_CHECKING:
    import xarray

    from kinetree.model import Mechanism

OutOption = Annotated[
    Path | None, typer.Option("-o", "--out", help="File to write: .nc (NetCDF) or .csv.")
]
Continues = Annotated[
    Path | None, typer.Option("--continue", help="Run (.nc) to go on from: its last row.")
]
TextOut = Annotated[Path | None, typer.Option("-o", "--out", help="JSON file to write.")]
Given = list[str] | None
StartQ = Annotated[Given, typer.Option("--q", help="Start value: coordinate=number.")]
StartQd = Annotated[Given, typer.Option("--qd", help="Start velocity: velocity=number.")]
StartX = Annotated[Given, typer.Option("--x", help="Start value of a user state: name=number.")]
Tau = Annotated[Given, typer.Option("--tau", help="Constant effort: velocity=number.")]
Set = Annotated[Given, typer.Option("--set", help="Parameter value: name=number.")]
Duration = Annotated[float, typer.Option("--duration", "-t", help=r"Length of the run \[s].")]
Interval = Annotated[float | None, typer.Option("--step", help=r"Output interval \[s].")]
Stop = Annotated[Given, typer.Option("--stop", help="Expression that ends the run at 0.")]
Outputs = Annotated[
    Given, typer.Option("--output", help="Output, such as strut.force or chassis.position.z.")
]
Inputs = Annotated[
    Given, typer.Option("--input", help="Input: tau_NAME, WRENCH_fz, a parameter; efforts if none.")
]
Lock = Annotated[Given, typer.Option("--lock", help="Coordinate that an effort holds at rest.")]
AtOption = Annotated[str, typer.Option(help="run, equilibrium or start.")]
BeginOption = Annotated[
    str, typer.Option("--begin", help="equilibrium: runs begin at the rest of their parameters.")
]
IndependentOption = Annotated[
    Given, typer.Option("--independent", help="Coordinate of a closed system to keep independent.")
]
MarkLaws = Annotated[
    bool, typer.Option("--mark-laws", help="Record where laws change their branch.")
]
FormulationOption = Annotated[
    str, typer.Option("--formulation", help="Equal steps: hybrid, topological, global, tree.")
]
RunLength = Annotated[
    float | None, typer.Option("--duration", "-t", help=r"Length of the runs \[s].")
]
Rtol = Annotated[float, typer.Option(help="Relative error per step.")]
OptionalRtol = Annotated[float | None, typer.Option("--rtol", help="Relative error per step.")]
Atol = Annotated[float, typer.Option(help="Absolute error per step.")]
Integrator = Annotated[str, typer.Option(help="dop853, rk4, cvode_bdf, trapezoidal, …")]
ModelOut = Annotated[
    Path | None, typer.Option("-o", "--out", help="Model file (.yaml) with the new values.")
]
ProgressFile = Annotated[
    Path | None, typer.Option("--progress", help="JSON file that tells the share done meanwhile.")
]
Rest = Annotated[bool, typer.Option("--equilibrium", help="Find the equilibrium first.")]
GOOD = ("finished", "event")
"""First words of the terminations that are a success."""


BY_NAME = ("q", "qd", "x", "tau", "parameters")
"""Options of runs that are values by name."""


def parse(given: Sequence[str] | None) -> dict[str, float] | None:
    """Values from words such as name=0.5; none where there are no words."""
    if not given:
        return None
    found = {}
    for word in given:
        name, equals, text = word.rpartition("=")
        try:
            found[name] = float(text)
        except ValueError:
            equals = ""
        if not equals or not name:
            raise FormatError(f"'{word}' gives no value", element="command", cure="write name=0.5")
    return found


def read_numbers(word: str, sign: str, option: str) -> tuple[str, list[float]]:
    """A name with numbers, from a word such as strut.damping=500:5000."""
    name, _, text = word.rpartition("=")
    try:
        return name, [float(x) for x in text.split(sign)]
    except ValueError:
        cure = "write name=1,2,3" if sign == "," else "write name=0.5:2"
        raise FormatError(f"'{word}' gives no values", element=option, cure=cure) from None


def event_option(stop: Given, mark_laws: bool) -> dict[str, Any] | None:
    """Events by name: expressions that end a run, branches of laws; none where none is asked."""
    from kinetree import Event

    events: dict[str, Any] = {text: Event(text, stops=True) for text in stop or ()}
    return events | ({"laws": "laws"} if mark_laws else {}) or None


def not_empty(**values: Any) -> dict[str, Any]:
    """The options that were given."""
    return {name: value for name, value in values.items() if value}


def run_options(stop: Given = None, **given: Any) -> dict[str, Any]:
    """Options of runs from the words of a command, those that were given.

    Args:
        stop: expressions that end the runs.
        **given: options of `simulate`; values by name are words.
    """
    read = {name: parse(x) if name in BY_NAME else x for name, x in given.items()}
    return not_empty(events=event_option(stop, False), **read)


def parameter_option(values: Given) -> dict[str, Any]:
    """Parameter values as an option of an analysis; nothing where none are given."""
    return {"parameters": parse(values)} if values else {}


def start_options(q: Given, qd: Given, lock: Given) -> dict[str, Any]:
    """The state that the options give."""
    if lock:
        raise FormatError(
            "coordinates are locked to find an equilibrium",
            element="--lock",
            cure="say --equilibrium too, or leave it out",
        )
    parts = {"q": parse(q), "qd": parse(qd)}
    return {name: value for name, value in parts.items() if value is not None}


def operating_state(
    model: Mechanism, given: tuple[Given, Given], values: Given, lock: Given
) -> Any:
    """The equilibrium near the values that the options give: coordinates, and no velocities."""
    from kinetree import equilibrium as run

    q, qd = given
    if qd:
        raise FormatError(
            "nothing moves at an equilibrium",
            element="--qd",
            cure="leave it out, or leave --equilibrium out",
        )
    return run(model, q=parse(q), parameters=parse(values), locked=lock or (), progress=False)


def first_state(
    model: Mechanism, given: tuple[Given, Given, Given, Given], lock: Given, *, rest: bool
) -> dict[str, Any]:
    """q and x to start from: those given, or with --equilibrium the state of rest near them.

    Efforts that hold locked coordinates at rest act no more afterwards.
    """
    from kinetree import equilibrium as run

    q, x, tau, values = (parse(words) for words in given)
    if rest:
        found = run(model, q=q, x=x, tau=tau, parameters=values, locked=lock or (), progress=False)
        return {"q": found.q.tolist(), "x": found.x.tolist()}
    if lock:
        raise FormatError(
            "it holds a coordinate at rest", element="--lock", cure="give --equilibrium too"
        )
    return {"q": q, "x": x}


def progress_option(file: Path | None, as_json: bool) -> Any:
    """How an analysis tells how far it is: in a file, or else as on any terminal but for JSON."""
    from kinetree.analysis.runs.progress import telling_file

    if file is not None:
        return telling_file(file)
    return False if as_json else None


def early_end(found: xarray.Dataset) -> dict[str, str]:
    """The entry "error" of a result along a run that ended early; nothing where it is whole."""
    said = str(found.attrs["termination"])
    return {} if said.startswith(GOOD) else {"error": said}


@contextmanager
def model_warnings(as_json: bool) -> Iterator[list[str]]:
    """Collect model warnings and print them afterwards, unless --json."""
    with gather_warnings() as notes:
        yield notes
    if not as_json:
        for note in notes:
            warn(note)


def growing(out: Path | None) -> Path | None:
    """The file of a run that is written while it goes; tables are written at the end."""
    return None if out is None or out.suffix in (".csv", ".mat") else out


def write(run: xarray.Dataset, out: Path) -> None:
    """Write a run to a file."""
    from kinetree import save_run

    save_run(run, out)


def write_table(run: xarray.Dataset, out: Path | None) -> None:
    """Write a run to a file that did not grow with it."""
    if out is not None and growing(out) is None:
        write(run, out)


def report_run(
    model: Mechanism, run: xarray.Dataset, out: Path | None, as_json: bool, notes: list[str]
) -> None:
    """Write a run unless it is written, then say how it went and where it ended."""
    write_table(run, out)
    last = {
        f"{name}_{label}": float(value)
        for name, axis in (("q", "coordinate"), ("qd", "velocity"), ("x", "state"))
        if name in run
        for label, value in zip(run[axis].values, run[name][-1].values, strict=True)
    }
    events = {}
    if "event_time" in run:
        pairs = zip(run["event_name"].values, run["event_time"].values, strict=True)
        events = {"events": [{"event": str(a), "time": float(b)} for a, b in pairs]}
    if as_json:
        facts = {**run.attrs, "times": run.sizes["time"], "last": last, **events}
        print_json({**early_end(run), **facts, "file": str(out or ""), "warnings": notes})
        return
    rows = [{"what": name, "value": value} for name, value in last.items()]
    when = float(run["time"].values[-1])
    print_table(f"{model.name} at t = {when:.6g} s ({run.attrs['termination']})", round_rows(rows))
    if "switched_off" in run.attrs:
        warn(f"switched off, and left out: {run.attrs['switched_off']}")
    if "redundant_equations" in run.attrs:
        warn(f"equations that repeat others take no part: {run.attrs['redundant_equations']}")
    if "steps" in run.attrs:
        say(effort(run.attrs))
    if "contact_depth" in run.attrs:
        say(touching(run.attrs))
    if out is not None:
        say(out)


def effort(facts: Mapping[str, Any]) -> str:
    """The effort of a run: method, steps, evaluations or iterations (where counted), time."""
    counted = [
        f"{facts[name]} {text}"
        for name, text in (
            ("steps", "steps"),
            ("evaluations", "evaluations"),
            ("iterations_mean", "iterations per step"),
        )
        if name in facts
    ]
    return f"{facts['method']}: {', '.join(counted)}, {facts['wall_time_s']:.3g} s"


def touching(facts: Mapping[str, Any]) -> str:
    """What equal steps made of contacts."""
    deep, made = facts["contact_depth"], facts["contact_energy"]
    where = f", {facts['contact_deepest']}" if deep > 0 else ""
    return f"contacts: up to {deep:.3g} m deep{where}; equal steps added {made:.3g} J"


def finish(answer: dict[str, Any], out: Path | None, as_json: bool, notes: list[str]) -> None:
    """Write an answer to a JSON file where wanted, print it where wanted."""
    if out is not None:
        if out.suffix != ".json":
            raise FormatError(
                f"'{out.suffix}' is not a valid format of this answer",
                element=f"file '{out}'",
                cure="use .json",
            )
        write_file(out, json.dumps(answer, indent=2) + "\n")
    if as_json:
        print_json({**answer, "warnings": notes})


def round_rows(rows: Sequence[TableRow]) -> list[TableRow]:
    """Rows for people: six digits."""
    return [
        {name: f"{value:.6g}" if isinstance(value, float) else value for name, value in row.items()}
        for row in rows
    ]
