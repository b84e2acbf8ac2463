"""Simulation: the motion of a model from an initial state, as a Dataset with its manifest."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.given.batches import (
    BatchParameters,
    BatchValues,
    RunGiven,
    refuse_in_batches,
)
from kinetree.analysis.given.initial_state import initial_state
from kinetree.analysis.given.operating_point import start_at
from kinetree.analysis.given.saved_state import last_state, refuse_start
from kinetree.analysis.given.times import output_times
from kinetree.analysis.outputs import observer
from kinetree.analysis.runs.batch_dataset import Batch, batch_dataset
from kinetree.analysis.runs.batch_starts import BatchStart, Begun
from kinetree.analysis.runs.coordinates.chosen_loops import leave_loops_open
from kinetree.analysis.runs.coordinates.repartition import repartition
from kinetree.analysis.runs.coordinates.turning import Repartition
from kinetree.analysis.runs.dynamics import OPTIONS, dynamics
from kinetree.analysis.runs.events import Events, all_events
from kinetree.analysis.runs.jumps.touching import telling
from kinetree.analysis.runs.march import (
    STEPPING,
    Marching,
    made_by,
    march,
    refuse_no_step,
    refuse_stepping,
)
from kinetree.analysis.runs.march_many import march_many
from kinetree.analysis.runs.progress import reporting
from kinetree.analysis.runs.record import record_run
from kinetree.analysis.runs.run import RunOptions
from kinetree.analysis.runs.side_by_side import SideBySide
from kinetree.analysis.runs.watches import Watches
from kinetree.arguments import changed_arguments, check_arguments, check_options, check_positive
from kinetree.arrays import Array
from kinetree.errors import UnsupportedError
from kinetree.integrate.methods import STEPPED, TOLD, Method, check_bounds, find
from kinetree.integrate.problem import Settings
from kinetree.model import Components, Mechanism, as_mechanism, happenings, memories
from kinetree.results.files import load_lazily, refuse_suffix, save_run

if TYPE_CHECKING:
    import xarray


def simulate(  # noqa: PLR0913  one keyword per choice of the user
    model: Mechanism | Components,
    duration: float,
    *,
    q: BatchValues = None,
    qd: BatchValues = None,
    x: BatchValues = None,
    t0: float = 0.0,
    method: str = "auto",
    rtol: float = 1e-8,
    atol: float = 1e-10,
    step: float | None = None,
    tau: Any = None,
    wrenches: Mapping[str, Any] | None = None,
    parameters: BatchParameters = None,
    events: Events | None = None,
    max_steps: int = 1_000_000,
    max_step: float = np.inf,
    progress: bool | Callable[[float], object] | None = None,
    file: str | Path | None = None,
    continues: str | Path | xarray.Dataset | None = None,
    at: Any = None,
    outputs: Sequence[str] | None = None,
    formulation: str | None = None,
    locate: bool = False,
    **options: Any,
) -> xarray.Dataset:
    """The motion of a model over time; leading axes of what is given make many runs side by side.

    Args:
        model: the mechanism.
        duration: length of the run [s].
        q: initial coordinates, all in order or some by name; by default the model's.  Loops are
            closed from them.
        qd: initial velocities; by default zero.  Dependent ones follow from the independent ones.
        x: initial user states; by default the model's.
        t0: time at the beginning [s].
        method: "auto" (an explicit method), "dopri5", "dop853", "rk4" (native loops), "cvode_bdf",
            "cvode_adams" (SUNDIALS), "RK45", "DOP853", "Radau", "BDF", "LSODA" (SciPy); or equal
            steps of length `step`: "trapezoidal", "newmark", "hht", "generalised_alpha",
            "semi_implicit_euler".  Take cvode_bdf, Radau, BDF or LSODA for stiff systems.
        rtol: relative error per step.
        atol: absolute error per step.
        step: output interval [s], by default a 500th of the duration; 0 records every step of the
            method.  The method with fixed steps, rk4, uses it as its step, or as many equal ones as
            `max_step` asks for.
        tau: efforts along the velocities: nv numbers, a mapping by name to numbers or functions, or
            a function of (t, q, qd) [N.m, N].
        wrenches: external wrenches by name: six numbers [torque; force] or a function of
            (t, q, qd) [N.m, N].
        parameters: values by name in place of the model's.  These, q, qd, x, tau and wrenches may
            have leading axes, which broadcast: a batch.
        events: conditions by name that are marked or stop the run, see `Event`; "laws" marks where
            laws change their branch.
        max_steps: steps after which the run ends.
        max_step: longest step [s]; give one where a law acts for a shorter time than a step.
        progress: show how far it is; by default on a terminal when it takes long.  A function is
            told the time reached [s], and ends the run by returning True: what was computed stays.
            The number's `doing` says what is being derived or compiled meanwhile.
        file: NetCDF file (.nc, .h5) that the run is written to while it goes: whatever ends the
            program, it has what was reached up to about a second before.  Memory stays bounded, and
            the Dataset reads from the file what it is asked for.
        continues: run, or file with one, that this run goes on from: its last row gives time, q, qd
            and x, modes included, and its values of parameters hold unless `parameters` gives
            others.  It must come from the same model.
        at: where it starts, in place of q, qd, x and t0, as in other analyses: an `Equilibrium`
            (with its efforts and parameters, where none are given), a run or a point of one
            (``run.isel(time=7)``), with its parameters, or a mapping with any of q, qd, x, t.
        outputs: names of what the run has beside the motion, such as "strut.force" or
            "chassis.position.z" (`kinetree.model.outputs`); by default the model's own.  Others
            can be asked of a run that has ended, see `outputs`.
        formulation: of equal steps, how loops are treated: "hybrid", "topological", "global" or
            "tree"; "explicit" with "rk4" and "semi_implicit_euler".  With it "auto" is the
            trapezoidal rule.  Such steps have no rtol, atol, max_step and max_steps.
        locate: of equal steps: whether a step ends where an event changes the state; else it takes
            effect at the end of the step in which it happens.
        **options: of `derive`: formalism, loops, base_parameters, partition; for a closed system
            also independent, names of the coordinates to be kept independent.  Without these
            they are chosen at the start, and anew on the way where that gets bad; long loops, and
            those in which it gets bad often, keep all coordinates (loops="projection").  Of equal
            steps: those of `kinetree.steppers.step_program`.

    Returns:
        The Dataset: q, qd, qdd, tau, with user states x, with closures lam, and outputs, over time.
        Its attributes say how it was made and why it ended (`termination`); whatever ends a run
        early, what was computed is kept and a warning says why.  Of a batch the first dimensions
        are its axes (run; run_1, run_2, …), and what differs from run to run is a variable.
    """
    row, model = _check(locals(), options), as_mechanism(model)
    q, qd, x, t0, parameters, tau = _start(model, locals())
    look = observer(model.with_varied(parameters or ()), outputs)
    given = RunGiven(q, qd, x, tau, wrenches, parameters)
    how = RunOptions(row.name, Settings(), events, observe=look, goes_on=continues is not None)
    if row.solve is None:
        made = Marching(model, duration, t0, step, progress, formulation, row.name, options, locate)
        return _march(made, given, how, file)
    with reporting(progress, t0, t0 + duration) as report:
        bounds = Settings(rtol, atol, max_steps, max_step, step == 0, _length(row, step), report)
        begin = BatchStart(model, given, t0, leave_loops_open(model, options, runs=True), events)
        times = output_times(t0, duration, step)
        return _run(begin, times, replace(how, method=method, settings=bounds), file)


def _march(
    made: Marching, given: RunGiven, how: RunOptions, file: str | Path | None
) -> xarray.Dataset:
    """A run of equal steps, or many side by side."""
    how = replace(how, observe=telling(made.vary(given).model, how.observe))
    if happenings(made.model) or memories(made.model) or how.events:
        return _march_through_events(made.vary(given), given, how, file)
    if not given.axes:
        return march(made, given, how.observe, file)
    return _store(how.observe(march_many(made, given)), file)


def _march_through_events(
    made: Marching, given: RunGiven, how: RunOptions, file: str | Path | None
) -> xarray.Dataset:
    """Equal steps in which something happens."""
    made.inputs(given)  # what a step does not take is refused
    made.refuse_ticks(all_events(made.model, how.events))

    def observe(run: xarray.Dataset) -> xarray.Dataset:
        return how.observe(run.assign_attrs(made_by(made.stepper, made.length)))

    kept = {name: value for name, value in made.options.items() if name == "independent"}
    begin = BatchStart(made.model, given, made.t, {**kept, "runs": False}, how.events)
    with reporting(made.progress, made.t, made.t + made.duration) as report:
        bounds = Settings(max_steps=sys.maxsize, report=report)
        stepped = replace(how, settings=bounds, observe=observe, stepping=made.as_method)
        return _run(begin, made.times, stepped, file)


def _run(
    begin: BatchStart, times: Array, how: RunOptions, file: str | Path | None
) -> xarray.Dataset:
    """A run of rates, or many side by side."""
    given, options = begin.given, begin.options
    if given.axes:
        refuse_in_batches(every_step=how.settings.every_step)
        return _store(_run_many(begin, times, how), file)
    system = dynamics(
        begin.made_of, q=given.q, t=begin.t, **given.fixed, **options, events=begin.events
    )
    start = initial_state(system, begin.t, given.q, given.qd, given.x, complete=False)
    how = replace(how, again=repartition(system, given.fixed, options))
    return record_run(system, start, times, how, file)


def _run_many(batch: BatchStart, times: Array, how: RunOptions) -> xarray.Dataset:
    """Runs side by side."""
    begin, length, report = float(times[0]), float(times[-1] - times[0]), how.settings.report

    def again(number: int, start: Begun) -> Repartition | None:
        return repartition(start[0], batch.given.of(batch.axes, number).fixed, batch.options)

    def tell(number: int) -> None:
        if report is not None:
            report(begin + length * number / batch.count)

    how = replace(how, watches=Watches(how.events))
    results = SideBySide(batch.starts(), times, how, again, tell).run()
    made = batch_dataset(Batch(batch.axes, times, batch.given.parameters or {}), results)
    return how.observe(made)


def _start(model: Mechanism, given: Mapping[str, Any]) -> tuple[Any, ...]:
    """q, qd, x, t0, parameters and tau: those given, of a point, or those at the end of a run."""
    if given["continues"] is not None:
        return (*last_state(model, given["continues"], given["parameters"]), given["tau"])
    found = given if given["at"] is None else start_at(given["at"], given)
    return tuple(found[name] for name in ("q", "qd", "x", "t0", "parameters", "tau"))


def _length(row: Method, step: float | None) -> float | None:
    """The length of the steps of a method without error control [s]."""
    return None if "rtol" in row.uses else step or None


def _store(run: xarray.Dataset, file: str | Path | None) -> xarray.Dataset:
    """The run, or its content in a file."""
    return run if file is None else load_lazily(save_run(run, file))


def _refuse_integrator(options: Mapping[str, Any]) -> None:
    """Refuse the word that equal steps had for their method."""
    if "integrator" in options:
        raise UnsupportedError(
            "equal steps are chosen by method=, as all other methods are",
            element="integrator",
            cure=f"write method='{options['integrator']}'",
        )


def _check(given: Mapping[str, Any], options: Mapping[str, Any]) -> Method:
    """The method; what no run can be made with is refused, and what it has no use for."""
    _refuse_integrator(options)
    check_arguments(simulate, given)
    row = find(given["method"], given["formulation"])
    check_positive("a positive time in seconds", duration=given["duration"])
    if given["step"]:
        check_positive("0 or a positive time in seconds", step=given["step"])
    check_bounds(given)
    if given["file"] is not None:
        refuse_suffix(Path(given["file"]))
    if given["continues"] is not None:
        refuse_start(given)
    idle = [name for name in TOLD if name not in row.uses]
    for name in changed_arguments(simulate, given, idle):
        other = "equal steps, such as 'hht'" if name in STEPPED else "error control, as 'dop853'"
        raise UnsupportedError(
            f"method '{row.name}' has no use for it",
            element=name,
            cure=f"leave it out, or take a method with {other}",
        )
    if row.solve is None:
        refuse_no_step(given["step"])
        check_options(f"simulate by method '{row.name}'", options, STEPPING)
        return row
    refuse_stepping(options)
    check_options("simulate", options, OPTIONS)
    return row
