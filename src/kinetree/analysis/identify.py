"""Identification: the parameters that a recorded machine has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.identifying.bad_data import check_recording, tell_unexplained
from kinetree.analysis.identifying.columns import ParameterColumns, Unknowns
from kinetree.analysis.identifying.consistent import Prior, consistent
from kinetree.analysis.identifying.equations import FitEquations, equations
from kinetree.analysis.identifying.estimate import Estimate
from kinetree.analysis.identifying.filtering import RecordedPiece, cut
from kinetree.analysis.identifying.from_motion import (
    USES,
    MotionChoices,
    from_motion,
    refuse_useless,
)
from kinetree.analysis.identifying.gains import GainEstimate, find_gains
from kinetree.analysis.identifying.instrumental import instrumental
from kinetree.analysis.identifying.least_squares import least_squares
from kinetree.analysis.identifying.recordings import (
    UNITS,
    UNKNOWN,
    DataOptions,
    RecordedMotion,
    read_recordings,
)
from kinetree.analysis.identifying.result import Identification, standard_parameters
from kinetree.analysis.identifying.unknown_values import SENSORS, coefficient_names
from kinetree.analysis.identifying.words import idle, meaning, sentences
from kinetree.analysis.inverse import inverse
from kinetree.analysis.runs.manifest import manifest
from kinetree.arguments import (
    changed_arguments,
    check_arguments,
    check_choice,
    check_positive,
    show,
)
from kinetree.arrays import Array
from kinetree.errors import ModelError, UnsupportedError, unknown
from kinetree.results.dataset import attributes
from kinetree.solve.one_thread import one_thread

if TYPE_CHECKING:
    import xarray

    from kinetree.model import Mechanism

METHODS = ("least_squares", "instrumental", "consistent", "output_error")
"""Kinds of estimates."""
FINDS_GAINS = ("least_squares", "consistent")
"""Methods that find gains of motors."""
RUBBING = ("coulomb", "viscous", "offset")
"""Parameters of friction."""


def identify(  # noqa: PLR0913  one keyword per choice of the user
    model: Mechanism,
    data: Any,
    method: str = "least_squares",
    *,
    bodies: Sequence[str] | None = None,
    friction: Sequence[str] = RUBBING,
    rotors: bool = False,
    smooth: float = 0.02,
    measured: str = "tau",
    cutoff: float | None = None,
    held_out: float = 0.3,
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
        smooth: speed over which dry friction grows where the model does not say [rad/s or m/s].
        measured: "tau", efforts along the velocities; "wrench", that of the ground on the machine.
        cutoff: of the filter of coordinates and efforts [Hz]; 0 for none, by default one well
            above the motion.
        held_out: last share of every recording that is not fitted but predicted.
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

    Returns:
        The values with their deviations, what the data do not tell, residuals, and the model that
        has these values.
    """
    given = locals()
    check_arguments(identify, given)
    _check(given)
    how = _data_options(given)
    found = _recordings(model, data, how)
    table = ParameterColumns(model, _unknowns(given, found))
    if method == "output_error":
        return from_motion(table, found, MotionChoices.of(given))
    pieces, notes = _pieces(model, found, cutoff)
    others = _instruments(model, instruments, found, pieces, how)
    with one_thread():
        rows = equations(table, [piece for _, piece in pieces], others, held_out, how.open_gains)
        motors = _gains(table, rows, how)
        rows = rows if motors is None else rows.at_gains(motors.k)
        made = _estimate(rows, table, method, Prior(prior, volumes or {}), motors)
    return _result(table, rows, made, motors, {"method": method, "data": "; ".join(notes)})


def _data_options(given: Mapping[str, Any]) -> DataOptions:
    """How the data are to be read."""
    names = ("columns", "units", "gains", "locked", "carried")
    return DataOptions(given["measured"], *(given[name] or {} for name in names))


def _unknowns(given: Mapping[str, Any], found: Sequence[RecordedMotion]) -> Unknowns:
    """What is to be found."""
    absents = tuple(dict.fromkeys(one.absent for one in found))
    return Unknowns(
        given["bodies"], tuple(given["friction"]), given["rotors"], given["smooth"],
        given["measured"], given["locked"], tuple(given["carried"] or {}), absents,
    )  # fmt: skip


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


def _check(given: Mapping[str, Any]) -> None:
    """Refuse what no estimate can be made of."""
    check_choice("method", given["method"], METHODS)
    check_choice("measured", given["measured"], ("tau", "wrench"))
    for name, words, known in (
        ("friction", given["friction"], RUBBING),
        ("units", given["units"] or (), UNITS),
        ("gains", given["gains"] or (), given["model"].velocities),
        ("locked", given["locked"] or (), given["model"].coordinates),
        ("sensors", given["sensors"], tuple(SENSORS)),
        ("coefficients", given["coefficients"], coefficient_names(given["model"])),
    ):
        for word in words:
            if word not in known:
                raise unknown("name", word, known, name)
    check_positive(
        "a positive number", smooth=given["smooth"], prior=given["prior"], segment=given["segment"]
    )
    _check_gains(given)
    refuse_useless(given, [k for k in changed_arguments(identify, given, USES) if given[k]])
    if given["cutoff"]:
        check_positive("a positive frequency in Hz, or 0", cutoff=given["cutoff"])
    if not 0 <= given["held_out"] < 1:
        raise ModelError(
            f"it is {given['held_out']:g}", element="held_out", cure="give a share such as 0.3"
        )


