"""A small model with one element of a kind, called "new", for the pages of the reference."""

from __future__ import annotations

from typing import Any

import kinetree as kt
from kinetree.model import ANY, REQUIRED, ElementKind

ROLLING = (
    "roll", "contact_sphere", "contact_wheel", "contact_stick", "tyre_linear", "tyre_calspan",
    "tyre_pacejka", "tyre_pac2002",
)  # fmt: skip
"""Kinds whose places are a wheel and a road."""
JOINING = ("fluid_line", "fluid_resistance", "orifice", "check_valve", "pump", "fluid_source")
"""Kinds between two ports."""
HOLDING = ("fluid_volume", "accumulator", "cylinder", "tank")
"""Kinds with ports."""
VALUES: dict[str, Any] = {
    "pitch": 0.1, "steps": "T1 R3", "length": 1.0, "ratio": 2.0, "radius": 0.3, "joint": "hinge",
    "other": "elbow", "mode": "grip", "coulomb": 1.0, "stiffness": 2e4, "friction": 0.5,
    "force": 10.0, "restitution": 0.6, "impact_speed": 1.0,
    "first_profile": {"circle": (0, 0), "radius": 0.1},
    "second_profile": {"chain": ((1, 0), (-1, 0))},
    "plane_felt.depth": 1e-3, "plane_law.law": lambda depth, rate: 1e4 * depth * (1 + rate),
    "locked": lambda t: t - 1, "nominal_load": 4850.0,
    "coefficients": {
        "PCX1": 1.64, "PDX1": 1.17, "PKX1": 22.3, "PCY1": 1.35, "PDY1": 1.05, "PKY1": -21.9,
        "PKY2": 2.0,
    },
    "speed": lambda qd: qd["hinge"], "coupling.first": "hinge", "coupling.second": "elbow",
    "curve.law": lambda x, y, z: (y, z - x**2), "surface.law": lambda x, z: z - x**2,
    "law.law": lambda q: q["hinge"] - 2 * q["elbow"],
    "rate.law": lambda qd: qd["hinge"] - qd["elbow"],
    "bushing.stiffness": (1e4, 1e4, 1e4),
    "envelope": lambda crush: 2e5 * crush, "unloading": 4e5,
    "gap_stop.gap": lambda q: q["hinge"], "point_stop.gap": lambda points: points["tip"].p[2],
    "density": 870.0, "bulk_modulus": 1e9, "fluid": "oil", "volume": 1e-4, "pressure": 1e6,
    "bore": 0.03, "stroke": 0.2, "cap_volume": 3e-4, "rod_volume": 3e-4, "diameter": 0.01,
    "resistance": 1e9, "area": 1e-5, "conductance": 1e-9, "displacement": 1e-6,
    "fluid_source.law": lambda t: 1e-5 * t,
    **{f"{kind}.{end}": port for kind in JOINING
       for end, port in (("first", "A"), ("second", "B"))},
    "A0": 4000, "A1": 14, "A2": 1.5e4, "A3": 1.9, "A4": -8000, "B1": -1e-5, "B3": 1.1,
}  # fmt: skip
"""Values of required arguments, by name or by "kind.name"."""
MORE: dict[str, dict[str, Any]] = {
    "link": {"stiffness": 2e4, "length": 0.4, "damping": 300.0},
    "joint_law": {"law": lambda qd: -3 * qd["hinge"]},
    "joint_stop": {"lower": -0.5, "upper": 0.5},
    "external": {"force": (0, 0, -10)},
    "law": {"force": {"tip": (0, 0, -10)}},
    "roll": {"axis": "y"},
    "cylinder": {"closed": "both"},
    "tyre_linear": {"cornering_stiffness": 4e4},
}
"""Further arguments, by kind."""


def example(kind: ElementKind) -> kt.Model:
    """The model with an element of this kind."""
    model = _base(kind)
    needed = [name for name, default in kind.options.items() if default is REQUIRED]
    given = {name: _value(kind, name) for name in needed} | (
        MORE.get(kind.name, {}) if kind.noun != "closure" or kind.name == "roll" else {}
    )
    if "mode" in kind.options:
        model.mode("grip")
    places = ("wheel", "ground") if kind.name in ROLLING else ("lower.end", "ground.foot")
    if kind.noun == "joint":
        model.joint(kind.name, "new", "ground", "arm", given)
    elif kind.noun == "closure":
        model.closure(kind.name, "new", places if kind.places else (), given)
    else:
        labelled = {"tip": "lower.end"} if kind.places == ANY else places[: kind.places]
        model.force(kind.name, "new", labelled, given)
    if kind.name in ("fluid_volume", "accumulator"):
        model.fluid_resistance("neck", "new", "sump", 1e9)
    return model


def _value(kind: ElementKind, name: str) -> Any:
    """The value of a required argument."""
    for key in (f"{kind.name}.{name}", name):
        if key in VALUES:
            return VALUES[key]
    raise KeyError(f"tools/elements.py has no value for '{kind.name}.{name}'")


def _base(kind: ElementKind) -> kt.Model:
    """Bodies and joints to attach the element to."""
    model = kt.Model(kind.name)
    if kind.noun == "joint":
        model.body("arm", mass=1.0, com=(0.3, 0, 0.1), inertia=(0.01, 0.02, 0.02)).point(
            "tip", (0.6, 0, 0.2)
        )
        return model
    if kind.name in ROLLING:
        model.free("axle", "ground", model.body("wheel", mass=10.0, inertia=(0.3, 0.5, 0.3)),
                   initial=[1, 0, 0, 0, 0, 0, 0.29])  # fmt: skip
        return model
    upper, lower = (
        model.body(name, mass=1.0, com=(0.4, 0, 0), inertia=(0.01, 0.05, 0.05))
        for name in ("upper", "lower")
    )
    axis = "z" if kind.name.startswith("plane_") else "-y"
    model.revolute("hinge", "ground", upper, axis=axis, initial=0.9)
    model.revolute("elbow", upper.point("tip", (0.8, 0, 0)), lower, axis=axis, initial=-1.4)
    lower.point("end", (0.8, 0, 0))
    apart = kind.name in ("link", "link_friction", "rod", "cylinder")
    model.ground.point("foot", (1.2, 0, -0.4 if apart else 0.243))
    if kind.name in (*JOINING, *HOLDING):
        model.fluid("oil", 870.0, 1e9)
        model.tank("sump", "oil")
    if kind.name in JOINING:
        model.fluid_volume("A", "oil", 1e-4)
        model.fluid_volume("B", "oil", 1e-4)
    return model
