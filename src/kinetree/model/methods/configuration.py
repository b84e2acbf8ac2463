"""Configurations: ``model.integrate``, ``difference``, ``random``, ``clip`` and ``limits``.

Coordinates q (nq) and velocities (nv) differ in number where there are quaternions; what adds a
velocity to a configuration or tells two apart must know that.  Leading axes are batches.
"""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.arguments import arrays_of_size, check_arguments, check_positive, show
from kinetree.arrays import Array
from kinetree.errors import ModelError, ShapeError
from kinetree.model.configuration import difference, retract, straight_parts, turning_parts, unit
from kinetree.model.mechanism import Mechanism
from kinetree.model.topology import leader_of

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import ArrayLike

    from kinetree.model.parts import Limits


@dataclass(frozen=True)
class CoordinateLimits:
    """Bounds of a mechanism as arrays; infinite where there are none.

    Attributes:
        lower, upper: smallest and largest q, nq each [rad or m].
        velocity: largest |qd|, nv [rad/s or m/s].
        effort: largest |tau|, nv [N.m or N].
    """

    lower: Array
    upper: Array
    velocity: Array
    effort: Array


class ConfigurationMethods(Mechanism):
    """Motions on the configuration manifold, and limits as arrays."""

    def integrate(self, q: ArrayLike, step: ArrayLike) -> Array:
        """The configuration after constant velocities: q "plus" step.

        Args:
            q: (…, nq) coordinates.
            step: (…, nv) velocities times a time, such as qd * h: angles [rad], displacements [m].
        """
        return retract(self, *arrays_of_size(self.nq, q=q), *arrays_of_size(self.nv, step=step))

    def difference(self, start: ArrayLike, end: ArrayLike) -> Array:
        """The velocities that lead from one configuration to another in 1 s: end "minus" start.

        Args:
            start: (…, nq) coordinates.
            end: (…, nq) coordinates; quaternions are reached by the shorter of two ways.
        """
        return difference(self, *arrays_of_size(self.nq, start=start, end=end))

    def limits(self) -> CoordinateLimits:
        """The limits of the joints as arrays.

        Bounds of a joint hold for each of its angles and displacements; quaternions, and positions
        of free joints, have none.  Joints that follow another bound that one.
        """
        lower, upper = np.full(self.nq, -np.inf), np.full(self.nq, np.inf)
        velocity, effort = np.full(self.nv, np.inf), np.full(self.nv, np.inf)
        starts = _starts(self)
        straight = set(straight_parts(self)[0])
        for joint in self.joints.values():
            if joint.limits is None or not joint.motions:
                continue
            leader, ratio, offset = leader_of(self, joint)
            kq, kv = starts[leader.name]
            for k in set(range(kq, kq + leader.nq)) & straight:
                low, high = _bounds(joint.limits, ratio, offset)
                lower[k], upper[k] = max(lower[k], low), min(upper[k], high)
            rates = slice(kv, kv + leader.nv)
            if joint.limits.velocity is not None and ratio:
                velocity[rates] = np.minimum(velocity[rates], joint.limits.velocity / abs(ratio))
            if joint.limits.effort is not None and joint is leader:
                effort[rates] = joint.limits.effort
        return CoordinateLimits(lower, upper, velocity, effort)

    def clip(self, q: ArrayLike) -> Array:
        """The nearest coordinates within the limits; quaternions get unit length.

        Args:
            q: (…, nq) coordinates.
        """
        bounds = self._bounds()
        (given,) = arrays_of_size(self.nq, q=q)
        out: Array = np.clip(given, bounds.lower, bounds.upper)
        for at, _ in turning_parts(self):
            out[..., at.start : at.start + 4] = unit(out[..., at][..., :4])
        return out

    def random(
        self, seed: int | Generator | None = None, shape: int | Sequence[int] = (),
        *, span: float = 1.0,
    ) -> Array:  # fmt: skip
        """Random configurations within the limits, every orientation equally likely.

        Args:
            seed: a number for the same ones every time, or a generator of NumPy.
            shape: leading axes, such as 1000; by default one configuration.
            span: without a bound, angles are drawn from -π to π and displacements from -span to
                span [m]; with one bound, as far from that.
        """
        given = {"seed": seed, "shape": shape, "span": span}
        check_arguments(ConfigurationMethods.random, given)
        check_positive("a positive length [m]", span=span)
        lead: tuple[Any, ...] = (shape,) if isinstance(shape, int) else tuple(shape)
        counts = lead if seed is None or isinstance(seed, np.random.Generator) else (*lead, seed)
        if not all(isinstance(k, numbers.Integral) and int(k) >= 0 for k in counts):
            raise ShapeError(
                f"they are {show(seed)} and {show(shape)}",
                element="seed and shape",
                cure="give whole numbers that are not negative",
            )
        bounds = self._bounds()
        units = [unit for joint in self.leaders for unit in joint.q_units]
        free = np.array([np.pi if unit == "rad" else span for unit in units], dtype=float)
        low, high = bounds.lower, bounds.upper
        low = np.where(np.isfinite(low), low, np.where(np.isfinite(high), high - 2 * free, -free))
        high = np.where(np.isfinite(high), high, low + 2 * free)
        draw = np.random.default_rng(seed)
        out: Array = low + (high - low) * draw.random((*lead, self.nq))
        for at, _ in turning_parts(self):
            out[..., at.start : at.start + 4] = unit(draw.normal(size=(*lead, 4)))
        return out

    def _bounds(self) -> CoordinateLimits:
        """The limits; refused where nothing lies between two bounds."""
        bounds = self.limits()
        for name, low, high in zip(self.coordinates, bounds.lower, bounds.upper, strict=True):
            if low > high:
                raise ModelError(
                    f"its bounds {low:g} and {high:g} leave nothing between them",
                    element=f"coordinate '{name}'",
                    cure="correct the limits of its joint and of those that follow it",
                )
        return bounds


def _starts(model: Mechanism) -> dict[str, tuple[int, int]]:
    """Joint -> where its coordinates and velocities begin."""
    found, kq, kv = {}, 0, 0
    for joint in model.leaders:
        found[joint.name] = (kq, kv)
        kq, kv = kq + joint.nq, kv + joint.nv
    return found


def _bounds(limits: Limits, ratio: float, offset: float) -> tuple[float, float]:
    """Bounds of q of the leader, of a joint at ratio·q + offset."""
    low = -np.inf if limits.lower is None else limits.lower - offset
    high = np.inf if limits.upper is None else limits.upper - offset
    if ratio == 0:
        return -np.inf, np.inf
    ends = (low / ratio, high / ratio)
    return min(ends), max(ends)
