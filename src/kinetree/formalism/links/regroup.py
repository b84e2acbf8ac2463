"""Base parameters: mass properties regrouped towards the ground, where that saves operations.

What lies on the axis of a revolute joint moves with the parent just as well: the part of a link
that is a rod on its axis (mass m, first moment h_k along the axis, equal transverse moments J)
can be referred to the parent without changing any equation of motion.  Likewise the whole inertia
tensor of a link that only translates, and the mass of a link on a ball joint.  What arrives at
the ground vanishes.  Seven parameters remain per revolute link, found from the joint structure
alone.

| Khalil1987 | here |
|---|---|
| XX_R = XX - YY, YY_R = 0, MZ_R = 0, M_R = 0 | rod (m, h_k, J = I_jj) taken off the link |
| regrouped on link j-1 | rod turned, referred to the parent's origin and added |

A move helps when the receiving link has these parameters anyway and hurts when it had none (the
massless frames inside a joint, say).  So each possible move is a decision, and
`cheapest_regrouping` keeps those that lower the number of products in the Newton–Euler equations
(`cost`).

Refs: Khalil1987; Docquier2013 sec. 2.1
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kinetree.arrays import Array
from kinetree.engine import ZERO, number
from kinetree.formalism.links.frames import Properties
from kinetree.formalism.links.linkage import Link, Linkage, rotate, rotate_tensor
from kinetree.formalism.links.motion import AxisMotion
from kinetree.formalism.links.regroup_cost import Regrouping, cheapest_regrouping, possible
from kinetree.formalism.links.vectors import (
    NULL_TENSOR,
    Sym,
    Vec,
    plus,
    steiner,
    tensor_plus,
    times,
    vec3,
)

DIAGONAL = (0, 1, 2)


def regroup(system: Linkage, *, all_moves: bool = False) -> Linkage:
    """The same mechanism with base parameters; its equations of motion are unchanged.

    Args:
        system: the linkage.
        all_moves: make every possible move, which leaves the minimal set of parameters, instead
            of those moves only that save operations.
    """
    links = [replace(link) for link in system.links]
    steady = steady_axes(system) if all_moves else [None] * len(links)
    moves = [possible(link) for link in links] if all_moves else cheapest_regrouping(system)
    for i in system.inward():
        link = links[i]
        link.h = _without(link.h, steady[i])
        kept, taken = split(link, moves[i])
        link.m, link.h, link.I = kept
        if link.parent:
            load(links[link.parent], refer(taken, link.R0, link.r))
    return replace(system, links=tuple(links))


def steady_axes(system: Linkage) -> list[Array | None]:
    """Link -> the one direction about which it ever turns, in its frame; None where there is none.

    Up to the second revolute axis that is not parallel to the first, links turn about a direction
    that stands still: a first moment along it feels no motion and no change of gravity.
    """
    axes: list[Array | None] = [np.zeros(3)]
    for link in system.links[1:]:
        before, motion = axes[link.parent], link.motion
        if before is None or not isinstance(motion, AxisMotion):
            axes.append(None)
            continue
        axis = link.R0.T @ before
        own = np.eye(3)[motion.k]
        if motion.turn is ZERO or np.allclose(np.abs(axis), own, rtol=0, atol=1e-12):
            axes.append(axis)
        else:
            axes.append(own if not axis.any() else None)
    return axes


def _without(h: Vec, axis: Array | None) -> Vec:
    """A first moment less its part along an axis, where that leaves fewer components."""
    if axis is None or not axis.any():
        return h
    present = {k for k in range(3) if h[k] is not ZERO}
    j = int(np.argmax(np.abs(axis)))
    if len((present | set(np.flatnonzero(axis))) - {j}) >= len(present):
        return h
    share = [number(x) for x in (axis / axis[j]).tolist()]
    return vec3(h[k] - share[k] * h[j] for k in range(3))


def split(link: Link, moves: Regrouping) -> tuple[Properties, Properties]:
    """(what stays on the link, what moves to the parent), both about the link's origin."""
    motion = link.motion
    k = motion.k if isinstance(motion, AxisMotion) else 0
    m = link.m if moves.mass else ZERO
    h: Vec = tuple(x if moves.moment and a == k else ZERO for a, x in enumerate(link.h))  # type: ignore[assignment]
    taken: Sym = NULL_TENSOR
    if moves.tensor:
        taken = link.I
    elif moves.rod:
        j = (k + 2) % 3  # the transverse moment that becomes zero
        taken = tuple(link.I[j] if a in DIAGONAL and a != k else ZERO for a in range(6))  # type: ignore[assignment]
    left = (
        link.m - m,
        tuple(a - b for a, b in zip(link.h, h, strict=True)),
        tuple(a - b for a, b in zip(link.I, taken, strict=True)),
    )
    return left, (m, h, taken)  # type: ignore[return-value]


def refer(part: Properties, R: Array, p: Vec) -> Properties:
    """Mass properties about the origin of a frame, seen from another: turned by R, shifted by p.

    Args:
        part: mass, first moment and inertia about the origin of the frame, in its components.
        R: maps components in the frame to those in the other.
        p: origin of the frame in the other.
    """
    m, h, inertia = part
    h_p = rotate(R, h)
    I_p = rotate_tensor(R, inertia)
    h_at = plus(h_p, times(m, p)) if m is not ZERO else h_p
    return m, h_at, tensor_plus(I_p, steiner(m, h_p, p))


def load(link: Link, part: Properties) -> None:
    """Add mass properties about a link's origin to the link."""
    m, h, inertia = part
    link.m = link.m + m
    link.h = plus(link.h, h)
    link.I = tensor_plus(link.I, inertia)
