"""Reactions along a run: the wrench that every joint and every closure transmits, over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.given.trajectory import trajectory
from kinetree.analysis.runs.manifest import changes, manifest, parameters_of
from kinetree.analysis.runs.progress import EQUATIONS, TOGETHER, ProgressCall, Share, sharing
from kinetree.analysis.runs.rows import RowFile, end_word, join_rows, rows_of
from kinetree.arguments import check_arguments
from kinetree.arrays import Array
from kinetree.assembly import closure_equations, with_values
from kinetree.errors import ModelError, unknown
from kinetree.pipeline import derive
from kinetree.results.dataset import PARTS, Dimension, run_draft
from kinetree.results.draft import Draft, words

if TYPE_CHECKING:
    import xarray

    from kinetree.model import Mechanism
    from kinetree.program import Program

UNITS = ("N.m", "N.m", "N.m", "N", "N", "N")
KNOWN = {
    "lam": ("equation", "multiplier"),
    "contact": ("stop", "contact force"),
    "grip": ("friction", "friction force"),
}
"""Forces that a run knows -> their dimension, and what one is called."""
MEANING = {
    "joint": "what the parent side of a joint exerts on its child side",
    "closure": "what a closure exerts on its first end",
}


def reactions(  # noqa: PLR0913  one keyword per choice of the user
    model: Mechanism,
    run: xarray.Dataset,
    joints: Sequence[str] | None = None,
    *,
    wrenches: Mapping[str, Any] | None = None,
    parameters: Mapping[str, float] | None = None,
    progress: bool | ProgressCall | None = None,
    file: str | Path | None = None,
) -> xarray.Dataset:
    """The wrenches [torque; force] in joints and closures along a run.

    Args:
        model: the mechanism that moved.
        run: of `simulate` or `inverse`; it has q, qd, qdd, and with closures lam, with stops and
            frictions between points contact and grip.
        joints: names of joints and closures; by default all, fixed joints included.
        wrenches: external wrenches by name, six numbers or one row of six per time [N.m, N]; by
            default those of the run.
        parameters: values by name in place of the model's; by default those of the run.
        progress: show how far it is; by default on a terminal when it takes long.  A function is
            told the share done, 0 to 1, and ends it by returning True: the rows so far stay.
        file: NetCDF file (.nc, .h5) that is written while it goes: whatever ends the program, it
            has the rows that were reached up to about a second before.

    Returns:
        A Dataset with q, qd, qdd, and reaction_joint and reaction_closure over time, joint or
        closure, and part (tx, ty, tz, fx, fy, fz) [N.m, N].  A joint's wrench is what its parent
        side exerts on its child side, about the origin of the child's frame there and in that
        frame; efforts along its own axes are included.  A closure's is what acts on its first
        end, about that end and in its frame.  Equations that repeat others carry nothing.
    """
    check_arguments(reactions, locals())
    values = parameters_of(run) if parameters is None else parameters
    with sharing(progress, "reactions") as share:
        return _reactions(model, run, (joints, wrenches, file), values, share)


def _reactions(
    model: Mechanism,
    run: xarray.Dataset,
    asked: tuple[Sequence[str] | None, Mapping[str, Any] | None, str | Path | None],
    values: Mapping[str, float],
    share: Share,
) -> xarray.Dataset:
    """Those of some joints, with external wrenches, into a file, telling how far it is."""
    joints, wrenches, file = asked
    motion = trajectory(model, run)
    model = model.with_varied(values)
    if model.closures:
        closure_equations(model, values)  # refuses values for which they cannot hold
    with share.part(0.0, EQUATIONS):
        program = with_values(derive(model, "reactions"), values)
    given: dict[str, Any] = {"q": motion.q, "qd": motion.qd, "qdd": motion.qdd, "t": motion.time}
    given |= {"x": motion.x, **_wrenches(model, run, wrenches)}
    for name in KNOWN:
        if program.takes(name):
            given[name] = _known_forces(model, run, name, program.input(name).labels)
    q, qd = program.input("q"), program.input("qd")
    axes = {"coordinate": Dimension(q.labels, q.units), "velocity": Dimension(qd.labels, qd.units)}
    rows = {**manifest(model, program), **changes(values), "method": "reactions"}

    def give(made: Sequence[dict[str, Array]], at: slice) -> xarray.Dataset:
        table = {"q": motion.q[at], "qd": motion.qd[at], "qdd": motion.qdd[at]}
        moved = run_draft(motion.time[at], table, axes, rows)
        return _with_wrenches(moved, program, join_rows(made), joints).dataset()

    disk, times = RowFile(file, give), motion.time
    with share.part(EQUATIONS, 1.0):
        made = share.along(len(times), rows_of(program, given), see=disk.see)
    end = min(TOGETHER * len(made), len(times))
    word = end_word("reactions", times, end)
    return disk.finish(give(made, slice(end)).assign_attrs(termination=word))


def _wrenches(
    model: Mechanism, run: xarray.Dataset, given: Mapping[str, Any] | None
) -> dict[str, Array]:
    """External wrenches by name: given ones, or those of the run."""
    if given is None:
        if "external_wrench" not in run:
            return {}
        names = [str(name) for name in run["wrench"].values]
        return {name: run["external_wrench"].values[:, k] for k, name in enumerate(names)}
    for name in given:
        if name not in model.wrenches:
            raise unknown("wrench", name, model.wrenches, "wrenches")
    return {name: np.asarray(value, dtype=float) for name, value in given.items()}


def _known_forces(model: Mechanism, run: xarray.Dataset, name: str, labels: Sequence[str]) -> Array:
    """Multipliers, forces of stops or of frictions of the run, in the order of the labels."""
    axis, noun = KNOWN[name]
    known = [str(label) for label in run[axis].values] if name in run else []
    missing = [label for label in labels if label not in known]
    if missing:
        found = ", or find them with inverse(model, run)" if name == "lam" else ""
        raise ModelError(
            f"it has no {noun} of {missing[0]}",
            element=f"run of model '{model.name}'",
            cure=f"give a run of simulate{found}",
        )
    return np.asarray(run[name].values[:, [known.index(label) for label in labels]])


def _with_wrenches(
    made: Draft, program: Program, out: Mapping[str, Array], wanted: Sequence[str] | None
) -> Draft:
    """The motion with the wrenches of the joints and closures that are wanted."""
    names = {row.name.removesuffix("s"): _owners(row.labels) for row in program.outputs}
    known = [name for group in names.values() for name in group]
    for name in wanted or ():
        if name not in known:
            raise unknown("joint or closure", name, known, "joints")
    parts = {"part": ("part", words(PARTS)), "unit_part": ("part", words(UNITS))}
    made = made.plus(coords=parts)
    for kind, group in names.items():
        kept = [k for k, name in enumerate(group) if wanted is None or name in wanted]
        if not kept:
            continue
        labels = {kind: (kind, words([group[k] for k in kept]))}
        units = {"units": "N.m, N", "units_each": ", ".join(UNITS), "long_name": MEANING[kind]}
        values = out[f"{kind}s"]
        found = {f"reaction_{kind}": (("time", kind, "part"), values[:, kept], units)}
        made = made.plus(found, labels)
    return made


def _owners(labels: Sequence[str]) -> list[str]:
    """Names of joints or closures from labels "name.part", six for each."""
    return [label.rpartition(".")[0] for label in labels[:: len(PARTS)]]
