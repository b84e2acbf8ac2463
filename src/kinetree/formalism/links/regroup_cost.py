"""Economy: which moves of mass properties towards the ground save operations.

Everything here is structure: a parameter or a component of motion is zero or it is not.  The cost
of a link is the number of products of a non-zero parameter with a non-zero component of motion in
its Newton–Euler equations, as far as an output needs them.

Refs: Khalil1987 (regrouping); the decision is our own
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from functools import cache, lru_cache

import numpy as np

from kinetree.engine import ZERO, Node
from kinetree.formalism.links.linkage import Link, Linkage
from kinetree.formalism.links.motion import AxisMotion

Presence = tuple[bool, ...]
SYM_INDEX = ((0, 3, 4), (3, 1, 5), (4, 5, 2))
SWEEPS = 3

PATTERNS = 4096
"""Patterns whose cost is remembered: links are alike and are looked at many times."""


@dataclass(frozen=True, slots=True)
class Regrouping:
    """What of a link's mass properties goes to its parent."""

    mass: bool = False
    moment: bool = False
    rod: bool = False
    tensor: bool = False


@dataclass(frozen=True, slots=True)
class MassPattern:
    """Which mass properties are there: mass, three first moments, six moments of inertia."""

    m: bool
    h: Presence
    I: Presence

    @property
    def bits(self) -> int:
        """The same as bits, which join fast: a body may carry hundreds of others."""
        return sum(flag << k for k, flag in enumerate((self.m, *self.h, *self.I)))

    @staticmethod
    @cache
    def of(bits: int) -> MassPattern:
        """The pattern that these bits stand for."""
        flags = [bool(bits >> k & 1) for k in range(10)]
        return MassPattern(flags[0], tuple(flags[1:4]), tuple(flags[4:]))


def cheapest_regrouping(system: Linkage) -> list[Regrouping]:
    """The moves to make: starting from all possible ones and from none, what pays is changed."""
    allowed = [possible(link) for link in system.links]
    states = [
        _Economy(system, allowed, start) for start in (allowed, [Regrouping()] * len(allowed))
    ]
    for state in states:
        state.settle()
    return min(states, key=lambda state: state.total()).moves


def possible(link: Link) -> Regrouping:
    """Every move the joint allows."""
    motion = link.motion
    if not isinstance(motion, AxisMotion):
        return Regrouping(mass=not motion.floats)
    if motion.turn is ZERO:
        return Regrouping(tensor=True)
    slides = motion.slide is not ZERO
    return Regrouping(mass=not slides, moment=not slides, rod=True)


class _Economy:
    """Patterns of all links under the present moves, and the effect of changing one."""

    def __init__(self, system: Linkage, allowed: list[Regrouping], moves: list[Regrouping]) -> None:
        self.links = system.links
        self.allowed = allowed
        self.moves = list(moves)
        self.own = [_pattern(link) for link in self.links]
        self.places = [(_row_flags(link), _flags(link.r)) for link in self.links]
        self.motion = _moving(system)
        self.needed = _needs(system)
        self.arms = [
            tuple(any(self.links[c].r[k] is not ZERO for c in link.children) for k in range(3))
            for link in self.links
        ]
        self.kept: list[MassPattern] = list(self.own)
        self.sent: list[int] = [0] * len(self.links)
        for i in reversed(range(1, len(self.links))):
            self._refresh(i)

    def _refresh(self, i: int) -> None:
        total = self.own[i].bits
        for c in self.links[i].children:
            total |= self.sent[c]
        self.kept[i], taken = _split(self.links[i], MassPattern.of(total), self.moves[i])
        self.sent[i] = _refer(*self.places[i], taken).bits

    def settle(self) -> None:
        """Change moves, one at a time, as long as that helps."""
        for _ in range(SWEEPS):
            changed = [self.improve(i) for i in reversed(range(1, len(self.links)))]
            if not any(changed):
                break

    def total(self) -> int:
        """Cost of all links."""
        return sum(self._cost(i) for i in range(1, len(self.links)))

    def improve(self, i: int) -> bool:
        """Try the opposite of each possible move of link i; whether one was better."""
        better = False
        for f in fields(Regrouping):
            if getattr(self.allowed[i], f.name):
                old = self.moves[i]
                self.moves[i] = replace(old, **{f.name: not getattr(old, f.name)})
                if self._saves(i):
                    better = True
                else:
                    self.moves[i] = old
        return better

    def _saves(self, i: int) -> bool:
        """Whether the present moves of link i cost less; if not, patterns go back as they were.

        Inward from link i, as far as what is sent to the parent changes.
        """
        saved: list[tuple[int, MassPattern, int]] = []
        gain, j = 0, i
        while j:
            kept, sent = self.kept[j], self.sent[j]
            saved.append((j, kept, sent))
            gain += self._cost(j)
            self._refresh(j)
            gain -= self._cost(j)
            if self.sent[j] == sent:
                break
            j = self.links[j].parent
        if gain > 0:
            return True
        for j, kept, sent in saved:
            self.kept[j], self.sent[j] = kept, sent
        return False

    def _cost(self, i: int) -> int:
        return cost(self.kept[i], self.motion[i], self.needed[i], self.arms[i])


