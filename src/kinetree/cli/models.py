"""Verbs about a model as it stands: check, convert, partition."""

from __future__ import annotations

import warnings
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from kinetree.cli.common import AsJson, ModelFile, app, read
from kinetree.errors import ModelWarning
from kinetree.printing import TableRow, print_json, print_table, say, warn


@app.command()
def check(file: ModelFile, as_json: AsJson = False) -> None:
    """Say what is wrong with a model, or how large it is."""
    model, notes = read(file, checked=True)
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

    model, notes = read(file)
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always", ModelWarning)
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
