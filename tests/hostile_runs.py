"""Programs of `hostile` in every language: written, compiled, run; what they print are values.

`check(texts, folder)` takes any texts through all languages that this machine can run.
"""

from __future__ import annotations

import importlib
import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from tests import hostile
from tests.approx import IDENTITY

from kinetree.program import Program

X = 0.3
"""All components of the input x; the parameters are those of the Program."""
HERE = Path(__file__).parent
Values = list[Any]


class MissingTool(Exception):
    """This machine has no compiler or interpreter of a language."""


def tool(name: str) -> str:
    """The path of a command."""
    found = shutil.which(name)
    if found is None:
        raise MissingTool(name)
    return found


def ran(command: Sequence[str | Path], folder: Path) -> str:
    """What a command prints; its complaints where it fails."""
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command[0]}: {done.stderr[-3000:]}"
    return done.stdout


def size(program: Program) -> int:
    """Number of components."""
    return len(program.outputs[0].nodes)


def _written(target: str, programs: Sequence[Program], folder: Path) -> list[str]:
    """The names of the functions of all Programs, written into one folder."""
    return [Path(p.write(target, folder, force=True)[0]).stem for p in programs]


def _parted(programs: Sequence[Program], text: str) -> Values:
    numbers = iter(float(word) for word in text.split())
    return [[next(numbers) for _ in range(size(p))] for p in programs]


def _c_main(names: Sequence[str], programs: Sequence[Program], ending: str) -> str:
    calls = []
    for name, program in zip(names, programs, strict=True):
        n = size(program)
        fill = f"for (i = 0; i < {n}; i++) {{ x[i] = {X}; p[i] = i + 1; }}"
        show = f'for (i = 0; i < {n}; i++) printf("%.17g\\n", y[i]);'
        calls.append(f"{{ double x[{n}], p[{n}], y[{n}]; int i; {fill} {name}(x, p, y); {show} }}")
    heads = [f'#include "{name}.{ending}"' for name in names]
    return "\n".join(["#include <stdio.h>", *heads, "int main(void) {", *calls, "return 0; }", ""])


def c(programs: Sequence[Program], folder: Path) -> Values:
    """By gcc, with trigraphs on."""
    gcc = tool("gcc")
    names = _written("c", programs, folder)
    (folder / "main.c").write_text(_c_main(names, programs, "h"))
    flags = ["-std=gnu99", "-trigraphs", "-Wall", "-Wextra", "-Werror", "-O0"]
    ran([gcc, *flags, "main.c", *(f"{n}.c" for n in names), "-lm", "-o", "main"], folder)
    return _parted(programs, ran([folder / "main"], folder))


def cpp(programs: Sequence[Program], folder: Path) -> Values:
    """By g++."""
    gxx = tool("g++")
    names = _written("cpp", programs, folder)
    (folder / "main.cpp").write_text(_c_main(names, programs, "hpp"))
    ran([gxx, "-std=c++20", "-Wall", "-Werror", "-O0", "main.cpp", "-o", "main"], folder)
    return _parted(programs, ran([folder / "main"], folder))


def fortran(programs: Sequence[Program], folder: Path) -> Values:
    """By gfortran."""
    gfortran = tool("gfortran")
    names = _written("fortran", programs, folder)
    rows: list[str] = []
    for k, (name, program) in enumerate(zip(names, programs, strict=True)):
        n = size(program)
        lines = [f"real(8) :: x({n}), y({n})", f"x = {X}d0", f"call {name}(x, {name}_p_default, y)"]
        rows += [f"subroutine s_{k}()", f"use {name}_module", *lines, 'print "(es27.18e3)", y']
        rows.append(f"end subroutine s_{k}")
    calls = [f"call s_{k}()" for k in range(len(names))]
    (folder / "main.f90").write_text("\n".join(["program main", *calls, "end", *rows, ""]))
    files = [*(f"{name}.f90" for name in names), "main.f90"]
    ran([gfortran, "-std=f2008", "-Wall", "-O0", *files, "-o", "main"], folder)
    return _parted(programs, ran([folder / "main"], folder))


def javascript(programs: Sequence[Program], folder: Path) -> Values:
    """By Node."""
    node = tool("node")
    names = _written("javascript", programs, folder)
    lines = []
    for k, (name, program) in enumerate(zip(names, programs, strict=True)):
        given = f"{{ x: new Float64Array({size(program)}).fill({X}) }}"
        lines.append(f'import * as m{k} from "./{name}.mjs";')
        lines.append(f"console.log(...m{k}.evaluate({given}).y);")
    lines.append(f"if (globalThis.{hostile.CANARY}) throw new Error('a name was run');")
    (folder / "main.mjs").write_text("\n".join(lines))
    return _parted(programs, ran([node, "main.mjs"], folder))


