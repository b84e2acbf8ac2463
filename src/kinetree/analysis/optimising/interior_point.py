"""IPOPT, as the CasADi package brings it: an interior-point method with values from Python.

Refs: Waechter2006
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.arrays import Array
from kinetree.errors import UnsupportedError

if TYPE_CHECKING:
    from kinetree.analysis.optimising.methods import Minimum


def solve_ipopt(task: Minimum) -> tuple[Array, bool, str]:
    """The last point, whether it has converged, and what IPOPT says."""
    try:
        import casadi
    except ImportError:
        raise UnsupportedError(
            "the package CasADi, which brings it, is not installed",
            element="method 'ipopt'",
            cure="install kinetree[optimise], or take 'SLSQP'",
        ) from None
    counts = [len(f(task.start)[0]) for f in (task.at_least, task.equal) if f is not None]
    caught: list[BaseException] = []
    whole = _callback(casadi, task, 1 + sum(counts), caught)
    x = casadi.MX.sym("x", len(task.start))
    y = whole(x)
    tops = [top for f, top in ((task.at_least, np.inf), (task.equal, 0.0)) if f is not None]
    high = [top for top, count in zip(tops, counts, strict=True) for _ in range(count)]
    options: dict[str, Any] = {
        "print_time": False, "ipopt.print_level": 0, "ipopt.sb": "yes",
        "ipopt.hessian_approximation": "limited-memory", "ipopt.tol": task.tolerance,
        "ipopt.max_iter": task.most, "ipopt.bound_relax_factor": 0.0,
        "ipopt.acceptable_tol": 10 * task.tolerance, "error_on_fail": False,
    }  # fmt: skip
    problem: dict[str, Any] = {"x": x, "f": y[0], "g": y[1:]}
    solver = casadi.nlpsol("ipopt", "ipopt", problem, options)
    found = solver(
        x0=task.start, lbx=task.low, ubx=task.high, lbg=[0.0] * len(high), ubg=high
    )  # fmt: skip
    if caught:
        raise caught[0]
    told = solver.stats()
    return np.array(found["x"]).ravel(), bool(told["success"]), str(told["return_status"])


def _callback(casadi: Any, task: Minimum, rows: int, caught: list[BaseException]) -> Any:
    """Objective and constraints as one function of CasADi, whose Jacobian is ours.

    What is raised there is kept, and all is zero from then on, where IPOPT ends: an error that it
    hears of makes it try another point, again and again.
    """
    dense, n = casadi.Sparsity.dense, len(task.start)

    def both(x: Any) -> tuple[Array, Array]:
        if not caught:
            try:
                return evaluate(x)
            except BaseException as error:
                caught.append(error)
        return np.zeros(rows), np.zeros((rows, n))

    def evaluate(x: Any) -> tuple[Array, Array]:
        place = np.array(x).ravel()
        value, gradient = task.function(place)
        parts = [f(place) for f in (task.at_least, task.equal) if f is not None]
        values = np.concatenate([[value], *(part[0] for part in parts)])
        return values, np.vstack([gradient, *(part[1] for part in parts)])

    # a Jacobian is given the value, too, which it has no use for
    shapes = (dense(n, 1), casadi.Sparsity(rows, 1)), dense(rows, n)
    slopes = _function(casadi, "slopes", shapes, lambda x: both(x)[1])
    return _function(casadi, "values", ((dense(n, 1),), dense(rows, 1)), lambda x: both(x)[0],
                     slopes)  # fmt: skip


def _function(
    casadi: Any, name: str, shapes: tuple[Any, Any], value: Callable[[Any], Array],
    slopes: Any = None,
) -> Any:  # fmt: skip
    """A function of CasADi that Python evaluates.

    Args:
        casadi: the package.
        name: of the function.
        shapes: of its inputs and of its output.
        value: of its first input.
        slopes: its Jacobian, where there is one.
    """

    class PythonFunction(casadi.Callback):  # type: ignore[misc]
        """The names are CasADi's."""

        def __init__(self) -> None:
            super().__init__()
            self.construct(name, {})

        def get_n_in(self) -> int:
            return len(shapes[0])

        def get_sparsity_in(self, i: int) -> Any:
            return shapes[0][i]

        def get_sparsity_out(self, _: int) -> Any:
            return shapes[1]

        def eval(self, given: Any) -> Any:
            return [value(given[0])]

        def has_jacobian(self) -> bool:
            return slopes is not None

        def get_jacobian(self, *_: Any) -> Any:
            return slopes

    return PythonFunction()
