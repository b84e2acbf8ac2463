"""Sweeps: measures of many runs, by a plan, part by part into a folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.optimising.model_study import sweep_arguments
from kinetree.analysis.runs.dynamics import OPTIONS
from kinetree.analysis.runs.march import STEPPING, refuse_no_step, refuse_stepping
from kinetree.analysis.sensitivities.checks import check_begin, check_measures
from kinetree.analysis.sweeping.job import BEGINNING, RATES, SweepJob, is_stepped
from kinetree.analysis.sweeping.parts import STORES, SweepParts, read_parts
from kinetree.analysis.sweeping.plans import SweepPlan
from kinetree.analysis.sweeping.runner import GIVEN
from kinetree.analysis.sweeping.workers import make_by_workers
from kinetree.arguments import check_arguments, check_choice, check_options, check_positive
from kinetree.assembly.named_values import given_values
from kinetree.errors import EndedError, ModelError, UnsupportedError
from kinetree.integrate.methods import check_bounds
from kinetree.model import Components, Mechanism, as_mechanism

if TYPE_CHECKING:
    import xarray

RUN = (*GIVEN, *BEGINNING, "t0", "integrator", "formulation", "step", "at")
"""Options of all runs."""
OWN = ("run", "reason")
"""Columns that every result has."""
PART, LANES, LAUNCH = 256, 1024, 32768
"""Runs of a part: one by one, in lanes, whose starts are found together, on a GPU."""


def sweep(  # noqa: PLR0913  one keyword per choice of the user
    model: Mechanism | Components,
    duration: float | None = None,
    plan: SweepPlan | None = None,
    measures: Mapping[str, Any] | None = None,
    *,
    study: str | None = None,
    into: str | Path | None = None,
    part: int | None = None,
    store: str = "netcdf",
    threads: int | None = None,
    device: str = "cpu",
    workers: Any = None,
    progress: Callable[[int, int], object] | None = None,
    **run: Any,
) -> xarray.Dataset:
    """Measures of many runs.

    Args:
        model: the mechanism, or connected components.
        duration: length of the runs [s]; none with at="equilibrium".
        plan: `kt.grid`, `kt.sobol`, `kt.latin_hypercube`, `kt.saltelli`, `kt.run_list` or
            `kt.own_plan`; what varies has the names of `sensitivity`.
        measures: by name; functions of several are measures, too.
        study: name of a study of the model, which gives what is not given here.
        into: folder for the parts: killed, the same sweep goes on with those that are missing; the
            folder of another one is refused.  `load_sweep` opens it at any time.
        part: runs per part; by default 256, or 1024 where eight go in the lanes of one, or 32768
            on a GPU.
        store: what the folder has at the end beside the parts: "netcdf" (sweep.nc) or "zarr"
            (sweep.zarr, needs kinetree[sweep]).
        threads: that share a part; by default as many as there are cores.
        device: "cpu", or "gpu" for equal steps on a GPU (needs CuPy).
        workers: a `distributed.Client` or the address of a scheduler: parts are made by its workers
            (needs kinetree[sweep]).
        progress: called with the number of runs that are done, and of all; it ends the sweep by
            returning True: what is in the folder stays, and the same sweep goes on with the rest.
        **run: options of the runs, as of `sensitivity`: q, qd, tau, integrator, rtol, events, …;
            with formulation, or an integrator of equal steps, eight runs go in the lanes of one;
            with begin="equilibrium" each begins at the equilibrium of its own parameters, with
            `locked` held while it is found;
            with at="equilibrium" or "start" there is no duration, and measures are `kt.final`,
            `kt.frequency`, `kt.damping` and `kt.growth` of that place.

    Returns:
        The Dataset over `run`, with one variable per measure, the values of what varies as
        coordinates, and `reason`, which tells why a run failed: its measures are not numbers.  Of a
        folder it reads what it is asked for.
    """
    check_arguments(sweep, locals())
    given = _with_study({**locals(), "model": as_mechanism(model)})
    _check_choices(given)
    job = _job(given)
    _check(job)
    plan, folder = job.plan, None if into is None else Path(into)
    parts = SweepParts(folder, job.facts(), plan.count, job.part)
    if plan.own is not None:
        parts.check_values(plan.rows, plan.names)
    missing = [number for number in parts.numbers if not parts.has(number)]
    done = plan.count - sum(_size(job, number) for number in missing)
    for number, made in _parts(job, missing, workers):
        parts.add(number, made)
        done += _size(job, number)
        if progress is not None and progress(done, plan.count) is True and done < plan.count:
            raise _early_error(done, plan.count, folder)
    return parts.whole(store, {"model": job.model.name, "plan": plan.kind, "seed": plan.seed})


def _early_error(done: int, count: int, folder: Path | None) -> EndedError:
    """The error of a sweep that was ended before all runs were made."""
    kept = "nothing of which is kept" if folder is None else f"which stay in folder '{folder}'"
    cure = "give into= a folder" if folder is None else "the same call goes on with the others"
    return EndedError(
        f"it was ended with {done} of {count} runs, {kept}", element="sweep", cure=cure
    )


def _with_study(given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments, with what a study of the model says in the place of those not given."""
    found = {**given}
    known = {} if found["study"] is None else sweep_arguments(found["model"], found["study"])
    for name in ("duration", "plan", "measures"):
        found[name] = known.get(name) if found[name] is None else found[name]
    return {**found, "run": {**known.get("run", {}), **found["run"]}}


