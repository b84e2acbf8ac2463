"""Runs by equal steps: formulation and method chosen by name."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.runs.continuity import RunRows, facts
from kinetree.analysis.runs.events import happenings
from kinetree.analysis.runs.manifest import changes, manifest
from kinetree.analysis.runs.progress import reporting
from kinetree.assembly import Values, given_values
from kinetree.errors import ModelWarning, ShapeError, UnsupportedError, unknown
from kinetree.integrate import Stepper
from kinetree.integrate.problem import NOT_SOLVED
from kinetree.model import refuse_events
from kinetree.results.dataset import Dimension, run_dataset
from kinetree.steppers.equations.step_inputs import NewtonSettings

if TYPE_CHECKING:
    import xarray

    from kinetree.integrate import Report, SteppedRun
    from kinetree.model import Mechanism

STEPS = 1000
"""Steps of a run where no length of a step is given."""


STEPPING = tuple(row.name for row in fields(NewtonSettings))
"""Options of equal steps."""


@dataclass(frozen=True)
class Begin:
    """Where a run begins: initial values, all in order or some by name, and the time [s]."""

    q: Values = None
    qd: Values = None
    x: Values = None
    t: float = 0.0


def march(  # noqa: PLR0913  one argument per decision
    model: Mechanism,
    duration: float,
    begin: Begin,
    *,
    step: float | None = None,
    tau: Any = None,
    wrenches: Mapping[str, Any] | None = None,
    parameters: Mapping[str, float] | None = None,
    progress: bool | None = None,
    formulation: str | None = None,
    method: str = "trapezoidal",
    **options: Any,
) -> xarray.Dataset:
    """The motion of a model in equal steps; the Dataset of `simulate`.

    Args:
        model: the mechanism.
        duration: length of the run [s]; a whole number of steps is made.
        begin: initial values and time.
        step: [s]; by default a thousandth of the duration.
        tau: constant efforts: nv numbers, or some by name [N.m, N].
        wrenches: constant external wrenches by name: six numbers [torque; force] [N.m, N].
        parameters: values by name in place of the model's.
        progress: show how far it is.
        formulation: "hybrid", "topological", "global", "explicit" or, for trees, "tree".
        method: "trapezoidal", "newmark", "hht", "generalised_alpha", "semi_implicit_euler" or
            "rk4".
        **options: of `kinetree.steppers.step_program`.
    """
    refuse_events(happenings(model), "equal steps", "take a method of rates, such as 'dop853'")
    model = model.with_varied(parameters or ())
    length = duration / STEPS if step is None else step
    given = {} if tau is None else {"tau": _efforts(model, tau)}
    given |= {name: _constant(model, name, wrench) for name, wrench in (wrenches or {}).items()}
    stepper = Stepper(model, formulation, method, **options)
    with reporting(progress, begin.t, begin.t + duration) as report:
        run = stepper.run(
            duration,
            length,
            q=begin.q,
            qd=begin.qd,
            x=begin.x,
            t=begin.t,
            parameters=parameters,
            inputs=given,
            progress=None if report is None else lambda made, _: report(begin.t + made * length),
        )
    return _dataset(stepper, run, parameters or {}, length)


def refuse_no_step(step: float | None) -> None:
    """Refuse output at every step of a method that has no steps of its own choice."""
    if step == 0:
        raise ShapeError("equal steps need a length", element="step", cure="give it above 0")


def refuse_stepping(options: Mapping[str, Any]) -> None:
    """Refuse options of equal steps where none were asked for."""
    for name in options:
        if name in STEPPING and name != "independent":
            raise UnsupportedError(
                "it is an option of equal steps",
                element=name,
                cure="give formulation=, or a method of equal steps such as 'hht', or leave it out",
            )


def _constant(model: Mechanism, name: str, wrench: Any) -> Any:
    if name not in model.wrenches:
        raise unknown("wrench", name, model.wrenches, "wrenches")
    if callable(wrench):
        raise UnsupportedError(
            "a fixed-step method takes constant wrenches",
            element=f"wrench '{name}'",
            cure="add an external force with a law to the model",
        )
    return wrench


def _efforts(model: Mechanism, tau: Any) -> Any:
    if callable(tau) or (isinstance(tau, Mapping) and any(callable(f) for f in tau.values())):
        raise UnsupportedError(
            "a fixed-step method takes constant efforts",
            element="tau",
            cure="add a joint_law to the model, or take a method of rates, such as 'dop853'",
        )
    return given_values(tau, np.zeros(model.nv), model.velocities, "tau")


def _dataset(
    stepper: Stepper, run: SteppedRun, parameters: Mapping[str, float], length: float
) -> xarray.Dataset:
    report = run.report
    if isinstance(report, tuple):
        raise ShapeError(
            "it has several runs", element="start", cure="use kinetree.integrate.steps.stepper"
        )
    program = stepper.program
    values = {"q": run.q, "qd": run.qd, "qdd": run.qdd}
    axes = {"coordinate": "q", "velocity": "qd"}
    for name, found, axis in (("x", run.x, "state"), ("lam", run.lam, "equation")):
        if found.shape[-1]:
            values[name], axes[axis] = found, name
    rows = {
        **manifest(stepper.model, program),
        **changes(parameters),
        "method": program.info.get("method", ""),
        "step": length,
        "steps": report.steps,
        **_iterations(report),
        "wall_time_s": round(report.wall, 6),
        "end_time": float(run.times[-1]),
        "termination": _end_sentence(report),
    }
    more, doubts = _facts(stepper, run, parameters)
    rows |= more
    made = {axis: Dimension(*stepper.coordinates.axis(name)) for axis, name in axes.items()}
    if report.end == NOT_SOLVED:
        said = f"{report.message}; results up to there are kept"
        warnings.warn(said, ModelWarning, stacklevel=4)
    if doubts:
        warnings.warn(doubts, ModelWarning, stacklevel=4)
    return run_dataset(run.times, values, made, rows)


def _facts(
    stepper: Stepper, run: SteppedRun, parameters: Mapping[str, float]
) -> tuple[dict[str, str | int], str]:
    """What is worth knowing of the motion of a closed system, and what is doubtful in it."""
    system = stepper.loops
    if system is None:
        return {}, ""
    return facts(RunRows(system.at(parameters), run.times, run.q, run.qd, run.qdd))


def _iterations(report: Report) -> dict[str, float | int]:
    """Iterations of Newton's method, where there are any."""
    if not report.most:
        return {}
    return {"iterations_mean": round(report.iterations, 3), "iterations_most": report.most}


def _end_sentence(report: Report) -> str:
    return report.message or report.end


__all__ = ["STEPPING", "Begin", "march", "refuse_no_step", "refuse_stepping"]
