"""Verbs about what comes with the package, and what it keeps: examples, cite, cache."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from kinetree.cli.common import AsJson, app
from kinetree.errors import FormatError, UnsupportedError, unknown
from kinetree.printing import TableRow, print_json, print_table

PACKAGE = Path(__file__).parents[1]
BIBLIOGRAPHY = PACKAGE / "refs.bib"
ENTRY = re.compile(r"^@\w+\{(\w+),\n.*?^\}", re.MULTILINE | re.DOTALL)
FORMALISMS = PACKAGE / "formalism"
EXAMPLES = PACKAGE.parents[1] / "examples"


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
    wanted = [key for given in keys or entries for key in citation_keys(given, entries)]
    chosen = {key: entries[key] for key in dict.fromkeys(wanted)}
    print_json(chosen) if as_json else print("\n\n".join(chosen.values()))


@app.command()
def cache(
    clear: Annotated[bool, typer.Option("--clear", help="Drop all of it.")] = False,
    limit: Annotated[
        float | None, typer.Option(help=r"Keep at most so much from now on \[MB].", min=0)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the compiled code that is kept on this computer, limit its size, or drop it."""
    from kinetree.targets.native.cache import VARIABLE, default_cache

    store = default_cache()
    if store is None:
        raise UnsupportedError(
            "it is turned off",
            element="the store of compiled code",
            cure=f"unset the environment variable {VARIABLE}, or let it name a folder",
        )
    dropped = store.clear() if clear else []
    if limit is not None:
        store.set_limit(round(limit * 2**20))
    kept = store.entries()
    rows: TableRow = {
        "folder": str(store.folder),
        "entries": len(kept),
        "bytes": sum(entry.size for entry in kept),
        "limit": store.limit,
    }
    if clear:
        rows |= {"dropped": len(dropped), "freed": sum(entry.size for entry in dropped)}
    if as_json:
        print_json(rows)
    else:
        print_table("compiled code", [{"what": k, "value": str(v)} for k, v in rows.items()])


def first_sentence(path: Path) -> str:
    """What a script says about itself on its first line."""
    return path.read_text(encoding="utf-8").partition("\n")[0].strip('"')


def bibliography() -> dict[str, str]:
    """Key -> BibTeX entry, in the order of refs.bib."""
    text = BIBLIOGRAPHY.read_text(encoding="utf-8")
    return {match[1]: match[0] for match in ENTRY.finditer(text)}


def citation_keys(given: str, entries: Mapping[str, str]) -> list[str]:
    """The key itself, or the keys that a formalism's file names as its sources."""
    if given in entries:
        return [given]
    inner_first = sorted(FORMALISMS.rglob("[a-z]*.py"), key=lambda path: -len(path.parts))
    files = {path.stem: path for path in inner_first}
    if given not in files:
        raise unknown("work or formalism", given, [*entries, *files])
    text = files[given].read_text(encoding="utf-8")
    return [key for key in entries if re.search(rf"\b{key}\b", text)]
