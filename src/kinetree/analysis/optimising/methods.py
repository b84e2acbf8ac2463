"""Methods of optimisation by name, one row each, on scaled variables between bounds.

A problem is a function x → (value, gradient), bounds, and inequality constraints c(x) ≥ 0 and
equality constraints c(x) = 0 with their Jacobians.  Methods return the last point; the caller keeps
what was evaluated on the way.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any

import numpy as np

from kinetree.analysis.optimising.interior_point import solve_ipopt
from kinetree.arrays import Array
from kinetree.solve.cma import minimise_cma

SPENT = "the evaluations are used up"
ENDED = "it was ended on the way"
"""What is said of an optimiser that was not let go on."""

BARRIER = 1e-8
"""Barrier of trust-constr below which it does not keep anything away."""
FEW = 10
"""Members of the smallest population that evolves: of fewer, all soon are alike."""
LARGE = 1e100
"""Value of a trial without a run, for methods that compare values alone."""


@dataclass(frozen=True)
class Minimum:
    """What is minimised.

    Attributes:
        function: x -> value and gradient.
        start: x to begin with.
        low, high: bounds.
        at_least: x -> values that must not be negative, and their Jacobian; none without any.
        equal: x -> values that must be zero, and their Jacobian; none without any.
        residuals: x -> residuals whose sum of squares is the value, and their Jacobian; where the
            value is one.
        judge: x -> by how much constraints are missed, and the value, without gradients.
        tolerance: of the value and of scaled variables.
        most: evaluations.
        seed: of methods that draw.
    """

    function: Callable[[Array], tuple[float, Array]]
    start: Array
    low: Array
    high: Array
    at_least: Callable[[Array], tuple[Array, Array]] | None
    equal: Callable[[Array], tuple[Array, Array]] | None
    residuals: Callable[[Array], tuple[Array, Array]] | None
    judge: Callable[[Array], tuple[float, float]]
    tolerance: float
    most: int
    seed: int = 0


@dataclass(frozen=True)
class Optimiser:
    """One method.

    Attributes:
        name: as given by the user.
        solve: minimises; the last x, whether it has converged, and what the method says.
        constraints: whether it takes constraints.
        squares: whether the objective must be a sum of squares.
        slopes: whether it takes gradients; else it draws its trials.
    """

    name: str
    solve: Callable[[Minimum], tuple[Array, bool, str]]
    constraints: bool = False
    squares: bool = False
    slopes: bool = True


def minimise_smooth(task: Minimum) -> Array:
    """The last point of L-BFGS-B."""
    return _lbfgsb(task)[0]


def _slsqp(task: Minimum) -> tuple[Array, bool, str]:
    rows = [("ineq", task.at_least), ("eq", task.equal)]
    constraints = [
        {"type": kind, "fun": lambda x, f=f: f(x)[0], "jac": lambda x, f=f: f(x)[1]}
        for kind, f in rows
        if f is not None
    ]
    options = {"ftol": task.tolerance, "maxiter": task.most}
    return _minimise(task, "SLSQP", options, constraints)


def _lbfgsb(task: Minimum) -> tuple[Array, bool, str]:
    options = {"ftol": task.tolerance * 1e-2, "gtol": task.tolerance, "maxfun": task.most}
    return _minimise(task, "L-BFGS-B", options, ())


def _trust_constr(task: Minimum) -> tuple[Array, bool, str]:
    from scipy.optimize import NonlinearConstraint

    rows = ((task.at_least, np.inf), (task.equal, 0.0))
    constraints = [
        NonlinearConstraint(lambda x, f=f: f(x)[0], 0.0, top, jac=lambda x, f=f: f(x)[1])
        for f, top in rows
        if f is not None
    ]
    options = {"xtol": task.tolerance, "gtol": task.tolerance, "maxiter": task.most}
    found = _scipy_end(task, "trust-constr", options, constraints)
    # its gradients may vanish while the barrier still keeps it away from what is active
    while found.success and found.barrier_parameter > BARRIER:
        less = found.barrier_parameter / 100
        own = {"initial_barrier_parameter": less, "initial_barrier_tolerance": less}
        found = _scipy_end(replace(task, start=found.x), "trust-constr", options | own, constraints)
    return np.asarray(found.x), bool(found.success), str(found.message)


def _minimise(
    task: Minimum, method: str, options: dict[str, Any], constraints: Any
) -> tuple[Array, bool, str]:
    found = _scipy_end(task, method, options, constraints)
    return np.asarray(found.x), bool(found.success), str(found.message)


def _scipy_end(task: Minimum, method: str, options: dict[str, Any], constraints: Any) -> Any:
    from scipy.optimize import Bounds, minimize

    with warnings.catch_warnings():  # a linear objective needs no quasi-Newton update
        warnings.simplefilter("ignore", UserWarning)
        return minimize(
            task.function, task.start, jac=True, method=method, options=options,
            bounds=Bounds(task.low, task.high), constraints=constraints,
        )  # fmt: skip


def _least_squares(task: Minimum) -> tuple[Array, bool, str]:
    from scipy.optimize import least_squares

    assert task.residuals is not None
    residuals = task.residuals
    found = least_squares(
        lambda x: residuals(x)[0], task.start, jac=lambda x: residuals(x)[1],
        bounds=(task.low, task.high), xtol=task.tolerance, ftol=task.tolerance,
        gtol=task.tolerance, max_nfev=task.most,
    )  # fmt: skip
    return np.asarray(found.x), bool(found.success), str(found.message)


def _evolution(task: Minimum) -> tuple[Array, bool, str]:
    from scipy.optimize import differential_evolution

    each = max(5, -(-FEW // len(task.start)))
    count = each * len(task.start)
    found = differential_evolution(
        lambda x: min(task.judge(x)[1], LARGE), list(zip(task.low, task.high, strict=True)),
        x0=task.start, popsize=each, maxiter=max(1, task.most // count - 1), seed=task.seed,
        polish=False, tol=task.tolerance,
    )  # fmt: skip
    return np.asarray(found.x), bool(found.success), str(found.message)


def _cma(task: Minimum) -> tuple[Array, bool, str]:
    found = minimise_cma(task.judge, task.start, sqrt(task.tolerance), task.most, task.seed)
    said = "the distribution has shrunk" if found.converged else SPENT
    return found.x, found.converged, said


OPTIMISERS = {
    row.name: row
    for row in (
        Optimiser("SLSQP", _slsqp, constraints=True),
        Optimiser("trust-constr", _trust_constr, constraints=True),
        Optimiser("L-BFGS-B", _lbfgsb),
        Optimiser("least_squares", _least_squares, squares=True),
        Optimiser("ipopt", solve_ipopt, constraints=True),
        Optimiser("cma", _cma, constraints=True, slopes=False),
        Optimiser("differential_evolution", _evolution, slopes=False),
    )
}
"""Every method by name."""
