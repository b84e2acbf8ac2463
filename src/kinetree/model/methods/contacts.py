"""The methods of a model that add contacts: spheres, wheels, tyres, profiles in a plane."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kinetree.errors import unknown
from kinetree.model.forces import FORCES, Force
from kinetree.model.laws import LawLike
from kinetree.model.methods.frictions import FrictionMethods
from kinetree.model.values import Scalar

if TYPE_CHECKING:
    from kinetree.model.methods.joints import Where


class ContactMethods(FrictionMethods):
    """``model.contact(name, body, road, …)`` and so on."""

    def contact(self, name: str, body: Where, road: Where, radius: Scalar, **data: Any) -> Force:
        """Contact of a sphere, or of a wheel where `axis` is given, with a road.

        Args:
            name: of the force.
            body: centre of the sphere or wheel.
            road: frame whose plane z = 0 is the road, or whose law `height` z(x, y, t) is.
            radius: of the sphere, or of the circle about the wheel's axis [m].
            **data: stiffness [N/m^exponent], exponent, dissipation [s/m], damping [N.s/m],
                friction, slip_speed [m/s], rolling_resistance, height, corrections; of a wheel
                also axis and crown [m].
        """
        kind = "contact_wheel" if "axis" in data or "crown" in data else "contact_sphere"
        return self.force(kind, name, (body, road), {"radius": radius, **data})

    def plane_contact(
        self,
        name: str,
        first: Where,
        second: Where,
        first_profile: Mapping[str, Any],
        second_profile: Mapping[str, Any],
        law: LawLike = "hunt_crossley",
        **data: Any,
    ) -> Force:
        """Contact of two profiles in a plane, with friction.

        Args:
            name: of the force.
            first: frame in whose x-y plane the profile of one body lies.
            second: the same of the other body; both planes coincide.
            first_profile: {"point": (x, y)}, {"circle": (x, y), "radius": r}, {"chain": …} or
                {"spline": …} [m]; see `kinetree.forces.plane.profiles`.
            second_profile: likewise.
            law: of the normal force: "linear", "hunt_crossley", "lankarani_nikravesh" or "felt", or
                an expression or function of `depth` [m] and `rate` [m/s] that gives it [N].
            **data: friction, slip_speed [m/s] or, of friction that sticks, stick_stiffness [N/m]
                and stick_time [s] (module `kinetree.forces.plane.rubbing`); thickness [m]; the
                arguments of the law (modules `kinetree.forces.normal_laws.LAW`).
        """
        given = {"first_profile": first_profile, "second_profile": second_profile, **data}
        if not isinstance(law, str):
            return self.force("plane_law", name, (first, second), {"law": law, **given})
        if f"plane_{law}" not in FORCES or law == "law":
            known = [k.removeprefix("plane_") for k in FORCES if k.startswith("plane_")]
            raise unknown("law of contacts", law, known, f"force '{name}'")
        return self.force(f"plane_{law}", name, (first, second), given)

    def tyre(
        self, name: str, wheel: Where, road: Where, radius: Scalar, law: str = "linear", **data: Any
    ) -> Force:
        """A tyre on a road: load, slip, and the forces of a tyre law.

        Args:
            name: of the force.
            wheel: centre of the wheel, on the body that spins; with spin=False on its carrier.
            road: frame whose plane z = 0 is the road, or whose law `height` z(x, y, t) is.
            radius: of the wheel without load [m].
            law: "linear", "calspan", "pacejka" or "pac2002".
            **data: stiffness [N/m], damping [N.s/m], axis, height, slow [m/s], spin, slip_at,
                depth, and the coefficients of the law (modules `kinetree.forces.tyres.tyre_LAW`).
        """
        return self.force(f"tyre_{law}", name, (wheel, road), {"radius": radius, **data})
