"""Ports with a pressure of their own: oil in a rigid volume, gas behind a membrane, a tank.

With the fluid's volume v(p) over that at the reference, and β_eff of `oil`:

    fluid_volume:  dp/dt = β_eff v²/V · q
    accumulator:   p = p_0 y^-n,  V_0 dy/dt = -v(p) q,  y the gas volume over V_0
    tank:          p is given

where q is the sum of all flows into the port, counted as the fluid says.  The oil in an accumulator
counts with the volume that it came from: it is not compressed further.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinetree.engine import ZERO, Node, exp, log
from kinetree.forces.fluid.oil import oil_of
from kinetree.model import REQUIRED, Action, Belongings, FlowPort, Force, ForceKind, Offer, OwnState


def write_volume(act: Action, force: Force) -> None:
    """The pressure is a state."""
    oil, p, V = oil_of(act, force), act.state(force.name), act.value("volume")
    act.open_port(
        force.name,
        FlowPort(
            oil.name, p, act.let("head", oil.head(p)), lambda q: oil.pressure_rate(p, V, ZERO, q)
        ),
    )
    act.tell(lambda: {"pressure": p, "stored": oil.compression(p, V)})


def write_gas(act: Action, force: Force) -> None:
    """The share of its gas volume is a state; it gives the pressure."""
    oil, y = oil_of(act, force), act.state(force.name)
    V, p0, n = (act.value(word) for word in ("volume", "pressure", "exponent"))
    p = act.let("pressure", p0 * exp(-n * log(y)))

    def rate(q: Node) -> Node:
        return -oil.volume(p) * q / V

    act.open_port(force.name, FlowPort(oil.name, p, act.let("head", oil.head(p)), rate))
    act.tell(lambda: {"pressure": p, "volume": V * y})


def write_tank(act: Action, force: Force) -> None:
    """A pressure that nothing changes."""
    oil, p = oil_of(act, force), act.value("pressure")
    act.open_port(force.name, FlowPort(oil.name, p, oil.head(p)))


def _pressure(name: str, given: Mapping[str, Any]) -> tuple[OwnState, ...]:
    return (OwnState(name, given["pressure"], "Pa"),)


def _share(name: str, _: Mapping[str, Any]) -> tuple[OwnState, ...]:
    return (OwnState(name, 1.0, "1"),)


VOLUME = ForceKind(
    "fluid_volume",
    write_volume,
    options={"fluid": REQUIRED, "volume": REQUIRED, "pressure": 1e5},
    places=0,
    scalars=("volume",),
    units={"volume": "m3", "pressure": "Pa"},
    outputs=(Offer("pressure", "Pa"), Offer("stored", "J")),
    work=(),
    belongings=Belongings(states=_pressure, ports=("",), positive=("volume",)),
)
ACCUMULATOR = ForceKind(
    "accumulator",
    write_gas,
    options={"fluid": REQUIRED, "volume": REQUIRED, "pressure": REQUIRED, "exponent": 1.3},
    places=0,
    scalars=("volume", "pressure", "exponent"),
    units={"volume": "m3", "pressure": "Pa", "exponent": "1"},
    outputs=(Offer("pressure", "Pa"), Offer("volume", "m3")),
    work=(),
    belongings=Belongings(states=_share, ports=("",), positive=("volume", "pressure", "exponent")),
)
TANK = ForceKind(
    "tank",
    write_tank,
    options={"fluid": REQUIRED, "pressure": 1e5},
    places=0,
    scalars=("pressure",),
    units={"pressure": "Pa"},
    work=(),
    belongings=Belongings(ports=("",), positive=("pressure",)),
)
