"""Complex step, and Programs small enough to read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.engine import Node, Rank, symbol
from kinetree.program import Input, Scheme

if TYPE_CHECKING:
    from kinetree.program import Program

STEP = 1e-30


def complex_step(program: Program, of: str, by: str, given: dict[str, Any]) -> np.ndarray:
    """d`of`/d`by` of shape output + input, exact to rounding."""
    point = {name: np.asarray(value, dtype=complex) for name, value in given.items()}
    columns = []
    for k in range(point[by].size):
        moved = point[by].copy()
        moved.flat[k] += 1j * STEP
        columns.append(program.evaluate(**{**point, by: moved})[of].imag / STEP)
    return np.stack(columns, axis=-1).reshape(*columns[0].shape, *point[by].shape)


def with_defaults(program: Program, given: dict[str, Any]) -> dict[str, Any]:
    """The values given and the defaults of all other inputs."""
    rest = {row.name: np.array(row.default) for row in program.inputs if row.default is not None}
    return {**rest, **given}


def scheme(**sizes: int) -> tuple[Scheme, dict[str, tuple[Node, ...]]]:
    """A scheme with vector inputs of these sizes, and their symbols."""
    made, inputs = Scheme("small"), {}
    for name, n in sizes.items():
        symbols = tuple(symbol(f"{name}_{k}", Rank.COORDINATE) for k in range(1, n + 1))
        labels = tuple(f"{name}{k}" for k in range(1, n + 1))
        inputs[name] = made.input(Input(name, (n,), symbols, None, False, labels))
    return made, inputs


def linear_system(*, symmetric: bool, n: int = 3, k: int = 2) -> Program:
    """Output X of A(x) X = B(x), n rows and k right-hand sides, entries curved in x."""
    made, inputs = scheme(x=4)
    x = inputs["x"]
    A = [[(1 + i + 2 * j) * x[(i + j) % 4] * x[j % 4] for j in range(n)] for i in range(n)]
    for i in range(n):
        A[i][i] = A[i][i] + 9
    if symmetric:
        A = [[A[min(i, j)][max(i, j)] for j in range(n)] for i in range(n)]
    B = [[x[i % 4] ** 2 + (c + 1) * x[(i + c) % 4] for c in range(k)] for i in range(n)]
    X = made.solve("X", A, B, symmetric=symmetric)
    made.output("X", [element for row in X for element in row], (n, k))
    return made.program()
