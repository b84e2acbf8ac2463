"""Verbs about a model as it stands: check, convert, partition."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kinetree.cli.common import AsJson, ModelFile, app, gather_warnings, read, read_any
from kinetree.printing import TableRow, print_json, print_table, say, warn

if TYPE_CHECKING:
    from kinetree.acausal import Component
    from kinetree.model import Model


@app.command()
def check(file: ModelFile, as_json: AsJson = False) -> None:
    """Say what is wrong with a model, or how large it is; of components, what every stage found."""
    found, notes = read_any(file)
    if hasattr(found, "report"):
        _check_component(found, file, as_json)
        return
    with gather_warnings() as more:
        found.check()
    _check_model(found, file, [*notes, *more], as_json)


def _check_component(found: Component, file: Path, as_json: bool) -> None:
    """What became of connected components, stage by stage."""
    report = found.report()
    if as_json:
        print_json(asdict(report))
        return
    rows: list[TableRow] = [
        {"stage": row.name, "found": row.found, "s": f"{row.seconds:.4f}"} for row in report.stages
    ]
    print_table(f"{file.name} is fine: component {report.name}", rows)
    for line in report.lines():
        say(line)
    for note in report.findings:
        warn(note)


def _check_model(model: Model, file: Path, notes: list[str], as_json: bool) -> None:
    """How large a model is."""
    facts: TableRow = {
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
        from kinetree.assembly import facts as mobility
        from kinetree.assembly.partition import partition as sort

        facts |= mobility(sort(model))
    if as_json:
        print_json({**facts, "warnings": notes})
        return
    facts["hash"] = facts["hash"][:16]
    print_table(f"{file.name} is fine", [{"what": k, "value": str(v)} for k, v in facts.items()])
    for note in notes:
        warn(note)


@app.command()
def convert(
    file: ModelFile,
    to: Annotated[Path, typer.Argument(metavar="FILE", help="A .yaml, .urdf or .xml file.")],
    as_json: AsJson = False,
) -> None:
    """Write a model of any format that is read as another one."""
    from kinetree import save

    model, notes = read_any(file)
    with gather_warnings():
        left = save(model, to)
    if as_json:
        print_json({"files": [str(to)], "left_out": left, "warnings": notes})
        return
    for note in (*notes, *(f"left out: {row}" for row in left)):
        warn(note)
    say(to)


@app.command()
def partition(
    file: ModelFile,
    independent: Annotated[
        list[str] | None, typer.Option("--independent", help="A coordinate to keep independent.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Close the loops; sort coordinates into independent and dependent, name what is redundant."""
    from kinetree.assembly import facts
    from kinetree.assembly.partition import partition as sort

    model, _ = read(file)
    found = sort(model, independent=independent)
    if as_json:
        uses = {label: sorted(names) for label, names in found.uses.items()}
        print_json({**asdict(found), "q": found.q.tolist(), "uses": uses})
        return
    rows = {**facts(found), "dependent": ", ".join(found.dependent) or "none"}
    print_table(model.name, [{"what": k, "value": str(v)} for k, v in rows.items()])
