"""The motion of bodies given by position matrices.

| Verlinden2005 | here | meaning |
|---|---|---|
| v_i, a_i, eqs. 36, 38 | v, a | of the centre of mass |
| ω_i, ω̇_i, eq. 37 | w, wd | angular velocity and acceleration |
| d^{i,j}, θ^{i,j}, eq. 5 | d, th | partial contributions of velocity j to v and w |

All in **body** components, in which the inertia tensor is constant.

Refs: Verlinden2005 secs. II, VI, eqs. 5, 36 to 38
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kinetree.engine import Node
from kinetree.formalism.links.vectors import NULL, Mat, Vec, mat3, vec3
from kinetree.formalism.matrices.named_derivatives import NamedDerivatives
from kinetree.formalism.matrices.transform_kinematics import Pair, ProductKinematics
from kinetree.program import Note, Scheme

if TYPE_CHECKING:
    from kinetree.formalism.matrices.placement import Placed, Placement


class BodyMotions:
    """The motion of all bodies, written into a scheme; what was written once is kept.

    Args:
        scheme: to write into.
        system: the position matrices.
        qdd: accelerations, of which `acceleration` depends; zero by default.
        base: acceleration of the ground in all accelerations.

    Attributes:
        values: names for expressions that are not differentiated: rotations, places, laws.
        walk: velocities and accelerations.
    """

    def __init__(
        self, scheme: Scheme, system: Placement, qdd: Sequence[Node] = (), base: Vec = NULL
    ) -> None:
        self.scheme, self.system = scheme, system
        self.values = NamedDerivatives(scheme, system)
        self.walk = ProductKinematics(NamedDerivatives(scheme, system, qdd), base)
        self._R: dict[str, Mat] = {}
        self._g: dict[str, Vec] = {}

    def body(self, name: str) -> Placed:
        """The body of that name."""
        return self.system.bodies[name]

    def rotation(self, name: str) -> Mat:
        """Rotation from body to ground components."""
        if name not in self._R:
            note = Note(name, "rotation", "Verlinden2005 eq. (1)", "1", "ground")
            flat = [x for row in self.body(name).R for x in row]
            found = self.values.name_all(f"{name}_R", flat, note)
            self._R[name] = mat3((found[0:3], found[3:6], found[6:9]))
        return self._R[name]

    def centre(self, name: str) -> Vec:
        """Place of the centre of mass, ground components."""
        if name not in self._g:
            note = Note(name, "centre of mass", "Verlinden2005 eq. (1)", "m", "ground")
            self._g[name] = vec3(self.values.name_all(f"{name}_e", self.body(name).g, note))
        return self._g[name]

    def contributions(self, name: str) -> dict[int, Pair]:
        """Velocity number -> (th, d) for the velocities that move the body."""
        return self.walk.contributions(self.body(name).steps)

    def velocity(self, name: str) -> Pair:
        """(w, v): angular velocity, and velocity of the centre of mass."""
        return self.walk.velocity(self.body(name).steps)

    def acceleration(self, name: str) -> Pair:
        """(wd, a): likewise."""
        return self.walk.acceleration(self.body(name).steps)
