"""The force methods of a model, one per kind: what each means to the one who builds.

The methods only name the kind; its row in the force table says how it is written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.arguments import check_arguments, show
from kinetree.errors import ModelError, unknown
from kinetree.model.forces import FORCES, Force
from kinetree.model.laws import (
    LawLike,
    force_law_names,
    trace,
)
from kinetree.model.methods.fluid import FluidMethods
from kinetree.model.outputs import with_outputs
from kinetree.model.values import Scalar, scalar

if TYPE_CHECKING:
    from kinetree.model.methods.joints import Where
    from kinetree.model.parts import Joint

ZEROS = (0, 0, 0)


class ForceMethods(FluidMethods):
    """``model.spring(name, first, second, …)`` and so on, one method per force kind."""

    def spring(
        self,
        name: str,
        first: Where,
        second: Where,
        stiffness: Scalar,
        length: Scalar = 0,
        damping: Scalar = 0,
    ) -> Force:
        """A linear spring and damper between two points.

        Args:
            name: of the force.
            first: where it is attached at one end.
            second: and at the other.
            stiffness: [N/m].
            length: at which the spring is at rest [m].
            damping: [N.s/m], against the rate of the length.
        """
        given = {"stiffness": stiffness, "length": length, "damping": damping}
        return self.force("link", name, (first, second), given)

    def link(
        self,
        name: str,
        first: Where,
        second: Where,
        law: LawLike | None = None,
        *,
        energy: LawLike | None = None,
        axis: Any = None,
        **spring: Scalar,
    ) -> Force:
        """A force along the line of two points, positive [N] where it draws them together.

        Args:
            name: of the force.
            first: where it acts at one end.
            second: and at the other, oppositely.
            law: of the present `length` [m] and its `rate` [m/s], of q, qd, t, x and points.
            energy: [J] of the present `length`: its slope is added to the force, and it counts as
                potential energy.
            axis: direction in the frame of the first place along which length and force are taken
                instead, through the second place: a face that is pushed.
            **spring: stiffness, length and damping of a spring beside it, as of `spring`.
        """
        if law is None and energy is None and not spring:
            cure = "give law, or energy"
            raise ModelError("it has no law", element=f"force '{name}'", cure=cure)
        given = {"law": law, "energy": energy, "axis": axis, **spring}
        return self.force("link", name, (first, second), given)

    def joint_spring(
        self,
        name: str,
        joint: Joint | str,
        stiffness: Scalar,
        rest: Scalar = 0,
        damping: Scalar = 0,
    ) -> Force:
        """A spring and damper in a joint: -stiffness·(q - rest) - damping·qd.

        Args:
            name: of the force.
            joint: a joint with one coordinate, or the name of a coordinate.
            stiffness: [N.m/rad or N/m].
            rest: q at which it is at rest [rad or m].
            damping: [N.m.s/rad or N.s/m].
        """
        given = {"joint": joint, "stiffness": stiffness, "rest": rest, "damping": damping}
        return self.force("joint_spring", name, (), given)

    def joint_friction(
        self, name: str, joint: Joint | str, coulomb: Scalar = 0, **more: Scalar
    ) -> Force:
        """Dry and viscous friction in a joint, smooth near rest.

        Args:
            name: of the force.
            joint: a joint with one velocity, or the name of a velocity.
            coulomb: friction of steady sliding [N.m or N].
            **more: viscous [N.m.s/rad or N.s/m]; smooth, the speed within which friction grows
                [rad/s or m/s]; static, what is added to coulomb near rest, and stribeck, the
                speed at which that has fallen to 1/e.
        """
        return self.force("joint_friction", name, (), {"joint": joint, "coulomb": coulomb, **more})

    def stop(  # noqa: PLR0913  one keyword per fact
        self,
        name: str,
        joint: Joint | str | None = None,
        lower: LawLike | None = None,
        upper: LawLike | None = None,
        restitution: Scalar = 0.0,
        *,
        gap: LawLike | None = None,
        points: Mapping[str, Where] | None = None,
        **more: Scalar,
    ) -> Force:
        """A stop: bounds of a joint, or a gap that never becomes negative.

        Args:
            name: of the force, and of its mode: 0 apart, 1 in contact; with two bounds the modes
                are NAME_lower and NAME_upper.
            joint: a joint with one coordinate, or the name of a coordinate.
            lower: its least value [rad or m]; a number, or an expression or function of t.
            upper: its largest value, likewise.
            restitution: share of the speed that an impact gives back, from 0 to 1.
            gap: in place of a joint, an expression or function of q, t and points [m or rad].
            points: label -> place, of the points that the gap speaks of; points["label"] has p
                and R: place and rotation, ground components.
            **more: shortest, the time below which a bounce ends in contact [s], by default 1e-5.
        """
        element = f"force '{name}'"
        check_arguments(ForceMethods.stop, {"points": points}, element)
        if (joint is None) == (gap is None):
            said = "it has no joint and no gap" if gap is None else "it has a joint and a gap"
            cure = "give a joint with lower or upper, or a gap"
            raise ModelError(said, element=element, cure=cure)
        data = {"restitution": restitution, **more}
        if gap is None:
            if points is not None:
                raise ModelError(
                    "points are for a gap", element=element, cure="leave them out, or give gap"
                )
            given = {"joint": joint, "lower": lower, "upper": upper}
            return self.force("joint_stop", name, (), {**given, **data})
        if lower is not None or upper is not None:
            raise ModelError(
                "lower and upper are bounds of a joint", element=element, cure="leave them out"
            )
        kind = "gap_stop" if points is None else "point_stop"
        return self.force(kind, name, points or {}, {"gap": gap, **data})

    def stop_at_limits(
        self, joints: Sequence[str] | None = None, restitution: Scalar = 0.0
    ) -> list[Force]:
        """Make the bounds of joints stops, called NAME_stop; without this they are data alone.

        Args:
            joints: names of joints with one coordinate; by default all of those that have bounds
                and do not follow another.
            restitution: as for `stop`.
        """
        check_arguments(ForceMethods.stop_at_limits, {"joints": joints}, "stop_at_limits")
        bounded = {
            joint.name: joint.limits
            for joint in self.leaders
            if joint.nq == 1 and joint.limits and joint.limits.is_bound
        }
        made = []
        for name in bounded if joints is None else joints:
            if name not in bounded:
                raise unknown("joint with bounds", name, bounded, "stop_at_limits")
            lower, upper = bounded[name].lower, bounded[name].upper
            made.append(self.stop(f"{name}_stop", name, lower, upper, restitution))
        return made

    def joint_law(
        self,
        name: str,
        joint: Joint | str,
        law: LawLike | None = None,
        *,
        energy: LawLike | None = None,
    ) -> Force:
        """Any effort in a joint: an actuator, a controller, a gravity balancer.

        Args:
            name: of the force.
            joint: a joint with one velocity, or the name of a velocity.
            law: of q, qd, t, x [N.m or N], positive along the velocity.
            energy: [J] of the coordinate of the joint: minus its slope is added, and it counts as
                potential energy.
        """
        given = {"joint": joint, "law": law, "energy": energy}
        return self.force("joint_law", name, (), given)

    def bushing(
        self,
        name: str,
        first: Where,
        second: Where,
        stiffness: Sequence[Scalar],
        rotation: Sequence[Scalar] = ZEROS,
        **damping: Sequence[Scalar],
    ) -> Force:
        """Six springs and dampers between two frames, along the axes of the first.

        Args:
            name: of the force.
            first: frame along whose axes the springs stand.
            second: frame that coincides with the first when the bushing is at rest.
            stiffness: along x, y, z of the first frame [N/m].
            rotation: torsional stiffness about them [N.m/rad].
            **damping: damping [N.s/m] and rotation_damping [N.m.s/rad], three values each.
        """
        given = {"stiffness": stiffness, "rotation": rotation, **damping}
        return self.force("bushing", name, (first, second), given)

    def external(
        self,
        name: str,
        at: Where,
        force: LawLike | None = None,
        torque: LawLike | None = None,
        frame: str = "ground",
    ) -> Force:
        """A force and torque on a body from outside the mechanism.

        Args:
            name: of the force.
            at: where the force acts.
            force: three expressions or numbers, or a function that gives them [N].
            torque: likewise [N.m].
            frame: whose components these are: "ground", "body", or "point" (that of `at`).
        """
        given = {"force": force, "torque": torque, "frame": frame}
        return self.force("external", name, (at,), given)

    def force_law(
        self,
        name: str,
        points: Mapping[str, Where],
        law: LawLike | None = None,
        *,
        energy: LawLike | None = None,
    ) -> Force:
        """Any forces and torques on any points, by a function of their motion.

        Args:
            name: of the force.
            points: label -> place.
            law: a function of any of `points`, q, qd, t, x, outputs.  points["label"] has p, v, w,
                R: place, velocity, angular velocity and rotation, ground components.  It returns
                a mapping from label to three force components [N], or to a pair (force, torque
                [N.m]), in ground components.  Nothing makes the forces balance: an interaction of
                two bodies has to return both.
            energy: [J] of p and R of the points: the forces and torques that it gives are added on
                all of them, and it counts as potential energy.
        """
        element = f"force '{name}'"
        check_arguments(ForceMethods.force_law, {"points": points}, element)
        if law is None and energy is None:
            raise ModelError("it has no law", element=element, cure="give law, or energy")
        return self.force("law", name, points, {**self._wrenches(law, points, element),
                                                "energy": energy})  # fmt: skip

    def _wrenches(
        self, law: LawLike | None, points: Mapping[str, Where], element: str
    ) -> dict[str, dict[str, Any]]:
        """Force and torque of every point that a law speaks of."""
        if law is None:
            return {}
        names = force_law_names(self, FORCES["law"], tuple(points), element)
        found = trace(law, with_outputs(self, law, names, element), element)
        if not isinstance(found, Mapping):
            raise ModelError(
                "its law gives no mapping",
                element=element,
                cure="return {'label': (fx, fy, fz)} for the points it acts on",
            )
        force: dict[str, Any] = {}
        torque: dict[str, Any] = {}
        for label, value in found.items():
            if not isinstance(value, Sequence | np.ndarray):
                raise ModelError(
                    f"its law gives {show(value)} at '{label}'",
                    element=element,
                    cure="return three components of a force, or a pair (force, torque)",
                )
            if len(value) == 2:
                force[label], torque[label] = value
            else:
                force[label] = value
        return {"force": force, "torque": torque}

    def joint_forces(self, smooth: Scalar = 1e-3) -> list[Force]:
        """Forces from the data `damping` and `friction` of the joints, which act only if asked so.

        Args:
            smooth: speed within which dry friction grows to its full value [rad/s or m/s].

        Returns:
            One force of kind joint_friction per velocity of a joint with such data, called
            "VELOCITY_friction".
        """
        scalar(smooth, "smooth")
        return [
            self.force(
                "joint_friction",
                f"{velocity}_friction",
                (),
                {
                    "joint": velocity,
                    "coulomb": joint.friction,
                    "viscous": joint.damping,
                    "smooth": smooth,
                },
            )
            for joint in self.joints.values()
            if (joint.damping or joint.friction) and not joint.follows
            for velocity in joint.velocities
        ]
