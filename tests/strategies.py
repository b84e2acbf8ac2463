"""Hypothesis strategies: numbers, rotations, physical inertias, trees of joints, seeds."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hypothesis import strategies as st
from tests import zoo

if TYPE_CHECKING:
    from collections.abc import Sequence

numbers = st.floats(-1.0, 1.0, allow_nan=False, allow_infinity=False, width=32)
angles = st.floats(-3.0, 3.0, allow_nan=False, width=32)
masses = st.floats(0.125, 4.0, width=32)
rotor_inertias = st.floats(0.0625, 2.0, width=32)
vectors = st.tuples(numbers, numbers, numbers)
seeds = st.integers(0, 2**16)


@st.composite
def directions(draw: st.DrawFn) -> zoo.Vector:
    """Unit vectors: an axis of the frame as often as a general direction."""
    if draw(st.booleans()):
        return draw(st.sampled_from(zoo.AXES))
    x = draw(vectors.filter(lambda v: math.hypot(*v) > 0.1))
    return zoo.unit(x)


@st.composite
def rotations(draw: st.DrawFn) -> zoo.Matrix:
    """Rotation matrices: the identity as often as a general one."""
    if draw(st.booleans()):
        return zoo.IDENTITY
    return zoo.matrix(zoo.rotation_about(draw(directions()), draw(angles)))


@st.composite
def inertias(draw: st.DrawFn, mass: float) -> tuple[float, ...]:
    """Inertia of four point masses that do not lie on one line, about their centre of mass."""
    spread = draw(st.lists(vectors, min_size=2, max_size=2))
    corners = [(0.3, 0.0, 0.0), (0.0, 0.2, 0.0), (0.0, 0.0, 0.1), (-0.1, -0.1, -0.1)]
    return zoo.physical_inertia([*corners, *spread], mass)


@st.composite
def links(draw: st.DrawFn, kind: str, parent: int, rotors: bool = True) -> zoo.Link:
    """One joint of a kind and its body, with a rotor as often as not where they are wanted."""
    axis = draw(directions())
    least = min(range(3), key=lambda k: abs(axis[k]))
    x, y, z = axis
    a, b, c = zoo.AXES[least]
    mass = draw(masses)
    return zoo.Link(
        kind=kind,
        parent=parent,
        axis=axis,
        second=zoo.unit((y * c - z * b, z * a - x * c, x * b - y * a)),
        pitch=draw(st.floats(0.0625, 0.5, width=32)),
        steps=draw(st.sampled_from(zoo.SEQUENCES)),
        position=draw(vectors),
        rotation=draw(rotations()),
        child_position=draw(st.just((0.0, 0.0, 0.0)) | vectors),
        child_rotation=draw(rotations()),
        mass=mass,
        com=draw(vectors),
        inertia=draw(inertias(mass)),
        armature=draw(st.just(0.0) | rotor_inertias) if rotors else 0.0,
    )


@st.composite
def trees(
    draw: st.DrawFn,
    max_size: int = 5,
    kinds: Sequence[str] = zoo.KINDS,
    base: str = "",
    rotors: bool = True,
) -> list[zoo.Link]:
    """Lists of links for `zoo.build`, smallest first; `base` fixes the kind of the first joint.

    At least one joint moves; `rotors` says whether joints may have armatures.
    """
    moving = [k for k in kinds if k != "fixed"]
    found = []
    for i in range(draw(st.integers(1, max_size))):
        kind = (base or draw(st.sampled_from(moving))) if i == 0 else draw(st.sampled_from(kinds))
        found.append(draw(links(kind, draw(st.integers(-1, i - 1)), rotors)))
    return found
