"""The methods of integration by name, one row each.

| group | methods | for |
|---|---|---|
| native | dopri5, dop853, rk4 | a loop of machine code, no Python between steps |
| SUNDIALS | cvode_bdf, cvode_adams | stiff and smooth systems, native rates and Jacobian |
| SciPy | RK45, DOP853, Radau, BDF, LSODA | everything, Python laws included |
| equal steps | trapezoidal, newmark, hht, … | a step that is a Program, loops by a formulation |

Those of equal steps are the families of `kinetree.steppers`; with a formulation rk4 is one, too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from kinetree.arguments import check_choice, check_positive
from kinetree.errors import UnsupportedError
from kinetree.integrate.loops.native import native_method
from kinetree.integrate.problem import Path, Problem, Settings
from kinetree.integrate.scipy_methods import scipy_method
from kinetree.integrate.sundials.library import available
from kinetree.steppers.families import FAMILIES

SolveFunction = Callable[[Problem, Settings], Path]
AUTO = "auto"
"""The name that stands for the usual method."""
BOUNDS = ("rtol", "atol", "max_step", "max_steps", "events")
"""What a method with error control may be told beside its steps of output."""
LIMITED = ("max_step", "max_steps", "events")
"""The same of a loop with equal steps."""
STEPPED = ("events", "locate")
"""The same of steps that are Programs."""
TOLD = (*BOUNDS, "locate")
"""What methods may be told, each some of it."""


@dataclass(frozen=True)
class Method:
    """One method.

    Attributes:
        name: as given by the user.
        solve: integrates a problem; none where the step is a Program.
        uses: options of a run that it obeys, of `TOLD`.
        stiff: whether long steps stay stable on stiff systems.
        native: whether it needs rates in machine code.
        changes: whether events change the state without Python.
        ready: whether all it needs is installed.
        least: number of states that it needs.
    """

    name: str
    solve: SolveFunction | None = None
    uses: tuple[str, ...] = ()
    stiff: bool = False
    native: bool = False
    changes: bool = False
    ready: Callable[[], bool] = lambda: True
    least: int = 0


def _native(name: str, uses: tuple[str, ...] = BOUNDS) -> Method:
    return Method(name, partial(native_method, name), uses, native=True, changes=True)


def _sundials(name: str, *, stiff: bool) -> Method:
    solve = partial(native_method, name)
    return Method(name, solve, BOUNDS, stiff, native=True, ready=available, least=1)


def _scipy(name: str, *, stiff: bool = False) -> Method:
    return Method(name, partial(scipy_method, name), BOUNDS, stiff)


METHODS: dict[str, Method] = {
    row.name: row
    for row in (
        # of these rk4 integrates rates, see below
        *(Method(name, uses=STEPPED) for name in FAMILIES),
        _native("dopri5"),
        _native("dop853"),
        _native("rk4", LIMITED),
        _sundials("cvode_adams", stiff=False),
        _sundials("cvode_bdf", stiff=True),
        _scipy("RK45"),
        _scipy("DOP853"),
        _scipy("Radau", stiff=True),
        _scipy("BDF", stiff=True),
        _scipy("LSODA", stiff=True),
    )
}
"""Exact spelling matters: DOP853 is SciPy's, dop853 the native loop."""
RATES = tuple(name for name, row in METHODS.items() if row.solve is not None)
"""Names of those that integrate rates."""


def check_bounds(given: Mapping[str, Any]) -> None:
    """Refuse tolerances and limits of steps that are not positive."""
    numbers = {name: given[name] for name in ("rtol", "atol", "max_steps") if name in given}
    check_positive("a positive number", **numbers)
    if given.get("max_step", math.inf) != math.inf:
        check_positive("a positive time in seconds", max_step=given["max_step"])


def find(name: str, formulation: str | None = None) -> Method:
    """The row of a method; with a formulation it is a step that is a Program.

    Args:
        name: of the method; "auto" is dop853, with a formulation the trapezoidal rule.
        formulation: how the loops are treated; none with rates.
    """
    check_choice("method", name, (AUTO, *METHODS))
    if formulation is None:
        return METHODS["dop853" if name == AUTO else name]
    if name not in {AUTO, *FAMILIES}:
        raise UnsupportedError(
            "it integrates rates, which know no formulation",
            element=f"method '{name}'",
            cure="leave formulation= out, or take method='trapezoidal'",
        )
    return Method("trapezoidal" if name == AUTO else name, uses=STEPPED)


def choose(name: str, problem: Problem) -> Method:
    """The method of that name for rates; "auto" takes the native loop where it can be used."""
    if name == AUTO and problem.native is None:
        return METHODS["DOP853"]
    method = find(name)
    if method.native and problem.native is None:
        raise UnsupportedError(
            "it runs without Python, but a Python function gives the efforts",
            element=f"method '{name}'",
            cure=f"take method='{'BDF' if method.stiff else 'DOP853'}'",
        )
    if not method.ready():
        raise UnsupportedError(
            "the library behind it is not installed",
            element=f"method '{name}'",
            cure="install kinetree[sundials], or take method='BDF'",
        )
    if problem.start.size < method.least:
        raise UnsupportedError(
            "there is nothing to integrate, the system has no states",
            element=f"method '{name}'",
            cure="leave method= out",
        )
    return method
