"""Values, gradients and tangents as variables of a run's Dataset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.observing.measure_units import measure_units
from kinetree.analysis.sensitivities.variables import variable_units
from kinetree.arrays import Array
from kinetree.errors import ModelError, warn
from kinetree.measures import Measure, Misfit
from kinetree.results.draft import Draft, DraftRow, words

STILL = 1e-12
"""Change of the state that is rounding, where what varies changes by its size [SI]."""
EARLY = 0.1
"""First part of a run, against which the growth of small changes is measured."""
MEANINGLESS = 0.1
"""Error of derivatives, relative, from which on they are told to mean nothing."""

if TYPE_CHECKING:
    from kinetree.analysis.sensitivities.direct import TangentRun
    from kinetree.analysis.sensitivities.places.mode_changes import StaticMatrices
    from kinetree.analysis.sensitivities.task import Task
    from kinetree.analysis.sensitivities.variables import DesignVariable

TANGENTS = {"q_by": ("coordinate", "q"), "qd_by": ("velocity", "qd"), "x_by": ("state", "x")}
"""Variable -> dimension of its components, and what it is the derivative of."""


def with_gradients(
    run: Draft,
    variables: Sequence[DesignVariable],
    values: Mapping[str, float],
    gradients: Array,
    facts: Mapping[str, Any],
) -> Draft:
    """The run with the values of measures and their gradients.

    Args:
        run: the variables of the motion.
        variables: what varies.
        values: of the measures by name.
        gradients: measure × variable.
        facts: how they were found; go into the attributes.
    """
    return run.plus(
        value_rows(np.array(list(values.values())), gradients),
        {"measure": ("measure", words([*values])),
         "parameter": ("parameter", words([row.name for row in variables]))},
        {f"sensitivity_{name}": fact for name, fact in facts.items()},
    )  # fmt: skip


def value_rows(values: Array, gradients: Array, *lead: str) -> dict[str, DraftRow]:
    """Values and gradients as variables, of many runs with leading dimensions."""
    slopes = {"long_name": "derivatives of the measures, in SI units"}
    return {
        "value": DraftRow((*lead, "measure"), values, {"long_name": "measures"}),
        "gradient": DraftRow((*lead, "measure", "parameter"), gradients, slopes),
    }


def with_units(made: Draft, task: Task, measures: Mapping[str, Measure]) -> Draft:
    """The result with SI units of measures and of what varies, and how large the latter is.

    Args:
        made: values and gradients.
        task: what was asked.
        measures: by name, functions of others included.
    """
    units = variable_units(task.model, task.system.forward, task.variables)
    size = {"long_name": "size of what varies, in SI units; 1 where it is zero"}
    return made.plus(coords={
        "unit_parameter": ("parameter", words(units)),
        "scale_parameter": ("parameter", task.sizes(), size),
        "unit_measure": ("measure", words(measure_units(task.model, measures))),
    })  # fmt: skip


def refuse_no_numbers(made: Draft) -> None:
    """Refuse measures of a run that have no value, or no derivative, by name."""
    values, slopes = (np.isfinite(made[name].values) for name in ("value", "gradient"))
    for name, value, row in zip(made.labels("measure"), values, slopes, strict=True):
        idle = made["parameter"].values[~row]
        if value and not idle.size:
            continue
        raise ModelError(
            f"it has no derivative by '{idle[0]}' there" if value else "it has no finite value",
            element=f"measure '{name}'",
            cure="look at what it measures along kt.simulate, and measure where that is smooth",
        )


def with_tangents(made: Draft, whole: Array) -> Draft:
    """The run with the derivatives of its state over time; those by the duration are zero.

    Args:
        made: the run with its gradients.
        whole: tangents of y: time × direction × component.
    """
    names = made.labels("parameter")
    places = [k for k, name in enumerate(names) if name != "duration"]
    first = 0
    for name, (dimension, of) in TANGENTS.items():
        if of not in made:
            continue
        size = made[of].values.shape[-1]
        table = np.zeros((len(whole), size, len(names)))
        table[:, :, places] = whole[:, :, first : first + size].transpose(0, 2, 1)
        note = {"long_name": f"derivatives of {of}, in SI units"}
        made = made.plus({name: (("time", dimension, "parameter"), table, note)})
        first += size
    return made


def with_growth(made: Draft, t: Array, S: Array, sizes: Sequence[float], error: float) -> Draft:
    """The run with the growth of small changes; told where derivatives mean nothing.

    Args:
        made: the run with its gradients.
        t: times [s].
        S: tangents of y: time × direction × component.
        sizes: how large what varies is, one per direction.
        error: relative error of a step.
    """
    moves = np.abs(S).max(axis=2, initial=0.0) * np.array(sizes)
    first = max(2, int((t <= t[0] + EARLY * (t[-1] - t[0])).sum()))  # at least a step
    early = moves[:first].max(axis=0, initial=0.0)
    moved = early > STILL
    growth = float((moves.max(axis=0, initial=0.0)[moved] / early[moved]).max(initial=1.0))
    return tell_growth(made, growth, error)


def tell_growth(made: Draft, growth: float, error: float) -> Draft:
    """The run with a growth of small changes that is known; told where derivatives mean nothing."""
    if growth * error > MEANINGLESS:
        warn(
            f"small changes grow by a factor of {growth:.2g} during the run, errors of {error:.1g} "
            "with them: its derivatives mean nothing; make the run shorter, or measure earlier",
        )
    return made.plus(attrs={"sensitivity_growth": growth})


def samples_of(
    measures: Mapping[str, Measure], runs: Sequence[TangentRun]
) -> dict[str, tuple[Array, Array]]:
    """What misfits compare with data: values at their times, and changes along all directions."""
    found = {}
    for number, (name, measure) in enumerate(measures.items()):
        if isinstance(measure, Misfit):
            rows = [[run.looks.at(float(t)) for t in measure.at] for run in runs]
            changes = np.hstack([[look.de[number] for look in part] for part in rows])
            found[name] = np.array([look.e[number] for look in rows[0]]), changes
    return found


def with_samples(
    made: Draft,
    measures: Mapping[str, Measure],
    samples: Mapping[str, tuple[Array, Array]],
) -> Draft:
    """The run with what misfits compare with data: values of their expressions, and derivatives."""
    names = made.labels("parameter")
    moving = [name != "duration" for name in names]
    for name, (values, changes) in samples.items():
        measure = measures[name]
        assert isinstance(measure, Misfit)
        table = np.zeros((len(values), len(names)))
        table[:, moving] = changes
        axis = f"time_{name}"
        own = {name: (axis, values), f"{name}_by": ((axis, "parameter"), table)}
        made = made.plus(own, {axis: (axis, measure.at, {"units": "s"})})
    return made


def equilibrium_draft(
    task: Task, values: Mapping[str, float], gradients: Array, parts: Mapping[str, Any]
) -> Draft:
    """An equilibrium with its derivatives, and those of measures.

    Args:
        task: what was asked.
        values: of the measures by name.
        gradients: measure × variable.
        parts: "q", "x", "effort" -> names of the components, values, derivatives; "shape": number
            of a mode -> its shape and derivatives; "group": gradients of means of equal modes;
            "matrices": A and B with their derivatives.
    """
    made = Draft(attrs={"model": task.model.name, "model_hash": task.model.content_hash()})
    made = with_gradients(made, task.variables, values, gradients, {"method": "implicit"})
    for name, axis in (("q", "coordinate"), ("x", "state"), ("effort", "locked")):
        labels, place, slopes = parts.get(name, ((), None, None))
        if labels:
            own = {name: (axis, place), f"{name}_by": ((axis, "parameter"), slopes)}
            made = made.plus(own, {axis: (axis, words(labels))})
    if "shape" in parts:
        rows = parts["shape"]
        shapes, slopes = (np.array([row[k] for row in rows.values()]) for k in (0, 1))
        own = {"shape": (("mode", "coordinate"), shapes),
               "shape_by": (("mode", "coordinate", "parameter"), slopes)}  # fmt: skip
        made = made.plus(own, {"mode": ("mode", [*rows])})
    if "matrices" in parts:
        made = _with_matrices(made, parts["matrices"])
    if "group" in parts:
        note = {"long_name": "derivatives of the means of modes with one eigenvalue"}
        made = made.plus({"group_gradient": (("measure", "parameter"), parts["group"], note)})
    return made


def _with_matrices(made: Draft, linear: StaticMatrices) -> Draft:
    """A and B of small motions, and their derivatives."""
    axes = {"rate": linear.states, "slope": linear.states, "input": linear.inputs}
    made = made.plus(coords={name: (name, words(labels)) for name, labels in axes.items()})
    for name, axis, pair in (("A", "slope", linear.A), ("B", "input", linear.B)):
        slopes = ("rate", axis, "parameter"), pair[1]
        made = made.plus({name: (("rate", axis), pair[0]), f"{name}_by": slopes})
    return made


def with_products(made: Draft, way: Array, table: Array) -> Draft:
    """The run with second derivatives of its measures along a direction: measure × parameter."""
    note = {"long_name": "second derivatives of the measures along a direction, in SI units"}
    along = {"along": ("parameter", way, {"long_name": "the direction"})}
    return made.plus({"hessian_product": (("measure", "parameter"), table, note)}, along)


def with_hessians(made: Draft, table: Array) -> Draft:
    """The run with second derivatives of its measures: measure × parameter × parameter2."""
    names = {"parameter2": ("parameter2", made["parameter"].values)}
    note = {"long_name": "second derivatives of the measures, in SI units"}
    return made.plus({"hessian": (("measure", "parameter", "parameter2"), table, note)}, names)


def tell_idle(task: Task, made: Draft) -> None:
    """Warn of what varies on which neither the motion nor any measure depends."""
    moved = zip(made.labels("parameter"), made["gradient"].values.any(axis=0), strict=True)
    still = task.idle({name for name, moves in moved if not moves})
    if still:
        names = ", ".join(f"'{name}'" for name in still)
        them = "it" if len(still) == 1 else "them"
        text = f"nothing depends on {names}: the derivatives by {them} are zero"
        warn(text)
