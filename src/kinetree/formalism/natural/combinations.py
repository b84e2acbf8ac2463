"""Points and directions as combinations of natural vectors.

A natural vector is a point, or a direction of unit length, whose three ground components are
coordinates.  Whatever is fixed in a body is a combination Σ c V of natural vectors; the
coefficients c are constant, or known functions of the time behind a driven joint, so

    value Σ c V,    rate Σ c V̇ + ċ V,    second rate Σ c V̈ + 2 ċ V̇ + c̈ V

Refs: GarciaDeJalon1994; Cuadrado2003 sec. 2
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kinetree.engine import ONE, ZERO, Node, linear, mul
from kinetree.formalism.links.vectors import NULL, Vec, vec3

Jet = tuple[Node, Node, Node]
"""A known function of the time with its rate and its second rate."""
STILL: Jet = (ONE, ZERO, ZERO)


def constant(c: Node) -> Jet:
    """A coefficient that does not change."""
    return (c, ZERO, ZERO)


def jet_product(a: Jet, b: Jet) -> Jet:
    """a b with its rates."""
    return (
        mul(a[0], b[0]),
        mul(a[1], b[0]) + mul(a[0], b[1]),
        mul(a[2], b[0]) + 2 * mul(a[1], b[1]) + mul(a[0], b[2]),
    )


def jet_sum(a: Jet, b: Jet) -> Jet:
    """a + b with its rates."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@dataclass(frozen=True)
class Natural:
    """A natural vector.

    Attributes:
        label: "link.axis" or "link.origin".
        at: number of its first component among the coordinates; -1 for axes of the ground.
        q, qd, qdd: components and their rates.
    """

    label: str
    at: int
    q: Vec
    qd: Vec
    qdd: Vec


@dataclass(frozen=True)
class Sum:
    """Σ c V over natural vectors."""

    terms: Mapping[Natural, Jet]

    def plus(self, other: Sum) -> Sum:
        """The sum of two combinations."""
        found = dict(self.terms)
        for v, c in other.terms.items():
            found[v] = jet_sum(found[v], c) if v in found else c
        return Sum({v: c for v, c in found.items() if any(x is not ZERO for x in c)})

    def times(self, factor: Jet) -> Sum:
        """Its multiple."""
        if factor[0] is ZERO and factor[1] is ZERO and factor[2] is ZERO:
            return NOTHING
        return Sum({v: jet_product(c, factor) for v, c in self.terms.items()})

    def minus(self, other: Sum) -> Sum:
        """The difference of two combinations."""
        return self.plus(other.times(constant(-ONE)))

    @property
    def moving(self) -> dict[Natural, Jet]:
        """The terms that hold coordinates."""
        return {v: c for v, c in self.terms.items() if v.at >= 0}

    @property
    def value(self) -> Vec:
        """Ground components."""
        return self._add((c[0], v.q) for v, c in self.terms.items())

    @property
    def rate(self) -> Vec:
        """Rate of the ground components."""
        return self._add(self._first())

    def _first(self) -> list[tuple[Node, Vec]]:
        rows = [(c[0], v.qd) for v, c in self.terms.items()]
        return rows + [(c[1], v.q) for v, c in self.terms.items()]

    @property
    def drift(self) -> Vec:
        """What of the rate does not depend on rates of coordinates."""
        return self._add((c[1], v.q) for v, c in self.terms.items())

    @property
    def second(self) -> Vec:
        """Second rate of the ground components."""
        rows = [(c[0], v.qdd) for v, c in self.terms.items()]
        return self._add([*rows, *self._bias()])

    @property
    def bias(self) -> Vec:
        """What of the second rate does not depend on second rates of coordinates."""
        return self._add(self._bias())

    def _bias(self) -> list[tuple[Node, Vec]]:
        rows = [(2 * c[1], v.qd) for v, c in self.terms.items()]
        return rows + [(c[2], v.q) for v, c in self.terms.items()]

    @staticmethod
    def _add(rows: Iterable[tuple[Node, Vec]]) -> Vec:
        kept = [(c, v) for c, v in rows if c is not ZERO]
        if not kept:
            return NULL
        return vec3(linear(0, tuple((mul(c, v[i]), 1) for c, v in kept)) for i in range(3))


NOTHING = Sum({})


def one(v: Natural) -> Sum:
    """A natural vector by itself."""
    return Sum({v: STILL})