@lru_cache(PATTERNS)
def cost(
    part: MassPattern,
    motion: tuple[Presence, Presence],
    needed: tuple[Presence, Presence],
    arms: Presence,
) -> int:
    """Operations with parameters in the equations of one link: a product and a sum each.

    `arms` says which columns of U the joints carried by the link ask for anyway.
    """
    w, a = motion
    need_f, need_n = needed
    total = 0
    for c in range(3):
        x, y = (c + 1) % 3, (c + 2) % 3
        if need_f[c]:
            total += 2 * (part.m and a[c])
            for k in range(3):
                if part.h[k] and _gyration(w, c, k):
                    total += 2 if arms[k] else 3
        if need_n[c]:
            total += 2 * (part.h[x] and a[y]) + 2 * (part.h[y] and a[x])
            total += 2 * _inertia_terms(part.I, w, c)
    return total


def _gyration(w: Presence, row: int, column: int) -> bool:
    """Whether an element of U = w~ w~ + wd~ is non-zero."""
    if row == column:
        return any(w[k] for k in range(3) if k != row)
    return w[3 - row - column] or (w[row] and w[column])


def _inertia_terms(I: Presence, w: Presence, c: int) -> int:
    """Products in one component of I wd + w × I w."""
    x, y = (c + 1) % 3, (c + 2) % 3
    total = int(I[c] and w[c]) + int((I[x] or I[y]) and w[x] and w[y])
    total += int(I[SYM_INDEX[c][x]] and (w[x] or (w[c] and w[y])))
    total += int(I[SYM_INDEX[c][y]] and (w[y] or (w[c] and w[x])))
    return total + int(I[SYM_INDEX[x][y]] and (w[x] or w[y]))


def _pattern(link: Link) -> MassPattern:
    return MassPattern(link.m is not ZERO, _flags(link.h), _flags(link.I))


def _flags(v: Iterable[Node]) -> Presence:
    """Which components are not zero."""
    return tuple([x is not ZERO for x in v])


def _row_flags(link: Link) -> tuple[Presence, ...]:
    """Rows of R0 as flags."""
    return tuple(tuple(bool(x) for x in row) for row in link.R0)


def _split(link: Link, total: MassPattern, moves: Regrouping) -> tuple[MassPattern, MassPattern]:
    """(what stays, what moves) of a pattern; see `regroup.split`."""
    motion = link.motion
    k = motion.k if isinstance(motion, AxisMotion) else 0
    none: Presence = (False,) * 6
    h = tuple(x and moves.moment and a == k for a, x in enumerate(total.h))
    left_h = tuple(x and not (moves.moment and a == k) for a, x in enumerate(total.h))
    taken: Presence = none
    left: Presence = total.I
    if moves.tensor:
        taken, left = total.I, none
    elif moves.rod:
        i, j = (k + 1) % 3, (k + 2) % 3
        taken = tuple(total.I[j] and a in (i, j) for a in range(6))
        left = tuple((x or total.I[j]) if a == i else (x and a != j) for a, x in enumerate(total.I))
    kept = MassPattern(total.m and not moves.mass, left_h, left)
    return kept, MassPattern(total.m and moves.mass, h, taken)


