"""One step of an explicit method as a Program, from the Program of forward dynamics.

The accelerations at the start of a step are part of the state, so the first stage costs nothing and
the last evaluation, at the end of the step, belongs to the next one.

Refs: Hairer1993 sec. II.1; Hairer2006 sec. I.1.2
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kinetree.engine import ZERO, Node, Rank, linear, number, substitute, symbol
from kinetree.formalism.links.linkage import linkage
from kinetree.formalism.matrices.placement import placement
from kinetree.program import Input, Program, Scheme
from kinetree.program.inline import bound, inline
from kinetree.steppers.equations.increments import Space, unit
from kinetree.steppers.equations.residual import dot

if TYPE_CHECKING:
    from kinetree.formalism import MechanismView
    from kinetree.model import Mechanism
    from kinetree.steppers.family import Family

State = tuple[list[Node], list[Node], list[Node]]
"""q, qd, x; or their rates."""


@dataclass(frozen=True)
class _Rates:
    """What forward dynamics gives at a state; q and qd are those that obey the loops."""

    q: list[Node]
    qd: list[Node]
    qdd: list[Node]
    xd: list[Node]
    lam: list[Node]


class Explicit:
    """A step being written."""

    def __init__(self, model: Mechanism, forward: Program) -> None:
        self.forward, self.space = forward, Space.of(_system(model))
        self.scheme = Scheme(f"{model.name}_step")
        self.known = {row.name: row for row in forward.inputs}
        self._rows: dict[str, Input] = {}
        names, states = tuple(model.velocities), tuple(model.states)
        self.q, self.qd = (list(self._own(name)) for name in ("q", "qd"))
        self.qdd = self._more("qdd", names)
        self.x, self.xd = list(self._own("x")), self._more("xd", states)
        lam = next((out.labels for out in forward.outputs if out.name == "lam"), ())
        self._more("lam", lam)
        self.t = self._own("t")[0] if "t" in self.known else ZERO
        self.h = symbol("h", Rank.PARAMETER)
        self.scheme.input(Input("h", (), (self.h,), None, False, ("h",), ("s",)))
        for name, row in self.known.items():
            if name == "tau":
                zeros = (0.0,) * len(names)
                self.scheme.input(Input("tau", row.shape, row.symbols, zeros, False, names))
            elif name not in self._rows:
                self._own(name)

    def _own(self, name: str) -> tuple[Node, ...]:
        if name not in self.known:
            return ()
        self._rows[name] = self.known[name]
        return self.scheme.input(self.known[name])

    def _more(self, name: str, labels: Sequence[str]) -> list[Node]:
        found = tuple(symbol(f"{name}_{label}", Rank.ACCELERATION) for label in labels)
        if found:
            self._rows[name] = Input(name, (len(found),), found, None, False, tuple(labels))
            self.scheme.input(self._rows[name])
        return list(found)

    def rates(self, q: list[Node], qd: list[Node], x: list[Node], t: Node) -> _Rates:
        """Evaluate forward dynamics."""
        found = inline(self.scheme, self.forward, bound(self.forward, q=q, qd=qd, x=x, t=(t,)))
        return _Rates(
            list(found.get("q_closed", q)), list(found.get("qd_closed", qd)), list(found["qdd"]),
            list(found.get("xd", ())), list(found.get("lam", ())),
        )  # fmt: skip

    def coordinate_rates(self, q: Sequence[Node], qd: Sequence[Node]) -> list[Node]:
        """N(q) qd."""
        N = self.known["q"].tangent
        if not N:
            return list(qd)
        own = dict(zip(self.known["q"].symbols, q, strict=True))
        return [dot(substitute(row, own), qd) for row in N]

    def write_end(self, q: list[Node], qd: list[Node], x: list[Node]) -> None:
        """Write the state at the end of the step."""
        for group in self.space.turning:
            for k, e in zip(group.e, unit(self.scheme, [q[k] for k in group.e]), strict=True):
                q[k] = e
        t = self.t + self.h if self.t is not ZERO else ZERO
        end = self.rates(q, qd, x, t)
        for name, values in (
            ("q", end.q), ("qd", end.qd), ("qdd", end.qdd), ("x", x), ("xd", end.xd),
            ("lam", end.lam),
        ):  # fmt: skip
            if values:
                row = self._rows[name]
                self.scheme.output(f"{name}_next", values, row.shape, row.labels)

    def euler(self) -> None:
        """Velocities first, positions with the new ones."""
        let, h = self.scheme.let, self.h
        qd = [let("qd_1", v + h * a) for v, a in zip(self.qd, self.qdd, strict=True)]
        by = [let("by", h * v) for v in qd]
        x = [let("x_1", x + h * y) for x, y in zip(self.x, self.xd, strict=True)]
        self.write_end(self.space.displace(self.scheme, self.q, by), qd, x)

    def runge_kutta(self, stages: Sequence[Sequence[float]]) -> None:
        """Stages one after the other, the last row is the end of the step."""
        slopes: list[State] = [(self.coordinate_rates(self.q, self.qd), self.qdd, self.xd)]
        start: State = (self.q, self.qd, self.x)
        for weights in stages[:-1]:
            q, qd, x = self._combine(start, slopes, weights)
            t = self.t + sum(weights) * self.h if self.t is not ZERO else ZERO
            found = self.rates(q, qd, x, t)
            slopes.append((self.coordinate_rates(found.q, found.qd), found.qdd, found.xd))
        self.write_end(*self._combine(start, slopes, stages[-1]))

    def _combine(self, start: State, slopes: Sequence[State], weights: Sequence[float]) -> State:
        let = self.scheme.let
        factors = [let("hw", self.h * number(w)) for w in weights]
        parts = [
            [
                let(
                    "stage",
                    linear(
                        0,
                        ((y, 1), *((f * k[i][j], 1) for f, k in zip(factors, slopes, strict=True))),
                    ),
                )
                for j, y in enumerate(row)
            ]
            for i, row in enumerate(start)
        ]
        return parts[0], parts[1], parts[2]


def _system(model: Mechanism) -> MechanismView:
    """The model as links, or as position matrices."""
    return placement(model.as_frames()) if model.by_matrices else linkage(model)


def explicit(model: Mechanism, forward: Program, family: Family) -> Program:
    """One step of an explicit method."""
    page = Explicit(model, forward)
    if family.stages:
        page.runge_kutta(family.stages)
    else:
        page.euler()
    return page.scheme.program()


__all__ = ["explicit"]
