"""Loops as a step sees them: values, Jacobian and how both change, as Programs.

    g = h            of an equation between positions
    e = J qd + ht    of an equation between velocities
    f = J qdd + Jdqd

`value` gives h, J, ht, Jdqd; `slopes` gives the derivative of Jᵀw along der(q) = N(q) e_k, the
stiffness of the loops under forces w, and those of e and f.

Refs: Cuadrado2003 eqs. 1, 20; Docquier2013 sec. 2.2, eqs. 7 to 9
"""

from __future__ import annotations

from dataclasses import dataclass

from kinetree.engine import ZERO, Rank, symbol
from kinetree.formalism import QUANTITIES
from kinetree.formalism.links import Linkage
from kinetree.model import Mechanism, dot
from kinetree.program import Input, Program, Scheme
from kinetree.program.differentiate import forward
from kinetree.program.inline import inline
from kinetree.steppers.equations.residual import Residual, rows

ANGULAR = "rad/s"


@dataclass(frozen=True)
class StepLoops:
    """The equations of all closures.

    Attributes:
        system: the links.
        labels: "closure.component" of every equation.
        rates: numbers of those between velocities.
        value: outputs h, J, ht, Jdqd.
        slopes: further inputs w, qdd; outputs dG_dq (nv × nv), de_dq, df_dq, df_dqd
            (equations × nv).
    """

    system: Linkage
    labels: tuple[str, ...]
    rates: frozenset[int]
    value: Program
    slopes: Program


def loops(model: Mechanism, system: Linkage) -> StepLoops:
    """The loops of a model."""
    value = QUANTITIES["constraints"].derive(system, "recursive")
    labels = tuple(value.output("h").labels)
    between = set(value.info.get("rates", "").split(", "))
    rates = frozenset(k for k, label in enumerate(labels) if label in between)
    return StepLoops(system, labels, rates, value, loop_slopes(value, model.nv))


def angles(parts: Residual, found: StepLoops) -> list[int]:
    """Numbers of the free angles that change the loops."""
    n = parts.model.nv
    J = rows(found.value.output("J").nodes, n)
    units = parts.value.input("qd").units
    return [
        k
        for k in parts.free
        if units[k : k + 1] == (ANGULAR,) and any(row[k] is not ZERO for row in J)
    ]


def loop_slopes(value: Program, n: int, *, natural: bool = False) -> Program:
    """Derivatives of G = Jᵀw, e and f; of natural coordinates those of G and e by q alone."""
    scheme = Scheme(f"{value.name}_slopes")
    for row in value.inputs:
        scheme.input(row)
    w = tuple(symbol(f"w_{label}", Rank.FORCE) for label in value.output("h").labels)
    scheme.input(Input("w", (len(w),), w))
    found = inline(scheme, value, {})
    J = rows(found["J"], n)
    qd = value.input("qd").symbols if value.takes("qd") else (ZERO,) * n
    scheme.output("G", [dot([row[k] for row in J], w) for k in range(n)])
    scheme.output("e", [dot(row, qd) + ht for row, ht in zip(J, found["ht"], strict=True)])
    if natural:
        return forward(scheme.program(), ("G", "e"), "q", only=True)
    qdd = tuple(symbol(f"qdd_{k}", Rank.ACCELERATION) for k in range(n))
    scheme.input(Input("qdd", (n,), qdd))
    scheme.output("f", [dot(row, qdd) + x for row, x in zip(J, found["Jdqd"], strict=True)])
    return forward(scheme.program(), ("G", "e", "f"), ("q", "qd"), tangent=True, only=True)
