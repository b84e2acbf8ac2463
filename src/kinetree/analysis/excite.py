"""Excitation: motions of a machine that tell its parameters best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.exciting.criteria import CRITERIA
from kinetree.analysis.exciting.fourier import Fourier
from kinetree.analysis.exciting.limits import KINDS, Bounds, read_bounds, read_planes
from kinetree.analysis.exciting.problem import ExcitingTask
from kinetree.analysis.exciting.search import Excitation, search
from kinetree.analysis.identifying.choices import RUBBING
from kinetree.analysis.identifying.columns import ParameterColumns, Unknowns
from kinetree.analysis.runs.manifest import manifest
from kinetree.analysis.runs.progress import ProgressCall, sharing
from kinetree.arguments import check_arguments, check_choice, check_positive
from kinetree.arrays import Array
from kinetree.errors import ModelError, UnsupportedError, unknown
from kinetree.results.dataset import Dimension, run_draft
from kinetree.solve.one_thread import one_thread

if TYPE_CHECKING:
    import xarray

    from kinetree.model import Mechanism


def excite(  # noqa: PLR0913  one keyword per choice of the user
    model: Mechanism,
    duration: float,
    harmonics: int = 5,
    *,
    criterion: str = "condition",
    bodies: Sequence[str] | None = None,
    friction: Sequence[str] = RUBBING,
    rotors: bool = False,
    smooth: float = 0.1,
    measured: str = "tau",
    deviations: Mapping[str, float] | None = None,
    position: Any = None,
    speed: Any = None,
    acceleration: Any = None,
    effort: Any = None,
    clearance: Mapping[str, Any] | None = None,
    locked: Mapping[str, float] | None = None,
    rest: bool = True,
    step: float = 0.01,
    starts: int = 2,
    seed: int = 0,
    progress: bool | ProgressCall | None = None,
) -> xarray.Dataset:
    """A motion that excites what is to be identified, within limits.

    Every coordinate is a Fourier series of one period, whose coefficients are found by exact
    gradients.

    Args:
        model: the mechanism, with the parameters that are known so far: efforts are estimated by
            them.
        duration: of one period [s]; the motion may be repeated.
        harmonics: of the series; the highest has harmonics/duration periods per second.
        criterion: "condition" (number of the regressor) or "determinant" (of the information).
        bodies: whose parameters are to be told; by default all that move.
        friction: parameters of every joint that are to be told, as of `identify`.
        rotors: whether rotor inertias are to be told.
        smooth: speed over which dry friction grows where the model does not say [rad/s or m/s];
            the wider, the smoother the criterion.
        measured: "tau" or "wrench", as of `identify`.
        deviations: standard deviations of what is measured by velocity (or tx … fz); equal by
            default.
        position: bounds of coordinates [rad or m]: by name (lowest, highest) or one number b for
            -b … b; a number for all.  By default those of the model.
        speed: highest speeds likewise [rad/s or m/s].
        acceleration: highest accelerations likewise [rad/s2 or m/s2].
        effort: highest efforts likewise [N.m or N].
        clearance: point -> (normal, distance), or a list of those: n·r ≥ distance in the world
            frame, with n of unit length [m].
        locked: coordinates that stand still -> their values.
        rest: whether it begins and ends at rest, without acceleration.
        step: between the rows of the result [s].
        starts: number of first motions.
        seed: of their draw.
        progress: show how far it is; by default on a terminal when it takes long.  A function is
            told the share done, 0 to 1, and ends it by returning True: the best motion so far that
            holds all limits stays, if there is one.

    Returns:
        The Dataset with q, qd, qdd and the tau that they take over time; `condition` (number) and
        `harmonics` are among its attributes, and how far each limit is used.
    """
    given = locals()
    check_arguments(excite, given)
    _check(given)
    with one_thread(), sharing(progress, "excite") as share:
        task = _task(given)
        found = search(task, criterion, (starts, seed), share)
    return _dataset(task, found, given)


def _check(given: Mapping[str, Any]) -> None:
    """Refuse what no motion can be found for."""
    check_choice("criterion", given["criterion"], tuple(CRITERIA))
    check_choice("measured", given["measured"], ("tau", "wrench"))
    check_positive("a positive time in seconds", duration=given["duration"], step=given["step"])
    check_positive("a positive number", smooth=given["smooth"], starts=given["starts"])
    if given["seed"] < 0:
        raise ModelError(f"it is {given['seed']}", element="seed", cure="give 0 or more")
    least = 3 if given["rest"] else 1
    if given["harmonics"] < least:
        raise ModelError(
            f"it is {given['harmonics']}", element="harmonics", cure=f"give at least {least}"
        )
    for word in given["friction"]:
        if word not in RUBBING:
            raise unknown("name", word, RUBBING, "friction")
    if given["model"].closures:
        raise UnsupportedError(
            "motions of closed loops are not planned",
            element=f"model '{given['model'].name}'",
            cure="plan the motors' coordinates by hand, and look at `condition` of kt.identify",
        )


def _task(given: Mapping[str, Any]) -> ExcitingTask:
    model, locked = given["model"], dict(given["locked"] or {})
    wanted = Unknowns(
        given["bodies"], tuple(given["friction"]), given["rotors"], given["smooth"],
        given["measured"], locked,
    )  # fmt: skip
    moving, known = _moving(model, locked)
    names = tuple(model.coordinates[at] for at, _ in moving)
    bounds = tuple(read_bounds(kind, given[kind], names, known[kind]) for kind in KINDS)
    _refuse_unbounded(bounds)
    still = np.array(model.initial(), dtype=float)
    for name, value in locked.items():
        still[list(model.coordinates).index(name)] = value
    columns = ParameterColumns(model, wanted)
    series = Fourier(float(given["duration"]), given["harmonics"], given["rest"])
    weights = _weights(columns, given["deviations"] or {})
    planes = tuple(read_planes(model, given["clearance"]))
    x = np.array([state.initial for state in model.states.values()], dtype=float)
    return ExcitingTask(
        columns, series, tuple(moving), still, bounds, planes, weights, {"t": 0.0, "x": x}
    )


def _moving(
    model: Mechanism, locked: Mapping[str, float]
) -> tuple[list[tuple[int, int]], dict[str, list[tuple[float, float]]]]:
    """Numbers of the coordinates and velocities that move, and the bounds that the model knows."""
    for name in locked:
        if name not in model.coordinates:
            raise unknown("coordinate", name, model.coordinates, "locked")
    free = (-np.inf, np.inf)
    numbers: list[tuple[int, int]] = []
    known: dict[str, list[tuple[float, float]]] = {kind: [] for kind in KINDS}
    for joint in model.leaders:
        if not joint.coordinates or set(joint.coordinates) & set(locked):
            continue
        if len(joint.coordinates) > 1:
            raise UnsupportedError(
                "several coordinates of one joint are not planned",
                element=f"joint '{joint.name}'",
                cure="lock it by locked=, or make it of joints with one coordinate each",
            )
        (q,), (v,) = joint.coordinates, joint.velocities
        numbers.append((list(model.coordinates).index(q), list(model.velocities).index(v)))
        limits = joint.limits
        low, high = (None, None) if limits is None else (limits.lower, limits.upper)
        known["position"].append(
            (-np.inf if low is None else low, np.inf if high is None else high)
        )
        for kind, name in (("speed", "velocity"), ("effort", "effort")):
            most = None if limits is None else getattr(limits, name)
            known[kind].append(free if most is None or most <= 0 else (-most, most))
        known["acceleration"].append(free)
    if not numbers:
        raise ModelError("nothing moves", element=f"model '{model.name}'", cure="lock fewer joints")
    return numbers, known


def _refuse_unbounded(bounds: Sequence[Bounds]) -> None:
    """Refuse coordinates of which nothing keeps the motion from growing faster and faster."""
    rates = [row for row in bounds if row.kind in ("speed", "acceleration")]
    for k, name in enumerate(rates[0].names):
        if not any(np.isfinite(row.low[k]) and np.isfinite(row.high[k]) for row in rates):
            raise ModelError(
                "neither its speed nor its acceleration is bounded",
                element=f"coordinate '{name}'",
                cure=f'give speed={{"{name}": 2.0}} in rad/s or m/s',
            )


def _weights(columns: ParameterColumns, given: Mapping[str, float]) -> Array:
    """1/σ of every equation."""
    for name, value in given.items():
        if name not in columns.rows:
            raise unknown("equation", name, columns.rows, "deviations")
        if value <= 0:
            raise ModelError(
                f"it is {value:g}", element=f"deviations, '{name}'", cure="give a positive number"
            )
    return np.array([1.0 / given.get(name, 1.0) for name in columns.rows])


def _dataset(task: ExcitingTask, found: Excitation, given: Mapping[str, Any]) -> xarray.Dataset:
    """The motion over time, with the efforts that it takes."""
    model, duration = task.model, task.series.duration
    count = max(2, round(duration / given["step"]))
    time = np.linspace(0.0, duration, count + 1)
    motion = task.motion(found.z, time)
    values = dict(zip(("q", "qd", "qdd"), motion, strict=True))
    values["tau"] = np.asarray(task.call(task.efforts, motion)["tau"])
    q, qd = (task.efforts.input(name) for name in ("q", "qd"))
    axes = {
        "coordinate": Dimension(tuple(q.labels), tuple(q.units)),
        "velocity": Dimension(tuple(qd.labels), tuple(qd.units)),
    }
    facts = {
        **manifest(model, task.columns.program), "criterion": given["criterion"],
        "harmonics": task.series.harmonics, "condition": found.condition,
        "base_parameters": len(task.columns.base[0]), "iterations": found.iterations,
        "termination": found.end,
        "limits_used": "; ".join(_use_in_words(k, x) for k, x in found.overruns.items()),
    }  # fmt: skip
    return run_draft(time, values, axes, facts).dataset()


def _use_in_words(name: str, overrun: float) -> str:
    """How far a limit is used, in words."""
    if name.startswith("clearance"):
        return f"{name}: {-overrun:.4g} m left"
    return f"{name}: {100 * (1 + overrun):.1f} %"
