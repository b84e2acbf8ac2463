"""Closed systems with multipliers: all coordinates stay, forces of the loops are unknowns.

    M qdd - Jᵀ λ = τ - c,      J qdd = γ

γ = -Jdqd - 2 α (J qd + ht) - β² h pulls a motion back that has left the loops (Baumgarte); a
condition between velocities has γ = -Jdqd - α (J qd + ht).  Instead, positions and velocities can
be projected on the loops first, by the smallest change of the coordinates, and γ = -Jdqd:

    q ← q - N Jᵀ (J Jᵀ)⁻¹ h, repeated,      qd ← qd - Jᵀ (J Jᵀ)⁻¹ (J qd + ht)

Neither needs independent coordinates, so neither has to choose them anew on the way.  With
X = M⁻¹ [τ - c, Jᵀ] the multipliers follow from J X_J λ = γ - J X_τ.  Driven velocities are known
and leave the system.

Refs: Baumgarte1972; Blajer2002; Docquier2013 sec. 2.2.1, eqs. 6 to 9
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kinetree.engine import ONE, ZERO, Node, Rank, linear, mul, symbol
from kinetree.formalism.inertia_bias import Build, MassOperator
from kinetree.formalism.links.frames import Frames
from kinetree.formalism.links.linkage import Linkage
from kinetree.formalism.links.vectors import Matrix, inner
from kinetree.formalism.loops.conditions import Row
from kinetree.formalism.loops.constraints import equations
from kinetree.formalism.loops.groups import connected_groups
from kinetree.formalism.loops.positions import Choice, Loop, drive_positions
from kinetree.formalism.loops.rounding import Rounding
from kinetree.formalism.loops.validity import Validity, unsolved_rows
from kinetree.formalism.mass_division import MassDivision
from kinetree.program import Assign, Input, Note, Scheme
from kinetree.program.solving import solve_columns, written_cost

WRITTEN = 8000
"""Products up to which M⁻¹ Jᵀ is written out."""
STABILISING = (10.0, 10.0)
"""α and β [1/s] where none are given."""


def declare_stabilising(scheme: Scheme) -> tuple[Node, Node]:
    """Declare the input "baumgarte": α, β [1/s]."""
    alpha, beta = symbol("baumgarte_alpha", Rank.PARAMETER), symbol("baumgarte_beta")
    row = Input(
        "baumgarte", (2,), (alpha, beta), STABILISING, False, ("alpha", "beta"), ("1/s", "1/s")
    )
    scheme.input(row)
    return alpha, beta


def project_positions(scheme: Scheme, system: Linkage, choice: Choice) -> None:
    """Define the symbols q_NAME of all coordinates that loops move: nearest to their starts."""
    drive_positions(scheme, system)
    for loop in _loops(scheme, system, choice):
        loop.write({}, nearest=True)


def _loops(scheme: Scheme, system: Linkage, choice: Choice) -> list[Loop]:
    drives = system.model.drives
    uses = {
        label: [name for name in system.model.velocities
                if name in choice.uses[label] and name not in drives]
        for label in choice.equations
    }  # fmt: skip
    rounding = Rounding(scheme)
    return [Loop(system, group, rounding) for group in connected_groups(uses)]


def projected_coordinates(system: Linkage, choice: Choice) -> set[str]:
    """Names of the coordinates that a projection changes."""
    names = system.model.coordinates
    loops = _loops(Scheme("none"), system, choice)
    return {names[k] for loop in loops for k in loop.coordinates}


class Augmented:
    """The equations with multipliers being written; names as in the module's formulas."""

    def __init__(self, frames: Frames, choice: Choice, driven: dict[int, Node]) -> None:
        self.frames, self.scheme, self.system = frames, frames.scheme, frames.system
        found = {row.label: row for row in equations(self.scheme, self.system)}
        self.labels = (*choice.equations, *choice.rates)
        self.rows = [found[label] for label in self.labels]
        self.driven = driven
        self.free = [k for k in range(self.system.nv) if k not in driven]
        self.tests = Validity(self.scheme, self.system)
        self.others = unsolved_rows(found.values(), choice)
        self.tests.regular(found, choice)

    def _row(self, row: Row) -> list[Node]:
        return [row.J.get(k, ZERO) for k in self.free]

    def rate(self, row: Row, qd: Sequence[Node]) -> Node:
        """J qd + ht."""
        return linear(0, ((row.ht, 1), *[(mul(x, qd[k]), 1) for k, x in row.J.items()]))

    def stabilise(self, alpha: Node, beta: Node) -> list[Node]:
        """γ by Baumgarte's method."""
        qd = self.system.qd
        return [
            -self._known_terms(row) - (2 * alpha * self.rate(row, qd) + beta**2 * row.h)
            if row.holonomic
            else -self._known_terms(row) - alpha * self.rate(row, qd)
            for row in self.rows
        ]

    def exact(self) -> list[Node]:
        """γ on the loops."""
        return [-self._known_terms(row) for row in self.rows]

    def _known_terms(self, row: Row) -> Node:
        """Jdqd + J_d qdd_d."""
        terms = [(mul(row.J[k], x), 1) for k, x in self.driven.items() if k in row.J]
        return linear(0, ((row.Jdqd, 1), *terms))

    def project_velocities(self, given: Sequence[Node]) -> None:
        """Define the symbols qd_NAME of all velocities that the equations move."""
        if not self.rows:
            return
        note = Note(step="projected velocities", eq="Blajer2002")
        J = [self._row(row) for row in self.rows]
        JJ = [[inner(a, b) for b in J] for a in J]
        rates = [[self.rate(row, given)] for row in self.rows]
        x = self.scheme.solve("xv", JJ, rates, note=note)
        for i, k in enumerate(self.free):
            if given[k] is not self.system.qd[k]:
                change = [(mul(row[i], value[0]), -1) for row, value in zip(J, x, strict=True)]
                moved = linear(0, ((given[k], 1), *change))
                self.scheme.define(Assign(self.system.qd[k], moved, note))

    def accelerate(
        self, tau: Sequence[Node], build: Build, gamma: Sequence[Node], labels: Sequence[str]
    ) -> None:
        """Write qdd and lam."""
        qdd0 = tuple(self.driven.get(k, ZERO) for k in range(self.system.nv))
        inertia, c0 = build(self.frames, self.system.qd, qdd0)
        J = [self._row(row) for row in self.rows]
        others = [row for row in self.others if any(x is not ZERO for x in self._row(row))]
        columns = [[tau[k] - c0[k] for k in self.free], *J, *[self._row(row) for row in others]]
        X = self._divide_by_mass(inertia, columns)
        note = Note(step="multipliers", eq="Docquier2013 eqs. (6), (9)")
        JX = [[inner(row, [x[k] for x in X]) for k in range(len(columns))] for row in J]
        S = [row[1 : 1 + len(J)] for row in JX]
        right = [[g - row[0], *row[1 + len(J) :]] for g, row in zip(gamma, JX, strict=True)]
        solved = self.scheme.solve("lam", S, right, note=note) if J else []
        lam = [row[0] for row in solved]
        self._test(others, [row[1:] for row in solved])
        qdd = list(qdd0)
        for x, k in zip(X, self.free, strict=True):
            pushed = zip(x[1 : 1 + len(J)], lam, strict=True)
            qdd[k] = linear(0, ((x[0], 1), *[(mul(a, b), 1) for a, b in pushed]))
        found = dict(zip(self.labels, lam, strict=True))
        model = self.system.model
        self.scheme.output("qdd", qdd, None, model.velocities)
        self.scheme.output("lam", [found.get(label, ZERO) for label in labels], None, labels)
        self.scheme.output("q_closed", self.system.q, None, model.coordinates)
        self.scheme.output("qd_closed", self.system.qd, None, model.velocities)

    def _test(self, others: Sequence[Row], shares: Sequence[Sequence[Node]]) -> None:
        """Test the equations that are not solved.

        Args:
            others: those that move with some coordinate.
            shares: of every solved equation in each of them, J_r = Σ c J.
        """
        at = {row.label: j for j, row in enumerate(others)}
        rates = {k: self.system.qd[k] for k in self.driven}
        for row in self.others:
            c = [line[at[row.label]] for line in shares] if row.label in at else []
            solved = list(zip(self.rows, c, strict=True)) if c else []
            self.tests.check_repeated(row, solved, self.free, rates)

    def _columns(self, weigh: Callable[[tuple[Node, ...]], list[Node]]) -> Matrix:
        """M from its product with unit vectors."""
        n = self.system.nv
        units = [tuple(ONE if k == j else ZERO for k in range(n)) for j in range(n)]
        columns = [weigh(unit) for unit in units]
        return [[columns[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)]

    def _divide_by_mass(
        self, inertia: MassOperator, columns: Sequence[Sequence[Node]]
    ) -> list[list[Node]]:
        """Rows of M⁻¹ [τ - c, Jᵀ]; written out where structural zeros keep that short."""
        model = self.system.model
        if callable(inertia) and len(model.leaders) == len(model.joints):
            return self._divide_by_links(columns)
        M = self._columns(inertia) if callable(inertia) else inertia
        A = [[M[i][j] for j in self.free] for i in self.free]
        note = Note(step="M X = [tau - c, Jᵀ]", eq="Docquier2013 eq. (6)")
        if written_cost(A, columns) <= WRITTEN:
            X = solve_columns(self.scheme, "X", A, columns, note)
            return [list(row) for row in zip(*X, strict=True)]
        rhs = [list(row) for row in zip(*columns, strict=True)]
        return self.scheme.solve("X", A, rhs, note=note) if self.free else []

    def _divide_by_links(self, columns: Sequence[Sequence[Node]]) -> list[list[Node]]:
        """The same by articulated bodies, in two sweeps over the links for every column."""
        division = MassDivision(self.frames, self.driven)
        found = []
        for number, column in enumerate(columns):
            whole = [ZERO] * self.system.nv
            for k, x in zip(self.free, column, strict=True):
                whole[k] = x
            X = division.solve(whole, f"_c{number}")
            found.append([X[k] for k in self.free])
        return [list(row) for row in zip(*found, strict=True)]
