"""Names stay data in every target language: what is written runs, is right, and sets no canary."""

from __future__ import annotations

import ctypes
import importlib
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hostile
from kinetree.program import Program

PROGRAMS = tuple(hostile.programs(hostile.ALL))
SLOW = ("jax", "sympy")
"""Targets that take seconds per Program: they are given the first ones, without plain words."""
X = 0.3
FEW = 3


def _tool(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"there is no {name} on this machine")
    return found


def _written(target: str, folder: Path, **options: Any) -> list[str]:
    """The names of the functions of all Programs, written into one folder."""
    return [Path(p.write(target, folder, **options)[0]).stem for p in PROGRAMS]


def _ran(command: Sequence[str | Path], folder: Path) -> str:
    done = subprocess.run(
        [str(word) for word in command], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command[0]}: {done.stderr[-3000:]}"
    return done.stdout


def _check(folder: Path, found: Sequence[Any]) -> None:
    """All values are those of the interpreter, and nothing in the names was run."""
    assert not (folder / hostile.CANARY).exists()
    assert not Path(hostile.CANARY).exists()
    for program, values in zip(PROGRAMS, found, strict=len(found) > FEW):
        np.testing.assert_allclose(np.ravel(values), _expected(program), rtol=1e-12)


def _expected(program: Program) -> Any:
    return program.evaluate(x=np.full(len(program.outputs[0].nodes), X))["y"]


def _parted(text: str) -> list[list[float]]:
    numbers = iter(float(word) for word in text.split())
    return [[next(numbers) for _ in p.outputs[0].nodes] for p in PROGRAMS]


def _c_main(names: Sequence[str], ending: str) -> str:
    calls = []
    for name, program in zip(names, PROGRAMS, strict=True):
        n = len(program.outputs[0].nodes)
        fill = f"for (i = 0; i < {n}; i++) {{ x[i] = {X}; p[i] = i + 1; }}"
        show = f'for (i = 0; i < {n}; i++) printf("%.17g\\n", y[i]);'
        calls.append(f"{{ double x[{n}], p[{n}], y[{n}]; int i; {fill} {name}(x, p, y); {show} }}")
    heads = [f'#include "{name}.{ending}"' for name in names]
    return "\n".join(["#include <stdio.h>", *heads, "int main(void) {", *calls, "return 0; }", ""])


def test_c(tmp_path: Path) -> None:
    gcc = _tool("gcc")
    names = _written("c", tmp_path)
    (tmp_path / "main.c").write_text(_c_main(names, "h"))
    flags = ["-std=gnu99", "-trigraphs", "-Wall", "-Wextra", "-Werror", "-O0"]
    _ran([gcc, *flags, "main.c", *(f"{n}.c" for n in names), "-lm", "-o", "main"], tmp_path)
    _check(tmp_path, _parted(_ran([tmp_path / "main"], tmp_path)))


def test_cpp(tmp_path: Path) -> None:
    gxx = _tool("g++")
    names = _written("cpp", tmp_path)
    (tmp_path / "main.cpp").write_text(_c_main(names, "hpp"))
    _ran([gxx, "-std=c++20", "-Wall", "-Werror", "-O0", "main.cpp", "-o", "main"], tmp_path)
    _check(tmp_path, _parted(_ran([tmp_path / "main"], tmp_path)))


def test_fortran(tmp_path: Path) -> None:
    gfortran = _tool("gfortran")
    names = _written("fortran", tmp_path)
    rows = []
    for name, program in zip(names, PROGRAMS, strict=True):
        n = len(program.outputs[0].nodes)
        uses = f"use {name}_module"
        lines = [f"real(8) :: x({n}), y({n})", f"x = {X}d0", f"call {name}(x, {name}_p_default, y)"]
        rows += [f"subroutine s_{len(rows)}()", uses, *lines, 'print "(es27.18e3)", y', "end"]
    calls = [f"call s_{k}()" for k in range(0, len(rows), 7)]
    (tmp_path / "main.f90").write_text("\n".join(["program main", *calls, "end", *rows, ""]))
    files = [*(f"{name}.f90" for name in names), "main.f90"]
    _ran([gfortran, "-std=f2008", "-Wall", "-O0", *files, "-o", "main"], tmp_path)
    _check(tmp_path, _parted(_ran([tmp_path / "main"], tmp_path)))


