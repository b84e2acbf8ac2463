"""Targets: places where a Program runs, each in a folder of its own; README says how to add one."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from kinetree.program.program import TARGETS, Program
from kinetree.targets import (
    c,
    casadi,
    cpp,
    cuda,
    fortran,
    html,
    javascript,
    jax,
    latex,
    matlab,
    python,
    simulink,
    sympy,
    torch,
)
from kinetree.targets.native import Function, NativeTarget


class Target(Protocol):
    """What every target offers; one that cannot do a thing says so in a sentence.

    Both functions take options of their own by keyword, all with defaults.
    """

    @property
    def name(self) -> str:
        """The name under which Programs ask for it."""

    def compile(self, program: Program) -> Any:
        """Something to call with arrays."""

    def write(self, program: Program, folder: str | Path) -> tuple[Path, ...]:
        """Files in a folder; the paths written."""


ALL: tuple[Target, ...] = (
    NativeTarget(),
    c.TARGET,
    cpp.TARGET,
    cuda.TARGET,
    fortran.TARGET,
    matlab.TARGET,
    simulink.TARGET,
    python.TARGET,
    jax.TARGET,
    casadi.TARGET,
    sympy.TARGET,
    torch.TARGET,
    javascript.TARGET,
    latex.TARGET,
    html.TARGET,
)
"""Every target."""

TARGETS.update({target.name: target for target in ALL})

__all__ = ["ALL", "Function", "NativeTarget", "Target"]
