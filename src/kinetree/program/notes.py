"""Notes as a table of the module: what its names mean stands beside the equations, not in between.

NOTES = notes('''
    w wp | angular velocity     | LuhWalkerPaul1980 eq. (1) | rad/s  | link
    wd   | angular acceleration | LuhWalkerPaul1980 eq. (2) | rad/s2 | link
''')
let = Naming(scheme, NOTES, body="arm", at=3)
w = let("w", plus(w_p, w_rel))                  # w3_x, w3_y, w3_z
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from kinetree.engine import Node
from kinetree.program.program import Note
from kinetree.program.scheme import AXES, Scheme, Triple

Notes = Mapping[str, Note]
"""What a name begins with -> its note, without the body."""
Noted = TypeVar(
    "Noted", Node, Triple, tuple[Triple, Triple, Triple], tuple[Node, Node, Node, Node, Node, Node]
)
"""A scalar, a vector, a matrix, or the six elements of a symmetric tensor."""
TENSOR = ("xx", "yy", "zz", "xy", "xz", "yz")
"""Endings of the names of a symmetric tensor's elements."""
INDICES = {3: AXES, 6: TENSOR}


def notes(table: str) -> dict[str, Note]:
    """The rows "names | step | paper equation | unit | frame"; columns at the end may be missing.

    Names after "joints:" are about the joint of a link, not about its body.  Step and frame may
    hold "{}", for what `Naming` is given as `detail`.
    """
    found: dict[str, Note] = {}
    for line in table.strip().splitlines():
        names, *columns = (cell.strip() for cell in line.split("|"))
        section, _, words = names.rpartition(":")
        note = Note("", *columns, section=section or "bodies")  # type: ignore[misc]
        found |= dict.fromkeys(words.split(), note)
    return found


@dataclass(frozen=True, slots=True)
class Naming:
    """Names, with their notes, for what is written about one body.

    Attributes:
        scheme: where the equations go.
        notes: table of the module.
        body: link, point or element that the notes speak of.
        at: what follows the name of the table, usually the number of the link.
        before: what stands before it.
        detail: for steps and frames that hold "{}".
        section: of the model file in which `body` stands.
        joint: whom rows of the section "joints" are about.
    """

    scheme: Scheme
    notes: Notes
    body: str = ""
    at: int | str = ""
    before: str = ""
    detail: int | str = ""
    section: str = "bodies"
    joint: str = ""

    def __call__(
        self, name: str, value: Noted, tail: str = "", *, at: int | str | None = None, row: str = ""
    ) -> Noted:
        """The value under its name, component by component.

        Args:
            name: of the table.
            value: scalar, vector, matrix or symmetric tensor.
            tail: end of the name.
            at: in place of the usual number.
            row: of the table, where it is not that of the name.
        """
        whole = f"{self.before}{name}{self.at if at is None else at}{tail}"
        return let_each(self.scheme, whole, value, self.note(row or name))

    def note(self, row: str) -> Note:
        """The note of a row of the table, on the body."""
        note = self.notes[row]
        step, frame = note.step, note.frame
        if self.detail != "":
            step, frame = step.format(self.detail), frame.format(self.detail)
        body, section = self.body, self.section
        if note.section == "joints" and self.joint:
            body, section = self.joint, note.section
        return Note(body, step, note.eq, note.unit, frame, section)


def about(
    scheme: Scheme, table: Notes, name: str, detail: str = "", section: str = "bodies"
) -> Naming:
    """Names that begin with that of a body, point or element of a section of the model file."""
    return Naming(scheme, table, name, before=f"{name}_", detail=detail, section=section)


def let_each(scheme: Scheme, name: str, value: Noted, note: Note) -> Noted:
    """Names for a scalar, or for the components name_x …, name_xx … or name_11 … of a value."""
    found: Any
    if isinstance(value, Node):
        found = scheme.let(name, value, note)
    elif isinstance(value[0], Node):
        found = tuple(
            scheme.let(f"{name}_{k}", x, note)
            for k, x in zip(INDICES[len(value)], value, strict=True)
        )
    else:
        found = tuple(
            tuple(scheme.let(f"{name}_{a}{b}", x, note) for b, x in enumerate(row, 1))
            for a, row in enumerate(value, 1)
        )
    return cast("Noted", found)


def elements_of(note: Note) -> tuple[str, ...]:
    """Paths in the model file of what a note is about, such as joints.elbow; none of the ground."""
    names = [name for name in note.body.split(", ") if name and name != "ground"]
    if note.section != "points":
        return tuple(f"{note.section}.{name}" for name in names)
    pairs = (name.partition(".") for name in names)
    return tuple(
        f"bodies.{body}.points.{point}" if point else f"bodies.{body}" for body, _, point in pairs
    )
