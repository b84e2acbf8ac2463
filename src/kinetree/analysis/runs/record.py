"""A run as a Dataset with its manifest, and the reason why it ended."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.runs.continuity import Motion, facts
from kinetree.analysis.runs.dynamics import Dynamics
from kinetree.analysis.runs.manifest import changes, manifest
from kinetree.analysis.runs.run import Run, Segment
from kinetree.analysis.runs.stiffness import stiff
from kinetree.arrays import Array
from kinetree.errors import ModelWarning, ShapeError
from kinetree.integrate.problem import (
    EVENT,
    FINISHED,
    INTERRUPTED,
    NOT_A_NUMBER,
    STEP_TOO_SMALL,
    TOO_MANY_STEPS,
    Hits,
    Path,
)
from kinetree.integrate.without_value import UNDEFINED, element_without_value, first_without_value
from kinetree.results.dataset import Dimension, run_dataset, with_events, with_wrenches

if TYPE_CHECKING:
    import xarray

KEPT = "results up to there are kept, "
STIFF = "a stiff method may help: method='cvode_bdf' or 'BDF'"


def dataset(run: Run) -> xarray.Dataset:
    """The Dataset of a run; a warning says why it ended early."""
    parts = [_values(segment) for segment in run.segments if len(segment.path.t) > segment.first]
    labels = list(dict.fromkeys(name for part in parts for name in part.equations))
    for part in parts:
        part.spread(labels)
    names = parts[0].values
    values = {name: np.concatenate([part.values[name] for part in parts]) for name in names}
    t = np.concatenate([part.t for part in parts])
    ended, advice = termination(run)
    more, doubts = _facts(run, t, values)
    rows = {**_counts(run), **more, "end_time": float(t[-1]), "termination": ended}
    made = run_dataset(t, values, _axes(run.last.dynamics, labels), rows)
    if run.last.watches:
        made = _with_hits(made, run)
    pushed = _wrenches(run.last.dynamics, t, values)
    if pushed:
        made = with_wrenches(made, pushed)
    if advice:
        said = f"{ended}; {advice}" if ended != FINISHED else _held(run, advice)
        warnings.warn(said, ModelWarning, stacklevel=3)
    if doubts:
        warnings.warn(doubts, ModelWarning, stacklevel=3)
    return made


def _facts(run: Run, t: Array, values: dict[str, Array]) -> tuple[dict[str, str | int], str]:
    """What is worth knowing of the motion of a closed system, and what is doubtful in it."""
    system = run.last.dynamics.loops
    if system is None:
        return {}, ""
    return facts(Motion(system, t, values["q"], values["qd"], values["qdd"]))


def _held(run: Run, advice: str) -> str:
    """The warning about a finished run whose steps were needlessly small."""
    path = run.last.path
    mean = (float(path.t[-1]) - float(path.t[0])) / path.steps
    return (
        f"stiff forces held the steps of '{run.method.name}' at {mean:.2g} s, "
        f"{path.steps} of them; {advice}"
    )


@dataclass
class _Part:
    """Values of one segment."""

    t: Array
    values: dict[str, Array]
    equations: tuple[str, ...]

    def spread(self, labels: Sequence[str]) -> None:
        """Multipliers of all equations; those that a segment does not use are 0."""
        if not labels:
            return
        lam = np.zeros((len(self.t), len(labels)))
        lam[:, [labels.index(name) for name in self.equations]] = self.values["lam"]
        self.values["lam"] = lam


def _values(segment: Segment) -> _Part:
    """What is recorded of a segment."""
    system, path = segment.dynamics, segment.path
    path = replace(path, t=path.t[segment.first :], y=path.y[segment.first :])
    y = _consistent(system, path.t, path.y)
    q, qd, x = system.split(y)
    found = system.outputs(path.t, y)
    values = {"q": q, "qd": qd, "qdd": found["qdd"], "tau": found["tau"]}
    if system.states:
        values["x"] = x
    if "hold" in found:
        values["hold"] = found["hold"]
    labels = system.forward.output("lam").labels if "lam" in found else ()
    if labels:
        values["lam"] = found["lam"]
    return _Part(path.t, values, labels)


def _counts(run: Run) -> dict[str, Any]:
    """The rows of the manifest."""
    system, paths = run.last.dynamics, [segment.path for segment in run.segments]
    return {
        **manifest(system.model, system.forward),
        **changes(system.parameters),
        **_repeated(system),
        "method": run.method.name,
        **{k: getattr(run.settings, k) for k in ("rtol", "atol") if k in run.method.uses},
        "steps": sum(path.steps for path in paths),
        "evaluations": sum(path.evaluations for path in paths),
        "jacobians": sum(path.jacobians for path in paths),
        "partitions": run.partitions if system.closed else 0,
        "wall_time_s": round(run.seconds, 6),
    }


def _repeated(system: Dynamics) -> dict[str, str]:
    """Row of the equations that take no part because they repeat others."""
    found = system.partition
    if found is None or not found.redundant:
        return {}
    rows = (f"{one} (by {', '.join(rest) or 'itself'})" for one, rest in found.redundant.items())
    return {"redundant_equations": "; ".join(rows)}


def _with_hits(made: xarray.Dataset, run: Run) -> xarray.Dataset:
    """The Dataset with the events of all segments."""
    size = run.last.path.last_y.size
    names, times, states = [np.zeros(0, dtype="<U1")], [np.zeros(0)], [np.zeros((0, size))]
    for segment in run.segments:
        if len(segment.path.hits):
            hits = Hits.of(segment.path.hits, size)
            known = np.array([watch.name for watch in segment.watches])
            names.append(known[hits.watches.astype(int)])
            times.append(hits.times)
            states.append(_consistent(segment.dynamics, hits.times, hits.states))
    return with_events(made, *(np.concatenate(part) for part in (names, times, states)))


def _wrenches(system: Dynamics, t: Array, values: dict[str, Array]) -> dict[str, Array]:
    """External wrenches that acted, one row per time; none where all were zero."""
    given = system.loads.along(t, values["q"], values["qd"])
    found = {name: np.broadcast_to(given[name], (len(t), 6)) for name in system.model.wrenches}
    return {name: rows for name, rows in found.items() if rows.any()}


def _axes(system: Dynamics, labels: Sequence[str]) -> dict[str, Dimension]:
    """Names and units of the dimensions of a run."""
    q, qd = system.forward.input("q"), system.forward.input("qd")
    axes = {"coordinate": Dimension(q.labels, q.units), "velocity": Dimension(qd.labels, qd.units)}
    if system.states:
        row = system.forward.input("x")
        axes["state"] = Dimension(row.labels, row.units)
    if labels:
        axes["equation"] = Dimension(labels)
    return axes


def _consistent(system: Dynamics, times: Array, states: Array) -> Array:
    """States at some times, each made consistent; left as they are where that fails."""
    if not system.projects:
        return states
    rows = [system.project(float(t), y) for t, y in zip(times, states, strict=True)]
    good = np.array([np.isfinite(row).all() for row in rows])
    return np.where(good[:, None], np.array(rows), states)


def termination(run: Run) -> tuple[str, str]:
    """(why the run ended, what to do about it; empty where nothing)."""
    path, system = run.last.path, run.last.dynamics
    if path.end == EVENT:
        hit = path.hits[-1]
        return f"event '{run.last.watches[hit.watch].name}' at t = {hit.t:.6g} s", ""
    at = f"at t = {path.last_t:.6g} s"
    if path.end in (FINISHED, INTERRUPTED):
        advice = STIFF if stiff(run) else ""
        return path.end if path.end == FINISHED else f"{path.end} {at}", advice
    if system.partition and _singular(system, path):
        return (
            f"{path.end} {at}, where the loops are singular",
            KEPT + "a fixed step may pass it: method='rk4', step=1e-3",
        )
    if path.end == NOT_A_NUMBER:
        return _no_value(run)
    if path.end in (STEP_TOO_SMALL, TOO_MANY_STEPS):
        steps = sum(segment.path.steps for segment in run.segments)
        return f"{path.end} after {steps} steps {at}", KEPT + _stiff_advice(run)
    return f"{path.end} {at}: {path.message}", "results up to there are kept"


def _singular(system: Dynamics, path: Path) -> bool:
    """Whether the loops are nearly singular where a path ends."""
    judge = system.judge(float(path.t[0]))
    return judge.singular(path.last_t, system.split(path.last_y)[0])


def _stiff_advice(run: Run) -> str:
    if run.method.stiff:
        return "look for a jump in a law or a singular configuration"
    return STIFF


def _no_value(run: Run) -> tuple[str, str]:
    """The sentence for accelerations that are NaN."""
    system, path = run.last.dynamics, run.last.path
    t = path.last_t if path.bad_t is None else path.bad_t
    y = path.last_y if path.bad_y is None else path.bad_y
    q, qd, x = system.split(y)
    try:
        with np.errstate(all="ignore"):
            given = {"q": q, "qd": qd, "x": x, "t": np.array(t), **system.loads.at(t, q, qd)}
        whose = element_without_value(system.model, given, system.parameters)
        whose = whose or first_without_value(system.forward, given)
    except ShapeError as error:
        whose = str(error)
    where = f" in {whose}" if whose else ""
    return f"NaN at t = {t:.6g} s{where}", KEPT + UNDEFINED


__all__ = ["dataset", "termination"]
