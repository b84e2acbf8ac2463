"""The tables of the study as Markdown, ours beside the paper's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from benchmarks.iltis import paper
from benchmarks.iltis.road import DURATION, HARD
from benchmarks.iltis.study import Study
from benchmarks.iltis.sweep import FAMILIES, FORMULATIONS, MEASURES, Row, of, within

NAMES = {
    "trapezoidal": "trapezoidal rule",
    "newmark": "Newmark, ξ",
    "hht": "HHT, δf",
    "generalised_alpha": "generalised-α, ρ∞",
}
DASH = "–"


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; the first column is text, the others numbers."""
    rule = ["---", *(["---:"] * (len(head) - 1))]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, rule, *rows))


def factor(seconds: float) -> str:
    """How many times faster than real time."""
    return f"{DURATION / seconds:.0f}" if DURATION / seconds >= 100 else f"{DURATION / seconds:.2f}"


def ms(seconds: float) -> str:
    """Milliseconds."""
    return f"{1e3 * seconds:.3g}"


def winners(
    study: Study, formulation: str, measure: str = "printed", road: float = 1.0
) -> list[Row]:
    """The fastest acceptable runs of a formulation, one per family."""
    rows = [Row(**row) for row in study.facts["winners"].get(measure, [])]
    return of(rows, formulation, road=road)


def best(study: Study, formulation: str, measure: str = "printed", road: float = 1.0) -> Row | None:
    """The fastest of all families."""
    found = winners(study, formulation, measure, road)
    return min(found, key=lambda r: r.seconds, default=None)


def measured(study: Study) -> list[str]:
    """Formulations with results."""
    known = study.facts["formulations"]
    return [name for name in FORMULATIONS if name in known and "failed" not in known[name]]


def table_1(study: Study) -> str:
    """Trapezoidal rule at 0.01 s and at its most efficient step; other methods below."""
    head = (
        "method",
        "Δt s",
        "CPU ms",
        "real time / CPU",
        "error 10⁻³",
        "paper Δt s",
        "paper CPU s",
        "paper real time / CPU",
    )
    rows = []
    for name in reversed(measured(study)):
        printed = list(paper.TRAPEZOIDAL[name].items())
        at = study.facts["formulations"][name]["fixed"]["0.01"]
        run = next(r for r in of(study.rows, name, "trapezoidal") if r.step == 0.01)
        fastest = next(r for r in winners(study, name) if r.family == "trapezoidal")
        pairs = ((0.01, at, run.error), (fastest.step, fastest.seconds, fastest.error))
        for (step, seconds, error), (theirs, spent) in zip(pairs, printed, strict=True):
            rows.append(
                (
                    name,
                    f"{step:g}",
                    ms(seconds),
                    factor(seconds),
                    f"{1e3 * error:.3f}",
                    f"{theirs:g}",
                    f"{spent:.2f}",
                    factor(spent),
                )
            )
    return markdown(head, [*rows, *_others(study)])


def _others(study: Study) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    explicit = study.facts.get("explicit", {})
    printed = list(paper.FULLY_RECURSIVE.items())
    for key, (theirs, taken) in zip(("0.01", "largest"), printed, strict=True):
        if key in explicit:
            row = explicit[key]
            rows.append(
                (
                    "explicit, Runge–Kutta 4 (paper: fully recursive)",
                    f"{row['step']:g}",
                    ms(row["seconds"]),
                    factor(row["seconds"]),
                    f"{1e3 * row['error']:.4f}",
                    f"{theirs:g}",
                    f"{taken:.2f}",
                    factor(taken),
                )
            )
    for name, row in study.facts.get("variable", {}).items():
        spent = paper.COMMERCIAL if "CVODE" in name else None
        rows.append(
            (
                f"explicit, {name}, rtol {row['rtol']:g}" + (" (paper: ADAMS)" if spent else ""),
                "variable",
                ms(row["seconds"]),
                factor(row["seconds"]),
                f"{1e3 * row['error']:.4f}",
                "variable" if spent else DASH,
                f"{spent:.2f}" if spent else DASH,
                factor(spent) if spent else DASH,
            )
        )
    return rows


