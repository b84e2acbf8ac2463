"""Walk: velocities along a product of displacements and rotations, in the frame reached so far.

| step | w, v | wd, a |
|---|---|---|
| displacement r | w, v + w × r + ṙ | wd, a + wd × r + w × (w × r + 2 ṙ) + r̈ |
| rotation F about u by φ | Fᵀ w + u φ̇, Fᵀ v | Fᵀ wd + u φ̈ + Fᵀ w × u φ̇, Fᵀ a |

Partial contributions follow the first column with ∂/∂q_j in place of d/dt.  Only r and φ are ever
differentiated (`named_derivatives`), not the matrices that hold them.  Where only the elements of F
are known, u φ̇ is the vector of Fᵀ Ḟ (eq. 37 in turned components), and Fᵀ F̈ has products of that
vector besides its derivative.  Bodies share the steps with which their products begin.

Refs: Verlinden2005 eqs. 5, 36 to 38; SaminFisette2003
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from kinetree.engine import ZERO, Node
from kinetree.formalism.links.motion import FreeMotion, quaternion_matrix, unit
from kinetree.formalism.links.vectors import (
    NULL,
    Mat,
    Pair,
    Vec,
    apply_transposed,
    cross,
    dot,
    is_null,
    mat3,
    minus,
    plus,
    times,
    transpose,
    vec3,
)
from kinetree.formalism.matrices.placement import PlacedStep, PlacedTurn
from kinetree.program import Note

if TYPE_CHECKING:
    from kinetree.formalism.matrices.named_derivatives import NamedDerivatives

CYCLE = ((2, 1), (0, 2), (1, 0))
"""Row and column of a skew matrix where x, y, z of its vector stand."""
PlacedSteps = tuple["PlacedStep", ...]
STILL: Pair = (NULL, NULL)


class ProductKinematics:
    """Velocities, accelerations and contributions; what was written once is kept.

    Args:
        jets: derivatives of what the steps hold.
        base: acceleration of the ground, -g where gravity is to be in all accelerations.
    """

    def __init__(self, jets: NamedDerivatives, base: Vec = NULL) -> None:
        self.jets = jets
        self._nodes: dict[PlacedStep, tuple[Node, ...]] = {}
        self._number: dict[PlacedSteps, int] = {}
        self._velocity: dict[PlacedSteps, Pair] = {(): STILL}
        self._acceleration: dict[PlacedSteps, Pair] = {(): (NULL, base)}
        self._parts: dict[PlacedSteps, dict[int, Pair]] = {(): {}}
        self._free = {
            quaternion_matrix(m.e): m.dofs[:3]
            for m in jets.system.motions
            if isinstance(m, FreeMotion)
        }

    def velocity(self, steps: PlacedSteps) -> Pair:
        """(w, v) of the frame that the steps reach."""
        for n in range(1, len(steps) + 1):
            done, last = steps[:n], steps[n - 1]
            if done not in self._velocity:
                before = self._velocity[done[:-1]]
                found = self._move(before, last, self._rate(last))
                self._velocity[done] = self._let_both(("w", "v"), done, found, "velocity")
        return self._velocity[steps]

    def acceleration(self, steps: PlacedSteps) -> Pair:
        """(wd, a) of the frame that the steps reach."""
        self.velocity(steps)
        for n in range(1, len(steps) + 1):
            done = steps[:n]
            if done not in self._acceleration:
                found = self._accelerate(done)
                self._acceleration[done] = self._let_both(("wd", "a"), done, found, "acceleration")
        return self._acceleration[steps]

    def contributions(self, steps: PlacedSteps) -> dict[int, Pair]:
        """Velocity number -> its part of (w, v)."""
        for n in range(1, len(steps) + 1):
            done, last = steps[:n], steps[n - 1]
            if done not in self._parts:
                before, own = self._parts[done[:-1]], self._own_parts(last)
                found: dict[int, Pair] = {}
                for k in sorted({*before, *own}):
                    moved = self._move(before.get(k, STILL), last, own.get(k, NULL))
                    stems = (f"th{k + 1}", f"d{k + 1}")
                    found[k] = self._let_both(stems, done, moved, "partial contribution")
                self._parts[done] = {k: x for k, x in found.items() if x != STILL}
        return self._parts[steps]

    # --- one step --------------------------------------------------------------------------------

    def _move(self, before: Pair, step: PlacedStep, own: Vec) -> Pair:
        """The first column of the module's table."""
        w, v = before
        if isinstance(step, PlacedTurn):
            return plus(self._turn_back(w, step), own), self._turn_back(v, step)
        return w, plus(v, cross(w, self._values(step)), own)

    def _accelerate(self, done: PlacedSteps) -> Pair:
        """The second column of the module's table."""
        step, before = done[-1], done[:-1]
        wd, a = self._acceleration[before]
        w, _ = self._velocity[before]
        own, rate = self._second_rate(step), self._rate(step)
        if isinstance(step, PlacedTurn):
            gyration = cross(self._turn_back(w, step), rate)
            return plus(self._turn_back(wd, step), own, gyration), self._turn_back(a, step)
        r = self._values(step)
        number = self._number.setdefault(done, len(self._number) + 1)
        note = Note(step="velocity by turning", unit="m/s", frame="the frame reached")
        swept = self.jets.scheme.vector(f"wr_{number}", cross(w, r), note)
        return wd, plus(a, cross(wd, r), cross(w, plus(swept, rate, rate)), own)

    def _turn_back(self, v: Vec, turn: PlacedTurn) -> Vec:
        """Fᵀ v, components in the frame that the rotation reaches."""
        if is_null(v) or (turn.axis is not None and is_null(cross(turn.axis, v))):
            return v
        return apply_transposed(self._matrix(turn), v)

    def _rate(self, step: PlacedStep) -> Vec:
        """ṙ or u φ̇."""
        if not isinstance(step, PlacedTurn):
            return vec3(self.jets.rate(x) for x in self._values(step))
        if step.axis is not None:
            return times(self.jets.rate(self._angle(step)), step.axis)
        if step.R in self._free:
            return vec3(self.jets.system.qd[k] for k in self._free[step.R])
        return self._spin(step, self.jets.rate)

    def _second_rate(self, step: PlacedStep) -> Vec:
        """r̈ or u φ̈."""
        if not isinstance(step, PlacedTurn):
            return vec3(self.jets.acceleration(x) for x in self._values(step))
        if step.axis is not None:
            return times(self.jets.acceleration(self._angle(step)), step.axis)
        if step.R in self._free:
            return vec3(self.jets.qdd[k] for k in self._free[step.R])
        x, y, z = self._rate(step)
        return minus(self._spin(step, self.jets.acceleration), (y * z, z * x, x * y))

    def _own_parts(self, step: PlacedStep) -> dict[int, Vec]:
        """Velocity number -> its part of ṙ or u φ̇."""
        if not isinstance(step, PlacedTurn):
            rows = [self.jets.partials(x) for x in self._values(step)]
            return {k: vec3(x.get(k, ZERO) for x in rows) for x in rows for k in x}
        if step.axis is not None:
            slopes = self.jets.partials(self._angle(step))
            return {k: times(x, step.axis) for k, x in slopes.items()}
        if step.R in self._free:
            return {k: unit(i) for i, k in enumerate(self._free[step.R])}
        parts = [[self.jets.partials(x) for x in row] for row in self._matrix(step)]
        moving = {k for row in parts for x in row for k in x}
        slices = {k: mat3((x.get(k, ZERO) for x in row) for row in parts) for k in sorted(moving)}
        return {k: self._vector_of(step, D) for k, D in slices.items()}

    def _spin(self, turn: PlacedTurn, derive: Callable[[Node], Node]) -> Vec:
        return self._vector_of(turn, mat3((derive(x) for x in r) for r in self._matrix(turn)))

    def _vector_of(self, turn: PlacedTurn, D: Mat) -> Vec:
        """Elements zy, xz, yx of Fᵀ D."""
        F, D = transpose(self._matrix(turn)), transpose(D)
        note = Note(step="vector of a rotation's derivative", eq="Verlinden2005 eq. (37)")
        return self.jets.scheme.vector("spin", vec3(dot(F[i], D[j]) for i, j in CYCLE), note)

    # --- names -----------------------------------------------------------------------------------

    def _values(self, step: Vec) -> Vec:
        """The components of a displacement, named."""
        if step not in self._nodes:
            note = Note(step="displacement", unit="m")
            self._nodes[step] = tuple(self.jets.name_all("r", step, note))
        return vec3(self._nodes[step])

    def _matrix(self, turn: PlacedTurn) -> Mat:
        """The elements of a rotation, named."""
        if turn not in self._nodes:
            note = Note(step="rotation", unit="1")
            flat = [x for row in turn.R for x in row]
            self._nodes[turn] = tuple(self.jets.name_all("F", flat, note))
        found = self._nodes[turn]
        return mat3((found[0:3], found[3:6], found[6:9]))

    def _angle(self, turn: PlacedTurn) -> Node:
        """The angle of a rotation, named."""
        return self.jets.name_all(
            "phi", [turn.angle], Note(step="angle of a rotation", unit="rad")
        )[0]

    def _let_both(self, stems: tuple[str, str], steps: PlacedSteps, pair: Pair, what: str) -> Pair:
        number = self._number.setdefault(steps, len(self._number) + 1)
        note = Note(step=what, eq="Verlinden2005 eqs. (36) to (38)", frame="the frame reached")
        first, second = (
            self.jets.scheme.vector(f"{stem}_{number}", v, note)
            for stem, v in zip(stems, pair, strict=True)
        )
        return first, second


__all__ = ["Pair", "PlacedSteps", "ProductKinematics"]
