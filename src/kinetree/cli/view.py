"""Verbs that make pictures: view, diagram, plot."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from kinetree.cli.common import AsJson, ModelFile, app, read
from kinetree.printing import print_json, say

RunFile = Annotated[Path, typer.Argument(metavar="RUN", help="A .nc file of a run.")]
Title = Annotated[str, typer.Option(help="Heading; empty: the usual one.")]


@app.command()
def view(
    file: ModelFile,
    run: Annotated[
        Path | None, typer.Argument(metavar="[RUN]", help="A .nc file of a run; none: it stands.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o", "--out", help="The .html file, or .gif or .mp4; empty: MODEL.html here."
        ),
    ] = None,
    modes: Annotated[
        bool, typer.Option("--modes", help="The modes about the equilibrium, not a run.")
    ] = False,
    live: Annotated[
        bool, typer.Option("--live", help="A page that simulates by itself, with sliders.")
    ] = False,
    title: Title = "",
    shapes: Annotated[bool, typer.Option(help="Show the model's own shapes.")] = True,
    show: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write a page that shows a mechanism in 3-D, moving as in a run, in its modes, or live."""
    from kinetree.analysis.equilibrium import equilibrium
    from kinetree.analysis.modes import modes as modes_of
    from kinetree.results.files import load_run
    from kinetree.view.page import animate

    model, _ = read(file)
    page = animate(
        model,
        None if run is None else load_run(run),
        out or Path(f"{file.stem}.html"),
        modes=modes_of(model, at=equilibrium(model)) if modes else None,
        shapes=file.parent if shapes else False,
        title=title or None,
        live=live,
    )
    if show:
        webbrowser.open(page.resolve().as_uri())
    _tell(page, as_json=as_json)


@app.command()
def diagram(
    file: ModelFile,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="The .svg file; empty: MODEL.svg here.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Draw the topology of a mechanism: bodies, joints step by step, closures, forces."""
    from kinetree.view.diagram.svg import diagram as draw

    model, _ = read(file)
    picture = out or Path(f"{file.stem}.svg")
    draw(model, picture)
    _tell(picture, as_json=as_json)


@app.command()
def plot(
    run: RunFile,
    out: Annotated[Path, typer.Option("-o", "--out", help="A .png, .svg or .pdf file.")],
    signals: Annotated[
        list[str] | None,
        typer.Argument(metavar="SIGNAL…", help="q.NAME, qd, an output; usually all outputs, or q."),
    ] = None,
    x: Annotated[str, typer.Option("--x", help="Signal along the abscissa.")] = "time",
    title: Title = "",
    as_json: AsJson = False,
) -> None:
    """Draw signals of a run over time, or over another signal."""
    from kinetree.results.files import load_run
    from kinetree.view.plot import plot as draw

    wanted = (signals, out) if signals else (out,)
    picture = draw(load_run(run), *wanted, x=x, title=title)
    _tell(picture, as_json=as_json)


def _tell(path: Path, *, as_json: bool) -> None:
    """Say what was written."""
    if as_json:
        print_json({"file": str(path), "bytes": path.stat().st_size})
        return
    say(path)
