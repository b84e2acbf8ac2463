"""What an identification found, as one HTML page with pictures; it loads nothing."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.identifying.pseudo_inertia import SIZE, is_physical
from kinetree.analysis.identifying.report.pictures import correlations, curves, image
from kinetree.files import write_file
from kinetree.plain import markup

if TYPE_CHECKING:
    from kinetree.analysis.identifying.result import Identification

STYLE = """
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin-bottom: .2rem; }
h2 { font-size: 1.2rem; margin: 2.2rem 0 .4rem; }
p, li { max-width: 52rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .15rem 1.2rem .15rem 0; border-bottom: 1px solid #8884;
  vertical-align: top; white-space: nowrap; }
th { font-weight: 600; } .number { text-align: right; } .weak { color: #cf222e; }
.sum { white-space: normal; min-width: 20rem; font-size: .85rem; line-height: 1.4; opacity: .8; }
.group th { padding-top: .9rem; border-bottom-width: 2px; }
.wide { white-space: normal; overflow-wrap: anywhere; }
img { width: 100%; }
summary { cursor: pointer; font-weight: 600; margin: .8rem 0; }
@media (prefers-color-scheme: dark) { .weak { color: #ff7b72; } }
"""
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
POOR = 0.3
"""Standard deviation as a part of a value above which it is marked."""
TOGETHER = 0.95
"""Correlation of two errors above which the two are named."""
FEW = 4
"""Bodies named at most in one line."""
MOST = 8
"""Pairs of values named at most."""
METHODS = {
    "least_squares": "Weighted least squares", "instrumental": "Instrumental variables",
    "consistent": "Physically consistent estimate", "output_error": "Output error",
}  # fmt: skip


def write_page(found: Identification, file: Path) -> Path:
    """Write the page; the path written."""
    name = markup(str(found.data.attrs["model"]))
    lines = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        f"<title>Identification: {name}</title>",
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        f"<style>{STYLE}</style></head><body>",
        f"<h1>Identification: {name}</h1>",
        *_summary(found), *_residuals(found), *_values(found), *_untold(found), *_treatment(found),
        "</body></html>",
        "",
    ]  # fmt: skip
    return write_file(file, "\n".join(lines).encode())


# --- sections ------------------------------------------------------------------------------------


def _summary(found: Identification) -> Iterator[str]:
    """What it is from, and what to look at."""
    data, held = found.data, found.data["held"].values
    runs = len(np.unique(data["recording"].values))
    several = "1 recording" if runs == 1 else f"{runs} recordings"
    rows = f"{int((~held).sum())} rows fitted, {int(held.sum())} held out"
    condition = f"condition number {float(data.attrs['condition']):.4g}"
    yield f"<p>{METHODS[data.attrs['method']]} from {several}: {rows}, {condition}.</p><ul>"
    yield from (f"<li>{markup(text)}.</li>" for text in _findings(found))
    yield "</ul>"


def _findings(found: Identification) -> Iterator[str]:
    """What an engineer has to know first."""
    data = found.data
    share, which = _shares(found), data["equation"].values
    if np.isfinite(share).any():
        worst = int(np.nanargmax(share))
        yield (
            f"What was held out is predicted to {100 * share[worst]:.3g} % of its size or better; "
            f"'{which[worst]}' is the worst"
        )
    values = np.abs(data["base_value"].values)
    good = int((data["std"].values < POOR * values).sum())
    what = "values" if found.sums else "sums that motions tell"
    yield f"{good} of {len(values)} {what} have a deviation below {100 * POOR:.0f} % of them"
    if found.untold:
        yield f"What these data cannot tell: {len(found.untold)} (below)"
    wrong = _impossible(found)
    if wrong and found.sums:
        yield (
            f"Nothing can have the values that go into the model for {_few(wrong)}: sums alone are "
            "known; method 'consistent' finds bodies that exist"
        )


def _impossible(found: Identification) -> list[str]:
    """Bodies that cannot exist with the values that the model takes."""
    rows = np.array(list(found.standard.values()))[: SIZE * len(found.columns.bodies)]
    pairs = zip(found.columns.bodies, rows.reshape(-1, SIZE), strict=True)
    return [name for name, row in pairs if row.any() and not is_physical(row)]


def _few(names: Sequence[str]) -> str:
    """The first of some names, and how many there are more."""
    more = len(names) - FEW
    return ", ".join(names) if more <= 0 else f"{', '.join(names[:FEW])} and {more} more"


def _shares(found: Identification) -> Any:
    """Residuals held out (fitted where nothing is) as shares of what was measured."""
    data = found.data
    size = data["measured"].values.std(axis=0)
    rms = data["rms_held" if data["held"].values.any() else "rms"].values
    return np.divide(rms, size, out=np.full(len(size), np.nan), where=size > 0)


def _residuals(found: Identification) -> Iterator[str]:
    data = found.data
    yield "<h2>Measured and predicted</h2>"
    size = data["measured"].values.std(axis=0)
    columns = zip(
        data["equation"].values, data["unit_equation"].values, size, data["rms"].values,
        data["rms_held"].values, 100 * _shares(found), strict=True,
    )  # fmt: skip
    heads = ("", "unit", "deviation of measured", "rms fitted", "rms held out", "% of measured")
    yield from _table(heads, columns)
    yield image(curves(found), "measured, predicted and residual over time")


def _values(found: Identification) -> Iterator[str]:
    yield "<h2>Values</h2>"
    sums = found.sums
    text = "Every value stands for the sum beside it" if sums else "Values of every body and joint"
    yield f"<p>{text}; deviations are standard deviations, in red above {100 * POOR:.0f} %.</p>"
    yield from _value_table(found, list(found.parameters), sums)
    data = found.data
    names, values, spread = (data[key].values.tolist() for key in ("base", "base_value", "std"))
    if not sums:
        yield "<details><summary>What the data alone tell: sums of parameters</summary>"
        units = data["unit_base"].values
        rows = zip(names, values, spread, units, map(found.meaning.get, names), strict=True)
        yield from _table(("", "value", "deviation", "unit", "stands for"), rows)
        yield "</details>"
    yield image(correlations(found), "correlation of the errors of values")
    yield from _pairs(found)


def _value_table(
    found: Identification, names: Sequence[str], sums: dict[str, str]
) -> Iterator[str]:
    """Values by the element that has them."""
    units = dict(zip(found.data["parameter"].values.tolist(),
                     found.data["unit_parameter"].values.tolist(), strict=True))  # fmt: skip
    before = _nominal(found)
    heads = ("value", "deviation", "%", "unit", "in the model", *["stands for"] * bool(sums))
    yield '<div class="scroll"><table>'
    last = None
    owners = list(dict.fromkeys(name.rpartition(".")[0] for name in names))
    for name in sorted(names, key=lambda name: owners.index(name.rpartition(".")[0])):
        owner, _, kind = name.rpartition(".")
        if owner != last:
            cells = "".join(f"<th{_class(head)}>{head}</th>" for head in heads)
            yield f'<tr class="group"><th>{markup(owner)}</th>{cells}</tr>'
            last = owner
        value, spread = found.parameters[name], found.deviations.get(name, math.nan)
        part = 100 * spread / abs(value) if value else math.inf
        weak = ' class="number weak"' if part > 100 * POOR else ' class="number"'
        told = "" if math.isnan(spread) else f"{spread:.2g}" if spread < math.inf else "not told"
        share = f"{part:.2g}" if part < 99.5 else f"{part:.0f}" if part < 1000 else ""
        first = f"{before[name]:.5g}" if name in before else ""
        text = "" if sums.get(name) == name else sums.get(name, "")
        last_cell = f'<td class="sum">{markup(text)}</td>' if sums else ""
        yield (
            f'<tr><td>{markup(kind)}</td><td class="number">{value:.5g}</td>'
            f"<td{weak}>{told}</td><td{weak}>{share}</td><td>{markup(units.get(name, ''))}</td>"
            f'<td class="number">{first}</td>{last_cell}</tr>'
        )
    yield "</table></div>"


def _nominal(found: Identification) -> dict[str, float]:
    """Values of the model before, of the sums where sums were found."""
    table = found.columns
    if not found.sums:
        return dict(zip(table.names, table.nominal.tolist(), strict=True))
    base = [table.names[k] for k in table.base[0]]
    return dict(zip(base, (table.regrouping @ table.nominal).tolist(), strict=True))


def _pairs(found: Identification) -> Iterator[str]:
    """Values whose errors go together."""
    R, names = found.correlation.values, found.data["base"].values
    i, j = np.triu_indices(len(names), 1)
    size = np.abs(np.nan_to_num(R[i, j]))
    order = [k for k in np.argsort(-size, kind="stable") if size[k] > TOGETHER]
    if not order:
        yield f"<p>No two errors have a correlation above {TOGETHER:g}.</p>"
        return
    pairs = [f"{names[i[k]]} and {names[j[k]]} ({R[i[k], j[k]]:.3f})" for k in order[:MOST]]
    more = f", and {len(order) - MOST} pairs more" if len(order) > MOST else ""
    yield (
        f"<p>Errors that go together, so that a sum is better told than its parts: "
        f"{markup(', '.join(pairs) + more)}.</p>"
    )


def _untold(found: Identification) -> Iterator[str]:
    yield "<h2>What cannot be told</h2>"
    if found.untold:
        yield "<ul>" + "".join(f"<li>{markup(text)}.</li>" for text in found.untold) + "</ul>"
    else:
        yield "<p>These data tell every value above.</p>"
    if not found.idle:
        return
    yield "<p>No motion of this machine shows, in what was measured:</p>"
    groups: dict[str, list[str]] = {}
    for name in found.idle:
        owner, _, kind = name.rpartition(".")
        groups.setdefault(owner, []).append(kind)
    yield from _table(("of", "parameters"), ((k, ", ".join(row)) for k, row in groups.items()))


def _treatment(found: Identification) -> Iterator[str]:
    """How the data were treated, and by what."""
    yield "<h2>What was done</h2><ul>"
    data = found.data.attrs
    for note in str(data["data"]).split("; "):
        yield f'<li class="wide">{markup(note)}</li>'
    yield "</ul>"
    yield from _table(("", ""), ((k, v) for k, v in data.items() if k != "data"))


# --- tables --------------------------------------------------------------------------------------


def _class(head: str) -> str:
    return ' class="number"' if head in ("value", "deviation", "%", "in the model") else ""


def _table(heads: Sequence[str], rows: Iterable[Iterable[Any]]) -> Iterator[str]:
    """A table; numbers stand on the right."""
    made = [[value.item() if isinstance(value, np.generic) else value for value in row]
            for row in rows]  # fmt: skip
    numeric = [all(isinstance(row[k], float) for row in made) for k in range(len(heads))]
    marks = [' class="number"' if is_number and made else "" for is_number in numeric]
    yield '<div class="scroll"><table>'
    if any(heads):
        cells = zip(marks, heads, strict=True)
        yield "<tr>" + "".join(f"<th{mark}>{head}</th>" for mark, head in cells) + "</tr>"
    for row in made:
        cells = zip(marks, row, strict=True)
        yield "<tr>" + "".join(_cell(mark, value) for mark, value in cells) + "</tr>"
    yield "</table></div>"


def _cell(mark: str, value: Any) -> str:
    if isinstance(value, float):
        return f"<td{mark}>{'' if math.isnan(value) else f'{value:.4g}'}</td>"
    text = "" if value is None else str(value)
    return f'<td class="{"sum" if len(text) > 40 else "wide"}">{markup(text)}</td>'
