"""Where NaN arises: the first equation of a Program without a finite value, and its element."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any

import numpy as np

from kinetree.assembly import Parameters, with_values
from kinetree.engine import Node, evaluate
from kinetree.errors import KinetreeError
from kinetree.model import Mechanism, parameter_table
from kinetree.pipeline import derive
from kinetree.program import Assign, Program
from kinetree.program.interpret import interpret, test_name
from kinetree.program.program import Block, Solve


def first_without_value(program: Program, arrays: Mapping[str, Any]) -> str:
    """A phrase for the first equation whose value is not finite; empty where all are.

    Args:
        program: the equations.
        arrays: its inputs at one state, without batch axes.
    """
    values: dict[Node, Any] = {}
    for row in program.inputs:
        given = np.asarray(arrays.get(row.name, row.default), dtype=float).reshape(-1)
        if not np.isfinite(given).all():
            return _input(row.labels, row.name, given)
        values.update(zip(row.symbols, given, strict=True))
    with np.errstate(all="ignore"):
        for block in program.all_blocks:
            if not _evaluate(block, values):
                return _phrase(block)
        for out in program.outputs:
            found = np.array(evaluate(out.nodes, values), dtype=float)
            if not np.isfinite(found).all():
                which = "rate of state" if out.name == "xd" else f"{out.name} of"
                return f"{which} '{out.labels[int(np.argmin(np.isfinite(found)))]}'"
    return ""


UNDEFINED = "change the law or keep the motion where it is defined"
"""What helps where a law has no value."""


def element_without_value(
    model: Mechanism, arrays: Mapping[str, Any], parameters: Parameters = None
) -> str:
    """A phrase for the drive or the force that has no value at a state; empty where all have one.

    Args:
        model: the mechanism.
        arrays: q, qd, t, x and wrenches at one state.
        parameters: values by name in place of the model's.
    """
    found = drive_without_value(model, float(arrays["t"]), parameters)
    if found or not all(np.isfinite(value).all() for value in arrays.values()):
        return found
    return force_without_value(model, arrays, parameters)


def drive_without_value(model: Mechanism, t: float, parameters: Parameters = None) -> str:
    """A phrase for the drive whose law has no value at a time; empty where all have one."""
    if not any(drive.law is not None for drive in model.drives.values()):
        return ""
    program = with_values(derive(model, "drives"), parameters)
    given = {"q": model.initial(), "t": np.array(t)}
    with np.errstate(all="ignore"):
        out = program.evaluate_some(**given)
    for row in program.outputs:
        good = np.isfinite(out[row.name])
        if not good.all():
            return f"the drive of '{row.labels[int(np.argmin(good))]}'"
    return ""


def force_without_value(
    model: Mechanism, arrays: Mapping[str, Any], parameters: Parameters = None
) -> str:
    """A phrase for the force element that has no value at a state; empty where all have one.

    Each element is tried alone on the open tree, so that one bad value cannot hide behind another.

    Args:
        model: the mechanism.
        arrays: q, qd, t, x and wrenches at one state.
        parameters: values by name in place of the model's.
    """
    for name, force in model.forces.items():
        alone = copy(model)
        alone.closures, alone.drives, alone.forces = {}, {}, {name: force}
        try:
            program = with_values(derive(alone, "mass_bias"), known_parameters(alone, parameters))
        except KinetreeError:
            continue
        with np.errstate(all="ignore"):
            out = program.evaluate_some(**arrays)
        if not np.isfinite(out["c"]).all():
            return whereabouts(name, force)
    return ""


def known_parameters(model: Mechanism, parameters: Parameters) -> dict[str, float]:
    """Values of the parameters that a model has; those of its other forces went with them."""
    names = {row.name for row in parameter_table(model).rows}
    return {name: value for name, value in (parameters or {}).items() if name in names}


def whereabouts(name: str, force: Any) -> str:
    """The force and what it acts on, in words."""
    joint = force.arguments.get("joint")
    if joint is not None:
        return f"force '{name}' in joint '{getattr(joint, 'name', joint)}'"
    bodies = list(dict.fromkeys(f"'{point.body.name}'" for point in force.points))
    return f"force '{name}' on {' and '.join(bodies)}" if bodies else f"force '{name}'"


def _input(labels: tuple[str, ...], name: str, given: Any) -> str:
    bad = int(np.argmin(np.isfinite(given)))
    return f"{name} of '{labels[bad]}'" if labels else name


def _evaluate(block: Block, values: dict[Node, Any]) -> bool:
    """Add the block's values to `values`; whether all are finite."""
    operands = evaluate(block.operands, values)
    if isinstance(block, Assign):
        found = operands
    elif not np.isfinite(np.array(operands, dtype=float)).all():
        return False
    elif isinstance(block, Solve):
        found = _solve(block, operands)
    else:
        found = list(_iterate(block, operands))
    values.update(zip(block.targets, found, strict=True))
    return bool(np.isfinite(np.array(found, dtype=float)).all())


def _solve(block: Solve, operands: list[Any]) -> list[Any]:
    n, k = block.n, block.k
    A = np.array(operands[: n * n], dtype=float).reshape(n, n)
    B = np.array(operands[n * n :], dtype=float).reshape(n, k)
    try:
        return list(np.linalg.solve(A, B).reshape(-1))
    except np.linalg.LinAlgError:
        return [np.nan] * (n * k)


def _iterate(block: Any, operands: list[Any]) -> Any:
    """The values of an iteration, as a Program of its own would give them."""
    n = len(block.targets)
    v = np.array(operands[:n], dtype=float)
    given = {"w": np.array(operands[n:], dtype=float)} if len(operands) > n else {}
    for _ in range(block.limit + 1):
        out = interpret(block.step, {"v": v, **given})
        if np.abs(out[test_name(block)]).max(initial=0.0) <= block.tolerance:
            return v
        v = v - out["dv"]
    return np.full(n, np.nan)


def _phrase(block: Block) -> str:
    """Whose equation it is, in words."""
    name = block.targets[0].name
    if not isinstance(block, Assign | Solve):
        return f"the loops, which do not close any more ({name})"
    note = str(block.note)
    return f"{note} ({name})" if note else name
