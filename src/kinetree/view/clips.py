"""What is animated: the frames of a run, one standing frame, or a period of every mode."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.arrays import Array
from kinetree.errors import ShapeError
from kinetree.model import Mechanism, retract
from kinetree.view.poses import poses
from kinetree.view.signals import SignalGroup, first_curves, groups, join_outputs

if TYPE_CHECKING:
    import xarray
    from numpy.typing import NDArray

    from kinetree.analysis.modes import Modes

FRAMES = 1000
"""Most frames of a run that a page carries; more are thinned out, evenly in time."""
PHASES = 49
"""Frames of one period of a mode, the first and the last alike."""
PERIOD = 2.0
"""Time one period takes on the screen [s]."""
SWING = 0.12
"""Largest travel of a body in a mode, as a share of the mechanism's extent."""
TURN = 0.5
"""Largest angle of a joint in a mode [rad]."""


@dataclass(frozen=True)
class Footage:
    """Frames to show.

    Attributes:
        q: frames × nq.
        clips: label, detail, first frame, times [s] and whether it repeats, one per clip.
        signals: curves over the one clip of a run.
        shown: names of the curves that are shown first.
    """

    q: Array
    clips: list[dict[str, Any]]
    signals: list[SignalGroup]
    shown: list[str] = field(default_factory=list)


def standing(q: Array) -> Footage:
    """One frame."""
    return Footage(q[None], [_clip("", "", 0, np.zeros(1))], [])


def of_run(run: xarray.Dataset) -> Footage:
    """The frames of a run, those without a value left out, thinned to `FRAMES`."""
    time, q = np.asarray(run["time"], dtype=float), np.asarray(run["q"], dtype=float)
    usable = np.flatnonzero(np.isfinite(q).all(axis=1))
    if not len(usable):
        raise ShapeError("it holds no frame with finite coordinates", element="run 'q'")
    kept = usable[thin(time[usable], FRAMES)]
    tables = [
        SignalGroup(g.name, g.names, g.units, np.nan_to_num(g.values[kept], posinf=0.0, neginf=0.0))
        for g in join_outputs(groups(run))
        if g.names
    ]
    independent = str(run.attrs.get("independent", "")).split(", ")
    shown = first_curves(tables, independent)
    return Footage(q[kept], [_clip("run", "", 0, time[kept])], tables, shown)


def thin(time: Array, count: int) -> NDArray[np.int64]:
    """Numbers of at most `count` rows, first and last among them, about evenly in time."""
    if len(time) <= count:
        return np.arange(len(time))
    wanted = np.linspace(time[0], time[-1], count)
    after = np.clip(np.searchsorted(time, wanted), 1, len(time) - 1)
    nearer = np.abs(time[after - 1] - wanted) <= np.abs(time[after] - wanted)
    return np.unique(np.where(nearer, after - 1, after))


def of_modes(model: Mechanism, modes: Modes, size: float) -> Footage:
    """One period of every mode: q = q0 + amplitude·Re(shape·exp(i·phase)), without decay.

    Args:
        model: the mechanism.
        modes: its modes, about the coordinates of the linear model.
        size: extent of the mechanism [m], to which the amplitudes are scaled.
    """
    values, shapes, q0 = modes.eigenvalues, modes.shapes, modes.linear.q
    if tuple(modes.velocities) != tuple(model.velocities) or q0.shape != (model.nq,):
        raise ShapeError(
            f"their velocities are {', '.join(modes.velocities[:6])}, not those of the model",
            element="modes",
            cure=f"give the modes of model '{model.name}'",
        )
    rest = poses(model, q0[None])[0]
    frames, clips = [], []
    times = np.linspace(0, PERIOD, PHASES)
    for k, value in enumerate(values):
        frames.append(_period(model, q0, shapes[k], (rest, size)))
        label, detail = mode_label(k + 1, complex(value))
        clips.append(_clip(label, detail, k * PHASES, times, True))
    if not frames:
        return standing(q0)
    return Footage(np.concatenate(frames), clips, [])


def mode_label(number: int, s: complex) -> tuple[str, str]:
    """Label and detail of a mode: frequency and damping, or the time constant of a real one."""
    if abs(s.imag) > 1e-9 * max(1.0, abs(s)):
        ratio = round(-s.real / abs(s), 9)
        label = f"{number}: {abs(s.imag) / (2 * np.pi):.4g} Hz, damping {100 * ratio + 0.0:.3g} %"
    elif abs(s.real) > 1e-9:
        how = "decays" if s.real < 0 else "grows"
        label = f"{number}: {how} within {1 / abs(s.real):.4g} s"
    else:
        label = f"{number}: rigid motion"
    return label, f"eigenvalue {s.real:.6g} {s.imag:+.6g}i 1/s"


def _period(model: Mechanism, q0: Array, shape: NDArray[Any], scale: tuple[Array, float]) -> Array:
    """Coordinates over one period, as large as is pleasant to see."""
    rest, size = scale
    largest = float(np.abs(shape).max()) or 1.0
    angle = np.exp(2j * np.pi * np.linspace(0, 1, PHASES))
    unit = np.real(shape[None, :] * angle[:, None]) / largest
    probe = 1e-3
    moved = poses(model, retract(model, q0, probe * unit[::6]))
    travel = float(np.linalg.norm(moved[:, :, 4:] - rest[:, 4:], axis=-1).max()) / probe
    amplitude = min(TURN, SWING * size / travel) if travel > 1e-9 * size else TURN
    return retract(model, q0, amplitude * unit)


def _clip(
    label: str, detail: str, first: int, times: Array, cyclic: bool = False
) -> dict[str, Any]:
    return {
        "label": label,
        "detail": detail,
        "first": first,
        "times": [float(f"{t:.9g}") for t in times],
        "cyclic": cyclic,
    }
