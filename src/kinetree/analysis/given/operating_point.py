"""A point of operation: time, coordinates, velocities, user states; and what may change there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinetree.analysis.given.initial_state import initial_state
from kinetree.analysis.runs.coordinates.chosen_loops import leave_loops_open
from kinetree.analysis.runs.dynamics import Dynamics
from kinetree.analysis.runs.manifest import parameters_of
from kinetree.arrays import Array
from kinetree.errors import ShapeError, UnsupportedError, unknown
from kinetree.model import Mechanism
from kinetree.program import Program
from kinetree.results.dataset import refuse_many

PARTS = ("q", "qd", "x", "t")


@dataclass(frozen=True)
class OperatingPoint:
    """A consistent state.

    Attributes:
        t: time [s].
        q: coordinates.
        qd: velocities.
        x: user states.
    """

    t: float
    q: Array
    qd: Array
    x: Array


@dataclass(frozen=True)
class Freedom:
    """Numbers of the velocities that are independent.

    Attributes:
        u: those whose coordinates are independent.
        w: subset of u that non-holonomic constraints (rolling, …) do not determine.
    """

    u: tuple[int, ...]
    w: tuple[int, ...]


def point(system: Dynamics, at: Any, t: float) -> OperatingPoint:
    """The point that a user means.

    Args:
        system: the dynamics.
        at: none for the model's initial coordinates at rest; a mapping with any of q, qd, x, t;
            an object that has them, such as an `Equilibrium`; or a run, whose last time is taken,
            or a point of one.
        t: time where `at` gives none [s].
    """
    given = given_parts(at)
    t = float(given.get("t", t))
    y = initial_state(system, t, given.get("q"), given.get("qd"), given.get("x"))
    return OperatingPoint(t, *system.split(y))


def given_parts(at: Any) -> dict[str, Any]:
    """Any of q, qd, x, t that a user's state has; see `point`."""
    if at is None:
        return {}
    if hasattr(at, "data_vars"):
        refuse_many(at, "at")
        last = at.isel(time=-1) if "time" in at.dims else at
        state = {name: np.asarray(last[name]) for name in ("q", "qd", "x") if name in last}
        return {**state, "t": float(last["time"])}
    if isinstance(at, Mapping):
        for name in at:
            if name not in PARTS:
                raise unknown("part of a state", str(name), PARTS, "at")
        return dict(at)
    found = {name: getattr(at, name) for name in PARTS if hasattr(at, name)}
    if "q" not in found:
        raise ShapeError(
            f"{at!r} is not a valid state",
            element="at",
            cure="give a mapping with q, qd, x, or a run",
        )
    return found


def carried_values(at: Any) -> dict[str, Any]:
    """What a point holds besides the state: parameters of a run; of an `Equilibrium` efforts, too.

    Arguments of an analysis take their place.
    """
    if hasattr(at, "data_vars"):
        return {"parameters": parameters_of(at) or None}
    names = () if isinstance(at, Mapping) else ("parameters", "tau")
    return {name: getattr(at, name) for name in names if hasattr(at, name)}


def start_at(at: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of a run with those that a point gives; what both give is refused."""
    parts = given_parts(at)
    found = dict(given)
    for part, value in parts.items():
        name = "t0" if part == "t" else part
        if given[name] is not None and not (name == "t0" and given[name] == 0.0):
            raise UnsupportedError("at= gives it, too", element=name, cure="leave one of both out")
        found[name] = value
    more = {name: value for name, value in carried_values(at).items() if given[name] is None}
    return {**found, **more}


def treat_loops(model: Mechanism, options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of `dynamics` at a point of operation: loops as a run would treat them.

    Baumgarte's method pulls coordinates back to the loops in time, which a point does not have.
    """
    loops = options.get("loops")
    if isinstance(loops, str) and loops == "multipliers":
        raise UnsupportedError(
            "coordinates that it pulls back to the loops in time are not on them beside a state",
            element="loops 'multipliers'",
            cure="leave loops= out",
        )
    return leave_loops_open(model, options)


def freedom(system: Dynamics) -> Freedom:
    """What the loops leave independent; everything where there are none."""
    every = tuple(range(system.nv))
    if not system.closed:
        return Freedom(every, every)
    found = system.partition
    assert found is not None
    rolling = set(found.rate_dependent)
    w = tuple(k for k in found.u if system.model.velocities[k] not in rolling)
    return Freedom(found.u, w)


def arrays(system: Dynamics, at: OperatingPoint, program: Program) -> dict[str, Any]:
    """The inputs of a Program of the forward dynamics at a point, loads included."""
    if not system.loads.constant:
        raise UnsupportedError(
            "a Python function has no exact derivatives",
            element="tau",
            cure="give constant efforts, or make the law a force of the model",
        )
    given = {"q": at.q, "qd": at.qd, "x": at.x, "t": np.array(at.t), **system.loads.fixed}
    return program.pick_inputs(given)
