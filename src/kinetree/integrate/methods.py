"""The methods of integration by name, one row each.

| group | methods | for |
|---|---|---|
| native | dopri5, dop853, rk4 | a loop of machine code, no Python between steps |
| SUNDIALS | cvode_bdf, cvode_adams | stiff and smooth systems, native rates and Jacobian |
| SciPy | RK45, DOP853, Radau, BDF, LSODA | everything, Python laws included |
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from kinetree.errors import UnsupportedError, unknown
from kinetree.integrate.loops.native import native_method
from kinetree.integrate.problem import Path, Problem, Settings
from kinetree.integrate.scipy_methods import scipy_method
from kinetree.integrate.sundials.library import available

Solve = Callable[[Problem, Settings], Path]


@dataclass(frozen=True)
class Method:
    """One method.

    Attributes:
        name: as given by the user.
        solve: integrates a problem.
        stiff: whether long steps stay stable on stiff systems.
        native: whether it needs rates in machine code.
        ready: whether all it needs is installed.
    """

    name: str
    solve: Solve
    stiff: bool = False
    native: bool = False
    ready: Callable[[], bool] = lambda: True


def _native(name: str) -> Method:
    return Method(name, partial(native_method, name), native=True)


def _sundials(name: str, *, stiff: bool) -> Method:
    return Method(name, partial(native_method, name), stiff, native=True, ready=available)


def _scipy(name: str, *, stiff: bool = False) -> Method:
    return Method(name, partial(scipy_method, name), stiff)


METHODS: dict[str, Method] = {
    row.name: row
    for row in (
        _native("dopri5"),
        _native("dop853"),
        _native("rk4"),
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


def choose(name: str, problem: Problem) -> Method:
    """The method of that name; "auto" takes the native explicit loop where it can be used."""
    if name != "auto" and name not in METHODS:
        raise unknown("method", name, ("auto", *METHODS), "simulate")
    if name == "auto":
        return METHODS["DOP853" if problem.native is None else "dop853"]
    method = METHODS[name]
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
    return method


__all__ = ["METHODS", "Method", "Solve", "choose"]
