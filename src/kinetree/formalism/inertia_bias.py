"""M, and M qdd + c at given accelerations, by every formalism that gives them.

Refs: Docquier2013 sec. 2.1.1, sec. 2.2.1
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kinetree.engine import Node, linear, mul
from kinetree.formalism import composite_bodies, lagrange, newton_euler, virtual_power
from kinetree.formalism.links.frames import Frames
from kinetree.formalism.links.vectors import Matrix

MassOperator = Matrix | Callable[[tuple[Node, ...]], list[Node]]
"""M, or the function that gives M times a vector."""
Build = Callable[[Frames, tuple[Node, ...], tuple[Node, ...]], tuple[MassOperator, list[Node]]]
"""(frames, qd, qdd) -> M, and M qdd + c."""


def _recursive(
    frames: Frames, qd: tuple[Node, ...], qdd: tuple[Node, ...]
) -> tuple[MassOperator, list[Node]]:
    """M by composite bodies, M qdd + c in one sweep by Newton-Euler."""
    return composite_bodies.mass_matrix(frames), newton_euler.inverse(frames, qd, qdd)


def _order_n(
    frames: Frames, qd: tuple[Node, ...], qdd: tuple[Node, ...]
) -> tuple[MassOperator, list[Node]]:
    """M times a vector, and M qdd + c, each in two sweeps: work grows with the number of links."""

    def weigh(accelerations: tuple[Node, ...]) -> list[Node]:
        return newton_euler.inertial(frames, accelerations)

    return weigh, newton_euler.inverse(frames, qd, qdd)


def _multiply_out(build: Callable[..., tuple[Matrix, list[Node]]]) -> Build:
    """M and M qdd + c from a formalism that gives M and c."""

    def whole(
        frames: Frames, qd: tuple[Node, ...], qdd: tuple[Node, ...]
    ) -> tuple[MassOperator, list[Node]]:
        M, c = build(frames, qd)
        terms = [[(mul(x, a), 1) for x, a in zip(row, qdd, strict=True)] for row in M]
        return M, [linear(0, ((x, 1), *row)) for x, row in zip(c, terms, strict=True)]

    return whole


INERTIA_AND_BIAS: Mapping[str, Build] = {
    "newton_euler": _recursive,
    "order_n": _order_n,
    "virtual_power": _multiply_out(virtual_power.mass_bias),
    "lagrange": _multiply_out(lagrange.mass_bias),
}
"""Formalism -> (frames, qd, qdd) to M and M qdd + c."""