def matlab(programs: Sequence[Program], folder: Path) -> Values:
    """By Octave."""
    octave = tool("octave")
    names = _written("matlab", programs, folder)
    lines = [
        f"printf('%.17g\\n', {name}({X}*ones({size(program)}, 1)));"
        for name, program in zip(names, programs, strict=True)
    ]
    (folder / "kt_main.m").write_text("\n".join([*lines, ""]))
    command = [octave, "--no-gui", "--no-init-file", "--quiet", "kt_main.m"]
    return _parted(programs, ran(command, folder))


def simulink(programs: Sequence[Program], folder: Path) -> Values:
    """Against a stand-in header, which can be compiled and not run."""
    gcc = tool("gcc")
    files = [f"{name}_sfun.c" for name in _written("simulink", programs, folder)]
    (folder / "cg_sfun.h").write_text("")
    ran([gcc, "-std=gnu99", "-fsyntax-only", f"-I{HERE / 'targets'}", "-I.", *files], folder)
    return []


def cuda(programs: Sequence[Program], folder: Path) -> Values:
    """As C++ on the processor; the kernels are loaded and not run."""
    gxx = tool("g++")
    for name in _written("cuda", programs, folder):
        flags = ["-std=c++17", "-O0", "-fsyntax-only", "-Wno-unknown-pragmas", "-x", "c++"]
        ran([gxx, *flags, "-include", HERE / "targets" / "cuda_on_cpu.h", f"{name}.cu"], folder)
        assert "<script" not in (folder / f"{name}.md").read_text(encoding="utf-8")
    return []


def _called(target: str) -> Callable[[Sequence[Program], Path], Values]:
    def run(programs: Sequence[Program], folder: Path) -> Values:
        found = []
        for program in programs:
            values = program.compile(target=target)(x=np.full(size(program), X))
            found.append(np.asarray(values["y"], dtype=float))
            if target != "native":
                program.write(target, folder, force=True)
        return found

    return run


def sympy(programs: Sequence[Program], folder: Path) -> Values:
    """The function that SymPy's expressions give."""
    del folder
    return [p.compile(target="sympy").function()(*np.full(size(p), X))[0] for p in programs]


def python_files(programs: Sequence[Program], folder: Path) -> Values:
    """Modules from files."""
    names = _written("python", programs, folder)
    sys.path.insert(0, str(folder))
    try:
        modules = [importlib.import_module(name) for name in names]
    finally:
        sys.path.remove(str(folder))
    return [
        getattr(module, name)(np.full(size(program), X))["y"]
        for module, name, program in zip(modules, names, programs, strict=True)
    ]


RUNS: dict[str, Callable[[Sequence[Program], Path], Values]] = {
    "c": c,
    "cpp": cpp,
    "fortran": fortran,
    "javascript": javascript,
    "matlab": matlab,
    "simulink": simulink,
    "cuda": cuda,
    "native": _called("native"),
    "python": _called("python"),
    "jax": _called("jax"),
    "torch": _called("torch"),
    "casadi": _called("casadi"),
    "sympy": sympy,
    "python files": python_files,
}
"""Language -> what runs Programs in it, in an empty folder."""
PACKAGES = ("jax", "torch", "casadi", "sympy")


def check_language(language: str, programs: Sequence[Program], folder: Path) -> None:
    """Run Programs: all values are those of the interpreter, and nothing in the names was run.

    Raises:
        MissingTool: where this machine has no such language.
        AssertionError: where a name was more than text.
    """
    if language in PACKAGES and importlib.util.find_spec(language) is None:
        raise MissingTool(language)
    found = RUNS[language](programs, folder)
    assert not list(folder.rglob(hostile.CANARY)), f"{language}: a name was run"
    assert not Path(hostile.CANARY).exists(), f"{language}: a name was run"
    for program, values in zip(programs if found else (), found, strict=True):
        expected = program.evaluate(x=np.full(size(program), X))["y"]
        np.testing.assert_allclose(np.ravel(values), expected, rtol=IDENTITY)


def check(texts: Sequence[str], folder: Path, languages: Sequence[str] = tuple(RUNS)) -> list[str]:
    """Take texts through languages; those that this machine could run.

    Args:
        texts: anything; they become the names, labels, units and notes of Programs.
        folder: an empty one for what is written.
        languages: keys of `RUNS`.
    """
    programs = list(hostile.programs(texts))
    done = []
    for language in languages:
        place = folder / language.replace(" ", "_")
        place.mkdir(parents=True)
        try:
            check_language(language, programs, place)
        except MissingTool:
            continue
        done.append(language)
    return done


__all__ = ["RUNS", "MissingTool", "check", "check_language"]
