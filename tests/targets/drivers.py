"""Programs in other languages that run the whole corpus: read numbers, call, print numbers."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Sequence
from math import prod
from pathlib import Path
from typing import Any

from kinetree.program import Program
from targets.cases import case, parted


def written(target: str, names: Iterable[str], folder: Path, **options: Any) -> None:
    """The files of all cases, and the numbers that go in."""
    numbers: list[float] = []
    for name in names:
        case(name).program.write(target, folder, **options)
        numbers += case(name).numbers()
    (folder / "numbers.txt").write_text("\n".join(repr(x) for x in numbers) + "\n")


def ran(command: Sequence[str | Path], folder: Path) -> str:
    """What a command prints; its complaints where it fails."""
    done = subprocess.run(
        [str(word) for word in command], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command[0]}: {done.stderr[-3000:]}"
    return done.stdout


def values(names: Iterable[str], text: str) -> dict[str, Any]:
    """The numbers that a driver printed."""
    return parted(names, (float(word) for word in text.split()))


def sizes(program: Program) -> tuple[list[int], list[int]]:
    """Numbers in every input and output."""
    return [prod(r.shape) for r in program.inputs], [prod(r.shape) for r in program.outputs]


def c_main(names: Iterable[str], ending: str = "h") -> str:
    """A C or C++ program that runs all cases; REAL is the type of its numbers."""
    heads, calls = [], []
    for name in names:
        ins, outs = sizes(case(name).program)
        heads.append(f'#include "{identifier(name)}.{ending}"')
        lines = [f"        REAL x{i}[{max(n, 1)}];" for i, n in enumerate(ins)]
        lines += [f"        REAL y{i}[{max(n, 1)}];" for i, n in enumerate(outs)]
        lines += [f"        get(x{i}, {n});" for i, n in enumerate(ins)]
        arguments = [f"x{i}" for i in range(len(ins))] + [f"y{i}" for i in range(len(outs))]
        lines.append(f"        {identifier(name)}({', '.join(arguments)});")
        lines += [f"        put(y{i}, {n});" for i, n in enumerate(outs)]
        calls += [f"    for (k = 0; k < {len(case(name).states)}; k++) {{", *lines, "    }"]
    return "\n".join(
        ["#include <stdio.h>", *heads, "static FILE *file;",
         "static void get(REAL *x, int n)",
         "{", "    double d;", "    int i;",
         '    for (i = 0; i < n && fscanf(file, "%lf", &d) == 1; i++) x[i] = (REAL)d;', "}",
         "static void put(const REAL *y, int n)",
         "{", "    int i;",
         '    for (i = 0; i < n; i++) printf("%.17g\\n", (double)y[i]);', "}",
         "int main(void) {", "    int k;", '    file = fopen("numbers.txt", "r");', *calls,
         "    return 0;", "}", ""]
    )  # fmt: skip


def identifier(name: str) -> str:
    """The name of a case's function; one of them is a word of most languages."""
    return f"{name}_" if name == "while" else name


def javascript_main(names: Iterable[str]) -> str:
    """A module for Node that runs all cases."""
    heads, calls = [], []
    for name in names:
        program = case(name).program
        module = identifier(name)
        heads.append(f'import * as m_{module} from "./{module}.mjs";')
        lines = [f"    inputs[{row.name!r}] = get({prod(row.shape)});" for row in program.inputs]
        outs = [f"    put(results[{out.name!r}]);" for out in program.outputs]
        calls += [
            f"for (let k = 0; k < {len(case(name).states)}; k++) {{", "    const inputs = {};",
            *lines, f"    const results = m_{module}.evaluate(inputs);", *outs, "}",
        ]  # fmt: skip
    return "\n".join(
        ['import { readFileSync } from "node:fs";', *heads,
         'const numbers = readFileSync("numbers.txt", "utf8").trim().split("\\n").map(Number);',
         "let at = 0;", "const lines = [];",
         "const get = (n) => numbers.slice(at, (at += n));",
         "const put = (y) => lines.push(...y);", *calls,
         'process.stdout.write(lines.map(String).join("\\n") + "\\n");', ""]
    )  # fmt: skip


def fortran_main(names: Iterable[str], precision: str = "double") -> str:
    """A Fortran program that runs all cases."""
    kind = {"double": "real64", "single": "real32"}[precision]
    uses, calls, parts = [], [], []
    for name in names:
        module = identifier(name)
        ins, outs = sizes(case(name).program)
        uses.append(f"subroutine run_{module}()\nuse {module}_module, only: {module}")
        arguments = [f"x{i}" for i in range(len(ins))] + [f"y{i}" for i in range(len(outs))]
        rows = [f"real(dp) :: {a}({n})" for a, n in zip(arguments, (*ins, *outs), strict=True)]
        rows += ["integer :: k", f"do k = 1, {len(case(name).states)}"]
        rows += [f"call get(x{i})" for i in range(len(ins))]
        rows += [f"call {module}( &", ", &\n".join(arguments) + ")"]
        rows += [f"call put(y{i})" for i in range(len(outs))]
        parts += [uses[-1], *rows, "end do", f"end subroutine run_{module}"]
        calls.append(f"call run_{module}()")
    return "\n".join(
        ["program main", f"use, intrinsic :: iso_fortran_env, only: dp => {kind}", "implicit none",
         'open (unit=10, file="numbers.txt", action="read")', *calls, "contains",
         "subroutine get(x)", "real(dp), intent(out) :: x(:)", "integer :: i",
         "do i = 1, size(x)", "read (10, *) x(i)", "end do", "end subroutine get",
         "subroutine put(y)", "real(dp), intent(in) :: y(:)", "integer :: i",
         "do i = 1, size(y)", 'write (*, "(es27.18e3)") y(i)', "end do", "end subroutine put",
         *parts, "end program main", ""]
    )  # fmt: skip


def matlab_main(names: Iterable[str]) -> str:
    """A script that runs all cases."""
    lines = ["1;", "global at numbers", "at = 0;", "numbers = load('numbers.txt');",
             "function x = get(n)", "  global at numbers", "  x = numbers(at + 1:at + n);",
             "  at = at + n;", "end"]  # fmt: skip
    for name in names:
        program = case(name).program
        ins, _ = sizes(program)
        outs = [f"y{i}" for i in range(len(program.outputs))]
        given = ", ".join(f"x{i}" for i in range(len(ins)))
        call = f"[{', '.join(outs)}] = {identifier(name)}({given});"
        lines += [f"for k = 1:{len(case(name).states)}"]
        lines += [f"  x{i} = get({n});" for i, n in enumerate(ins)] + [f"  {call}"]
        lines += [f"  printf('%.17g\\n', {y}.');" for y in outs] + ["end"]
    return "\n".join([*lines, ""])
