"""A fluid: what it weighs, how it yields to pressure, and how flows are counted.

With bulk modulus β of the liquid, share α of free air by volume at the pressure p_a, and pressures
absolute, the volume of a given mass falls with the pressure as

    -(dv/dp)/v_ref = 1/β + α p_a/p² = 1/β_eff

so that a pressure falls like that of the air alone where a volume is drawn out, and never reaches
zero.  Without air (α = 0) nothing keeps it from doing so.

| flows | are | then |
|---|---|---|
| mass | mass flows over the density at `reference` | masses and energies are kept exactly |
| volume | volumes, whatever the pressure, as in textbooks | a volume W/β of oil vanishes where |
|  | | the work W is lost in closed cycles of pistons |

With v = 1 - (p - p_ref)/β + α p_a (1/p - 1/p_ref), the volume over that at the reference, a flow
carries the energy per volume h = p_ref + ∫ v dp:

    h = p - (p - p_ref)²/(2β) + α p_a (ln(p/p_ref) - p/p_ref + 1)

and differences of h drive flows; with volume flows v = 1 and h = p.

Refs: Merritt1967 ch. 2 (bulk modulus with air)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kinetree.arguments import check_choice
from kinetree.engine import ONE, ZERO, Node, log
from kinetree.model import REQUIRED, Action, Belongings, Force, ForceKind

FLOWS = ("mass", "volume")


@dataclass(frozen=True)
class Oil:
    """What a fluid does at a pressure; `counted` says whether flows are masses."""

    name: str
    beta: Node
    air: Node
    reference: Node
    counted: bool

    def stiffness(self, p: Node) -> Node:
        """β_eff [Pa]."""
        return self.beta / (1 + self.air * self.beta / (p * p))

    def volume(self, p: Node) -> Node:
        """Volume over that at the reference."""
        if not self.counted:
            return ONE
        over = p - self.reference
        return 1 - over / self.beta + self.air * (1 / p - 1 / self.reference)

    def head(self, p: Node) -> Node:
        """Energy that a flow carries per volume [Pa]."""
        if not self.counted:
            return p
        over, ratio = p - self.reference, p / self.reference
        return p - over * over / (2 * self.beta) + self.air * (log(ratio) - ratio + 1)

    def pressure_rate(self, p: Node, V: Node, Vd: Node, flow: Node) -> Node:
        """dp/dt [Pa/s] of a volume V [m3] that grows by Vd [m3/s], by a flow into it.

        The mass over the density at the reference is V/v, and d(V/v)/dt = flow.
        """
        v = self.volume(p)
        return self.stiffness(p) * v / V * (v * flow - Vd)

    def compression(self, p: Node, V: Node) -> Node:
        """Energy of compression [J]: dE = h d(V/v) - p dV; of mass flows alone."""
        return V * (self.head(p) / self.volume(p) - p) if self.counted else ZERO


def oil_of(act: Action, force: Force) -> Oil:
    """The fluid of an element."""
    name = force.arguments["fluid"]
    air = act.value_of(name, "air") * act.value_of(name, "air_pressure")
    beta, reference = act.value_of(name, "bulk_modulus"), act.value_of(name, "reference")
    return Oil(name, beta, air, reference, act.word_of(name, "flows") == "mass")


def of_port(act: Action, port: str, name: str) -> Node:
    """A number of the fluid that is in a port."""
    return act.value_of(act.port(port).fluid, name)


def check(given: Mapping[str, Any], element: str) -> None:
    """Refuse other ways to count flows."""
    check_choice(f"{element} flows", given["flows"], FLOWS, "way to count flows")


def write(act: Action, force: Force) -> None:
    """A fluid has no equation by itself."""
    del act, force


KIND = ForceKind(
    "fluid",
    write,
    options={
        "density": REQUIRED, "bulk_modulus": REQUIRED, "viscosity": 0.0, "air": 0.005,
        "air_pressure": 1e5, "reference": 1e5, "flows": "mass",
    },
    places=0,
    scalars=("density", "bulk_modulus", "viscosity", "air", "air_pressure", "reference"),
    units={
        "density": "kg/m3", "bulk_modulus": "Pa", "viscosity": "Pa.s", "air": "1",
        "air_pressure": "Pa", "reference": "Pa",
    },
    check=check,
    work=(),
    belongings=Belongings(positive=("density", "bulk_modulus", "air_pressure", "reference")),
)  # fmt: skip
