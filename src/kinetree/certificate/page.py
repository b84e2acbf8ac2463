"""A certificate as a page for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from kinetree.certificate.certificate import Certificate, Comparison
from kinetree.plain import markup
from kinetree.targets.text.about import FIRST_LINE

STYLE = """
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 64rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .2rem .6rem .2rem 0; border-bottom: 1px solid #8884;
  vertical-align: top; overflow-wrap: break-word; }
td.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
.yes { color: #1a7f37; } .no { color: #cf222e; font-weight: 600; }
code { font-size: .85em; overflow-wrap: anywhere; }
"""


def certificate_page(found: Certificate) -> str:
    """The text of the page; it loads nothing and runs nothing."""
    name = markup(found.model.get("name", "") or found.programs[0].name)
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return "\n".join(
        [
            f'<!doctype html><!-- {FIRST_LINE} --><html lang="en">',
            f'<head><meta charset="utf-8"><title>Certificate: {name}</title>',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            f"<style>{STYLE}</style></head>",
            "<body>",
            *_body(found, name),
            "</body></html>",
            "",
        ]
    )


def _body(found: Certificate, name: str) -> Iterator[str]:
    verdict = "all agree" if found.agrees else "NOT all agree"
    kind = "yes" if found.agrees else "no"
    yield f"<h1>Certificate: {name}</h1>"
    yield f'<p class="{kind}">{len(found.comparisons)} comparisons with the reference evaluation: '
    yield f"{verdict}. Random states from seed {found.seed}.</p>"
    yield "<h2>Compared</h2>"
    yield from _table(
        ("what", "Program", "by", "largest deviation", "in", "at", "allowed", ""),
        (
            (f"{row.kind} {row.name}", row.program, row.tool, show_deviation(row), row.output,
             row.state, f"{row.tolerance:.0e}", row.agrees)
            for row in found.comparisons
        ),
    )  # fmt: skip
    yield "<p>Deviations are relative to the size of an output or, where that is more, to its "
    yield "change per relative change of the inputs.</p>"
    yield "<h2>Left out</h2>"
    rows = ((f"{row.kind} {row.name}", row.reason) for row in found.left_out)
    yield from _table(("what", "why"), rows)
    yield "<h2>Programs</h2>"
    yield from _table(("Program", "what", "value"), _facts(found))
    yield "<h2>Digests (SHA-256)</h2>"
    yield from _table(("of", "digest"), _digests(found))
    yield "<h2>Parameters</h2>"
    values = ((label, repr(value)) for label, value in found.parameters.items())
    yield from _table(("name", "value"), values)
    yield "<h2>Versions</h2>"
    yield from _table(("of", "version"), found.versions.items())


def show_deviation(row: Comparison) -> str:
    """A deviation in two digits."""
    return "no number" if row.deviation is None else f"{row.deviation:.1e}"


def _facts(found: Certificate) -> Iterator[tuple[str, str, str]]:
    for row in found.programs:
        counts = ", ".join(f"{n} {kind}" for kind, n in row.operations.items())
        yield row.name, "operations of one evaluation", counts
        yield row.name, "operations per parameter set", str(sum(row.preamble.values()))
        for bound in row.iterations:
            text = ", ".join(f"{name} {value:g}" for name, value in bound.items())
            yield row.name, "iteration", text
        if row.stack is not None:
            yield row.name, "stack in C at most, estimated", f"{row.stack} bytes"
        yield row.name, "states", ", ".join(row.states)
        if row.without:
            yield row.name, "states without value, left out", ", ".join(row.without)
        if row.kept:
            yield row.name, "parameters that were not varied", ", ".join(row.kept)
        yield from ((row.name, name, text) for name, text in row.info.items())


def _digests(found: Certificate) -> Iterator[tuple[str, str]]:
    if found.model:
        yield f"model {found.model['name']}", found.model["hash"]
    yield from ((f"equations {row.name}", row.digest) for row in found.programs)
    yield from ((f"file {name}", digest) for name, digest in found.files.items())
    for row in found.comparisons:
        yield from ((f"{row.name} {name}", digest) for name, digest in row.code.items())


def _table(heads: Iterable[str], rows: Iterable[Iterable[Any]]) -> Iterator[str]:
    lines = [f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows]
    if not lines:
        yield "<p>Nothing.</p>"
        return
    yield "<table>"
    yield f"<tr>{''.join(f'<th>{head}</th>' for head in heads)}</tr>"
    yield from lines
    yield "</table>"


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return f'<td class="{"yes" if value else "no"}">{"agrees" if value else "DIFFERS"}</td>'
    return f"<td>{markup(str(value))}</td>"
