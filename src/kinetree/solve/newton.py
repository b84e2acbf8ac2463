"""Damped Newton iteration for h(x) = 0 with any number of equations and unknowns.

A step solves J s = -h in the least-squares sense: of least length where there are more unknowns, of
least residual where equations repeat each other.  Long steps are cut; a step that does not lower
the residual is shortened by Levenberg's term until it does.  The number of steps is bounded.

Refs: Docquier2013 eq. 13 (relaxation there; damping here)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.arrays import Array, Flags

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    RowNumbers = NDArray[np.intp]

DAMPING = (1e-4, 1e-2, 1.0, 1e2, 1e4)
"""Levenberg's term, in shares of the largest squared singular value, tried in turn."""
LARGEST = 0.3
"""Longest component of a step."""
ENOUGH = 1e-4
"""Share by which the residual must fall for a step to be taken."""
REGULAR = 1e-2
"""Condition number, as a share of what the cutoff allows, below which no singular value is cut."""
CUTOFF = 1e-9
"""Singular values below this share of the largest are zero."""


@dataclass(frozen=True)
class Solution:
    """Where the iteration ended.

    Attributes:
        x: the point.
        h: the residuals there.
        steps: number of steps taken.
        converged: whether every |h| is below the tolerance.
        stalled: whether no step lowers the residual: a nearest point, not a solution.
    """

    x: Any
    h: Array
    steps: int
    converged: bool
    stalled: bool


def damped_newton(  # noqa: PLR0913  bounds of the iteration, all optional
    function: Callable[[Any], tuple[Array, Array]],
    start: Any,
    move: Callable[[Any, Array], Any],
    *,
    tolerance: float = 1e-11,
    largest: float = LARGEST,
    steps: int = 100,
    patience: int = 100,
    cutoff: float = CUTOFF,
) -> Solution:
    """Solve h(x) = 0 from `start`.

    Args:
        function: x -> (h, J), J by the components of a step.
        start: first x.
        move: (x, step) -> x moved by the step.
        tolerance: on every |h|.
        largest: longest component of a step.
        steps: most steps.
        patience: steps in which the residual must be halved.
        cutoff: singular values of J below this share of the largest are zero.
    """
    x = start
    h, J = function(x)
    sizes: list[float] = []
    for taken in range(steps):
        size = float(np.linalg.norm(h))
        sizes.append(size)
        if taken >= patience and size > 0.5 * sizes[-1 - patience]:
            return Solution(x, h, taken, False, False)
        done = _largest(h) <= tolerance
        for step in _candidates(J, h, (largest, cutoff), damped=not done):
            x_new = move(x, step)
            h_new, J_new = function(x_new)
            if np.isfinite(h_new).all() and np.linalg.norm(h_new) < (1 - ENOUGH) * size:
                break
        else:
            return Solution(x, h, taken, done, not done)
        if done and np.linalg.norm(h_new) > 0.5 * size:  # rounding is all that is left
            return Solution(x_new, h_new, taken + 1, True, False)
        x, h, J = x_new, h_new, J_new
    return Solution(x, h, steps, _largest(h) <= tolerance, False)


def damped_newtons(
    function: Callable[[Array, RowNumbers], tuple[Array, Array]],
    start: Array,
    move: Callable[[Array, Array], Array],
    *,
    tolerance: float | Array = 1e-11,
    steps: int = 100,
    cutoff: float = CUTOFF,
) -> tuple[Array, Flags]:
    """Solve h(x) = 0 for many x side by side; each goes the way of `damped_newton`.

    Args:
        function: (some of the x, their numbers) -> rows of h and J.
        start: first x, one per row.
        move: (x, steps) -> x moved, row by row.
        tolerance: on every |h|, of all or of each x.
        steps: most steps.
        cutoff: singular values below this share of the largest are zero.

    Returns:
        x, and for which rows it is a solution.
    """
    x, solved = start.copy(), np.zeros(len(start), dtype=bool)
    tolerance = np.broadcast_to(tolerance, len(start))
    h, J = function(x, np.arange(len(x)))
    going = np.flatnonzero(np.isfinite(J).all(axis=(1, 2)) & np.isfinite(h).all(axis=1))
    h, J = np.array(h), np.array(J)
    for _ in range(steps):
        if not going.size:
            break
        size = np.linalg.norm(h, axis=1)
        small = np.abs(h).max(axis=1, initial=0.0) <= tolerance
        waiting = going
        for mu in (0.0, *DAMPING):
            rows = waiting if mu == 0.0 else waiting[~small[waiting]]
            if not rows.size:
                break
            tried = move(x[rows], _steps(J[rows], h[rows], mu, cutoff))
            h_new, J_new = function(tried, rows)
            better = np.linalg.norm(h_new, axis=1) < (1 - ENOUGH) * size[rows]
            took = rows[better]
            x[took], h[took], J[took] = tried[better], h_new[better], J_new[better]
            waiting = np.setdiff1d(waiting, took, assume_unique=True)
        solved[waiting] = small[waiting]  # nothing lowers the rest: rounding, or a nearest point
        going = np.setdiff1d(going, waiting, assume_unique=True)
        rounded = small[going] & (np.linalg.norm(h[going], axis=1) > 0.5 * size[going])
        solved[going[rounded]] = True
        going = going[~rounded]
    solved[going] = np.abs(h[going]).max(axis=1, initial=0.0) <= tolerance[going]
    return x, solved


