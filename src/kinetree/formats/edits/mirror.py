"""A part of a mechanism copied to the other side of a plane, as one corner of a car to the other.

With S the reflection, positions and forces become S p, angular velocities and torques -S w.  Axes
along x, y, z stay as they are written, so that both sides are described alike; a coordinate whose
motion then goes the other way changes its sign wherever it is spoken of: q' = -q.
"""

from __future__ import annotations

import copy
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from kinetree.errors import FormatError
from kinetree.formats.build import build
from kinetree.formats.edits.entries import EntryPath
from kinetree.formats.edits.names import Use, tokens, uses
from kinetree.formats.schema import switch_off, validate
from kinetree.model import JOINTS, Joint, Motion
from kinetree.model.parts import Ball, Float, Shift

COPIED = ("joints", "closures", "forces", "wrenches", "drives", "states", "outputs")
"""Sections whose elements are copied where they speak of the part; events are not."""
LETTERS = ("x", "y", "z")
PLAIN = re.compile(r"[\w.]+(?: ?\w+)?\Z")
"""A number, a name, or a number with its unit: what needs no brackets behind a sign."""


@dataclass
class MirroredPart:
    """What is copied, and how names and signs change on the other side.

    Attributes:
        data: the document.
        bodies: of the part.
        rename: from a name to that of the other side.
        normal: number of the axis across the plane.
        names: (section, name) of all that is copied -> the new name.
        coordinates: coordinate or velocity of a joint of the part -> the new name and its sign.
        of_joint: joint of the part -> those of its coordinates, in their order.
        points: (body, point) of a body that is not copied -> the point on the other side.
    """

    data: dict[str, Any]
    bodies: tuple[str, ...]
    rename: Callable[[str], str]
    normal: int
    names: dict[tuple[str, str], str] = field(default_factory=dict)
    coordinates: dict[str, tuple[str, int]] = field(default_factory=dict)
    of_joint: dict[str, list[tuple[str, int]]] = field(default_factory=dict)
    points: dict[tuple[str, str], str] = field(default_factory=dict)

    @property
    def polar(self) -> list[int]:
        """Signs of the components of positions, velocities, forces."""
        return [-1 if k == self.normal else 1 for k in range(3)]

    @property
    def axial(self) -> list[int]:
        """Signs of the components of angular velocities and torques."""
        return [-sign for sign in self.polar]

    def token(self, word: str, labels: Sequence[str] = ()) -> str:
        """A name of an expression on the other side."""
        stem, mark, rest = word.partition("_")
        if stem in ("q", "qd", "qdd") and mark and rest in self.coordinates:
            name, sign = self.coordinates[rest]
            return word_with_sign(f"{stem}_{name}", sign)
        if stem == "x" and ("states", rest) in self.names:
            return f"x_{self.names['states', rest]}"
        owner, _, quantity = word.partition(".")
        if owner in labels:
            return word_with_sign(word, self.sign_of(quantity, axial=("w",)))
        sections = {section for section, name in self.names if name == owner}
        if not (sections - {"states", "drives"} if quantity else "outputs" in sections):
            return word
        sign = self.sign_of(quantity) if self.is_of_body(owner, quantity) else 1
        return word_with_sign(self.rename(owner) + word[len(owner) :], sign)

    def is_of_body(self, owner: str, quantity: str) -> bool:
        """Whether OWNER.quantity is a component of a body that is copied, or of a point of it."""
        body = self.data["bodies"].get(owner) or {} if owner in self.bodies else None
        stems = ("com", "inertia", *(body.get("points") or ())) if body is not None else ()
        return quantity.rpartition("_")[0] in stems

    def sign_of(self, quantity: str, axial: Sequence[str] = ()) -> int:
        """Sign of a component on the other side, by its name: com_y, inertia_xy, w_x, R_xy."""
        stem, _, axes = quantity.rpartition("_")
        signs = self.axial if stem in axial else self.polar
        return math.prod(signs[LETTERS.index(letter)] for letter in axes if letter in LETTERS)

    def text(self, text: str, use: Use) -> str:
        """A text that speaks of elements, on the other side."""
        if use.role == "place":
            body, dot, point = text.partition(".")
            if ("bodies", body) in self.names:
                return self.names["bodies", body] + dot + point
            return body + dot + self.points.get((body, point), point)
        if use.role == "joint":
            known = self.coordinates.get(text, (self.names.get(("joints", text), text), 1))
            return known[0]
        if use.role == "expression":
            return tokens(text, lambda word: self.token(word, use.labels))
        return text

    def touches(self, text: str, use: Use) -> bool:
        """Whether a text speaks of what is copied."""
        use = Use(use.path, use.role)  # labels are of the element itself
        if use.role == "place":
            return ("bodies", text.partition(".")[0]) in self.names
        return self.text(text, use) != text or ("joints", text) in self.names


def rule(old: str, new: str) -> Callable[[str], str]:
    """From a name to that of the other side."""
    if not new or old == new:
        raise FormatError(
            "names would stay as they are", element="mirror", cure="give an old and a new part"
        )
    return lambda name: name.replace(old, new, 1) if old and old in name else f"{name}_{new}"


