"""Force of a compressed contact and friction on it.

With the depth δ [m] and its rate δd [m/s]:

    F = max(0, k δ^e (1 + a δd) + d δd)   where δ > 0, else 0

d = 0 gives the law of Hunt and Crossley: a [s/m] is their 3/2 α, so a = 3/2 (1 - ε)/v for a
coefficient of restitution ε near one at the impact speed v.  e = 1, a = 0 is a spring with a
parallel damper d [N.s/m], whose force jumps by d δd at touching.  F never pulls.

Friction opposes the sliding velocity u [m/s], regularised by the speed s:

    F_t = -μ F u/√(u² + s²)

Refs: HuntCrossley1975
"""

from __future__ import annotations

from dataclasses import dataclass

from kinetree.engine import ZERO, Node, number, power, sqrt
from kinetree.forces.branches import positive, select
from kinetree.model import NULL, Action, Vec, dot, minus, times

TINY = 1e-30
"""Keeps the slope of a square root finite at zero [m]."""


@dataclass(frozen=True, slots=True)
class Compression:
    """k [N/m^e], exponent e, a [s/m] and d [N.s/m] of the law above."""

    stiffness: Node
    exponent: float
    dissipation: Node
    damping: Node

    def force(self, depth: Node, rate: Node) -> Node:
        """F [N] at the depth δ and its rate."""
        inside = positive(depth)
        spring = self.stiffness * raise_depth(inside, self.exponent)
        total = spring * (1 + self.dissipation * rate) + self.damping * rate
        plain = self.dissipation is ZERO and self.damping is ZERO
        return spring if plain else select(depth, positive(total), ZERO)


def raise_depth(depth: Node, exponent: float) -> Node:
    """depth**exponent of a depth that is zero or more, with a finite slope at zero."""
    whole = int(exponent)
    if exponent == whole:
        return power(depth, whole)
    if exponent == whole + 0.5:
        return power(depth, whole) * sqrt(depth + TINY)
    return power(depth, number(exponent))


def friction(load: Node, sliding: Vec, coefficient: Node, slow: Node) -> Vec:
    """Force [N] against a sliding velocity in the tangent plane."""
    if coefficient is ZERO:
        return NULL
    return times(-(coefficient * load) / sqrt(dot(sliding, sliding) + slow * slow), sliding)


def rolling_torque(load: Node, turning: Vec, arm: Node, slow: Node) -> Vec:
    """Torque [N.m] against rolling: arm·load, against the part of w in the tangent plane.

    Args:
        load: normal force [N].
        turning: angular velocity in the tangent plane [rad/s].
        arm: coefficient of rolling resistance times radius [m].
        slow: angular velocity that regularises it [rad/s].
    """
    if arm is ZERO:
        return NULL
    return times(-(arm * load) / sqrt(dot(turning, turning) + slow * slow), turning)


def tangential(v: Vec, n: Vec) -> Vec:
    """The part of v perpendicular to the unit vector n."""
    return minus(v, times(dot(v, n), n))


def compression(act: Action, exponent: float) -> Compression:
    """The law with the element's scalars."""
    dissipation, damping = act.value("dissipation"), act.value("damping")
    return Compression(act.value("stiffness"), exponent, dissipation, damping)
