"""A run as a Dataset with its manifest, and the reason why it ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.runs.continuity import Continuity
from kinetree.analysis.runs.coordinates.repartition import loop_treatments
from kinetree.analysis.runs.dynamics import Dynamics
from kinetree.analysis.runs.events import end_advice
from kinetree.analysis.runs.jumps.chattering import name_chattering
from kinetree.analysis.runs.manifest import UNFINISHED, changes, manifest
from kinetree.analysis.runs.rivals import name_rivals
from kinetree.analysis.runs.run import Run, RunOptions, Segment, integrate
from kinetree.analysis.runs.stiffness import STIFF, stiff, stiff_advice
from kinetree.arrays import Array
from kinetree.errors import ShapeError, warn
from kinetree.integrate.problem import (
    EVENT,
    FINISHED,
    INTERRUPTED,
    NOT_A_NUMBER,
    STEP_TOO_SMALL,
    TOO_MANY_STEPS,
    Hits,
    Settings,
)
from kinetree.integrate.without_value import UNDEFINED, element_without_value, first_without_value
from kinetree.model import FORCES, Mechanism, grip_units
from kinetree.results.dataset import Dimension, run_draft, with_events, with_wrenches
from kinetree.results.draft import Draft
from kinetree.results.files import load_lazily
from kinetree.results.growing import GrowingRun

if TYPE_CHECKING:
    import xarray

AT_ONCE = 2**15
"""Rows that are evaluated at once."""
BOUNDS = ("rtol", "atol")
"""Bounds of the error that the manifest tells."""
KEPT = "results up to there are kept, "


def record_run(
    system: Dynamics, start: Array, times: Array, how: RunOptions, file: str | Path | None = None
) -> xarray.Dataset:
    """The Dataset of a run; a warning says why it ended early.

    Args:
        system: what moves.
        start: its consistent state at the first time.
        times: output times [s].
        how: the run is made.
        file: written on the way; the Dataset reads from it then.
    """
    record = Recording(how, None if file is None else GrowingRun(Path(file)))
    run = integrate(system, start, times, replace(how, record=record.add, flows=file is not None))
    return record.dataset(run)


class Recording:
    """What is recorded of a run, part by part.

    Attributes:
        how: the run is made.
        file: that shows what was recorded so far; none where nothing is written on the way.
        rows: what the file does not have for good.
    """

    def __init__(self, how: RunOptions, file: GrowingRun | None = None) -> None:
        self.how, self.file = how, file
        self.rows: list[_Rows] = []
        self._equations: list[str] = []
        self._events: list[tuple[Array, Array, Array]] = []
        self._motion: Continuity | None = None
        self._last: Segment | None = None
        self._reached, self._size = 0.0, 0

    def add(self, segment: Segment) -> None:
        """Record a part of the run."""
        system = segment.dynamics
        if len(segment.path.hits):
            self._events.append(_named_events(segment))
        first = segment.first if self._last is not None else 0
        self._last = segment
        for start in range(first, len(segment.path.t), AT_ONCE):
            place = slice(start, start + AT_ONCE)
            self._add_rows(system, segment.path.t[place], segment.path.y[place])
            self._size += self.rows[-1].nbytes
            if self.file is not None and self.file.due(self._size):
                self._write(self.file)

    def dataset(self, run: Run) -> xarray.Dataset:
        """The Dataset of the run that has ended."""
        found = self.result(run)
        made = self.draft(found).dataset()
        if self.file is not None:
            made = load_lazily(self.file.finish(made))
        for said in found.doubts:
            warn(said)
        return made

    def draft(self, found: Found) -> Draft:
        """The variables of the run that has ended, of which this was found."""
        return self._draft({**found.manifest, **found.counts}, found.ended)

    def result(self, run: Run, mobility: int | None = None) -> Found:
        """Everything that was found of the run that has ended; its mobility where it is known."""
        ended, advice = termination(run)
        more, doubts = ({}, "") if self._motion is None else self._motion.facts(mobility)
        said = f"{ended}; {advice}" if advice else ""
        if advice and ended == FINISHED:
            said = _small_steps_warning(run, advice)
        return Found(
            run, {**_counts(run), **more}, ended,
            tuple(text for text in (said, doubts) if text),
            self.rows, tuple(self._equations),
            self._event_rows(np.inf) if run.last.watches else None,
        )  # fmt: skip

    def _add_rows(self, system: Dynamics, t: Array, y: Array) -> None:
        """Evaluate and keep rows."""
        y = _consistent(system, t, y)
        q, qd, x = system.split(y)
        found = system.outputs(t, y)
        values = {"q": q, "qd": qd, "qdd": found["qdd"], "tau": found["tau"]}
        if system.model.states:
            values["x"] = x[:, : len(system.model.states)]
        held = ("hold", "grip", "contact")
        values |= {name: found[name] for name in held if name in found}
        if labels := system.forward.output("lam").labels if "lam" in found else ():
            self._equations += [name for name in labels if name not in self._equations]
            # multipliers of equations that this part does not use are 0
            values["lam"] = np.zeros((len(t), len(self._equations)))
            values["lam"][:, [self._equations.index(name) for name in labels]] = found["lam"]
        if system.loops is not None:
            self._motion = self._motion or Continuity(system.loops)
            self._motion.add(t, q, qd, values["qdd"])
        self.rows.append(_Rows(t, values, system.wrenches(t, q, qd)))
        self._reached = float(t[-1])

    def _write(self, file: GrowingRun) -> None:
        """Let the file show what was recorded."""
        assert self._last is not None
        made_by = _made_by(self._last.dynamics, self.how.method, self.how.settings)
        if file.show(self._draft(made_by).dataset()):
            self.rows, self._size = [self.rows[-1].none()], 0

    def _draft(self, rows: dict[str, Any], ended: str = "") -> Draft:
        """The variables of all rows that are kept, of a run that has ended or has not."""
        assert self._last is not None
        t = np.concatenate([part.t for part in self.rows])
        values = {name: self._column(name) for name in self.rows[0].values}
        axes = variable_axes(self._last.dynamics, self._equations)
        rows |= {"end_time": self._reached, "termination": ended or UNFINISHED}
        made = run_draft(t, values, axes, rows)
        if self._last.watches:
            made = with_events(made, *self._event_rows(np.inf if ended else self._reached))
        pushed = self.rows[0].wrenches
        if pushed:
            found = (np.concatenate([part.wrenches[name] for part in self.rows]) for name in pushed)
            made = with_wrenches(made, dict(zip(pushed, found, strict=True)))
        return made.observe(self.how.observe)

    def _event_rows(self, until: float) -> tuple[Any, ...]:
        """Names, times [s] and states of the events up to a time, one row each."""
        assert self._last is not None
        size = self._last.dynamics.own_size
        none = (np.zeros(0, dtype="<U1"), np.zeros(0), np.zeros((0, size)))
        found = [np.concatenate(part) for part in zip(none, *self._events, strict=True)]
        return tuple(part[found[1] <= until] for part in found)

    def _column(self, name: str) -> Array:
        """A variable over time, with all components that it has now."""
        parts = [part.values[name] for part in self.rows]
        if name == "lam":
            width = len(self._equations)
            parts = [np.pad(p, ((0, 0), (0, width - p.shape[1]))) for p in parts]
        return np.concatenate(parts)


@dataclass(frozen=True)
class Found:
    """What was found of a run.

    Attributes:
        run: as it was made.
        counts: what there is to say of it: steps, evaluations, mobility.
        ended: why it ended.
        doubts: what to warn of.
        rows: over time, part by part.
        equations: labels of the multipliers, in the order of their components.
        events: names, times [s] and states; none where nothing was watched.
    """

    run: Run
    counts: dict[str, Any]
    ended: str
    doubts: tuple[str, ...]
    rows: list[_Rows]
    equations: tuple[str, ...]
    events: tuple[Any, ...] | None

    @property
    def dynamics(self) -> Dynamics:
        """At its end."""
        return self.run.last.dynamics

    @property
    def manifest(self) -> dict[str, Any]:
        """What it was made from, and how."""
        run, system = self.run, self.dynamics
        return {
            **manifest(system.model, system.forward),
            **changes(system.parameters),
            **_sorted_coordinates(system),
            "method": run.method.name,
            **{k: getattr(run.settings, k) for k in BOUNDS if k in run.method.uses},
        }


@dataclass(frozen=True)
class _Rows:
    """Rows of a run: times [s], variables over time, external wrenches by name."""

    t: Array
    values: dict[str, Array]
    wrenches: dict[str, Array]

    @property
    def nbytes(self) -> int:
        """Memory that it takes [B]."""
        return sum(row.nbytes for row in (self.t, *self.values.values(), *self.wrenches.values()))

    def none(self) -> _Rows:
        """The same variables, and no rows."""
        tables = (self.values, self.wrenches)
        empty = ({name: rows[:0] for name, rows in table.items()} for table in tables)
        return _Rows(self.t[:0], *empty)


def _small_steps_warning(run: Run, advice: str) -> str:
    """The warning about a finished run whose steps were needlessly small."""
    path = run.last.path
    mean = (float(path.t[-1]) - run.last.begin) / path.steps
    return (
        f"stiff forces held the steps of '{run.method.name}' at {mean:.2g} s, "
        f"{path.steps} of them; {advice}"
    )


def _named_events(segment: Segment) -> tuple[Any, Array, Array]:
    """Names, times [s] and consistent states of the events of a part, one row each."""
    hits = Hits.of(segment.path.hits, segment.path.y.shape[1])
    known = np.array([watch.name for watch in segment.watches])
    states = _consistent(segment.dynamics, hits.times, hits.states)
    return known[hits.watches.astype(int)], hits.times, states[:, : segment.dynamics.own_size]


def _made_by(system: Dynamics, method: str, settings: Settings) -> dict[str, Any]:
    """What a run is made from, and by which method: rows of the manifest."""
    return {
        **manifest(system.model, system.forward),
        **changes(system.parameters),
        **_sorted_coordinates(system),
        "method": method,
        "rtol": settings.rtol,
        "atol": settings.atol,
    }


def _counts(run: Run) -> dict[str, Any]:
    """What was counted in a run."""
    paths = [segment.path for segment in run.segments]
    return {
        "steps": sum(path.steps for path in paths),
        "evaluations": sum(path.evaluations for path in paths),
        "jacobians": sum(path.jacobians for path in paths),
        "partitions": run.partitions if run.last.dynamics.closed else 0,
        **loop_treatments(run),
        "wall_time_s": round(run.seconds, 6),
    }


def _sorted_coordinates(system: Dynamics) -> dict[str, str]:
    """Rows of a closed system: what is independent, and equations that repeat others."""
    found = system.partition
    if found is None:
        return {}
    rows = (f"{one} (by {', '.join(rest) or 'itself'})" for one, rest in found.redundant.items())
    repeated = {"redundant_equations": "; ".join(rows)} if found.redundant else {}
    return {"independent": ", ".join(found.independent), **repeated}


def variable_axes(system: Dynamics, labels: Sequence[str]) -> dict[str, Dimension]:
    """Names and units of the dimensions of a run."""
    q, qd = system.forward.input("q"), system.forward.input("qd")
    axes = {"coordinate": Dimension(q.labels, q.units), "velocity": Dimension(qd.labels, qd.units)}
    if size := len(system.model.states):
        row = system.forward.input("x")
        axes["state"] = Dimension(row.labels[:size], row.units[:size])
    if system.forward.gives("contact"):
        stops = system.forward.output("contact").labels
        known = _stop_units(system.model, dict(zip(q.labels, q.units, strict=True)))
        axes["stop"] = Dimension(stops, [known[label] for label in stops])
    if labels:
        axes["equation"] = Dimension(labels)
    if grips := grip_units(system.model):
        axes["friction"] = Dimension(list(grips), list(grips.values()))
    return axes


def _stop_units(model: Mechanism, of: Mapping[str, str]) -> dict[str, str]:
    """Units of the forces in gaps, by mode; empty where a law alone says what the gap is."""
    units: dict[str, str] = {}
    for force in model.forces.values():
        modes, joint = FORCES[force.kind].modes, force.arguments.get("joint")
        turns = joint is not None and of.get(joint) == "rad"
        unit = "N.m" if turns else "N" if joint or force.points else ""
        units |= dict.fromkeys(modes(force.name, force.arguments) if modes else (), unit)
    return units


def _consistent(system: Dynamics, times: Array, states: Array) -> Array:
    """States at some times, each made consistent; left as they are where that fails."""
    if not system.projects:
        return states
    rows = system.project_each(times, states)
    return np.where(np.isfinite(rows).all(axis=1, keepdims=True), rows, states)


def termination(run: Run) -> tuple[str, str]:
    """(why the run ended, what to do about it; empty where nothing)."""
    path, system = run.last.path, run.last.dynamics
    if path.end == EVENT:
        hit = path.hits[-1]
        said = f"event '{run.last.watches[hit.watch].name}' at t = {hit.t:.6g} s"
        return said, end_advice(system.model, said)
    at = f"at t = {path.last_t:.6g} s"
    if path.end in (FINISHED, INTERRUPTED):
        advice = STIFF if stiff(run) else ""
        return path.end if path.end == FINISHED else f"{path.end} {at}", advice
    if system.partition and _singular(run.last):
        return (
            f"{path.end} {at}, where the loops are singular",
            KEPT + "a fixed step may pass it: method='rk4', step=1e-3",
        )
    why = _name_singular(run.last)
    if path.end == NOT_A_NUMBER and not why:
        return _no_value(run)
    if path.end in (STEP_TOO_SMALL, TOO_MANY_STEPS) and not why:
        steps = sum(segment.path.steps for segment in run.segments)
        jumps = name_chattering(system, path.last_t, path.last_y)
        said = f"{path.end} after {steps} steps {at}" + (f": {jumps}" if jumps else "")
        return said, KEPT + stiff_advice(run, jumps)
    advice = KEPT + "keep the motion away from there" if why else "results up to there are kept"
    return f"{path.end} {at}: {why or path.message}", advice


def _singular(last: Segment) -> bool:
    """Whether the loops are nearly singular where a run ends."""
    system, path = last.dynamics, last.path
    return system.judge(last.begin).singular(path.last_t, system.split(path.last_y)[0])


def _name_singular(last: Segment) -> str:
    """A phrase for equations of components that cannot be solved where a run ends."""
    system, path = last.dynamics, last.path
    equations = system.model.equations
    if equations is None or equations.singular is None:
        return ""
    y = path.last_y if path.bad_y is None else path.bad_y
    t = path.last_t if path.bad_t is None else path.bad_t
    return equations.singular(float(t), system.split(y)[2], system.parameters)


def _no_value(run: Run) -> tuple[str, str]:
    """The sentence for accelerations that are NaN."""
    system, path = run.last.dynamics, run.last.path
    t = path.last_t if path.bad_t is None else path.bad_t
    y = path.last_y if path.bad_y is None else path.bad_y
    q, qd, x = system.split(y)
    if why := name_rivals(system, t, y):
        return f"NaN at t = {t:.6g} s: {why}", KEPT.rstrip(", ")
    try:
        with np.errstate(all="ignore"):
            given = {"q": q, "qd": qd, "x": x, "t": np.array(t), **system.loads.at(t, q, qd)}
        whose = element_without_value(system.model, given, system.parameters)
        whose = whose or first_without_value(system.forward, given)
    except ShapeError as error:
        whose = str(error)
    where = f" in {whose}" if whose else ""
    return f"NaN at t = {t:.6g} s{where}", KEPT + UNDEFINED
