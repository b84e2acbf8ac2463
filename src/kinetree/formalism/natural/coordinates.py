"""Natural coordinates of a linkage: a list that grows as links ask for points and directions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kinetree.engine import NUM, ONE, SYM, ZERO, Node, Rank, substitute, symbol
from kinetree.formalism.links.linkage import Linkage
from kinetree.formalism.links.motion import AxisMotion, FreeMotion
from kinetree.formalism.links.vectors import NULL, vec3
from kinetree.formalism.loops.drives import drive_motions
from kinetree.formalism.natural.combinations import Jet, Natural, Sum, constant
from kinetree.formalism.natural.constraints import Tie
from kinetree.program import Assign, Note, Program, Scheme
from kinetree.program.passes import dead

if TYPE_CHECKING:
    from kinetree.formalism.natural.links import LinkFrame

AXES = ("x", "y", "z")
LINK = "link."
"""Labels of equations of links begin so; no closure is called so."""


class NaturalSpace:
    """Natural coordinates of a linkage, made as they are asked for.

    Attributes:
        system: the links.
        names, q, qd, qdd: of all coordinates so far.
        frames: one per link.
        conditions: what ties the coordinates, see `constraint_rows`.
        angles: coordinate of the model -> its number here, where an angle is one.
        made: every natural vector, the link it belongs to, and its axis there; 3 for the origin.
        laws: driven coordinate -> value, rate, second rate.
        named: known functions of the time, each with the equation that names it; these come first.
    """

    def __init__(self, system: Linkage, spoken: set[str]) -> None:
        self.system, self.spoken = system, spoken
        self.names: list[str] = []
        self.q: list[Node] = []
        self.qd: list[Node] = []
        self.qdd: list[Node] = []
        self.conditions: list[Tie] = []
        self.angles: dict[str, int] = {}
        self.made: list[tuple[Natural, LinkFrame, int]] = []
        self.named: dict[Node, Assign] = {}
        self.laws = drive_motions(system)
        self.ground = tuple(
            Natural(a, -1, vec3(ONE if i == k else ZERO for i in range(3)), NULL, NULL)
            for k, a in enumerate(AXES)
        )
        self.frames: list[LinkFrame] = []

    def law(self, motion: AxisMotion) -> Jet | None:
        """q of a motion as a known function of the time, where it is one."""
        if not motion.dofs:
            return constant(motion.q)
        name = self.system.model.velocities[motion.dofs[0]]
        at = self.laws.get(name)
        if at is None:
            return None
        own = self.system.q[self.system.model.coordinates.index(name)]
        (q,) = substitute([motion.q], {own: at[0]})
        return (self.let(q), self.let(motion.ratio * at[1]), self.let(motion.ratio * at[2]))

    def scalar(self, name: str, label: str = "") -> int:
        """One more coordinate, of the given symbols' name; its number."""
        self.names.append(label or name)
        self.q.append(symbol(f"q_{name}", Rank.COORDINATE))
        self.qd.append(symbol(f"qd_{name}", Rank.VELOCITY))
        self.qdd.append(symbol(f"qdd_{name}", Rank.ACCELERATION))
        return len(self.q) - 1

    def vector(self, frame: LinkFrame, k: int) -> Natural:
        """A new natural vector: axis k of a link, or its origin."""
        label = f"{frame.name}.{(*AXES, 'o')[k]}"
        at = len(self.q)
        for a in AXES:
            self.scalar(f"{label}_{a}")
        q, qd, qdd = (vec3(x[at : at + 3]) for x in (self.q, self.qd, self.qdd))
        found = Natural(label, at, q, qd, qdd)
        self.made.append((found, frame, k))
        return found

    def angle(self, name: str) -> int:
        """The coordinate of the model as one here; its symbols are q_NAME, qd_NAME."""
        if name not in self.angles:
            self.angles[name] = self.scalar(name)
        return self.angles[name]

    def owner(self, q: Node) -> tuple[LinkFrame, AxisMotion | FreeMotion]:
        """The link that a coordinate of the model moves by itself, and its motion."""
        for frame in self.frames[1:]:
            motion = frame.link.motion
            own = (motion.q,) if isinstance(motion, AxisMotion) else motion.p
            if q in own:
                return frame, motion
        raise AssertionError(q.name)

    def mover(self, velocity: int) -> LinkFrame:
        """The link that a velocity of the model moves by itself."""
        for frame in self.frames[1:]:
            motion = frame.link.motion
            alone = isinstance(motion, FreeMotion) or motion.q in self.system.q
            if velocity in motion.dofs and alone:
                return frame
        raise AssertionError(velocity)

    def let(self, expr: Node) -> Node:
        """A name for a known function of the time."""
        if expr.op in (NUM, SYM):
            return expr
        if expr not in self.named:
            name = symbol(f"known.{len(self.named) + 1}", Rank.LOCAL)
            self.named[expr] = Assign(name, expr, Note(step="known function of the time"))
        return self.named[expr].target

    def name_coefficients(self, x: Sum) -> Sum:
        """A combination whose coefficients have names."""
        return Sum({v: (self.let(a), self.let(b), self.let(c)) for v, (a, b, c) in x.terms.items()})

    def finish(self, scheme: Scheme) -> Program:
        """The Program of a scheme in which combinations were used."""
        made = scheme.program()
        return dead(replace(made, blocks=(*self.named.values(), *made.blocks)))

    def tie(self, condition: Tie) -> None:
        """Keep an equation."""
        self.conditions.append(condition)
