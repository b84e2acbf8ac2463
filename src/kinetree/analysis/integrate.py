"""Motions of equations f(q, qd, qdd, t) = 0 that need not come from a model."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.arguments import (
    check_arguments,
    check_options,
    check_positive,
    is_finite,
    is_row,
    show,
)
from kinetree.arrays import Array
from kinetree.errors import ShapeError, unknown, warn
from kinetree.integrate.loops.error_steps import Control
from kinetree.integrate.problem import FINISHED
from kinetree.integrate.second_order import (
    ResidualFunction,
    SecondOrderPath,
    SlopesFunction,
    newmark,
)
from kinetree.program import Program
from kinetree.program.differentiate import forward
from kinetree.results.dataset import Dimension, run_draft

if TYPE_CHECKING:
    import xarray

TWO = 2
INPUTS = ("q", "qd", "qdd", "t")


def integrate(  # noqa: PLR0913  one argument per decision
    residual: ResidualFunction | Program,
    times: Any,
    q: Any,
    qd: Any = None,
    *,
    slopes: SlopesFunction | None = None,
    names: Sequence[str] = (),
    absolute: float = 1e-6,
    **control: float,
) -> xarray.Dataset:
    """Integrate f(q, qd, qdd, t) = 0 by Newmark's formulas, with steps that follow the error.

    Args:
        residual: f as a function of q, qd, qdd (arrays) and t [s], or a Program with these inputs,
            whose first output is f.  Unknowns of first order, like pressures, are coordinates
            whose accelerations do not occur.
        times: start, times of output, end [s].
        q: coordinates at the start.
        qd: velocities there; zero by default, those of unknowns of first order are made to fit.
        slopes: derivatives of f by q, qd and qdd, as a function of the same arguments.  Of a
            Program they are exact; of a function, differences are taken where none are given.
        names: of the coordinates.
        absolute: size below which a coordinate counts as zero in differences.
        control: tolerance (rate of the error of the coordinates, 1e-6 /s by default) and bounds of
            the steps, first (1e-5), longest, shortest (1e-12) [s], as of a `Control`.

    Returns:
        The Dataset of `simulate`: q, qd, qdd over time; attributes tell how it went.  Where it
        fails, a warning says when and where, and what was found before is kept.
    """
    check_arguments(integrate, locals())
    if not is_row(times) or np.size(times) < TWO or not (np.diff(times) > 0).all():
        raise ShapeError("they must be two or more rising numbers", element="times")
    row = np.asarray(times, dtype=float)
    start = _start(q, qd)
    check_positive("a positive number", absolute=absolute)
    how = _control(control)
    _refuse_names(names, start[0].size)
    if isinstance(residual, Program):
        if slopes is not None:
            raise ShapeError(
                "a Program has exact ones of its own", element="slopes", cure="leave slopes= out"
            )
        names = names or residual.input("q").labels
        residual, slopes = _compile(residual)
    _refuse_signature("residual", residual)
    _refuse_signature("slopes", slopes)
    _fitting(residual, start, float(row[0]))
    found = newmark(residual, start, row, slopes, how, absolute)
    return _dataset(found, names or [f"q{k + 1}" for k in range(start[0].size)])


def _start(q: Any, qd: Any) -> tuple[Array, Array]:
    for name, values in (("q", q), ("qd", q if qd is None else qd)):
        if not (is_row(values) or is_finite(values)) or np.size(values) != np.size(q):
            raise ShapeError(
                f"expected {np.size(q)} finite numbers in a row, but it is {show(values)}",
                element=name,
            )
    first = np.array(q, dtype=float).reshape(-1)
    second = np.zeros_like(first) if qd is None else np.array(qd, dtype=float).reshape(-1)
    return first, second


def _refuse_names(names: Sequence[str], size: int) -> None:
    if names and len(names) != size:
        raise ShapeError(
            f"there are {len(names)} of them for {size} coordinates",
            element="names",
            cure="give one for each",
        )


def _refuse_signature(name: str, function: Any) -> None:
    """Refuse a function that cannot be called with q, qd, qdd, t."""
    if function is None:
        return
    try:
        inspect.signature(function).bind(*INPUTS)
    except TypeError:
        raise ShapeError(
            "it takes other arguments", element=name, cure="give a function of q, qd, qdd, t"
        ) from None


def _control(given: dict[str, float]) -> Control:
    check_options("integrate", given, inspect.signature(Control).parameters)
    return Control(**{"first": 1e-5, "shortest": 1e-12, **given})


def _compile(program: Program) -> tuple[ResidualFunction, SlopesFunction]:
    """Functions of a Program and of its exact derivatives."""
    of = program.outputs[0].name
    inputs = {row.name for row in program.inputs}
    for name in INPUTS[:3]:
        if name not in inputs:
            raise unknown("input", name, sorted(inputs), program.name)
    value = program.compile()
    exact = forward(program, of, INPUTS[:3], only=True).compile()

    def arguments(q: Any, qd: Any, qdd: Any, t: float) -> dict[str, Any]:
        found = {"q": q, "qd": qd, "qdd": qdd}
        return {**found, "t": np.asarray(t)} if "t" in inputs else found

    def residual(*at: Any) -> Any:
        return value(**arguments(*at))[of]

    def slopes(*at: Any) -> tuple[Any, Any, Any]:
        found = exact(**arguments(*at))
        return found[f"d{of}_dq"], found[f"d{of}_dqd"], found[f"d{of}_dqdd"]

    return residual, slopes


def _fitting(residual: ResidualFunction, start: tuple[Any, Any], t: float) -> None:
    """Refuse a residual of another size."""
    q, qd = start
    value = np.asarray(residual(q, qd, np.zeros_like(q), t), dtype=float)
    if value.shape != q.shape:
        raise ShapeError(
            f"it gives {value.shape} numbers for {q.size} coordinates",
            element="residual",
            cure="give one equation per coordinate",
        )
    if not np.isfinite(value).all():
        raise ShapeError("it is NaN or infinite at the start", element="residual")


def _dataset(found: SecondOrderPath, names: Sequence[str]) -> xarray.Dataset:
    lengths = found.steps[:, 1]
    rows = {
        "method": "newmark",
        "steps": len(lengths),
        "rejected_steps": found.rejected,
        "shortest_step": float(min(lengths, default=0.0)),
        "longest_step": float(max(lengths, default=0.0)),
        "end_time": float(found.times[-1]),
        "termination": found.end,
    }
    if found.end != FINISHED:
        left, worst = found.residual
        warn(
            f"ended after t = {found.times[-1]:.6g} s by {found.end}: the last step tried leaves "
            f"{left:.3g} in the equation of '{names[worst]}'; results up to there are kept",
        )
    values = {"q": found.q, "qd": found.qd, "qdd": found.qdd}
    axes = {"coordinate": Dimension(names), "velocity": Dimension(names)}
    return run_draft(found.times, values, axes, rows).dataset()
