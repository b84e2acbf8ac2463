"""Curves of a run on paper: one plot per unit, over the time or over another signal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kinetree.arguments import check_arguments
from kinetree.errors import FormatError
from kinetree.files import replacing
from kinetree.plain import plain
from kinetree.view.signals import Curve, curves, groups

if TYPE_CHECKING:
    import xarray
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = (".png", ".svg", ".pdf")
WIDTH = 7.0
"""Width of a picture [inch]."""
COLOURS = (
    "#3b73d9", "#e0762b", "#2f9e78", "#cf4a57", "#8462cc", "#b5952b", "#2c9bc4", "#b5578a",
)  # fmt: skip


def plot(
    run: xarray.Dataset,
    signals: Sequence[str] | str | Path,
    path: str | Path | None = None,
    *,
    x: str = "time",
    title: str = "",
) -> Path:
    """Draw signals of a run into a file.

    Args:
        run: as `simulate` gives it.
        signals: names such as "q.elbow", "elbow" (the first variable that has it), "qd" (all) or
            "strut.force" (an output).  Without them, kt.plot(run, path), the outputs of the run
            are drawn, or where it has none its coordinates.
        path: .png, .svg or .pdf.
        x: signal along the abscissa; another than "time" gives a phase plot.
        title: heading.

    Returns:
        The path written.
    """
    check_arguments(plot, locals())
    if path is None:
        signals, path = _usual(run), _file(signals)
    file = Path(path)
    if file.suffix.lower() not in FORMATS:
        raise FormatError(
            f"'{file.suffix}' is not a valid format of pictures",
            element=f"file '{file}'",
            cure=f"use {', '.join(FORMATS)}",
        )
    names = [str(signals)] if isinstance(signals, str | Path) else list(signals)
    if not names:
        raise FormatError("no signal was named", element="plot", cure="name some, such as 'q'")
    found = [curve for name in names for curve in curves(run, name)]
    if not found:
        raise FormatError(
            f"the run has no curve of '{names[0]}'", element="plot", cure="name an output"
        )
    shown = {curve.name: curve for curve in found}
    along = curves(run, x)[0]
    figure = _figure(list(shown.values()), along, title)
    with replacing(file) as part:
        figure.savefig(part, dpi=150, format=file.suffix[1:].lower())
    return file


def _usual(run: xarray.Dataset) -> list[str]:
    """What is drawn where nothing is named: outputs, or coordinates where there are none."""
    return [group.name for group in groups(run) if group.names == (group.name,)] or ["q"]


def _file(given: Any) -> str | Path:
    """The path that was given in place of signals."""
    if isinstance(given, str | Path):
        return given
    raise FormatError(
        "no file was named", element="plot", cure="give a path that ends in .png, .svg or .pdf"
    )


def _figure(shown: list[Curve], along: Curve, title: str) -> Figure:
    """One pair of axes per unit, below each other."""
    from matplotlib.figure import Figure

    by_unit: dict[str, list[Curve]] = {}
    for curve in shown:
        by_unit.setdefault(curve.unit, []).append(curve)
    rows = len(by_unit)
    figure = Figure(figsize=(WIDTH, 1.0 + 2.6 * rows), layout="constrained")
    panes = figure.subplots(rows, 1, sharex=True, squeeze=False)[:, 0]
    for pane, (unit, group) in zip(panes, by_unit.items(), strict=True):
        _draw(pane, group, along, unit)
    panes[-1].set_xlabel(_label("t" if along.name == "time" else along.name, along.unit))
    if title:
        figure.suptitle(_words(title))
    return figure


def _draw(pane: Axes, group: list[Curve], along: Curve, unit: str) -> None:
    """The curves of one unit."""
    for k, curve in enumerate(group):
        colour = COLOURS[k % len(COLOURS)]
        style = "-" if k < len(COLOURS) else "--"
        pane.plot(
            along.values, curve.values, style, color=colour, label=_words(curve.name), linewidth=1.4
        )
    alone = len(group) == 1
    pane.set_ylabel(_label(group[0].name if alone else _family(group), unit))
    if not alone:
        pane.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize="small", frameon=False)
    pane.grid(visible=True, color="#e2e7ed")
    pane.spines[["top", "right"]].set_visible(False)


def _family(group: list[Curve]) -> str:
    """The variables that the curves belong to."""
    return ", ".join(dict.fromkeys(curve.name.partition(".")[0] for curve in group))


def _label(name: str, unit: str) -> str:
    return _words(f"{name} [{unit}]" if unit and unit != "1" else name)


def _words(text: str) -> str:
    """Text in which a dollar does not begin a formula."""
    return plain(text).replace("$", r"\$")
