"""Operation counts: what it takes to evaluate a set of Nodes, each once.

The convention every target follows: a sum of k terms takes k - 1 additions; a coefficient other
than ±1 one multiplication; x**n the multiplications of repeated squaring; all negative exponents of
a monomial together one division; a sign change is counted only where no addition can absorb it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields

from kinetree.engine.node import Node
from kinetree.engine.ops import ADD, MUL, NUM, SYM
from kinetree.engine.walk import topological


@dataclass(frozen=True, slots=True)
class OperationCount:
    """Operations per evaluation; subtractions are in `add`, selections and look-ups in `call`."""

    add: int = 0
    mul: int = 0
    div: int = 0
    neg: int = 0
    call: int = 0

    def __add__(self, other: OperationCount) -> OperationCount:
        sums = (getattr(self, f.name) + getattr(other, f.name) for f in fields(self))
        return OperationCount(*sums)

    @property
    def total(self) -> int:
        """All operations, one each: ROBOTRAN's convention."""
        return self.add + self.mul + self.div + self.neg + self.call


def count_nodes(nodes: Iterable[Node]) -> OperationCount:
    """Operations of exactly these Nodes, not of what is below them."""
    add = mul = div = neg = call = 0
    for node in nodes:
        op = node.op
        if op is ADD:
            terms = len(node.args) + (node.value != 0)
            add += terms - 1
            mul += sum(1 for c in node.coefs if abs(c) != 1)
            neg += node.value == 0 and all(c == -1 for c in node.coefs)
        elif op is MUL:
            m, d = _monomial(node.coefs)
            mul += m
            div += d
        elif op is not NUM and op is not SYM:
            call += 1
    return OperationCount(add, mul, div, neg, call)


def _monomial(exps: tuple[int, ...]) -> tuple[int, int]:
    """(multiplications, divisions) of a monomial."""
    above = [e for e in exps if e > 0]
    below = [-e for e in exps if e < 0]
    inside = sum(power_multiplications(e) for e in above + below)
    joins = max(len(above) - 1, 0) + max(len(below) - 1, 0)
    return inside + joins, 1 if below else 0


def power_multiplications(n: int) -> int:
    """Multiplications of x**n by repeated squaring, n > 0."""
    return n.bit_length() - 1 + n.bit_count() - 1


def count(roots: Iterable[Node]) -> OperationCount:
    """Operations to evaluate the roots, every shared Node once."""
    return count_nodes(topological(roots))
