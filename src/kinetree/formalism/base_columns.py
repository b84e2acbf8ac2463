"""Base columns: linearly independent columns of a regressor, found by numbers.

Regrouping along the joints leaves the base parameters of nearly every tree.  Where coordinates are
shared (a joint follows another) or an axis has a special direction (a screw across gravity), some
columns of Y still depend on others, Y_d = Y_b β for all motions.  Then Y_d goes, and π_b + β π_d
takes the place of π_b.  As β holds for the present lengths and gravity, these become numbers: the
Program has no input for them that it would disobey.

Refs: Gautier1991
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace

import numpy as np

from kinetree.arrays import Array
from kinetree.engine import Node, linear, symbols
from kinetree.model import Mechanism, retract
from kinetree.program import Input, Output, Program
from kinetree.program.passes import dead
from kinetree.program.specialise import specialise

DEPENDENT = 1e-8
"""Share of the largest singular value above which none is zero but for rounding, of files too."""

PIVOT = 0.1
"""The last column with this share of the largest part in the null space is left out."""

FAINT = 1e-7
"""Columns below this share of the largest one are measured by it: rounding is not a column."""

ROUNDING = 1e-11
"""Coefficients below this share of the largest one are zero."""

ROWS = 4
"""Equations per column that the columns are compared on."""


def independent_columns(program: Program, model: Mechanism, *, base_parameters: bool) -> Program:
    """The regressor with independent columns; itself where they are, or need not be.

    Args:
        program: with the outputs "Y" and "pi".
        model: the mechanism.
        base_parameters: whether the columns belong to base parameters.
    """
    if not base_parameters:
        return program
    kept, left, beta = dependencies(sample(program, model))
    if not left:
        return program
    fixed = _with_fixed_geometry(program)
    values, labels = fixed.output("pi").nodes, fixed.output("pi").labels
    pi = [
        linear(0, ((values[b], 1), *((values[d], c) for d, c in zip(left, row, strict=True) if c)))
        for b, row in zip(kept, beta.tolist(), strict=True)
    ]
    nodes, (nv, n) = fixed.output("Y").nodes, fixed.output("Y").shape
    columns = [nodes[k * n + b] for k in range(nv) for b in kept]
    outputs = (
        Output("Y", (nv, len(kept)), tuple(columns)),
        Output("pi", (len(kept),), tuple(pi), tuple(labels[b] for b in kept)),
    )
    return replace(fixed, outputs=outputs)


def sample(program: Program, model: Mechanism) -> Array:
    """Y at random states, one below the other."""
    rows, n = program.output("Y").shape
    random = np.random.default_rng(1)
    count = max(8, ROWS * n // max(rows, 1))
    q = retract(model, model.neutral(), random.normal(size=(count, model.nv)))
    qd, qdd = random.normal(size=(2, count, model.nv))
    Y = program.evaluate(q=q, qd=qd, qdd=qdd)["Y"]
    return np.asarray(Y).reshape(count * rows, n)


def dependencies(Y: Array) -> tuple[list[int], list[int], Array]:
    """(columns kept, columns left out, β with Y_left = Y_kept β); the first ones are kept.

    Axes that are nearly parallel give columns that nearly depend on each other, so the number of
    dependencies is read from the singular values; column by column, rounding would hide some.
    """
    size = np.linalg.norm(Y, axis=0)
    scale = np.maximum(size, FAINT * size.max(initial=0.0))
    kept, left, beta = _solved_for_last(_null_space(Y / scale))
    beta *= scale[left] / scale[kept][:, None]
    beta[np.abs(beta) < ROUNDING * np.abs(beta).max(initial=0)] = 0
    return kept, left, beta


def _null_space(Y: Array) -> Array:
    """Orthonormal columns N with Y N = 0."""
    _, values, rows = np.linalg.svd(Y, full_matrices=len(Y) < Y.shape[1])
    return np.asarray(rows[_rank(values) :].T)


def _rank(values: Array) -> int:
    """How many singular values lie above the widest gap; below it is rounding."""
    if not values.any():
        return 0
    steps = np.log10(np.maximum(np.append(values / values[0], 0.0), np.finfo(float).eps))
    gaps = np.where(steps[1:] < np.log10(DEPENDENT), steps[:-1] - steps[1:], 0.0)
    return int(np.argmax(gaps)) + 1


def _solved_for_last(N: Array) -> tuple[list[int], list[int], Array]:
    """(rows kept b, rows left out d, β = -N_b N_d⁻¹); d are the last rows that serve as pivots."""
    left: list[int] = []
    rest = N
    while len(left) < N.shape[1]:
        part = np.linalg.norm(rest, axis=1)
        row = int(np.flatnonzero(part >= PIVOT * part.max())[-1])
        pivot = rest[row] / part[row]
        rest = rest - np.outer(rest @ pivot, pivot)  # the vectors of the null space without row
        left.append(row)
    left.sort()
    kept = [row for row in range(len(N)) if row not in set(left)]
    beta = -np.linalg.solve(N[left].T, N[kept].T).T
    return kept, left, np.asarray(beta, float)


def _with_fixed_geometry(program: Program) -> Program:
    """The Program without the parameters that Y depends on: they are numbers."""
    needed = _dependencies(program)
    fixed = {
        row.name: {i: x for i, x in enumerate(row.default or ()) if row.symbols[i] in needed}
        for row in program.inputs
        if row.parameter
    }
    plain = specialise(program, fixed)
    inputs = (_without(row, fixed.get(row.name, ())) for row in plain.inputs)
    return replace(plain, inputs=tuple(row for row in inputs if row.symbols))


def _without(row: Input, gone: Container[int]) -> Input:
    """An input that lacks some of its components."""
    kept = [i for i in range(len(row.symbols)) if i not in gone]
    if len(kept) == len(row.symbols):
        return row
    return replace(
        row,
        shape=(len(kept),),
        symbols=tuple(row.symbols[i] for i in kept),
        default=tuple(row.default[i] for i in kept) if row.default else None,
        labels=tuple(row.labels[i] for i in kept),
        units=tuple(row.units[i] for i in kept),
    )


def _dependencies(program: Program) -> set[Node]:
    """The symbols that the regressor depends on."""
    slim = dead(replace(program, outputs=(program.output("Y"),)))
    return set(symbols(slim.roots()))
