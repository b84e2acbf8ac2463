"""The lump that has a body's mass and inertia: a rod, a disc, a ball or a box.

Uniform solids: a rod of half length l has k² = l²/3 about its middle, a disc of radius R and height
h has k_axis² = R²/2 and k_across² = R²/4 + h²/12, a ball k² = 2R²/5, a box of sides a, b, c
k_x² = (b² + c²)/12, with k the radius of gyration.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kinetree.arrays import Array
from kinetree.view.quaternions import quaternions
from kinetree.view.solids import Solid, along, part, rod

if TYPE_CHECKING:
    from kinetree.model import Body
    from kinetree.view.dimensions import Measures

LARGEST = 0.35
"""Largest half dimension of a lump, as a share of the mechanism's extent."""
ALIKE = 0.03


def lump(m: Measures, body: Body, joint: Array) -> list[Solid]:
    """Solids for a body on which nothing further hangs; `joint` is where it is held."""
    mass, com, inertia = m.mass(body)
    arm = com - joint
    reach = float(np.linalg.norm(arm))
    if mass <= 0 or (reach < 0.2 * m.radius and not inertia.any()):
        return [part("sphere", joint, radius=1.6 * m.radius)]
    if not body.physical:  # an effective inertia, which no solid has
        link = [rod(joint, com, m.radius)] if reach > 0.2 * m.radius else []
        return [*link, part("sphere", com, radius=2.5 * m.radius)]
    _, k2, axes = principal(m, body)
    half = float(np.sqrt(3 * k2.max()))
    if reach < 0.2 * m.radius or half > 1.5 * reach:
        link = [rod(joint, com, m.radius)] if reach > 0.2 * m.radius else []
        return [*link, solid(m, com, k2, axes)]
    if half > 0.3 * reach:
        return [rod(joint, com + arm * (half / reach), m.radius)]
    ball = float(np.clip(np.sqrt(2.5 * k2.max()), 3 * m.radius, max(3 * m.radius, 0.4 * reach)))
    return [rod(joint, com, m.radius), part("sphere", com, radius=ball)]


def solid(m: Measures, com: Array, k2: Array, axes: Array) -> Solid:
    """The uniform solid with squared radii of gyration k2 about principal axes (columns)."""
    largest = float(k2.max())
    if largest - k2.min() < ALIKE * largest:
        return part("sphere", com, radius=_fit(m, 2.5 * largest))
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        if abs(k2[i] - k2[j]) < ALIKE * largest:
            across, own = float(k2[i] + k2[j]) / 2, float(k2[k])
            height = 2 * _fit(m, 3 * (across - own / 2))
            return along("cylinder", com, axes[:, k], radius=_fit(m, 2 * own), length=height)
    return box(m, com, k2, axes)


def box(m: Measures, com: Array, k2: Array, axes: Array) -> Solid:
    """The uniform box with squared radii of gyration k2 about principal axes (columns)."""
    size = [2 * _fit(m, 1.5 * float(k2.sum() - 2 * k2[k])) for k in range(3)]
    right_handed = axes * np.sign(np.linalg.det(axes))
    return part("box", com, quaternions(right_handed), size=size)


def principal(m: Measures, body: Body) -> tuple[Array, Array, Array]:
    """Centre of mass, squared radii of gyration about principal axes, and these as columns."""
    mass, com, inertia = m.mass(body)
    k2, axes = np.linalg.eigh(inertia / mass if mass > 0 else 0 * inertia)
    return com, np.maximum(k2, 0.0), axes


def _fit(m: Measures, square: float) -> float:
    """A half dimension [m] within what can be seen."""
    return float(np.clip(np.sqrt(max(0.0, square)), m.radius, LARGEST * m.size))
