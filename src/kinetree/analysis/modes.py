"""Modes: frequencies, damping and shapes of small motions about a state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.linearise import Linear, linearise
from kinetree.analysis.runs.dynamics import LOADED
from kinetree.analysis.runs.progress import ProgressCall, sharing
from kinetree.arguments import check_arguments, check_options
from kinetree.arrays import Array
from kinetree.errors import UnsupportedError, warn
from kinetree.plain import html_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kinetree.model import Mechanism

AT_REST = 1e-6
"""Largest acceleration of a state that counts as an equilibrium [rad/s2 or m/s2]."""
ZERO = 1e-7
"""Share of the largest eigenvalue up to which one is zero: those of what moves freely are double,
and rounding parts them by its root."""


@dataclass(frozen=True)
class Modes:
    """Modes in order of rising frequency; of a conjugate pair the one with positive frequency.

    Attributes:
        eigenvalues: λ [1/s].
        frequencies: |Im λ|/2π, of the damped motion [Hz]; zero for a mode that does not swing.
        natural: |λ|/2π [Hz].
        damping: -Re λ/|λ|: 1 and more than 0 decays, below 0 grows; 0 where λ = 0.
        shapes: modes × velocities, complex small displacements; the largest is 1.
        states: modes × states of the linear model, scaled as the shapes.
        velocities: names of the columns of `shapes`.
        linear: the linear model behind it.
    """

    eigenvalues: NDArray[np.complex128]
    frequencies: Array
    natural: Array
    damping: Array
    shapes: NDArray[np.complex128]
    states: NDArray[np.complex128]
    velocities: tuple[str, ...]
    linear: Linear

    def __repr__(self) -> str:
        shown = ", ".join(f"{frequency:.4g}" for frequency in self.frequencies[:8])
        return (
            f"Modes({len(self.frequencies)} modes, {shown}{'…' * (len(self.frequencies) > 8)} Hz)"
        )

    def _repr_html_(self) -> str:
        """The table of `rows`."""
        return html_table(f"{len(self.frequencies)} modes, damped frequencies", self.rows())

    def rows(self) -> list[dict[str, Any]]:
        """One row per mode for people and for JSON: frequency, damping, what moves most."""
        found = []
        for k, value in enumerate(self.eigenvalues):
            sizes = np.abs(self.shapes[k])
            order = np.argsort(-sizes, kind="stable")[:3]
            moving = [self.velocities[j] for j in order if sizes[j] > 0.1]
            found.append(
                {
                    "mode": k + 1,
                    "frequency Hz": float(self.frequencies[k]),
                    "damping": float(self.damping[k]),
                    "real 1/s": float(value.real),
                    "imag rad/s": float(value.imag),
                    "moves": ", ".join(moving),
                }
            )
        return found


def modes(
    model: Mechanism | Linear,
    at: Any = None,
    *,
    t: float = 0.0,
    progress: bool | ProgressCall | None = None,
    **options: Any,
) -> Modes:
    """The modes of small motions about a state; see `linearise` for the arguments.

    A state that is not at rest in equilibrium is warned of: its modes hold for a moment only.
    """
    check_arguments(modes, locals())
    check_options("modes", options, () if isinstance(model, Linear) else LOADED)
    for name, given in (("at", at is not None), ("t", t != 0)):
        if isinstance(model, Linear) and given:
            raise UnsupportedError(
                "the linear model has its state already", element=name, cure=f"leave {name}= out"
            )
    linear = model
    with sharing(progress, "modes") as share:
        if not isinstance(linear, Linear):
            linear = linearise(linear, at, t=t, outputs=(), progress=share.tell, **options)
    worst = float(np.abs(linear.qdd).max(initial=0.0))
    if worst > AT_REST * (1 + float(np.abs(linear.A).max(initial=0.0))):
        name = linear.velocities[int(np.argmax(np.abs(linear.qdd)))]
        warn(
            f"the state is not an equilibrium, '{name}' accelerates by {worst:.3g}; find one with"
            " equilibrium(model) and pass it as at=",
        )
    return _modes(linear)


def _modes(linear: Linear) -> Modes:
    values, vectors = np.linalg.eig(linear.A)
    size = np.abs(values)
    values[size <= ZERO * size.max(initial=0.0)] = 0.0
    size = np.abs(values)
    rounding = 1e-9 * size.max(initial=0.0)
    kept = [k for k in range(len(values)) if values[k].imag >= -rounding]
    kept.sort(key=lambda k: (abs(values[k].imag), size[k], values[k].real))
    chosen = values[kept]
    chosen = np.where(np.abs(chosen.real) > 1e-13 * size.max(initial=0.0), chosen, 1j * chosen.imag)
    shapes = (linear.displacements @ vectors[:, kept]).T.astype(np.complex128)
    states = vectors[:, kept].T.astype(np.complex128)
    for k in range(len(kept)):
        pivot = shapes[k] if np.abs(shapes[k]).max(initial=0.0) > 0 else states[k]
        factor = pivot[int(np.argmax(np.abs(pivot)))]
        shapes[k], states[k] = shapes[k] / factor, states[k] / factor
    length = np.abs(chosen)
    with np.errstate(divide="ignore", invalid="ignore"):
        damping = np.where(length > rounding, 0.0 - chosen.real / length, 0.0)
    return Modes(
        chosen.astype(np.complex128),
        np.abs(chosen.imag) / (2 * np.pi),
        length / (2 * np.pi),
        damping,
        shapes,
        states,
        linear.velocities,
        linear,
    )
