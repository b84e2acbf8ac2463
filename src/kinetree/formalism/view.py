"""What every formalism's view of a mechanism has, be it links or position matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from kinetree.engine import Node
    from kinetree.formalism.links.motion import LinkMotion
    from kinetree.model import Mechanism, ParameterTable


class MechanismView(Protocol):
    """Coordinates, velocities, run-time parameters, and the motions that tell their rates."""

    @property
    def model(self) -> Mechanism:
        """What it was made from."""

    @property
    def q(self) -> tuple[Node, ...]:
        """Symbols of the coordinates."""

    @property
    def qd(self) -> tuple[Node, ...]:
        """Symbols of the velocities."""

    @property
    def nv(self) -> int:
        """Number of velocities."""

    @property
    def table(self) -> ParameterTable:
        """The run-time parameters."""

    @property
    def motions(self) -> Sequence[LinkMotion]:
        """The elementary motions that coordinates make."""
