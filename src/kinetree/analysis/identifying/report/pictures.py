"""Pictures of an identification: motions of efforts over time, correlations of errors.

Lines and letters are of a grey that is read on a light page as on a dark one.
"""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.arrays import Array

if TYPE_CHECKING:
    from kinetree.analysis.identifying.result import Identification

GREY, MEASURED, PREDICTED, RESIDUAL = "#7d8590", "#9aa4af", "#1f6feb", "#d1483f"
LETTERS = 8
ROWS = 4000
"""Rows of data that are drawn at most."""
APART = 5.0
"""Step of time, as a multiple of the usual one, across which no line is drawn."""
NAMED = 70
"""Values that are named beside their correlations at most."""


def image(figure: Any, text: str) -> str:
    """A figure as an image inside a page."""
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=130, transparent=True)
    code = base64.b64encode(file.getvalue()).decode()
    return f'<img alt="{text}" src="data:image/png;base64,{code}">'


def curves(found: Identification) -> Any:
    """Of every equation: measured and predicted; its residual, larger; what was held out."""
    from matplotlib.figure import Figure

    data = found.data
    names, units = data["equation"].values, data["unit_equation"].values
    rows = np.arange(0, data.sizes["time"], max(1, data.sizes["time"] // ROWS))
    t, ends, breaks = _clock(data, rows)
    figure = Figure(figsize=(11, 1.5 * len(names) + 0.7), layout="constrained")
    axes = figure.subplots(len(names), 2, sharex=True, squeeze=False, width_ratios=(5, 3))
    held = data["held"].values[rows]
    for k, (left, right) in enumerate(axes):
        for axis, key, colour, width in (
            (left, "measured", MEASURED, 2.2), (left, "predicted", PREDICTED, 0.9),
            (right, "residual", RESIDUAL, 0.7),
        ):  # fmt: skip
            values = np.insert(data[key].values[rows, k], breaks, np.nan)
            axis.plot(np.insert(t, breaks, np.nan), values, color=colour, lw=width, label=key)
        for axis in (left, right):
            _shade(axis, t, held)
            for end in ends[:-1]:
                axis.axvline(end, color=GREY, lw=0.8, ls=":")
            _quiet(axis)
        left.set_ylabel(f"{names[k]}\n[{units[k]}]", fontsize=LETTERS, color=GREY)
        sigma = 2 * float(data["sigma"].values[k])
        right.axhspan(-sigma, sigma, color=GREY, alpha=0.15, lw=0)
    axes[0, 0].set_title("measured (grey) and predicted", fontsize=LETTERS + 1, color=GREY)
    axes[0, 1].set_title("residual, within ± 2 σ", fontsize=LETTERS + 1, color=GREY)
    after = ", recordings one after the other" if len(ends) > 1 else ""
    for axis, text in zip(axes[-1], (f"time [s]{after}; shaded: not fitted", "time [s]"),
                          strict=True):  # fmt: skip
        axis.set_xlabel(text, fontsize=LETTERS, color=GREY)
    return figure


def correlations(found: Identification) -> Any:
    """Correlation of the errors of all base parameters, as a map."""
    from matplotlib.figure import Figure

    R, names = found.correlation.values, found.data["base"].values.tolist()
    side = float(np.clip(0.14 * len(names) + 2.2, 3.5, 10.5))
    figure = Figure(figsize=(11, side), layout="constrained")
    axis = figure.subplots()
    drawn = axis.imshow(np.nan_to_num(R), cmap="RdBu_r", vmin=-1, vmax=1)
    if len(names) <= NAMED:
        axis.set_xticks(range(len(names)), names, rotation=90, fontsize=6)
        axis.set_yticks(range(len(names)), names, fontsize=6)
    _quiet(axis, letters=6)
    axis.set_title("correlation of errors", fontsize=LETTERS + 1, color=GREY)
    bar = figure.colorbar(drawn, ax=axis, shrink=0.7)
    bar.ax.tick_params(labelsize=LETTERS, colors=GREY)
    bar.outline.set_visible(False)
    return figure


def _clock(data: Any, rows: Any) -> tuple[Array, list[float], Any]:
    """Times with one recording after the other, where each ends, and where lines are broken."""
    t, number = data["time"].values[rows].astype(float), data["recording"].values[rows]
    ends: list[float] = []
    for k in np.unique(number):
        own = number == k
        t[own] += (ends[-1] if ends else 0.0) - (t[own].min() if ends else 0.0)
        ends.append(float(t[own].max()))
    steps = np.diff(t)
    usual = float(np.median(steps[steps > 0])) if (steps > 0).any() else 1.0
    broken = (steps > APART * usual) | (np.diff(number) != 0)
    return t, ends, np.flatnonzero(broken) + 1


def _shade(axis: Any, t: Array, held: Any) -> None:
    """Grounds of what was not fitted."""
    edges = np.flatnonzero(np.diff(np.r_[0, held.astype(int), 0]))
    for a, b in zip(edges[::2], edges[1::2], strict=True):
        axis.axvspan(t[a], t[b - 1], color=PREDICTED, alpha=0.1, lw=0)


def _quiet(axis: Any, letters: int = LETTERS) -> None:
    """Grey frames, small letters."""
    axis.tick_params(labelsize=letters, colors=GREY)
    axis.margins(x=0)
    for side in axis.spines.values():
        side.set_color(GREY)
        side.set_linewidth(0.5)
