"""The methods of a model that add fluid power; how it works is said in the room `forces/fluid`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kinetree.model.forces import Force
from kinetree.model.laws import LawLike
from kinetree.model.methods.plastic import PlasticMethods
from kinetree.model.values import Scalar

if TYPE_CHECKING:
    from kinetree.model.methods.joints import Where
    from kinetree.model.parts import Joint


class FluidMethods(PlasticMethods):
    """``model.fluid(name, …)``, ``model.cylinder(name, first, second, …)`` and so on."""

    def fluid(self, name: str, density: Scalar, bulk_modulus: Scalar, **more: Any) -> Force:
        """What flows; volumes, accumulators, tanks and cylinders name it.

        Args:
            name: of the fluid.
            density: at the reference [kg/m3].
            bulk_modulus: of the liquid without air [Pa].
            **more: viscosity [Pa.s]; air, share of free air by volume (0.005) at air_pressure
                [Pa], which keeps pressures above zero; reference, pressure of the density [Pa];
                flows, how they are counted: "mass" (by default) or "volume".
        """
        given = {"density": density, "bulk_modulus": bulk_modulus, **more}
        return self.force("fluid", name, (), given)

    def fluid_volume(self, name: str, fluid: str, volume: Scalar, pressure: float = 1e5) -> Force:
        """Oil in a rigid volume, with the port NAME.

        Args:
            name: of the volume, its port and its state, the pressure [Pa].
            fluid: name of what is in it.
            volume: [m3].
            pressure: absolute, at the start [Pa].
        """
        given = {"fluid": fluid, "volume": volume, "pressure": pressure}
        return self.force("fluid_volume", name, (), given)

    def accumulator(
        self, name: str, fluid: str, volume: Scalar, pressure: Scalar, exponent: Scalar = 1.3
    ) -> Force:
        """Gas behind a membrane, with the port NAME: pressure·(volume)^exponent is kept.

        Args:
            name: of the accumulator, its port and its state, the gas volume over that at the start.
            fluid: name of what comes in.
            volume: of the gas at the start [m3].
            pressure: of the gas then, absolute [Pa].
            exponent: 1 isothermal, 1.4 adiabatic.
        """
        given = {"fluid": fluid, "volume": volume, "pressure": pressure, "exponent": exponent}
        return self.force("accumulator", name, (), given)

    def tank(self, name: str, fluid: str, pressure: Scalar = 1e5) -> Force:
        """A pressure that does not change, absolute [Pa], with the port NAME."""
        return self.force("tank", name, (), {"fluid": fluid, "pressure": pressure})

    def cylinder(
        self, name: str, first: Where, second: Where, fluid: str, bore: Scalar, **data: Any
    ) -> Force:
        """A double-acting cylinder between two points, with the ports NAME_cap and NAME_rod.

        Args:
            name: of the cylinder; its pressures are the states NAME_cap and NAME_rod [Pa].
            first: where its barrel is held.
            second: where its rod is held.
            fluid: name of what is in it.
            bore: diameter of the piston [m].
            **data: rod, its diameter [m]; length, distance of the points at which the chambers
                have cap_volume and rod_volume [m, m3]; stroke, half of it either way of that
                length [m]; cap_pressure and rod_pressure at the start, outside, the pressure
                around the rod (1e5) [Pa]; closed, "cap", "rod" or "both" where a chamber has no
                port.
        """
        given = {"fluid": fluid, "bore": bore, **data}
        return self.force("cylinder", name, (first, second), given)

    def fluid_line(  # noqa: PLR0913  one keyword per fact
        self,
        name: str,
        first: str,
        second: str,
        length: Scalar,
        diameter: Scalar,
        *,
        law: LawLike | None = None,
        flow: float = 0.0,
    ) -> Force:
        """A pipe between two ports: the oil in it has inertia and rubs.

        Args:
            name: of the pipe and its state, the flow from the first port to the second [m3/s].
            first: name of a port.
            second: name of another.
            length: of the pipe [m].
            diameter: of the pipe [m].
            law: further loss of pressure [Pa] as an expression or function of `flow`.
            flow: at the start [m3/s].
        """
        given = {"first": first, "second": second, "length": length, "diameter": diameter,
                 "law": law, "flow": flow}  # fmt: skip
        return self.force("fluid_line", name, (), given)

    def fluid_resistance(self, name: str, first: str, second: str, resistance: Scalar) -> Force:
        """A laminar resistance between two ports, drop over flow [Pa.s/m3]."""
        given = {"first": first, "second": second, "resistance": resistance}
        return self.force("fluid_resistance", name, (), given)

    def orifice(self, name: str, first: str, second: str, area: Scalar, **more: Scalar) -> Force:
        """A turbulent resistance between two ports.

        Args:
            name: of the orifice.
            first: name of a port.
            second: name of another.
            area: of the opening [m2].
            **more: coefficient of discharge (0.7); smooth, the drop well below which the flow is
                laminar (1e3) [Pa].
        """
        given = {"first": first, "second": second, "area": area, **more}
        return self.force("orifice", name, (), given)

    def check_valve(
        self, name: str, first: str, second: str, conductance: Scalar, **more: Scalar
    ) -> Force:
        """A valve that opens from the first port to the second.

        Args:
            name: of the valve.
            first: name of a port.
            second: name of another.
            conductance: flow per drop beyond the opening [m3/(Pa.s)].
            **more: leak, flow per drop of the closed valve [m3/(Pa.s)]; opening, the drop at which
                it opens [Pa].
        """
        given = {"first": first, "second": second, "conductance": conductance, **more}
        return self.force("check_valve", name, (), given)

    def pump(
        self, name: str, first: str, second: str, joint: Joint | str, displacement: Scalar
    ) -> Force:
        """A pump or motor without loss in a joint.

        Args:
            name: of the pump.
            first: name of the port from which it draws where the joint goes forward.
            second: name of the port into which it pumps.
            joint: a joint with one velocity, or the name of a velocity.
            displacement: flow per speed [m3/rad or m2].
        """
        given = {"first": first, "second": second, "joint": joint, "displacement": displacement}
        return self.force("pump", name, (), given)

    def fluid_source(self, name: str, first: str, second: str, law: LawLike) -> Force:
        """A flow from one port to another by a law of q, qd, t, x and outputs [m3/s]."""
        return self.force("fluid_source", name, (), {"first": first, "second": second, "law": law})
