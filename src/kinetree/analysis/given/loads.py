"""What acts from outside during an analysis: joint efforts tau and external wrenches.

Each is a constant or a Python function of (t, q, qd); efforts may be given for some velocities
only, by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinetree.arguments import is_finite, is_row, show
from kinetree.arrays import Array
from kinetree.errors import ShapeError, unknown
from kinetree.model import Mechanism

LoadLaw = Callable[[float, Array, Array], Any]
"""(t, q, qd) -> values."""


@dataclass(frozen=True)
class Loads:
    """Efforts and wrenches of a run.

    Attributes:
        fixed: input name -> values that do not change; tau and every wrench.
        laws: input name -> (number of the component or none for all, law).
    """

    fixed: dict[str, Array]
    laws: tuple[tuple[str, int | None, LoadLaw], ...] = ()

    @property
    def constant(self) -> bool:
        """Whether nothing changes during a run."""
        return not self.laws

    @property
    def acting(self) -> tuple[str, ...]:
        """Names of the wrenches that a law gives, or that are not zero."""
        laws = {name for name, _, _ in self.laws}
        rows = self.fixed.items()
        return tuple(name for name, row in rows if name != "tau" and (name in laws or row.any()))

    def at(self, t: float, q: Array, qd: Array) -> dict[str, Array]:
        """Values of tau and the wrenches at one moment."""
        if not self.laws:
            return self.fixed
        now = {name: values.copy() for name, values in self.fixed.items()}
        for name, component, law in self.laws:
            try:
                if component is None:
                    now[name][:] = law(t, q, qd)
                else:
                    now[name][component] = law(t, q, qd)
            except (TypeError, ValueError) as error:
                raise _bad_law(name, now[name].size if component is None else 1, error) from error
        return now

    def along(self, t: Array, q: Array, qd: Array) -> dict[str, Array]:
        """Values at many moments, one row each; constants as one row."""
        if not self.laws:
            return self.fixed
        rows = [self.at(float(a), b, c) for a, b, c in zip(t, q, qd, strict=True)]
        return {name: np.array([row[name] for row in rows]) for name in self.fixed}


def loads(model: Mechanism, tau: Any = None, wrenches: Mapping[str, Any] | None = None) -> Loads:
    """The loads that a user describes.

    Args:
        model: the mechanism.
        tau: none (zero), nv numbers, a function of (t, q, qd), or a mapping from velocity names to
            numbers or functions [N.m or N].
        wrenches: name -> six numbers [torque; force] or a function of (t, q, qd) [N.m, N].
    """
    fixed = {"tau": np.zeros(model.nv)}
    fixed |= {name: np.zeros(6) for name in model.wrenches}
    laws: list[tuple[str, int | None, LoadLaw]] = []
    if isinstance(tau, Mapping):
        for name, value in tau.items():
            if name not in model.velocities:
                raise unknown("velocity", name, model.velocities, "tau")
            component = model.velocities.index(name)
            if callable(value):
                laws.append(("tau", component, value))
            elif is_finite(value):
                fixed["tau"][component] = float(value)
            else:
                raise ShapeError(
                    f"the effort along '{name}' is {show(value)}",
                    element="tau",
                    cure="give a finite number, or a function of (t, q, qd)",
                )
    elif tau is not None:
        _take("tau", tau, fixed, laws)
    for name, value in (wrenches or {}).items():
        if name not in model.wrenches:
            raise unknown("wrench", name, model.wrenches, "wrenches")
        _take(name, value, fixed, laws)
    return Loads(fixed, tuple(laws))


def _take(
    name: str, value: Any, fixed: dict[str, Array], laws: list[tuple[str, int | None, LoadLaw]]
) -> None:
    if callable(value):
        laws.append((name, None, value))
        return
    if not is_row(value) or np.size(value) != fixed[name].size:
        raise ShapeError(
            f"it must be {fixed[name].size} finite numbers, but is {show(value)}",
            element=name if name == "tau" else f"wrenches, '{name}'",
            cure="give constant values, or a function of (t, q, qd)",
        )
    fixed[name] = np.asarray(value, dtype=float)


def _bad_law(name: str, size: int, error: Exception) -> ShapeError:
    return ShapeError(
        f"the function gives no values that fit ({error})",
        element=name,
        cure=f"return {size} number{'s' if size > 1 else ''} from a function of (t, q, qd)",
    )
