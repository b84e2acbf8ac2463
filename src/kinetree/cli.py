"""The command line: parses, calls, prints; what a verb needs is loaded when it runs.

A mistake in a model is one sentence on standard error (with ``--json`` an object with the key
``error`` on standard output) and exit code 1; a mistake in the command itself gives exit code 2.
"""

from __future__ import annotations

import re
import sys
import time
import warnings
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kinetree.errors import FormatError, KinetreeError, ModelWarning, unknown
from kinetree.printing import Row, console, os_sentence, print_json, print_table, working

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kinetree.model.system import Model
    from kinetree.program.program import Program

app = typer.Typer(
    name="kinetree",
    help="Equations of motion of mechanisms: derived, condensed, compiled.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

ModelFile = Annotated[Path, typer.Argument(metavar="MODEL", help="A .yaml or .urdf file.")]
Quantity = Annotated[str, typer.Option("--of", help="inverse, mass_bias, forward, energy, …")]
Formalism = Annotated[str, typer.Option(help="newton_euler, order_n, …; empty: the usual one.")]
Parameters = Annotated[str, typer.Option(help="run-time (inputs with defaults) or folded.")]
By = Annotated[list[str] | None, typer.Option("--by", help="Also derivatives by this input.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print machine-readable results.")]

SLOW = "lagrange"
"""Reference formalism, left out of tables unless asked for."""
BATCH = 4096
TIMED = ("inverse", "mass_bias", "forward")
BIBLIOGRAPHY = Path(__file__).with_name("refs.bib")
ENTRY = re.compile(r"^@\w+\{(\w+),\n.*?^\}", re.MULTILINE | re.DOTALL)
FORMALISMS = Path(__file__).with_name("formalism")
EXAMPLES = Path(__file__).parents[2] / "examples"


@app.command()
def check(file: ModelFile, as_json: AsJson = False) -> None:
    """Say what is wrong with a model, or how large it is."""
    model, notes = read(file, checked=True)
    facts: Row = {
        "model": model.name,
        "bodies": len(model.bodies),
        "joints": len(model.joints),
        "coordinates": model.nq,
        "velocities": model.nv,
        "wrenches": len(model.wrenches),
        "named parameters": len(model.parameters),
        "closures": len(model.closures),
        "hash": model.content_hash(),
    }
    if model.closures:
        from kinetree.analysis.partition import facts as mobility
        from kinetree.analysis.partition import partition as sort

        facts |= mobility(sort(model))
    if as_json:
        print_json({**facts, "warnings": notes})
        return
    facts["hash"] = facts["hash"][:16]
    print_table(f"{file.name} is fine", [{"what": k, "value": str(v)} for k, v in facts.items()])
    for note in notes:
        console(error=True).print(f"warning: {note}", markup=False, highlight=False, soft_wrap=True)


@app.command()
def partition(
    file: ModelFile,
    independent: Annotated[
        list[str] | None, typer.Option("--independent", help="A coordinate to keep independent.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Close the loops; sort coordinates into independent and dependent, name what is redundant."""
    from kinetree.analysis.partition import facts
    from kinetree.analysis.partition import partition as sort

    model, _ = read(file)
    found = sort(model, independent=independent)
    if as_json:
        print_json({**asdict(found), "q": found.q.tolist()})
        return
    rows = {**facts(found), "dependent": ", ".join(found.dependent) or "none"}
    print_table(model.name, [{"what": k, "value": str(v)} for k, v in rows.items()])


@app.command()
def count(
    file: ModelFile,
    of: Quantity = "",
    formalism: Formalism = "",
    by: By = None,
    parameters: Parameters = "run-time",
    as_json: AsJson = False,
) -> None:
    """Count the operations of one evaluation: of one quantity and formalism, or of all."""
    model, _ = read(file)
    rows: list[Row] = []
    with working(show=not as_json) as say:
        for quantity, way in choices(of, formalism):
            say(f"{quantity} by {way}")
            start = time.perf_counter()
            program = derive(model, quantity, way, parameters, by)
            spent = time.perf_counter() - start
            rows.append(
                {
                    "quantity": quantity,
                    "formalism": way,
                    **operations(program),
                    "preamble": program.preamble_count().total,
                    "derive s": round(spent, 3),
                }
            )
    if as_json:
        print_json({"model": model.name, "parameters": parameters, "counts": rows})
        return
    print_table(f"{model.name}: operations per evaluation, parameters {parameters}", rows)
    console().print("add includes subtractions; once: per parameter set; s: time to derive")


@app.command()
def generate(
    file: ModelFile,
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder to write into.")],
    of: Quantity = "forward",
    formalism: Formalism = "",
    by: By = None,
    target: Annotated[str, typer.Option(help="Language to write.")] = "c",
    parameters: Parameters = "run-time",
    force: Annotated[
        bool, typer.Option("--force", help="Write among files that are there.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Write the equations in a target language."""
    from kinetree.program.program import TARGETS

    languages = [name for name in TARGETS if name != "native"]
    if target not in languages:
        raise unknown("target language", target, languages)
    model, _ = read(file)
    refuse_full(out, force=force)
    with working(show=not as_json) as say:
        say(f"deriving {of}")
        program = derive(model, of, formalism, parameters, by)
        say(f"writing {target}")
        written = [str(path) for path in program.write(target, out, force=force)]
    if as_json:
        print_json({"files": written, **operations(program)})
        return
    for path in written:
        console().print(path, highlight=False, soft_wrap=True)
    console().print(f"{operations(program)['total']} operations per evaluation")


@app.command()
def bench(file: ModelFile, parameters: Parameters = "run-time", as_json: AsJson = False) -> None:
    """Time our own functions on a model: derive, compile, evaluate once, evaluate a batch."""
    model, _ = read(file)
    rows: list[Row] = []
    with working(show=not as_json) as say:
        for quantity in TIMED:
            say(f"{quantity}: derive, compile, evaluate")
            rows.append(timed(model, quantity, parameters))
    if as_json:
        print_json({"model": model.name, "parameters": parameters, "batch": BATCH, "times": rows})
        return
    print_table(f"{model.name}: times, parameters {parameters}, batch of {BATCH}", rows)
    console().print("call ns includes the way through Python; batch ns is per state, all cores")


@app.command()
def examples(
    name: Annotated[str, typer.Argument(help="Example to print; empty: list all.")] = "",
    as_json: AsJson = False,
) -> None:
    """List the examples, or print one to start from."""
    found = {path.stem: path for path in sorted(EXAMPLES.glob("*.py"))}
    if not found:
        raise FormatError(
            "the examples are not installed", cure="look in the folder examples of the repository"
        )
    if name and name not in found:
        raise unknown("example", name, found)
    if name:
        print(found[name].read_text(encoding="utf-8"), end="")
        return
    rows = [{"example": stem, "shows": first_sentence(path)} for stem, path in found.items()]
    print_json({"examples": rows}) if as_json else print_table(str(EXAMPLES), rows)


@app.command()
def cite(
    keys: Annotated[
        list[str] | None, typer.Argument(help="Keys or formalisms; empty: all.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print the works behind the formalisms, as BibTeX."""
    entries = bibliography()
    wanted = [key for given in keys or entries for key in cited_by(given, entries)]
    chosen = {key: entries[key] for key in dict.fromkeys(wanted)}
    print_json(chosen) if as_json else print("\n\n".join(chosen.values()))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; a mistake of the user ends as one sentence, never as a traceback."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        app(given)
    except (KinetreeError, OSError) as error:
        said = str(error) if isinstance(error, KinetreeError) else os_sentence(error)
        if "--json" in given:
            print_json({"error": said})
        else:
            console(error=True).print(
                f"error: {said}", markup=False, highlight=False, soft_wrap=True
            )
        sys.exit(1)


# --- calling -------------------------------------------------------------------------------------


def read(file: Path, *, checked: bool = False) -> tuple[Model, list[str]]:
    """The model in a file, and the warnings that came with it; `checked` for forward dynamics."""
    from kinetree import load

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ModelWarning)
        model = load(file)
        if checked:
            model.check()
    notes = [str(row.message) for row in caught if issubclass(row.category, ModelWarning)]
    return model, list(dict.fromkeys(notes))


def choices(of: str, formalism: str) -> list[tuple[str, str]]:
    """Every (quantity, formalism) that the two names leave open."""
    from kinetree.formalism.quantities import QUANTITIES

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


def derive(
    model: Model, quantity: str, formalism: str, parameters: str, by: Sequence[str] | None = None
) -> Program:
    """One Program, with derivatives of its outputs; the warnings of the check are not repeated."""
    from kinetree import derive as derived

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        program = derived(model, quantity, formalism or None, parameters)
    outputs = tuple(row.name for row in program.outputs)
    return program.derivative(outputs, tuple(by)) if by else program


def operations(program: Program) -> Row:
    """The operation count of a Program as a row."""
    found = program.count()
    return {**asdict(found), "total": found.total}


def timed(model: Model, quantity: str, parameters: str) -> Row:
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


def state(model: Model, program: Program, batch: tuple[int, ...]) -> dict[str, Any]:
    """Values of every input without a default: random, quaternions left at 1 0 0 0."""
    import numpy as np

    draw = np.random.default_rng(1).uniform
    movable = [j.nq == j.nv for j in model.joints.values() for _ in range(j.nq)]
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


def refuse_full(folder: Path, *, force: bool) -> None:
    """Refuse to write among files that are there, unless told to."""
    if folder.exists() and not folder.is_dir():
        raise FormatError("it is no folder", element=f"'{folder}'", cure="name another")
    if folder.is_dir() and any(folder.iterdir()) and not force:
        raise FormatError(
            "there are files in it",
            element=f"folder '{folder}'",
            cure="name another, or say --force",
        )


def first_sentence(path: Path) -> str:
    """What a script says about itself on its first line."""
    return path.read_text(encoding="utf-8").partition("\n")[0].strip('"')


def bibliography() -> dict[str, str]:
    """Key -> BibTeX entry, in the order of refs.bib."""
    text = BIBLIOGRAPHY.read_text(encoding="utf-8")
    return {match[1]: match[0] for match in ENTRY.finditer(text)}


def cited_by(given: str, entries: Mapping[str, str]) -> list[str]:
    """The key itself, or the keys that a formalism's file names as its sources."""
    if given in entries:
        return [given]
    files = {path.stem: path for path in sorted(FORMALISMS.glob("[a-z]*.py"))}
    if given not in files:
        raise unknown("work or formalism", given, [*entries, *files])
    text = files[given].read_text(encoding="utf-8")
    return [key for key in entries if re.search(rf"\b{key}\b", text)]


if __name__ == "__main__":
    main()
