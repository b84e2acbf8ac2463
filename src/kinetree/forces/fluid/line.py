"""A pipe from the first port to the second: the oil in it has inertia and rubs.

    ρ L/A dq/dt = h_first - h_second - 128 μ L/(π d⁴) q - law(q),   A = π d²/4

`law` is any further loss as an expression of `flow` [m3/s], such as a valve; it opposes the flow
where it has its sign.  The oil in the pipe does not yield: count half of it with either port.

Refs: Merritt1967 ch. 3 (laminar flow in pipes)
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from kinetree.forces.fluid.branches import ENDS, FLOWING, drop, pass_on
from kinetree.forces.fluid.oil import of_port
from kinetree.model import REQUIRED, Action, Belongings, Force, ForceKind, Offer, OwnState


def write(act: Action, force: Force) -> None:
    """The flow is a state."""
    q, L, d = act.state(force.name), act.value("length"), act.value("diameter")
    first = force.arguments["first"]
    area = math.pi / 4 * d * d
    inertance = act.let("inertance", of_port(act, first, "density") * L / area)
    resistance = act.let(
        "resistance", 8 * math.pi * of_port(act, first, "viscosity") * L / (area * area)
    )
    over, loss = drop(act, force), act.let("resists", resistance * q + act.law("law", flow=q))
    act.give_rate(force.name, (over - loss) / inertance)
    pass_on(act, force, q)
    act.tell(
        lambda: {
            "flow": q, "drop": over, "loss": loss * q, "stored": inertance * q * q / 2,
        }
    )  # fmt: skip


def _flow(name: str, given: Mapping[str, Any]) -> tuple[OwnState, ...]:
    return (OwnState(name, given["flow"], "m3/s"),)


KIND = ForceKind(
    "fluid_line",
    write,
    options={**ENDS, "length": REQUIRED, "diameter": REQUIRED, "law": None, "flow": 0.0},
    places=0,
    scalars=("length", "diameter"),
    laws=("law",),
    variables=("flow",),
    units={"length": "m", "diameter": "m", "flow": "m3/s"},
    outputs=(*FLOWING, Offer("stored", "J")),
    work=(),
    belongings=Belongings(states=_flow, joins=("first", "second"), positive=("length", "diameter")),
)
