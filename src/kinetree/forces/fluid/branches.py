"""Losses without inertia between two ports: what flows from the first to the second.

With Δ the difference of the heads h of both ports, about that of their pressures:

    fluid_resistance:  q = Δ/resistance                                        laminar
    orifice:           q = c A √(2/ρ) Δ/(Δ² + Δ_s²)^¼       turbulent, laminar well below Δ_s
    check_valve:       q = leak·Δ + conductance·max(Δ - opening, 0)

Each takes the power q Δ out of the fluid and never gives any.

Refs: Merritt1967 ch. 3 (orifices)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kinetree.engine import Node, maximum
from kinetree.forces.fluid.oil import of_port
from kinetree.functions import sqrt
from kinetree.model import REQUIRED, Action, Belongings, Force, ForceKind, Offer

ENDS = {"first": REQUIRED, "second": REQUIRED}
FLOWING = (Offer("flow", "m3/s"), Offer("drop", "Pa"), Offer("loss", "W"))


def drop(act: Action, force: Force) -> Node:
    """Difference of the heads of both ports."""
    first, second = (act.port(force.arguments[end]) for end in ENDS)
    return act.let("drop", first.head - second.head)


def pass_on(act: Action, force: Force, flow: Node) -> None:
    """Take a flow from the first port to the second."""
    act.supply(force.arguments["first"], -flow)
    act.supply(force.arguments["second"], flow)


def branch(law: Callable[[Action, Force, Node], Node]) -> Callable[[Action, Force], None]:
    """How an element is written whose flow follows from the drop."""

    def write(act: Action, force: Force) -> None:
        over = drop(act, force)
        flow = act.let("flow", law(act, force, over))
        pass_on(act, force, flow)
        act.tell(lambda: {"flow": flow, "drop": over, "loss": flow * over})

    return write


def orifice_flow(area: Any, over: Any, density: Any, small: Any) -> Any:
    """Flow through an orifice of that effective area, smooth at zero; components use it, too."""
    return area * over * sqrt(2 / density) / sqrt(sqrt(over * over + small * small))


def _laminar(act: Action, _: Force, over: Node) -> Node:
    return over / act.value("resistance")


def _turbulent(act: Action, force: Force, over: Node) -> Node:
    small, density = act.value("smooth"), of_port(act, force.arguments["first"], "density")
    wide = act.value("coefficient") * act.value("area")
    flow: Node = orifice_flow(wide, over, density, small)
    return flow


def _one_way(act: Action, _: Force, over: Node) -> Node:
    above = maximum(over - act.value("opening"), 0)
    return act.value("leak") * over + act.value("conductance") * above


RESISTANCE = ForceKind(
    "fluid_resistance",
    branch(_laminar),
    options={**ENDS, "resistance": REQUIRED},
    places=0,
    scalars=("resistance",),
    units={"resistance": "Pa.s/m3"},
    outputs=FLOWING,
    work=(),
    belongings=Belongings(joins=("first", "second"), positive=("resistance",)),
)
ORIFICE = ForceKind(
    "orifice",
    branch(_turbulent),
    options={**ENDS, "area": REQUIRED, "coefficient": 0.7, "smooth": 1e3},
    places=0,
    scalars=("area", "coefficient", "smooth"),
    units={"area": "m2", "coefficient": "1", "smooth": "Pa"},
    outputs=FLOWING,
    work=(),
    belongings=Belongings(joins=("first", "second"), positive=("area", "coefficient", "smooth")),
)
CHECK_VALVE = ForceKind(
    "check_valve",
    branch(_one_way),
    options={**ENDS, "conductance": REQUIRED, "leak": 0.0, "opening": 0.0},
    places=0,
    scalars=("conductance", "leak", "opening"),
    units={"conductance": "m3/(Pa.s)", "leak": "m3/(Pa.s)", "opening": "Pa"},
    outputs=FLOWING,
    work=(),
    belongings=Belongings(joins=("first", "second"), positive=("conductance",)),
)
