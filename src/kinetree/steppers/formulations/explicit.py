"""One step of an explicit method as a Program, from the Program of forward dynamics.

The accelerations at the start of a step are part of the state, so the first stage costs nothing and
the last evaluation, at the end of the step, belongs to the next one.

Refs: Hairer1993 sec. II.1; Hairer2006 sec. I.1.2
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kinetree.engine import Node, linear, number, substitute
from kinetree.formalism.links.linkage import linkage
from kinetree.formalism.matrices.placement import placement
from kinetree.model import Mechanism, dot
from kinetree.program import Program
from kinetree.program.inline import bindings, inline
from kinetree.steppers.equations.increments import IncrementSpace, unit
from kinetree.steppers.equations.step_inputs import StepInputs, StepState, declare_step

if TYPE_CHECKING:
    from kinetree.formalism import MechanismView
    from kinetree.steppers.family import Family

Parts = tuple[list[Node], list[Node], list[Node]]
"""q, qd, x; or their rates."""


@dataclass(frozen=True)
class ExplicitStep:
    """A step of an explicit method.

    Attributes:
        inputs: of the step.
        forward: forward dynamics, with loops also q and qd that obey them.
        space: the coordinates.
    """

    inputs: StepInputs
    forward: Program
    space: IncrementSpace


def explicit(model: Mechanism, forward: Program, family: Family) -> Program:
    """One step of an explicit method."""
    lam = next((out.labels for out in forward.outputs if out.name == "lam"), ())
    system: MechanismView = placement(model.as_frames()) if model.by_matrices else linkage(model)
    inputs = declare_step(model, forward, family, lam)
    step = ExplicitStep(inputs, forward, IncrementSpace.of(system))
    q, qd, x = _runge_kutta(step, family.stages) if family.stages else _euler(step)
    for group in step.space.turning:
        for k, e in zip(group.e, unit(inputs.scheme, [q[k] for k in group.e]), strict=True):
            q[k] = e
    inputs.write(_evaluate(step, q, qd, x, inputs.time()))
    return inputs.scheme.program()


def _evaluate(
    step: ExplicitStep, q: list[Node], qd: list[Node], x: list[Node], t: Node
) -> StepState:
    """Forward dynamics at a state; q and qd are those that obey the loops."""
    values = bindings(step.forward, q=q, qd=qd, x=x, t=(t,))
    found = inline(step.inputs.scheme, step.forward, values)
    qdd, xd = found["qdd"], found.get("xd", ())
    q_closed, qd_closed = found.get("q_closed", q), found.get("qd_closed", qd)
    return StepState(q_closed, qd_closed, qdd, x, xd, qdd, xd, found.get("lam", ()))


def _rates(step: ExplicitStep, at: StepState) -> Parts:
    """N(q) qd, qdd, xd."""
    row = step.inputs.rows["q"]
    own = dict(zip(row.symbols, at.q, strict=True))
    turned = [dot(substitute(line, own), at.qd) for line in row.tangent] if row.tangent else at.qd
    return list(turned), list(at.qdd), list(at.xd)


def _euler(step: ExplicitStep) -> Parts:
    """Velocities first, positions with the new ones."""
    let, h, start = step.inputs.scheme.let, step.inputs.h, step.inputs.start
    qd = [let("qd_1", v + h * a) for v, a in zip(start.qd, start.qdd, strict=True)]
    by = [let("by", h * v) for v in qd]
    x = [let("x_1", x + h * y) for x, y in zip(start.x, start.xd, strict=True)]
    return step.space.displace(step.inputs.scheme, start.q, by), qd, x


def _runge_kutta(step: ExplicitStep, stages: Sequence[Sequence[float]]) -> Parts:
    """Stages one after the other, the last row is the end of the step."""
    slopes = [_rates(step, step.inputs.start)]
    for weights in stages[:-1]:
        found = _evaluate(step, *_combine(step, slopes, weights), step.inputs.time(sum(weights)))
        slopes.append(_rates(step, found))
    return _combine(step, slopes, stages[-1])


def _combine(step: ExplicitStep, slopes: Sequence[Parts], weights: Sequence[float]) -> Parts:
    """y₀ + h Σ wᵢ kᵢ of all parts of the state."""
    let, start = step.inputs.scheme.let, step.inputs.start
    factors = [let("hw", step.inputs.h * number(w)) for w in weights]
    q, qd, x = (
        [
            let(
                "stage",
                linear(
                    0, ((y, 1), *((f * row[j], 1) for f, row in zip(factors, rows, strict=True)))
                ),
            )
            for j, y in enumerate(part)
        ]
        for part, rows in zip((start.q, start.qd, start.x), zip(*slopes, strict=True), strict=True)
    )
    return q, qd, x
