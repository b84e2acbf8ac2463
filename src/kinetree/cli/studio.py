"""The verb that opens the studio."""

from __future__ import annotations

import webbrowser
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from kinetree.cli.common import app
from kinetree.errors import UnsupportedError
from kinetree.printing import say

EXTRA = ("starlette", "uvicorn", "websockets")
"""Packages of kinetree[studio]; without the last the page would wait for news in vain."""


@app.command()
def studio(
    file: Annotated[
        Path, typer.Argument(metavar="MODEL", help="A .yaml file, or a folder to choose one in.")
    ] = Path(),
    port: Annotated[int, typer.Option(help="Of the server; 0: a free one.")] = 0,
    show: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
) -> None:
    """Edit, draw, check and run a model file in the browser, on this machine alone."""
    for package in EXTRA:
        if find_spec(package) is None:
            raise UnsupportedError(
                f"the package '{package}' is missing", element="studio",
                cure="pip install 'kinetree[studio]'",
            )  # fmt: skip
    from kinetree.studio.serve import serve

    def tell(line: str) -> None:
        say(line)
        if show and line.startswith("http"):
            webbrowser.open(line)

    serve(file, port, tell)
