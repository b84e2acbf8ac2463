"""What the fields of joints, closures and forces mean: one sentence each, for schema and reference.

A field of one kind alone, or whose meaning differs there, is called "kind.field".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinetree.model import ElementKind, ForceKind

TEXTS = {
    # places
    "parent": "place on the inner body: body or body.point",
    "child": "place on the outer body; its frame coincides with that of the parent at q = 0",
    "first": "first place: body or body.point",
    "second": "second place: body or body.point",
    "at": "place on which it acts: body or body.point",
    "points": "label in the law -> place: body or body.point",
    "coupling.first": "coordinate that is tied: q_first = ratio·q_second + offset",
    "coupling.second": "coordinate that it is tied to",
    "roll.first": "centre of the wheel",
    "roll.second": "frame of the plane that it rolls on",
    "bushing.first": "frame along whose axes the springs stand",
    "bushing.second": "frame that coincides with the first when the bushing is at rest",
    # directions
    "axis": "direction in the frame of the first place: x, y, z, -x, … or three numbers",
    "axes": "two directions, each as a letter or three numbers",
    "normal": "normal of the plane in the frame of the first place: a letter or three numbers",
    "steps": "words T1 to T3 (shift) and R1 to R3 (turn) along axis 1 to 3, one after the other",
    "roll.axis": "axis of the wheel in its frame; none for a sphere",
    "roll.normal": "normal of the plane in its frame",
    "frame": "whose components the values are: ground, body, or point (that of the place)",
    # numbers of joints and closures
    "pitch": "advance per angle; positive for a right-handed thread",
    "length": "distance between the two places",
    "ratio": "factor of the other coordinate",
    "offset": "added to the product",
    "radius": "of the wheel or sphere without load",
    "crown": "radius of the rim across the wheel; 0 for a sharp edge",
    "law": "expression of what the kind's equation names",
    "curve.law": "two expressions of x, y, z of the second place that are zero on the curve",
    "surface.law": "expression of x, y, z of the second place that is zero on the surface",
    "closure law.law": "expression of coordinates and time that is kept at zero",
    "rate.law": "expression of coordinates, velocities and time that is kept at zero",
    # springs, dampers, friction
    "joint": "joint, or one of its coordinates, on which it acts",
    "other": "second joint or coordinate",
    "stiffness": "force per deflection",
    "link.length": "length of the spring without force",
    "link.axis": "direction in the frame of the first place; none for the line of the places",
    "crushable.axis": "direction in the frame of the first place; none for the line of the places",
    "crushable.length": "of the layer before it is crushed",
    "envelope": "force of a first crushing as an expression of crush, the shortening",
    "unloading": "stiffness of the line back as an expression of crush, the largest so far",
    "rest": "value of the coordinate without force",
    "damping": "force per speed",
    "link.law": "tension as an expression of length and rate, in place of stiffness and damping",
    "joint_law.law": "effort on the coordinate as an expression of q, qd, t and states",
    "rotation": "torsional stiffness about the three axes",
    "rotation_damping": "torque per angular velocity about the three axes",
    "coulomb": "dry friction while it slides",
    "breakaway": "effort at which sticking ends; 0: as large as coulomb",
    "viscous": "friction per speed",
    "smooth": "speed below which friction fades to zero",
    "static": "friction at rest; of a brake or clutch as a multiple of that in motion",
    "joint_friction.static": "friction at low speed, above coulomb",
    "stribeck": "speed over which static friction falls to coulomb",
    "mode": "name of the state that tells whether it sticks or slides",
    "speed": "sliding speed as an expression",
    "brake.force": "friction force of the brake as an expression, zero where it is open",
    "clutch.force": "friction force of the clutch as an expression, zero where it is open",
    "link_friction.force": "friction force along the line as an expression",
    "friction_law.force": "friction force against the speed as an expression",
    "energy": "potential energy as an expression of places; its slope is the force",
    "force": "three expressions for the force",
    "torque": "three expressions for the torque",
    "force law.force": "label of a point -> three expressions for the force on it",
    "force law.torque": "label of a point -> three expressions for the torque on it",
    "locked": "expression that is positive where the joint is held",
    # stops
    "lower": "lowest value of the coordinate, an expression",
    "upper": "highest value of the coordinate, an expression",
    "gap": "expression that cannot become negative",
    "restitution": "speed after an impact divided by that before it, 0 to 1",
    "shortest": "time between impacts below which the parts stay together",
    # contacts and tyres
    "height": "road z(x, y, t) in the frame of the second place; without it the plane z = 0",
    "corrections": "steps that move the foot of the contact to the nearest point of a curved road",
    "exponent": "e of the normal force k·depth^e",
    "dissipation": "normal force per force and speed of approach",
    "first_profile": "what the first body looks like in the x-y plane of its place",
    "second_profile": "what the second body looks like, likewise",
    "thickness": "depth behind an edge up to which it counts; by default half the material",
    "impact_speed": "speed at which the bodies meet",
    "plane_felt.force": "force at the depth that is given",
    "plane_felt.depth": "depth at which the force is given",
    "plane_felt.exponent": "p of the normal force force·(depth/given depth)^p",
    "plane_law.law": "normal force as an expression of depth and rate",
    "along": "direction along which friction sticks, in the frame of the second place",
    "friction": "coefficient of friction; 0: none (of tyres: no bound)",
    "slip_speed": "sliding speed below which friction fades",
    "stick_stiffness": "of the spring that holds what sticks, below the limit of friction; 0: none",
    "stick_time": "in which that spring comes to rest: its damping divided by its stiffness",
    "rolling_resistance": "torque against rolling divided by load and radius",
    "slow": "speed below which slip is regularised",
    "spin": "whether the first place spins with the wheel; without, there is no slip ratio",
    "slip_at": "where the sliding velocity is taken: contact or centre",
    "depth": "how the deflection is measured: normal or vertical",
    "slip_stiffness": "longitudinal force per slip ratio",
    "cornering_stiffness": "lateral force per slip angle",
    "camber_stiffness": "lateral force per camber",
    "trail": "pneumatic trail, positive when the lateral force acts behind the contact",
    "nominal_load": "load at which the coefficients hold, to which they are proportional; 0: not",
    "longitudinal": "coefficients C, a1 to a8 of the longitudinal force; an empty list: none",
    "lateral": "coefficients C, a1 to a11 of the lateral force; an empty list: none",
    "aligning": "coefficients C, a1 to a8 of the aligning torque; an empty list: none",
    "coefficients": "of PAC2002 by the names of the property file, PCX1 to QHZ4, LFZO, BREFF",
    "tyre_pac2002.nominal_load": "load to which that on the tyre is referred, FNOMIN of the file",
    "side": "left, or right: the tyre is mirrored",
    "grip": "factor of all forces, for other roads",
    "count": "number of equal tyres that share the load of the wheel",
    "SN": "skid number of the road over that of the test",
    # fluid power
    **{
        f"{kind}.{end}": f"port {where} which flow counts positive"
        for kind in (
            "fluid_line",
            "fluid_resistance",
            "orifice",
            "check_valve",
            "pump",
            "fluid_source",
        )
        for end, where in (("first", "from"), ("second", "into"))
    },
    "fluid": "name of the fluid in it",
    "density": "of the fluid at the reference",
    "bulk_modulus": "of the liquid without air",
    "viscosity": "dynamic viscosity of the fluid",
    "air": "share of free air by volume at air_pressure; 0: nothing keeps pressures above zero",
    "air_pressure": "pressure at which the share of air is given",
    "reference": "pressure at which the density is given and mass flows are counted",
    "flows": "how flows are counted: mass or volume",
    "volume": "of the oil in it",
    "pressure": "absolute pressure at the start",
    "accumulator.volume": "of the gas at the start",
    "accumulator.pressure": "absolute pressure of the gas at the volume that is given",
    "accumulator.exponent": "n of the gas law p V^n: 1 isothermal, 1.4 adiabatic",
    "tank.pressure": "absolute pressure",
    "bore": "diameter of the piston",
    "rod": "diameter of the rod; 0: none",
    "cylinder.length": "distance of the points at which the chambers have their given volumes",
    "stroke": "whole way of the piston, half of it either way of that length",
    "cap_volume": "oil of the chamber without the rod at that length, pipes included",
    "rod_volume": "oil of the chamber with the rod at that length, pipes included",
    "cap_pressure": "absolute pressure of the chamber without the rod at the start",
    "rod_pressure": "absolute pressure of the chamber with the rod at the start",
    "outside": "absolute pressure around the rod",
    "cylinder.closed": "chamber whose port is shut for good: cap, rod or both",
    "fluid_line.length": "of the pipe",
    "diameter": "of the pipe",
    "flow": "at the start",
    "fluid_line.law": "further loss of pressure as an expression of flow",
    "resistance": "drop of pressure per flow",
    "area": "of the opening",
    "coefficient": "discharge coefficient",
    "orifice.smooth": "drop of pressure well below which the flow is laminar",
    "conductance": "flow per drop beyond the opening",
    "leak": "flow per drop of the closed valve",
    "opening": "drop at which it opens",
    "displacement": "flow per speed of the joint",
    "fluid_source.law": "flow as an expression of q, qd, t and states",
    **dict.fromkeys(
        ("A0", "A1", "A2", "A3", "A4", "Aw", "B1", "B3", "B4", "AF1", "AF2"),
        "coefficient of the Calspan formulas, see above",
    ),
}
SECTIONS = {
    "off": "true leaves the element out of the model",
    "kind": "which row of the table of its room",
    "Document.kinetree": "version of the format",
    "Document.name": "of the model, one line",
    "Document.gravity": "acceleration of gravity in the ground frame [m/s2]",
    "Document.loop_tolerance": "gap up to which a loop counts as closed, relative to its size",
    "Document.parameters": "named numbers that expressions use and that stay variable at run time",
    "Document.tables": "look-up tables for laws: table_NAME(x)",
    "Document.ground": "points of the body that does not move",
    "Document.bodies": "rigid bodies by name",
    "Document.joints": "joints by name; their order numbers the coordinates",
    "Document.wrenches": "external forces and torques that are given at run time",
    "Document.closures": "closures of loops and laws between coordinates, by name",
    "Document.drives": "coordinate -> its motion as an expression of t",
    "Document.states": "states beside the motion, by name",
    "Document.clocks": "clocks by name, at which samples are taken",
    "Document.forces": "force elements by name",
    "Document.outputs": "what runs, plots, FMUs and C packages tell besides the motion, by name",
    "Document.events": "what happens at instants, by name",
    "Document.vary": "names of numbers that stay variable at run time although they are 0 or 1",
    "Document.studies": "what varies, is measured and is minimised, by name; no equation uses it",
    "Document.runs": "settings of analyses by name, as the studio keeps them",
    "RunData.analysis": "a row of the studio's table: simulate, equilibrium, modes, …",
    "RunData.options": "name of an option -> its value, as in the form of the analysis",
    "StudyVariableData.bounds": "lowest and highest value",
    "StudyVariableData.unit": "of the bounds; without one SI units",
    "StudyData.duration": "length of the runs [s]",
    "StudyData.variables": "what varies, by the names of kinetree.sensitivity",
    "StudyData.measures": "by name, as texts such as rms(qdd_seat)",
    "StudyData.minimise": "names of the measures whose sum is minimised",
    "StudyData.subject_to": "name of a measure -> lowest and highest value; null for none",
    "StudyData.run": "options of the runs: integrator, step, rtol, qd, …",
    "StudyData.plan": "of a sweep between these bounds",
    "StudyPlanData.kind": "sobol, latin_hypercube, saltelli or grid",
    "StudyPlanData.runs": "number of runs; of saltelli points, of a grid values of each variable",
    "StudyPlanData.seed": "of what is drawn",
    "Document.shapes": "solids that pages show, by body",
    "Document.layout": "positions in a drawing; equations do not use them",
    "ProfileData.point": "x and y",
    "ProfileData.circle": "x and y of its centre",
    "ProfileData.radius": "of the circle; negative: the inside of a ring",
    "ProfileData.chain": "corners in order, the material on the left; x, y and the bulge of an arc",
    "ProfileData.spline": "places of a smooth curve in order, the material on the left",
    "ProfileData.closed": "whether the last corner leads back to the first",
    "ProfileData.repeat": "the chain is one of so many equal parts about the origin",
    "ProfileData.rounding": "by how much the profile is grown on all sides",
    "ProfileData.file": "SVG, DXF or CSV file beside or below the model file, instead of a shape",
    "ProfileData.name": "id of an element of the SVG, or layer of the DXF",
    "ProfileData.unit": "of the numbers of the file; by default what it says, of CSV m",
    "ProfileData.flip": "the outline is a hole, or has its material on the right",
    "ProfileData.smooth": "a smooth curve through the corners of the file",
    "ParameterData.value": "default at run time",
    "ParameterData.unit": "of the value: m, mm, deg, kg, N.m/deg, …; without one SI units",
    "PointData.position": "from the origin of the body, in its frame [m]",
    "PointData.rotation": "matrix from components in the frame of the point to those of the body",
    "PointData.rpy": "the same by roll, pitch and yaw [rad]",
    "GroundData.points": "points of the ground by name",
    "BodyData.mass": "[kg]",
    "BodyData.com": "centre of mass from the origin of the body, in its frame [m]",
    "BodyData.inertia": "about the centre of mass: xx, yy, zz, and xy, xz, yz if given [kg.m2]",
    "BodyData.physical": "false for an effective inertia that no real body has",
    "BodyData.points": "points of the body by name",
    "WrenchData.at": "place on which it acts: body or body.point",
    "WrenchData.frame": "whose components the values are: body or world",
    "DriveData.law": "motion of the coordinate as an expression of t; without it an input",
    "TableData.knots": "arguments, rising",
    "TableData.values": "values at the knots",
    "TableData.slopes": "slopes at the knots; by default such that nothing overshoots",
    "StateData.initial": "value to start from",
    "StateData.rate": "derivative by time, an expression",
    "StateData.unit": "of the initial value",
    "StateData.held": "true for a state that changes at events alone",
    "StateData.clock": "clock at which it is sampled",
    "StateData.sampled": "value that is taken at the clock, an expression",
    "StateData.remembered": "value that is taken at the end of every accepted step, an expression",
    "ClockData.every": "period [s]",
    "ClockData.offset": "time of the first tick [s]; of a slower clock ticks of the faster one",
    "ClockData.of": "faster clock that this one is a part of",
    "ClockData.ratio": "ticks of that clock per tick",
    "EventData.when": "expression whose zero is the event",
    "EventData.direction": "of the crossing: rising, falling or both",
    "EventData.every": "period of an event in time [s]",
    "EventData.offset": "first time of such an event [s]",
    "EventData.at": "times of an event [s]",
    "EventData.stops": "whether the run ends there",
    "EventData.then": "qd_NAME or state -> its value after the event",
    "OutputData.expression": "what it is, an expression of whatever laws and outputs name",
    "OutputData.unit": "of the expression",
    "OutputData.point": "place whose motion it is: body or body.point",
    "OutputData.quantity": "which part of the motion",
    "OutputData.relative_to": "place from which the motion is seen",
    "OutputData.frame": "place along whose axes the components are",
    "LimitsData.lower": "lowest coordinate [rad or m]",
    "LimitsData.upper": "highest coordinate [rad or m]",
    "LimitsData.velocity": "largest speed [rad/s or m/s]",
    "LimitsData.effort": "largest effort [N.m or N]",
    "MimicData.joint": "joint that leads: q = ratio·q(joint) + offset",
    "MimicData.ratio": "factor",
    "MimicData.offset": "added to the product [rad or m]",
    "limits": "bounds of the joint; data, no equation uses them",
    "mimic": "another joint that this one follows",
    "initial": "coordinates to start from [rad or m]",
    "coordinates": "names of its coordinates in place of those made from its own",
    "joint damping": "effort per speed; data that model.joint_forces() makes a force of",
    "joint friction": "dry friction; likewise",
    "armature": "rotor inertia along its velocities [kg.m2 or kg]",
}
"""Meaning of the other fields of a model file: "Section.field", or a field of many sections."""
UNITS = {
    "pitch": "m/rad", "length": "m", "radius": "m", "crown": "m", "height": "m",
    "force": "N", "torque": "N.m", "trail": "m", "thickness": "m",
}  # fmt: skip
"""Units of what the row of a kind does not give; those of coordinates depend on the joint."""


def field_text(kind: ElementKind, name: str) -> str:
    """The meaning of a field of a kind."""
    for key in (f"{kind.noun} {kind.name}.{name}", f"{kind.name}.{name}", name):
        if key in TEXTS:
            return TEXTS[key]
    raise KeyError(f"{kind.noun} '{kind.name}': the field '{name}' has no text")


def field_unit(kind: ElementKind, name: str) -> str:
    """The unit of a field of a kind; empty where it has none or follows from the place."""
    units = kind.units if isinstance(kind, ForceKind) else {}
    unit = units.get(name, UNITS.get(name, ""))
    joints = unit.replace("{effort}", "N.m or N").replace("{q}", "rad or m")
    return "" if joints == "1" else joints


def add_texts(schema: dict[str, Any], kinds: Mapping[str, ElementKind]) -> None:
    """Give every field of a JSON schema its text and unit.

    Args:
        schema: of the document, with the sections in "$defs".
        kinds: title of a section -> the kind whose elements it holds.
    """
    sections = {"Document": schema, **schema["$defs"]}
    for title, section in sections.items():
        for name, field in section.get("properties", {}).items():
            field["description"] = _section_text(title, name, kinds.get(title))


def _section_text(title: str, name: str, kind: ElementKind | None) -> str:
    if kind is not None and name in (*kind.labels, *kind.options, "points", "parent", "child"):
        unit = field_unit(kind, name)
        return field_text(kind, name) + (f" [{unit}]" if unit else "")
    noun = f"{kind.noun} {name}" if kind is not None else f"{title}.{name}"
    return SECTIONS[noun] if noun in SECTIONS else SECTIONS[name]
