"""A double-acting cylinder between two points: cap chamber, piston with a rod, rod chamber.

With l the distance of the points, s = length - l the way that it is closed beyond the `length` at
which both chambers have their given volumes, A the area of the bore and A_r that less the rod's:

    V_cap = cap_volume - A s,   V_rod = rod_volume + A_r s
    dp/dt = β_eff v/V (v q - dV/dt)  in either chamber, q the flow into it
    force = p_cap A - p_rod A_r - p_out (A - A_r),  pushes the points apart

p_out is the pressure around the rod.  The ports are NAME_cap and NAME_rod; a chamber without one is
named by `closed`.  Beyond half the stroke either way a run ends: event NAME_end.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from kinetree.arguments import check_choice
from kinetree.engine import Node, add, maximum
from kinetree.errors import ModelError
from kinetree.forces.fluid.oil import Oil, oil_of
from kinetree.model import (
    REQUIRED,
    Action,
    Belongings,
    FlowPort,
    Force,
    ForceKind,
    Offer,
    OwnState,
    Work,
)

CHAMBERS = ("_cap", "_rod")


def write(act: Action, force: Force) -> None:
    """Push both points apart; both pressures are states."""
    oil, seen = oil_of(act, force), act.between(*force.points)
    area, ring = (act.let(name, x) for name, x in zip(("area", "ring"), _areas(act), strict=True))
    s, rate = act.let("closed", act.value("length") - seen.length), seen.speed
    volumes = act.value("cap_volume") - area * s, act.value("rod_volume") + ring * s
    grows = area * rate, -ring * rate
    p = [_open(act, oil, force.name + end, V, Vd)
         for end, V, Vd in zip(CHAMBERS, volumes, grows, strict=True)]  # fmt: skip
    push = act.let("push", p[0] * area - p[1] * ring - act.value("outside") * (area - ring))
    act.pull(seen, -push)
    act.tell(
        lambda: {
            "force": push, "length": seen.length, "rate": rate, "closed": s,
            "left": act.value("stroke") / 2 - maximum(s, -s),
            "cap_pressure": p[0], "rod_pressure": p[1],
            "stored": add(*(oil.compression(x, V) for x, V in zip(p, volumes, strict=True))),
        }
    )  # fmt: skip


def _areas(act: Action) -> tuple[Node, Node]:
    """Area of the bore, and that less the rod's [m2]."""
    bore, rod = act.value("bore"), act.value("rod")
    return math.pi / 4 * bore * bore, math.pi / 4 * (bore * bore - rod * rod)


def _open(act: Action, oil: Oil, name: str, V: Node, Vd: Node) -> Node:
    """Open the port of a chamber of volume V that grows by Vd; its pressure."""
    p, stem = act.state(name), name.rpartition("_")[2]
    V, Vd = act.let(f"{stem}_volume", V), act.let(f"{stem}_grows", Vd)
    head = act.let(f"{stem}_head", oil.head(p))
    act.open_port(name, FlowPort(oil.name, p, head, lambda q: oil.pressure_rate(p, V, Vd, q)))
    return p


def check(given: Mapping[str, Any], element: str) -> None:
    """Refuse rods as thick as the bore and chambers without volume at the end of the stroke."""
    check_choice(f"{element} closed", given["closed"], ("", "cap", "rod", "both"), "chamber")
    words = ("bore", "rod", "stroke", "cap_volume", "rod_volume")
    if not all(isinstance(given[word], int | float) for word in words):
        return  # parameters, whose values may change
    bore, rod, stroke, cap, ring = (float(given[word]) for word in words)
    if not 0 <= rod < bore:
        raise ModelError(
            f"its rod of {rod:g} m does not fit its bore of {bore:g} m",
            element=element,
            cure="give a rod thinner than the bore",
        )
    areas = math.pi / 4 * bore**2, math.pi / 4 * (bore**2 - rod**2)
    for word, V, A in zip(words[3:], (cap, ring), areas, strict=True):
        if A * stroke / 2 >= V:
            raise ModelError(
                f"its {word} of {V:g} m3 is used up within half the stroke, which displaces "
                f"{A * stroke / 2:.4g} m3",
                element=element,
                cure=f"give a larger {word}, or a shorter stroke",
            )


def _pressures(name: str, given: Mapping[str, Any]) -> tuple[OwnState, ...]:
    both = zip(CHAMBERS, ("cap_pressure", "rod_pressure"), strict=True)
    return tuple(OwnState(name + end, given[word], "Pa") for end, word in both)


KIND = ForceKind(
    "cylinder",
    write,
    options={
        "fluid": REQUIRED, "bore": REQUIRED, "rod": 0.0, "length": REQUIRED, "stroke": REQUIRED,
        "cap_volume": REQUIRED, "rod_volume": REQUIRED, "cap_pressure": 1e5, "rod_pressure": 1e5,
        "outside": 1e5, "closed": "",
    },
    scalars=("bore", "rod", "length", "stroke", "cap_volume", "rod_volume", "outside"),
    units={
        "bore": "m", "rod": "m", "length": "m", "stroke": "m", "cap_volume": "m3",
        "rod_volume": "m3", "cap_pressure": "Pa", "rod_pressure": "Pa", "outside": "Pa",
    },
    check=check,
    outputs=(
        Offer("force", "N"), Offer("length", "m"), Offer("rate", "m/s"), Offer("closed", "m"),
        Offer("left", "m"), Offer("cap_pressure", "Pa"), Offer("rod_pressure", "Pa"),
        Offer("stored", "J"),
    ),
    work=(Work(),),
    belongings=Belongings(
        states=_pressures, ports=CHAMBERS, lasts="left",
        positive=("bore", "length", "stroke", "cap_volume", "rod_volume"),
    ),
)  # fmt: skip