def table_of(study: Study, formulation: str, measure: str = "printed") -> str:
    """Tables 4 to 6: the most efficient run of each family."""
    head = (
        "family",
        "parameter",
        "Δt s",
        "CPU ms",
        "real time / CPU",
        "error 10⁻³",
        "RMS mm",
        "paper parameter",
        "paper Δt s",
        "paper real time / CPU",
        "paper error 10⁻³",
    )
    found = {row.family: row for row in winners(study, formulation, measure)}
    fastest = min((r.seconds for r in found.values()), default=0.0)
    least = min(p.seconds for p in paper.BEST[formulation].values())
    rows = []
    for family in FAMILIES:
        ours, theirs = found.get(family), paper.BEST[formulation][family]
        left = _ours(ours, fastest) if ours else (DASH,) * 6
        gain = factor(theirs.seconds)
        right = (
            _number(theirs.parameter),
            f"{theirs.step:g}",
            f"**{gain}**" if theirs.seconds == least else gain,
            f"{1e3 * theirs.error:.3f}",
        )
        rows.append((NAMES[family], *left, *right))
    return markdown(head, rows)


def _ours(row: Row, fastest: float) -> tuple[str, ...]:
    gain = factor(row.seconds)
    parameter = None if row.family == "trapezoidal" else row.parameter
    return (
        _number(parameter),
        f"{row.step:g}",
        ms(row.seconds),
        f"**{gain}**" if row.seconds == fastest else gain,
        f"{1e3 * row.error:.3f}",
        f"{1e3 * row.spread:.2f}",
    )


def _number(value: float | None) -> str:
    return DASH if value is None else f"{value:g}"


def table_7(study: Study) -> str:
    """The fastest of each formulation, and how much slower than the hybrid."""
    head = (
        "fastest of",
        "family",
        "Δt s",
        "CPU ms",
        "real time / CPU",
        "CPU / hybrid",
        "paper family",
        "paper Δt s",
        "paper real time / CPU",
        "paper CPU / hybrid",
    )
    own = best(study, "hybrid")
    rows = []
    for name in measured(study):
        ours = best(study, name)
        family, theirs = min(paper.BEST[name].items(), key=lambda item: item[1].seconds)
        base = min(p.seconds for p in paper.BEST["hybrid"].values())
        if ours is None or own is None:
            continue
        parameter = "" if ours.family == "trapezoidal" else f" = {ours.parameter:g}"
        rows.append(
            (
                name,
                NAMES[ours.family] + parameter,
                f"{ours.step:g}",
                ms(ours.seconds),
                factor(ours.seconds),
                f"{ours.seconds / own.seconds:.2f}",
                f"{NAMES[family]} = {theirs.parameter:g}",
                f"{theirs.step:g}",
                factor(theirs.seconds),
                f"{theirs.seconds / base:.2f}",
            )
        )
    return markdown(head, rows)


def table_rms(study: Study) -> str:
    """The fastest runs whose root of the mean square stays within the bound."""
    head = ("formulation", *(NAMES[family] for family in FAMILIES))
    rows = []
    for name in measured(study):
        found = {row.family: row for row in winners(study, name, "rms")}
        rows.append((name, *(_short(found.get(family)) for family in FAMILIES)))
    return markdown(head, rows)


def _short(row: Row | None) -> str:
    if row is None:
        return DASH
    parameter = "" if row.family == "trapezoidal" else f"{row.parameter:g}, "
    return f"{parameter}{1e3 * row.step:g} ms: {factor(row.seconds)}"


def table_robust(study: Study) -> str:
    """Share of the runs that come to their end, and that are acceptable, on both roads."""
    head = ("formulation, road", *(NAMES[family] for family in FAMILIES))
    rows = []
    for road, word in ((1.0, "stairs"), (HARD, "hard stairs")):
        for name in measured(study):
            if of(study.rows, name, road=road):
                found = (of(study.rows, name, family, road) for family in FAMILIES)
                rows.append((f"{name}, {word}", *(_share(r) for r in found)))
    return markdown(head, rows)


def _share(rows: Sequence[Row]) -> str:
    if not rows:
        return DASH

    def percent(good: Callable[[Row], bool]) -> str:
        return f"{100 * sum(good(r) for r in rows) / len(rows):.0f}"

    parts = [percent(lambda r: r.finished)]
    parts += [percent(partial(within, measure)) for measure in MEASURES]
    return " / ".join(parts)


def table_damping(study: Study) -> str:
    """How much faster the best family is than the trapezoidal rule."""
    head = ("fastest trapezoidal / fastest of all", "eq. 43", "RMS", "paper")
    rows = []
    for name in measured(study):
        printed = paper.BEST[name]
        gain = printed["trapezoidal"].seconds / min(p.seconds for p in printed.values())
        ours = (_gain(study, name, measure) for measure in MEASURES)
        rows.append((name, *ours, f"{gain:.2f}"))
    return markdown(head, rows)


