"""Optimisation: values of parameters, start values, loads for which measures of runs are best."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.given.fingerprint import plain_facts
from kinetree.analysis.optimising.asked import Asked
from kinetree.analysis.optimising.journal import Journal, JournalRow
from kinetree.analysis.optimising.methods import ENDED, OPTIMISERS, SPENT
from kinetree.analysis.optimising.one_way import OneWay, WayEnd
from kinetree.analysis.optimising.side_by_side import solve_together
from kinetree.analysis.optimising.trials import MET, Study, Trials
from kinetree.analysis.sensitivities.checks import METHODS
from kinetree.analysis.sensitivities.variables import read_variables
from kinetree.analysis.sweeping.plans import quiet_points
from kinetree.arguments import check_arguments, check_choice, check_positive
from kinetree.arrays import Array
from kinetree.assembly.changed_values import change_values
from kinetree.errors import ModelError, UnsupportedError, unknown, warn
from kinetree.model import Components, Mechanism, as_mechanism, derivation_hash

if TYPE_CHECKING:
    import xarray

ACTIVE = 1e-6
"""Share of the width of its bounds within which a variable is at one of them."""
PROBE = 1e-5
"""Step of the check of the gradient, as a part of the width of the bounds."""


@dataclass(frozen=True)
class Optimum:
    """What an optimisation found.

    Attributes:
        parameters: best values by name, in SI units.
        value: of the objective.
        gradient: of the objective by name, in SI units.
        constraints: values of the constraints by name, of all load cases.
        active: names of variables at a bound, and of constraints at theirs.
        multipliers: by the same names: how the best value changes with the bound.
        model: the mechanism, or the components, with the new values of its parameters.
        history: Dataset of all evaluations.
        converged: whether the method says so, and all constraints are met.
        message: what the method says.
        gradient_error: of the derivative along one direction against a difference, relative; not a
            number where it was ended on the way.
    """

    parameters: dict[str, float]
    value: float
    gradient: dict[str, float]
    constraints: dict[str, list[float]]
    active: tuple[str, ...]
    multipliers: dict[str, float]
    model: Mechanism | Components
    history: xarray.Dataset
    converged: bool
    message: str
    gradient_error: float


def optimise(  # noqa: PLR0913  one keyword per choice of the user
    model: Mechanism | Components,
    duration: float | None = None,
    objective: Any = None,
    *,
    over: Mapping[str, Any] | None = None,
    study: str | None = None,
    subject_to: Mapping[str, Any] | None = None,
    method: str = "auto",
    gradients: str = "auto",
    start: Mapping[str, float] | None = None,
    starts: int = 1,
    cases: Sequence[Any] = ({},),
    tolerance: float = 1e-10,
    evaluations: int = 500,
    journal: str | Path | None = None,
    progress: Callable[[JournalRow], object] | None = None,
    seed: int = 0,
    **run: Any,
) -> Optimum:
    """Values for which an objective is least, by exact gradients of runs.

    Args:
        model: the mechanism, or connected components.
        duration: length of the runs [s]; none with at="equilibrium".
        objective: a measure, or several whose sum is minimised.
        over: name of what varies, as of `sensitivity` -> (lowest, highest) [SI].
        study: name of a study of the model, which gives what is not given here.
        subject_to: name -> (measure, lowest or None, highest or None); equal bounds are equalities.
        method: "SLSQP", "trust-constr", "L-BFGS-B", "least_squares" (of misfits), "ipopt" (of the
            CasADi package), "cma", "differential_evolution" (no gradients); "auto" is the first, or
            least squares where the objective allows it.
        gradients: "direct", "adjoint" or "auto", as the method of `sensitivity`; code of the second
            is made in a third of the time where steps are large.
        start: values to begin with; by default the model's, or the middle of the bounds.
        starts: number of starts: the first, then places spread between the bounds; they go side by
            side, their runs together in lanes and on threads.
        cases: load cases: mappings of options of the run; objectives are added, constraints hold in
            each.
        tolerance: of the objective, and of variables as a part of the width of their bounds.
        evaluations: most evaluations per start; the check of the gradient makes two more.
        journal: file with one line per evaluation: killed, an optimisation goes on from there.
        progress: called with every evaluation: its number, value, violation, step and x; it ends
            the optimisation by returning True: the best point so far is the result.
        seed: of starts and of methods that draw.
        **run: options of `sensitivity`: q, qd, x, tau, events, integrator, rtol, …; with
            begin="equilibrium" every run begins at the equilibrium of its own parameters; with
            at="equilibrium" or "start" there is no duration, and measures are those of a place and
            its modes: `kt.final`, `kt.frequency`, `kt.damping`, `kt.growth`.

    Returns:
        The best point, with the model that has these values and the history of evaluations.
    """
    check_arguments(optimise, locals())
    whole_model, model = model, as_mechanism(model)
    check_choice("method", method, ("auto", *OPTIMISERS))
    check_choice("gradients", gradients, METHODS)
    options = {**run, "method": gradients}
    task = Asked(duration, objective, over, subject_to, options).with_study(model, study)
    check_positive("a positive number", tolerance=tolerance, evaluations=evaluations, starts=starts)
    whole = task.study(model, cases)
    chosen = OPTIMISERS[_method(whole, method)]
    kept = Journal(None if journal is None else Path(journal), _describe(whole, seed))
    trials = Trials(whole, kept, progress or (lambda row: None))
    first = _starts(whole, trials, start or {}, starts, seed)

    way = OneWay(chosen, tolerance, evaluations, seed)
    best = _result(trials, _ends(trials, way, first))
    if isinstance(whole_model, Mechanism):
        return best
    return replace(best, model=_component(whole_model, best))


def _ends(trials: Trials, way: OneWay, first: Sequence[Array]) -> list[WayEnd]:
    """Where optimisers end, one per start; several go side by side."""
    if len(first) == 1:
        return [way.go(first[0], trials)]
    return solve_together(trials, len(first), lambda number, own: way.go(first[number], own))


def _component(whole: Components, best: Optimum) -> Components:
    """Connected components with the values that were found."""
    known = as_mechanism(whole).parameters
    return whole.with_values({n: x for n, x in best.parameters.items() if n in known})


def _method(study: Study, method: str) -> str:
    """The name of the method; what it cannot do is refused."""
    if method == "auto":
        return "least_squares" if study.squares and not study.bounds else "SLSQP"
    row = OPTIMISERS[method]
    if study.bounds and not row.constraints:
        raise UnsupportedError(
            "it takes no constraints", element=f"method '{method}'", cure="take 'SLSQP'"
        )
    if row.squares and not study.squares:
        raise UnsupportedError(
            "it needs a sum of squares",
            element=f"method '{method}'",
            cure="minimise kt.misfit(…), or take 'SLSQP'",
        )
    return method


def _describe(study: Study, seed: int) -> JournalRow:
    """What tells an optimisation from others."""
    return {
        "model": derivation_hash(study.model), "duration": study.duration, "seed": seed,
        "objective": plain_facts(study.objectives),
        "over": {name: list(pair) for name, pair in study.over.items()},
        "subject_to": plain_facts(study.bounds), "cases": plain_facts(study.cases),
        "run": plain_facts(study.run),
    }  # fmt: skip


def _starts(
    study: Study, trials: Trials, given: Mapping[str, float], count: int, seed: int
) -> list[Array]:
    """Scaled variables to begin with."""
    for name in given:
        if name not in study.over:
            raise unknown("variable", name, list(study.over), "start")
    first = []
    for name, (low, high) in study.over.items():
        own = given.get(name, _present(study.model, name, study.run.get("parameters") or {}))
        value = 0.5 * (low + high) if own is None else own
        if not low <= value <= high and name in given:
            raise ModelError(
                f"{value:g} is not between {low:g} and {high:g}",
                element=f"start, '{name}'",
                cure="begin between the bounds, or widen them",
            )
        first.append((min(max(value, low), high) - low) / (high - low))
    if count == 1:
        return [np.array(first)]
    from scipy.stats import qmc

    more = quiet_points(qmc.Sobol(len(first), seed=seed), count - 1)
    return [np.array(first), *more]


def _present(model: Mechanism, name: str, values: Mapping[str, float]) -> float | None:
    """The value of a parameter in the model; none of what is no parameter."""
    from kinetree.model.parameters import parameter_table

    if name in values:
        return float(values[name])
    if name in model.parameters:
        return model.parameters[name].value
    known = parameter_table(model).values
    return known.get(name)


def _result(trials: Trials, found: Sequence[WayEnd]) -> Optimum:
    """The best of all ends."""
    study = trials.study
    rows = [trials.row(s) for s, _, _ in found]
    ranks = [trials.rank(row) for row in rows]
    best = min(range(len(rows)), key=lambda k: ranks[k])
    s, converged, message = found[best]
    row = rows[best]
    if "failed" in row:
        raise ModelError(
            f"no trial has a run that ends: {row['failed'].rstrip('.')}",
            element="over",
            cure="begin with values for which kt.simulate ends",
        )
    values = trials.values(s)
    if ranks[best][0] > 0.0:
        _warn_violation(trials, row, spent=message in (SPENT, ENDED))
    _warn_idle(trials)
    active, multipliers = _multipliers(trials, s, row)
    own = {r.name: values[r.name] for r in read_variables(study.model, list(values))
           if r.kind == "parameter"}  # fmt: skip
    count = len(study.bounds)
    limits = np.array(row["limits"]).reshape(-1, count).T.tolist() if count else []
    return Optimum(
        values, row["value"], dict(zip(trials.names, row["gradient"], strict=True)),
        dict(zip(study.bounds, limits, strict=True)), active, multipliers,
        change_values(study.model, own), _history(trials), converged and ranks[best][0] <= 0.0,
        message, _gradient_error(trials, s),
    )  # fmt: skip


def _warn_idle(trials: Trials) -> None:
    """Warn of variables by which all derivatives were zero in all trials."""
    rows = [row for row in trials.history if "gradient" in row]
    if not rows:
        return
    slopes = np.vstack([np.vstack([row["gradient"], *row["slopes"]]) for row in rows])
    idle = [name for name, column in zip(trials.names, slopes.T, strict=True) if not column.any()]
    if idle:
        listed = ", ".join(f"'{name}'" for name in idle)
        warn(f"neither the objective nor a constraint depends on {listed}")


def _warn_violation(trials: Trials, row: JournalRow, *, spent: bool) -> None:
    """Warn of the constraints that are missed, the worst first; perhaps not for ever."""
    gaps = dict(zip(trials.study.bounds, trials.missing(row).tolist(), strict=True))
    sizes = dict(zip(trials.study.bounds, trials.sizes.constraints.tolist(), strict=True))
    missed = sorted((gap, name) for name, gap in gaps.items() if gap > MET * sizes[name])[::-1]
    (gap, name), *others = missed
    more = "".join(f", '{other}' by {less:.3g}" for less, other in others)
    found = "is not met yet" if spent else "cannot be met between the bounds"
    cure = "; give more evaluations" if spent else ""
    warn(f"constraint '{name}' {found}: it is missed by {gap:.3g}{more}{cure}")


def _multipliers(
    trials: Trials, s: Array, row: JournalRow
) -> tuple[tuple[str, ...], dict[str, float]]:
    """What is at its bound, and multipliers: ∇f = Σ μ ∇c in least squares, in SI units."""
    study, columns, names = trials.study, [], []
    for k, name in enumerate(trials.names):
        if min(s[k], 1 - s[k]) < ACTIVE:
            names.append(name)
            columns.append(np.eye(len(s))[k])
    count = len(study.bounds)
    values = np.array(row["limits"]).reshape(-1, count) if count else np.zeros((0, 0))
    slopes = np.array(row["slopes"]).reshape(-1, count, len(s)) if count else np.zeros((0, 0, 0))
    for k, (name, bound) in enumerate(study.bounds.items()):
        for case, slope in zip(values, slopes, strict=True):
            size = trials.sizes.constraints[k]
            if any(abs(case[k] - x) <= 10 * MET * size for x in bound.ends):
                names.append(name)
                columns.append(slope[k])
    if not names:
        return (), {}
    mu = np.linalg.lstsq(np.array(columns).T, np.array(row["gradient"]), rcond=None)[0]
    return tuple(dict.fromkeys(names)), dict(zip(names, mu.tolist(), strict=True))


def _gradient_error(trials: Trials, s: Array) -> float:
    """Error of the derivative along one direction inside the bounds, against a difference."""
    if trials.stop.is_set():
        return float("nan")
    row = trials.row(s)
    way = np.where(s < 0.5, 1.0, -1.0)
    near, far = (trials.row(s + k * PROBE * way) for k in (1, 2))
    if "failed" in near or "failed" in far:
        return float("nan")
    slope = np.array(row["gradient"]) * trials.width @ way
    change = (4 * near["value"] - far["value"] - 3 * row["value"]) / (2 * PROBE)
    size = np.abs(np.array(row["gradient"]) * trials.width).sum() + abs(row["value"])
    # where both vanish, how the value changes nearby tells what is large
    size = max(size, *(abs(other["value"] - row["value"]) / PROBE for other in (near, far)))
    return float(abs(slope - change) / size) if size else 0.0


def _history(trials: Trials) -> xarray.Dataset:
    """All evaluations, in order."""
    import xarray as xr

    rows = trials.history
    failed = [str(row.get("failed", "")) for row in rows]
    names = trials.names
    gradients = [row.get("gradient", [np.nan] * len(names)) for row in rows]
    data = {
        "x": (("evaluation", "parameter"), np.array([row["x"] for row in rows])),
        "value": ("evaluation", np.array([row.get("value", np.nan) for row in rows])),
        "gradient": (("evaluation", "parameter"), np.array(gradients)),
        "violation": ("evaluation", np.array([trials.violation(row) for row in rows])),
        "reason": ("evaluation", np.array(failed, dtype=str)),
    }
    return xr.Dataset(data, {"parameter": names, "evaluation": np.arange(len(rows))})