def _job(given: Mapping[str, Any]) -> SweepJob:
    """What is swept, from arguments that were checked."""
    run, device = given["run"], given["device"]
    usual = LAUNCH if device == "gpu" else LANES if is_stepped(run) else PART
    return SweepJob(
        given["model"], _length(given["duration"]), given["plan"], given["measures"], run,
        given["part"] or usual, given["threads"], device,
    )  # fmt: skip


def _length(duration: float | None) -> float | None:
    return None if duration is None else float(duration)


def _check_choices(given: Mapping[str, Any]) -> None:
    """Refuse what no sweep can be made of."""
    check_choice("store", given["store"], tuple(STORES))
    check_choice("device", given["device"], ("cpu", "gpu"))
    at = given["run"].get("at", "run")
    check_choice("at", at, ("run", "equilibrium", "start"))
    check_begin(given["run"])
    if (given["duration"] is None) == (at == "run"):
        problem, cure = ("it is not given", "give it in seconds") if at == "run" else (
            f"at='{at}' has none", "leave it out"
        )  # fmt: skip
        raise ModelError(problem, element="duration", cure=cure)
    counts = {name: given[name] for name in ("duration", "threads", "part")}
    check_positive("a positive number", **{k: v for k, v in counts.items() if v is not None})
    check_measures(given["measures"] or {}, modes=at != "run", functions=True)
    if given["plan"] is None and given["study"] is not None:
        raise ModelError(
            "it has no plan", element=f"study '{given['study']}'", cure="give plan= here or there"
        )
    if not isinstance(given["plan"], SweepPlan):
        raise ModelError(
            "it is not a valid plan",
            element="plan",
            cure='give kt.sobol({"strut.damping": (500, 5000)}, 1000)',
        )
    _check_names(given["measures"] or {}, given["plan"].names)


def _check_names(measures: Mapping[str, Any], varied: Sequence[str]) -> None:
    """Refuse names of measures that no variable of the result can have."""
    for name in measures:
        if name in (*OWN, *varied):
            raise ModelError(
                "the result has another column of that name",
                element=f"measure '{name}'",
                cure="give it a name of its own",
            )
        if not name or "/" in name:
            raise ModelError(
                "no file can have a column of that name",
                element=f"measure '{name}'",
                cure="give it a name without '/'",
            )


def load_sweep(folder: str | Path) -> xarray.Dataset:
    """The runs of a sweep that its folder has so far.

    Args:
        folder: `into` of the sweep, which may still go on.
    """
    check_arguments(load_sweep, locals())
    return read_parts(Path(folder))


def _parts(job: SweepJob, numbers: list[int], workers: Any) -> Iterator[tuple[int, xarray.Dataset]]:
    """Parts as they come, with their numbers."""
    if workers is not None:
        yield from make_by_workers(job, numbers, workers)
        return
    for number in numbers:
        yield number, job.make(number)


def _check_values(job: SweepJob) -> None:
    """Refuse tolerances and start values that would be wrong in every run."""
    check_bounds(job.run)
    model = job.model
    names = {"q": model.coordinates, "qd": model.velocities}
    for key, own in names.items():
        given_values(job.run.get(key), np.zeros(len(own)), own, key)


def _size(job: SweepJob, number: int) -> int:
    """Runs of a part."""
    return min((number + 1) * job.part, job.plan.count) - number * job.part


def _check(job: SweepJob) -> None:
    """Refuse options that the runs have no use for, and values that none of them could have."""
    _check_values(job)
    if job.run.get("at", "run") != "run":
        check_options("sweep of places", job.run, (*GIVEN, "t0", "at", "locked", *OPTIONS))
        return
    if is_stepped(job.run):
        check_options("sweep in equal steps", job.run, (*RUN, *STEPPING))
        refuse_no_step(job.run.get("step"))
        return
    if job.device == "gpu":
        raise UnsupportedError(
            "only equal steps are made there",
            element="device 'gpu'",
            cure="give formulation= and step=, or leave device= out",
        )
    refuse_stepping(job.run)
    check_options("sweep", job.run, (*RUN, *RATES, *OPTIONS))
