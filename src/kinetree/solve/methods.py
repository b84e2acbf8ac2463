"""The methods of integration by name, one row each.

| group | methods | for |
|---|---|---|
| native | dopri5, dop853, rk4 | a loop of machine code, no Python between steps |
| SUNDIALS | cvode_bdf, cvode_adams | stiff and smooth systems, native rates and Jacobian |
| SciPy | RK45, DOP853, Radau, BDF, LSODA | everything, Python laws included |
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from kinetree.errors import UnsupportedError, unknown
from kinetree.solve.problem import Path, Problem, Settings
from kinetree.solve.stepping import scipy_method

Run = Callable[[Problem, Settings], Path]

NATIVE = "kinetree.solve.native_loop"
SUNDIALS = "kinetree.solve.sundials"


@dataclass(frozen=True)
class Method:
    """One method.

    Attributes:
        name: as given by the user.
        stiff: whether long steps stay stable on stiff systems.
        module: where its function stands in a table METHODS; empty for SciPy's.
    """

    name: str
    stiff: bool = False
    module: str = ""

    def ready(self) -> bool:
        """Whether all it needs is installed."""
        table = _table(self.module) if self.module else {}
        return not self.module or self.name in table

    def run(self) -> Run:
        """The function that integrates, with all it needs loaded."""
        if not self.module:
            importlib.import_module("scipy.integrate")
            return partial(scipy_method, self.name)
        if not self.ready():
            raise UnsupportedError(
                "the library behind it is not installed",
                element=f"method '{self.name}'",
                cure="install kinetree[sundials], or take method='BDF'",
            )
        found: Run = _table(self.module)[self.name]
        return found


METHODS: dict[str, Method] = {
    row.name: row
    for row in (
        Method("dopri5", module=NATIVE),
        Method("dop853", module=NATIVE),
        Method("rk4", module=NATIVE),
        Method("cvode_adams", module=SUNDIALS),
        Method("cvode_bdf", stiff=True, module=SUNDIALS),
        Method("RK45"),
        Method("DOP853"),
        Method("Radau", stiff=True),
        Method("BDF", stiff=True),
        Method("LSODA", stiff=True),
    )
}
"""Exact spelling matters: DOP853 is SciPy's, dop853 the native loop."""


def choose(name: str, problem: Problem) -> Method:
    """The method of that name; "auto" takes the native explicit loop where it can be used."""
    if name != "auto" and name not in METHODS:
        raise unknown("method", name, ("auto", *METHODS), "simulate")
    if name == "auto":
        quick = METHODS["dop853"]
        return quick if not _unfit(quick, problem) and quick.ready() else METHODS["DOP853"]
    method = METHODS[name]
    problem_of = _unfit(method, problem)
    if problem_of:
        scipy = "BDF" if method.stiff else "DOP853"
        raise UnsupportedError(
            problem_of, element=f"method '{name}'", cure=f"take method='{scipy}'"
        )
    return method


def _unfit(method: Method, problem: Problem) -> str:
    """Why a method cannot treat a problem; empty where it can."""
    if method.module and problem.native is None:
        return "it runs without Python, but a Python function gives the efforts"
    return ""


def _table(module: str) -> dict[str, Any]:
    """The methods a module offers; none where it, or what it needs, is missing."""
    try:
        found = importlib.import_module(module)
    except ImportError:
        return {}
    table: dict[str, Any] = found.METHODS if found.available() else {}
    return table


__all__ = ["METHODS", "Method", "choose"]
