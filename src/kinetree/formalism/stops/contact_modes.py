"""Modes of contacts: what follows from gaps, speeds and forces, one step after the other.

| mode | meaning | ends |
|---|---|---|
| 0 | apart, force zero | gap and its rate below zero: it has closed |
| 1 | in contact, no acceleration of the gap | force below zero |

At one instant there are more of them:

| mode | meaning | condition, else its next mode |
|---|---|---|
| 2 | takes part in an impact with an impulse | impulse ≥ 0; 3 |
| 3 | takes part in an impact without one | opens no slower than its law says; 2 |
| 4 | touches and leaves, force zero | acceleration ≥ 0; 1 |

An impact is between all gaps that touch and close, at once: their impulses Λ and speeds w obey

    w⁺ = w⁻ + A Λ,     w⁺ + e w⁻ ≥ 0,   Λ ≥ 0,   one of them zero at every gap     (A = J M⁻¹ Jᵀ)

solved by principal pivots with the least-index rule (`complementarity`), one per evaluation.  Gaps
that touch without speed take part where they are plastic.  Gaps that begin to close by an impact
have theirs next, at the same instant, until none closes: so a row of balls hands an impact on from
ball to ball.  Each impact changes the kinetic energy by

    ½ Λᵀ (w⁺ + w⁻) = ½ Σ Λ (1 - e) w⁻ ≤ 0

whatever the restitutions.  Then those that touch without speed stay in contact or leave: again a
complementarity problem, between forces and accelerations.

An impact that would open a gap for less than the time `shortest` is plastic: so accumulations end.

Refs: Moreau1988 (Newton's law with several contacts); Ivanov1995 (impacts one after the other);
Murty1974 (least index); the bound of the energy is an own derivation
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from kinetree.engine import ONE, ZERO, Node, add, call, maximum, minimum, mul, number, select
from kinetree.program import Note, Scheme
from kinetree.program.complementarity import HALF, change_least_index

NodeRows = Sequence[Sequence[Node]]
HELD, STRUCK, SPARED, LEAVES = 1, 2, 3, 4
"""Modes beside 0; the last three pass within an instant."""
TOUCH, PARTED, DEEP = 1e-12, 1e-6, 1e-7
"""Gaps below this touch; those above that cannot be in contact, whatever moved them; those below
minus the last have closed, wherever they go [m, rad]."""
STILL, SLOW = (1e-12, 1e-13), (1e-9, 1e-9)
"""Speeds below which a gap rests, and below which it opens no more: a share of all speeds, and a
speed [m/s, rad/s]."""
SLACK, LEAST, GRIP = 1e-11, 1e-13, 100
"""Share of gravity and of the acceleration of a gap by which it may violate its condition, the
least of these accelerations [m/s2, rad/s2], and how many times that a contact may pull: bodies that
touch without force stay together."""
DEPENDENT = 1e-10
"""Share of the inverse inertia that a gap has beside others; below it its force is left zero."""
KEEP, DRIFT = 10.0, 1e-8
"""Rate at which a gap in contact is brought back where errors moved it [1/s], and by how much they
may [m, rad, and these per s]."""


@dataclass(frozen=True)
class Contact:
    """One gap of a stop at the present state.

    Attributes:
        mode: as in the table.
        gap, rate: [m, rad] and its rate.
        restitution: share of the speed that comes back.
        shortest: time of a bounce below which there is none [s].
        force: in contact, else 0.
        acceleration: of the gap with the forces of those in contact.
        give: inverse inertia along the gap.
        slack: accelerations above minus this violate nothing.
        borne: 1 where a joint that sticks bears what the contact would, else 0.
    """

    mode: Node
    gap: Node
    rate: Node
    restitution: Node
    shortest: Node
    force: Node
    acceleration: Node
    give: Node
    slack: Node
    borne: Node = ZERO

    def is_in(self, mode: int) -> Node:
        """1 where it is in a mode, else 0."""
        return select(HALF - call("abs", self.mode - mode), 1, 0)

    @property
    def is_struck(self) -> Node:
        """1 in an impact, else 0."""
        return self.is_in(STRUCK) + self.is_in(SPARED)

    @property
    def touches(self) -> Node:
        """1 where the gap is closed, else 0."""
        return select(self.mode - HALF, 1, select(TOUCH - self.gap, 1, 0))

    @property
    def pull(self) -> Node:
        """Acceleration that a contact holds back by pulling; below zero where it presses."""
        return -self.force * self.give

    def free_speed(self, still: Node) -> Node:
        """Speed up to which it is at rest; where it is held, that of a bounce that is too short."""
        return still + self.is_in(HELD) * (self.shortest / 2) * maximum(-self.pull, ZERO)

    def opening(self, slow: Node) -> Node:
        """Speed after an impact by its law; 0 where the bounce would be too short."""
        speed = -self.restitution * self.rate
        lasts = 2 * speed + self.acceleration * self.shortest
        return select(minimum(lasts, speed - slow), speed, ZERO)

    def watch(self) -> Node:
        """Above zero where it closes, or a contact pulls."""
        closes = maximum(minimum(-self.gap, -self.rate), -self.gap - DEEP)
        pulls = select(self.is_in(HELD) - HALF, self.pull - 2 * GRIP * self.slack, -1)
        return select(HALF - call("abs", self.mode), closes, pulls)


@dataclass(frozen=True)
class ContactStep:
    """The next modes of all contacts, and the impulses that act now.

    Attributes:
        scheme: where they are written.
        rows: the contacts.
        A: how impulses change the speeds of the gaps.
        size: sum of all speeds, by which small ones are told.
        waits: 0 where all else that may change at this instant has settled.
    """

    scheme: Scheme
    rows: Sequence[Contact]
    A: NodeRows
    size: Node
    waits: Node = ZERO

    @property
    def still(self) -> Node:
        """Speed below which a gap rests."""
        return STILL[0] * self.size + STILL[1]

    @property
    def slow(self) -> Node:
        """Speed below which an impact is plastic."""
        return SLOW[0] * self.size + SLOW[1]

    @cached_property
    def struck(self) -> Node:
        """Number of gaps in the present impact."""
        return self._count("struck", [row.is_struck for row in self.rows])

    @cached_property
    def closing(self) -> list[Node]:
        """1 where a gap touches and closes."""
        return [
            select(row.touches - HALF, select(-row.rate - row.free_speed(self.still), 1, 0), 0)
            for row in self.rows
        ]

    @cached_property
    def meeting(self) -> list[Node]:
        """1 for the gaps of the next impact.

        These are the gaps that close.  Gaps at rest that touch take part where they are plastic;
        where all close slowly, all that touch do.
        """
        fast = self._count("fast", [
            at * select(-row.rate - self.slow, 1, 0)
            for at, row in zip(self.closing, self.rows, strict=True)
        ])  # fmt: skip
        found = []
        for closes, row in zip(self.closing, self.rows, strict=True):
            dead = select(fast - HALF, select(row.restitution, 0, 1), ONE)
            rests = select(row.rate - row.free_speed(self.still), 0, row.touches)
            found.append(maximum(closes, dead * rests))
        return found

    @cached_property
    def opening(self) -> list[Node]:
        """1 where a contact has got a speed with which it opens, or was moved apart."""
        return [
            select(
                row.is_in(HELD) - HALF,
                select(maximum(row.rate - row.free_speed(self.still), row.gap - PARTED), 1, 0), 0,
            )
            for row in self.rows
        ]  # fmt: skip

    @cached_property
    def after(self) -> list[Node]:
        """Speeds of the gaps by their law."""
        return [row.opening(self.slow) for row in self.rows]

    @cached_property
    def trial(self) -> list[Node]:
        """Impulses in the present modes; without impact those that stop the gaps in contact."""
        b, active = [], []
        for row, out in zip(self.rows, self.after, strict=True):
            b.append(row.rate - select(self.struck - HALF, out, ZERO))
            active.append(select(self.struck - HALF, row.is_in(STRUCK), row.is_in(HELD)))
        return solve_active(self.scheme, "impulse", self.A, b, active)

    @cached_property
    def _impact_pivot(self) -> tuple[list[Node], Node]:
        """Modes after one pivot of the impact, and how many asked for one."""
        largest = add(ZERO, *[call("abs", x) for x in self.trial])
        asked = []
        for k, row in enumerate(self.rows):
            short = self._speed(k) - self.after[k]
            pulls = select(-self.trial[k] - STILL[0] * largest, SPARED, row.mode)
            lags = select(-short - self.still, STRUCK, row.mode)
            waiting = select(row.is_in(SPARED) - HALF, lags, row.mode)
            asked.append(select(row.is_in(STRUCK) - HALF, pulls, waiting))
        return change_least_index(self.scheme, "impact", [row.mode for row in self.rows], asked)

    def _speed(self, k: int) -> Node:
        """Speed of a gap after the impulses."""
        return add(
            self.rows[k].rate, *[mul(x, y) for x, y in zip(self.A[k], self.trial, strict=True)]
        )

    @cached_property
    def acts(self) -> Node:
        """1 where the impulses are right and act now, else 0."""
        changes = self._count("changing", [*self.closing, *self.opening])
        creeps = [row.is_in(HELD) * select(call("abs", row.rate) - self.still, 1, 0)
                  for row in self.rows]  # fmt: skip
        stops = select(HALF - changes, select(self._count("creeping", creeps) - HALF, 1, 0), 0)
        return select(self.struck - HALF, select(HALF - self._impact_pivot[1], 1, 0), stops)

    @property
    def impulses(self) -> list[Node]:
        """Impulses that act now."""
        return [self.acts * x for x in self.trial]

    @cached_property
    def busy(self) -> Node:
        """Above zero where the contacts are not settled but for those that leave."""
        some = [self.struck, self.acts, *self.closing, *self.opening, self._contact_pivot[1]]
        return self._count("busy", some)

    @cached_property
    def _contact_pivot(self) -> tuple[list[Node], Node]:
        """Modes after one pivot between forces and accelerations, and how many asked for one."""
        asked = []
        for row in self.rows:
            falls = select(-row.acceleration - row.slack, HELD, row.mode)
            stays = select(row.slack * (1 - 2 * row.borne) - row.acceleration, HELD, row.mode)
            rests = select(row.touches - HALF, select(call("abs", row.rate) - self.still, 0, 1), 0)
            apart = select(rests - HALF, stays, row.mode)
            held = select(row.pull - GRIP * row.slack, LEAVES, row.mode)
            at_rest = select(row.is_in(HELD) - HALF, held, row.mode)
            at_rest = select(row.is_in(LEAVES) - HALF, falls, at_rest)
            asked.append(select(HALF - call("abs", row.mode), apart, at_rest))
        return change_least_index(self.scheme, "contact", [row.mode for row in self.rows], asked)

    def modes(self) -> list[Node]:
        """The next modes."""
        closing = self._count("closing", self.closing)
        opening = self._count("parting", self.opening)
        found = []
        for k, row in enumerate(self.rows):
            left = select(row.is_in(LEAVES) - HALF, select(self.waits, row.mode, ZERO), row.mode)
            rest = select(self._contact_pivot[1] - HALF, self._contact_pivot[0][k], left)
            parts = select(self.opening[k] - HALF, ZERO, row.mode)
            begins = select(self.meeting[k] - HALF, number(STRUCK), row.mode)
            done = select(self._speed(k) - self.still, ZERO, ONE)
            done = select(row.is_struck - HALF, done, row.mode)
            strikes = select(self._impact_pivot[1] - HALF, self._impact_pivot[0][k], done)
            quiet = select(closing - HALF, begins, select(opening - HALF, parts, rest))
            found.append(select(self.struck - HALF, strikes, quiet))
        return found

    def _count(self, name: str, some: Sequence[Node]) -> Node:
        return self.scheme.let(name, add(ZERO, *some))


def solve_active(
    scheme: Scheme, stem: str, A: NodeRows, b: Sequence[Node], active: Sequence[Node]
) -> list[Node]:
    """f with A f + b = 0 in the active rows, zero in the others.

    A is symmetric and not negative.  Rows that depend on those before them are left at zero: of
    four legs of a table three bear it.
    """
    n, note = len(b), Note(step="forces of contacts", eq="GlockerPfeiffer1995")
    H, y = [list(row) for row in A], [-x for x in b]
    inverse: list[Node] = []
    for k in range(n):
        D = scheme.let(f"{stem}_D_{k + 1}", H[k][k], note)
        regular = select(active[k] - HALF, D - DEPENDENT * A[k][k], -1)
        inverse.append(scheme.let(f"{stem}_Di_{k + 1}", select(regular, 1 / D, 0), note))
        for i in range(k + 1, n):
            share = scheme.let(f"{stem}_L_{i + 1}_{k + 1}", H[i][k] * inverse[k], note)
            y[i] = scheme.let(f"{stem}_y_{i + 1}_{k + 1}", y[i] - share * y[k], note)
            for j in range(k + 1, i + 1):
                H[i][j] = scheme.let(f"{stem}_H_{i + 1}_{j + 1}_{k + 1}", H[i][j] - share * H[j][k])
    f: list[Node] = [ZERO] * n
    for k in reversed(range(n)):
        carried = add(ZERO, *[mul(H[i][k], f[i]) for i in range(k + 1, n)])
        f[k] = scheme.let(f"{stem}_{k + 1}", inverse[k] * (y[k] - carried), note)
    return f
