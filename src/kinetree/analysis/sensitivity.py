"""Sensitivities: how measures of a run change with parameters, start values, loads, duration."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.given.batches import RunGiven
from kinetree.analysis.runs.dynamics import OPTIONS
from kinetree.analysis.runs.events import Events
from kinetree.analysis.sensitivities.adjoint import Backward, adjoint_gradients
from kinetree.analysis.sensitivities.direct import TOGETHER, direct_runs, run_tangents
from kinetree.analysis.sensitivities.looks import Outcome, outcomes
from kinetree.analysis.sensitivities.peaks import find_peaks
from kinetree.analysis.sensitivities.result import (
    equilibrium_dataset,
    with_gradients,
    with_hessians,
    with_samples,
    with_tangents,
)
from kinetree.analysis.sensitivities.second import hessians
from kinetree.analysis.sensitivities.statics import static_sensitivities
from kinetree.analysis.sensitivities.task import Task
from kinetree.analysis.sensitivities.variables import read_variables
from kinetree.arguments import check_arguments, check_choice, check_options, check_positive, show
from kinetree.arrays import Array
from kinetree.assembly import Parameters, Values
from kinetree.errors import ModelError, ModelWarning, UnsupportedError
from kinetree.integrate.loops.tableaus import TABLEAUS
from kinetree.integrate.methods import check_bounds
from kinetree.integrate.problem import Settings
from kinetree.measures import Measure, Mode

if TYPE_CHECKING:
    import xarray

    from kinetree.model import Mechanism

METHODS = ("auto", "direct", "adjoint")
"""How derivatives are found."""
WORTH = 5
"""Directions per measure up to which tangents cost less than going back."""


def sensitivity(  # noqa: PLR0913  one keyword per choice of the user
    model: Mechanism,
    duration: float | None = None,
    measures: Mapping[str, Any] = MappingProxyType({}),
    *,
    by: Sequence[str],
    at: str = "run",
    method: str = "auto",
    order: int = 1,
    integrator: str = "auto",
    q: Values = None,
    qd: Values = None,
    x: Values = None,
    t0: float = 0.0,
    rtol: float = 1e-8,
    atol: float = 1e-10,
    step: float | None = None,
    tau: Any = None,
    wrenches: Mapping[str, Any] | None = None,
    parameters: Parameters = None,
    events: Events | None = None,
    max_steps: int = 1_000_000,
    max_step: float = np.inf,
    **options: Any,
) -> xarray.Dataset:
    """Values of measures of a run, and their exact derivatives by what varies.

    The derivatives are those of the steps as they were taken.  Loops are closed again at the start
    for every change: a length moves the coordinates that follow from it.

    Args:
        model: the mechanism.
        duration: length of the run [s]; none with at="equilibrium".
        measures: by name, such as {"end": kt.final("q_y"), "work": kt.integral("qd_y**2")}.
        by: names of what varies: parameters (0 and 1 too), "q0.NAME", "qd0.NAME", "x0.NAME",
            "tau.NAME", "WRENCH.fx", "duration".
        at: "run", or "equilibrium": the state of rest near the start values, and its modes;
            measures are `kt.final`, `kt.frequency`, `kt.damping` and `kt.growth` then.
        method: "direct" takes tangents along with the run, up to eight in one; "adjoint" goes back
            over its steps, once per measure; "auto" takes the cheaper one by their numbers, and the
            first where events change the motion; the attribute `sensitivity_method` says which.
        order: 2 adds `hessian` (measure × parameter × parameter), by at most eight variables.
        integrator: method of the run: "auto" (dop853), "dopri5", "dop853" or "rk4".
        q: initial coordinates, as of `simulate`.
        qd: initial velocities.
        x: initial user states.
        t0: time at the beginning [s].
        rtol: relative error per step.
        atol: absolute error per step.
        step: output interval [s]; the step of rk4.
        tau: constant efforts along the velocities [N.m, N].
        wrenches: constant external wrenches by name [N.m, N].
        parameters: values by name in place of the model's.
        events: conditions by name, as of `simulate`.
        max_steps: steps after which the run ends.
        max_step: longest step [s].
        **options: of `simulate`: formalism, loops, base_parameters, partition, independent.

    Returns:
        The Dataset of the run with `value` (measure), `gradient` (measure × parameter) and, by the
        direct method, `q_by`, `qd_by`, `x_by` (time × component × parameter), all in SI units; of a
        misfit NAME also what it compares, NAME and NAME_by, over the times of its data.  Of an
        equilibrium q, x and q_by, x_by in place of the run; NaN of modes with one eigenvalue.
    """
    given = locals()
    check_arguments(sensitivity, given)
    _check(given, options)
    run = RunGiven(q, qd, x, tau, wrenches, parameters)
    name, settings = as_settings(given)
    task = Task.of(
        model, run, duration=float(duration or 0.0), measures=dict(measures),
        variables=read_variables(model, by), t0=t0, integrator=name, settings=settings, step=step,
        events=events, options=options,
    )  # fmt: skip
    made = _static(task) if at == "equilibrium" else _solve(task, method)
    _tell_idle(task, made)
    return made if order == 1 else with_hessians(made, hessians(task, _times(task, {})))


def _static(task: Task) -> xarray.Dataset:
    """Values and gradients at an equilibrium."""
    return equilibrium_dataset(task, *static_sensitivities(task))


def _tell_idle(task: Task, made: xarray.Dataset) -> None:
    """Warn of what varies on which neither the motion nor any measure depends."""
    still = [name for name in task.idle() if not made.gradient.sel(parameter=name).any()]
    if still:
        names = ", ".join(f"'{name}'" for name in still)
        text = f"nothing depends on {names}: the derivatives by it are zero"
        warnings.warn(text, ModelWarning, stacklevel=3)


def as_settings(given: Mapping[str, Any]) -> tuple[str, Settings]:
    """The method of a run, and its tolerances, from options of `sensitivity`."""
    integrator = given.get("integrator", "auto")
    check_choice("integrator", integrator, ("auto", *TABLEAUS))
    name = "dop853" if integrator == "auto" else integrator
    known = ("rtol", "atol", "max_steps", "max_step")
    length = None if TABLEAUS[name].errors else given.get("step") or None
    bounds = {key: given[key] for key in known if key in given}
    return name, Settings(**bounds, fixed_step=length)


def _solve(task: Task, method: str) -> xarray.Dataset:
    """Values and gradients by the method that is asked for, or by the cheaper one."""
    peaks = find_peaks(task, lambda times: run_tangents(task, (), times).looks)
    times = _times(task, peaks)
    many = len(task.directions) > max(TOGETHER, WORTH * len(task.measures))
    if method == "direct" or (method == "auto" and not many):
        return _direct(task, times, peaks)
    try:
        return _adjoint(task, times, peaks)
    except UnsupportedError as error:
        if method == "adjoint" or "method='direct'" not in error.cure:
            raise
        return _direct(task, times, peaks)


def _times(task: Task, peaks: Mapping[str, float]) -> Array:
    """Output times, with those at which measures look [s]."""
    asked = [m.times(task.t0 + task.duration) for m in task.measures.values()]
    return task.times(np.concatenate([np.zeros(0), *asked, np.array([*peaks.values()])]))


def _direct(task: Task, times: Array, peaks: Mapping[str, float]) -> xarray.Dataset:
    """Values and gradients by tangents."""
    runs = direct_runs(task, times)
    integrated = task.expressions.integrated
    parts = [outcomes(run.looks, task.measures, integrated, peaks) for run in runs]
    rows = [np.concatenate([part[name].changes for part in parts]) for name in task.measures]
    facts = {"method": "direct", "runs": len(runs)}
    made = _with_results(task, runs[0].dataset, parts[0], np.array(rows), facts)
    return with_samples(with_tangents(made, runs), task.measures, runs)


def _adjoint(task: Task, times: Array, peaks: Mapping[str, float]) -> xarray.Dataset:
    """Values and gradients by going back over the steps."""
    run = run_tangents(task, (), times)
    backward = Backward(task, times)
    found = outcomes(run.looks, task.measures, task.expressions.integrated, peaks)
    table = adjoint_gradients(task, run.looks, backward, peaks)
    facts = {"method": "adjoint", "steps": backward.steps}
    return _with_results(task, run.dataset, found, table, facts)


def _with_results(
    task: Task,
    run: xarray.Dataset,
    found: Mapping[str, Outcome],
    table: Array,
    facts: Mapping[str, Any],
) -> xarray.Dataset:
    """The run with values, and gradients from changes by all that varies but the duration."""
    gradients = np.zeros((len(found), len(task.variables)))
    moving = [row.kind != "duration" for row in task.variables]
    gradients[:, moving] = table
    by_end = np.array([row.by_end for row in found.values()])
    gradients[:, [not row for row in moving]] = by_end[:, None]
    values = {name: row.value for name, row in found.items()}
    return with_gradients(run, task.variables, values, gradients, facts)


def _check(given: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    """Refuse what no sensitivity can be made of."""
    check_choice("at", given["at"], ("run", "equilibrium"))
    if given["at"] == "run":
        if given["duration"] is None:
            raise ModelError("it is not given", element="duration", cure="give it in seconds")
        check_positive("a positive time in seconds", duration=given["duration"])
        check_bounds(given)
    elif given["duration"] is not None or given["qd"] is not None or given["events"] is not None:
        raise ModelError(
            "an equilibrium has no duration, no velocities and no events",
            element="at",
            cure='leave them out, or leave at="equilibrium" out',
        )
    check_choice("method", given["method"], METHODS)
    if given["order"] not in (1, 2) or (given["order"] == 2 and given["at"] != "run"):
        raise UnsupportedError(
            f"it is {show(given['order'])}",
            element="order",
            cure="give 1, or 2 for second derivatives of runs",
        )
    check_options("sensitivity", options, OPTIONS)
    check_measures(given["measures"], modes=given["at"] == "equilibrium")


def check_measures(measures: Mapping[str, Any], *, modes: bool = False) -> None:
    """Refuse what is no measure, and measures of modes where there are none."""
    if not measures:
        raise ModelError(
            "there is nothing to measure", element="measures", cure='give {"end": kt.final("q_y")}'
        )
    for name, measure in measures.items():
        if not isinstance(measure, Measure):
            raise ModelError(
                f"it is {show(measure)}",
                element=f"measure '{name}'",
                cure="give kt.final(…), kt.integral(…), kt.rms(…) or kt.peak(…)",
            )
        if isinstance(measure, Mode) and not modes:
            raise ModelError(
                "a run has no modes",
                element=f"measure '{name}'",
                cure='give at="equilibrium" to kt.sensitivity',
            )
