"""M⁻¹ times columns by articulated bodies: work grows with the number of links times columns.

The inertias of the order-N recursion (`order_n`) do not depend on forces.  With Φ, G = I Φ/D of
every velocity found once, a column f of generalised forces takes two sweeps:

    inward    u = f - Φᵀ p,   p ← p + G u, handed to the parent
    outward   x = u/D - G·a,  a ← a + Φ x

Velocities that are given do not move: their columns are left out.

Refs: Otter1996 sec. 6, eqs. 16, 17, 19; Featherstone2008 sec. 7.3
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from kinetree.engine import ONE, ZERO, Node
from kinetree.formalism.articulated import (
    Articulated,
    join,
    move_to_parent,
    name_elements,
    rigid_bodies,
)
from kinetree.formalism.forces.link_forces import AppliedForces
from kinetree.formalism.links.frames import Frames
from kinetree.formalism.links.rotors import rotors
from kinetree.formalism.links.vectors import NULL, Vec, cross, dot, plus, times
from kinetree.formalism.newton_euler import resting
from kinetree.formalism.order_n import NOTES as ORDER_N
from kinetree.formalism.order_n import ForcedRow, Solved, refuse_followers, solve_velocity
from kinetree.program.notes import notes

NOTES = notes("""
    joints: Yu Yq | force left for the joint, over inertia | Otter1996 eqs. (16b), (17a) | | link
    Yn Yf         | force handed to the parent             | Otter1996 eq. (17a)         | | link
    Yp            | force handed to the parent             | Otter1996 eq. (17a)         | | parent
    Zp Zw Za      | acceleration of the link               | Otter1996 eq. (16c)         | | link
    joints: X     | acceleration of the joint              | Otter1996 eq. (16b)         | | link
""")


class MassDivision:
    """The articulated inertias of a tree, written once.

    Attributes:
        joints: link -> its velocities, in the order in which they were removed.
    """

    def __init__(self, frames: Frames, given: Collection[int] = ()) -> None:
        """Write the inertias.

        Args:
            frames: the links.
            given: numbers of the velocities that do not move.
        """
        refuse_followers(frames)
        self.frames, system = frames, frames.system
        turning = rotors(system)
        self.joints: dict[int, list[Solved]] = {}
        body = rigid_bodies(frames, resting(len(system.links)), AppliedForces())
        carried: dict[int, list[Articulated]] = {}
        for i in system.inward():
            found = name_elements(frames, i, join(body[i], *carried.pop(i, ())), "")
            self.joints[i] = []
            for column in frames.columns(i):
                if column[0] in given:
                    continue
                mark = f"_{column[0] + 1}"
                row = ForcedRow(ZERO, ONE, ZERO, ZERO, turning.get(column[0], ZERO))
                let = replace(frames.naming(ORDER_N, i), at=f"{i}{mark}")
                self.joints[i].append(solve_velocity(let, found, column, row))
                found = name_elements(frames, i, self.joints[i][-1].left, mark)
            p = system.links[i].parent
            if p:
                carried.setdefault(p, []).append(move_to_parent(frames, i, found))

    def solve(self, column: Sequence[Node], mark: str) -> list[Node]:
        """x of M x = f, one component per velocity; zero where it is given.

        Args:
            column: f.
            mark: end of the names that are written.
        """
        return self._outward(self._inward(column, mark), mark)

    def _inward(self, column: Sequence[Node], mark: str) -> dict[int, Node]:
        """u/D of every velocity."""
        frames, links = self.frames, self.frames.system.links
        pn: list[Vec] = [NULL] * len(links)
        pf: list[Vec] = [NULL] * len(links)
        found: dict[int, Node] = {}
        for i in frames.system.inward():
            let, n, f = frames.naming(NOTES, i), pn[i], pf[i]
            for solved in self.joints[i]:
                ((k, w, v),), ((Gn, Gf),) = solved.columns, solved.G
                u = let("Yu", column[k] - dot(w, n) - dot(v, f), mark, at=k + 1)
                found[k] = let("Yq", solved.share * u, mark, at=k + 1)
                n, f = plus(n, times(u, Gn)), plus(f, times(u, Gf))
            n, f = let("Yn", n, mark), let("Yf", f, mark)
            p = links[i].parent
            f_p = let("Yp", frames.to_parent(i, f, f"Yf{i}{mark}"), mark)
            n_p = frames.to_parent(i, n, f"Yn{i}{mark}")
            pf[p] = plus(pf[p], f_p)
            pn[p] = plus(pn[p], n_p, cross(frames.offset(i), f_p))
        return found

    def _outward(self, first: dict[int, Node], mark: str) -> list[Node]:
        """The accelerations, from the ground outward."""
        frames, links = self.frames, self.frames.system.links
        wd: list[Vec] = [NULL] * len(links)
        a: list[Vec] = [NULL] * len(links)
        found: list[Node] = [ZERO] * frames.system.nv
        for i in frames.system.outward():
            let, p = frames.naming(NOTES, i), links[i].parent
            at = let("Zp", plus(a[p], cross(wd[p], frames.offset(i))), mark)
            xw = let("Zw", frames.to_link(i, wd[p], f"Zw{i}{mark}"), mark)
            xa = let("Za", frames.to_link(i, at, f"Za{i}{mark}"), mark)
            for solved in reversed(self.joints[i]):
                ((k, w, v),), ((Gn, Gf),) = solved.columns, solved.G
                found[k] = let("X", first[k] - dot(Gn, xw) - dot(Gf, xa), mark, at=k + 1)
                xw, xa = plus(xw, times(found[k], w)), plus(xa, times(found[k], v))
            wd[i], a[i] = let("Zw", xw, f"{mark}e"), let("Za", xa, f"{mark}e")
        return found
