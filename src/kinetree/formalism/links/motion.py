"""Motions of a link: what the recursions ask of the step from a parent frame to a link frame.

After the constant rotation R0 a link turns about, and slides along, one of its own axes, or moves
freely by a quaternion.  Each motion gives

* `to_link(v)` / `to_joint(v)`: components before the motion -> in the link frame, and back;
* `shift`: position of the link origin relative to the joint, before the motion;
* `columns`: the motion subspace Φ in the link frame, one (angular, linear) pair per velocity;
* tensors turned from the link frame to the joint frame, by the planar formulas where they apply.

Planar tensor rotation, own derivation: with the 2×2 block [[a, b], [c, d]] of the turned axes,
t = C (a - d) - S (b + c), the turned block is [[d + C t, b + S t], [c + S t, a - C t]]
(4 products instead of 16).  Linear in the rotation's angle, exact.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from kinetree.engine import ONE, ZERO, Node, cos, sin
from kinetree.formalism.links.vectors import (
    NULL,
    Mat,
    Sym,
    Vec,
    apply,
    apply_transposed,
    full,
    mat3,
    matmul,
    symmetric,
    transpose,
    vec3,
)

Column = tuple[Vec, Vec]
Let = Callable[[str, Node], Node]
"""Names a value: (name, expression) -> the name."""


def unit(k: int, s: Node = ONE) -> Vec:
    """s times the k-th axis."""
    return vec3(s if i == k else ZERO for i in range(3))


@dataclass(frozen=True)
class AxisMotion:
    """Turn by turn·q about axis k and slide by slide·q along it.

    `turn` is ±1 for a revolute or screw motion, 0 for a prismatic one; `slide` is ±1 for a
    prismatic motion and ±pitch for a screw.  A follower moves with q = ratio·(coordinate of its
    leader) + offset; `dofs` is then the leader's velocity.
    """

    k: int
    turn: Node
    slide: Node
    q: Node
    dofs: tuple[int, ...]
    ratio: Node = ONE

    @property
    def columns(self) -> tuple[Column, ...]:
        """The one column of Φ; none for a link that does not move."""
        if not self.dofs:
            return ()
        return ((unit(self.k, self.ratio * self.turn), unit(self.k, self.ratio * self.slide)),)

    @property
    def turns(self) -> bool:
        """Whether the orientation changes."""
        return self.turn is not ZERO

    def shift(self) -> Vec:
        """Link origin relative to the joint, before the motion."""
        return unit(self.k, self.slide * self.q)

    def _cs(self) -> tuple[Node, Node]:
        angle = self.turn * self.q
        return cos(angle), sin(angle)

    def to_link(self, v: Vec) -> Vec:
        """Components before the motion -> in the link frame."""
        if not self.turns:
            return v
        C, S = self._cs()
        return self._planar(v, C, -S)

    def to_joint(self, v: Vec) -> Vec:
        """Components in the link frame -> before the motion."""
        if not self.turns:
            return v
        C, S = self._cs()
        return self._planar(v, C, S)

    def _planar(self, v: Vec, C: Node, S: Node) -> Vec:
        i, j = (self.k + 1) % 3, (self.k + 2) % 3
        out = list(v)
        out[i] = C * v[i] - S * v[j]
        out[j] = S * v[i] + C * v[j]
        return (out[0], out[1], out[2])

    def tensor_to_joint(self, A: Mat, let: Let) -> Mat:
        """R A Rᵀ of any 3×3 tensor, by the planar formula."""
        if not self.turns:
            return A
        C, S = self._cs()
        i, j, k = (self.k + 1) % 3, (self.k + 2) % 3, self.k
        a, b, c, d = A[i][i], A[i][j], A[j][i], A[j][j]
        t = let("t", C * let("ad", a - d) - S * let("bc", b + c))
        Ct, St = let("Ct", C * t), let("St", S * t)
        out = [list(row) for row in A]
        out[i][i], out[i][j], out[j][i], out[j][j] = d + Ct, b + St, c + St, a - Ct
        out[i][k], out[j][k] = C * A[i][k] - S * A[j][k], S * A[i][k] + C * A[j][k]
        out[k][i], out[k][j] = C * A[k][i] - S * A[k][j], S * A[k][i] + C * A[k][j]
        return mat3(out)


def quaternion_matrix(e: tuple[Node, ...]) -> Mat:
    """R from link components to components before the motion, of the unit quaternion w, x, y, z."""
    w, x, y, z = e
    return (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )


@dataclass(frozen=True)
class FreeMotion:
    """Rotation by the unit quaternion e, and by p where the origin moves too (else p is null).

    Velocities are those of the link relative to the joint, in the link frame: angular, then linear.

    Attributes:
        e: quaternion w, x, y, z.
        p: position of the link origin before the motion.
        floats: whether the origin moves.
        R: the rotation matrix, once a scheme has named its elements.
    """

    e: tuple[Node, ...]
    p: Vec
    floats: bool
    dofs: tuple[int, ...]
    R: Mat | None = None

    turns = True

    @property
    def columns(self) -> tuple[Column, ...]:
        """Three angular columns, then three linear ones where the origin moves."""
        angular = tuple((unit(k), NULL) for k in range(3))
        return angular + tuple((NULL, unit(k)) for k in range(3 if self.floats else 0))

    def name_rotation(self, let: Let) -> FreeMotion:
        """The same motion with the elements of R named."""
        rows = quaternion_matrix(self.e)
        R = mat3(
            (let(f"R{i}{j}", x) for j, x in enumerate(row, 1)) for i, row in enumerate(rows, 1)
        )
        return replace(self, R=R)

    def shift(self) -> Vec:
        """Link origin relative to the joint, before the motion."""
        return self.p

    @property
    def matrix(self) -> Mat:
        """R from link components to components before the motion."""
        return self.R if self.R is not None else quaternion_matrix(self.e)

    def to_link(self, v: Vec) -> Vec:
        """Components before the motion -> in the link frame."""
        return apply_transposed(self.matrix, v)

    def to_joint(self, v: Vec) -> Vec:
        """Components in the link frame -> before the motion."""
        return apply(self.matrix, v)

    def tensor_to_joint(self, A: Mat, let: Let) -> Mat:
        """R A Rᵀ."""
        half = mat3(
            (let(f"RA{i}{j}", x) for j, x in enumerate(row))
            for i, row in enumerate(matmul(self.matrix, A))
        )
        return matmul(half, transpose(self.matrix))


LinkMotion = AxisMotion | FreeMotion


def sym_to_joint(motion: LinkMotion, s: Sym, let: Let) -> Sym:
    """R S Rᵀ of a symmetric tensor."""
    return symmetric(motion.tensor_to_joint(full(s), let))
