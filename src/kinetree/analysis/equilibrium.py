"""Static equilibrium: coordinates and user states at which nothing accelerates.

    qdd(q, qd = 0, x) = 0 along the independent velocities,  xd = 0

solved by a damped Newton iteration with exact derivatives; where that leads nowhere, by following
the accelerations downhill (`solve.relaxation`).  A locked coordinate keeps its value and
an effort that holds it becomes the unknown in its place, or a parameter that is freed for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kinetree.analysis.given.operating_point import given_parts, point
from kinetree.analysis.resting.equations import (
    RestEquations,
    RestPlace,
    first_place,
    rest_equations,
    system_at_rest,
)
from kinetree.analysis.resting.search import settle
from kinetree.analysis.runs.dynamics import LOADED
from kinetree.analysis.runs.progress import EQUATIONS, ProgressCall, sharing
from kinetree.arguments import check_arguments, check_options
from kinetree.arrays import Array
from kinetree.assembly import Values
from kinetree.model import Components, Mechanism, as_mechanism
from kinetree.solve.newton import Solution


@dataclass(frozen=True)
class Equilibrium:
    """A state of rest.

    Attributes:
        q: coordinates.
        x: user states.
        p: values of the freed parameters, by name.
        efforts: efforts that hold the locked coordinates, by name [N.m or N].
        lam: multipliers of the closures, by label.
        residual: largest acceleration that is left [rad/s2, m/s2 or 1/s].
        steps: Newton steps taken.
        t: time of laws and drives [s].
        tau: all efforts from outside that act there, those of locked coordinates included.
        parameters: all values by name that differ from the model's, freed ones included.
    """

    q: Array
    x: Array
    p: dict[str, float] = field(default_factory=dict)
    efforts: dict[str, float] = field(default_factory=dict)
    lam: dict[str, float] = field(default_factory=dict)
    residual: float = 0.0
    steps: int = 0
    t: float = 0.0
    tau: Array = field(default_factory=lambda: np.zeros(0))
    parameters: dict[str, float] = field(default_factory=dict)


def equilibrium(  # noqa: PLR0913  one keyword per choice of the user
    model: Mechanism | Components,
    at: Any = None,
    *,
    q: Values = None,
    x: Values = None,
    locked: Sequence[str] = (),
    free: Sequence[str] = (),
    t: float = 0.0,
    progress: bool | ProgressCall | None = None,
    **options: Any,
) -> Equilibrium:
    """A state of rest near the start values.

    Args:
        model: the mechanism with its forces.
        at: state to start from: a mapping with any of q, x, t, another `Equilibrium`, or a run (its
            last time).
        q: start values of the coordinates; by default those of `at`, or the model's initial ones.
        x: start values of the user states, likewise.
        locked: velocities (of one-axis joints: coordinates) that keep their values.  Unless
            parameters are freed, an effort holds each of them.
        free: parameters to be found, as many as coordinates are locked.
        t: time of laws and drives where `at` gives none [s].
        progress: show how far it is; by default on a terminal when it takes long.  A function is
            told the share done, 0 to 1, and ends it by returning True; nothing is kept then.
        **options: tau, wrenches (constant), parameters by name; formalism, loops and
            base_parameters of `derive`; of a closed system partition or independent.

    Raises:
        ModelError: where no state of rest is found, naming the coordinate that still accelerates.
    """
    check_arguments(equilibrium, locals())
    model = as_mechanism(model)
    check_options("equilibrium", options, LOADED)
    begin = given_parts(at)
    q, x = (begin.get(name) if value is None else value for name, value in (("q", q), ("x", x)))
    t = float(begin.get("t", t))
    with sharing(progress, "equilibrium") as share:
        with share.part(0.0, EQUATIONS):
            with share.part(0.0, 0.5):
                system = system_at_rest(model.with_varied(free, "free"), q, t, locked, options)
            task = rest_equations(system, tuple(locked), tuple(free), t)
            place = first_place(task, point(system, {"q": q, "x": x}, t))
        with share.part(EQUATIONS, 1.0):
            return _result(task, settle(task, place, share))


def _result(task: RestEquations, found: Solution) -> Equilibrium:
    at: RestPlace = found.x
    out = task.function(check=False, **task.inputs(at))
    names = task.system.model.velocities
    labels = task.system.forward.output("lam").labels if "lam" in out else ()
    freed = {name: float(v) for name, v in zip(task.freed, at.p, strict=True)}
    return Equilibrium(
        q=at.q,
        x=at.x,
        p=freed,
        efforts={names[k]: float(at.tau[k]) for k in task.held},
        lam={label: float(v) for label, v in zip(labels, out.get("lam", ()), strict=True)},
        residual=float(np.abs(found.h).max(initial=0.0)),
        steps=found.steps,
        t=task.t,
        tau=at.tau,
        parameters={**task.system.parameters, **freed},
    )
