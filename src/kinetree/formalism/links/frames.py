"""Frames: the steps of a linkage bound to the scheme in which they are written.

Vectors pass between a link and its parent in two stages, the constant rotation and the motion; the
value between the two is named where the constant rotation is more than an exchange of axes.
"""

from __future__ import annotations

import numpy as np

from kinetree.arrays import Array
from kinetree.engine import Node
from kinetree.formalism.links.linkage import Link, Linkage, rotate
from kinetree.formalism.links.motion import FreeMotion, Let, LinkMotion, sym_to_joint
from kinetree.formalism.links.vectors import Mat, Sym, Vec, plus
from kinetree.program import Note, Scheme
from kinetree.program.notes import Naming, Notes, notes

NOTES = notes("""
    joints: Q | rotation matrix                       |                 | 1 | parent
    joints: p | position of the joint                 |                 | m | parent
    m h I     | mass properties about the link origin |                 |   | link
    turned    | turned tensor                         | planar rotation
    before    | constant rotation
""")
Properties = tuple[Node, Vec, Sym]
"""Mass, first moment and inertia of a link, about its origin, in its frame."""


class Frames:
    """Passage of vectors and tensors between links, with names for what is used twice."""

    def __init__(self, scheme: Scheme, system: Linkage) -> None:
        self.scheme, self.system = scheme, system
        self.motions: list[LinkMotion] = []
        self.offsets: list[Vec] = []
        self.properties = [self._properties(link) for link in system.links]
        for i, link in enumerate(system.links):
            let, motion = self.naming(NOTES, i), link.motion
            if isinstance(motion, FreeMotion):
                motion = motion.name_rotation(self._let(f"Q{i}", let.note("Q")))
            self.motions.append(motion)
            self.offsets.append(let("p", plus(link.r, rotate(link.R0, motion.shift()))))

    def _properties(self, link: Link) -> Properties:
        """Names for mass, first moment and inertia: parameters alone, so hoisting moves them."""
        let = self.naming(NOTES, link.index)
        return let("m", link.m), let("h", link.h), let("I", link.I)

    def naming(self, table: Notes, i: int, detail: int | str = "") -> Naming:
        """Names that end with the number of link i, with the notes of a table."""
        link = self.system.links[i]
        body, section = link.name, "bodies"
        pose = self.system.poses.get(body)
        if pose is None or pose.link != i:  # between two steps of a joint
            body, section = link.joint, "joints"
        return Naming(self.scheme, table, body, i, "", detail, section, link.joint)

    def columns(self, i: int) -> list[tuple[int, Vec, Vec]]:
        """(velocity number, angular, linear) of each column of Φ of link i, in its frame."""
        motion = self.motions[i]
        return [(k, w, v) for k, (w, v) in zip(motion.dofs, motion.columns, strict=True)]

    def offset(self, i: int) -> Vec:
        """Origin of link i from that of its parent, in the parent frame."""
        return self.offsets[i]

    def to_link(self, i: int, v: Vec, stem: str) -> Vec:
        """Parent components -> components in link i."""
        link = self.system.links[i]
        before = self._let_vector(rotate(link.R0.T, v), f"{stem}0")
        return self.motions[i].to_link(before)

    def to_parent(self, i: int, v: Vec, stem: str) -> Vec:
        """Components in link i -> parent components."""
        link = self.system.links[i]
        before = self.motions[i].to_joint(v)
        if _is_exchange(link.R0):
            return rotate(link.R0, before)
        return rotate(link.R0, self._let_vector(before, f"{stem}0"))

    def tensor_to_parent(self, i: int, A: Mat, stem: str) -> Mat:
        """A 3×3 tensor in link i -> in the parent frame."""
        let = self._let(stem, self.naming(NOTES, i).note("turned"))
        return self._turn(i, self.motions[i].tensor_to_joint(A, let), stem)

    def sym_to_parent(self, i: int, s: Sym, stem: str) -> Sym:
        """A symmetric tensor in link i -> in the parent frame."""
        R0 = self.system.links[i].R0
        let = self._let(stem, self.naming(NOTES, i).note("turned"))
        before = sym_to_joint(self.motions[i], s, let)
        if np.array_equal(R0, np.eye(3)):
            return before
        x, y, z, xy, xz, yz = before
        A = self._turn(i, ((x, xy, xz), (xy, y, yz), (xz, yz, z)), stem)
        return (A[0][0], A[1][1], A[2][2], A[0][1], A[0][2], A[1][2])

    def _turn(self, i: int, A: Mat, stem: str) -> Mat:
        """R0 A R0ᵀ: rows, then columns, by the constant rotation."""
        R0 = self.system.links[i].R0
        if np.array_equal(R0, np.eye(3)):
            return A
        rows = [self._let_vector(rotate(R0, row), f"{stem}r{k}") for k, row in enumerate(A)]
        columns = [rotate(R0, (rows[0][k], rows[1][k], rows[2][k])) for k in range(3)]
        return (
            (columns[0][0], columns[1][0], columns[2][0]),
            (columns[0][1], columns[1][1], columns[2][1]),
            (columns[0][2], columns[1][2], columns[2][2]),
        )

    def _let(self, stem: str, note: Note) -> Let:
        return lambda name, x: self.scheme.let(f"{stem}_{name}", x, note)

    def _let_vector(self, v: Vec, stem: str) -> Vec:
        return self.scheme.vector(stem, v, NOTES["before"])


def _is_exchange(R: Array) -> bool:
    """Whether a rotation only exchanges axes and signs."""
    return bool(np.all((R == 0) | (np.abs(R) == 1)))
