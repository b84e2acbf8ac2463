"""Base columns: linearly independent columns of a regressor, found by numbers.

Regrouping along the joints leaves the base parameters of nearly every tree.  Where coordinates are
shared (a joint follows another) or an axis has a special direction (a screw across gravity), some
columns of Y still depend on others, Y_d = Y_b β for all motions.  Then Y_d goes, and π_b + β π_d
takes the place of π_b.  As β holds for the present lengths and gravity, these become numbers: the
Program has no input for them that it would disobey.

Refs: Gautier1991
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kinetree.engine import Node, linear, symbols
from kinetree.model import retract
from kinetree.program import Input, Output, Program
from kinetree.program.passes import dead
from kinetree.program.specialise import specialise

if TYPE_CHECKING:
    from collections.abc import Container

    from numpy.typing import NDArray

    from kinetree.model import Mechanism

DEPENDENT = 1e-8
"""Share of a column outside the span of others below which it depends on them."""

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


def sample(program: Program, model: Mechanism) -> NDArray[np.float64]:
    """Y at random states, one below the other."""
    nv, n = program.output("Y").shape
    random = np.random.default_rng(1)
    count = max(8, ROWS * n // max(nv, 1))
    q = [retract(model, model.neutral(), move) for move in random.normal(size=(count, nv))]
    qd, qdd = random.normal(size=(2, count, nv))
    Y = program.evaluate(q=np.array(q), qd=qd, qdd=qdd)["Y"].reshape(-1, n)
    return np.asarray(Y)


def dependencies(Y: NDArray[np.float64]) -> tuple[list[int], list[int], NDArray[np.float64]]:
    """(columns kept, columns left out, β with Y_left = Y_kept β); the first ones are kept."""
    size = np.linalg.norm(Y, axis=0)
    scale = np.maximum(size, FAINT * size.max(initial=0.0))
    unit = Y / scale
    kept: list[int] = []
    left: list[int] = []
    basis = np.zeros((len(Y), 0))
    for j, column in enumerate(unit.T):
        rest = column - basis @ (basis.T @ column)
        rest -= basis @ (basis.T @ rest)  # twice is enough
        size = float(np.linalg.norm(rest))
        if size > DEPENDENT:
            basis = np.column_stack([basis, rest / size])
            kept.append(j)
        else:
            left.append(j)
    beta = np.linalg.lstsq(unit[:, kept], unit[:, left], rcond=None)[0]
    beta *= scale[left] / scale[kept][:, None]
    beta[np.abs(beta) < ROUNDING * np.abs(beta).max(initial=0)] = 0
    return kept, left, beta


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
