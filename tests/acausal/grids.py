"""Circuits of any size: ladders of resistors and capacitors, grids of resistors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from kinetree.acausal import Component, connect, parameter, part, setting
from kinetree.arrays import Array
from kinetree.library import electrical as el


class Ladder(Component):
    """n sections: a resistor along, a capacitor to the ground."""

    n = setting(3)
    source, ground = part(el.ConstantVoltage, V=5.0), part(el.Ground)

    def setup(self) -> None:
        self.R = [el.Resistor(R=1e3) for _ in range(self.n)]
        self.C = [el.Capacitor(C=1e-6) for _ in range(self.n)]

    def equations(self) -> Iterator[Any]:
        yield connect(self.source.n, self.ground.p)
        pin = self.source.p
        for R, C in zip(self.R, self.C, strict=True):
            yield connect(pin, R.p)
            yield connect(R.n, C.p)
            yield connect(C.n, self.ground.p)
            pin = R.n


class Varistor(el.TwoPin):
    """i = v/R + k v³."""

    R, k = parameter(1e3, "ohm"), parameter(1e-3, "A/V3")

    def law(self) -> Iterator[Any]:
        yield self.i == self.v / self.R + self.k * self.v**3


class Grid(Component):
    """n by n nodes with a part between every two neighbours; a source from corner to corner."""

    n, kind = setting(4), setting(el.Resistor)
    source, ground = part(el.ConstantVoltage, V=5.0), part(el.Ground)

    def setup(self) -> None:
        self.R = [self.kind(R=R) for _, _, R in branches(self.n)]

    def equations(self) -> Iterator[Any]:
        nodes: list[list[Any]] = [[] for _ in range(self.n**2)]
        nodes[0].append(self.source.p)
        nodes[-1] += [self.source.n, self.ground.p]
        for R, (a, b, _) in zip(self.R, branches(self.n), strict=True):
            nodes[a].append(R.p)
            nodes[b].append(R.n)
        for ends in nodes:
            yield connect(*ends)


def branches(n: int) -> list[tuple[int, int, float]]:
    """(node, node, resistance [ohm]) of a grid."""
    pairs = [(i * n + j, i * n + j + 1) for i in range(n) for j in range(n - 1)]
    pairs += [(a, a + n) for a in range(n * n - n)]
    return [(a, b, 1e3 + 7.0 * k) for k, (a, b) in enumerate(pairs)]


def potentials(n: int, k: float = 0.0) -> Array:
    """Potentials of the nodes by nodal analysis and Newton's method in full matrices [V].

    Args:
        n: nodes along a side.
        k: of the branch currents v/R + k v³ [A/V3].
    """
    a, b, R = (np.array(column) for column in zip(*branches(n), strict=True))
    a, b = a.astype(int), b.astype(int)
    v, last = np.linspace(5.0, 0.0, n * n), n * n - 1
    for _ in range(50):
        u = v[a] - v[b]
        current, slope = u / R + k * u**3, 1 / R + 3 * k * u**2
        h, J = np.zeros(n * n), np.zeros((n * n, n * n))
        np.add.at(h, a, current)
        np.add.at(h, b, -current)
        for rows, columns, sign in ((a, a, 1), (b, b, 1), (a, b, -1), (b, a, -1)):
            np.add.at(J, (rows, columns), sign * slope)
        J[0], J[last] = np.eye(n * n)[0], np.eye(n * n)[last]
        h[0], h[last] = v[0] - 5.0, v[last]
        v = v - np.linalg.solve(J, h)
    return v
