"""Programs in other languages that run trials: read numbers.txt, call, print numbers."""

from __future__ import annotations

from collections.abc import Sequence

from kinetree.certificate.trials import Trial
from kinetree.plain import json_text

NUMBERS = "numbers.txt"
"""The file with the numbers that go in, one per line."""
KINDS = {"double": "real64", "single": "real32"}
"""Precision -> kind of Fortran's numbers."""


def c_main(trials: Sequence[Trial], names: Sequence[str], ending: str = "h") -> str:
    """A C or C++ program; REAL is the type of its numbers, names are those of the functions."""
    calls = []
    for trial, name in zip(trials, names, strict=True):
        ins, outs = trial.sizes
        lines = [f"        static REAL x{i}[{max(n, 1)}];" for i, n in enumerate(ins)]
        lines += [f"        static REAL y{i}[{max(n, 1)}];" for i, n in enumerate(outs)]
        lines += [f"        get(x{i}, {n});" for i, n in enumerate(ins)]
        arguments = [f"x{i}" for i in range(len(ins))] + [f"y{i}" for i in range(len(outs))]
        lines.append(f"        {name}({', '.join(arguments)});")
        lines += [f"        put(y{i}, {n});" for i, n in enumerate(outs)]
        calls += [f"    for (k = 0; k < {len(trial.states)}; k++) {{", *lines, "    }"]
    return "\n".join(
        ["#include <stdio.h>", *(f'#include "{name}.{ending}"' for name in names),
         "static FILE *file;",
         "static void get(REAL *x, int n)",
         "{", "    double d;", "    int i;",
         '    for (i = 0; i < n && fscanf(file, "%lf", &d) == 1; i++) x[i] = (REAL)d;', "}",
         "static void put(const REAL *y, int n)",
         "{", "    int i;",
         '    for (i = 0; i < n; i++) printf("%.17g\\n", (double)y[i]);', "}",
         "int main(void) {", "    int k;", f'    file = fopen("{NUMBERS}", "r");', *calls,
         "    return 0;", "}", ""]
    )  # fmt: skip


def javascript_main(trials: Sequence[Trial], names: Sequence[str]) -> str:
    """A module for Node."""
    heads, calls = [], []
    for k, (trial, name) in enumerate(zip(trials, names, strict=True)):
        inputs, outputs = trial.program.inputs, trial.program.outputs
        heads.append(f'import * as m{k} from "./{name}.mjs";')
        rows = zip(inputs, trial.sizes[0], strict=True)
        calls += [
            f"for (let k = 0; k < {len(trial.states)}; k++) {{", "    const inputs = {};",
            *(f"    inputs[{json_text(row.name)}] = get({size});" for row, size in rows),
            f"    const results = m{k}.evaluate(inputs);",
            *(f"    put(results[{json_text(out.name)}]);" for out in outputs), "}",
        ]  # fmt: skip
    return "\n".join(
        ['import { readFileSync } from "node:fs";', *heads,
         f'const numbers = readFileSync("{NUMBERS}", "utf8").trim().split("\\n").map(Number);',
         "let at = 0;", "const lines = [];",
         "const get = (n) => numbers.slice(at, (at += n));",
         "const put = (y) => lines.push(...y);", *calls,
         'process.stdout.write(lines.map(String).join("\\n") + "\\n");', ""]
    )  # fmt: skip


def fortran_main(trials: Sequence[Trial], names: Sequence[str], precision: str = "double") -> str:
    """A Fortran program."""
    parts = []
    for trial, name in zip(trials, names, strict=True):
        ins, outs = trial.sizes
        arguments = [f"x{i}" for i in range(len(ins))] + [f"y{i}" for i in range(len(outs))]
        rows = [f"real(dp) :: {a}({n})" for a, n in zip(arguments, (*ins, *outs), strict=True)]
        rows += ["integer :: k", f"do k = 1, {len(trial.states)}"]
        rows += [f"call get(x{i})" for i in range(len(ins))]
        rows += [f"call {name}( &", ", &\n".join(arguments) + ")"]
        rows += [f"call put(y{i})" for i in range(len(outs))]
        parts += [f"subroutine run_{name}()", f"use {name}_module, only: {name}", *rows]
        parts += ["end do", f"end subroutine run_{name}"]
    kind = KINDS[precision]
    return "\n".join(
        ["program main", f"use, intrinsic :: iso_fortran_env, only: dp => {kind}", "implicit none",
         f'open (unit=10, file="{NUMBERS}", action="read")',
         *(f"call run_{name}()" for name in names), "contains",
         "subroutine get(x)", "real(dp), intent(out) :: x(:)", "integer :: i",
         "do i = 1, size(x)", "read (10, *) x(i)", "end do", "end subroutine get",
         "subroutine put(y)", "real(dp), intent(in) :: y(:)", "integer :: i",
         "do i = 1, size(y)", 'write (*, "(es27.18e3)") y(i)', "end do", "end subroutine put",
         *parts, "end program main", ""]
    )  # fmt: skip


def matlab_main(trials: Sequence[Trial], names: Sequence[str]) -> str:
    """A script for MATLAB and Octave."""
    lines = ["1;", "global at numbers", "at = 0;", f"numbers = load('{NUMBERS}');",
             "function x = get(n)", "  global at numbers", "  x = numbers(at + 1:at + n);",
             "  at = at + n;", "end"]  # fmt: skip
    for trial, name in zip(trials, names, strict=True):
        ins, sizes = trial.sizes
        outs = [f"y{i}" for i in range(len(sizes))]
        given = ", ".join(f"x{i}" for i in range(len(ins)))
        lines += [f"for k = 1:{len(trial.states)}"]
        lines += [f"  x{i} = get({n});" for i, n in enumerate(ins)]
        lines += [f"  [{', '.join(outs)}] = {name}({given});"]
        lines += [f"  printf('%.17g\\n', {y}.');" for y in outs] + ["end"]
    return "\n".join([*lines, ""])
