"""Sections of a model file whose entries are of kinds: joints, closures, forces.

The fields of each kind are those of its row in the table of its room.
"""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from pydantic import Field, create_model

from kinetree.constraints import ALL as CLOSURES
from kinetree.forces import ALL as FORCES
from kinetree.formats.schema_types import (
    AxisData,
    ElementSection,
    Laws,
    Name,
    NumberData,
    ScalarData,
    Section,
    StartsData,
    Text,
    VectorData,
    Words,
)
from kinetree.joints import ALL as JOINTS
from kinetree.model import ANY, REQUIRED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kinetree.model import ElementKind


class LimitsData(Section):
    """Bounds of a joint, data only."""

    lower: NumberData | None = None
    upper: NumberData | None = None
    velocity: NumberData | None = None
    effort: NumberData | None = None


class MimicData(Section):
    """q = ratio·q(joint) + offset, data only."""

    joint: Name
    ratio: NumberData = 1.0
    offset: NumberData = 0.0


class JointSection(ElementSection):
    """A joint: places as "body" or "body.point"; what its kind takes; rotor inertia; data."""

    parent: Name
    child: Name
    limits: LimitsData | None = None
    mimic: MimicData | None = None
    initial: StartsData | None = None
    coordinates: list[Text] | None = None
    damping: NumberData = 0.0
    friction: NumberData = 0.0
    armature: Laws = 0


Corners = Annotated[list[Annotated[list[NumberData], Field(min_length=2, max_length=3)]],
                    Field(min_length=2)]  # fmt: skip
PlaneData = Annotated[list[NumberData], Field(min_length=2, max_length=2)]


class ProfileData(Section):
    """A profile in a plane [m]: a point, a circle with its radius, a chain, a spline, or a file.

    Corners of a chain are x, y and, where an arc follows, the tangent of a quarter of its angle.
    A file is an SVG, DXF or CSV below the folder of the model file.
    """

    point: PlaneData | None = None
    circle: PlaneData | None = None
    radius: NumberData | None = None
    chain: Corners | None = None
    spline: Corners | None = None
    closed: Annotated[bool, Field(strict=True)] = False
    repeat: Annotated[int, Field(strict=True)] | None = None
    rounding: NumberData = 0.0
    file: Text | None = None
    name: Text | None = None
    unit: Text | None = None
    flip: Annotated[bool, Field(strict=True)] = False
    smooth: Annotated[bool, Field(strict=True)] = False


OPTION_TYPES: dict[str, Any] = {
    "axis": AxisData,
    "normal": AxisData,
    "axes": Annotated[list[AxisData], Field(min_length=2, max_length=2)],
    "steps": Words,
    **dict.fromkeys(("first", "second"), Name),
    "law": Laws,
    "joint": Name,
    "frame": Text,
    "fluid": Name,
    **dict.fromkeys(("first_profile", "second_profile"), ProfileData),
    "thickness": NumberData,
    "coefficients": dict[str, NumberData],
}


DEFAULT_TYPES: dict[type, Any] = {
    bool: Annotated[bool, Field(strict=True)],
    int: NumberData,
    float: NumberData,
    str: Text,
    tuple: list[NumberData],
}
"""What an argument may be that is known by its default alone."""


class ClosureSection(ElementSection):
    """A closure: places as "body" or "body.point", coordinates, or laws, as its kind takes them."""


class ForceSection(ElementSection):
    """A force: places as "body" or "body.point", a joint, scalars and laws, as its kind takes."""


S = TypeVar("S", bound=Section)


def kind_section(kind: ElementKind, base: type[S], places: tuple[str, ...]) -> type[S]:
    """The section of one kind, with these places and the arguments that kind takes."""
    fields: dict[str, Any] = dict.fromkeys(places, (Name, ...))
    if kind.places == ANY:
        fields["points"] = (Annotated[dict[str, Name], Field(min_length=1)], ...)
    for name, default in kind.options.items():
        wanted = _argument_type(kind, name)
        wanted = wanted if default is not None else wanted | None
        filled = list(default) if isinstance(default, tuple) else default
        fields[name] = (wanted, ... if default is REQUIRED else filled)
    fields["kind"] = (Literal[kind.name], ...)
    made: type[S] = create_model(
        f"{kind.name.title().replace('_', '')}{kind.noun.capitalize()}",
        __base__=base,
        __doc__=f"A {kind.name} {kind.noun}.",
        **fields,
    )
    return made


def _argument_type(kind: ElementKind, name: str) -> Any:
    """What an argument of a kind may be."""
    if name in kind.vector_laws:
        return dict[str, VectorData] if kind.places == ANY else VectorData
    if name in kind.vectors:
        return VectorData
    if name in kind.scalars or (name in kind.laws and kind.law_size == 1):
        return ScalarData
    if name in OPTION_TYPES:
        return OPTION_TYPES[name]
    return DEFAULT_TYPES.get(type(kind.options[name]), Any)


JOINT_MODELS = {kind.name: kind_section(kind, JointSection, ()) for kind in JOINTS}
CLOSURE_MODELS = {kind.name: kind_section(kind, ClosureSection, kind.labels) for kind in CLOSURES}
FORCE_MODELS = {kind.name: kind_section(kind, ForceSection, kind.labels) for kind in FORCES}
if TYPE_CHECKING:
    JointEntry = JointSection
    ClosureEntry = ClosureSection
    ForceEntry = ForceSection
else:
    JointEntry = Annotated[reduce(or_, JOINT_MODELS.values()), Field(discriminator="kind")]
    ClosureEntry = Annotated[reduce(or_, CLOSURE_MODELS.values()), Field(discriminator="kind")]
    ForceEntry = Annotated[reduce(or_, FORCE_MODELS.values()), Field(discriminator="kind")]
KINDED: dict[str, Mapping[str, type[Section]]] = {
    "joints": JOINT_MODELS,
    "closures": CLOSURE_MODELS,
    "forces": FORCE_MODELS,
}
"""Sections whose entries are of kinds, each with fields of its own."""
ROWS: dict[str, ElementKind] = {
    KINDED[section][kind.name].__name__: kind
    for section, kinds in (("joints", JOINTS), ("closures", CLOSURES), ("forces", FORCES))
    for kind in kinds
}
"""Title of a section of a kind -> the row of the kind."""
