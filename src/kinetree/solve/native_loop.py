"""Explicit methods as machine code: dopri5, dop853, rk4.

The loop is compiled by the native target, which stands above this room, so it is found by name when
a method is first asked for.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable

from kinetree.solve.problem import Path, Problem, Settings

Run = Callable[[Problem, Settings], Path]
NAMES = ("dopri5", "dop853", "rk4")
TARGET = "kinetree.targets.native.integrate.methods"


def available() -> bool:
    """Whether machine code can be made: always, it is a part of the package."""
    return True


def named(name: str) -> Run:
    """The method as a function that finds its code at the first call."""

    def run(problem: Problem, settings: Settings) -> Path:
        found: Run = importlib.import_module(TARGET).METHODS[name]
        return found(problem, settings)

    return run


METHODS: dict[str, Run] = {name: named(name) for name in NAMES}
"""Method by name."""
