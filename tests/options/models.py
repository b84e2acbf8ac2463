"""Rows of the methods that build models, and of what they ask."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.options.rows import Refused, Row, Unseen

import kinetree as kt
from kinetree.algebra import disp, rotz
from kinetree.model import Body
from kinetree.model.methods.joints import JointData

NUMBER = "number whole"
"""Wrong values that are numbers all the same."""
LAW = f"{NUMBER}"
TEXT = "word"
QUIET_Q = [0.1, 0.2, 1.0, 0.0, 0.0, 0.0, 0.3, 0.4, 0.5, 0.6]
"""Coordinates of the bench."""
FAR_Q = [0.2, 0.3, 0.6, 0.0, 0.8, 0.0, 0.3, 0.4, 0.5, 0.6]
JOINT = tuple(JointData.__annotations__)


def bench() -> kt.Model:
    """Bodies and joints to attach things to; each call makes new ones."""
    model = kt.Model("bench", gravity=(0, -9.81, 0))
    a, b, wheel = (model.body(n, mass=1.0, inertia=(1, 1, 1)) for n in ("a", "b", "wheel"))
    model.revolute("one", model.ground, a)
    model.revolute("two", a.point("tip", (1, 0, 0)), b)
    model.free("three", model.ground, wheel)
    model.prismatic("four", b, model.body("rider", mass=1.0))
    model.body("loose", mass=1.0)
    b.point("end", (1, 0, 0))
    model.ground.point("foot", (2, 0, 0))
    model.parameter("k", 3.0)
    model.state("s", 1.0)
    model.clock("c", 0.1)
    model.clock("d", 0.3)
    model.sample("held", "c", 1.0)
    model.mode("kept")
    return model


def piped() -> kt.Model:
    """The bench with a fluid in two volumes."""
    model = bench()
    model.fluid("oil", 870.0, 1e9)
    model.fluid_volume("A", "oil", 1e-4)
    model.fluid_volume("B", "oil", 1e-4)
    return model


def whole() -> kt.Model:
    model = bench()
    model.body("last", mass=1.0, inertia=(1, 1, 9))
    model.prismatic("loose", "b", "loose")
    model.fixed("last", "loose", "last")
    return model


def bounded() -> kt.Model:
    model = kt.Model("bounded")
    three, four = (model.body(name, mass=1.0, inertia=(1, 1, 1)) for name in ("x", "y"))
    model.prismatic("three", model.ground, three, limits=(-1.0, 1.0))
    model.prismatic("four", three, four, limits={"upper": 2.0})
    return model


def framed() -> kt.FrameModel:
    model = kt.FrameModel("framed")
    q = model.coordinate("old")
    model.frame("arm", rotz(q) @ disp(1, 0, 0), 1.0, (1, 1, 1))
    return model


def row(method: str, base: dict[str, Any], right: dict[str, Any], **more: Any) -> tuple[Row, ...]:
    """The row of a method of a model; what it makes is called 'new'."""
    kind: Any = more.pop("kind", kt.Model)
    build: Callable[[], Any] = more.pop("build", bench)
    right = {"name": "other", **right} if "name" in base else right

    def call(_: Path) -> dict[str, Any]:
        return {"self": build(), **base}

    takes = {"name": TEXT, **more.pop("takes", {})}
    return (Row(getattr(kind, method), call, right, takes, element="'new", **more),)


def joint(method: str, right: dict[str, Any], **base: Any) -> tuple[Row, ...]:
    """The row of a method that adds a joint."""
    one = method in ("revolute", "prismatic", "screw", "joint")
    data = {
        "limits": (-1.0, 1.0), "damping": 0.1, "friction": 0.2,
        "mimic": ("one", 2.0, 0.1),
        "initial": 0.3 if one else Refused(0.3),
        "coordinates": ["angle"] if one else Refused(["angle"]),
        "armature": 0.1,
    }  # fmt: skip
    if method == "fixed":
        data |= {"armature": Refused(0.1)}
    places = {"parent": "b.end", "child": "b"}
    return row(
        method, {"name": "new", "parent": "b", "child": "loose", **base},
        {**places, **data, **right}, more=JOINT,
        takes={
            "damping": NUMBER, "friction": NUMBER, "armature": NUMBER, "initial": NUMBER,
            "mimic": "names",  # a joint that is added later
            "pitch": NUMBER, "coordinates": "names" if one else "",
        },
    )  # fmt: skip


def closure(method: str, right: dict[str, Any], **base: Any) -> tuple[Row, ...]:
    """The row of a method that closes a loop."""
    ends = {"first": "b.end", "second": "ground.foot"}
    if method in ("close_curve", "close_surface", "close_line"):
        ends = {"point": "b.end", "place": "ground.foot"}
    other = dict.fromkeys(ends, "wheel")
    return row(
        method, {"name": "new", **ends, **base}, {**other, **right},
        takes={"length": NUMBER, "law": LAW},
    )  # fmt: skip


def two_laws(y: Any, z: Any) -> Any:
    return y, z


PAIR = {"first": "b.end", "second": "ground.foot"}
OTHERS = {"first": "wheel", "second": "wheel"}
PORTS = {"first": "A", "second": "B"}
SWAPPED = {"first": "B", "second": "A"}

MODELS: dict[str, tuple[Row, ...]] = {
    "Model": (
        Row(
            kt.Model, lambda _: {"name": "new"},
            {"name": "other", "gravity": (0, 0, 0), "loop_tolerance": 1e-4},
            {"name": TEXT},
        ),
    ),
    "FrameModel": (
        Row(
            kt.FrameModel, lambda _: {"name": "new"}, {"name": "other", "gravity": (0, 0, 0)},
            {"name": TEXT},
        ),
    ),
    "parameter": row(
        "parameter", {"name": "new", "value": 1.0}, {"value": 2.0, "unit": "kg"},
        takes={"value": NUMBER, "unit": TEXT},
    ),
    "body": row(
        "body", {"name": "new"},
        {"mass": 2.0, "com": (1, 0, 0), "inertia": (1, 1, 1), "physical": False},
        takes={"mass": NUMBER, "physical": "truth"},
    ),
    "revolute": joint("revolute", {"axis": "x"}),
    "prismatic": joint("prismatic", {"axis": "y"}),
    "screw": joint("screw", {"axis": "x", "pitch": 0.2}, pitch=0.1),
    "cylindrical": joint("cylindrical", {"axis": "x"}),
    "universal": joint("universal", {"axes": ("x", "z")}),
    "planar": joint("planar", {"normal": "x"}),
    "spherical": joint("spherical", {}),
    "free": joint("free", {}),
    "fixed": joint("fixed", {}),
    "sequence": joint("sequence", {"steps": "T1 R2"}, steps="T1 R1"),
    "joint": joint(
        "joint", {"kind": "prismatic", "arguments": {"axis": "x"}}, kind="revolute"
    ),
    "wrench": row("wrench", {"name": "new", "place": "b"}, {"place": "a", "frame": "world"}),
    "close_ball": closure("close_ball", {}),
    "close_solid": closure("close_solid", {}),
    "close_revolute": closure("close_revolute", {"axis": "x"}),
    "close_cylindrical": closure("close_cylindrical", {"axis": "x"}),
    "close_prismatic": closure("close_prismatic", {"axis": "y"}),
    "close_planar": closure("close_planar", {"normal": "x"}),
    "close_universal": closure("close_universal", {"axes": ("x", "z")}),
    "close_rod": closure("close_rod", {"length": 3.0}, length=2.0),
    "close_line": closure("close_line", {"axis": "y"}),
    "close_curve": closure("close_curve", {"law": lambda x, y, z: (y - x, z)}, law=two_laws),
    "close_surface": closure("close_surface", {"law": lambda x, y: y - x}, law=lambda y: y),
    "closure": row(
        "closure", {"kind": "rod", "name": "new", "ends": ["b.end", "ground.foot"],
                    "arguments": {"length": 1.0}},
        {"kind": Refused("ball"), "ends": ["wheel", "ground.foot"], "arguments": {"length": 2.0}},
    ),
    "roll": row(
        "roll", {"name": "new", "wheel": "wheel", "plane": "ground", "radius": 0.3, "axis": "y"},
        {"wheel": "b", "plane": "ground.foot", "radius": 0.4, "axis": "x", "normal": "x",
         "crown": 0.1},
        takes={"radius": NUMBER, "crown": NUMBER, "axis": "none"},
    ),
    "constrain": row(
        "constrain", {"name": "new", "law": lambda q: q["one"] - q["two"]},
        {"law": lambda q: q["one"]}, takes={"law": LAW},
    ),
    "constrain_rates": row(
        "constrain_rates", {"name": "new", "law": lambda qd: qd["one"] - qd["two"]},
        {"law": lambda qd: qd["one"]},
        takes={"law": LAW},
    ),
    "couple": row(
        "couple", {"name": "new", "first": "one", "second": "two", "ratio": 2.0},
        {"first": "four", "second": "four", "ratio": 3.0, "offset": 0.1},
        takes={"ratio": NUMBER, "offset": NUMBER},
    ),
    "drive": row(
        "drive", {"joint": "one"}, {"joint": "two", "law": lambda t: t}, takes={"law": LAW},
        says={"joint": "coordinate", "law": "drive"},
    ),
    "force": row(
        "force", {"kind": "link", "name": "new", "places": ["b.end", "ground.foot"],
                  "arguments": {"law": 3.0}},
        {"kind": Refused("bushing"), "places": ["wheel", "ground.foot"],
         "arguments": {"law": 4.0}},
    ),
    "spring": row(
        "spring", {"name": "new", **PAIR, "stiffness": 3.0},
        {**OTHERS, "stiffness": 4.0, "length": 1.0, "damping": 0.1},
        takes={"stiffness": NUMBER, "length": NUMBER, "damping": NUMBER},
    ),
    "link": row(
        "link", {"name": "new", **PAIR, "law": lambda length: 3 * length},
        {**OTHERS, "law": lambda length: 4 * length, "energy": lambda length: length**3,
         "axis": "y"},
        takes={"law": LAW, "energy": LAW},
    ),
    "bushing": row(
        "bushing", {"name": "new", **PAIR, "stiffness": (1, 1, 1)},
        {**OTHERS, "stiffness": (2, 1, 1), "rotation": (1, 1, 1), "damping": (1, 1, 1),
         "rotation_damping": (1, 1, 1)},
        more=("damping", "rotation_damping"),
    ),
    "joint_spring": row(
        "joint_spring", {"name": "new", "joint": "one", "stiffness": 1.0},
        {"joint": "two", "stiffness": 2.0, "rest": 0.1, "damping": 0.1},
        takes={"stiffness": NUMBER, "rest": NUMBER, "damping": NUMBER},
    ),
    "joint_friction": row(
        "joint_friction", {"name": "new", "joint": "one", "coulomb": 1.0},
        {"joint": "two", "coulomb": 2.0, "viscous": 0.1, "smooth": 0.01},
        takes={"coulomb": NUMBER, "viscous": NUMBER, "smooth": NUMBER},
        more=("viscous", "smooth"),
    ),
    "dry_friction": row(
        "dry_friction", {"name": "new", "joint": "one", "coulomb": 1.0},
        {"joint": "two", "coulomb": 2.0, "breakaway": 3.0, "viscous": 0.1, "mode": "other"},
        takes={"coulomb": NUMBER, "breakaway": NUMBER, "viscous": NUMBER, "mode": TEXT},
        more=("viscous", "mode"),
    ),
    "brake": row(
        "brake", {"name": "new", "joint": "one", "force": 1.0},
        {"joint": "two", "force": lambda t: t, "static": 1.2, "viscous": 0.1, "mode": "other"},
        takes={"force": LAW, "static": NUMBER, "viscous": NUMBER, "mode": TEXT},
        more=("static", "viscous", "mode"),
    ),
    "clutch": row(
        "clutch", {"name": "new", "joint": "one", "other": "two", "force": 1.0},
        {"joint": "two", "other": "one", "force": lambda t: t, "ratio": 2.0, "static": 1.2,
         "viscous": 0.1, "mode": "other"},
        takes={"force": LAW, "ratio": NUMBER, "static": NUMBER, "viscous": NUMBER, "mode": TEXT},
        more=("ratio", "static", "viscous", "mode"),
    ),
    "link_friction": row(
        "link_friction", {"name": "new", **PAIR, "force": 1.0},
        {**OTHERS, "force": lambda t: t, "static": 1.2, "viscous": 0.1, "mode": "other"},
        takes={"force": LAW, "static": NUMBER, "viscous": NUMBER, "mode": TEXT},
        more=("static", "viscous", "mode"),
    ),
    "friction_law": row(
        "friction_law", {"name": "new", "speed": lambda qd: qd["one"], "force": 1.0},
        {"speed": lambda qd: qd["two"], "force": lambda t: t, "static": 1.2, "viscous": 0.1,
         "mode": "other"},
        takes={"speed": LAW, "force": LAW, "static": NUMBER, "viscous": NUMBER, "mode": TEXT},
        more=("static", "viscous", "mode"),
    ),
    "sticking_contact": row(
        "sticking_contact", {"name": "new", "body": "wheel", "road": "ground", "radius": 0.3,
                             "friction": 0.5, "stiffness": 1e5},
        {"body": "b", "road": "ground.foot", "radius": 0.4, "friction": 0.4, "stiffness": 2e5,
         "static": 1.2, "along": "y", "mode": "other"},
        takes={"radius": NUMBER, "friction": NUMBER, "stiffness": NUMBER, "static": NUMBER,
               "mode": TEXT},
        more=("static", "along", "mode"),
    ),
    "lock": row("lock", {"name": "new", "joint": "one", "locked": 1.0},
                {"joint": "two", "locked": lambda t: t}, takes={"locked": LAW}),
    "stop": row(
        "stop", {"name": "new", "joint": "one", "lower": -1.0},
        {"joint": "two", "lower": -2.0, "upper": 2.0, "restitution": 0.5, "shortest": 1e-3,
         "gap": Refused(lambda q: q["one"]), "points": Refused({"end": "b.end"})},
        takes={"lower": LAW, "upper": LAW, "restitution": NUMBER, "shortest": NUMBER},
        more=("shortest",),
    ) + row(
        "stop",
        {"name": "new", "points": {"end": "b.end"}, "gap": lambda points: points["end"].p[0]},
        {"points": {"end": "a"}, "gap": lambda points: points["end"].p[1], "restitution": 0.5,
         "joint": Refused("one"), "lower": Refused(1.0), "upper": Refused(1.0)},
        takes={"gap": LAW, "restitution": NUMBER},
    ),
    "stop_at_limits": row(
        "stop_at_limits", {}, {"joints": ["four"], "restitution": 0.5},
        takes={"restitution": NUMBER}, build=bounded,
    ),
    "integrate": row("integrate", {"q": QUIET_Q, "step": [0.0] * 9},
                     {"q": [2 * x for x in QUIET_Q], "step": [0.1] * 9}),
    "difference": row("difference", {"start": QUIET_Q, "end": QUIET_Q},
                      {"start": FAR_Q, "end": FAR_Q}),
    "clip": row("clip", {"q": QUIET_Q}, {"q": FAR_Q}),
    "random": row("random", {"seed": 1}, {"seed": 2, "shape": 3, "span": 2.0}),
    "joint_law": row("joint_law", {"name": "new", "joint": "one", "law": lambda q: q["one"]},
                     {"joint": "two", "law": lambda q: 2 * q["one"],
                      "energy": lambda q: q["one"] ** 3}, takes={"law": LAW, "energy": LAW}),
    "joint_forces": row("joint_forces", {}, {"smooth": Unseen(0.1, "no joint has friction")},
                        takes={"smooth": NUMBER}),
    "external": row(
        "external", {"name": "new", "at": "b", "force": (1, 0, 0)},
        {"at": "a", "force": (2, 0, 0), "torque": (1, 0, 0), "frame": "body"},
        takes={"force": "none"},
    ),
    "force_law": row(
        "force_law",
        {"name": "new", "points": {"end": "b.end"}, "law": lambda points: {"end": (1, 0, 0)}},
        {"points": {"end": "a"}, "law": lambda points: {"end": (2, 0, 0)},
         "energy": lambda points: points["end"].p[0] ** 2},
        takes={"energy": LAW},
    ),
    "contact": row(
        "contact", {"name": "new", "body": "wheel", "road": "ground", "radius": 0.3,
                    "stiffness": 1e5},
        {"body": "b", "road": "ground.foot", "radius": 0.4},
        takes={"radius": NUMBER},
    ),
    "plane_contact": row(
        "plane_contact",
        {"name": "new", "first": "a", "second": "ground.foot", "stiffness": 1e5,
         "first_profile": {"circle": (0, 0), "radius": 0.1},
         "second_profile": {"chain": ((1, 0), (-1, 0))}},
        {"first": "b", "second": "ground", "law": Refused("nonsense"),
         "first_profile": {"point": (0, 0)}, "second_profile": {"circle": (0, 0), "radius": 1}},
        takes={"first_profile": "a profile", "second_profile": "a profile"},
    ),
    "tyre": row(
        "tyre", {"name": "new", "wheel": "wheel", "road": "ground", "radius": 0.3,
                 "stiffness": 1e5, "cornering_stiffness": 1e4},
        {"wheel": "b", "road": "ground.foot", "radius": 0.4, "law": Refused("calspan")},
        takes={"radius": NUMBER},
    ),
    "fluid": row(
        "fluid", {"name": "new", "density": 870.0, "bulk_modulus": 1e9},
        {"density": 850.0, "bulk_modulus": 2e9, "viscosity": 0.02, "air": 0.01,
         "air_pressure": 2e5, "reference": 2e5, "flows": "volume"},
        takes=dict.fromkeys(
            ("density", "bulk_modulus", "viscosity", "air", "air_pressure", "reference"), NUMBER
        ),
        more=("viscosity", "air", "air_pressure", "reference", "flows"),
    ),
    "fluid_volume": row(
        "fluid_volume", {"name": "new", "fluid": "oil", "volume": 1e-4},
        {"fluid": Refused("water"), "volume": 2e-4, "pressure": 2e5},
        takes={"volume": NUMBER, "pressure": NUMBER}, build=piped,
    ),
    "accumulator": row(
        "accumulator", {"name": "new", "fluid": "oil", "volume": 1e-4, "pressure": 1e6},
        {"fluid": Refused("water"), "volume": 2e-4, "pressure": 2e6, "exponent": 1.4},
        takes={"volume": NUMBER, "pressure": NUMBER, "exponent": NUMBER}, build=piped,
    ),
    "tank": row("tank", {"name": "new", "fluid": "oil"},
                {"fluid": Refused("water"), "pressure": 2e5}, takes={"pressure": NUMBER},
                build=piped),
    "cylinder": row(
        "cylinder", {"name": "new", **PAIR, "fluid": "oil", "bore": 0.03, "length": 0.5,
                     "stroke": 0.2, "cap_volume": 2e-4, "rod_volume": 2e-4},
        {**OTHERS, "fluid": Refused("water"), "bore": 0.031, "rod": 0.01, "length": 0.6,
         "stroke": 0.1, "cap_volume": 3e-4, "rod_volume": 3e-4, "cap_pressure": 2e5,
         "rod_pressure": 2e5, "outside": 0.0, "closed": "cap"},
        takes=dict.fromkeys(
            ("bore", "rod", "length", "stroke", "cap_volume", "rod_volume", "cap_pressure",
             "rod_pressure", "outside"), NUMBER
        ),
        more=("length", "stroke", "cap_volume", "rod_volume", "rod", "cap_pressure",
              "rod_pressure", "outside", "closed"), build=piped,
    ),
    "fluid_line": row(
        "fluid_line", {"name": "new", **PORTS, "length": 1.0, "diameter": 0.01},
        {**SWAPPED, "length": 2.0, "diameter": 0.02, "law": lambda flow: 1e8 * flow, "flow": 1e-5},
        takes={"length": NUMBER, "diameter": NUMBER, "law": LAW, "flow": NUMBER}, build=piped,
    ),
    "fluid_resistance": row(
        "fluid_resistance", {"name": "new", **PORTS, "resistance": 1e9},
        {**SWAPPED, "resistance": 2e9}, takes={"resistance": NUMBER}, build=piped,
    ),
    "orifice": row(
        "orifice", {"name": "new", **PORTS, "area": 1e-5},
        {**SWAPPED, "area": 2e-5, "coefficient": 0.6, "smooth": 2e3},
        takes={"area": NUMBER, "coefficient": NUMBER, "smooth": NUMBER},
        more=("coefficient", "smooth"), build=piped,
    ),
    "check_valve": row(
        "check_valve", {"name": "new", **PORTS, "conductance": 1e-9},
        {**SWAPPED, "conductance": 2e-9, "leak": 1e-14, "opening": 1e5},
        takes={"conductance": NUMBER, "leak": NUMBER, "opening": NUMBER},
        more=("leak", "opening"), build=piped,
    ),
    "pump": row(
        "pump", {"name": "new", **PORTS, "joint": "one", "displacement": 1e-6},
        {**SWAPPED, "joint": "two", "displacement": 2e-6}, takes={"displacement": NUMBER},
        build=piped,
    ),
    "fluid_source": row(
        "fluid_source", {"name": "new", **PORTS, "law": 1e-5},
        {**SWAPPED, "law": lambda t: 1e-5 * t}, takes={"law": LAW}, build=piped,
    ),
    "output": row(
        "output", {"name": "new", "point": "b"},
        {"what": Refused(lambda q: q["one"]), "unit": Refused("m"),
         "point": Unseen("a", "it is seen in runs"), "quantity": "velocity",
         "relative_to": Unseen("a", "it is seen in runs"),
         "frame": Unseen("a", "it is seen in runs")},
        takes={"what": "none"},
    ),
    "state": row("state", {"name": "new"}, {"initial": 1.0, "rate": lambda t: t, "unit": "m"},
                 takes={"initial": NUMBER, "rate": LAW, "unit": TEXT}),
    "state_rate": row("state_rate", {"name": "s", "rate": 1.0}, {"name": Refused("z"), "rate": 2.0},
                      takes={"rate": LAW, "name": ""}, says={"name": "state", "rate": "state"}),
    "table": row(
        "table", {"name": "new", "knots": [0.0, 1.0], "values": [0.0, 1.0]},
        {"knots": [0.0, 2.0], "values": [0.0, 2.0], "slopes": [0.5, 0.6]},
    ),
    "check": row(
        "check", {}, {"invertible": Unseen(False, "its masses suffice"), "inertia": "ignore"},
        build=whole, takes={"invertible": "truth"},
    ),
    "point": row("point", {"path": "b.end"}, {"path": "a"}, says={"path": "point"}),
    "turns": row("turns", {"velocity": "one"}, {"velocity": "three_vx"}),
    "velocity_of": row("velocity_of", {"coordinate": "one"}, {"coordinate": "two"}),
    "Body.point": (
        Row(
            Body.point, lambda _: {"self": bench().bodies["b"], "name": "new"},
            {"name": "other", "position": (1, 0, 0),
             "rotation": [[0, 1, 0], [-1, 0, 0], [0, 0, 1]]},
            {"name": TEXT}, element="'b.new",
        ),
    ),
    "coordinate": row(
        "coordinate", {"name": "new"}, {"unit": "m", "initial": 0.2}, kind=kt.FrameModel,
        build=framed, takes={"initial": NUMBER},
    ),
    "quaternion": row(
        "quaternion", {"name": "new"}, {"initial": (0, 1, 0, 0)}, kind=kt.FrameModel, build=framed,
    ),
    "mode": row(
        "mode", {"name": "new"}, {"initial": 2.0, "unit": "mm"},
        takes={"initial": f"{NUMBER} none", "unit": TEXT},
    ),
    "memory": row(
        "memory", {"name": "new"}, {"initial": 2.0, "law": lambda t: t, "unit": "mm"},
        takes={"law": f"{LAW} none", "initial": f"{NUMBER} none", "unit": TEXT},
    ),
    "memory_law": row(
        "memory_law", {"name": "kept", "law": 1.0}, {"name": Refused("s"), "law": lambda t: t},
        takes={"law": LAW, "name": ""}, says={"name": "memory", "law": "kept"},
    ),
    "clock": (
        *row(
            "clock", {"name": "new", "every": 0.1},
            {"every": 0.2, "offset": 0.5, "of": Refused("c"), "ratio": Refused(2)},
            takes={"offset": NUMBER, "of": "none"},
        ),
        *row(
            "clock", {"name": "new", "of": "c"}, {"of": "d", "ratio": 2, "offset": 3},
            partial=True,
        ),
    ),
    "sample": row(
        "sample", {"name": "new", "clock": "c"},
        {"clock": "d", "law": lambda t: t, "initial": 2.0, "unit": "mm"},
        takes={"law": f"{LAW} none", "initial": f"{NUMBER} none", "unit": TEXT},
    ),
    "sample_law": row(
        "sample_law", {"name": "held", "law": 1.0}, {"name": Refused("s"), "law": lambda t: t},
        takes={"law": LAW, "name": ""}, says={"name": "sample", "law": "held"},
    ),
    "plastic_spring": row(
        "plastic_spring", {"name": "new", "joint": "one", "stiffness": 1.0, "limit": 1.0},
        {"joint": "two", "stiffness": 2.0, "limit": 3.0, "rest": 0.5},
        takes={"rest": NUMBER},
    ),
    "study": row(
        "study",
        {"name": "new", "duration": 1.0, "variables": {"k": (0.5, 2.0)},
         "measures": {"end": "final(q_one)"}},
        {"duration": 2.0, "variables": {"k": (1.0, 2.0)},
         "measures": {"end": "peak(q_one)"}, "minimise": ["end"],
         "subject_to": {"end": (None, 1.0)}, "units": {"k": "1"},
         "run": {"rtol": 1e-6}, "plan": {"kind": "grid"}},
        takes={"duration": NUMBER, "run": "mapping named", "measures": "mapping",
               "plan": "mapping named"},
    ),
    "crushable": row(
        "crushable",
        {"name": "new", "first": "a", "second": "ground.foot", "length": 1.0,
         "envelope": lambda crush: 10.0 * crush, "unloading": 20.0},
        {"first": "b", "second": "ground", "length": 2.0, "unloading": 30.0,
         "envelope": lambda crush: 15.0 * crush, "axis": "y", "located": False},
        takes={"length": NUMBER, "envelope": LAW, "unloading": LAW, "located": "truth"},
    ),
    "event": (
        *row(
            "event", {"name": "new", "when": lambda t: t - 1},
            {"when": lambda t: t - 2, "then": {"s": 0.0}, "direction": "falling", "stops": True,
             "every": Refused(1.0), "offset": Refused(0.5), "at": Refused((1.0,))},
            takes={"stops": "truth"},
        ),
        *row(
            "event", {"name": "new", "every": 1.0}, {"every": 2.0, "offset": 0.5},
            takes={"offset": NUMBER}, partial=True,
        ),
    ),
    "frame": row(
        "frame", {"name": "new", "T": disp(1, 0, 0)},
        {"T": disp(2, 0, 0), "mass": 1.0, "inertia": (1, 1, 1), "com": (1, 0, 0),
         "physical": False},
        kind=kt.FrameModel, build=framed, takes={"mass": NUMBER, "physical": "truth"},
    ),
}  # fmt: skip
QUIET = {
    "content_hash", "findings", "initial", "limits", "neutral", "tree", "as_frames", "vary",
    "with_varied",
}  # fmt: skip
"""Methods without choices, and those that take any number of names (tests/unit/model/test_vary)."""