def _gain(study: Study, formulation: str, measure: str) -> str:
    found = {row.family: row.seconds for row in winners(study, formulation, measure)}
    if "trapezoidal" not in found:
        return DASH
    return f"{found['trapezoidal'] / min(found.values()):.2f}"


def table_hard(study: Study) -> str:
    """The fastest acceptable runs on the hard road."""
    head = ("hard stairs", "family", "Δt s", "CPU ms", "real time / CPU", "error 10⁻³", "RMS mm")
    rows = []
    for name in measured(study):
        row = best(study, name, road=HARD)
        if row is not None:
            parameter, *rest = _ours(row, 0.0)
            family = NAMES[row.family] + ("" if parameter == DASH else f" = {parameter}")
            rows.append((name, family, *rest))
    row_4 = study.facts.get("explicit", {}).get("hard")
    if row_4:
        spent, wrong = row_4["seconds"], row_4["error"]
        times = round(DURATION / row_4["step"]) + 1
        sizes = (f"{1e3 * wrong:.3f}", f"{1e3 * wrong * times**0.5:.2f}")
        numbers = (f"{row_4['step']:g}", ms(spent), factor(spent), *sizes)
        rows.append(("explicit", "Runge–Kutta 4", *numbers))
    return markdown(head, rows)


def table_agreement(study: Study) -> str:
    """Signals at 0.001 s against the explicit model with tight tolerances; loops on the way."""
    head = (
        "at 0.001 s",
        "largest difference m",
        "RMS m",
        "eq. 43",
        "loops: position",
        "velocity",
        "acceleration",
    )
    rows = []
    for name in measured(study):
        facts = study.facts["formulations"][name]
        if "agreement" in facts:
            off, loops = facts["agreement"], facts["violations"]
            rows.append(
                (
                    f"{name}, trapezoidal rule",
                    *_sizes(off),
                    *(f"{loops[k]:.0e}" for k in ("position", "velocity", "acceleration")),
                )
            )
    off = study.facts.get("explicit", {}).get("agreement")
    if off:
        rows.append(("explicit, Runge–Kutta 4", *_sizes(off), DASH, DASH, DASH))
    return markdown(head, rows)


def _sizes(off: dict[str, float]) -> list[str]:
    return [f"{off[key]:.1e}" for key in ("largest", "rms", "eq43")]


def table_orders(study: Study) -> str:
    """Slope of the error between the two finest steps."""
    head = ("order measured", *(NAMES[family] for family in FAMILIES))
    rows = []
    for name in measured(study):
        found = study.facts["formulations"][name].get("orders", {})
        if found:
            slopes = {f: found[f]["slope"] if f in found else float("nan") for f in FAMILIES}
            rows.append((name, *(f"{slope:.2f}" for slope in slopes.values())))
    return markdown(head, rows)


def table_batch(study: Study) -> str:
    """Variations side by side against one by one."""
    head = (
        "hybrid, Newmark",
        "runs",
        "failed",
        "ms per run, one by one",
        "ms per run, batch",
        "ratio",
    )
    rows = [
        (
            f"Δt = {row['step']:g} s, ξ = {row['basic']:g}",
            str(row["count"]),
            str(row["lost"]),
            ms(row["apart"]),
            ms(row["together"]),
            f"{row['ratio']:.2f}",
        )
        for row in study.facts.get("batch", [])
    ]
    return markdown(head, rows)


def table_peaks(study: Study) -> str:
    """Largest vertical accelerations."""
    head = ("road", "chassis g", "front left wheel g", "rear right wheel g")
    words = {"1": "stairs", f"{HARD:g}": "hard stairs"}
    rows = [(words[key], *(f"{a:.2f}" for a in row)) for key, row in study.facts["peaks"].items()]
    return markdown(head, rows)


def everything(study: Study) -> dict[str, str]:
    """Name of the place in the page -> table."""
    made: dict[str, Any] = {
        "table 1": table_1,
        "table 7": table_7,
        "rms": table_rms,
        "robust": table_robust,
        "hard": table_hard,
        "damping": table_damping,
        "agreement": table_agreement,
        "orders": table_orders,
        "batch": table_batch,
        "peaks": table_peaks,
    }
    tables = {name: make(study) for name, make in made.items()}
    for number, name in ((4, "global"), (5, "topological"), (6, "hybrid")):
        if name in measured(study):
            tables[f"table {number}"] = table_of(study, name)
    return tables


__all__ = ["best", "everything", "markdown", "measured", "winners"]
