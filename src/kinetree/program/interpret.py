"""Reference evaluation of a Program on NumPy arrays: slow, plain, batched, complex-safe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from kinetree.engine import Node
from kinetree.engine.evaluate import evaluate_floating, floating
from kinetree.errors import ShapeError, unknown
from kinetree.program.program import Assign, Input, Newton, Program, Solve


def interpret(program: Program, arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Values of all outputs; every input may carry the same leading batch axes or none."""
    for name in arrays:
        if name not in {row.name for row in program.inputs}:
            raise unknown("input", name, [r.name for r in program.inputs], program.name)
    values: dict[Node, Any] = {}
    batch: tuple[int, ...] = ()
    for row in program.inputs:
        array = _array(row, arrays)
        lead = array.shape[: array.ndim - len(row.shape)]
        batch = _join_axes(batch, lead, row)
        flat = floating(array).reshape(*lead, len(row.symbols))
        values.update(zip(row.symbols, _columns(flat), strict=True))
    for block in program.all_blocks:
        if isinstance(block, Assign):
            values[block.target] = evaluate_floating((block.expr,), values)[0]
        elif isinstance(block, Solve):
            values.update(_solve(block, values))
        else:
            values.update(_iterate(block, values))
    return {
        out.name: _stack(evaluate_floating(out.nodes, values), batch).reshape((*batch, *out.shape))
        for out in program.outputs
    }


def _join_axes(batch: tuple[int, ...], lead: tuple[int, ...], row: Input) -> tuple[int, ...]:
    """The batch axes of all inputs so far and of one more."""
    try:
        return np.broadcast_shapes(batch, lead)
    except ValueError:
        raise ShapeError(
            f"its batch axes {lead} do not fit those of the inputs before it, {batch}",
            element=f"input '{row.name}'",
            cure="give every input the same leading axes, or none",
        ) from None


def _array(row: Input, arrays: Mapping[str, Any]) -> Any:
    given = arrays.get(row.name, row.default)
    if given is None:
        raise ShapeError(f"input '{row.name}' was not given", cure=f"pass {row.name}=…")
    array = np.asarray(given)
    tail = array.shape[array.ndim - len(row.shape) :] if array.ndim >= len(row.shape) else None
    if given is row.default:
        return array.reshape(row.shape)
    if tail != row.shape:
        raise ShapeError(
            f"its last axes must be {row.shape}, but the array has shape {array.shape}",
            element=f"input '{row.name}'",
        )
    return array


def _columns(flat: Any) -> list[Any]:
    """The components along the last axis; scalars, which are quick, where there is no batch."""
    return list(flat if flat.ndim == 1 else np.moveaxis(flat, -1, 0))


def _stack(values: list[Any], batch: tuple[int, ...]) -> Any:
    if not values:
        return np.zeros((*batch, 0))
    if not batch:
        return np.array(values)
    return np.stack([np.broadcast_to(v, batch) for v in values], axis=-1)


def _solve(block: Solve, values: Mapping[Node, Any]) -> dict[Node, Any]:
    entries = evaluate_floating(block.operands, values)
    batch = np.broadcast_shapes(*[np.shape(e) for e in entries])
    flat = _stack(entries, batch)
    split = block.n * block.n
    A = flat[..., :split].reshape(*batch, block.n, block.n)
    B = flat[..., split:].reshape(*batch, block.n, block.k)
    X = _quotient(A, B).reshape(*batch, -1)
    return dict(zip(block.targets, _columns(X), strict=True))


def _quotient(A: Any, B: Any) -> Any:
    """A⁻¹ B; NaN where a matrix of the batch is singular."""
    try:
        return np.linalg.solve(A, B)
    except np.linalg.LinAlgError:
        if A.ndim == 2:
            return np.full_like(B, np.nan)
        return np.stack([_quotient(a, b) for a, b in zip(A, B, strict=True)])


def test_name(block: Newton) -> str:
    """Name of the output that is compared with the tolerance: h, or what stands for it."""
    return "tested" if block.step.gives("tested") else "h"


def _iterate(block: Newton, values: Mapping[Node, Any]) -> dict[Node, Any]:
    """v by Newton's method, every evaluation of a batch as long as it needs.

    Complex values take one more step: the real part is solved for, the imaginary part, a
    derivative by complex step, then follows exactly.
    """
    entries = evaluate_floating(block.operands, values)
    batch = np.broadcast_shapes(*[np.shape(e) for e in entries])
    flat = _stack(entries, batch)
    n = len(block.targets)
    v, w = flat[..., :n], flat[..., n:]
    given = {"w": w} if block.step.takes("w") else {}
    going = np.ones(batch, dtype=bool)
    for count in range(block.limit + 1):
        out = interpret(block.step, {"v": v, **given})
        size = np.abs(out[test_name(block)]).max(axis=-1, initial=0.0)
        going = going & ~(size <= block.tolerance)
        last = not going.any()
        if np.iscomplexobj(v) and last:
            v = v - out["dv"]
        if last or count == block.limit:
            break
        v = np.where(going[..., None], v - out["dv"], v)
    v = np.where(going[..., None], np.nan, v)
    return dict(zip(block.targets, _columns(v), strict=True))
