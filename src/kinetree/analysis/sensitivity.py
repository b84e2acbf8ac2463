"""Sensitivities: how measures of a run change with parameters, start values, loads, duration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from inspect import signature
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.given.batches import BatchParameters, BatchValues, RunGiven
from kinetree.analysis.runs.events import Events
from kinetree.analysis.runs.progress import ProgressCall, sharing
from kinetree.analysis.sensitivities.adjoint import Backward
from kinetree.analysis.sensitivities.checks import (
    GIVEN,
    check_given,
    is_stepped,
    refuse_foreign,
)
from kinetree.analysis.sensitivities.continuous import ContinuousBackward
from kinetree.analysis.sensitivities.demands import demands_of, refuse_jumps
from kinetree.analysis.sensitivities.direct import TOGETHER, direct_runs, run_tangents
from kinetree.analysis.sensitivities.functions import with_functions
from kinetree.analysis.sensitivities.looks import Outcome, outcomes
from kinetree.analysis.sensitivities.passages import Passages
from kinetree.analysis.sensitivities.peaks import find_peaks
from kinetree.analysis.sensitivities.places.rest_start import RestStart
from kinetree.analysis.sensitivities.places.statics import static_sensitivities
from kinetree.analysis.sensitivities.products.seconds import with_seconds
from kinetree.analysis.sensitivities.result import (
    equilibrium_dataset,
    refuse_no_numbers,
    samples_of,
    tell_growth,
    tell_idle,
    with_gradients,
    with_growth,
    with_samples,
    with_tangents,
    with_units,
)
from kinetree.analysis.sensitivities.stepping.stepped import step_sensitivities
from kinetree.analysis.sensitivities.task import StepChoice, Task
from kinetree.analysis.sensitivities.variables import (
    BASICS,
    keep_starts,
    read_variables,
)
from kinetree.analysis.sweeping.gradients import many_dataset, many_gradients, refuse_many_of
from kinetree.arguments import (
    check_arguments,
    check_choice,
)
from kinetree.arrays import Array
from kinetree.errors import UnsupportedError
from kinetree.integrate.loops.tableaus import TABLEAUS
from kinetree.integrate.methods import RATES, find
from kinetree.integrate.problem import Settings
from kinetree.measures import simple_measures
from kinetree.measures.measure import NONE
from kinetree.model import as_mechanism

if TYPE_CHECKING:
    import xarray

    from kinetree.model import Components, Mechanism

EQUAL_STEP_ERROR = 1e-8
"""Relative error that is taken for a structural step, whose iterations leave about as much."""
WORTH = 5
"""Directions per measure up to which tangents cost less than going back."""
PEAKS = 0.3
"""Share at which the places of peaks are known."""
FORWARD = 0.2
"""Share that a run takes before it is gone back over."""
FIRST = 0.3
"""Share of the analysis at which first derivatives are there, where second ones are wanted."""


def sensitivity(  # noqa: PLR0913  one keyword per choice of the user
    model: Mechanism | Components,
    duration: float | None = None,
    measures: Mapping[str, Any] = MappingProxyType({}),
    *,
    by: Sequence[str],
    at: str = "run",
    begin: str = GIVEN,
    locked: Sequence[str] = (),
    matrices: bool = False,
    method: str = "auto",
    equations: str = "explicit",
    order: int = 1,
    along: Mapping[str, float] | None = None,
    integrator: str = "auto",
    q: BatchValues = None,
    qd: BatchValues = None,
    x: BatchValues = None,
    t0: float = 0.0,
    rtol: float = 1e-8,
    atol: float = 1e-10,
    step: float | None = None,
    tau: Any = None,
    wrenches: Mapping[str, Any] | None = None,
    parameters: BatchParameters = None,
    events: Events | None = None,
    max_steps: int = 1_000_000,
    max_step: float = np.inf,
    formulation: str | None = None,
    memory: float | None = None,
    progress: bool | ProgressCall | None = None,
    **options: Any,
) -> xarray.Dataset:
    """Values of measures of a run, and their exact derivatives by what varies.

    The derivatives are those of the steps as they were taken.  Loops are closed again at the start
    for every change: a length moves the coordinates that follow from it.

    Args:
        model: the mechanism, or connected components.
        duration: length of the run [s]; none with at="equilibrium".
        measures: by name, such as {"end": kt.final("q_y"), "work": kt.integral("qd_y**2")}.
        by: names of what varies: parameters (0 and 1 too), "q0.NAME", "qd0.NAME", "x0.NAME",
            "tau.NAME", "WRENCH.fx", "duration"; of equal steps the parameter of the method,
            "method.rho_inf", "method.delta_f" or "method.xi".
        at: "run", or "equilibrium": the state of rest near the start values, and its modes; or
            "start": the steady motion that the start values are, such as a bicycle at its speed;
            measures are `kt.final`, `kt.frequency`, `kt.damping` and `kt.growth` then.
        begin: "given", or "equilibrium": a run begins at the equilibrium of its own parameters near
            the start values, with the velocities qd; derivatives know how it moves with them.
        locked: of at="equilibrium" and begin="equilibrium": coordinates that keep their values,
            each held by an effort that changes with what varies, such as "x", "y", "yaw" of a
            vehicle that stands; where a run begins, these efforts end.
        matrices: of a state, whether A and B of small motions about it come, too, as of
            `kt.linearise`, with their derivatives `A_by` and `B_by`.
        method: "direct" takes tangents along with the run, up to eight in one; "adjoint" goes back
            over its steps and events, once per measure; "auto" takes the cheaper one by their
            numbers, and the first where events change a motion that is known by its dense output
            alone; the attribute `sensitivity_method` says which.
        equations: of the direct method by explicit integrators: "explicit" differentiates the
            accelerations, "semi-explicit" the equations before they are solved for them
            (Docquier2013 eqs. 42 and 41); both give the same numbers.
        order: 2 adds `hessian` (measure × parameter × parameter); up to eight variables take one
            run, of more every two groups of four take one; in equal steps a tangent of the run is
            gone back over for every variable.
        along: of order=2 the direction of second derivatives: changes by name, 0 where a name of
            `by` is not given.  `hessian_product` (measure × parameter), the Hessian times the
            direction, takes the place of `hessian`, at the cost of one tangent and one way back;
            by methods whose dense output is differentiated, at the cost of the Hessian.
        integrator: method of the run: "auto" (dop853), "dopri5", "dop853" or "rk4", whose steps are
            differentiated; "cvode_adams", "cvode_bdf", "RK45", "DOP853", "Radau", "BDF", "LSODA",
            whose dense output is; or equal steps: "trapezoidal", "newmark", "hht",
            "generalised_alpha", "semi_implicit_euler".
        q: initial coordinates, as of `simulate`; leading axes of q, qd, x, tau, wrenches and
            parameters are those of many runs side by side.
        qd: initial velocities.
        x: initial user states.
        t0: time at the beginning [s].
        rtol: relative error per step.
        atol: absolute error per step.
        step: output interval [s]; the step of rk4 and of equal steps.
        tau: constant efforts along the velocities [N.m, N].
        wrenches: constant external wrenches by name [N.m, N].
        parameters: values by name in place of the model's.
        events: conditions by name, as of `simulate`.
        max_steps: steps after which the run ends.
        max_step: longest step [s].
        formulation: of equal steps, as of `simulate`.
        memory: for the states to which the adjoint method goes back over steps [B]: where not all
            fit, some are kept and steps are made anew, with the same result to the last bit; no
            step more often than with the best choice of as many states.
        progress: show how far it is; by default on a terminal when it takes long.  A function is
            told the share done, 0 to 1, and ends it by returning True; nothing is kept then.
        **options: of `simulate`: formalism, loops, base_parameters, partition, independent; of
            equal steps tolerance, limit, penalty, projection, …, and the method's own parameter:
            rho_inf of generalised_alpha, delta_f of hht, xi of newmark.

    Returns:
        The Dataset of the run with `value` (measure), `gradient` (measure × parameter) and, by the
        direct method, `q_by`, `qd_by`, `x_by` (time × component × parameter), all in SI units;
        `unit_parameter` and `unit_measure` say which, empty where that is not known, and
        `scale_parameter` how large what varies is, by which slopes are compared.  Of a
        misfit NAME also what it compares, NAME and NAME_by, over the times of its data.  Of a state
        q, x, q_by, x_by, and of modes `shape`, `shape_by` in place of the run; modes with one
        eigenvalue have NaN, and `group_gradient` has the derivatives of their mean.
        Of many runs `value` and `gradient` alone, with leading axes, and `reason` of those that
        failed.
    """
    check_arguments(sensitivity, given := {**locals(), "model": as_mechanism(model)})
    check_given(sensitivity, given, options)
    with sharing(progress, "sensitivity") as share:
        if _run_given(given).axes:
            return _many_runs({**given, "share": share}, options)
        task = replace(_task(given, options).at_rest(), share=share)
        return _of_run(task, given) if at == "run" else _static(task, given)


def _of_run(task: Task, given: Mapping[str, Any]) -> xarray.Dataset:
    """Values and derivatives along a run, none of which may be no number."""
    twice = given["order"] == 2
    with task.share.part(0.0, FIRST if twice else 1.0):
        made = run_task(task, given["method"])
    tell_idle(task, made)
    if twice:
        with task.share.part(FIRST, 1.0):
            made = with_seconds(task, made, given["along"], _times(task, {}))
    found = with_functions(made, given["measures"])
    refuse_no_numbers(found)
    return with_units(found, task, given["measures"])


def _run_given(given: Mapping[str, Any]) -> RunGiven:
    """Start values, loads and parameters, from the options of `sensitivity`."""
    return RunGiven(*(given[key] for key in ("q", "qd", "x", "tau", "wrenches", "parameters")))


def _many_runs(given: Mapping[str, Any], options: Mapping[str, Any]) -> xarray.Dataset:
    """Values and gradients of runs side by side."""
    refuse_many_of(given)
    many = _run_given(given)
    flat = many.flat
    task = _task({**given, **vars(flat.of(flat.axes, 0))}, options)
    task = replace(task, share=given["share"])
    whole = keep_starts(task.model, flat, task.variables)
    found = many_gradients(task, whole, given["method"], run_task)
    made = many_dataset(task, many.axes, found, given["measures"])
    return with_units(made, task, given["measures"]).drop_vars("scale_parameter")


def sensitivity_task(model: Mechanism, **given: Any) -> Task:
    """The task of a sensitivity of runs with the options that are given, checked as there."""
    rows = signature(sensitivity).parameters.values()
    usual = {row.name: row.default for row in rows if row.kind is not row.VAR_KEYWORD}
    whole = {**usual, "model": model, **{k: v for k, v in given.items() if k in usual}}
    options = {name: value for name, value in given.items() if name not in usual}
    check_arguments(sensitivity, whole)
    check_given(sensitivity, whole, options)
    return _task(whole, options)


def _task(given: Mapping[str, Any], options: Mapping[str, Any]) -> Task:
    """What is asked, from the options of `sensitivity`."""
    model, name, formulation = given["model"], given["integrator"], given["formulation"]
    run = _run_given(given)
    steps = None
    variables = read_variables(model, given["by"])
    if is_stepped(name, formulation):
        basic = {key: value for key, value in options.items() if key in BASICS}
        options = {key: value for key, value in options.items() if key not in BASICS}
        steps = StepChoice(formulation, options, basic)
        name, settings = find(name, formulation).name, Settings()
        options = {key: value for key, value in options.items() if key == "independent"}
    else:
        name, settings = as_settings(given)
    refuse_foreign(variables, name if steps is not None else "")
    return Task.of(
        model, run, duration=float(given["duration"] or 0.0), t0=given["t0"], integrator=name,
        measures=simple_measures(given["measures"]), variables=variables,
        settings=settings, step=given["step"], events=given["events"], options=options, steps=steps,
        equations=given["equations"], memory=given["memory"], rest=rest_of(given),
    )  # fmt: skip


def rest_of(given: Mapping[str, Any]) -> RestStart | None:
    """The equilibrium with which runs begin, by options of `sensitivity`; none without one."""
    if given.get("begin", GIVEN) == GIVEN:
        return None
    return RestStart(tuple(given.get("locked", ())))


def _static(task: Task, given: Mapping[str, Any]) -> xarray.Dataset:
    """Values and gradients at an equilibrium, or in the steady motion of the start values."""
    made = static_results(
        task, steady=given["at"] == "start", locked=tuple(given["locked"]),
        matrices=given["matrices"],
    )  # fmt: skip
    tell_idle(task, made)
    return with_units(with_functions(made, given["measures"]), task, given["measures"])


def static_results(task: Task, **how: Any) -> xarray.Dataset:
    """Values and gradients at a place, as `static_sensitivities` is told to find them."""
    return equilibrium_dataset(task, *static_sensitivities(task, **how))


def as_settings(given: Mapping[str, Any]) -> tuple[str, Settings]:
    """The method of a run, and its tolerances, from options of `sensitivity`."""
    integrator = given.get("integrator", "auto")
    check_choice("integrator", integrator, ("auto", *RATES))
    name = "dop853" if integrator == "auto" else integrator
    known = ("rtol", "atol", "max_steps", "max_step")
    length = given.get("step") or None if name == "rk4" else None
    bounds = {key: given[key] for key in known if key in given}
    return name, Settings(**bounds, fixed_step=length)


def run_task(task: Task, method: str) -> xarray.Dataset:
    """Values and gradients of a run of rates or in equal steps."""
    if task.steps is None:
        return _solve(task, method)
    few = task.memory is None and not _many(task)
    found = step_sensitivities(task, direct=method == "direct" or (method == "auto" and few))
    values = {name: Outcome(row.value, NONE, row.by_end) for name, row in found.outcomes.items()}
    made = _with_results(task, found.run, values, found.table, found.facts)
    if found.S is None:
        return made
    made = with_growth(made, made["time"].values, found.S, _sizes(task), EQUAL_STEP_ERROR)
    return with_samples(with_tangents(made, found.S), task.measures, found.samples)


def _many(task: Task) -> bool:
    """Whether there are so many directions that going back costs less."""
    return len(task.directions) > max(TOGETHER, WORTH * len(task.measures))


def _solve(task: Task, method: str) -> xarray.Dataset:
    """Values and gradients by the method that is asked for, or by the cheaper one."""
    method = "direct" if task.equations != "explicit" else method
    begin = PEAKS if any(row.peaks for row in task.measures.values()) else 0.0
    with task.share.part(0.0, begin):
        peaks = find_peaks(task, lambda times: run_tangents(task, (), times).looks)
    times = _times(task, peaks)
    with task.share.part(begin, 1.0):
        return _by_method(task, method, times, peaks)


def _by_method(task: Task, method: str, times: Array, peaks: Mapping[str, float]) -> xarray.Dataset:
    """Values and gradients, once it is known where measures are taken."""
    few = task.memory is None and not _many(task)
    if method == "direct" or (method == "auto" and few):
        return _direct(task, times, peaks)
    try:
        return _adjoint(task, times, peaks)
    except UnsupportedError as error:
        asked = method == "adjoint" or task.memory is not None
        if asked or "method='direct'" not in error.cure:
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
    S = np.concatenate([run.S for run in runs], axis=1)
    made = with_growth(made, runs[0].t, S, _sizes(task), task.settings.rtol)
    return with_samples(with_tangents(made, S), task.measures, samples_of(task.measures, runs))


def _adjoint(task: Task, times: Array, peaks: Mapping[str, float]) -> xarray.Dataset:
    """Values and gradients by going back over the steps."""
    steps = task.integrator in TABLEAUS
    way = Backward if steps else ContinuousBackward
    passages = Passages()
    with task.share.part(0.0, FORWARD):
        run = run_tangents(task, (), times, jump=passages if steps else refuse_jumps)
    with task.share.part(FORWARD, 2 * FORWARD):
        backward = way(task, times, None if passages.rows else run)
    found = outcomes(run.looks, task.measures, task.expressions.integrated, peaks)
    with task.share.part(2 * FORWARD, 1.0):
        table = backward.gradients(demands_of(task, run.looks, peaks))
    facts = {"method": "adjoint", "adjoint": backward.kind, **backward.facts}
    made = _with_results(task, run.dataset, found, table, facts)
    return tell_growth(made, backward.growth, task.settings.rtol)


def _sizes(task: Task) -> list[float]:
    """How large what varies but the duration is."""
    rows = zip(task.variables, task.sizes(), strict=True)
    return [size for row, size in rows if row.kind != "duration"]


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
