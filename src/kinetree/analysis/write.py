"""A simulation as a C program that stands alone.

Refs: Verlinden2005 sec. VI
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.given.initial_state import initial_state
from kinetree.analysis.runs.dynamics import OPTIONS, dynamics
from kinetree.arguments import check_arguments, check_options, check_positive
from kinetree.assembly import Values, quaternions
from kinetree.errors import UnsupportedError
from kinetree.targets.c import Run

if TYPE_CHECKING:
    from kinetree.model import Model


def write_simulation(  # noqa: PLR0913  one keyword per choice of the user
    model: Model,
    folder: str | Path,
    duration: float,
    step: float,
    *,
    every: int = 1,
    q: Values = None,
    qd: Values = None,
    x: Values = None,
    t0: float = 0.0,
    tau: Any = None,
    wrenches: Mapping[str, Any] | None = None,
    parameters: Mapping[str, float] | None = None,
    force: bool = False,
    **options: Any,
) -> tuple[Path, ...]:
    """Write a run as C source with a main() of its own, free of any library but math.h.

    The program takes duration, step and rows from its command line where these are given there, and
    prints comma-separated values: t and the state q, qd, x.

    Args:
        model: the mechanism.
        folder: where to write NAME.c, NAME.h and NAME_run.c.
        duration: length of the run [s].
        step: of the classical fourth-order method [s].
        every: steps between two rows.
        q: initial coordinates, as for `simulate`.
        qd: initial velocities, likewise.
        x: initial user states, likewise.
        t0: time at the beginning [s].
        tau: constant efforts along the velocities [N.m, N].
        wrenches: constant external wrenches by name [N.m, N].
        parameters: values by name in place of the model's.
        force: overwrite files that kinetree did not generate, too.
        **options: of `derive`: formalism, loops, base_parameters, partition; of a closed system
            also independent, names of the coordinates to be kept independent.

    Returns:
        The paths written.
    """
    check_arguments(write_simulation, locals())
    check_options("write_simulation", options, OPTIONS)
    check_positive("a positive time in seconds", duration=duration, step=step)
    check_positive("a positive number of steps", every=every)
    system = dynamics(
        model, q=q, t=t0, tau=tau, wrenches=wrenches, parameters=parameters, **options
    )
    if not system.loads.constant:
        raise UnsupportedError(
            "a Python function gives them, which C cannot call",
            element="tau or wrenches",
            cure="write it as a law of the model: joint_law, external or force_law",
        )
    start = initial_state(system, t0, q, qd, x)
    given = {name: np.ravel(values).tolist() for name, values in system.loads.fixed.items()}
    run = Run(start.tolist(), duration, step, every, t0, given, tuple(quaternions(model)))
    written: tuple[Path, ...] = system.rates_program.write("c", folder, force=force, main=run)
    return written


__all__ = ["write_simulation"]