def collect(part: MirroredPart) -> None:
    """Find all elements that speak of the part, and what their coordinates become."""
    checked = validate(copy.deepcopy(part.data))
    off = switch_off(checked, part.data)
    joints = build(checked).joints
    texts = [(use, value_at(part.data, use.path)) for use in uses(part.data) if not use.is_key]
    texts += [(use, str(use.path[-1])) for use in uses(part.data) if use.path[0] == "drives"]
    found = True
    while found:
        found = False
        for use, text in texts:
            section, name = str(use.path[0]), str(use.path[1]) if len(use.path) > 1 else ""
            if (
                section not in COPIED
                or (section, name) in part.names
                or name in off.get(section, {})
            ):
                continue
            if section == "drives" and name not in part.coordinates:
                continue
            if isinstance(text, str) and (section == "drives" or part.touches(text, use)):
                new = part.coordinates[name][0] if section == "drives" else part.rename(name)
                part.names[section, name] = new
                found = True
                joint = joints.get(name) if section == "joints" else None
                if isinstance(joint, Joint):
                    _take_coordinates(part, joint)


def value_at(data: Any, path: EntryPath) -> Any:
    """The value at a path of a document."""
    for step in path:
        data = data[step]
    return data


def _take_coordinates(part: MirroredPart, joint: Joint) -> None:
    """New names and signs of the coordinates and velocities of a joint."""
    row = part.data["joints"][joint.name]
    motions = motions_of(joint.name, joint.kind, directions_of(part, row))
    q_signs: list[int] = []
    v_signs: list[int] = []
    for before, after in zip(joint.motions, motions, strict=True):
        q, v = _signs(part, before, after, joint.name)
        q_signs += q
        v_signs += v
    new = part.names["joints", joint.name]
    for names, signs in ((joint.coordinates, q_signs), (joint.velocities, v_signs)):
        for name, sign in zip(names, signs, strict=True):
            made = new + name[len(joint.name) :]
            other = part.rename(name) if name in (row.get("coordinates") or ()) else made
            part.coordinates.setdefault(name, (other, sign))
    part.of_joint[joint.name] = [part.coordinates[name] for name in joint.coordinates]


def motions_of(name: str, kind: str, row: dict[str, Any]) -> tuple[Motion, ...]:
    """The motions of a joint by its directions; numbers of them do not matter here."""
    known = JOINTS[kind]
    given = {**known.options, **row, **dict.fromkeys(known.scalars, 1.0)}
    return known.motions(given, f"joint '{name}'")


def _signs(part: MirroredPart, old: Motion, new: Motion, name: str) -> tuple[list[int], list[int]]:
    """Signs of the coordinates and of the velocities of a motion on the other side."""
    if isinstance(old, Ball):
        return [1, *part.axial], part.axial
    if isinstance(old, Float):
        return [1, *part.axial, *part.polar], [*part.axial, *part.polar]
    assert not isinstance(new, Ball | Float)
    flip = part.polar if isinstance(old, Shift) else part.axial
    share = sum(b * s * a for a, b, s in zip(old.axis, new.axis, flip, strict=True))
    if abs(abs(share) - 1) > 1e-9:
        raise FormatError(
            "its motions cannot be told on the other side", element=f"joint '{name}'",
            cure="describe it by a sequence, or with axes along x, y, z",
        )  # fmt: skip
    sign = 1 if share > 0 else -1
    return [sign], [sign]


def directions_of(part: MirroredPart, row: dict[str, Any]) -> dict[str, Any]:
    """Directions of an element: letters stay, others are reflected as axes of rotation are."""
    made = {k: v for k, v in row.items() if k in ("axis", "normal", "along", "axes", "steps")}
    for name, value in made.items():
        made[name] = _direction(part, value)
    return made


def _direction(part: MirroredPart, value: Any) -> Any:
    if isinstance(value, list) and value and all(isinstance(v, int | float) for v in value):
        return vector_of(value, part.axial)
    return [_direction(part, entry) for entry in value] if isinstance(value, list) else value


def vector_of(value: Sequence[Any], signs: Sequence[int], part: MirroredPart | None = None) -> Any:
    """Components with signs; names in expressions are those of the other side."""
    said = [expression_of(part, entry) for entry in value] if part is not None else value
    return [with_sign(entry, sign) for entry, sign in zip(said, signs, strict=False)]


def expression_of(part: MirroredPart, value: Any, labels: tuple[str, ...] = ()) -> Any:
    """An expression on the other side; numbers stay."""
    return (
        part.text(value, Use((), "expression", labels=labels)) if isinstance(value, str) else value
    )


def word_with_sign(word: str, sign: int) -> str:
    """A name inside of an expression times a sign."""
    return word if sign > 0 else f"(-{word})"


def with_sign(value: Any, sign: int) -> Any:
    """A number or expression times a sign."""
    if sign > 0 or value is None:
        return value
    if not isinstance(value, str):
        return -value if value else value
    text = value.strip()
    if text.startswith("-") and PLAIN.match(text[1:]):
        return text[1:]
    return f"-{text}" if PLAIN.match(text) else f"-({text})"
