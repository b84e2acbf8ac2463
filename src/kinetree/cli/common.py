"""What the verbs share: the command line itself, its usual options, reading and deriving."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kinetree.errors import FormatError, ModelWarning
from kinetree.printing import TableRow

if TYPE_CHECKING:
    from kinetree.model import Mechanism
    from kinetree.program.program import Program

app = typer.Typer(
    name="kinetree",
    help="Equations of motion of mechanisms: derived, condensed, compiled.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def show_version(asked: bool) -> None:
    """Print the version of the package and end."""
    if asked:
        from kinetree import __version__

        print(f"kinetree {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=show_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Options of the command line as a whole."""
    del version


ModelFile = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A .yaml, .urdf, .xml or .sdf file.")
]
OfOption = Annotated[str, typer.Option("--of", help="inverse, mass_bias, forward, energy, …")]
Formalism = Annotated[str, typer.Option(help="newton_euler, order_n, …; empty: the usual one.")]
Treatment = Annotated[str, typer.Option(help="run-time (inputs with defaults) or folded.")]
ByOption = Annotated[list[str] | None, typer.Option("--by", help="Also derivatives by this input.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print machine-readable results.")]


def read(file: Path, *, checked: bool = False) -> tuple[Any, list[str]]:
    """The model in a file, and the warnings that came with it; `checked` for forward dynamics."""
    from kinetree.model import as_mechanism

    found, notes = read_any(file)
    with gather_warnings() as more:
        model = as_mechanism(found)
        if checked:
            model.check()
    return model, [*notes, *more]


def read_any(file: Path) -> tuple[Any, list[str]]:
    """The model or the component in a file, and the warnings that came with it."""
    from kinetree import load

    with gather_warnings() as notes:
        found = load(file)
    return found, notes


@contextmanager
def gather_warnings() -> Iterator[list[str]]:
    """The warnings about a model that come meanwhile, each once."""
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ModelWarning)
        yield notes
    rows = [str(row.message) for row in caught if issubclass(row.category, ModelWarning)]
    notes += dict.fromkeys(rows)


def derive(
    model: Mechanism,
    quantity: str,
    formalism: str,
    parameters: str,
    by: Sequence[str] | None = None,
) -> Program:
    """One Program, with derivatives of its outputs; the warnings of the check are not repeated."""
    from kinetree import derive as derived

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        program = derived(model, quantity, formalism or None, parameters)
    outputs = tuple(row.name for row in program.outputs)
    return program.derivative(outputs, tuple(by)) if by else program


def operations(program: Program) -> TableRow:
    """The operation count of a Program as a row."""
    found = program.count()
    return {**asdict(found), "total": found.total}


def refuse_full(folder: Path, *, force: bool) -> None:
    """Refuse to write among files that are there, unless told to."""
    if folder.exists() and not folder.is_dir():
        raise FormatError("it is not a folder", element=f"'{folder}'", cure="name another")
    if folder.is_dir() and any(folder.iterdir()) and not force:
        raise FormatError(
            "there are files in it",
            element=f"folder '{folder}'",
            cure="name another, or say --force",
        )
