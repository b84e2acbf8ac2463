"""Tables of kinds: what the elements of a kind take, one row per kind of joint, closure, force."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from kinetree.door import Registry

if TYPE_CHECKING:
    from kinetree.model.parts import Motion

ANY = -1
"""Number of places of a kind that takes as many as it is given, each with a name."""
ENDS = ("first", "second")
"""Labels of the places of an element that stands between two."""


@dataclass(frozen=True)
class ElementKind:
    """One row of a table of kinds: what the elements of a kind take.

    Attributes:
        noun: what its elements are: "joint", "closure" or "force".
        name: as in files and in the method that adds it.
        options: the arguments it takes, with their defaults; a missing default is `REQUIRED`.
        places: number of places that an element stands at: 0, 1, 2 or `ANY`.
        ends: labels of two places.
        scalars: arguments that stay run-time parameters.
        vectors: arguments of three such scalars each, NAME.argument_x to NAME.argument_z.
        laws: arguments that are expressions, `law_size` of them each, or any number for 0.
        vector_laws: arguments of three expressions each; where the user names the places, a
            mapping from the label of a place to three expressions.
        coordinates: arguments that name a coordinate whose rate is a velocity, or its joint.
        velocities: arguments that name a velocity, those of quaternions included, or its joint.
    """

    noun: ClassVar[str]
    ends: ClassVar[tuple[str, ...]] = ENDS
    law_size: ClassVar[int] = 0
    name: str
    _: KW_ONLY
    options: Mapping[str, Any] = field(default_factory=dict)
    places: int = 2
    scalars: tuple[str, ...] = ()
    vectors: tuple[str, ...] = ()
    laws: tuple[str, ...] = ()
    vector_laws: tuple[str, ...] = ()
    coordinates: tuple[str, ...] = ()
    velocities: tuple[str, ...] = ()

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the places of an element; empty too where the user names them."""
        return {1: ("at",), 2: self.ends}.get(self.places, ())


@dataclass(frozen=True)
class JointKind(ElementKind):
    """One row of the joint table.

    Attributes:
        motions: from the arguments of the kind and the element path (for errors) to motions.
        q_suffixes: endings of the coordinate names when the kind does not number them.
        v_suffixes: endings of the velocity names, likewise.
    """

    noun: ClassVar[str] = "joint"
    ends: ClassVar[tuple[str, ...]] = ("parent", "child")
    motions: Callable[[Mapping[str, Any], str], tuple[Motion, ...]]
    q_suffixes: tuple[str, ...] | None = None
    v_suffixes: tuple[str, ...] | None = None


JOINTS = Registry[JointKind]("kinetree.joints")
"""The joint table: kind name -> row; the room `joints` fills it."""
REQUIRED = object()
"""Marks an argument of a kind that has no default."""