@lru_cache(PATTERNS)
def _refer(rows: tuple[Presence, ...], r: Presence, part: MassPattern) -> MassPattern:
    """A pattern seen by the parent over R0 (rows) and r; see `regroup.referred`."""
    if not (part.m or any(part.h) or any(part.I)):
        return part
    h = tuple(any(a and b for a, b in zip(row, part.h, strict=True)) for row in rows)
    turned = [
        [
            any(
                rows[i][a] and rows[j][b] and part.I[SYM_INDEX[a][b]]
                for a in range(3)
                for b in range(3)
            )
            for j in range(3)
        ]
        for i in range(3)
    ]
    on_axis = [r[k] and (part.m or h[k]) for k in range(3)]
    for i in range(3):
        turned[i][i] |= any(on_axis[k] for k in range(3) if k != i)
        for j in range(3):
            if i != j:
                turned[i][j] |= (part.m and r[i] and r[j]) or (r[i] and h[j]) or (h[i] and r[j])
    flat = tuple(turned[i][j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))
    return MassPattern(part.m, tuple(a or (part.m and b) for a, b in zip(h, r, strict=True)), flat)


def _through(link: Link, v: Presence, *, outward: bool) -> Presence:
    """Which components are non-zero after passing between parent and link."""
    R = link.R0.T if outward else link.R0
    motion = link.motion

    def constant(u: Presence) -> Presence:
        return tuple(bool(np.any(row[list(u)])) if any(u) else False for row in R)

    def moving(u: Presence) -> Presence:
        if not motion.turns:
            return u
        if isinstance(motion, AxisMotion):
            either = any(x for a, x in enumerate(u) if a != motion.k)
            return tuple(u[a] if a == motion.k else either for a in range(3))
        return (any(u),) * 3

    return moving(constant(v)) if outward else constant(moving(v))


def _moving(system: Linkage) -> list[tuple[Presence, Presence]]:
    """(angular motion, acceleration with gravity) of every link: which components are non-zero."""
    g = tuple(x is not ZERO for x in system.gravity)
    motion: list[tuple[Presence, Presence]] = [((False,) * 3, g)]
    for link in system.links[1:]:
        w_p, a_p = motion[link.parent]
        r = [
            x is not ZERO or y is not ZERO for x, y in zip(link.r, link.motion.shift(), strict=True)
        ]
        at = tuple(a_p[c] or any(_gyration(w_p, c, k) and r[k] for k in range(3)) for c in range(3))
        w = list(_through(link, w_p, outward=True))
        a = list(_through(link, at, outward=True))
        for angular, linear in link.motion.columns:
            w = [x or y is not ZERO for x, y in zip(w, angular, strict=True)]
            a = [x or y is not ZERO for x, y in zip(a, linear, strict=True)]
        motion.append((tuple(w), tuple(a)))
    return motion


def _needs(system: Linkage) -> list[tuple[Presence, Presence]]:
    """(force, torque) of every link: which components some joint force needs."""
    needed: list[tuple[Presence, Presence]] = [((False,) * 3, (False,) * 3)]
    for link in system.links[1:]:
        f_p, n_p = needed[link.parent]
        r = [
            x is not ZERO or y is not ZERO for x, y in zip(link.r, link.motion.shift(), strict=True)
        ]
        f_p = tuple(
            f_p[c] or any(n_p[k] and k != c and r[3 - k - c] for k in range(3)) for c in range(3)
        )
        f = list(_through(link, f_p, outward=True))
        n = list(_through(link, n_p, outward=True))
        for angular, linear in link.motion.columns:
            n = [x or y is not ZERO for x, y in zip(n, angular, strict=True)]
            f = [x or y is not ZERO for x, y in zip(f, linear, strict=True)]
        needed.append((tuple(f), tuple(n)))
    return needed
