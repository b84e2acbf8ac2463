"""Methods in machine code: steps, error control, dense output and events without Python between."""

from __future__ import annotations

from kinetree.errors import UnsupportedError
from kinetree.integrate.drive import drive
from kinetree.integrate.loops.cvode import Cvode
from kinetree.integrate.loops.explicit import Explicit
from kinetree.integrate.loops.slices import Slices
from kinetree.integrate.loops.tableaus import TABLEAUS
from kinetree.integrate.problem import Path, Problem, Settings

FAMILIES = {"cvode_adams": "adams", "cvode_bdf": "bdf"}
"""Method -> CVODE's family of multistep methods."""


def native_method(name: str, problem: Problem, settings: Settings) -> Path:
    """Integrate a problem whose rates are machine code; Ctrl-C ends it without an error."""
    run = prepare(name, problem, settings)
    drive(run, settings.report)
    return run.path()


def prepare(name: str, problem: Problem, settings: Settings) -> Slices:
    """A run that has not begun."""
    if problem.native is None:
        raise UnsupportedError("its rates are a Python function", element=f"method '{name}'")
    if name in FAMILIES:
        return Cvode(FAMILIES[name], problem, problem.native, settings)
    return Explicit(TABLEAUS[name], problem, problem.native, settings)


__all__ = ["native_method", "prepare"]
