"""Generated C beside the native function in this process: Talos, forward dynamics.

Both are called through a C address with the same states, in turns; see native/timing.h.
"""

from __future__ import annotations

import ctypes
import resource
import subprocess
import sys
import tempfile
import warnings
from itertools import accumulate
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

import kinetree as kt
from benchmarks import report
from benchmarks.kinetree_side import Timed
from benchmarks.models import floating, urdf_path
from benchmarks.native_build import compiler

MODEL = "talos"
FLAGS = (("-O2",), ("-O2", "-march=native"), ("-O2", "-std=c99"), ("-O2", "-DKT_ONE_MACHINE"))
"""The first must be fast; -std=c99 forbids gcc to fuse a + b*c, the last leaves that out."""
WAYS = ("run-time", "folded")
STATES = 64
LONGEST = 10.0
"""Seconds that gcc may take."""
SLOWEST = 1.2
"""Time of the C against that of the native function that may be needed."""


def forward(way: str) -> kt.Program:
    """Forward dynamics, with parameters as inputs or as numbers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = kt.load(urdf_path(MODEL), floating=floating(MODEL))
        return kt.derive(model, "forward", parameters=way)


def random_states(program: kt.Program) -> dict[str, np.ndarray]:
    """Values of the variable inputs; quaternions need not have length 1 here."""
    rng = np.random.default_rng(0)
    rows = (row for row in program.inputs if not row.parameter)
    return {row.name: rng.uniform(-1, 1, (STATES, *row.shape)) for row in rows}


def adapter(program: kt.Program) -> str:
    """C of `plain`, which has the arguments of a native function: x, constants, y."""
    name = program.name
    ends = [0, *accumulate(prod(row.shape) for row in program.inputs if not row.parameter)]
    given = [f"x + {start}" for start in ends[:-1]]
    prepared = f"const {name}_constants" in header(program)
    call = f"{name}_prepared" if prepared else name
    middle = ["(const void *)c"] if prepared else []
    lines = [
        f'#include "{name}.h"',
        "void plain(const double *x, const double *c, double *y);",
        "void plain(const double *x, const double *c, double *y)",
        f"{{ (void)c; {call}({', '.join([*given, *middle, 'y'])}); }}",
    ]
    return "\n".join([*lines, ""])


def header(program: kt.Program) -> str:
    """The text of the generated header."""
    with tempfile.TemporaryDirectory() as folder:
        program.write("c", folder)
        return (Path(folder) / f"{program.name}.h").read_text()


class Generated:
    """The C of a Program, compiled into a shared library.

    Attributes:
        seconds: processor time of gcc for the generated file alone.
    """

    def __init__(self, program: kt.Program, timed: Timed, flags: tuple[str, ...]) -> None:
        self.program, self.timed = program, timed
        with tempfile.TemporaryDirectory() as text:
            folder = Path(text)
            program.write("c", folder)
            (folder / "plain.c").write_text(adapter(program))
            self.seconds = self._compiled(folder, program.name, flags)
            self._compiled(folder, "plain", flags)
            objects = [f"{program.name}.o", "plain.o"]
            command = [compiler("gcc"), "-shared", *objects, "-o", "code.so", "-lm"]
            subprocess.run(command, cwd=folder, check=True)
            self.library = ctypes.CDLL(str(folder / "code.so"))
        self.address = ctypes.cast(self.library.plain, ctypes.c_void_p).value
        self.constants = self._constants()

    @staticmethod
    def _compiled(folder: Path, name: str, flags: tuple[str, ...]) -> float:
        start = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [compiler("gcc"), *flags, "-fPIC", "-c", f"{name}.c"]
        subprocess.run(command, cwd=folder, check=True)
        end = resource.getrusage(resource.RUSAGE_CHILDREN)
        return end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime

    def _constants(self) -> np.ndarray:
        """What the preamble in C leaves; room for more than it needs."""
        found = np.zeros(1 << 14)
        preamble = getattr(self.library, f"{self.program.name}_preamble", None)
        if preamble is not None:
            rows = [row.default or () for row in self.program.inputs if row.parameter]
            given = [np.array(row, float) for row in rows]
            addresses = [ctypes.c_void_p(array.ctypes.data) for array in (*given, found)]
            preamble(*addresses)
        return found

    def time(self, repeats: int, seconds: float) -> float:
        """Nanoseconds per call: minimum over the repeats."""
        return self.timed.time_of(self.address, self.constants, repeats, seconds)

    def error(self) -> float:
        """Largest deviation from the native function at the first state, relative."""
        call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(self.address)
        y = np.zeros(self.timed.function.sizes["y"])
        call(self.timed.x.ctypes.data, self.constants.ctypes.data, y.ctypes.data)
        ours = np.concatenate([np.ravel(v) for v in self.timed.values().values()])
        return float(np.max(np.abs(y - ours)) / np.max(np.abs(ours)))


def compared(way: str, rounds: int, repeats: int) -> list[dict[str, Any]]:
    """One row per set of flags."""
    program = forward(way)
    native = Timed(program, random_states(program))
    found = {flags: Generated(program, native, flags) for flags in FLAGS}
    sides = {"native": native, **found}
    times = dict.fromkeys(sides, float("inf"))
    for _ in range(rounds):
        for label, side in sides.items():
            times[label] = min(times[label], side.time(repeats, 1e-3))
    return [
        {
            "parameters": way, "flags": " ".join(flags), "gcc_s": side.seconds,
            "c_ns": times[flags], "native_ns": times["native"],
            "ratio": times[flags] / times["native"], "error": side.error(),
        }
        for flags, side in found.items()
    ]  # fmt: skip


def measure(quick: bool = False) -> dict[str, Any]:
    """Seconds to compile, and time per call against the native function."""
    rounds, repeats = (3, 10) if quick else (20, 30)
    rows = [row for way in WAYS for row in compared(way, rounds, repeats)]
    report.show(
        f"{MODEL}, forward dynamics: generated C (at most {LONGEST:g} s of gcc, {SLOWEST:g} times)",
        ("parameters", "gcc", "compile s", "C ns", "native ns", "C / native", "error"),
        [list(row.values()) for row in rows],
    )
    return {"model": MODEL, "longest_s": LONGEST, "slowest": SLOWEST, "rows": rows}


if __name__ == "__main__":
    measure("--quick" in sys.argv)
