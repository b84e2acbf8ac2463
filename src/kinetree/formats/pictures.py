"""What the sections of pictures hold: `shapes`, solids of bodies, and `layout`, places in drawings.

No equation uses them; a mistake in them is told by those who draw, not when a model is read.
"""

from __future__ import annotations

from typing import Any

NUMBER_JSON: dict[str, Any] = {"type": "number"}
AXIS_JSON: dict[str, Any] = {
    "anyOf": [
        {"enum": ["x", "y", "z", "-x", "-y", "-z"]},
        {"type": "array", "items": NUMBER_JSON, "minItems": 3, "maxItems": 3},
    ]
}
DIMENSIONS: dict[str, tuple[str, ...]] = {
    "box": ("size",),
    "cylinder": ("radius", "length"),
    "sphere": ("radius",),
    "capsule": ("radius", "length"),
    "cone": ("radius", "length"),
    "frustum": ("radius", "top", "length"),
    "torus": ("radius", "tube"),
    "line": ("points", "radius"),
    "mesh": ("file",),
}
"""Kind of shape -> the dimensions it needs."""
LOOKS = ("kind", "position", "rotation", "rpy", "axis", "colour", "opacity", "scale", "name")
"""What a shape of any kind may have."""


def _field(text: str, **form: Any) -> dict[str, Any]:
    return {"description": text, **form}


def _vector(text: str) -> dict[str, Any]:
    return _field(text, type="array", items=NUMBER_JSON, minItems=3, maxItems=3)


FIELDS: dict[str, dict[str, Any]] = {
    "size": _vector("three sides [m]"),
    "radius": _field("of a line: how thick it is drawn [m]", type="number", exclusiveMinimum=0),
    "length": _field("along its z axis [m]", type="number", exclusiveMinimum=0),
    "top": _field("radius of its end at +z [m]", type="number", exclusiveMinimum=0),
    "points": _field(
        "two or more, in its own frame, with straight lines between them [m]",
        type="array",
        items=_vector("a point"),
        minItems=2,
    ),
    "tube": _field("radius of the ring's tube [m]", type="number", exclusiveMinimum=0),
    "file": _field("an STL, OBJ or DAE file beside the model", type="string"),
    "scale": _field("of a mesh: one factor or three", anyOf=[NUMBER_JSON, _vector("by axis")]),
    "position": _vector("of its middle, in the body frame [m]"),
    "rotation": _field("matrix to the body frame", type="array", items=_vector("a row")),
    "rpy": _vector("the same by roll, pitch and yaw [rad]"),
    "axis": _field("direction of its z axis in the body frame", **AXIS_JSON),
    "colour": _field(
        "'#rrggbb', or red, green, blue from 0 to 1",
        anyOf=[{"type": "string", "pattern": "^#[0-9a-fA-F]{6}$"}, _vector("red, green, blue")],
    ),
    "opacity": _field("0 to 1", type="number", minimum=0, maximum=1),
    "name": _field("of the shape", type="string"),
}
"""Meaning and form of the fields of shapes."""


def _shape(kind: str, needed: tuple[str, ...]) -> dict[str, Any]:
    fields = {name: FIELDS[name] for name in (*needed, *LOOKS) if name != "kind"}
    return {
        "type": "object",
        "properties": {"kind": {"const": kind}, **fields},
        "required": ["kind", *needed],
        "additionalProperties": False,
    }


_SHAPE: dict[str, Any] = {"oneOf": [_shape(*row) for row in DIMENSIONS.items()]}
_LINK = _field(
    "visual elements of a URDF, as its reader keeps them",
    type="object",
    properties={role: {"type": "array"} for role in ("visual", "collision")},
    additionalProperties=False,
)
SHAPES_JSON: dict[str, Any] = {
    "anyOf": [
        {
            "type": "object",
            "additionalProperties": {"anyOf": [{"type": "array", "items": _SHAPE}, _SHAPE, _LINK]},
        },
        {"type": "null"},
    ],
    "default": None,
}
OUTLINES = ("box", "round", "ellipse", "triangle")
"""Outlines of bodies in the diagram, the first unless another is chosen."""
_PLACE = _field(
    "left side and middle of the element, in units of the grid; behind them its outline",
    type="array",
    prefixItems=[{"type": "integer"}, {"type": "integer"}, {"enum": list(OUTLINES)}],
    items=False,
    minItems=2,
    maxItems=3,
)
LAYOUT_JSON: dict[str, Any] = {
    "anyOf": [
        {
            "type": "object",
            "properties": {
                "diagram": _field(
                    "element -> its place in the diagram; others find theirs",
                    type="object",
                    additionalProperties=_PLACE,
                )
            },
        },
        {"type": "null"},
    ],
    "default": None,
}
