"""A complete C program: a main() that integrates der(y) = f(t, y) and prints a table.

    cc -O2 NAME.c NAME_run.c -o run -lm && ./run [duration [step [every]]] > run.csv

The classical fourth-order method of Runge and Kutta with a fixed step; a row of comma-separated
values per `every` steps.  The program ends with status 1 where a value is not finite.

Refs: Hairer1993 sec. II.1; Verlinden2005 sec. VI (generated programs)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kinetree.errors import ShapeError
from kinetree.plain import cell
from kinetree.targets.c.header import FIRST_LINE

if TYPE_CHECKING:
    from kinetree.targets.text.source import Source


@dataclass(frozen=True)
class Run:
    """What a program integrates: a Program with inputs t (), y (n), … and the output yd (n).

    Attributes:
        start: y to start from.
        duration: length of the run [s], unless told on the command line.
        step: of the method [s], likewise.
        every: steps between two rows, likewise.
        t0: time at the beginning [s].
        given: values of the other inputs, which are constant; defaults where left out.
        quaternions: numbers of the first components of unit quaternions in y, which are kept unit.
    """

    start: Sequence[float]
    duration: float
    step: float
    every: int = 1
    t0: float = 0.0
    given: Mapping[str, Sequence[float]] = field(default_factory=dict)
    quaternions: Sequence[int] = ()


def run_text(source: Source, run: Run) -> str:
    """The text of the file with main()."""
    n = len(source.program.output("yd").nodes)
    if len(run.start) != n or not 0 < run.step <= run.duration:
        raise ShapeError(
            f"has {len(run.start)} start values for {n} states, step {run.step:g} s and "
            f"duration {run.duration:g} s",
            element=f"run of program '{source.program.name}'",
            cure="give all start values, and a positive step no longer than the duration",
        )
    head = [
        FIRST_LINE,
        f"/* cc -O2 {source.name}.c {source.name}_run.c -o run -lm",
        " * ./run [duration [step [every]]] > run.csv */",
        f'#include "{source.name}.h"',
        "",
        "#include <math.h>",
        "#include <stdio.h>",
        "#include <stdlib.h>",
        "",
    ]
    return "\n".join([*head, *_data(source, run), *_rates(source), _METHOD, *_main(source, run)])


def _data(source: Source, run: Run) -> list[str]:
    """Start values and constant inputs as arrays."""
    lines = [f"enum {{ N = {len(run.start)} }};", "", _array("start", run.start)]
    for row in source.program.inputs:
        if row.name in ("t", "y"):
            continue
        values = run.given.get(row.name, row.default)
        if values is None or len(values) != len(row.symbols):
            raise ShapeError(
                f"needs {len(row.symbols)} values",
                element=f"input '{row.name}' of program '{source.program.name}'",
                cure="give them in Run(given={…})",
            )
        lines.append(_array(f"given_{source.ins[row.name]}", values))
    if run.quaternions:
        listed = ", ".join(str(k) for k in run.quaternions)
        lines.append(f"static const int quaternions[{len(run.quaternions)}] = {{{listed}}};")
    if source.constants:
        lines.append(f"static {source.name}_constants pre;")
    return [*lines, ""]


def _array(name: str, values: Sequence[float]) -> str:
    listed = ", ".join(repr(float(x)) for x in values) or "0.0"
    return f"static const double {name}[{max(len(values), 1)}] = {{{listed}}};"


def _rates(source: Source) -> list[str]:
    """der(y) as a function of t and y alone."""
    taken = source.prepared if source.constants else source.main
    signature = [argument.name for argument in taken]
    known = {source.outs["yd"]: "yd", source.ins.get("t"): "&t", source.ins["y"]: "y"}
    known["pre"] = "&pre"
    called = f"{source.name}_prepared" if source.constants else source.name
    arguments = ", ".join(known.get(name, f"given_{name}") for name in signature)
    unused = [] if "&t" in arguments else ["    (void)t;"]
    head = "static void rates(double t, const double y[], double yd[])"
    return [head, "{", *unused, f"    {called}({arguments});", "}", ""]


_METHOD = """\
/* One step of the classical method: y at t becomes y at t + h.  Laws are asked a billionth of the
 * step inside it, so that one that jumps where a step ends does so between two steps. */
static void advance(double t, double h, double y[])
{
    static double k[4][N], z[N];
    static const double along[3] = {0.5, 0.5, 1.0}, when[3] = {0.5, 0.5, 1.0 - 1e-9};
    rates(t + 1e-9 * h, y, k[0]);
    for (int s = 0; s < 3; ++s) {
        for (int i = 0; i < N; ++i) {
            z[i] = y[i] + along[s] * h * k[s][i];
        }
        rates(t + when[s] * h, z, k[s + 1]);
    }
    for (int i = 0; i < N; ++i) {
        y[i] += h / 6.0 * (k[0][i] + 2.0 * (k[1][i] + k[2][i]) + k[3][i]);
    }
}

/* A row of the table; whether all its values are finite. */
static int row(double t, const double y[])
{
    int fine = 1;
    printf("%.17g", t);
    for (int i = 0; i < N; ++i) {
        printf(",%.17g", y[i]);
        fine = fine && isfinite(y[i]);
    }
    putchar('\\n');
    return fine;
}
"""

_NORMALISE = """\
        for (size_t i = 0; i < sizeof quaternions / sizeof *quaternions; ++i) {
            double *e = y + quaternions[i];
            const double size = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
            for (int j = 0; j < 4; ++j) {
                e[j] /= size;
            }
        }
"""


def _main(source: Source, run: Run) -> list[str]:
    labels = source.program.output("yd").labels or tuple(f"y{k}" for k in range(len(run.start)))
    title = source.language.string(",".join(("t", *map(cell, labels))))
    preamble = ""
    if source.constants:
        early = [argument.name for argument in source.preamble]
        names = ("&pre" if n == "pre" else f"given_{n}" for n in early)
        preamble = f"    {source.name}_preamble({', '.join(names)});\n"
    return [f"""\
int main(int argc, char **argv)
{{
    const double duration = argc > 1 ? atof(argv[1]) : {float(run.duration)!r};
    const double wanted = argc > 2 ? atof(argv[2]) : {float(run.step)!r};
    const long every = argc > 3 ? atol(argv[3]) : {int(run.every)};
    if (!(duration > 0.0 && wanted > 0.0 && every > 0)) {{
        fputs("duration, step and every must be positive\\n", stderr);
        return 2;
    }}
    const long steps = lround(ceil(duration / wanted - 1e-9));
    const double h = duration / (double)steps, t0 = {float(run.t0)!r};
    double y[N];
    for (int i = 0; i < N; ++i) {{
        y[i] = start[i];
    }}
{preamble}    puts({title});
    int fine = row(t0, y);
    for (long n = 1; fine && n <= steps; ++n) {{
        advance(t0 + (double)(n - 1) * h, h, y);
{_NORMALISE if run.quaternions else ""}\
        if (n % every == 0 || n == steps) {{
            fine = row(t0 + (double)n * h, y);
        }}
    }}
    return fine ? 0 : 1;
}}
"""]  # fmt: skip


__all__ = ["Run", "run_text"]
