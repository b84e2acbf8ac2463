"""The methods of a model for what sticks and slides: joints, clutches, struts, locks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kinetree.model.methods.events import EventMethods

if TYPE_CHECKING:
    from kinetree.model.forces import Force
    from kinetree.model.laws import LawLike
    from kinetree.model.methods.joints import Where
    from kinetree.model.parts import Joint
    from kinetree.model.values import Scalar


class FrictionMethods(EventMethods):
    """``model.dry_friction(name, joint, …)`` and so on, one method per force kind."""

    def dry_friction(
        self, name: str, joint: Joint | str, coulomb: Scalar, breakaway: Scalar = 0, **more: Any
    ) -> Force:
        """Dry friction in a joint that sticks and slides, exactly.

        Args:
            name: of the force, and of the mode of the joint: 0 sticks, 1 and -1 slides forward and
                backward.
            joint: a joint with one velocity, or the name of a velocity.
            coulomb: force of sliding [N.m or N].
            breakaway: force that sticking bears [N.m or N], not below coulomb; by default coulomb.
            **more: viscous [N.m.s/rad or N.s/m]; mode, the name of another mode.
        """
        own = {"joint": joint, "coulomb": coulomb, "breakaway": breakaway}
        return self._rub("dry_friction", name, (), {**own, **more})

    def _rub(
        self, kind: str, name: str, places: Sequence[Where], given: Mapping[str, Any]
    ) -> Force:
        """A friction, and its mode where the model has none of the name."""
        made = self.force(kind, name, places, {"mode": name, **given})
        if made.arguments["mode"] not in self.states:
            self.mode(made.arguments["mode"])
        return made

    def brake(self, name: str, joint: Joint | str, force: LawLike, **more: Any) -> Force:
        """Dry friction in a joint whose force is a law: a brake that events or states close.

        Args:
            name: of the force, and of its mode: 0 sticks, 1 and -1 slides.
            joint: a joint with one velocity, or the name of a velocity.
            force: of sliding [N.m or N], of q, qd, t, x, often a mode; open where not positive.
            **more: static, the ratio of the forces of sticking and of sliding, 1 unless given;
                viscous [N.m.s/rad or N.s/m]; mode, the name of another mode.
        """
        return self._rub("brake", name, (), {"joint": joint, "force": force, **more})

    def clutch(
        self, name: str, joint: Joint | str, other: Joint | str, force: LawLike, **more: Any
    ) -> Force:
        """Dry friction between two joints: where it sticks, qd_joint = ratio·qd_other.

        Args:
            name: of the force, and of its mode: 0 sticks, 1 and -1 slides.
            joint: a joint with one velocity, or the name of a velocity.
            other: the other one; -ratio times the force acts on it.
            force: of sliding along `joint` [N.m or N], of q, qd, t, x; open where not positive.
            **more: ratio, 1 unless given; static, viscous and mode as of a brake.
        """
        given = {"joint": joint, "other": other, "force": force}
        return self._rub("clutch", name, (), {**given, **more})

    def link_friction(
        self, name: str, first: Where, second: Where, force: LawLike, **more: Any
    ) -> Force:
        """Dry friction of a strut between two points, which keep their distance where it sticks.

        Args:
            name: of the force, and of its mode: 0 sticks, 1 and -1 slides apart and together.
            first: a point, or a body for its origin.
            second: another one.
            force: of sliding [N], of q, qd, t, x.
            **more: static, viscous [N.s/m] and mode as of a brake.
        """
        return self._rub("link_friction", name, (first, second), {"force": force, **more})

    def friction_law(self, name: str, speed: LawLike, force: LawLike, **more: Any) -> Force:
        """Dry friction along any speed: where it sticks, the speed stays zero.

        Args:
            name: of the force, and of its mode: 0 sticks, 1 and -1 slides.
            speed: of q, qd, t, x, linear in qd: a belt that moves, a differential.
            force: of sliding along it, of q, qd, t, x.
            **more: static, viscous and mode as of a brake.
        """
        return self._rub("friction_law", name, (), {"speed": speed, "force": force, **more})

    def sticking_contact(
        self,
        name: str,
        body: Where,
        road: Where,
        radius: Scalar,
        friction: Scalar,
        stiffness: Scalar,
        **more: Any,
    ) -> Force:
        """Contact of a sphere with a road on which it sticks and slides along one direction.

        Args:
            name: of the force, and of its mode: 0 sticks (a sphere that turns rolls), 1 and -1
                slides.
            body: centre of the sphere.
            road: frame whose plane z = 0 is the road, or whose law `height` z(x, y, t) is.
            radius: of the sphere [m].
            friction: coefficient of sliding, force over load.
            stiffness: of the normal force [N/m^exponent].
            **more: along, the direction of sliding in the frame of the road, "x" unless given;
                static, the ratio of the forces of sticking and of sliding; exponent, dissipation
                [s/m], damping [N.s/m], height, corrections as of `contact`; mode.
        """
        own = {"radius": radius, "friction": friction, "stiffness": stiffness}
        return self._rub("contact_stick", name, (body, road), {**own, **more})

    def lock(self, name: str, joint: Joint | str, locked: LawLike) -> Force:
        """A lock that holds a joint still, with whatever force that takes.

        Args:
            name: of the force.
            joint: a joint with one velocity, or the name of a velocity.
            locked: of q, qd, t, x: it holds where this is positive; usually a mode.
        """
        return self.force("joint_lock", name, (), {"joint": joint, "locked": locked})