def test_javascript(tmp_path: Path) -> None:
    node = _tool("node")
    names = _written("javascript", tmp_path)
    lines = []
    for k, (name, program) in enumerate(zip(names, PROGRAMS, strict=True)):
        n = len(program.outputs[0].nodes)
        lines += [
            f'import * as m{k} from "./{name}.mjs";',
            f"console.log(...m{k}.evaluate({{ x: new Float64Array({n}).fill({X}) }}).y);",
            f"console.error(m{k}.info.inputs[0].labels.length);",
        ]
    lines.append(f"if (globalThis.{hostile.CANARY}) throw new Error('a name was run');")
    (tmp_path / "main.mjs").write_text("\n".join(lines))
    _check(tmp_path, _parted(_ran([node, "main.mjs"], tmp_path)))


def test_matlab(tmp_path: Path) -> None:
    octave = _tool("octave")
    names = _written("matlab", tmp_path)
    lines = [
        f"printf('%.17g\\n', {name}({X}*ones({len(program.outputs[0].nodes)}, 1)));"
        for name, program in zip(names, PROGRAMS, strict=True)
    ]
    (tmp_path / "kt_main.m").write_text("\n".join([*lines, ""]))
    command = [octave, "--no-gui", "--no-init-file", "--quiet", "kt_main.m"]
    _check(tmp_path, _parted(_ran(command, tmp_path)))


def test_simulink(tmp_path: Path) -> None:
    gcc = _tool("gcc")
    names = _written("simulink", tmp_path)
    shim = Path(__file__).parents[1] / "targets"
    files = [f"{name}_sfun.c" for name in names]
    (tmp_path / "cg_sfun.h").write_text("")
    _ran([gcc, "-std=gnu99", "-fsyntax-only", f"-I{shim}", "-I.", *files], tmp_path)
    assert not (tmp_path / hostile.CANARY).exists()


def test_cuda(tmp_path: Path) -> None:
    gxx = _tool("g++")
    names = _written("cuda", tmp_path)
    for name in names:
        shim = Path(__file__).parents[1] / "targets" / "cuda_on_cpu.h"
        command = [gxx, "-std=c++17", "-O0", "-shared", "-fPIC", "-Wno-unknown-pragmas"]
        _ran([*command, "-x", "c++", "-include", shim, f"{name}.cu", "-o", f"{name}.so"], tmp_path)
        ctypes.CDLL(str(tmp_path / f"{name}.so"))
        assert "<script" not in (tmp_path / f"{name}.md").read_text(encoding="utf-8")
    assert not (tmp_path / hostile.CANARY).exists()


@pytest.mark.parametrize("target", ["native", "python", "jax", "torch", "casadi"])
def test_functions(target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if target != "native":
        pytest.importorskip({"python": "numpy"}.get(target, target))
    monkeypatch.chdir(tmp_path)
    found = []
    for program in PROGRAMS[: FEW if target in SLOW else None]:
        values = program.compile(target=target)(x=np.full(len(program.outputs[0].nodes), X))
        found.append(np.asarray(values["y"], dtype=float))
        if target != "native":
            program.write(target, tmp_path)
    _check(tmp_path, found)


def test_sympy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sympy")
    monkeypatch.chdir(tmp_path)
    found = []
    for program in PROGRAMS[:FEW]:
        n = len(program.outputs[0].nodes)
        function = program.compile(target="sympy").function()
        found.append(function(*np.full(n, X))[0])
    _check(tmp_path, found)


def test_python_files_can_be_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = _written("python", tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    found = []
    for name, program in zip(names, PROGRAMS, strict=True):
        function = getattr(importlib.import_module(name), name)
        found.append(function(np.full(len(program.outputs[0].nodes), X))["y"])
    _check(tmp_path, found)
