"""Identification from motion: what was asked, and the result of an output error estimate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.identifying.closed_motion import ClosedMotion
from kinetree.analysis.identifying.columns import ParameterColumns
from kinetree.analysis.identifying.consistent import effort_size
from kinetree.analysis.identifying.data.recordings import RecordedMotion
from kinetree.analysis.identifying.equations import HeldOut
from kinetree.analysis.identifying.output_error import (
    ROUGH,
    SETTLED,
    MotionEstimate,
    OutputError,
    SegmentData,
    cut_segments,
    output_error,
)
from kinetree.analysis.identifying.pseudo_inertia import SIZE
from kinetree.analysis.identifying.report.words import idle, meaning, sentences
from kinetree.analysis.identifying.result import Identification, fit_coordinates
from kinetree.analysis.identifying.unknown_values import UnknownValues
from kinetree.analysis.runs.manifest import manifest
from kinetree.analysis.runs.progress import Share
from kinetree.arrays import Array
from kinetree.errors import UnsupportedError
from kinetree.results.dataset import attributes
from kinetree.solve.one_thread import one_thread

if TYPE_CHECKING:
    from kinetree.model import Mechanism

OWN = ("segment", "coefficients", "sensors")
"""Options of this estimate alone."""
OTHERS = ("cutoff", "instruments", "volumes", "carried")
"""Options that it has no use for."""
USES = (*OWN, *OTHERS)
FEWEST = 16
"""Rows of the shortest segments."""
UNTOLD = 0.9
"""Deviation as a part of that before, above which data have told nothing of a combination."""


@dataclass(frozen=True)
class MotionChoices:
    """What was chosen.

    Attributes:
        segment: length of a segment [s].
        held_out: what is not fitted.
        prior: how many measurements the model counts for.
        coefficients: names of other unknown parameters.
        sensors: unknown properties of sensors.
    """

    segment: float
    held_out: HeldOut
    prior: float
    coefficients: tuple[str, ...]
    sensors: tuple[str, ...]

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> MotionChoices:
        """From the options of `identify`."""
        return cls(
            float(given["segment"]), given["held_out"], given["prior"],
            tuple(given["coefficients"]), tuple(given["sensors"]),
        )  # fmt: skip


def refuse_useless(given: Mapping[str, Any], changed: Sequence[str]) -> None:
    """Refuse options that the method has no use for, and models that it does not move."""
    motion = given["method"] == "output_error"
    for name in changed:
        if (name in OTHERS) if motion else (name in OWN):
            cure = "leave it out" if motion else "leave it out, or take method='output_error'"
            raise UnsupportedError(
                f"method '{given['method']}' has no use for it", element=name, cure=cure
            )
    if not motion:
        return
    model = given["model"]
    if given["locked"] and (model.closures or model.states):
        what = "a mechanism with loops" if model.closures else "a model with user states"
        raise UnsupportedError(
            f"it holds no coordinates of {what}",
            element="locked, method 'output_error'",
            cure="record them, or join the bodies in the model",
        )
    _refuse_states(model)
    if given["measured"] != "tau":
        raise UnsupportedError(
            "it moves joints by efforts",
            element="method 'output_error'",
            cure="take another method, or record efforts",
        )


def _refuse_states(model: Mechanism) -> None:
    """Refuse states that events change, and states and quaternions beside loops."""
    element, cure = "method 'output_error'", "take another method, or kt.optimise with kt.misfit"
    kept = [name for name, state in model.states.items() if state.held]
    if kept or model.events:
        what = f"mode '{kept[0]}'" if kept else f"event '{next(iter(model.events))}'"
        raise UnsupportedError(f"it knows no events, and the model has {what}", element=element,
                               cure=cure)  # fmt: skip
    if model.closures and (model.states or model.nq != model.nv):
        raise UnsupportedError(
            "it moves no mechanism with loops that has user states or quaternions",
            element=element,
            cure=cure,
        )


def from_motion(
    columns: ParameterColumns, found: Sequence[RecordedMotion], choice: MotionChoices, share: Share
) -> Identification:
    """The identification by output error.

    Args:
        columns: what is unknown.
        found: the recordings.
        choice: of the user.
        share: is told how far it is.
    """
    size = effort_size([one.measured for one in found])
    recorded = [name for name in found[0].given if all(name in one.given for one in found)]
    unknown = UnknownValues(columns, choice.coefficients, choice.sensors, size, tuple(recorded))
    theta, loops = unknown.first, None
    if columns.model.closures:
        loops = ClosedMotion.of(unknown.model, unknown.channels, found[0])
        found = [replace(one, q=_with_followers(loops, one)) for one in found]
    # too short a recording is told
    cut_segments(found, unknown, loops, choice.segment, choice.held_out)
    for length in share.parts(
        _lengths(found, choice.segment)
    ):  # long ones have many minima, short ones do not
        segments, data = cut_segments(found, unknown, loops, length, choice.held_out)
        with one_thread():
            settled = SETTLED if length == choice.segment else ROUGH
            problem = OutputError(unknown, segments, data)
            made = output_error(problem, choice.prior, theta, settled, share)
        theta = made.theta
    notes = [f"{one.name}: {', '.join(one.notes)}" for one in found if one.notes]
    notes.append(
        f"{len(segments.starts)} segments of {choice.segment:g} s, steps of {segments.h:.4g} s"
    )
    return _result(unknown, data, made, "; ".join(notes))


def _with_followers(loops: ClosedMotion, one: RecordedMotion) -> Array:
    """Coordinates as recorded, the others as the loops have them follow."""
    names = loops.model.coordinates
    given = np.array([name in one.given for name in names])
    return np.where(given, one.q, loops.rows(one))


def _lengths(found: Sequence[RecordedMotion], last: float) -> list[float]:
    """Lengths of segments, one estimate after the other [s]."""
    usual = float(np.median(np.concatenate([np.diff(one.time) for one in found])))
    shorter = [last / 2**k for k in range(6, 0, -1)]
    return [length for length in shorter if length >= FEWEST * usual] + [last]


def _result(
    unknown: UnknownValues, data: SegmentData, made: MotionEstimate, notes: str
) -> Identification:
    columns, theta = unknown.columns, made.theta
    pi = unknown.standard(theta)
    standard = dict(zip(columns.names, pi.tolist(), strict=True))
    count = len(unknown.first) - len(unknown.labels)
    own = dict(zip(unknown.labels, theta[count:].tolist(), strict=True))
    base = [columns.names[k] for k in columns.base[0]]
    names = [*base, *(name for name in own if name not in base)]
    T = _combinations(unknown, theta, base, names)
    covariance = T @ made.covariance @ T.T
    words = _untold(names, covariance, T @ np.diag(1 / made.weight) @ T.T)
    values = {**standard, **own}
    spread = _deviations(unknown, made)
    x = np.array([*(columns.regrouping @ pi), *(own[name] for name in names[len(base) :])])
    table = _dataset(unknown, data, made, (names, x, covariance, values, spread))
    facts = {**manifest(columns.model, columns.program), "method": "output_error", "data": notes,
             "condition": made.condition, "rounds": made.rounds}  # fmt: skip
    return Identification(
        values, dict(zip(values, spread.tolist(), strict=True)), meaning(columns),
        tuple(idle(columns)), tuple(words), table.assign_attrs(attributes(facts)), standard,
        columns, {name: own[name] for name in unknown.coefficients},
    )  # fmt: skip


def _deviations(unknown: UnknownValues, made: MotionEstimate) -> Array:
    """Standard deviations of the parameters of all bodies, and of all other numbers."""
    slopes = unknown.slopes(unknown.standard, made.theta)
    rest = np.eye(len(made.theta))[len(made.theta) - len(unknown.labels) :]
    joints = len(unknown.columns.names) - SIZE * len(unknown.columns.bodies)
    rows = np.concatenate([slopes, rest[joints:]])
    variances = np.einsum("ij,jk,ik->i", rows, made.covariance, rows)
    return np.asarray(np.sqrt(np.maximum(variances, 0.0)))


def _untold(names: Sequence[str], after: Array, before: Array) -> list[str]:
    """What data have hardly told: directions whose deviation is nearly that of before.

    Args:
        names: of the numbers.
        after: covariance of their errors.
        before: the same of the model alone.
    """
    from scipy.linalg import eigh

    sizes = 1.0 / np.sqrt(np.diag(before))
    scaled = np.outer(sizes, sizes)
    first = before * scaled + 1e-12 * np.eye(len(names))
    shares, ways = eigh(after * scaled, first)
    lost = (first @ ways[:, shares > UNTOLD**2]).T
    return sentences(names, lost / sizes, sizes)


def _combinations(
    unknown: UnknownValues, theta: Array, base: Sequence[str], names: Sequence[str]
) -> Array:
    """Slopes of base parameters and of all other numbers by θ."""
    columns = unknown.columns
    T = np.zeros((len(names), len(theta)))
    T[: len(base)] = columns.regrouping @ unknown.slopes(unknown.standard, theta)
    count = len(theta) - len(unknown.labels)
    for row, name in enumerate(names[len(base) :], len(base)):
        T[row, count + unknown.labels.index(name)] = 1.0
    return T


def _dataset(
    unknown: UnknownValues, data: SegmentData, made: MotionEstimate, found: tuple[Any, ...]
) -> Any:
    import xarray as xr

    names, x, covariance, values, spread = found
    measured, predicted = np.concatenate(data.q), np.concatenate(made.predicted)
    held = np.concatenate([np.full(len(t), h) for t, h in zip(data.times, data.held, strict=True)])
    r = measured - predicted

    def rms(rows: Array) -> Array:
        return np.sqrt((rows**2).mean(axis=0)) if len(rows) else np.full(r.shape[1], np.nan)

    table = {
        "value": ("parameter", np.array(list(values.values()))),
        "deviation": ("parameter", spread), "base_value": ("base", x),
        "std": ("base", np.sqrt(np.diag(covariance))),
        "covariance": (("base", "base2"), covariance),
        "measured": (("time", "equation"), measured),
        "predicted": (("time", "equation"), predicted),
        "residual": (("time", "equation"), r), "held": ("time", held),
        "sigma": ("equation", made.sigma), "rms": ("equation", rms(r[~held])),
        "rms_held": ("equation", rms(r[held])),
    }  # fmt: skip
    recording = np.concatenate([np.full(len(t), k) for t, k in zip(data.times, data.recording,
                                                                   strict=True)])  # fmt: skip
    coords = fit_coordinates(
        unknown.columns, (list(values), names, unknown.channels), "q",
        (np.concatenate(data.clock), recording), unknown.sensors,
    )  # fmt: skip
    return xr.Dataset(table, coords)
