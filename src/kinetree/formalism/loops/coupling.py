"""Velocity and acceleration level of closed systems, group by group.

    qd_v = B ud + x,     B = -J_v⁻¹ J_u,     x = -J_v⁻¹ (ht + J_d qd_d)
    qdd_v = B udd + b,   b = -J_v⁻¹ (Jdqd + J_d qdd_d)
    λ = J_v⁻ᵀ ψ_v

u are the independent velocities, v the dependent ones, d the driven ones.  J_v is block triangular,
so every group solves for its own v with what the groups before it gave; structural zeros of J stay
zeros of B.

| Docquier2013 | here |
|---|---|
| B_vu, eq. 12 | B |
| b, eq. 15 | b |
| λ, eq. 17 | multipliers |

Refs: Docquier2013 sec. 2.2.1, eqs. 12 to 17
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from kinetree.engine import ZERO, Node, linear, mul
from kinetree.program import Note, Scheme

if TYPE_CHECKING:
    from kinetree.formalism.loops.conditions import Row
    from kinetree.formalism.loops.groups import Group


class Coupling:
    """B and what else follows from the equations of all groups.

    Attributes:
        B: dependent velocity -> its row, without structural zeros.
        dependent: numbers of the dependent velocities, in order of solution.
        independent: numbers of the independent ones.
    """

    def __init__(
        self,
        scheme: Scheme,
        rows: Mapping[str, Row],
        solution: Sequence[Group],
        names: Sequence[str],
        independent: Sequence[int],
    ) -> None:
        self.scheme, self.rows, self.names = scheme, rows, names
        self.independent = list(independent)
        at = {name: k for k, name in enumerate(names)}
        self.groups = [(group, [at[name] for name in group.unknowns]) for group in solution]
        self.dependent = [k for _, unknowns in self.groups for k in unknowns]
        self.B: dict[int, dict[int, Node]] = {}
        for group, unknowns in self.groups:
            self._couple(group, unknowns, independent)

    def _matrix(self, group: Group, unknowns: Sequence[int]) -> list[list[Node]]:
        return [[self.rows[label].J.get(k, ZERO) for k in unknowns] for label in group.rows]

    def _couple(self, group: Group, unknowns: Sequence[int], independent: Sequence[int]) -> None:
        """The rows of B of one group: one column per independent velocity that moves it."""
        columns: dict[int, list[Node]] = {}
        for u in independent:
            found = [self._motion_by(label, u) for label in group.rows]
            if any(x is not ZERO for x in found):
                columns[u] = found
        self.B.update({k: {} for k in unknowns})
        if not columns:
            return
        eq = "Docquier2013 eq. (12)"
        note = Note(_closures(group), "coupling matrix", eq, section="closures")
        rhs = [list(row) for row in zip(*columns.values(), strict=True)]
        X = self._solve(f"B_{self.names[unknowns[0]]}", group, unknowns, rhs, note)
        for k, row in zip(unknowns, X, strict=True):
            self.B[k] = dict(zip(columns, row, strict=True))

    def _motion_by(self, label: str, u: int) -> Node:
        """-(J_u + Σ J_e B_eu) of one equation, over the groups before its own."""
        J = self.rows[label].J
        terms = [(J.get(u, ZERO), -1)]
        terms += [(mul(J[e], B[u]), -1) for e, B in self.B.items() if e in J and u in B]
        return linear(0, tuple(terms))

    def _solve(
        self, stem: str, group: Group, unknowns: Sequence[int], rhs: list[list[Node]], note: Note
    ) -> list[list[Node]]:
        """X with J_v X = rhs for one group."""
        A = self._matrix(group, unknowns)
        return self.scheme.solve(stem, A, rhs, symmetric=False, note=note)

    def rest(
        self, stem: str, given: Mapping[str, Node], driven: Mapping[int, Node], note: Note
    ) -> dict[int, Node]:
        """-J_v⁻¹ (given + J_d driven): what of the dependent rates does not follow from u.

        Args:
            stem: of the names.
            given: ht or Jdqd of every equation.
            driven: rate of every driven velocity.
            note: for people.
        """
        found: dict[int, Node] = {}
        for group, unknowns in self.groups:
            rhs: list[list[Node]] = []
            for label in group.rows:
                J = self.rows[label].J
                known = {**driven, **found}
                terms = [(given[label], -1)]
                terms += [(mul(J[k], x), -1) for k, x in known.items() if k in J]
                rhs.append([linear(0, tuple(terms))])
            if all(row[0] is ZERO for row in rhs):
                found.update(dict.fromkeys(unknowns, ZERO))
                continue
            X = self._solve(f"{stem}_{self.names[unknowns[0]]}", group, unknowns, rhs, note)
            found.update({k: row[0] for k, row in zip(unknowns, X, strict=True)})
        return found

    def follow(self, k: int, rates: Mapping[int, Node], rest: Node) -> Node:
        """B·rates + rest for one dependent velocity."""
        terms = [(mul(x, rates[u]), 1) for u, x in self.B[k].items()]
        return linear(0, (*terms, (rest, 1)))

    def project(self, values: Sequence[Node], u: int) -> Node:
        """values_u + Bᵀ values_v for one independent velocity."""
        terms = [(mul(self.B[k][u], values[k]), 1) for k in self.dependent if u in self.B[k]]
        return linear(0, ((values[u], 1), *terms))

    def multipliers(self, psi: Mapping[int, Node]) -> dict[str, Node]:
        """λ with J_vᵀ λ = ψ_v, last group first: equation -> its multiplier."""
        found: dict[str, Node] = {}
        note = Note(step="multipliers", eq="Docquier2013 eq. (17)")
        for group, unknowns in reversed(self.groups):
            J = self._matrix(group, unknowns)
            A = [[row[i] for row in J] for i in range(len(unknowns))]
            rhs: list[list[Node]] = []
            for k in unknowns:
                later = [
                    (mul(self.rows[label].J[k], lam), -1)
                    for label, lam in found.items()
                    if k in self.rows[label].J
                ]
                rhs.append([linear(0, ((psi[k], 1), *later))])
            stem = f"lam_{self.names[unknowns[0]]}"
            X = self.scheme.solve(stem, A, rhs, symmetric=False, note=note)
            found.update({label: row[0] for label, row in zip(group.rows, X, strict=True)})
        return found


def still(
    rows: Mapping[str, Row], solution: Sequence[Group], names: Sequence[str]
) -> list[tuple[list[Row], list[int]]]:
    """Equations and velocities of the groups that nothing moves: no other velocity, no law.

    Args:
        rows: label -> equation.
        solution: the groups.
        names: of all velocities.
    """
    at = {name: k for k, name in enumerate(names)}
    found = []
    for group in solution:
        lines, unknowns = [rows[label] for label in group.rows], [at[n] for n in group.unknowns]
        moved = {k for row in lines for k, x in row.J.items() if x is not ZERO}
        if moved <= {*unknowns} and all(row.ht is ZERO for row in lines):
            found.append((lines, unknowns))
    return found


def _closures(group: Group) -> str:
    return ", ".join(dict.fromkeys(label.partition(".")[0] for label in group.rows))
