"""Trials in every target whose tool is at hand: written, compiled, run; or called in this process.

What cannot be run is refused in a sentence, which a certificate repeats.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from kinetree.certificate import drivers
from kinetree.certificate.trials import Trial, part_numbers
from kinetree.errors import KinetreeError, UnsupportedError
from kinetree.targets.cuda import driver
from kinetree.targets.text.python.loading import need

Results = list[list[dict[str, Any]]]
"""Outputs by trial and state."""
LONGEST = 1800
"""Time after which a compiler or a run is given up [s]."""
COMMANDS = {
    "c": ("gcc", "cc", "clang"),
    "cpp": ("g++", "c++", "clang++"),
    "fortran": ("gfortran",),
    "matlab": ("octave-cli", "octave"),
    "javascript": ("node",),
}
"""Target -> commands that compile or run it, the first that is on PATH."""
FLAGS = {"c": ("-std=c99",), "cpp": ("-std=c++11",), "fortran": ("-std=f2008",)}
QUICK = {
    "xla_backend_optimization_level": 0,
    "xla_cpu_use_fusion_emitters": False,
    "xla_llvm_disable_expensive_passes": True,
}
"""Options of XLA that compile in a tenth of the time."""


@dataclass(frozen=True)
class Tool:
    """How a language is compiled and run.

    Attributes:
        command: path of the compiler or interpreter.
        flags: of the compiler.
        precision: "double" or "single".
    """

    command: str
    flags: tuple[str, ...] = ("-O1",)
    precision: str = "double"


def find_tool(target: str) -> str:
    """The command that compiles or runs a target; an error that says which ones would do."""
    for name in COMMANDS[target]:
        if found := shutil.which(name):
            return found
    raise UnsupportedError(
        f"no {' or '.join(COMMANDS[target])} is on PATH",
        element=f"target '{target}'",
        cure="install one of them",
    )


def run_command(command: Sequence[str | Path], folder: Path) -> str:
    """What a command prints in a folder; where it fails, its complaint is the error."""
    words = [str(word) for word in command]
    try:
        done = subprocess.run(
            words, cwd=folder, capture_output=True, text=True, check=False, timeout=LONGEST
        )
    except subprocess.TimeoutExpired:
        raise KinetreeError(
            f"it does not end within {LONGEST} s", element=f"command '{Path(words[0]).name}'"
        ) from None
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["it says nothing"]
        raise KinetreeError(
            f"it fails: {' / '.join(said[-8:])}", element=f"command '{Path(words[0]).name}'"
        )
    return done.stdout


def run_text(
    target: str, trials: Sequence[Trial], folder: Path, tool: Tool | None = None
) -> Results:
    """Write all trials and a program that runs them into a folder; what it prints."""
    tool = tool or Tool(find_tool(target))
    options = {} if tool.precision == "double" or target == "cpp" else {"precision": tool.precision}
    files = [trial.program.write(target, folder, force=True, **options) for trial in trials]
    names = [Path(paths[0]).stem for paths in files]
    numbers = [x for trial in trials for x in trial.numbers()]
    (folder / drivers.NUMBERS).write_text("\n".join(map(repr, numbers)) + "\n")
    text = MAINS[target](trials, names, tool, folder)
    return part_numbers(trials, (float(word) for word in text.split()))


def _compile(folder: Path, tool: Tool, target: str, files: Sequence[str]) -> str:
    """Compile files and run the program that they make."""
    line = [tool.command, *FLAGS[target], *tool.flags, *files, "-o", "main", "-lm"]
    run_command(line, folder)
    return run_command([folder / "main"], folder)


def _run_c(trials: Sequence[Trial], names: Sequence[str], tool: Tool, folder: Path) -> str:
    (folder / "main.c").write_text(drivers.c_main(trials, names))
    real = "double" if tool.precision == "double" else "float"
    return _compile(
        folder, tool, "c", [f"-DREAL={real}", *(f"{name}.c" for name in names), "main.c"]
    )


def _run_cpp(trials: Sequence[Trial], names: Sequence[str], tool: Tool, folder: Path) -> str:
    (folder / "main.cpp").write_text(drivers.c_main(trials, names, "hpp"))
    real = "double" if tool.precision == "double" else "float"
    return _compile(folder, tool, "cpp", [f"-DREAL={real}", "main.cpp"])


def _run_fortran(trials: Sequence[Trial], names: Sequence[str], tool: Tool, folder: Path) -> str:
    (folder / "main.f90").write_text(drivers.fortran_main(trials, names, tool.precision))
    return _compile(folder, tool, "fortran", [*(f"{name}.f90" for name in names), "main.f90"])


def _run_matlab(trials: Sequence[Trial], names: Sequence[str], tool: Tool, folder: Path) -> str:
    (folder / "kt_main.m").write_text(drivers.matlab_main(trials, names))
    return run_command([tool.command, "--norc", "--quiet", "kt_main.m"], folder)


def _run_javascript(trials: Sequence[Trial], names: Sequence[str], tool: Tool, folder: Path) -> str:
    (folder / "kt_main.mjs").write_text(drivers.javascript_main(trials, names))
    return run_command([tool.command, "kt_main.mjs"], folder)


MAINS: dict[str, Callable[[Sequence[Trial], Sequence[str], Tool, Path], str]] = {
    "c": _run_c,
    "cpp": _run_cpp,
    "fortran": _run_fortran,
    "matlab": _run_matlab,
    "javascript": _run_javascript,
}
"""Target -> what compiles and runs the files in a folder."""


# --- in this process -----------------------------------------------------------------------------


def _call_batch(target: str, **fixed: Any) -> Callable[[Trial], list[dict[str, Any]]]:
    """A function of arrays whose leading axis is the batch."""

    def call(trial: Trial) -> list[dict[str, Any]]:
        function = trial.program.compile(target=target)
        with np.errstate(invalid="ignore", divide="ignore"):
            return trial.split(function(**trial.stack(), **fixed))

    return call


def _call_jax(trial: Trial) -> list[dict[str, Any]]:
    function = trial.program.compile(target="jax")
    jitted = import_module("jax").jit(function, compiler_options=QUICK)
    return trial.split(jitted(**trial.stack()))


def _call_torch(trial: Trial) -> list[dict[str, Any]]:
    function = trial.program.compile(target="torch")
    with import_module("torch").no_grad():
        found = function(**trial.stack())
    return trial.split({name: row.numpy() for name, row in found.items()})


def _call_cuda(trial: Trial) -> list[dict[str, Any]]:
    if driver.library() is None:
        raise UnsupportedError(
            "there is no NVIDIA GPU", element="target 'cuda'", cure="certify on a machine with one"
        )
    need("cupy")
    function = trial.program.compile(target="cuda")
    found = function(**trial.stack())
    return trial.split({name: row.get() for name, row in found.items()})


def _call_casadi(trial: Trial) -> list[dict[str, Any]]:
    function = trial.program.compile(target="casadi")
    rows = ([np.atleast_1d(x) for x in trial.row(state)] for state in trial.states)
    return [trial.by_name(function.call(row)) for row in rows]


def _call_sympy(trial: Trial) -> list[dict[str, Any]]:
    function = trial.program.compile(target="sympy").function()
    with np.errstate(invalid="ignore", divide="ignore"):
        return [
            trial.by_name(function(*(float(x) for row in trial.row(state) for x in np.ravel(row))))
            for state in trial.states
        ]


CALLS: dict[str, Callable[[Trial], list[dict[str, Any]]]] = {
    "native": _call_batch("native", check=False),  # quaternions may have any length
    "python": _call_batch("python"),
    "jax": _call_jax,
    "torch": _call_torch,
    "cuda": _call_cuda,
    "casadi": _call_casadi,
    "sympy": _call_sympy,
}
"""Target -> how a trial is called in this process."""
RUNNABLE = (*CALLS, *MAINS)
"""Targets that can be run; the others are read, or handed to another program."""


def run_target(target: str, trials: Sequence[Trial], folder: Path) -> Results:
    """All trials in a target.

    Args:
        target: one of RUNNABLE.
        trials: what to run.
        folder: an empty one for the files of this target.

    Raises:
        KinetreeError: where this machine has no tool for it, or the tool fails.
    """
    if target in MAINS:
        return run_text(target, trials, folder)
    return [CALLS[target](trial) for trial in trials]


def reference(trial: Trial) -> list[dict[str, Any]]:
    """The values that all others are compared with: NumPy's, operation by operation."""
    with np.errstate(all="ignore"):
        return trial.split(trial.program.evaluate(**trial.stack()))
