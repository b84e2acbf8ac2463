"""Identification: the parameters that a recorded machine has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.identifying.bad_data import (
    check_recording,
    tell_driving,
    tell_unexplained,
)
from kinetree.analysis.identifying.choices import RUBBING, SMOOTH, check_choices, what_is_held
from kinetree.analysis.identifying.columns import ParameterColumns, Unknowns
from kinetree.analysis.identifying.consistent import Prior, consistent
from kinetree.analysis.identifying.dry_friction import (
    SpeedEstimate,
    find_gains_and_speeds,
    find_speeds,
    tell_other_speeds,
)
from kinetree.analysis.identifying.equations import FitEquations, equations
from kinetree.analysis.identifying.estimate import Estimate
from kinetree.analysis.identifying.filtering import RecordedPiece, cut
from kinetree.analysis.identifying.from_motion import USES, MotionChoices, from_motion
from kinetree.analysis.identifying.gains import GainEstimate, find_gains
from kinetree.analysis.identifying.instrumental import instrumental
from kinetree.analysis.identifying.least_squares import least_squares
from kinetree.analysis.identifying.recordings import (
    UNKNOWN,
    DataOptions,
    RecordedMotion,
    read_recordings,
)
from kinetree.analysis.identifying.report.words import idle, meaning, sentences
from kinetree.analysis.identifying.result import (
    Identification,
    fit_coordinates,
    standard_parameters,
)
from kinetree.analysis.inverse import inverse
from kinetree.analysis.runs.manifest import manifest
from kinetree.analysis.runs.progress import ProgressCall, Share, sharing
from kinetree.arguments import changed_arguments, check_arguments
from kinetree.arrays import Array
from kinetree.errors import ModelError, warn
from kinetree.results.dataset import attributes
from kinetree.solve.one_thread import one_thread

if TYPE_CHECKING:
    import xarray

    from kinetree.model import Mechanism


READ, TABLED, SMOOTHED, FITTED = 0.1, 0.3, 0.5, 0.8
"""Shares at which data are read, columns derived, data smooth, and equations there."""


def identify(  # noqa: PLR0913  one keyword per choice of the user
    model: Mechanism,
    data: Any,
    method: str = "least_squares",
    *,
    bodies: Sequence[str] | None = None,
    friction: Sequence[str] = RUBBING,
    rotors: bool = False,
    smooth: float | str = SMOOTH,
    measured: str = "tau",
    cutoff: float | None = None,
    held_out: float | Sequence[int] = 0.3,
    instruments: Any = None,
    prior: float = 0.1,
    volumes: Mapping[str, Any] | None = None,
    locked: Mapping[str, float] | None = None,
    columns: Mapping[str, str] | None = None,
    units: Mapping[str, str] | None = None,
    gains: Mapping[str, float | str] | None = None,
    carried: Mapping[str, Sequence[int]] | None = None,
    segment: float = 1.0,
    coefficients: Sequence[str] = (),
    sensors: Sequence[str] = (),
    progress: bool | ProgressCall | None = None,
) -> Identification:
    """Parameters of a machine from recordings of its motion and of its efforts.

    Args:
        model: the mechanism; its lengths are taken as they are, its masses and inertias are what
            the data do not tell.
        data: a .csv or .nc file, a Dataset, a mapping with time, q, tau (and qd, qdd), or a list of
            those; columns are called time, q.NAME, qd.NAME, tau.NAME, current.NAME, wrench.tx.
        method: "least_squares" (weighted), "instrumental" (no bias by errors in q), "consistent"
            (every body can exist; needs kinetree[identify]), "output_error" (efforts as recorded
            move the model as recorded; every body can exist, errors in q make no bias).
        bodies: whose parameters are unknown, as a payload alone; by default all that move.
        friction: unknown parameters of every joint: "coulomb", "viscous", "offset".
        rotors: whether rotor inertias are unknown.
        smooth: speed over which dry friction grows where the model does not say [rad/s or m/s];
            "unknown" has that of every joint found, of "least_squares" and "consistent".
        measured: "tau", efforts along the velocities; "wrench", that of the ground on the machine.
        cutoff: of the filter of coordinates and efforts [Hz]; 0 for none, by default one well
            above the motion.
        held_out: last share of every recording that is not fitted but predicted; or the numbers of
            recordings, from 1, that are not fitted at all: [2].
        instruments: motion that was planned, or a second recording of the same plan: time, q and,
            where known, qd, qdd; a list for several recordings.
        prior: how many measurements the model counts for, of "consistent" and "output_error".
        volumes: ellipsoids that hold the mass of bodies, of "consistent": name -> (centre, half
            axes) in the frame of the body [m].
        locked: coordinates that stand still and are not recorded -> their values.
        columns: name in the data -> name as above.
        units: of time, q, qd, qdd, tau, current where not SI: {"q": "deg"}.
        gains: effort per current by velocity [N.m/A or N/A]; "unknown" has it found, of
            "least_squares" and "consistent".
        carried: bodies of the model that the machine carries in some recordings only, as a load of
            known mass -> their numbers in the list of data, from 1; they are known where `bodies`
            does not name them.
        segment: length of what is simulated in one go [s], of "output_error"; each has a start of
            its own.
        coefficients: names of other unknown parameters of the model, as those of laws, of
            "output_error".
        sensors: unknown "gain", "offset" or "delay" of the recorded coordinates, of "output_error":
            gain · q(t - delay) + offset was recorded.
        progress: show how far it is; by default on a terminal when it takes long.  A function is
            told the share done, 0 to 1, and ends it by returning True; nothing is kept then.

    Returns:
        The values with their deviations, what the data do not tell, residuals, and the model that
        has these values.
    """
    check_arguments(identify, given := locals())
    check_choices(given, changed_arguments(identify, given, USES))
    with sharing(progress, "identify") as share:
        return _identify(given, share)


def _identify(given: dict[str, Any], share: Share) -> Identification:
    """Parameters by arguments that were checked: data, columns, equations, estimate."""
    model, method, how = given["model"], given["method"], _data_options(given)
    with share.part(0.0, READ):
        found = _recordings(model, given["data"], how)
        given["held_out"] = held_out = what_is_held(given["held_out"], len(found))
    with share.part(READ, TABLED):
        table = ParameterColumns(model, _unknowns(given, found))
    if method == "output_error":
        with share.part(TABLED, 1.0):
            return from_motion(table, found, MotionChoices.of(given), share)
    with share.part(TABLED, SMOOTHED):
        pieces, notes = _pieces(model, found, given["cutoff"], share)
        others = _instruments(model, given["instruments"], found, pieces, how)
    facts = {"method": method, "data": "; ".join(notes)}
    with one_thread():
        with share.part(SMOOTHED, FITTED):
            rows = equations(table, pieces, others, held_out, how.open_gains, share)
        return _fit(table, rows, pieces, given, facts)


def _fit(
    table: ParameterColumns,
    rows: FitEquations,
    pieces: Sequence[RecordedPiece],
    given: Mapping[str, Any],
    facts: Mapping[str, Any],
) -> Identification:
    """The estimate from equations, with gains or speeds where they are unknown."""
    more: GainEstimate | SpeedEstimate | None = None
    prior, gains = Prior(given["prior"], given["volumes"] or {}), given["gains"] or {}
    unknown_gains = [name for name, gain in gains.items() if gain == UNKNOWN]
    if unknown_gains and given["smooth"] == UNKNOWN:
        more = find_gains_and_speeds(table, pieces, rows, unknown_gains)
        rows = more.rows
    elif unknown_gains:
        nominal = table.regrouping @ table.nominal
        more = find_gains(rows, nominal, unknown_gains, _base_names(table))
        rows = rows.at_gains(more.k)
    elif given["smooth"] == UNKNOWN:
        more = find_speeds(table, pieces, rows)
        rows = more.rows
    if given["smooth"] != UNKNOWN:
        tell_other_speeds(table, pieces, rows)
    made = _estimate(rows, table, given["method"], prior, more)
    return _result(table, rows, made, {} if more is None else more.values, facts)


def _data_options(given: Mapping[str, Any]) -> DataOptions:
    """How the data are to be read."""
    names = ("columns", "units", "gains", "locked", "carried")
    return DataOptions(given["measured"], *(given[name] or {} for name in names))


def _unknowns(given: Mapping[str, Any], found: Sequence[RecordedMotion]) -> Unknowns:
    """What is to be found."""
    absents = tuple(dict.fromkeys(one.absent for one in found))
    return Unknowns(
        given["bodies"], tuple(given["friction"]), given["rotors"],
        SMOOTH if given["smooth"] == UNKNOWN else given["smooth"],
        given["measured"], given["locked"], tuple(given["carried"] or {}), absents,
        _motors(given, found),
    )  # fmt: skip


def _motors(given: Mapping[str, Any], found: Sequence[RecordedMotion]) -> tuple[str, ...]:
    """Velocities of all motors, where gains of some are unknown: each gives one equation."""
    names = given["model"].velocities
    unknown_gains = {name for name, gain in (given["gains"] or {}).items() if gain == UNKNOWN}
    if not unknown_gains:
        return ()
    driven = [any(one.measured[:, k].any() for one in found) for k in range(len(names))]
    return tuple(v for v, drives in zip(names, driven, strict=True) if drives or v in unknown_gains)


def _recordings(model: Mechanism, data: Any, how: DataOptions) -> list[RecordedMotion]:
    """What was recorded; what nothing can be told from is refused."""
    found = read_recordings(model, data, how)
    for recording in found:
        check_recording(model, recording, how)
    for body, runs in how.carried.items():
        for number in runs:
            if number not in range(1, len(found) + 1):
                raise ModelError(
                    f"there is no recording {number}",
                    element=f"carried, '{body}'",
                    cure=f"give numbers from 1 to {len(found)}",
                )
    return found


def _pieces(
    model: Mechanism, found: Sequence[RecordedMotion], cutoff: float | None, share: Share
) -> tuple[list[RecordedPiece], list[str]]:
    """Pieces of all recordings, and what was done."""
    pieces: list[RecordedPiece] = []
    notes: list[str] = []
    for number, recording in enumerate(share.parts(found), 1):
        parts, words = cut(recording, cutoff)
        closed = (_close_loops(model, recording, piece) for piece in parts)
        pieces += [replace(piece, recording=number) for piece in closed]
        notes.append(f"{recording.name}: {', '.join(words)}")
    return pieces, notes


def _close_loops(model: Mechanism, found: RecordedMotion, piece: RecordedPiece) -> RecordedPiece:
    """A piece whose motion closes the loops."""
    if not model.closures:
        return piece
    whole: dict[str, Any] = {"time": piece.time, "q": piece.q, "qd": piece.qd, "qdd": piece.qdd}
    if len(found.given) < model.nq:
        at = {name: list(model.coordinates).index(name) for name in found.given}
        whole |= {
            key: {name: whole[key][:, k] for name, k in at.items()} for key in ("q", "qd", "qdd")
        }
    run = inverse(model, whole, progress=False)
    return replace(piece, q=run["q"].values, qd=run["qd"].values, qdd=run["qdd"].values)


def _instruments(
    model: Mechanism,
    given: Any,
    found: Sequence[RecordedMotion],
    pieces: Sequence[RecordedPiece],
    how: DataOptions,
) -> list[RecordedPiece]:
    """The pieces with the motions of the instruments; empty where there are none."""
    if given is None:
        return []
    plans = read_recordings(model, given, replace(how, measured="none"))
    if len(plans) != len(found):
        raise ModelError(
            f"there are {len(plans)} motions for {len(found)} recordings",
            element="instruments",
            cure="give one per recording",
        )
    made = [_along(plans[piece.recording - 1], piece) for piece in pieces]
    for run, plan in zip(found, plans, strict=True):
        if run.q.shape == plan.q.shape and np.array_equal(run.q, plan.q):
            warn(
                "instruments: they are the recorded motion itself, so its errors make the bias of "
                "least squares; give the motion that was planned, or a second recording of it"
            )
    return made


def _along(plan: RecordedMotion, piece: RecordedPiece) -> RecordedPiece:
    """A piece with the motion of a plan at the same times."""
    from scipy.interpolate import CubicSpline

    whole = cut(plan, 0.0)[0][0]
    if whole.time[0] > piece.time[0] + 1e-9 or whole.time[-1] < piece.time[-1] - 1e-9:
        raise ModelError(
            f"it goes from {whole.time[0]:.6g} to {whole.time[-1]:.6g} s",
            element="instruments",
            cure=f"give it from {piece.time[0]:.6g} to {piece.time[-1]:.6g} s",
        )
    q, qd, qdd = (
        CubicSpline(whole.time, table)(piece.time) for table in (whole.q, whole.qd, whole.qdd)
    )
    return replace(piece, q=q, qd=qd, qdd=qdd)


def _base_names(table: ParameterColumns) -> list[str]:
    return [table.names[k] for k in table.base[0]]


def _estimate(
    rows: FitEquations,
    table: ParameterColumns,
    method: str,
    prior: Prior,
    more: GainEstimate | SpeedEstimate | None,
) -> Estimate:
    nominal = table.regrouping @ table.nominal
    if more is not None:
        if method == "least_squares":
            return more.estimate
        made = consistent(rows, table, prior)
        own = more.estimate
        return replace(
            made, covariance=own.covariance, untold=own.untold, sizes=own.sizes, words=own.words
        )
    if method == "consistent":
        return consistent(rows, table, prior)
    return {"least_squares": least_squares, "instrumental": instrumental}[method](rows, nominal)


def _result(
    table: ParameterColumns,
    rows: FitEquations,
    made: Estimate,
    more: Mapping[str, float],
    facts: Mapping[str, Any],
) -> Identification:
    """The result, with the Dataset of residuals; gains or speeds that were found go along."""
    base = _base_names(table)
    names = [*base, *more]
    pi = standard_parameters(table, made.x) if made.pi is None else made.pi
    standard = dict(zip(table.names, pi.tolist(), strict=True))
    values = standard if made.pi is not None else dict(zip(base, made.x.tolist(), strict=True))
    values = {**values, **more}
    deviations = dict(zip(names, np.sqrt(np.diag(made.covariance)).tolist(), strict=True))
    if made.pi_covariance is not None:
        own = dict(zip(table.names, np.sqrt(np.diag(made.pi_covariance)).tolist(), strict=True))
        deviations = {**own, **{name: deviations[name] for name in more}}
    words = made.words or sentences(names, made.untold, made.sizes)
    told = np.concatenate([made.x, list(more.values())])
    base_values = dict(zip(names, told, strict=True))
    data = _dataset(table, rows, made, (values, deviations, base_values), facts)
    tell_driving(values, deviations)
    return Identification(
        values, deviations, meaning(table), tuple(idle(table)), tuple(words), data, standard,
        table,
    )  # fmt: skip


def _dataset(
    table: ParameterColumns,
    rows: FitEquations,
    made: Estimate,
    found: tuple[Mapping[str, float], Mapping[str, float], Mapping[str, float]],
    facts: Mapping[str, Any],
) -> xarray.Dataset:
    """All values, those that are told with their covariance, and residuals."""
    import xarray as xr

    values, deviations, base_values = found
    base = list(base_values)
    r = rows.y - rows.W @ made.x
    data: dict[str, Any] = {
        "value": ("parameter", np.array(list(values.values()))),
        "deviation": ("parameter", np.array([deviations[name] for name in values])),
        "base_value": ("base", np.array(list(base_values.values()))),
        "std": ("base", np.sqrt(np.diag(made.covariance))),
        "covariance": (("base", "base2"), made.covariance),
        "untold": (("combination", "base"), made.untold),
        "measured": (("time", "equation"), rows.y),
        "predicted": (("time", "equation"), rows.y - r),
        "residual": (("time", "equation"), r),
        "held": ("time", rows.held),
        "sigma": ("equation", made.sigma),
        "rms": ("equation", _rms(r[rows.in_fit])),
        "rms_held": ("equation", _rms(r[rows.held])),
    }
    coords = fit_coordinates(
        table, (list(values), base, list(table.rows)), table.wanted.measured,
        (rows.time, rows.recording),
    )  # fmt: skip
    tell_unexplained(table.rows, rows.measured, data["rms"][1], data["rms_held"][1])
    rest = {**manifest(table.model, table.program), **facts, **made.facts}
    return xr.Dataset(data, coords, attributes(rest))


def _rms(r: Array) -> Array:
    return np.sqrt((r**2).mean(axis=0)) if len(r) else np.full(r.shape[1], np.nan)
