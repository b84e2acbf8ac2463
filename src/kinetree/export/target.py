"""The target "fmu": forward dynamics as a functional mock-up unit, from the Program alone.

`export_fmu` knows the model and with it a good state to start from, points, and names of dependent
coordinates; a Program knows no more than its equations.  It starts from rest where all coordinates
are zero, put on the loops, unless other values are given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from kinetree.analysis.observing.inputs import choose_inputs
from kinetree.arguments import check_arguments
from kinetree.arrays import Array
from kinetree.errors import KinetreeError, ShapeError, UnsupportedError
from kinetree.export.equations import ModelPrograms, output_units, programs
from kinetree.export.fmu import SUFFIX, FmuPlan
from kinetree.program.program import TARGETS, Program
from kinetree.program.state_form import PARTS
from kinetree.targets.text.rates import has_rates, rest

WHOLE_MODEL = "use kinetree.export_fmu(model, path), which knows the model"


class FmuTarget:
    """Functional mock-up units of forward dynamics."""

    name = "fmu"
    write_options = tuple(
        row.name for row in fields(FmuPlan) if row.name not in ("name", "model_hash")
    )

    def compile(self, program: Program) -> None:
        """There is nothing to call."""
        raise UnsupportedError(
            "the FMU target only writes files",
            element=f"program '{program.name}'",
            cure="call compile() without a target for a native function",
        )

    def write(
        self,
        program: Program,
        folder: str | Path,
        *,
        q: Sequence[float] | None = None,
        force: bool = False,
        **options: Any,
    ) -> tuple[Path, ...]:
        """Write NAME.fmu into a folder, made where it is missing; the path written.

        Args:
            program: forward dynamics.
            folder: where to.
            q: coordinates to start from, all in order; near a closed configuration for loops.
            force: overwrite a file that kinetree did not generate, too.
            options: version, step, stop, derivatives, binary as of `export_fmu`.
        """
        check_arguments(FmuTarget.write, locals())
        if not has_rates(program):
            raise UnsupportedError(
                "an FMU needs accelerations, which this Program does not give",
                element=f"program '{program.name}'",
                cure="derive 'forward'",
            )
        if program.gives("slip"):
            raise UnsupportedError(
                "it has dry friction or stops, whose events a Program alone does not tell",
                element=f"program '{program.name}'",
                cure="write it with kt.export_fmu(model, …)",
            )
        unit = FmuPlan(program.name, str(program.info.get("model_hash", "unknown")), **options)
        chosen = choose_inputs(program, None, {})
        main, projection = programs(program, unit.identifier, chosen)
        start = _consistent(program, projection, _start(program, q))
        tied = _tied_states(program)
        units = output_units(program)
        found = ModelPrograms(main, projection, start, chosen.values, tied=tied, units=units)
        path = Path(folder) / f"{unit.identifier}{SUFFIX}"
        return (unit.write(path, found, force=force),)


def _start(program: Program, q: Sequence[float] | None) -> Array:
    found = np.array(rest(program), dtype=float)
    if q is None:
        return found
    n = len(program.input("q").symbols)
    if np.shape(q) != (n,):
        raise ShapeError(
            f"has the shape {np.shape(q)}", element="q", cure=f"give all {n} coordinates in order"
        )
    found[:n] = q
    return found


def _consistent(program: Program, projection: Program | None, y: Array) -> Array:
    """The state put on the loops."""
    if projection is None:
        return y
    rows = [row for row in projection.inputs if row.name not in ("t", "y", "p")]
    given = {row.name: np.zeros(row.shape) for row in rows}
    found: Array = projection.compile()(t=np.array(0.0), y=y, **given)["y"]
    if not np.isfinite(found).all():
        raise KinetreeError(
            "its loops do not close from the coordinates that it starts from",
            element=f"program '{program.name}'",
            cure=f"pass q=… near a closed configuration, or {WHOLE_MODEL}",
        )
    return found


def _tied_states(program: Program) -> frozenset[str]:
    """States whose consistent value is not simply what comes in."""
    outs = {out.name: out.nodes for out in program.outputs}
    names = []
    for state in PARTS[:2]:
        row = program.input(state)
        nodes = outs.get(f"{state}_closed", row.symbols)
        pairs = zip(row.labels, row.symbols, nodes, strict=True)
        names += [f"{state}_{label}" for label, symbol, node in pairs if node is not symbol]
    return frozenset(names)


TARGETS["fmu"] = FmuTarget()
