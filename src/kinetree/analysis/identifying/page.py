"""What an identification found, as one HTML page with pictures; it loads nothing."""

from __future__ import annotations

import base64
import io
import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.files import write_file
from kinetree.plain import markup

if TYPE_CHECKING:
    from kinetree.analysis.identifying.result import Identification

STYLE = """
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 64rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .2rem .6rem .2rem 0; border-bottom: 1px solid #8884;
  vertical-align: top; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
img { width: 100%; background: white; }
"""
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
POOR = 0.3
"""Standard deviation as a part of a value above which its bar is red."""


def write_page(found: Identification, file: Path) -> Path:
    """Write the page; the path written."""
    name = markup(str(found.data.attrs["model"]))
    lines = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        f"<title>Identification: {name}</title>",
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        f"<style>{STYLE}</style></head><body>",
        *_body(found, name),
        "</body></html>",
        "",
    ]
    return write_file(file, "\n".join(lines).encode())


def _body(found: Identification, name: str) -> Iterator[str]:
    data = found.data
    yield f"<h1>Identification: {name}</h1>"
    condition = float(data.attrs.get("condition", math.nan))
    yield f"<p>Method {markup(str(data.attrs['method']))}, condition number {condition:.4g}.</p>"
    yield "<h2>Residuals</h2>"
    heads = ("equation", "rms fitted", "rms held out", "rms measured")
    rows = zip(
        data["equation"].values, data["rms"].values, data["rms_held"].values,
        np.sqrt((data["measured"].values ** 2).mean(axis=0)), strict=True,
    )  # fmt: skip
    yield from _table(heads, rows)
    yield _picture(_curves(found), "measured and predicted over time")
    yield "<h2>Values</h2>"
    yield _picture(_bars(found), "standard deviations as parts of the values")
    spread = found.deviations
    yield from _table(
        ("parameter", "value", "standard deviation", "stands for"),
        ((key, x, spread.get(key, ""), found.meaning.get(key, ""))
         for key, x in found.parameters.items()),
    )  # fmt: skip
    yield "<h2>What cannot be told</h2>"
    yield from (f"<p>{markup(text)}.</p>" for text in found.untold)
    yield f"<p>Nothing measured depends on {markup(', '.join(found.idle) or 'none')}.</p>"
    yield "<h2>What was done</h2>"
    yield from _table(("what", "value"), data.attrs.items())


def _table(heads: Iterable[str], rows: Iterable[Iterable[Any]]) -> Iterator[str]:
    yield "<table><tr>" + "".join(f"<th>{head}</th>" for head in heads) + "</tr>"
    for row in rows:
        yield "<tr>" + "".join(f"<td>{_cell(value)}</td>" for value in row) + "</tr>"
    yield "</table>"


def _cell(value: Any) -> str:
    return f"{value:.5g}" if isinstance(value, float) else markup(str(value))


def _picture(figure: Any, text: str) -> str:
    """A figure as an image inside the page."""
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=110)
    code = base64.b64encode(file.getvalue()).decode()
    return f'<img alt="{text}" src="data:image/png;base64,{code}">'


def _curves(found: Identification) -> Any:
    """Measured, predicted and residual of every equation; what was held out is shaded."""
    from matplotlib.figure import Figure

    data = found.data
    names = data["equation"].values
    figure = Figure(figsize=(10, 1.9 * len(names) + 0.5), layout="constrained")
    axes = np.atleast_1d(figure.subplots(len(names), 1, sharex=True))
    t, held = np.arange(data.sizes["time"]), data["held"].values
    for k, (axis, name) in enumerate(zip(axes, names, strict=True)):
        axis.plot(t, data["measured"].values[:, k], color="#888888", lw=1.6, label="measured")
        axis.plot(t, data["predicted"].values[:, k], color="#1f6feb", lw=0.9, label="predicted")
        axis.plot(t, data["residual"].values[:, k], color="#cf222e", lw=0.8, label="residual")
        low, high = axis.get_ylim()
        axis.fill_between(t, low, high, where=held, color="#1f6feb", alpha=0.08, lw=0)
        axis.set_ylim(low, high)
        axis.set_ylabel(str(name), fontsize=8)
        axis.tick_params(labelsize=8)
        axis.margins(x=0)
    axes[0].legend(ncols=3, fontsize=8, loc="upper right")
    axes[-1].set_xlabel("row of the data; shaded: held out of the fit", fontsize=8)
    return figure


def _bars(found: Identification) -> Any:
    """Standard deviations as parts of the values, on a logarithmic axis."""
    from matplotlib.figure import Figure

    names = list(found.deviations)
    values = dict(zip(names, found.data["base_value"].values, strict=True))
    parts = [found.deviations[key] / max(abs(values[key]), 1e-12) for key in names]
    parts = [min(part, 1e3) for part in parts]
    figure = Figure(figsize=(10, 3.2), layout="constrained")
    axis = figure.subplots()
    colours = ["#cf222e" if part > POOR else "#1f6feb" for part in parts]
    axis.bar(range(len(parts)), parts, color=colours)
    axis.set_yscale("log")
    axis.axhline(POOR, color="#888888", lw=0.8, ls="--")
    axis.set_xticks(range(len(names)), names, rotation=90, fontsize=6)
    axis.set_ylabel("standard deviation / |value|", fontsize=8)
    axis.margins(x=0.01)
    return figure