def _steps(J: Array, h: Array, mu: float, cutoff: float) -> Array:
    """Steps of many, damped by the share mu, cut where a component is too long."""
    step = _plain(J, h, cutoff) if mu == 0.0 else None
    step = _svd_steps(J, h, mu, cutoff) if step is None else step
    longest = np.abs(step).max(axis=1, keepdims=True, initial=0.0)
    return np.asarray(step * (LARGEST / np.maximum(longest, LARGEST)))


def _plain(J: Array, h: Array, cutoff: float) -> Array | None:
    """Whole steps by elimination; none where a J is not square or far from regular."""
    if J.shape[1] != J.shape[2]:
        return None
    try:
        inverse = np.linalg.inv(J)
    except np.linalg.LinAlgError:
        return None
    most = (np.abs(each).max(axis=(1, 2), initial=0.0) for each in (J, inverse))
    worst = np.prod(list(most), axis=0)
    if not (worst * J.shape[1] ** 2 < REGULAR / cutoff).all():
        return None
    return np.asarray(-np.einsum("rij,rj->ri", inverse, h))


def regular_solution(A: Array, b: Array, cutoff: float = CUTOFF) -> Array | None:
    """x of A x = b by elimination; none where A is not square or not regular enough for it."""
    if A.shape[0] != A.shape[1] or not np.isfinite(A).all():
        return None
    found = _plain(A[None], -b[None], cutoff)
    return None if found is None else found[0]


def _svd_steps(J: Array, h: Array, mu: float, cutoff: float) -> Array:
    """Steps by singular values, damped by the share mu."""
    U, s, Vt = np.linalg.svd(J, full_matrices=False)
    b = -np.einsum("rij,ri->rj", U, h)
    top = s.max(axis=1, keepdims=True, initial=0.0)
    if mu:
        top = np.where(top > 0, top, 1.0)
        part = b * s / (s * s + mu * top * top)
    else:
        part = np.where(s > cutoff * top, b / np.where(s > 0, s, 1.0), 0.0)
    return np.asarray(np.einsum("rij,ri->rj", Vt, part))


def _largest(h: Array) -> float:
    return float(np.abs(h).max(initial=0.0))


def _candidates(
    J: Array, h: Array, limits: tuple[float, float], *, damped: bool
) -> Iterator[Array]:
    """Steps to try: the whole one, then more and more damped ones."""
    largest, cutoff = limits
    if not h.size or not J.shape[1] or not h.any():
        return
    whole = regular_solution(J, -h, cutoff)
    if whole is not None:
        yield _cut(whole, largest)
        if not damped:
            return
    U, s, Vt = np.linalg.svd(J, full_matrices=False)
    b = -(U.T @ h)
    top = s.max(initial=0.0)
    if top == 0.0:
        return
    if whole is None:
        alive = s > cutoff * top
        yield _cut(Vt[alive].T @ (b[alive] / s[alive]), largest)
    for mu in DAMPING if damped else ():
        yield _cut(Vt.T @ (b * s / (s * s + mu * top * top)), largest)


def _cut(step: Array, largest: float) -> Array:
    """The step, shortened where a component is longer than `largest`."""
    longest = float(np.abs(step).max(initial=0.0))
    return step * (largest / longest) if longest > largest else step
