"""Verbs about equations: count, generate, bench."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kinetree.cli.common import (
    AsJson,
    ByOption,
    Formalism,
    ModelFile,
    OfOption,
    Treatment,
    app,
    derive,
    operations,
    read,
    refuse_full,
)
from kinetree.cli.export import EXPORTS, ExportOptions, export
from kinetree.cli.runs import Inputs, Outputs, not_empty
from kinetree.errors import UnsupportedError, unknown
from kinetree.printing import TableRow, print_json, print_table, say, working

if TYPE_CHECKING:
    from kinetree.model import Mechanism
    from kinetree.program.program import Program

TargetName = Annotated[
    str, typer.Option(help="c, cpp, fortran, matlab, …; fmu or c-package: the whole model.")
]
ExportPoint = Annotated[
    list[str] | None, typer.Option("--point", help="Output of an FMU or package: body.point.")
]
LongestStep = Annotated[float | None, typer.Option(help=r"Longest step of an FMU or package \[s].")]
Overwrite = Annotated[bool, typer.Option("--force", help="Write among files that are there.")]
WithCertificate = Annotated[
    bool, typer.Option("--certificate", help="Also a certificate; see the verb certify.")
]
SLOW = "lagrange"
"""Reference formalism, left out of tables unless asked for."""
BATCH = 4096
TIMED = ("inverse", "mass_bias", "forward")


@app.command()
def count(
    file: ModelFile,
    of: OfOption = "",
    formalism: Formalism = "",
    by: ByOption = None,
    parameters: Treatment = "run-time",
    as_json: AsJson = False,
) -> None:
    """Count the operations of one evaluation: of one quantity and formalism, or of all."""
    model, _ = read(file)
    rows: list[TableRow] = []
    left_out: list[UnsupportedError] = []
    with working(show=not as_json) as tell:
        for quantity, way in choices(of, formalism, sorted_by_itself=model.equations is not None):
            tell(f"{quantity} by {way}")
            start = time.perf_counter()
            try:
                program = derive(model, quantity, way, parameters, by)
            except UnsupportedError as error:
                left_out.append(error)
                continue
            spent = round(time.perf_counter() - start, 3)
            once = program.preamble_count().total
            counts = {**operations(program), "preamble": once, "derive s": spent}
            rows.append({"quantity": quantity, "formalism": way or "sorted", **counts})
    if not rows:
        raise left_out[0]
    refusals = list(dict.fromkeys(map(str, left_out)))
    if as_json:
        about = {"model": model.name, "parameters": parameters}
        print_json({**about, "counts": rows, "left_out": refusals})
        return
    print_table(f"{model.name}: operations per evaluation, parameters {parameters}", rows)
    for refusal in refusals:
        say(f"left out: {refusal}")
    say("add includes subtractions; once: per parameter set; s: time to derive")


@app.command()
def generate(
    file: ModelFile,
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder to write into.")],
    of: OfOption = "forward",
    formalism: Formalism = "",
    by: ByOption = None,
    target: TargetName = "c",
    parameters: Treatment = "run-time",
    fmi: Annotated[str, typer.Option(help="Version of FMI of an FMU: 3.0 or 2.0.")] = "3.0",
    point: ExportPoint = None,
    output: Outputs = None,
    inputs: Inputs = None,
    step: LongestStep = None,
    force: Overwrite = False,
    certificate: WithCertificate = False,
    as_json: AsJson = False,
) -> None:
    """Write the equations in a target language, or the whole model as FMU or C package."""
    _refuse_target(target)
    model, _ = read(file)
    refuse_full(out, force=force)
    if target in EXPORTS:
        _refuse_parts(target, of, by, parameters)
        wanted = ExportOptions(out, fmi, point or (), step, formalism, output, inputs,
                               certificate)  # fmt: skip
        export(model, target, wanted, as_json=as_json)
        return
    with working(show=not as_json) as tell:
        tell(f"deriving {of}")
        program = derive(model, of, formalism, parameters, by)
        tell(f"writing {target}")
        written = [str(path) for path in program.write(target, out, force=force)]
        if certificate:
            recipe = not_empty(formalism=formalism, by=by, parameters=parameters)
            written += _certify_files(model, of, recipe, written, tell)
    if as_json:
        print_json({"files": written, **operations(program)})
        return
    for path in written:
        say(path)
    say(f"{operations(program)['total']} operations per evaluation")


def _certify_files(
    model: Mechanism,
    of: str,
    options: dict[str, Any],
    files: Sequence[str],
    tell: Callable[[str], None],
) -> list[str]:
    """Write a certificate beside files; the paths written."""
    from kinetree import certify

    found = certify(model, of, progress=tell, **options)
    contents = {Path(file).name: Path(file).read_bytes() for file in files}
    return [str(path) for path in found.with_files(contents).save(Path(files[0]).parent)]


def _refuse_target(target: str) -> None:
    """Only what writes files can be asked for."""
    from kinetree.program.program import TARGETS

    languages = list(dict.fromkeys((*(name for name in TARGETS if name != "native"), *EXPORTS)))
    if target == "native":
        raise UnsupportedError(
            "works in this process and writes no files",
            element="target 'native'",
            cure="choose 'c' for functions to compile elsewhere",
        )
    if target not in languages:
        raise unknown("target language", target, languages)


def _refuse_parts(target: str, of: str, by: list[str] | None, parameters: str) -> None:
    """An FMU or a package holds the whole motion with its parameters, not a quantity."""
    if of != "forward" or by or parameters != "run-time":
        raise UnsupportedError(
            "it holds the whole motion of a model, with parameters that can be changed",
            element=f"target '{target}'",
            cure="leave --of, --by and --parameters out",
        )


@app.command()
def bench(file: ModelFile, parameters: Treatment = "run-time", as_json: AsJson = False) -> None:
    """Time our own functions on a model: derive, compile, evaluate once, evaluate a batch."""
    model, _ = read(file)
    rows: list[TableRow] = []
    with working(show=not as_json) as tell:
        for quantity in ("forward",) if model.equations is not None else TIMED:
            tell(f"{quantity}: derive, compile, evaluate")
            rows.append(time_quantity(model, quantity, parameters))
    if as_json:
        print_json({"model": model.name, "parameters": parameters, "batch": BATCH, "times": rows})
        return
    print_table(f"{model.name}: times, parameters {parameters}, batch of {BATCH}", rows)
    say("call ns includes the way through Python; batch ns is per state, all cores")


def choices(of: str, formalism: str, *, sorted_by_itself: bool) -> list[tuple[str, str]]:
    """Every (quantity, formalism) that the two names leave open; of components, their rates."""
    from kinetree.formalism import QUANTITIES

    if sorted_by_itself:
        return [(of or "forward", formalism)]
    if of and of not in QUANTITIES:
        raise unknown("quantity", of, QUANTITIES)
    offered = [(row.name, way) for row in QUANTITIES.values() for way in row.ways]
    ways = list(dict.fromkeys(way for _, way in offered))
    if formalism and formalism not in ways:
        raise unknown("formalism", formalism, ways)
    if of and formalism:
        return [(of, formalism)]
    return [
        (name, way)
        for name, way in offered
        if (not of or name == of) and (way == formalism if formalism else way != SLOW)
    ]


def time_quantity(model: Mechanism, quantity: str, parameters: str) -> TableRow:
    """Times of one quantity of one model."""
    start = time.perf_counter()
    program = derive(model, quantity, "", parameters)
    derived = time.perf_counter()
    function = program.compile()
    one = state(model, program, ())
    function(**one)
    ready = time.perf_counter()
    many = state(model, program, (BATCH,))
    function(**many)
    return {
        "quantity": quantity,
        "operations": program.count().total,
        "derive s": round(derived - start, 4),
        "compile s": round(ready - derived, 4),
        "call ns": round(1e9 * fastest(lambda: function(**one))),
        "batch ns": round(1e9 * fastest(lambda: function(**many)) / BATCH, 1),
    }


def state(model: Mechanism, program: Program, batch: tuple[int, ...]) -> dict[str, Any]:
    """Values of every input without a default: random, quaternions left at 1 0 0 0."""
    import numpy as np

    draw = np.random.default_rng(1).uniform
    movable = [j.nq == j.nv for j in model.leaders for _ in range(j.nq)]
    values: dict[str, Any] = {}
    for row in program.inputs:
        if row.name == "q":
            values["q"] = model.neutral() + np.where(movable, draw(-1, 1, (*batch, model.nq)), 0)
        elif row.default is None:
            values[row.name] = draw(-1, 1, (*batch, *row.shape))
    return values


def fastest(call: Callable[[], Any], seconds: float = 0.2) -> float:
    """Least time of one call, over as many as fit in `seconds` [s]."""
    least = float("inf")
    end = time.perf_counter() + seconds
    while (start := time.perf_counter()) < end:
        call()
        least = min(least, time.perf_counter() - start)
    return least
