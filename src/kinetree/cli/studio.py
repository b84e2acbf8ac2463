"""The verb that opens the studio."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from kinetree.cli.common import app
from kinetree.errors import UnsupportedError
from kinetree.printing import say


@app.command()
def studio(
    file: Annotated[
        Path, typer.Argument(metavar="MODEL", help="A .yaml file, or a folder to choose one in.")
    ] = Path(),
    port: Annotated[int, typer.Option(help="Of the server; 0: a free one.")] = 0,
    show: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
) -> None:
    """Edit, draw, check and run a model file in the browser, on this machine alone."""
    try:
        from kinetree.studio.serve import serve
    except ModuleNotFoundError as error:
        raise UnsupportedError(
            f"the package '{error.name}' is missing", element="studio",
            cure="pip install 'kinetree[studio]'",
        ) from error  # fmt: skip

    def tell(line: str) -> None:
        say(line)
        if show and line.startswith("http"):
            webbrowser.open(line)

    serve(file, port, tell)