def _check_gains(given: Mapping[str, Any]) -> None:
    """Refuse gains that are no numbers, and unknown ones where a method does not find them."""
    for name, gain in (given["gains"] or {}).items():
        if gain != UNKNOWN and not isinstance(gain, int | float):
            raise ModelError(
                f"it is {show(gain)}",
                element=f"gains, '{name}'",
                cure=f'give a number in N.m/A, or "{UNKNOWN}"',
            )
        if gain == UNKNOWN and given["method"] not in FINDS_GAINS:
            raise UnsupportedError(
                "it finds no gains of motors",
                element=f"method '{given['method']}'",
                cure=f"give the gain of '{name}', or take method='{FINDS_GAINS[0]}'",
            )
        if gain == UNKNOWN and given["measured"] != "tau":
            raise UnsupportedError(
                "no effort of a joint enters the wrench on the ground",
                element=f"gains, '{name}'",
                cure="leave gains= out, or measure efforts",
            )


def _pieces(
    model: Mechanism, found: Sequence[RecordedMotion], cutoff: float | None
) -> tuple[list[tuple[int, RecordedPiece]], list[str]]:
    """Pieces with the number of their recording, and what was done."""
    pieces, notes = [], []
    for number, recording in enumerate(found):
        parts, words = cut(recording, cutoff)
        pieces += [(number, _close_loops(model, recording, piece)) for piece in parts]
        notes += [f"{recording.name}: {word}" for word in words]
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
    run = inverse(model, whole)
    return replace(piece, q=run["q"].values, qd=run["qd"].values, qdd=run["qdd"].values)


def _instruments(
    model: Mechanism,
    given: Any,
    found: Sequence[RecordedMotion],
    pieces: Sequence[tuple[int, RecordedPiece]],
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
    return [_along(plans[number], piece) for number, piece in pieces]


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


def _gains(table: ParameterColumns, rows: FitEquations, how: DataOptions) -> GainEstimate | None:
    """The gains of motors that are unknown; none where all are known."""
    if not how.open_gains:
        return None
    nominal = table.regrouping @ table.nominal
    return find_gains(rows, nominal, how.open_gains, _base_names(table))


def _estimate(
    rows: FitEquations,
    table: ParameterColumns,
    method: str,
    prior: Prior,
    motors: GainEstimate | None,
) -> Estimate:
    nominal = table.regrouping @ table.nominal
    if motors is not None:
        if method == "least_squares":
            return motors.estimate
        made = consistent(rows, table, prior)
        own = motors.estimate
        return replace(made, covariance=own.covariance, untold=own.untold)
    if method == "consistent":
        return consistent(rows, table, prior)
    return {"least_squares": least_squares, "instrumental": instrumental}[method](rows, nominal)


def _result(
    table: ParameterColumns,
    rows: FitEquations,
    made: Estimate,
    motors: GainEstimate | None,
    facts: Mapping[str, Any],
) -> Identification:
    """The result, with the Dataset of residuals."""
    gains = {} if motors is None else motors.values
    base = _base_names(table)
    names = [*base, *gains]
    pi = standard_parameters(table, made.x) if made.pi is None else made.pi
    standard = dict(zip(table.names, pi.tolist(), strict=True))
    values = standard if made.pi is not None else dict(zip(base, made.x.tolist(), strict=True))
    values = {**values, **gains}
    deviations = dict(zip(names, np.sqrt(np.diag(made.covariance)).tolist(), strict=True))
    untold = sentences(names, made.untold) if motors is None else motors.words
    told = np.concatenate([made.x, list(gains.values())])
    data = _dataset(table, rows, made, (values, dict(zip(names, told, strict=True))), facts)
    return Identification(
        values, deviations, meaning(table), tuple(idle(table)), tuple(untold), data, standard,
        table,
    )  # fmt: skip


def _dataset(
    table: ParameterColumns,
    rows: FitEquations,
    made: Estimate,
    found: tuple[Mapping[str, float], Mapping[str, float]],
    facts: Mapping[str, Any],
) -> xarray.Dataset:
    """All values, those that are told with their covariance, and residuals."""
    import xarray as xr

    values, base = found[0], list(found[1])
    r = rows.y - rows.W @ made.x
    data: dict[str, Any] = {
        "value": ("parameter", np.array(list(values.values()))),
        "base_value": ("base", np.array(list(found[1].values()))),
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
    coords = {
        "parameter": list(values), "base": base, "base2": base, "equation": list(table.rows),
        "time": ("time", rows.time, {"units": "s"}),
    }  # fmt: skip
    tell_unexplained(table.rows, rows.measured, data["rms"][1], data["rms_held"][1])
    rest = {**manifest(table.model, table.program), **facts, **made.facts}
    return xr.Dataset(data, coords, attributes(rest))


def _rms(r: Array) -> Array:
    return np.sqrt((r**2).mean(axis=0)) if len(r) else np.full(r.shape[1], np.nan)
