"""Pictures of the study, from its stored results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.iltis.road import height
from benchmarks.iltis.runs import POINTS
from benchmarks.iltis.study import Study
from benchmarks.iltis.sweep import BOUND, FAMILIES, RANGES, STEPS, Row, of
from benchmarks.iltis.tables import NAMES, best, measured

LABELS = {"chassis": "chassis", "FL_wheel": "front left wheel", "RR_wheel": "rear right wheel"}
COLOURS = {"chassis": "#1f4e79", "FL_wheel": "#c8553d", "RR_wheel": "#588b3a"}
AXLES = {"chassis": 0.0, "FL_wheel": 0.97, "RR_wheel": -1.047}
"""Place of a point ahead of the mass centre [m]."""
SHOWN = {"trapezoidal": 0.0, "newmark": -0.3, "hht": 0.15, "generalised_alpha": 0.5}
MARKS = {"trapezoidal": "o", "newmark": "s", "hht": "^", "generalised_alpha": "D"}
TINTS = {
    "trapezoidal": "#333333",
    "newmark": "#c8553d",
    "hht": "#1f77b4",
    "generalised_alpha": "#588b3a",
}
ROUND = (0.5, 1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 100, 200)
"""Numbers that axes show."""
DPI = 100


def all_pictures(study: Study, folder: Path) -> list[Path]:
    """Draw everything; the files written."""
    import matplotlib as mpl

    mpl.use("Agg")
    style: Any = {"font.size": 9, "axes.grid": True, "grid.alpha": 0.3, "axes.axisbelow": True}
    makers = {
        "road": road,
        "signals": signals,
        "errors": errors,
        "maps": maps,
        "fastest": fastest,
    }
    written = []
    with mpl.rc_context(style):
        for name, make in makers.items():
            path = folder / f"iltis_study_{name}.png"
            figure = make(study)
            figure.savefig(path, dpi=DPI)
            written.append(path)
            import matplotlib.pyplot as plt

            plt.close(figure)
    return written


def _axes(rows: int, columns: int, size: tuple[float, float], **more: Any) -> tuple[Any, Any]:
    import matplotlib.pyplot as plt

    return plt.subplots(rows, columns, figsize=size, layout="constrained", squeeze=False, **more)


def road(study: Study) -> Any:
    """The road and the paths of the three points."""
    figure, axes = _axes(1, 1, (9, 3))
    ax = axes[0, 0]
    x = np.arange(-2, 34, 0.02)
    ax.fill_between(x, height(x), -0.1, color="#d9d4c7", linewidth=0)
    ax.plot(x, height(x), color="#6b6455", linewidth=1)
    for point in POINTS:
        place = study.curves["x"] + AXLES[point]
        ax.plot(place, study.curves[f"z_{point}"], color=COLOURS[point], label=LABELS[point])
    for t in range(0, 9, 2):
        k = int(np.argmin(np.abs(study.curves["time"] - t)))
        at = study.curves["x"][k], study.curves["z_chassis"][k]
        ax.plot(*at, "o", color=COLOURS["chassis"], markersize=4)
        ax.annotate(f"{t} s", at, (0, 6), textcoords="offset points", ha="center")
    ax.set(xlabel="x [m]", ylabel="height [m]", xlim=(-2, 33), ylim=(-0.1, 1.6))
    ax.legend(ncols=3, loc="upper right", frameon=False)
    return figure


def signals(study: Study) -> Any:
    """Heights and vertical accelerations of the reference."""
    figure, axes = _axes(2, 1, (9, 4.6), sharex=True)
    time = study.curves["time"]
    for point in POINTS:
        look = {"color": COLOURS[point], "linewidth": 1, "label": LABELS[point]}
        axes[0, 0].plot(time, study.curves[f"z_{point}"], **look)
        axes[1, 0].plot(time, study.curves[f"a_{point}"], **look)
    axes[0, 0].set(ylabel="height [m]")
    axes[1, 0].set(xlabel="time [s]", ylabel="vertical acceleration [g]", xlim=(0, 8))
    axes[0, 0].legend(ncols=3, frameon=False, loc="upper right")
    return figure


def errors(study: Study) -> Any:
    """Error over the step, for one parameter of each family."""
    names = measured(study)
    figure, axes = _axes(1, len(names), (3.2 * len(names) + 0.4, 3.6), sharey=True)
    for ax, name in zip(axes[0], names, strict=True):
        for family in FAMILIES:
            value = SHOWN[family]
            rows = [r for r in of(study.rows, name, family) if r.parameter == value]
            good = [r for r in rows if r.finished]
            label = NAMES[family] + ("" if family == "trapezoidal" else f" = {value:g}")
            ax.loglog(
                [1e3 * r.step for r in good],
                [1e3 * r.spread for r in good],
                MARKS[family],
                color=TINTS[family],
                linestyle="-",
                markersize=3,
                linewidth=1,
                label=label,
            )
            lost = [1e3 * r.step for r in rows if not r.finished]
            ax.plot(
                lost,
                np.full(len(lost), 40 / 1.25 ** FAMILIES.index(family)),
                "x",
                color=TINTS[family],
            )
        ax.axhline(1e3 * BOUND, color="black", linewidth=0.8, linestyle="--")
        ticks = (10, 15, 20, 30, 40, 50)
        ax.set_xticks(ticks, [str(t) for t in ticks])
        ax.minorticks_off()
        ax.set(title=name, xlabel="step [ms]", ylim=(0.4, 60))
        ax.set_yticks((0.5, 1, 2, 5, 10, 20, 50), ("0.5", "1", "2", "5", "10", "20", "50"))
    axes[0, 0].set(ylabel="RMS error [mm] (×: failed)")
    axes[0, 0].legend(frameon=False, fontsize=7, loc="lower right")
    return figure


def maps(study: Study, formulation: str = "hybrid") -> Any:
    """Error and processor time over step and parameter; failed runs are grey."""
    from matplotlib.colors import LogNorm

    families = FAMILIES[1:]
    figure, axes = _axes(2, 3, (9.5, 6), sharex=True)
    best_run = best(study, formulation)
    for column, family in enumerate(families):
        rows = of(study.rows, formulation, family)
        pictures = (
            ("RMS error [mm]", lambda r: 1e3 * r.spread, (0.5, 15), "viridis"),
            ("CPU time [ms]", lambda r: 1e3 * r.seconds, None, "magma_r"),
        )
        for line, (title, value, span, tint) in enumerate(pictures):
            ax = axes[line, column]
            grid = _grid(rows, family, value)
            low, high = span or _span(study, formulation)
            picture = ax.pcolormesh(
                [1e3 * h for h in STEPS],
                RANGES[family],
                grid,
                norm=LogNorm(low, high),
                cmap=tint,
                shading="nearest",
            )
            ax.set_facecolor("#bdbdbd")
            ax.grid(visible=False)
            if best_run is not None and best_run.family == family:
                ax.plot(
                    1e3 * best_run.step,
                    best_run.parameter,
                    "*",
                    color="white",
                    markeredgecolor="black",
                    markersize=11,
                    clip_on=False,
                )
            if not line:
                ax.set_title(NAMES[family].split(",")[0])
            ax.set_ylabel(NAMES[family].split(", ")[1])
            if line:
                ax.set_xlabel("step [ms]")
            if column == len(families) - 1:
                bar = figure.colorbar(picture, ax=axes[line, :].tolist(), label=title, pad=0.01)
                ticks = [t for t in ROUND if low <= t <= high]
                bar.set_ticks(ticks, labels=[f"{t:g}" for t in ticks])
                bar.minorticks_off()
    return figure


def _grid(rows: list[Row], family: str, value: Any) -> np.ndarray:
    grid = np.full((len(RANGES[family]), len(STEPS)), np.nan)
    for row in rows:
        if row.finished:
            grid[RANGES[family].index(row.parameter), STEPS.index(row.step)] = value(row)
    return grid


def _span(study: Study, formulation: str) -> tuple[float, float]:
    times = [1e3 * r.seconds for r in of(study.rows, formulation) if r.finished]
    return float(np.quantile(times, 0.005)), float(np.quantile(times, 0.995))


def fastest(study: Study) -> Any:
    """The fastest acceptable run against the reference."""
    figure, axes = _axes(3, 1, (9, 6), sharex=True)
    found = best(study, next(iter(measured(study))))
    assert found is not None
    name = NAMES[found.family] + (
        "" if found.family == "trapezoidal" else f" = {found.parameter:g}"
    )
    for ax, point in zip(axes[:, 0], POINTS, strict=True):
        ax.plot(
            study.curves["time"],
            study.curves[f"z_{point}"],
            color="#333333",
            linewidth=1,
            label="trapezoidal rule, 1 ms",
        )
        ax.plot(
            study.fastest["time"],
            study.fastest[f"z_{point}"],
            "o-",
            color=COLOURS[point],
            markersize=2,
            linewidth=0.8,
            label=f"{name}, {1e3 * found.step:g} ms",
        )
        ax.set(ylabel=f"{LABELS[point]} [m]")
        ax.legend(frameon=False, fontsize=7, loc="upper right")
    axes[2, 0].set(xlabel="time [s]", xlim=(0, 8))
    return figure


__all__ = ["all_pictures"]
