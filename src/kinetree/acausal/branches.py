"""Stage 4, branches: switches and frictions take their branch from modes, held between events.

| in | out |
|---|---|
| equations with switch(c, a, b) | equations with select(m, a, b); the condition c of every mode m |
| `friction(…)` of all instances | an equation each; the next modes, and where they change |

So a block whose branches are linear is linear, and an ideal diode may switch by what it finds
itself: the mode is known before the block is solved, its condition after.

Dry friction sticks, der(speed) = 0, or slides, force = ±coulomb; the force is positive against the
speed, as that of a damper.  Modes and pivots are those of dry friction in joints
(`formalism.held.dry_friction`), so runs, FMUs and C packages see to them in the same way.

Refs: Otter1996 sec. 4, eqs. 8, 9
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from kinetree.acausal.diagnosis import excess_rows
from kinetree.acausal.physical import Physical, derivative_symbol, physical, split_name
from kinetree.engine import (
    SELECT,
    SWITCH,
    ZERO,
    Node,
    Rank,
    apply,
    compounds,
    evaluate,
    substitute,
    symbols,
)
from kinetree.engine import symbol as make_symbol
from kinetree.errors import ModelError
from kinetree.formalism.forces.rubbing import Rubbing
from kinetree.formalism.held.dry_friction import OWN_SLACK, next_modes
from kinetree.program import Note, Output, Scheme
from kinetree.program.sparsity import match

if TYPE_CHECKING:
    from kinetree.acausal.incidence import Incidence
    from kinetree.acausal.instances import FlatEquation

STEM = "switch"
"""Modes are called switch_1, switch_2, …"""
CURE = "put an inertia or a spring in between, or make them one"
"""What helps where the force of a friction is not determined."""
SIDES = {
    "the force of each where frictions stick, for others prescribe or hold their motion": ("rate",),
    "the motion where frictions slide, for others prescribe their forces": ("force", "coulomb"),
}
"""What is not determined -> what the equations of frictions hold where all do the same."""


@dataclass
class Branches:
    """Modes of switches.

    Attributes:
        conditions: symbol of a mode -> what is above zero where the mode is 1.
        origin: symbol of a mode -> path of the instance that has the switch first.
    """

    conditions: dict[Node, Node] = field(default_factory=dict)
    origin: dict[Node, str] = field(default_factory=dict)

    def settle(self, values: dict[Node, float]) -> bool:
        """Put the modes on the sides of their conditions; whether one has changed."""
        changed = False
        for mode, margin in self.conditions.items():
            (value,) = evaluate((margin,), values)
            new = 1.0 if value > 0 else 0.0
            changed |= values.get(mode, 0.0) != new
            values[mode] = new
        return changed


def hold_branches(equations: Sequence[FlatEquation]) -> tuple[list[FlatEquation], Branches]:
    """The equations with modes in place of the conditions of switches."""
    found, modes = Branches(), dict[Node, Node]()
    new: dict[Node, Node] = {}
    rows = []
    for row in equations:
        switches = [node for node in compounds((row.residual,)) if node.op is SWITCH]
        for node in switches:  # children first
            margin, a, b = substitute(node.args, new)
            if margin not in modes:
                modes[margin] = make_symbol(f"x_{STEM}_{len(modes) + 1}", Rank.FORCE)
                found.conditions[modes[margin]] = margin
                found.origin[modes[margin]] = row.origin
            new[node] = apply(SELECT, (modes[margin], a, b))
        if switches:
            (residual,) = substitute((row.residual,), new)
            rows.append(replace(row, residual=residual))
        else:
            rows.append(row)
    return rows, found


# --- dry friction --------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class RubbingPart:
    """A speed of a component that rubs.

    Attributes:
        mode: 0 sticks, 1 and -1 slides; see `formalism.held.dry_friction` for the others.
        speed: [rad/s] or [m/s].
        force: against the speed [N.m] or [N].
        coulomb, breakaway: largest forces of sliding and of sticking.
        one_way: whether it never slides backward.
        origin: path of the instance.
        number: of its equation there.
    """

    mode: Node
    speed: Node
    force: Node
    coulomb: Node
    breakaway: Node
    one_way: bool = False
    origin: str = ""
    number: int = 0

    @property
    def name(self) -> str:
        """The path of the mode."""
        return split_name(self.mode)[0]

    @property
    def law(self) -> Rubbing:
        """What the friction does in its modes; its forces act along the speed."""
        found = Rubbing(
            self.mode, self.coulomb, self.breakaway, loose=not self.one_way, one_way=self.one_way
        )
        return found.along([self.speed])

    @property
    def rate(self) -> Node:
        """The time derivative of the speed."""
        return derivative_symbol(self.speed)

    @property
    def residual(self) -> Node:
        """What is zero: the rate where it sticks, else the force less what the mode says."""
        row = self.law
        return row.sticks * self.rate + (1 - row.sticks) * self.force + row.push


def friction(
    mode: Physical,
    speed: Physical,
    force: Physical,
    coulomb: Any,
    breakaway: Any = None,
    *,
    one_way: bool = False,
) -> RubbingPart:
    """Let a force be that of dry friction along a speed: one equation by modes.

    Args:
        mode: a `mode()` of the component: 0 sticks, 1 slides forward, -1 backward.
        speed: a variable.
        force: a variable, positive against the speed.
        coulomb: force of sliding, an expression; it may depend on the speed.
        breakaway: force up to which it sticks; by default `coulomb`, and never less.
        one_way: whether it holds any force against sliding backward.
    """
    slides = physical(coulomb)
    holds = slides if breakaway is None else physical(breakaway)
    for bound in (slides, holds):
        _ = force == bound  # units agree
    for what, given in (("mode", mode), ("speed", speed), ("force", force)):
        if not given.node.is_symbol:
            raise ModelError(
                f"its {what} is {given.node!r}", element="friction", cure="give a variable"
            )
    return RubbingPart(mode.node, speed.node, force.node, slides.node, holds.node, one_way)


def write_modes(
    scheme: Scheme, parts: Sequence[RubbingPart], meaning: Callable[[Node], Node]
) -> tuple[Output, ...]:
    """Write the next modes of all frictions, and what is above zero where one changes.

    Args:
        scheme: with the equations of motion in given modes.
        parts: the frictions.
        meaning: what a symbol of a variable stands for in the scheme.
    """
    if not parts:
        return ()
    rows = [
        replace(p, speed=meaning(p.speed), force=meaning(p.force), coulomb=meaning(p.coulomb),
                breakaway=meaning(p.breakaway))
        for p in parts
    ]  # fmt: skip
    laws = [row.law for row in rows]
    forces = [scheme.let(f"rub_{k}", -row.force) for k, row in enumerate(rows, 1)]
    rates = [(meaning(part.rate), ZERO) for part in parts]
    moves = [law.moves(row.speed) for law, row in zip(laws, rows, strict=True)]
    found, _ = next_modes(scheme, laws, forces, rates, moves)
    triples = list(zip(laws, rows, forces, strict=True))
    modes = [law.begin(row.speed, new) for (law, row, _), new in zip(triples, found, strict=True)]
    slip = [law.slip(force, row.speed, 4 * OWN_SLACK) for law, row, force in triples]
    names, note = tuple(part.name for part in parts), Note(step="dry friction")
    return (
        Output("modes", (len(names),), tuple(modes), names, note),
        Output("rest", (0,), ()),  # der(speed) = 0 keeps a speed within rounding of zero
        Output("slip", (len(names),), tuple(slip), names, note),
    )


def refuse_undetermined(
    page: Incidence,
    states: Sequence[int],
    parts: Sequence[RubbingPart],
    meaning: Callable[[Node], Node],
) -> None:
    """Refuse frictions whose equations determine nothing where all stick, or where all slide."""
    known, number_of = set(states), {(p.origin, p.number): p for p in parts}
    own = {
        row: number_of[key] for row, line in enumerate(page.origin)
        if page.source[row] < 0 and (key := (line.origin, line.number)) in number_of
    }  # fmt: skip
    for told, kept in SIDES.items() if parts else ():
        pattern = [[c for c in held if c not in known] for held in page.holds]
        for row, part in own.items():
            left = set(symbols([meaning(getattr(part, name)) for name in kept]))
            pattern[row] = [c for c in pattern[row] if page.columns[c] in left]
        row_of = match(pattern)
        if len(row_of) < len(pattern):
            found = [own[row].name for row in excess_rows(pattern, row_of) if row in own]
            listed = " and ".join(f"'{name.rpartition('.')[0] or name}'" for name in found)
            raise ModelError(
                f"nothing determines {told}",
                element=f"friction {listed}",
                cure=CURE,
            )
