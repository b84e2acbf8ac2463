"""Models of joints: bodies on a tree, closures of its loops, drives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kinetree.door import guard_methods
from kinetree.model import check as checks
from kinetree.model import position_matrices, topology
from kinetree.model.methods.closures import ClosureMethods
from kinetree.model.methods.joints import JointMethods
from kinetree.model.values import LOOP_TOLERANCE, Scalar, loop_gap

if TYPE_CHECKING:
    from kinetree.model.check import Finding
    from kinetree.model.closures import Closure, Drive
    from kinetree.model.frame_model import FrameModel
    from kinetree.model.parts import Joint
    from kinetree.model.topology import Tree


@guard_methods
class Model(JointMethods, ClosureMethods):
    """A mechanism of joints, beside what every `Mechanism` has.

    Attributes:
        joints: name -> Joint; their order numbers the coordinates.
        closures: name -> Closure; their order numbers the constraints.
        drives: coordinate -> Drive.
        loop_tolerance: largest gap of a loop that counts as closed [m, m2 or 1], see `close.md`.
    """

    def __init__(
        self,
        name: str,
        gravity: Sequence[Scalar] = (0, 0, -9.81),
        *,
        loop_tolerance: float = LOOP_TOLERANCE,
    ) -> None:
        super().__init__(name, gravity)
        self.joints: dict[str, Joint] = {}
        self.closures: dict[str, Closure] = {}
        self.drives: dict[str, Drive] = {}
        self.loop_tolerance = loop_tolerance

    @property
    def loop_tolerance(self) -> float:
        """Largest gap of a loop that counts as closed [m, m2 or 1].

        Raise it above the rounding of the data where loops hold more equations than they need: by
        that much these contradict each other.  Whatever closes, sorts or checks loops obeys it.
        """
        return self._loop_tolerance

    @loop_tolerance.setter
    def loop_tolerance(self, value: float) -> None:
        """Set it, from 1e-11 to below 0.01."""
        self._loop_tolerance = loop_gap(value, "loop_tolerance")

    def tree(self) -> Tree:
        """The topology, ground first, parents before children; an error when it is no tree."""
        return topology.tree(self)

    def as_frames(self) -> FrameModel:
        """The same mechanism given by position matrices; an error where loops keep it from it."""
        return position_matrices.from_joints(self)

    def findings(self) -> tuple[Finding, ...]:
        """Every problem of the model, all at once: errors, warnings, notes."""
        return checks.findings(self)
